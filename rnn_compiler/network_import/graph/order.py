"""Puts the nodes of a model behind those whose results they read, and checks that there are such.

ONNX wants this order, but ONNX Runtime does not, so some models do not have it.
"""

from __future__ import annotations

import copy
import heapq
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rnn_compiler.model_import.reading import clipped, damaged
from rnn_compiler.network_import.graph.nesting import inner_graphs, read_from_outside


def order_nodes(graph: Any, path: Path, outside: frozenset[str] = frozenset()) -> None:
    """Orders the nodes of a graph and of the graphs inside it, which read values from `outside`.

    ArtifactError: Two values have the same name, a value that is read does not exist, or a node
    reads its own result, also by way of others.
    """
    given = Counter(each.name for each in graph.input)
    constants = {each.name for each in graph.initializer}
    constants |= {each.values.name for each in graph.sparse_initializer}
    makers: dict[str, int] = {}
    for number, node in enumerate(graph.node):
        for name in filter(None, node.output):
            if name in makers or name in given or name in constants:
                reason = f"{_shown(node)} makes {clipped(name)!r}, as another value is called"
                raise damaged(path, reason)
            makers[name] = number
    if twice := [name for name, count in given.items() if count > 1]:
        raise damaged(path, f"it has two inputs of the name {twice[0]!r}")
    known = outside | makers.keys() | given.keys() | constants
    for node in graph.node:
        _check_known(node.input, known, _shown(node), path)
        for inner in inner_graphs(node):
            order_nodes(inner, path, known)
    _check_known((each.name for each in graph.output), known, "it", path)
    _sort(graph, makers, path)


def _shown(node: Any) -> str:
    name = node.name or "".join(node.output[:1])
    return f"node {clipped(name)!r} ({clipped(node.op_type)})"


def _check_known(names: Iterable[str], known: frozenset[str], who: str, path: Path) -> None:
    """Checks that all values exist that a node reads or a graph returns."""
    for name in names:
        if name and name not in known:
            does = "returns" if who == "it" else "reads"
            raise damaged(path, f"{who} {does} {clipped(name)!r}, which no node makes")


def _sort(graph: Any, makers: Mapping[str, int], path: Path) -> None:
    """Moves nodes behind those that make what they read; others keep their order."""
    nodes = [*graph.node]
    read = [{makers[name] for name in read_from_outside(node) if name in makers} for node in nodes]
    if all(max(numbers, default=-1) < number for number, numbers in enumerate(read)):
        return
    waiting = [len(numbers) for numbers in read]
    readers: list[list[int]] = [[] for _ in nodes]
    for number, numbers in enumerate(read):
        for each in numbers:
            readers[each].append(number)
    ready = [number for number, count in enumerate(waiting) if not count]
    order: list[int] = []
    while ready:
        order.append(heapq.heappop(ready))
        for reader in readers[order[-1]]:
            waiting[reader] -= 1
            if not waiting[reader]:
                heapq.heappush(ready, reader)
    if len(order) < len(nodes):
        stuck = next(number for number, count in enumerate(waiting) if count)
        raise damaged(path, f"{_shown(nodes[stuck])} reads a value that depends on its result")
    copies: list[Any] = [copy.deepcopy(nodes[number]) for number in order]
    del graph.node[:]
    graph.node.extend(copies)
