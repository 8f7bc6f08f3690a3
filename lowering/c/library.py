"""A module as C: header, source and object, made of the compiler's output."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy.typing as npt

from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.lowering.c.cpu_check import cpu_check
from rnn_compiler.lowering.c.elf import Elf
from rnn_compiler.lowering.c.header import print_header
from rnn_compiler.lowering.c.interface import (
    Function,
    check_identifier,
    functions_of,
    scalar_ranges,
)
from rnn_compiler.lowering.c.mathematics import DEFINED
from rnn_compiler.lowering.c.messages import Messages
from rnn_compiler.lowering.c.object_file import Kernel, ObjectFile
from rnn_compiler.lowering.c.selftest import INTERNAL as TEST_INTERNAL
from rnn_compiler.lowering.c.selftest import Samples, print_selftest, tested
from rnn_compiler.lowering.c.source import print_source
from rnn_compiler.lowering.c.stack import frames_of, stack_size
from rnn_compiler.lowering.c.support import INTERNAL
from rnn_compiler.lowering.host.external_results import Types, with_open_sizes
from rnn_compiler.lowering.host.program import read_host_program, sizes_of
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.manifest import FunctionSpec, TargetSpec
from rnn_compiler.schema.schedule import Dispatch, Memory, steps_in

__all__ = ["Library", "make_library", "read_functions"]

_LIBRARY_NAMES = ("getauxval", "memcpy", "memset")

_NUMBERED = re.compile(r"(call|sample)_\d+")
"""The names of data, and of calls of a self test."""

_UNREAD = -1
"""The number of a missing constant."""


@dataclass(frozen=True)
class Library:
    """The files of a module in C, and its functions.

    Attributes:
        header: The text of ``NAME.h``.
        source: The text of ``NAME.c``.
        object: The bytes of ``NAME.o``.
        functions: Its functions.
        flash: Bytes of code and constants in the object.
        selftest: The text of ``NAME_selftest.c``; empty without samples.
    """

    header: str
    source: str
    object: bytes
    functions: tuple[Function, ...]
    flash: int
    selftest: str = ""


def make_library(
    name: str,
    specs: Sequence[FunctionSpec],
    types: Mapping[str, Types],
    host_program: str,
    object_file: bytes,
    target: TargetSpec,
    origin: str,
    frozen: Mapping[str, Mapping[str, npt.NDArray[Any]]] = MappingProxyType({}),
    samples: Samples | None = None,
    stack_usage: str = "",
) -> Library:
    """Makes the files of a module.

    Args:
        name: NAME, the prefix of files and symbols.
        specs: The module's functions.
        types: The types of all its public functions.
        host_program: The text of its host program.
        object_file: The object of its compiled code; empty if it has none.
        target: Its target.
        origin: The compiler and the target, in a sentence.
        frozen: By function, the arrays that calls do not pass: arguments, and the results of the
            companion that packs them, if any. They become constants, as far as they are read. Such
            a function has no companions.
        samples: Arguments and results for a self test.
        stack_usage: LLVM's report of the stack of compiled code.

    Raises:
        InvalidArgumentError: A name is not valid in C, or two things would have the same name.
        UnsupportedError: The host program is not a list of calls of compiled code.
    """
    memory = ARCHITECTURES[target.architecture].memory
    functions, data = read_functions(specs, types, host_program, frozen, memory)
    constants = {f"{name}_constant_{k}": each for k, each in enumerate(data)}
    known = ObjectFile(object_file) if object_file else ObjectFile.empty(target.architecture)
    _check_calls(functions, known.kernels)
    frames = frames_of(stack_usage)
    functions = [replace(each, stack=stack_size(each, frames)) for each in functions]
    used = {
        step.kernel
        for function in functions
        for step in steps_in(function.schedule.steps)
        if isinstance(step, Dispatch)
    }
    kernels = _symbols(name, [kernel for kernel in known.kernels if kernel in used])
    mathematics = {each: f"{name}_{each}" for each in known.calls(kernels) if each in DEFINED}
    _check_names(name, functions, [*kernels.values(), *constants, *mathematics.values()])
    compared = tested(specs, functions, samples.cases) if samples else []
    messages = Messages(
        functions, target.features, [each.function for each in compared], memory.alignment
    )
    check = cpu_check(target.architecture, target.features)
    needed = f"{'an' if target.architecture[0] in 'ax' else 'a'} {target.architecture} processor"
    if target.features:
        needed += f" with {', '.join(target.features)}"
    made = known.with_only(kernels, constants, memory.alignment, mathematics)
    flash = Elf.read(made).loaded_size
    return Library(
        print_header(name, functions, origin, needed, flash, samples and samples.computed_by),
        print_source(
            *(name, functions, kernels, [*constants], messages, check, origin, [*mathematics])
        ),
        made,
        tuple(functions),
        flash,
        print_selftest(name, compared, samples, messages, origin) if samples else "",
    )


def read_functions(
    specs: Sequence[FunctionSpec],
    types: Mapping[str, Types],
    host_program: str,
    frozen: Mapping[str, Mapping[str, npt.NDArray[Any]]],
    memory: Memory,
) -> tuple[list[Function], list[bytes]]:
    """The functions of a module and the constants that they read.

    Args:
        specs: As for `make_library`, like the rest.
        types: The same.
        host_program: The same.
        frozen: The same.
        memory: The target's memory.
    """
    types = with_open_sizes(types, specs)
    sizes = {function: sizes_of(found) for function, found in types.items()}
    program = read_host_program(host_program, sizes, scalar_ranges(specs), memory)
    functions = [
        replace(each, alignment=memory.alignment)
        for each in functions_of(specs, types, program.schedules)
    ]
    return _with_frozen(specs, functions, frozen, program.constants)


def _with_frozen(
    specs: Sequence[FunctionSpec],
    functions: Sequence[Function],
    frozen: Mapping[str, Mapping[str, npt.NDArray[Any]]],
    constants: Sequence[bytes],
) -> tuple[list[Function], list[bytes]]:
    """Functions without their frozen arguments, and all constants.

    A function whose companion takes packed weights gets the companion's schedule.
    """
    made: list[Function] = []
    data = [*constants]
    known = {function.name: function for function in functions}
    specs = [spec for spec in specs if spec.function in frozen]
    without = {companion for spec in specs for companion in (spec.prepack, spec.prepacked)}
    packed = {spec.function: known[spec.prepacked] for spec in specs if spec.prepacked in known}
    for function in functions:
        if function.name in without:
            continue
        values = frozen.get(function.name, {})
        does = packed.get(function.name, function)
        numbers: dict[int, int] = {}
        for k, member in enumerate(does.arguments):
            if member.name not in values:
                continue
            numbers[k] = _UNREAD
            if does.schedule.reads(k):
                content = values[member.name].tobytes()
                if content not in data:  # functions may have weights in common
                    data.append(content)
                numbers[k] = data.index(content)
        left = tuple(member for k, member in enumerate(does.arguments) if k not in numbers)
        schedule = does.schedule.with_constants(numbers)
        made.append(replace(function, arguments=left, schedule=schedule))
    return made, data


def _check_calls(functions: Sequence[Function], kernels: Mapping[str, Kernel]) -> None:
    """Checks that calls match the parameters of the compiled code."""
    for function in functions:
        for step in steps_in(function.schedule.steps):
            if not isinstance(step, Dispatch):
                continue
            kernel = kernels.get(step.kernel)
            given = len(step.constants), len(step.buffers)
            if kernel is None or given != (kernel.constants, kernel.buffers):
                raise UnsupportedError(
                    f"compile_c: {function.name}: its object does not have the code "
                    f"{step.kernel} as its host program calls it"
                )


def _symbols(name: str, kernels: Sequence[str]) -> dict[str, str]:
    """The symbol of each kernel: its name after the module's."""
    found: dict[str, str] = {}
    for kernel in kernels:
        symbol = f"{name}_{re.sub(r'[^A-Za-z0-9_]', '_', kernel)}"
        if symbol in found.values():
            symbol += f"_{len(found)}"
        found[kernel] = symbol
    return found


def _check_names(name: str, functions: Sequence[Function], symbols: Sequence[str]) -> None:
    """Checks that all names in the files are unique.

    Raises:
        InvalidArgumentError: A name is not; the message names it.
    """
    names = [*{*INTERNAL, *TEST_INTERNAL}, *_LIBRARY_NAMES, *symbols]
    names += [each.name for each in functions if _NUMBERED.fullmatch(each.name)]
    names += [f"{name}_{end}" for end in ("error", "run", "selftest")]
    macros = [f"{name.upper()}_H", f"{name.upper()}_ALIGNMENT"]
    for function in functions:
        check_identifier(function.name, "function")
        names += [function.name, f"{function.name}_parallel"]
        macros.append(function.stack_macro)
        if function.sizes:
            names += [f"{function.name}_{end}" for end in ("bytes", "measure")]
        else:
            macros.append(function.macro)
        for member in (*function.arguments, *function.results):
            check_identifier(member.name, member.name)
    for each in (names, macros):
        twice = sorted({one for one in each if each.count(one) > 1})
        if twice:
            expected = "a name with which every name in C stands for one thing"
            remedy = f"{twice[0]} would stand for two"
            raise InvalidArgumentError("compile_c", "name", expected, repr(name), remedy)
