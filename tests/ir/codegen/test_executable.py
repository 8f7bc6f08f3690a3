"""A dispatch: bindings, loads, stores and ties; equal dispatches share an executable."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ir.codegen.emitting import given, module_of
from ir.filecheck import check

from rnn_compiler.lowering.codegen.body import Array, ArrayType
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder, Part
from rnn_compiler.lowering.mlir.bindings import ir, ops_of, symbol_of

ARRAY = "tensor<3x4xf32>"


def dispatched(
    symbol: str = "f",
    kind: str = "move",
    workgroups: int = 3,
    change: Callable[[DispatchBuilder], None] = lambda _: None,
) -> FunctionBuilder:
    """A function ``(to, from, row)``: each workgroup copies its row of one array to another.

    A row of a third array, which the dispatch makes, becomes the one that it is told.
    """
    function = FunctionBuilder(symbol, [*[ir.Type.parse(ARRAY)] * 2, ir.IndexType.get()])
    to, source, row = given(function)
    executable = DispatchBuilder(function, kind, workgroups)
    body = executable.body
    made = executable.make(ArrayType((5, 4), "f32"))
    inside, told = executable.read(source), executable.given(row)
    target = executable.change(to)
    each = executable.workgroup()
    part = body.extract(inside, [each, 0], (4,))
    body.insert(part, target, [each, 0])
    body.insert(part, made, [told, 0])
    change(executable)
    executable.dispatch()
    function.finish([made, target])
    return function


def test_a_dispatch_and_its_executable() -> None:
    """New arrays are bound last; changed ones are tied to their operands."""
    check(
        str(module_of(dispatched())),
        """
        CHECK: func.func private @f([[TO:%arg0]]: {{.*}}, [[FROM:%arg1]]: {{.*}}, [[ROW:%arg2]]:
        CHECK-NEXT: [[MADE:%[0-9]+]]:2 = flow.dispatch @f_move::@f_move([[FROM]], [[ROW]], [[TO]]) \
: (tensor<3x4xf32>, index, tensor<3x4xf32>) -> (tensor<5x4xf32>, [[TO]])
        CHECK-NEXT: return [[MADE]]#0, [[MADE]]#1 : tensor<5x4xf32>, tensor<3x4xf32>
        CHECK: [[COUNT:%.+]] = arith.constant 3 : index
        CHECK: stream.return [[COUNT]],
        CHECK-DAG: stream.binding.subspan %arg3{{.*}}<readwrite:tensor<5x4xf32>>
        CHECK-DAG: stream.binding.subspan %arg0{{.*}}<readonly:tensor<3x4xf32>>
        CHECK-DAG: stream.binding.subspan %arg2{{.*}}<readwrite:tensor<3x4xf32>>
        """,
    )


def test_memory_that_all_workgroups_see() -> None:
    """Zeros at first; the second of three parts of one buffer begins at 8, a number of outside."""

    def claims(executable: DispatchBuilder) -> None:
        memory, first = executable.shared(8, Part(1, 3))
        executable.body.op("memref.load", [memory, first], [ir.Type.parse("i32")])

    check(
        str(module_of(dispatched(change=claims))),
        """
        CHECK: [[ZERO:%.+]] = arith.constant 0 : i32
        CHECK: [[ZEROS:%[0-9]+]] = flow.tensor.splat [[ZERO]] : tensor<24xi32>
        CHECK: [[FIRST:%.+]] = arith.constant 8 : index
        CHECK: flow.dispatch @f_move::@f_move(%arg1, %arg2, %arg0, [[FIRST]], [[ZEROS]])
        CHECK: func.func @f_move({{.*}}, [[FIRST:%arg3]]: index, [[ZEROS:%arg4]]: !stream.binding,
        CHECK: [[MEMORY:%[0-9]+]] = stream.binding.subspan [[ZEROS]]{{.*}} -> memref<24xi32>
        CHECK: memref.load [[MEMORY]]{{\\[}}[[FIRST]]]
        """,
    )


def names(module: ir.Module) -> list[str]:
    """The symbols of a module's executables."""
    return [symbol_of(op) for op in ops_of(module.body) if op.name == "stream.executable"]


def dispatches(module: ir.Module) -> list[str]:
    """The entry points of a module's dispatches, in order."""
    text = str(module)
    return [
        line.split("@")[1].split("::")[0] for line in text.splitlines() if "flow.dispatch" in line
    ]


def test_executables_that_are_alike_are_placed_once_under_the_first_name() -> None:
    module = module_of(dispatched("f"), dispatched("g"))
    assert names(module) == ["f_move"]
    assert dispatches(module) == ["f_move", "f_move"]


@pytest.mark.parametrize(
    "other",
    [
        lambda: dispatched("g", workgroups=4),
        lambda: dispatched("g", change=lambda executable: executable.body.index(7)),  # type: ignore[arg-type, return-value]
    ],
    ids=["more_workgroups", "another_body"],
)
def test_executables_that_differ_stay_apart(other: Callable[[], FunctionBuilder]) -> None:
    module = module_of(dispatched("f"), other())
    assert names(module) == dispatches(module) == ["f_move", "g_move"]


def test_locations_make_no_difference() -> None:
    """Executables that were written for different formulas are alike all the same."""
    first = dispatched("f")
    with ir.Location.name("elsewhere"):
        second = dispatched("g")
    assert names(module_of(first, second)) == ["f_move"]


def test_several_executables_of_a_kind_have_numbers() -> None:
    function = FunctionBuilder("f.loop", [])
    found = [function.name_executable(kind) for kind in ("pack", "loop", "pack", "pack")]
    assert found == ["f_loop_pack", "f_loop_loop", "f_loop_pack_1", "f_loop_pack_2"]


def test_arrays_of_outside_are_the_results_after_the_dispatch() -> None:
    """Results of `make` and `change` can be used outside, and in the next dispatch."""
    function = FunctionBuilder("f", [ir.Type.parse(ARRAY)])
    (array,) = given(function)
    assert isinstance(array, Array)
    for kind in ("first", "second"):
        executable = DispatchBuilder(function, kind, 1)
        inside = executable.change(array)
        executable.dispatch()
        array = inside
    function.finish([array])
    check(
        str(module_of(function)),
        """
        CHECK: [[FIRST:%[0-9]+]] = flow.dispatch @f_first::@f_first(%arg0) : {{.*}} -> %arg0
        CHECK: [[SECOND:%[0-9]+]] = flow.dispatch @f_first::{{.*}}([[FIRST]]) : {{.*}} -> [[FIRST]]
        CHECK: return [[SECOND]]
        """,
    )


@pytest.mark.parametrize("tiled", [False, True])
def test_the_pipeline_follows_from_what_is_in_it(tiled: bool) -> None:
    """IREE has one for ops that say their tile sizes, and fails to build it where there is none."""

    def change(executable: DispatchBuilder) -> None:
        body = executable.body
        number = body.broadcast(body.constant(1, "f32"), 4)
        if tiled:
            number.value.owner.attributes["lowering_config"] = ir.Attribute.parse(
                "#iree_cpu.lowering_config<vector_common_parallel = [4]>"
            )

    name = "DoubleTilingExpert" if tiled else "Default"
    check(str(module_of(dispatched(change=change))), f"CHECK: #iree_cpu.pipeline<{name}>")
