"""The golden cases as functions of a few modules, which compile faster than one module each."""

from __future__ import annotations

import functools
from typing import Any

from goldens.cudnn import read_cudnn_goldens
from goldens.golden import Golden, read_goldens
from numeric.harness import module, renamed

import rnn_compiler as rc
from rnn_compiler.runtime import Function
from rnn_compiler.schema.tensors import DIMENSIONS

TOGETHER = 16
"""The number of cases per module."""

Case = tuple[str, str, tuple[tuple[str, Any], ...]]
"""An op, its dtype, and its sizes and attributes."""


@functools.cache
def _places() -> dict[Case, int]:
    """The number of each case; last are calls that draw dropout masks, which no `Golden` is."""
    cases: list[Case] = [(g.op, g.dtype, tuple(g.variant.items())) for g in read_goldens()]
    for golden in read_cudnn_goldens():
        dims = {DIMENSIONS[letter]: size for letter, size in golden.dims.items()}
        cases.append((golden.meta["op"], "float64", tuple((dims | golden.attributes).items())))
    return {case: place for place, case in enumerate(dict.fromkeys(cases))}


def artifact(golden: Golden, target: str | None = None) -> tuple[rc.Artifact, str]:
    """The artifact that has a golden case among others, and the name of its function."""
    group, number = divmod(_place(golden.op, golden.dtype, golden.variant), TOGETHER)
    return _compiled(group, target), f"case_{number}"


def _place(op: str, dtype: str, variant: dict[str, Any]) -> int:
    return _places()[op, dtype, tuple(variant.items())]


@functools.cache
def _compiled(group: int, target: str | None) -> rc.Artifact:
    cases = list(_places())[group * TOGETHER : (group + 1) * TOGETHER]
    parts = [module(op, dtype, dict(variant)) for op, dtype, variant in cases]
    return rc.compile(renamed(*parts), target)


@functools.cache
def _loaded(group: int) -> rc.Program:
    return rc.runtime.load(_compiled(group, None), prepack=False)


def function(op: str, dtype: str, variant: dict[str, Any]) -> Function:
    """The function of a case, on the default device; it packs its weights with each call."""
    group, number = divmod(_place(op, dtype, variant), TOGETHER)
    return _loaded(group).functions[f"case_{number}"]
