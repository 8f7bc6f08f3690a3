"""The CudnnRNN ops in float64 numpy, the expected results of compiled modules.

Slow and plain, and written independently from the definition: one row of the batch
and one step at a time, every gate a separate matrix, and a row that is shorter than the others
simply has fewer steps, so nothing here masks or pads. The gradient runs the forward again and does
not read `reserve_space`, except for the dropout mask. Layouts of `params` and `reserve_space` are
derived here independently too; so are the random bits of dropout (Philox 4x32-10: Salmon et al.,
"Parallel random numbers: as easy as 1, 2, 3", 2011).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Results = dict[str, npt.NDArray[Any]]
Parameters = list[dict[str, Array]]

GATES = {"lstm": "ifno", "gru": "rzn", "rnn_tanh": "n", "rnn_relu": "n"}


def unpack(params: Array, *, mode: str, L: int, D: int, H: int, I: int, P: int) -> Parameters:  # noqa: E741
    """The weights of each pseudo-layer by name: ``Wi``, ``Ri``, ``bWi``, ``bRi``, .. and ``Wp``.

    The arrays are views of `params`. `I` is 0 where the input is skipped.
    """
    h, position = P or H, 0
    result: Parameters = [{} for _ in range(L * D)]

    def take(*shape: int) -> Array:
        nonlocal position
        position += int(np.prod(shape))
        return params[position - int(np.prod(shape)) : position].reshape(shape)

    for pl, weights in enumerate(result):
        for gate in GATES[mode]:
            weights["W" + gate] = take(H, I if pl < D else D * h)
        for gate in GATES[mode]:
            weights["R" + gate] = take(H, h)
        if P:
            weights["Wp"] = take(P, H)
    for weights in result:
        for kind in ("bW", "bR"):
            for gate in GATES[mode]:
                weights[kind + gate] = take(H)
    assert position == params.size
    return result


def step(mode: str, w: dict[str, Array], x: dict[str, Array], h: Array, c: Array) -> Results:
    """One step of one row; `x` is the input as each gate sees it."""
    z = {g: x[g] + w["bW" + g] for g in GATES[mode]}
    r = {g: w["R" + g] @ h + w["bR" + g] for g in GATES[mode]}
    if mode == "lstm":
        i, f, o = (sigmoid(z[g] + r[g]) for g in "ifo")
        n = np.tanh(z["n"] + r["n"])
        c_new = f * c + i * n
        m = o * np.tanh(c_new)
        h_new = w["Wp"] @ m if "Wp" in w else m
        saved = {"i": i, "f": f, "n": n, "o": o, "m": m}
        return {"h": h_new, "c": c_new, "h_before": h, "c_before": c, **saved}
    if mode == "gru":
        reset, update = sigmoid(z["r"] + r["r"]), sigmoid(z["z"] + r["z"])
        n = np.tanh(z["n"] + reset * r["n"])
        h_new = (1 - update) * n + update * h
        saved = {"r": reset, "z": update, "n": n, "u": r["n"]}
        return {"h": h_new, "c": c, "h_before": h, **saved}
    a = z["n"] + r["n"]
    return {"h": np.tanh(a) if mode == "rnn_tanh" else np.maximum(a, 0), "c": c, "h_before": h}


def step_gradient(
    mode: str, w: dict[str, Array], s: Results, d: Array, dc: Array, grads: dict[str, Array]
) -> tuple[dict[str, Array], Array, Array]:
    """Gradients with respect to each gate's input and the previous state; adds to those of `w`."""
    if mode == "lstm":
        tanh_c = np.tanh(s["c"])
        dm = d
        if "Wp" in w:
            grads["Wp"] += np.outer(d, s["m"])
            dm = w["Wp"].T @ d
        q = dc + dm * s["o"] * (1 - tanh_c**2)
        a = {
            "i": q * s["n"] * s["i"] * (1 - s["i"]),
            "f": q * s["c_before"] * s["f"] * (1 - s["f"]),
            "n": q * s["i"] * (1 - s["n"] ** 2),
            "o": dm * tanh_c * s["o"] * (1 - s["o"]),
        }
        side, direct, dc = a, np.zeros_like(s["h_before"]), q * s["f"]
    elif mode == "gru":
        a_n = d * (1 - s["z"]) * (1 - s["n"] ** 2)
        a_r = a_n * s["u"] * s["r"] * (1 - s["r"])
        a_z = d * (s["h_before"] - s["n"]) * s["z"] * (1 - s["z"])
        a = {"r": a_r, "z": a_z, "n": a_n}
        side, direct = {"r": a_r, "z": a_z, "n": a_n * s["r"]}, d * s["z"]
    else:
        slope = 1 - s["h"] ** 2 if mode == "rnn_tanh" else (s["h"] > 0).astype(float)
        side = a = {"n": d * slope}
        direct = np.zeros_like(d)
    dh = direct
    for g in GATES[mode]:
        grads["bW" + g] += a[g]
        grads["bR" + g] += side[g]
        grads["R" + g] += np.outer(side[g], s["h_before"])
        dh = dh + w["R" + g].T @ side[g]
    return a, dh, dc


def sigmoid(x: Array) -> Array:
    return 0.5 * (1 + np.tanh(0.5 * x))


class Network:
    """One call: its sizes, weights and dropout mask, and all that its forward run computes."""

    def __init__(
        self,
        arguments: dict[str, Any],
        attributes: dict[str, Any],
        mask: npt.ArrayLike | None,
    ) -> None:
        given = {name: np.asarray(value) for name, value in arguments.items()}
        self.attributes = attributes
        self.mode: str = attributes["rnn_mode"]
        self.D = 2 if attributes["direction"] == "bidirectional" else 1
        self.x = self.swap(given["input"].astype(np.float64))
        self.h0 = self.swap(given["input_h"].astype(np.float64))
        self.T, self.B, self.I = self.x.shape
        self.L = len(self.h0) // self.D
        is_lstm = self.mode == "lstm"
        self.c0 = self.h0 * 0
        if is_lstm:
            self.c0 = self.swap(given["input_c"].astype(np.float64))
        self.H, self.h = self.c0.shape[2], self.h0.shape[2]
        lengths = given.get("sequence_lengths", np.full(self.B, self.T))
        self.lengths = [int(n) for n in lengths]
        mode = attributes["input_mode"]
        self.skips = mode == "skip_input" or (mode == "auto_select" and self.I == self.H)
        self.params = given["params"].astype(np.float64)
        self.weights = self.unpack(self.params)
        shape = (self.L - 1, self.T, self.B, self.D * self.h)
        self.mask = np.ones(shape) if mask is None else np.asarray(mask, np.float64).reshape(shape)
        self.run()

    def swap(self, value: Array) -> Array:
        """To time-major and back."""
        major = self.attributes.get("time_major", True) or value.ndim != 3
        return value if major else value.transpose(1, 0, 2)

    def unpack(self, params: Array) -> Parameters:
        P = self.h if self.h < self.H else 0
        width = 0 if self.skips else self.I
        return unpack(params, mode=self.mode, L=self.L, D=self.D, H=self.H, I=width, P=P)

    def order(self, pl: int, b: int) -> list[int]:
        """The times of a row's steps, in the order of a pseudo-layer's direction."""
        times = list(range(self.lengths[b]))
        return times if pl % self.D == 0 else times[::-1]

    def run(self) -> None:
        """Fills `inputs` and `outputs` of each layer, `tape`, and the final states."""
        self.inputs, self.outputs = [self.x], list[Array]()
        self.tape: dict[tuple[int, int, int], Results] = {}
        self.h_last, self.c_last = self.h0.copy(), self.c0.copy()
        for layer in range(self.L):
            y = np.zeros((self.T, self.B, self.D * self.h))
            for pl in range(layer * self.D, (layer + 1) * self.D):
                columns = slice(pl % self.D * self.h, (pl % self.D + 1) * self.h)
                w = self.weights[pl]
                for b in range(self.B):
                    h, c = self.h0[pl, b], self.c0[pl, b]
                    for t in self.order(pl, b):
                        row = self.inputs[layer][t, b]
                        skip = self.skips and layer == 0
                        x = {g: row if skip else w["W" + g] @ row for g in GATES[self.mode]}
                        s = self.tape[pl, b, t] = step(self.mode, w, x, h, c)
                        h, c = s["h"], s["c"]
                        y[t, b, columns] = h
                    self.h_last[pl, b], self.c_last[pl, b] = h, c
            self.outputs.append(y)
            if layer < self.L - 1:
                self.inputs.append(y * self.mask[layer])

    def reserve(self, padding: float) -> Array:
        """`reserve_space`: mask, outputs of all layers but the top one, activations."""
        parts = [self.mask.ravel()] if self.attributes["dropout"] > 0 else []
        parts += [y.ravel() for y in self.outputs[:-1]]
        saved = {"lstm": ("ifnoc",), "gru": ("rznu",)}.get(self.mode, ())
        for pl in range(self.L * self.D):
            for group in saved:
                rows = np.full((self.T, self.B, len(group), self.H), padding)
                for (which, b, t), s in self.tape.items():
                    if which == pl:
                        rows[t, b] = [s[name] for name in group]
                parts.append(rows.ravel())
        return np.concatenate([*parts, np.zeros(0)])


def cudnn_rnn(
    *,
    version: int,
    mask: npt.ArrayLike | None = None,
    padding: float = 0.0,
    **given: Any,
) -> Results:
    """A forward op: tensors and attributes by TensorFlow's names.

    Args:
        version: 1, 2 or 3.
        mask: The dropout mask; default: that which the seeds give.
        padding: What `reserve_space` holds of the activations of padding.
        **given: Arguments and attributes.
    """
    arguments, attributes = _split(given)
    training = attributes["is_training"]
    D = 2 if attributes["direction"] == "bidirectional" else 1
    time_major = attributes.get("time_major", True)
    T, B = np.shape(given["input"])[:2] if time_major else np.shape(given["input"])[1::-1]
    L, h = np.shape(given["input_h"])[0 if time_major else 1] // D, np.shape(given["input_h"])[2]
    rate = attributes["dropout"]
    drops = training and rate > 0 and L > 1
    if mask is None and drops:
        seeds = [int(given.get(name, 0)) for name in ("seed", "seed2", "call_counter")]
        mask = dropout_mask(*seeds, rate, (L - 1, T, B, D * h))
    net = Network(arguments, attributes, mask if drops else None)
    if not drops:
        net.attributes = {**attributes, "dropout": 0.0}
    zero = np.zeros(())
    results: Results = {
        "output": net.swap(net.outputs[-1]),
        "output_h": net.swap(net.h_last),
        "output_c": net.swap(net.c_last) if net.mode == "lstm" else zero,
        "reserve_space": net.reserve(padding) if training else zero,
    }
    if version > 1:
        results["host_reserved"] = np.zeros(2) if version == 2 and training else zero
    return results


def cudnn_rnn_backprop(
    *,
    mask: npt.ArrayLike | None = None,
    reserve_space: npt.ArrayLike = (),
    **given: Any,
) -> Results:
    """A gradient op; `mask` by default comes from `reserve_space`."""
    arguments, attributes = _split(given)
    net = Network(arguments, attributes, None)
    if mask is None and attributes["dropout"] > 0 and net.L > 1:
        mask = np.asarray(reserve_space, np.float64)[: net.mask.size]
    net = Network(arguments, attributes, mask)
    upstream = {
        name: net.swap(np.asarray(given[name], np.float64))
        for name in ("output_backprop", "output_h_backprop", "output_c_backprop")
    }
    params = np.zeros_like(net.params)
    grads = net.unpack(params)
    dh0 = upstream["output_h_backprop"].copy()
    dc0 = upstream["output_c_backprop"].copy() if net.mode == "lstm" else net.c0 * 0
    dy = upstream["output_backprop"]
    for layer in reversed(range(net.L)):
        dx = np.zeros_like(net.inputs[layer])
        for pl in range(layer * net.D, (layer + 1) * net.D):
            columns = slice(pl % net.D * net.h, (pl % net.D + 1) * net.h)
            w, g = net.weights[pl], grads[pl]
            for b in range(net.B):
                dh, dc = dh0[pl, b], dc0[pl, b]
                for t in reversed(net.order(pl, b)):
                    s = net.tape[pl, b, t]
                    a, dh, dc = step_gradient(net.mode, w, s, dy[t, b, columns] + dh, dc, g)
                    for gate, value in a.items():
                        if layer == 0 and net.skips:
                            dx[t, b] += value
                        else:
                            g["W" + gate] += np.outer(value, net.inputs[layer][t, b])
                            dx[t, b] += w["W" + gate].T @ value
                dh0[pl, b], dc0[pl, b] = dh, dc
        dy = dx * net.mask[layer - 1] if layer else dx
    return {
        "input_backprop": net.swap(dy),
        "input_h_backprop": net.swap(dh0),
        "input_c_backprop": net.swap(dc0) if net.mode == "lstm" else np.zeros(()),
        "params_backprop": params,
    }


def dropout_mask(
    seed: int, seed2: int, call_counter: int, rate: float, shape: tuple[int, ...]
) -> Array:
    """The multipliers that the forward ops draw."""
    count = int(np.prod(shape))
    key = (seed << 32 | seed2) % 2**64
    block = np.arange(-(-count // 4), dtype=np.uint64)
    counter = [
        block,
        block * 0 + call_counter % 2**32,
        block * 0 + key % 2**32,
        block * 0 + key // 2**32,
    ]
    bits = philox(counter, (key % 2**32, key // 2**32)).ravel()[:count]
    kept = 0.0 if rate == 1 else 1 / (1 - rate)
    return np.where(bits < rate * 2**32, 0.0, kept).reshape(shape)


def philox(counter: list[npt.NDArray[np.uint64]], key: tuple[int, int]) -> npt.NDArray[np.uint32]:
    """Philox 4x32-10: four words for each counter of four words."""
    low, shift = np.uint64(2**32 - 1), np.uint64(32)
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = (
            (p1 >> shift) ^ c1 ^ np.uint64(k0),
            p1 & low,
            (p0 >> shift) ^ c3 ^ np.uint64(k1),
            p0 & low,
        )
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return np.stack([c0, c1, c2, c3], -1).astype(np.uint32)


_ATTRIBUTES = (
    "rnn_mode",
    "input_mode",
    "direction",
    "dropout",
    "num_proj",
    "is_training",
    "time_major",
)


def _split(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments and attributes."""
    attributes = {name: given[name] for name in _ATTRIBUTES if name in given}
    return {name: v for name, v in given.items() if name not in attributes}, attributes
