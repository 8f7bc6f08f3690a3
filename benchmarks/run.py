"""Turns a request into a plan and carries it out, with progress on a terminal.

Results are saved immediately, so a run that ends early loses nothing.
"""

from __future__ import annotations

import fnmatch
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from benchmarks.contests import Effort, run_contest
from benchmarks.fine_tuning import fine_tuning_contests
from benchmarks.groups import latency_contests, peer_contests, wasm_contests
from benchmarks.networks import network_cases, network_contests
from benchmarks.processes import WorkerError, Workers
from benchmarks.results import Facts, Results
from benchmarks.rows import (
    OURS,
    SIZES,
    Case,
    Contest,
    Size,
    call_contests,
    compile_cases,
    dtype_contests,
    memory_cases,
    scaling_contests,
    soak_cases,
)
from benchmarks.steps import step_cases, step_contests
from benchmarks.wasm import run_wasm_contest

__all__ = ["Plan", "carry_out", "make_plan"]


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes:
        contests: Timed contests, at each number of threads.
        cases: Other measurements, each with its section.
    """

    contests: list[Contest]
    cases: list[tuple[str, Case]]


_MEASURED_BY = {
    "networks": "first_results",
    "training-step": "step_memory",
    "compile": "compilation",
    "memory": "peak_memory",
    "soak": "soak",
}
"""The function of our worker that measures a case of a section."""


def make_plan(
    sections: Sequence[str],
    sizes: Sequence[Size] | None,
    peers: Iterable[str],
    pattern: str,
    tiny: bool,
) -> Plan:
    """The plan for some sections.

    Args:
        sections: Their names.
        sizes: The sizes of the rows; None for each section's own.
        peers: The peers to compare with.
        pattern: A pattern of rows, with or without their section, ``"block/*"``.
        tiny: Whether sections with fixed sizes use small ones.
    """
    makers: dict[str, Callable[[], list[Contest]]] = {
        "peers": lambda: peer_contests(sizes, peers),
        "latency": lambda: latency_contests(sizes, peers),
        "networks": lambda: network_contests(peers),
        "training-step": lambda: step_contests(peers),
        "fine-tuning": lambda: fine_tuning_contests(peers),
        "wasm": lambda: wasm_contests(sizes, peers),
        "scaling": lambda: scaling_contests(tiny),
        "dtypes": lambda: dtype_contests(sizes or SIZES),
        "calls": call_contests,
    }
    case_makers: dict[str, Callable[[], list[Case]]] = {
        "networks": network_cases,
        "training-step": step_cases,
        "compile": lambda: compile_cases(tiny),
        "memory": lambda: memory_cases(sizes or SIZES),
        "soak": lambda: soak_cases(tiny),
    }

    def matches(path: str) -> bool:
        return any(fnmatch.fnmatch(p, pattern) for p in (path, path.partition("/")[2]))

    contests = [c for section in sections if section in makers for c in makers[section]()]
    cases = [(s, case) for s in sections if s in case_makers for case in case_makers[s]()]
    return Plan(
        [contest for contest in contests if matches(contest.path)],
        [(s, case) for s, case in cases if matches(f"{s}/{case.workload.name}/{case.size}")],
    )


def carry_out(
    plan: Plan, threads: Sequence[int], effort: Effort, results: Results, output: Path
) -> None:
    """Measures rows that are missing from the results or were disturbed, and adds them."""
    done = {outcome.key for outcome in results.outcomes if not outcome.disturbed}
    known = {fact.key for fact in results.facts}
    contests = [
        (contest, count)
        for count in threads
        for contest in plan.contests
        if (contest.section, contest.group, contest.name, count) not in done
        and (contest.section != "wasm" or count == 1)
    ]
    cases = [
        (section, case)
        for section, case in plan.cases
        if (section, case.workload.name, str(case.size)) not in known
    ]
    columns = (
        TextColumn("{task.description:<64}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with (
        tempfile.TemporaryDirectory(prefix="rnn-compiler-bench-") as folder,
        Progress(*columns, console=console, disable=not console.is_terminal) as progress,
    ):
        task = progress.add_task("", total=len(contests) + len(cases))

        def say(text: str) -> None:
            progress.update(task, description=text)

        for count in threads:
            with Workers(count, Path(folder)) as workers:
                for contest in [contest for contest, n in contests if n == count]:
                    label = f"{contest.group} {contest.name}, threads {count}: "

                    def report(state: str, at: str = label) -> None:
                        say(at + state)

                    if contest.section == "wasm":
                        outcome = run_wasm_contest(contest, Path(folder), effort, report)
                    else:
                        outcome = run_contest(contest, count, workers, effort, report)
                    results.add(outcome)
                    results.save(output)
                    progress.advance(task)
        for section, case in cases:
            say(f"{section}: {case.workload.name} {case.size}")
            results.facts.append(_facts(section, case, Path(folder)))
            results.save(output)
            progress.advance(task)
    results.save(output)


def _facts(section: str, case: Case, folder: Path) -> Facts:
    """Measures in a fresh process that has all processors."""
    name = (section, case.workload.name, str(case.size))
    try:
        worker = Workers(len(os.sched_getaffinity(0)), folder).start(OURS)
        try:
            return Facts(*name, worker.measure(_MEASURED_BY[section], case))
        finally:
            worker.close()
    except WorkerError as failure:
        return Facts(*name, None, str(failure))
