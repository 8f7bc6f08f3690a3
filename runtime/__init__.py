"""Loading, caching and calling compiled modules; needs neither lowering nor the compiler."""

if __name__ != "rnn_compiler.runtime":
    raise ImportError("this package is imported as rnn_compiler.runtime, not by its folder's name")

import os
import time
from pathlib import Path

from rnn_compiler.errors import ArtifactError, DeviceError, describe
from rnn_compiler.runtime.artifact import Artifact, Bundle, read_artifact
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import get_device
from rnn_compiler.runtime.device.placement import default_device
from rnn_compiler.runtime.function import Function
from rnn_compiler.runtime.golden import Golden, Verification, compare
from rnn_compiler.runtime.paths import golden_path
from rnn_compiler.runtime.program import Program
from rnn_compiler.runtime.session import Session

__all__ = [
    "Artifact",
    "Bundle",
    "DeviceArray",
    "Function",
    "Program",
    "Session",
    "Verification",
    "load",
    "read_artifact",
    "verify",
]

PAUSES = (0.01, 0.02, 0.04, 0.08)
"""Seconds before files that do not belong together are read again: `save` renames one by one."""


def load(
    artifact: str | os.PathLike[str] | Artifact | Bundle,
    device: str | None = None,
    *,
    prepack: bool = True,
    parameters: str | os.PathLike[str] | None = None,
) -> Program:
    """Loads a compiled module onto a device.

    Before passing anything to IREE, this verifies the digests of the payload and the frozen
    weights, and checks that IREE's version and the machine's CPU features, or the GPU's
    architecture, suit the code. From a bundle, it loads the best artifact that this machine can run
    (`Bundle.best_here`); a bundle with a missing or damaged artifact is rejected. Needs no
    compiler.

    Args:
        artifact: The path of an artifact or bundle, or one in memory.
        device: ``"local-sync"`` (the calling thread), ``"local-task"`` (a pool of threads), or for
            code for GPUs ``"cuda"``, ``"cuda://1"``, ``"vulkan"``. Default:
            ``RNN_COMPILER_DEVICE``; else cuda or vulkan for their code; else local-task if a call
            has much work and there are several processors; else local-sync.
        prepack: Whether to keep a packed copy of weights that stay on the device, from the second
            call with them on. The copy takes about as much memory as the weights, twice as much for
            16-bit weights.
        parameters: The archive of the frozen weights; default: the one next to the artifact.

    Raises:
        ArtifactError: It is missing, damaged, or for another machine or version.
        DeviceError: The device does not exist, or the artifact is for another kind of device.
    """
    if not isinstance(artifact, (str, os.PathLike, Artifact, Bundle)):  # pyright: ignore
        raise ArtifactError(f"expected an artifact, a bundle or a path, got {describe(artifact)}")
    if parameters is not None:
        if not isinstance(parameters, (str, os.PathLike)):  # pyright: ignore
            raise ArtifactError(f"parameters: expected a path, got {describe(parameters)}")
        if isinstance(artifact, (Artifact, Bundle)):
            raise ArtifactError(
                "parameters: only for an artifact in a file; this one already has its weights"
            )
    source = "artifact" if isinstance(artifact, (Artifact, Bundle)) else str(artifact)
    if isinstance(artifact, (Artifact, Bundle)):
        artifact.verify(source)
    else:
        artifact = _read_verified(artifact, parameters)
    members = artifact.artifacts if isinstance(artifact, Bundle) else (artifact,)
    functions = [spec for member in members for spec in member.manifest.op_functions]
    kind = artifact.manifest.target.device if isinstance(artifact, Artifact) else "local"
    target = get_device(device or default_device(functions, kind))
    if isinstance(artifact, Bundle):
        artifact = artifact.best_here(target.kind, source, target.architecture)
    artifact.check_here(source, target.architecture)
    return Program(
        artifact.manifest, artifact.payload, target, prepack=prepack, archive=artifact.archive
    )


def _read_verified(
    path: str | os.PathLike[str], parameters: str | os.PathLike[str] | None
) -> Artifact | Bundle:
    """Reads files again if they do not belong together: another process may be replacing them."""
    for pause in PAUSES:
        found = read_artifact(path, parameters)
        try:
            found.verify(str(path))
        except ArtifactError:
            time.sleep(pause)
        else:
            return found
    found = read_artifact(path, parameters)
    found.verify(str(path))
    return found


def verify(path: str | os.PathLike[str], device: str | None = None) -> Verification:
    """Runs an artifact's functions on its sample arguments and compares the results.

    For a module in C, it builds and runs the self test with the C compiler in ``CC``, or else with
    ``cc``, ``gcc`` or ``clang``.

    Args:
        path: An artifact or bundle that was saved with a golden, or the folder or ``NAME.json`` of
            a module in C.
        device: As in `load`; not for C.

    Returns:
        Each result with its largest difference and its tolerance; `is_equal` tells, for each and
        for all, whether they agree.

    Raises:
        ArtifactError: The artifact is missing, damaged, or for another machine or version; its
            golden is missing, damaged, or another artifact's; or there is no C compiler.
        DeviceError: There is no such device, or the artifact is for another kind.
    """
    if isinstance(path, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]
        from rnn_compiler.runtime.selftest import find_c_manifest, run_selftest  # starts processes

        manifest = find_c_manifest(Path(path))
        if manifest is not None and device is not None:
            raise DeviceError(f"{manifest}: a module in C has no device; leave {device} out")
        if manifest is not None:
            return run_selftest(manifest)
    program = load(path, device)
    spec = program.manifest.golden
    if spec is None:
        raise ArtifactError(
            f"{os.fspath(path)}: it has no sample arguments and results: compile it with --golden, "
            "or save it with golden="
        )
    golden = Golden.read(golden_path(Path(path)), spec, program.manifest.functions)
    return compare(program, golden)
