"""This package as pip installed it: its name, its version, and what it requires.

The same sources are installed under two names: `rnn-compiler`, and `rnn-compiler-runtime` for
machines that only run artifacts. Messages about a missing package quote what the metadata requires,
so that their command can be typed wherever the package came from: a clone, a wheel or an index.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import Distribution

__all__ = ["NAMES", "installed_names", "package_version", "pip_install", "requirements", "version"]

NAMES = ("rnn-compiler", "rnn-compiler-runtime")


def _found(name: str) -> Distribution | None:
    from importlib import metadata  # takes as long to import as the rest of this package

    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


@functools.cache
def _installed() -> Distribution | None:
    """This package's distribution; None for sources that nobody installed."""
    return next(filter(None, map(_found, NAMES)), None)


def installed_names() -> list[str]:
    """Under which of its names this package is installed: two hold the same files."""
    return [name for name in NAMES if _found(name)]


def version(distribution: str) -> str | None:
    """The version of a distribution; None if it is not installed."""
    found = _found(distribution)
    return found and found.version


@functools.cache
def package_version() -> str:
    """The version of this package; ``0`` for sources that nobody installed."""
    found = _installed()
    return found.version if found else "0"


def requirements(extra: str = "") -> dict[str, str]:
    """The distributions that this package requires, and which versions.

    Args:
        extra: The extra whose requirements are meant; default: those that all users need.

    Example:
        >>> requirements("safetensors")
        {'safetensors': '>=0.6'}
    """
    found = _installed()
    rows: dict[str, str] = {}
    for line in (found and found.requires) or ():
        requirement, _, marker = line.partition(";")
        belongs = re.search(r"extra\s*==\s*['\"]([^'\"]*)", marker)
        if (belongs[1] if belongs else "") == extra:
            name = re.split(r"[^\w.-]", requirement.strip())[0]
            rows[name] = requirement.strip()[len(name) :].strip(" ()")
    return rows


def pip_install(*distributions: str, extra: str = "compiler") -> str:
    """The command that installs what is missing.

    Args:
        distributions: Requirements of this package, by name; default: all those of `extra`.
        extra: The extra that they belong to. What compiling needs is an extra of
            `rnn-compiler-runtime`, and required by `rnn-compiler`.

    Example:
        >>> pip_install(extra="safetensors")
        "pip install 'safetensors>=0.6'"
    """
    of_extra = requirements(extra)
    known = {**requirements(), **of_extra}
    words = [name + known.get(name, "") for name in distributions or of_extra]
    quoted = [f"'{word}'" if re.search(r"[^\w.-]", word) else word for word in words]
    return f"pip install {' '.join(quoted)}"
