#!/usr/bin/env bash
# Chainer 7.8.1: StatefulGRU without a state is not StatefulGRU with a state of zeros. Its first step
# leaves out U(h) with its bias, so numbers differ from then on. StatelessGRU does not do this.
# Needs Python 3.8 (PYTHON names it), which is the newest that this version installs on.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3.8}" -m venv "$work/venv"
"$work/venv/bin/pip" install -q chainer==7.8.1 "numpy<1.24"
cat > "$work/try.py" <<'PY'
import chainer
import numpy as np

rng = np.random.RandomState(0)
link = chainer.links.StatefulGRU(2, 3)
for parameter in link.params():
    parameter.array[...] = rng.normal(0, 1, parameter.shape)
x = rng.normal(0, 1, (4, 1, 2)).astype(np.float32)
without = [link(each).array for each in x]
link.reset_state()
link.set_state(chainer.Variable(np.zeros((1, 3), np.float32)))
zeros = [link(each).array for each in x]
stateless = chainer.links.StatelessGRU(2, 3)
stateless.copyparams(link)
h, plain = np.zeros((1, 3), np.float32), []
for each in x:
    h = stateless(h, each)
    plain.append(h.array)
difference = [float(np.abs(a - b).max()) for a, b in zip(without, zeros)]
print("no state against a state of zeros, step by step:", np.round(difference, 3))
print("a state of zeros against StatelessGRU:", np.abs(np.array(zeros) - np.array(plain)).max())
assert difference[0] > 0.05 and np.allclose(zeros, plain, atol=1e-6), "changed"
PY
"$work/venv/bin/python" "$work/try.py"
