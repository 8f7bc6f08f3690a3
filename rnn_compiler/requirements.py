"""The dependencies that are installed: machines that only run artifacts need few of them."""

from __future__ import annotations

import re
from importlib import util

from rnn_compiler.base.installation import pip_install
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.compiler.iree_compile import compiler_identity

__all__ = [
    "RUNTIME",
    "check_can_compile",
    "is_within",
    "missing_to_compile",
]

RUNTIME = ("iree-base-runtime", "numpy", "ml_dtypes")
"""The distributions that are needed to load and run artifacts."""


def is_within(version: str, wanted: str) -> bool:
    """Whether a version satisfies a specifier.

    Args:
        version: A version.
        wanted: A specifier, of the forms that this package uses: ``==3.13.*``, ``>=2``, ``<3``.

    Example:
        >>> is_within("3.12.0", "==3.13.*"), is_within("3.13.1", "==3.13.*")
        (False, True)
        >>> is_within("2.10.1", ">=2.9,<3")
        True
    """
    return all(_agrees(_numbers(version), each.strip()) for each in wanted.split(",") if each)


def _agrees(version: list[int], specifier: str) -> bool:
    found = re.fullmatch(r"(==|>=|<=|<|>|~=|!=)\s*([\d.]+?)(\.\*)?", specifier)
    if found is None:
        return True  # not a specifier that this package uses
    operator, bound = found[1], _numbers(found[2])
    size = max(len(version), len(bound))
    left, right = ([*each, *[0] * (size - len(each))] for each in (version, bound))
    same = version[: len(bound)] == bound if found[3] else left == right
    if operator == "~=":
        return left >= right and version[: len(bound) - 1] == bound[:-1]
    return {
        "==": same,
        "!=": not same,
        ">=": left >= right,
        "<=": left <= right,
        ">": left > right,
        "<": left < right,
    }[operator]


def _numbers(version: str) -> list[int]:
    found = re.match(r"\d+(\.\d+)*", version)
    return [int(each) for each in found[0].split(".")] if found else []


def missing_to_compile() -> list[str]:
    """The missing distributions that compiling needs."""
    missing = [name for name in ("filelock", "platformdirs") if util.find_spec(name) is None]
    try:
        compiler_identity()
    except UnsupportedError:
        missing.insert(0, "iree-base-compiler")
    return missing


def check_can_compile(caller: str) -> None:
    """Checks that everything that compiling and its cache need is installed.

    Args:
        caller: The function that needs it, for the message.

    Raises:
        UnsupportedError: Something is missing.
    """
    missing = missing_to_compile()
    if missing:
        raise UnsupportedError(
            f"{caller}: {' and '.join(missing)} not installed, so nothing can be compiled here "
            f"(compiled artifacts still load and run): {pip_install(*missing)}"
        )
