"""TensorFlow's graphs: nodes, functions and their calls, as if all calls were inlined.

A function may be called several times with different weights, so every call is examined: a `Scope`
is the main graph, or one call of a function together with the calling scope. A `GraphValue` is a
result of a node in a scope, or an argument of its function.

`TensorflowGraph.source` follows a value back to the op that computes it, through everything that
passes values on unchanged: identities, reads of variables, arguments and results of functions, loop
invariants.

Keras saves an LSTM as two equivalent functions, one for CPUs and one with CudnnRNNV3, and
TensorFlow selects one at run time; the attribute ``api_implements`` connects them. Here a call of
one is a call of both.

Sources: tensorflow/core/framework/function.proto, tensorflow/core/ops/functional_ops.cc,
tensorflow/core/grappler/optimizers/implementation_selector.h.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rnn_compiler.lowering.ops import OPS
from rnn_compiler.model_import.checkpoint import Checkpoint
from rnn_compiler.model_import.messages import dtype_of, pairs, tensor_of
from rnn_compiler.model_import.reading import MOST_AXES, Budget, damaged, exceeded

_HANDED_ON = {
    *("Identity", "IdentityN", "RefIdentity", "Snapshot", "StopGradient", "PreventGradient"),
    *("CheckNumerics", "EnsureShape", "PlaceholderWithDefault", "ReadVariableOp"),
    *("Enter", "RefEnter", "Switch", "RefSwitch", "Exit"),
}
"""Ops whose result is their first input; IdentityN passes on each of its inputs."""

_BRANCHES = {"If", "StatelessIf", "Case", "StatelessCase"}
LOOPS = {"While", "StatelessWhile"}

_MOST_HOPS = 50_000
_MOST_SCOPES = 5_000
"""The most steps to follow beyond four per node, and the most calls; models have fewer."""


class GraphValue(NamedTuple):
    """A result of a node, or an argument of a function.

    Attributes:
        scope: The scope it is in.
        name: The node's name, or the argument's.
        number: The number of the node's result.
    """

    scope: Scope
    name: str
    number: int = 0


@dataclass(frozen=True)
class FunctionBody:
    """The main graph, or a function.

    Attributes:
        name: The function's name; empty for the main graph.
        nodes: The nodes by name.
        arguments: The position of each argument by name.
        results: The values of its results, in order.
        implements: The name that Keras gives to several equivalent functions.
        is_derived: Whether it is a gradient, or a copy of a function made to compute one.
    """

    name: str
    nodes: dict[str, Any]
    arguments: dict[str, int] = field(default_factory=dict[str, int])
    results: tuple[str, ...] = ()
    implements: bytes = b""
    is_derived: bool = False

    @cached_property
    def ops(self) -> frozenset[str]:
        """The ops of its nodes."""
        return frozenset(node.op for node in self.nodes.values())

    @cached_property
    def calls(self) -> tuple[tuple[Any, str], ...]:
        """The nodes that call functions, each with such a function."""
        found = [(self.nodes[here], name) for here, names in self.called.items() for name in names]
        return tuple(found)

    @cached_property
    def called(self) -> dict[str, Sequence[str]]:
        """The functions that each node calls, by the node's name, the body of a loop first."""
        return {name: _called(node) for name, node in self.nodes.items()}


@dataclass(frozen=True, eq=False)
class Scope:
    """The main graph, or one call of a function.

    Attributes:
        body: Its nodes.
        caller: The scope of the call; None for the main graph and for uncalled functions.
        call: The node of the call; None if only a program calls it.
        inputs: The value of each argument.
    """

    body: FunctionBody
    caller: Scope | None = None
    call: Any = None
    inputs: tuple[str, ...] = ()

    @cached_property
    def path(self) -> tuple[str, ...]:
        """The names of the calls that lead here."""
        if self.caller is None or self.call is None:
            return (self.body.name,) if self.body.name else ()
        return (*self.caller.path, self.call.name)

    @property
    def is_reached(self) -> bool:
        """Whether it is the main graph, or called from it."""
        scope = self
        while scope.caller is not None and scope.call is not None:
            scope = scope.caller
        return not scope.body.name

    def calls_itself(self, name: str) -> bool:
        """Whether a function is being called already."""
        scope: Scope | None = self
        while scope is not None:
            if scope.body.name == name:
                return True
            scope = scope.caller
        return False


class TensorflowGraph:
    """The graph of a model.

    Attributes:
        path: The file, for messages.
        main: The scope of the main graph.
        functions: The functions by name.
        bound: The functions by name that a program may call although the main graph does not, each
            with the nodes of the main graph that are its last arguments.
    """

    def __init__(self, graph: Any, path: Path) -> None:
        self.path = path
        self.bound: dict[str, tuple[str, ...]] = {}
        self.main = Scope(FunctionBody("", {node.name: node for node in graph.node}))
        library = {each.signature.name: each for each in graph.library.function}
        self.functions = {name: _body(name, function) for name, function in library.items()}
        self._implementations: dict[bytes, list[str]] = {}
        for body in self.functions.values():
            if body.implements and not body.is_derived:
                self._implementations.setdefault(body.implements, []).append(body.name)
        self._children: dict[tuple[Scope, str, str], Scope] = {}
        self._unchanged: dict[tuple[Scope, int], bool] = {}
        self._sources: dict[GraphValue, GraphValue] = {}
        nodes = sum(len(body.nodes) for body in (self.main.body, *self.functions.values()))
        self._hops_left = _MOST_HOPS + 4 * nodes

    def scopes(self, wanted: set[str], *, every: bool = False) -> Iterator[Scope]:
        """The scopes with any, or `every`, of some ops: the main graph, then calls, depth first.

        Functions that a program may call although the main graph does not come last. Functions that
        neither calls, such as a saved model's gradients, are left out.
        """

        def has(body: FunctionBody) -> bool:
            return wanted <= body.ops if every else bool(wanted & body.ops)

        holding, called_ones = self._holding(has)
        unreached = sorted(
            holding & self.bound.keys(),
            key=lambda name: (not self.bound[name], name in called_ones, name),
        )
        seen: set[str] = set()
        count = 0
        for root in (self.main, *map(self._root, unreached)):
            if root.body.name in seen:
                continue
            waiting = [root]
            while waiting:
                scope = waiting.pop()
                seen.add(scope.body.name)
                count += 1
                if count > _MOST_SCOPES:
                    raise exceeded(self.path, f"its functions call others {count} times or more")
                if has(scope.body):
                    yield scope
                called = [
                    self.child(scope, node, name)
                    for node, first in scope.body.calls
                    for name in self._implementing(first)
                    if name in holding and not scope.calls_itself(name)
                ]
                waiting += reversed(called)

    def _root(self, name: str) -> Scope:
        """The scope of a function that the main graph does not call."""
        body, bound = self.functions[name], self.bound.get(name, ())
        missing = max(0, len(body.arguments) - len(bound))
        return Scope(body, self.main if bound else None, None, ("",) * missing + bound)

    def child(self, scope: Scope, node: Any, name: str) -> Scope:
        """The scope of a call, given its node and the called function."""
        key = (scope, node.name, name)
        if key not in self._children:
            inputs = data_inputs(node)
            passed = inputs[1:] if node.op in _BRANCHES else inputs
            self._children[key] = Scope(self.functions[name], scope, node, tuple(passed))
        return self._children[key]

    def value(self, scope: Scope, text: str) -> GraphValue:
        """The value named by an input of a node or a result of a function.

        In a graph it is written ``node:1``, the second result; in a function ``node:output_h:0``,
        the first tensor of the result with that name.
        """
        name, *rest = text.split(":")
        number = int(rest[-1]) if rest and rest[-1].isdigit() else 0
        node = scope.body.nodes.get(name) if len(rest) > 1 else None
        if node is not None and node.op in OPS:
            results = [each.name for each in OPS[node.op].signature.results]
            number += results.index(rest[0]) if rest[0] in results else 0
        return GraphValue(scope, name, number)

    def node(self, value: GraphValue) -> Any:
        """The node of a value; None if it is an argument."""
        if value.name in value.scope.body.nodes:
            return value.scope.body.nodes[value.name]
        if value.name in value.scope.body.arguments:
            return None
        raise damaged(self.path, f"a node reads {value.name!r}, which is not in its graph")

    def source(self, value: GraphValue) -> GraphValue:
        """The value before all nodes that only pass it on."""
        passed: dict[GraphValue, None] = {}
        while value not in self._sources:
            if value in passed:
                raise damaged(self.path, f"{value.name!r} is passed on in a cycle")
            passed[value] = None
            before = self._before(value)
            if before is None:
                break
            value = before
        made = self._sources.get(value, value)
        self._sources.update(dict.fromkeys(passed, made))
        return made

    def _before(self, value: GraphValue) -> GraphValue | None:
        """The value that a node passes on; None if the node computes a new one."""
        self._hops_left -= 1
        if self._hops_left < 0:
            raise exceeded(self.path, "its functions pass values on too often")
        scope, name, index = value
        node = self.node(value)
        if node is None:
            position = scope.body.arguments[name]
            if scope.caller is None or not any(scope.inputs[position : position + 1]):
                return None
            in_loop = scope.call is not None and scope.call.op in LOOPS
            if in_loop and not self._is_unchanged(scope, position):
                return None
            return self.value(scope.caller, scope.inputs[position])
        inputs = data_inputs(node)
        if node.op in _HANDED_ON:
            position = index if node.op == "IdentityN" else 0
            return self.value(scope, inputs[position]) if position < len(inputs) else None
        called = scope.body.called[name]
        if not called or called[0] not in self.functions or scope.calls_itself(called[0]):
            return None
        inner = self.child(scope, node, called[0])
        if node.op in LOOPS:
            unchanged = index < len(inputs) and self._is_unchanged(inner, index)
            return self.value(scope, inputs[index]) if unchanged else None
        if node.op in _BRANCHES or index >= len(inner.body.results):
            return None
        return self.value(inner, inner.body.results[index])

    def _is_unchanged(self, scope: Scope, position: int) -> bool:
        """Whether the body of a loop passes an argument on unchanged."""
        key = (scope, position)
        if key not in self._unchanged:
            self._unchanged[key] = False  # in case it depends on itself
            results = scope.body.results
            value: GraphValue | None = None
            if position < len(results):
                value = self.value(scope, results[position])
            seen: set[GraphValue] = set()
            while value is not None and self.node(value) is not None and value not in seen:
                seen.add(value)
                value = self._before(value)
            same = value is not None and value.scope is scope
            self._unchanged[key] = bool(
                same and value and scope.body.arguments.get(value.name) == position
            )
        return self._unchanged[key]

    def _implementing(self, name: str) -> list[str]:
        """The functions that are equivalent to one, including itself."""
        body = self.functions.get(name)
        if body is None:
            return []
        others = self._implementations.get(body.implements, []) if body.implements else []
        return [name, *(other for other in others if other != name)]

    def _holding(self, has: Callable[[FunctionBody], bool]) -> tuple[set[str], set[str]]:
        """The functions that have something or call one that has, and all called functions."""
        callers: dict[str, set[str]] = {}
        for body in self.functions.values():
            for _, first in body.calls:
                for name in self._implementing(first):
                    callers.setdefault(name, set()).add(body.name)
        waiting = [name for name, body in self.functions.items() if has(body)]
        holding: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in holding:
                holding.add(name)
                waiting += callers.get(name, ())
        return holding, set(callers)


def data_inputs(node: Any) -> list[str]:
    """The inputs of a node that are values, without control dependencies."""
    return [name for name in node.input if not name.startswith("^")]


def attributes_of(node: Any) -> dict[str, Any]:
    """The attributes of a node by name."""
    return pairs(node.attr)


def _called(node: Any) -> Sequence[str]:
    """The functions that a node calls, the body of a loop first."""
    attributes = attributes_of(node)
    functions = {
        name: [value.func] if value.WhichOneof("kind") == "func" else value.list.func
        for name, value in attributes.items()
        if value.WhichOneof("kind") in ("func", "list")
    }
    first = ("f", "body", "then_branch", "branches")
    names = sorted(functions, key=lambda name: (name not in first, name))
    found = [each.name for name in names for each in functions[name]]
    return found if found or node.op in _HANDED_ON else [node.op]


def _body(name: str, function: Any) -> FunctionBody:
    """A function of the library."""
    returned = pairs(function.ret)
    attributes = pairs(function.attr)
    implements = attributes.get("api_implements")
    return FunctionBody(
        name=name,
        nodes={node.name: node for node in function.node},
        arguments={each.name: k for k, each in enumerate(function.signature.input)},
        results=tuple(returned.get(each.name, "") for each in function.signature.output),
        implements=implements.s if implements is not None else b"",
        is_derived=bool(attributes.keys() & {"backward_function_name", "forward_function_name"}),
    )


_STORED = re.compile(r"^__inference_(.+)_\d+$")
_GENERIC = re.compile(r"(Stateful|TPU)?PartitionedCall(_\d+)?")


def layer_name(path: Sequence[str]) -> str:
    """A name for a node in a path of calls, without the parts common to all."""
    steps = [_STORED.sub(r"\1", step) for step in path]
    parts = [part for step in steps for part in step.split("/") if not _GENERIC.fullmatch(part)]
    return "/".join(part for k, part in enumerate(parts) if not k or part != parts[k - 1])


# TensorFlow's ops that move the elements of arrays, in numpy.
#
# Elementwise sums, differences and products are included, because contrib's CudnnLSTM halves each
# bias when it restores it (cuDNN has two biases).
#
# Source: tensorflow/core/ops/array_ops.cc.

"""The most axes of an array; ranges number axes."""

_MOST_NUMBERS = 10_000
"""The most sizes that an array may be split into."""

DataMovement = Callable[[Sequence[Any], Mapping[str, Any], int], Any]


def integers_in(array: Any) -> list[int]:
    """The elements of an array, which are sizes or axes."""
    if array.size > _MOST_NUMBERS:
        raise ValueError(f"{array.size} sizes or axes")
    return [int(number) for number in np.ravel(array)]


def part_of(whole: Any, sizes: Sequence[int], axis: int, index: int) -> Any:
    """One of the parts, of given sizes, of an array along an axis."""
    start = sum(sizes[:index])
    at = [slice(None)] * whole.ndim
    at[axis] = slice(start, start + sizes[index])
    return whole[tuple(at)]


def _split(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    axis, whole, parts = int(arrays[0]), arrays[1], attributes["num_split"].i
    size, rest = divmod(whole.shape[axis], parts)
    if rest or not 0 <= index < parts:
        raise ValueError(f"part {index} of {parts} out of {whole.shape[axis]}")
    return np.moveaxis(np.moveaxis(whole, axis, 0)[index * size : (index + 1) * size], 0, axis)


def _split_sizes(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    """A part of given size along an axis; one of them may be -1, the rest."""
    whole, sizes, axis = arrays[0], integers_in(arrays[1]), int(arrays[2])
    if -1 in sizes:
        sizes[sizes.index(-1)] = whole.shape[axis] - sum(sizes) - 1
    if sum(sizes) != whole.shape[axis] or min(sizes) < 0:
        raise ValueError(f"parts of {sizes} out of {whole.shape[axis]}")
    return part_of(whole, sizes, axis, index)


def _strided_slice(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    """A slice as in Python, with masks that leave a bound open or drop an axis."""
    masks = {
        name: number_in(attributes, f"{name}_mask")
        for name in ("begin", "end", "shrink_axis", "ellipsis", "new_axis")
    }
    if masks["ellipsis"] or masks["new_axis"]:
        raise ValueError("an ellipsis or a new axis")
    at: list[Any] = []
    for k, (begin, end, step) in enumerate(zip(*map(integers_in, arrays[1:4]), strict=True)):
        if masks["shrink_axis"] >> k & 1:
            at.append(begin)
        else:
            first = None if masks["begin"] >> k & 1 else begin
            at.append(slice(first, None if masks["end"] >> k & 1 else end, step))
    return arrays[0][tuple(at)]


def _slice(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    whole, begins, sizes = arrays[0], integers_in(arrays[1]), integers_in(arrays[2])
    ends = [None if size < 0 else begin + size for begin, size in zip(begins, sizes, strict=True)]
    return whole[tuple(map(slice, begins, ends))]


def _squeeze(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    dims = attributes["squeeze_dims"].list.i if "squeeze_dims" in attributes else ()
    return np.squeeze(arrays[0], tuple(dims) or None)


def _cast(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    dtype = dtype_of(attributes["DstT"].type)
    if dtype is None:
        raise ValueError("not a numeric type")
    with np.errstate(over="ignore"):
        return arrays[0].astype(dtype)


def _elementwise(function: Any) -> DataMovement:
    """An elementwise operation on arrays, one of which has the shape of the result."""

    def move(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
        shape = np.broadcast_shapes(arrays[0].shape, arrays[1].shape)
        if shape not in (arrays[0].shape, arrays[1].shape):
            raise ValueError(f"shapes {arrays[0].shape} and {arrays[1].shape}")
        with np.errstate(all="ignore"):
            return function(arrays[0], arrays[1])

    return move


def _params(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    """CudnnRNN's buffer, from three sizes, all matrices and all biases."""
    return np.concatenate([np.ravel(array) for array in arrays[3:]])


def _range(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    numbers = range(*(int(each) for each in arrays))
    if len(numbers) > MOST_AXES:
        raise ValueError(f"{len(numbers)} axes")
    return np.array(numbers, np.int32)


def _gather(arrays: Sequence[Any], attributes: Mapping[str, Any], index: int) -> Any:
    """The slices at some indices of an axis; None if there are more indices than slices."""
    array, indices, *axes = arrays
    axis = int(axes[0]) if axes else 0
    if indices.size > array.shape[axis] or number_in(attributes, "batch_dims"):
        return None
    if indices.min(initial=0) < 0:
        raise ValueError("an index before the first")
    return np.take(array, indices.astype(np.int64), axis)


def number_in(attributes: Mapping[str, Any], name: str) -> int:
    """An attribute of a node; 0 if it has none of that name."""
    return attributes[name].i if name in attributes else 0


def _axis(attributes: Mapping[str, Any]) -> int:
    return number_in(attributes, "axis")


DATA_MOVEMENT: dict[str, DataMovement] = {
    "Add": _elementwise(np.add),
    "AddV2": _elementwise(np.add),
    "Cast": _cast,
    "Concat": lambda a, attributes, index: np.concatenate(a[1:], int(a[0])),
    "ConcatV2": lambda a, attributes, index: np.concatenate(a[:-1], int(a[-1])),
    "CudnnRNNCanonicalToParams": _params,
    "CudnnRNNCanonicalToParamsV2": _params,
    "ExpandDims": lambda a, attributes, index: np.expand_dims(a[0], int(a[1])),
    "Fill": lambda a, attributes, index: np.broadcast_to(a[1], integers_in(a[0])),
    "Gather": _gather,
    "GatherV2": _gather,
    "Mul": _elementwise(np.multiply),
    "Pack": lambda a, attributes, index: np.stack(a, _axis(attributes)),
    "Range": _range,
    "Rank": lambda a, attributes, index: np.array(a[0].ndim, np.int32),
    "Reshape": lambda a, attributes, index: np.reshape(a[0], integers_in(a[1])),
    "ResourceGather": _gather,
    "ReverseV2": lambda a, attributes, index: np.flip(a[0], tuple(integers_in(a[1]))),
    "Shape": lambda a, attributes, index: np.array(a[0].shape, np.int32),
    "Slice": _slice,
    "Split": _split,
    "SplitV": _split_sizes,
    "Squeeze": _squeeze,
    "Sub": _elementwise(np.subtract),
    "StridedSlice": _strided_slice,
    "Transpose": lambda a, attributes, index: np.transpose(a[0], integers_in(a[1])),
    "Unpack": lambda a, attributes, index: np.moveaxis(a[0], _axis(attributes), 0)[index],
    "ZerosLike": lambda a, attributes, index: np.zeros_like(a[0]),
}
"""Ops that move elements or make zeros: functions of inputs, attributes and the result's number."""


# The arrays of values in a TensorFlow graph that are constants or only move constants.
#
# A weight is a constant or a variable that may be sliced, concatenated, transposed and reshaped;
# `Constants.array` does the same to its array (`DATA_MOVEMENT`). With any other op,
# such as a matrix product, the value is unknown.
#
# The value of a variable is what the graph assigns to it when restoring a checkpoint: RestoreV2
# lists keys, and each of its results is assigned to a variable, directly or after moves.
# (contrib's CudnnLSTM stores matrices and biases in the checkpoint and assembles its buffer from
# them.) If a graph restores nothing, variables are found by name.
#
# A graph may have hundreds of functions that move the same weights. The same move of the same
# arrays is computed once, and counts once.

VARIABLES = ("VarHandleOp", "VariableV2", "Variable")
"""The ops that stand for a variable."""

_RESTORE, _SAVE = "RestoreV2", "SaveV2"
_MOST_RESTORED = 1_000
_SMALL = 256
"""The size in bytes of arrays that are axes, sizes and the like."""
_DEEPEST = 100
"""The longest chain of nodes between a weight and its op."""


class Constants:
    """The arrays of a graph's values.

    Attributes:
        graph: The graph.
        keys: The key of each variable in the checkpoint, by the name of the variable's node, if it
            is restored without moves.
    """

    def __init__(
        self, graph: TensorflowGraph, checkpoint: Checkpoint | None, budget: Budget
    ) -> None:
        """Finds out how variables are restored."""
        self.graph = graph
        self.keys: dict[str, str] = {}
        self._checkpoint = checkpoint
        self._budget = budget
        self._known: dict[GraphValue, Any] = {}
        self._constants: dict[tuple[str, str], Any] = {}
        self._moved: dict[Any, Any] = {}
        self._whole: dict[int, Any] = {}
        self._by_content: dict[Any, Any] = {}
        self._assigned: dict[str, GraphValue] = {}
        self._saved: dict[Scope, set[str]] = {}
        if checkpoint is not None:
            self._find_restored()

    def array(self, value: GraphValue, depth: int = 0) -> Any:
        """The array of a value; None if it is not constant."""
        value = self.graph.source(value)
        if value not in self._known:
            self._known[value] = None  # in case it depends on itself
            self._known[value] = self._array(value, depth)
        return self._known[value]

    def whole(self, array: Any) -> Any:
        """The array in contiguous memory; the same one for all arrays with equal elements."""
        if id(array) not in self._whole:
            if not array.flags.c_contiguous:
                self._budget.take(array.nbytes)
            whole: Any = np.ascontiguousarray(array)  # this adds an axis to a single number
            whole = whole.reshape(array.shape)
            content = hashlib.blake2b(whole.reshape(-1).view(np.uint8).data).digest()
            key = (whole.dtype.name, whole.shape, content)
            # The array is kept, so that no other gets its id.
            self._whole[id(array)] = array, self._by_content.setdefault(key, whole)
        return self._whole[id(array)][1]

    def is_for_checkpoint(self, scope: Scope, node: Any) -> bool:
        """Whether a node is only used to save or restore variables."""
        if scope not in self._saved:
            nodes = scope.body.nodes
            waiting = [name for name, each in nodes.items() if each.op == _SAVE]
            found: set[str] = set()
            while waiting:
                name = waiting.pop()
                if name in nodes and name not in found:
                    found.add(name)
                    waiting += [text.split(":")[0] for text in data_inputs(nodes[name])]
            self._saved[scope] = found
        return node.name in self._saved[scope] or self.is_restored(GraphValue(scope, node.name))

    def is_restored(self, value: GraphValue) -> bool:
        """Whether a value comes from the checkpoint and is not an initial value."""
        waiting = [self.graph.source(value)]
        seen = set(waiting)
        while waiting and len(seen) < _MOST_RESTORED:
            node = self.graph.node(here := waiting.pop())
            if node is not None and node.op == _RESTORE:
                return True
            if node is not None and node.op in DATA_MOVEMENT:
                for text in data_inputs(node):
                    before = self.graph.source(self.graph.value(here.scope, text))
                    waiting += [] if before in seen else [before]
                    seen.add(before)
        return False

    def _array(self, value: GraphValue, depth: int) -> Any:
        node = self.graph.node(value)
        if node is None:
            return None
        attributes = attributes_of(node)
        if node.op == "Const" and "value" in attributes:
            key = (value.scope.body.name, node.name)
            if key not in self._constants:
                held = attributes["value"].tensor
                self._constants[key] = tensor_of(held, self.graph.path, node.name, self._budget)
            return self._constants[key]
        if node.op in VARIABLES:
            return self._variable(node, depth)
        if node.op == _RESTORE:
            return self._stored(self._key(value))
        if node.op not in DATA_MOVEMENT or depth > _DEEPEST:
            return None
        inputs = [self.graph.value(value.scope, text) for text in data_inputs(node)]
        arrays = [self.array(each, depth + 1) for each in inputs]
        if any(array is None for array in arrays):
            return None
        key = (node.op, value.number, _content(attributes), *map(_identity, arrays))
        if key not in self._moved:
            self._budget.take(sum(array.nbytes for array in arrays))
            self._moved[key] = arrays, self._move(node, arrays, attributes, value.number)
        return self._moved[key][1]

    def _move(self, node: Any, arrays: list[Any], attributes: dict[str, Any], number: int) -> Any:
        """The result of a node for some arrays."""
        try:
            return DATA_MOVEMENT[node.op](arrays, attributes, number)
        except Exception as error:  # numpy rejects axes, shapes or sizes
            reason = f"{node.op} {node.name!r} cannot be: {error or type(error).__name__}"
            raise damaged(self.graph.path, reason) from error

    def _variable(self, node: Any, depth: int) -> Any:
        """The array of a variable."""
        if node.name in self._assigned:
            return self.array(self._assigned[node.name], depth + 1)
        shared = attributes_of(node).get("shared_name")
        name = shared.s.decode(errors="replace") if shared is not None else ""
        return self._stored(name or node.name)

    def _stored(self, name: str | None) -> Any:
        """The array in the checkpoint under a key, or for a variable's name."""
        if self._checkpoint is None or name is None:
            return None
        return self._checkpoint.array(name)

    def _find_restored(self) -> None:
        """Finds the values that variables are restored from."""
        for scope in self.graph.scopes({_RESTORE}):
            for node in scope.body.nodes.values():
                if node.op not in ("Assign", "AssignVariableOp"):
                    continue
                inputs = [self.graph.value(scope, text) for text in data_inputs(node)]
                if len(inputs) < 2:
                    continue
                target, value = (self.graph.source(each) for each in inputs[:2])
                variable, made = self.graph.node(target), self.graph.node(value)
                if variable is None or variable.op not in VARIABLES or made is None:
                    continue
                if made.op == _RESTORE and (key := self._key(value)) is not None:
                    self.keys[variable.name] = key
                if self.is_restored(value):
                    self._assigned[variable.name] = value

    def _key(self, value: GraphValue) -> str | None:
        """The key that a result of RestoreV2 is restored from: its second input lists them."""
        inputs = data_inputs(self.graph.node(value))
        if len(inputs) < 2:
            return None
        node = self.graph.node(self.graph.source(self.graph.value(value.scope, inputs[1])))
        held = attributes_of(node).get("value") if node is not None else None
        names = held.tensor.string_val if held is not None else ()
        return names[value.number].decode(errors="replace") if value.number < len(names) else None


def _identity(array: Any) -> Any:
    """An identity that equal arrays share: the elements of small ones, the address of others."""
    if array.nbytes <= _SMALL:
        return array.dtype.name, array.shape, array.tobytes()
    return id(array)


def _content(attributes: dict[str, Any]) -> tuple[tuple[str, bytes], ...]:
    """The attributes of a node that belong to its op, without notes such as ``_output_shapes``."""
    held = sorted((name, each) for name, each in attributes.items() if not name.startswith("_"))
    return tuple((name, each.SerializeToString(deterministic=True)) for name, each in held)
