"""The nodes of a network in locations, which messages of later steps name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rnn_compiler.lowering.mlir.bindings import ir

_TITLE = re.compile(r"node .+ \([^()]+\)", re.DOTALL)
_NAME = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_BYTE = re.compile(rb"\\([0-9A-F]{2}|.)", re.DOTALL)
_MOST = 3
"""The most nodes that a message names."""


def node_title(name: str, operator: str) -> str:
    """A node in messages, and as a location.

    Example:
        >>> node_title("encoder", "LSTM")
        "node 'encoder' (LSTM)"
    """
    return f"node {name!r} ({operator})"


def nodes_of(ops: Iterable[ir.Operation]) -> list[str]:
    """The nodes that ops were made of, as messages name them.

    IREE merges locations. Ops without a node are made of those of their operands.
    """
    waiting = [*ops]
    seen: set[ir.Operation] = set()
    while waiting:
        names = [_unescaped(each) for op in waiting for each in _NAME.findall(str(op.location))]
        found = [*dict.fromkeys(name for name in names if _TITLE.fullmatch(name))]
        if found:
            return found
        seen.update(waiting)
        operands: list[ir.Value] = [value for op in waiting for value in list(op.operands)]
        before = [v.owner.operation for v in operands if not isinstance(v.owner, ir.Block)]
        waiting = [op for op in dict.fromkeys(before) if op not in seen]
    return []


def listed(nodes: Sequence[str]) -> str:
    """Nodes in a message, the first of many.

    Example:
        >>> listed(["node 'a' (Or)", "node 'b' (Or)", "node 'c' (Or)", "node 'd' (Or)"])
        "node 'a' (Or), node 'b' (Or), node 'c' (Or) and 1 more"
    """
    more = f" and {len(nodes) - _MOST} more" if len(nodes) > _MOST else ""
    return ", ".join(nodes[:_MOST]) + more


def _unescaped(text: str) -> str:
    """A string as it was before MLIR printed it."""

    def byte(found: re.Match[bytes]) -> bytes:
        return bytes.fromhex(found[1].decode()) if len(found[1]) > 1 else found[1]

    return _BYTE.sub(byte, text.encode()).decode(errors="replace")
