"""Every form of instruction that the emulator supports, against IEEE 754 and numpy.

A row of `ROWS` is an instruction, the types of its result and operands, and the expected function,
in numpy or in exact fractions; it uses nothing of the emulator.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from cuda.emulator.driver import Driver, DriverError, element, kernel

pytestmark = pytest.mark.slow

Array = npt.NDArray[Any]

BLOCKS = 40
COUNT = 32 * BLOCKS

TYPES: dict[str, Any] = {
    **{
        f"{sign}{bits}": np.dtype(f"{sign.replace('s', 'i')}{bits // 8}")
        for sign in "su"
        for bits in (8, 16, 32, 64)
    },
    **{f"b{bits}": np.dtype(f"u{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"f{bits}": np.dtype(f"f{bits // 8}") for bits in (16, 32, 64)},
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16x2": np.dtype(("f2", 2)),
    "f32x2": np.dtype(("f4", 2)),
    "pred": np.dtype("u4"),
}
CLASSES = {1: "rs", 2: "rs", 4: "r", 8: "rd"}
SPECIALS = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, np.inf, -np.inf, np.nan]


class Row(NamedTuple):
    """An instruction, and the types of its result and operands; `value` gives the result."""

    name: str
    result: str
    operands: tuple[str, ...]
    value: Callable[..., Any]


def rounded(value: Fraction, dtype: Any) -> float:
    """An exact number as the closest float of a type, ties to even."""
    info = np.finfo(dtype)
    precision, least = info.nmant + 1, int(info.minexp) - info.nmant
    if not value:
        return 0.0
    exponent = abs(value.numerator).bit_length() - value.denominator.bit_length()
    if abs(value) < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - precision + 1, least)
    result = round(value / unit) * unit  # to even
    return (
        float(result)
        if abs(result) <= Fraction(float(info.max))
        else (math.inf if value > 0 else -math.inf)
    )


def fused(dtype: Any) -> Callable[[Array, Array, Array], Array]:
    """a * b + c, rounded once."""

    def value(*operands: Array) -> Array:
        plain = np.prod([a.astype("f8") for a in operands[:2]], 0) + operands[2]  # signs, specials
        result = plain.astype(dtype)
        for n, (a, b, c) in enumerate(zip(*operands, strict=True)):
            if np.isfinite([a, b, c]).all():
                exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
                if exact:
                    result[n] = rounded(exact, dtype)
        return result

    return value


def extremum(least: bool, *, or_nan: bool = False) -> Callable[[Array, Array], Array]:
    """IEEE 754-2019's minimumNumber or minimum, or the same of the maximum."""

    def value(a: Array, b: Array) -> Array:
        pick = (np.minimum if or_nan else np.fmin) if least else (np.maximum if or_nan else np.fmax)
        zeros = (a == 0) & (b == 0)
        negative = np.signbit(a) | np.signbit(b) if least else np.signbit(a) & np.signbit(b)
        return np.where(zeros, np.where(negative, -0.0, 0.0).astype(a.dtype), pick(a, b))

    return value


def truncated(to: str) -> Callable[[Array], Array]:
    info = np.iinfo(TYPES[to])

    def value(a: Array) -> Array:
        of_nan = info.min if info.bits == 64 or a.dtype == "f8" else 0
        whole = [
            of_nan
            if np.isnan(x)
            else info.min
            if x < info.min
            else info.max
            if x > info.max
            else int(x)
            for x in a.tolist()
        ]
        return np.array(whole, TYPES[to])

    return value


COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


def ordered(compare: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda a, b: compare(a, b) & ~np.isnan(a) & ~np.isnan(b)


def unordered(compare: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda a, b: compare(a, b) | np.isnan(a) | np.isnan(b)


def reals(t: str) -> list[Row]:
    dtype = TYPES[t]
    compare = {**COMPARISONS, "ne": np.not_equal}
    return [
        Row(f"add.rn.{t}", t, (t, t), np.add),
        Row(f"sub.rn.{t}", t, (t, t), np.subtract),
        Row(f"mul.rn.{t}", t, (t, t), np.multiply),
        Row(f"div.rn.{t}", t, (t, t), np.divide),
        Row(f"rcp.rn.{t}", t, (t,), lambda a: np.divide(dtype.type(1), a)),
        Row(f"neg.{t}", t, (t,), np.negative),
        Row(f"abs.{t}", t, (t,), np.abs),
        Row(f"fma.rn.{t}", t, (t, t, t), fused(dtype)),
        Row(f"min.{t}", t, (t, t), extremum(True)),
        Row(f"max.{t}", t, (t, t), extremum(False)),
        Row(f"selp.{t}", t, (t, t, "pred"), lambda a, b, p: np.where(p, a, b)),
        *(Row(f"setp.{n}.{t}", "pred", (t, t), ordered(f)) for n, f in compare.items()),
        *(Row(f"setp.{n}u.{t}", "pred", (t, t), unordered(f)) for n, f in compare.items()),
        Row(f"setp.num.{t}", "pred", (t, t), lambda a, b: ~np.isnan(a) & ~np.isnan(b)),
        Row(f"setp.nan.{t}", "pred", (t, t), lambda a, b: np.isnan(a) | np.isnan(b)),
    ]


def gross_reciprocal(a: Array) -> Array:
    """Of the upper 32 bits, in the upper 32 bits; no subnormal numbers."""

    def cut(x: Array) -> Array:
        upper = (x.view("u8") & np.uint64(0xFFFFFFFF << 32)).view("f8")
        return np.where(np.abs(x) < np.finfo("f8").tiny, np.copysign(0.0, x), upper)

    return cut(1 / cut(a))


def sums(t: str) -> list[Row]:
    return [
        Row(f"add.rn.{t}", t, (t, t), np.add),
        Row(f"sub.rn.{t}", t, (t, t), np.subtract),
        Row(f"mul.rn.{t}", t, (t, t), np.multiply),
    ]


def quotient(a: Array, b: Array) -> Array:
    """Towards 0, of a divisor that is not 0; the lowest number by -1 overflows, to itself."""
    exact = [
        abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        for x, y in zip(a.tolist(), b.tolist(), strict=True)
    ]
    return wrapped(exact, a.dtype)


def wrapped(values: Any, dtype: Any) -> Array:
    bits = 8 * np.dtype(dtype).itemsize
    return np.array([int(v) % (1 << bits) for v in values], f"u{bits // 8}").view(dtype)


def exactly(f: Callable[..., int], dtype: Any) -> Callable[..., Array]:
    """In Python's integers, wrapped around."""
    return lambda *arrays: wrapped(
        [f(*each) for each in zip(*(a.tolist() for a in arrays), strict=True)], dtype
    )


def shifted(t: str, *, left: bool) -> Callable[[Array, Array], Array]:
    def value(a: int, n: int) -> int:
        return a << min(n, 64) if left else a >> min(n, 64)

    return exactly(value, TYPES[t])


def nearest(dtype: Any) -> Callable[[Array], Array]:
    """An integer as the closest float."""
    return lambda a: np.array([rounded(Fraction(x), dtype) for x in a.tolist()], dtype)


def integers(t: str) -> list[Row]:
    dtype, bits = TYPES[t], TYPES[t].itemsize * 8
    rows = [
        Row(f"min.{t}", t, (t, t), np.minimum),
        Row(f"max.{t}", t, (t, t), np.maximum),
        Row(f"div.{t}", t, (t, t), quotient),
        Row(f"rem.{t}", t, (t, t), lambda a, b: a - quotient(a, b) * b),
        Row(f"shr.{t}", t, (t, "u32"), shifted(t, left=False)),
        *(Row(f"setp.{n}.{t}", "pred", (t, t), COMPARISONS[n]) for n in ("lt", "le", "gt", "ge")),
    ]
    if t[0] == "s":
        rows += [Row(f"neg.{t}", t, (t,), np.negative), Row(f"abs.{t}", t, (t,), np.abs)]
    if bits < 64:
        rows.append(Row(f"mul.hi.{t}", t, (t, t), exactly(lambda a, b: a * b >> bits, dtype)))
        wide = f"{t[0]}{2 * bits}"
        rows.append(Row(f"mul.wide.{t}", wide, (t, t), exactly(lambda a, b: a * b, TYPES[wide])))
    for to in ("u16", "u32", "s32", "u64", "s64"):
        wider = TYPES[to].itemsize > TYPES[t].itemsize
        narrower = TYPES[to].itemsize < TYPES[t].itemsize
        if wider or (narrower and to[0] == "u"):
            rows.append(Row(f"cvt.{to}.{t}", to, (t,), exactly(lambda a: a, TYPES[to])))
    rows += [Row(f"cvt.rn.{to}.{t}", to, (t,), nearest(TYPES[to])) for to in ("f32", "f64")]
    return rows


def bits(n: int) -> list[Row]:
    s, b = f"s{n}", f"b{n}"
    return [
        Row(f"add.{s}", s, (s, s), np.add),
        Row(f"sub.{s}", s, (s, s), np.subtract),
        Row(f"mul.lo.{s}", s, (s, s), np.multiply),
        Row(f"mad.lo.{s}", s, (s, s, s), lambda a, b, c: a * b + c),
        Row(f"and.{b}", b, (b, b), np.bitwise_and),
        Row(f"or.{b}", b, (b, b), np.bitwise_or),
        Row(f"xor.{b}", b, (b, b), np.bitwise_xor),
        Row(f"not.{b}", b, (b,), np.bitwise_not),
        Row(f"shl.{b}", b, (b, "u32"), shifted(b, left=True)),
        Row(f"setp.eq.{b}", "pred", (b, b), np.equal),
        Row(f"setp.ne.{b}", "pred", (b, b), np.not_equal),
        Row(f"selp.{b}", b, (b, b, "pred"), lambda a, b, p: np.where(p, a, b)),
        Row(f"mov.{b}", b, (b,), lambda a: a),
    ]


def extracted(a: int, position: int, length: int) -> int:
    position, length = position & 255, length & 255
    return (a >> position) & ((1 << length) - 1)


def permuted(a: int, b: int, selector: int) -> int:
    source = [*a.to_bytes(4, "little"), *b.to_bytes(4, "little")]
    picked = []
    for n in range(4):
        select = selector >> 4 * n & 15
        byte = source[select & 7]
        picked.append((255 if byte & 128 else 0) if select & 8 else byte)
    return int.from_bytes(bytes(picked), "little")


def widened(f: Callable[..., Array]) -> Callable[..., Array]:
    """Of f16 and f32, in f32."""
    return lambda *a: f(*(x.astype("f4") for x in a))


ROWS = [
    *reals("f32"),
    *reals("f64"),
    Row("rcp.approx.ftz.f64", "f64", ("f64",), gross_reciprocal),
    *sums("f16"),
    *sums("f16x2"),
    *sums("f32x2"),
    Row("min.NaN.f32", "f32", ("f32", "f32"), extremum(True, or_nan=True)),
    Row("max.NaN.f32", "f32", ("f32", "f32"), extremum(False, or_nan=True)),
    Row("add.rn.f32.f16", "f32", ("f16", "f32"), widened(np.add)),
    Row("sub.rn.f32.f16", "f32", ("f16", "f32"), widened(np.subtract)),
    Row("fma.rn.f32.f16", "f32", ("f16", "f16", "f32"), fused(np.float32)),
    *itertools.chain.from_iterable(integers(f"{s}{n}") for s in "su" for n in (16, 32, 64)),
    *itertools.chain.from_iterable(bits(n) for n in (16, 32, 64)),
    Row("add.u64", "u64", ("u64", "u64"), np.add),
    Row("max.relu.s32", "s32", ("s32", "s32"), lambda a, b: np.maximum(np.maximum(a, b), 0)),
    Row("bfe.u32", "u32", ("u32", "u32", "u32"), exactly(extracted, np.uint32)),
    Row("prmt.b32", "b32", ("b32", "b32", "b32"), exactly(permuted, np.uint32)),
    Row("mov.u32", "u32", ("u32",), lambda a: a),
    Row("mov.pred", "pred", ("pred",), lambda a: a != 0),
    Row("not.pred", "pred", ("pred",), lambda a: a == 0),
    Row("and.pred", "pred", ("pred", "pred"), np.logical_and),
    Row("or.pred", "pred", ("pred", "pred"), np.logical_or),
    Row("xor.pred", "pred", ("pred", "pred"), np.logical_xor),
    Row("cvt.s16.s8", "s16", ("s8",), lambda a: a.astype("i2")),
    Row("cvt.s32.s8", "s32", ("s8",), lambda a: a.astype("i4")),
    Row("cvt.f32.f16", "f32", ("f16",), lambda a: a.astype("f4")),
    Row("cvt.rn.f16.f32", "f16", ("f32",), lambda a: a.astype("f2")),
    Row("cvt.f64.f32", "f64", ("f32",), lambda a: a.astype("f8")),
    Row("cvt.rn.f32.f64", "f32", ("f64",), lambda a: a.astype("f4")),
    Row("cvt.rn.f16x2.f32", "f16x2", ("f32", "f32"), lambda a, b: np.stack([b, a], 1).astype("f2")),
    Row("cvt.rmi.f32.f32", "f32", ("f32",), np.floor),
    *(
        Row(f"cvt.rzi.{to}.{t}", to, (t,), truncated(to))
        for to in ("s32", "s64")
        for t in ("f32", "f64")
    ),
]  # fmt: skip


def drawn(t: str, rng: np.random.Generator, name: str, position: int) -> Array:
    """Operands: every special value, ties of rounding, small and huge and random numbers."""
    dtype = TYPES[t].base
    shape = (COUNT, *TYPES[t].shape)
    if t == "pred":
        return rng.integers(0, 2, shape).astype("u4")
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        if t == "u32" and (name.startswith("sh") or (name.startswith("bfe") and position)):
            return rng.integers(0, 70, shape).astype("u4")
        values = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        values >>= rng.integers(0, info.bits, shape).astype(dtype)  # of any size
        edges = np.array([info.max, info.min, 1, info.max - 1, 0, 2], dtype)
        values[:36] = np.tile(edges, 6) if position % 2 else np.repeat(edges, 6)
        if position and name.startswith(("div", "rem")):  # by 0 is not defined
            values[values == 0] = 3
        return values
    info = np.finfo(dtype)
    ends = [info.tiny, info.smallest_subnormal, info.max, -info.max]
    whole = [2.0**31, -(2.0**31), 2.0**63] if info.bits > 16 else [3, -3]
    edges = np.array([*SPECIALS, *ends, *whole], dtype)
    values = np.ldexp(rng.standard_normal(shape), rng.integers(-12, 12, shape)).astype(dtype)
    values[:600].view(f"u{dtype.itemsize}")[...] = rng.integers(  # of any size, NaN too
        0, 1 << info.bits, values[:600].shape, f"u{dtype.itemsize}"
    )
    both = len(edges) ** 2
    pair = np.tile(edges, len(edges)) if position % 2 else np.repeat(edges, len(edges))
    values[:both] = pair.reshape(both, *(1,) * (values.ndim - 1))
    if name.startswith("cvt.rn.f16"):  # halfway between two
        halves = rng.integers(0, 0x7BFF, 400).astype("u2")
        ties = (halves.view("f2").astype("f8") + (halves + 1).astype("u2").view("f2")) / 2
        values[both : both + 400] = ties
    if name.startswith("cvt.rn.f32.f64"):
        halves = rng.integers(0, 0x7F7FFFFF, 400).astype("u4")
        values[both : both + 400] = (halves.view("f4").astype("f8") + (halves + 1).view("f4")) / 2
    return values


def program(row: Row) -> str:
    """A kernel that runs the instruction on every element."""
    lines, registers = [], []
    for n, t in enumerate(row.operands):
        size = TYPES[t].itemsize
        register = f"%{CLASSES[size]}{n + 1}"
        lines.append(element(f"%rd{n + 50}", f"%rd{101 + n}", size))
        lines.append(f"ld.global.b{8 * size} {register}, [%rd{n + 50}];")
        if t == "pred":
            lines.append(f"setp.ne.b32 %p{n + 1}, {register}, 0;")
            register = f"%p{n + 1}"
        registers.append(register)
    size = TYPES[row.result].itemsize
    result = f"%{CLASSES[size]}20"
    target = "%p20" if row.result == "pred" else result
    lines.append(f"{row.name} {', '.join([target, *registers])};")
    if row.result == "pred":
        lines.append(f"selp.b32 {result}, 1, 0, {target};")
    lines.append(element("%rd60", "%rd100", size))
    lines.append(f"st.global.b{8 * size} [%rd60], {result};")
    return kernel("\n".join(lines), len(row.operands) + 1)


def assert_same(actual: Array, wanted: Array) -> None:
    """In every bit, but NaN may be any NaN."""
    if wanted.dtype.kind == "f":
        assert np.array_equal(np.isnan(actual), np.isnan(wanted))
        of_nan = np.isnan(wanted)
        actual, wanted = (np.where(of_nan, 0, x).astype(x.dtype) for x in (actual, wanted))
        assert np.array_equal(np.signbit(actual), np.signbit(wanted))
    np.testing.assert_array_equal(actual, wanted)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_instruction(driver: Driver, row: Row) -> None:
    rng = np.random.default_rng(len(row.name))
    inputs = [drawn(t, rng, row.name, n) for n, t in enumerate(row.operands)]
    dtype = TYPES[row.result]
    with np.errstate(all="ignore"):
        wanted = np.asarray(row.value(*inputs)).astype(dtype.base)
    like = np.empty((COUNT, *dtype.shape), dtype.base)
    assert_same(driver.run(program(row), inputs, like, grid=BLOCKS), wanted)


@pytest.mark.parametrize("bits", [32, 64])
def test_pack_and_unpack(driver: Driver, bits: int) -> None:
    """The first element is the lower half."""
    half = {32: "%rs", 64: "%r"}[bits]
    whole = {32: "%r", 64: "%rd"}[bits]
    body = f"""{element("%rd50", "%rd101", bits // 8)}
    ld.global.b{bits} {whole}1, [%rd50];
    mov.b{bits} {{{half}2, {half}3}}, {whole}1;
    mov.b{bits} {whole}4, {{{half}3, {half}2}};
    {element("%rd60", "%rd100", bits // 8)}
    st.global.b{bits} [%rd60], {whole}4;"""
    values = np.random.default_rng(0).integers(0, 1 << bits, 32, f"u{bits // 8}")
    swapped = values.view(f"u{bits // 16}").reshape(-1, 2)[:, ::-1].copy().view(values.dtype)[:, 0]
    np.testing.assert_array_equal(driver.run(kernel(body, 2), [values], values), swapped)


def is_tested_elsewhere(form: str) -> bool:
    """In test_transfers.py and test_warps.py."""
    return "{" in form or form.startswith(("ld.", "st.", "shfl.", "bra", "ret", "bar."))


def test_every_form_is_tested(driver: Driver) -> None:
    forms = set(driver.library.emulator_forms().decode().split("\n")) - {""}
    rows = {f"{row.name} {','.join('r' * (len(row.operands) + 1))}" for row in ROWS}
    assert rows == {form for form in forms if not is_tested_elsewhere(form)}


@pytest.mark.parametrize(
    "text",
    ["add.rn.bf16 %rs1, %rs2, %rs3;", "add.s32 %r1, %r2;", "add.rn.ftz.f32 %r1, %r2, %r3;", "frob;",
     "ld.b32 %r1, [%rd100];", "mov.u32 %r1, %clock;", "bra $nowhere;", ".pragma \"other\";"],
)  # fmt: skip
def test_unknown_instruction(driver: Driver, text: str) -> None:
    """The error shows the line, and names the kernel."""
    with pytest.raises(DriverError, match=r"^(unknown|no label).*kernel, line \d+") as error:
        driver.load(kernel(text, 1))
    assert error.value.code == 218  # CUDA_ERROR_INVALID_PTX
    assert text in str(error.value) or "$nowhere" in text


def test_a_later_architecture(driver: Driver) -> None:
    with pytest.raises(DriverError, match="sm_120, a later GPU"):
        driver.load(kernel("ret;", 1, target="sm_120"))
