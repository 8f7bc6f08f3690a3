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
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.c.interface import CFunction
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.executable_library import ATTRIBUTES, TABLE_SUFFIX, VERSION, Word
from rnn_compiler.schema.schedule import ALIGNMENT, Dispatch, steps_in

# Reads and writes relocatable object files in the ELF format.
#
# They are little-endian, of 64 or 32 bits, with relocations that contain their addend (RELA) or
# have it in the place that they change (REL); see the System V ABI, chapters 4 and 5
# (https://www.sco.com/developers/gabi/).

OBJECT, FUNCTION, GLOBAL, HIDDEN = 1, 2, 1, 2
"""Bindings and types of symbols."""

UNDEFINED, RESERVED = 0, 0xFF00
"""Section numbers that stand for no section: the first number, and those from the second on."""

PROGRAM_BITS, ALLOCATED = 1, 2

_RELOCATABLE = 1
_SYMTAB, _STRTAB, _RELA, _NOBITS, _REL = 2, 3, 4, 8, 9
_GROUP_MEMBER, _INFO_LINK = 0x200, 0x40

_LARGEST_ALIGNMENT = 1 << 16
"""The maximum alignment of a section: the largest page size."""


class _Layout(NamedTuple):
    """The layout of files of one class.

    Attributes:
        word: Bytes of an address.
        header: The head of the file.
        section: A row of the table of sections.
        symbol: A symbol.
        relocation: A relocation without its addend, which is one more word.
        shift: The position of the symbol's number in a relocation.
    """

    word: int
    header: struct.Struct
    section: struct.Struct
    symbol: struct.Struct
    relocation: struct.Struct
    shift: int

    @property
    def with_addend(self) -> struct.Struct:
        """A relocation that contains its addend."""
        return struct.Struct(self.relocation.format + ("q" if self.word == 8 else "i"))


LAYOUTS = {
    2: _Layout(
        word=8,
        header=struct.Struct("<16sHHIQQQIHHHHHH"),
        section=struct.Struct("<IIQQQQIIQQ"),
        symbol=struct.Struct("<IBBHQQ"),
        relocation=struct.Struct("<QQ"),
        shift=32,
    ),
    1: _Layout(
        word=4,
        header=struct.Struct("<16sHHIIIIIHHHHHH"),
        section=struct.Struct("<IIIIIIIIII"),
        symbol=struct.Struct("<IIIBBH"),
        relocation=struct.Struct("<II"),
        shift=8,
    ),
}
"""The layouts, by the byte of a file with its class."""


class Relocation(NamedTuple):
    """A place that a linker changes.

    Attributes:
        addend: Its addend; None if that is in the place itself.
    """

    offset: int
    type: int
    symbol: int
    addend: int | None


@dataclass(frozen=True)
class Section:
    """A section."""

    name: str
    type: int
    flags: int
    align: int
    entry_size: int
    size: int
    data: bytes
    relocations: tuple[Relocation, ...] = ()


@dataclass(frozen=True)
class Symbol:
    """A symbol; `section` is the number of its section, or none."""

    name: str
    info: int
    other: int
    section: int
    value: int
    size: int


@dataclass(frozen=True)
class Elf:
    """An object file.

    Attributes:
        ident: Its first 16 bytes.
        sections: Its sections without the tables.
        symbols: The symbols; the first is the null symbol.
    """

    ident: bytes
    machine: int
    flags: int
    sections: Sequence[Section]
    symbols: Sequence[Symbol]

    @property
    def word(self) -> int:
        """Bytes of an address."""
        return self._layout.word

    @property
    def _layout(self) -> _Layout:
        return LAYOUTS[self.ident[4]]

    @classmethod
    def read(cls, data: bytes) -> Elf:
        """Reads a file.

        Raises ValueError for another kind, struct.error if it is too short, LookupError for numbers
        out of range.
        """
        if data[:4] != b"\x7fELF" or data[4] not in LAYOUTS or data[5] != 1:
            raise ValueError("not an ELF, little-endian")
        layout = LAYOUTS[data[4]]
        ident, kind, *numbers = layout.header.unpack_from(data)
        fields: list[int] = numbers
        machine, offset, flags = fields[0], fields[4], fields[5]
        size, count, names = fields[9:]
        if kind != _RELOCATABLE or size != layout.section.size:
            raise ValueError("not an object before it is linked")
        rows: list[tuple[int, ...]] = [
            layout.section.unpack_from(data, offset + k * size) for k in range(count)
        ]
        parts = [b"" if row[1] == _NOBITS else data[row[4] : row[4] + row[5]] for row in rows]
        sections = [
            Section(string_at(parts[names], row[0]), row[1], row[2], row[8], row[9], row[5], part)
            for row, part in zip(rows, parts, strict=True)
        ]
        (table,) = (k for k, row in enumerate(rows) if row[1] == _SYMTAB)
        symbols = _symbols(layout, parts[table], parts[rows[table][6]])
        for row, part in zip(rows, parts, strict=True):
            if row[1] in (_RELA, _REL):
                found = tuple(_relocations(layout, part, has_addend=row[1] == _RELA))
                sections[row[7]] = replace(sections[row[7]], relocations=found)
        return cls(ident, machine, flags, sections, symbols)

    @property
    def loaded_size(self) -> int:
        """The bytes of all sections that are loaded into memory."""
        return sum(each.size for each in self.sections if each.flags & ALLOCATED)

    def written(
        self, sections: Sequence[int], symbols: Sequence[Symbol], order: Mapping[int, int]
    ) -> bytes:
        """The bytes of a file with some sections and other symbols, local ones before the others.

        `order` has the new number of each symbol that the sections' relocations refer to. Raises
        ValueError if a section cannot be written.
        """
        layout = self._layout
        local = 1 + sum(each.info >> 4 != GLOBAL for each in symbols)
        moved = {number: k for k, number in enumerate(sections, 1)}
        related = [number for number in sections if self.sections[number].relocations]
        table = 1 + len(sections) + len(related)
        strings, names = _Strings(), _Strings()
        rows = [bytes(layout.symbol.size)]
        for each in symbols:
            position = moved.get(each.section, each.section)
            rows.append(_symbol(layout, strings.add(each.name), each, position))
        parts: list[tuple[str, int, int, int, int, int, int, int, bytes]] = []
        for number in sections:
            each = self.sections[number]
            flags = each.flags & ~_GROUP_MEMBER
            facts = (each.type, flags, 0, 0, each.align, each.entry_size, each.size, each.data)
            parts.append((each.name, *facts))
        for number in related:
            each = self.sections[number]
            kind, prefix = (_REL, ".rel")
            if each.relocations[0].addend is not None:
                kind, prefix = (_RELA, ".rela")
            data, size = _related(layout, each.relocations, order)
            facts = (kind, _INFO_LINK, table, moved[number], layout.word, size, len(data), data)
            parts.append((f"{prefix}{each.name}", *facts))
        data, word = b"".join(rows), layout.word
        facts = (_SYMTAB, 0, table + 1, local, word, layout.symbol.size, len(data), data)
        parts.append((".symtab", *facts))
        parts.append((".strtab", _STRTAB, 0, 0, 0, 1, 0, len(strings.data), strings.data))
        for name in (*(part[0] for part in parts), ".shstrtab"):
            names.add(name)
        parts.append((".shstrtab", _STRTAB, 0, 0, 0, 1, 0, len(names.data), names.data))
        out = bytearray(layout.header.size)
        headers = [bytes(layout.section.size)]
        for name, kind, flags, link, info, align, entry_size, size, data in parts:
            if align > _LARGEST_ALIGNMENT:
                raise ValueError(f"{name} aligned to {align} bytes")
            out += bytes(-len(out) % max(align, 1))
            facts = (kind, flags, 0, len(out), size, link, info, align, entry_size)
            headers.append(layout.section.pack(names.add(name), *facts))
            out += data
        out += bytes(-len(out) % 8)
        counts = (layout.header.size, 0, 0, layout.section.size, len(headers), len(headers) - 1)
        out[: layout.header.size] = layout.header.pack(
            self.ident, _RELOCATABLE, self.machine, 1, 0, 0, len(out), self.flags, *counts
        )
        return bytes(out) + b"".join(headers)


def _symbols(layout: _Layout, table: bytes, strings: bytes) -> list[Symbol]:
    found: list[Symbol] = []
    for row in layout.symbol.iter_unpack(table):
        if layout.word == 8:
            name, info, other, section, value, size = row
        else:
            name, value, size, info, other, section = row
        found.append(Symbol(string_at(strings, name), info, other, section, value, size))
    return found


def _symbol(layout: _Layout, name: int, symbol: Symbol, section: int) -> bytes:
    kind, position = (symbol.info, symbol.other, section), (symbol.value, symbol.size)
    facts = (*kind, *position) if layout.word == 8 else (*position, *kind)
    return layout.symbol.pack(name, *facts)


def _relocations(layout: _Layout, data: bytes, *, has_addend: bool) -> Iterable[Relocation]:
    form = layout.with_addend if has_addend else layout.relocation
    for offset, info, *addend in form.iter_unpack(data):
        kind, symbol = info & ((1 << layout.shift) - 1), info >> layout.shift
        yield Relocation(offset, kind, symbol, addend[0] if addend else None)


def _related(
    layout: _Layout, relocations: Sequence[Relocation], order: Mapping[int, int]
) -> tuple[bytes, int]:
    """The bytes of a section's relocations, and the size of each."""
    has_addend = relocations[0].addend is not None
    form = layout.with_addend if has_addend else layout.relocation
    rows = [
        form.pack(
            each.offset,
            order.get(each.symbol, 0) << layout.shift | each.type,
            *([each.addend] if has_addend else []),
        )
        for each in relocations
    ]
    return b"".join(rows), form.size


class _Strings:
    """A table of strings."""

    def __init__(self) -> None:
        self.data = b"\0"
        self._offsets: dict[str, int] = {"": 0}

    def add(self, text: str) -> int:
        """The offset of a string, which is added if it is new."""
        if text not in self._offsets:
            self._offsets[text] = len(self.data)
            self.data += text.encode() + b"\0"
        return self._offsets[text]


def string_at(table: bytes, offset: int) -> str:
    """The string at an offset of a table of strings."""
    return table[offset : table.index(b"\0", offset)].decode()


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


# The stack usage of functions in C: LLVM's report of the compiled code, and our own frames.
#
# LLVM writes a line per function, as GCC's ``-fstack-usage`` does: file, line and name, bytes,
# and whether the size is static, separated by tabs.

_UNKNOWN = 48 << 10
"""The assumed frame of unreported code: arrays have at most 32 KiB, and registers are spilled."""

_OWN = {4: 768, 8: 1536}
"""The frames of the C functions without arrays of pointers, compiled without optimization, by the
bytes of an address."""

_CALL = 256
"""Alignment of a frame, and the frames of the mathematical functions called by compiled code."""

_ROW, _POINTER = 32, 8


def frames_of(usage: str) -> dict[str, int]:
    """The bytes of each function's frame, by its symbol.

    Example:
        >>> frames_of(chr(9).join(("-:1:loop", "536", "static")))
        {'loop': 536}
    """
    rows = [line.split("\t") for line in usage.splitlines()]
    return {
        row[0].rpartition(":")[2]: int(row[1])
        for row in rows
        if len(row) == 3 and row[1].isdigit() and row[2] == "static"
    }


def stack_size(function: CFunction, frames: Mapping[str, int], pointer: int) -> int:
    """The maximum bytes of stack of a call, for any options of the C compiler."""
    calls = [step for step in steps_in(function.schedule.steps) if isinstance(step, Dispatch)]
    code = max((frames.get(step.kernel, _UNKNOWN) + _CALL for step in calls), default=0)
    rows = _ROW * (len(function.arrays) + len(function.sizes) + 1)
    numbers = len(function.schedule.formulas)
    for step in calls:
        numbers += 2 * len(step.buffers) + len(step.constants) + len(step.workgroups)
    return -(-(code + rows + _POINTER * numbers + _OWN[pointer]) // 64) * 64
