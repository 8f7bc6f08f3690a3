"""Compilation: turns a module and a target into an artifact, from the cache if possible.

The cache key covers everything that the payload depends on, including the sources of lowering, so a
hit needs neither the MLIR bindings nor the compiler process.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import warnings
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import rnn_compiler
from rnn_compiler.base import stages
from rnn_compiler.base.installation import package_version
from rnn_compiler.chosen_target import current_target
from rnn_compiler.errors import (
    CacheWarning,
    CompileError,
    CompileWarning,
    InvalidArgumentError,
    describe,
)
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.targets.names import check_format, resolve_target
from rnn_compiler.lowering.targets.strategies import PORTABLE, resolve_strategy
from rnn_compiler.modules import Module
from rnn_compiler.requirements import check_can_compile
from rnn_compiler.runtime.archive import archive_of
from rnn_compiler.runtime.artifact import Artifact, Bundle
from rnn_compiler.runtime.cache import ArtifactCache, CacheKey
from rnn_compiler.runtime.cache.memory import MemoryCache
from rnn_compiler.runtime.cache.single_flight import process_lock, thread_lock
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.manifest import SCHEMA_VERSION, Manifest, TargetSpec

if TYPE_CHECKING:
    from rnn_compiler.lowering.rewriting.context import LoweringRequest

__all__ = [
    "ALL_LEVELS",
    "Request",
    "cache_key",
    "check_request",
    "compile",
    "compile_request",
    "lowered_text",
    "lowering_request",
    "requests_of",
    "with_weights",
]


# What is lowered, and the compiler's input as readable text.


def lowering_request(
    module: Module,
    target: TargetSpec,
    strategy: str,
    *,
    known_weights: Collection[str] = (),
    portable: Collection[str] = (),
    format: str = "vmfb",
) -> LoweringRequest:
    """The request to lower a module; its text is built here.

    UnsupportedError: the compiler is not installed.
    """
    text = module.located_text
    from rnn_compiler.lowering.rewriting.context import LoweringRequest  # needs the MLIR bindings

    return LoweringRequest(
        text=text,
        functions=module.functions,
        target=target,
        strategy=strategy,
        package_version=package_version(),
        is_users=module.is_users,
        linked=module.linked,
        known_weights=known_weights,
        portable=portable,
        format=format,
    )


def lowered_text(
    module: Module, target: str, strategy: str | None = None, last: str | None = None
) -> str:
    """The text of a module as it is passed to the compiler, in readable form.

    Args:
        module: The module.
        target: The name of a target.
        strategy: The name of a strategy; default: the fastest known.
        last: The name of the last pass to run; default: all.

    Raises:
        CompileError: A pass made an invalid module.
        InvalidArgumentError: The target, strategy or pass does not exist.
        UnsupportedError: The compiler is not installed.
    """
    resolved = resolve_target(target)
    request = lowering_request(module, resolved, resolve_strategy(strategy, resolved))
    from rnn_compiler.lowering.builder.module import module_text
    from rnn_compiler.lowering.pipeline import rewrite

    reproducers = ArtifactCache.from_environment().reproducers
    return module_text(rewrite(request, last, reproducers=reproducers).text)


_log = logging.getLogger(__name__)

SOURCES = ("lowering", "schema")
"""The folders whose sources affect the payload."""

ALL_LEVELS = "cpu:levels"
"""The target name for all feature levels of this architecture."""

memory_cache = MemoryCache()


@overload
def compile(
    module: Module,
    target: str | None = None,
    *,
    strategy: str | None = None,
    timeout: float = iree_compile.DEFAULT_TIMEOUT,
) -> Artifact: ...
@overload
def compile(
    module: Module,
    target: Sequence[str],
    *,
    strategy: str | None = None,
    timeout: float = iree_compile.DEFAULT_TIMEOUT,
) -> Bundle: ...
def compile(
    module: Module,
    target: str | Sequence[str] | None = None,
    *,
    strategy: str | None = None,
    timeout: float = iree_compile.DEFAULT_TIMEOUT,
) -> Artifact | Bundle:
    """Compiles a module, or loads it from the cache.

    Args:
        module: A module from `build`.
        target: ``"cpu"`` (this machine), ``"cpu:generic"``, ``"cpu:x86-64-v3"``,
            ``"cpu:aarch64,dotprod"``, ``"cuda"``, ``"cuda:sm_86"``, ...; default: the one that
            `rnn_compiler.target` or ``RNN_COMPILER_TARGET`` names, else ``"cpu"``. A list of
            targets gives a bundle; in it, ``"cpu:levels"`` stands for all feature levels of this
            architecture, from ``"cpu:generic"`` up.
        strategy: How to lower it: ``"fused"`` (the default on CPUs), ``"pinned"`` (on GPUs) or
            ``"portable"``. If the default does not compile, the portable one is used, with a
            `CompileWarning`.
        timeout: Time limit for the compiler in seconds.

    Raises:
        InvalidArgumentError: The target does not exist.
        CompileError: The compiler failed; holds its diagnostics and a saved reproducer.
        OSError: The folder for its temporary files, which ``TMPDIR`` names, is full.
        UnsupportedError: The compiler is not installed.
    """
    requests = requests_of(module, target, strategy, timeout)
    return with_weights(module, target, [*map(compile_request, requests)])


def requests_of(
    module: Module, target: str | Sequence[str] | None, strategy: str | None, timeout: float
) -> list[Request]:
    """The compilations that `compile` performs for its arguments: one request for each target.

    Raises:
        InvalidArgumentError: As `compile`.
        UnsupportedError: The compiler is not installed.
    """
    check_request("compile", module, timeout)
    if target is not None and not isinstance(target, str):
        targets = _targets(target)
        for each in targets:
            check_format("compile", each, "vmfb")
        return [Request(module, each, strategy, timeout) for each in targets]
    name = target or current_target()
    if name == ALL_LEVELS:
        raise InvalidArgumentError(
            "compile", "target", "one target", repr(name), f"pass [{name!r}] for a bundle"
        )
    resolved = resolve_target(name)
    check_format("compile", resolved, "vmfb")
    return [Request(module, resolved, strategy, timeout)]


def with_weights(
    module: Module, target: str | Sequence[str] | None, artifacts: Sequence[Artifact]
) -> Artifact | Bundle:
    """The result of `compile`: artifacts with the module's weights and its source, not cached."""
    if module.initial or any(spec.frozen for spec in module.functions):
        archive = archive_of({**module.parameters, **module.initial})
        artifacts = [artifact.with_archive(archive) for artifact in artifacts]
    if module.source is not None:
        described = ((each, replace(each.manifest, source=module.source)) for each in artifacts)
        artifacts = [replace(each, manifest=manifest) for each, manifest in described]
    return artifacts[0] if target is None or isinstance(target, str) else Bundle(tuple(artifacts))


def check_request(caller: str, module: object, timeout: object) -> None:
    """Checks the arguments of any compilation.

    Raises:
        InvalidArgumentError: The module is not a module, or the timeout is not a positive number.
        UnsupportedError: The compiler is not installed.
    """
    check_can_compile(caller)
    if not isinstance(module, Module):
        raise InvalidArgumentError(caller, "module", "a module from `build`", describe(module))
    if not isinstance(timeout, (int, float)) or not timeout > 0:
        expected = "a positive number of seconds"
        raise InvalidArgumentError(caller, "timeout", expected, describe(timeout))


@dataclass(frozen=True)
class Request:
    """A compilation: its module, target, strategy (None for the default), time limit and format."""

    module: Module
    target: TargetSpec
    strategy: str | None
    timeout: float
    format: str = "vmfb"


def _targets(names: Sequence[str]) -> list[TargetSpec]:
    """The targets of a bundle, each with a different file name."""
    if not isinstance(names, (list, tuple)):
        expected = "a name or a list of names"
        raise InvalidArgumentError("compile", "target", expected, describe(names))
    if not names:
        raise InvalidArgumentError("compile", "target", "at least one target", "an empty list")
    targets = [resolve_target(each) for name in names for each in _each(name)]
    if len({each.slug for each in targets}) != len(targets):
        raise InvalidArgumentError("compile", "target", "each target once", ", ".join(names))
    return targets


def _each(name: object) -> list[object]:
    """The targets that a name stands for."""
    if name != ALL_LEVELS:
        return [name]
    return [f"cpu:{level}" for level in cpu_features.LEVELS.get(cpu_features.architecture(), {})]


def compile_request(request: Request) -> Artifact:
    """Compiles a module for one target, unless it is in the cache or being compiled elsewhere.

    Its frozen weights are not needed, and are not in the artifact.
    """
    artifact, origin = _found_or_compiled(request)
    stages.report_origin(origin)
    return artifact


def _found_or_compiled(request: Request) -> tuple[Artifact, str]:
    """An artifact and its origin."""
    cache = ArtifactCache.from_environment()
    key = cache_key(request.module, request.target, request.strategy, request.format)
    if cache.mode == "off":
        return _compile_now(request, cache), stages.NEW
    if cache.mode == "verify":
        return _compile_and_compare(request, cache, key), stages.NEW
    name = (cache.folder, key.digest)
    origin = stages.HIT
    with thread_lock(key.digest):
        artifact = _if_for(memory_cache.get(name), request)
        if artifact is None:
            artifact = _if_for(cache.get(key), request)
        if artifact is None:
            with process_lock(cache.lock_path(key)):
                if os.path.exists(cache.path(key)):  # made by the previous holder of the lock
                    artifact = _if_for(cache.get(key), request)
                if artifact is None:
                    artifact, origin = _if_for(cache.fetch(key), request), stages.REMOTE_HIT
                if artifact is None:
                    artifact, origin = _compile_now(request, cache), stages.NEW
                    cache.put(key, artifact)
                    cache.publish(key, artifact)
        memory_cache.put(name, artifact)
    return artifact, origin


def _if_for(artifact: Artifact | None, request: Request) -> Artifact | None:
    """The artifact found for a key; None if it is for another module after all."""
    if artifact is None:
        return None
    manifest = artifact.manifest
    if request.strategy not in (None, manifest.strategy):
        _log.info("miss: found %r, which fell back to another strategy", artifact)
        return None
    found = manifest.name, manifest.functions, manifest.target
    if found == (request.module.name, request.module.functions, request.target):
        return artifact
    _log.warning("miss: found %r, which is for another module or target", artifact)
    return None


def _compile_and_compare(request: Request, cache: ArtifactCache, key: CacheKey) -> Artifact:
    """Compiles in any case; an entry that differs from the result is reported and replaced."""
    cached = _if_for(cache.get(key) or cache.fetch(key), request)
    artifact = _compile_now(request, cache)
    if cached is not None and cached.payload != artifact.payload:
        warnings.warn(
            f"cache entry {cache.path(key)} does not match a fresh compilation; it is replaced "
            "(offsets of temporary arrays may differ without harm: docs/python.md, Determinism)",
            CacheWarning,
            stacklevel=4,
        )
    if cached is None or cached.payload != artifact.payload:
        cache.put(key, artifact)
        cache.publish(key, artifact)
    return artifact


def _compile_now(request: Request, cache: ArtifactCache) -> Artifact:
    """Compiles; functions that the default strategy fails for stay portable."""
    strategy = resolve_strategy(request.strategy, request.target)
    is_open = any(spec.open_dims for spec in request.module.functions)
    try:
        return _compile_with(strategy, request, cache)
    except CompileError as error:
        if request.strategy is not None or strategy == PORTABLE or is_open:
            raise
        refused = _refused(strategy, request, cache)
        try:
            if refused:
                artifact = _compile_with(strategy, request, cache, refused)
            else:
                artifact = _compile_with(PORTABLE, request, cache)
        except CompileError:  # the fast lowering is not at fault
            raise error from None
        of = f" of {', '.join(refused)}" if refused else ""
        warnings.warn(
            f"the {strategy} lowering{of} did not compile, the {PORTABLE} one is used, which is "
            f"slow for long sequences ({error})",
            CompileWarning,
            stacklevel=5,
        )
        return artifact


def _refused(strategy: str, request: Request, cache: ArtifactCache) -> list[str]:
    """The functions that do not compile on their own; empty if no function compiles.

    In a user's module, these are the functions of our ops.
    """
    module = request.module
    parts = module.linked if module.is_users else module.functions
    if len(parts) < 2:
        return []
    refused: list[str] = []
    for spec in parts:
        alone = replace(request, module=Module([spec], module.name))
        try:
            _compile_with(strategy, alone, cache)
        except CompileError:
            refused.append(spec.function)
    return refused if len(refused) < len(parts) else []


def _compile_with(
    strategy: str, request: Request, cache: ArtifactCache, portable: Collection[str] = ()
) -> Artifact:
    names = "; ".join(map(str, request.module.functions))
    with stages.logged_if_long(f"compiling {names} for {request.target.name}"):
        return _lower_and_compile(strategy, request, cache, portable)


def _lower_and_compile(
    strategy: str, request: Request, cache: ArtifactCache, portable: Collection[str]
) -> Artifact:
    module, target = request.module, request.target
    stages.report(f"building for {target.name}")
    if request.format == "vmfb":
        lowering = lowering_request(module, target, strategy, portable=portable)
    else:  # functions take their frozen weights again, which are packed when they are printed
        frozen = [spec.function for spec in module.functions if spec.frozen]
        lowering = lowering_request(
            module.thawed(), target, strategy, known_weights=frozen, format=request.format
        )
    from rnn_compiler.lowering.pipeline import lower  # needs the MLIR bindings

    stages.report(f"lowering for {target.name}")
    payload, plain_loops, calls = lower(
        lowering, reproducers=cache.reproducers, timeout=request.timeout
    )
    manifest = Manifest(
        functions=module.functions,
        target=target,
        strategy=strategy,
        package_version=package_version(),
        compiler_version=iree_compile.compiler_identity().version,
        module_sha256=module.sha256,
        payload_sha256=hashlib.sha256(payload).hexdigest(),
        payload_size=len(payload),
        name=module.name,
        plain_loops=dict(plain_loops),
        calls=dict(calls),
        linked=module.linked,
    )
    return Artifact(manifest, payload)


def cache_key(
    module: Module, target: TargetSpec, strategy: str | None = None, format: str = "vmfb"
) -> CacheKey:
    """Everything that the compilation of a module for a target depends on."""
    identity = iree_compile.compiler_identity()
    text: dict[str, Any] = {}
    if format != "vmfb":
        packs = any(spec.frozen for spec in module.functions)  # on this machine
        text["format"] = [format, resolve_target("cpu").features if packs else ()]
    if module.is_users:  # our own functions follow from the rest of the key
        text["text"] = hashlib.sha256(module.located_text.encode()).hexdigest()
        # Its types lack signs and ranges, and do not say which results are the next states.
        interface = repr([asdict(spec) for spec in module.functions])
        text["interface"] = hashlib.sha256(interface.encode()).hexdigest()
    return CacheKey(
        {
            **text,
            "functions": [
                [
                    *(spec.op, spec.dtype, spec.json_dims, spec.json_attributes),
                    *(spec.function, [result.name for result in spec.results]),
                    [each.name for each in spec.frozen],
                ]
                for spec in module.functions
            ],
            "name": module.name,
            "target": [target.name, target.device, target.architecture, list(target.features)],
            "strategy": resolve_strategy(strategy, target),
            "package": [package_version(), source_digest()],
            "compiler": [identity.version, identity.content],
            "schema": SCHEMA_VERSION,
        }
    )


@functools.cache
def source_digest() -> str:
    """Digest of the sources that affect the payload, so that editing them causes a miss."""
    package = Path(rnn_compiler.__path__[0])
    digest = hashlib.sha256()
    for folder in SOURCES:
        for source in sorted((package / folder).rglob("*")):
            if source.suffix in (".py", ".mjs"):
                digest.update(f"{source.relative_to(package)}\0".encode())
                digest.update(source.read_bytes())
    return digest.hexdigest()
