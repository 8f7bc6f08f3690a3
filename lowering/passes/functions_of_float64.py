"""Composes functions of float64 for which IREE has none to link.

Requires: a module after the rewrites of loops and products, those of open sizes among them.
Matches: on CPUs, the functions of `codegen.float64` and remainders, as ops of `math` on numbers,
and as ops of StableHLO and CHLO, which become a `linalg.generic` around one. Remainders and
`math.log10` of float32 are functions of libm too. Ensures: results as `codegen.float64` states,
with no function but `math.exp`, for which `exponential_of_float64` comes later, and square roots
where the processor has instructions for float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.analysis.values import element
from rnn_compiler.lowering.codegen.body import Body, Number
from rnn_compiler.lowering.codegen.float64 import FUNCTIONS_OF_FLOAT64, ROOTS_OF_FLOAT64
from rnn_compiler.lowering.codegen.remainder import remainder
from rnn_compiler.lowering.mlir.bindings import ir, nested_ops
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first, sizes_are_indices
from rnn_compiler.lowering.rewriting.edits import as_number, pointwise, replace
from rnn_compiler.lowering.targets.vector_unit import VectorUnit

_LOG10_OF_E = 0.4342944819032518

_STABLEHLO = {
    "atan2": "atan2",
    "cbrt": "cbrt",
    "cosine": "cos",
    "exponential_minus_one": "expm1",
    "log": "log",
    "log_plus_one": "log1p",
    "power": "powf",
    "sine": "sin",
    "tan": "tan",
    "tanh": "tanh",
}
"""StableHLO's names of functions, with those of MLIR's `math` dialect."""


def _log10(x: Number) -> Number:
    """The logarithm of a float32."""
    return x.body.number("math.log", [x], x.element, x.lanes) * _LOG10_OF_E


Emitter = Callable[..., Number]

_EMITTERS: Mapping[tuple[str, str], Emitter] = {
    **{(f"math.{name}", "f64"): emit for name, emit in FUNCTIONS_OF_FLOAT64.items()},
    **{(f"chlo.{name}", "f64"): emit for name, emit in FUNCTIONS_OF_FLOAT64.items()},
    **{(f"stablehlo.{name}", "f64"): FUNCTIONS_OF_FLOAT64[of] for name, of in _STABLEHLO.items()},
    **{
        (name, kind): remainder
        for name in ("stablehlo.remainder", "arith.remf")
        for kind in ("f32", "f64")
    },
    ("math.log10", "f32"): _log10,
}
"""How each op on numbers of an element type is composed."""

_ROOTS: Mapping[tuple[str, str], Emitter] = {
    (f"{dialect}.{name}", "f64"): emit
    for name, emit in ROOTS_OF_FLOAT64.items()
    for dialect in ("math", "stablehlo")
}
"""The same for processors without instructions for float64."""

_UNKNOWN = ("bessel_i1e", "digamma", "erf_inv", "lgamma", "polygamma", "zeta")
"""Functions of CHLO that IREE composes of others, which it does not have in float64."""


def functions_of_float64_are_composed(context: PassContext) -> str | None:
    """No function is left that IREE does not have."""
    return first(str(op) for op, _ in _found(context))


@pass_with(requires=(sizes_are_indices,), ensures=(functions_of_float64_are_composed,))
def functions_of_float64(context: PassContext) -> None:
    """Rewrites all functions of float64."""
    for op in _of_cpus(context, *(f"chlo.{name}" for name in _UNKNOWN)):
        if element(op.operands[0]) == "f64":
            raise UnsupportedError(
                f"{op.name} of float64 has no code for CPUs: compute it in float32, that is, "
                f"convert its operands to float32 and its result back ({op.location})"
            )
    while found := _found(context):  # formulas contain roots
        for op, emit in found:
            body = Body.before(op)
            if isinstance(op.operands[0].type, ir.RankedTensorType):
                replace(op, pointwise(body, op, _applied(emit)))
            else:
                replace(op, emit(*(as_number(body, each) for each in op.operands)).value)


def _applied(emit: Emitter) -> Callable[[Body, Sequence[Number]], Number]:
    """An emitter that `pointwise` takes."""
    return lambda _, numbers: emit(*numbers)


def _found(context: PassContext) -> list[tuple[ir.Operation, Emitter]]:
    """The ops to compose, each with its emitter."""
    processor = context.processor
    has_roots = not isinstance(processor, VectorUnit) or processor.float64_unit
    emitters = _EMITTERS if has_roots else {**_EMITTERS, **_ROOTS}
    ops = _of_cpus(context, *sorted({name for name, _ in emitters}))
    keys = [(op.name, element(op.operands[0])) for op in ops]
    return [(op, emitters[key]) for op, key in zip(ops, keys, strict=True) if key in emitters]


def _of_cpus(context: PassContext, *names: str) -> list[ir.Operation]:
    """The ops of some names, in code for a CPU."""
    if not isinstance(context.processor, VectorUnit):
        return []
    return nested_ops(context.module.operation, *names)
