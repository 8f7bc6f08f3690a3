"""Frozen weights packed at compile time: for the target's processor, on this machine.

Packing rearranges numbers and widens some of them, so every machine produces the same bytes. The
code that packs for another processor runs here when it is compiled for this one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from rnn_compiler.base import stages
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.runtime.device.devices import get_device
from rnn_compiler.runtime.program import Program
from rnn_compiler.schema.manifest import FunctionSpec, Manifest

__all__ = ["prepack"]

Arrays = Mapping[str, npt.NDArray[Any]]


def prepack(
    payload: bytes, functions: Mapping[str, FunctionSpec], weights: Mapping[str, Arrays]
) -> Mapping[str, Arrays]:
    """Packs weights on this machine.

    Args:
        payload: A .vmfb for this machine, with the functions that pack.
        functions: The functions to run, each by the symbol of the one whose weights it packs; at
            least one.
        weights: The weights by name, by the same symbols.

    Returns:
        The results by name, by the same symbols.
    """
    stages.report("packing the weights")
    specs = tuple(functions.values())
    digest = hashlib.sha256(payload).hexdigest()
    version = iree_compile.compiler_identity().version
    here = resolve_target("cpu")
    manifest = Manifest(specs, here, "", "", version, "", digest, len(payload))
    program = Program(manifest, payload, get_device("local-sync"), prepack=False)
    found: dict[str, Arrays] = {}
    for name, spec in functions.items():
        given = [weights[name][argument.name] for argument in spec.arguments]
        found[name] = program.functions[spec.function].invoke(given)._asdict()
    return found
