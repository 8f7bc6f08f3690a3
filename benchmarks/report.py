"""Results as tables on a terminal, and two runs side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.contests import Outcome
from benchmarks.figures import (
    Spread,
    best_peer,
    geometric_mean,
    ratio,
    reached,
    spread,
    summaries,
)
from benchmarks.groups import LEAST, aim_of, title_of
from benchmarks.networks import PEERS_OF_NETWORKS
from benchmarks.results import Facts, Results
from benchmarks.rows import FACTOR, MACHINE, OURS
from benchmarks.steps import MEASURED
from benchmarks.work import Limit

__all__ = ["print_comparison", "print_results"]

_TITLES = {
    "summary": "The best peer's time over ours, and the aims",
    "scaling": f"Cost of {FACTOR} times as much: time over {FACTOR} times the time (1 is linear)",
    "dtypes": "Time in other dtypes, over that in float32 (below 1 is faster)",
    "calls": "Cost of a call, one step of batch 1",
    "networks": "Whole networks: microseconds a call, from numpy arrays to numpy arrays",
    "training-step": "Training steps: microseconds a step",
    "step-in-c": "Training steps in C: microseconds a step, and memory",
    "fine-tuning": "Training steps of ONNX files: microseconds a step",
    "step-memory": "Training steps: memory of a process, and compilation",
    "first": "Whole networks: from the start of a process to its first result",
    "compile": "Compiling",
    "memory": "Memory on the device at the peak",
    "soak": "Memory of the process while programs are loaded, called and dropped",
}


def print_results(results: Results, console: Console) -> None:
    """Prints all results."""
    console.print(machine_line(results), style="dim", markup=False)
    for group, outcomes in _groups(results.outcomes, "peers"):
        title = f"{title_of(group)}: milliseconds a call"
        _print_table(title, _peer_table(outcomes), console)
    for group, outcomes in _groups(results.outcomes, "latency"):
        title = f"{title_of(group)}: microseconds a chunk, p50 and p99"
        _print_table(title, _latency_table(outcomes), console)
    for _, outcomes in _groups(results.outcomes, "networks"):
        _print_table(_TITLES["networks"], _network_table(outcomes), console)
    for section in ("training-step", "fine-tuning"):
        for _, outcomes in _groups(results.outcomes, section):
            _print_table(_TITLES[section], _network_table(outcomes), console)
    for group, outcomes in _groups(results.outcomes, "wasm"):
        title = f"{title_of(group)}: microseconds a call, p50 and p99"
        _print_table(title, _latency_table(outcomes), console)
    if summaries(results.outcomes):
        _print_table(_TITLES["summary"], _summary_table(results.outcomes), console)
    printers = {"scaling": _ratio_table, "dtypes": _ratio_table, "calls": _call_table}
    for section, table in printers.items():
        outcomes = [outcome for outcome in results.outcomes if outcome.section == section]
        if outcomes:
            _print_table(_TITLES[section], table(outcomes), console)
    fact_printers = {
        "networks": _first_table,
        "training-step": _step_memory_table,
        "compile": _compile_table,
        "memory": _memory_table,
        "soak": _soak_table,
    }
    for section, table in fact_printers.items():
        facts = [
            (fact, fact.values)
            for fact in results.facts
            if fact.section == section and fact.values is not None
        ]
        if facts:
            title = _TITLES[
                {"networks": "first", "training-step": "step-memory"}.get(section, section)
            ]
            _print_table(title, table(facts), console)
            in_c = [(fact, values) for fact, values in facts if "c scratch" in values]
            if in_c:
                _print_table(_TITLES["step-in-c"], _step_in_c_table(in_c), console)
    if any(outcome.disturbed for outcome in results.outcomes):
        console.print("\n* while other processes were using the processors: not to be relied on")
    _print_failures(results, console)


def _print_table(title: str, table: Table, console: Console) -> None:
    """A separate heading: rich wraps a table's own heading to the table's width."""
    console.print(f"\n[bold]{escape(title)}[/bold]")
    console.print(table)


def machine_line(results: Results) -> str:
    """The machine and the versions, in a line."""
    machine = results.machine
    caches = ", ".join(f"{name} {size}" for name, size in machine["caches"].items())
    packages = ", ".join(
        f"{name} {version}"
        for name, version in results.versions.items()
        if name not in ("python", "onnx", "jaxlib", "iree-base-runtime")
    )
    return (
        f"{results.created[:10]}  {machine['cpu']}, {machine['processors']} processors, "
        f"{' '.join(machine['vector'])}, {caches}\n{packages}"
    )


def _groups(outcomes: Iterable[Outcome], section: str) -> Iterator[tuple[str, list[Outcome]]]:
    """The outcomes of a section by group, in order of appearance."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.section == section:
            groups.setdefault(outcome.group, []).append(outcome)
    yield from groups.items()


def _table(*columns: str) -> Table:
    """A table of numbers; the columns up to the first with a name are text."""
    table = Table(box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if any(columns[:index]) else "left")
    return table


def _peer_table(outcomes: Sequence[Outcome]) -> Table:
    """A row per size and number of threads: all times, and the best peer's over ours.

    Next to them are the limit of the machine, and the fraction of it that we reach.
    """
    labels = [label for label in _labels(outcomes) if label != MACHINE]
    limits = ("limit", "reached", "bound by") if any(o.limit for o in outcomes) else ()
    columns = ("T x B x I x H", "threads", *labels, *limits, "best peer", "peer / ours")
    table = _table(*columns)
    for outcome in outcomes:
        best = best_peer(outcome)
        part = reached(outcome)
        bound = [f"{outcome.limit.seconds * 1e3:.3g}"] if outcome.limit else ["-"]
        bound += [f"{part:.0%}" if part else "-", _bound(outcome.limit)]
        table.add_row(
            f"{outcome.name}{' *' * outcome.disturbed}",
            str(outcome.threads),
            *(_milliseconds(outcome, label) for label in labels),
            *bound[: len(limits)],
            best[0] if best else "-",
            _judged(best[1]) if best else "-",
        )
    return table


def _latency_table(outcomes: Sequence[Outcome]) -> Table:
    """A row per size and number of threads: the median and 99th percentile of each entrant's calls.

    Both are medians over the rounds; next to them are the limit of the machine, and the best peer's
    median over ours.
    """
    labels = [label for label in _labels(outcomes) if label != MACHINE]
    table = _table("T x B x I x H", "threads", *labels, "limit", "best peer", "peer / ours")
    for outcome in outcomes:
        best = best_peer(outcome)
        table.add_row(
            f"{outcome.name}{' *' * outcome.disturbed}",
            str(outcome.threads),
            *(_percentiles(outcome, label) for label in labels),
            f"{outcome.limit.seconds * 1e6:.3g}" if outcome.limit else "-",
            best[0] if best else "-",
            _judged(best[1]) if best else "-",
        )
    return table


def _network_table(outcomes: Sequence[Outcome]) -> Table:
    """A row per network and number of threads; then the mean of each peer's time over ours."""
    labels = _labels(outcomes)
    peers = [label for label in labels if label != OURS]
    table = _table("network", "threads", *labels, *(f"{peer} / ours" for peer in peers))
    for outcome in outcomes:
        table.add_row(
            f"{outcome.name}{' *' * outcome.disturbed}",
            str(outcome.threads),
            *(_microseconds(outcome, label) for label in labels),
            *(_ratio_to_us(outcome, peer) for peer in peers),
        )
    for threads in sorted({outcome.threads for outcome in outcomes}):
        same = [outcome for outcome in outcomes if outcome.threads == threads]
        means: list[str] = []
        for peer in peers:
            found = [each for outcome in same if (each := ratio(outcome, peer, OURS)) is not None]
            mean = geometric_mean(each.median for each in found)
            means.append("-" if mean is None else _against(mean, 1.0))
        table.add_row("geometric mean", str(threads), *("" for _ in labels), *means)
    return table


def _ratio_to_us(outcome: Outcome, label: str) -> str:
    found = ratio(outcome, label, OURS)
    return "-" if found is None else _judged(found)


def _microseconds(outcome: Outcome, label: str) -> str:
    track = outcome.tracks.get(label)
    if track is None:
        return "failed" if label in outcome.failures else ""
    return f"{spread(track.seconds).median * 1e6:.4g}"


def _first_table(facts: Sequence[tuple[Facts, dict[str, float]]]) -> Table:
    """A row per network and runtime: the time to the first result, and the size."""
    columns = ("compilation s", "first result s", "program kB", "runtime MB")
    table = _table("network", "runtime", *columns)
    for fact, values in facts:
        for peer in (OURS, *PEERS_OF_NETWORKS):
            if f"{peer} seconds" in values:
                compilation = f"{values['compilation']:.3g}" if peer == OURS else ""
                seconds, program, runtime = (
                    values[f"{peer} {what}"] for what in ("seconds", "program", "runtime")
                )
                numbers = f"{seconds:.2f}", f"{program / 1e3:.0f}", f"{runtime / 1e6:.0f}"
                table.add_row(fact.group, peer, compilation, *numbers)
    return table


def _step_memory_table(facts: Sequence[tuple[Facts, dict[str, float]]]) -> Table:
    """A row per step and framework: of its process, and of our compilation."""
    columns = ("imported MB", "peak MB", "more MB", "compilation s", "program kB")
    table = _table("step", "framework", *columns)
    for fact, values in facts:
        for peer in MEASURED:
            if f"{peer} peak" in values:
                imported, most = (values[f"{peer} {what}"] / 1e6 for what in ("imported", "peak"))
                numbers = [f"{imported:.0f}", f"{most:.0f}", f"{most - imported:.1f}"]
                if peer == OURS:
                    numbers += [f"{values['compilation']:.3g}", f"{values['bytes'] / 1e3:.0f}"]
                table.add_row(fact.group, peer, *numbers)
    return table


def _step_in_c_table(facts: Sequence[tuple[Facts, dict[str, float]]]) -> Table:
    """A row per step: the least and the median on one and two threads."""
    columns = ("1 thread, least", "median", "2 threads, least", "median", "scratch kB", "flash kB")
    table = _table("step", *columns)
    for fact, values in facts:
        seconds = [values[f"c {kind} {n}"] for n in (1, 2) for kind in ("least", "median")]
        sizes = [values[f"c {name}"] for name in ("scratch", "flash")]
        numbers = [f"{each * 1e6:.1f}" for each in seconds]
        table.add_row(fact.group, *numbers, *(f"{each / 1e3:.0f}" for each in sizes))
    return table


def _percentiles(outcome: Outcome, label: str) -> str:
    track = outcome.tracks.get(label)
    if track is None:
        return "failed" if label in outcome.failures else ""
    middle, tail = (spread(seconds).median * 1e6 for seconds in (track.seconds, track.tails))
    return f"{middle:.1f} {tail:6.1f}"


def _labels(outcomes: Iterable[Outcome]) -> list[str]:
    """All entrants, including those that failed, ourselves first."""
    labels = dict.fromkeys(label for o in outcomes for label in (*o.tracks, *o.failures))
    return sorted(labels, key=lambda label: label != OURS)


def _bound(limit: Limit | None) -> str:
    """The resource that sets a limit, and its rate."""
    if limit is None:
        return "-"
    unit = "GFLOP/s" if limit.bound == "products" else "GB/s"
    return f"{limit.bound}, {limit.rate / 1e9:.0f} {unit}"


def _summary_table(outcomes: Iterable[Outcome]) -> Table:
    """A row per group and number of threads: its mean and its least row, each with its aim."""
    table = _table("", "threads", "rows", "geometric mean", "aim", "least", "aim", "row", "peer")
    for each in summaries(outcomes):
        aim = aim_of(each.group)
        table.add_row(
            f"{title_of(each.group)}{' *' * bool(each.disturbed)}",
            str(each.threads),
            str(each.rows),
            _against(each.mean, aim),
            f"{aim:g}x" if aim else "",
            _against(each.least, LEAST),
            f"{LEAST:g}x",
            each.least_row,
            each.least_peer,
        )
    return table


def _against(value: float, aim: float | None) -> str:
    """A value in a colour that shows whether it reaches its aim; above 1 if it has none."""
    color = "green" if value >= (aim or 1) else "yellow" if value >= 0.9 * (aim or 1) else "red"
    return f"[{color}]{value:.2f}x[/{color}]"


def _milliseconds(outcome: Outcome, label: str) -> str:
    track = outcome.tracks.get(label)
    if track is None:
        return "failed" if label in outcome.failures else ""
    return f"{spread(track.seconds).median * 1e3:.3g}"


def _judged(found: Spread) -> str:
    return f"{_against(found.median, None)}  [dim]{found.low:.2f}-{found.high:.2f}[/dim]"


def _ratio_table(outcomes: Sequence[Outcome]) -> Table:
    """A row per contest: the first entrant's time, and the others' over it."""
    labels = list(dict.fromkeys(label for outcome in outcomes for label in outcome.tracks))
    scale = FACTOR if outcomes[0].section == "scaling" else 1
    table = _table("", "", "threads", f"{labels[0]} ms" if labels else "", *labels[1:])
    for outcome in outcomes:
        if not labels or labels[0] not in outcome.tracks:
            continue
        cells: list[str] = []
        for label in labels[1:]:
            found = ratio(outcome, label, labels[0])
            cells.append("failed" if found is None else f"{found.median / scale:.2f}")
        first = _milliseconds(outcome, labels[0])
        table.add_row(outcome.group, outcome.name, str(outcome.threads), first, *cells)
    return table


def _call_table(outcomes: Sequence[Outcome]) -> Table:
    table = _table("call", "us", "more than the first")
    for outcome in outcomes:
        for label, track in outcome.tracks.items():
            first = next(iter(outcome.tracks.values()))
            extra = [a - b for a, b in zip(track.seconds, first.seconds, strict=True)]
            micro = spread(track.seconds).median * 1e6
            table.add_row(label, f"{micro:.1f}", f"{spread(extra).median * 1e6:+.1f}")
    return table


def _compile_table(facts: Sequence[tuple[Facts, dict[str, float]]]) -> Table:
    table = _table("", "T x B x I x H", "seconds", "KiB")
    for fact, values in facts:
        kib = f"{values['bytes'] / 1024:.1f}"
        table.add_row(fact.group, fact.name, f"{values['seconds']:.2f}", kib)
    return table


def _memory_table(facts: Sequence[tuple[Facts, dict[str, float]]]) -> Table:
    table = _table("", "T x B x I x H", "peak MiB", "arguments and results MiB", "ratio")
    for fact, values in facts:
        peak, needed = (values[name] / 2**20 for name in ("peak", "needed"))
        table.add_row(fact.group, fact.name, f"{peak:.2f}", f"{needed:.2f}", f"{peak / needed:.2f}")
    return table


def _soak_table(facts: Sequence[tuple[Facts, dict[str, float]]]) -> Table:
    columns = ("calls", "loads", "MiB after a quarter", "MiB after all", "KiB more per load")
    table = _table("", "T x B x I x H", *columns)
    for fact, values in facts:
        first, last = values["first"], values["last"]
        numbers = [f"{int(values[name]):,}" for name in ("calls", "loads")]
        numbers += [f"{size / 2**20:.2f}" for size in (first, last)]
        more = (last - first) / 1024 / (values["loads"] * 3 / 4)
        table.add_row(fact.group, fact.name, *numbers, f"{more:+.2f}")
    return table


def _print_failures(results: Results, console: Console) -> None:
    """Each reason once, with the rows it applies to."""
    rows: dict[tuple[str, str], list[str]] = {}
    for outcome in results.outcomes:
        for label, reason in outcome.failures.items():
            rows.setdefault((label, reason), []).append(f"{outcome.group} {outcome.name}")
    for fact in results.facts:
        if fact.failure:
            row = f"{fact.group} {fact.name}"
            rows.setdefault((fact.section, fact.failure), []).append(row)
    if rows:
        console.print("\n[bold]Not measured[/bold]")
    for (label, reason), where in rows.items():
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        console.print(f"{escape(label)}: {where[0]}{more}: {escape(reason)}", soft_wrap=True)


def print_comparison(old: Results, new: Results, console: Console) -> None:
    """Prints the changes between two runs, for the contests that both have.

    Ratios to peers are more meaningful than times measured on different days.
    """
    before = {outcome.key: outcome for outcome in old.outcomes}
    title = f"{old.created[:10]} -> {new.created[:10]}: ours, and the best peer's time over ours"
    table = _table("", "", "threads", "ms before", "ms now", "ratio before", "ratio now")
    for outcome in new.outcomes:
        if outcome.section != "peers" or outcome.key not in before or OURS not in outcome.tracks:
            continue
        pair: tuple[Any, ...] = (before[outcome.key], outcome)
        bests = [best_peer(each) for each in pair]
        ratios = [f"{best[1].median:.2f}x" if best else "-" for best in bests]
        times = [_milliseconds(each, OURS) or "-" for each in pair]
        table.add_row(outcome.group, outcome.name, str(outcome.threads), *times, *ratios)
    _print_table(title, table, console)
    if not table.rows:
        console.print("the two runs have no row in common")
    if old.machine != new.machine:
        console.print("[yellow]the machines differ: compare the ratios only[/yellow]")
