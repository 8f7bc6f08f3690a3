#!/usr/bin/env bash
# onnx 1.23.2: the version converter turns Upsample of opset 9 into a Resize without
# coordinate_transformation_mode. Upsample reads its input from the corners ("asymmetric"), but the
# default of Resize is "half_pixel", so the converted model computes other numbers, without a word.
# ONNX Runtime 1.27.0 is the judge of both models.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q onnx==1.23.2 onnxruntime==1.27.0 numpy
cat > "$work/try.py" <<'PY'
import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper, version_converter

FLOAT = TensorProto.FLOAT
node = helper.make_node("Upsample", ["x", "scales"], ["y"], mode="linear")
graph = helper.make_graph(
    [node],
    "g",
    [helper.make_tensor_value_info("x", FLOAT, [1, 1, 1, 3])],
    [helper.make_tensor_value_info("y", FLOAT, [1, 1, 1, 6])],
    [numpy_helper.from_array(np.array([1, 1, 1, 2], np.float32), "scales")],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=4)
converted = version_converter.convert_version(model, 17)
(made,) = [each for each in converted.graph.node if each.op_type == "Resize"]
attributes = {each.name for each in made.attribute}


def run(each):
    each.ir_version = min(each.ir_version, 10)
    session = onnxruntime.InferenceSession(each.SerializeToString())
    return session.run(None, {"x": np.array([[[[0, 1, 2]]]], np.float32)})[0].ravel()


before, after = run(model), run(converted)
print("Upsample 9:", before)
print("converted: ", after, "attributes:", sorted(attributes))
assert "coordinate_transformation_mode" not in attributes, "changed"
assert np.allclose(before, [0, 0.5, 1, 1.5, 2, 2]), "changed"
assert np.allclose(after, [0, 0.25, 0.75, 1.25, 1.75, 2]), "changed"
PY
"$work/venv/bin/python" "$work/try.py"
