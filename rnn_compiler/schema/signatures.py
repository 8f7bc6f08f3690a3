"""Op signatures as data, and the checks of dimensions, dtypes and attributes based on them.

An op's `Signature` lists its arguments and results (`tensors`) and its attributes (`attributes`) in
TensorFlow's order. If a tensor's shape depends on attributes, `Signature.forms` gives the tensors
of each form of the op, and `Signature.derived` the sizes that are not simple sums of dimensions.
This one declaration yields `rc.build`'s checks (`Signature.specialize`), the dimensions of a
`raw_ops` call (`Signature.infer`), the module's function type, the manifest and the documentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rnn_compiler.errors import InvalidArgumentError, check_keywords, describe, did_you_mean
from rnn_compiler.schema.attributes import (
    MAX_DIMENSION,
    REQUIRED,
    WEIGHT_GRAD_DTYPE,
    Attribute,
    open_or_known,
)
from rnn_compiler.schema.dtypes import DTYPES, FLOAT_DTYPES, canonical_name
from rnn_compiler.schema.open_sizes import Open, open_names
from rnn_compiler.schema.specs import Chunked, FunctionSpec, TensorSpec
from rnn_compiler.schema.tensors import DIMENSIONS, OpTensor

# How other ops compute the gradient of an op, for automatic differentiation.
#
# Tensors are matched by name: gradient ops take arguments and results of the forward op under
# their own names, the incoming gradient of a result according to `Gradient.cotangents`, and
# results of earlier gradient ops under their own names. `Gradient.gradients` says which result is
# the gradient of which argument. A gradient op has the attribute values of the forward op.
#
# Three conventions come from TensorFlow, not from mathematics: gradients ignore `cell_clip`; only
# the results in `Gradient.results` have gradients, not the gates; and LSTMBlockCellGrad and
# GRUBlockCellGrad leave some gradients to the caller, which additional ops of this package
# compute. Gradient ops have no gradients. The gradient of an op is in its signature,
# `Signature.gradient`.


@dataclass(frozen=True)
class Gradient:
    """How the gradient of a forward op is computed.

    Attributes:
        ops: The gradient ops in execution order.
        results: The results of the forward op that have gradients.
        arguments: The arguments of the forward op that get one.
        pattern: TensorFlow's naming pattern for the gradient of a tensor.
        unread: Results of the forward op that a gradient op takes but does not read.
        training: The attribute with which the forward op also returns what the gradient needs, if
            callers do not decide on it; empty if there is none, or it is an ordinary attribute.

    Example:
        >>> from rnn_compiler.lowering.ops import GRADIENTS
        >>> gradient = GRADIENTS["GRUBlockCell"]
        >>> gradient.ops, gradient.cotangents
        (('GRUBlockCellGrad', 'GRUBlockCellParameterGrad'), {'d_h': 'h'})
        >>> gradient.gradients["d_w_ru"]
        'w_ru'
    """

    ops: tuple[str, ...]
    results: tuple[str, ...]
    arguments: tuple[str, ...]
    pattern: str
    unread: tuple[str, ...] = ()
    training: str = ""

    @property
    def cotangents(self) -> dict[str, str]:
        """Arguments of gradient ops, each with the result of the forward op whose gradient it is.

        They have that result's shape and dtype.
        """
        return {self.pattern.format(name): name for name in self.results}

    @property
    def gradients(self) -> dict[str, str]:
        """Results of gradient ops, each with the argument of the forward op whose gradient it is.

        They have that argument's shape and dtype. A gradient op may have other results, which the
        next one uses.
        """
        return {self.pattern.format(name): name for name in self.arguments}

    @property
    def substitutes(self) -> dict[str, str]:
        """Stand-ins for the results in `unread`: their incoming gradients.

        They have the same shape and dtype, and are available anyway.
        """
        return {name: self.pattern.format(name) for name in self.unread}

    def saved(self, tensors: Iterable[tuple[Sequence[str], Sequence[str]]]) -> tuple[str, ...]:
        """The names of the forward op's arguments and results that gradient ops read.

        Example:
            >>> from rnn_compiler.lowering.ops import GRADIENTS, OPS
            >>> gradient = GRADIENTS["GRUBlockCell"]
            >>> gradient.saved(OPS[op].signature.names for op in gradient.ops)
            ('x', 'h_prev', 'w_ru', 'w_c', 'b_ru', 'b_c', 'r', 'u', 'c')
        """
        computed = {*self.cotangents, *self.unread}
        names: dict[str, None] = {}
        for arguments, results in tensors:
            names |= {each: None for each in arguments if each not in computed}
            computed.update(results)
        return tuple(names)


@dataclass(frozen=True)
class Signature:
    """An op: its name, arguments, attributes and results, in TensorFlow's order.

    Attributes:
        name: TensorFlow's name of the op.
        summary: What it computes, in one line.
        arguments: Its input tensors.
        attributes: Its compile-time parameters.
        results: Its output tensors.
        dtypes: The element types it supports.
        positive: Long names of the dimensions that may not be 0.
        in_tensorflow: Whether TensorFlow has it; other ops complement TensorFlow's.
        forms: If tensors depend on attributes: maps the compile-time attributes to arguments and
            results; `arguments` and `results` are those of the defaults.
        derived: If there are `DERIVED` sizes or lists: maps the op, dimensions and attributes to
            their values, or to the shapes of a list's elements. It raises `InvalidArgumentError`
            for inconsistent dimensions.
        weights: The arguments that stay the same from call to call, unless the op is training.
        final_state: Results that only this package offers, the state after the last step, which a
            function returns only on request.
        gradient: How its gradient is computed; None if it has none.
        chunked: How it takes a sequence in chunks; None if it has no state.
    """

    name: str
    summary: str
    arguments: tuple[OpTensor, ...]
    attributes: tuple[Attribute, ...]
    results: tuple[OpTensor, ...]
    dtypes: tuple[str, ...] = FLOAT_DTYPES
    positive: tuple[str, ...] = ()
    in_tensorflow: bool = True
    forms: (
        Callable[[Mapping[str, Any]], tuple[tuple[OpTensor, ...], tuple[OpTensor, ...]]] | None
    ) = None
    derived: Callable[[str, Mapping[str, Any]], Mapping[str, Any]] | None = None
    weights: tuple[str, ...] = ()
    final_state: tuple[OpTensor, ...] = ()
    gradient: Gradient | None = None
    chunked: Chunked | None = None

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
        """TensorFlow's attribute T, if no argument determines the dtype and a call must pass it."""
        if any(tensor.dtype is None for tensor in self.arguments):
            return None
        return Attribute("T", str, REQUIRED, "the op's dtype", choices=self.dtypes, is_dtype=True)

    @cached_property
    def call_attributes(self) -> tuple[Attribute, ...]:
        """The attributes that a call with tensors takes."""
        first = () if self.dtype_attribute is None else (self.dtype_attribute,)
        others = [each for each in self.attributes if not (each.of_build or each.is_implied)]
        return (*first, *others)

    @cached_property
    def of_caller(self) -> Signature:
        """The signature without attributes on which only differentiating functions decide."""
        hidden = self.gradient.training if self.gradient else ""
        return replace(self, attributes=tuple(a for a in self.attributes if a.name != hidden))

    @cached_property
    def in_training(self) -> Signature:
        """The signature with the results that only a gradient needs."""
        if self.gradient is None or not self.gradient.training:
            return self
        every = {each.name: each.default for each in self.attributes}
        every |= self.implied({each.name: each for each in self.arguments})
        return replace(self, results=self.form(every | {self.gradient.training: True}).results)

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The tensors that a call must pass, possibly as None, as with TensorFlow's ops."""
        has_default = {e.name for e in self.arguments if e.default is not None}
        omitted = set[str]() if self.in_tensorflow else has_default
        names = (each.name for each in self.arguments if not each.optional)
        return tuple(name for name in names if name not in omitted)

    def implied(self, given: Mapping[str, object]) -> dict[str, str]:
        """The attributes implied by a call's tensors, unless it passes them."""
        taken = [e.name for e in self.arguments if e.optional and given.get(e.name) is not None]
        return {
            each.name: " ".join(taken)
            for each in self.attributes
            if each.is_implied and given.get(each.name) is None
        }

    @cached_property
    def defining_axes(self) -> dict[str, list[tuple[str, int]]]:
        """The arguments, in order, and their axes from which a call's dimensions are determined.

        An axis is that dimension or a multiple of it.
        """
        axes: dict[str, list[tuple[str, int]]] = {}
        for tensor in self.arguments:
            for axis, size in enumerate(tensor.sizes):
                if size.multiple is not None:
                    axes.setdefault(size.multiple[1], []).append((tensor.name, axis))
        return axes

    def canonical(
        self, given: Mapping[str, Any], dtype: str, *, at_run_time: bool = False
    ) -> dict[str, bool | int | float | str]:
        """The attributes' values at run time, or the others', missing ones at their default."""
        return {
            attribute.name: attribute.canonical(
                self.name, given.get(attribute.name, attribute.default), dtype
            )
            for attribute in self.attributes
            if attribute.at_run_time == at_run_time
            and not (attribute.of_build and given.get(attribute.name) is None)
        }

    def form(self, attributes: Mapping[str, Any]) -> Signature:
        """The signature that the op has with given compile-time attributes."""
        if self.forms is None:
            return self
        arguments, results = self.forms(attributes)
        return replace(self, arguments=arguments, results=results, forms=None)

    def check_call(self, given: Mapping[str, object]) -> None:
        """Checks the keywords of a call, which passes tensors and attributes."""
        check_keywords(self.name, given, *self.call_keywords)

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of its arguments and of its results."""
        return tuple(e.name for e in self.arguments), tuple(e.name for e in self.results)

    def check_build(self, given: Mapping[str, object]) -> None:
        """Checks the keywords of `rc.build`, which is given dimensions and attributes."""
        check_keywords(self.name, given, *_keywords(self.dimensions, self.attributes))

    @cached_property
    def call_keywords(self) -> tuple[list[str], list[str]]:
        """The keywords that a call may have, and those that it must have."""
        names, required = _keywords(self.required, self.call_attributes)
        return [*dict.fromkeys([*(each.name for each in self.arguments), *names])], required

    def specialize(
        self,
        *,
        dtype: object,
        dims: Mapping[str, object],
        attributes: Mapping[str, object],
        function: str | None = None,
        outputs: Iterable[str] | None = None,
    ) -> FunctionSpec:
        """The op at given dimensions, dtype and attributes, the missing ones at their defaults."""
        name = canonical_name(dtype)
        if name is None or name not in self.dtypes:
            raise InvalidArgumentError(
                self.name, "dtype", f"one of {', '.join(self.dtypes)}", describe(dtype)
            )
        sizes = {
            dim: open_or_known(self.name, dim, dims[dim], int(dim in self.positive))
            for dim in self.dimensions
        }
        opened = open_names(sizes.values())
        for dim in [dim for dim, size in sizes.items() if size == 0 and opened]:
            expected = f"1 or more, as {opened[0]} is open"
            raise InvalidArgumentError(self.name, dim, expected, "0", f"give {opened[0]} a value")
        values = self._wider(self.canonical(attributes, name), name)
        defaults = self.canonical(attributes, name, at_run_time=True)
        form = self.form(values)
        results = form.results if outputs is None else form.asked_for(outputs)
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
            function=function or self.function,
            dtype=name,
            dims=sizes,
            attributes=values,
            arguments=tuple(
                spec for tensor in arguments for spec in tensor.specialize(name, known)
            ),
            results=tuple(spec for tensor in results for spec in tensor.specialize(name, known)),
            weights=() if values.get("is_training") else _present(self.weights, arguments),
            positive=tuple(dim for dim in sizes if dim in self.positive),
            chunked=_chunked(self.chunked, arguments),
        )
        for tensor in (*spec.arguments, *spec.results):
            if _bytes(tensor) >= 2**63:
                raise InvalidArgumentError(
                    self.name, tensor.name, "a tensor of less than 2**63 bytes", str(tensor)
                )
        return spec

    def asked_for(self, outputs: Iterable[str]) -> tuple[OpTensor, ...]:
        """The results with given names, in the signature's order."""
        known = {tensor.name: tensor for tensor in (*self.results, *self.final_state)}
        names = outputs if isinstance(outputs, (list, tuple)) else None
        expected = f"a list of {', '.join(known)}"
        if not names:
            raise InvalidArgumentError(self.name, "outputs", expected, describe(outputs))
        for name in names:
            if not isinstance(name, str) or name not in known:  # pyright: ignore
                remedy = did_you_mean(name, known)
                raise InvalidArgumentError(self.name, "outputs", expected, describe(name), remedy)
        if len(set(names)) < len(names):
            got = ", ".join(names)
            raise InvalidArgumentError(self.name, "outputs", f"{expected}, each once", got)
        return tuple(tensor for name, tensor in known.items() if name in names)

    def _wider(self, values: dict[str, Any], dtype: str) -> dict[str, Any]:
        """Attribute values without a gradient dtype that equals the op's dtype."""
        name, compute = WEIGHT_GRAD_DTYPE.name, DTYPES[dtype].compute
        given = values.get(name, dtype)
        if given not in (dtype, compute):
            expected = " or ".join(dict.fromkeys((dtype, compute)))
            raise InvalidArgumentError(
                self.name, name, f"{expected} in an op of {dtype}", str(given)
            )
        return {key: value for key, value in values.items() if (key, value) != (name, dtype)}

    def infer(self, shapes: Mapping[str, Sequence[int]]) -> dict[str, int]:
        """The op's dimensions, determined by the shapes of a call's arguments.

        Only the axes that define a dimension are checked here; the caller then checks every shape
        against the specialized signature.
        """
        dims: dict[str, int] = {}
        tensors = {tensor.name: tensor for tensor in self.arguments}
        for dim, axes in self.defining_axes.items():
            given = [each for each in axes if each[0] in shapes]
            argument, axis = (given or axes)[0]
            if not given:
                formula = tensors[argument].formula
                expected = f"an array {formula}, because nothing else determines {dim}"
                raise InvalidArgumentError(
                    self.name, argument, expected, "None", f"pass zeros of shape {formula}"
                )
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
            if not least <= dims[dim] <= MAX_DIMENSION:
                expected = f"shape {tensor.formula}, {dim} in {least}..{MAX_DIMENSION}"
                got = f"shape {list(shape)}, {shape[axis]} on axis {axis}"
                raise InvalidArgumentError(self.name, argument, expected, got)
        return dims


def _keywords(first: Sequence[str], attributes: Sequence[Attribute]) -> tuple[list[str], list[str]]:
    """All keywords, and the required ones: the given ones and attributes without a default."""
    required = [*first, *(each.name for each in attributes if each.default is REQUIRED)]
    return [*dict.fromkeys([*required, *(each.name for each in attributes)])], required


def _present(names: Iterable[str], arguments: Iterable[OpTensor]) -> tuple[str, ...]:
    """The names that arguments have."""
    known = {each.name for each in arguments}
    return tuple(name for name in names if name in known)


def _chunked(chunked: Chunked | None, arguments: Sequence[OpTensor]) -> Chunked | None:
    """How a function with some of an op's arguments takes chunks; None without its states."""
    if chunked is None or len(_present(chunked.states, arguments)) < len(chunked.states):
        return None
    return chunked if _present([chunked.length or ""], arguments) else replace(chunked, length=None)


def _bytes(tensor: TensorSpec) -> int:
    size = DTYPES[tensor.dtype].numpy.itemsize
    for dim in tensor.shape:
        size *= 1 if isinstance(dim, Open) else dim
    return size
