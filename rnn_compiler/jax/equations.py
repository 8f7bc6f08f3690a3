"""The equations in the body of a scan, as what they compute of sums of terms."""

# JAX's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, jaxpr_as_fun

from rnn_compiler.jax.primitives import Array
from rnn_compiler.lowering.analysis.step_values import (
    Joined,
    Known,
    NotACellError,
    Operand,
    SumOfTerms,
    activated,
    add,
    alike,
    joined,
    multiply,
    negative,
    product,
    sliced,
    transposed,
    value_of,
)

_Rule: TypeAlias = "Callable[[Any, Sequence[Operand]], Operand | list[Operand]]"

_CALLS = ("jit", "remat2")
"""Those that call a function whose gradient is that of its body."""


def computed(
    targets: Sequence[Any], equations: Sequence[Any], given: Mapping[Any, Array], debug_info: Any
) -> list[Array]:
    """The values of variables that equations compute from given ones."""
    unnamed = debug_info.with_unknown_names()
    part = Jaxpr([], [*given], targets, equations, debug_info=unnamed)
    return jaxpr_as_fun(ClosedJaxpr(part, []))(*given.values())


def results(equation: Any, operands: Sequence[Operand], debug_info: Any) -> list[Operand]:
    """The results of an equation of a function with this debug information.

    Raises:
        NotACellError: They are not such sums.
    """
    if all(isinstance(each, Known) for each in operands):
        return _known(equation, operands, debug_info)
    _check_dtypes(equation)
    name = equation.primitive.name
    if name in _RULES:
        made = _RULES[name](equation, operands)
        return made if isinstance(made, list) else [made]
    if name == "custom_jvp_call" and _is_relu(equation.params["call_jaxpr"]):
        return [activated("relu", value_of(operands[0]))]
    if name not in _CALLS:
        raise NotACellError(f"its body has '{name}'")
    called = equation.params["jaxpr"]
    constants = [*getattr(called, "consts", ())]  # a checkpoint has none
    given = [Known(lambda each=each: each, np.shape(each)) for each in constants]
    return _called(getattr(called, "jaxpr", called), [*given, *operands])


def _check_dtypes(equation: Any) -> None:
    dtypes = {v.aval.dtype for v in (*equation.invars, *equation.outvars)}
    if len(dtypes) != 1:
        raise NotACellError(f"it computes with {' and '.join(sorted(map(str, dtypes)))}")


def _known(equation: Any, operands: Sequence[Any], debug_info: Any) -> list[Operand]:
    """Results that depend only on constants of the scan."""
    pairs = [*zip(equation.invars, operands, strict=True)]

    @functools.cache
    def compute() -> list[Array]:
        given = {v: each.array for v, each in pairs if not isinstance(v, Literal)}
        return computed(equation.outvars, [equation], given, debug_info)

    spread = transposed = None
    if equation.primitive.name == "broadcast_in_dim":
        spread = operands[0], tuple(map(int, equation.params["broadcast_dimensions"]))
    elif equation.primitive.name == "transpose" and len(operands[0].shape) == 2:
        transposed = operands[0] if equation.params["permutation"] == (1, 0) else None
    return [
        Known(lambda k=k: compute()[k], each.aval.shape, spread, transposed)
        for k, each in enumerate(equation.outvars)
    ]


def _called(body: Any, given: Sequence[Operand]) -> list[Operand]:
    """The results of a function that is called."""
    known: dict[Any, Operand] = dict(zip([*body.constvars, *body.invars], given, strict=True))

    def read(variable: Any) -> Operand:
        return literal(variable) if isinstance(variable, Literal) else known[variable]

    for equation in body.eqns:
        found = results(equation, [read(each) for each in equation.invars], body.debug_info)
        known |= zip(equation.outvars, found, strict=True)
    return [read(each) for each in body.outvars]


def literal(variable: Any) -> Known:
    """A number that is written in the body."""
    return Known(lambda: variable.val, variable.aval.shape)


def _is_relu(called: Any) -> bool:
    """Whether a function is `jax.nn.relu`, whose gradient at 0 is 0 as in the ops."""
    return called.jaxpr.debug_info.func_src_info == _place_of_relu()


@functools.cache
def _place_of_relu() -> str:
    """Where it is written."""
    (equation,) = jax.make_jaxpr(jax.nn.relu)(0.0).jaxpr.eqns
    while "call_jaxpr" not in equation.params:
        (equation,) = equation.params["jaxpr"].jaxpr.eqns
    return equation.params["call_jaxpr"].jaxpr.debug_info.func_src_info


def variables(atoms: Iterable[Any]) -> list[Any]:
    """The atoms that are not numbers."""
    return [each for each in atoms if not isinstance(each, Literal)]


def _activated(function: str) -> _Rule:
    def rule(equation: Any, operands: Sequence[Operand]) -> SumOfTerms:
        del equation
        return activated(function, value_of(operands[0]))

    return rule


def _sum(sign: float) -> _Rule:
    def rule(equation: Any, operands: Sequence[Operand]) -> SumOfTerms:
        del equation
        return add(*alike(operands), sign)

    return rule


def _times(equation: Any, operands: Sequence[Operand]) -> SumOfTerms:
    del equation
    return multiply(*alike(operands))


def _negated(equation: Any, operands: Sequence[Operand]) -> SumOfTerms:
    del equation
    return negative(value_of(operands[0]))


def _slice(equation: Any, operands: Sequence[Operand]) -> SumOfTerms:
    sizes, params = equation.invars[0].aval.shape, equation.params
    bounds = params["start_indices"], params["limit_indices"]
    return sliced(value_of(operands[0]), sizes, *bounds, params["strides"] or (1,))


def _split(equation: Any, operands: Sequence[Operand]) -> list[Operand]:
    value = value_of(operands[0])
    if equation.params["axis"] != value.axis:
        raise NotACellError("it splits another axis than the last")
    stops = [int(each) for each in np.cumsum(equation.params["sizes"])]
    return [value.part(*each) for each in zip([0, *stops], stops, strict=False)]


def _joined(equation: Any, operands: Sequence[Operand]) -> Joined:
    return joined((*map(value_of, operands),), equation.params["dimension"])


def _transposed(equation: Any, operands: Sequence[Operand]) -> SumOfTerms:
    return transposed(value_of(operands[0]), equation.params["permutation"])


def _dot(equation: Any, operands: Sequence[Operand]) -> SumOfTerms:
    contracted, batch = equation.params["dimension_numbers"]
    first, second = operands
    if batch != ((), ()) or any(len(each) != 1 for each in contracted):
        raise NotACellError("it has a product that is not one with a matrix")
    before = isinstance(second, Known)
    value, matrix = (first, second) if before else (second, first)
    axis, rows = contracted if before else contracted[::-1]
    if isinstance(value, Known) or not isinstance(matrix, Known) or len(matrix.shape) != 2:
        raise NotACellError("it has a product that is not one with a matrix of weights")
    return product(value, axis[0], matrix, rows[0], before=before)


def _same(equation: Any, operands: Sequence[Operand]) -> Operand:
    del equation
    return operands[0]


_RULES: Mapping[str, _Rule] = MappingProxyType(
    {
        "add": _sum(1.0),
        "sub": _sum(-1.0),
        "mul": _times,
        "neg": _negated,
        "logistic": _activated("logistic"),
        "tanh": _activated("tanh"),
        "slice": _slice,
        "split": _split,
        "concatenate": _joined,
        "transpose": _transposed,
        "dot_general": _dot,
        "convert_element_type": _same,
        "copy": _same,
    }
)
