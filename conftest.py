"""Sources whose examples need a package that is not here are not collected."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["rnn_compiler/torch"]
