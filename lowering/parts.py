"""A module compiled in parts, which C and JavaScript modules are made of, as a payload.

The payload is a zip file. It depends on the names of frozen weights, not on their values.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rnn_compiler.base import stages
from rnn_compiler.errors import ArtifactError
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.host.external_results import external_results
from rnn_compiler.lowering.host.functions import companions_of
from rnn_compiler.lowering.host.types import KnownType, Types
from rnn_compiler.lowering.mlir.bindings import UNNAMED, ir, new_context, ops_of, reached, symbol_of
from rnn_compiler.lowering.passes.iree_faults.keep_nan import keep_nan
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.manifest import TargetSpec
from rnn_compiler.schema.specs import FunctionSpec

_MEMBERS = ("host.mlir", "code.o", "stack.su", "types.json", "packer.vmfb")


@dataclass(frozen=True)
class ModuleParts:
    """A compiled module in parts.

    Attributes:
        packer: A .vmfb for this machine with the companions that pack frozen weights; empty if
            there are none.
    """

    code: iree_compile.HostAndObject
    types: Mapping[str, Types]
    packer: bytes = b""

    def to_bytes(self) -> bytes:
        """The parts as a payload; the same parts give the same bytes."""
        host, usage = self.code.host.encode(), self.code.stack_usage.encode()
        types = json.dumps({name: _plain(each) for name, each in self.types.items()}).encode()
        contents = (host, self.code.object, usage, types, self.packer)
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, data in zip(_MEMBERS, contents, strict=True):
                archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 1)
        return file.getvalue()

    @staticmethod
    def from_bytes(payload: bytes) -> ModuleParts:
        """Reads the output of `to_bytes`."""
        try:
            with zipfile.ZipFile(io.BytesIO(payload)) as archive:
                host, code, usage, types, packer = map(archive.read, _MEMBERS)
            found = {name: _types(row) for name, row in json.loads(types).items()}
            made = iree_compile.HostAndObject(host.decode(), code, usage.decode())
        except (zipfile.BadZipFile, KeyError, ValueError, TypeError) as error:
            raise ArtifactError(f"not the parts of a module ({error!r})") from error
        return ModuleParts(made, found, packer)


def compile_parts(
    module: str,
    functions: Iterable[FunctionSpec],
    target: TargetSpec,
    *,
    reproducers: Path,
    timeout: float,
) -> ModuleParts:
    """Compiles a lowered module for a CPU; weights of `functions` are packed on this machine."""
    text, types = external_results(module)
    halfway = keep_nan if ARCHITECTURES[target.architecture].loses_nan else None
    code = iree_compile.compile_host_program(
        text, target, reproducers=reproducers, timeout=timeout, halfway=halfway
    )
    packs = [found[0].function for each in functions if (found := companions_of(each, types))]
    if not packs:
        return ModuleParts(code, types)
    stages.report("compiling what packs the weights")
    packer = iree_compile.compile_module(
        *(_packers(module, packs), resolve_target("cpu")),
        reproducers=reproducers,
        timeout=timeout,
    )
    return ModuleParts(code, types, packer)


def _packers(module: str, functions: Collection[str]) -> str:
    """The text of a module with the functions that pack weights, and all that these refer to."""
    with new_context(), ir.Location.unknown():
        parsed = ir.Module.parse(module)
        known = {symbol_of(op): op for op in ops_of(parsed.body) if symbol_of(op)}
        needed = reached(known, functions)
        for symbol, op in known.items():
            if symbol not in needed:
                op.erase()
        parsed.operation.verify()
        return parsed.operation.get_asm(enable_debug_info=True)


def _plain(types: Types) -> list[Any]:
    """Types as JSON data."""

    def rows(tensors: tuple[KnownType, ...]) -> list[Any]:
        return [
            [each.dtype, *(None if size == UNNAMED else size for size in each.shape)]
            for each in tensors
        ]

    return [rows(types.arguments), rows(types.results), [*types.states.items()]]


def _types(row: Any) -> Types:
    """Reads the output of `_plain`."""
    arguments, results = (
        tuple(
            KnownType(dtype, tuple(UNNAMED if size is None else size for size in shape))
            for dtype, *shape in tensors
        )
        for tensors in row[:2]
    )
    return Types(arguments, results, dict(row[2]))
