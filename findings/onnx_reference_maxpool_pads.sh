#!/usr/bin/env bash
# onnx 1.23.2: `ReferenceEvaluator` reads the `pads` of a MaxPool of two axes as begin and end of
# each axis in turn. ONNX defines all begins before all ends, as AveragePool of the same evaluator,
# shape inference and ONNX Runtime 1.32.0 read them. With one-sided padding the result has another
# shape; with pads (1, 0, 1, 2) for a 5 x 6 image and windows of 3 x 3 it is 4 x 7 instead of 5 x 6.
# Equal padding on both sides of both axes hides it.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q onnx==1.23.2 onnxruntime==1.32.0 numpy
cat > "$work/try.py" <<'PY'
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

image = np.arange(30, dtype=np.float32).reshape(1, 1, 5, 6)
seen = {}
for operator in ("MaxPool", "AveragePool"):
    node = helper.make_node(operator, ["x"], ["y"], kernel_shape=[3, 3], pads=[1, 0, 1, 2])
    graph = helper.make_graph(
        [node],
        "pool",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, image.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    inferred = onnx.shape_inference.infer_shapes(model).graph.output[0].type.tensor_type.shape
    session = onnxruntime.InferenceSession(model.SerializeToString())
    seen[operator] = (
        tuple(axis.dim_value for axis in inferred.dim),
        session.run(None, {"x": image})[0].shape,
        ReferenceEvaluator(model).run(None, {"x": image})[0].shape,
    )
    print(operator, "inferred, ONNX Runtime, reference:", *seen[operator])
right, other = (1, 1, 5, 6), (1, 1, 4, 7)
assert seen["AveragePool"] == (right, right, right), seen
assert seen["MaxPool"] == (right, right, other), seen
print("as described")
PY
"$work/venv/bin/python" "$work/try.py"
