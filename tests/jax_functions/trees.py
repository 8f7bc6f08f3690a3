"""Leaves of trees by the names of states."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from rnn_compiler.schema import pytrees


def leaves(trees: Mapping[str, Any], known: Collection[str] = ()) -> dict[str, Any]:
    return {name: leaf for name, _, leaf in pytrees.leaves(trees, known)}
