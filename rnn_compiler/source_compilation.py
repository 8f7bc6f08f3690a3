"""The common part of C and JavaScript: lowering, compiled code, and packed frozen weights."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rnn_compiler.base import stages
from rnn_compiler.base.files import SOURCE_MARK, check_replaceable, made_folder, write_files
from rnn_compiler.base.installation import package_version
from rnn_compiler.compilation import Request, compile_request
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.strategies import FUSED
from rnn_compiler.modules import Module
from rnn_compiler.runtime.device.devices import get_device
from rnn_compiler.runtime.program import Program
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import SCHEMA_VERSION, Manifest, TargetSpec
from rnn_compiler.schema.specs import FunctionSpec

if TYPE_CHECKING:
    from rnn_compiler.lowering.host.functions import Arrays, HostFunction
    from rnn_compiler.lowering.host.types import Types

__all__ = ["CompiledCode", "SourceModule", "compile_code"]


# Frozen weights packed at compile time: for the target's processor, on this machine.
#
# Packing rearranges numbers and widens some of them, so every machine produces the same bytes.
# The code that packs for another processor runs here when it is compiled for this one.


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


@dataclass(frozen=True, repr=False)
class SourceModule:
    """A module as files for other compilers or engines; they contain nothing of IREE.

    Attributes:
        name: The prefix of its files.
        parts: The bytes of each file except the manifest, by file name.
        manifest: The content of ``NAME.json`` as plain data.
    """

    name: str
    parts: Mapping[str, bytes]
    manifest: Mapping[str, Any]

    @property
    def shown(self) -> str:
        """Its name and its functions."""
        return f"{self.name}: {', '.join(row['function'] for row in self.manifest['functions'])}"

    def text_of(self, end: str) -> str:
        """The text of the file whose name is the prefix and `end`; empty if there is none."""
        return self.parts.get(f"{self.name}{end}", b"").decode()

    @property
    def files(self) -> Mapping[str, bytes]:
        """The bytes of each file, by file name."""
        manifest = json.dumps(self.manifest, indent=2) + "\n"
        return {**self.parts, f"{self.name}.json": manifest.encode()}

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes the files into a folder, which is created.

        Either all of them appear, each complete, or none does, also when replacing older ones.

        Raises:
            OSError: A file cannot be written, or would replace one that this package did not
                write; the error names it.
        """
        folder = Path(folder)
        check_replaceable(*(folder / name for name in self.files))
        with made_folder(folder):
            write_files(*((folder / name, data) for name, data in self.files.items()))
        return folder


@dataclass(frozen=True)
class CompiledCode:
    """A module's compiled code, and the host program that calls it.

    Attributes:
        target: The CPU.
        module_sha256: The hash of the module.
        functions: The functions, which take their frozen arguments again.
        types: The types of all public functions, including companions.
        code: The host program and the object.
        frozen: Frozen arguments by function and name, and their packed forms.
        packed: The functions whose weights were packed.
        strategy: The lowering strategy.
        plain_loops: Time loops that were not rewritten, each with the reason.
    """

    target: TargetSpec
    module_sha256: str
    functions: tuple[FunctionSpec, ...]
    types: Mapping[str, Types]
    code: iree_compile.HostAndObject
    frozen: Mapping[str, Arrays]
    packed: frozenset[str]
    strategy: str
    plain_loops: Mapping[str, str]

    @property
    def versions(self) -> tuple[str, str]:
        """The versions of this package and of the compiler."""
        return package_version(), iree_compile.compiler_identity().version

    @property
    def origin(self) -> str:
        """The versions and the target, in a sentence."""
        package, compiler = self.versions
        return f"{SOURCE_MARK}{package} with IREE {compiler} for {self.target.name}."

    def manifest(
        self,
        format: str,
        name: str,
        functions: Sequence[Mapping[str, Any]],
        files: Mapping[str, bytes],
        **more: object,
    ) -> dict[str, Any]:
        """The description of a module's files as plain data.

        Args:
            format: ``"c"`` or ``"js"``.
            name: The prefix of the files.
            functions: The description of each function.
            files: The bytes of each file.
            **more: The entries that only this format has.
        """
        package, compiler = self.versions
        return {
            "schema": SCHEMA_VERSION,
            "format": format,
            "name": name,
            **more,
            "functions": functions,
            "target": {**dataclasses.asdict(self.target), "features": list(self.target.features)},
            "strategy": self.strategy,
            "package_version": package,
            "compiler_version": compiler,
            "module_sha256": self.module_sha256,
            "files": {
                file: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
                for file, data in files.items()
            },
        }

    def read(self, caller: str, language: str) -> tuple[list[HostFunction], list[bytes]]:
        """The functions, and the constants that they read.

        Args:
            caller: The function that was called, for errors.
            language: What it makes of them.

        Raises:
            UnsupportedError: The host program does more than call compiled code in order; the
                message has the likely reason.
        """
        from rnn_compiler.lowering.host.functions import read_functions

        memory = ARCHITECTURES[self.target.architecture].memory
        try:
            return read_functions(
                *(self.functions, self.types, self.code.host, self.frozen, memory)
            )
        except UnsupportedError as error:
            reasons = [f"{caller}: {error}"]
            loops = self.plain_loops.items()
            reasons += (f"time loop {loop} stays plain: {reason}" for loop, reason in loops)
            if any(reason.startswith("a unit axis") for reason in self.plain_loops.values()):
                reasons.append(
                    f"a layer of 1 unit becomes {language} with num_units=2, and zeros as the "
                    "weights of the second unit"
                )
            if self.strategy != FUSED:
                reasons.append(
                    f"the {FUSED} strategy is the one for {language}, here it was {self.strategy}"
                )
            raise UnsupportedError("; ".join(reasons)) from error


def compile_code(module: Module, target: TargetSpec, strategy: str, timeout: float) -> CompiledCode:
    """Compiles a module for a CPU, or finds it in the cache; packs its weights on this machine.

    Args:
        module: A module from `build`.
        target: The CPU.
        strategy: How to lower it.
        timeout: Time limit for the compiler in seconds.
    """
    artifact = compile_request(Request(module, target, strategy, timeout, "parts"))
    from rnn_compiler.lowering.host.functions import companions_of
    from rnn_compiler.lowering.parts import ModuleParts

    parts = ModuleParts.from_bytes(artifact.payload)
    whole, frozen = module.thawed(), _frozen(module)
    companions = {each.function: companions_of(each, parts.types) for each in whole.functions}
    packs = {name: found[0] for name, found in companions.items() if found and name in frozen}
    if packs:
        packed = prepack(parts.packer, packs, frozen)
        frozen = {name: {**frozen[name], **packed.get(name, {})} for name in frozen}
    return CompiledCode(
        target=target,
        module_sha256=module.sha256,
        functions=tuple(whole.functions),
        types=parts.types,
        code=parts.code,
        frozen=frozen,
        packed=frozenset(packs),
        strategy=strategy,
        plain_loops=artifact.manifest.plain_loops,
    )


def _frozen(module: Module) -> Mapping[str, Arrays]:
    """The frozen arguments of a module by function and name.

    It is compiled with functions that take them again and companions that pack them; the printed
    functions pass constants.
    """
    return {
        spec.function: {
            each.name: module.parameters[spec.parameter(each.name)]
            if 0 not in each.shape
            else np.zeros(each.static_shape, DTYPES[each.dtype].numpy)
            for each in spec.frozen
        }
        for spec in module.functions
        if spec.frozen
    }
