"""Every way to run a module, one row each, for the fixture `execute`.

A test that takes `execute` says in which ways it runs, with `ways` or `each_way`. Those whose
requirements are missing are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from c import calling as c_calling
from c import emulated
from js import calling as js_calling

import rnn_compiler as rc

Arrays = dict[str, npt.NDArray[Any]]
Run = Callable[[int, Mapping[str, Any]], Arrays]
"""Runs a function of a module, by its number."""


class Way(NamedTuple):
    """A way to run modules.

    Attributes:
        start: Compiles a module, with a folder of its own for files.
        missing: What is needed and not here.
        target: What is compiled for.
    """

    start: Callable[[rc.Module, str, Path], Run]
    missing: str = ""
    target: str = "cpu:generic"


def program(module: rc.Module, target: str, folder: Path, convert: Any = None) -> Run:
    """As an artifact; arrays are converted into those of another library."""
    loaded = rc.runtime.load(rc.compile(module, target), device="local-sync")
    functions = [*loaded.functions.values()]

    def run(number: int, given: Mapping[str, Any]) -> Arrays:
        arrays = {name: convert(a) for name, a in given.items()} if convert else given
        results = functions[number](**arrays)._asdict()
        return {name: np.asarray(array) for name, array in results.items()}

    return run


def through_iree(module: rc.Module, target: str, folder: Path) -> Run:
    """As an artifact whose functions are not called directly."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RNN_COMPILER_CALLS", "iree")
        return program(module, target, folder)


def from_torch(module: rc.Module, target: str, folder: Path) -> Run:
    """As an artifact that gets tensors of torch."""
    import torch

    def convert(array: Any) -> Any:
        if np.asarray(array).dtype == ml_dtypes.bfloat16:
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(np.array(array))

    return program(module, target, folder, convert)


def from_jax(module: rc.Module, target: str, folder: Path) -> Run:
    """As an artifact that gets arrays of JAX."""
    import jax

    with jax.enable_x64(True):
        run = program(module, target, folder, jax.numpy.asarray)

    def wide(number: int, given: Mapping[str, Any]) -> Arrays:
        with jax.enable_x64(True):
            return run(number, given)

    return wide


def in_c(module: rc.Module, target: str, folder: Path, loaded: Any = c_calling.Loaded) -> Run:
    """As C, for this machine or an emulated one."""
    made = loaded(rc.compile_c(module, target, name="m"), folder)
    names = [*made.rows]
    return lambda number, given: made.call(names[number], given)


def emulated_c(module: rc.Module, target: str, folder: Path) -> Run:
    """As C on a processor that QEMU plays."""
    return in_c(module, target, folder, emulated.Emulated)


def in_js(module: rc.Module, target: str, folder: Path) -> Run:
    """As JavaScript and WebAssembly, by Node.js."""
    loaded = js_calling.Loaded(rc.compile_js(module, target, name="m"), folder)
    names = [*loaded.rows]

    def run(number: int, given: Mapping[str, Any]) -> Arrays:
        return loaded.call(names[number], given, **loaded.sizes(names[number], given))

    return run


def _lacking(package: str) -> str:
    return "" if find_spec(package) else package


WAYS = {
    "direct": Way(program),
    "iree": Way(through_iree),
    "c": Way(in_c),
    "js": Way(in_js, js_calling.missing(), "cpu:wasm32"),
    "torch": Way(from_torch, _lacking("torch")),
    "jax": Way(from_jax, _lacking("jax")),
    **{name: Way(emulated_c, emulated.missing(name), f"cpu:{name}") for name in emulated.MACHINES},
}

QUICK = ("direct", "iree", "c", "js")


def ways(*names: str, quick: tuple[str, ...] = QUICK) -> pytest.MarkDecorator:
    """Runs a test in some ways, of which some are quick."""
    rows = [pytest.param(name, marks=_marks(name, quick)) for name in names]
    return pytest.mark.parametrize("execute", rows, indirect=True)


def ways_of(
    parameter: str, quick: Mapping[str, tuple[str, ...]], *names: str
) -> pytest.MarkDecorator:
    """Runs a test in some ways with each value of a parameter, which is quick in some of them."""
    rows = [
        pytest.param(value, name, marks=_marks(name, some))
        for value, some in quick.items()
        for name in names
    ]
    return pytest.mark.parametrize((parameter, "execute"), rows, indirect=["execute"])


def _marks(way: str, quick: tuple[str, ...]) -> list[pytest.MarkDecorator]:
    marks = [] if way in quick else [pytest.mark.slow]
    if missing := WAYS[way].missing:
        marks.append(pytest.mark.skip(reason=f"{way} needs {missing}"))
    return marks


each_way = ways(*WAYS)
each_language = ways("direct", "c", "js", quick=("direct",))
"""In Python, and slowly in C and JavaScript."""


class Execute:
    """Runs functions of modules in one way; each module is compiled once."""

    def __init__(self, way: str, folder: Path) -> None:
        self.way = way
        self._folder = folder
        self._started: dict[int, tuple[rc.Module, Run]] = {}

    def __call__(
        self, module: rc.Module, arguments: Mapping[str, Any], function: int = 0
    ) -> Arrays:
        """The results by name of a function, which is given by its number."""
        if id(module) not in self._started:
            start, _, target = WAYS[self.way]
            folder = self._folder / f"{self.way}-{len(self._started)}"
            folder.mkdir()
            self._started[id(module)] = module, start(module, target, folder)
        return self._started[id(module)][1](function, arguments)
