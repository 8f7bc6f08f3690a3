"""Replaces every large matrix product outside the time loops by cache-blocked dispatches.

Requires: a portable module, or one whose time loops have been rewritten, and whose open sizes, if
any, have been too; the target is a CPU.
Matches: in public functions, `stablehlo.dot_general` of two matrices of these forms, `w` transposed
or not, and the composites of `builder.products`; in a user's own functions, where there is memory,
the first form in float32. Puts calls of private functions in their place:

    x @ w           a `cpu.products.rows_product`
    lhs^T @ rhs     a `cpu.products.outer_sum` of panels that another dispatch gathers

If rows of the batch have lengths, a call lists the valid rows, once for all products of the
same steps. 16-bit operands are widened first to the type of the result, in which the products are
summed, unless the vector unit multiplies pairs of them.
Leaves: of known sizes, products of a single column, a single number summed or fewer than
`MIN_MULTIPLICATIONS` (of a single row `MIN_ROW_MULTIPLICATIONS`, and none where memory is scarce);
ops that are not products of two matrices. A composite of `rows` that is left, or whose padding is,
is replaced by its decomposition.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rnn_compiler.lowering.analysis.products import (
    MIN_ROW_MULTIPLICATIONS,
    MatrixProduct,
    is_large,
    is_packed_once,
)
from rnn_compiler.lowering.analysis.values import (
    array_of,
    defining,
    element,
    is_constant,
    rank,
    shape,
    splat_of,
    static_shape,
    summed_axes,
    tied,
)
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, element_type
from rnn_compiler.lowering.codegen.executable import FunctionBuilder
from rnn_compiler.lowering.codegen.stablehlo import converted
from rnn_compiler.lowering.codegen.whole_arrays import collapse, expand
from rnn_compiler.lowering.cpu.products.outer_sum import OuterSum, Sum
from rnn_compiler.lowering.cpu.products.rows_product import (
    Blocking,
    FirstRows,
    ListedRows,
    Rows,
    Store,
    listed_rows,
    rows_product,
)
from rnn_compiler.lowering.mlir.bindings import contraction, ir
from rnn_compiler.lowering.mlir.marks import PACKED
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, products_are_rewritten
from rnn_compiler.lowering.rewriting.edits import (
    PrivateCalls,
    inlined,
    opaque,
    pointwise_cast,
    replace,
)
from rnn_compiler.lowering.targets.vector_unit import VectorUnit, WeightFormat, plain
from rnn_compiler.schema.open_sizes import Open, is_static

MIN_LISTED_ROWS = 256
"""The fewest rows for which padding is left out."""

_FUSED, _FUSED_ROW = 1 << 20, 1 << 17
"""The multiplications up to which a user's product, of several rows and of one, is left to IREE,
which computes what precedes and follows it in the same dispatch."""

_MANY = 64
"""The assumed number of open rows, where it matters only that it is more than one."""


_Operands = dict[str, ir.Value]
"""Operands of a call by name."""


@pass_with(requires=(), ensures=(products_are_rewritten,))
def products(context: PassContext) -> None:
    """Rewrites the products of a module's public functions."""
    vectors = context.processor
    assert isinstance(vectors, VectorUnit)
    rewriting = _Rewriting(context, PrivateCalls(context.module), vectors)
    for op in context.ops():
        rewriting.rewrite(op)
    for op in context.users_ops() if vectors.has_memory else ():
        rewriting.rewrite_users(op)


@dataclass
class _Rewriting:
    """The rewriting of a module.

    Attributes:
        lists: The valid rows, by the lengths, the first step and the number of steps.
        numbers: Numbers that are hidden from the compiler, by block, type and number.
    """

    context: PassContext
    calls: PrivateCalls
    vectors: VectorUnit
    lists: dict[object, _Operands] = field(default_factory=dict[object, _Operands])
    numbers: dict[object, ir.Value] = field(default_factory=dict[object, ir.Value])

    def rewrite(self, op: ir.Operation) -> None:
        """Replaces an op by calls, if it is a product for which that pays off."""
        product = MatrixProduct.of(op)
        if product is None:
            return
        listed, pays = self._is_listed(product), _pays(product, self.vectors)
        is_fast = listed or (pays and product.is_scaled)
        if product.is_composite and product.is_plain and not is_fast:
            for each in inlined(self.calls.module, op):
                self.rewrite(each)
        elif pays:
            valid = self._listed(product) if listed else _steps(product)
            rewrite = self._multiply if product.form == "rows" else self._sum
            replace(op, rewrite(product, valid))

    def rewrite_users(self, op: ir.Operation) -> None:
        """Replaces a large product in a function of the user's."""
        if _is_of_rows(op) and _is_alone(op):
            op = _of_matrices(op)
            if is_packed_once(op.operands[1], static_shape(op.operands[0])[0]):
                op.attributes[PACKED] = ir.UnitAttr.get()
            self.rewrite(op)

    def _is_listed(self, product: MatrixProduct) -> bool:
        """Whether padding is left out; pairs of bfloat16 are twice as fast with all rows."""
        if "lengths" not in product.given:
            return False
        if product.is_open and product.form == "outer_sums":
            return True
        rows = product.rows_or(MIN_LISTED_ROWS)
        large = any(is_large(rows, *sizes) for sizes in product.sizes)
        return rows >= MIN_LISTED_ROWS and large and self._format(product, rows).is_plain

    def _format(self, product: MatrixProduct, rows: int) -> WeightFormat:
        """The format of the product's right-hand side."""
        sides = element(product.lhs[0]), element(product.rhs[0])
        inner = product.sizes[0][0] if product.form == "rows" else rows
        return self.vectors.format(*sides, product.sums, inner=inner, rows=rows)

    def _listed(self, product: MatrixProduct) -> _Operands:
        """The list of a product's valid rows, and their number."""
        op, given, lhs = product.op, product.given, product.lhs[0]
        number = ir.IntegerAttr.get(element_type("i64"), product.attributes.start)
        start = given["start"] if "start" in given else self._opaque(op, number)
        steps = shape(lhs)[0]
        key = (given["lengths"], start, steps)
        if key not in self.lists:
            others = {"like": tied(lhs, op)} if isinstance(steps, Open) else {}
            name = f"valid_rows_{'open' if others else steps}"

            def body(
                made: FunctionBuilder, lengths: Array, start: Any, **given: Array
            ) -> list[Array]:
                count = steps if isinstance(steps, int) else given["like"].shape[0]
                rows = listed_rows(made, self.vectors, lengths, start, count)
                return [rows.rows, rows.how_many]

            made = self.calls.before(op, name, [given["lengths"], start], body, **others)
            self.lists[key] = dict(zip(("listed", "how_many"), made, strict=True))
        return self.lists[key]

    def _multiply(self, product: MatrixProduct, valid: _Operands) -> ir.Value:
        """Emits the call that multiplies rows by a matrix."""
        op, given, axis = product.op, product.given, product.axis
        format = self._format(product, product.rows_or(_MANY))
        if "listed" in valid:
            format = plain(product.sums)
        sides = ((product.lhs[0], format.lhs), (product.rhs[0], format.weight))
        operands = [tied(_widened(value, of, op), op) for value, of in sides]
        is_new, is_packed = "like" in given, PACKED in op.attributes
        others = {"scale": given["scale"]} if product.is_scaled else {}
        if not product.is_plain:
            others |= {"whole": given["like" if is_new else "into"], "start": given["start"]}
        others = {name: tied(value, op) for name, value in others.items()}
        stays = self.context.weights_stay(op)

        def body(made: FunctionBuilder, lhs: Array, rhs: Array, **given: Array) -> list[Array]:
            flat, store, whole = _flat(made, lhs), None, given.get("whole", lhs)
            if "whole" in given:
                start, columns = given["start"], product.sizes[0][1]
                store = Store.part(made, whole, start, columns, product.sums, is_new=is_new)
            rows = _rows(given, lhs, flat.shape[0])
            sizes = self.vectors, format, flat.shape[0], rhs.type, axis
            plan = Blocking(*sizes, listed="listed" in given, packed=is_packed, stays=stays)
            result = rows_product(made, plan, flat, rhs, axis, rows, store, given.get("scale"))
            if flat is lhs:
                return [result]
            return [expand(made, result, [[0, 1], [2]], (*whole.shape[:2], result.shape[1]))]

        key = (axis, is_new, is_packed, len(valid), stays)
        return self.calls.before(op, "rows_product", operands, body, key, **others, **valid)[0]

    def _sum(self, product: MatrixProduct, valid: _Operands) -> ir.Value:
        """Emits the calls that gather rows, and sum their outer products."""
        op, given, is_added = product.op, product.given, product.attributes.is_added
        plan = OuterSum(self.vectors, self._format(product, product.rows_or(_MANY)))
        lefts, rights = [*dict.fromkeys(product.lhs)], [*dict.fromkeys(product.rhs)]
        matrices = [tied(value, op) for value in (*lefts, *rights)]
        start = {"start": given["start"]} if "start" in given else {}

        def gather(made: FunctionBuilder, *matrices: Array, **given: Array) -> list[Array]:
            begins = (given["start"], matrices[0].shape[1]) if start else None
            flat = [_flat(made, each) for each in matrices]
            sides = [plan.left(each) for each in flat[: len(lefts)]]
            sides += [plan.right(each, begins) for each in flat[len(lefts) :]]
            number = flat[0].shape[0]
            return plan.panels(made, sides, _rows(given, matrices[0], number), number)

        key = (plan, len(lefts), len(start))
        panels = self.calls.before(op, "gathered", matrices, gather, key, **start, **valid)
        pairs = [
            (lefts.index(lhs), len(lefts) + rights.index(rhs))
            for lhs, rhs in zip(product.lhs, product.rhs, strict=True)
        ]
        into = {"into": _unfolded(given["into"], op)} if "into" in given else {}
        places = {
            f"place_{number}": self._opaque(op, ir.IntegerAttr.get(ir.IndexType.get(), offset))
            for number, offset in enumerate(product.attributes.offsets)
        }

        def add(made: FunctionBuilder, like: Array, *panels: Array, **given: Any) -> list[Array]:
            offsets = [given[name] for name in places]
            if not into:  # one after the other
                offsets = [sum(m * n for m, n in product.sizes[:k]) for k in range(len(pairs))]
            sums = [
                Sum(panels[left], panels[right], *size, offset)
                for (left, right), size, offset in zip(pairs, product.sizes, offsets, strict=True)
            ]
            rows = _rows(given, like, _flat(made, like).shape[0])
            result = plan.emit(made, sums, rows, given.get("into"), is_added=is_added)
            if into:
                return [result]
            height, width = sum(high for high, _ in product.sizes), product.sizes[0][1]
            return [expand(made, result, [[0, 1]], (height, width))]

        key, operands = (plan, is_added, *pairs, *product.sizes), [matrices[0], *panels]
        others = {**into, **valid, **places}
        return self.calls.before(op, "outer_sum", operands, add, key, **others)[0]

    def _opaque(self, op: ir.Operation, number: ir.IntegerAttr) -> ir.Value:
        key = (op.block, str(number))
        if key not in self.numbers:
            self.numbers[key] = opaque(number, op.block)
        return self.numbers[key]


def _is_of_rows(op: ir.Operation) -> bool:
    """Whether an op is a float32 product of an array's last axis and a matrix, of known sizes."""
    if op.name != "stablehlo.dot_general":
        return False
    values = (*op.operands, *op.results)
    if not all(element(each) == "f32" and is_static(*shape(each)) for each in values):
        return False
    (lhs, rhs), (left, right, made) = summed_axes(op), map(rank, values)
    return lhs == [left - 1] and len(rhs) == 1 and right == 2 and made == left > 1


def _is_alone(op: ir.Operation) -> bool:
    """Whether a user's product gets a dispatch without what precedes and follows it."""
    *rows, columns = static_shape(op.results[0])
    inner = static_shape(op.operands[0])[-1]
    multiplications = math.prod(rows) * inner * columns
    is_large = multiplications > (_FUSED_ROW if math.prod(rows) == 1 else _FUSED)
    return is_large and min(inner, columns) > 1


def _of_matrices(op: ir.Operation) -> ir.Operation:
    """Replaces a product of rows along several axes by that of two matrices."""
    axes, (_, rhs), sizes = rank(op.results[0]), summed_axes(op), static_shape(op.results[0])
    if axes == 2:
        return op
    body, groups = Body.before(op), [[*range(axes - 1)], [axes - 1]]
    left, right = (array_of(body, value) for value in op.operands)
    type = ArrayType((math.prod(sizes[:-1]), sizes[-1]), "f32")
    sides = [collapse(body, left, groups), right]
    made = body.array("stablehlo.dot_general", sides, type, contraction((1, rhs[0])))
    replace(op, expand(body, made, groups, sizes).value)
    return defining(made.value)


def _pays(product: MatrixProduct, vectors: VectorUnit) -> bool:
    """Whether a product gets dispatches of its own."""
    if product.is_composite and product.is_open:
        return True  # its decomposition has been removed
    if not product.has_known_columns:
        return False
    rows, sizes = product.rows, product.sizes
    if product.form == "outer_sums":
        if isinstance(rows, int):
            return rows > 1 and any(is_large(rows, *each) for each in sizes)
        return min(*sizes[0]) > 1
    if rows == 1 and not vectors.has_memory:
        return min(*sizes[0]) > 1  # its matrix would be transposed into scratch memory
    if isinstance(rows, int):
        return is_large(rows, *sizes[0])
    return min(*sizes[0]) > 1 and math.prod(sizes[0]) >= MIN_ROW_MULTIPLICATIONS


def _flat(body: FunctionBuilder, array: Array) -> Array:
    """All rows of all steps of a sequence; a matrix unchanged."""
    return collapse(body, array, [[0, 1], [2]]) if len(array.shape) == 3 else array


def _steps(product: MatrixProduct) -> _Operands:
    """The number of steps whose rows are valid, if a product has one."""
    return {"count": product.given["count"]} if "count" in product.given else {}


def _rows(given: Mapping[str, Any], lhs: Array, number: Index) -> Rows:
    """The valid ones among a number of rows: listed ones, those of some steps, or all."""
    if "listed" in given:
        return ListedRows(given["listed"], given["how_many"])
    if "count" in given:
        return FirstRows(number, given["count"], lhs.shape[1])
    return FirstRows(number)


def _widened(value: ir.Value, of: str, before: ir.Operation) -> ir.Value:
    """A matrix in another element type, converted before an op."""
    if element(value) == of:
        return value
    body = Body.before(before)
    if is_static(*shape(value)):
        return converted(body, array_of(body, value), of).value
    return pointwise_cast(body, value, of)


def _unfolded(vector: ir.Value, before: ir.Operation) -> ir.Value:
    """A vector to write to; a constant becomes an array of its own, or parts of it would fold."""
    if not is_constant(vector):
        return vector
    body = Body.before(before)
    number = body.constant(splat_of(vector), element(vector))
    return body.op("flow.tensor.splat", [number], [vector.type]).results[0]
