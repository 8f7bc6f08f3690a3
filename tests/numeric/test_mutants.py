"""The golden files reject every misreading of the semantics that we could think of.

Each mutant is the reference with one formula changed: at least one golden file of the op must
reject it. A few are also planted in the emitters, compiled and run, which shows that the compared
results are those of the emitted code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import reference
from cases import CASES
from goldens.golden import Arrays, read_goldens
from numeric.harness import module
from numeric.mutants import mutant, parameters

import rnn_compiler as rc
from rnn_compiler.lowering.ops.block import block_lstm
from rnn_compiler.lowering.ops.cells import lstm

pytestmark = pytest.mark.slow

_ORDER = '"IFCO": ("i", "f", "ci", "o")'
_LOOP = "for t in range(int(seq_len_max))"
_LOOP_BACK = "for t in reversed(range(int(seq_len_max)))"
_CARRY = 'cs, h = step["cs"], step["h"]'

LSTM_FORWARD = {
    "gates i, ci, f, o": (_ORDER, '"IFCO": ("i", "ci", "f", "o")'),
    "gates f, i, ci, o": (_ORDER, '"IFCO": ("f", "i", "ci", "o")'),
    "gates i, f, o, ci": (_ORDER, '"IFCO": ("i", "f", "o", "ci")'),
    "forget bias 1": ("forget_bias: float = 0.0", "forget_bias: float = 1.0"),
    "no bias": ("@ w + b", "@ w"),
    "rows of h first": (
        "_gates(np.concatenate([x, h_prev], 1)",
        "_gates(np.concatenate([h_prev, x], 1)",
    ),
    "h not carried": (_CARRY, 'cs = step["cs"]'),
    "cs not carried": (_CARRY, 'h = step["h"]'),
    "co carried for cs": (_CARRY, 'cs, h = step["co"], step["h"]'),
    "every step from cs 0": ("f * cs_prev\n    if", "f * cs_prev * 0\n    if"),
    "seq_len_max ignored": (_LOOP, "for t in range(len(x))"),
    "one step too few": (_LOOP, "for t in range(int(seq_len_max) - 1)"),
    "time reversed": (_LOOP, "for t in range(int(seq_len_max))[::-1]"),
    "last row repeated": ("rows[name][t] = ", "rows[name][t:] = "),
    "no peephole before": ('if use_peephole:\n        z["i"]', 'if False:\n        z["i"]'),
    "no peephole wci": ("+ cs_prev * wci", ""),
    "no peephole wcf": ("+ cs_prev * wcf", ""),
    "no peephole wco": ("+ cs * wco", ""),
    "wci and wcf swapped": ("x, cs, h, w, wci, wcf, wco, b = ", "x, cs, h, w, wcf, wci, wco, b = "),
    "wco on the previous cs": ("+ cs * wco", "+ cs_prev * wco"),
    "wco on the unclipped cs": ("+ cs * wco", "+ (i * ci + f * cs_prev) * wco"),
    "wci on h": ("+ cs_prev * wci", "+ h_prev * wci"),
    "peephole without asking": ('if use_peephole:\n        z["i"]', 'if True:\n        z["i"]'),
    "no clip": ("if cell_clip > 0:", "if False:"),
    "clip of 0 clips": ("if cell_clip > 0:", "if cell_clip >= 0:"),
    "negative clip clips": ("if cell_clip > 0:", "cell_clip = abs(cell_clip)\n    if cell_clip:"),
    "clip above only": ("np.maximum(cs, -cell_clip)", "cs"),
    "co before the clip": ("co = np.tanh(cs)", "co = np.tanh(i * ci + f * cs_prev)"),
    "h from cs": ("h = o * co", "h = o * cs"),
    "gates saved before the sigmoid": ('"o": o,', '"o": z["o"],'),
}

LSTM_BACKWARD = {
    "gates i, ci, f, o": (_ORDER, '"IFCO": ("i", "ci", "f", "o")'),
    "dc not carried": ("dc = dc + cs_grad[t]", "dc = cs_grad[t]"),
    "dh not carried": ("dh = dh + h_grad[t]", "dh = h_grad[t]"),
    "cs_grad ignored": ("dc = dc + cs_grad[t]", "pass"),
    "h_grad ignored": ("dh = dh + h_grad[t]", "pass"),
    "cs_grad of the last step only": (
        "dc + cs_grad[t]",
        "dc + cs_grad[t] * (t == int(seq_len_max) - 1)",
    ),
    "h_grad of the last step only": (
        "dh + h_grad[t]",
        "dh + h_grad[t] * (t == int(seq_len_max) - 1)",
    ),
    "seq_len_max ignored": (_LOOP_BACK, "for t in reversed(range(len(x)))"),
    "first step left out": (_LOOP_BACK, "for t in reversed(range(1, int(seq_len_max)))"),
    "time reversed": (_LOOP_BACK, _LOOP),
    "padding multiplied by 0": ('"w_grad": w', '"w_grad": 0 * x[int(seq_len_max) :].sum() + w'),
    "cs before the first step is 0": ("else cs_first", "else 0 * cs_first"),
    "h before the first step is 0": ("else h_first", "else 0 * h_first"),
    "the current cs for the one before": ("co[t], cs_before", "co[t], cs[t]"),
    "clip differentiated": (
        "dcs = (1 - co * co) * h_grad * o + cs_grad",
        "dcs = ((1 - co * co) * h_grad * o + cs_grad) * (abs(abs(co) - np.tanh(0.5)) > 1e-6)",
    ),
    "no derivative of the sigmoid": ("do = o * (1 - o) *", "do ="),
    "no derivative of tanh": ("dci = (1 - ci * ci) *", "dci ="),
    "no derivative of the output tanh": ("(1 - co * co) *", ""),
    "co for ci": ("di = i * (1 - i) * dcs * ci", "di = i * (1 - i) * dcs * co"),
    "w_grad from the current h": ("[x[t], h_before]", "[x[t], h[t]]"),
    "w_grad of one step": ("w_grad += ", "w_grad = "),
    "w_grad mean over the batch": (
        "h_before], 1).T @ dgates",
        "h_before], 1).T @ dgates / len(dh)",
    ),
    "b_grad mean over the batch": ("dgates.sum(0)", "dgates.mean(0)"),
    "b_grad of one step": ("b_grad += ", "b_grad = "),
    "no peephole": ("dc, dh, wci, wcf, wco, use_peephole\n", "dc, dh, wci, wcf, wco, False\n"),
    "no peephole gradients": ("if use_peephole:\n            w", "if False:\n            w"),
    "peephole gradients without asking": (
        "if use_peephole:\n            w",
        "if True:\n            w",
    ),
    "dcs without wco": ("dcs = dcs + do * wco", "pass"),
    "cs_prev_grad without wci": ("+ di * wci", ""),
    "cs_prev_grad without wcf": ("+ df * wcf", ""),
    "cs_prev_grad with peephole twice": ("+ di * wci + df * wcf", "+ 2 * (di * wci + df * wcf)"),
    "wci_grad from the current cs": ('["i"] * cs_before', '["i"] * cs[t]'),
    "wcf_grad from the current cs": ('["f"] * cs_before', '["f"] * cs[t]'),
    "wco_grad from the cs before": ('["o"] * cs[t]', '["o"] * cs_before'),
}

LSTM_V1 = {
    "no forget bias": ('z["f"] = z["f"] + forget_bias', "pass"),
    "forget bias on every gate": ("@ w + b, gate_order)", "@ w + b + forget_bias, gate_order)"),
    "gates i, f, ci, o": ('"ICFO": ("i", "ci", "f", "o")', '"ICFO": ("i", "f", "ci", "o")'),
    "no clip": ("if cell_clip > 0:", "if False:"),
}

LSTM_CELL_BACKWARD = {
    "dicfo in the order i, f, ci, o": (
        '"ICFO": ("i", "ci", "f", "o")',
        '"ICFO": ("i", "f", "ci", "o")',
    ),
    "peephole added twice": ("+ di * wci + df * wcf", "+ 2 * (di * wci + df * wcf)"),
    "wco_grad from the cs before": ('(gates["o"] * cs).sum(0)', '(gates["o"] * cs_prev).sum(0)'),
    "cs_grad ignored": ("(1 - co * co) * h_grad * o + cs_grad", "(1 - co * co) * h_grad * o"),
}

GRU_FORWARD = {
    "r and u swapped": ("r, u = np.split", "u, r = np.split"),
    "reset after the product": (
        "c = np.tanh(np.concatenate([x, r * h_prev], 1)",
        "c = np.tanh(np.concatenate([x, h_prev], 1)",
    ),
    "u the other way round": ("u * h_prev + (1 - u) * c", "(1 - u) * h_prev + u * c"),
    "no bias of the candidate": ("@ w_c + b_c", "@ w_c"),
    "sigmoid for tanh": ("c = np.tanh(", "c = _sigmoid("),
}

GRU_BACKWARD = {
    "no d_h in the last term": ("+ d_hr * r + d_h * u,", "+ d_hr * r + u,"),
    "h for h_prev": (
        "d_h * (h_prev - c) * u * (1 - u)",
        "d_h * (u * h_prev + (1 - u) * c - c) * u * (1 - u)",
    ),
    "blocks swapped": (
        "np.concatenate([d_r_bar, d_u_bar], 1)",
        "np.concatenate([d_u_bar, d_r_bar], 1)",
    ),
    "no derivative of tanh": ("(1 - u) * (1 - c * c)", "(1 - u)"),
    "reset not differentiated": ("+ d_hr * r +", "+ d_hr +"),
    "d_x from the gates alone": ("d_xc[:, :inputs] + ", ""),
}

MUTANTS = {
    "BlockLSTMV2": LSTM_FORWARD,
    "BlockLSTMGradV2": LSTM_BACKWARD,
    "BlockLSTM": LSTM_V1,
    "LSTMBlockCell": LSTM_V1,
    "LSTMBlockCellGrad": LSTM_CELL_BACKWARD,
    "GRUBlockCell": GRU_FORWARD,
    "GRUBlockCellGrad": GRU_BACKWARD,
}


def mutate(op: str, old: str, new: str) -> Callable[..., Arrays]:
    """An op's reference with one piece of the source of `reference` replaced."""
    names = mutant(reference, old, new)
    original = CASES[op].reference
    if not isinstance(original, functools.partial):
        return names[original.__name__]
    return functools.partial(names[original.func.__name__], **original.keywords)


def rejected(op: str, run: Callable[..., Arrays]) -> list[str]:
    """The golden files that an implementation of an op does not match."""
    found: list[str] = []
    for golden in read_goldens(op):
        results = run(**golden.inputs, **golden.attributes)
        try:
            golden.assert_matches(results)
        except AssertionError:
            found.append(golden.path.stem)
    return found


@pytest.mark.parametrize("op", CASES)
def test_goldens_accept_the_reference(op: str) -> None:
    assert rejected(op, CASES[op].reference) == []


@pytest.mark.parametrize(("op", "old", "new"), parameters(MUTANTS))
def test_goldens_reject(op: str, old: str, new: str) -> None:
    assert rejected(op, mutate(op, old, new))


def _gate_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(lstm.GATE_ORDERS, "IFCO", lstm.GATE_ORDERS["ICFO"])


def _clip_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    right = lstm.forward

    def forward(*args: Any, cell_clip: float, **keywords: Any) -> Any:
        return right(*args, cell_clip=0.0, **keywords)

    monkeypatch.setattr(lstm, "forward", forward)


def _seq_len_max_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    right = block_lstm.time_loop

    def time_loop(b: Any, name: str, *, length: Any, outputs: Any, **keywords: Any) -> Any:
        (T, *_), _ = next(iter(outputs.values()))
        return right(b, name, length=b.constant(T, "int64"), outputs=outputs, **keywords)

    monkeypatch.setattr(block_lstm, "time_loop", time_loop)


def _dc_not_carried(monkeypatch: pytest.MonkeyPatch) -> None:
    right = lstm.backward

    def backward(*args: Any) -> Any:
        gates, dc = right(*args)
        return gates, dc * 0.0

    monkeypatch.setattr(lstm, "backward", backward)


@pytest.mark.parametrize(
    ("op", "plant"),
    [
        ("BlockLSTMV2", _gate_order),
        ("BlockLSTMV2", _clip_ignored),
        ("BlockLSTMV2", _seq_len_max_ignored),
        ("BlockLSTMGradV2", _dc_not_carried),
    ],
)
def test_goldens_reject_the_compiled(
    op: str, plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The largest golden file of the op: peephole, clip, and one step less than there are rows."""
    monkeypatch.setenv("RNN_COMPILER_CACHE", "off")
    golden = max(read_goldens(op), key=lambda golden: golden.inputs["x"].shape)
    plant(monkeypatch)
    artifact = rc.compile(module(golden.op, golden.dtype, golden.variant))
    results = rc.runtime.load(artifact)(**golden.inputs)
    with pytest.raises(AssertionError, match=r"error|not 0"):
        golden.assert_matches(results._asdict())
