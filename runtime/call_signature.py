"""The call signature of a program's function: tensors by name, its sequence also by position.

The text shown by Python's `help` and by notebooks is derived from its spec.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from keyword import iskeyword
from typing import Any

from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

__all__ = ["call_signature", "documentation", "with_sequence"]


def call_signature(
    arguments: Iterable[TensorSpec], sequence: str | None, *, to_host: bool = True
) -> inspect.Signature:
    """The signature of a call, for display; names that are not identifiers are in ``**others``.

    Args:
        arguments: Its arguments. Those with a default may be omitted.
        sequence: The argument that may be passed by position.
        to_host: Whether the call has `to_host`.

    Example:
        >>> x, seed = TensorSpec("x", "float32", (2,)), TensorSpec("seed", "int64", (), default=0)
        >>> call_signature([seed, x], "x")
        <Signature (x, *, seed=None, to_host=True)>
    """
    tensors = {each.keyword: each for each in arguments}
    named = {
        name: inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if each.default is None else None,
        )
        for name, each in tensors.items()
        if name.isidentifier() and not iskeyword(name) and name != "to_host"
    }
    parameters = [*named.values()]
    if sequence in named:
        by_position = named.pop(sequence).replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
        parameters = [by_position, *named.values()]
    if to_host:
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter("to_host", kind, default=True))
    if len(parameters) < len(tensors) + to_host:
        parameters.append(inspect.Parameter("others", inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(parameters)


def documentation(spec: FunctionSpec) -> str:
    """The documentation of a function.

    Example:
        >>> x = TensorSpec("x", "float32", (2, 3), "[seq_length, batch_size]")
        >>> print(documentation(FunctionSpec("Op", "op", "float32", {}, {}, (x,), (x,))))
        Op float32.
        <BLANKLINE>
        Args:
            x: float32[2,3], [seq_length, batch_size].
            to_host: Whether to return numpy arrays, or leave the results on the device.
        <BLANKLINE>
        Returns:
            A named tuple of
            x: float32[2,3], [seq_length, batch_size].
    """
    lines = [f"{spec}."]
    if spec.attributes:
        values = ", ".join(f"{name}={value}" for name, value in spec.attributes.items())
        lines += ["", f"Attributes: {values}."]
    lines += ["", "Args:", *_described(spec.arguments)]
    lines += ["    to_host: Whether to return numpy arrays, or leave the results on the device."]
    return "\n".join([*lines, "", "Returns:", "    A named tuple of", *_described(spec.results)])


def _described(tensors: Sequence[TensorSpec]) -> Iterable[str]:
    """One line per tensor."""
    for tensor in tensors:
        formula = f", {tensor.formula}" if tensor.shape and tensor.formula else ""
        values = tensor.range and f", {tensor.range}"
        optional = "" if tensor.default is None else f"; {tensor.default} if it is not given"
        element = f", in the list {tensor.list}" if tensor.list else ""
        yield f"    {tensor.name}: {tensor}{formula}{values}{element}{optional}."


def with_sequence(
    callee: str, sequence: str | None, positional: Sequence[object], keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by name.

    Args:
        callee: The name of the function, for messages.
        sequence: The argument that may be passed by position.
        positional: The positional arguments.
        keywords: The keyword arguments.

    Raises:
        TypeError: More than the sequence is passed by position, or the sequence is passed twice.

    Example:
        >>> with_sequence("lstm", "x", (1,), {"w": 2})
        {'x': 1, 'w': 2}
    """
    if sequence is None:
        raise TypeError(f"{callee}() takes no positional arguments: pass its tensors by name")
    if len(positional) > 1:
        raise TypeError(
            f"{callee}() takes only {sequence!r} by position; {len(positional)} arguments were "
            "given by position"
        )
    if sequence in keywords:
        raise TypeError(f"{callee}() got multiple values for argument {sequence!r}")
    return {sequence: positional[0], **keywords}
