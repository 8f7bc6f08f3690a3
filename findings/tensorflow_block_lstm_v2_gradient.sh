#!/usr/bin/env bash
# tensorflow 2.21.0: the gradient that tf.GradientTape has for tf.raw_ops.BlockLSTMV2 is that of BlockLSTM, whose
# gates are in another order (i, c, f, o instead of i, f, c, o). So the gradients of w and b that belong to the
# forget gate and to the new cell value are computed as those of each other, without a word. BlockLSTMGradV2, called by
# its name, is right: it agrees with differences of the loss.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/pip" install -q tensorflow-cpu==2.21.0
cat > "$work/try.py" <<'PY'
import numpy as np
import tensorflow as tf

T, B, I, H = 5, 2, 3, 1
random = np.random.default_rng(0)
numbers = lambda *shape: tf.constant(random.normal(0, 0.7, shape), tf.float32)
x, w, b, zero, none = numbers(T, B, I), numbers(I + H, 4 * H), numbers(4 * H), tf.zeros((B, H)), tf.zeros(H)
given = dict(seq_len_max=tf.constant(T, tf.int64), x=x, cs_prev=zero, h_prev=zero, w=w, wci=none, wcf=none, wco=none)


def run(b):
    return tf.raw_ops.BlockLSTMV2(**given, b=b, cell_clip=0.0, use_peephole=False)


loss = lambda b: tf.reduce_sum(run(b).h)
with tf.GradientTape() as tape:
    tape.watch(b)
    value = loss(b)
tape_says = tape.gradient(value, b).numpy()
made = run(b)._asdict()
by_name = tf.raw_ops.BlockLSTMGradV2(
    **given, b=b, **made, cs_grad=tf.zeros_like(made["cs"]), h_grad=tf.ones_like(made["h"]), use_peephole=False
).b_grad.numpy()
steps = 1e-2 * np.eye(4 * H, dtype=np.float32)
differences = np.array([(loss(b + each) - loss(b - each)) / 2e-2 for each in steps])
print("differences    ", differences.round(3))
print("BlockLSTMGradV2", by_name.round(3))
print("GradientTape   ", tape_says.round(3))
assert np.allclose(by_name, differences, atol=2e-3), "changed"
assert not np.allclose(tape_says, differences, atol=2e-2), "changed"
PY
TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES="" "$work/venv/bin/python" "$work/try.py" 2>/dev/null
