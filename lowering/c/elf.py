"""Reads and writes relocatable object files in the ELF format.

They are little-endian, of 64 or 32 bits, with relocations that contain their addend (RELA) or
have it in the place that they change (REL); see the System V ABI, chapters 4 and 5
(https://www.sco.com/developers/gabi/).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

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


class _ElfLayout(NamedTuple):
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
    2: _ElfLayout(
        word=8,
        header=struct.Struct("<16sHHIQQQIHHHHHH"),
        section=struct.Struct("<IIQQQQIIQQ"),
        symbol=struct.Struct("<IBBHQQ"),
        relocation=struct.Struct("<QQ"),
        shift=32,
    ),
    1: _ElfLayout(
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
    def _layout(self) -> _ElfLayout:
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


def _symbols(layout: _ElfLayout, table: bytes, strings: bytes) -> list[Symbol]:
    found: list[Symbol] = []
    for row in layout.symbol.iter_unpack(table):
        if layout.word == 8:
            name, info, other, section, value, size = row
        else:
            name, value, size, info, other, section = row
        found.append(Symbol(string_at(strings, name), info, other, section, value, size))
    return found


def _symbol(layout: _ElfLayout, name: int, symbol: Symbol, section: int) -> bytes:
    kind, position = (symbol.info, symbol.other, section), (symbol.value, symbol.size)
    facts = (*kind, *position) if layout.word == 8 else (*position, *kind)
    return layout.symbol.pack(name, *facts)


def _relocations(layout: _ElfLayout, data: bytes, *, has_addend: bool) -> Iterable[Relocation]:
    form = layout.with_addend if has_addend else layout.relocation
    for offset, info, *addend in form.iter_unpack(data):
        kind, symbol = info & ((1 << layout.shift) - 1), info >> layout.shift
        yield Relocation(offset, kind, symbol, addend[0] if addend else None)


def _related(
    layout: _ElfLayout, relocations: Sequence[Relocation], order: Mapping[int, int]
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
