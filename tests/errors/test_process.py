"""The process refuses what is out of range or of wrong sizes, and continues to work."""

from __future__ import annotations

import processes

SCRIPT = """
import numpy as np
import rnn_compiler as rc

T, B, I, H = 3, 2, 4, 5
f = np.float32
forward = dict(
    seq_len_max=T, x=np.ones((T, B, I), f), cs_prev=np.ones((B, H), f), h_prev=np.ones((B, H), f),
    w=np.ones((I + H, 4 * H), f), wci=np.ones(H, f), wcf=np.ones(H, f), wco=np.ones(H, f),
    b=np.ones(4 * H, f), use_peephole=True,
)
names = "i cs f o ci co h cs_grad h_grad".split()
backward = forward | {name: np.ones((T, B, H), f) for name in names}
module = rc.build(
    ["BlockLSTMV2", "BlockLSTMGradV2"],
    seq_length=T, batch_size=B, input_size=I, num_units=H, use_peephole=True,
)
program = rc.runtime.load(rc.compile(module, "cpu"))

def attempt(call, **wrong):
    for op, arguments in (("BlockLSTMV2", forward), ("BlockLSTMGradV2", backward)):
        if not wrong.keys() <= arguments.keys():
            continue
        try:
            call(op, arguments | wrong)
        except rc.errors.InvalidArgumentError:
            print("refused")
        else:
            print("ACCEPTED", op, {k: np.shape(v) for k, v in wrong.items()})

def raw(op, arguments):
    getattr(rc.raw_ops, op)(**arguments)

def run(op, arguments):
    function = program.block_lstm_v2 if op == "BlockLSTMV2" else program.block_lstm_grad_v2
    function(**{k: v for k, v in arguments.items() if k != "use_peephole"})

for call in (raw, run):
    for n in (-1, T + 1, 2**31, 2**63 - 1, -(2**63)):
        attempt(call, seq_len_max=n)
    attempt(call, cs_prev=f(1))
    attempt(call, cs_prev=np.ones(H, f), h_prev=np.ones(H, f))
    attempt(call, wci=np.ones(0, f), wcf=np.ones(0, f), wco=np.ones(0, f))
    attempt(call, w=np.ones((I + H, 4 * H - 1), f))
    attempt(call, w=np.ones((0, 0), f))
    attempt(call, x=np.ones((T, B, 0), f))
    attempt(call, x=np.ones((T, B, I, 1), f))
    for name in names:
        attempt(call, **{name: np.ones((1, 1, 1), f)})
        attempt(call, **{name: np.ones((T - 1, B, H), f)})
        attempt(call, **{name: np.ones((0, B, H), f)})
        attempt(call, **{name: f(1)})
for dims in (dict(num_units=2**31 - 1), dict(num_units=-1), dict(seq_length=2**63)):
    try:
        rc.build("BlockLSTMV2", **{**module.functions[0].dims, **dims})
    except rc.errors.InvalidArgumentError:
        print("refused")
h = program.block_lstm_v2(**{k: v for k, v in forward.items() if k != "use_peephole"}).h
print("alive", float(h[0, 0, 0]))
"""


def test_the_process_goes_on() -> None:
    done = processes.python(SCRIPT, flags=["-W", "error"])
    *attempts, last = done.stdout.splitlines()
    assert len(attempts) == 2 * (2 * 12 + 4 * 9) + 3
    assert set(attempts) == {"refused"}
    # Gates of 11 saturate: i = f = o = ci = 1, so cs = 1 + cs_prev and h = tanh(2).
    assert last.startswith("alive 0.9640")
