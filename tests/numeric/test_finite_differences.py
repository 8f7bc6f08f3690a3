"""Compiled gradients are the derivatives of compiled forwards, by central differences in float64.

The loss is ``<h, R1> + <cs, R2>`` with random R1 and R2, which are then the cotangents; their rows
past `seq_len_max` belong to results that are constant 0, so a gradient that looked at them would
not agree. Neither the formulas nor the reference take part.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import ALIKE, CASES, COMPUTING, GRADIENT_CASES, sizes
from numeric.harness import Arrays, draw, forward_arguments, function, lengths

STEP = 1e-5
TOLERANCE = 1e-8
"""The error of a central difference of step 1e-5 is about 1e-10 times the third derivative, and
that of rounding 1e-16 / 1e-5 times the loss, which is about 10."""

NOT_ALIKE = [op for op in COMPUTING if op not in ALIKE]


def compiled(op: str, variant: dict[str, Any]) -> Any:
    """An op, compiled together with all others that take a peephole, or with all that do not.

    Apart from ONNX's.
    """

    def kind(op: str) -> tuple[bool, ...]:
        return "LSTM" in op, "." in op

    ops = [each for each in NOT_ALIKE if kind(each) == kind(op)]
    return function(op, "float64", dict.fromkeys(ops, variant))


def chain(op: str) -> list[str]:
    """The forward op first, then the ops that follow it, the tested op last."""
    forward = CASES[op].forward
    return [op] if forward is None else [*chain(forward), op]


def loss(forward: Any, arguments: Arrays, cotangents: Arrays) -> float:
    results = forward(**arguments)
    return sum(float((getattr(results, name) * r).sum()) for name, r in cotangents.items())


def differences(forward: Any, arguments: Arrays, name: str, cotangents: Arrays) -> Any:
    """The derivative of the loss with respect to each element of one argument."""
    derivative = np.empty_like(arguments[name])
    for index in np.ndindex(derivative.shape):
        sides = []
        for step in (STEP, -STEP):
            moved = arguments[name].copy()
            moved[index] += step
            sides.append(loss(forward, {**arguments, name: moved}, cotangents))
        derivative[index] = (sides[0] - sides[1]) / (2 * STEP)
    return derivative


def draw_both(op: str, variant: dict[str, Any], steps: int) -> tuple[Arrays, Arrays]:
    """The arguments of the forward op, and the cotangents of its results by name."""
    first_gradient = chain(op)[1]
    arguments = draw(first_gradient, "float64", variant, steps=steps)
    cotangents = CASES[first_gradient].cotangents
    return (
        forward_arguments(first_gradient, arguments),
        {result: arguments[name] for name, result in cotangents.items()},
    )


def gradient(op: str, variant: dict[str, Any], inputs: Arrays, cotangents: Arrays) -> Arrays:
    """The results of a gradient op, from the results of the compiled ops before it."""
    given = dict(inputs)
    results: Arrays = {}
    for each in chain(op):
        given |= {name: cotangents[result] for name, result in CASES[each].cotangents.items()}
        run = compiled(each, variant)
        taken = [argument.name for argument in run.spec.arguments]
        results = run(**{name: given[name] for name in taken})._asdict()
        given |= results
    return results


QUICK = ("BlockLSTMGradV2", True)
"""The quick tests compare the others with the reference only."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "use_peephole"),
    [
        pytest.param(op, use, marks=[] if (op, use) == QUICK else pytest.mark.slow)
        for op in GRADIENT_CASES
        if op in NOT_ALIKE  # the others have the formulas of these
        for use in (False, True)
        if not use or "LSTM" in op
    ],
)
def test_gradient(op: str, use_peephole: bool) -> None:
    case = GRADIENT_CASES[op]
    more = {"is_training": True, "inputs": "B sequence_lens initial_h"}
    more["inputs"] += " initial_c P" if use_peephole else ""
    if "LSTM" in op and not use_peephole:
        more["inputs"] += " initial_c"
    variant = sizes(4, 2, 3, 5, use_peephole=use_peephole, cell_clip=0.0, **more)
    forward = compiled(chain(op)[0], variant)
    for steps in lengths(variant):
        inputs, cotangents = draw_both(op, variant, steps)
        gradients = gradient(op, variant, inputs, cotangents)
        for result, name in case.gradients.items():
            if name not in inputs:  # an optional one
                continue
            derivative = differences(forward, inputs, name, cotangents)
            scale = max(1.0, np.abs(derivative).max(initial=0))
            error = np.abs(gradients[result] - derivative).max() / scale
            assert error <= TOLERANCE, f"{result}: {error:.3g}"
            states = ("input_h", "input_c", "initial_h", "initial_c")
            passes = name in states  # which CudnnRNN then hands on
            lengths_given = {"seq_len_max", "sequence_lengths", "sequence_lens"} & inputs.keys()
            nothing = bool(lengths_given) and steps == 0
            nothing = nothing and not passes
            unused = name in ("wci", "wcf", "wco") and not use_peephole
            assert gradients[result].any() != (nothing or unused), f"{result} is trivial"


@pytest.mark.slow
@pytest.mark.parametrize(
    "op", [op for op in GRADIENT_CASES if "LSTM" in op and "." not in op and op not in ALIKE]
)
def test_clip_counts_as_identity(op: str) -> None:
    """With every cell state clipped, the true derivative of ``<cs, R>`` is 0; the gradient is not.

    For one step without peephole, the gradient for a cotangent of ``cs`` alone does not depend on
    the value of ``cs``, so it is the derivative of the forward without the clip.
    """
    case = GRADIENT_CASES[op]
    variant = sizes(1, 2, 3, 5, use_peephole=False, cell_clip=1e-3)
    clipped = compiled(chain(op)[0], variant)
    free = {**variant, "cell_clip": 0.0}
    unclipped = function(chain(op)[0], "float64", {chain(op)[0]: free})
    inputs, cotangents = draw_both(op, variant, steps=1)
    cotangents["h"] = np.zeros_like(cotangents["h"])
    assert (np.abs(clipped(**inputs).cs) == 1e-3).all()
    gradients = gradient(op, variant, inputs, cotangents)
    for result, name in case.gradients.items():
        assert not differences(clipped, inputs, name, cotangents).any()
        derivative = differences(unclipped, inputs, name, cotangents)
        assert np.abs(gradients[result] - derivative).max() <= TOLERANCE, result
    assert all(gradients[result].any() for result in case.gradients if result[:2] != "wc")
