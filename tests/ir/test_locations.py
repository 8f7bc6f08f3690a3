"""Source locations: ops in a dispatch are named after the formula that they compute."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ir.filecheck import check

import rnn_compiler as rc
from rnn_compiler.compilation import lowered_text
from rnn_compiler.errors import CompileError
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.pipeline import rewrite
from rnn_compiler.lowering.rewriting.context import LoweringRequest
from rnn_compiler.lowering.targets.names import resolve_target

SIZES = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 8}


@pytest.fixture(scope="module")
def module() -> rc.Module:
    return rc.build("BlockLSTMV2", use_peephole=False, **SIZES)


def lowered(module: rc.Module, target: str) -> str:
    """The module as the compiler is given it, with its locations."""
    spec = resolve_target(target)
    strategy = "fused" if spec.device == "local" else "pinned"
    return rewrite(
        LoweringRequest(module.located_text, module.functions, spec, strategy, "1.2.3")
    ).text


def formulas(text: str) -> dict[str, str]:
    """The formula of each location of a module's text."""
    locations = dict(re.findall(r"^(#loc\d*) = loc\((.*)\)$", text, re.MULTILINE))
    for name, location in locations.items():
        alias = re.search(r"#loc\d+", location)
        if alias:
            locations[name] = location.replace(alias[0], locations.get(alias[0], ""))
    return locations


def formula(text: str, op: str) -> str:
    """The location of the first op of a name."""
    found = re.search(rf"= {re.escape(op)} .* loc\((#loc\d*)\)$", text, re.MULTILINE)
    assert found, op
    return formulas(text)[found[1]]


@pytest.mark.parametrize("target", ["cpu:generic", "cuda:sm_80"])
def test_an_op_in_a_dispatch_carries_the_formula(module: rc.Module, target: str) -> None:
    """Of a CPU's loop and of a GPU's region."""
    text = lowered(module, target)
    assert formula(text, "math.tanh") == '"ci"("BlockLSTMV2: ci = tanh(z_ci)")'
    assert formula(text, "math.exp") == '"i"("BlockLSTMV2: i = s(z_i)")'
    product = "vector.fma" if target == "cpu:generic" else "stablehlo.dot_general"
    inside = text[text.index("scf.for") :]
    assert formula(inside, product).startswith('"z"("BlockLSTMV2: z = ')


def test_values_of_a_lowered_module_are_named_after_formulas(module: rc.Module) -> None:
    """As `rnn-compiler emit --stage lowered` prints it."""
    text = lowered_text(module, "cpu:generic")
    check(
        text[text.index("stream.executable") :],
        """
        CHECK: %z{{[_0-9]*}} = vector.fma
        CHECK: %i{{[_0-9]*}} = math.exp
        CHECK: %ci{{[_0-9]*}} = math.tanh
        CHECK: %cs{{[_0-9]*}} = arith.addf
        CHECK: %co{{[_0-9]*}} = math.tanh %cs
        CHECK: %h{{[_0-9]*}} = arith.mulf {{.*}}, %co
        """,
    )


def test_a_compiler_error_in_a_dispatch_names_the_formula(
    module: rc.Module, tmp_path: Path
) -> None:
    """The first tanh becomes a part of a vector that goes past its end."""
    text, count = re.subn(
        r"math\.tanh (%\w+) : (vector<\d+xf32>)",
        r'"vector.extract_strided_slice"(\1) <{offsets = [1], sizes = [8], strides = [1]}> '
        r": (\2) -> \2",
        lowered(module, "cpu:generic"),
        count=1,
    )
    assert count == 1
    with pytest.raises(CompileError) as caught:
        iree_compile.compile_module(text, resolve_target("cpu:generic"), reproducers=tmp_path)
    assert 'loc("ci"("BlockLSTMV2: ci = tanh(z_ci)"))' in caught.value.diagnostics
