"""Rewrites between the portable module and the compiler, one per file.

Those that exist only because of a fault of IREE are in the folder `iree_faults`.

A pass is a function in the file of its name, declared with the properties of a module that it needs
and that hold after it (`pass_with`). A property that several passes name is in
`rewriting.context`, any other one next to its pass. `allocate_up_front` and `keep_nan` are not
among them: they rewrite the text of IREE's own phases, halfway through the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from rnn_compiler.lowering.rewriting.context import PassContext, Property

IREE_FAULTS = (
    *("compute_before_loops", "copy_updated_values", "crop_inputs", "exponential_of_float64"),
    *("limit_operands", "part_from_reductions", "powers", "read_arguments_in_place"),
    *("round_to_bfloat16", "round_to_float16", "select_and_scatter", "separate_buffers"),
    "widen_float16",
)
"""The passes in the folder `iree_faults`."""


@dataclass(frozen=True)
class Pass:
    """A pass.

    Attributes:
        requires: The properties that it needs.
        ensures: The properties that hold after it and after all later passes.
    """

    rewrite: Callable[[PassContext], None]
    requires: Sequence[Property]
    ensures: Sequence[Property]

    @property
    def name(self) -> str:
        """The name of its function and of its file."""
        return self.rewrite.__name__

    def __call__(self, context: PassContext) -> None:
        """Runs it."""
        self.rewrite(context)


def pass_with(
    *, requires: Sequence[Property], ensures: Sequence[Property]
) -> Callable[[Callable[[PassContext], None]], Pass]:
    """Makes a pass of a function that rewrites a module; see `Pass`."""
    return lambda rewrite: Pass(rewrite, requires, ensures)


def load_pass(name: str) -> Pass:
    """The pass of a name.

    Strategies name their passes, as the command line lists them without the compiler's bindings.
    """
    folder = f"{__name__}.iree_faults" if name in IREE_FAULTS else __name__
    found = getattr(import_module(f"{folder}.{name}"), name)
    if not isinstance(found, Pass):
        raise TypeError(f"{name} is not declared by pass_with")
    return found
