"""The common part of C and JavaScript: lowering, compiled code, and packed frozen weights."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rnn_compiler import stages
from rnn_compiler.emission import lowering_request
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.files import SOURCE_MARK
from rnn_compiler.installation import package_version
from rnn_compiler.lowering import iree_compile
from rnn_compiler.lowering.targets.strategies import FUSED
from rnn_compiler.modules import Module
from rnn_compiler.runtime.cache import ArtifactCache
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
            if self.strategy != FUSED:
                reasons.append(
                    f"the {FUSED} strategy is the one for {language}, here it was {self.strategy}"
                )
            raise UnsupportedError("; ".join(reasons)) from error


def compile_code(module: Module, target: TargetSpec, strategy: str, timeout: float) -> CompiledCode:
    """Compiles a module for a CPU, and packs its frozen weights on this machine.

    Args:
        module: A module from `build`.
        target: The CPU.
        strategy: How to lower it.
        timeout: Time limit for the compiler in seconds.
    """
    whole, frozen = module.thawed(), _frozen(module)
    stages.report(f"building for {target.name}")
    request = lowering_request(whole, target, strategy, known_weights=[*frozen])
    from rnn_compiler.lowering.host.external_results import external_results
    from rnn_compiler.lowering.host.functions import companions_of
    from rnn_compiler.lowering.passes.keep_nan import keep_nan
    from rnn_compiler.lowering.pipeline import rewrite

    stages.report(f"lowering for {target.name}")
    lowered = rewrite(request)
    text, types = external_results(lowered.text)
    reproducers = ArtifactCache.from_environment().reproducers
    made = iree_compile.compile_host_program(
        text,
        target,
        reproducers=reproducers,
        timeout=timeout,
        halfway=keep_nan if ARCHITECTURES[target.architecture].loses_nan else None,
    )
    companions = {each.function: companions_of(each, types) for each in whole.functions}
    packs = {name: found[0] for name, found in companions.items() if found and name in frozen}
    if packs:
        packed = prepack(lowered.text, packs, frozen, reproducers=reproducers, timeout=timeout)
        frozen = {name: {**frozen[name], **packed.get(name, {})} for name in frozen}
    return CompiledCode(
        target=target,
        module_sha256=module.sha256,
        functions=tuple(whole.functions),
        types=types,
        code=made,
        frozen=frozen,
        packed=frozenset(packs),
        strategy=strategy,
        plain_loops=lowered.plain_loops,
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
