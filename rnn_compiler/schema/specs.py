"""The specs of functions and their tensors: names, shapes, dtypes and symbols, as data."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import Any

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.schema.attributes import MAX_DIMENSION
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.notebook import page, table
from rnn_compiler.schema.open_sizes import (
    Bound,
    Size,
    bound,
    in_range,
    names_in,
    null_if_open,
    open_dimension,
    open_names,
    parse,
    parts_of,
    read_sizes,
    shown,
    static,
    static_size,
)

# Symbols of what belongs to a function: its private functions, and its weights in an archive.
#
# Private functions are time loops, their steps and other decompositions. The owner's name is an
# identifier (`check_name`): a symbol is that name, a dot, and a name of its own,
# ``block_lstm_v2.lstm_forward``. The manifest has such symbols, and an archive has them as keys.


def private_symbol(owner: str, name: str) -> str:
    """The symbol of what belongs to a function."""
    return f"{owner}.{name}"


def owner_of(symbol: str) -> str:
    """The function that a symbol belongs to; of a function's symbol, the function itself."""
    return symbol.partition(".")[0]


def own_name(symbol: str) -> str:
    """The name in a symbol, without its owner.

    Example:
        >>> own_name("encoder.lstm_forward.step")
        'lstm_forward.step'
    """
    return symbol.partition(".")[2]


# How a function takes a sequence in chunks: its chunk argument and its state arguments.
#
# It is declared in the op's signature and repeated in the function's spec and the manifest, so
# the runtime needs no op registry to keep the state of a stream.


@dataclass(frozen=True)
class Chunked:
    """How a function takes a sequence in chunks.

    Attributes:
        chunk: The argument that is the sequence.
        rows: The results with one row per step.
        states: Its state arguments, each with the results that may hold the next state, best first:
            the state after the last step, or that of every step.
        length: The argument for the number of steps; None if all steps count.
        steps: Whether the sequence has a time axis; otherwise a call is one step.
    """

    chunk: str
    rows: tuple[str, ...]
    states: Mapping[str, tuple[str, ...]]
    length: str | None = None
    steps: bool = True

    @staticmethod
    def from_json(data: dict[str, Any]) -> Chunked:
        """Restores the output of `dataclasses.asdict` after a round trip through JSON."""
        states = {name: tuple(results) for name, results in data["states"].items()}
        changed: Any = {"rows": tuple(data["rows"]), "states": states}
        return Chunked(**(data | changed))


_INFINITIES = ("inf", "-inf")

NUMBERS = ("minimum", "maximum", "default")
"""The fields of a tensor other than its shape that may be an open size."""

_EXAMPLES = {"seq_length": 7, "batch_size": 5}


@dataclass(frozen=True, repr=False)
class TensorSpec:
    """One argument or result of a compiled function.

    Attributes:
        name: Its TensorFlow name.
        dtype: Name of the element type.
        shape: Its shape. Open sizes are `Open`; in JSON they are null, and a field ``sizes``
            defines them.
        formula: The shape in terms of the op's dimensions, in readable form.
        minimum: The least value of its integers, or that of each along its last axis, such as the
            indices of several axes; None if unbounded.
        maximum: The largest value of its integers, or that of each along its last axis; None if
            unbounded.
        also: An integer that it may have besides those, such as the label of what a loss leaves
            out; None if there is none.
        ignored: Whether any shape is accepted because it is never read.
        default: The value of all its elements if it is omitted; None if it is required.
        any_shape: Whether any shape with the same number of elements is accepted.
        list: The name of the list that it is an element of; empty if it is not in a list.
        batched: Whether it grows with the batch, unlike weights.
        summed: Of an op's matrices, the axis that products sum over (`schema.int8`). It is needed
            before compilation, and not in a manifest.
    """

    name: str
    dtype: str
    shape: tuple[Size, ...]
    formula: str = ""
    minimum: Bound | None = None
    maximum: Bound | None = None
    also: int | None = None
    ignored: bool = False
    default: Size | None = None
    any_shape: bool = False
    list: str = ""
    batched: bool = False
    summed: int | None = field(default=None, compare=False)

    @property
    def keyword(self) -> str:
        """The name under which a call passes or returns it: its own or its list's."""
        return self.list or self.name

    def __str__(self) -> str:
        """The type in short, ``float32[16,256]``."""
        return f"{self.dtype}[{','.join(map(shown, self.shape))}]"

    def __repr__(self) -> str:
        return f"TensorSpec({self.name}: {self})"

    @cached_property
    def static_shape(self) -> tuple[int, ...]:
        """The shape if no size is open."""
        return static(self.shape)

    @property
    def range(self) -> str:
        """The values that its integers may have, ``0..seq_length``; empty if any."""
        if self.maximum is None:
            return ""
        return in_range(self.minimum or 0, self.maximum, self.also, "{}..{}")

    @property
    def example(self) -> Size:
        """An integer that all its elements may have: the largest one, or 0 for several ranges."""
        return 0 if self.maximum is None or isinstance(self.maximum, tuple) else self.maximum

    @property
    def iree_type(self) -> str:
        """The type in the notation of IREE's tools, ``16x256xf32``."""
        return "x".join([*map(shown, self.shape), DTYPES[self.dtype].mlir])

    def bound(self, dims: Mapping[str, Size]) -> TensorSpec:
        """The tensor with numbers, or other sizes, for open dimensions."""
        fields: dict[str, Any] = {}
        for name in NUMBERS:
            number: Bound | None = getattr(self, name)
            if number is not None:
                numbers = tuple(bound(each, dims) for each in parts_of(number))
                fields[name] = numbers if isinstance(number, tuple) else numbers[0]
        return replace(self, shape=tuple(bound(size, dims) for size in self.shape), **fields)


def signature_text(tensors: Iterable[TensorSpec]) -> str:
    """Tensors as listed inside a payload, ``x: float32[4,2], b: float32[8]``."""
    return ", ".join(f"{tensor.name}: {tensor}" for tensor in tensors)


@dataclass(frozen=True, repr=False)
class FunctionSpec:
    """One op at fixed dimensions, dtype and attributes: a function of a module.

    Attributes:
        op: TensorFlow's name of the op, ``"BlockLSTMV2"``.
        function: The function's symbol in the module, ``"block_lstm_v2"``.
        dtype: Name of the element type of its float tensors.
        dims: The value of each dimension, ``{"seq_length": 32, ...}``; an `Open` for an open one,
            which is null in JSON.
        attributes: The value of each attribute, including defaults.
        arguments: Its arguments, in TensorFlow's order.
        results: Its results, in TensorFlow's order.
        weights: The arguments that stay the same from call to call, so values computed from them
            alone may be cached.
        frozen: Arguments of the op that are stored with the module, as parameters in an archive,
            and not passed.
        positive: The dimensions that may not be 0.
        chunked: How it takes a sequence in chunks; None if it has no state.
        minima: The minimum of each dimension for which it is more than 1.
        maxima: The maximum of each dimension that a constant array limits.
        states: The arguments that it keeps between calls (`Session`). A result of the same name is
            the next value; without one, another function of the module updates the state.
    """

    op: str
    function: str
    dtype: str
    dims: dict[str, Size]
    attributes: dict[str, bool | int | float | str]
    arguments: tuple[TensorSpec, ...]
    results: tuple[TensorSpec, ...]
    weights: tuple[str, ...] = ()
    frozen: tuple[TensorSpec, ...] = ()
    positive: tuple[str, ...] = ()
    chunked: Chunked | None = None
    minima: dict[str, int] = field(default_factory=dict[str, int])
    maxima: dict[str, int] = field(default_factory=dict[str, int])
    states: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The op in short, ``BlockLSTMV2 float32, seq_length=?, batch_size=16``."""
        sizes = (f"{name}={shown(size)}" for name, size in self.dims.items())
        return ", ".join([f"{self.op} {self.dtype}", *sizes])

    def __repr__(self) -> str:
        return f"FunctionSpec({self.function}: {self})"

    def _repr_html_(self) -> str:
        return page(self, _table(self))

    @property
    def sequence(self) -> str | None:
        """The argument that calls may pass by position: the only one, or the only sequence."""
        steps = [each for each in self.arguments if "seq_length" in each.formula]
        names = dict.fromkeys(each.keyword for each in steps or self.arguments)
        return next(iter(names)) if len(names) == 1 else None

    @property
    def time_axis(self) -> int:
        """The axis of its sequences that is time."""
        batch_first = self.attributes.get("layout") or not self.attributes.get("time_major", True)
        return int(bool(batch_first))

    @property
    def is_backward(self) -> bool:
        """Whether a direction of it begins at the end of a sequence, which has no chunks then."""
        return self.attributes.get("direction") in ("bidirectional", "reverse")

    @cached_property
    def continued(self) -> dict[int, int]:
        """The numbers of its states, each with the number of the result that continues it."""
        results = {each.name: number for number, each in enumerate(self.results)}
        return {
            number: results[each.name]
            for number, each in enumerate(self.arguments)
            if each.name in self.states and each.name in results
        }

    def parameter(self, name: str) -> str:
        """The name of a frozen argument in the archive, ``"encoder.w"``."""
        return private_symbol(self.function, name)

    @property
    def prepack(self) -> str:
        """The symbol of the function that packs the weights, if there is one."""
        return f"{self.function}_prepack"

    @property
    def prepacked(self) -> str:
        """The symbol of the function that takes them packed, after all other arguments."""
        return f"{self.function}_prepacked"

    @cached_property
    def open_dims(self) -> list[str]:
        """The open dimensions."""
        return open_names(self.dims.values())

    @cached_property
    def static_dims(self) -> dict[str, int]:
        """The dimensions if none is open."""
        return {name: static_size(size) for name, size in self.dims.items()}

    def least(self, dim: str) -> int:
        """The minimum of a dimension: 0 unless empty arrays are rejected."""
        return self.minima.get(dim, int(dim in self.positive))

    def most(self, dim: str) -> int:
        """The maximum of a dimension."""
        return self.maxima.get(dim, MAX_DIMENSION)

    def works(self, dim: str) -> str:
        """Which sizes of an open dimension work, in words."""
        limit = f" up to {self.maxima[dim]}" if dim in self.maxima else ""
        return f"any size{limit} works"

    @property
    def example_sizes(self) -> dict[str, int]:
        """Sizes for the open dimensions, for examples and random arguments."""
        usual = {dim: max(_EXAMPLES.get(dim, 6), self.least(dim)) for dim in self.open_dims}
        return {dim: min(size, self.most(dim)) for dim, size in usual.items()}

    @property
    def json_dims(self) -> dict[str, int | None]:
        """The dimensions for JSON: open ones are null."""
        return {name: null_if_open(size) for name, size in self.dims.items()}

    @property
    def compute(self) -> str:
        """The dtype that floats are computed in; they are stored as `dtype`."""
        return DTYPES[self.dtype].compute

    def bound(self, dims: Mapping[str, int]) -> FunctionSpec:
        """The same with numbers for open dimensions, by name."""
        if not self.open_dims:
            return self
        tensors: dict[str, Any] = {
            name: tuple(tensor.bound(dims) for tensor in getattr(self, name))
            for name in ("arguments", "results", "frozen")
        }
        sizes = {name: bound(size, dims) for name, size in self.dims.items()}
        return replace(self, dims=sizes, **tensors)

    @property
    def json_attributes(self) -> dict[str, bool | int | float | str]:
        """The attributes for JSON: infinite numbers are ``"inf"`` and ``"-inf"``."""
        return {
            name: str(value) if isinstance(value, float) and math.isinf(value) else value
            for name, value in self.attributes.items()
        }

    @staticmethod
    def from_json(data: dict[str, Any]) -> FunctionSpec:
        """The function that `Manifest.to_json` describes."""

        def tensors(rows: list[dict[str, Any]]) -> tuple[TensorSpec, ...]:
            return tuple(TensorSpec(**read_sizes(_batched(row), NUMBERS)) for row in rows)

        dims = data["dims"].items()
        sizes = {name: parse(name) if size is None else size for name, size in dims}
        changed: Any = {"dims": sizes}
        changed |= {key: tensors(data[key]) for key in ("arguments", "results")}
        changed["frozen"] = tensors(data.get("frozen", []))
        named = (
            size for key in ("arguments", "results") for each in changed[key] for size in each.shape
        )
        if not names_in(*named) <= names_in(*sizes.values()):
            raise ValueError(f"sizes that depend on other dimensions than {', '.join(sizes)}")
        for key in ("weights", "positive", "states"):
            changed[key] = tuple(data.get(key, ()))
        chunked = data.get("chunked")
        changed["chunked"] = None if chunked is None else Chunked.from_json(chunked)
        changed["attributes"] = {
            name: float(value) if value in _INFINITIES else value
            for name, value in data["attributes"].items()
        }
        return FunctionSpec(**(data | changed))


def _batched(row: dict[str, Any]) -> dict[str, Any]:
    """A tensor's row with `batched`, which the first manifests did not have."""
    formula = row.get("formula", "")
    return {"batched": "batch_size" in formula or "reserve_size" in formula, **row}


def _table(spec: FunctionSpec) -> str:
    """A function's attributes, arguments and results in HTML."""
    attributes = ", ".join(f"{name}={value}" for name, value in spec.attributes.items())
    kinds = {"argument": spec.arguments, "frozen": spec.frozen, "result": spec.results}
    rows = [
        (kind, tensor.name, str(tensor), _remark(tensor))
        for kind, tensors in kinds.items()
        for tensor in tensors
    ]
    line = f"<div>{escape(attributes)}</div>" if attributes else ""
    return line + table(["", "name", "type", "shape"], rows)


def states_of(functions: Iterable[FunctionSpec]) -> dict[str, TensorSpec]:
    """The states of a module's functions, by name, in the order of their arguments."""
    return {
        each.name: each for spec in functions for each in spec.arguments if each.name in spec.states
    }


def function_tables(specs: Sequence[FunctionSpec]) -> str:
    """A table in HTML for each function, collapsed unless there is only one."""
    unfolded = ' open="open"' if len(specs) == 1 else ""
    return "".join(
        f"<details{unfolded}><summary><code>{escape(f'{spec.function}: {spec}')}</code></summary>"
        f"{_table(spec)}</details>"
        for spec in specs
    )


def _remark(tensor: TensorSpec) -> str:
    """The shape in words, and whether the tensor may be omitted."""
    formula = tensor.formula if tensor.shape else ""
    optional = "" if tensor.default is None else f"default {tensor.default}"
    return ", ".join(filter(None, (formula, optional)))


# Names that users give to modules and their functions.
#
# Such a name is an identifier: it becomes an MLIR symbol, a name in IREE's VM, part of a file
# name, and in Python ``program.NAME(...)``.

TAKEN = {
    "function": ("device", "functions", "manifest", "session", "stream", "to_device"),
    "name": ("hal", "io_parameters", "vm"),
}
"""Reserved names: attributes of a program, and IREE's own modules."""

_IDENTIFIER = re.compile("[A-Za-z][A-Za-z0-9_]*")


def check_name(argument: str, name: object) -> str:
    """Checks a name chosen by a caller."""
    expected = "an identifier of letters, digits and underscores that begins with a letter"
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name):
        raise InvalidArgumentError("build", argument, expected, describe(name))
    if keyword.iskeyword(name):
        raise InvalidArgumentError("build", argument, f"{expected}, not a keyword", describe(name))
    if name in TAKEN[argument]:
        others = ", ".join(TAKEN[argument])
        expected = f"a name other than {others}, which are taken"
        raise InvalidArgumentError("build", argument, expected, describe(name))
    return name


def check_functions(functions: Iterable[FunctionSpec]) -> None:
    """Checks that all functions of a module and their companions have different names."""
    owners: dict[str, FunctionSpec] = {}
    for spec in functions:
        for name in (spec.function, spec.prepack, spec.prepacked):
            other = owners.setdefault(name, spec)
            if other is spec:
                continue
            owner = next((each for each in (other, spec) if each.function != name), None)
            got = f"{name!r} for {other.op} and {spec.op}"
            remedy = "name them, as in build([(op, dict(function='encoder')), ...])"
            if owner is not None:
                got += f"; it is reserved for the companion of {owner.function} that packs weights"
                remedy = "choose another name"
            expected = "a different name for each function and its companions"
            raise InvalidArgumentError("build", "function", expected, got, remedy)


# The sizes of a call: determines open dimensions from the shapes of arguments.


def open_sizes_of(spec: FunctionSpec, shapes: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """The open dimensions of a function, determined by the shapes of a call's arguments.

    If several arguments have a dimension, the first determines it; the caller then checks every
    shape against the function at these sizes, ``spec.bound(sizes)``.
    """
    sizes: dict[str, int] = {}
    for dim in spec.open_dims:
        axes = [
            (tensor, axis)
            for tensor in spec.arguments
            for axis, size in enumerate(tensor.shape)
            if size == open_dimension(dim) and not tensor.ignored
        ]
        given = [each for each in axes if each[0].name in shapes]
        tensor, axis = (given or axes)[0]
        if not given:
            expected = f"an array {tensor.formula}, because nothing else determines {dim}"
            raise InvalidArgumentError(
                spec.op, tensor.name, expected, "None", f"pass zeros of shape {tensor.formula}"
            )
        shape, rank = shapes[tensor.name], len(tensor.shape)
        if len(shape) != rank:
            expected = f"rank {rank}, shape {tensor.formula}"
            got = f"rank {len(shape)}, shape {list(shape)}"
            raise InvalidArgumentError(spec.op, tensor.name, expected, got)
        if not spec.least(dim) <= shape[axis] <= spec.most(dim):
            expected = f"shape {tensor.formula}, {dim} in {spec.least(dim)}..{spec.most(dim)}"
            raise InvalidArgumentError(spec.op, tensor.name, expected, f"shape {list(shape)}")
        sizes[dim] = shape[axis]
    return sizes
