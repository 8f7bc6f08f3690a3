"""Decides whether sizes that vary between calls are compiled in or open.

A function compiled for the sizes of a call is the fastest, but compiling takes a second or two. So
the first few sizes at which an op is called get a separate function each, and all later ones share
a function with open sizes. ``RNN_COMPILER_STATIC_SIZES`` is the number of sizes with a function of
their own: two by default, ``all`` to keep every size static.
"""

from __future__ import annotations

import functools
import logging
import math
import os
import threading

from rnn_compiler.compilation import compile
from rnn_compiler.errors import CompileError, InvalidArgumentError, UnsupportedError
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.modules import Module
from rnn_compiler.runtime import Function, load
from rnn_compiler.schema.open_sizes import OPEN_DIMENSIONS, Size
from rnn_compiler.schema.specs import FunctionSpec

_STATIC_SIZES = 2
"""The default number of sizes with a function of their own."""

_VARIABLE = "RNN_COMPILER_STATIC_SIZES"

_log = logging.getLogger(__name__)


def function_for(spec: FunctionSpec, target: str, device: str) -> Function:
    """A compiled function for an op of static sizes, those of a call, or of open ones."""
    varying = _may_vary(spec)
    attributes = tuple(spec.attributes.items())
    others = tuple((name, size) for name, size in spec.dims.items() if name not in varying)
    results = tuple(each.name for each in spec.results)
    family = _family(spec.op, spec.dtype, others, attributes, results, target)
    with family.lock:
        return family.function(spec, target, device)


def _may_vary(spec: FunctionSpec) -> tuple[str, ...]:
    """The dimensions that may be open."""
    return tuple(name for name in OPEN_DIMENSIONS if name in spec.dims)


def _static_sizes() -> float:
    """The number of sizes with a separate function."""
    text = os.environ.get(_VARIABLE)
    if not text:
        return _STATIC_SIZES
    if text == "all":
        return math.inf
    if not (text.isascii() and text.isdigit()):
        expected = "a number of sizes, or all"
        raise InvalidArgumentError("environment", _VARIABLE, expected, repr(text))
    return int(text)


class _CallsOfOp:
    """Calls of an op that differ only in sizes that may be open.

    Attributes:
        lock: Held while a function is looked up or compiled.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._static: list[dict[str, Size]] = []
        self._open: dict[tuple[tuple[str, ...], str], Function] = {}
        self._refused: set[tuple[str, ...]] = set()

    def function(self, spec: FunctionSpec, target: str, device: str) -> Function:
        """The result of `function_for`."""
        sizes = {name: spec.dims[name] for name in _may_vary(spec)}
        varied = tuple(n for n in sizes if any(each[n] != sizes[n] for each in self._static))
        names = varied or tuple(sizes)
        own = sizes in self._static or 0 in spec.dims.values() or names in self._refused
        if not own and len(self._static) < _static_sizes():
            self._static.append(sizes)
            own = True
        if own:
            return _load(spec, target, device)
        if (names, device) not in self._open:
            what = f"{spec.op}, {', '.join(f'{name} {sizes[name]}' for name in names)}"
            try:
                self._open[names, device] = _load(_opened(spec, names), target, device)
            except (UnsupportedError, CompileError) as error:
                _log.warning("%s: every size is compiled separately from now on: %s", what, error)
                self._refused.add(names)
                return _load(spec, target, device)
            _log.info("%s: one function now serves this and every other size", what)
        return self._open[names, device]


@functools.lru_cache(maxsize=1024)
def _family(*same: object) -> _CallsOfOp:
    """The family of calls that share these properties."""
    return _CallsOfOp()


def forget() -> None:
    """Clears all sizes and functions."""
    _family.cache_clear()


def _opened(spec: FunctionSpec, names: tuple[str, ...]) -> FunctionSpec:
    """An op with some of its dimensions open."""
    return OPS[spec.op].signature.specialize(
        dtype=spec.dtype,
        dims={**spec.dims, **dict.fromkeys(names)},
        attributes=spec.attributes,
        outputs=[each.name for each in spec.results],
    )


def _load(spec: FunctionSpec, target: str, device: str) -> Function:
    return load(compile(Module([spec]), target), device).functions[spec.function]
