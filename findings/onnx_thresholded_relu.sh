#!/usr/bin/env bash
# ONNX defines ThresholdedRelu twice (onnx 1.23.2): as the activation of RNN, GRU and LSTM it keeps a
# number that equals alpha, as an operator it does not. ONNX Runtime 1.32.0 computes the layers by the
# definition of the operator, so an RNN whose sum is exactly alpha gives 0 where ONNX says alpha.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q onnx==1.23.2 onnxruntime==1.32.0 numpy
cat >"$work/try.py" <<'END'
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

layer = onnx.defs.get_schema("RNN").doc
operator = " ".join(onnx.defs.get_schema("ThresholdedRelu").doc.split())
assert "x if x >= alpha else 0" in layer and "y = x for x > alpha" in operator, "changed"

x = np.array([0.5, 1.0, 1.5], np.float32).reshape(3, 1, 1)
node = helper.make_node(
    "RNN", ["x", "w", "r"], ["y"], hidden_size=1,
    activations=["ThresholdedRelu"], activation_alpha=[1.0],
)
graph = helper.make_graph(
    [node],
    "layer",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    [
        helper.make_tensor("w", TensorProto.FLOAT, [1, 1, 1], [1.0]),
        helper.make_tensor("r", TensorProto.FLOAT, [1, 1, 1], [0.0]),
    ],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
y = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0].ravel()
print("x", x.ravel(), "alpha 1, ONNX Runtime", y, "ONNX", np.where(x >= 1, x, 0).ravel())
assert y.tolist() == [0, 0, 1.5], "changed"
END
"$work/venv/bin/python" "$work/try.py"
