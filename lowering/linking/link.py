"""Replaces a user's calls by our functions, in portable StableHLO; joins several modules.

Each op at given sizes becomes one private function, `rnn_compiler_block_lstm_v2`, shared by all
its calls; integers of another width are converted on the way in and out. Barriers are removed
from loops, gathers, scatters and slices are kept within their arrays, and scatters become those
of rows. The rest of the module, its name included, is unchanged, so the result means the same
to any consumer of StableHLO.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.lowering.analysis.values import element, shape
from rnn_compiler.lowering.builder.module import BUILDER_DIALECTS, EmittedOp, add_function
from rnn_compiler.lowering.codegen.body import is_float
from rnn_compiler.lowering.codegen.executable import unused_symbol
from rnn_compiler.lowering.linking.calls import Call, find_calls, instance_of, type_of
from rnn_compiler.lowering.linking.counted_loops import index_by_counter, write_out_short_loops
from rnn_compiler.lowering.linking.indices import bound_indices
from rnn_compiler.lowering.linking.interface import (
    WeightArguments,
    callees_first,
    is_network,
    public_interface,
    sharing_states,
)
from rnn_compiler.lowering.linking.iree_faults import (
    keep_equal_elements_in_order,
    remove_barriers,
    remove_shardings,
    widen_comparisons,
)
from rnn_compiler.lowering.linking.scans import fuse_scans
from rnn_compiler.lowering.linking.slices import index_by_data
from rnn_compiler.lowering.mlir.bindings import (
    ir,
    is_private,
    nested_ops,
    new_context,
    ops_of,
    symbol_of,
)
from rnn_compiler.lowering.ops import CALLED
from rnn_compiler.lowering.rewriting import edits
from rnn_compiler.schema.open_sizes import static_size
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec


class Linked(NamedTuple):
    """A user's module with our ops in it.

    Attributes:
        linked: Our ops in it, by their private functions.
        name: Its symbol; empty for none.
        left: Why loops that may be recurrent layers were left, by their places.
    """

    text: str
    functions: tuple[FunctionSpec, ...]
    linked: tuple[FunctionSpec, ...]
    name: str
    left: tuple[str, ...]


class Source(NamedTuple):
    """A module to link.

    Attributes:
        text: Its text, with locations.
        source: What the text was made from, which has the names of arguments.
        name: What its function ``main`` is called if there are other modules.
    """

    text: str
    source: bytes = b""
    name: str = ""


def link_module(*sources: Source) -> Linked:
    """Replaces the calls of modules, which become one, by our functions.

    InvalidArgumentError: a call does not fit its op, a function calls itself, an op is of an
    unknown dialect, or functions of two modules have one name, or states that differ.
    """
    with new_context(*BUILDER_DIALECTS), ir.Location.unknown():
        parsed = [_parsed(each.text) for each in sources]
        if len(sources) > 1:
            for module, each in zip(parsed, sources, strict=True):
                _name_main(module, each.name)
        functions: list[FunctionSpec] = []
        for module, each in zip(parsed, sources, strict=True):
            functions += public_interface(module, each.source)
        module = parsed[0]
        for other in parsed[1:]:
            _join(module, other)
        made: dict[str, FunctionSpec] = {}
        left = [why for rewrite in _REWRITES for why in rewrite(module) or ()]
        calls = find_calls(module)
        is_open = any(map(is_network, ops_of(module.body)))
        for call in calls:
            spec, used = instance_of(call, is_open=is_open), _used(call)
            known = _known(call, spec)
            given = [k for k in range(len(spec.arguments)) if k not in known]
            _replace(call, _function(module, spec, known, used, made), given, used)
        module.operation.verify()
        weights = WeightArguments(callees_first(module), made.values())
        functions = sharing_states(
            [_with_weights(spec, weights.of(spec.function)) for spec in functions]
        )
        located = module.operation.get_asm(enable_debug_info=True)
        name = symbol_of(module.operation) if len(sources) == 1 else ""
    return Linked(located, tuple(functions), tuple(made.values()), name, tuple(left))


def _parsed(text: str) -> ir.Module:
    try:
        return ir.Module.parse(text)
    except ir.MLIRError as error:  # the compiler keeps such ops until later
        got = " ".join(str(error).split())
        remedy = "export it as StableHLO, without ops of other dialects"
        expected = "ops of dialects that IREE has"
        raise InvalidArgumentError("link", "module", expected, got[:400], remedy) from error


def _name_main(module: ir.Module, default: str) -> None:
    """Names the function ``main`` like its module, which JAX calls ``jit_NAME``, or a default."""
    symbols = ir.SymbolTable(module.operation)
    name = symbol_of(module.operation).removeprefix("jit_") or default
    if "main" in symbols and name not in symbols:
        main = symbols["main"].operation
        ir.SymbolTable.replace_all_symbol_uses("main", name, module.operation)
        ir.SymbolTable.set_symbol_name(main, name)


def _join(module: ir.Module, other: ir.Module) -> None:
    """Moves the functions of another module to a module; private ones get unused names."""
    for op in ops_of(other.body):
        symbol, here = symbol_of(op), ir.SymbolTable(module.operation)
        if symbol not in here:
            continue
        same = here[symbol].operation
        if not is_private(op) and not is_private(same):
            remedy = "give each function that is exported a name of its own"
            expected = "functions of different names"
            raise InvalidArgumentError("link", "module", expected, f"two called {symbol}", remedy)
        renamed, owner = (op, other) if is_private(op) else (same, module)
        name = symbol
        while name in here or name in ir.SymbolTable(other.operation):
            name += "_"
        ir.SymbolTable.replace_all_symbol_uses(symbol, name, owner.operation)
        ir.SymbolTable.set_symbol_name(renamed, name)
    for op in ops_of(other.body):
        module.body.append(op)


def _remove_conversions(module: ir.Module) -> None:
    """Removes conversions to the same type, so that their operands are recognised as weights."""
    for op in nested_ops(module.operation, "stablehlo.convert"):
        if op.operands[0].type == op.results[0].type:
            edits.replace(op, op.operands[0])


_REWRITES: Sequence[Callable[[ir.Module], Sequence[str] | None]] = (
    *(remove_barriers, _remove_conversions, write_out_short_loops, fuse_scans, index_by_counter),
    *(remove_shardings, keep_equal_elements_in_order, widen_comparisons),
    *(bound_indices, index_by_data),
)
"""Rewrites of what a user wrote, in order; they may return why loops were left."""


def _with_weights(spec: FunctionSpec, numbers: Collection[int]) -> FunctionSpec:
    """A public function with some of its arguments known as weights."""
    names = tuple(each.name for k, each in enumerate(spec.arguments) if k in numbers)
    return replace(spec, weights=names)


def _used(call: Call) -> list[int]:
    """The results of a call that anything reads; all if there are none."""
    results = () if call.is_declaration else call.operation.results
    used = [number for number, result in enumerate(results) if any(True for _ in result.uses)]
    return used or [*range(len(call.results))]


def _known(call: Call, spec: FunctionSpec) -> dict[int, str]:
    """The arguments whose constant values save an op work, and what each is.

    "all steps": lengths that count all steps of all rows. The op then neither masks nor counts
    steps. "zeros": a sequence of zeros, such as the gradient of an output that nothing reads. The
    op then has no array of them.
    """
    found: dict[int, str] = {}
    for number, argument in enumerate(spec.arguments):
        splat = None if call.is_declaration else _splat_value(call.operation.operands[number])
        if splat is None:
            continue
        steps = spec.dims.get("seq_length")
        if argument.name == "sequence_lengths" and splat == steps:
            found[number] = "all steps"
        elif len(argument.shape) == 3 and argument.shape[0] == steps and str(splat) == "0.0":
            found[number] = "zeros"
    return found


def _splat_value(value: ir.Value) -> float | None:
    """The value of all elements of a constant; None for other values."""
    while not isinstance(value.owner, ir.Block):
        op = value.owner.operation
        if op.name == "stablehlo.constant":
            dense = ir.DenseElementsAttr(op.attributes["value"])
            number = dense.get_splat_value() if dense.is_splat else None
            return number.value if isinstance(number, ir.IntegerAttr | ir.FloatAttr) else None
        if op.name not in ("stablehlo.broadcast_in_dim", "stablehlo.reshape"):
            return None
        value = op.operands[0]
    return None


def _function(
    module: ir.Module,
    spec: FunctionSpec,
    known: Mapping[int, str],
    used: Sequence[int],
    made: dict[str, FunctionSpec],
) -> FunctionSpec:
    """The function of an op at given sizes, with what is unknown and used; perhaps a new one."""
    sizes = [spec.op, spec.dtype, spec.json_dims, spec.json_attributes]
    key = json.dumps([*sizes, {**known}, [*used]])
    if key not in made:
        symbol = unused_symbol(module.operation, f"rnn_compiler_{spec.function}")
        whole = replace(spec, function=symbol)
        made[key] = replace(
            whole,
            arguments=tuple(each for k, each in enumerate(spec.arguments) if k not in known),
            results=tuple(spec.results[number] for number in used),
        )
        alone = ir.Module.create()  # in which nothing else can be mistaken for unused
        zeros = [spec.arguments[k].name for k, what in known.items() if what == "zeros"]
        add_function(alone, EmittedOp(made[key], whole, CALLED[spec.op].emit, zeros))
        for op in ops_of(alone.body):
            if symbol_of(op) == symbol:
                op.attributes["sym_visibility"] = ir.StringAttr.get("private")
            module.body.append(op)
    return made[key]


def _replace(call: Call, spec: FunctionSpec, given: Sequence[int], used: Sequence[int]) -> None:
    """Replaces a custom call by a call of a function, or adds one as the body of a declaration."""
    op = call.operation
    if not call.is_declaration:
        at = ir.InsertionPoint(op)
        types = [call.results[number] for number in used]
        operands = [op.operands[number] for number in given if number < len(op.operands)]
        results = _call(spec, operands, types, at, op.location)
        for number, new in zip(used, results, strict=True):
            op.results[number].replace_all_uses_with(new)
        op.erase()
        return
    locations = [op.location] * len(call.operands)
    block = ir.Block.create_at_start(op.regions[0], list(call.operands), locations)
    at = ir.InsertionPoint(block)
    results = _call(spec, list(block.arguments), call.results, at, op.location)
    ir.Operation.create("func.return", operands=results, ip=at, loc=op.location)
    for name in ("backend_config", "mhlo.backend_config", *call.attributes):
        if name in op.attributes:
            del op.attributes[name]


def _call(
    spec: FunctionSpec,
    operands: Sequence[ir.Value],
    results: Sequence[ir.Type],
    at: ir.InsertionPoint,
    location: ir.Location,
) -> list[ir.Value]:
    """Emits a call; returns its results converted to the expected types."""
    with at, location:
        given = [
            _as_argument(argument, operands[k] if k < len(operands) else None)
            for k, argument in enumerate(spec.arguments)
        ]
        call = ir.Operation.create(
            "func.call",
            operands=given,
            results=[type_of(result) for result in spec.results],
            attributes={"callee": ir.FlatSymbolRefAttr.get(spec.function)},
        )
        return [_converted(value, kind) for value, kind in zip(call.results, results, strict=True)]


def _as_argument(spec: TensorSpec, value: ir.Value | None) -> ir.Value:
    """A user's value converted to the type of an op's argument; or the argument's default."""
    wanted = type_of(spec)
    if value is None or spec.ignored:
        return _splat(static_size(spec.default or 0), wanted)
    if spec.any_shape and shape(value) != spec.shape:
        kind = ir.RankedTensorType.get(
            spec.static_shape, ir.RankedTensorType(value.type).element_type
        )
        value = _op("reshape", [value], kind)
    return _converted(value, wanted)


def _converted(value: ir.Value, wanted: ir.Type) -> ir.Value:
    """Integers in another width, saturated if it is narrower."""
    if value.type == wanted:
        return value
    if element(value) == "i64":
        limits = [_splat(limit, value.type) for limit in (-(2**31), 2**31 - 1)]
        value = _op("clamp", [limits[0], value, limits[1]], value.type)
    return _op("convert", [value], wanted)


def _splat(number: int, kind: ir.Type) -> ir.Value:
    of = ir.RankedTensorType(kind).element_type
    if is_float(str(of)):
        scalar: ir.Attribute = ir.FloatAttr.get(of, float(number))
    else:
        scalar = ir.IntegerAttr.get(of, number)
    dense = ir.DenseElementsAttr.get_splat(kind, scalar)
    return ir.Operation.create(
        "stablehlo.constant", results=[kind], attributes={"value": dense}
    ).results[0]


def _op(name: str, operands: Sequence[ir.Value], result: ir.Type) -> ir.Value:
    return ir.Operation.create(
        f"stablehlo.{name}", operands=list(operands), results=[result]
    ).results[0]
