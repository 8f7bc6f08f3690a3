"""Generates the page of experiments, docs/measurements.md, from docs/measurements.json.

    python -m benchmarks.measurements

generates it again. The JSON file is a list of topics, each with a note, tables, and one record per
experiment:

    tried, expected   the change, and the gain that was expected
    figures           [what, before, after]; before is null if only one value was measured
    unit              of the figures: ms, us, s, GFLOP/s, or times (a ratio)
    result            conclusions beyond the figures
    verdict           one of VERDICTS
    machine, conditions, date
    code              the file or folder that the experiment concerns

The page shows one line per record.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["PAGE", "RECORDS", "VERDICTS", "page", "read"]

_DOCS = Path(__file__).parents[1] / "docs"
RECORDS = _DOCS / "measurements.json"
PAGE = _DOCS / "measurements.md"

VERDICTS = ("adopted", "adopted on GPUs", "dropped", "no gain", "not built", "finding")

_SHOWN = 2
"""The number of figures of a record that the page shows."""

_INTRODUCTION = """\
# Measurements

<!-- Written by `python -m benchmarks.measurements` from measurements.json: edit that file. -->

Every experiment for speed or memory, whether it was adopted or not: one line each. Sizes are
(steps, batch, input, units), in float32 unless stated otherwise; `a → b` means before and after.
[measurements.json](measurements.json) has the rest of each record: the expected gain, all figures,
the conditions, the date, and the code it concerns. The experiments were done with IREE 3.13.

[Architecture](architecture.md) and the [lexicon](lexicon.md) explain the terms. IREE's traps are
listed in [debugging](debugging.md#irees-traps).
"""


def read() -> list[dict[str, Any]]:
    """The topics, in the order of the page."""
    return json.loads(RECORDS.read_text(encoding="utf-8"))


def page(topics: Sequence[dict[str, Any]]) -> str:
    """The text of the page."""
    return "\n".join([_INTRODUCTION, *map(_section, topics)])


def _section(topic: dict[str, Any]) -> str:
    parts = [f"## {topic['name']}"]
    if topic["note"]:
        parts.append(textwrap.fill(topic["note"], 100, break_long_words=False))
    parts += [_table(table["columns"], table["rows"]) for table in topic["tables"]]
    rows = [_row(record) for record in topic["records"]]
    parts.append(_table(("tried", "result", "machine", "verdict"), rows))
    return "\n\n".join(parts) + "\n"


def _row(record: dict[str, Any]) -> tuple[str, ...]:
    figures = record.get("figures", [])
    shown = [_figure(figure, record["unit"]) for figure in figures[:_SHOWN]]
    if len(figures) > _SHOWN:
        shown.append(f"and {len(figures) - _SHOWN} more")
    result = "; ".join([*shown, record["result"]] if "result" in record else shown)
    return record["tried"], result, record["machine"], record["verdict"]


def _figure(figure: Sequence[Any], unit: str) -> str:
    what, before, after = figure
    values = f"{after}" if before is None else f"{before} → {after}"
    return f"{what}: {values}{'' if unit == 'times' else f' {unit}'}"


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines).replace("|  |", "| |")


if __name__ == "__main__":
    PAGE.write_text(page(read()), encoding="utf-8")
