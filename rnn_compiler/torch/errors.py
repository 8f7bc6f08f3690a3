"""Argument errors that are also RuntimeErrors, as in torch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from rnn_compiler import errors

_F = TypeVar("_F", bound=Callable[..., Any])


class InvalidArgumentError(errors.InvalidArgumentError, RuntimeError):
    """This package's error for a wrong argument, which is also a RuntimeError.

    Example:
        >>> issubclass(InvalidArgumentError, (errors.InvalidArgumentError, ValueError))
        True
    """


def as_torch_raises(function: _F) -> _F:
    """Makes a function's argument errors RuntimeErrors too."""

    @functools.wraps(function)
    def call(*positional: Any, **keywords: Any) -> Any:
        try:
            return function(*positional, **keywords)
        except errors.InvalidArgumentError as error:
            if isinstance(error, RuntimeError):
                raise
            given = error.op, error.argument, error.expected, error.got, error.remedy
            found = InvalidArgumentError(*given).with_traceback(error.__traceback__)
            raise found from error.__cause__

    return call  # pyright: ignore[reportReturnType]
