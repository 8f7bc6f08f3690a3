"""Objects: their contents, the parts that are left out, and the detection of damage."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from c.calling import run

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.c.elf import Elf
from rnn_compiler.lowering.c.object_file import ObjectFile
from rnn_compiler.lowering.compiler.iree_compile import compile_host_program
from rnn_compiler.lowering.host.external_results import external_results
from rnn_compiler.lowering.targets.names import resolve_target

TEXT = """
func.func @f(%x: tensor<37xf32>) -> tensor<37xf32> {
  %y = stablehlo.exponential %x : tensor<37xf32>
  return %y : tensor<37xf32>
}
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    text, _ = external_results(TEXT)
    target = resolve_target("cpu:generic")
    return compile_host_program(text, target, reproducers=tmp_path_factory.mktemp("c")).object


def test_kernels(data: bytes) -> None:
    ((name, kernel),) = ObjectFile(data).kernels.items()
    assert name == kernel.name
    assert "exponential" in name or name.startswith("f_dispatch")
    assert (kernel.constants, kernel.buffers) == (0, 2)


@pytest.mark.parametrize(("target", "is_aligned"), [("cpu:x86_64", True), ("cpu:aarch64", False)])
def test_where_code_begins(target: str, is_aligned: bool, tmp_path: Path) -> None:
    """On x86-64, where the time of loops depends on it, at multiples of 32 bytes."""
    text, _ = external_results(TEXT)
    made = compile_host_program(text, resolve_target(target), reproducers=tmp_path).object
    known = ObjectFile(made)
    code = Elf.read(known.with_only(dict.fromkeys(known.kernels, "mine")))
    found = {each.align >= 32 for each in code.sections if each.data and each.flags & _CODE}
    assert found == {is_aligned}


_CODE = 4
"""The flag of sections with code (SHF_EXECINSTR)."""


def test_what_is_not_needed_is_left_out(data: bytes, tmp_path: Path) -> None:
    """A math library, debug information and tables; the same input gives the same bytes."""
    known = ObjectFile(data)
    small = known.with_only(dict.fromkeys(known.kernels, "mine"))
    assert small == ObjectFile(data).with_only(dict.fromkeys(known.kernels, "mine"))
    assert len(small) < len(data) // 4
    (tmp_path / "small.o").write_bytes(small)
    assert run("nm", "-g", "-j", "small.o", folder=tmp_path).split() == ["mine"]
    symbols = run("readelf", "-sW", "small.o", folder=tmp_path)
    assert "HIDDEN" in next(line for line in symbols.splitlines() if line.endswith(" mine"))
    run("gcc", "-shared", "-Wl,--fatal-warnings", "small.o", "-o", "small.so", folder=tmp_path)
    assert run("nm", "-D", "-j", "--defined-only", "small.so", folder=tmp_path).split() == []


def test_nothing_at_all(data: bytes, tmp_path: Path) -> None:
    """A function may need no code, only copies."""
    (tmp_path / "none.o").write_bytes(ObjectFile(data).with_only({}))
    assert run("nm", "none.o", folder=tmp_path) == ""
    run("gcc", "-shared", "none.o", "-o", "none.so", folder=tmp_path)


def versions(data: bytes) -> list[int]:
    """Where the version of the library may be: a 6 before a pointer that is not there yet."""
    pattern = b"\6" + bytes(23)
    return [k for k in range(0, len(data) - 24, 4) if data[k : k + 24] == pattern]


def test_another_version(data: bytes) -> None:
    """The layout of a library's tables is that of its version."""
    messages: list[str] = []
    for place in versions(data):
        try:
            ObjectFile(data[:place] + b"\7" + data[place + 1 :])
        except UnsupportedError as error:
            messages.append(str(error))
    wanted = "compile_c: its code is an executable library of version 0.7, not 0.6"
    assert wanted in messages


def test_calls_of_other_libraries(tmp_path: Path) -> None:
    """They would have to be linked, too."""
    source = """
    #include <stdint.h>
    double tgamma(double);
    static int kernel(void *e, void *s, void *g) {
      return s && g ? (int)tgamma(*(double *)e) : 0;
    }
    static const struct { uint32_t version; const char *name; uint32_t rest[2]; }
      iree_hal_executable_library_query_v0_header = {6, "x", {0, 0}};
    static int (*const funcs[])(void *, void *, void *) = {kernel};
    static const struct { uint64_t flags; uint16_t pages; uint8_t constants, buffers;
      uint32_t rest[13]; } attrs[] = {{0, 0, 3, 5, {0}}};
    static const char *const names[] = {"gamma"};
    const struct { const void *header; uint64_t imports[2], count; const void *funcs, *attrs;
      const void *none[2], *names; uint64_t rest[7]; }
      iree_hal_executable_library_query_v0 = {
        &iree_hal_executable_library_query_v0_header, {0, 0}, 1, funcs, attrs, {0, 0}, names, {0}};
    """
    (tmp_path / "gamma.c").write_text(source)
    run("gcc", "-O1", "-fPIC", "-c", "gamma.c", folder=tmp_path)
    known = ObjectFile((tmp_path / "gamma.o").read_bytes())
    assert (known.kernels["gamma"].constants, known.kernels["gamma"].buffers) == (3, 5)
    with pytest.raises(UnsupportedError, match="its code calls tgamma"):
        known.with_only({"gamma": "mine"})


def test_no_object_at_all(tmp_path: Path) -> None:
    """The compiler leaves none of a module that only copies."""
    for architecture, machine in (
        ("x86_64", "X86-64"),
        ("aarch64", "AArch64"),
        ("riscv64", "RISC-V"),
    ):
        (tmp_path / "none.o").write_bytes(ObjectFile.empty(architecture).with_only({}))
        assert machine in run("readelf", "-hSsW", "none.o", folder=tmp_path)
    with pytest.raises(UnsupportedError, match="the objects of vax are not known"):
        ObjectFile.empty("vax")


@pytest.mark.parametrize("seed", range(4))
def test_damage_is_an_error_or_changes_nothing_else(data: bytes, seed: int) -> None:
    """Whatever the bytes, no other exception."""
    rng = random.Random(seed)
    for _ in range(60):
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 8])):
            place = rng.choice([rng.randrange(64), rng.randrange(len(data))])
            damaged[place] = rng.randrange(256)
        if rng.random() < 0.3:
            del damaged[rng.randrange(len(damaged)) :]
        try:
            known = ObjectFile(bytes(damaged))
            known.with_only(dict.fromkeys(known.kernels, "mine"))
        except UnsupportedError:
            pass


@pytest.mark.parametrize("other", [b"", b"\x7fELF", b"!<arch>\n" * 20, b"\xcf\xfa\xed\xfe" * 20])
def test_other_formats(other: bytes) -> None:
    with pytest.raises(UnsupportedError, match=r"ELF of 64 bits|not understood"):
        ObjectFile(other)
