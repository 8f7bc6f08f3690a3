"""The ops in float64 numpy, as plain as their formulas: the expected results of compiled modules.

Nothing here is shared with the lowering: the formulas are written down a second time, from the
definition of TensorFlow's kernels (tensorflow/core/kernels/rnn/lstm_ops.h and lstm_ops.cc).

An op's function takes its tensors and attributes by their TensorFlow names and gives its results
in a dict, all float64. Rows of sequences past `seq_len_max` are never read, and are 0 in results.
The blocks of the 4H axis of ``w``, ``b`` and the gate gradients come in one of two orders: that of
the V2 ops, IFCO, or that of all others, ICFO; "C" is ``ci``, the cell input.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Results = dict[str, Array]

GATE_ORDERS = {
    "ICFO": ("i", "ci", "f", "o"),
    "IFCO": ("i", "f", "ci", "o"),
}


def block_lstm(
    *,
    seq_len_max: npt.ArrayLike,
    x: npt.ArrayLike,
    cs_prev: npt.ArrayLike,
    h_prev: npt.ArrayLike,
    w: npt.ArrayLike,
    wci: npt.ArrayLike,
    wcf: npt.ArrayLike,
    wco: npt.ArrayLike,
    b: npt.ArrayLike,
    gate_order: str,
    cell_clip: float = 0.0,
    use_peephole: bool = False,
    forget_bias: float = 0.0,
) -> Results:
    """An LSTM over the first `seq_len_max` steps of a sequence ``x[T, B, I]``."""
    x, cs, h, w, wci, wcf, wco, b = _float64(x, cs_prev, h_prev, w, wci, wcf, wco, b)
    names = ("i", "cs", "f", "o", "ci", "co", "h")
    rows = {name: np.zeros((len(x), *cs.shape)) for name in names}
    for t in range(int(seq_len_max)):
        step = _lstm_step(
            x[t], cs, h, w, wci, wcf, wco, b, gate_order, cell_clip, use_peephole, forget_bias
        )
        for name in names:
            rows[name][t] = step[name]
        cs, h = step["cs"], step["h"]
    return rows


def _lstm_step(
    x: Array,
    cs_prev: Array,
    h_prev: Array,
    w: Array,
    wci: Array,
    wcf: Array,
    wco: Array,
    b: Array,
    gate_order: str,
    cell_clip: float,
    use_peephole: bool,
    forget_bias: float,
) -> Results:
    z = _gates(np.concatenate([x, h_prev], 1) @ w + b, gate_order)
    z["f"] = z["f"] + forget_bias
    if use_peephole:
        z["i"] = z["i"] + cs_prev * wci
        z["f"] = z["f"] + cs_prev * wcf
    i = _sigmoid(z["i"])
    ci = np.tanh(z["ci"])
    f = _sigmoid(z["f"])
    cs = i * ci + f * cs_prev
    if cell_clip > 0:
        cs = np.minimum(np.maximum(cs, -cell_clip), cell_clip)
    co = np.tanh(cs)
    if use_peephole:
        z["o"] = z["o"] + cs * wco
    o = _sigmoid(z["o"])
    h = o * co
    return {"i": i, "cs": cs, "f": f, "o": o, "ci": ci, "co": co, "h": h}


def block_lstm_grad(
    *,
    seq_len_max: npt.ArrayLike,
    x: npt.ArrayLike,
    cs_prev: npt.ArrayLike,
    h_prev: npt.ArrayLike,
    w: npt.ArrayLike,
    wci: npt.ArrayLike,
    wcf: npt.ArrayLike,
    wco: npt.ArrayLike,
    b: npt.ArrayLike,
    gate_order: str,
    use_peephole: bool,
    cs_grad: npt.ArrayLike,
    h_grad: npt.ArrayLike,
    **activations: npt.ArrayLike,
) -> Results:
    """Gradient of `block_lstm`, from its results (`activations`), clipping taken as identity."""
    x, cs_first, h_first, w, wci, wcf, wco = _float64(x, cs_prev, h_prev, w, wci, wcf, wco)
    cs_grad, h_grad = _float64(cs_grad, h_grad)
    i, cs, f, o, ci, co, h = _float64(
        *(activations[name] for name in ("i", "cs", "f", "o", "ci", "co", "h"))
    )
    inputs = x.shape[2]
    x_grad, w_grad, b_grad = np.zeros_like(x), np.zeros_like(w), np.zeros(np.shape(b))
    wci_grad, wcf_grad, wco_grad = np.zeros_like(wci), np.zeros_like(wcf), np.zeros_like(wco)
    dc, dh = np.zeros_like(cs_first), np.zeros_like(h_first)
    for t in reversed(range(int(seq_len_max))):
        cs_before = cs[t - 1] if t > 0 else cs_first
        h_before = h[t - 1] if t > 0 else h_first
        dc = dc + cs_grad[t]
        dh = dh + h_grad[t]
        gate_grads, dc = _lstm_step_grad(
            i[t], f[t], o[t], ci[t], co[t], cs_before, dc, dh, wci, wcf, wco, use_peephole
        )
        dgates = np.concatenate([gate_grads[gate] for gate in GATE_ORDERS[gate_order]], 1)
        xh_grad = dgates @ w.T
        x_grad[t], dh = xh_grad[:, :inputs], xh_grad[:, inputs:]
        w_grad += np.concatenate([x[t], h_before], 1).T @ dgates
        b_grad += dgates.sum(0)
        if use_peephole:
            wci_grad += (gate_grads["i"] * cs_before).sum(0)
            wcf_grad += (gate_grads["f"] * cs_before).sum(0)
            wco_grad += (gate_grads["o"] * cs[t]).sum(0)
    return {
        "x_grad": x_grad,
        "cs_prev_grad": dc,
        "h_prev_grad": dh,
        "w_grad": w_grad,
        "wci_grad": wci_grad,
        "wcf_grad": wcf_grad,
        "wco_grad": wco_grad,
        "b_grad": b_grad,
    }


def _lstm_step_grad(
    i: Array,
    f: Array,
    o: Array,
    ci: Array,
    co: Array,
    cs_prev: Array,
    cs_grad: Array,
    h_grad: Array,
    wci: Array,
    wcf: Array,
    wco: Array,
    use_peephole: bool,
) -> tuple[Results, Array]:
    """Gradients of one step's pre-activations by gate, and of the cell state before it."""
    do = o * (1 - o) * h_grad * co
    dcs = (1 - co * co) * h_grad * o + cs_grad
    if use_peephole:
        dcs = dcs + do * wco
    dci = (1 - ci * ci) * dcs * i
    df = f * (1 - f) * dcs * cs_prev
    di = i * (1 - i) * dcs * ci
    cs_prev_grad = dcs * f
    if use_peephole:
        cs_prev_grad = cs_prev_grad + di * wci + df * wcf
    return {"i": di, "ci": dci, "f": df, "o": do}, cs_prev_grad


def lstm_block_cell(
    *,
    x: npt.ArrayLike,
    cs_prev: npt.ArrayLike,
    h_prev: npt.ArrayLike,
    w: npt.ArrayLike,
    wci: npt.ArrayLike,
    wcf: npt.ArrayLike,
    wco: npt.ArrayLike,
    b: npt.ArrayLike,
    forget_bias: float,
    cell_clip: float,
    use_peephole: bool,
) -> Results:
    """One step of an LSTM, gate order ICFO."""
    tensors = _float64(x, cs_prev, h_prev, w, wci, wcf, wco, b)
    return _lstm_step(*tensors, "ICFO", cell_clip, use_peephole, forget_bias)


def lstm_block_cell_grad(
    *,
    cs_prev: npt.ArrayLike,
    wci: npt.ArrayLike,
    wcf: npt.ArrayLike,
    wco: npt.ArrayLike,
    i: npt.ArrayLike,
    cs: npt.ArrayLike,
    f: npt.ArrayLike,
    o: npt.ArrayLike,
    ci: npt.ArrayLike,
    co: npt.ArrayLike,
    cs_grad: npt.ArrayLike,
    h_grad: npt.ArrayLike,
    use_peephole: bool,
    **unread: npt.ArrayLike,
) -> Results:
    """Gradient of `lstm_block_cell` with respect to its gates, cell state and peepholes."""
    assert unread.keys() == {"x", "h_prev", "w", "b"}
    cs_prev, cs, wci, wcf, wco = _float64(cs_prev, cs, wci, wcf, wco)
    activations = _float64(i, f, o, ci, co)
    gates, cs_prev_grad = _lstm_step_grad(
        *activations, cs_prev, *_float64(cs_grad, h_grad), wci, wcf, wco, use_peephole
    )
    return {
        "cs_prev_grad": cs_prev_grad,
        "dicfo": np.concatenate([gates[gate] for gate in GATE_ORDERS["ICFO"]], 1),
        "wci_grad": (gates["i"] * cs_prev).sum(0) * use_peephole,
        "wcf_grad": (gates["f"] * cs_prev).sum(0) * use_peephole,
        "wco_grad": (gates["o"] * cs).sum(0) * use_peephole,
    }


def lstm_block_cell_parameter_grad(
    *, x: npt.ArrayLike, h_prev: npt.ArrayLike, w: npt.ArrayLike, dicfo: npt.ArrayLike
) -> Results:
    """The gradients of `lstm_block_cell` that follow from that of its gates."""
    x, h_prev, w, dicfo = _float64(x, h_prev, w, dicfo)
    return {
        "x_grad": dicfo @ w[: x.shape[1]].T,
        "h_prev_grad": dicfo @ w[x.shape[1] :].T,
        "w_grad": np.concatenate([x, h_prev], 1).T @ dicfo,
        "b_grad": dicfo.sum(0),
    }


def gru_block_cell(
    *,
    x: npt.ArrayLike,
    h_prev: npt.ArrayLike,
    w_ru: npt.ArrayLike,
    w_c: npt.ArrayLike,
    b_ru: npt.ArrayLike,
    b_c: npt.ArrayLike,
) -> Results:
    """One step of a GRU."""
    x, h_prev, w_ru, w_c, b_ru, b_c = _float64(x, h_prev, w_ru, w_c, b_ru, b_c)
    r, u = np.split(_sigmoid(np.concatenate([x, h_prev], 1) @ w_ru + b_ru), 2, axis=1)
    c = np.tanh(np.concatenate([x, r * h_prev], 1) @ w_c + b_c)
    return {"r": r, "u": u, "c": c, "h": u * h_prev + (1 - u) * c}


def gru_block_cell_grad(
    *,
    x: npt.ArrayLike,
    h_prev: npt.ArrayLike,
    w_ru: npt.ArrayLike,
    w_c: npt.ArrayLike,
    r: npt.ArrayLike,
    u: npt.ArrayLike,
    c: npt.ArrayLike,
    d_h: npt.ArrayLike,
    **unread: npt.ArrayLike,
) -> Results:
    """Gradient of `gru_block_cell` with respect to its input, state and gates."""
    assert unread.keys() == {"b_ru", "b_c"}
    h_prev, w_ru, w_c, r, u, c, d_h = _float64(h_prev, w_ru, w_c, r, u, c, d_h)
    inputs = np.shape(x)[1]
    d_c_bar = d_h * (1 - u) * (1 - c * c)
    d_u_bar = d_h * (h_prev - c) * u * (1 - u)
    d_xc = d_c_bar @ w_c.T
    d_hr = d_xc[:, inputs:]
    d_r_bar = d_hr * h_prev * r * (1 - r)
    d_r_bar_u_bar = np.concatenate([d_r_bar, d_u_bar], 1)
    d_xru = d_r_bar_u_bar @ w_ru.T
    return {
        "d_x": d_xc[:, :inputs] + d_xru[:, :inputs],
        "d_h_prev": d_xru[:, inputs:] + d_hr * r + d_h * u,
        "d_c_bar": d_c_bar,
        "d_r_bar_u_bar": d_r_bar_u_bar,
    }


def gru_block_cell_parameter_grad(
    *,
    x: npt.ArrayLike,
    h_prev: npt.ArrayLike,
    r: npt.ArrayLike,
    d_c_bar: npt.ArrayLike,
    d_r_bar_u_bar: npt.ArrayLike,
) -> Results:
    """The gradients of `gru_block_cell` that follow from those of its gates."""
    x, h_prev, r, d_c_bar, d_r_bar_u_bar = _float64(x, h_prev, r, d_c_bar, d_r_bar_u_bar)
    return {
        "d_w_ru": np.concatenate([x, h_prev], 1).T @ d_r_bar_u_bar,
        "d_w_c": np.concatenate([x, r * h_prev], 1).T @ d_c_bar,
        "d_b_ru": d_r_bar_u_bar.sum(0),
        "d_b_c": d_c_bar.sum(0),
    }


def _gates(z: Array, gate_order: str) -> Results:
    return dict(zip(GATE_ORDERS[gate_order], np.split(z, 4, axis=1), strict=True))


def _sigmoid(z: Array) -> Array:
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-z))


def _float64(*arrays: Any) -> list[Array]:
    return [np.asarray(array, np.float64) for array in arrays]
