"""TensorFlow Lite's LSTM in integers: every bit of the interpreter's kernel.

Expected values are those of the kernel's C++ sources, step by step: numbers of 16 bits with the
rounding, truncating and saturating operations of gemmlowp.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import assert_same_bits
from execution import Execute, ways
from model_import.test_tflite import only_layer
from model_import.tflite_files import Writer, lstm
from quick import marked_slow

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, UnsupportedError
from rnn_compiler.lowering.builder.module import EmittedOp, build_module
from rnn_compiler.lowering.ops.cells import fixed_point
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.tensors import Argument, Result

STEPS, INPUTS = 5, 3
where: Any = np.where
LEAST, MOST = -32768, 32767


def within(low: int, x: Any, high: int) -> Any:
    return np.minimum(np.maximum(x, low), high)


def saturated(x: Any) -> Any:
    return within(LEAST, x, MOST)


def high(a: Any, b: Any, bits: int = 15) -> Any:
    """SaturatingRoundingDoublingHighMul: C's division truncates."""
    product = a * b
    nudged = product + where(product >= 0, 1 << (bits - 1), 1 - (1 << (bits - 1)))
    return np.sign(nudged) * (np.abs(nudged) >> bits)


def divided(x: Any, bits: int) -> Any:
    """RoundingDivideByPOT."""
    rest, threshold = x & ((1 << bits) - 1), (((1 << bits) - 1) >> 1) + (x < 0)
    return (x >> bits) + (rest > threshold)


def constant(raw: int) -> Any:
    return np.int64(min((raw + (1 << 15)) >> 16, MOST))


def exponential(a: Any, integer_bits: int) -> Any:
    """exp_on_negative_values."""
    fraction = 15 - integer_bits
    quarter = 1 << (fraction - 2)
    part = (a & (quarter - 1)) - quarter
    x = saturated(part << integer_bits) + (1 << 12)
    square = high(x, x)
    cube, fourth = high(square, x), high(square, square)
    inner = divided(high(divided(fourth, 2) + cube, constant(715827883)) + square, 1)
    term: Any = constant(1895147668)
    result: Any = saturated(term + high(term, x + inner))
    powers = [1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242]
    for exponent, raw in zip(range(-2, 5), powers, strict=True):
        if integer_bits > exponent:
            bit = (part - a) & (1 << (fraction + exponent))
            result = where(bit, high(result, constant(raw)), result)
    if integer_bits > 5:
        result = where(a < -(1 << (20 - integer_bits)), 0, result)
    return where(a == 0, MOST, result)


def reciprocal(a: Any) -> Any:
    half = (a + MOST + 1) >> 1
    x = constant(1515870810) + high(half, constant(-1010580540))
    for _ in range(3):
        x = x + saturated(high(x, (1 << 13) - high(half, x)) << 2)
    return x


def logistic(x: Any) -> Any:
    positive: Any = saturated(reciprocal(exponential(-np.abs(x), 3)) << 1)
    return where(x == 0, 1 << 14, where(x > 0, positive, MOST - positive))


def tanh(x: Any, integer_bits: int) -> Any:
    value: Any = saturated((reciprocal(exponential(-np.abs(x), integer_bits + 1)) - (1 << 13)) << 2)
    return where(x == 0, 0, where(x > 0, value, -value))


def rescaled(x: Any, scale: Any) -> Any:
    """MultiplyByQuantizedMultiplier of QuantizeMultiplier."""
    fraction, shift = np.frexp(np.float64(scale))
    fixed = round(float(fraction) * 2**31)
    x = (x << max(int(shift), 0)).astype(np.int32).astype(np.int64)
    return divided(high(x, np.int64(fixed), 31), max(-int(shift), 0))


@dataclass
class Integers:
    """An LSTM in integers, with random weights."""

    units: int
    x: tuple[float, int] = (0.03, -17)
    h: tuple[float, int] = (0.006, 13)
    hidden: tuple[float, int] = (0.006, 13)
    cell: float = 2.0**-12
    clip: float = 0.0
    largest: float = 0.02
    changed: Mapping[str, Any] = field(default_factory=lambda: {})

    def __post_init__(self) -> None:
        draw = np.random.default_rng(self.units)
        self.weights: dict[str, Any] = {}
        self.scales: dict[str, float] = {}
        for gate in "ifco":
            for kind, count in (("w", INPUTS), ("r", self.units)):
                numbers = draw.integers(-127, 128, (self.units, count))
                self.weights[f"{kind}_{gate}"] = numbers.astype(np.int8)
                scale = np.float32(draw.uniform(self.largest / 4, self.largest))
                self.scales[f"{kind}_{gate}"] = float(scale)
            bias = draw.integers(-4000, 4000, self.units)
            self.weights[f"b_{gate}"] = bias.astype(np.int32)
        self.weights |= self.changed

    def writer(self, batch: int) -> Writer:
        writer = Writer()
        states = {
            "h": {"dtype": "int8", "scale": [self.h[0]], "zero": [self.h[1]]},
            "c": {"dtype": "int16", "scale": [self.cell]},
        }
        held = {
            name: writer.tensor(data=array, scale=[self.scales.get(name, 1)])
            for name, array in self.weights.items()
        }
        for slot, options in states.items():
            shape = (batch, self.units)
            held[slot] = writer.tensor(shape, variable=True, **options)  # pyright: ignore
        scale, zero = self.hidden
        between = [writer.tensor() for _ in range(4)]
        between.append(writer.tensor((), "int8", scale=[scale], zero=[zero]))
        x = writer.tensor((batch, STEPS, INPUTS), "int8", scale=[self.x[0]], zero=[self.x[1]])
        shape = (batch, STEPS, self.units)
        y = lstm(writer, x, held, shape, clip=self.clip, intermediates=between)
        writer.ends([x], [y])
        return writer

    def run(self, x: Any, h: Any, c: Any) -> tuple[Any, Any, Any]:
        """The outputs of all steps, and the last states; h includes its zero point."""
        f32: Any = np.float32
        clip = int(min(f32(self.clip) / f32(self.cell), MOST))
        bits = 15 + int(np.log2(self.cell))
        found: list[Any] = []

        def part(gate: str, kind: str, rows: Any, given: tuple[float, int], bias: Any) -> Any:
            matrix = self.weights[f"{kind}_{gate}"].astype(np.int64)
            sums = rows @ matrix.T + bias - given[1] * matrix.sum(1)
            scale = f32(f32(self.scales[f"{kind}_{gate}"]) * f32(given[0])) / f32(2.0**-12)
            return rescaled(sums, scale)

        for step in x.astype(np.int64):

            def gate(name: str, step: Any = step, h: Any = h) -> Any:
                bias = self.weights[f"b_{name}"].astype(np.int64)
                first = saturated(part(name, "w", step, self.x, bias))
                z = saturated(first + part(name, "r", h, self.h, 0))
                return tanh(z, 3) if name == "c" else logistic(z)

            i, f, g, o = (gate(name) for name in "ifco")
            c = saturated(divided(f * c, 15) + divided(i * g, 15 + bits))
            c = within(-clip, c, clip) if clip else c
            output = f32(2.0**-15 / np.float64(f32(self.hidden[0])) * 2.0**-15)
            h = within(-128, rescaled(o * tanh(c, bits), output) + self.hidden[1], 127)
            found.append(h)
        return np.stack(found).astype(np.int8), h, c


def judged(given: Integers, batch: int, folder: Path) -> None:
    """Judges a layer by two calls, of which the second continues the first."""
    layer = only_layer(given.writer(batch), folder)
    assert (layer.op, layer.dtype, layer.dims["num_units"]) == ("IntegerLSTM", "int8", given.units)
    module = layer.build(outputs=["h", "h_last", "c_last"])
    program: Any = rc.runtime.load(rc.compile(module, "cpu"))
    draw = np.random.default_rng(1)
    states: dict[str, Any] = {}
    h: Any = np.full((batch, given.units), given.h[1], np.int64)
    c: Any = np.zeros((batch, given.units), np.int64)
    for _ in range(2):
        x = draw.integers(-128, 128, (STEPS, batch, INPUTS)).astype(np.int8)
        expected, h, c = given.run(x, h, c)
        found = program(x=x, **states)
        assert_same_bits(found.h, expected)
        assert_same_bits(found.h_last, (h - given.h[1]).astype(np.int16))
        assert_same_bits(found.c_last, c.astype(np.int16))
        states = {"h_prev": found.h_last, "c_prev": found.c_last}


@pytest.mark.parametrize(
    ("given", "batch"),
    [
        pytest.param(Integers(4), 1, marks=pytest.mark.slow),
        (Integers(3, clip=0.3, h=(0.007, -128), hidden=(0.007, -128)), 2),
        marked_slow((Integers(5, cell=2.0**-8, largest=0.2, x=(0.2, 127)), 1)),
    ],
    ids=["plain", "clip", "large"],
)
def test_bits(given: Integers, batch: int, tmp_path: Path) -> None:
    judged(given, batch, tmp_path)


@pytest.mark.slow
@ways("direct", "c", "js", "cortex-m4", "riscv32", "armv7")
def test_every_way(execute: Execute, tmp_path: Path) -> None:
    """The same bits in every language, and on 32-bit processors."""
    given = Integers(5, clip=0.3)
    layer = only_layer(given.writer(1), tmp_path)
    draw = np.random.default_rng(1)
    x = draw.integers(-128, 128, (STEPS, 1, INPUTS)).astype(np.int8)
    h, c = (draw.integers(-90, 90, (1, 5)).astype(np.int16) for _ in range(2))
    expected, last_h, last_c = given.run(x, h.astype(np.int64) + given.h[1], c)
    found = execute(
        layer.build(outputs=["h", "h_last", "c_last"]), {"x": x, "h_prev": h, "c_prev": c}
    )
    assert_same_bits(found["h"], expected)
    assert_same_bits(found["h_last"], (last_h - given.h[1]).astype(np.int16))
    assert_same_bits(found["c_last"], last_c.astype(np.int16))


@pytest.mark.slow
def test_functions() -> None:
    """All 65,536 numbers, against the sources' formulas, and these against real numbers."""
    numbers = np.arange(LEAST, MOST + 1)
    signature = Signature(
        "Functions",
        "the functions of 16 bits",
        (Argument("x", "T", "numbers", "int32"),),
        (),
        tuple(Result(name, "T", "values", "int32") for name in ("a", "b", "c", "d")),
        dtypes=("int8",),
    )
    spec = signature.specialize(dtype="int8", dims={"seq_length": len(numbers)}, attributes={})

    def emit(b: Any, _: Any, args: Any) -> list[Any]:
        x = args["x"]
        return [
            fixed_point.logistic(b, x),
            *(fixed_point.tanh(b, x, integer_bits) for integer_bits in (0, 3, 7)),
        ]

    module = rc.link_module(build_module([EmittedOp(spec, spec, emit)]))
    program: Any = rc.runtime.load(rc.compile(module, "cpu"))
    found = program(numbers.astype(np.int32))
    expected = [logistic(numbers), *(tanh(numbers, bits) for bits in (0, 3, 7))]
    for each, values in zip(found, expected, strict=True):
        np.testing.assert_array_equal(each, values)
    real = 1 / (1 + np.exp(-numbers / 4096))
    assert np.abs(expected[0] / 32768 - real).max() < 12 / 32768
    for bits, values in zip((0, 3, 7), expected[1:], strict=True):
        assert np.abs(values / 32768 - np.tanh(numbers / 2 ** (15 - bits))).max() < 12 / 32768


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Integers(2, cell=3e-4), "a cell with the scale 0.0003, no power of two"),
        (Integers(2, hidden=(0.006, 12)), "an output and a state with several zero points"),
        (Integers(2, changed={"p_f": np.ones(2, np.int16)}), "peepholes, a projection or no input"),
    ],
    ids=["cell", "zero points", "peepholes"],
)
def test_refused(given: Integers, message: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=f"{message}.*without a representative dataset"):
        rc.import_model(given.writer(1).save(tmp_path / "model.tflite"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"w_o": np.ones((2, 3), np.int16)},
            r"w_o of an LSTM is int16 \[2, 3\], not int8 \[2, 3\]",
        ),
        ({"b_f": np.ones(3, np.int32)}, r"b_f of an LSTM is int32 \[3\], not int32 \[2\]"),
    ],
)
def test_inconsistent(changed: Mapping[str, Any], message: str, tmp_path: Path) -> None:
    path = Integers(2, changed=changed).writer(1).save(tmp_path / "model.tflite")
    with pytest.raises(ArtifactError, match=message):
        rc.import_model(path)


def test_notes(tmp_path: Path) -> None:
    layer = only_layer(Integers(2).writer(1), tmp_path)
    assert "x is int8: the real number is (x - (-17)) * 0.0299999993" in layer.notes
    assert "h is int8: the real number is (h - (13)) * 0.00600000005" in layer.notes
    assert "h_prev is h less its zero point, so 0 before the first step" in layer.notes
    assert layer.notes[-1].endswith("; program.stream does this")


@pytest.mark.slow
def test_the_command_line(cli: Any, tmp_path: Path) -> None:
    path = str(Integers(2).writer(1).save(tmp_path / "model.tflite"))
    assert "IntegerLSTM" in cli("import", path).out
    cli("import", path, "-o", str(tmp_path / "out"), "--format", "c")
    assert "const int8_t *x" in (tmp_path / "out" / "model.h").read_text()
    assert "initial output less zero_point" in cli("ops", "IntegerLSTM").out
