"""The page of experiments matches its records, and the records are complete."""

from __future__ import annotations

import datetime
from pathlib import Path

from benchmarks import measurements

ROOT = Path(__file__).parents[2]
RECORDS = [record for topic in measurements.read() for record in topic["records"]]


def test_the_page_is_up_to_date() -> None:
    """If this fails: python -m benchmarks.measurements."""
    assert measurements.PAGE.read_text() == measurements.page(measurements.read())


def test_every_record_has_a_line() -> None:
    lines = measurements.PAGE.read_text().splitlines()
    assert sum(line.startswith(f"| {r['tried']} |") for r in RECORDS for line in lines) >= 100
    for record in RECORDS:
        assert any(line.startswith(f"| {record['tried']} |") for line in lines), record["tried"]


def test_records_are_complete() -> None:
    for record in RECORDS:
        name = record["tried"]
        assert {"verdict", "machine", "date"} <= set(record), name
        assert record["verdict"] in measurements.VERDICTS, name
        assert record["verdict"] == "not built" or {"figures", "result"} & set(record), name
        assert ("unit" in record) == ("figures" in record), name
        assert all(len(figure) == 3 for figure in record.get("figures", [])), name
        datetime.date.fromisoformat(record["date"])
        assert (ROOT / record.get("code", "")).exists(), name
