"""Frozen weights packed at compile time, for C: for the target's processor, on this machine.

Packing rearranges numbers and widens some of them, so every machine produces the same bytes. The
code that packs for another processor runs here when it is compiled for this one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt

from rnn_compiler import stages
from rnn_compiler.lowering import iree_compile
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.runtime.device.devices import get_device
from rnn_compiler.runtime.program import Program
from rnn_compiler.schema.manifest import FunctionSpec, Manifest, TensorSpec

__all__ = ["PrepackFunction", "prepack"]


@dataclass(frozen=True)
class PrepackFunction:
    """A function that packs the weights of another function.

    Attributes:
        spec: The other function.
        results: Its results.
        weights: Its arguments by name.
    """

    spec: FunctionSpec
    results: tuple[TensorSpec, ...]
    weights: Mapping[str, npt.NDArray[Any]]


def prepack(
    module: str, functions: Sequence[PrepackFunction], *, reproducers: Path, timeout: float
) -> Mapping[str, Mapping[str, npt.NDArray[Any]]]:
    """Packs weights on this machine.

    Args:
        module: The text of a lowered module, for any CPU.
        functions: The functions to run; at least one.
        reproducers: As for `iree_compile.compile_module`.
        timeout: As for `iree_compile.compile_module`.

    Returns:
        The results by name, by the symbol of the function that they are packed for.
    """
    from rnn_compiler.lowering.host.prepack_module import prepack_module

    specs = [_prepack_spec(each) for each in functions]
    here = resolve_target("cpu")
    stages.report("packing the weights")
    text = prepack_module(module, [spec.function for spec in specs])
    payload = iree_compile.compile_module(text, here, reproducers=reproducers, timeout=timeout)
    digest = hashlib.sha256(payload).hexdigest()
    version = iree_compile.compiler_identity().version
    manifest = Manifest(tuple(specs), here, "", "", version, "", digest, len(payload))
    program = Program(manifest, payload, get_device("local-sync"), prepack=False)
    found: dict[str, Mapping[str, npt.NDArray[Any]]] = {}
    for each, spec in zip(functions, specs, strict=True):
        weights = [each.weights[argument.name] for argument in spec.arguments]
        found[each.spec.function] = program.functions[spec.function].invoke(weights)._asdict()
    return found


def _prepack_spec(each: PrepackFunction) -> FunctionSpec:
    spec = each.spec
    arguments = tuple(a for a in spec.arguments if a.name in spec.weights)
    return FunctionSpec(spec.op, spec.prepack, spec.dtype, {}, {}, arguments, each.results)
