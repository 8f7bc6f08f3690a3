"""A time loop before and after `pin_time_loops`: 3 steps of 2 rows of 4 units."""

from __future__ import annotations

from ir.filecheck import check
from ir.rewriting import edited, rewritten
from ir.time_loop import LOOP

from rnn_compiler.lowering.passes.pin_time_loops import pin_time_loops
from rnn_compiler.lowering.targets.gpu import Gpu

AROUND = """
CHECK: func.func @rnn(
CHECK-NEXT: call @rnn.loop(%arg0, %arg1, %arg2, %arg3)
CHECK-NEXT: return %{{[0-9]+}}#0, %{{[0-9]+}}#1

CHECK: func.func private @rnn.loop([[N:%arg0]]: {{.*}}, [[X:%arg1]]: {{.*}}, [[W:%arg2]]: {{.*}}, \
[[H0:%arg3]]:
CHECK: [[COUNT:%.+]] = tensor.extract [[N]][]
CHECK: [[HIDDEN:%[0-9]+]] = util.optimization_barrier [[COUNT]] : i64

Two arrays, each from a zero of its own; the state begins in row 0 of its ring of three.
CHECK: [[ZERO0:%[0-9]+]] = util.optimization_barrier %c0_i32
CHECK: [[SPLAT0:%[0-9]+]] = flow.tensor.splat [[ZERO0]] : tensor<3x2x4xi32>
CHECK: [[Y:%[0-9]+]] = flow.tensor.bitcast [[SPLAT0]]
CHECK: [[ZERO1:%[0-9]+]] = util.optimization_barrier %c0_i32_
CHECK: [[SPLAT1:%[0-9]+]] = flow.tensor.splat [[ZERO1]] : tensor<3x2x4xi32>
CHECK: [[RING:%[0-9]+]] = flow.tensor.bitcast [[SPLAT1]]
CHECK: [[START:%[0-9]+]] = flow.tensor.reshape [[H0]]
CHECK: [[FIRST:%.+]] = arith.constant 0 : index
CHECK: [[BEGUN:%[0-9]+]] = flow.tensor.update [[START]], [[RING]]{{\\[}}[[FIRST]],

All three steps are one iteration.
CHECK: [[STEPS:%[0-9]+]] = arith.index_cast [[HIDDEN]] : i64 to index
CHECK: [[LOW:%.+]] = arith.constant 0 : index
CHECK: [[TOGETHER:%.+]] = arith.constant 3 : index
CHECK: [[DONE:%[0-9]+]]:2 = scf.for [[K:%.+]] = [[LOW]] to [[STEPS]] step [[TOGETHER]] \
iter_args([[YIN:%.+]] = [[Y]], [[HIN:%.+]] = [[BEGUN]])
CHECK: [[YPIN:%[0-9]+]] = flow.tensor.barrier [[YIN]] {{.*}} on #hal.device.promise<@__device_0>
CHECK: [[HPIN:%[0-9]+]] = flow.tensor.barrier [[HIN]] {{.*}} on #hal.device.promise<@__device_0>
CHECK: [[STEP:%[0-9]+]]:2 = func.call @rnn.loop.step(\
[[K]], [[HIDDEN]], [[X]], [[W]], [[W]], [[YPIN]], [[HPIN]])

The next one reads what this one wrote.
CHECK: [[K1:%[0-9]+]] = arith.addi [[K]], %c1
CHECK: func.call @rnn.loop.step([[K1]], {{.*}}, [[STEP]]#0, [[STEP]]#1)
CHECK: [[K2:%[0-9]+]] = arith.addi [[K]], %c2
CHECK: [[LAST:%[0-9]+]]:2 = func.call @rnn.loop.step([[K2]],
CHECK: scf.yield [[LAST]]#0, [[LAST]]#1

CHECK: [[PARITY:%[0-9]+]] = arith.remui [[STEPS]],
CHECK: [[FINAL:%.+]] = tensor.extract_slice [[DONE]]#1{{\\[}}[[PARITY]], 0, 0]
CHECK: return [[DONE]]#0, [[FINAL]]
"""

STEP = """
CHECK: func.func private @rnn.loop.step([[K:%arg0]]: index, [[N:%arg1]]: i64, [[X:%arg2]]: {{.*}}, \
{{%arg3}}: {{.*}}, [[W:%arg4]]: {{.*}}, [[Y:%arg5]]: {{.*}}, [[H:%arg6]]:

Step k reads row k % 2 and writes the other; past the end it writes row 2, which nobody reads.
CHECK: [[RUNS:%[0-9]+]] = arith.cmpi slt, {{.*}}, [[N]]
CHECK: [[CURRENT:%[0-9]+]] = arith.remui [[K]],
CHECK: [[OTHER:%[0-9]+]] = arith.subi {{.*}}, [[CURRENT]]
CHECK: [[NOBODYS:%.+]] = arith.constant 2 : index
CHECK: [[NEXT:%[0-9]+]] = arith.select [[RUNS]], [[OTHER]], [[NOBODYS]]
CHECK: [[TIME:%[0-9]+]] = arith.index_cast {{.*}} : i64 to index
CHECK: [[ROW:%.+]] = tensor.extract_slice [[H]]{{\\[}}[[CURRENT]], 0, 0]
CHECK: [[HW:%[0-9]+]] = stablehlo.dot_general [[ROW]], [[W]], contracting_dims = [1] x [0]
CHECK: [[X_TIME:%[0-9]+]] = arith.index_cast {{.*}} : i64 to index
CHECK: [[DONE:%[0-9]+]]:2 = flow.dispatch.region
CHECK: [[YROW:%.+]] = tensor.extract_slice [[Y]]{{\\[}}[[TIME]], 0, 0]
CHECK: [[HROW:%.+]] = tensor.extract_slice [[H]]{{\\[}}[[NEXT]], 0, 0]
CHECK: [[XROW:%.+]] = tensor.extract_slice [[X]]{{\\[}}[[X_TIME]], 0, 0]
CHECK: [[PRODUCT:%.+]] = tensor.extract_slice [[HW]][0, 0]
CHECK: [[MADE:%[0-9]+]]:2 = linalg.generic {{.*}} ins([[XROW]], [[PRODUCT]] : {{.*}} \
outs([[YROW]], [[HROW]] :
CHECK-NEXT: ([[XIN:%.+]]: f32, [[PIN:%.+]]: f32, [[OLD:%.+]]: f32, {{.*}}: f32):
CHECK-NEXT: [[SUM:%[0-9]+]] = arith.addf [[XIN]], [[PIN]]
CHECK-NEXT: [[NEW:%[0-9]+]] = math.tanh [[SUM]]
CHECK-NEXT: [[KEPT:%[0-9]+]] = arith.select [[RUNS]], [[NEW]], [[OLD]]
CHECK-NEXT: linalg.yield [[KEPT]], [[NEW]]
CHECK: tensor.insert_slice [[MADE]]#0 into [[Y]]{{\\[}}[[TIME]], 0, 0]
CHECK: tensor.insert_slice [[MADE]]#1 into [[H]]{{\\[}}[[NEXT]], 0, 0]
CHECK: return [[DONE]]#0, [[DONE]]#1
"""


def pinned(text: str, gpu: Gpu | None = None) -> tuple[str, dict[str, str]]:
    return rewritten(text, pin_time_loops, processor=gpu or Gpu())


def test_the_loop_issues_steps_that_update_in_place() -> None:
    """The function that the composite was in calls it."""
    after, left = pinned(LOOP)
    assert left == {}
    check(after, AROUND)
    check(after, STEP)
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
    """A function of two time loops, the operands of the second as told, and what it returns."""
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
    """Two layers: the second reads what the first has made."""
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
