"""Op signatures as data, and what follows from them: checked dimensions, dtypes and attributes.

An op's `Signature` lists its arguments and results in TensorFlow's order, each with its shape as a
little formula over the op's dimensions:

    T seq_length   B batch_size   I input_size   H num_units   L num_layers

``"T B I"`` is a rank-3 tensor, ``"I+H 4H"`` a weight matrix, ``""`` a scalar. Where the attributes
decide what a tensor's shape is, `Signature.forms` gives the tensors of each form of the op, and
`Signature.derived` the sizes that are no simple sum of dimensions. From that one declaration come
`rc.build`'s checks (`Signature.specialize`), the dimensions of a `raw_ops` call
(`Signature.infer`), the module's function type, the manifest and the documentation.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from rnn_compiler.dtypes import DTYPES, FLOAT_DTYPES, canonical_name
from rnn_compiler.errors import InvalidArgumentError, check_keywords, describe
from rnn_compiler.manifest import FunctionSpec, TensorSpec

__all__ = [
    "DIMENSIONS",
    "REQUIRED",
    "Argument",
    "Attribute",
    "Result",
    "Signature",
    "as_given_by",
    "dimension",
]

DIMENSIONS: dict[str, str] = {
    "T": "seq_length",
    "B": "batch_size",
    "I": "input_size",
    "H": "num_units",
    "L": "num_layers",
}

DERIVED: dict[str, str] = {
    "P": "num_proj",
    "N": "params_size",
    "R": "reserve_size",
}
"""Sizes that follow from attributes and dimensions."""

_SIZES = DIMENSIONS | DERIVED

REQUIRED: Any = inspect.Parameter.empty
"""Default of an attribute that has none."""

_MAX_DIMENSION = 2**31 - 1


@dataclass(frozen=True)
class Size:
    """One axis of a shape: a sum of multiples of dimensions, such as ``I+H``, ``4H`` or ``2``.

    Attributes:
        terms: Pairs of factor and dimension symbol; a plain number has the empty symbol.
    """

    terms: tuple[tuple[int, str], ...]

    @staticmethod
    def parse(text: str) -> Size:
        """Reads ``I+H``, ``4H`` or ``2``."""
        terms: list[tuple[int, str]] = []
        for term in text.split("+"):
            match = re.fullmatch(r"(\d*)([A-Z]?)", term)
            if match is None or not term:
                raise ValueError(f"not a size: {text!r}")
            terms.append((int(match[1] or 1), match[2]))
        return Size(tuple(terms))

    @property
    def multiple(self) -> tuple[int, str] | None:
        """The dimension that this axis is a multiple of, by its long name, and the factor."""
        factor, symbol = self.terms[0]
        single = len(self.terms) == 1 and symbol in DIMENSIONS
        return (factor, DIMENSIONS[symbol]) if single else None

    def evaluate(self, sizes: Mapping[str, Any]) -> int:
        """Its value, given the dimensions and derived sizes by their long names."""
        return sum(
            factor * (sizes[_SIZES[symbol]] if symbol else 1) for factor, symbol in self.terms
        )

    def __str__(self) -> str:
        return " + ".join(
            f"{factor} * {_SIZES[symbol]}"
            if symbol and factor != 1
            else _SIZES.get(symbol, f"{factor}")
            for factor, symbol in self.terms
        )


@dataclass(frozen=True)
class Tensor:
    """A tensor of a signature: an argument or a result.

    Attributes:
        name: Its TensorFlow name.
        shape: The shape formula, ``"T B I"``.
        doc: What it is, in a few words.
        dtype: Its dtype where that is fixed, or the attribute that gives it; None for the op's own
            dtype.
        minimum: Smallest value of an integer.
        maximum: Largest value of an integer, as a size formula.
        ignored: Whether the op takes it whatever its shape, and reads nothing of it.
        default: The value of an integer scalar that a caller may leave out.
        equals: Of an integer scalar, the symbol of the dimension whose value it is; a compiled
            function, whose dimensions are fixed, may be called without it.
        any_shape: Whether it is taken in any shape of as many elements.
        is_list: Whether it is a list of tensors; `Signature.derived` gives their shapes, under its
            name.
    """

    name: str
    shape: str
    doc: str
    dtype: str | None = None
    minimum: int | None = None
    maximum: str | None = None
    ignored: bool = False
    default: int | None = None
    equals: str | None = None
    any_shape: bool = False
    is_list: bool = False

    @cached_property
    def sizes(self) -> tuple[Size, ...]:
        """The parsed shape."""
        return tuple(Size.parse(axis) for axis in self.shape.split())

    @property
    def formula(self) -> str:
        """The shape for people, ``[input_size + num_units, 4 * num_units]``."""
        return f"[{', '.join(map(str, self.sizes))}]"

    @property
    def kind(self) -> str:
        """What it is for people: a scalar, a list, or a tensor of some shape."""
        return "list of tensors" if self.is_list else self.formula if self.sizes else "scalar"

    def specialize(self, dtype: str, known: Mapping[str, Any]) -> tuple[TensorSpec, ...]:
        """Its type, or those of a list's elements, given attributes and sizes by long name."""
        spec = TensorSpec(
            name=self.name,
            dtype=known.get(self.dtype or "", self.dtype) or dtype,
            shape=tuple(size.evaluate(known) for size in self.sizes),
            formula=self.formula,
            minimum=self.minimum,
            maximum=None if self.maximum is None else Size.parse(self.maximum).evaluate(known),
            ignored=self.ignored,
            default=self.default,
            any_shape=self.any_shape,
        )
        if self.equals is not None:
            value: int = known[DIMENSIONS[self.equals]]
            return (replace(spec, minimum=value, maximum=value, default=value),)
        if not self.is_list:
            return (spec,)
        return tuple(
            replace(spec, name=f"{self.name}_{k}", shape=shape, formula="", list=self.name)
            for k, shape in enumerate(known[self.name])
        )


Argument = Tensor
Result = Tensor


def as_given_by(op: str, results: Sequence[Result]) -> tuple[Argument, ...]:
    """Results of one op as the arguments in which another takes them."""
    return tuple(replace(result, doc=f"{result.doc}, as {op} gave it") for result in results)


@dataclass(frozen=True)
class Attribute:
    """A parameter of an op that is no tensor.

    Attributes:
        name: Its TensorFlow name.
        type: Its Python type: bool, int, float or str.
        default: Its default, `REQUIRED` if it has none.
        doc: What it does, in a few words.
        choices: The values that a string may have.
        is_dtype: Whether a string names a dtype, and is also taken in any other way to do so.
        bounds: The smallest and the largest value of a number.
        at_run_time: Whether a compiled function takes it as an argument, so that no value of it
            needs compiling. `Signature.forms` lists that argument in the forms that read it.
    """

    name: str
    type: type[bool] | type[int] | type[float] | type[str]
    default: Any
    doc: str
    choices: tuple[str, ...] = ()
    is_dtype: bool = False
    bounds: tuple[int, int] | None = None
    at_run_time: bool = False

    def canonical(self, op: str, value: object, dtype: str) -> bool | int | float | str:
        """The value as its own type.

        Floats are single precision, as TensorFlow's are, except in a float64 op. None is the
        default, as in TensorFlow.

        Raises:
            InvalidArgumentError: The value is not of the attribute's type, or out of range.
        """
        if value is None and self.default is not REQUIRED:
            value = self.default
        scalar = canonical_name(value) if self.is_dtype else _python_scalar(value)
        if isinstance(scalar, bool) == (self.type is bool) and self._allows(scalar):
            if self.type is not float and isinstance(scalar, self.type):
                return scalar
            if self.type is float and isinstance(scalar, (int, float)) and scalar == scalar:
                try:
                    return float(scalar) if dtype == "float64" else _single(float(scalar))
                except OverflowError:  # an int that no float holds
                    pass
        kinds = {bool: "a bool", int: "an int", float: "a number, not NaN", str: "a string"}
        kind = f"one of {', '.join(self.choices)}" if self.choices else kinds[self.type]
        if self.bounds is not None:
            kind += f", in {self.bounds[0]}..{self.bounds[1]}"
        raise InvalidArgumentError(
            op, self.name, kind, f"{describe(value)} ({type(value).__name__})"
        )

    def _allows(self, scalar: Any) -> bool:
        """Whether a value is one of the choices and within the bounds, where there are any."""
        if self.bounds is not None and isinstance(scalar, (int, float)):
            return self.bounds[0] <= scalar <= self.bounds[1]
        return not self.choices or scalar in self.choices


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
        forms: Where attributes decide what the tensors are: from the compile-time attributes to
            the arguments and results; `arguments` and `results` are those of the defaults.
        derived: Where there are `DERIVED` sizes or lists: from the op, dimensions and attributes to
            their values, or the shapes of a list's elements. It raises `InvalidArgumentError` for
            dimensions that do not go together.
        weights: The arguments that stay the same from call to call, unless the op is training.
    """

    name: str
    summary: str
    arguments: tuple[Tensor, ...]
    attributes: tuple[Attribute, ...]
    results: tuple[Tensor, ...]
    dtypes: tuple[str, ...] = FLOAT_DTYPES
    positive: tuple[str, ...] = ()
    in_tensorflow: bool = True
    forms: Callable[[Mapping[str, Any]], tuple[tuple[Tensor, ...], tuple[Tensor, ...]]] | None = (
        None
    )
    derived: Callable[[str, Mapping[str, Any]], Mapping[str, Any]] | None = None
    weights: tuple[str, ...] = ()

    @cached_property
    def function(self) -> str:
        """The op's symbol in a module: its name in snake case, ``block_lstm_grad_v2``."""
        words = re.findall(r"V\d+|[A-Z]+(?=V\d|[A-Z][a-z]|$)|[A-Z]?[a-z]+", self.name)
        return "_".join(word.lower() for word in words)

    @cached_property
    def dimensions(self) -> tuple[str, ...]:
        """The long names of its dimensions."""
        used = {s for tensor in self.arguments for size in tensor.sizes for _, s in size.terms}
        used |= {tensor.equals for tensor in self.arguments}
        return tuple(name for symbol, name in DIMENSIONS.items() if symbol in used)

    @cached_property
    def dtype_attribute(self) -> Attribute | None:
        """TensorFlow's attribute T, where a call has to give it as no argument tells the dtype."""
        if any(tensor.dtype is None for tensor in self.arguments):
            return None
        return Attribute("T", str, REQUIRED, "the op's dtype", choices=self.dtypes, is_dtype=True)

    @cached_property
    def call_attributes(self) -> tuple[Attribute, ...]:
        """What a call with tensors takes beside them."""
        first = () if self.dtype_attribute is None else (self.dtype_attribute,)
        return (*first, *self.attributes)

    @cached_property
    def defining_axes(self) -> dict[str, tuple[str, int]]:
        """Where each dimension is read off a call.

        It is the first argument and axis that has the dimension or a multiple of it.
        """
        axes: dict[str, tuple[str, int]] = {}
        for tensor in self.arguments:
            for axis, size in enumerate(tensor.sizes):
                if size.multiple is not None:
                    axes.setdefault(size.multiple[1], (tensor.name, axis))
        return axes

    def canonical(
        self, given: Mapping[str, Any], dtype: str, *, at_run_time: bool = False
    ) -> dict[str, bool | int | float | str]:
        """The values of the attributes, missing ones at their default.

        Args:
            given: Values by name; what is no attribute is left alone.
            dtype: The op's dtype.
            at_run_time: Whether those that are taken at run time are meant, or the others.

        Raises:
            InvalidArgumentError: A value is of the wrong kind or out of range.
        """
        return {
            attribute.name: attribute.canonical(
                self.name, given.get(attribute.name, attribute.default), dtype
            )
            for attribute in self.attributes
            if attribute.at_run_time == at_run_time
        }

    def form(self, attributes: Mapping[str, Any]) -> Signature:
        """The signature that the op has with given compile-time attributes."""
        if self.forms is None:
            return self
        arguments, results = self.forms(attributes)
        return replace(self, arguments=arguments, results=results, forms=None)

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
        attributes = self.call_attributes if arguments else self.attributes
        required = [a.name for a in attributes if a.default is REQUIRED]
        if arguments:
            required = [a.name for a in self.arguments] + required
        if dims:
            required = [*self.dimensions, *required]
        known = [*required, *(a.name for a in attributes if a.name not in required)]
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
            dim: dimension(self.name, dim, dims[dim], int(dim in self.positive))
            for dim in self.dimensions
        }
        values = self.canonical(attributes, name)
        defaults = self.canonical(attributes, name, at_run_time=True)
        form = self.form(values)
        arguments = tuple(
            replace(tensor, default=defaults.get(tensor.name, tensor.default))
            for tensor in form.arguments
        )
        known: dict[str, Any] = {**values, **sizes}
        if self.derived is not None:
            known |= self.derived(self.name, known)
        values |= {t.name: defaults[t.name] for t in arguments if t.name in defaults}
        spec = FunctionSpec(
            op=self.name,
            function=self.function,
            dtype=name,
            dims=sizes,
            attributes=values,
            arguments=tuple(
                spec for tensor in arguments for spec in tensor.specialize(name, known)
            ),
            results=tuple(
                spec for tensor in form.results for spec in tensor.specialize(name, known)
            ),
            weights=() if values.get("is_training") else self.weights,
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
            InvalidArgumentError: An argument that defines a dimension has the wrong rank, or is too
                small or too large along its axis.
        """
        dims: dict[str, int] = {}
        tensors = {tensor.name: tensor for tensor in self.arguments}
        for dim, (argument, axis) in self.defining_axes.items():
            shape, tensor = shapes[argument], tensors[argument]
            rank = len(tensor.sizes)
            if len(shape) != rank:
                raise InvalidArgumentError(
                    self.name,
                    argument,
                    f"rank {rank}, shape {tensor.formula}",
                    f"rank {len(shape)}, shape {list(shape)}",
                )
            factor, _ = tensor.sizes[axis].multiple or (1, dim)
            dims[dim] = shape[axis] // factor
            least = int(dim in self.positive)
            if not least <= dims[dim] <= _MAX_DIMENSION:
                expected = f"shape {tensor.formula}, {dim} in {least}..{_MAX_DIMENSION}"
                got = f"shape {list(shape)}, {shape[axis]} on axis {axis}"
                raise InvalidArgumentError(self.name, argument, expected, got)
        return dims


def dimension(op: str, name: str, value: object, minimum: int) -> int:
    """The value of a dimension as an int.

    Raises:
        InvalidArgumentError: It is not an int, or not in range.
    """
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
