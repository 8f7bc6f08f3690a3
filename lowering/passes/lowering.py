"""What every pass is given, and what it leaves word of."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rnn_compiler.lowering.gpu.matmul_tiles import Gpu
from rnn_compiler.lowering.mlir import ir
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.manifest import FunctionSpec, TargetSpec

__all__ = ["Lowering", "Processor"]

Processor: TypeAlias = VectorUnit | Gpu
"""What a module will run on."""

_LOG = logging.getLogger("rnn_compiler.lowering")


@dataclass
class Lowering:
    """A module on its way from a portable one to what the compiler is given.

    Attributes:
        module: The module; passes change it in place.
        functions: What its public functions are.
        target: What it will be compiled for.
        processor: What it will run on.
        facts: What else is written into the payload, as key and value: the versions of the tools.
        left: Why time loops were left as they are, by their symbols.
    """

    module: ir.Module
    functions: Sequence[FunctionSpec]
    target: TargetSpec
    processor: Processor
    facts: dict[str, str] = field(default_factory=dict[str, str])
    left: dict[str, str] = field(default_factory=dict[str, str])

    def leave(self, symbol: str, reason: str) -> None:
        """Notes that a time loop is left as it is, and why."""
        self.left[symbol] = reason
        _LOG.info("%s is left as a plain loop: %s", symbol, reason)
