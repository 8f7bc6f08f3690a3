"""`emit` and `compile`: from ops to StableHLO and to artifacts."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from rich.markup import escape

from rnn_compiler import stages
from rnn_compiler.cli.options import (
    add_module_options,
    check_output,
    check_output_folder,
    console,
    module_of,
    plain_table,
)
from rnn_compiler.cli.stages import showing_stages
from rnn_compiler.compilation import ALL_LEVELS, compile, lowered_text
from rnn_compiler.execution import current_target
from rnn_compiler.files import write_files
from rnn_compiler.lowering.compiler import DEFAULT_TIMEOUT
from rnn_compiler.lowering.strategies import STRATEGIES
from rnn_compiler.runtime.artifact import Artifact

__all__ = ["add_compile", "add_emit"]


def add_emit(verbs: Any) -> None:
    """Adds the verb `emit`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "emit",
        help="write the StableHLO of one or several ops",
        description="Writes the module of one or several ops: portable StableHLO, or what the "
        "compiler is given for a target.",
    )
    add_module_options(parser)
    parser.add_argument(
        "--stage",
        choices=("stablehlo", "lowered"),
        default="stablehlo",
        help="the portable module, or as it is after lowering's rewrites (default: %(default)s)",
    )
    parser.add_argument("--target", metavar="TARGET", help="what to lower for (default: cpu)")
    _add_strategy(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="default: standard output"
    )
    parser.set_defaults(verb=_emit)


def _add_strategy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--strategy", choices=STRATEGIES, help="how to lower it (default: the fastest known)"
    )


def _emit(options: argparse.Namespace) -> int:
    check_output(options.output)
    module = module_of(options)
    if options.stage == "lowered":
        text = lowered_text(module, options.target or current_target(), options.strategy)
    else:
        text = module.text
    if options.output:
        write_files((options.output, text.encode()))
    else:
        sys.stdout.write(text)
    return 0


def add_compile(verbs: Any) -> None:
    """Adds the verb `compile`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "compile",
        help="compile one or several ops into an artifact",
        description="Compiles one or several ops into FILE.vmfb and its manifest FILE.vmfb.json; "
        "for several targets, into a bundle folder.",
    )
    add_module_options(parser)
    parser.add_argument(
        "--target",
        action="append",
        metavar="TARGET",
        help="cpu (this machine), cpu:generic, cpu:x86-64-v3, cpu:avx2,fma, cpu:levels (all "
        "levels), cuda, cuda:sm_86, cuda:t4; repeatable",
    )
    _add_strategy(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: OP.vmfb")
    parser.add_argument(
        "--timeout",
        type=float,
        default=DEFAULT_TIMEOUT,
        metavar="SECONDS",
        help="how long the compiler may take (default: %(default)g)",
    )
    parser.set_defaults(verb=_compile)


def _compile(options: argparse.Namespace) -> int:
    module = module_of(options)
    targets: list[str] = options.target or [current_target()]
    one = len(targets) == 1 and targets[0] != ALL_LEVELS
    name = module.functions[0].function
    output: Path = options.output or Path(f"{name}.vmfb" if one else name)
    if one:
        check_output(output)
        check_output(output.with_name(f"{output.name}.json"))
    else:
        check_output_folder(output)
    start = time.perf_counter()
    with showing_stages():
        result = compile(
            module,
            targets[0] if one else targets,
            strategy=options.strategy,
            timeout=options.timeout,
        )
        seconds = time.perf_counter() - start
        stages.report(f"writing {output}")
        path = result.save(output)
    artifacts = [result] if isinstance(result, Artifact) else list(result.artifacts)
    table = plain_table("function", "target", "code for", "size", title=escape(str(path)))
    for artifact in artifacts:
        target = artifact.manifest.target
        names = ", ".join(spec.function for spec in artifact.manifest.functions)
        code = target.architecture
        if target.features:
            code += f" with {len(target.features)} features"
        table.add_row(names, target.name, code, f"{len(artifact.payload):,} bytes")
    out = console()
    out.print(table)
    out.print(f"{seconds:.2f} s; next: rnn-compiler inspect {path}", style="dim", markup=False)
    return 0
