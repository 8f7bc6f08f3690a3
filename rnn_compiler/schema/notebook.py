"""HTML for notebooks: an object's repr and tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

_LEFT = "text-align: left"


def page(shown: object, *parts: str) -> str:
    """An object's repr, followed by HTML parts."""
    return f"<div><code>{escape(repr(shown))}</code>{''.join(parts)}</div>"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; empty if there are no rows."""
    lines = [_row("td", cells) for cells in rows]
    if not lines:
        return ""
    return f"<table><thead>{_row('th', columns)}</thead><tbody>{''.join(lines)}</tbody></table>"


def facts(values: Mapping[str, object]) -> str:
    """A table of names and values."""
    return table(["", ""], values.items())


def _row(tag: str, cells: Iterable[object]) -> str:
    inside = "".join(f'<{tag} style="{_LEFT}">{escape(str(cell))}</{tag}>' for cell in cells)
    return f"<tr>{inside}</tr>"
