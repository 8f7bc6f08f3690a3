"""The golden cases of CudnnRNN reject every misreading of its semantics that we could think of.

Each mutant is the reference with one formula changed: at least one golden case must reject it.
"""

from __future__ import annotations

from typing import Any

import cudnn_reference
import numpy as np
import pytest
from goldens.cudnn import GRADIENTS, OUTPUTS, UPSTREAM, CudnnGolden, read_cudnn_goldens
from numeric.mutants import mutant, parameters

pytestmark = pytest.mark.slow

GOLDENS = read_cudnn_goldens()

LAYOUT = {
    "lstm gates i, f, o, n": ('"lstm": "ifno"', '"lstm": "ifon"'),
    "lstm gates i, n, f, o": ('"lstm": "ifno"', '"lstm": "info"'),
    "gru gates z, r, n": ('"gru": "rzn"', '"gru": "zrn"'),
    "recurrent biases first": ('("bW", "bR")', '("bR", "bW")'),
    "matrices transposed": (
        "take(H, I if pl < D else D * h)",
        "take(I if pl < D else D * h, H).T",
    ),
    "recurrent matrices transposed": ('"R" + gate] = take(H, h)', '"R" + gate] = take(h, H).T'),
    "projection transposed": ("take(P, H)", "take(H, P).T"),
    "upper layers read one direction": (
        "row = self.inputs[layer][t, b]",
        "row = self.inputs[layer][t, b] * (np.arange(len(self.inputs[layer][t, b])) < self.h)",
    ),
    "directions swapped": ("return times if pl % self.D == 0", "return times if pl % self.D"),
    "pseudo-layers by direction": ("w = self.weights[pl]", "w = self.weights[-1 - pl]"),
}

FORWARD = {
    "no input bias": ('x[g] + w["bW" + g]', "x[g]"),
    "no recurrent bias": (' @ h + w["bR" + g]', " @ h"),
    "forget bias 1": (
        'i, f, o = (sigmoid(z[g] + r[g]) for g in "ifo")',
        'i, f, o = (sigmoid(z[g] + r[g] + (g == "f")) for g in "ifo")',
    ),
    "co from the old cell state": ("m = o * np.tanh(c_new)", "m = o * np.tanh(c)"),
    "no tanh of the cell state": ("m = o * np.tanh(c_new)", "m = o * c_new"),
    "cell clipped": ("c_new = f * c + i * n", "c_new = np.clip(f * c + i * n, -0.5, 0.5)"),
    "reset before the product": ('reset * r["n"])', 'w["Rn"] @ (reset * h) + w["bRn"])'),
    "reset spares the bias": ('reset * r["n"])', 'reset * (w["Rn"] @ h) + w["bRn"])'),
    "update the other way round": (
        "(1 - update) * n + update * h",
        "update * n + (1 - update) * h",
    ),
    "sigmoid for tanh": ('h": np.tanh(a) if', 'h": sigmoid(a) if'),
    "leaky relu": ("np.maximum(a, 0)", "np.maximum(a, 0.01 * a)"),
    "lengths ignored": (
        "times = list(range(self.lengths[b]))",
        "times = list(range(self.T))",
    ),
    "backward from the end of the padding": (
        "return times if pl % self.D == 0 else times[::-1]",
        "return times if pl % self.D == 0 else list(range(self.T))[::-1]",
    ),
    "last output repeated": ("y[t, b, columns] = h\n", "y[t:, b, columns] = h\n"),
    "final state masked": (
        "self.h_last[pl, b], self.c_last[pl, b] = h, c",
        "self.h_last[pl, b], self.c_last[pl, b] = y[-1, b, columns], c",
    ),
    "final state of the last layer only": (
        "self.h_last[pl, b], self.c_last[pl, b] = h, c",
        "self.h_last[-1, b], self.c_last[-1, b] = h, c",
    ),
    "initial state of the first layer": (
        "h, c = self.h0[pl, b], self.c0[pl, b]",
        "h, c = self.h0[0, b], self.c0[0, b]",
    ),
    "skip_input without input bias": (
        "x = {g: row if skip",
        'x = {g: row - w["bW" + g] if skip',
    ),
    "skip_input in every layer": ("skip = self.skips and layer == 0", "skip = self.skips"),
    "skip_input for the new value alone": (
        "x = {g: row if skip",
        'x = {g: row * (g == "n") if skip',
    ),
    "states are not swapped": (
        'self.h0 = self.swap(given["input_h"]',
        'self.h0 = (lambda v: v.reshape(self.swap(v).shape))(given["input_h"]',
    ),
    "dropout of the output": (
        "self.outputs.append(y)",
        "self.outputs.append(y * self.mask[0] if self.mask.size else y)",
    ),
    "dropout without scaling": ("y * self.mask[layer]", "y * (self.mask[layer] > 0)"),
    "no dropout": ("self.inputs.append(y * self.mask[layer])", "self.inputs.append(y)"),
    "no projection": ('h_new = w["Wp"] @ m if', 'h_new = m[: len(w["Wp"])] if'),
}

BACKWARD = {
    "output gradient ignored": ("dy[t, b, columns] + dh", "dh"),
    "state gradient ignored": ("dy[t, b, columns] + dh", "dy[t, b, columns]"),
    "output_h_backprop ignored": (
        'dh0 = upstream["output_h_backprop"].copy()',
        'dh0 = 0 * upstream["output_h_backprop"]',
    ),
    "output_c_backprop ignored": (
        'dc0 = upstream["output_c_backprop"].copy()',
        'dc0 = 0 * upstream["output_c_backprop"]',
    ),
    "both directions see the forward half": (
        "w, g = net.weights[pl], grads[pl]",
        "w, g, columns = net.weights[pl], grads[pl], slice(0, net.h)",
    ),
    "upper layer's input gradient of one direction": (
        'dx[t, b] += w["W" + gate].T @ value',
        'dx[t, b] += (w["W" + gate].T @ value) * (pl % net.D == 0)',
    ),
    "no dropout going back": (
        "dy = dx * net.mask[layer - 1] if layer else dx",
        "dy = dx",
    ),
    "dropout mask on the recurrent side": (
        "net.inputs[layer][t, b])",
        "net.outputs[layer - 1][t, b] if layer else net.inputs[0][t, b])",
    ),
    "no derivative of the sigmoid": ('* s["i"] * (1 - s["i"])', ""),
    "no derivative of tanh": ('q * s["i"] * (1 - s["n"] ** 2)', 'q * s["i"]'),
    "no derivative of the output tanh": ('dm * s["o"] * (1 - tanh_c**2)', 'dm * s["o"]'),
    "dc without the forget gate": ('q * s["f"]\n', "q\n"),
    "forget gate with the new cell state": ('q * s["c_before"]', 'q * s["c"]'),
    "gru's direct path left out": ('d * s["z"]\n', 'd * 0\n'),
    "gru's recurrent biases like the input's": (
        'grads["bR" + g] += side[g]',
        'grads["bR" + g] += a[g]',
    ),
    "gru's recurrent matrix like the input's": ("np.outer(side[g]", "np.outer(a[g]"),
    "gru's reset not differentiated": ("a_r = a_n *", "a_r = 0 * a_n *"),
    "gru's u without its bias": ('"u": r["n"]}', '"u": r["n"] - w["bRn"]}'),
    "recurrent matrix from the new output": ('s["h_before"])\n        dh', 's["h"])\n        dh'),
    "relu's slope everywhere": ('(s["h"] > 0).astype(float)', 's["h"] * 0 + 1'),
    "no gradient of the projection": ('grads["Wp"] += np.outer(d, s["m"])', "pass"),
    "skip_input's gradient of one gate": ("dx[t, b] += value\n", "dx[t, b] = value\n"),
    "gradients of the mean over the batch": (
        "if layer else dx\n    return",
        "if layer else dx\n    params /= net.B\n    return",
    ),
}  # fmt: skip

MUTANTS = {"layout": LAYOUT, "forward": FORWARD, "backward": BACKWARD}


def rejects(golden: CudnnGolden, reference: dict[str, Any]) -> bool:
    """Whether a golden case tells a reference from the truth; failing outright does not count."""
    given = {**golden.inputs, **golden.attributes, "mask": golden.mask}
    try:
        results = reference["cudnn_rnn"](version=golden.version, **given)
        results |= reference["cudnn_rnn_backprop"](**given, **golden.select(*UPSTREAM))
    except (ValueError, IndexError, AssertionError, KeyError):
        return False
    return not all(
        results[name].shape == golden.arrays[name].shape
        and np.abs(results[name] - golden.arrays[name]).max(initial=0.0) < 1e-9
        for name in (*OUTPUTS, *GRADIENTS)
    )


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.meta["name"])
def test_goldens_accept_the_reference(golden: CudnnGolden) -> None:
    assert not rejects(golden, vars(cudnn_reference))


@pytest.mark.parametrize(("_", "old", "new"), parameters(MUTANTS))
def test_goldens_reject(_: str, old: str, new: str) -> None:
    names = mutant(cudnn_reference, old, new)
    with np.errstate(all="ignore"):
        assert any(rejects(golden, names) for golden in GOLDENS)
