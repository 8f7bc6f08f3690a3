"""Which result of a function continues a donated argument, by their paths in JAX.

JAX marks donated arguments with the number of a result whose memory they may become,
``tf.aliasing_output``, or without, ``jax.buffer_donor``. The number says no more than that: JAX
gives results to arguments of their type in order, and the order in a dict is that of its keys. So
it counts only where results have no paths. Otherwise a result continues the argument that has

1. its name, as ``result["params"]["w"]`` continues ``params["w"]``;
2. its path below the argument, ``["w"]``, or else only its type: of several results, in the order
   of a tuple, if there are as many arguments.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence

from rnn_compiler.errors import CompileWarning, InvalidArgumentError
from rnn_compiler.lowering.mlir.bindings import ir, symbol_of
from rnn_compiler.schema.pytrees import identifier

_ALIAS, _DONOR = "tf.aliasing_output", "jax.buffer_donor"
"""The attributes of donated arguments: with the number of a result, and without."""


def continued(
    function: ir.Operation,
    names: Sequence[str],
    paths: Sequence[str],
    results: Sequence[str | None],
) -> dict[int, int]:
    """The donated arguments that are states, each with the result that continues it.

    Paths of arguments are ``params['w']``, of results ``['params']['w']``, or None.
    """
    if "arg_attrs" not in function.attributes:
        return {}
    kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    rows = [ir.DictAttr(row) for row in ir.ArrayAttr(function.attributes["arg_attrs"])]
    aliases = {k: ir.IntegerAttr(row[_ALIAS]).value for k, row in enumerate(rows) if _ALIAS in row}
    _check(aliases, kind, symbol_of(function), names)
    donors = [k for k, row in enumerate(rows) if _ALIAS in row or _DONOR in row]
    found = {k: result for k, result in aliases.items() if results[result] is None}

    def free(argument: int) -> list[int]:
        """The results that may continue an argument."""
        left = [k for k in range(len(kind.results)) if k not in found.values()]
        return [k for k in left if kind.results[k] == kind.inputs[argument]]

    for argument in donors:
        same = [k for k in free(argument) if identifier(results[k] or "") == names[argument]]
        if same and argument not in found:
            found[argument] = same[0]
    below = {k: re.sub(r"^\w+", "", paths[k]) for k in donors}
    for path in (*sorted({*below.values()} - {""}, key=len, reverse=True), ""):
        for first in donors:
            if first in found:
                continue
            group = [k for k in donors if k not in found and path in ("", below[k])]
            group = [k for k in group if kind.inputs[k] == kind.inputs[first]]
            same = [k for k in free(first) if (results[k] or "").endswith(path)]
            ordered = len(same) == 1 or all(_is_numbered(results[k]) for k in same)
            if len(same) == len(group) and ordered:
                found.update(zip(group, same, strict=True))
    for argument in donors:
        if argument not in found:
            _warn(symbol_of(function), names[argument], len(free(argument)))
    return dict(sorted(found.items()))


def _check(
    aliases: Mapping[int, int], kind: ir.FunctionType, symbol: str, names: Sequence[str]
) -> None:
    """Raises InvalidArgumentError if an argument is aliased to a result that it cannot become."""
    for argument, result in aliases.items():
        fits = result < len(kind.results) and kind.results[result] == kind.inputs[argument]
        if not fits or Counter(aliases.values())[result] > 1:
            what = "a result of its shape and type that continues no other argument"
            raise InvalidArgumentError(symbol, names[argument], what, f"{_ALIAS} = {result}")


def _is_numbered(path: str | None) -> bool:
    """Whether a result is an element of the tuple that a function returns, or all of it."""
    return path is not None and re.match(r"\[\d|$", path) is not None


def _warn(symbol: str, name: str, count: int) -> None:
    """Says that nothing continues an argument."""
    warnings.warn(
        f"link: {symbol}: the donated argument {name} is no state: none of the results has its "
        f"name, and {count} of those that continue no other argument have its shape and type; "
        "return its next value under its name, or do not donate it",
        CompileWarning,
        stacklevel=2,
    )
