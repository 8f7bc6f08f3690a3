"""A typed StableHLO builder: constants, control flow, functions.

`Builder` remembers which step of which formula is being emitted: every op carries that as its
source location, so that a compiler error names the formula and the printed module names its values
after it. Every op is verified as it is created. Its result is a `Value` (`value`).

Only portable StableHLO and `func` are emitted (https://openxla.org/stablehlo/spec).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from rnn_compiler.lowering.builder.open_sizes import evaluated, open_dims
from rnn_compiler.lowering.builder.tanh_of_float64 import tanh_of_float64
from rnn_compiler.lowering.builder.value import Type, Value
from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.lowering.mlir.composite_attributes import AttributeValues
from rnn_compiler.lowering.mlir.composites import attributes_in_mlir
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import FunctionSpec
from rnn_compiler.schema.open_sizes import Open, Size, product
from rnn_compiler.schema.symbols import private_symbol

__all__ = ["Builder"]

_FILLING = ("constant", "dynamic_broadcast_in_dim")
"""The arguments of `Builder.full`."""


class Builder:
    """Emits the ops of one function of a module, at MLIR's current insertion point.

    Attributes:
        module: The module that the function is in.
        spec: The function.
    """

    def __init__(self, module: ir.Module, spec: FunctionSpec) -> None:
        self.module = module
        self.spec = spec
        self._location = ir.Location.name(spec.op)
        self._symbols: set[str] = set()
        self._dims: dict[str, Value] = {}  # the open ones, in the current function

    # Source locations.

    def formula(self, text: str) -> None:
        """Sets the formula that the following ops belong to.

        Args:
            text: Such as ``"i = s(zi)"``; its first word names the values in printed modules.
        """
        self._location = self._named(text)

    def _named(self, formula: str) -> ir.Location:
        location = ir.Location.name(f"{self.spec.op}: {formula}")
        return ir.Location.name(re.split(r"\W", formula, maxsplit=1)[0], location)

    # Ops.

    def create(
        self,
        name: str,
        operands: Sequence[Value],
        results: Sequence[Type],
        attributes: Mapping[str, ir.Attribute] | None = None,
        regions: int = 0,
    ) -> ir.Operation:
        """Creates an op by its full name; with regions, the caller fills them and then verifies."""
        op = ir.Operation.create(
            name,
            operands=[operand.ssa for operand in operands],
            results=[result.mlir for result in results],
            attributes=dict(attributes or {}),
            regions=regions,
            loc=self._location,
        )
        if not regions:
            self.verify(op)
        return op

    @staticmethod
    def verify(op: ir.Operation) -> None:
        """Verifies one op.

        Raises:
            ir.MLIRError: It is not a legal op; the message names the step of the formula.
        """
        op.verify()

    def op(
        self,
        name: str,
        operands: Sequence[Value],
        result: Type,
        attributes: Mapping[str, ir.Attribute] | None = None,
    ) -> Value:
        """Creates a StableHLO op with one result.

        An empty result is emitted as a constant: IREE's CPU code generator does not take all ops
        with empty results.
        """
        if 0 in result.shape and name not in _FILLING:
            return self.full(0, result.shape, result.dtype)
        op = self.create(f"stablehlo.{name}", operands, [result], attributes)
        return Value(self, op.results[0], result)

    def terminate(self, name: str, operands: Sequence[Value]) -> None:
        """Creates the terminator of a block."""
        self.create(name, operands, [])

    @contextmanager
    def block(
        self, region: ir.Region, arguments: Sequence[Type], names: Sequence[str]
    ) -> Generator[tuple[Value, ...], None, None]:
        """Appends a block to a region and emits into it; yields the block's arguments."""
        block = region.blocks.append(
            *[argument.mlir for argument in arguments],
            arg_locs=[self._named(name) for name in names],
        )
        outside = self._location
        with ir.InsertionPoint(block):
            yield tuple(
                Value(self, ssa, type) for ssa, type in zip(block.arguments, arguments, strict=True)
            )
        self._location = outside

    # Constants and shapes.

    def sized(
        self,
        name: str,
        operands: Sequence[Value],
        result: Type,
        attributes: Mapping[str, ir.Attribute] | None = None,
    ) -> Value:
        """Creates an op with a result of a given shape, which is an operand if it is open."""
        if not result.is_open:
            return self.op(name, operands, result, attributes)
        return self.op(
            f"dynamic_{name}", [*operands, self.vector(result.shape)], result, attributes
        )

    def vector(self, numbers: Sequence[Value | Size]) -> Value:
        """A vector of sizes or positions, int64."""
        values = [
            number if isinstance(number, Value) else self.constant(number, "int64")
            for number in numbers
        ]
        return self.concatenate([value.reshape(1) for value in values], 0)

    def constant(self, value: float | Open, dtype: str) -> Value:
        """A scalar constant; an open size is computed."""
        if isinstance(value, Open):
            return evaluated(self, value, self._dims).to(dtype)
        return self.full(value, (), dtype)

    def define(self, name: str, value: Value) -> None:
        """Sets the value of an open dimension, an int64 scalar, in the function being emitted.

        A composite gets it only from operands of that size.
        """
        self._dims = {**self._dims, name: value}

    def full(self, value: float | Open, shape: tuple[Size, ...], dtype: str) -> Value:
        """A tensor of equal elements."""
        type = Type(shape, dtype)
        if type.is_open or isinstance(value, Open):
            return self.constant(value, dtype).broadcast_in_dim(shape, [])
        element = type.mlir.element_type
        if type.is_float:
            with np.errstate(over="ignore"):  # a value too large for the type is its infinity
                rounded = float(np.array(value).astype(DTYPES[dtype].numpy))
            attribute = ir.FloatAttr.get(element, rounded)
        else:
            attribute = ir.IntegerAttr.get(element, int(value))
        dense = ir.DenseElementsAttr.get_splat(type.mlir, attribute)
        return self.op("constant", [], type, {"value": dense})

    def broadcast_together(self, lhs: Value, rhs: Value | float | Open) -> tuple[Value, Value]:
        """Both operands in the shape of the one of higher rank; numbers become constants."""
        if not isinstance(rhs, Value):
            return lhs, self.full(rhs, lhs.shape, lhs.dtype)
        if len(lhs.shape) < len(rhs.shape):
            return lhs.broadcast_to(rhs.shape), rhs
        return lhs, rhs.broadcast_to(lhs.shape)

    def concatenate(self, values: Sequence[Value], axis: int) -> Value:
        """Values joined along an axis."""
        values = [value for value in values if value.shape[axis]] or values[:1]
        if len(values) == 1:
            return values[0]
        shape = list(values[0].shape)
        shape[axis] = sum(value.shape[axis] for value in values)
        dimension = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis)
        return self.op(
            "concatenate", values, Type(tuple(shape), values[0].dtype), {"dimension": dimension}
        )

    def assemble(self, parts: Sequence[tuple[Size, Value]], size: Size) -> Value:
        """A vector of values of one dtype, each at its offset; 0 elsewhere.

        The values are written in the order given, which should be that of their computation: IREE
        lets the producer of a value write it in place, and fails to compile if this changes the
        order ("operand does not dominate this use"), as it may in a concatenation.
        """
        if len(parts) == 1 and product(parts[0][1].shape) == size:
            return parts[0][1].flat()
        dtype = parts[0][1].dtype if parts else self.spec.dtype
        vector = self.full(0, (size,), dtype)
        for offset, value in parts:
            if product(value.shape):
                vector = vector.with_part(offset, value.flat())
        return vector

    def iota(self, shape: tuple[Size, ...], axis: int, dtype: str = "int64") -> Value:
        """Each element its own index along an axis."""
        dimension = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis)
        return self.sized("iota", [], Type(shape, dtype), {"iota_dimension": dimension})

    # Elementwise functions.

    def sigmoid(self, x: Value) -> Value:
        """The logistic function ``1 / (1 + exp(-x))``."""
        return self.op("logistic", [x], x.type)

    def tanh(self, x: Value) -> Value:
        """The hyperbolic tangent."""
        if x.dtype == "float64":
            return tanh_of_float64(x)
        return self.op("tanh", [x], x.type)

    def relu(self, x: Value) -> Value:
        """The larger of a number and 0; NaN stays NaN."""
        return self.op("maximum", [x, self.full(0, x.shape, x.dtype)], x.type)

    def select(self, predicate: Value, on_true: Value, on_false: Value) -> Value:
        """``on_true`` where the predicate holds, else ``on_false``, even if the other is NaN."""
        return self.op("select", [predicate, on_true, on_false], on_true.type)

    def clamp(self, low: float, x: Value, high: float | Open) -> Value:
        """``min(max(x, low), high)``; NaN stays NaN."""
        bounds = [self.constant(bound, x.dtype) for bound in (low, high)]
        return self.op("clamp", [bounds[0], x, bounds[1]], x.type)

    # Control flow.

    def after(self, done: Sequence[Value], values: Sequence[Value]) -> list[Value]:
        """Makes `values` wait for `done`, so that the inputs of `done` can be freed first."""
        operands = [*values, *done]
        types = [operand.type for operand in operands]
        op = self.create("stablehlo.optimization_barrier", operands, types)
        results = list(op.results)[: len(values)]
        return [Value(self, ssa, value.type) for ssa, value in zip(results, values, strict=True)]

    def while_loop(
        self,
        carry: Mapping[str, Value],
        condition: Callable[..., Value],
        body: Callable[..., Sequence[Value]],
    ) -> tuple[Value, ...]:
        """``while condition(*carry): carry = body(*carry)``; the keys name the carried values."""
        types = [value.type for value in carry.values()]
        names = list(carry)
        op = self.create("stablehlo.while", list(carry.values()), types, regions=2)
        with self.block(op.regions[0], types, names) as values:
            self.terminate("stablehlo.return", [condition(*values)])
        with self.block(op.regions[1], types, names) as values:
            self.terminate("stablehlo.return", list(body(*values)))
        self.verify(op)
        return tuple(Value(self, ssa, type) for ssa, type in zip(op.results, types, strict=True))

    def unused_symbol(self, name: str) -> str:
        """A symbol for a private function of the function being emitted (`schema.symbols`)."""
        symbol = private_symbol(self.spec.function, name)
        if symbol in self._symbols:  # another of the same kind
            symbol = f"{symbol}.{len(self._symbols)}"
        self._symbols.add(symbol)
        return symbol

    def composite(
        self,
        name: str,
        operands: Sequence[Value],
        attributes: AttributeValues,
        decomposition: Callable[..., Sequence[Value]],
        names: Sequence[str],
        symbol: str = "",
    ) -> tuple[Value, ...]:
        """A named op with its meaning spelled out in plain StableHLO.

        Any StableHLO consumer can inline the decomposition; one that knows the name may do better
        (https://openxla.org/stablehlo/spec#composite).

        Args:
            name: The name, without this package's prefix.
            operands: Its operands.
            attributes: Its attributes.
            decomposition: Emits its meaning on values like the operands; returns the results.
            names: The names of the operands in the decomposition.
            symbol: The symbol of the decomposition, `unused_symbol`; default: after the name.
        """
        symbol = symbol or self.unused_symbol(name)
        types = [operand.type for operand in operands]
        results = self.function(symbol, types, names, decomposition, private=True)
        op = self.create(
            "stablehlo.composite",
            operands,
            results,
            {
                "name": ir.StringAttr.get(f"rnn_compiler.{name}"),
                "composite_attributes": attributes_in_mlir(attributes),
                "decomposition": ir.FlatSymbolRefAttr.get(symbol),
                "version": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 1),
            },
        )
        return tuple(Value(self, ssa, type) for ssa, type in zip(op.results, results, strict=True))

    def declared(self, symbol: str, type: Type) -> Value:
        """The result of a private function whose body is added once the value is known."""
        if 0 in type.shape:
            return self.full(0, type.shape, type.dtype)
        with ir.InsertionPoint(self.module.body):
            function_type = ir.TypeAttr.get(ir.FunctionType.get([], [type.mlir]))
            attributes: dict[str, ir.Attribute] = {
                "sym_name": ir.StringAttr.get(symbol),
                "function_type": function_type,
                "sym_visibility": ir.StringAttr.get("private"),
            }
            self.verify(self.create("func.func", [], [], attributes, regions=1))
        return self.call(symbol, [], [type])[0]

    def call(self, symbol: str, operands: Sequence[Value], types: Sequence[Type]) -> list[Value]:
        """The results of a call of a function of the module, of given types."""
        callee = {"callee": ir.FlatSymbolRefAttr.get(symbol)}
        op = self.create("func.call", operands, types, callee)
        return [Value(self, ssa, type) for ssa, type in zip(op.results, types, strict=True)]

    def function(
        self,
        symbol: str,
        arguments: Sequence[Type],
        names: Sequence[str],
        body: Callable[..., Sequence[Value]],
        private: bool = False,
    ) -> list[Type]:
        """Adds a function at the end of the module; returns the types of its results.

        Args:
            symbol: Its symbol.
            arguments: The types of its arguments.
            names: The names of its arguments.
            body: Emits its body on values for the arguments; returns the results.
            private: Whether only this module may call it.
        """
        attributes: dict[str, ir.Attribute] = {
            "sym_name": ir.StringAttr.get(symbol),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get([], [])),  # until it is known
        }
        if private:
            attributes["sym_visibility"] = ir.StringAttr.get("private")
        with ir.InsertionPoint(self.module.body):
            op = self.create("func.func", [], [], attributes, regions=1)
        outside, location = self._dims, self._location
        with self.block(op.regions[0], arguments, names) as values:
            self._dims = open_dims(self, values)
            self._location = location
            results = list(body(*values))
            self.terminate("func.return", results)
        self._dims = outside
        types = [result.type for result in results]
        function_type = ir.FunctionType.get([t.mlir for t in arguments], [t.mlir for t in types])
        op.attributes["function_type"] = ir.TypeAttr.get(function_type)
        self.verify(op)
        return types
