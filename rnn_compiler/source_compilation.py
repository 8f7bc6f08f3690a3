"""The common part of C and JavaScript: lowering, compiled code, and packed frozen weights."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rnn_compiler import stages
from rnn_compiler.c_prepacking import PrepackFunction, prepack
from rnn_compiler.compilation import package_version
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering import iree_compile
from rnn_compiler.lowering.targets.strategies import FUSED
from rnn_compiler.modules import Module
from rnn_compiler.runtime.cache import ArtifactCache
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import SCHEMA_VERSION, FunctionSpec, TargetSpec

if TYPE_CHECKING:
    from rnn_compiler.lowering.host.external_results import Types

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
        return f"Made by rnn-compiler {package} with IREE {compiler} for {self.target.name}."

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

    @contextlib.contextmanager
    def explained(self, language: str) -> Generator[None]:
        """Adds the likely reason to an `UnsupportedError`: loops on the host."""
        try:
            yield
        except UnsupportedError as error:
            hints = [
                f"time loop {loop} stays plain: {reason}"
                for loop, reason in self.plain_loops.items()
            ]
            if self.strategy != FUSED:
                hints.append(
                    f"the {FUSED} strategy is the one for {language}, here it was {self.strategy}"
                )
            if not hints:
                raise
            raise UnsupportedError("; ".join((str(error), *hints))) from error


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
    text = whole.located_text
    from rnn_compiler.lowering.host.external_results import external_results
    from rnn_compiler.lowering.pipeline import rewrite

    stages.report(f"lowering for {target.name}")
    lowered = rewrite(
        *(text, whole.functions, target, package_version(), strategy),
        linked=whole.linked,
        known_weights=[*frozen],
    )
    text, types = external_results(lowered.text)
    reproducers = ArtifactCache.from_environment().reproducers
    made = iree_compile.compile_host_program(text, target, reproducers=reproducers, timeout=timeout)
    prepacks = _prepack_functions(whole, frozen, types)
    if prepacks:
        packed = prepack(lowered.text, prepacks, reproducers=reproducers, timeout=timeout)
        frozen = {name: {**frozen[name], **packed.get(name, {})} for name in frozen}
    names = frozenset(each.spec.function for each in prepacks)
    return CompiledCode(
        *(target, module.sha256, tuple(whole.functions), types, made, frozen, names, strategy),
        lowered.plain_loops,
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


def _prepack_functions(
    module: Module, frozen: Mapping[str, Arrays], types: Mapping[str, Types]
) -> list[PrepackFunction]:
    """The functions that pack frozen weights."""
    from rnn_compiler.lowering.c.interface import packed_tensors

    return [
        PrepackFunction(spec, packed_tensors(types[spec.prepack].results), frozen[spec.function])
        for spec in module.functions
        if spec.function in frozen and spec.prepack in types
    ]
