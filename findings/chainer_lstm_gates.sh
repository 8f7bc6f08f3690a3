#!/usr/bin/env bash
# Chainer 7.8.1: the documentation of n_step_lstm says that W_2 is the output gate and W_3 the new
# value a. The function computes the opposite: W_2 is a, and W_3 the output gate.
# Needs Python 3.8 (PYTHON names it), which is the newest that this version installs on.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3.8}" -m venv "$work/venv"
"$work/venv/bin/pip" install -q chainer==7.8.1 "numpy<1.24"
cat > "$work/try.py" <<'PY'
import warnings

import chainer
import numpy as np

rng = np.random.RandomState(0)
link = chainer.links.NStepLSTM(1, 2, 3, 0.0)
(layer,) = link
for parameter in layer.params():
    parameter.array[...] = rng.normal(0, 1, parameter.shape)
w = [getattr(layer, "w%d" % k).array for k in range(8)]
b = [getattr(layer, "b%d" % k).array for k in range(8)]
x = rng.normal(0, 1, (4, 2)).astype(np.float32)
with chainer.using_config("train", False), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    y = link(None, None, [x])[2][0].array


def formula(output, new):
    """The formula of the documentation, with these numbers for the gates o and a."""
    h, c, rows = np.zeros(3), np.zeros(3), []
    sigmoid = lambda v: 1 / (1 + np.exp(-v))
    for each in x:
        i, f, o, a = (w[k] @ each + w[k + 4] @ h + b[k] + b[k + 4] for k in (0, 1, output, new))
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(a)
        h = sigmoid(o) * np.tanh(c)
        rows.append(h)
    return np.abs(np.stack(rows) - y).max()


text = chainer.functions.n_step_lstm.__doc__
said = "o_t &= \\sigma(W_2 x_t" in text.replace("\\\\", "\\")
print("the documentation says that o is W_2:", said)
print("o = W_2, a = W_3, as documented: off by %.2f" % formula(2, 3))
print("o = W_3, a = W_2:                off by %.1e" % formula(3, 2))
assert said and formula(2, 3) > 0.1 and formula(3, 2) < 1e-5, "changed"
PY
"$work/venv/bin/python" "$work/try.py"
