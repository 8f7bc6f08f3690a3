"""Common parts of the numeric tests: compiled functions, and inputs for them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from cases import ALIKE, CASES, COMPUTING

import rnn_compiler as rc
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.modules import Module
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

TOGETHER = 8
"""The number of golden cases per module, which compiles faster than a module for each."""

Arrays = dict[str, npt.NDArray[Any]]


def first_variant(op: str) -> dict[str, Any]:
    """The one to use where the sizes and attributes do not matter: other tests compile it too."""
    return CASES[op].variants[0]


def lengths(variant: dict[str, Any]) -> range:
    """The values of `seq_len_max` to test."""
    return range(variant.get("seq_length", 0) + 1)


def module(op: str, dtype: str, variant: dict[str, Any]) -> rc.Module:
    """The portable module of an op; of a variant's attributes, it takes those that it has.

    Layers are one unless the variant has more.
    """
    signature = OPS[op].signature
    known = {*signature.dimensions, *(attribute.name for attribute in signature.attributes)}
    given = {"num_layers": 1, **variant}
    return Module(_specs(op, dtype, tuple((k, v) for k, v in given.items() if k in known)))


@functools.cache
def _specs(op: str, dtype: str, given: tuple[tuple[str, Any], ...]) -> tuple[FunctionSpec, ...]:
    return rc.build(op, dtype=dtype, **dict(given)).functions


def drop_in(op: str) -> Any:
    """The op's function of `raw_ops`, or of `onnx_ops`."""
    return getattr(rc.onnx_ops if op.startswith("onnx.") else rc.raw_ops, op.rpartition(".")[2])


def program(op: str, dtype: str, variant: dict[str, Any]) -> rc.Program:
    """The compiled op, loaded on the default device."""
    return _program(op, dtype, tuple(variant.items()))


@functools.cache
def _program(op: str, dtype: str, variant: tuple[tuple[str, Any], ...]) -> rc.Program:
    return rc.runtime.load(rc.compile(module(op, dtype, dict(variant))))


Variants = Mapping[str, dict[str, Any]]
"""Sizes and attributes by op."""


NOT_ALIKE = [op for op in COMPUTING if op not in ALIKE]

THIRDS = [NOT_ALIKE[k::3] for k in range(3)]
"""Ops that are compiled together; the emulator of GPUs runs each third in another type."""


def first_variants(op: str, dtype: str) -> Variants:
    """The first variants of the ops that are compiled together with an op's own.

    In float32 there are none, since raw ops compile each alone. Those that others stand for are
    together, and each third of the others is.
    """
    groups = [[op]] if dtype == "float32" else [*THIRDS, sorted(ALIKE)]
    (ops,) = (group for group in groups if op in group)
    return {each: first_variant(each) for each in ops}


def renamed(*parts: Module) -> Module:
    """The functions of several modules in one, under names of their own: case_0, case_1, ..."""
    specs = [spec for module in parts for spec in module.functions]
    return Module([replace(spec, function=f"case_{k}") for k, spec in enumerate(specs)])


def together(dtype: str, variants: Variants) -> Module:
    """Several ops as one module, which takes two thirds of the time of as many modules."""
    specs = (module(op, dtype, variant).functions for op, variant in variants.items())
    return Module([spec for (spec,) in specs])


def functions(dtype: str, variants: Variants) -> dict[str, Callable[..., Any]]:
    """Ops by name, compiled together and loaded on the default device."""
    program = rc.runtime.load(rc.compile(together(dtype, variants)))
    return {function.spec.op: function for function in program.functions.values()}


def function(op: str, dtype: str, variants: Variants) -> Callable[..., Any]:
    """One of some ops that are compiled together."""
    rows = tuple((each, tuple(variant.items())) for each, variant in variants.items())
    return _functions(dtype, rows)[op]


@functools.cache
def _functions(
    dtype: str, rows: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]
) -> dict[str, Callable[..., Any]]:
    return functions(dtype, {op: dict(variant) for op, variant in rows})


def takes(op: str, variant: dict[str, Any]) -> bool:
    """Whether an op takes sizes, of which some may be 0."""
    return all(variant.get(dim) != 0 for dim in OPS[op].signature.positive)


def draw(
    op: str,
    dtype: str,
    variant: dict[str, Any],
    *,
    seed: int = 0,
    steps: int | None = None,
    scale: float = 1.0,
) -> Arrays:
    """Arguments for an op, in its dtype.

    Args:
        op: The op. A gradient op gets the results of its forward op, made by the reference.
        dtype: The dtype of its float tensors.
        variant: Its sizes and attributes.
        seed: Of the random numbers, which are normal.
        steps: The value of `seq_len_max`; default: all.
        scale: What ``x`` is multiplied with.
    """
    drawn = _drawn(op, dtype, tuple(variant.items()), seed, steps, scale)
    return {name: array.copy() for name, array in drawn.items()}


@functools.lru_cache(maxsize=64)
def _drawn(
    op: str,
    dtype: str,
    items: tuple[tuple[str, Any], ...],
    seed: int,
    steps: int | None,
    scale: float,
) -> Arrays:
    variant = dict(items)
    rng = np.random.default_rng(seed)
    case = CASES[op]
    spec = module(op, dtype, variant).functions[0]
    given: Arrays = {}
    if case.forward is not None and takes(case.forward, variant):
        given = draw(case.forward, dtype, variant, seed=seed + 1, steps=steps, scale=scale)
        given |= expected(case.forward, dtype, variant, given)
    arguments: Arrays = {}
    for argument in spec.arguments:
        value = given.get(argument.name)
        if value is None and argument.maximum is not None:
            value = np.full(argument.shape, argument.maximum if steps is None else steps)
        if value is None and argument.dtype == "int64":
            value = rng.integers(-(2**40), 2**40, argument.shape)
        if value is None:
            value = rng.standard_normal(argument.shape) * spread(argument, scale)
        arguments[argument.name] = value.astype(DTYPES[argument.dtype].numpy)
    return arguments


def arguments_of(op: str, dtype: str, variant: dict[str, Any], steps: int, seed: int = 0) -> Arrays:
    """Arguments of a call of some steps; rows have lengths of their own where they may."""
    arguments = draw(op, dtype, variant, seed=seed, steps=steps)
    if "sequence_lengths" in arguments:
        given = arguments["sequence_lengths"]
        arguments["sequence_lengths"] = (np.arange(len(given)) * 5 % (steps + 1)).astype("int32")
        arguments["sequence_lengths"][-1:] = steps
        forward = CASES[op].forward
        if forward is not None:  # its results at these lengths
            made = expected(forward, dtype, variant, forward_arguments(op, arguments))
            arguments |= {
                name: made[name].astype(array.dtype)
                for name, array in arguments.items()
                if name in made
            }
    return arguments


def spread(argument: TensorSpec, scale: float) -> float:
    """The standard deviation of an argument: pre-activations are of order 1, unless x is not."""
    if argument.name in ("x", "input", "X"):
        return scale
    is_matrix = argument.name.startswith("w") and len(argument.shape) == 2
    return 1.5 / max(1, argument.shape[0]) ** 0.5 if is_matrix else 0.5


def expected(op: str, dtype: str, variant: dict[str, Any], arguments: Arrays) -> Arrays:
    """The reference's results for some arguments, in float64."""
    spec = module(op, dtype, variant).functions[0]
    return CASES[op].reference(**{**spec.attributes, **arguments})


def forward_arguments(op: str, arguments: Arrays) -> Arrays:
    """Of the arguments of a gradient op, those that are its forward op's."""
    forward = CASES[op].forward
    assert forward is not None
    names = [argument.name for argument in OPS[forward].signature.arguments]
    return {name: arguments[name] for name in names if name in arguments}


def padded(op: str, names: Iterable[str]) -> list[str]:
    """The sequences among some arguments or results, whose rows may be padding.

    They are time-major by default.
    """
    signature = OPS[op].signature
    if lengths_of(op) is None:
        return []
    tensors = {tensor.name: tensor for tensor in (*signature.arguments, *signature.results)}
    return [name for name in names if tensors[name].shape.startswith("T ")]


def lengths_of(op: str) -> str | None:
    """The argument with the number of valid steps, if there is one."""
    arguments = OPS[op].signature.arguments
    return next((a.name for a in arguments if a.maximum is not None), None)
