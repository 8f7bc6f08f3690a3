"""A module with a frozen weight that it packs, before and after `hoist_weights`."""

from __future__ import annotations

from ir.passes.test_freeze_weights import BEFORE, FROZEN
from ir.rewriting import edited, rewritten

from rnn_compiler.lowering.passes.freeze_weights import freeze_weights
from rnn_compiler.lowering.passes.hoist_weights import hoist_weights


def frozen(text: str) -> str:
    passes = freeze_weights, hoist_weights
    return rewritten(text, *passes, functions=[FROZEN])[0]


def test_what_is_packed_is_stored_once() -> None:
    """A global that is filled as the module is loaded, and that every function reads."""
    after = frozen(BEFORE)
    assert after.count("util.global private @f.packed.0 : tensor<4x3xf32>") == 1
    assert after.count("util.global.store") == 1
    assert after.count("util.global.load @f.packed.0") == 3
    _, _, prepacked = after.partition("util.func public @f_prepacked(")
    assert "stablehlo.transpose" not in prepacked.partition("util.return")[0]


def test_nothing_is_packed() -> None:
    """Views of weights stay in place."""
    edit = "stablehlo.transpose %w, dims = [1, 0] :", "stablehlo.reshape %w :"
    after = frozen(edited(BEFORE, edit))
    assert "util.global.load @f.w" in after
    assert "util.initializer" not in after
    assert "f_prepack" not in after
