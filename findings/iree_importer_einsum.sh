#!/usr/bin/env bash
# IREE 3.13.0: an Einsum of three factors, bj,ji,j->bi, gives other numbers than ONNX defines. The
# importer multiplies the first two factors and sums over j, which the third one still has. Written
# as two Einsums, bj,ji->bji and bji,j->bi, the same product is right.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q iree-base-compiler==3.13.0 iree-base-runtime==3.13.0 onnx==1.23.2
PATH="$work/venv/bin:$PATH"
cd "$work"

cat >model.py <<'END'
import sys
from onnx import TensorProto, helper, save

equations = sys.argv[2:]
shapes = {"a": [1, 2], "b": [2, 1], "c": [2]}
nodes = [helper.make_node("Einsum", ["a", "b", "c"], ["y"], equation=equations[0])]
if len(equations) > 1:
    nodes = [
        helper.make_node("Einsum", ["a", "b"], ["t"], equation=equations[0]),
        helper.make_node("Einsum", ["t", "c"], ["y"], equation=equations[1]),
    ]
kinds = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in shapes.items()]
result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1])
graph = helper.make_graph(nodes, "main", kinds, [result])
save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), sys.argv[1])
END

value() {  # of 1 * 3 * 5 + 2 * 4 * 6 = 63
  python model.py model.onnx "$@"
  iree-import-onnx model.onnx -o model.mlir
  iree-compile model.mlir -o model.vmfb --iree-hal-target-device=local \
    --iree-hal-local-target-device-backends=llvm-cpu --iree-llvmcpu-target-cpu=generic 2>/dev/null
  iree-run-module --module=model.vmfb --device=local-sync --function=main \
    --input=1x2xf32=1,2 --input=2x1xf32=3,4 --input=2xf32=5,6 | tail -1
}

one=$(value 'bj,ji,j->bi') two=$(value 'bj,ji->bji' 'bji,j->bi')
echo "expected 63: as one Einsum $one, as two $two"
[ "$two" = "1x1xf32=[63]" ] && [ "$one" != "$two" ] || { echo "changed"; exit 1; }
