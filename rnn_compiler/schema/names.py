"""Names that users give to modules and their functions.

Such a name is an identifier: it becomes an MLIR symbol, a name in IREE's VM, part of a file name,
and in Python ``program.NAME(...)``.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["TAKEN", "check_functions", "check_name"]

TAKEN = {
    "function": ("device", "functions", "manifest", "stream", "to_device"),
    "name": ("hal", "io_parameters", "vm"),
}
"""Reserved names: attributes of a program, and IREE's own modules."""

_IDENTIFIER = re.compile("[A-Za-z][A-Za-z0-9_]*")


def check_name(argument: str, name: object) -> str:
    """Checks a name chosen by a caller.

    Args:
        argument: ``"function"`` for a function's name, or ``"name"`` for the module's.
        name: The name.

    Raises:
        InvalidArgumentError: It is not an identifier, or is reserved.

    Example:
        >>> check_name("function", "encoder")
        'encoder'
    """
    expected = "an identifier of letters, digits and underscores that begins with a letter"
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name):
        raise InvalidArgumentError("build", argument, expected, describe(name))
    if keyword.iskeyword(name):
        raise InvalidArgumentError("build", argument, f"{expected}, not a keyword", describe(name))
    if name in TAKEN[argument]:
        others = ", ".join(TAKEN[argument])
        expected = f"a name other than {others}, which are taken"
        raise InvalidArgumentError("build", argument, expected, describe(name))
    return name


def check_functions(functions: Iterable[FunctionSpec]) -> None:
    """Checks that all functions of a module and their companions have different names.

    Raises:
        InvalidArgumentError: Two functions have the same name.
    """
    owners: dict[str, FunctionSpec] = {}
    for spec in functions:
        for name in (spec.function, spec.prepack, spec.prepacked):
            other = owners.setdefault(name, spec)
            if other is spec:
                continue
            owner = next((each for each in (other, spec) if each.function != name), None)
            got = f"{name!r} for {other.op} and {spec.op}"
            remedy = "name them, as in build([(op, dict(function='encoder')), ...])"
            if owner is not None:
                got += f"; it is reserved for the companion of {owner.function} that packs weights"
                remedy = "choose another name"
            expected = "a different name for each function and its companions"
            raise InvalidArgumentError("build", "function", expected, got, remedy)
