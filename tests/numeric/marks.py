"""What the numeric tests run over."""

from __future__ import annotations

import pytest
from cases import COMPUTING

from rnn_compiler.lowering.ops import OPS

each_op = pytest.mark.parametrize("op", COMPUTING)
each_op_and_dtype = pytest.mark.parametrize(
    ("op", "dtype"),
    [
        pytest.param(op, dtype, marks=[] if dtype == "float32" else pytest.mark.slow)
        for op in COMPUTING
        for dtype in OPS[op].signature.dtypes
    ],
)
each_sequence_op = pytest.mark.parametrize(
    "op",
    [op for op in COMPUTING if any(a.name == "seq_len_max" for a in OPS[op].signature.arguments)],
)
