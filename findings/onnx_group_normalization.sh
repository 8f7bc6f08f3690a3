#!/usr/bin/env bash
# onnx 1.23.2: shape inference gives the result of GroupNormalization no type, although ONNX defines
# the operator by others, and although the results of InstanceNormalization and LayerNormalization
# have the shape of their input. Nothing is reported. In strict mode, the node behind it is blamed.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q onnx==1.23.2 numpy
cat > "$work/try.py" <<'PY'
import numpy as np
from onnx import TensorProto, helper, numpy_helper, shape_inference

FLOAT = TensorProto.FLOAT


def inferred(operator, strict_mode=False, **attributes):
    nodes = [
        helper.make_node(operator, ["x", "s", "b"], ["t"], **attributes),
        helper.make_node("Neg", ["t"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [2, 4, 5])],
        [helper.make_tensor_value_info("y", FLOAT, None)],
        [numpy_helper.from_array(np.ones(4, np.float32), name) for name in "sb"],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    made = shape_inference.infer_shapes(model, strict_mode=strict_mode, data_prop=True)
    return {
        value.name: [axis.dim_value for axis in value.type.tensor_type.shape.dim]
        for value in (*made.graph.value_info, *made.graph.output)
        if value.type.tensor_type.HasField("shape")
    }


instance = inferred("InstanceNormalization")
group = inferred("GroupNormalization", num_groups=2)
print("InstanceNormalization:", instance)
print("GroupNormalization:", group)
try:
    inferred("GroupNormalization", strict_mode=True, num_groups=2)
    blamed = ""
except shape_inference.InferenceError as error:
    blamed = str(error)
print(blamed)
assert instance == {"t": [2, 4, 5], "y": [2, 4, 5]} and not group, "changed"
assert "op_type:Neg" in blamed, "changed"
PY
"$work/venv/bin/python" "$work/try.py"
