"""What is not run: sources whose requirements are missing; at the end, everything else and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import pytest

_NEED = {
    "rnn_compiler/torch": "torch",
    "rnn_compiler/jax": "jax",
    "rnn_compiler/network_import/graph": "onnx",
    "rnn_compiler/model_import/checkpoint.py": "google_crc32c",
    "tests/goldens/regenerate_onnx.py": "onnxruntime",
}
_ignored = {path: f"needs {name}" for path, name in _NEED.items() if not find_spec(name)}
collect_ignore = [*_ignored]
collect_ignore.append("rnn_compiler/torch/tracing.py")  # it imports torch's tracer: two seconds

_SLOW = pytest.StashKey[int]()


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Counts the slow tests, which `-m` deselects in a call of its own."""
    if items and all(item.get_closest_marker("slow") for item in items):
        items[0].config.stash[_SLOW] = len(items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tells pytest-xdist's controller, which collects nothing itself."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["slow"] = session.config.stash.get(_SLOW, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Hears it from a worker; each has counted them all."""
    if count := getattr(node, "workeroutput", {}).get("slow"):
        node.config.stash[_SLOW] = count


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Says once what was not run and why."""
    reports = terminalreporter.stats.get("skipped", ())
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    lines = [f"{count} skipped: {reason}" for reason, count in reasons.most_common()]
    lines += [f"examples of {path}: {reason}" for path, reason in _ignored.items()]
    if slow := config.stash.get(_SLOW, 0):
        lines.append(f'{slow} slow: pytest -m "" runs everything')
    if lines and not hasattr(config, "workerinput"):
        terminalreporter.section("not run")
        for line in lines:
            terminalreporter.write_line(line)
