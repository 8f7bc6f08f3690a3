#!/usr/bin/env bash
# Lasagne 0.1, the only release: LSTMLayer adds the peephole of its output gate after the gate's
# sigmoid, so the gate is not between 0 and 1. (Peepholes are on by default; the sources that were
# never released add it before, as the layer's documentation says.)
# Needs Python 3.7 (PYTHON names it) for Theano 1.0.5.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3.7}" -m venv "$work/venv"
"$work/venv/bin/pip" install -q lasagne==0.1 theano==1.0.5 "numpy==1.19.5" "scipy<1.6"
cat > "$work/try.py" <<'PY'
import sys

import numpy as np
import theano
from theano.tensor.signal import pool

sys.modules["theano.tensor.signal.downsample"] = pool  # its name when Lasagne 0.1 was written
theano.tensor.signal.downsample = pool
import lasagne

rng = np.random.RandomState(0)
variable = theano.tensor.tensor3("x", dtype="float64")
layer = lasagne.layers.LSTMLayer(lasagne.layers.InputLayer((None, None, 2), variable), 3)
p = {}
for parameter in layer.get_params():
    if not parameter.name.endswith("_init"):
        parameter.set_value(rng.normal(0, 1, parameter.get_value().shape))
    p[parameter.name] = parameter.get_value()
x = rng.normal(0, 1, (1, 5, 2))
y = theano.function([variable], lasagne.layers.get_output(layer))(x)[0]
sigmoid = lambda v: 1 / (1 + np.exp(-v))


def formula(after):
    h, c, rows = np.zeros(3), np.zeros(3), []
    for each in x[0]:
        gate = lambda name: each @ p["W_in_to_" + name] + h @ p["W_hid_to_" + name] + p["b_" + name]
        i = sigmoid(gate("ingate") + c * p["W_cell_to_ingate"])
        f = sigmoid(gate("forgetgate") + c * p["W_cell_to_forgetgate"])
        c = f * c + i * np.tanh(gate("cell"))
        peephole = c * p["W_cell_to_outgate"]
        o = sigmoid(gate("outgate")) + peephole if after else sigmoid(gate("outgate") + peephole)
        h = o * np.tanh(c)
        rows.append(h)
    return np.abs(np.stack(rows) - y).max()


print("added before the sigmoid: off by %.2f" % formula(False))
print("added after the sigmoid:  off by %.1e" % formula(True))
assert formula(False) > 0.1 and formula(True) < 1e-10, "changed"
PY
THEANO_FLAGS=device=cpu,cxx=,floatX=float64,optimizer=fast_compile "$work/venv/bin/python" "$work/try.py"
