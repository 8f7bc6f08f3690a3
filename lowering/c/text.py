"""Lines of C: comments, calls, lists, data."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

_WIDTH = 96


def comment(lines: Iterable[str]) -> list[str]:
    """A comment; text that would end it is removed, and long lines are wrapped.

    Lines of code, which are indented, go on four columns further to the right.

    Example:
        >>> comment(["    " + "long " * 20])[2]
        ' *         long long'
    """
    safe = [line.replace("*/", "* /").replace("/*", "/ *") for line in lines]
    broken = [part for line in safe for part in _broken(line)]
    return ["/*", *(f" * {line}".rstrip() for line in broken), " */"]


def _broken(line: str) -> list[str]:
    """A line of a comment as several lines, of whole words."""
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line,
        _WIDTH - 3,
        subsequent_indent=f"{indent}    " if indent else "",
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]


def indented(lines: Iterable[str]) -> list[str]:
    """Indented lines; preprocessor lines are not indented."""
    return [f"    {line}" if line and line[0] != "#" else line for line in lines]


def call(start: str, items: Sequence[str], end: str) -> list[str]:
    """A call or the head of a function; further lines are aligned with the bracket."""
    lines = [start]
    for number, item in enumerate(items):
        text = item + (end if number == len(items) - 1 else ",")
        space = " " if number else ""
        if number and len(lines[-1]) + len(space + text) > _WIDTH:
            lines.append(" " * len(start) + text)
        else:
            lines[-1] += space + text
    return lines


def wrapped(start: str, items: Sequence[str], end: str) -> list[str]:
    """A list in as few lines as possible, ``start a, b, c end``."""
    one = f"{start}{', '.join(items)}{end}"
    if len(one) <= _WIDTH:
        return [one]
    lines = [start.rstrip()]
    row = ""
    for item in items:
        if row and len(row) + len(item) > _WIDTH - 6:
            lines.append(f"    {row.rstrip()}")
            row = ""
        row += f"{item}, "
    return [*lines, f"    {row.rstrip().rstrip(',')}", end.lstrip()]


def externals(declarations: Sequence[str]) -> list[str]:
    """The declarations of the object's symbols."""
    if not declarations:
        return []
    opened = ["#ifdef __cplusplus", 'extern "C" {', "#endif"]
    return [*opened, *declarations, "#ifdef __cplusplus", "}", "#endif", ""]


def words(name: str, data: bytes, alignment: int) -> list[str]:
    """Data as at least one 64-bit word, which is compact and independent of the byte order.

    Example:
        >>> words("data", b"ab", 64)
        ['alignas(64) static const uint64_t data[] = {0x6261};', '']
    """
    numbers = [
        f"{int.from_bytes(data[k : k + 8].ljust(8, bytes(1)), 'little'):#x}"
        for k in range(0, max(1, len(data)), 8)
    ]
    start = f"alignas({alignment}) static const uint64_t {name}[] = {{"
    return [*wrapped(start, numbers, "};"), ""]
