"""ONNX's LSTM, GRU and RNN in float64 numpy, the expected results of compiled modules.

Written from the specification (https://onnx.ai/onnx/operators), one row of the batch and one step
at a time, every gate a separate matrix; a row that is shorter than the others has fewer steps.
Derivatives are those of each function with respect to its input, recorded by the step; the
gradient runs the forward again and does not read `reserve_space`. Nothing is shared with
`rnn_compiler`, not even the table of functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Function = Callable[[Array], tuple[Array, Array]]
"""From the input to value and derivative."""

GATES = {"LSTM": "iofc", "GRU": "zrh", "RNN": "i"}
KEPT = {"LSTM": "ifco", "GRU": "zrh", "RNN": "i"}
DEFAULTS = {"LSTM": ("Sigmoid", "Tanh", "Tanh"), "GRU": ("Sigmoid", "Tanh"), "RNN": ("Tanh",)}
PARAMETERS = {
    "Affine": (1.0, 0.0),
    "LeakyRelu": (0.01,),
    "ThresholdedRelu": (1.0,),
    "ScaledTanh": (None, None),
    "HardSigmoid": (0.2, 0.5),
    "Elu": (1.0,),
}
"""The defaults of alpha and beta of the functions that have them."""


def sigmoid(x: Array) -> Array:
    return 0.5 * (1 + np.tanh(0.5 * x))


def value_and_slope(name: str, x: Array, a: float, b: float) -> tuple[Array, Array]:
    one, zero = np.ones_like(x), np.zeros_like(x)
    match name:
        case "Relu":
            return np.where(x > 0, x, zero), np.where(x > 0, one, zero)
        case "Tanh":
            return np.tanh(x), 1 / np.cosh(np.clip(x, -300, 300)) ** 2
        case "Sigmoid":
            return sigmoid(x), sigmoid(x) * sigmoid(-x)
        case "Affine":
            return a * x + b, a * one
        case "LeakyRelu":
            return np.where(x >= 0, x, a * x), np.where(x >= 0, one, a * one)
        case "ThresholdedRelu":
            return np.where(x >= a, x, zero), np.where(x >= a, one, zero)
        case "ScaledTanh":
            return a * np.tanh(b * x), a * b / np.cosh(np.clip(b * x, -300, 300)) ** 2
        case "HardSigmoid":
            line = a * x + b
            inside = (line > 0) & (line < 1)
            return np.clip(line, 0, 1), np.where(inside, a * one, zero)
        case "Elu":
            low = np.minimum(x, 0)
            return np.where(x >= 0, x, a * np.expm1(low)), np.where(x >= 0, one, a * np.exp(low))
        case "Softsign":
            return x / (1 + abs(x)), 1 / (1 + abs(x)) ** 2
        case "Softplus":
            return np.logaddexp(0, x), sigmoid(x)
        case _:
            raise AssertionError(name)


def numbers(names: list[str], given: list[float], index: int) -> list[float]:
    """The alpha (index 0) or beta (1) of each function: the next number given, or its default."""
    rest, found = list(given), []
    for name in names:
        parameters = PARAMETERS.get(name, ())
        if len(parameters) <= index:
            found.append(0.0)
        else:
            found.append(rest.pop(0) if rest else parameters[index])
    return found


class Layer:
    """One call: its arguments in layout 0, and the values that its forward run computes."""

    def __init__(self, kind: str, given: dict[str, Any]) -> None:
        self.kind, self.given = kind, given
        self.layout = int(given.get("layout", 0))
        self.X = self.major(self.array("X"))
        self.W, self.R = self.array("W"), self.array("R")
        self.D, _, self.H = self.R.shape
        self.T, self.B, self.I = self.X.shape
        gates = len(GATES[kind])
        self.bias = self.array("B", (self.D, 2 * gates * self.H))
        self.P = self.array("P", (self.D, 3 * self.H))
        state = (self.D, self.B, self.H)
        first = given.get("initial_h")
        self.h0 = np.zeros(state) if first is None else self.major(self.array("initial_h"))
        first = given.get("initial_c")
        self.c0 = np.zeros(state) if first is None else self.major(self.array("initial_c"))
        lengths = given.get("sequence_lens")
        self.lengths = [self.T] * self.B if lengths is None else [int(n) for n in lengths]
        self.clip = float(given.get("clip") or np.inf)
        names = str(given.get("activations") or "").split() or [*DEFAULTS[kind]] * self.D
        alpha, beta = (
            [float(text) for text in str(given.get(f"activation_{each}") or "").split()]
            for each in ("alpha", "beta")
        )
        parameters = numbers(names, alpha, 0), numbers(names, beta, 1)
        self.functions = [*zip(names, *parameters, strict=True)]
        self.run()

    def array(self, name: str, shape: tuple[int, ...] = ()) -> Array:
        value = self.given.get(name)
        return np.zeros(shape) if value is None else np.asarray(value).astype(np.float64)

    def major(self, value: Array) -> Array:
        """``[B, T, I]`` or ``[B, D, H]`` of layout 1 to layout 0, and back."""
        return value.transpose(1, 0, 2) if self.layout else value

    def backward(self, d: int) -> bool:
        return d == 1 or self.given.get("direction") == "reverse"

    def times(self, d: int, b: int) -> list[int]:
        order = list(range(self.lengths[b]))
        return order[::-1] if self.backward(d) else order

    def function(self, d: int, index: int, x: Array, *, clips: bool = True) -> tuple[Array, Array]:
        """A function's value and derivative; the latter is 0 where the input is clipped."""
        count = len(self.functions) // self.D
        name, a, b = self.functions[d * count + index]
        if not clips:
            return value_and_slope(name, x, a, b)
        y, slope = value_and_slope(name, np.clip(x, -self.clip, self.clip), a, b)
        return y, np.where(abs(x) < self.clip, slope, 0)

    def part(self, of: Array, d: int, gate: str, recurrent: bool = False) -> Array:
        """A gate's rows of W or R, or its bias."""
        order = GATES[self.kind]
        index = order.index(gate) + (len(order) if recurrent else 0)
        return of[d, index * self.H : (index + 1) * self.H]

    def side(self, d: int, gate: str, x: Array) -> Array:
        """A gate's part from the input, with both biases."""
        biases = self.part(self.bias, d, gate) + self.part(self.bias, d, gate, recurrent=True)
        return self.part(self.W, d, gate) @ x + biases

    def peephole(self, d: int, gate: str) -> Array:
        index = "iof".index(gate)
        return self.P[d, index * self.H : (index + 1) * self.H]

    def step(self, d: int, x: Array, h: Array, c: Array) -> dict[str, Any]:
        """A step, with everything that its derivative needs."""
        R = {gate: self.part(self.R, d, gate) for gate in GATES[self.kind]}
        s: dict[str, Any] = {"x": x, "h_before": h, "c_before": c}
        if self.kind == "RNN":
            z = self.side(d, "i", x) + R["i"] @ h
            y, s["slope_i"] = self.function(d, 0, z)
            return s | {"h": y, "c": c, "i": y, "z_i": z}
        if self.kind == "GRU":
            for gate in "zr":
                z = s[f"z_{gate}"] = self.side(d, gate, x) + R[gate] @ h
                s[gate], s[f"slope_{gate}"] = self.function(d, 0, z)
            if self.given.get("linear_before_reset"):
                bias = self.part(self.bias, d, "h", recurrent=True)
                s["u"] = R["h"] @ h + bias
                z = self.side(d, "h", x) - bias + s["r"] * s["u"]
            else:
                z = self.side(d, "h", x) + R["h"] @ (s["r"] * h)
            s["n"], s["slope_h"] = self.function(d, 1, z)
            s["z_h"] = z
            return s | {"h": (1 - s["z"]) * s["n"] + s["z"] * h, "c": c}
        for gate in "ifc":
            z = self.side(d, gate, x) + R[gate] @ h
            if gate in "if":
                z = z + self.peephole(d, gate) * c
            s[f"z_{gate}"] = z
            s[gate], s[f"slope_{gate}"] = self.function(d, int(gate == "c"), z)
        if self.given.get("input_forget"):
            s["f"], s["slope_f"], s["z_f"] = 1 - s["i"], -s["slope_i"], None
        s["C"] = s["f"] * c + s["i"] * s["c"]
        z = s["z_o"] = self.side(d, "o", x) + R["o"] @ h + self.peephole(d, "o") * s["C"]
        s["o"], s["slope_o"] = self.function(d, 0, z)
        s["hC"], s["slope_hC"] = self.function(d, 2, s["C"], clips=False)
        s["block"] = s["c"]
        return s | {"h": s["o"] * s["hC"], "c": s["C"]}

    def run(self) -> None:
        self.Y = np.zeros((self.T, self.D, self.B, self.H))
        self.Y_h, self.Y_c = self.h0.copy(), self.c0.copy()
        self.tape: dict[tuple[int, int, int], dict[str, Any]] = {}
        for d in range(self.D):
            for b in range(self.B):
                h, c = self.h0[d, b], self.c0[d, b]
                for t in self.times(d, b):
                    s = self.tape[d, b, t] = self.step(d, self.X[t, b], h, c)
                    h, c = s["h"], s["c"]
                    self.Y[t, d, b] = h
                self.Y_h[d, b], self.Y_c[d, b] = h, c

    def keeps_input(self, d: int, index: int) -> bool:
        """Whether of a gate its function's input is saved, as its value does not tell enough."""
        count = len(self.functions) // self.D
        name, alpha, _ = self.functions[d * count + index]
        bent = name in ("LeakyRelu", "ThresholdedRelu") and alpha <= 0
        scaled = name == "ScaledTanh" or (name == "Elu" and alpha != 1)
        return bent or scaled or bool(np.isfinite(self.clip))

    def kept(self, d: int, index: int, y: Array, z: Array) -> Array:
        """The saved value of a gate."""
        return np.clip(z, -self.clip, self.clip) if self.keeps_input(d, index) else y

    def reserve(self) -> Array:
        """`reserve_space`, 0 at padding."""
        names = [("z", 0), ("r", 0), ("n", 1)]
        if self.kind == "LSTM":
            names = [("i", 0), ("f", 0), ("block", 1), ("o", 0)]
        elif self.kind == "RNN":
            names = [("i", 0)]
        elif self.given.get("linear_before_reset"):
            names = [("r", 0), ("z", 0), ("n", 1)]
        inputs = {"block": "z_c", "n": "z_h"}
        rows: dict[tuple[int, int, int], Array] = {}
        for (d, b, t), s in self.tape.items():
            parts = [
                s[name] if s[key] is None else self.kept(d, index, s[name], s[key])
                for name, index in names
                for key in [inputs.get(name, f"z_{name}")]
            ]
            if self.kind == "RNN" and not self.keeps_input(d, 0):
                parts = []
            parts += [s["C"]] if self.kind == "LSTM" else [s["u"]] if "u" in s else []
            rows[d, t, b] = np.concatenate([*parts, np.zeros(0)])
        count = len(names) + (self.kind == "LSTM") + bool(self.given.get("linear_before_reset"))
        if self.kind == "RNN":
            count = max(self.keeps_input(d, 0) for d in range(self.D))
        found = np.zeros((self.D, self.T, self.B, count * self.H))
        for index, row in rows.items():
            found[index][: row.size] = row
        return found


def forward(kind: str, **given: Any) -> dict[str, Array]:
    """A forward op: tensors and attributes by ONNX's names."""
    layer = Layer(kind, given)
    Y = layer.Y.transpose(2, 0, 1, 3) if layer.layout else layer.Y
    results = {"Y": Y, "Y_h": layer.major(layer.Y_h)}
    if kind == "LSTM":
        results["Y_c"] = layer.major(layer.Y_c)
    if given.get("is_training"):
        results["reserve_space"] = layer.reserve()
    return results


class Gradients:
    """The gradient of a loss with respect to all inputs, from those of Y, Y_h and Y_c."""

    def __init__(self, layer: Layer, Y: Array, Y_h: Array, Y_c: Array) -> None:
        self.layer = layer
        self.X, self.W, self.R = np.zeros_like(layer.X), layer.W * 0, layer.R * 0
        self.bias, self.P = layer.bias * 0, layer.P * 0
        self.h, self.c = Y_h.copy(), Y_c.copy()
        for d in range(layer.D):
            for b in range(layer.B):
                dh, dc = self.h[d, b], self.c[d, b]
                for t in reversed(layer.times(d, b)):
                    self.at = (t, d, b)
                    s = layer.tape[d, b, t]
                    dh, dc = getattr(self, layer.kind.lower())(s, dh + Y[t, d, b], dc)
                self.h[d, b], self.c[d, b] = dh, dc

    def gate(
        self, gate: str, dz: Array, s: dict[str, Any], *, recurrent: Array | None = None
    ) -> Array:
        """Adds the gradients of a gate's pre-activation; returns that of the previous output.

        `recurrent` is the gradient of what R and its bias give, if that is another.
        """
        layer, (t, d, b) = self.layer, self.at
        dr = dz if recurrent is None else recurrent
        layer.part(self.W, d, gate)[...] += np.outer(dz, s["x"])
        layer.part(self.bias, d, gate)[...] += dz
        layer.part(self.bias, d, gate, recurrent=True)[...] += dr
        layer.part(self.R, d, gate)[...] += np.outer(dr, s["h_before"])
        self.X[t, b] += layer.part(layer.W, d, gate).T @ dz
        return layer.part(layer.R, d, gate).T @ dr

    def rnn(self, s: dict[str, Any], dh: Array, dc: Array) -> tuple[Array, Array]:
        return self.gate("i", dh * s["slope_i"], s), dc

    def gru(self, s: dict[str, Any], dh: Array, dc: Array) -> tuple[Array, Array]:
        layer = self.layer
        before = dh * s["z"]
        dn = dh * (1 - s["z"]) * s["slope_h"]
        if layer.given.get("linear_before_reset"):
            before = before + self.gate("h", dn, s, recurrent=dn * s["r"])
            dr = dn * s["u"]
        else:
            drh = self.gate("h", dn, {**s, "h_before": s["r"] * s["h_before"]})
            before, dr = before + drh * s["r"], drh * s["h_before"]
        before = before + self.gate("r", dr * s["slope_r"], s)
        dz = dh * (s["h_before"] - s["n"]) * s["slope_z"]
        return before + self.gate("z", dz, s), dc

    def lstm(self, s: dict[str, Any], dh: Array, dc: Array) -> tuple[Array, Array]:
        layer, (_, d, _) = self.layer, self.at
        do = dh * s["hC"] * s["slope_o"]
        dc = dc + dh * s["o"] * s["slope_hC"] + do * layer.peephole(d, "o")
        dg = dc * s["i"] * s["slope_c"]
        di = dc * s["block"] * s["slope_i"]
        df = dc * s["c_before"] * s["slope_f"]
        before = dc * s["f"]
        if layer.given.get("input_forget"):  # f = 1 - i, so all of it is i's
            di, df = di + df, df * 0
        before = before + di * layer.peephole(d, "i") + df * layer.peephole(d, "f")
        for gate, dz, cell in (("i", di, "c_before"), ("o", do, "C"), ("f", df, "c_before")):
            index = "iof".index(gate)
            self.P[d, index * layer.H : (index + 1) * layer.H] += dz * s[cell]
        gates = {"i": di, "o": do, "f": df, "c": dg}
        return sum(self.gate(gate, dz, s) for gate, dz in gates.items()), before


def gradient(kind: str, **given: Any) -> dict[str, Array]:
    """A gradient op: tensors and attributes by ONNX's names; `reserve_space` is not read."""
    layer = Layer(kind, given)
    Y = layer.array("Y_grad", (layer.T, layer.D, layer.B, layer.H))
    if layer.layout and given.get("Y_grad") is not None:
        Y = Y.transpose(1, 2, 0, 3)
    state = (layer.D, layer.B, layer.H)
    Y_h, Y_c = (
        np.zeros(state) if given.get(name) is None else layer.major(layer.array(name))
        for name in ("Y_h_grad", "Y_c_grad")
    )
    found = Gradients(layer, Y, Y_h, Y_c)
    results = {
        "X_grad": layer.major(found.X),
        "W_grad": found.W,
        "R_grad": found.R,
        "B_grad": found.bias,
        "initial_h_grad": layer.major(found.h),
        "initial_c_grad": layer.major(found.c),
        "P_grad": found.P,
    }
    taken = given["inputs"].split() if "inputs" in given else [*given]
    kept = ("X", "W", "R", *taken)
    return {name: value for name, value in results.items() if name.removesuffix("_grad") in kept}
