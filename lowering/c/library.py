"""A module as C: header, source and object, made of the compiler's output."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.lowering.c.cpu_check import GLIBC_INDICES, cpu_check
from rnn_compiler.lowering.c.elf import Elf
from rnn_compiler.lowering.c.header import print_header
from rnn_compiler.lowering.c.interface import CFunction, functions_of
from rnn_compiler.lowering.c.messages import Messages
from rnn_compiler.lowering.c.object_file import CKernel, ObjectFile
from rnn_compiler.lowering.c.selftest import INTERNAL as TEST_INTERNAL
from rnn_compiler.lowering.c.selftest import Samples, print_selftest, tested
from rnn_compiler.lowering.c.source import print_source
from rnn_compiler.lowering.c.stack import frames_of, stack_size
from rnn_compiler.lowering.c.state import declared, defined
from rnn_compiler.lowering.c.templates import DEFINED, INTERNAL
from rnn_compiler.lowering.host.functions import HostFunction
from rnn_compiler.lowering.host.states import stored
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.identifiers import check_identifier
from rnn_compiler.schema.manifest import TargetSpec
from rnn_compiler.schema.schedule import Dispatch, steps_in

_LIBRARY_NAMES = (
    *("DBL_MAX", "fma", "fprintf", "free", "getauxval", "malloc", "memcmp", "memcpy", "memmove"),
    *("memset", "printf", "puts", *GLIBC_INDICES.values()),
)

_NUMBERED = re.compile(r"(call|sample)_\d+")
"""The names of data, and of calls of a self test."""


@dataclass(frozen=True)
class Library:
    """The files of a module in C, and its functions.

    Attributes:
        header: The text of ``NAME.h``.
        source: The text of ``NAME.c``.
        object: The bytes of ``NAME.o``.
        flash: Bytes of code and constants in the object.
        selftest: The text of ``NAME_selftest.c``; empty without samples.
    """

    header: str
    source: str
    object: bytes
    functions: tuple[CFunction, ...]
    flash: int
    selftest: str = ""


def make_library(
    name: str,
    read: Sequence[HostFunction],
    data: Sequence[bytes],
    object_file: bytes,
    target: TargetSpec,
    origin: str,
    samples: Samples | None = None,
    stack_usage: str = "",
    initial: Mapping[str, bytes] = MappingProxyType({}),
) -> Library:
    """Makes the files of a module; `initial` are first values of its states, by name.

    InvalidArgumentError: a name is not valid in C, or two things would have the same name.
    UnsupportedError: the object is not understood, or not what the functions call.
    """
    architecture = ARCHITECTURES[target.architecture]
    alignment = architecture.memory.alignment
    constants = {f"{name}_constant_{k}": each for k, each in enumerate(data)}
    numbers = stored(initial, data)
    symbols = {state: "" if k is None else f"{name}_constant_{k}" for state, k in numbers.items()}
    functions = functions_of(name, read, alignment, symbols)
    state = next((each.state for each in functions if each.state), None)
    known = ObjectFile(object_file) if object_file else ObjectFile.empty(target.architecture)
    _check_calls(functions, known.kernels)
    frames = frames_of(stack_usage)
    functions = [
        replace(each, stack=stack_size(each, frames, architecture.pointer)) for each in functions
    ]
    used = {
        step.kernel
        for function in functions
        for step in steps_in(function.schedule.steps)
        if isinstance(step, Dispatch)
    }
    kernels = _symbols(name, [kernel for kernel in known.kernels if kernel in used])
    mathematics = {each: f"{name}_{each}" for each in known.calls(kernels) if each in DEFINED}
    _check_names(name, functions, [*kernels.values(), *constants, *mathematics.values()])
    compared = tested(functions, samples.cases) if samples else []
    messages = Messages(functions, target.features, [each.function for each in compared], alignment)
    check = cpu_check(target.architecture, target.features)
    needed = f"{'an' if target.architecture[0] in 'ax' else 'a'} {target.architecture} processor"
    if target.features:
        needed += f" with {', '.join(target.features)}"
    if ARCHITECTURES[target.architecture].asks(target.features):
        needed += ", Linux, which it asks for AMX and does without if that is refused"
    first = {symbol: initial[state] for state, symbol in symbols.items() if symbol}
    made = known.with_only(kernels, {**constants, **first}, alignment, mathematics)
    flash = Elf.read(made).loaded_size
    return Library(
        print_header(
            *(name, functions, origin, needed, flash),
            declared(state) if state else [],
            samples and samples.computed_by,
        ),
        print_source(
            *(name, functions, kernels, [*constants], messages, check, origin),
            defined(state, [*first]) if state else [],
            [*mathematics],
        ),
        made,
        tuple(functions),
        flash,
        print_selftest(name, compared, samples, messages, origin) if samples else "",
    )


def _check_calls(functions: Sequence[CFunction], kernels: Mapping[str, CKernel]) -> None:
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


def _check_names(name: str, functions: Sequence[CFunction], symbols: Sequence[str]) -> None:
    """Checks that all names in the files are unique."""
    names = [*{*INTERNAL, *TEST_INTERNAL}, *_LIBRARY_NAMES, *symbols]
    names += [each.name for each in functions if _NUMBERED.fullmatch(each.name)]
    names += [f"{name}_{end}" for end in ("error", "run", "selftest")]
    macros = [f"{name.upper()}_{end}" for end in ("H", "ALIGNMENT", "SELFTEST_MAIN")]
    for function in functions:
        check_identifier("compile_c", "function", function.name)
        names += [function.name, f"{function.name}_parallel"]
        macros.append(function.stack_macro)
        if function.sizes:
            names += [f"{function.name}_{end}" for end in ("bytes", "measure")]
        else:
            macros.append(function.macro)
        if function.state:
            state = function.state
            names += [each for each in (*state.functions, "hashed") if each not in names]
            macros += [state.macro] if state.macro not in macros else []
        for member in (*function.arguments, *function.results):
            remedy = "rename the argument or result in the module"
            check_identifier("compile_c", member.name, member.name, remedy)
    members = {
        member.name
        for function in functions
        for member in (*function.sizes, *function.arguments, *function.results)
    }
    for each in (names, [*macros, *(members | {*names}) & {*macros}]):
        twice = sorted({one for one in each if each.count(one) > 1})
        if twice:
            expected = "a name with which every name in C stands for one thing"
            remedy = f"{twice[0]} would stand for two"
            raise InvalidArgumentError("compile_c", "name", expected, repr(name), remedy)
