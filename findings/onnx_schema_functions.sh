#!/usr/bin/env bash
# onnx 1.23.2: `inline_selected_functions` with `inline_schema_functions=True` cannot replace a
# GroupNormalization as exporters write it, with scale and bias as initializers, by the operators that
# define it: RuntimeError "Type unknown for s". It looks types up among inputs and value_info only,
# and from version 4 of the format on, initializers need not be there. The checker accepts the file.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q onnx==1.23.2 numpy
cat > "$work/try.py" <<'PY'
import numpy as np
import onnx
from onnx import TensorProto, helper, inliner, numpy_helper

FLOAT = TensorProto.FLOAT
node = helper.make_node("GroupNormalization", ["x", "s", "b"], ["y"], num_groups=2)
graph = helper.make_graph(
    [node],
    "g",
    [helper.make_tensor_value_info("x", FLOAT, [2, 4, 5])],
    [helper.make_tensor_value_info("y", FLOAT, [2, 4, 5])],
    [numpy_helper.from_array(np.ones(4, np.float32), name) for name in "sb"],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
onnx.checker.check_model(model, full_check=True)


def operators():
    chosen = [("", "GroupNormalization")]
    made = inliner.inline_selected_functions(model, chosen, inline_schema_functions=True)
    return {node.op_type for node in made.graph.node}


try:
    operators()
    said = ""
except RuntimeError as error:
    said = str(error).rpartition("failed: ")[2]
print("initializers:", said)
assert said == "Type unknown for s", "changed"
for name in "sb":
    model.graph.value_info.append(helper.make_tensor_value_info(name, FLOAT, [4]))
print("with value_info:", sorted(operators()))
assert "GroupNormalization" not in operators()
PY
"$work/venv/bin/python" "$work/try.py"
