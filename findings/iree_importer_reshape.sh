#!/usr/bin/env bash
# IREE 3.13.0: a Reshape of [a, b], both open, to [-1, 1] is taken for a cast to [a, 1]: a call with
# an array of 2x3 is refused, "expected 1 but have 3". With the rank kept and one computed size, the
# importer takes each axis for the one at its place. Through a vector, [-1] and then [-1, 1], the
# result has all a * b elements.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q iree-base-compiler==3.13.0 iree-base-runtime==3.13.0 onnx==1.23.2
PATH="$work/venv/bin:$PATH"
cd "$work"

cat >model.py <<'END'
import sys
import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

shapes = [[int(n) for n in text.split(",")] for text in sys.argv[2:]]
nodes, sizes, name = [], [], "x"
for k, shape in enumerate(shapes):
    made = "y" if k == len(shapes) - 1 else f"t{k}"
    sizes.append(numpy_helper.from_array(np.array(shape), f"shape{k}"))
    nodes.append(helper.make_node("Reshape", [name, f"shape{k}"], [made]))
    name = made
x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["a", "b"])
y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 1])
graph = helper.make_graph(nodes, "main", [x], [y], sizes)
save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), sys.argv[1])
END

value() {
  python model.py model.onnx "$@"
  iree-import-onnx model.onnx -o model.mlir
  iree-compile model.mlir -o model.vmfb --iree-hal-target-device=local \
    --iree-hal-local-target-device-backends=llvm-cpu --iree-llvmcpu-target-cpu=generic 2>/dev/null
  iree-run-module --module=model.vmfb --device=local-sync --function=main \
    --input=2x3xf32=1,2,3,4,5,6
}

one=$(value -1,1 2>&1 || true)
two=$(value -1 -1,1 | tail -1)
echo "expected 6x1: as one Reshape $(grep -o "dimension 1 mismatch[^;]*; [^;]*" <<<"$one"), as two $two"
grep -q "expected 1 but have 3" <<<"$one" || { echo "changed"; exit 1; }
[ "$two" = "6x1xf32=[1][2][3][4][5][6]" ]
