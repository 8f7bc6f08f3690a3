"""What is not collected: sources whose examples need a package that is not here, or have none."""

from __future__ import annotations

from importlib.util import find_spec

_NEED = {
    "rnn_compiler/torch": "torch",
    "rnn_compiler/jax": "jax",
    "rnn_compiler/network_import/graph": "onnx",
    "rnn_compiler/model_import/crc32c.py": "google_crc32c",
    "tests/goldens/regenerate_onnx.py": "onnxruntime",
}
collect_ignore = [path for path, name in _NEED.items() if not find_spec(name)]
collect_ignore.append("rnn_compiler/torch/tracing.py")  # it imports torch's tracer: two seconds
