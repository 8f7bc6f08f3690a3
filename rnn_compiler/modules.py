"""Modules: ops at fixed dimensions, as portable StableHLO."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy.typing as npt

from rnn_compiler.base.files import write_files
from rnn_compiler.errors import InvalidArgumentError, check_keywords, describe, did_you_mean
from rnn_compiler.lowering.ops import CALLED, OPS, find_op, whole_spec
from rnn_compiler.requirements import check_can_compile
from rnn_compiler.schema.int8 import Matrix
from rnn_compiler.schema.manifest import SourceSpec
from rnn_compiler.schema.notebook import page
from rnn_compiler.schema.specs import (
    FunctionSpec,
    TensorSpec,
    check_functions,
    check_name,
    function_tables,
)

__all__ = ["Module", "build", "renamed_functions", "with_arguments"]


class Module:
    """Functions, each an op, in portable StableHLO.

    Attributes:
        functions: Its functions.
        name: Its symbol; empty if it has none.
        parameters: The arrays of frozen arguments, by `FunctionSpec.parameter`.
        linked: For a user's functions: our ops in them, each by the private function that contains
            it (see `link`).
        is_users: Whether the functions are a user's, described only by their text.
        initial: For a user's functions: the first values of their states, by name.
        source: For a training step: the file of its network.
    """

    linked: tuple[FunctionSpec, ...] = ()
    is_users = False
    initial: Mapping[str, npt.NDArray[Any]] = MappingProxyType({})
    source: SourceSpec | None = None

    def __init__(
        self,
        functions: Sequence[FunctionSpec],
        name: str = "",
        parameters: Mapping[str, npt.NDArray[Any]] | None = None,
    ) -> None:
        self.functions = tuple(functions)
        self.name = name
        self.parameters = dict(parameters or {})

    def frozen(
        self, functions: Sequence[FunctionSpec], parameters: Mapping[str, npt.NDArray[Any]]
    ) -> Module:
        """The module with the values of some arguments stored in it; `functions` lack these."""
        return Module(functions, self.name, parameters)

    def matrices(self) -> dict[tuple[str, str], Matrix]:
        """The arguments that are matrices of ops, each an op's argument, by function and name."""
        return {
            (spec.function, each.name): Matrix(spec, each)
            for spec in self.functions
            for each in spec.arguments
            if each.summed is not None
        }

    def thawed(self) -> Module:
        """The module with functions that take their frozen arguments again, as weights."""
        specs: list[FunctionSpec] = []
        for spec in self.functions:
            taken = {each.name: each for each in (*spec.arguments, *spec.frozen)}
            order = [
                name
                for each in whole_spec(spec).arguments
                for name in taken
                if name.partition(".")[0] == each.name  # in int8 it is several (`schema.int8`)
            ]
            specs.append(with_arguments(spec, [taken[name] for name in order]))
        return Module(specs, self.name)

    def renamed(self, names: Mapping[str, str]) -> Module:
        """The module with its functions renamed; `names` maps old names to new ones."""
        return Module(*renamed_functions(self, names))

    @cached_property
    def located_text(self) -> str:
        """The module text with a source location on every op, naming the formula it comes from.

        Frozen weights are represented by functions without a body.

        Raises:
            UnsupportedError: The compiler package, which holds the MLIR bindings, is missing.
        """
        from rnn_compiler.lowering.compiler import iree_compile

        iree_compile.compiler_identity()
        from rnn_compiler.lowering.builder.module import EmittedOp, build_module

        emitted = (
            EmittedOp(spec, whole_spec(spec), CALLED[spec.op].emit) for spec in self.functions
        )
        return build_module(emitted, self.name)

    @cached_property
    def text(self) -> str:
        """The module text in readable form, without locations, its values named after formulas.

        Frozen weights are constants in it, so any consumer of StableHLO can run it.
        """
        located = self.located_text
        from rnn_compiler.lowering.builder.module import module_text

        return module_text(located, self.parameters)

    @cached_property
    def sha256(self) -> str:
        """The digest of the text; for a frozen module, without the values of the weights."""
        located = self.located_text
        from rnn_compiler.lowering.builder.module import module_text

        text = module_text(located) if self.parameters else self.text
        return hashlib.sha256(text.encode()).hexdigest()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Module({', '.join(spec.function for spec in self.functions)})"

    def _repr_html_(self) -> str:
        return page(self, function_tables(self.functions))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the module text to a file.

        Raises:
            OSError: The file cannot be written; the error names it, and an existing file is
                unchanged.
        """
        path = Path(path)
        write_files((path, self.text.encode()))
        return path


def with_arguments(spec: FunctionSpec, arguments: Sequence[TensorSpec]) -> FunctionSpec:
    """A function that takes its frozen arguments again; they are its weights."""
    frozen = {each.name for each in spec.frozen}
    weights = [each.name for each in arguments if each.name in frozen] if frozen else spec.weights
    return replace(spec, arguments=tuple(arguments), frozen=(), weights=tuple(weights))


def renamed_functions(
    module: Module, names: Mapping[str, str]
) -> tuple[list[FunctionSpec], str, dict[str, npt.NDArray[Any]]]:
    """The functions of a module under other names, the module's name, and its parameters."""
    specs = [replace(spec, function=names[spec.function]) for spec in module.functions]
    parameters = {
        new.parameter(each.name): module.parameters[old.parameter(each.name)]
        for old, new in zip(module.functions, specs, strict=True)
        for each in old.frozen
        if old.parameter(each.name) in module.parameters
    }
    return specs, module.name, parameters


def build(
    op: str | Sequence[str | tuple[str, Mapping[str, Any]]],
    *,
    dtype: object = "float32",
    function: str | None = None,
    name: str | None = None,
    outputs: Sequence[str] | None = None,
    **dims_and_attributes: Any,
) -> Module:
    """Builds the portable StableHLO module of one op, or of several with one function each.

    Args:
        op: TensorFlow's name of the op, ``"BlockLSTMV2"``. For several, a list of names, or of
            pairs of a name and the keywords for that op alone; an op may occur more than once, with
            a different `function` each time.
        dtype: The element type of the float tensors: ``"float32"``, ``"float16"``, ...
        function: The function's name; default: the op's in snake case, ``"block_lstm_v2"``.
        name: The module's name, which other modules and C programs refer to; default: none, which
            IREE treats as ``"module"``.
        outputs: The results to return, ``("h",)``, in TensorFlow's order; default: all. Others are
            neither computed nor stored. BlockLSTM and BlockLSTMV2 also have ``"cs_last"`` and
            ``"h_last"``, the state after the last step. With several ops, each returns those it
            has; an op that has none of them returns all of its results.
        **dims_and_attributes: Every dimension of the op (``seq_length``, ``batch_size``,
            ``input_size``, ``num_units``) and its attributes. With several ops, each takes those it
            has.

    Raises:
        TypeError: A keyword is unknown or missing.
        InvalidArgumentError: An op or result does not exist, a value is of the wrong kind, or a
            name is invalid or taken.
        UnsupportedError: The compiler is not installed, so the module could not be compiled.

    Example:
        >>> module = build("BlockLSTMV2", seq_length=3, batch_size=2, input_size=4, num_units=5)
        >>> print(module.text.splitlines()[1][:51])
          func.func @block_lstm_v2(%seq_len_max: tensor<i64
        >>> sizes = dict(seq_length=3, batch_size=2, num_units=5, outputs=["h"])
        >>> layers = [
        ...     ("BlockLSTMV2", dict(function="encoder", input_size=4)),
        ...     ("BlockLSTMV2", dict(function="decoder", input_size=5)),
        ... ]
        >>> build(layers, name="speech", **sizes)
        Module(encoder, decoder)
    """
    check_can_compile("build")
    symbol = "" if name is None else check_name("name", name)
    if isinstance(op, str):
        given = {**dims_and_attributes, "function": function, "outputs": outputs}
        return Module([_specialize(op, dtype, given)], symbol)
    rows = [_row(item) for item in op] if isinstance(op, (list, tuple)) else [_row(op)]
    if not rows:
        raise InvalidArgumentError("build", "op", "at least one op", "an empty list")
    if function is not None:
        remedy = "pass pairs, (op, dict(function='encoder'))"
        expected = "one op, if it is given for all"
        raise InvalidArgumentError("build", "function", expected, f"{len(rows)} ops", remedy)
    accepted = {op: _keywords(find_op(op)) for op, _ in rows}
    shared = _outputs_of(accepted, outputs)
    known = sorted(set[str]().union(*accepted.values()))
    check_keywords("build", dims_and_attributes, known, [])
    specs: list[FunctionSpec] = []
    for op, own in rows:
        common = {k: v for k, v in dims_and_attributes.items() if k in accepted[op]}
        common["outputs"] = shared[op]
        specs.append(_specialize(op, own.pop("dtype", dtype), {**common, **own}))
    check_functions(specs)
    return Module(specs, symbol)


def _row(item: Any) -> tuple[str, dict[str, Any]]:
    """An item of a list of ops: a name, or a pair of a name and keywords."""
    if isinstance(item, str):
        return item, {}
    if issubclass(type(item), tuple) and [*map(type, item)] == [str, dict]:
        return item[0], dict(item[1])
    expected = f"one of {', '.join(OPS)}, or a list of them or of pairs of one and a dict"
    raise InvalidArgumentError("build", "op", expected, describe(item))


def _keywords(op: str) -> set[str]:
    signature = CALLED[op].signature
    return {*signature.dimensions, *(attribute.name for attribute in signature.attributes)}


def _outputs_of(ops: Iterable[str], outputs: Sequence[str] | None) -> dict[str, Any]:
    """The results requested of each op, out of those requested of all; None for all."""
    if not outputs or not isinstance(outputs, (list, tuple)):  # pyright: ignore
        return dict.fromkeys(ops, outputs)
    known = {op: _result_names(find_op(op)) for op in ops}
    for name in outputs:
        if not any(name in names for names in known.values()):
            every = sorted(set[str]().union(*known.values()))
            remedy = did_you_mean(name, every)
            expected = f"a list of {', '.join(every)}"
            raise InvalidArgumentError("build", "outputs", expected, describe(name), remedy)
    return {op: [name for name in outputs if name in known[op]] or None for op in known}


def _result_names(op: str) -> set[str]:
    signature = CALLED[op].signature
    return {tensor.name for tensor in (*signature.results, *signature.final_state)}


def _specialize(op: str, dtype: object, given: dict[str, Any]) -> FunctionSpec:
    signature = CALLED[find_op(op)].signature
    given = dict(given)
    function, outputs = given.pop("function", None), given.pop("outputs", None)
    signature.check_build(given)
    return signature.specialize(
        dtype=dtype,
        dims=given,
        attributes=given,
        function=None if function is None else check_name("function", function),
        outputs=outputs,
    )
