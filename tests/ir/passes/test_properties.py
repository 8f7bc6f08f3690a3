"""The properties that passes require and ensure, checked around each pass of every strategy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import pytest
from ir.passes.modules import MODULES
from quick import only

import rnn_compiler as rc
from rnn_compiler.compilation import lowering_request
from rnn_compiler.lowering.mlir.bindings import ir, new_context
from rnn_compiler.lowering.passes import Pass, hoist_weights, load_pass
from rnn_compiler.lowering.pipeline import PASSES
from rnn_compiler.lowering.rewriting.context import PASS_DIALECTS, PassContext, Property
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.strategies import BACK_ENDS, STRATEGY_PASSES

pytest.importorskip("onnx")

TARGETS = {
    "fused": ["cpu:x86-64-v3", "cpu:riscv32", "cpu:wasm32"],
    "pinned": ["cuda", "cpu:generic"],
    "portable": ["cpu", "cuda", "cpu:wasm32"],
}


def context_of(module: rc.Module, target: str) -> PassContext:
    """In the current context of MLIR."""
    resolved = resolve_target(target)
    processor = BACK_ENDS[resolved.device].processor(resolved)
    facts = {"strategy": "", "package_version": "", "compiler_version": ""}
    request = lowering_request(module, resolved, "")
    return PassContext(ir.Module.parse(request.text), request, processor, facts)


def broken(context: PassContext, properties: Iterable[Property]) -> list[str]:
    """The properties that do not hold, and where."""
    found = ((each.__name__, each(context)) for each in properties)
    return [f"{name}: {where}" for name, where in found if where is not None]


def run(context: PassContext, passes: Sequence[Pass]) -> list[str]:
    """Runs passes; returns the first required or ensured properties that do not hold."""
    for each in passes:
        missing = broken(context, each.requires)
        if missing:  # a pass in the wrong place may do anything
            return [f"before {each.name}: {text}" for text in missing]
        each(context)
        missing = broken(context, each.ensures)
        if missing:
            return [f"after {each.name}: {text}" for text in missing]
    ensured = dict.fromkeys(held for each in passes for held in each.ensures)
    return [f"at the end: {text}" for text in broken(context, ensured)]


@pytest.mark.parametrize(
    ("name", "strategy", "target"),
    only(
        [
            (name, strategy, target)
            for strategy, targets in TARGETS.items()
            for target in targets
            for name in MODULES
            if name != "open" or strategy == "fused"
        ],
        *((name, "fused", "cpu:x86-64-v3") for name in MODULES.keys() - {"gradient", "open"}),
    ),
)
def test_each_pass_finds_what_it_requires_and_leaves_what_holds(
    name: str, strategy: str, target: str
) -> None:
    with new_context(*PASS_DIALECTS), ir.Location.unknown():
        context = context_of(MODULES[name](), target)
        assert run(context, [PASSES[each] for each in STRATEGY_PASSES[strategy]]) == []
        context.module.operation.verify()


@pytest.mark.parametrize(
    ("name", "passes", "said"),
    [
        ("sequence", ["read_arguments_in_place"], "before read_arg.*: time_loops_are_rewritten: b"),
        ("stack", ["fuse_time_loops", "read_arguments_in_place"], "products_are_rewritten"),
        ("frozen", ["fuse_time_loops", "products", "hoist_weights"], "frozen_weights_are_param"),
        ("open", ["open_sizes"], "before open_sizes: time_loops_are_rewritten"),
    ],
)
def test_a_wrong_order_is_found(name: str, passes: list[str], said: str) -> None:
    with new_context(*PASS_DIALECTS), ir.Location.unknown():
        context = context_of(MODULES[name](), "cpu:x86-64-v3")
        found = run(context, [PASSES[each] for each in passes])
    assert any(re.search(said, each) for each in found), found


NEEDED = {
    "freeze_weights": ("frozen", "fused", "cpu:x86-64-v3"),
    "copy_updated_values": ("linked", "portable", "cpu"),
    "crop_inputs": ("network", "fused", "cpu:x86-64-v3"),
    "powers": ("linked", "portable", "cpu"),
    "assemble_in_place": ("stack", "fused", "cpu:riscv32"),
    "fuse_time_loops": ("sequence", "fused", "cpu:x86-64-v3"),
    "open_sizes": ("open", "fused", "cpu:x86-64-v3"),
    "linalg_to_updates": ("trained", "fused", "cpu:x86-64-v3"),
    "table_gradients": ("table", "fused", "cpu:x86-64-v3"),
    "filter_gradients": ("trained", "fused", "cpu:x86-64-v3"),
    "linalg_to_products": ("network", "fused", "cpu:x86-64-v3"),
    "pools": ("network", "fused", "cpu:x86-64-v3"),
    "pool_gradients": ("maxima", "fused", "cpu:x86-64-v3"),
    "select_and_scatter": ("maxima", "portable", "cpu"),
    "products": ("stack", "fused", "cpu:x86-64-v3"),
    "sequence_convolutions": ("convolution", "fused", "cpu:x86-64-v3"),
    "sums": ("sum", "fused", "cpu:x86-64-v3"),
    "leave_undefined": ("gradient", "fused", "cpu:x86-64-v3"),
    "read_arguments_in_place": ("sequence", "fused", "cpu:x86-64-v3"),
    "pin_time_loops": ("sequence", "pinned", "cuda"),
    "tile_products": ("stack", "pinned", "cuda"),
    "separate_buffers": ("sequence", "portable", "cuda"),
    "update_states": ("states", "fused", "cpu:x86-64-v3"),
    "compute_before_loops": ("linked", "portable", "cpu"),
    "part_from_reductions": ("pairs", "portable", "cpu"),
    "limit_operands": ("numbers", "portable", "cpu"),
    "functions_of_float64": ("linked", "portable", "cpu"),
    "without_libm": ("network", "fused", "cpu:x86-64-v3"),
    "logistic": ("sequence", "fused", "cpu:x86-64-v3"),
    "exponential_of_float64": ("linked", "portable", "cpu:wasm32"),
    "round_to_float16": ("half", "fused", "cpu:riscv32"),
    "round_to_bfloat16": ("linked", "portable", "cpu"),
    "widen_float16": ("linked", "portable", "cpu:wasm32"),
    "stamp_provenance": ("sequence", "portable", "cpu"),
}
"""For each pass, a module, a strategy and a target for which it has something to do."""


@pytest.mark.parametrize(
    "name",
    only(
        sorted(PASSES.keys() - {"hoist_weights"}),
        *(PASSES.keys() - {"hoist_weights", "leave_undefined", "open_sizes"}),
    ),
)
def test_no_property_holds_without_its_pass(name: str) -> None:
    """Otherwise a pass that does nothing would go unnoticed."""
    module, strategy, target = NEEDED[name]
    order = STRATEGY_PASSES[strategy]
    with new_context(*PASS_DIALECTS), ir.Location.unknown():
        context = context_of(MODULES[module](), target)
        assert run(context, [PASSES[each] for each in order[: order.index(name)]]) == []
        tried = PASSES[name]
        assert len(broken(context, tried.ensures)) == len(tried.ensures) > 0
        tried(context)
        assert broken(context, tried.ensures) == []


@pytest.mark.parametrize("name", ["sequence", "frozen"])
def test_weights_that_are_packed_once_more_are_found(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Functions that have no companions yet pack weights."""
    monkeypatch.setattr(hoist_weights.Split, "give", lambda *_: None)
    with new_context(*PASS_DIALECTS), ir.Location.unknown():
        context = context_of(MODULES[name](), "cpu:x86-64-v3")
        found = run(context, [PASSES[each] for each in STRATEGY_PASSES["fused"]])
    assert found[0].startswith("after hoist_weights: weights_are_hoisted")


def test_a_pass_is_declared() -> None:
    with pytest.raises(TypeError, match="allocate_up_front is not declared by pass_with"):
        load_pass("allocate_up_front")
