"""Removes what a user's module says about several devices, as it runs on one.

Older versions of JAX write shardings as calls of `@Sharding`, with the devices in an attribute;
newer ones have a dialect for them (`reading.without_shardings`).
"""

from __future__ import annotations

import math
import re

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops

_SHARDINGS = ("Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape")

_DEVICES = re.compile(r"devices=\[([\d,]*)\]")


def remove_shardings(module: ir.Module) -> None:
    """Replaces the results of shardings over one device by their operands.

    InvalidArgumentError: a sharding is over several devices.
    """
    for op in nested_ops(module.operation, "stablehlo.custom_call"):
        if ir.StringAttr(op.attributes["call_target_name"]).value not in _SHARDINGS:
            continue
        sharding = ""
        if "mhlo.sharding" in op.attributes:
            sharding = ir.StringAttr(op.attributes["mhlo.sharding"]).value
        counts = [math.prod(map(int, each.split(","))) for each in _DEVICES.findall(sharding)]
        if max(counts, default=1) > 1 or op.operands[0].type != op.results[0].type:
            raise InvalidArgumentError(
                "link",
                "module",
                "a module for one device",
                f"the sharding {sharding!r}",
                "export the function without shardings and meshes of several devices",
            )
        op.results[0].replace_all_uses_with(op.operands[0])
        op.erase()
