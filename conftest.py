"""What is not run, and why; and what hangs."""

from __future__ import annotations

import faulthandler
import os
import time
from collections import Counter
from collections.abc import Generator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule

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

_SLOW_EXAMPLES = (
    *("many_compilations.compile_many", "goldens.golden", "jax.ctc.ctc_loss", "linking.link"),
    *("onnx_ops", "runtime.session.Session", "torch.modules.GRU", "torch.modules.RNN"),
)
"""Examples of `rnn_compiler` that compile what no quick test needs."""


class Watch:
    """Ends the run if a test hangs; starts anew once a minute.

    pytest's own `faulthandler_timeout` starts a thread for each test, and waits for its end: on a
    busy machine, that takes longer than most of the tests.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds, self._errors = seconds, os.dup(2)
        self._since: float | None = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, nextitem: pytest.Item | None) -> Generator[None, Any, Any]:
        """Starts the watch with the first test, and stops it with the last."""
        now = time.monotonic()
        if self._since is None or now - self._since > 60:
            faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._errors)
            self._since = now
        try:
            return (yield)
        finally:
            if nextitem is None:  # other workers may take long
                faulthandler.cancel_dump_traceback_later()
                self._since = None


def pytest_addoption(parser: pytest.Parser) -> None:
    """How long a test may take."""
    help = "seconds after which a test that hangs ends the run; 0: never"
    parser.addini("hangs_after", help, default="0")


def pytest_configure(config: pytest.Config) -> None:
    """Watches every test, also the examples of sources."""
    if seconds := float(config.getini("hangs_after")):
        config.pluginmanager.register(Watch(seconds))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[Any], list[Any]]:
    """Looks for examples only where there are some: that takes a second in all sources."""
    found = yield
    if any(isinstance(each, DoctestModule) for each in found):
        has_some = b">>>" in file_path.read_bytes()
        found = [each for each in found if has_some or not isinstance(each, DoctestModule)]
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks some examples slow, before those are left out."""
    for item in items:
        if item.name.removeprefix("rnn_compiler.") in _SLOW_EXAMPLES:
            item.add_marker("slow")


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Counts the slow tests, which `-m` deselects in a call of its own, the last one."""
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
        covered = f"{slow} of a sweep, which others cover: TEST_SWEEP=1 runs them too"
        everything = f'{slow} slow: pytest -m "" runs everything'
        lines.append(everything if "not slow" in config.option.markexpr else covered)
    if lines and not hasattr(config, "workerinput"):
        terminalreporter.section("not run")
        for line in lines:
            terminalreporter.write_line(line)
