"""The builder: the ops that each expression emits, and the messages for illegal ones."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence

import pytest
from ir.filecheck import check

from rnn_compiler.lowering.builder.builder import Builder, Type, Value
from rnn_compiler.lowering.builder.module import EmittedOp, build_module, module_text
from rnn_compiler.lowering.builder.random_bits import random_bits
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

Body = Callable[..., Value | Sequence[Value]]


def emit(body: Body, *, dtype: str = "float32", **shapes: tuple[int, ...]) -> str:
    """The module of a function of tensors, given as keywords, that a body emits."""
    made: list[Type] = []

    def call(b: Builder, args: dict[str, Value]) -> list[Value]:
        b.formula("y = f(x)")
        values = body(b, **args)
        values = [values] if isinstance(values, Value) else list(values)
        made[:] = [value.type for value in values]
        return values

    def spec(results: Sequence[Type]) -> FunctionSpec:
        return FunctionSpec(
            op="Toy",
            function="toy",
            dtype=dtype,
            dims={},
            attributes={},
            arguments=tuple(TensorSpec(name, dtype, shape) for name, shape in shapes.items()),
            results=tuple(TensorSpec(f"r{k}", t.dtype, t.shape) for k, t in enumerate(results)),
        )

    def dry_run(b: Builder, spec: FunctionSpec, args: dict[str, Value]) -> list[Value]:
        del spec
        return call(b, args)

    with contextlib.suppress(TypeError):  # the results are only known after this
        build_module([EmittedOp(spec([]), spec([]), dry_run)])
    return module_text(build_module([EmittedOp(spec(made), spec(made), dry_run)]))


def ops(module: str) -> list[str]:
    """The StableHLO ops of a module, in order."""
    return re.findall(r"stablehlo\.(\w+)", module)


@pytest.mark.parametrize(
    ("body", "checks"),
    [
        (lambda b, x, r: x + r, "add %x, [[R]]"),
        (lambda b, x, r: r + x, "add [[R]], %x"),
        (lambda b, x, r: r - x, "subtract [[R]], %x"),
        (lambda b, x, r: x - r, "subtract %x, [[R]]"),
        (lambda b, x, r: r / x, "divide [[R]], %x"),
        (lambda b, x, r: x * r, "multiply %x, [[R]]"),
        (lambda b, x, r: x.compare("LT", r), "compare LT, %x, [[R]], FLOAT"),
    ],
)
def test_a_row_vector_repeats_over_the_batch(body: Body, checks: str) -> None:
    """Operands keep their order, whichever of them is broadcast."""
    check(
        emit(body, x=(2, 3), r=(3,)),
        f"""
        CHECK: [[R:%y[_0-9]*]] = stablehlo.broadcast_in_dim %r, dims = [1] : \
(tensor<3xf32>) -> tensor<2x3xf32>
        CHECK-NEXT: stablehlo.{checks}
        CHECK-NEXT: return
        """,
    )


@pytest.mark.parametrize(
    ("body", "checks"),
    [
        (lambda b, x: x + 2.0, "add %x, [[C]]"),
        (lambda b, x: 2.0 + x, "add [[C]], %x"),
        (lambda b, x: x - 2, "subtract %x, [[C]]"),
        (lambda b, x: 2 - x, "subtract [[C]], %x"),
        (lambda b, x: x * 2, "multiply %x, [[C]]"),
        (lambda b, x: 2 * x, "multiply [[C]], %x"),
        (lambda b, x: x / 2, "divide %x, [[C]]"),
        (lambda b, x: x.compare("GE", 2), "compare GE, %x, [[C]], FLOAT"),
    ],
)
def test_numbers_become_constants(body: Body, checks: str) -> None:
    check(
        emit(body, x=(2, 3)),
        f"""
        CHECK: [[C:%y[_0-9]*]] = stablehlo.constant dense<2.000000e+00> : tensor<2x3xf32>
        CHECK-NEXT: stablehlo.{checks}
        CHECK-NEXT: return
        """,
    )


@pytest.mark.parametrize(
    ("body", "checks"),
    [
        (lambda b, x: -x, "negate %x : tensor<2x6xf32>"),
        (lambda b, x: x.to("float64"), "convert %x : (tensor<2x6xf32>) -> tensor<2x6xf64>"),
        (lambda b, x: x.reshape(3, 4), "reshape %x : (tensor<2x6xf32>) -> tensor<3x4xf32>"),
        (lambda b, x: x.transpose(1, 0), "transpose %x, dims = [1, 0]"),
        (lambda b, x: x.slice(1, 2, 5), "slice %x [0:2, 2:5]"),
        (lambda b, x: x.slice(0, 1, 2), "slice %x [1:2, 0:6]"),
        (lambda b, x: x.split(1, 3)[2], "slice %x [0:2, 4:6]"),
        (lambda b, x: x.broadcast_in_dim((2, 4, 6), (0, 2)), "dims = [0, 2]"),
        (lambda b, x: x.dot(x, (1, 1)), "contracting_dims = [1] x [1]"),
        (lambda b, x: x.dot(x, (0, 0), "float64"), "-> tensor<6x6xf64>"),
        (lambda b, x: x.sum(0), "across dimensions = [0] : {{.*}} -> tensor<6xf32>"),
        (lambda b, x: x.sum(0, 1), "across dimensions = [0, 1] : {{.*}} -> tensor<f32>"),
        (lambda b, x: b.sigmoid(x), "logistic %x"),
        (lambda b, x: b.tanh(x), "tanh %x"),
        (lambda b, x: b.clamp(-1, x, 2.5), "clamp {{%y.*}}, %x, {{%y.*}} : (tensor<f32>,"),
        (lambda b, x: b.concatenate([x, x], 1), "concatenate %x, %x, dim = 1 : {{.*}}<2x12xf32>"),
        (lambda b, x: b.iota((2, 3), 1), "iota dim = 1 : tensor<2x3xi64>"),
        (lambda b, x: x.to("int64").compare("EQ", 0), "compare EQ, {{.*}}, SIGNED"),
        (lambda b, x: b.select(x.compare("LT", 0), x, -x), "select %{{.*}}, %x, %{{.*}}"),
        (lambda b, x: x.row(b.constant(1, "int64")), "dynamic_slice %x, {{.*}}, sizes = [1, 6]"),
        (
            lambda b, x: x.with_row(b.constant(1, "int64"), x.slice(0, 0, 1).reshape(6)),
            "dynamic_update_slice %x, {{.*}} : {{.*}} -> tensor<2x6xf32>",
        ),
    ],
)
def test_expression_emits(body: Body, checks: str) -> None:
    check(emit(body, x=(2, 6)), f"CHECK: {checks}\nCHECK: return")


@pytest.mark.parametrize(
    "body",
    [
        lambda b, x: x.to("float32"),
        lambda b, x: x.reshape(2, 6),
        lambda b, x: x.broadcast_to((2, 6)),
        lambda b, x: x.slice(1, 0, 6),
        lambda b, x: x.split(0, 1)[0],
        lambda b, x: b.concatenate([x], 0),
    ],
)
def test_what_changes_nothing_emits_nothing(body: Body) -> None:
    assert ops(emit(body, x=(2, 6))) == []


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        (lambda b, x, e: e + e, "0x3xf32"),
        (lambda b, x, e: b.tanh(e), "0x3xf32"),
        (lambda b, x, e: e.compare("LT", 0), "0x3xi1"),
        (lambda b, x, e: x.slice(0, 1, 1), "0x3xf32"),
        (lambda b, x, e: e.transpose(1, 0), "3x0xf32"),
        (lambda b, x, e: e.dot(x, (1, 1)), "0x2xf32"),
        (lambda b, x, e: e.dot(e, (0, 0), "float64"), "3x3xf64"),
        (lambda b, x, e: e.sum(0), "3xf32"),
        (lambda b, x, e: e.sum(1), "0xf32"),
        (lambda b, x, e: b.iota((0, 3), 0), "0x3xi64"),
        (lambda b, x, e: b.concatenate([e, e], 0), "0x3xf32"),
    ],
)
def test_empty_tensors_and_empty_sums_are_constants(body: Body, shape: str) -> None:
    """IREE's CPU code generator divides by zero on some ops that make empty tensors."""
    module = emit(body, x=(2, 3), e=(0, 3))
    assert set(ops(module)) <= {"constant"}
    assert f"-> tensor<{shape}>" in module


def test_concatenating_drops_empty_operands() -> None:
    assert ops(emit(lambda b, x, e: b.concatenate([e, x, e], 0), x=(2, 3), e=(0, 3))) == []
    check(
        emit(lambda b, x, e: b.concatenate([x, e, x], 0), x=(2, 3), e=(0, 3)),
        "CHECK: concatenate %x, %x, dim = 0",
    )


@pytest.mark.parametrize(
    ("value", "dtype", "printed"),
    [
        (0.1, "float32", "1.000000e-01"),
        (0.1, "float16", "9.997550e-02"),
        (0.1, "bfloat16", "1.000980e-01"),
        (0.1, "float64", "1.000000e-01"),
        (1e9, "float16", "0x7C00"),
        (-1e9, "float16", "0xFC00"),
        (1e300, "float32", "0x7F800000"),
        (1e300, "float64", "1.000000e+300"),
        (float("-inf"), "bfloat16", "0xFF80"),
        (7, "int64", "7"),
        (-1, "int32", "-1"),
    ],
)
def test_constants_round_to_their_type(value: float, dtype: str, printed: str) -> None:
    """A number too large for a type is its infinity."""
    check(emit(lambda b, x: b.full(value, (2,), dtype), x=()), f"CHECK: dense<{printed}>")


def test_float64_tanh_is_made_of_what_links() -> None:
    """IREE's CPU backend has no double-precision tanh."""
    names = ops(emit(lambda b, x: b.tanh(x), x=(2,), dtype="float64"))
    assert names
    assert "tanh" not in names


def test_values_are_named_after_the_formula() -> None:
    """The first word of a step names the values emitted in it."""

    def body(b: Builder, x: Value) -> Value:
        b.formula("z = x + x")
        z = x + x
        b.formula("dcs += z*wco")
        return z * z

    check(emit(body, x=(2,)), "CHECK: %z = stablehlo.add %x, %x\nCHECK: %dcs = stablehlo.multiply")


def test_while_loop() -> None:
    def body(b: Builder, x: Value) -> Sequence[Value]:
        carry = {"k": b.constant(0, "int64"), "acc": x}
        return b.while_loop(
            carry, lambda k, acc: k.compare("LT", 5), lambda k, acc: [k + 1, acc + acc]
        )

    check(
        emit(body, x=(2,)),
        """
        CHECK: stablehlo.while([[K:%iterArg]] = %y, [[A:%iterArg_[0-9]+]] = %x) : tensor<i64>, \
tensor<2xf32>
        CHECK: cond
        CHECK: stablehlo.compare LT, [[K]], {{.*}}, SIGNED
        CHECK: do
        CHECK: [[K1:%y.*]] = stablehlo.add [[K]],
        CHECK: [[A1:%y.*]] = stablehlo.add [[A]], [[A]]
        CHECK: stablehlo.return [[K1]], [[A1]] : tensor<i64>, tensor<2xf32>
        """,
    )


def test_composite_has_its_meaning_beside_it() -> None:
    """Attributes of every kind; the decomposition is private and gets the operands' names."""

    def body(b: Builder, x: Value, r: Value) -> Sequence[Value]:
        attributes = {"flag": True, "count": 3, "order": "IFCO", "step": "@one"}
        return b.composite(
            "thing", [x, r], attributes, lambda x, r: [x + r, r], names=["first", "second"]
        )

    check(
        emit(body, x=(2, 3), r=(3,)),
        """
        CHECK: func.func @toy(
        CHECK: stablehlo.composite "rnn_compiler.thing" %x, %r {composite_attributes = \
{count = 3 : i64, flag = true, order = "IFCO", step = @one}, \
decomposition = @toy.thing, version = 1 : i32} : (tensor<2x3xf32>, tensor<3xf32>) -> \
(tensor<2x3xf32>, tensor<3xf32>)
        CHECK: func.func private @toy.thing(%first: tensor<2x3xf32>, %second: tensor<3xf32>) -> \
(tensor<2x3xf32>, tensor<3xf32>)
        CHECK: return %y{{.*}}, %second :
        """,
    )


def _bad_condition(b: Builder, x: Value) -> Sequence[Value]:
    carry = {"k": b.constant(0, "int64")}
    return b.while_loop(carry, lambda k: k, lambda k: [k])


def _bad_carry(b: Builder, x: Value) -> Sequence[Value]:
    return b.while_loop({"x": x}, lambda x: b.constant(0, "int64").compare("LT", 1), lambda x: [])


@pytest.mark.parametrize(
    "body",
    [
        lambda b, x: b.op("add", [x, x.reshape(3, 2)], x.type),
        lambda b, x: b.op("add", [x, x], Type((3, 2), "float32")),
        lambda b, x: x.to("int32") + x,
        lambda b, x: x + x.reshape(3, 2),
        lambda b, x: x + b.full(0, (2,), "float32"),  # not along leading axes
        lambda b, x: b.tanh(x.to("int32")),
        lambda b, x: x.reshape(7),
        lambda b, x: x.dot(x, (1, 0)),
        lambda b, x: x.slice(1, 2, 9),
        lambda b, x: x.transpose(0, 0),
        lambda b, x: b.concatenate([x, x.to("float64")], 0),
        lambda b, x: b.select(x, x, x),
        _bad_condition,
        _bad_carry,
    ],
)
def test_an_illegal_op_names_the_op_and_the_step(body: Body) -> None:
    """It is rejected where it is made, so that the traceback leads there."""

    def whole(b: Builder, x: Value) -> Value:
        b.formula("z = the offending step")
        body(b, x)
        pytest.fail("it was made")

    with pytest.raises(ir.MLIRError, match="Toy: z = the offending step"):
        emit(whole, x=(2, 3))


def test_an_unknown_op_names_the_op() -> None:
    with pytest.raises((ir.MLIRError, ValueError), match=r"stablehlo\.no_such_op"):
        emit(lambda b, x: b.op("no_such_op", [x], x.type), x=(2,))


@pytest.mark.parametrize(
    "results",
    [[], [TensorSpec("y", "float32", (3,))], [TensorSpec("y", "float64", (2,))]],
)
def test_results_must_be_those_declared(results: list[TensorSpec]) -> None:
    spec = FunctionSpec(
        "Toy", "toy", "float32", {}, {}, (TensorSpec("x", "float32", (2,)),), tuple(results)
    )
    with pytest.raises(TypeError, match=r"^Toy: emitted results .*float32.* declared"):
        build_module([EmittedOp(spec, spec, lambda b, spec, args: [args["x"]])])


def test_parts_of_a_vector_are_written_in_the_order_given() -> None:
    """Not in that of their places; one part that is all of it is not written at all."""
    check(
        emit(lambda b, x, y: b.assemble([(6, x), (0, y)], 12), x=(2, 3), y=(6,)),
        """
        CHECK: [[X:%y[_0-9]*]] = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
        CHECK: [[SIX:%y[_0-9]*]] = stablehlo.constant dense<6>
        CHECK: [[V:%y[_0-9]*]] = stablehlo.dynamic_update_slice {{%y[_0-9]*}}, [[X]], [[SIX]]
        CHECK: [[ZERO:%y[_0-9]*]] = stablehlo.constant dense<0> : tensor<i64>
        CHECK: stablehlo.dynamic_update_slice [[V]], %y, [[ZERO]]
        """,
    )
    assert ops(emit(lambda b, x: b.assemble([(0, x)], 6), x=(2, 3))) == ["reshape"]
    assert ops(emit(lambda b, x: b.assemble([(0, x)], 4), x=(0, 3))) == ["constant"]


def test_random_bits_come_from_key_and_counter() -> None:
    check(
        emit(lambda b, k, c: random_bits(b, k, c, 6).bitcast("int32"), dtype="int64", k=(), c=()),
        """
        CHECK: [[K:%y[_0-9]*]] = stablehlo.reshape %k
        CHECK: [[C:%y[_0-9]*]] = stablehlo.reshape %c
        CHECK: [[S:%y[_0-9]*]] = stablehlo.concatenate [[K]], [[C]], dim = 0
        CHECK: [[U:%y[_0-9]*]] = stablehlo.bitcast_convert [[S]] {{.*}} -> tensor<2xui64>
        CHECK: stablehlo.rng_bit_generator [[U]],{{ .*}}PHILOX{{.*}} -> {{.*}}tensor<6xui32>
        """,
    )


def test_the_largest_starts_from_0() -> None:
    check(
        emit(lambda b, x: x.max(0), dtype="int64", x=(3,)),
        """
        CHECK: [[ZERO:%y[_0-9]*]] = stablehlo.constant dense<0> : tensor<i64>
        CHECK: stablehlo.reduce(%x init: [[ZERO]]) applies stablehlo.maximum across dimensions = [0]
        """,
    )
