"""The command line: what to measure, for how long, and where to write the results.

    python -m benchmarks                                  # everything, three quarters of an hour
    python -m benchmarks peers                            # against other frameworks, 25 minutes
    python -m benchmarks peers --threads 1 --rows 'block/*'
    python -m benchmarks --show benchmark.json            # tables and picture of a run

Tables are printed, all measurements are written to a JSON file, and the picture next to it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from benchmarks import plot
from benchmarks.contests import Effort
from benchmarks.peers import PEERS
from benchmarks.processes import processors
from benchmarks.report import print_comparison, print_results
from benchmarks.results import Results
from benchmarks.rows import MACHINE, OURS, OURS_IN_TORCH, TINY, Size
from benchmarks.run import carry_out, make_plan

__all__ = ["main"]

SECTIONS = {
    "peers": "ours against other frameworks, on the same work",
    "latency": "a chunk of a sequence, the state kept: half of the calls, and 99 in 100",
    "networks": "whole networks, downloaded with pip, against other runtimes",
    "wasm": "the same in WebAssembly, against onnxruntime-web and TensorFlow.js in Node.js",
    "training-step": "whole training steps, from JAX, against other frameworks; and in C",
    "fine-tuning": "training steps of ONNX files, against PyTorch",
    "scaling": "each op at a size and at four times that",
    "dtypes": "float16, bfloat16 and int8 against float32",
    "calls": "what a call costs beyond IREE's own",
    "compile": "seconds to compile, and size of the artifact",
    "memory": "peak against what must be there anyway",
    "soak": "does memory stay as it is while programs come and go",
}

QUICK = Effort(rounds=3, patience=0, turn_seconds=0.005, contest_seconds=0.2, trial_seconds=0.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 150, highlight=False)
    try:
        old = Results.load(options.compare) if options.compare else None
        if options.show:
            results = Results.load(options.show)
            options.output = options.output or options.show
        else:
            for threads in options.threads:
                processors(threads)
            options.output = options.output or Path("benchmark.json")
            results = _measure(options, console)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130
    print_results(results, console)
    if old is not None:
        print_comparison(old, results, console)
    _draw(results, options.output, console)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measures rnn-compiler, and the same work in other frameworks, side by side.",
        epilog="\n".join(f"{name:13} {text}" for name, text in SECTIONS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("sections", nargs="*", metavar="SECTION", help="default: all of those below")
    add("--rows", metavar="PATTERN", help="only those that match, 'block/*', '*/50x*'")
    peers = [name for name in PEERS if name not in (OURS, OURS_IN_TORCH, MACHINE)]
    add(
        "--peers",
        type=_list_of(str, [*peers, "none"]),
        default=peers,
        metavar="NAME,...",
        help=f"of {', '.join(peers)}; or none (default: those installed)",
    )
    add(
        "--threads",
        type=_list_of(int),
        default=sorted({1, min(2, len(os.sched_getaffinity(0)))}),
        metavar="N,...",
        help="default: 1,2",
    )
    add("--size", type=Size.parse, action="append", metavar="T,B,I,H", help="instead of the usual")
    add("--rounds", type=_positive, default=Effort.rounds, help="at most (default: %(default)s)")
    add(
        "--budget",
        type=float,
        default=Effort.contest_seconds,
        metavar="SECONDS",
        help="about what a row may take, at least three rounds (default: %(default)g)",
    )
    add(
        "--patience",
        type=float,
        default=Effort.patience,
        metavar="SECONDS",
        help="how long a row may wait for others to leave the processors (default: %(default)g)",
    )
    add("--quick", action="store_true", help="a tiny size, three short rounds: does it all work?")
    add("-o", "--output", type=Path, metavar="FILE.json", help="default: benchmark.json")
    add("--compare", type=Path, metavar="OLD.json", help="also print what changed since a run")
    add(
        "--resume",
        action="store_true",
        help="keep what the output file has: measure what it lacks, and what others disturbed",
    )
    add("--show", type=Path, metavar="FILE.json", help="measure nothing: show a run again")
    return parser


def _list_of(kind: type, known: Sequence[str] | None = None) -> Callable[[str], list[object]]:
    def parse(text: str) -> list[object]:
        values = [kind(part) for part in text.split(",") if part]
        unknown = [value for value in values if known and value not in known]
        if unknown or not values:
            raise argparse.ArgumentTypeError(f"{text!r}: expected some of {', '.join(known or ())}")
        return values

    parse.__name__ = "value"
    return parse


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def _measure(options: argparse.Namespace, console: Console) -> Results:
    """Measures everything requested."""
    sections: list[str] = options.sections or list(SECTIONS)
    unknown = [section for section in sections if section not in SECTIONS]
    if unknown:
        raise ValueError(f"no section {unknown[0]!r}: expected some of {', '.join(SECTIONS)}")
    if options.output.is_dir() or not options.output.parent.is_dir():
        raise ValueError(f"{options.output}: not a file name in a folder that exists")
    sizes = options.size or ([TINY] if options.quick else None)
    plan = make_plan(sections, sizes, options.peers, options.rows or "*", options.quick)
    if not plan.contests and not plan.cases:
        raise ValueError(f"no row matches {options.rows!r}")
    taking_part = {entrant.peer for contest in plan.contests for entrant in contest.entrants}
    for peer in sorted(taking_part):
        if PEERS[peer].missing:
            console.print(f"{peer} takes no part: {PEERS[peer].missing}", style="yellow")
    effort = Effort(options.rounds, options.patience, contest_seconds=options.budget)
    results = Results.begin()
    if options.resume and options.output.exists():
        results = Results.load(options.output).continued(results)
    carry_out(plan, options.threads, QUICK if options.quick else effort, results, options.output)
    console.print(f"written to {options.output}", style="dim", markup=False)
    return results


def _draw(results: Results, output: Path, console: Console) -> None:
    try:
        files = plot.draw(results, output)
    except ImportError:
        console.print("no picture: it needs matplotlib (pip install matplotlib)", markup=False)
        return
    for file in files:
        console.print(f"see {file}", style="dim", markup=False)


if __name__ == "__main__":
    sys.exit(main())
