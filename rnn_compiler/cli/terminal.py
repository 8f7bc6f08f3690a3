"""Everything that the command line prints: lines, facts, tables, JSON, and progress.

Text wraps between words and never inside one, so that paths and commands can be copied at any
width. A table that is still too wide prints its cells below each other. Without a terminal and
without ``COLUMNS`` nothing wraps, so that every row is one line for `grep`. Bold and dim text and
progress are for terminals only, and off with ``NO_COLOR`` or ``TERM=dumb``.

Progress needs rich, and is left out without it, as on machines that only run artifacts. Tables do
not use rich, which breaks words in narrow columns.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from rnn_compiler.base.stages import watching

__all__ = [
    "error_text",
    "print_error",
    "print_facts",
    "print_json",
    "print_line",
    "print_table",
    "print_text",
    "progress",
    "showing_stages",
    "status",
]

_UNLIMITED = 1 << 20
_GAP = 2
_SHORT = 8
_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def print_line(text: str = "", *, dim: bool = False) -> None:
    """Prints a line without wrapping it, such as a path or a command to be copied."""
    print(_style(_clean(text), _DIM if dim else ""))


def print_text(text: str, *, dim: bool = False) -> None:
    """Prints text, wrapped between its words."""
    for line in _wrap(text, _width()):
        print_line(line, dim=dim)


def print_facts(facts: Iterable[tuple[str, str]], *, title: str = "", indent: int = 0) -> None:
    """Prints names and values side by side; values that do not fit go below their name."""
    rows = list(facts)
    column = indent + max((len(name) for name, _ in rows), default=0) + _GAP
    _print_title(title)
    for name, text in rows:
        start = f"{' ' * indent}{_style(name, _BOLD)}"
        room = _width() - column
        if max(map(len, text.split()), default=0) > room:
            print(start)
            _print_block(_wrap(text, _width() - indent - _GAP), indent + _GAP)
            continue
        first, *others = _wrap(text, room)
        print(f"{start}{' ' * (column - indent - len(name))}{first}".rstrip())
        _print_block(others, column)


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    right: Collection[str] = (),
) -> None:
    """Prints rows in columns; if their longest words do not fit, prints cells below each other."""
    grid = [[_clean(cell) for cell in row] for row in rows]
    _print_title(title)
    widths = _column_widths([columns, *grid])
    if widths is None:
        for first, *others in grid:
            print(_style(f"{columns[0]} {first}".rstrip(), _BOLD))
            if len(columns) == 2:
                _print_block(_wrap(others[0], _width() - _GAP), _GAP)
            else:
                print_facts(zip(columns[1:], others, strict=True), indent=_GAP)
        return
    for row in (columns, *grid):
        cells = [_wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
        for k in range(max(map(len, cells))):
            parts = [cell[k] if k < len(cell) else "" for cell in cells]
            aligned = (
                f"{part:>{width}}" if name in right else f"{part:<{width}}"
                for name, part, width in zip(columns, parts, widths, strict=True)
            )
            print(_style((" " * _GAP).join(aligned).rstrip(), _BOLD if row is columns else ""))


def print_json(data: object) -> None:
    """Prints plain data as JSON; numbers must be finite."""
    print(json.dumps(data, indent=2, allow_nan=False))


def error_text(error: Exception) -> str:
    """The message of an error; for a system error, the file and the reason without its number.

    Example:
        >>> error_text(FileNotFoundError(2, "No such file or directory", "in.npz"))
        'in.npz: No such file or directory'
    """
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    files = [str(each) for each in (error.filename, error.filename2) if each is not None]
    return ": ".join([*([" to ".join(files)] if files else []), error.strerror])


def print_error(text: str, kind: str = "error") -> None:
    """Prints an error or a warning on standard error, in one line."""
    print(f"rnn-compiler: {kind}: {_clean(text)}", file=sys.stderr)


@contextmanager
def status(text: str) -> Generator[None]:
    """Shows a status on standard error during a ``with`` block, on a terminal only."""
    console = _live(sys.stderr)
    if console is None:
        yield
        return
    with console.status(text):
        yield


@contextmanager
def showing_stages() -> Generator[None]:
    """Shows the stage and duration of a compilation on standard error, on a terminal only."""
    console = _live(sys.stderr)
    if console is None:
        yield
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None)
        with watching(lambda stage: bar.update(task, description=stage, refresh=True)):
            yield


@contextmanager
def progress(text: str, total: int) -> Generator[Callable[[str], None]]:
    """Shows a progress bar on standard error during a ``with`` block, on a terminal only.

    Yields:
        A function to call after each step, with a remark for the bar.
    """
    console = _live(sys.stderr)
    if console is None:
        yield lambda remark: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    remark = TextColumn("{task.fields[remark]}")
    columns = (TextColumn(text), BarColumn(), remark, TimeRemainingColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(text, total=total, remark="")
        yield lambda remark: bar.update(task, advance=1, remark=remark)


def _live(stream: TextIO) -> Any:
    """A console that can move its cursor; None if standard error is not one."""
    if not _is_styled(stream) or _in_notebook():
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(file=stream)


def _is_styled(stream: TextIO) -> bool:
    """Whether escape sequences may be written to a stream."""
    dumb = os.environ.get("TERM", "dumb").lower() in ("", "dumb", "unknown")
    return stream.isatty() and not dumb and not os.environ.get("NO_COLOR")


def _in_notebook() -> bool:
    """Whether a notebook would record the output, including each frame of an animation.

    Commands in a notebook run on a pseudo-terminal with these settings
    (`ZMQInteractiveShell.init_environment` of ipykernel).
    """
    return (os.environ.get("TERM"), os.environ.get("PAGER")) == ("xterm-color", "cat")


def _style(text: str, style: str) -> str:
    return f"{style}{text}{_RESET}" if text and style and _is_styled(sys.stdout) else text


def _width() -> int:
    """The maximum length of a line."""
    fallback = 80 if sys.stdout.isatty() else _UNLIMITED
    return max(1, shutil.get_terminal_size((fallback, 24)).columns)


def _clean(text: str) -> str:
    """Text without control characters, safe to print whatever its source."""
    text = " ".join(text.splitlines())
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def _wrap(text: str, width: int) -> list[str]:
    """Wraps text between words; at least one line, possibly empty."""
    wrapper = textwrap.TextWrapper(max(1, width), break_long_words=False, break_on_hyphens=False)
    return wrapper.wrap(_clean(text)) or [""]


def _print_title(title: str) -> None:
    for line in _wrap(title, _width()) if title else []:
        print(_style(line, _BOLD))


def _print_block(lines: Iterable[str], indent: int) -> None:
    for line in lines:
        print(f"{' ' * indent}{line}".rstrip())


def _column_widths(grid: Sequence[Sequence[str]]) -> list[int] | None:
    """The width of each column; None if the longest words do not fit on a line.

    Columns with short cells, such as sizes, are not wrapped.
    """
    columns = list(zip(*grid, strict=True))
    widths = [max(map(len, cells)) for cells in columns]
    words = [max(len(word) for cell in cells for word in cell.split() or [""]) for cells in columns]
    least = [max(word, min(width, _SHORT)) for word, width in zip(words, widths, strict=True)]
    room = _width() - _GAP * (len(columns) - 1)
    if sum(least) > room:
        return None
    while sum(widths) > room:
        shrinkable = [k for k in range(len(widths)) if widths[k] > least[k]]
        widths[max(shrinkable, key=lambda k: widths[k])] -= 1
    return widths
