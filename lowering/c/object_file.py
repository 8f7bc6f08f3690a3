"""Object files: finds the compiled code in one, and makes an object with nothing else.

The compiler's object holds an executable library (`schema.executable_library`), a whole math
library and debug information. Programs in C call the code directly, so the tables of the executable
library are read and checked here. Only the code goes into the new object, with everything it refers
to, as global symbols with the module's prefix, so that any number of such objects link into one
program. The symbols are hidden, so that shared libraries do not export them. Constants are in the
object too: as source they would be two and a half times as large, and take C compilers minutes.
"""

from __future__ import annotations

import contextlib
import re
import struct
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.c.elf import (
    ALLOCATED,
    FUNCTION,
    GLOBAL,
    HIDDEN,
    OBJECT,
    PROGRAM_BITS,
    RESERVED,
    UNDEFINED,
    Elf,
    Section,
    Symbol,
    string_at,
)
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.executable_library import ATTRIBUTES, TABLE_SUFFIX, VERSION, Word
from rnn_compiler.schema.schedule import ALIGNMENT

_KEPT_NAMES = (".note.GNU-stack", ".note.gnu.property", ".riscv.attributes", ".ARM.attributes")
"""Sections that linkers read although nothing refers to them."""

_COMPILERS_OWN = re.compile(
    r"__aeabi_\w+|memcpy|memmove|memset|"
    r"__(add|sub|mul|div|mod|udiv|umod|neg|u?cmp|ashl|ashr|lshr|fix|fixuns|float|floatun|extend|"
    r"trunc|eq|ne|lt|le|gt|ge|unord|clz|ctz|popcount)([sdth][if]){1,2}[234]?"
)
"""Functions that every C compiler provides, in libc, libgcc or compiler-rt: copies, and operations
that a processor lacks, such as 64-bit arithmetic."""


@dataclass(frozen=True)
class CKernel:
    """Compiled code that a dispatch calls.

    Attributes:
        symbol: The number of its symbol.
    """

    name: str
    symbol: int
    constants: int
    buffers: int


class ObjectFile:
    """An object of IREE's compiler; UnsupportedError if its format is unknown."""

    def __init__(self, data: bytes) -> None:
        with _understood():
            self._elf = Elf.read(data)
            self.kernels = {kernel.name: kernel for kernel in self._kernels()}

    @classmethod
    def empty(cls, architecture: str) -> ObjectFile:
        """An object without code, for modules that only copy."""
        here = ARCHITECTURES.get(architecture)
        if here is None or here.elf is None:
            raise _unknown(f"the objects of {architecture} are not known")
        ident = bytes([0x7F, *b"ELF", here.pointer // 4, 1, 1]).ljust(16, b"\0")
        sections = [
            Section("", 0, 0, 0, 0, 0, b""),
            Section(_KEPT_NAMES[0], 1, 0, 1, 0, 0, b""),
        ]
        made = cls.__new__(cls)
        made._elf = Elf(ident, *here.elf, sections, [])
        made.kernels = {}
        return made

    def _kernels(self) -> list[CKernel]:
        """The code that the library exports."""
        (library,) = (symbol for symbol in self._elf.symbols if symbol.name.endswith(TABLE_SUFFIX))
        section, start = library.section, library.value
        word = self._elf.word
        version = self._number("<I", *self._follow(section, start + word * Word.HEADER))
        if version != VERSION:
            raise _unknown(
                f"its code is an executable library of version 0.{version}, not 0.{VERSION}"
            )
        imports, constants, count = (
            self._number("<I", section, start + word * k)
            for k in (Word.IMPORT_COUNT, Word.CONSTANT_COUNT, Word.EXPORT_COUNT)
        )
        if imports or constants:
            raise _unknown("its code imports functions, or takes constants at load time")
        code, attributes, names = (
            self._follow(section, start + word * k)
            for k in (Word.CODE, Word.ATTRIBUTES, Word.NAMES)
        )
        kernels: list[CKernel] = []
        for k in range(count):
            location, offset = self._follow(names[0], names[1] + word * k)
            name = string_at(self._elf.sections[location].data, offset)
            row = ATTRIBUTES.unpack_from(
                self._elf.sections[attributes[0]].data, attributes[1] + k * ATTRIBUTES.size
            )
            flags, pages, constants, buffers, *_ = row
            if flags or pages:
                raise _unknown(f"{name} needs memory of its own, or an order of its workgroups")
            symbol = self._function_at(*self._follow(code[0], code[1] + word * k))
            kernels.append(CKernel(name, symbol, constants, buffers))
        return kernels

    def _number(self, form: str, section: int, offset: int) -> int:
        """A number in a section."""
        return struct.unpack_from(form, self._elf.sections[section].data, offset)[0]

    def _follow(self, section: int, offset: int) -> tuple[int, int]:
        """The target of a pointer in a section: a section and an offset."""
        for each in self._elf.sections[section].relocations:
            if each.offset == offset:
                symbol, addend = self._elf.symbols[each.symbol], each.addend
                if addend is None:
                    addend = self._number("<i" if self._elf.word == 4 else "<q", section, offset)
                return symbol.section, symbol.value + addend
        raise ValueError(f"no pointer at {offset} of {self._elf.sections[section].name}")

    def _function_at(self, section: int, value: int) -> int:
        """The number of the function that begins at an offset."""
        for number, symbol in enumerate(self._elf.symbols):
            if (symbol.section, symbol.value) == (section, value) and symbol.info & 15 == FUNCTION:
                return number
        raise ValueError(f"no function at {value} of {self._elf.sections[section].name}")

    def calls(self, kernels: Iterable[str]) -> list[str]:
        """The names of the functions that some code calls and the object does not have."""
        with _understood():
            _, used = _reached(self._elf, [self.kernels[name].symbol for name in kernels])
            symbols = [self._elf.symbols[number] for number in used]
            return sorted(each.name or "?" for each in symbols if each.section == UNDEFINED)

    def with_only(
        self,
        kernels: Mapping[str, str],
        constants: Mapping[str, bytes] = MappingProxyType({}),
        alignment: int = ALIGNMENT,
        functions: Mapping[str, str] = MappingProxyType({}),
    ) -> bytes:
        """An object with some kernels under new global symbols, all they refer to, and constants.

        `functions` are the symbols, in another object, of functions that the code calls. Raises
        UnsupportedError if the code refers to something that is not in the object.
        """
        with _understood():
            known = len(self._elf.symbols)
            entries = {self.kernels[name].symbol: symbol for name, symbol in kernels.items()}
            entries |= {known + k: symbol for k, symbol in enumerate(constants)}
            elf = _with_constants(self._elf, constants, alignment)
            return _with_only(elf, entries, functions)


def _with_constants(elf: Elf, constants: Mapping[str, bytes], alignment: int) -> Elf:
    """The same object with a section of constants, whose symbols come last."""
    content, symbols = bytearray(), list[Symbol]()
    for name, data in constants.items():
        content += bytes(-len(content) % alignment)
        location = len(elf.sections), len(content), len(data)
        symbols.append(Symbol(name, OBJECT, 0, *location))
        content += data
    facts = (PROGRAM_BITS, ALLOCATED, alignment, 0, len(content), bytes(content))
    sections = [*elf.sections, Section(".rodata.constants", *facts)]
    return replace(elf, sections=sections, symbols=[*elf.symbols, *symbols])


def _with_only(elf: Elf, entries: Mapping[int, str], functions: Mapping[str, str]) -> bytes:
    """An object with the code reachable from some symbols, under other names."""
    sections, used = _reached(elf, entries)
    others = [n for n in sorted(used) if elf.symbols[n].section == UNDEFINED]
    missing = sorted({elf.symbols[number].name or "?" for number in others})
    missing = [n for n in missing if n not in functions and not _COMPILERS_OWN.fullmatch(n)]
    if missing:
        raise _unknown(
            f"its code calls {', '.join(missing)}, which no object of a whole program may need "
            "beside libc"
        )
    local = [
        number
        for number, symbol in enumerate(elf.symbols)
        if number not in entries
        and symbol.section != UNDEFINED
        and (
            number in used
            or (
                symbol.section in sections
                and (symbol.info & 15 == FUNCTION or symbol.name.startswith("$"))
            )
        )
    ]
    symbols = [replace(each, info=each.info & 15) for each in (elf.symbols[n] for n in local)]
    symbols += [
        replace(each, name=functions.get(each.name, each.name), info=GLOBAL << 4)
        for each in (elf.symbols[n] for n in others)
    ]
    symbols += [
        replace(each, name=name, info=GLOBAL << 4 | each.info & 15, other=HIDDEN)
        for number, name in entries.items()
        for each in [elf.symbols[number]]
    ]
    order = {number: k for k, number in enumerate((*local, *others, *entries), 1)}
    return elf.written(sections, symbols, order)


def _reached(elf: Elf, entries: Iterable[int]) -> tuple[list[int], set[int]]:
    """The sections reachable from some symbols, and all symbols on the way."""
    used: set[int] = set()
    sections = {k for k, each in enumerate(elf.sections) if each.name in _KEPT_NAMES}
    waiting = [*entries]
    while waiting:
        number = waiting.pop()
        if number in used:
            continue
        used.add(number)
        section = elf.symbols[number].section
        if not UNDEFINED < section < RESERVED or section in sections:
            continue
        sections.add(section)
        waiting += [each.symbol for each in elf.sections[section].relocations]
    return sorted(sections), used - {0}


@contextlib.contextmanager
def _understood() -> Generator[None]:
    """Reports numbers out of range as an object that is not understood."""
    try:
        yield
    except (struct.error, IndexError, KeyError, ValueError, OverflowError) as error:
        raise _unknown(f"its object file is not understood ({error!r})") from error


def _unknown(reason: str) -> UnsupportedError:
    return UnsupportedError(f"compile_c: {reason}")
