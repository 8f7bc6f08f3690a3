"""The properties that passes require and ensure, checked around each pass of every strategy."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from quick import first

import rnn_compiler as rc
from rnn_compiler.lowering.mlir import ir, new_context
from rnn_compiler.lowering.passes import Pass, load_pass
from rnn_compiler.lowering.rewriting import properties
from rnn_compiler.lowering.rewriting.context import PASS_DIALECTS, PassContext
from rnn_compiler.lowering.rewriting.properties import Property
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.strategies import BACK_ENDS, STRATEGY_PASSES

SIZES = {"seq_length": 40, "batch_size": 16, "input_size": 64, "num_units": 64}
STACK = {**SIZES, "num_layers": 2, "direction": "bidirectional"}
PROPERTIES: list[Property] = [getattr(properties, n) for n in properties.__all__ if n != "Property"]


def frozen() -> rc.Module:
    module = rc.build("BlockLSTMV2", **SIZES)
    w = next(each for each in module.functions[0].arguments if each.name == "w")
    return rc.freeze(module, {"w": np.zeros(w.shape, np.float32)})


def int8() -> rc.Module:
    """Products outside the loop are too small for dispatches of their own."""
    module = rc.build("BlockLSTMV2", seq_length=1, batch_size=1, input_size=8, num_units=8)
    return rc.freeze(module, {"w": np.ones((16, 32), np.float32)}, quantize="int8")


MODULES = {
    "sequence": lambda: rc.build(["BlockLSTMV2", "BlockLSTMGradV2"], **SIZES, use_peephole=False),
    "frozen": frozen,
    "int8": int8,
    "stack": lambda: rc.build("CudnnRNNV3", **STACK, is_training=False),
    "gradient": lambda: rc.build("CudnnRNNBackpropV3", **STACK),
    "cell": lambda: rc.build("GRUBlockCell", batch_size=16, input_size=64, num_units=64),
    "open": lambda: rc.build("CudnnRNNV3", **{**STACK, "seq_length": None, "batch_size": None}),
}
TARGETS = {"fused": ["cpu:x86-64-v3"], "pinned": ["cuda", "cpu:generic"], "portable": ["cpu"]}


def context_of(module: rc.Module, target: str) -> PassContext:
    """In the current context of MLIR."""
    resolved = resolve_target(target)
    processor = BACK_ENDS[resolved.device].processor(resolved)
    facts = {"strategy": "", "package_version": "", "compiler_version": ""}
    parsed = ir.Module.parse(module.located_text)
    return PassContext(parsed, module.functions, resolved, processor, facts)


def run(context: PassContext, passes: list[Pass]) -> list[str]:
    """Runs passes; returns the required or ensured properties that do not hold."""
    held: list[Property] = []
    broken: list[str] = []

    def check(when: str, wanted: tuple[Property, ...]) -> None:
        for each in wanted:
            found = each(context)
            if found is not None:
                broken.append(f"{when}: {each.__name__}: {found}")

    for each in passes:
        name = each.run.__name__
        check(f"before {name}", each.requires)
        if broken:
            break  # a pass in the wrong place may do anything
        each.run(context)
        held += each.ensures
        check(f"after {name}", tuple(held))
    return broken


@pytest.mark.parametrize(
    ("name", "strategy", "target"),
    first(
        [
            (name, strategy, target)
            for strategy, targets in TARGETS.items()
            for target in targets
            for name in MODULES
            if name != "open" or strategy == "fused"
        ],
        7,
    ),
)
def test_each_pass_finds_what_it_requires_and_leaves_what_holds(
    name: str, strategy: str, target: str
) -> None:
    module = MODULES[name]()
    with new_context(*PASS_DIALECTS), ir.Location.unknown():
        context = context_of(module, target)
        assert run(context, [load_pass(each) for each in STRATEGY_PASSES[strategy]]) == []
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
    module = MODULES[name]()
    with new_context(*PASS_DIALECTS), ir.Location.unknown():
        broken = run(context_of(module, "cpu:x86-64-v3"), [load_pass(each) for each in passes])
    assert any(re.search(said, each) for each in broken), broken


@pytest.mark.parametrize("each", PROPERTIES, ids=lambda each: each.__name__)
def test_a_property_can_be_missing(each: Property) -> None:
    """Each property is violated by some module as built or partly lowered."""

    def first_broken(module: rc.Module, *passes: str) -> Any:
        with new_context(*PASS_DIALECTS), ir.Location.unknown():
            context = context_of(module, "cpu:x86-64-v3")
            for name in passes:
                load_pass(name).run(context)
            return each(context)

    halfway = ("freeze_weights", "fuse_time_loops", "products", "read_arguments_in_place")
    found = [first_broken(made()) for made in MODULES.values()]
    found.append(first_broken(MODULES["sequence"](), *halfway))
    if each is properties.weights_are_hoisted:
        assert not any(found)  # of what has no companions yet
    else:
        assert any(found)
