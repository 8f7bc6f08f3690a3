#!/usr/bin/env bash
# onnx 1.23.2: onnx.load and onnx.checker refuse a model whose weights are a symbolic link, even if
# the model is a link to a file of the same folder, as the download cache of Hugging Face has both:
# "should be stored in ..., but it is a symbolic link". ONNX Runtime 1.27.0 runs the same file.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q onnx==1.23.2 onnxruntime==1.27.0 numpy
cat > "$work/try.py" <<'PY'
import os
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
graph = helper.make_graph(
    [helper.make_node("MatMul", ["x", "w"], ["y"])],
    "g",
    [helper.make_tensor_value_info("x", FLOAT, [1, 4])],
    [helper.make_tensor_value_info("y", FLOAT, [1, 2])],
    [numpy_helper.from_array(np.arange(8, dtype=np.float32).reshape(4, 2), "w")],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
blobs, snapshot = Path("blobs"), Path("snapshot")
blobs.mkdir()
snapshot.mkdir()
options = {"save_as_external_data": True, "location": "model.onnx_data", "size_threshold": 0}
onnx.save_model(model, blobs / "model.onnx", **options)
for name in ("model.onnx", "model.onnx_data"):
    os.symlink(os.path.join("..", "blobs", name), snapshot / name)

path = str(snapshot / "model.onnx")
said = {}
for name, read in (("load", onnx.load), ("check_model", onnx.checker.check_model)):
    try:
        read(path)
        said[name] = "no error"
    except onnx.checker.ValidationError as error:
        said[name] = str(error)
    print(f"{name}: {said[name]}")
session = onnxruntime.InferenceSession(path)
y = session.run(None, {"x": np.ones((1, 4), np.float32)})[0]
print("ONNX Runtime:", y)
assert all("it is a symbolic link" in each for each in said.values()), "changed"
assert y.tolist() == [[12, 16]], "changed"
PY
cd "$work"
"$work/venv/bin/python" "$work/try.py"
