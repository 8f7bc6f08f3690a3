"""Strategies: which rewrites stand between a portable module and the compiler.

    portable   none: IREE compiles the loops as they stand, and copies what they carry every step
    fused      each loop one dispatch (`fuse_time_loop`), each large product in blocks
               (`blocked_products`); what a rewrite does not know stays as it is
    pinned     loops that update in place and issue many steps at a time (`pin_time_loop`)

The default is the fastest known for the target: fused on CPUs, which pinned code runs on too, and
pinned on GPUs, which fused code does not run on. It is recorded in the manifest. `lower` has the
passes of each.
"""

from __future__ import annotations

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.schema.manifest import TargetSpec

__all__ = ["FUSED", "PINNED", "PORTABLE", "STRATEGIES", "resolve_strategy"]

PORTABLE, FUSED, PINNED = STRATEGIES = ("portable", "fused", "pinned")


def resolve_strategy(name: object, target: TargetSpec) -> str:
    """The strategy of a name, None standing for the target's default.

    Raises:
        InvalidArgumentError: There is no such strategy for the target.
    """
    if name is None:
        return FUSED if target.device == "local" else PINNED
    known = [each for each in STRATEGIES if each != FUSED or target.device == "local"]
    if not isinstance(name, str) or name not in known:
        expected = f"one of {', '.join(known)}, for {target.name}"
        raise InvalidArgumentError("compile", "strategy", expected, describe(name))
    return name
