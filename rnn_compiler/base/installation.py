"""This package as installed by pip: its name, version and requirements.

The same sources are installed under two names: `rnn-compiler`, and `rnn-compiler-runtime` for
machines that only run artifacts. Messages about a missing package quote the requirements in the
metadata, so that their command works wherever the package came from: a clone, a wheel or an index.
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
    from importlib import metadata  # importing it takes as long as the rest of this package

    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


@functools.cache
def _installed() -> Distribution | None:
    """This package's distribution; None for sources that are not installed."""
    return next(filter(None, map(_found, NAMES)), None)


def installed_names() -> list[str]:
    """The names under which this package is installed; both names contain the same files."""
    return [name for name in NAMES if _found(name)]


def version(distribution: str) -> str | None:
    """The version of a distribution; None if it is not installed."""
    found = _found(distribution)
    return found and found.version


@functools.cache
def package_version() -> str:
    """The version of this package; ``0`` for sources that are not installed."""
    found = _installed()
    return found.version if found else "0"


def requirements(extra: str = "") -> dict[str, str]:
    """The distributions that this package requires, with their versions.

    Args:
        extra: An extra; default: the requirements of all users.

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
    """The command that installs missing packages.

    Args:
        distributions: Requirements of this package, by name; default: all those of `extra`.
        extra: The extra that they belong to. The compiler's requirements are an extra of
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
