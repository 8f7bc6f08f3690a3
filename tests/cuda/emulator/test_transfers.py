"""Loads and stores of every space and width; each memory fault is caught and named."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest
from cuda.emulator.driver import Driver, DriverError, element, kernel

pytestmark = pytest.mark.slow

REGISTER = {8: "%rs", 16: "%rs", 32: "%r", 64: "%rd"}
SHARED = ".extern .shared .align 16 .b8 memory[];\n"

COUNTS = {8: (1, 2, 4), 16: (1, 2, 4), 32: (1, 2, 4), 64: (1, 2)}
WIDTHS = [(count, bits) for bits, counts in COUNTS.items() for count in counts]


def vector(count: int, bits: int, first: int = 1) -> tuple[str, str]:
    """The suffix of an instruction for a number of elements, and their registers."""
    names = ", ".join(f"{REGISTER[bits]}{first + n}" for n in range(count))
    return (f".v{count}.b{bits}", f"{{{names}}}") if count > 1 else (f".b{bits}", names)


@pytest.mark.parametrize(("count", "bits"), WIDTHS)
@pytest.mark.parametrize("space", ["global", "global.nc", "shared", "local"])
def test_every_element_goes_to_its_place(driver: Driver, space: str, count: int, bits: int) -> None:
    """From global memory, through another space, and back one element later."""
    suffix, registers = vector(count, bits)
    size = count * bits // 8
    load = "ld.global.nc" if space == "global.nc" else "ld.global"
    body = [element("%rd50", "%rd101", size), f"{load}{suffix} {registers}, [%rd50];"]
    if space in ("shared", "local"):
        place = "%rd60" if space == "shared" else "%rd61"
        body += [f"mul.wide.u32 %rd60, %r99, {size};"]
        body += ["mov.b64 %rd61, depot;"] if space == "local" else []
        body += [f"st.{space}{suffix} [{place}+16], {registers};"]
        _, registers = vector(count, bits, 21)
        body += [f"ld.{space}{suffix} {registers}, [{place}+16];"]
    body += [element("%rd70", "%rd100", size), f"st.global{suffix} [%rd70], {registers};"]
    depot = ".local .align 16 .b8 depot[64];\n" if space == "local" else ""
    values = np.random.default_rng(0).integers(0, 256, (64, size), "u1")
    text = kernel(depot + "\n".join(body), 2, before=SHARED)
    np.testing.assert_array_equal(
        driver.run(text, [values], values, grid=2, shared=32 * size + 16), values
    )


@pytest.mark.parametrize(("count", "bits"), WIDTHS)
def test_constants(driver: Driver, count: int, bits: int) -> None:
    """A table in the module, whose initial values are bytes; the rest is 0."""
    suffix, registers = vector(count, bits)
    size = count * bits // 8
    values = np.random.default_rng(0).integers(0, 256, 32 * size, "u1")
    values[-size:] = 0
    table = ", ".join(map(str, values[:-size]))
    body = f"""mov.b64 %rd40, table;
    {element("%rd50", "%rd40", size)}
    ld.const{suffix} {registers}, [%rd50];
    {element("%rd70", "%rd100", size)}
    st.global{suffix} [%rd70], {registers};"""
    text = kernel(body, 1, before=f".const .align 16 .b8 table[{len(values)}] = {{{table}}};\n")
    np.testing.assert_array_equal(driver.run(text, [], values), values)


def test_a_signed_load_fills_a_wider_register(driver: Driver) -> None:
    body = f"""{element("%rd50", "%rd101", 4)}
    ld.global.nc.s32 %rd1, [%rd50];
    {element("%rd70", "%rd100", 8)}
    st.global.b64 [%rd70], %rd1;"""
    values = np.arange(-16, 16, dtype="i4")
    like = values.astype("i8")
    np.testing.assert_array_equal(driver.run(kernel(body, 2), [values], like), like)


def test_parameters(driver: Driver) -> None:
    """Of 4 and 8 bytes, each at a multiple of its size."""
    text = (
        kernel("", 0)
        .replace("kernel(\n\n)", "kernel(.param .u64 a, .param .u32 b, .param .u64 c)")
        .replace("\tret;", "ld.param::entry.b64 %rd1, [a];\nld.param.b32 %r1, [b];\n"
                 "ld.param.b64 %rd2, [c];\nst.global.b32 [%rd1], %r1;\n"
                 "st.global.b64 [%rd1+8], %rd2;\nret;")
    )  # fmt: skip
    module = driver.load(text)
    place = driver.allocate(16)
    driver.call("cuMemsetD8Async", ctypes.c_uint64(place), 0, ctypes.c_size_t(16), None)
    driver.launch(module, [place, 7, 1 << 40], threads=1)
    like = np.zeros(2, "i8")
    np.testing.assert_array_equal(driver.get(place, like), [7, 1 << 40])
    driver.free(place)


FAULTS = {
    "past the end": (
        "st.global.b32 [%rd50+4], %r99;",
        r"out of bounds: it writes 4 bytes.*128 past",
    ),
    "before the beginning": ("ld.global.b32 %r1, [%rd50+-4];", r"out of bounds: it reads 4 bytes"),
    "far away": ("ld.global.b32 %r1, [%rd50+268435456];", "out of bounds.*in no allocation"),
    "half in": (
        "st.global.v4.b32 [%rd51+8], {%r99, %r99, %r99, %r99};",
        "misaligned|out of bounds",
    ),
    "misaligned": ("ld.global.b32 %r1, [%rd50+2];", "misaligned: it reads 4 bytes"),
    "misaligned vector": (
        "ld.global.v2.b32 {%r1, %r2}, [%rd100+4];",
        "misaligned: it reads 8 bytes",
    ),
    "past shared memory": (
        "st.shared.b32 [%rd60+64], %r99;",
        "out of bounds: it writes 4 bytes at 0x80",
    ),
    "past local memory": ("ld.local.b32 %r1, [64];", "out of bounds: it reads"),
    "branch on unknown shared memory": (
        "ld.shared.b32 %r1, [%rd60];\nsetp.eq.b32 %p1, %r1, 0;\n@%p1 bra $end;\n$end:",
        "uninitialised: it goes by",
    ),
    "address of unknown local memory": (
        "ld.local.b64 %rd1, [0];\nst.global.b32 [%rd1], %r99;",
        "uninitialised: it goes by",
    ),
    "guard of what was computed from the unknown": (
        "ld.shared.b32 %r1, [%rd60];\nadd.s32 %r2, %r1, 1;\nsetp.lt.s32 %p1, %r2, 3;\n"
        "@%p1 st.global.b32 [%rd50], %r99;",
        "uninitialised: it goes by",
    ),
    "every thread writes one place": (
        "st.global.b32 [%rd100], %r99;",
        "race: it writes what another thread writes",
    ),
    "reads what its neighbour writes": (
        "st.shared.b32 [%rd60], %r99;\nxor.b32 %r1, %r99, 1;\nmul.wide.u32 %rd61, %r1, 4;\n"
        "ld.shared.b32 %r2, [%rd61];",
        "race: it reads what another thread writes",
    ),
    "writes what its neighbour reads": (
        "ld.global.b32 %r1, [%rd100];\nst.global.b32 [%rd50], %r99;",
        "race: it writes what another thread reads",
    ),
    "blocks write one place": (
        "setp.eq.b32 %p1, %r99, 0;\n@%p1 st.global.b32 [%rd100], %r98;",
        "race: it writes what another thread writes",
    ),
    "blocks read what another writes": (
        "setp.eq.b32 %p1, %r98, 0;\nbar.sync 0;\n@%p1 st.global.b32 [%rd50], %r99;\n"
        "ld.global.b32 %r1, [%rd100];",
        "race: it reads what another thread writes",
    ),
    "reads by .nc what it wrote": (
        "st.global.b32 [%rd50], 5;\nld.global.nc.b32 %r1, [%rd50];",
        "read-only",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault(driver: Driver, name: str) -> None:
    """It names kernel, thread and line, and nothing works after it."""
    text, message = FAULTS[name]
    places = "mul.wide.u32 %rd60, %r99, 4;\nmul.wide.u32 %rd51, %r99, 16;\n"
    places += "add.s64 %rd51, %rd51, %rd100;\n"
    local = ".local .align 16 .b8 depot[64];\n"
    address = element("%rd50", "%rd100", 4) if "blocks" in name else "add.s64 %rd50, %rd60, %rd100;"
    body = local + places + address + "\n" + text
    module = driver.load(kernel(body, 1, before=SHARED))
    place = driver.put(np.full(64 if "blocks" in name else 32, -1, "i4"))
    with pytest.raises(DriverError, match=message) as error:
        driver.launch(module, [place], shared=128, grid=2 if "blocks" in name else 1)
    assert error.value.code in (700, 716, 719)
    assert re.search(
        r"kernel kernel, block \(\d, 0, 0\), thread \(\d+, 0, 0\), line \d+: ", str(error.value)
    )
    with pytest.raises(DriverError) as after:
        driver.call("cuStreamSynchronize", None)
    assert after.value.code == error.value.code
    driver.library.emulator_reset()
    driver.library.cuModuleUnload(module)
    driver.free(place)


def test_the_host_copies_what_nothing_has_written(driver: Driver) -> None:
    """Also if a kernel computed with it; the message names it."""
    place, source = driver.allocate(128), driver.allocate(128)
    with pytest.raises(DriverError, match="uninitialised: the host copies 128 bytes"):
        driver.get(place, np.empty(32, "i4"))
    driver.library.emulator_reset()
    body = f"""{element("%rd50", "%rd101", 4)}
    ld.global.b32 %r1, [%rd50];
    add.s32 %r2, %r1, %r99;
    {element("%rd70", "%rd100", 4)}
    st.global.b32 [%rd70], %r2;"""
    module = driver.load(kernel(body, 2))
    driver.launch(module, [place, source])
    with pytest.raises(DriverError, match=r"stored unknown by kernel kernel, .*st\.global\.b32"):
        driver.get(place, np.empty(32, "i4"))
    driver.library.emulator_reset()
    driver.library.cuModuleUnload(module)
    driver.free(place, source)


def test_what_is_unknown_may_be_loaded_and_not_selected(driver: Driver) -> None:
    """As in a vector load past the end of an array whose last elements are not used."""
    body = """ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd101];
    setp.lt.u32 %p1, %r99, 64;
    selp.b32 %r5, %r3, %r4, %p1;
    setp.eq.b32 %p2, %r99, 0;
    @%p2 st.global.b32 [%rd100], %r5;"""
    values = np.arange(3, dtype="i4")
    assert driver.run(kernel(body, 2), [values], values[:1]) == [2]


def test_what_lies_behind_the_unknown_is_known(driver: Driver) -> None:
    """Each element of a vector by itself: rows of shared memory have gaps that nothing writes."""
    body = """mov.b64 %rd60, 0;
    st.shared.b32 [%rd60], 5;
    st.shared.b32 [%rd60+12], 7;
    ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%rd60];
    add.s32 %r5, %r1, %r4;
    st.global.b32 [%rd100], %r5;"""
    text = kernel(body, 1, before=SHARED)
    assert driver.run(text, [], np.zeros(1, "i4"), threads=1, shared=128) == [12]


def test_memory_that_was_freed(driver: Driver) -> None:
    place = driver.allocate(64)
    driver.free(place)
    with pytest.raises(DriverError, match="is no allocation, or no longer"):
        driver.free(place)
    module = driver.load(kernel("st.global.b32 [%rd100], 1;", 1))
    with pytest.raises(DriverError, match="in no allocation"):
        driver.launch(module, [place], threads=1)
    driver.library.emulator_reset()
    driver.library.cuModuleUnload(module)


def test_the_same_value_twice_is_no_race(driver: Driver) -> None:
    values = np.zeros(1, "i4")
    text = kernel("st.global.b32 [%rd100], 7;", 1)
    assert driver.run(text, [], values, grid=3) == [7]
