"""Sources whose examples need a package that is not here are not collected."""

from __future__ import annotations

from importlib.util import find_spec

_NEED = {
    "torch": "torch",
    "jax": "jax",
    "network_import/graph": "onnx",
    "model_import/crc32c.py": "google_crc32c",
}
collect_ignore = [f"rnn_compiler/{folder}" for folder, name in _NEED.items() if not find_spec(name)]
