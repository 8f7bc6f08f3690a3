"""The nodes of an ONNX model that computes a network of TensorFlow Lite.

Floats alone are taken: weights of float16 and int8 become float32, and networks whose values are
integers with scales are refused. Variables that the network reads and assigns become inputs and
outputs, so that nothing is kept between calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import onnx
import onnx.helper
import onnx.numpy_helper

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.model_import.reading import Budget, damaged
from rnn_compiler.model_import.tflite_fused import FUSED
from rnn_compiler.model_import.tflite_reader import Operator, Subgraph, Tensor, TfliteFile

OPSET = 17
_MOST_NESTED = 3

_DTYPES = ("float32", "float16", "int32", "int64", "bool")


Rule: TypeAlias = "Callable[[Network, Operator], None]"
"""Writes the nodes of an operator."""

Rules: TypeAlias = Mapping[int, tuple[str, Rule]]


@dataclass
class Network:
    """The nodes and constants so far.

    Attributes:
        file: The file.
        graph: Its main graph.
        budget: What its arrays may take.
        rules: What writes the nodes of an operator, with its name, by its number.
        at: The operator whose nodes are written, for names and messages.
        clips: The limits of cells, by the first outputs of their nodes.
        names: The names of values, by the numbers of their tensors.
        inputs: The inputs of the model besides the graph's: states.
        outputs: Its outputs besides the graph's.
        nested: How many loops the graph is in.
        states: The current values of variables, by the numbers of their handles.
        state_of: The values of variables before they were set.
    """

    file: TfliteFile
    graph: Subgraph
    budget: Budget
    rules: Rules
    at: str = ""
    clips: dict[str, float] = field(default_factory=lambda: {})
    names: dict[int, str] = field(default_factory=lambda: {})
    inputs: dict[str, int] = field(default_factory=lambda: {})
    outputs: dict[str, str] = field(default_factory=lambda: {})
    states: dict[int, str] = field(default_factory=lambda: {})
    state_of: dict[int, str] = field(default_factory=lambda: {})
    nodes: list[Any] = field(default_factory=lambda: [])
    constants: list[Any] = field(default_factory=lambda: [])
    nested: int = 0

    def run(self, wanted: Sequence[int], outer: str = "") -> None:
        """Writes the nodes of the operators that some tensors need."""
        if self.nested > _MOST_NESTED:
            raise self.refused("loops in loops")
        needed = self._needed(wanted)
        for k, op in enumerate(self.graph.ops):
            if needed.isdisjoint(op.outputs or op.inputs[:1]):
                continue
            name, rule = self.rules.get(op.code, (f"operator_{op.code}", None))
            self.at = f"{outer}/{name}_{k}".lstrip("/")
            if rule is None:
                raise self.refused(f"TensorFlow Lite's operator number {op.code} is not imported")
            try:
                rule(self, op)
            except (IndexError, ValueError) as error:  # inputs that no such operator has
                raise damaged(self.file.path, f"{self.at}: {error}") from error

    def _needed(self, wanted: Sequence[int]) -> set[int]:
        """The tensors from which some are computed, and these; with variables, their next values.

        Those of random numbers, for dropout in training, are not among them.
        """
        needed, waiting = {*wanted}, [*wanted]
        while waiting:
            op = self.graph.producers.get(waiting.pop())
            sources = {*op.inputs} if op is not None else set[int]()
            if op is not None and not op.inputs:  # a variable
                sets = (each for each in self.graph.ops if not each.outputs and each.inputs)
                sources |= {each.inputs[-1] for each in sets if each.inputs[0] in op.outputs}
            waiting += sources - needed
            needed |= sources
        return needed

    def __post_init__(self) -> None:
        for number, name in self._named(self.graph.inputs, "inputs"):
            self.names[number] = name

    def refused(self, what: str) -> UnsupportedError:
        """The error for what is not taken, by the name of the operator."""
        remedy = 'Keras writes the same network as ONNX: model.export("model.onnx", format="onnx")'
        return UnsupportedError(f"import_network: {self.at}: {what}; {remedy}")

    def check_types(self) -> None:
        """Checks that values are floats, and integers that are no scaled numbers."""
        for k, op in enumerate(self.graph.ops):
            for number in op.outputs:
                dtype = self.tensor(number).dtype
                if dtype in ("int8", "uint8", "int16"):
                    alone = "import its LSTM alone, which has the interpreter's bits, or "
                    raise UnsupportedError(
                        f"import_network: operator {k} has a result of {dtype}: a network in "
                        f"integers; {alone if FUSED & self.file.codes else ''}"
                        "convert the model without a representative dataset"
                    )

    def tensor(self, number: int) -> Tensor:
        """A tensor of the graph."""
        return self.file.tensor(self.graph, number)

    def array(self, number: int) -> Any:
        """The elements of a constant, real ones as float32; None for other tensors."""
        tensor = self.tensor(number)
        if tensor.is_variable or tensor.is_sparse or not tensor.size:
            return None
        if tensor.dtype in ("int32", "int64", "bool"):
            return self.file.array(tensor)
        return self.file.real(tensor, self.budget)

    def integers(self, number: int) -> list[int]:
        """The elements of a constant of integers; UnsupportedError if it is computed."""
        array = self.array(number)
        if array is None or array.dtype.kind != "i":
            raise self.refused("a size or position that the model computes")
        return array.ravel().tolist()

    def shape(self, number: int) -> tuple[int | None, ...]:
        """The shape of a tensor."""
        return self.tensor(number).shape

    def value(self, number: int) -> str:
        """The name of a tensor's value."""
        if number not in self.names:
            array = self.array(number)
            if array is None:
                raise self.refused("a value that nothing computes")
            self.names[number] = self.constant(array)
        return self.names[number]

    def constant(self, array: Any) -> str:
        """A new constant."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(onnx.numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def sizes(self, number: int) -> str:
        """Sizes or positions, which ONNX takes as int64."""
        array = self.array(number)
        if array is not None:
            return self.constant(array.astype(np.int64).ravel())
        return self.node("Cast", [self.value(number)], to=onnx.TensorProto.INT64)

    def node(self, operator: str, inputs: Sequence[str], **attributes: Any) -> str:
        """A new node; the name of its first output."""
        return self.several(operator, inputs, 1, **attributes)[0]

    def several(
        self, operator: str, inputs: Sequence[str], count: int, **attributes: Any
    ) -> list[str]:
        """A new node with several outputs."""
        name = f"{self.at}.{len(self.nodes)}"
        made = [f"{name}:{k}" for k in range(count)]  # rewrites take the names after a point
        self.nodes.append(onnx.helper.make_node(operator, inputs, made, name=name, **attributes))
        return made

    def gives(self, op: Operator, *values: str) -> None:
        """Sets the values of an operator's outputs."""
        self.names |= dict(zip(op.outputs, values, strict=False))

    def _named(self, numbers: Sequence[int], kind: str) -> Iterator[tuple[int, str]]:
        """Tensors with the names that the signature gives them, or their own."""
        signature: Mapping[str, Any] = self.file.signatures.get(0) or {"inputs": (), "outputs": ()}
        known = {each["number"]: each["name"] for each in signature[kind]}
        taken: set[str] = set()
        for number in numbers:
            stem = name = known.get(number) or self.tensor(number).name or kind[:-1]
            while name in taken:
                name = f"{stem}_{len(taken)}"
            taken.add(name)
            yield number, name

    def model(self) -> Any:
        """The model."""
        outputs: dict[str, str] = {}
        for number, name in self._named(self.graph.outputs, "outputs"):
            outputs[f"{name}_" if name in self.names.values() else name] = self.value(number)
        inputs = {**{self.names[n]: n for n in self.graph.inputs}, **self.inputs}
        results: list[Any] = []
        for name, value in {**outputs, **self.outputs}.items():
            self.nodes.append(onnx.helper.make_node("Identity", [value], [name], name=name))
            results.append(onnx.helper.make_empty_tensor_value_info(name))
        graph = onnx.helper.make_graph(
            self.nodes,
            "network",
            [self.information(name, number) for name, number in inputs.items()],
            results,
            self.constants,
        )
        opset = [onnx.helper.make_opsetid("", OPSET)]
        return onnx.helper.make_model(graph, opset_imports=opset)

    def information(self, name: str, number: int) -> Any:
        """The name and type of an input."""
        tensor = self.tensor(number)
        if tensor.dtype not in _DTYPES:
            self.at = f"input {name!r}"
            raise self.refused(f"the type {tensor.dtype}")
        element = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(tensor.dtype))
        return onnx.helper.make_tensor_value_info(name, element, [*tensor.shape])
