"""Creating a golden: sample arguments for a module's functions, and results computed here.

If the artifact runs on this machine's CPU, it computes the results itself, so that `verify` shows
that another machine computes the same. For any other target, the portable module computes them,
compiled for this CPU, which shares no rewritten loop with the code under test.
"""

from __future__ import annotations

import contextlib

from rnn_compiler.compilation import compile
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError, describe
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.strategies import PORTABLE
from rnn_compiler.modules import Module
from rnn_compiler.random_arguments import random_arguments
from rnn_compiler.runtime import load
from rnn_compiler.runtime.artifact import Artifact, Bundle
from rnn_compiler.runtime.golden import Golden, run
from rnn_compiler.schema.architectures import ARCHITECTURES

__all__ = ["golden"]

_DEVICE = "local-sync"


def golden(module: Module, artifact: Artifact | Bundle | str) -> Golden:
    """Sample arguments of a module's functions and their results, to be saved with an artifact.

    Args:
        module: A module from `build` or `link`.
        artifact: Its artifact from `compile`. For `compile_c`, which creates no artifact but
            computes the same numbers, the name of the target.

    Returns:
        The `golden` argument of `Artifact.save`, `Bundle.save` and `compile_c`.

    Raises:
        InvalidArgumentError: The artifact is another module's, or the target does not exist.
        CompileError: The artifact does not run here, and the portable module did not compile.

    Example:
        >>> import tempfile
        >>> import rnn_compiler as rc
        >>> module = rc.build("GRUBlockCell", batch_size=2, input_size=3, num_units=4)
        >>> artifact = rc.compile(module, "cpu:aarch64")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = artifact.save(f"{folder}/cell.vmfb", golden=golden(module, artifact))
        ...     rc.runtime.read_artifact(path).manifest.golden.computed_by
        'cpu (portable) on local-sync'
    """
    if isinstance(artifact, str) and _is_target(artifact):
        made = compile(module, artifact) if _has_artifacts(artifact) else Bundle(())
    else:
        made = artifact
    if not isinstance(made, (Artifact, Bundle)):
        expected = "an artifact from `compile`, or the name of a target"
        raise InvalidArgumentError("golden", "artifact", expected, describe(artifact))
    members = made.artifacts if isinstance(made, Bundle) else (made,)
    if any(member.manifest.functions != module.functions for member in members):
        raise InvalidArgumentError("golden", "artifact", f"one of {module!r}", repr(members[0]))
    program = None
    if any(member.manifest.target.device == "local" for member in members):
        with contextlib.suppress(ArtifactError):  # for another machine
            program = load(made, _DEVICE, prepack=False)
    opened = {dim for spec in module.functions for dim in spec.open_dims}
    if program is None and opened:
        raise UnsupportedError(
            "golden: 'module': expected known sizes, because the artifact does not run on this "
            f"machine, got open ones ({', '.join(sorted(opened))}); build the module with known "
            "sizes, or make the golden on the target"
        )
    if program is None:
        program = load(compile(module, "cpu", strategy=PORTABLE), _DEVICE, prepack=False)
    arguments = {spec.function: random_arguments(spec) for spec in module.functions}
    results = run(program, arguments)
    cases = {name: (arguments[name], results[name]) for name in arguments}
    manifest = program.manifest
    return Golden(cases, f"{manifest.target.name} ({manifest.strategy}) on {_DEVICE}")


def _has_artifacts(name: str) -> bool:
    """Whether artifacts are made for a target."""
    target = resolve_target(name)
    return target.device != "local" or "vmfb" in ARCHITECTURES[target.architecture].formats


def _is_target(name: str) -> bool:
    try:
        resolve_target(name)
    except InvalidArgumentError:
        return False
    return True
