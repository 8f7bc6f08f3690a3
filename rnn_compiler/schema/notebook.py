"""HTML for notebooks: an object's repr and tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rnn_compiler.schema.functions import FunctionSpec, TensorSpec

__all__ = ["facts", "function_table", "function_tables", "page", "table"]

_LEFT = "text-align: left"


def page(shown: object, *parts: str) -> str:
    """An object's repr, followed by HTML parts.

    Example:
        >>> page([1], table(["a<b"], [[2]]))[:30]
        '<div><code>[1]</code><table><t'
    """
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


def function_table(spec: FunctionSpec) -> str:
    """A function's attributes, arguments and results."""
    attributes = ", ".join(f"{name}={value}" for name, value in spec.attributes.items())
    kinds = {"argument": spec.arguments, "frozen": spec.frozen, "result": spec.results}
    rows = [
        (kind, tensor.name, str(tensor), _remark(tensor))
        for kind, tensors in kinds.items()
        for tensor in tensors
    ]
    line = f"<div>{escape(attributes)}</div>" if attributes else ""
    return line + table(["", "name", "type", "shape"], rows)


def function_tables(specs: Sequence[FunctionSpec]) -> str:
    """A table for each function, collapsed unless there is only one."""
    unfolded = ' open="open"' if len(specs) == 1 else ""
    return "".join(
        f"<details{unfolded}><summary><code>{escape(f'{spec.function}: {spec}')}</code></summary>"
        f"{function_table(spec)}</details>"
        for spec in specs
    )


def _remark(tensor: TensorSpec) -> str:
    """The shape in words, and whether the tensor may be omitted."""
    formula = tensor.formula if tensor.shape else ""
    optional = "" if tensor.default is None else f"default {tensor.default}"
    return ", ".join(filter(None, (formula, optional)))


def _row(tag: str, cells: Iterable[object]) -> str:
    inside = "".join(f'<{tag} style="{_LEFT}">{escape(str(cell))}</{tag}>' for cell in cells)
    return f"<tr>{inside}</tr>"
