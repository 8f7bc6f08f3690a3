"""The companions of a function with which a stream packs its weights once (`passes.hoist_weights`).

``pack`` takes the weights and returns them packed. ``packed`` is the function itself with packed
weights after its arguments, and without the weights that it then does not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rnn_compiler.lowering.c.interface import Function, Member
from rnn_compiler.lowering.js.source import JsFunction
from rnn_compiler.schema.manifest import FunctionSpec, TensorSpec

__all__ = ["companions_of"]


def companions_of(spec: FunctionSpec, functions: Mapping[str, Function]) -> dict[str, JsFunction]:
    """The companions of a function; none if its weights are not packed, or frozen.

    Args:
        spec: The function.
        functions: All functions of the module, by name.
    """
    if spec.prepack not in functions:
        return {}
    pack, packed = functions[spec.prepack], functions[spec.prepacked]
    weights = tuple(each for each in spec.arguments if each.name in spec.weights)
    made = tuple(map(_packed, range(len(pack.results)), pack.results))
    unread = {
        k: -1
        for k, each in enumerate(spec.arguments)
        if each in weights and not packed.schedule.reads(k)
    }
    read = tuple(each for k, each in enumerate(spec.arguments) if k not in unread)
    without = replace(packed, schedule=packed.schedule.with_constants(unread))
    return {
        "pack": JsFunction(replace(spec, arguments=weights, results=made), pack, ""),
        "packed": JsFunction(replace(spec, arguments=(*read, *made)), without, ""),
    }


def _packed(number: int, member: Member) -> TensorSpec:
    """Packed weights, under a name that no argument has."""
    return TensorSpec(f"$packed_{number}", member.dtype, member.shape)
