"""How torch's autograd computes the gradient of an op: what is saved, and which ops run.

`rnn_compiler.schema.signatures` relates ops to their gradient ops by name. Because this runs at
every call, names are resolved to numbers beforehand: the values of a backward pass are a list of
None, the saved tensors, the incoming gradients and the results of gradient ops, in this order.
"""

# torch's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import torch

from rnn_compiler.lowering.ops import GRADIENTS, OPS
from rnn_compiler.torch.attributes import Attributes, attributes_of
from rnn_compiler.torch.calls import tensors_of

__all__ = ["OpGradient", "RunsGradient"]

RunsGradient: TypeAlias = Callable[[str, Sequence[Any], Attributes, tuple[str, ...]], Sequence[Any]]
"""Runs a gradient op, given its name, tensors, attributes and the wanted results."""


class OpGradient:
    """The gradient of an op, for an autograd function of torch.

    Attributes:
        names: The tensors that the op takes.
        results: The tensors that it returns.
    """

    def __init__(self, op: str) -> None:
        """Looks up the gradient ops; `op` is TensorFlow's name."""
        self._op = op
        self.names = [*tensors_of(op)]
        self.results = [each.name for each in OPS[op].signature.in_training.results]
        differentiable = GRADIENTS[op].results
        known = [*self.names, *self.results]
        self._saved = [known.index(name) for name in _saved(op)]
        self._arriving = [self.results.index(name) for name in differentiable]
        self._fixed = [k for k, name in enumerate(self.results) if name not in differentiable]

    def keep(
        self,
        ctx: Any,
        tensors: Sequence[Any],
        attributes: Attributes,
        results: Sequence[Any],
        parts: Sequence[Any] = (),
        given: Sequence[Any] | None = None,
    ) -> None:
        """Saves what the gradient needs, and guards parts against changes in the meantime."""
        known = (*tensors, *results)
        originals: list[Any] = []
        ctx.copied = []
        if given is not None and given is not tensors:
            indices = [(n, k) for n, k in enumerate(self._saved) if k < len(given)]
            ctx.copied = [n for n, k in indices if given[k] is not tensors[k]]
            originals = [given[self._saved[n]] for n in ctx.copied]
        ctx.save_for_backward(*map(known.__getitem__, self._saved), *parts, *originals)
        ctx.mark_non_differentiable(*map(results.__getitem__, self._fixed))
        ctx.set_materialize_grads(False)  # including the reserve space
        ctx.shapes = [results[k].shape for k in self._arriving]
        ctx.attributes = attributes

    def index(self, name: str) -> int:
        """The index of an argument among the saved tensors."""
        return self._saved.index(self.names.index(name))

    def as_given(self, ctx: Any) -> tuple[list[Any], list[Any]]:
        """The saved tensors, with originals in place of copies, and the parts."""
        count, copied = len(self._saved), ctx.copied
        saved = [*ctx.saved_tensors]
        kept, parts = saved[:count], saved[count : len(saved) - len(copied)]
        for index, original in zip(copied, saved[len(saved) - len(copied) :], strict=True):
            kept[index] = original
        return kept, parts

    def gradients(
        self,
        ctx: Any,
        cotangents: Sequence[Any],
        needed: tuple[bool, ...],
        run: RunsGradient,
        new_zeros: Callable[[Any, Sequence[int]], Any] = torch.Tensor.new_zeros,
        kept: Sequence[Any] | None = None,
    ) -> tuple[Any, ...]:
        """The gradients of the tensors that need one, None for the others."""
        first = next((each for each in cotangents if each is not None), None)
        if first is None:
            return (None,) * len(needed)
        values = [None, *(ctx.saved_tensors[: len(self._saved)] if kept is None else kept)]
        for k, shape in zip(self._arriving, ctx.shapes, strict=True):
            cotangent = cotangents[k]
            values.append(new_zeros(first, shape) if cotangent is None else cotangent)
        plan = _plan(self._op, needed, ctx.attributes)
        for step in plan.steps:
            given = [*map(values.__getitem__, step.tensors)]
            values += run(step.op, given, step.attributes, step.outputs)
        return tuple(map(values.__getitem__, plan.found))


class _GradientStep(NamedTuple):
    """One gradient op of a backward pass: the values it takes and the results it returns."""

    op: str
    tensors: tuple[int, ...]
    attributes: Attributes
    outputs: tuple[str, ...]


class _Plan(NamedTuple):
    """The steps of a backward pass, and which values are the gradients; number 0 is None."""

    steps: tuple[_GradientStep, ...]
    found: tuple[int, ...]


@functools.lru_cache(maxsize=1024)
def _plan(op: str, needed: tuple[bool, ...], attributes: Attributes) -> _Plan:
    """The gradient ops of an op whose results are wanted."""
    gradient, values = GRADIENTS[op], dict(attributes)
    of = {argument: name for name, argument in gradient.gradients.items()}
    names = [
        of.get(n, "") if needs else "" for n, needs in zip(tensors_of(op), needed, strict=True)
    ]
    indices = {n: k for k, n in enumerate(["", *_saved(op), *gradient.cotangents])}
    count = len(indices)
    indices |= {name: indices[other] for name, other in gradient.substitutes.items()}
    signatures = [OPS[each].signature for each in gradient.ops]
    steps: list[_GradientStep] = []
    for number, signature in enumerate(signatures):
        after = signatures[number + 1 :]
        asked = set(names)
        if any(each.name in names for later in after for each in later.results):
            asked |= {each.name for later in after for each in later.arguments}
        outputs = tuple(each.name for each in signature.results if each.name in asked)
        if outputs:
            tensors = tuple(indices.get(name, 0) for name in tensors_of(signature.name))
            own = tuple((name, values[name]) for name in attributes_of(signature.name))
            steps.append(_GradientStep(signature.name, tensors, own, outputs))
            indices |= {name: count + k for k, name in enumerate(outputs)}
            count += len(outputs)
    return _Plan(tuple(steps), tuple(indices[name] for name in names))


def _saved(op: str) -> tuple[str, ...]:
    """The arguments and results of an op that its gradient takes."""
    gradient = GRADIENTS[op]
    return gradient.saved(OPS[each].signature.names for each in gradient.ops)
