"""Updates states in place: what JAX donates, such as parameters and an optimizer's moments.

Requires: a module whose time loops and products have been rewritten; on CPUs, also its weights
hoisted.
Matches: the states of functions that a result continues. The function may then write to the
argument. On CPUs, the elementwise ops behind the next values become one dispatch of the function,
in which a loop for each size reads and writes the states of that size; or several, if they have
more arrays than a dispatch may. Of the gradient of a table (`table_gradients`), the loop reads the
rows that are kept; where the update changes no others, as long as factors are finite, it skips
these. They come last and wait for all other results, since what they overwrite may be read until
then.
Leaves: next values that other ops compute; the host program copies these at the end.
Ensures: the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rnn_compiler.lowering.analysis.values import defining, element, shape, splat_of, static_shape
from rnn_compiler.lowering.codegen.body import Array, ArrayType, Body, Index, Number, known
from rnn_compiler.lowering.codegen.elementwise import elementwise
from rnn_compiler.lowering.codegen.executable import DispatchBuilder, FunctionBuilder
from rnn_compiler.lowering.codegen.partition import one_only, partition
from rnn_compiler.lowering.codegen.whole_arrays import reshape
from rnn_compiler.lowering.mlir.bindings import block_of, end_of, ir, ops_of, symbol_of
from rnn_compiler.lowering.mlir.marks import CONSUMED, ROWS, STATE
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext
from rnn_compiler.lowering.rewriting.edits import PrivateCalls
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.open_sizes import is_static
from rnn_compiler.schema.specs import FunctionSpec

_OPS = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("add", "subtract", "multiply", "divide", "maximum", "minimum", "negate", "abs", "sqrt"),
        *("compare", "select", "and", "or", "not"),
    )
)
"""The ops that updates consist of."""

_FUNCTIONS = "func.func", "util.func"
"""Functions, and those that take their weights packed, which are asynchronous."""

_BARRIER = "util.optimization_barrier"

_DONATED = ("tf.aliasing_output", "jax.buffer_donor")
"""JAX's marks of donated arguments."""

_LOGIC = frozenset(f"stablehlo.{name}" for name in ("and", "or", "not"))
"""Those on truth values."""

_TYPES = {
    "f32": _OPS,
    "f64": _OPS - {"stablehlo.maximum", "stablehlo.minimum", "stablehlo.sqrt"},
    "i32": _OPS - {"stablehlo.divide", "stablehlo.negate", "stablehlo.abs", "stablehlo.sqrt"},
}
_TYPES["i64"] = _TYPES["i32"]
"""The types of states that are updated here, and the ops on them; others need functions."""

_OF_ZERO = "stablehlo.multiply", "stablehlo.negate"
"""Ops whose result is 0 if an operand is, and the other a finite number."""

_VIEWS = frozenset(f"stablehlo.{name}" for name in ("reshape", "slice", "bitcast_convert"))
"""Ops whose result may be in the memory of their argument."""

_BINDINGS = 32
"""The most arrays of a dispatch: IREE's runtime takes no more, and its compiler does not ask."""

_TOKENS = 4
"""The most of them that only say what must be done before."""

_WORKGROUPS, _PER_WORKGROUP = 8, 1 << 14
"""The most workgroups, and the numbers from which on there is another one."""


def states_are_updated_in_place(context: PassContext) -> str | None:
    """Functions may write to the states that they update, and to no other argument."""
    for spec, function in _functions(context):
        rows = _argument_attributes(function)
        found = {number for number, row in enumerate(rows) if CONSUMED in row}
        if found != spec.continued.keys():
            return f"the arguments {sorted(found)} of {symbol_of(function)}"
    return None


@pass_with(requires=(), ensures=(states_are_updated_in_place,))
def update_states(context: PassContext) -> None:
    """Marks the states, and rewrites their updates."""
    calls = PrivateCalls(context.module)
    for spec, function in _functions(context):
        if not spec.continued:
            continue
        rows = _argument_attributes(function)
        index = ir.IndexType.get()
        for number, result in spec.continued.items():
            marks = {CONSUMED: ir.UnitAttr.get(), STATE: ir.IntegerAttr.get(index, result)}
            rows[number] = {**rows[number], **marks}
            for name in _DONATED:  # IREE would copy each result there, in any order
                rows[number].pop(name, None)
        function.attributes["arg_attrs"] = ir.ArrayAttr.get([*map(ir.DictAttr.get, rows)])
        if isinstance(context.processor, VectorUnit):
            _rewrite(calls, function, spec, context.processor)


def _functions(context: PassContext) -> Iterator[tuple[FunctionSpec, ir.Operation]]:
    """The public functions, and those that take their weights packed."""
    functions = (op for op in ops_of(context.module.body) if op.name in _FUNCTIONS)
    known = {symbol_of(op): op for op in functions if len(op.regions[0].blocks)}
    for spec in context.request.functions:
        for symbol in (spec.function, spec.prepacked):
            if symbol in known:
                yield spec, known[symbol]


def _argument_attributes(function: ir.Operation) -> list[dict[str, ir.Attribute]]:
    if "arg_attrs" not in function.attributes:
        return [{} for _ in block_of(function).arguments]
    rows = map(ir.DictAttr, ir.ArrayAttr(function.attributes["arg_attrs"]))
    return [{row.name: row.attr for row in each} for each in rows]


@dataclass
class _Update:
    """The updates of some states of one shape and type, in one loop.

    Attributes:
        states: The states; with the numbers of the results that are their next values.
        roots: The ops that compute these.
        ops: All ops of the update, in order.
        arrays: What they read besides the states: arrays of the same shape.
        scalars: What they read that applies to all elements, each with a number; None if the
            value is a constant.
    """

    states: dict[ir.Value, int]
    roots: list[ir.Operation]
    ops: list[ir.Operation] = field(default_factory=list["ir.Operation"])
    arrays: list[ir.Value] = field(default_factory=list["ir.Value"])
    scalars: dict[ir.Value, ir.Value | None] = field(
        default_factory=dict["ir.Value", "ir.Value | None"]
    )

    @property
    def read(self) -> list[ir.Value]:
        """What they read besides the states and constants."""
        numbers = [number for number in self.scalars.values() if number is not None]
        arrays = [x for array in self.arrays for x in _rows_of(array) or [array]]
        return list(dict.fromkeys([*arrays, *numbers]))

    @property
    def tables(self) -> dict[ir.Value, list[ir.Value]]:
        """The arrays whose rows are those of smaller ones: these, and which row is which."""
        return {array: rows for array in self.arrays if (rows := _rows_of(array))}

    @property
    def skips(self) -> bool:
        """Whether states keep their rows where tables have those of zeros, the last ones."""
        zeros = {*self.tables}
        for op in self.ops:
            if op.name in _OF_ZERO and not zeros.isdisjoint(op.operands):
                zeros.add(op.results[0])
        return len(self.tables) == 1 and all(
            op.name == "stablehlo.subtract" and op.operands[0] == state and op.operands[1] in zeros
            for op, state in zip(self.roots, self.states, strict=True)
        )

    def reached(self) -> set[ir.Operation]:
        """The ops of a state's shape from which the next values are computed."""
        like = next(iter(self.states))
        found: set[ir.Operation] = set()
        waiting = [*self.roots]
        while waiting:
            op = waiting.pop()
            if op not in found:
                found.add(op)
                waiting += [defining(x) for x in op.operands if _is_update(x, like)]
        return found

    def find(self, order: Mapping[ir.Operation, int]) -> None:
        """Finds the ops; a value that others read as well is read too, not computed again."""
        found = self.reached()
        while True:
            ends = {op for op in found - {*self.roots} if not _only_for(op, found)}
            if not ends:
                break
            found -= ends
        self.ops = sorted(found, key=order.__getitem__)
        for value in dict.fromkeys(x for op in self.ops for x in op.operands):
            is_computed = not isinstance(value.owner, ir.Block) and value.owner.operation in found
            if is_computed or value in self.states:
                continue
            is_scalar, number = _scalar(value)
            if is_scalar:
                self.scalars[value] = number
            else:
                self.arrays.append(value)


def _updates(function: ir.Operation, spec: FunctionSpec) -> list[_Update]:
    """The updates of a function to rewrite."""
    block, results = block_of(function), end_of(function).operands
    for number in spec.continued:
        _read_itself(block.arguments[number])
    order = {op: number for number, op in enumerate(ops_of(block))}
    grouped: dict[str, list[_Update]] = {}
    for number, result in spec.continued.items():
        state, value = block.arguments[number], results[result]
        is_known = is_static(*shape(state)) and math.prod(static_shape(state)) > 0
        if is_known and element(state) in _TYPES and _is_update(value, state):
            group = grouped.setdefault(str(state.type), [])
            group.append(_found([_Update({state: result}, [defining(value)])], order))
    loops = [update for group in grouped.values() for update in _loops_of(group, order)]
    read = {value for update in loops for value in update.read}
    return [update for update in loops if read.isdisjoint(update.states)]  # others may come later


def _read_itself(state: ir.Value) -> None:
    """Lets elementwise ops read a state itself, not what `read_arguments_in_place` hides it by."""
    hidden = [use.owner.operation for use in state.uses if use.owner.name == _BARRIER]
    for use in [use for barrier in hidden for use in barrier.results[0].uses]:
        if use.owner.name in _TYPES.get(element(state), ()):
            use.owner.operation.operands[use.operand_number] = state


def _found(parts: Sequence[_Update], order: Mapping[ir.Operation, int]) -> _Update:
    """Some updates as one."""
    states = {state: number for each in parts for state, number in each.states.items()}
    update = _Update(states, [root for each in parts for root in each.roots])
    update.find(order)
    return update


def _loops_of(group: Sequence[_Update], order: Mapping[ir.Operation, int]) -> list[_Update]:
    """Updates of one type, in as few loops as possible.

    Those that read another's state or next value are in its loop, such as those of a parameter and
    its moments. More of them than a dispatch can have arrays are left.
    """
    replaced = {x for each in group for x in (*each.states, *(e.results[0] for e in each.roots))}
    together: list[tuple[set[ir.Value], list[_Update]]] = []
    for each in group:
        touched = {*each.states} | {x for op in each.reached() for x in (*op.operands, *op.results)}
        touched &= replaced
        near = [one for one in together if not touched.isdisjoint(one[0])]
        together = [one for one in together if one not in near]
        parts = [one for _, found in near for one in found]
        together.append((touched.union(*(values for values, _ in near)), [*parts, each]))
    loops: list[list[_Update]] = []
    for _, parts in together:
        if len(_arrays([_found(parts, order)])) > _BINDINGS - _TOKENS:
            continue
        joined = [*(loops[-1] if loops else []), *parts]
        one = _found(joined, order)
        if loops and not one.tables and len(_arrays([one])) <= _BINDINGS - _TOKENS:
            loops[-1] = joined
        else:
            loops.append([*parts])
    return [_found(parts, order) for parts in loops]


def _rows_of(value: ir.Value) -> list[ir.Value]:
    """The array whose rows an array has, and which, by `table_gradients`; none for others."""
    if isinstance(value.owner, ir.Block) or ROWS not in value.owner.attributes:
        return []
    return [*value.owner.operation.operands]


def _is_update(value: ir.Value, like: ir.Value) -> bool:
    """Whether an elementwise op computes a value of a state's shape from such values."""
    if isinstance(value.owner, ir.Block) or shape(value) != shape(like):
        return False
    op = value.owner.operation
    if op.name not in _TYPES[element(like)] or not all(_fits(x, like) for x in op.operands):
        return False
    of_truths = element(op.operands[-1]) == "i1"
    return of_truths == (op.name in _LOGIC)


def _fits(value: ir.Value, like: ir.Value) -> bool:
    """Whether a value has a state's shape, or applies to all elements."""
    return shape(value) in ((), shape(like)) and element(value) in (element(like), "i1")


def _only_for(op: ir.Operation, ops: Collection[ir.Operation]) -> bool:
    """Whether nothing but some ops reads a result."""
    return all(use.owner.operation in ops for use in op.results[0].uses)


def _scalar(value: ir.Value) -> tuple[bool, ir.Value | None]:
    """Whether all elements of a value are one number; and this number, unless it is a constant."""
    if isinstance(value.owner, ir.Block):
        return not shape(value), value
    op = value.owner.operation
    if op.name == "stablehlo.constant":
        return ir.DenseElementsAttr(op.attributes["value"]).is_splat, None
    if op.name == "stablehlo.broadcast_in_dim" and not shape(op.operands[0]):
        return _scalar(op.operands[0])
    return not shape(value), value


def _rewrite(
    calls: PrivateCalls, function: ir.Operation, spec: FunctionSpec, processor: VectorUnit
) -> None:
    """Replaces the updates of a function by dispatches before its end."""
    end, updates = end_of(function), _updates(function, spec)
    replaced = {state: result for update in updates for state, result in update.states.items()}
    others: list[ir.Value] = []
    for number, value in enumerate(end.operands):
        if number in replaced.values() or not is_static(*shape(value)):
            continue
        signless = _signless(value, end)
        if _may_be_one_of(value, replaced):
            signless = calls.before(end, "copy", [signless], _copy)[0]
            end.operands[number] = _bits(signless, value.type, end)
        others.append(signless)
    waited = [*dict.fromkeys([*(x for update in updates for x in update.read), *others])]
    bytes_ = {value: _bytes(value, end) for value in waited if element(value) == "i1"}
    batches = [updates] if updates else []
    if len({*others, *_arrays(updates)}) > _BINDINGS:
        batches = _batches(updates)
        while len(waited) > _TOKENS:
            waited = [
                calls.before(end, "wait", _stored(waited[k : k + _BINDINGS - 1], bytes_), _token)[0]
                for k in range(0, len(waited), _BINDINGS - 1)
            ]
    made: dict[int, ir.Value] = {}
    for number, batch in enumerate(batches):
        states = [state for update in batch for state in update.states]
        read = [*dict.fromkeys(x for update in batch for x in update.read)]
        given = [*states, *read, *(x for x in waited if x not in read)]
        emit = _Emitter(batch, given, processor)
        key = f"{symbol_of(function)} {number}"
        results = calls.before(end, "update", _stored(given, bytes_), emit, key)
        made |= zip((k for update in batch for k in update.states.values()), results, strict=True)
    for number, value in made.items():
        end.operands[number] = value
    read = [x for update in updates for x in (*update.scalars, *update.tables) if shape(x)]
    replacing = [op for update in updates for op in update.ops]
    for op in [*reversed(replacing), *map(defining, dict.fromkeys(read))]:
        if not any(True for _ in op.results[0].uses):
            op.erase()


def _signless(value: ir.Value, end: ir.Operation) -> ir.Value:
    """A value as dispatches take it: unsigned integers as others of their width."""
    if not element(value).startswith("ui"):
        return value
    of = ir.IntegerType(ir.RankedTensorType(value.type).element_type)
    kind = ir.IntegerType.get_signless(of.width)
    return _bits(value, ir.RankedTensorType.get(static_shape(value), kind), end)


def _bytes(truths: ir.Value, end: ir.Operation) -> ir.Value:
    """Truth values as dispatches take them, before the end of a function."""
    kind = ir.RankedTensorType.get(static_shape(truths), ir.IntegerType.get_signless(8))
    with ir.InsertionPoint(end), end.location:
        return ir.Operation.create("stablehlo.convert", [kind], [truths]).results[0]


def _stored(values: Iterable[ir.Value], bytes_: Mapping[ir.Value, ir.Value]) -> list[ir.Value]:
    """Values, with those that have bytes as these."""
    return [bytes_.get(value, value) for value in values]


def _bits(value: ir.Value, kind: ir.Type, end: ir.Operation) -> ir.Value:
    """The bits of a value as another type, before the end of a function."""
    if value.type == kind:
        return value
    with ir.InsertionPoint(end), end.location:
        op = ir.Operation.create("stablehlo.bitcast_convert", [kind], [value])
    return op.results[0]


def _may_be_one_of(value: ir.Value, states: Collection[ir.Value]) -> bool:
    """Whether a value may be in a state's memory: a part of it, or of its size.

    Ops whose result has the size of a state may turn out to be the identity.
    """
    count = math.prod(static_shape(value))
    sizes = {(element(state), math.prod(static_shape(state))) for state in states}
    if not count or (element(value), count) in sizes:
        return count > 0
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in _VIEWS:
        value = value.owner.operation.operands[0]
    return value in states


def _arrays(updates: Iterable[_Update]) -> set[ir.Value]:
    """The arrays that a dispatch needs for some updates."""
    return {value for each in updates for value in (*each.states, *each.read)}


def _batches(updates: Sequence[_Update]) -> list[list[_Update]]:
    """The updates of each dispatch, if there is more than one, or it waits for many results."""
    batches: list[list[_Update]] = []
    for update in updates:
        if not batches or len(_arrays([*batches[-1], update])) > _BINDINGS - _TOKENS:
            batches.append([])
        batches[-1].append(update)
    return batches


def _token(function: FunctionBuilder, *arrays: Array) -> list[Array]:
    """A dispatch that needs some arrays, and does nothing."""
    executable = DispatchBuilder(function, "wait", 1)
    for array in arrays:
        executable.read(array)
    token = executable.make(ArrayType((1,), "i32"))
    executable.body.put(executable.body.constant(0, "i32"), token, [0])
    executable.dispatch()
    return [token]


def _copy(function: FunctionBuilder, array: Array) -> list[Array]:
    """A copy. IREE returns an argument that is a result as it is, even if a dispatch changes it."""
    flat = _flat(function, array)
    executable = DispatchBuilder(function, "copy", 1)
    source, copy = executable.read(flat), executable.make(flat.type)
    body = executable.body

    def put(position: Index) -> None:
        body.put(body.element(source, [position]), copy, [position])

    body.loop(0, math.prod(known(flat.shape)), 1, [copy], put)
    executable.dispatch()
    return [reshape(function, copy, array.shape)]


class _Emitter:
    """The body of a function that updates states.

    Its arguments are the states, what the updates read, and what they wait for.
    """

    def __init__(
        self, updates: Sequence[_Update], given: Sequence[ir.Value], processor: VectorUnit
    ) -> None:
        self._updates, self._given, self._processor = updates, given, processor

    def __call__(self, function: FunctionBuilder, *arrays: Array) -> list[Array]:
        outside = dict(zip(self._given, (_flat(function, each) for each in arrays), strict=True))
        counts = [math.prod(static_shape(next(iter(each.states)))) for each in self._updates]
        workgroups = min(_WORKGROUPS, 1 + sum(counts) // _PER_WORKGROUP)
        if not self._processor.has_memory:
            workgroups = 1
        executable = DispatchBuilder(function, "update", workgroups)
        part = executable.workgroup()
        states = {state for update in self._updates for state in update.states}
        inside = {
            value: executable.change(array) if value in states else executable.read(array)
            for value, array in outside.items()
        }
        for update, count in zip(self._updates, counts, strict=True):
            self._loops(executable.body, update, inside, count, workgroups, part)
        executable.dispatch()
        pairs = zip(self._given, arrays, strict=False)
        return [
            reshape(function, inside[value], array.shape)
            for value, array in pairs
            if value in states
        ]

    def _loops(
        self,
        body: Body,
        update: _Update,
        inside: Mapping[ir.Value, Array],
        count: int,
        workgroups: int,
        part: Index,
    ) -> None:
        """Loops over the vectors of a size's states, and over the numbers that are left."""
        carried = [inside[state] for state in update.states]
        scalars = {
            value: body.constant(splat_of(_constant(value)), element(value))
            if number is None
            else _truth(body.element(inside[number], [0]), element(value))
            for value, number in update.scalars.items()
        }
        lanes = self._processor.lanes(element(next(iter(update.states))))
        vectors, tables = count // lanes, update.tables

        def update_at(position: Index, lanes: int, of_tables: Mapping[ir.Value, Index]) -> None:
            numbers = {
                value: body.broadcast(number, lanes) if lanes else number
                for value, number in scalars.items()
            }
            for value in (*update.states, *update.arrays):
                array = inside[tables[value][0] if value in tables else value]
                at = [of_tables[value]] if value in tables else [position]
                read = body.read(array, at, lanes) if lanes else body.element(array, at)
                numbers[value] = _truth(read, element(value))
            for op in update.ops:
                numbers[op.results[0]] = elementwise(body, op, [numbers[x] for x in op.operands])
            for array, op in zip(carried, update.roots, strict=True):
                number = numbers[op.results[0]]
                if lanes:
                    body.write(number, array, [position])
                else:
                    body.put(number, array, [position])

        def row(number: Index) -> None:
            """Updates a row, whose gradients are rows of other arrays."""
            columns = static_shape(next(iter(tables)))[1]
            rows = {
                value: body.element(inside[places], [number]).to_index()
                for value, (_, places) in tables.items()
            }

            def at(column: Index, lanes: int) -> None:
                starts = {value: row * columns + column for value, row in rows.items()}
                update_at(number * columns + column, lanes, starts)

            def whole() -> None:
                vectors = columns // lanes * lanes
                body.loop(0, vectors, lanes, carried, lambda column: at(column, lanes))
                body.loop(vectors, columns, 1, carried, lambda column: at(column, 0))

            if not update.skips:
                whole()
                return
            ((table, row),) = rows.items()
            nothing = static_shape(tables[table][0])[0] - 1
            body.when(body.compare("ne", row, nothing), carried, whole)

        def rest() -> None:
            body.loop(vectors * lanes, count, 1, carried, lambda each: update_at(each, 0, {}))

        if tables:
            partition(body, static_shape(next(iter(tables)))[0], workgroups, part, carried, row)
            return
        if vectors:
            loops = body, vectors, workgroups, part, carried
            partition(*loops, lambda each: update_at(each * lanes, lanes, {}))
        if count > vectors * lanes:
            one_only(body, part, workgroups, carried, rest)


def _constant(value: ir.Value) -> ir.Value:
    """The constant that a value repeats."""
    op = defining(value)
    return value if op.name == "stablehlo.constant" else _constant(op.operands[0])


def _flat(function: FunctionBuilder, array: Array) -> Array:
    """An array as one axis."""
    return reshape(function, array, [math.prod(known(array.shape))])


def _truth(number: Number, element: str) -> Number:
    """A number that was read, as a truth value if it is one."""
    if element != "i1":
        return number
    zero = number.body.constant(0, number.element, number.lanes)
    return number.body.compare("ne", number, zero)
