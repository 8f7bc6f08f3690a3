"""Which dependencies are here: a machine that only runs artifacts may do without most of them."""

from __future__ import annotations

import re
from importlib import metadata, util

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.iree_compile import compiler_identity

__all__ = ["RUNTIME", "check_can_compile", "dependencies", "missing_to_compile", "version"]

RUNTIME = ("iree-base-runtime", "numpy", "ml_dtypes")
"""What loading and running artifacts takes."""


def dependencies() -> list[str]:
    """The distributions that this package depends on, but for its extras."""
    lines = metadata.requires("rnn-compiler") or []
    return [re.split(r"[^\w.-]", line)[0] for line in lines if "extra ==" not in line]


def version(distribution: str) -> str | None:
    """The version of a distribution; None if it is not installed."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def missing_to_compile() -> list[str]:
    """What compiling needs and is not here."""
    missing = [name for name in ("filelock", "platformdirs") if util.find_spec(name) is None]
    try:
        compiler_identity()
    except UnsupportedError:
        missing.insert(0, "iree-base-compiler")
    return missing


def check_can_compile(caller: str) -> None:
    """Checks that everything is here that compiling and its cache need.

    Args:
        caller: What needs it, for the message.

    Raises:
        UnsupportedError: Something is missing.
    """
    missing = missing_to_compile()
    if missing:
        raise UnsupportedError(
            f"{caller}: {' and '.join(missing)} not installed, so nothing can be compiled here "
            "(compiled artifacts still load and run): pip install rnn-compiler, with all its "
            "dependencies"
        )
