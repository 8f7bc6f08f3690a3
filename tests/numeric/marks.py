"""The parameters of the numeric tests.

Of ops with the same emitter, which differ in the order of gates or in their inputs, one is quick,
and dtypes without differences are left out for the others.
"""

from __future__ import annotations

import pytest
from cases import ALIKE, COMPUTING, REPRESENTED

from rnn_compiler.lowering.ops import OPS


def marks(op: str, dtype: str = "float32") -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if op in REPRESENTED or dtype != "float32" else []


each_op = pytest.mark.parametrize("op", [pytest.param(op, marks=marks(op)) for op in COMPUTING])
each_op_and_dtype = pytest.mark.parametrize(
    ("op", "dtype"),
    [
        pytest.param(op, dtype, marks=marks(op, dtype))
        for op in COMPUTING
        for dtype in OPS[op].signature.dtypes
        if op not in ALIKE or dtype == "float32"
    ],
)
each_sequence_op = pytest.mark.parametrize(
    "op",
    [
        pytest.param(op, marks=marks(op))
        for op in COMPUTING
        if any(a.name == "seq_len_max" for a in OPS[op].signature.arguments)
    ],
)
