"""Networks of one node each, for every operator of ONNX with several inputs, with open axes.

The nodes are those of the onnx package's own tests, so a new operator needs no row here. Each axis
of each input is open by a name of its own, and inputs without an open axis are constants.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

import rnn_compiler as rc
from rnn_compiler.errors import RnnCompilerError
from rnn_compiler.schema.open_sizes import Open, bound, static_size
from rnn_compiler.schema.specs import FunctionSpec

_OPSET = 22
"""The version of all operators but newer ones, so that many are one network."""

_MOST_AXES = 6
"""The most open axes of a network."""

_DTYPES = {np.dtype(name) for name in ("float32", "int64", "int32", "int8", "uint8", "bool")}


@dataclass(frozen=True)
class Case:
    """A node and its inputs.

    Attributes:
        node: The node.
        arrays: Its inputs, by name.
        opset: The version of ONNX's operators.
        constants: The inputs that are constants.
        axes: The open axes, each as an input and the number of its axis.
    """

    node: Any
    arrays: Mapping[str, Any]
    opset: int
    constants: frozenset[str] = frozenset()
    axes: tuple[tuple[str, int], ...] = ()

    @property
    def all_axes(self) -> list[tuple[str, int]]:
        """The axes that may be open."""
        inputs = {name: a for name, a in self.arrays.items() if name not in self.constants}
        return [(name, k) for name, array in inputs.items() for k in range(array.ndim)]

    def at(self, axes: Sequence[tuple[str, int]]) -> Case:
        """The same with other open axes."""
        return Case(self.node, self.arrays, self.opset, self.constants, tuple(axes))

    def with_constants(self, names: Sequence[str]) -> Case:
        """The same with other constants, and all other axes open."""
        return Case(self.node, self.arrays, self.opset, frozenset(names))

    def model(self, names: Mapping[tuple[str, int], str] | None = None) -> Any:
        """The network; axes have names of their own, or those that are given."""
        called = names or {(name, k): f"{name}_{k}" for name, k in self.axes}
        inputs = [
            helper.make_tensor_value_info(
                name,
                helper.np_dtype_to_tensor_dtype(array.dtype),
                [called.get((name, k), size) for k, size in enumerate(array.shape)],
            )
            for name, array in self.arrays.items()
            if name not in self.constants
        ]
        outputs = [onnx.ValueInfoProto(name=name) for name in self.node.output if name]
        weights = [numpy_helper.from_array(self.arrays[name], name) for name in self.constants]
        graph = helper.make_graph([self.node], "graph", inputs, outputs, weights)
        opsets = [helper.make_opsetid("", self.opset)]
        return onnx.shape_inference.infer_shapes(
            helper.make_model(graph, opset_imports=opsets, ir_version=10)
        )

    def __str__(self) -> str:
        attributes = ", ".join(each.name for each in self.node.attribute)
        shapes = ", ".join(
            f"{name}{' =' if name in self.constants else ''} {list(array.shape)}"
            for name, array in self.arrays.items()
        )
        return f"{self.node.op_type}({shapes}; {attributes}) with {self.axes} open"


def operators() -> list[str]:
    """The names of ONNX's operators with several inputs."""
    return sorted(
        each.name
        for each in onnx.defs.get_all_schemas()
        if not each.domain and not each.deprecated and each.max_input > 1
    )


def cases() -> dict[str, list[Case]]:
    """Some nodes of each operator that has arrays as inputs: of each number of inputs, ranks and
    attributes, the smallest."""
    from onnx.backend.test.case.node import collect_testcases

    wanted, found = {*operators()}, dict[str, dict[Any, tuple[int, Case]]]()
    with warnings.catch_warnings():  # of what it computes with float8
        warnings.simplefilter("ignore")
        known = collect_testcases(None)
    for each in known:
        nodes = each.model.graph.node
        arrays, _ = each.data_sets[0]
        if len(nodes) > 1 or nodes[0].op_type not in wanted or nodes[0].domain:
            continue
        if not all(isinstance(a, (np.ndarray, np.generic)) for a in arrays):
            continue  # sequences
        (node,) = nodes
        given = dict(zip(filter(None, node.input), map(_narrow, arrays), strict=True))
        if not all(a.dtype in _DTYPES for a in given.values()):
            continue
        is_older = onnx.defs.has(node.op_type, _OPSET)
        opset = _OPSET if is_older else each.model.opset_import[0].version
        kind = (len(given), tuple(a.ndim for a in given.values()))
        size = sum(a.size for a in given.values())
        forms = found.setdefault(node.op_type, {})
        if kind not in forms or size < forms[kind][0]:
            forms[kind] = (size, Case(node, given, opset))
    return {
        operator: [forms[kind][1] for kind in sorted(forms, reverse=True)]
        for operator, forms in found.items()
    }


def _narrow(array: Any) -> Any:
    """An array, in float32 if it is in float64."""
    return np.asarray(array, np.float32 if array.dtype == np.float64 else None)


def variants(case: Case) -> Iterator[Case]:
    """A case with all inputs, with those that are no sizes, and with each input alone."""
    names = [*case.arrays]
    sizes = [name for name, a in case.arrays.items() if a.dtype == np.int64 and a.ndim < 2]
    each = ([other for other in names if other != name] for name in names)
    tried = dict.fromkeys(map(frozenset, ([], sizes, *each)))
    for constants in tried:
        if len(constants) < len(names):
            yield from _opened(case.with_constants(sorted(constants)))


def _opened(case: Case) -> Iterator[Case]:
    """A case with all axes open, or with the first of each input, the second, and so on."""
    every = case.all_axes
    if len(every) <= _MOST_AXES:
        yield case.at(every)
        return
    ranks = {name: case.arrays[name].ndim for name, _ in every}
    for number in range(max(ranks.values())):
        first = [(name, number) for name, rank in ranks.items() if number < rank]
        last = [(name, rank - 1 - number) for name, rank in ranks.items() if number < rank]
        for axes in dict.fromkeys((tuple(first), tuple(last))):
            yield case.at(axes[:_MOST_AXES])


_AXIS = re.compile(r"axis '(\w+)'")


def imported(case: Case, path: Path) -> tuple[Case, rc.Module] | None:
    """A case without the axes that cannot be open; None if it is not imported."""
    while case.axes:
        onnx.save(case.model(), path)
        try:
            return case, rc.import_network(path)
        except RnnCompilerError as error:
            titles = {f"{name}_{k}": (name, k) for name, k in case.axes}
            found = [titles[each] for each in _AXIS.findall(str(error)) if each in titles]
            if not found:
                return None
            case = case.at([axis for axis in case.axes if axis != found[0]])
    return None


def given(case: Case, spec: FunctionSpec, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Arguments of some sizes, by the names of the case: its arrays, repeated or cut."""
    names = [name for name in case.arrays if name not in case.constants]
    found: dict[str, Any] = {}
    for name, tensor in zip(names, spec.bound(sizes).arguments, strict=True):
        array = np.resize(case.arrays[name], tensor.static_shape)
        if tensor.maximum is not None:
            array = np.clip(array, tensor.minimum, tensor.maximum)
        found[name] = array.astype(case.arrays[name].dtype)
    return found


def usual_sizes(case: Case, spec: FunctionSpec) -> dict[str, int]:
    """The sizes that the arrays of a case have, by the names of a function's open axes."""
    names = [name for name in case.arrays if name not in case.constants]
    found: dict[str, int] = {}
    for name, tensor in zip(names, spec.arguments, strict=True):
        for size, number in zip(tensor.shape, case.arrays[name].shape, strict=True):
            for dim in spec.open_dims:
                if (
                    isinstance(size, Open)
                    and static_size(bound(size, {dim: 1}) if size.names == {dim} else 0) == 1
                ):
                    found.setdefault(dim, max(number, spec.least(dim)))
    return found


def disagreeing(spec: FunctionSpec, usual: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """The usual sizes, and some with another size of one axis: none, one, fewer, more."""
    yield dict(usual)
    for dim, size in usual.items():
        for other in sorted({0, 1, size - 1, size + 1, 2 * size}):
            if other != size and spec.least(dim) <= other <= spec.most(dim):
                yield {**usual, dim: other}
