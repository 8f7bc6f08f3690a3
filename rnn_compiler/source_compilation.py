"""The common part of C and JavaScript: lowering, compiled code, and packed frozen weights."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.base.files import SOURCE_MARK
from rnn_compiler.base.installation import package_version
from rnn_compiler.compilation import Request, compile_request
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.targets.strategies import FUSED
from rnn_compiler.modules import Module
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import SCHEMA_VERSION, FunctionSpec, TargetSpec
from rnn_compiler.source_prepacking import prepack

if TYPE_CHECKING:
    from rnn_compiler.lowering.host.external_results import Types
    from rnn_compiler.lowering.host.functions import HostFunction

__all__ = ["CompiledCode", "compile_code"]

Arrays = Mapping[str, npt.NDArray[Any]]


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
    from rnn_compiler.lowering.parts import Parts

    parts = Parts.from_bytes(artifact.payload)
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
