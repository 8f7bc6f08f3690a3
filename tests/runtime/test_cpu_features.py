"""CPU features are read from the kernel's list, never derived from the CPU's name."""

from __future__ import annotations

import platform
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.cpu_features import LEVELS, architecture, host_features, known_features

HASWELL = (
    "fpu sse sse2 ht syscall nx pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt xsave avx "
    "f16c lahf_lm abm bmi1 avx2 bmi2"
)


def host(
    monkeypatch: pytest.MonkeyPatch,
    cpuinfo: str,
    machine: str = "x86_64",
    hwcaps: dict[int, int] | None = None,
) -> tuple[str, ...]:
    """The features of a machine with this /proc/cpuinfo and auxiliary vector."""
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(Path, "read_text", lambda path: cpuinfo)
    monkeypatch.setattr(cpu_features, "hwcap", lambda entry: (hwcaps or {}).get(entry, 0))
    return host_features.__wrapped__()


def processors(*flags: str) -> str:
    return "\n\n".join(
        f"processor\t: {k}\nmodel name\t: Xeon avx512f\nflags\t\t: {each}\nbugs\t\t: avx512bw\n"
        for k, each in enumerate(flags)
    )


def test_the_kernels_names_become_llvms(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {*LEVELS["x86_64"]["x86-64-v3"], "pclmul"}
    assert host(monkeypatch, processors(HASWELL)) == tuple(sorted(expected))


def test_a_feature_whose_basis_is_masked_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler would use both, and the machine's own artifact would not run on it."""
    flags = f"{HASWELL} avx512f avx512bw".replace(" fma", "")
    assert not {"avx512f", "avx512bw"} & set(host(monkeypatch, processors(flags)))


def test_only_flags_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the name of the CPU, and no flag that only contains another's name."""
    assert host(monkeypatch, processors("fpu avx2x xavx ssse3_ lahf_lm")) == ("sahf",)


def test_a_feature_must_be_on_every_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads move between them."""
    flags = (f"{HASWELL} avx512f", HASWELL.replace("avx2 ", ""), f"{HASWELL} avx512f")
    features = host(monkeypatch, processors(*flags))
    assert "fma" in features
    assert not {"avx2", "avx512f"} & set(features)


def test_arm_lists_features(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond neon, which every such machine has."""
    cpuinfo = "processor\t: 0\nFeatures\t: fp asimd evtstrm asimdhp atomics asimddp\nCPU part : 1\n"
    assert host(monkeypatch, cpuinfo, "aarch64") == ("dotprod", "fullfp16", "lse")
    assert architecture() == "aarch64"


def test_the_auxiliary_vector_comes_first_on_arm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bits of Linux's uapi/asm/hwcap.h; an emulator's /proc/cpuinfo is that of its own machine."""
    atomics, asimddp, i8mm, bf16 = 1 << 8, 1 << 20, 1 << 13, 1 << 14
    words = {16: 0b11 | atomics | asimddp, 26: i8mm | bf16}
    around = "Features\t: fp asimd asimdhp asimdrdm\n"
    found = host(monkeypatch, around, "aarch64", words)
    assert found == ("bf16", "dotprod", "i8mm", "lse")


def test_risc_v_lists_letters_and_names(monkeypatch: pytest.MonkeyPatch) -> None:
    cpuinfo = "processor\t: 0\nhart\t: 1\nisa\t\t: rv64imafdcv_zicsr_zba_zbb\nmmu\t: sv39\n"
    assert host(monkeypatch, cpuinfo, "riscv64") == ("v", "zba", "zbb")
    weaker = cpuinfo + cpuinfo.replace("v_zicsr", "_zicsr").replace("_zbb", "")
    assert host(monkeypatch, weaker, "riscv64") == ("zba",)


AMX = f"{HASWELL} avx512f avx512bw avx512vl avx512_bf16 amx_bf16 amx_tile amx_int8"


@pytest.mark.parametrize("knows", [True, False])
def test_tiles_need_a_kernel_that_can_permit_them(
    monkeypatch: pytest.MonkeyPatch, knows: bool
) -> None:
    """Older ones list the features all the same."""
    asked = list[int]()

    def answer(code: int, argument: Any) -> bool:
        asked.append(code)
        if knows:
            argument._obj.value = 0x600E7
        return knows

    monkeypatch.setattr(cpu_features, "arch_prctl", answer)
    tiles = {"amx-bf16", "amx-int8", "amx-tile"}
    assert {*host(monkeypatch, processors(AMX))} & tiles == (tiles if knows else set())
    assert asked == [0x1021]
    assert not {*host(monkeypatch, processors(HASWELL))} & tiles
    assert asked == [0x1021], "nobody asks for what is not there"


@pytest.mark.parametrize(("states", "holds"), [(0x600E7, True), (0x200E7, False)])
def test_whether_a_process_holds_tiles_is_read(
    states: int, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asking for them would change the answer."""
    asked = list[int]()

    def answer(code: int, argument: Any) -> bool:
        asked.append(code)
        argument._obj.value = states
        return True

    monkeypatch.setattr(cpu_features, "arch_prctl", answer)
    assert cpu_features.holds_tiles() == holds
    assert asked == [0x1022]


def test_another_system_has_no_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever cpuid says: a process could not ask for permission."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not cpu_features.grants_tiles()
    assert not cpu_features.holds_tiles()
    found = host(monkeypatch, processors(AMX))
    assert "avx512bf16" in found
    assert not [name for name in found if name.startswith("amx")]


@pytest.mark.parametrize("vendor", ["GenuineIntel", "AuthenticAMD"])
def test_code_for_this_machine_leaves_out_what_is_slow(
    vendor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code that others compiled with it runs here all the same."""
    cpuinfo = processors(f"{HASWELL} avx512f avx512bw avx512vl avx512_bf16").replace(
        "processor", f"vendor_id\t: {vendor}\nprocessor", 1
    )
    found = host(monkeypatch, cpuinfo)
    monkeypatch.setattr(cpu_features, "host_features", lambda: found)
    assert "avx512bf16" in found
    slow = {"avx512bf16"} if vendor == "GenuineIntel" else set[str]()
    assert {*found} - {*cpu_features.best_features()} == slow
    assert {*resolve_target("cpu").features} == {*found} - slow


@pytest.mark.parametrize("cpuinfo", ["", "processor\t: 0\n", "flags\n", "flags\t:\n"])
def test_nothing_is_assumed_of_a_machine_that_says_nothing(
    monkeypatch: pytest.MonkeyPatch, cpuinfo: str
) -> None:
    assert host(monkeypatch, cpuinfo) == ()


@pytest.mark.parametrize(
    ("machine", "arch"), [("x86_64", "x86_64"), ("AMD64", "x86_64"), ("arm64", "aarch64")]
)
def test_architectures(monkeypatch: pytest.MonkeyPatch, machine: str, arch: str) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert architecture() == arch
    assert "generic" in LEVELS[arch]


def test_an_unknown_architecture_has_no_features(monkeypatch: pytest.MonkeyPatch) -> None:
    assert host(monkeypatch, processors(HASWELL), "sparc64") == ()
    assert known_features("sparc64") == frozenset()


def test_without_the_kernels_list_irees_tool_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """It must find no feature that the kernel does not offer."""
    kernel = set(host_features())

    def missing(path: Path) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "read_text", missing)
    found = host_features.__wrapped__()
    assert set(found) <= kernel
    assert found == tuple(sorted(found))
    if "avx" in kernel:
        assert "avx" in found


def test_levels_grow() -> None:
    """Each is part of the next, and made of known features."""
    for arch, levels in LEVELS.items():
        lists = [set(features) for features in levels.values()]
        assert all(lower <= higher for lower, higher in pairwise(lists))
        assert all(features <= known_features(arch) for features in lists)
        for features in levels.values():
            assert len(set(features)) == len(features)
    assert list(LEVELS["x86_64"]) == ["generic", "x86-64-v2", "x86-64-v3", "x86-64-v4"]


def test_targets_resolve_to_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_features, "architecture", lambda: "x86_64")
    monkeypatch.setattr(cpu_features, "host_features", lambda: ("avx2", "fma"))

    def features(target: str) -> tuple[str, ...]:
        return resolve_target(target).features

    assert features("cpu") == ("avx2", "fma")
    assert features("cpu:generic") == ()
    assert features("cpu:x86-64-v3") == tuple(sorted(LEVELS["x86_64"]["x86-64-v3"]))
    assert {"avx", "bmi2"} <= set(features("cpu:bmi2,avx"))
    assert features("cpu:bmi2,avx") == features("cpu:+avx, +bmi2") == features("cpu:avx,bmi2,avx")


@pytest.mark.parametrize(
    ("feature", "implied"),
    [
        ("avx2", {"avx", "sse4.2", "ssse3"}),
        ("fma", {"avx"}),
        ("f16c", {"avx"}),
        ("avx512f", {"avx2", "fma", "f16c"}),
        ("avx512vl", {"avx512f"}),
        ("avx512bf16", {"avx512bw"}),
    ],
)
def test_what_a_feature_implies_is_in_the_list(
    monkeypatch: pytest.MonkeyPatch, feature: str, implied: set[str]
) -> None:
    """LLVM uses it too, so a machine that lacks it must be refused."""
    monkeypatch.setattr(cpu_features, "architecture", lambda: "x86_64")
    assert set(resolve_target(f"cpu:{feature}").features) >= {feature, *implied}
