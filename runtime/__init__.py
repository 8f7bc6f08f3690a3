"""Loading, caching and calling compiled modules; needs neither lowering nor the compiler."""

if __name__ != "rnn_compiler.runtime":
    raise ImportError("this package is imported as rnn_compiler.runtime, not by its folder's name")

import os
from pathlib import Path

from rnn_compiler.errors import ArtifactError, DeviceError, describe
from rnn_compiler.runtime.artifact import Artifact, Bundle, read_artifact
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.device.devices import get_device
from rnn_compiler.runtime.device.placement import default_device
from rnn_compiler.runtime.golden import Golden, Verification, compare
from rnn_compiler.runtime.paths import golden_path
from rnn_compiler.runtime.program import Function, Program

__all__ = [
    "Artifact",
    "Bundle",
    "DeviceArray",
    "Function",
    "Program",
    "Verification",
    "load",
    "read_artifact",
    "verify",
]


def load(
    artifact: str | os.PathLike[str] | Artifact | Bundle,
    device: str | None = None,
    *,
    prepack: bool = True,
    parameters: str | os.PathLike[str] | None = None,
) -> Program:
    """Loads a compiled module onto a device.

    The digests of payload and frozen weights are verified, and IREE's version and this machine's
    CPU features, or the GPU's compute capability, are compared with those the code needs, before
    IREE sees a byte. Of a bundle, the best artifact that this machine can run is taken
    (`Bundle.best_here`); if any is missing or damaged, none is. Needs no compiler.

    Args:
        artifact: The path of an artifact or of a bundle, or one that was never saved.
        device: ``"local-sync"`` (the calling thread), ``"local-task"`` (a pool of threads), or for
            what was compiled for an NVIDIA GPU ``"cuda"``, ``"cuda://1"``; default:
            ``RNN_COMPILER_DEVICE``, else cuda, else local-task if the work of a call is large and
            there are several processors, else local-sync.
        prepack: Whether weights that stay on the device are kept packed from the second call with
            them on, which takes about their memory again, of 16-bit ones twice.
        parameters: The archive of the frozen weights; default: the one beside the artifact.

    Raises:
        ArtifactError: It is missing, damaged, or for another machine or version.
        DeviceError: There is no such device, or the artifact is for another kind.
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
    if not isinstance(artifact, (Artifact, Bundle)):
        artifact = read_artifact(artifact, parameters)
    members = artifact.artifacts if isinstance(artifact, Bundle) else (artifact,)
    functions = [spec for member in members for spec in member.manifest.op_functions]
    kind = artifact.manifest.target.device if isinstance(artifact, Artifact) else "local"
    target = get_device(device or default_device(functions, kind))
    artifact.verify(source)
    if isinstance(artifact, Bundle):
        artifact = artifact.best_here(target.kind, source, target.capability)
    artifact.check_here(source, target.capability)
    return Program(
        artifact.manifest, artifact.payload, target, prepack=prepack, archive=artifact.archive
    )


def verify(path: str | os.PathLike[str], device: str | None = None) -> Verification:
    """Runs an artifact's functions on the sample arguments beside it, and compares the results.

    Of a module in C, it is the self test that is built, by the C compiler ``CC``, else ``cc``,
    ``gcc`` or ``clang``, and run.

    Args:
        path: An artifact or bundle that was saved with a golden, or the folder or ``NAME.json`` of
            a module in C.
        device: As in `load`; C has none.

    Returns:
        Each result with its largest difference and what that may be; `is_equal` says of each, and
        of all, whether they are what they should be.

    Raises:
        ArtifactError: It is missing, damaged, or for another machine or version; it has no golden,
            or this is missing, damaged, or another artifact's; C, and there is no compiler of it.
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
