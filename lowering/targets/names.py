"""Targets: what a module can be compiled for, and IREE's flags for it.

    cpu                this machine, with all its features
    cpu:generic        any machine of this architecture
    cpu:x86-64-v3      a feature level (also v2 and v4; see `cpu_features.LEVELS`)
    cpu:avx2,fma       the baseline and these features, in LLVM's names
    cuda               NVIDIA GPUs from sm_80 on (see `cuda_architectures.DEFAULT`)
    cuda:sm_86         those from this architecture on
    cuda:t4            those from this GPU's architecture on (see `cuda_architectures`)

Whatever the spelling, the compiler is given the resolved list of features and a generic CPU, or the
resolved architecture, so that what the manifest lists is all that the code may use.
"""

from __future__ import annotations

import re

from rnn_compiler.errors import InvalidArgumentError, describe, did_you_mean
from rnn_compiler.lowering.targets.cuda_architectures import ARCHITECTURES, DEFAULT, architecture_of
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.manifest import TargetSpec

__all__ = ["compiler_flags", "resolve_target", "target_names"]


def resolve_target(name: object) -> TargetSpec:
    """The target of a name.

    Raises:
        InvalidArgumentError: There is no such target here; the message lists those there are.

    Example:
        >>> resolve_target("cpu:generic").device
        'local'
    """
    if isinstance(name, str) and name.partition(":")[0] == "cuda":
        return _cuda(name)
    arch = cpu_features.architecture()
    levels = cpu_features.LEVELS.get(arch, {"generic": ()})
    if not isinstance(name, str):
        name = describe(name)
    kind, _, detail = name.partition(":")
    if name == "cpu":
        features = cpu_features.host_features()
    elif kind == "cpu" and detail in levels:
        features = cpu_features.with_implied(levels[detail])
    elif kind == "cpu" and detail:
        features = cpu_features.with_implied(_feature_list(name, arch, detail))
    else:
        known = ["cpu", *(f"cpu:{level}" for level in levels), "cpu:FEATURE,...", *_cuda_names()]
        expected = f"one of {', '.join(known)}"
        raise InvalidArgumentError("compile", "target", expected, describe(name), _meant(name))
    return TargetSpec(name, "local", arch, tuple(sorted(features)))


def _cuda(name: str) -> TargetSpec:
    _, colon, detail = name.partition(":")
    architecture = architecture_of(detail) if colon else DEFAULT
    if architecture is None:
        names = ", ".join(name for names in ARCHITECTURES.values() for name in names)
        raise InvalidArgumentError(
            "compile", "target", f"one of {', '.join(_cuda_names())}, or cuda: and one of {names}",
            describe(name), _meant(name),
        )  # fmt: skip
    return TargetSpec(name, "cuda", architecture, ())


def _cuda_names() -> list[str]:
    return ["cuda", *(f"cuda:{architecture}" for architecture in ARCHITECTURES)]


def target_names() -> list[str]:
    """Every target that has a name here, but for lists of features."""
    levels = cpu_features.LEVELS.get(cpu_features.architecture(), {})
    gpus = [f"cuda:{name}" for names in ARCHITECTURES.values() for name in names]
    return ["cpu", *(f"cpu:{level}" for level in (*levels, "levels")), *_cuda_names(), *gpus]


def _meant(name: str) -> str:
    """The target that a name was meant to be, as a question.

    What stands behind the colon is compared alone, and may stand without what is before the colon.
    Numbers are no matter of spelling: an h800 is no h100.
    """
    arch = cpu_features.architecture()
    details = {each: f"cpu:{each}" for each in cpu_features.known_features(arch)}
    details |= {each: f"cpu:{each}" for each in (*cpu_features.LEVELS.get(arch, {}), "levels")}
    gpus = {
        name: f"cuda:{name}"
        for architecture, names in ARCHITECTURES.items()
        for name in (architecture, *names)
    }
    groups = {"cpu": details, "cuda": gpus}
    kind, _, detail = name.rpartition(":")
    known = groups.get(kind.strip().lower(), {**details, **gpus})
    if not kind:
        known = {"cpu": "cpu", "cuda": "cuda", "gpu": "cuda", **known}
    numbers = re.findall(r"\d+", detail)
    close = {each: known[each] for each in known if re.findall(r"\d+", each) == numbers}
    return did_you_mean(detail, (), close)


def _feature_list(target: str, arch: str, detail: str) -> tuple[str, ...]:
    features = {feature.strip().removeprefix("+") for feature in detail.split(",")}
    known = cpu_features.known_features(arch)
    unknown = sorted(features - known)
    if unknown:
        raise InvalidArgumentError(
            "compile",
            "target",
            f"a level ({', '.join(cpu_features.LEVELS.get(arch, {}))}) or features of {arch} "
            f"({', '.join(sorted(known))})",
            f"{target!r} with {', '.join(map(repr, unknown))}",
            _meant(f"cpu:{unknown[0]}"),
        )
    return tuple(features)


def compiler_flags(target: TargetSpec) -> list[str]:
    """The flags that make `iree-compile` produce code for a target."""
    if target.device == "cuda":
        return [
            "--iree-hal-target-device=cuda",
            f"--iree-cuda-target={target.architecture}",
        ]
    return [
        "--iree-hal-target-device=local",
        "--iree-hal-local-target-device-backends=llvm-cpu",
        "--iree-llvmcpu-target-cpu=generic",
        "--iree-llvmcpu-target-cpu-features=" + ",".join(f"+{f}" for f in target.features),
    ]
