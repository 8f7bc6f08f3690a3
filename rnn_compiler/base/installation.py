"""This package as installed by pip: its name, version and requirements.

The same sources are installed under two names: `rnn-compiler`, and `rnn-compiler-runtime` for
machines that only run artifacts. Messages about a missing package quote the requirements in the
metadata, so that their command works wherever the package came from: a clone, a wheel or an index.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from rnn_compiler.errors import UnsupportedError

if TYPE_CHECKING:
    from importlib.metadata import Distribution

__all__ = [
    "NAMES",
    "import_failure",
    "install_extra",
    "installed_names",
    "package_version",
    "pip_install",
    "requirements",
    "version",
]

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
        distributions: Requirements of this package, by name.
        extra: The extra that they belong to. The compiler's requirements are an extra of
            `rnn-compiler-runtime`, and required by `rnn-compiler`.

    Example:
        >>> pip_install("safetensors", extra="safetensors")
        "pip install 'safetensors>=0.6'"
    """
    known = {**requirements(), **requirements(extra)}
    words = [name + known.get(name, "") for name in distributions]
    quoted = [f"'{word}'" if re.search(r"[^\w.-]", word) else word for word in words]
    return f"pip install {' '.join(quoted)}"


def install_extra(extra: str) -> str:
    """What to do if a package of an extra is missing: all that are missing, in one command.

    Example:
        >>> install_extra("safetensors")
        "install the extra safetensors: pip install 'safetensors>=0.6'"
    """
    of_extra = requirements(extra)
    if not of_extra and extra != "compiler":  # rnn-compiler-runtime has few extras
        return f"install rnn-compiler with the extra {extra}"
    names = [*(of_extra or requirements())]
    missing = [name for name in names if version(name) is None]
    command = pip_install(*(missing or names), extra=extra)
    return f"install the extra {extra}: {command}" if of_extra else command


def import_failure(error: ImportError, module: str, *, extra: str = "compiler") -> UnsupportedError:
    """The error for a failed import: of a package that is not installed, or that does not load.

    Args:
        error: What Python raised.
        module: The module that does not load; it may be another that `error` names as missing.
        extra: The extra that installs it.

    Example:
        >>> missing = ModuleNotFoundError("No module named 'safetensors'", name="safetensors")
        >>> print(import_failure(missing, "safetensors", extra="safetensors"))
        the package safetensors is not installed; install the extra safetensors: pip install ...
        >>> print(import_failure(ImportError("lib.so: failed to map segment"), "safetensors"))
        safetensors is installed but cannot be loaded (lib.so: failed to map segment); ...
    """
    own = __name__.partition(".")[0]
    package = (error.name or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and package not in ("", own):
        return UnsupportedError(f"the package {package} is not installed; {install_extra(extra)}")
    return UnsupportedError(
        f"{module} is installed but cannot be loaded ({error}); check the limits on memory, such "
        "as those of ulimit -v, or install it again"
    )
