"""Strategies: which rewrites stand between a portable module and the compiler.

    portable   none: IREE compiles the loops as they stand, and copies what they carry every step
    fused      each loop one dispatch (`fuse_time_loop`), each large product in panels
               (`panel_products`); what a rewrite does not know stays as it is

The default is the fastest known for the target. It is recorded in the manifest.
"""

# pyright: basic

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.manifest import TargetSpec

__all__ = ["PORTABLE", "STRATEGIES", "Strategy", "default_strategy", "resolve_strategy"]

Strategy = Callable[[Any, TargetSpec], None]
"""Rewrites an MLIR module in place for a target."""

PORTABLE = "portable"


def _portable(module: Any, target: TargetSpec) -> None:
    del module, target


def _fused(module: Any, target: TargetSpec) -> None:
    from rnn_compiler.lowering.passes.fuse_time_loop import fuse_time_loops
    from rnn_compiler.lowering.passes.panel_products import panel_products
    from rnn_compiler.lowering.vectors import VectorUnit

    vectors = VectorUnit.of(target)
    fuse_time_loops(module, vectors)
    panel_products(module, vectors)


STRATEGIES: Mapping[str, Strategy] = MappingProxyType({PORTABLE: _portable, "fused": _fused})
"""Every strategy, by name."""


def default_strategy(target: TargetSpec) -> str:
    """The strategy for a target if none is asked for."""
    return "fused" if target.device == "local" else PORTABLE


def resolve_strategy(name: object, target: TargetSpec) -> str:
    """The strategy of a name, None standing for the target's default.

    Raises:
        InvalidArgumentError: There is no such strategy.
    """
    if name is None:
        return default_strategy(target)
    if not isinstance(name, str) or name not in STRATEGIES:
        expected = f"one of {', '.join(STRATEGIES)}"
        raise InvalidArgumentError("compile", "strategy", expected, describe(name))
    return name
