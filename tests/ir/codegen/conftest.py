"""Ops are emitted in a context of their own in each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rnn_compiler.lowering.mlir.bindings import ir, new_context
from rnn_compiler.lowering.rewriting.context import PASS_DIALECTS


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with new_context(*PASS_DIALECTS), ir.Location.unknown():
        yield
