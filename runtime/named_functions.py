"""What programs and sessions have in common: functions, which are attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Protocol, TypeVar

from rnn_compiler.errors import with_hint

__all__ = ["NamedFunctions"]


class _Callable(Protocol):
    """A function with a signature."""

    __signature__: Any

    def __call__(self, *sequence: Any, **arguments: Any) -> Any: ...


_Function = TypeVar("_Function", bound=_Callable)


class NamedFunctions(Generic[_Function]):
    """Functions by name, each of which is an attribute.

    Attributes:
        functions: The functions by name.
    """

    _kind: str

    def __init_subclass__(cls, *, kind: str | None = None) -> None:
        """Notes what messages call an object of the class, unless it is as of its base."""
        super().__init_subclass__()
        cls._kind = kind or cls._kind

    def __init__(self, functions: Mapping[str, _Function]) -> None:
        self.functions = dict(functions)
        self._single = next(iter(functions.values())) if len(functions) == 1 else None
        if self._single is not None:
            self.__signature__ = self._single.__signature__

    def _only(self, verb: str, how: str) -> _Function:
        """The only function; if there are several, raises an error that explains how to use one."""
        if self._single is None:
            names = ", ".join(f"{self._kind}.{name}{how}" for name in self.functions)
            raise TypeError(f"this {self._kind} has several functions, {verb} one of them: {names}")
        return self._single

    def __getattr__(self, name: str) -> _Function:
        functions: dict[str, _Function] = self.__dict__.get("functions", {})
        if name in functions:
            return functions[name]
        message = f"{self._kind} has no function {name!r}; it has {', '.join(functions)}"
        raise AttributeError(with_hint(message, name, functions))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.functions]
