"""Attributes by which lowering marks ops for its later steps."""

from __future__ import annotations

NETWORK = "rnn_compiler.network"
"""On a function that is an imported network, which passes rewrite too."""

COLUMNS = "rnn_compiler.columns"
"""On an insertion of a loop's output, as columns, into an array that exists before the loop."""

KEPT = "rnn_compiler.kept"
"""On an op that stays although nothing uses its result."""

LOGISTIC = "rnn_compiler.logistic"
"""On the division that ends a logistic function, ``1 / (exp(-x) + 1)``, of float32."""

PACKED = "rnn_compiler.packed"
"""Of a product whose right-hand side is packed once for many calls."""

RESULT = "rnn_compiler.result"
"""On an empty array that becomes a result of its function: the result's number."""

ROWS = "rnn_compiler.rows"
"""On a selection of whole rows of an array whose last row is zeros, by one place for each row."""

STATE = "rnn_compiler.state"
"""On an argument that is a state: the number of the result that continues it."""

CONSUMED = "iree.abi.consume"
"""On an argument: its function may write to its buffer."""
