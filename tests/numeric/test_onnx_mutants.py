"""ONNX's ops: every misreading of the semantics that we could think of is rejected.

Each mutant is the reference with one formula changed. At least one golden file must reject a mutant
of a forward op, finite differences of the reference one of a gradient.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_reference
import pytest
from cases import CASES
from goldens.golden import Arrays, read_goldens
from numeric.harness import draw, first_variant, module
from numeric.mutants import mutant, parameters

pytestmark = pytest.mark.slow

_FUNCTION = "name, a, b = self.functions[d * count + index]"
_ORDER = 'GATES = {"LSTM": "iofc", "GRU": "zrh"'
_BIASES = "biases = self.part(self.bias, d, gate) + self.part(self.bias, d, gate, recurrent=True)"

ANY_FORWARD = {
    "lengths ignored": ("order = list(range(self.lengths[b]))", "order = list(range(self.T))"),
    "reverse from the end of the padding": (
        "return order[::-1] if",
        "return list(range(self.T))[::-1][: len(order)] if",
    ),
    "reverse runs forward": ('== "reverse"', '== "other"'),
    "first state of the forward direction": (
        "h, c = self.h0[d, b], self.c0[d, b]",
        "h, c = self.h0[0, b], self.c0[0, b]",
    ),
    "final state masked": ("self.Y_c[d, b] = h, c", "self.Y_c[d, b] = self.Y[-1, d, b], c"),
    "no recurrent bias": (_BIASES, "biases = self.part(self.bias, d, gate)"),
    "functions of the forward direction": (_FUNCTION, "name, a, b = self.functions[index]"),
    "the first number for all functions": ("rest.pop(0) if rest", "rest[0] if rest"),
    "no clip": ('float(given.get("clip") or np.inf)', "np.inf"),
}

FORWARD = {
    "LSTM": {
        **ANY_FORWARD,
        "gates i, f, o, c": (_ORDER, _ORDER.replace("iofc", "ifoc")),
        "gates i, f, c, o": (_ORDER, _ORDER.replace("iofc", "ifco")),
        "peepholes i, f, o": (
            '"iof".index(gate)\n        return',
            '"ifo".index(gate)\n        return',
        ),
        "no peephole": ('if gate in "if":', "if False:"),
        "peephole of o on the cell state before": (
            'self.peephole(d, "o") * s["C"]',
            'self.peephole(d, "o") * c',
        ),
        "h is clipped": ('s["C"], clips=False)', 's["C"])'),
        "the cell state is clipped": (
            's["C"] = s["f"] * c + s["i"] * s["c"]',
            's["C"] = np.clip(s["f"] * c + s["i"] * s["c"], -self.clip, self.clip)',
        ),
        "f of all gates": ('self.function(d, int(gate == "c"), z)', "self.function(d, 0, z)"),
        "g for h": ('self.function(d, 2, s["C"]', 'self.function(d, 1, s["C"]'),
        "f = i": ('1 - s["i"], -s["slope_i"]', 's["i"], -s["slope_i"]'),
        "Elu below 0 is flat": ("a * np.expm1(low)", "a * np.expm1(low) * 0"),
        "Softsign of the square": ("x / (1 + abs(x)), 1", "x / (1 + x * x), 1"),
    },
    "GRU": {
        **ANY_FORWARD,
        "gates r, z, h": (_ORDER, _ORDER.replace("zrh", "rzh")),
        "update the other way round": (
            '(1 - s["z"]) * s["n"] + s["z"] * h',
            's["z"] * s["n"] + (1 - s["z"]) * h',
        ),
        "reset after the product": ('R["h"] @ (s["r"] * h)', 's["r"] * (R["h"] @ h)'),
        "reset spares the bias": ('s["r"] * s["u"]', 's["r"] * (s["u"] - bias) + bias'),
        "Keras 3's hard_sigmoid": ('"HardSigmoid": (0.2, 0.5)', '"HardSigmoid": (1 / 6, 0.5)'),
        "Softplus is Relu": ("np.logaddexp(0, x)", "np.maximum(0, x)"),
    },
    "RNN": {
        **ANY_FORWARD,
        "Relu by default": ('"RNN": ("Tanh",)', '"RNN": ("Relu",)'),
        "ThresholdedRelu from 0 on": ("np.where(x >= a, x, zero)", "np.where(x >= 0, x, zero)"),
        "Affine without its constant": ("a * x + b, a * one", "a * x, a * one"),
    },
}

ANY_GRADIENT = {
    "dh not carried": ("dh + Y[t, d, b], dc)", "Y[t, d, b], dc)"),
    "Y_grad ignored": ("dh + Y[t, d, b], dc)", "dh, dc)"),
    "W from the output before": ('np.outer(dz, s["x"])', 'np.outer(dz, s["x"] * 0)'),
    "the recurrent bias is left out": (
        "layer.part(self.bias, d, gate, recurrent=True)[...] += dr",
        "pass",
    ),
    "a clip has a slope": ("np.where(abs(x) < self.clip, slope, 0)", "slope"),
}

GRADIENT = {
    "LSTM": {
        **ANY_GRADIENT,
        "dc not carried": ('before = dc * s["f"]', "before = dc * 0"),
        "dc without the peephole of o": ('+ do * layer.peephole(d, "o")', ""),
        "no peephole of i and f": (
            'before = before + di * layer.peephole(d, "i") + df * layer.peephole(d, "f")',
            "pass",
        ),
        "P of o from the cell state before": ('("o", do, "C")', '("o", do, "c_before")'),
        "coupled gates apart": ("di, df = di + df, df * 0", "pass"),
        "no slope of h": (' * s["slope_hC"]', ""),
    },
    "GRU": {
        **ANY_GRADIENT,
        "not through the state": ('before = dh * s["z"]', "before = dh * 0"),
        "the reset spares the bias": ('recurrent=dn * s["r"]', "recurrent=dn"),
        "R_h from the output before": ('{**s, "h_before": s["r"] * s["h_before"]}', "s"),
        "through the reset, not reset": ('before + drh * s["r"], drh', "before + drh, drh"),
        "r's from the gate": ('dr = dn * s["u"]', 'dr = dn * s["n"]'),
    },
    "RNN": ANY_GRADIENT,
}


def rejected(kind: str, run: Callable[..., Arrays]) -> list[str]:
    """The golden files that an implementation does not match."""
    found: list[str] = []
    for golden in read_goldens(f"onnx.{kind}"):
        try:
            golden.assert_matches(run(kind, **golden.inputs, **golden.attributes))
        except AssertionError:
            found.append(golden.path.stem)
    return found


@pytest.mark.parametrize(("kind", "old", "new"), parameters(FORWARD))
def test_goldens_reject(kind: str, old: str, new: str) -> None:
    assert rejected(kind, mutant(onnx_reference, old, new)["forward"])


@functools.cache
def slopes(kind: str) -> list[tuple[dict[str, Any], str, Any, float]]:
    """Arguments of a gradient, an input, a direction of it and the slope there, by differences."""
    found: list[tuple[dict[str, Any], str, Any, float]] = []
    op, rng = f"onnx.{kind}Grad", np.random.default_rng(0)
    variants = [*CASES[op].variants, {**first_variant(op), "clip": 0.7}]
    for variant in variants:
        given = {k: v for k, v in draw(op, "float64", variant).items() if k != "reserve_space"}
        given = {**module(op, "float64", variant).functions[0].attributes, **given}
        upstream = {k: given[k] for k in CASES[op].cotangents}

        def loss(
            moved: dict[str, Any], given: dict[str, Any] = given, upstream: Any = upstream
        ) -> float:
            results = onnx_reference.forward(kind, **{**given, **moved})
            return sum(
                float((results[CASES[op].cotangents[k]] * g).sum()) for k, g in upstream.items()
            )

        for name in (n for n in CASES[op].gradients.values() if n in given):
            way = rng.standard_normal(given[name].shape)
            step = 1e-6 * way
            ends = (loss({name: given[name] + sign * step}) for sign in (1, -1))
            found.append((given, name, way, float(np.subtract(*ends) / 2e-6)))
    return found


def is_derivative(kind: str, gradient: Callable[..., Arrays]) -> bool:
    """Whether a gradient is the derivative of the reference."""
    return all(
        abs(float((gradient(kind, **given)[f"{name}_grad"] * way).sum()) - slope)
        <= 1e-6 * max(1.0, abs(slope))
        for given, name, way, slope in slopes(kind)
    )


@pytest.mark.parametrize("kind", FORWARD)
def test_the_reference_is_accepted(kind: str) -> None:
    assert rejected(kind, onnx_reference.forward) == []
    assert is_derivative(kind, onnx_reference.gradient)


@pytest.mark.parametrize(("kind", "old", "new"), parameters(GRADIENT))
def test_differences_reject(kind: str, old: str, new: str) -> None:
    assert not is_derivative(kind, mutant(onnx_reference, old, new)["gradient"])
