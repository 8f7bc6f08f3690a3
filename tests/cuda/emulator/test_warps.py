"""Operations of several threads: branches that part a warp, barriers, shuffles, matrix products."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from cuda.emulator.driver import Driver, DriverError, element, kernel

pytestmark = pytest.mark.slow

SHARED = ".extern .shared .align 16 .b8 memory[];\n"
RESULT = element("%rd70", "%rd100", 4) + "\nst.global.b32 [%rd70], %r50;"


def test_a_branch_parts_a_warp(driver: Driver) -> None:
    """Each lane counts up to its lane number; some exit at once."""
    body = f"""mov.b32 %r50, 0;
    setp.lt.u32 %p1, %r99, 5;
    @%p1 bra $store;
$loop:
    add.s32 %r50, %r50, 2;
    setp.lt.u32 %p2, %r50, %r99;
    @%p2 bra $loop;
    @!%p1 bra $store;
    add.s32 %r50, %r50, 1000;
    bra.uni $store;
$store:
    {RESULT}"""
    lane = np.arange(32, dtype="i4")
    wanted = np.where(lane < 5, 0, (lane + 1) // 2 * 2)
    np.testing.assert_array_equal(driver.run(kernel(body, 1), [], lane), wanted)


def test_threads_that_have_left_are_not_waited_for(driver: Driver) -> None:
    body = f"""setp.ge.u32 %p1, %r99, 40;
    mov.b32 %r50, 3;
    {RESULT}
    @%p1 ret;
    bar.sync 0;
    add.s32 %r50, %r50, %r99;
    st.global.b32 [%rd70], %r50;"""
    wanted = np.where(np.arange(64) < 40, np.arange(64) + 3, 3).astype("i4")
    got = driver.run(kernel(body, 1), [], wanted, threads=64)
    np.testing.assert_array_equal(got, wanted)


REVERSED = f"""mul.wide.u32 %rd60, %r99, 4;
    st.shared.b32 [%rd60], %r99;
    bar.sync 0;
    sub.s32 %r1, 255, %r99;
    mul.wide.u32 %rd61, %r1, 4;
    ld.shared.b32 %r50, [%rd61];
    {element("%rd70", "%rd100", 4)}
    st.global.b32 [%rd70], %r50;"""


def test_barrier(driver: Driver) -> None:
    """Between eight warps that reverse an array; without it, the race is seen."""
    wanted = np.arange(255, -1, -1, dtype="i4")
    text = kernel(REVERSED, 1, before=SHARED)
    got = driver.run(text, [], wanted, threads=256, shared=1024)
    np.testing.assert_array_equal(got, wanted)
    with pytest.raises(DriverError, match=r"race|uninitialised"):
        driver.run(text.replace("bar.sync 0;", ""), [], wanted, threads=256, shared=1024)


def test_a_warp_within_itself_needs_a_barrier_too(driver: Driver) -> None:
    text = kernel(REVERSED.replace("255", "31"), 1, before=SHARED)
    wanted = np.arange(31, -1, -1, dtype="i4")
    np.testing.assert_array_equal(driver.run(text, [], wanted, shared=128), wanted)
    with pytest.raises(DriverError, match="race: it reads what another thread writes"):
        driver.run(text.replace("bar.sync 0;", ""), [], wanted, shared=128)


def test_a_barrier_for_half_a_warp(driver: Driver) -> None:
    body = """setp.lt.u32 %p1, %r99, 16;
    @%p1 bra $first;
    bar.sync 0;
    bra $end;
$first:
    bar.sync 0;
$end:"""
    with pytest.raises(DriverError, match="parts of a warp wait at different instructions"):
        driver.run(kernel(body, 1), [], np.zeros(1, "i4"))


@pytest.mark.slow
def test_an_endless_loop_ends(driver: Driver) -> None:
    body = "mov.b32 %r1, 0;\n$loop:\nadd.s32 %r1, %r1, 1;\nbra $loop;"
    with pytest.raises(DriverError, match="runs for ever"):
        driver.run(kernel(body, 1), [], np.zeros(1, "i4"), threads=1)


@pytest.mark.parametrize("xor", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("c", [31, 0x1C1F, 15])
def test_shuffle(driver: Driver, xor: int, c: int) -> None:
    """Among all lanes; within four of them; and to no lane past the 15th."""
    body = f"mul.lo.s32 %r1, %r99, 3;\nshfl.sync.bfly.b32 %r50, %r1, {xor}, {c}, -1;\n{RESULT}"
    lane = np.arange(32)
    segment = c >> 8
    last = (lane & segment) | (c & 31 & ~segment)
    source = np.where(lane ^ xor > last, lane, lane ^ xor)
    got = driver.run(kernel(body, 1), [], lane.astype("i4"))
    np.testing.assert_array_equal(got, 3 * source)


def test_shuffle_waits_for_all_lanes(driver: Driver) -> None:
    """Those that took another way first; from one that does not come, nothing can be read."""
    body = f"""mov.b32 %r1, %r99;
    setp.lt.u32 %p1, %r99, 7;
    @%p1 bra $skip;
    add.s32 %r1, %r1, 100;
$skip:
    shfl.sync.bfly.b32 %r50, %r1, 16, 31, -1;
    {RESULT}"""
    lane = np.arange(32, dtype="i4")
    value = np.where(lane < 7, lane, lane + 100)
    np.testing.assert_array_equal(driver.run(kernel(body, 1), [], lane), value[lane ^ 16])
    gone = body.replace("add.s32 %r1, %r1, 100;", "ret;")
    with pytest.raises(DriverError, match="reads a lane that takes no part"):
        driver.run(kernel(gone, 1), [], lane)


def fragments(matrix: np.ndarray, rows: list[int], columns: list[int]) -> np.ndarray:
    """The elements of a matrix that a lane holds, in their order."""
    return np.array([matrix[r, c] for r, c in zip(rows, columns, strict=True)])


@pytest.mark.parametrize(("name", "dtype"), [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
def test_matrix_product(driver: Driver, name: str, dtype: type) -> None:
    """Where the elements are: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point".

    With small integers, whose sums are exact in any order.
    """
    rng = np.random.default_rng(0)
    a, b = rng.integers(-9, 10, (16, 16)), rng.integers(-9, 10, (16, 8))
    c = rng.integers(-99, 100, (16, 8)).astype("f4")
    held: dict[str, list[np.ndarray]] = {"a": [], "b": [], "c": []}
    places = []
    for lane in range(32):
        group, member = lane >> 2, lane % 4
        row = [group if i in (0, 1, 4, 5) else group + 8 for i in range(8)]
        column = [member * 2 + (i & 1) + (0 if i < 4 else 8) for i in range(8)]
        held["a"].append(fragments(a, row, column))
        row = [member * 2 + (i & 1) + (0 if i < 2 else 8) for i in range(4)]
        held["b"].append(fragments(b, row, [group] * 4))
        row = [group if i < 2 else group + 8 for i in range(4)]
        column = [member * 2 + (i & 1) for i in range(4)]
        held["c"].append(fragments(c, row, column))
        places += list(zip(row, column, strict=True))
    inputs = [
        np.array(held["a"]).astype(dtype),
        np.array(held["b"]).astype(dtype),
        np.array(held["c"], "f4"),
    ]
    body = f"""{element("%rd51", "%rd101", 16)}
    ld.global.v4.b32 {{%r1, %r2, %r3, %r4}}, [%rd51];
    {element("%rd52", "%rd102", 8)}
    ld.global.v2.b32 {{%r5, %r6}}, [%rd52];
    {element("%rd53", "%rd103", 16)}
    ld.global.v4.b32 {{%r7, %r8, %r9, %r10}}, [%rd53];
    mma.sync.aligned.m16n8k16.row.col.f32.{name}.{name}.f32
        {{%r11, %r12, %r13, %r14}}, {{%r1, %r2, %r3, %r4}}, {{%r5, %r6}}, {{%r7, %r8, %r9, %r10}};
    {element("%rd54", "%rd100", 16)}
    st.global.v4.b32 [%rd54], {{%r11, %r12, %r13, %r14}};"""
    got = driver.run(kernel(body, 4), inputs, np.empty((32, 4), "f4"))
    wanted = a @ b + c
    for place, value in zip(places, got.ravel(), strict=True):
        assert value == wanted[place]


def test_all_forms_of_this_folder_are_here(driver: Driver) -> None:
    forms = driver.library.emulator_forms().decode()
    together = [
        form for form in forms.split("\n") if form.startswith(("shfl", "mma", "bar", "bra", "ret"))
    ]
    assert together == [
        "bar.sync r",
        "bra r",
        "bra.uni r",
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {4},{4},{2},{4}",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {4},{4},{2},{4}",
        "ret",
        "shfl.sync.bfly.b32 r,r,r,r,r",
    ]
