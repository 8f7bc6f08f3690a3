"""TensorFlow's graphs: nodes, functions and their calls, as if all calls were inlined.

A function may be called several times with different weights, so every call is examined: a `Scope`
is the main graph, or one call of a function together with the calling scope. A `Value` is a result
of a node in a scope, or an argument of its function.

`Graph.source` follows a value back to the op that computes it, through everything that passes
values on unchanged: identities, reads of variables, arguments and results of functions, loop
invariants.

Keras saves an LSTM as two equivalent functions, one for CPUs and one with CudnnRNNV3, and
TensorFlow selects one at run time; the attribute ``api_implements`` connects them. Here a call of
one is a call of both.

Sources: tensorflow/core/framework/function.proto, tensorflow/core/ops/functional_ops.cc,
tensorflow/core/grappler/optimizers/implementation_selector.h.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from rnn_compiler.lowering.ops import OPS
from rnn_compiler.model_import.messages import pairs
from rnn_compiler.model_import.reading import damaged, exceeded

__all__ = ["Graph", "Scope", "Value", "attributes_of", "data_inputs", "layer_name"]

_HANDED_ON = {
    *("Identity", "IdentityN", "RefIdentity", "Snapshot", "StopGradient", "PreventGradient"),
    *("CheckNumerics", "EnsureShape", "PlaceholderWithDefault", "ReadVariableOp"),
    *("Enter", "RefEnter", "Switch", "RefSwitch", "Exit"),
}
"""Ops whose result is their first input; IdentityN passes on each of its inputs."""

_CALLS = {"PartitionedCall": "f", "StatefulPartitionedCall": "f", "TPUPartitionedCall": "f"}
_BRANCHES = {"If", "StatelessIf", "Case", "StatelessCase"}
_LOOPS = {"While", "StatelessWhile"}

_MOST_HOPS = 50_000
_MOST_SCOPES = 5_000
"""The most steps to follow beyond four per node, and the most calls; models have fewer."""


class Value(NamedTuple):
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
class Body:
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

    body: Body
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


class Graph:
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
        self.main = Scope(Body("", {node.name: node for node in graph.node}))
        library = {each.signature.name: each for each in graph.library.function}
        self.functions = {name: _body(name, function) for name, function in library.items()}
        self._implementations: dict[bytes, list[str]] = {}
        for body in self.functions.values():
            if body.implements and not body.is_derived:
                self._implementations.setdefault(body.implements, []).append(body.name)
        self._children: dict[tuple[Scope, str, str], Scope] = {}
        self._unchanged: dict[tuple[Scope, int], bool] = {}
        self._sources: dict[Value, Value] = {}
        nodes = sum(len(body.nodes) for body in (self.main.body, *self.functions.values()))
        self._hops_left = _MOST_HOPS + 4 * nodes

    def scopes(self, wanted: set[str], *, every: bool = False) -> Iterator[Scope]:
        """The scopes with nodes of some ops: the main graph, then its calls, depth first.

        Functions that a program may call although the main graph does not come last. Functions that
        neither calls, such as a saved model's gradients, are left out.

        Args:
            wanted: The ops.
            every: Whether a scope must have all of them, not just one.

        Raises:
            ArtifactError: There are implausibly many calls.
        """

        def has(body: Body) -> bool:
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

    def value(self, scope: Scope, text: str) -> Value:
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
        return Value(scope, name, number)

    def node(self, value: Value) -> Any:
        """The node of a value; None if it is an argument.

        Raises:
            ArtifactError: There is no such node.
        """
        if value.name in value.scope.body.nodes:
            return value.scope.body.nodes[value.name]
        if value.name in value.scope.body.arguments:
            return None
        raise damaged(self.path, f"a node reads {value.name!r}, which is not in its graph")

    def source(self, value: Value) -> Value:
        """The value before all nodes that only pass it on.

        Raises:
            ArtifactError: There is a cycle, or a node is missing.
        """
        passed: dict[Value, None] = {}
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

    def _before(self, value: Value) -> Value | None:
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
            in_loop = scope.call is not None and scope.call.op in _LOOPS
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
        if node.op in _LOOPS:
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
            value: Value | None = None
            if position < len(results):
                value = self.value(scope, results[position])
            seen: set[Value] = set()
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

    def _holding(self, has: Callable[[Body], bool]) -> tuple[set[str], set[str]]:
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


def _body(name: str, function: Any) -> Body:
    """A function of the library."""
    returned = pairs(function.ret)
    attributes = pairs(function.attr)
    implements = attributes.get("api_implements")
    return Body(
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
