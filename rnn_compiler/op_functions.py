"""The common parts of the op functions for numpy, torch and JAX.

Their parameters and documentation are derived from the op's signature.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from rnn_compiler.errors import with_hint
from rnn_compiler.schema.attributes import REQUIRED
from rnn_compiler.schema.signatures import Signature

__all__ = ["documentation", "found", "named", "parameters"]

_T = TypeVar("_T")


def parameters(
    signature: Signature, *, keywords_only: bool = False
) -> Mapping[str, inspect.Parameter]:
    """The parameters of an op, in its order: tensors, attributes, `name`.

    Args:
        signature: The op's.
        keywords_only: Whether they can only be passed by name.

    Example:
        >>> from rnn_compiler.lowering.ops import OPS
        >>> [*parameters(OPS["GRUBlockCell"].signature)]
        ['x', 'h_prev', 'w_ru', 'w_c', 'b_ru', 'b_c', 'name']
    """
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    if keywords_only:
        kind = inspect.Parameter.KEYWORD_ONLY
    names = [each.name for each in signature.arguments]
    omitted = [names.index(name) for name in names if name not in signature.required]
    first = min(omitted, default=len(names))  # parameters after one with a default need one too
    every = [
        *(
            inspect.Parameter(each.name, kind, default=None)
            if each.name not in signature.required or (index > first and not keywords_only)
            else inspect.Parameter(each.name, kind)
            for index, each in enumerate(signature.arguments)
        ),
        *(
            inspect.Parameter(each.name, kind, default=each.default)
            for each in signature.call_attributes
        ),
        inspect.Parameter("name", kind, default=None),
    ]
    return {each.name: each for each in every}


def named(
    signature: Signature, positional: Sequence[Any], keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by name, without TensorFlow's name for the node.

    Raises:
        TypeError: An argument is unknown, missing or given twice, or there are too many.
    """
    given = dict(keywords)
    if positional:
        function, tensors = signature.function, signature.arguments
        known = [*(each.name for each in (*tensors, *signature.call_attributes)), "name"]
        if len(positional) > len(known):
            raise TypeError(
                f"{function}() takes {len(known)} arguments: {', '.join(known)}; "
                f"{len(positional)} were given"
            )
        first = dict(zip(known, positional, strict=False))
        for name in first:
            if name in given:
                raise TypeError(f"{function}() got multiple values for argument {name!r}")
        given = first | given
    given.pop("name", None)
    signature.check_call(given)
    return given


def documentation(
    signature: Signature, notes: Sequence[str] = (), arguments: Sequence[str] = ()
) -> str:
    """The documentation of an op's function.

    Args:
        signature: The op's.
        notes: Lines about the function itself.
        arguments: Lines about arguments that the op itself does not have.
    """
    lines = [f"{signature.summary}.", "", f"dtypes: {', '.join(signature.dtypes)}.", *notes]
    lines += ["", "Args:"]
    lines += [
        f"    {t.name}: {t.kind} {t.dtype or ''}".rstrip() + f". {t.doc}."
        for t in signature.arguments
    ]
    lines += [
        f"    {a.name}: {a.type.__name__}"
        + ("" if a.default is REQUIRED else f" = ``{a.default!r}``")
        + f". {a.doc}."
        for a in signature.call_attributes
    ]
    lines += ["    name: Ignored; TensorFlow's name for the node."]
    lines += [f"    {line}" for line in arguments]
    results = [f"{t.name}: {t.kind}. {t.doc}." for t in signature.results]
    lines += ["", "Returns:"]
    if len(results) > 1:
        lines += ["    A named tuple of", "", *(f"    - {result}" for result in results)]
    else:
        lines += ["    The array", "", f"    - {results[0]}"]
    lines += [
        "",
        "Raises:",
        "    TypeError: An argument is unknown or missing.",
        "    InvalidArgumentError: An argument has the wrong dtype, shape or value.",
    ]
    return "\n".join(lines)


def found(module: str, functions: Mapping[str, _T], name: str) -> _T:
    """An attribute of a module of functions, for its ``__getattr__``.

    Args:
        module: The module's name within this package.
        functions: Its functions by name.
        name: The attribute.

    Raises:
        AttributeError: The function does not exist; the message suggests the closest name.
    """
    if name in functions:
        return functions[name]
    message = f"rnn_compiler.{module} has no {name!r}; it has {', '.join(functions)}"
    raise AttributeError(with_hint(message, name, functions))
