"""A function under construction, and its remains if a rewrite is refused."""

from __future__ import annotations

import pytest
from ir.codegen.emitting import given, module_of
from ir.filecheck import check

from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder
from rnn_compiler.lowering.mlir.bindings import ir, ops_of, symbol_of
from rnn_compiler.lowering.mlir.refused import Refused


def test_a_function_is_private_and_has_the_types_of_what_it_returns() -> None:
    function = FunctionBuilder("f.loop", [ir.Type.parse("tensor<3xf32>"), ir.IndexType.get()])
    array, number = given(function)
    function.finish([number, array])
    check(
        str(module_of(function)),
        """
        CHECK: func.func private @f.loop([[ARRAY:%arg0]]: tensor<3xf32>, [[NUMBER:%arg1]]: index) \
-> (index, tensor<3xf32>)
        CHECK-NEXT: return [[NUMBER]], [[ARRAY]] : index, tensor<3xf32>
        """,
    )


def test_executables_come_after_the_function() -> None:
    function = FunctionBuilder("f", [])
    for workgroups, kind in enumerate(("one", "two"), start=1):
        DispatchBuilder(function, kind, workgroups).dispatch()
    function.finish([])
    module = module_of(function)
    symbols = [symbol_of(op) for op in ops_of(module.body)]
    assert symbols == ["f", "f_one", "f_two"]


@pytest.mark.parametrize("dispatched", [False, True])
def test_what_is_refused_half_way_leaves_nothing(dispatched: bool) -> None:
    """Neither a function nor an executable is left; the module is unchanged and still usable."""
    module = ir.Module.parse("func.func @kept() { return }")
    before = str(module)

    def rewrite() -> None:
        at = ir.InsertionPoint(module.body)
        with at:
            function = FunctionBuilder("f", [ir.Type.parse("tensor<3xf32>")])
            (array,) = given(function)
            executable = DispatchBuilder(function, "loop", 1)
            executable.change(array)
            if dispatched:
                executable.dispatch()
            raise Refused("a form that is not known")

    with pytest.raises(Refused):
        rewrite()
    assert module.operation.verify()
    assert str(module) == before


def test_ops_of_a_function_have_its_location() -> None:
    function = FunctionBuilder("f", [ir.IndexType.get()], ir.Location.name("y = x + 1"))
    (number,) = given(function)
    function.finish([number + 1])
    module = module_of(function)
    assert 'loc("y = x + 1")' in module.operation.get_asm(enable_debug_info=True)
    (argument,) = function.arguments
    assert str(argument.location) == 'loc("y = x + 1")'
