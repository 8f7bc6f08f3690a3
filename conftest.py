"""Sources whose examples need a package that is not here are not collected."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [f"rnn_compiler/{name}" for name in ("torch", "jax") if not find_spec(name)]
