"""The cells of other frameworks in float64 numpy, written from each framework's own source.

Nothing here reads the table of the package: names and shapes of arrays, gates and formulas are
spelled out, in the framework's own terms. ``parameters(name)`` has random arrays, ``outputs`` runs
the formulas. A cell is a function of its arrays, an input and the states h and c, which returns
both states.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

T, B, I, H, P = 5, 2, 3, 4, 2  # noqa: E741

Arrays = dict[str, Any]
Step = Callable[[Arrays, Any, Any, Any], tuple[Any, Any]]
Formula = tuple[dict[str, tuple[int, ...]], Step, int]
"""Shapes of arrays, the cell, and the size of its state."""


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def hard(x: Any) -> Any:
    """Keras' hard_sigmoid before Keras 3."""
    return np.clip(0.2 * x + 0.5, 0, 1)


def relu(x: Any) -> Any:
    return np.maximum(x, 0)


def split(x: Any, count: int) -> list[Any]:
    return np.split(x, count, -1)


def lstm(i: Any, f: Any, g: Any, o: Any, c: Any, gate: Any = sigmoid) -> tuple[Any, Any]:
    """The states after a step, of what the gates' functions are applied to."""
    c = gate(f) * c + gate(i) * np.tanh(g)
    return gate(o) * np.tanh(c), c


FORMULAS: dict[str, Formula] = {}


def cell(*names: str, state: int = H, **shapes: tuple[int, ...]) -> Callable[[Step], Step]:
    """Gives a formula to some names; in names of arrays, __ stands for a dot."""

    def add(step: Step) -> Step:
        known = {re.sub("__(?=[^_])", ".", name): shape for name, shape in shapes.items()}
        for name in names:
            FORMULAS[name] = known, step, state
        return step

    return add


def torchs(gates: int, suffix: str = "") -> dict[str, tuple[int, ...]]:
    return {
        f"weight_ih{suffix}": (gates * H, I),
        f"weight_hh{suffix}": (gates * H, H),
        f"bias_ih{suffix}": (gates * H,),
        f"bias_hh{suffix}": (gates * H,),
    }


def of_torch(p: Arrays, x: Any, h: Any) -> tuple[Any, Any]:
    """What torch's inputs and states give, of any layer."""
    p = {name.removesuffix("_l0"): array for name, array in p.items()}
    return x @ p["weight_ih"].T + p["bias_ih"], h @ p["weight_hh"].T + p["bias_hh"]


def torch_lstm(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    a, b = of_torch(p, x, h)
    return lstm(*split(a + b, 4), c)


def torch_gru(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    (xr, xz, xn), (hr, hz, hn) = (split(each, 3) for each in of_torch(p, x, h))
    r, z = sigmoid(xr + hr), sigmoid(xz + hz)
    n = np.tanh(xn + r * hn)
    return (1 - z) * n + z * h, c


def torch_rnn(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return np.tanh(sum(of_torch(p, x, h))), c


for package, of_rnn in (("torch", "RNN"), ("paddle", "SimpleRNN"), ("mindspore", "RNN")):
    for kind, count, formula in (
        ("LSTM", 4, torch_lstm), ("GRU", 3, torch_gru), (of_rnn, 1, torch_rnn),
    ):  # fmt: skip
        cell(f"{package}.nn.{kind}", **torchs(count, "_l0"))(formula)
        cell(f"{package}.nn.{kind}Cell", **torchs(count))(formula)
cell("tinygrad.nn.LSTMCell", **torchs(4))(torch_lstm)


@cell(
    "flax.nnx.LSTMCell",
    **{f"i{g}__kernel": (I, H) for g in ("i", "f_", "g", "o")},
    **{f"h{g}__kernel": (H, H) for g in "ifgo"},
    **{f"h{g}__bias": (H,) for g in "ifgo"},
)
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i = x @ p["ii.kernel"] + h @ p["hi.kernel"] + p["hi.bias"]
    f = x @ p["if_.kernel"] + h @ p["hf.kernel"] + p["hf.bias"]
    g = x @ p["ig.kernel"] + h @ p["hg.kernel"] + p["hg.bias"]
    o = x @ p["io.kernel"] + h @ p["ho.kernel"] + p["ho.bias"]
    return lstm(i, f, g, o, c)


@cell(
    "flax.linen.LSTMCell", "flax.linen.OptimizedLSTMCell",
    **{f"i{g}__kernel": (I, H) for g in "ifgo"},
    **{f"h{g}__kernel": (H, H) for g in "ifgo"},
    **{f"h{g}__bias": (H,) for g in "ifgo"},
)  # fmt: skip
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i = x @ p["ii.kernel"] + h @ p["hi.kernel"] + p["hi.bias"]
    f = x @ p["if.kernel"] + h @ p["hf.kernel"] + p["hf.bias"]
    g = x @ p["ig.kernel"] + h @ p["hg.kernel"] + p["hg.bias"]
    o = x @ p["io.kernel"] + h @ p["ho.kernel"] + p["ho.bias"]
    return lstm(i, f, g, o, c)


@cell(
    "flax.nnx.OptimizedLSTMCell",
    dense_i__kernel=(I, 4 * H), dense_h__kernel=(H, 4 * H), dense_h__bias=(4 * H,),
)  # fmt: skip
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    y = x @ p["dense_i.kernel"] + h @ p["dense_h.kernel"] + p["dense_h.bias"]
    i, f, g, o = split(y, 4)
    return lstm(i, f, g, o, c)


@cell(
    "flax.nnx.GRUCell",
    dense_i__kernel=(I, 3 * H), dense_i__bias=(3 * H,), dense_h__kernel=(H, 3 * H),
)  # fmt: skip
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    xr, xz, xn = split(x @ p["dense_i.kernel"] + p["dense_i.bias"], 3)
    hr, hz, hn = split(h @ p["dense_h.kernel"], 3)
    r, z = sigmoid(xr + hr), sigmoid(xz + hz)
    return (1 - z) * np.tanh(xn + r * hn) + z * h, c


@cell("flax.nnx.SimpleCell", dense_i__kernel=(I, H), dense_i__bias=(H,), dense_h__kernel=(H, H))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return np.tanh(x @ p["dense_i.kernel"] + p["dense_i.bias"] + h @ p["dense_h.kernel"]), c


@cell(
    "flax.linen.GRUCell",
    **{f"i{g}__kernel": (I, H) for g in "rzn"},
    **{f"i{g}__bias": (H,) for g in "rzn"},
    **{f"h{g}__kernel": (H, H) for g in "rzn"},
    hn__bias=(H,),
)
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    r = sigmoid(x @ p["ir.kernel"] + p["ir.bias"] + h @ p["hr.kernel"])
    z = sigmoid(x @ p["iz.kernel"] + p["iz.bias"] + h @ p["hz.kernel"])
    n = np.tanh(x @ p["in.kernel"] + p["in.bias"] + r * (h @ p["hn.kernel"] + p["hn.bias"]))
    return (1 - z) * n + z * h, c


@cell(
    "flax.linen.MGUCell",
    **{f"i{g}__kernel": (I, H) for g in "fn"},
    **{f"i{g}__bias": (H,) for g in "fn"},
    **{f"h{g}__kernel": (H, H) for g in "fn"},
    hn__bias=(H,),
)
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    f = sigmoid(x @ p["if.kernel"] + p["if.bias"] + h @ p["hf.kernel"])
    n = np.tanh(x @ p["in.kernel"] + p["in.bias"] + f * (h @ p["hn.kernel"] + p["hn.bias"]))
    return (1 - f) * n + f * h, c


@cell("flax.linen.SimpleCell", i__kernel=(I, H), i__bias=(H,), h__kernel=(H, H))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return np.tanh(x @ p["i.kernel"] + p["i.bias"] + h @ p["h.kernel"]), c


@cell("equinox.nn.LSTMCell", weight_ih=(4 * H, I), weight_hh=(4 * H, H), bias=(4 * H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, f, g, o = split(x @ p["weight_ih"].T + h @ p["weight_hh"].T + p["bias"], 4)
    return lstm(i, f, g, o, c)


@cell("equinox.nn.GRUCell", weight_ih=(3 * H, I), weight_hh=(3 * H, H), bias=(3 * H,), bias_n=(H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    xr, xz, xn = split(x @ p["weight_ih"].T + p["bias"], 3)
    hr, hz, hn = split(h @ p["weight_hh"].T, 3)
    new = np.tanh(xn + sigmoid(xr + hr) * (hn + p["bias_n"]))
    return new + sigmoid(xz + hz) * (h - new), c


@cell("haiku.LSTM", linear__w=(I + H, 4 * H), linear__b=(4 * H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, g, f, o = split(np.concatenate([x, h], -1) @ p["linear.w"] + p["linear.b"], 4)
    return lstm(i, f + 1, g, o, c)


@cell("haiku.GRU", w_i=(I, 3 * H), w_h=(H, 3 * H), b=(3 * H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    zr = x @ p["w_i"][:, : 2 * H] + h @ p["w_h"][:, : 2 * H] + p["b"][: 2 * H]
    z, r = split(sigmoid(zr), 2)
    a = np.tanh(x @ p["w_i"][:, 2 * H :] + (r * h) @ p["w_h"][:, 2 * H :] + p["b"][2 * H :])
    return (1 - z) * h + z * a, c


@cell(
    "haiku.VanillaRNN",
    linear__w=(I, H), linear__b=(H,), linear_1__w=(H, H), linear_1__b=(H,),
)  # fmt: skip
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return relu(x @ p["linear.w"] + p["linear.b"] + h @ p["linear_1.w"] + p["linear_1.b"]), c


@cell("mlx.nn.LSTM", Wx=(4 * H, I), Wh=(4 * H, H), bias=(4 * H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, f, g, o = split(x @ p["Wx"].T + p["bias"] + h @ p["Wh"].T, 4)
    return lstm(i, f, g, o, c)


@cell("mlx.nn.GRU", Wx=(3 * H, I), Wh=(3 * H, H), b=(3 * H,), bhn=(H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    xr, xz, xn = split(x @ p["Wx"].T + p["b"], 3)
    hr, hz, hn = split(h @ p["Wh"].T, 3)
    n = np.tanh(xn + sigmoid(xr + hr) * (hn + p["bhn"]))
    z = sigmoid(xz + hz)
    return (1 - z) * n + z * h, c


@cell("mlx.nn.RNN", Wxh=(H, I), Whh=(H, H), bias=(H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return np.tanh(x @ p["Wxh"].T + p["bias"] + h @ p["Whh"].T), c


def gluon(gates: int, prefix: str = "") -> dict[str, tuple[int, ...]]:
    return {
        f"{prefix}i2h_weight": (gates * H, I), f"{prefix}h2h_weight": (gates * H, H),
        f"{prefix}i2h_bias": (gates * H,), f"{prefix}h2h_bias": (gates * H,),
    }  # fmt: skip


def of_gluon(p: Arrays, x: Any, h: Any) -> tuple[Any, Any]:
    p = {name.removeprefix("l0_"): array for name, array in p.items()}
    return x @ p["i2h_weight"].T + p["i2h_bias"], h @ p["h2h_weight"].T + p["h2h_bias"]


@cell("mxnet.gluon.rnn.LSTM", **gluon(4, "l0_"))
@cell("mxnet.gluon.rnn.LSTMCell", **gluon(4))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, f, g, o = split(sum(of_gluon(p, x, h)), 4)
    return lstm(i, f, g, o, c)


@cell("mxnet.gluon.rnn.GRU", **gluon(3, "l0_"))
@cell("mxnet.gluon.rnn.GRUCell", **gluon(3))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    (ir, iz, i), (hr, hz, hn) = (split(each, 3) for each in of_gluon(p, x, h))
    z = sigmoid(iz + hz)
    return (1 - z) * np.tanh(i + sigmoid(ir + hr) * hn) + z * h, c


@cell("mxnet.gluon.rnn.RNN", **gluon(1, "l0_"))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return relu(sum(of_gluon(p, x, h))), c


@cell("mxnet.gluon.rnn.RNNCell", **gluon(1))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return np.tanh(sum(of_gluon(p, x, h))), c


@cell(
    "chainer.links.LSTM", "chainer.links.StatelessLSTM",
    upward__W=(4 * H, I), upward__b=(4 * H,), lateral__W=(4 * H, H),
)  # fmt: skip
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    y = x @ p["upward.W"].T + p["upward.b"] + h @ p["lateral.W"].T
    a, i, f, o = (y[:, k::4] for k in range(4))
    return lstm(i, f, a, o, c)


@cell(
    "chainer.links.StatelessGRU", "chainer.links.StatefulGRU",
    **{f"{name}__W": (H, I) for name in ("W_r", "W_z", "W")},
    **{f"{name}__W": (H, H) for name in ("U_r", "U_z", "U")},
    **{f"{name}__b": (H,) for name in ("W_r", "W_z", "W", "U_r", "U_z", "U")},
)  # fmt: skip
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    def linear(name: str, array: Any) -> Any:
        return array @ p[f"{name}.W"].T + p[f"{name}.b"]

    r = sigmoid(linear("W_r", x) + linear("U_r", h))
    z = sigmoid(linear("W_z", x) + linear("U_z", h))
    new = np.tanh(linear("W", x) + linear("U", r * h))
    return (1 - z) * h + z * new, c


def n_step(gates: int) -> dict[str, tuple[int, ...]]:
    return {
        **{f"0__w{k}": (H, I if k < gates else H) for k in range(2 * gates)},
        **{f"0__b{k}": (H,) for k in range(2 * gates)},
    }


def of_n_step(p: Arrays, x: Any, h: Any) -> tuple[list[Any], list[Any]]:
    gates = len(p) // 4
    own = [(x if k < gates else h) @ p[f"0.w{k}"].T + p[f"0.b{k}"] for k in range(2 * gates)]
    return own[:gates], own[gates:]


@cell("chainer.links.NStepLSTM", "chainer.links.NStepBiLSTM", **n_step(4))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    (x0, x1, x2, x3), (h0, h1, h2, h3) = of_n_step(p, x, h)
    return lstm(x0 + h0, x1 + h1, x2 + h2, x3 + h3, c)


@cell("chainer.links.NStepGRU", "chainer.links.NStepBiGRU", **n_step(3))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    (x0, x1, x2), (h0, h1, h2) = of_n_step(p, x, h)
    r, z = sigmoid(x0 + h0), sigmoid(x1 + h1)
    return (1 - z) * np.tanh(x2 + r * h2) + z * h, c


@cell("chainer.links.NStepRNNTanh", "chainer.links.NStepBiRNNTanh", **n_step(1))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    (x0,), (h0,) = of_n_step(p, x, h)
    return np.tanh(x0 + h0), c


@cell("chainer.links.NStepRNNReLU", "chainer.links.NStepBiRNNReLU", **n_step(1))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    (x0,), (h0,) = of_n_step(p, x, h)
    return relu(x0 + h0), c


@cell("nnabla.parametric_functions.lstm", weight_l0=(1, 4, H, I + H), bias=(1, 1, 4, H))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    xh = np.concatenate([x, h], -1)
    i, f, g, o = (xh @ p["weight_l0"][0, k].T + p["bias"][0, 0, k] for k in range(4))
    return lstm(i, f, g, o, c)


@cell("nnabla.parametric_functions.lstm_cell", affine__W=(I + H, 4, H), affine__b=(4, H))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    xh = np.concatenate([x, h], -1)
    i, o, f, g = (xh @ p["affine.W"][:, k] + p["affine.b"][k] for k in range(4))
    return lstm(i, f, g, o, c)


@cell("nnabla.parametric_functions.gru", weight_l0=(1, 3, H, I + H), bias=(1, 1, 4, H))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    w, b = p["weight_l0"][0], p["bias"][0, 0]
    r, z = (sigmoid(np.concatenate([x, h], -1) @ w[k].T + b[k]) for k in range(2))
    n = np.tanh(x @ w[2, :, :I].T + b[2] + r * (h @ w[2, :, I:].T + b[3]))
    return (1 - z) * n + z * h, c


@cell("nnabla.parametric_functions.rnn", weight_l0=(1, H, I + H), bias=(1, 1, H))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return np.tanh(np.concatenate([x, h], -1) @ p["weight_l0"][0].T + p["bias"][0, 0]), c


@cell(
    "dynet.VanillaLSTMBuilder", "dynet.CompactVanillaLSTMBuilder",
    x2i=(4 * H, I), h2i=(4 * H, H), bi=(4 * H,),
)  # fmt: skip
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, f, o, g = split(x @ p["x2i"].T + h @ p["h2i"].T + p["bi"], 4)
    return lstm(i, f + 1, g, o, c)


@cell(
    "dynet.GRUBuilder",
    **{f"x2{g}": (H, I) for g in "zrh"},
    **{f"h2{g}": (H, H) for g in "zrh"},
    **{f"b{g}": (H,) for g in "zrh"},
)
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    z = sigmoid(x @ p["x2z"].T + h @ p["h2z"].T + p["bz"])
    r = sigmoid(x @ p["x2r"].T + h @ p["h2r"].T + p["br"])
    new = np.tanh(x @ p["x2h"].T + (r * h) @ p["h2h"].T + p["bh"])
    return (1 - z) * h + z * new, c


@cell("dynet.SimpleRNNBuilder", x2h=(H, I), h2h=(H, H), hb=(H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return np.tanh(x @ p["x2h"].T + h @ p["h2h"].T + p["hb"]), c


@cell("dl4j.LSTM", W=(I, 4 * H), RW=(H, 4 * H), b=(4 * H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    a, f, o, g = split(x @ p["W"] + h @ p["RW"] + p["b"], 4)
    return lstm(g, f, a, o, c)


@cell("dl4j.GravesLSTM", W=(I, 4 * H), RW=(H, 4 * H + 3), b=(4 * H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    a, f, o, g = split(x @ p["W"] + h @ p["RW"][:, : 4 * H] + p["b"], 4)
    wff, woo, wgg = p["RW"][:, 4 * H :].T
    new = sigmoid(f + wff * c) * c + sigmoid(g + wgg * c) * np.tanh(a)
    return sigmoid(o + woo * new) * np.tanh(new), new


@cell(
    "cntk.layers.LSTM",
    W=(I, 4 * H), H=(H, 4 * H), b=(4 * H,), Ci=(H,), Cf=(H,), Co=(H,),
)  # fmt: skip
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, bit, f, o = split(p["b"] + x @ p["W"] + h @ p["H"], 4)
    new = sigmoid(f + p["Cf"] * c) * c + sigmoid(i + p["Ci"] * c) * np.tanh(bit)
    return sigmoid(o + p["Co"] * new) * np.tanh(new), new


@cell("cntk.layers.GRU", W=(I, 3 * H), H=(H, 2 * H), H1=(H, H), b=(3 * H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    xz, xr, xc = split(p["b"] + x @ p["W"], 3)
    hz, hr = split(h @ p["H"], 2)
    z, r = sigmoid(xz + hz), sigmoid(xr + hr)
    return (1 - z) * np.tanh(xc + (r * h) @ p["H1"]) + z * h, c


@cell("cntk.layers.RNNStep", W=(I, H), H=(H, H), b=(H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return sigmoid(x @ p["W"] + h @ p["H"] + p["b"]), c


def lasagnes(*gates: str) -> dict[str, tuple[int, ...]]:
    return {
        **{f"W_in_to_{gate}": (I, H) for gate in gates},
        **{f"W_hid_to_{gate}": (H, H) for gate in gates},
        **{f"b_{gate}": (H,) for gate in gates},
    }


@cell("lasagne.layers.GRULayer", **lasagnes("resetgate", "updategate", "hidden_update"))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    def gate(name: str) -> tuple[Any, Any]:
        return x @ p[f"W_in_to_{name}"] + p[f"b_{name}"], h @ p[f"W_hid_to_{name}"]

    r, u = sigmoid(sum(gate("resetgate"))), sigmoid(sum(gate("updategate")))
    new, recurrent = gate("hidden_update")
    return (1 - u) * h + u * np.tanh(new + r * recurrent), c


@cell(
    "lasagne.layers.LSTMLayer",
    **lasagnes("ingate", "forgetgate", "cell", "outgate"),
    **{f"W_cell_to_{gate}": (H,) for gate in ("ingate", "forgetgate", "outgate")},
)
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    def gate(name: str) -> Any:
        return x @ p[f"W_in_to_{name}"] + h @ p[f"W_hid_to_{name}"] + p[f"b_{name}"]

    i = sigmoid(gate("ingate") + c * p["W_cell_to_ingate"])
    f = sigmoid(gate("forgetgate") + c * p["W_cell_to_forgetgate"])
    new = f * c + i * np.tanh(gate("cell"))
    return sigmoid(gate("outgate") + new * p["W_cell_to_outgate"]) * np.tanh(new), new


def ncnns(gates: int, biases: int) -> dict[str, tuple[int, ...]]:
    return {
        "weight_xc_data": (1, gates * H, I), "bias_c_data": (1, biases, H),
        "weight_hc_data": (1, gates * H, H),
    }  # fmt: skip


def of_ncnn(p: Arrays, x: Any, h: Any) -> tuple[Any, Any, Any]:
    return x @ p["weight_xc_data"][0].T, h @ p["weight_hc_data"][0].T, p["bias_c_data"][0]


@cell("ncnn.LSTM", **ncnns(4, 4))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    a, r, b = of_ncnn(p, x, h)
    i, f, o, g = (each + b[k] for k, each in enumerate(split(a + r, 4)))
    return lstm(i, f, g, o, c)


@cell("ncnn.GRU", **ncnns(3, 4))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    a, recurrent, (br, bu, bwn, bbn) = of_ncnn(p, x, h)
    (xr, xu, xn), (hr, hu, hn) = split(a, 3), split(recurrent, 3)
    r, u = sigmoid(xr + hr + br), sigmoid(xu + hu + bu)
    return (1 - u) * np.tanh(xn + bwn + r * (hn + bbn)) + u * h, c


@cell("ncnn.RNN", **ncnns(1, 1))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    a, r, b = of_ncnn(p, x, h)
    return np.tanh(a + r + b[0]), c


def kerases(gates: int, *bias: int) -> dict[str, tuple[int, ...]]:
    return {"kernel": (I, gates * H), "recurrent_kernel": (H, gates * H), "bias": bias}


def keras_lstm(gate: Any) -> Step:
    def step(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
        i, f, g, o = split(x @ p["kernel"] + h @ p["recurrent_kernel"] + p["bias"], 4)
        return lstm(i, f, g, o, c, gate)

    return step


def keras_gru(gate: Any) -> Step:
    """GRU(reset_after=False)."""

    def step(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
        xz, xr, xh = split(x @ p["kernel"] + p["bias"], 3)
        wz, wr, wh = split(p["recurrent_kernel"], 3)
        z, r = gate(xz + h @ wz), gate(xr + h @ wr)
        return z * h + (1 - z) * np.tanh(xh + (r * h) @ wh), c

    return step


def keras_gru_after(gate: Any) -> Step:
    def step(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
        xz, xr, xh = split(x @ p["kernel"] + p["bias"][0], 3)
        hz, hr, hh = split(h @ p["recurrent_kernel"] + p["bias"][1], 3)
        z, r = gate(xz + hz), gate(xr + hr)
        return z * h + (1 - z) * np.tanh(xh + r * hh), c

    return step


def keras_rnn(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return np.tanh(x @ p["kernel"] + p["bias"] + h @ p["recurrent_kernel"]), c


for package, gate, after, before in (
    ("keras", sigmoid, "GRU", "GRU(reset_after=False)"),
    ("tf_keras", sigmoid, "GRU", "GRU(reset_after=False)"),
    ("keras2", hard, "GRU(reset_after=True)", "GRU"),
):
    cell(f"{package}.layers.LSTM", **kerases(4, 4 * H))(keras_lstm(gate))
    cell(f"{package}.layers.{after}", **kerases(3, 2, 3 * H))(keras_gru_after(gate))
    cell(f"{package}.layers.{before}", **kerases(3, 3 * H))(keras_gru(gate))
    cell(f"{package}.layers.SimpleRNN", **kerases(1, H))(keras_rnn)


@cell(
    "keras1.layers.LSTM",
    **{f"W_{g}": (I, H) for g in "icfo"},
    **{f"U_{g}": (H, H) for g in "icfo"},
    **{f"b_{g}": (H,) for g in "icfo"},
)
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, f, g, o = (x @ p[f"W_{g}"] + h @ p[f"U_{g}"] + p[f"b_{g}"] for g in "ifco")
    return lstm(i, f, g, o, c, hard)


@cell(
    "keras1.layers.GRU",
    **{f"W_{g}": (I, H) for g in "zrh"},
    **{f"U_{g}": (H, H) for g in "zrh"},
    **{f"b_{g}": (H,) for g in "zrh"},
)
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    z = hard(x @ p["W_z"] + p["b_z"] + h @ p["U_z"])
    r = hard(x @ p["W_r"] + p["b_r"] + h @ p["U_r"])
    return z * h + (1 - z) * np.tanh(x @ p["W_h"] + p["b_h"] + (r * h) @ p["U_h"]), c


@cell("keras1.layers.LSTM(consume_less='gpu')", W=(I, 4 * H), U=(H, 4 * H), b=(4 * H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, f, g, o = split(x @ p["W"] + h @ p["U"] + p["b"], 4)
    return lstm(i, f, g, o, c, hard)


@cell("keras1.layers.GRU(consume_less='gpu')", W=(I, 3 * H), U=(H, 3 * H), b=(3 * H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    xz, xr, xh = split(x @ p["W"] + p["b"], 3)
    uz, ur, uh = split(p["U"], 3)
    z, r = hard(xz + h @ uz), hard(xr + h @ ur)
    return z * h + (1 - z) * np.tanh(xh + (r * h) @ uh), c


@cell("keras1.layers.SimpleRNN", W=(I, H), U=(H, H), b=(H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return np.tanh(x @ p["W"] + p["b"] + h @ p["U"]), c


@cell("tensorflow.nn.rnn_cell.BasicLSTMCell", kernel=(I + H, 4 * H), bias=(4 * H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, j, f, o = split(np.concatenate([x, h], -1) @ p["kernel"] + p["bias"], 4)
    return lstm(i, f + 1, j, o, c)


@cell(
    "tensorflow.nn.rnn_cell.LSTMCell",
    kernel=(I + H, 4 * H), bias=(4 * H,), w_f_diag=(H,), w_i_diag=(H,), w_o_diag=(H,),
)  # fmt: skip
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    i, j, f, o = split(np.concatenate([x, h], -1) @ p["kernel"] + p["bias"], 4)
    new = sigmoid(f + 1 + p["w_f_diag"] * c) * c + sigmoid(i + p["w_i_diag"] * c) * np.tanh(j)
    return sigmoid(o + p["w_o_diag"] * new) * np.tanh(new), new


@cell(
    "tensorflow.nn.rnn_cell.GRUCell",
    gates__kernel=(I + H, 2 * H), gates__bias=(2 * H,),
    candidate__kernel=(I + H, H), candidate__bias=(H,),
)  # fmt: skip
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    r, u = split(sigmoid(np.concatenate([x, h], -1) @ p["gates.kernel"] + p["gates.bias"]), 2)
    new = np.concatenate([x, r * h], -1) @ p["candidate.kernel"] + p["candidate.bias"]
    return u * h + (1 - u) * np.tanh(new), c


@cell("tensorflow.nn.rnn_cell.BasicRNNCell", kernel=(I + H, H), bias=(H,))
def _(p: Arrays, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    return np.tanh(np.concatenate([x, h], -1) @ p["kernel"] + p["bias"]), c


def parameters(name: str) -> Arrays:
    """Random arrays of a cell, by its framework's names."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    return {key: rng.normal(0, 0.7, shape) for key, shape in FORMULAS[name][0].items()}


def inputs() -> Any:
    return np.random.default_rng(1).normal(0, 1, (T, B, I))


def outputs(name: str, arrays: Arrays, x: Any) -> Any:
    """The cell's outputs ``[T, B, H]``, from a state of zeros."""
    _, step, state = FORMULAS[name]
    h, c, rows = np.zeros((B, state)), np.zeros((B, H)), []
    for each in x:
        h, c = step(arrays, each, h, c)
        rows.append(h)
    return np.stack(rows)
