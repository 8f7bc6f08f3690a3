"""The public functions of a user's module, as a manifest describes them.

Names of arguments and results are taken from where `jax.export` stores them: an argument's
location, and `jax.result_info`. Arguments of MLIR text keep their names, ``%w``, which are found
through their locations. Arguments and results without a name are numbered.

An argument that JAX donates is a state, and the result that continues it has its name.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType

from rnn_compiler.errors import CompileWarning, InvalidArgumentError
from rnn_compiler.lowering.builder.module import BUILDER_DIALECTS
from rnn_compiler.lowering.linking.calls import TensorType, tensor_of
from rnn_compiler.lowering.linking.continuation import continued
from rnn_compiler.lowering.mlir.bindings import (
    block_of,
    callee_of,
    ir,
    is_private,
    new_context,
    ops_of,
    symbol_of,
    symbols_in,
)
from rnn_compiler.lowering.mlir.marks import NETWORK
from rnn_compiler.schema.dtypes import FLOAT_DTYPES
from rnn_compiler.schema.identifiers import TAKEN
from rnn_compiler.schema.pytrees import identifier
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

_STDIN = ("-", "<stdin>")
"""The file of locations in text that the compiler was passed."""


def public_interface(module: ir.Module, source: bytes = b"") -> list[FunctionSpec]:
    """The public functions of a module; `source` is the user's input, text or bytecode."""
    public = [op for op in ops_of(module.body) if op.name == "func.func" and not is_private(op)]
    functions = [op for op in public if len(op.regions[0].blocks)]
    if not functions:
        raise InvalidArgumentError("link", "module", "a public function", "none")
    lines = source.split(b"\n")
    return [_describe(function, lines) for function in functions]


def is_network(function: ir.Operation) -> bool:
    """Whether a function is an imported network, whose sizes may be open."""
    return NETWORK in function.attributes


def _describe(function: ir.Operation, lines: Sequence[bytes]) -> FunctionSpec:
    symbol = symbol_of(function)
    kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    locations = [argument.location for argument in block_of(function).arguments]
    given = [_name(location, lines) for location in locations]
    is_open = is_network(function)
    arguments = _tensors(kind.inputs, given, "arg", symbol, is_open)
    paths = _result_paths(function, len(kind.results))
    states = continued(function, [each.name for each in arguments], given, paths)
    known = {number: arguments[state].name for state, number in states.items()}
    names = ["" if path is None else _result_name(path) for path in paths]
    results = _tensors(kind.results, names, "result", symbol, is_open, known)
    floats = [each.dtype for each in (*results, *arguments) if each.dtype in FLOAT_DTYPES]
    return FunctionSpec(
        op=identifier(symbol) or "function",
        function=symbol,
        dtype=floats[0] if floats else "float32",
        dims={},
        attributes={},
        arguments=arguments,
        results=results,
        states=tuple(arguments[state].name for state in states),
    )


def _name(location: ir.Location, lines: Sequence[bytes]) -> str:
    """The name of an argument: that of its location, or the one in the text at its location."""
    if isinstance(location, ir.NameLoc):
        return location.name_str
    if not isinstance(location, ir.FileLineColLoc) or location.filename not in _STDIN:
        return ""
    line = lines[location.start_line - 1] if 0 < location.start_line <= len(lines) else b""
    found = re.match(rb"%([\w$.-]+)", line[max(0, location.start_col - 1) :])
    return found[1].decode() if found else ""


def _tensors(
    kinds: Iterable[ir.Type],
    given: Iterable[str],
    default: str,
    symbol: str,
    is_open: bool,
    known: Mapping[int, str] = MappingProxyType({}),
) -> tuple[TensorSpec, ...]:
    """The tensors of some types, under their names where these can be used, or `known` ones."""
    named: dict[str, TensorType] = {}
    for number, (kind, text) in enumerate(zip(kinds, given, strict=True)):
        plain = f"{default}{number}"
        name = identifier(text)
        taken = {*named, *TAKEN, *known.values()}
        if name is None or name in taken or re.fullmatch(rf"{default}\d+", name):
            name = plain
        name = known.get(number, name)
        named[name] = tensor_of(kind, symbol, name, is_open=is_open)
    return tuple(TensorSpec(name, each.dtype, each.shape) for name, each in named.items())


def _result_paths(function: ir.Operation, count: int) -> list[str | None]:
    """Where each result is in the tree that was returned, as in ``['params']['w']`` or ``[0]``."""
    if "res_attrs" not in function.attributes:
        return [None] * count
    rows = [ir.DictAttr(row) for row in ir.ArrayAttr(function.attributes["res_attrs"])]
    key = "jax.result_info"
    return [
        ir.StringAttr(row[key]).value.removeprefix("result") if key in row else None for row in rows
    ]


def _result_name(path: str) -> str:
    """The path, with ``result`` before it where it cannot be a name; empty for numbers."""
    return f"result{path}" if identifier(path) is None and re.search("[A-Za-z_]", path) else path


def sharing_states(functions: Sequence[FunctionSpec]) -> list[FunctionSpec]:
    """The functions of a module, each with the states of others among its arguments.

    An argument of a state's name and another shape or type is no state; a warning says so.
    InvalidArgumentError: two functions have states of one name that differ in shape or type.
    """
    types: dict[str, tuple[str, TensorSpec]] = {}
    for spec in functions:
        for each in spec.arguments:
            if each.name not in spec.states:
                continue
            first, other = types.setdefault(each.name, (spec.function, each))
            if (other.dtype, other.shape) != (each.dtype, each.shape):
                expected, got = f"{other}, as in {first}", str(each)
                remedy = "functions of one module share the states that have the same name"
                raise InvalidArgumentError(spec.function, each.name, expected, got, remedy)
    made: list[FunctionSpec] = []
    for spec in functions:
        known: set[str] = set()
        for each in spec.arguments:
            if each.name not in types:
                continue
            first, state = types[each.name]
            if (each.dtype, each.shape) == (state.dtype, state.shape):
                known.add(each.name)
            else:
                _warn(spec.function, each, f"{state}, as in {first}")
        states = tuple(each.name for each in spec.arguments if each.name in known)
        weights = tuple(name for name in spec.weights if name not in known)
        results = tuple(
            replace(each, name=f"result{number}")
            if each.name in known and each != replace(types[each.name][1], formula=each.formula)
            else each
            for number, each in enumerate(spec.results)
        )
        made.append(replace(spec, states=states, weights=weights, results=results))
    return made


def _warn(symbol: str, argument: TensorSpec, state: str) -> None:
    """Says that an argument has the name of a state, but is none."""
    warnings.warn(
        f"link: {symbol}: the argument {argument.name} is no state: it is {argument}, and the "
        f"state of this name {state}; give it that shape and type, or another name",
        CompileWarning,
        stacklevel=2,
    )


# The functions of a user's module, callees first.
#
# Compilers inline calls, so no function may call itself: IREE would inline such a call endlessly.


def callees_first(module: ir.Module) -> list[ir.Operation]:
    """The functions of a module, each after those that it calls or otherwise refers to.

    A function that calls itself, directly or through others, is an InvalidArgumentError.
    """
    functions = {symbol_of(op): op for op in ops_of(module.body) if op.name == "func.func"}
    callees = {
        symbol: [each for each in symbols_in(op) if each in functions]
        for symbol, op in functions.items()
    }
    try:
        return [functions[symbol] for symbol in TopologicalSorter(callees).static_order()]
    except CycleError as error:
        cycle = [f"@{symbol}" for symbol in reversed(error.args[1])]
        if len(cycle) > 9:
            cycle[4:-4] = ["..."]
        raise InvalidArgumentError(
            "link",
            cycle[0],
            "a function that does not call itself, as calls are inlined",
            " -> ".join(cycle),
            "write the recursion as a stablehlo.while",
        ) from error


# Finds the arguments of a user's function that are weights of our ops.
#
# An argument may get there through ops that only move elements, such as a transposition, and
# through other functions of the user. Values carried by loops or branches are not followed.

_DATA_MOVEMENT = {
    "stablehlo.concatenate",
    "stablehlo.convert",
    "stablehlo.reshape",
    "stablehlo.slice",
    "stablehlo.transpose",
}


class WeightArguments:
    """The weights of a module's functions, by the numbers of their arguments."""

    def __init__(self, functions: Iterable[ir.Operation], ours: Collection[FunctionSpec]) -> None:
        """Finds the weights of all functions, callees first; `ours` are those of our ops."""
        self._known: dict[str, set[int] | None] = {
            spec.function: {k for k, a in enumerate(spec.arguments) if a.name in spec.weights}
            for spec in ours
        }
        for function in functions:
            symbol = symbol_of(function)
            if symbol not in self._known:
                self._known[symbol] = self._of(function)

    def of(self, symbol: str) -> set[int]:
        """The weights of a function; none if its weights cannot be packed on their own."""
        return self._known.get(symbol) or set()

    def _of(self, function: ir.Operation) -> set[int] | None:
        """The weights of a function; None if it, or one that it calls, has control flow."""
        if len(function.regions[0].blocks) != 1:
            return None
        block = block_of(function)
        sources: dict[ir.Value, set[int]] = {each: {k} for k, each in enumerate(block.arguments)}
        found: set[int] = set()
        for op in ops_of(block):
            operands = [sources.get(operand, set[int]()) for operand in op.operands]
            if op.name in _DATA_MOVEMENT and all(operands):
                sources[op.results[0]] = set[int]().union(*operands)
            if op.name == "func.call":
                weights = self._known.get(callee_of(op))
                if weights is None:
                    return None
                found = found.union(*(operands[number] for number in weights))
        return found


# Renames functions of a user's module.


def with_symbols(text: str, names: Mapping[str, str]) -> str:
    """A module with functions renamed (new symbols by old); symbols that it lacks are ignored."""
    with new_context(*BUILDER_DIALECTS), ir.Location.unknown():
        module = ir.Module.parse(text)
        symbols = ir.SymbolTable(module.operation)
        for old, new in names.items():
            if old in symbols and old != new:
                ir.SymbolTable.replace_all_symbol_uses(old, new, module.operation)
                ir.SymbolTable.set_symbol_name(symbols[old].operation, new)
        module.operation.verify()
        return module.operation.get_asm(enable_debug_info=True)
