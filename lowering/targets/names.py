"""Targets: the machines that a module can be compiled for, and IREE's flags for them.

    cpu                  this machine, with all its features
    cpu:generic          any machine of this architecture
    cpu:x86-64-v3        a feature level of it (also v2 and v4; see `schema.architectures`)
    cpu:avx2,fma         its baseline and these features, in LLVM's names
    cpu:aarch64          any machine of another architecture (also riscv64, x86_64)
    cpu:aarch64,dotprod  such a machine with these features, or of a level
    cpu:cortex-m4        a microcontroller, in C (also m7, m33, m55, riscv32; armv7 for Linux)
    cpu:wasm32           WebAssembly, in JavaScript
    cuda                 NVIDIA GPUs from sm_80 on (see `targets.gpu.DEFAULT`)
    cuda:sm_86           those from this architecture on
    cuda:t4              those from this GPU's architecture on (see `architecture_of`)
    vulkan               GPUs with a driver for Vulkan, float32 only, loops left to IREE

For any spelling, the compiler gets the architecture, the resolved list of features and a generic
CPU, or the resolved architecture of a GPU, so the manifest lists all features that the code may
use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from rnn_compiler.errors import InvalidArgumentError, UnsupportedError, describe, did_you_mean
from rnn_compiler.lowering.targets.gpu import ARCHITECTURES as GPUS
from rnn_compiler.lowering.targets.gpu import DEFAULT, architecture_of
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.architectures import ARCHITECTURES, UNSUPPORTED_CORES, Architecture
from rnn_compiler.schema.device_kinds import DEVICE_KINDS, TARGETS
from rnn_compiler.schema.formats import FORMATS
from rnn_compiler.schema.manifest import TargetSpec

_VULKAN = "vp_android_baseline_2022"
"""IREE's name for its minimum requirements of a driver: SPIR-V 1.3, and 32-bit numbers only."""

_ALIGNED = ("--align-all-functions=5", "--x86-experimental-pref-innermost-loop-alignment=5")
"""Functions and inner loops begin at multiples of 32 bytes on x86-64. At others, a time loop takes
up to a fifth more time, depending on the code that comes before it."""

_IN_ORDER = "--iree-stream-partitioning-favor=debug"
"""No step may run concurrently with another, so that they can share memory."""


def resolve_target(name: object, caller: str = "compile") -> TargetSpec:
    """The target of a name."""
    text = name if isinstance(name, str) else describe(name)
    kind = TARGETS.get(text.partition(":")[0])
    target = _KINDS[kind].read(text, caller) if kind else None
    if target is not None:
        return target
    expected = f"one of {', '.join(name for row in _KINDS.values() for name in row.names())}"
    raise InvalidArgumentError(caller, "target", expected, describe(text), _meant(text))


def _cpu(name: str, caller: str) -> TargetSpec | None:
    """The target of ``cpu``, with features or an architecture after a colon."""
    _, colon, detail = name.partition(":")
    if bool(colon) != bool(detail):
        return None
    first, *rest = (item.strip().removeprefix("+") for item in detail.split(","))
    arch = first if first in ARCHITECTURES else cpu_features.architecture()
    if arch not in ARCHITECTURES:
        expected = f"cpu: and one of {', '.join(ARCHITECTURES)}, as this machine is {arch}"
        raise InvalidArgumentError(caller, "target", expected, repr(name))
    if not detail:
        return TargetSpec(name, "local", arch, tuple(sorted(cpu_features.best_features())))
    items = rest if first in ARCHITECTURES else [first, *rest]
    named = ARCHITECTURES[arch]
    _check_features(name, named, items, caller)
    features = (f for item in items for f in named.levels.get(item, (item,)))
    return TargetSpec(name, "local", arch, tuple(sorted(named.with_implied(features))))


def _check_features(target: str, arch: Architecture, items: list[str], caller: str) -> None:
    """Checks that an architecture has some levels and features."""
    known = cpu_features.known_features(arch.name)
    unknown = sorted({*items} - known - arch.levels.keys())
    if not unknown:
        return
    raise InvalidArgumentError(
        caller,
        "target",
        f"a level ({', '.join(arch.levels)}) or features of {arch.name}, by LLVM's names, "
        f"or another architecture ({', '.join(ARCHITECTURES)}) first",
        f"{target!r} with {', '.join(map(repr, unknown))}",
        _about_feature(unknown[0], arch),
    )


def _about_feature(feature: str, arch: Architecture) -> str:
    """The message for a feature that an architecture does not have."""
    if feature in arch.refused:
        return arch.refused[feature]
    if reason := UNSUPPORTED_CORES.get(feature.replace("_", "-")):
        return reason
    for each in ARCHITECTURES.values():
        if feature in each.levels or feature in cpu_features.known_features(each.name):
            return f"{feature} belongs to {each.name}: cpu:{each.name},{feature}"
    here = arch.name == cpu_features.architecture()
    return _close(feature, _cpu_details(arch, "cpu:" if here else f"cpu:{arch.name},"))


def check_format(caller: str, target: TargetSpec, form: str) -> None:
    """Checks that modules for a target can be compiled to a format."""
    formats = ARCHITECTURES[target.architecture].formats if target.device == "local" else ("vmfb",)
    if form not in formats:
        rows = [FORMATS[each] for each in formats]
        possible = " or ".join(f"{each.product} ({each.made_by})" for each in rows)
        raise UnsupportedError(
            f"{caller}: a module for {target.name} cannot be {FORMATS[form].product}, "
            f"but {possible}: use that, or another target"
        )


def _cuda(name: str, caller: str) -> TargetSpec:
    _, colon, detail = name.partition(":")
    architecture = architecture_of(detail) if colon else DEFAULT
    if architecture is None:
        names = ", ".join(name for names in GPUS.values() for name in names)
        raise InvalidArgumentError(
            caller, "target", f"one of {', '.join(_cuda_names())}, or cuda: and one of {names}",
            describe(name), _meant(name),
        )  # fmt: skip
    return TargetSpec(name, "cuda", architecture, ())


def _vulkan(name: str, caller: str) -> TargetSpec | None:
    return TargetSpec(name, "vulkan", _VULKAN, ()) if name == "vulkan" else None


def _cpu_names(features: str = "FEATURE,...") -> list[str]:
    levels = cpu_features.LEVELS.get(cpu_features.architecture(), {})
    return ["cpu", *(f"cpu:{detail}" for detail in (*levels, features, *ARCHITECTURES))]


def _cuda_names() -> list[str]:
    return ["cuda", *(f"cuda:{architecture}" for architecture in GPUS)]


def _gpu_names() -> list[str]:
    return [f"cuda:{name}" for names in GPUS.values() for name in names]


def target_names() -> list[str]:
    """Every named target, without lists of features."""
    return [name for row in _KINDS.values() for name in row.all_names()]


def _cpu_details(arch: Architecture | None = None, prefix: str = "cpu:") -> dict[str, str]:
    """The targets of CPUs, by what may follow the colon, with `prefix` before the features."""
    arch = arch or ARCHITECTURES.get(cpu_features.architecture())
    details: dict[str, str] = {}
    if arch is not None:
        features = (*cpu_features.known_features(arch.name), *arch.levels, "levels")
        details = {each: f"{prefix}{each}" for each in features}
    for each in ARCHITECTURES.values():
        details |= dict.fromkeys((*each.other_names, each.name), f"cpu:{each.name}")
    return details


def _cuda_details() -> dict[str, str]:
    names = [name for row in GPUS.items() for name in (row[0], *row[1])]
    return {name: f"cuda:{name}" for name in names}


def _meant(name: str) -> str:
    """A suggestion for a misspelled target, as a question.

    The text after the colon is compared by itself, and may be given without the text before it.
    """
    kind, _, detail = name.rpartition(":")
    row = _KINDS.get(TARGETS.get(kind.strip().lower(), ""))
    known: Mapping[str, str] = row.details() if row else {}
    if not known:
        known = {key: each for row in _KINDS.values() for key, each in row.details().items()}
    if not kind:
        kinds = DEVICE_KINDS.values()
        own = {name: row.target for row in kinds for name in (row.target, *row.other_names)}
        known = {**own, **known}
    return _close(detail, known)


def _close(detail: str, known: Mapping[str, str]) -> str:
    """The target of the known text that is closest to a misspelled one, as a question.

    Different numbers are not misspellings: an h800 is not an h100.
    """
    numbers = re.findall(r"\d+", detail)
    close = {each: known[each] for each in known if re.findall(r"\d+", each) == numbers}
    return did_you_mean(detail, (), close)


def compiler_flags(target: TargetSpec) -> list[str]:
    """The flags that make `iree-compile` produce code for a target."""
    row = _KINDS[target.device]
    others = [each.plugin for kind, each in _KINDS.items() if kind != target.device]
    return [*row.flags(target), *(f"--iree-plugin=-{plugin}" for plugin in others if plugin)]


def _cpu_flags(target: TargetSpec) -> list[str]:
    arch = ARCHITECTURES[target.architecture]
    # Without the triple, code is compiled for this machine, and features of others are dropped.
    features = [f"+{each}" for each in (*arch.baseline, *target.features)]
    features += [f"-{each}" for each in arch.unless_asked if each not in target.features]
    return [
        "--iree-hal-target-device=local",
        "--iree-hal-local-target-device-backends=llvm-cpu",
        f"--iree-llvmcpu-target-triple={arch.triple}",
        *([f"--iree-llvmcpu-target-abi={arch.abi}"] if arch.abi else []),
        f"--iree-llvmcpu-target-cpu={arch.cpu}",
        "--iree-llvmcpu-target-cpu-features=" + ",".join(features),
        f"--iree-stream-resource-min-offset-alignment={arch.alignment}",
        *arch.flags,
        *(_ALIGNED if target.architecture == "x86_64" else []),
        *([] if arch.has_memory else [_IN_ORDER]),
    ]


def _cuda_flags(target: TargetSpec) -> list[str]:
    return ["--iree-hal-target-device=cuda", f"--iree-cuda-target={target.architecture}"]


def _vulkan_flags(target: TargetSpec) -> list[str]:
    return ["--iree-hal-target-device=vulkan", f"--iree-vulkan-target={target.architecture}"]


class _TargetKind(NamedTuple):
    """The targets of a kind of device.

    Attributes:
        read: The target of a name whose part up to the colon is the kind's; None if there is none.
            It also takes the function that was called, for errors.
        names: Their names, for messages.
        all_names: Their names with other spellings, for completion.
        flags: The flags for one of them.
        details: What may follow the colon of a name, also in other words, with the name meant.
        plugin: The plugin of IREE for them, which is off for targets of other kinds (see
            `iree_compile.FLAGS`); empty if it is always on.
    """

    read: Callable[[str, str], TargetSpec | None]
    names: Callable[[], list[str]]
    all_names: Callable[[], list[str]]
    flags: Callable[[TargetSpec], list[str]]
    details: Callable[[], Mapping[str, str]] = dict
    plugin: str = ""


_KINDS: Mapping[str, _TargetKind] = MappingProxyType(
    {
        "local": _TargetKind(
            _cpu,
            _cpu_names,
            lambda: _cpu_names("levels"),
            _cpu_flags,
            _cpu_details,
        ),
        "cuda": _TargetKind(
            _cuda, _cuda_names, lambda: _cuda_names() + _gpu_names(), _cuda_flags, _cuda_details
        ),
        "vulkan": _TargetKind(
            _vulkan,
            lambda: ["vulkan"],
            lambda: ["vulkan"],
            _vulkan_flags,
            plugin="hal_target_vulkan_spirv",
        ),
    }
)
