#!/usr/bin/env bash
# TensorFlow 2.21.0: tf.nn.ctc_loss of dense labels gives a finite loss of about 707, with gradients,
# for labels that no path can have, such as four labels in three steps. The documentation names no
# such case; PyTorch gives infinity, or 0 with zero_infinity.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/pip" install -q tensorflow==2.21.0
cat > "$work/try.py" <<'PY'
import numpy as np
import tensorflow as tf

z = tf.Variable(np.zeros((3, 1, 5), np.float32))  # three steps, one row, five classes
with tf.GradientTape() as tape:
    loss = tf.nn.ctc_loss(np.array([[1, 2, 3, 4]]), z, [4], [3], blank_index=0)
gradient = np.abs(tape.gradient(loss, z)).max()
print("four labels in three steps: loss", loss.numpy(), "largest gradient", gradient)
assert 700 < loss.numpy()[0] < 720 and gradient > 0.1, "changed"
PY
"$work/venv/bin/python" "$work/try.py" 2> "$work/log" || { cat "$work/log"; exit 1; }
