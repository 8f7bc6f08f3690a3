"""Object files: what compiled code is in one, and an object with nothing else.

The compiler's object holds an executable library, the form in which IREE's local runtime loads
code: one global query function that returns tables of pointers (IREE 3.13,
runtime/src/iree/hal/local/executable_library.h, version 0.6). It also holds a whole math library
and what debuggers read. Programs in C call the code directly, so the tables are read and checked
here and only the code goes into the new object, with all that it refers to, as global symbols with
a prefix of their own: any number of such objects link into one program. Hidden symbols, so that a
shared library that holds them does not export them. Constants lie beside the code: as source they
would be two and a half times as large, and take C compilers minutes.

ELF of 64 bits, little-endian, with RELA relocations, as on x86-64, AArch64 and RISC-V; see the
System V ABI, chapters 4 and 5 (https://www.sco.com/developers/gabi/).
"""

from __future__ import annotations

import contextlib
import copy
import struct
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.schema.schedule import ALIGNMENT

__all__ = ["Kernel", "ObjectFile"]

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")

_SYMTAB, _STRTAB, _RELA, _NOBITS = 2, 3, 4, 8
_GROUP_MEMBER = 0x200
_OBJECT, _FUNCTION, _GLOBAL, _HIDDEN = 1, 2, 1, 2
_PROGRAM_BITS, _ALLOCATED = 1, 2
_UNDEFINED, _RESERVED = 0, 0xFF00
_KEPT_NAMES = (".note.GNU-stack", ".note.gnu.property", ".riscv.attributes", ".ARM.attributes")
"""Sections that nothing refers to and linkers read."""

_MACHINES = {"x86_64": (62, 0), "aarch64": (183, 0), "riscv64": (243, 5)}
"""The number of each machine, and the flags of its usual ABI: on RISC-V, that of lp64d."""

_LARGEST_ALIGNMENT = 1 << 16
"""Of a section; a page, where pages are largest."""

_QUERY = "iree_hal_executable_library_query"
_VERSION = 6
_ATTRIBUTES = struct.Struct("<QHBBIIHH40x")
"""A row of what is known of an export: flags, pages of local memory, constants, buffers, sizes."""


@dataclass(frozen=True)
class Kernel:
    """Compiled code that a dispatch calls.

    Attributes:
        name: Its name.
        symbol: The number of its symbol.
        constants: How many constants it takes.
        buffers: How many buffers it takes.
    """

    name: str
    symbol: int
    constants: int
    buffers: int


@dataclass(frozen=True)
class _Section:
    name: str
    type: int
    flags: int
    align: int
    entry_size: int
    size: int
    data: bytes
    relocations: tuple[tuple[int, int, int, int], ...] = ()
    """Each an offset, a type, the number of a symbol, an addend."""


@dataclass(frozen=True)
class _Symbol:
    name: str
    info: int
    other: int
    section: int
    value: int
    size: int


class ObjectFile:
    """An object of IREE's compiler.

    Raises:
        UnsupportedError: It is not in the format that is known.
    """

    def __init__(self, data: bytes) -> None:
        with _understood():
            self._read(data)
            self.kernels = {kernel.name: kernel for kernel in self._kernels()}

    @classmethod
    def empty(cls, architecture: str) -> ObjectFile:
        """An object without code, for modules that only copy.

        Raises:
            UnsupportedError: The architecture is not known.
        """
        if architecture not in _MACHINES:
            raise _unknown(f"the objects of {architecture} are not known")
        made = cls.__new__(cls)
        made._ident = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
        made._machine, made._flags = _MACHINES[architecture]
        made._sections = [
            _Section("", 0, 0, 0, 0, 0, b""),
            _Section(_KEPT_NAMES[0], 1, 0, 1, 0, 0, b""),
        ]
        made._symbols = []
        made.kernels = {}
        return made

    def _read(self, data: bytes) -> None:
        if data[:6] != b"\x7fELF\x02\x01":
            raise _unknown("its object file is not an ELF of 64 bits, little-endian")
        self._ident: bytes
        self._ident, kind, *rest = _HEADER.unpack_from(data)
        numbers: list[int] = rest
        self._machine, offset, self._flags = numbers[0], numbers[4], numbers[5]
        size, count, names = numbers[9:]
        if kind != 1 or size != _SECTION.size:
            raise _unknown("its object file is not one before it is linked")
        rows: list[tuple[int, ...]] = [
            _SECTION.unpack_from(data, offset + k * size) for k in range(count)
        ]
        held = [b"" if row[1] == _NOBITS else data[row[4] : row[4] + row[5]] for row in rows]
        self._sections = [
            _Section(_string(held[names], row[0]), row[1], row[2], row[8], row[9], row[5], part)
            for row, part in zip(rows, held, strict=True)
        ]
        (table,) = (k for k, row in enumerate(rows) if row[1] == _SYMTAB)
        strings = held[rows[table][6]]
        self._symbols = [
            _Symbol(_string(strings, name), info, other, section, value, length)
            for name, info, other, section, value, length in _SYMBOL.iter_unpack(held[table])
        ]
        for row, part in zip(rows, held, strict=True):
            if row[1] == _RELA:
                relocations = tuple(
                    (place, info & 0xFFFFFFFF, info >> 32, addend)
                    for place, info, addend in _RELOCATION.iter_unpack(part)
                )
                target = self._sections[row[7]]
                self._sections[row[7]] = replace(target, relocations=relocations)

    def _kernels(self) -> list[Kernel]:
        """The code that the library exports."""
        named = {symbol.name: symbol for symbol in self._symbols}
        library = named[f"{_QUERY}_v0"]
        place = library.section, library.value
        version = self._number("<I", self._follow(*place))
        if version != _VERSION:
            raise _unknown(f"its code is an executable library of version 0.{version}, not 0.6")
        if self._number("<I", place, 8) or self._number("<I", place, 104):
            raise _unknown("its code imports functions, or takes constants at load time")
        count = self._number("<I", place, 24)
        code, attributes, names = (self._follow(place[0], place[1] + k) for k in (32, 40, 64))
        kernels: list[Kernel] = []
        for k in range(count):
            section, offset = self._follow(names[0], names[1] + 8 * k)
            name = _string(self._sections[section].data, offset)
            start = attributes[1] + k * _ATTRIBUTES.size
            row = _ATTRIBUTES.unpack_from(self._sections[attributes[0]].data, start)
            flags, pages, constants, buffers, *_ = row
            if flags or pages:
                raise _unknown(f"{name} needs memory of its own, or an order of its workgroups")
            symbol = self._function_at(*self._follow(code[0], code[1] + 8 * k))
            kernels.append(Kernel(name, symbol, constants, buffers))
        return kernels

    def _number(self, form: str, place: tuple[int, int], offset: int = 0) -> int:
        """A number in a section."""
        section, start = place
        return struct.unpack_from(form, self._sections[section].data, start + offset)[0]

    def _follow(self, section: int, offset: int) -> tuple[int, int]:
        """Where a pointer in a section leads: another, and the offset in it."""
        for place, _, number, addend in self._sections[section].relocations:
            if place == offset:
                symbol = self._symbols[number]
                return symbol.section, symbol.value + addend
        raise ValueError(f"no pointer at {offset} of {self._sections[section].name}")

    def _function_at(self, section: int, value: int) -> int:
        """The number of the function that begins somewhere."""
        for number, symbol in enumerate(self._symbols):
            if (symbol.section, symbol.value) == (section, value) and symbol.info & 15 == _FUNCTION:
                return number
        raise ValueError(f"no function at {value} of {self._sections[section].name}")

    def with_only(
        self, kernels: Mapping[str, str], constants: Mapping[str, bytes] = MappingProxyType({})
    ) -> bytes:
        """An object with some of the code alone, and what that refers to, and with constants.

        Args:
            kernels: The names of the code, each with that of its new, global symbol.
            constants: Bytes, by such symbols.

        Raises:
            UnsupportedError: The code refers to something that is not in the object.
        """
        with _understood():
            entries = {self.kernels[name].symbol: symbol for name, symbol in kernels.items()}
            entries |= {len(self._symbols) + k: symbol for k, symbol in enumerate(constants)}
            return self._with_constants(constants)._with_only(entries)

    def _with_constants(self, constants: Mapping[str, bytes]) -> ObjectFile:
        """The same with a section of constants, and their symbols after all others."""
        made = copy.copy(self)
        content, symbols = bytearray(), list[_Symbol]()
        for name, data in constants.items():
            content += bytes(-len(content) % ALIGNMENT)
            place = len(self._sections), len(content), len(data)
            symbols.append(_Symbol(name, _OBJECT, 0, *place))
            content += data
        facts = (_PROGRAM_BITS, _ALLOCATED, ALIGNMENT, 0, len(content), bytes(content))
        made._sections = [*self._sections, _Section(".rodata.constants", *facts)]
        made._symbols = [*self._symbols, *symbols]
        return made

    def _with_only(self, entries: Mapping[int, str]) -> bytes:
        """An object with the code that some symbols lead to, under other names."""
        sections, used = self._reached(entries)
        missing = sorted(
            self._symbols[number].name or "?"
            for number in used
            if number and self._symbols[number].section == _UNDEFINED
        )
        if missing:
            raise _unknown(
                f"its code calls {', '.join(missing)}, which no object of a whole program may need "
                "beside libc"
            )
        kept = [
            number
            for number, symbol in enumerate(self._symbols)
            if number in used
            or (
                symbol.section in sections
                and (symbol.info & 15 == _FUNCTION or symbol.name.startswith("$"))
            )
        ]
        local = [number for number in kept if number not in entries]
        symbols = [
            replace(self._symbols[number], info=self._symbols[number].info & 15) for number in local
        ] + [
            replace(self._symbols[number], name=name, info=info, other=_HIDDEN)
            for number, name in entries.items()
            for info in [_GLOBAL << 4 | self._symbols[number].info & 15]
        ]
        order = {number: k for k, number in enumerate((*local, *entries), 1)}
        return self._write(sections, symbols, order, 1 + len(local))

    def _reached(self, entries: Mapping[int, str]) -> tuple[list[int], set[int]]:
        """The sections that some symbols lead to, and all symbols on the way."""
        used: set[int] = set()
        sections = {k for k, each in enumerate(self._sections) if each.name in _KEPT_NAMES}
        waiting = [*entries]
        while waiting:
            number = waiting.pop()
            if number in used:
                continue
            used.add(number)
            section = self._symbols[number].section
            if not _UNDEFINED < section < _RESERVED or section in sections:
                continue
            sections.add(section)
            waiting += [symbol for _, _, symbol, _ in self._sections[section].relocations]
        return sorted(sections), used - {0}

    def _write(
        self, sections: list[int], symbols: list[_Symbol], order: Mapping[int, int], local: int
    ) -> bytes:
        """An object of some sections and symbols, of which the first `local` are local."""
        moved = {number: k for k, number in enumerate(sections, 1)}
        related = [number for number in sections if self._sections[number].relocations]
        table = 1 + len(sections) + len(related)
        strings, names = _Strings(), _Strings()
        rows = [_SYMBOL.pack(0, 0, 0, 0, 0, 0)]
        for each in symbols:
            name = strings.add(each.name)
            place = moved.get(each.section, each.section)
            rows.append(_SYMBOL.pack(name, each.info, each.other, place, each.value, each.size))
        parts: list[tuple[str, int, int, int, int, int, int, int, bytes]] = []
        for number in sections:
            each = self._sections[number]
            flags = each.flags & ~_GROUP_MEMBER
            facts = (each.type, flags, 0, 0, each.align, each.entry_size, each.size, each.data)
            parts.append((each.name, *facts))
        for number in related:
            each = self._sections[number]
            data = b"".join(
                _RELOCATION.pack(place, order.get(symbol, 0) << 32 | kind, addend)
                for place, kind, symbol, addend in each.relocations
            )
            facts = (_RELA, 0x40, table, moved[number], 8, _RELOCATION.size, len(data), data)
            parts.append((f".rela{each.name}", *facts))
        data = b"".join(rows)
        parts.append((".symtab", _SYMTAB, 0, table + 1, local, 8, _SYMBOL.size, len(data), data))
        data = strings.data
        parts.append((".strtab", _STRTAB, 0, 0, 0, 1, 0, len(data), data))
        for name in (*(part[0] for part in parts), ".shstrtab"):
            names.add(name)
        data = names.data
        parts.append((".shstrtab", _STRTAB, 0, 0, 0, 1, 0, len(data), data))
        out = bytearray(_HEADER.size)
        headers = [_SECTION.pack(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)]
        for name, kind, flags, link, info, align, entry_size, size, data in parts:
            if align > _LARGEST_ALIGNMENT:
                raise ValueError(f"{name} aligned to {align} bytes")
            out += bytes(-len(out) % max(align, 1))
            facts = (kind, flags, 0, len(out), size, link, info, align, entry_size)
            headers.append(_SECTION.pack(names.add(name), *facts))
            out += data
        out += bytes(-len(out) % 8)
        counts = (_HEADER.size, 0, 0, _SECTION.size, len(headers), len(headers) - 1)
        out[: _HEADER.size] = _HEADER.pack(
            self._ident, 1, self._machine, 1, 0, 0, len(out), self._flags, *counts
        )
        return bytes(out) + b"".join(headers)


class _Strings:
    """A table of strings."""

    def __init__(self) -> None:
        self.data = b"\0"
        self._places: dict[str, int] = {"": 0}

    def add(self, text: str) -> int:
        """The place of a string, which is added if it is new."""
        if text not in self._places:
            self._places[text] = len(self.data)
            self.data += text.encode() + b"\0"
        return self._places[text]


def _string(table: bytes, offset: int) -> str:
    return table[offset : table.index(b"\0", offset)].decode()


@contextlib.contextmanager
def _understood() -> Generator[None]:
    """Says of an object in which numbers lead nowhere that it is not understood."""
    try:
        yield
    except (struct.error, IndexError, KeyError, ValueError, OverflowError) as error:
        raise _unknown(f"its object file is not understood ({error!r})") from error


def _unknown(reason: str) -> UnsupportedError:
    return UnsupportedError(f"compile_c: {reason}")
