"""How the gradient of an op is computed by other ops, for automatic differentiation.

Gradient ops take everything by name: arguments and results of the forward op under their own
names, the gradient that arrives for a result under `Gradient.cotangents`, and where one gradient op
follows another, results of those before it under their own names too. What they give for an
argument of the forward op is in `Gradient.gradients`. Attributes that a gradient op has are those
of the forward op.

Three things are TensorFlow's and not mathematics: gradients ignore `cell_clip`; only the results in
`Gradient.results` have gradients, not the gates beside them; and LSTMBlockCellGrad and
GRUBlockCellGrad leave some gradients to their caller, for which this package has ops of its own. No
gradient op has a gradient. An op's signature has its gradient, `Signature.gradient`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rnn_compiler.schema.signatures import Signature

__all__ = ["Gradient"]


@dataclass(frozen=True)
class Gradient:
    """How the gradient of a forward op is computed.

    Attributes:
        ops: The gradient ops, in the order in which they run.
        results: The results of the forward op that have gradients.
        arguments: The arguments of the forward op that get one.
        pattern: How TensorFlow names the gradient of a tensor.
        unread: Results of the forward op that a gradient op takes, and reads nothing of.

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

    @property
    def cotangents(self) -> dict[str, str]:
        """Arguments of gradient ops, each with the result of the forward op whose gradient it is.

        They have that result's shape and dtype.
        """
        return {self.pattern.format(name): name for name in self.results}

    @property
    def gradients(self) -> dict[str, str]:
        """Results of gradient ops, each with the argument of the forward op that it is for.

        They have that argument's shape and dtype. A gradient op may have other results, which the
        next one takes.
        """
        return {self.pattern.format(name): name for name in self.arguments}

    @property
    def substitutes(self) -> dict[str, str]:
        """What is passed for results in `unread`: the gradients that arrive for them.

        They have the same shape and dtype, and are there anyway.
        """
        return {name: self.pattern.format(name) for name in self.unread}

    def saved(self, ops: Iterable[Signature]) -> tuple[str, ...]:
        """The names of arguments and results of the forward op that gradient ops take and read.

        Args:
            ops: The signatures of `ops`, in this order.

        Example:
            >>> from rnn_compiler.lowering.ops import GRADIENTS, OPS
            >>> gradient = GRADIENTS["GRUBlockCell"]
            >>> gradient.saved(OPS[op].signature for op in gradient.ops)
            ('x', 'h_prev', 'w_ru', 'w_c', 'b_ru', 'b_c', 'r', 'u', 'c')
        """
        computed = {*self.cotangents, *self.unread}
        names: dict[str, None] = {}
        for op in ops:
            names |= {each.name: None for each in op.arguments if each.name not in computed}
            computed |= {each.name for each in op.results}
        return tuple(names)
