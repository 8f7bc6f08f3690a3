"""Attributes by which lowering marks ops for its later steps."""

from __future__ import annotations

__all__ = ["COLUMNS", "NETWORK", "RESULT"]

NETWORK = "rnn_compiler.network"
"""On a function that is an imported network, which passes rewrite too."""

COLUMNS = "rnn_compiler.columns"
"""On an insertion of a loop's output, as columns, into an array that exists before the loop."""

RESULT = "rnn_compiler.result"
"""On an empty array that becomes a result of its function: the result's number."""
