"""The onnx package's node tests of the recurrent operators."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

__all__ = ["node_tests"]

_FOLDER = "onnx.backend.test.case.node"


def node_tests() -> dict[str, Any]:
    """The cases by name; without the package, the test is skipped.

    Its loader makes the cases of all operators, which takes ten seconds: a module that is imported
    adds its own to a list.
    """
    folder: Any = pytest.importorskip(_FOLDER, reason="has the node tests of ONNX")
    for operator in ("lstm", "gru", "rnn"):
        importlib.import_module(f"{_FOLDER}.{operator}")
    prefixes = ("test_lstm_", "test_gru_", "test_rnn_", "test_simple_rnn_")
    found = {case.name: case for case in folder._NodeTestCases if case.name.startswith(prefixes)}
    assert len(found) == 18
    return found
