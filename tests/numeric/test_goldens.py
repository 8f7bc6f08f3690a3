"""Every op gives the results of TensorFlow's kernel, as a raw op and an ahead-of-time program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from cases import CASES, COMPUTING, REPRESENTED
from goldens.golden import Golden, read_goldens
from numeric import golden_programs
from numeric.harness import drop_in, module

import rnn_compiler as rc
from rnn_compiler import op_calls
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.op_calls import OpCall

GOLDENS = read_goldens()

FIRST = {golden.op: golden for golden in reversed(GOLDENS) if golden.op not in REPRESENTED}
"""Those that are not slow."""


def is_first(golden: Golden) -> bool:
    """Whether it has a separate module, and is quick."""
    return golden is FIRST.get(golden.op)


def compiled(golden: Golden, target: str | None = None) -> tuple[rc.Artifact, str]:
    """An artifact that has a golden case, and the name of its function."""
    if not is_first(golden):
        return golden_programs.artifact(golden, target)
    artifact = rc.compile(module(golden.op, golden.dtype, golden.variant), target)
    return artifact, artifact.manifest.functions[0].function


each_golden = pytest.mark.parametrize(
    "golden",
    [
        pytest.param(each, id=each.path.stem, marks=[] if is_first(each) else pytest.mark.slow)
        for each in GOLDENS
    ],
)


def test_every_op_has_a_row_and_goldens() -> None:
    assert set(CASES) == set(OPS)
    judged = {op for op in COMPUTING if OPS[op].signature.in_tensorflow}
    assert {golden.op for golden in GOLDENS} == judged | {"onnx.LSTM", "onnx.GRU", "onnx.RNN"}


@each_golden
def test_raw_op(golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in TensorFlow: attributes that were left at their default there are left here."""
    op = drop_in(golden.op) if is_first(golden) else among_others(golden, monkeypatch)
    for attribute in OPS[golden.op].signature.call_attributes:
        if attribute.name in golden.passed_attributes or attribute.name == "call_counter":
            continue
        if attribute.name in golden.attributes or "." not in golden.op:  # ONNX has no is_training
            assert attribute.default == golden.attributes[attribute.name]
    results = op(**golden.inputs, **golden.passed_attributes)
    assert results._fields[: len(golden.outputs)] == tuple(golden.outputs)
    assert {array.dtype.name for array in results[: len(golden.outputs)]} == {golden.dtype}
    golden.assert_matches(results._asdict())


def among_others(golden: Golden, monkeypatch: pytest.MonkeyPatch) -> OpCall:
    """The golden's raw op, which gets its function from the module that has it among others."""
    signature = OPS[golden.op].signature
    function = golden_programs.function(golden.op, golden.dtype, golden.variant)

    def load(asked: rc.Module, *_: object, **__: object) -> object:
        (spec,) = asked.functions
        assert replace(spec, function=function.spec.function) == function.spec
        return SimpleNamespace(functions={signature.function: function})

    monkeypatch.setattr(op_calls, "compile", lambda module, _: module)
    monkeypatch.setattr(op_calls, "load", load)
    return OpCall(signature)


@each_golden
def test_saved_program(golden: Golden, tmp_path: Path) -> None:
    artifact, name = compiled(golden)
    path = artifact.save(tmp_path / "op.vmfb")
    results = rc.runtime.load(path).functions[name](**golden.inputs)
    golden.assert_matches(results._asdict())


@pytest.mark.parametrize("op", sorted({g.op for g in GOLDENS if "note" in g.meta}))
def test_goldens_cover(op: str) -> None:
    """Padding if there is any, and every attribute more than one way."""
    goldens = read_goldens(op)
    if "seq_len_max" in goldens[0].inputs:
        assert any(golden.meta["poison"] or golden.meta["undefined_from"] for golden in goldens)
    for name in goldens[0].attributes:
        if name == "hidden_size":  # what the sizes are
            continue
        assert len({golden.attributes[name] for golden in goldens}) > 1, name


@pytest.mark.parametrize("golden", [g for g in GOLDENS if g.meta["poison"]], ids=str)
def test_poison_is_there(golden: Golden) -> None:
    steps = int(golden.inputs["seq_len_max"])
    assert np.isnan(golden.inputs["x"][steps:]).all()
    assert steps < len(golden.inputs["x"])
