"""A time loop before and after `pin_time_loops`: 3 steps of 2 rows of 4 units."""

from __future__ import annotations

from ir.filecheck import check
from ir.rewriting import edited, rewritten
from ir.time_loop import LOOP

from rnn_compiler.lowering.passes.pin_time_loops import pin_time_loops
from rnn_compiler.lowering.targets.gpu import Gpu


def pinned(text: str, gpu: Gpu | None = None) -> tuple[str, dict[str, str]]:
    return rewritten(text, pin_time_loops, processor=gpu or Gpu())


def test_the_loop_issues_steps_that_update_in_place() -> None:
    """Three steps are one iteration; each writes rows of two pinned arrays, in one dispatch."""
    after, left = pinned(LOOP)
    assert left == {}
    assert after.count("call @rnn.loop.step(") == 3
    assert after.count("flow.tensor.barrier") == 2
    assert after.count("flow.dispatch.region") == 1
    assert "stablehlo.while" not in after


def test_an_iteration_holds_some_of_many_steps() -> None:
    """Of 100 steps 25, so that none is left over."""
    after, _ = pinned(edited(LOOP, ("3x2x4", "100x2x4")))
    check(
        after,
        """
        CHECK: [[TOGETHER:%.+]] = arith.constant 25 : index
        CHECK: scf.for {{.*}} step [[TOGETHER]]
        CHECK-COUNT-25: call @rnn.loop.step
        CHECK-NOT: call @rnn.loop.step
        """,
    )


COMPOSITE = '%1:2 = stablehlo.composite "rnn_compiler.time_loop" '


def two(second: str = "%n, %x, %w, %h0", last: str = "%0#0, %1#1") -> str:
    """A function of two time loops, with given operands of the second, and given results."""
    head, loop = LOOP.split("func.func private", 1)
    loop = f"func.func private{loop}"
    _, composite = head.split("time_loop")
    composite = composite[composite.index("{") : composite.index("  return")]
    composite = f"{COMPOSITE}{second} {edited(composite, ('@rnn.loop', '@rnn.back'))}"
    returned = ("  return %0#0, %0#1", f"{composite}  return {last}")
    return edited(head, returned) + loop + edited(loop, ("@rnn.loop", "@rnn.back"))


def test_loops_that_need_not_wait_for_each_other_become_one() -> None:
    """The two directions of a layer: of both, each step is issued after the other's."""
    after, left = pinned(two())
    assert left == {}
    check(
        after,
        """
        CHECK: func.func @rnn([[N:%arg0]]: {{.*}}, [[X:%arg1]]: {{.*}}, [[W:%arg2]]: {{.*}}, \
[[H0:%arg3]]:
        CHECK-NEXT: [[ALL:%[0-9]+]]:4 = call @"rnn.loop+rnn.back"(\
[[N]], [[X]], [[W]], [[H0]], [[N]], [[X]], [[W]], [[H0]])
        CHECK-NEXT: return [[ALL]]#0, [[ALL]]#3
        CHECK: func.func private @"rnn.loop+rnn.back"
        CHECK-COUNT-1: scf.for
        CHECK-COUNT-3: call @"rnn.loop+rnn.back.step"
        CHECK-NOT: scf.for
        CHECK: func.func private @"rnn.loop+rnn.back.step"
        CHECK-COUNT-2: flow.dispatch.region
        CHECK-NOT: flow.dispatch.region
        """,
    )
    assert "stablehlo.composite" not in after


def test_loops_that_wait_for_each_other_stay_apart() -> None:
    """Two layers: the second reads the results of the first."""
    after, _ = pinned(two("%n, %0#0, %w, %h0"))
    assert after.count("scf.for") == 2


def test_loops_of_other_lengths_stay_apart() -> None:
    other = f"%c = stablehlo.constant dense<2> : tensor<i64>\n{COMPOSITE}"
    after, _ = pinned(edited(two("%c, %x, %w, %h0"), (COMPOSITE, other)))
    assert after.count("scf.for") == 2


def test_what_needs_a_loop_comes_after_the_loop_that_they_become() -> None:
    """An op between two loops that reads the first's results moves behind the call."""
    between = f"%2 = stablehlo.negate %0#1 : tensor<2x4xf32>\n{COMPOSITE}"
    module = edited(two(last="%0#0, %2"), (COMPOSITE, between))
    check(
        pinned(module)[0],
        """
        CHECK: [[ALL:%[0-9]+]]:4 = call
        CHECK-NEXT: [[NEGATED:%[0-9]+]] = stablehlo.negate [[ALL]]#1
        CHECK-NEXT: return [[ALL]]#0, [[NEGATED]]
        """,
    )


def test_of_loops_that_would_become_one_only_those_of_another_form_are_left() -> None:
    """Each that is left has its reason; the others are pinned on their own."""
    reason = "stablehlo.sine in a step"
    sine = edited(two(), ("stablehlo.tanh", "stablehlo.sine"))
    assert pinned(sine) == (rewritten(sine)[0], {"rnn.loop": reason, "rnn.back": reason})
    head, tail = two().rsplit("stablehlo.tanh", 1)
    after, left = pinned(f"{head}stablehlo.sine{tail}")
    assert left == {"rnn.back": reason}
    check(
        after,
        """
        CHECK: func.func @rnn(
        CHECK: call @rnn.loop(
        CHECK: stablehlo.composite {{.*}}decomposition = @rnn.back
        CHECK: func.func private @rnn.loop(
        CHECK-NOT: stablehlo.while
        CHECK: func.func private @rnn.back(
        CHECK: stablehlo.while
        """,
    )


def test_the_decomposition_of_several_composites_is_left() -> None:
    """Side by side, one after the other, in two functions."""
    reason = {"rnn.loop": "the decomposition of several composites"}
    for operands in ("%n, %x, %w, %h0", "%n, %0#0, %w, %h0"):
        twice = edited(two(operands), ("decomposition = @rnn.back", "decomposition = @rnn.loop"))
        assert pinned(twice) == (rewritten(twice)[0], reason)
    head, _ = LOOP.split("func.func private", 1)
    twice = LOOP + edited(head, ("@rnn(", "@again("))
    assert pinned(twice) == (rewritten(twice)[0], reason)
