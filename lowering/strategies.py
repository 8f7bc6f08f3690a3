"""Strategies: which rewrites stand between a portable module and the compiler.

    portable   none: IREE compiles the loops as they stand, and copies what they carry every step
    fused      each loop one dispatch (`fuse_time_loop`), each large product in panels
               (`panel_products`); what a rewrite does not know stays as it is

The default is the fastest known for the target. It is recorded in the manifest. `lower` has the
passes of each.
"""

from __future__ import annotations

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.manifest import TargetSpec

__all__ = ["FUSED", "PORTABLE", "STRATEGIES", "resolve_strategy"]

PORTABLE, FUSED = STRATEGIES = ("portable", "fused")


def resolve_strategy(name: object, target: TargetSpec) -> str:
    """The strategy of a name, None standing for the target's default.

    Raises:
        InvalidArgumentError: There is no such strategy.
    """
    if name is None:
        return FUSED if target.device == "local" else PORTABLE
    if not isinstance(name, str) or name not in STRATEGIES:
        expected = f"one of {', '.join(STRATEGIES)}"
        raise InvalidArgumentError("compile", "strategy", expected, describe(name))
    return name
