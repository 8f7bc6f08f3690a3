"""No product of empty arrays reaches the compiler."""

from __future__ import annotations

import re

import pytest

import rnn_compiler as rc
from rnn_compiler.compilation import lowered_text

SIZES = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 5}


@pytest.mark.parametrize("op", ["BlockLSTMV2", "BlockLSTMGradV2"])
@pytest.mark.parametrize("name", [*SIZES])
def test_without_a_size(op: str, name: str) -> None:
    text = lowered_text(rc.build(op, use_peephole=False, **{**SIZES, name: 0}), "cpu:generic")
    products = re.findall(r"(?:stablehlo\.dot_general|linalg\.\w*mat\w*).*", text)
    assert not [each for each in products if re.search(r"tensor<(\d+x)*0x", each)]
