"""Op signatures as data, and what follows from them: checked dimensions, dtypes and attributes.

An op's `Signature` lists its arguments and results in TensorFlow's order, each with its shape as a
little formula over the op's dimensions:

    T seq_length   B batch_size   I input_size   H num_units

``"T B I"`` is a rank-3 tensor, ``"I+H 4H"`` a weight matrix, ``""`` a scalar. From that one
declaration come `rc.build`'s checks (`Signature.specialize`), the dimensions of a `raw_ops` call
(`Signature.infer`), the module's function type, the manifest and the documentation.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from rnn_compiler.dtypes import DTYPES, FLOAT_DTYPES, canonical_name
from rnn_compiler.errors import InvalidArgumentError, check_keywords, describe
from rnn_compiler.manifest import FunctionSpec, TensorSpec

__all__ = ["DIMENSIONS", "REQUIRED", "Argument", "Attribute", "Result", "Signature", "as_given_by"]

DIMENSIONS: dict[str, str] = {
    "T": "seq_length",
    "B": "batch_size",
    "I": "input_size",
    "H": "num_units",
}

REQUIRED: Any = inspect.Parameter.empty
"""Default of an attribute that has none."""

_MAX_DIMENSION = 2**31 - 1


@dataclass(frozen=True)
class Size:
    """One axis of a shape: a sum of multiples of dimensions, such as ``I+H`` or ``4H``.

    Attributes:
        terms: Pairs of factor and dimension symbol.
    """

    terms: tuple[tuple[int, str], ...]

    @staticmethod
    def parse(text: str) -> Size:
        """Reads ``I+H`` or ``4H``."""
        terms: list[tuple[int, str]] = []
        for term in text.split("+"):
            match = re.fullmatch(r"(\d*)([A-Z])", term)
            if match is None:
                raise ValueError(f"not a size: {text!r}")
            terms.append((int(match[1] or 1), match[2]))
        return Size(tuple(terms))

    @property
    def symbol(self) -> str | None:
        """The dimension this axis is, if it is just one."""
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == 1 else None

    def evaluate(self, dims: Mapping[str, int]) -> int:
        """Its value, given the dimensions by their long names."""
        return sum(factor * dims[DIMENSIONS[symbol]] for factor, symbol in self.terms)

    def __str__(self) -> str:
        return " + ".join(
            DIMENSIONS[symbol] if factor == 1 else f"{factor} * {DIMENSIONS[symbol]}"
            for factor, symbol in self.terms
        )


@dataclass(frozen=True)
class Tensor:
    """A tensor of a signature: an argument or a result.

    Attributes:
        name: Its TensorFlow name.
        shape: The shape formula, ``"T B I"``.
        doc: What it is, in a few words.
        dtype: Its dtype where that is fixed; None for the op's own dtype.
        minimum: Smallest value of an integer scalar.
        maximum: Largest value of an integer scalar, as a size formula.
    """

    name: str
    shape: str
    doc: str
    dtype: str | None = None
    minimum: int | None = None
    maximum: str | None = None

    @cached_property
    def sizes(self) -> tuple[Size, ...]:
        """The parsed shape."""
        return tuple(Size.parse(axis) for axis in self.shape.split())

    @property
    def formula(self) -> str:
        """The shape for people, ``[input_size + num_units, 4 * num_units]``."""
        return f"[{', '.join(map(str, self.sizes))}]"

    def specialize(self, dtype: str, dims: Mapping[str, int]) -> TensorSpec:
        """Its type at given dimensions."""
        return TensorSpec(
            name=self.name,
            dtype=self.dtype or dtype,
            shape=tuple(size.evaluate(dims) for size in self.sizes),
            formula=self.formula,
            minimum=self.minimum,
            maximum=None if self.maximum is None else Size.parse(self.maximum).evaluate(dims),
        )


Argument = Tensor
Result = Tensor


def as_given_by(op: str, results: Sequence[Result]) -> tuple[Argument, ...]:
    """Results of one op as the arguments in which another takes them."""
    return tuple(replace(result, doc=f"{result.doc}, as {op} gave it") for result in results)


@dataclass(frozen=True)
class Attribute:
    """A compile-time parameter of an op.

    Attributes:
        name: Its TensorFlow name.
        type: Its Python type: bool, int, float or str.
        default: Its default, `REQUIRED` if it has none.
        doc: What it does, in a few words.
    """

    name: str
    type: type[bool] | type[int] | type[float] | type[str]
    default: Any
    doc: str

    def canonical(self, op: str, value: object, dtype: str) -> bool | int | float | str:
        """The value as its own type.

        Floats are single precision, as TensorFlow's are, except in a float64 op. None is the
        default, as in TensorFlow.

        Raises:
            InvalidArgumentError: The value is not of the attribute's type.
        """
        if value is None and self.default is not REQUIRED:
            value = self.default
        scalar = _python_scalar(value)
        if isinstance(scalar, bool) == (self.type is bool):
            if self.type is not float and isinstance(scalar, self.type):
                return scalar
            if self.type is float and isinstance(scalar, (int, float)) and scalar == scalar:
                try:
                    return float(scalar) if dtype == "float64" else _single(float(scalar))
                except OverflowError:  # an int that no float holds
                    pass
        kinds = {bool: "a bool", int: "an int", float: "a number, not NaN", str: "a string"}
        kind = kinds[self.type]
        raise InvalidArgumentError(
            op, self.name, kind, f"{describe(value)} ({type(value).__name__})"
        )


def _python_scalar(value: Any) -> Any:
    """A numpy scalar as Python's own number; anything else as it is."""
    is_scalar = isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim)
    return cast(Any, value).item() if is_scalar else cast(Any, value)


def _single(value: float) -> float:
    """The shortest double that rounds to the same float32, so that 0.3 stays 0.3."""
    with np.errstate(over="ignore"):
        return float(str(np.float32(value)))


@dataclass(frozen=True)
class Signature:
    """An op: its name, arguments, attributes and results, in TensorFlow's order.

    Attributes:
        name: TensorFlow's name of the op.
        summary: What it computes, in a line.
        arguments: Its tensors in.
        attributes: Its compile-time parameters.
        results: Its tensors out.
        dtypes: The element types it comes in.
        positive: Long names of the dimensions that may not be 0.
        in_tensorflow: Whether TensorFlow has it; the others complete TensorFlow's.
    """

    name: str
    summary: str
    arguments: tuple[Tensor, ...]
    attributes: tuple[Attribute, ...]
    results: tuple[Tensor, ...]
    dtypes: tuple[str, ...] = FLOAT_DTYPES
    positive: tuple[str, ...] = ()
    in_tensorflow: bool = True

    @cached_property
    def function(self) -> str:
        """The op's symbol in a module: its name in snake case, ``block_lstm_grad_v2``."""
        words = re.findall(r"V\d+|[A-Z]+(?=V\d|[A-Z][a-z]|$)|[A-Z]?[a-z]+", self.name)
        return "_".join(word.lower() for word in words)

    @cached_property
    def dimensions(self) -> tuple[str, ...]:
        """The long names of its dimensions."""
        used = {s for tensor in self.arguments for size in tensor.sizes for _, s in size.terms}
        return tuple(name for symbol, name in DIMENSIONS.items() if symbol in used)

    @cached_property
    def defining_axes(self) -> dict[str, tuple[str, int]]:
        """Where each dimension is read off a call: the first argument and axis that is just it."""
        axes: dict[str, tuple[str, int]] = {}
        for tensor in self.arguments:
            for axis, size in enumerate(tensor.sizes):
                if size.symbol is not None:
                    axes.setdefault(DIMENSIONS[size.symbol], (tensor.name, axis))
        return axes

    def check_keywords(
        self, given: Mapping[str, object], *, arguments: bool = True, dims: bool = False
    ) -> None:
        """Checks that the keywords of a call are the op's.

        Args:
            given: The keywords of the call.
            arguments: Whether the call passes tensors.
            dims: Whether the call passes dimensions.

        Raises:
            TypeError: One is unknown, or a required one is missing.
        """
        required = [a.name for a in self.attributes if a.default is REQUIRED]
        if arguments:
            required = [a.name for a in self.arguments] + required
        if dims:
            required = [*self.dimensions, *required]
        known = [*required, *(a.name for a in self.attributes if a.name not in required)]
        check_keywords(self.name, given, known, required)

    def specialize(
        self, *, dtype: object, dims: Mapping[str, object], attributes: Mapping[str, object]
    ) -> FunctionSpec:
        """The op at given dimensions, dtype and attributes; missing attributes take their default.

        Args:
            dtype: The dtype, as a name, an alias or anything numpy takes.
            dims: The value of every dimension of the op, by long name.
            attributes: The attributes that are not left at their default.

        Raises:
            InvalidArgumentError: A value is of the wrong kind or out of range.
        """
        name = canonical_name(dtype)
        if name is None or name not in self.dtypes:
            raise InvalidArgumentError(
                self.name, "dtype", f"one of {', '.join(self.dtypes)}", describe(dtype)
            )
        sizes = {
            dim: _dimension(self.name, dim, dims[dim], int(dim in self.positive))
            for dim in self.dimensions
        }
        values = {
            attribute.name: attribute.canonical(
                self.name, attributes.get(attribute.name, attribute.default), name
            )
            for attribute in self.attributes
        }
        spec = FunctionSpec(
            op=self.name,
            function=self.function,
            dtype=name,
            dims=sizes,
            attributes=values,
            arguments=tuple(tensor.specialize(name, sizes) for tensor in self.arguments),
            results=tuple(tensor.specialize(name, sizes) for tensor in self.results),
        )
        for tensor in (*spec.arguments, *spec.results):
            if _bytes(tensor) >= 2**63:
                raise InvalidArgumentError(
                    self.name, tensor.name, "a tensor of less than 2**63 bytes", str(tensor)
                )
        return spec

    def infer(self, shapes: Mapping[str, Sequence[int]]) -> dict[str, int]:
        """The op's dimensions, read off the shapes of a call's arguments.

        Only what defines a dimension is looked at here; the caller then compares every shape with
        the specialized signature.

        Raises:
            InvalidArgumentError: An argument that defines a dimension has the wrong rank.
        """
        dims: dict[str, int] = {}
        ranks = {tensor.name: len(tensor.sizes) for tensor in self.arguments}
        for dim, (argument, axis) in self.defining_axes.items():
            shape = shapes[argument]
            if len(shape) != ranks[argument]:
                formula = next(t.formula for t in self.arguments if t.name == argument)
                raise InvalidArgumentError(
                    self.name,
                    argument,
                    f"rank {ranks[argument]}, shape {formula}",
                    f"rank {len(shape)}, shape {list(shape)}",
                )
            dims[dim] = shape[axis]
        return dims


def _dimension(op: str, name: str, value: object, minimum: int) -> int:
    value = _python_scalar(value)
    if isinstance(value, bool) or not isinstance(value, int):
        got = f"{describe(value)} ({type(value).__name__})"
    elif minimum <= value <= _MAX_DIMENSION:
        return value
    else:
        got = describe(value)
    raise InvalidArgumentError(op, name, f"an int in {minimum}..{_MAX_DIMENSION}", got)


def _bytes(tensor: TensorSpec) -> int:
    size = DTYPES[tensor.dtype].numpy.itemsize
    for dim in tensor.shape:
        size *= dim
    return size
