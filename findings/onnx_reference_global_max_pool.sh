#!/usr/bin/env bash
# onnx 1.23.2: the reference implementation of GlobalMaxPool takes the maximum over channels too if
# there is a single axis behind them, and the result lacks an axis. It is right for images.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/pip" install -q onnx==1.23.2
cat > "$work/try.py" <<'PY'
import numpy as np
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

kind = helper.make_tensor_value_info
graph = helper.make_graph(
    [helper.make_node("GlobalMaxPool", ["x"], ["y"])],
    "pool",
    [kind("x", TensorProto.FLOAT, [1, 2, 3])],
    [kind("y", TensorProto.FLOAT, [1, 2, 1])],
)
x = np.array([[[1, 2, 3], [4, 5, 6]]], np.float32)
(y,) = ReferenceEvaluator(helper.make_model(graph)).run(None, {"x": x})
print("maxima of the channels: 3 and 6; result:", y.ravel(), "of shape", y.shape)
assert y.shape == (1, 1), "changed"
PY
"$work/venv/bin/python" "$work/try.py"
