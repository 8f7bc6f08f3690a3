"""How other ops compute the gradient of an op, for automatic differentiation.

Tensors are matched by name: gradient ops take arguments and results of the forward op under their
own names, the incoming gradient of a result according to `Gradient.cotangents`, and results of
earlier gradient ops under their own names. `Gradient.gradients` says which result is the gradient
of which argument. A gradient op has the attribute values of the forward op.

Three conventions come from TensorFlow, not from mathematics: gradients ignore `cell_clip`; only the
results in `Gradient.results` have gradients, not the gates; and LSTMBlockCellGrad and
GRUBlockCellGrad leave some gradients to the caller, which additional ops of this package compute.
Gradient ops have no gradients. The gradient of an op is in its signature, `Signature.gradient`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Gradient"]


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

        Args:
            tensors: The names of the arguments and results of `ops`, in the same order.

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
