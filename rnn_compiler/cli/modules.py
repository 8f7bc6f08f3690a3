"""`emit` and `compile`: from ops to StableHLO and to artifacts."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnn_compiler.base import stages
from rnn_compiler.base.files import write_files
from rnn_compiler.c_compilation import compile_c
from rnn_compiler.cli.options import (
    TARGETS,
    TARGETS_OF_FORMATS,
    UsageError,
    add_golden_option,
    add_json_option,
    add_module_options,
    check_output,
    check_output_folder,
    module_of,
)
from rnn_compiler.cli.sizes import add_sizes_options, compile_sizes, sizes_of
from rnn_compiler.cli.terminal import (
    print_json,
    print_line,
    print_table,
    print_text,
    showing_stages,
)
from rnn_compiler.compilation import ALL_LEVELS, compile
from rnn_compiler.emission import lowered_text
from rnn_compiler.execution import current_target
from rnn_compiler.goldens import golden
from rnn_compiler.js_compilation import WASM, compile_js
from rnn_compiler.lowering.compiler.iree_compile import DEFAULT_TIMEOUT
from rnn_compiler.lowering.targets.strategies import STRATEGIES, STRATEGY_PASSES
from rnn_compiler.modules import Module
from rnn_compiler.runtime.artifact import Artifact
from rnn_compiler.runtime.paths import archive_path, golden_path

__all__ = [
    "add_compile",
    "add_compile_options",
    "add_emit",
    "add_format_option",
    "check_format",
    "only_target",
    "save_compiled",
]

_AFTER = {f"after:{name}": name for names in STRATEGY_PASSES.values() for name in names}
_PASSES_TEXT = "; ".join(f"{name}: {', '.join(passes)}" for name, passes in STRATEGY_PASSES.items())

_COMPILED = """\
Compiles one or several ops. What it writes depends on the options:

  by default          NAME.vmfb and its manifest, NAME.vmfb.json
  --weights           also NAME.irpa, the frozen weights
  --golden            also NAME.vmfb.golden.npz, for the verb verify
  several --target    a bundle: a folder with a .vmfb for each target
  several sizes       a folder with a .vmfb for each (a range in --dim, or --dims)
  --format c          a folder with NAME.h, NAME.c, NAME.o and NAME.json; build a program
                      with cc main.c NAME.c NAME.o. With --golden, also NAME_selftest.c
  --format js         a folder with NAME.mjs, NAME.wasm, NAME.d.ts and NAME.json
"""


def add_emit(verbs: Any) -> None:
    """Adds the verb `emit`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "emit",
        help="write the StableHLO of one or several ops",
        description="Writes the module of one or several ops, as portable StableHLO or as the "
        "input of the compiler for a target.",
    )
    add_module_options(parser)
    parser.add_argument(
        "--stage",
        choices=("stablehlo", "lowered", *_AFTER),
        default="stablehlo",
        metavar="STAGE",
        help="stablehlo, the portable module; lowered, the input of the compiler; or after:PASS, "
        "the module after a pass (default: %(default)s). Each strategy has passes of its own "
        f"({_PASSES_TEXT})",
    )
    parser.add_argument(
        "--target",
        metavar="TARGET",
        help="the target of the stages lowered and after:PASS (default: RNN_COMPILER_TARGET, else "
        "cpu)",
    )
    _add_strategy(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the file (default: standard output)"
    )
    parser.set_defaults(verb=_emit)


def _add_strategy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--strategy",
        choices=STRATEGIES,
        help="how loops are lowered (default: the fastest for the target)",
    )


def _emit(options: argparse.Namespace) -> int:
    check_output(options.output)
    module = module_of(options)
    if options.stage != "stablehlo":
        target, last = options.target or current_target(), _AFTER.get(options.stage)
        text = lowered_text(module, target, options.strategy, last)
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
        help="compile one or several ops into an artifact, C or JavaScript",
        description=_COMPILED,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_module_options(parser)
    add_sizes_options(parser)
    name = "the name of the module or else of its first function, such as block_lstm_v2.vmfb"
    add_compile_options(parser, name, TARGETS_OF_FORMATS)
    add_format_option(parser)
    add_json_option(parser)
    parser.set_defaults(verb=_compile)


def add_compile_options(
    parser: argparse.ArgumentParser, output: str, other_targets: str = ""
) -> None:
    """Adds the options of a compilation: target, strategy, output and time limit.

    Args:
        parser: The parser.
        output: The default name of the file.
        other_targets: The targets of other formats, in words.
    """
    parser.add_argument(
        "--target",
        action="append",
        metavar="TARGET",
        help=f"{TARGETS}{other_targets}; repeatable (default: RNN_COMPILER_TARGET, else cpu)",
    )
    _add_strategy(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help=f"the file or folder (default: {output}; for a folder, without .vmfb)",
    )
    add_golden_option(parser)
    parser.add_argument(
        "--timeout",
        type=float,
        default=DEFAULT_TIMEOUT,
        metavar="SECONDS",
        help="how long the compiler may take (default: %(default)g)",
    )


def add_format_option(parser: argparse.ArgumentParser) -> None:
    """Adds the choice of the output format."""
    parser.add_argument(
        "--format",
        choices=("vmfb", "c", "js"),
        default="vmfb",
        help="vmfb, a module for IREE's runtime; c, a folder with a header, a source file and an "
        "object file for a CPU, which depend on libc only; js, a folder with a JavaScript module "
        "and WebAssembly (default: %(default)s)",
    )
    parser.add_argument(
        "--prefix",
        action="store_true",
        help="for C: prefix function names with the module's name, so that modules with functions "
        "of the same name can be linked into one program",
    )


def check_format(options: argparse.Namespace) -> None:
    """Checks the options that only one format has.

    Raises:
        UsageError: They are given for another format.
    """
    if options.prefix and options.format != "c":
        raise UsageError("--prefix is for C: add --format c")
    if options.golden and options.format == "js":
        raise UsageError("--golden: not with --format js")


def only_target(options: argparse.Namespace) -> str:
    """The target of a format that takes one.

    Raises:
        UsageError: There are several targets.
    """
    default = WASM if options.format == "js" else current_target()
    targets: list[str] = options.target or [default]
    if len(targets) != 1 or targets[0] == ALL_LEVELS:
        raise UsageError(
            f"--format {options.format}: takes one target; compile each into a folder of its own"
        )
    return targets[0]


def _compile(options: argparse.Namespace) -> int:
    check_format(options)
    sizes = sizes_of(options)
    if sizes is not None:
        return compile_sizes(options, sizes)
    module = module_of(options)
    if options.format == "c":
        return _compile_c(options, module, only_target(options))
    if options.format == "js":
        return _compile_js(options, module)
    return save_compiled(options, module, module.name or module.functions[0].function)


def save_compiled(options: argparse.Namespace, module: Module, name: str) -> int:
    """Compiles a module for the requested targets, saves the result and prints a summary.

    Args:
        options: The options of `add_compile_options`.
        module: The module.
        name: The default name of the file or folder.
    """
    targets: list[str] = options.target or [current_target()]
    one = len(targets) == 1 and targets[0] != ALL_LEVELS
    output: Path = options.output or Path(f"{name}.vmfb" if one else name)
    if one:
        check_output(output)
        check_output(output.with_name(f"{output.name}.json"))
        check_output(golden_path(output) if options.golden else None)
        if module.parameters:
            check_output(archive_path(output))
    else:
        check_output_folder(output)
    start = time.perf_counter()
    with showing_stages(), stages.noting_origins() as origins:
        result = compile(
            module,
            targets[0] if one else targets,
            strategy=options.strategy,
            timeout=options.timeout,
        )
        seconds = time.perf_counter() - start
        samples = golden(module, result) if options.golden else None
        stages.report(f"writing {output}")
        path = result.save(output, golden=samples)
    artifacts = [result] if isinstance(result, Artifact) else list(result.artifacts)
    if options.json:
        facts = _facts(artifacts, path, seconds, origins)
        print_json({**facts, "golden": samples and samples.computed_by})
        return 0
    rows: list[tuple[str, ...]] = []
    for artifact, origin in zip(artifacts, origins, strict=False):
        target = artifact.manifest.target
        code = target.architecture
        if target.features:
            code += f" with {len(target.features)} features"
        rows.append((target.name, code, f"{len(artifact.payload):,} bytes", origin))
    print_line(str(path))
    print_text(f"functions: {', '.join(spec.function for spec in module.functions)}")
    if module.linked:
        print_text(f"linked: {', '.join(spec.op for spec in module.linked)}")
    print_table(("target", "code for", "size", "cache"), rows)
    if samples is not None:
        print_text(f"golden: computed by {samples.computed_by}; rnn-compiler verify compares")
    archive = artifacts[0].archive
    if archive is not None:
        print_text(f"frozen weights: {len(archive):,} bytes in {archive_path(path)}")
    for artifact in artifacts:
        for loop, reason in artifact.manifest.plain_loops.items():
            print_text(f"{artifact.manifest.target.name}: time loop {loop} stays plain: {reason}")
    print_line(f"{seconds:.2f} s; next: rnn-compiler inspect {shlex.quote(str(path))}", dim=True)
    return 0


def _compile_c(options: argparse.Namespace, module: Module, target: str) -> int:
    """Compiles to the four C files."""
    folder: Path = options.output or Path(module.name or module.functions[0].function)
    check_output_folder(folder)
    start = time.perf_counter()
    with showing_stages():
        samples = golden(module, target) if options.golden else None
        made = compile_c(
            module,
            target,
            prefix=options.prefix,
            strategy=options.strategy,
            golden=samples,
            timeout=options.timeout,
        )
        seconds = time.perf_counter() - start
        stages.report(f"writing {folder}")
        made.save(folder)
    functions = made.manifest["functions"]
    facts = {
        "path": str(folder),
        "seconds": seconds,
        "functions": [row["function"] for row in functions],
        "files": [str(folder / file) for file in made.files],
        "target": made.manifest["target"],
        "manifest": str(folder / f"{made.name}.json"),
        "golden": samples and samples.computed_by,
    }
    if options.json:
        print_json(facts)
        return 0
    print_line(str(folder))
    sizes = [row["scratch_size"] for row in functions]
    texts = [size if isinstance(size, str) else f"{size:,}" for size in sizes]  # or a formula
    rows = [(row["function"], f"{text} bytes") for row, text in zip(functions, texts, strict=True)]
    print_table(("function", "scratch memory"), rows)
    print_table(("file", "size"), [(f, f"{len(data):,} bytes") for f, data in made.files.items()])
    if samples is not None:
        print_text(f"golden: computed by {samples.computed_by}; rnn-compiler verify compares")
    source, code = (shlex.quote(str(folder / f"{made.name}{end}")) for end in (".c", ".o"))
    include = shlex.quote(str(folder))
    print_line(f"{seconds:.2f} s; next: cc -I{include} main.c {source} {code}", dim=True)
    return 0


def _compile_js(options: argparse.Namespace, module: Module) -> int:
    """Compiles into the four files of JavaScript."""
    folder: Path = options.output or Path(module.name or module.functions[0].function)
    check_output_folder(folder)
    target = only_target(options)
    start = time.perf_counter()
    with showing_stages():
        made = compile_js(module, target, strategy=options.strategy, timeout=options.timeout)
        seconds = time.perf_counter() - start
        stages.report(f"writing {folder}")
        made.save(folder)
    if options.json:
        facts = {
            "path": str(folder),
            "seconds": seconds,
            "functions": [row["function"] for row in made.manifest["functions"]],
            "files": [str(folder / file) for file in made.files],
            "target": made.manifest["target"],
            "manifest": str(folder / f"{made.name}.json"),
        }
        print_json(facts)
        return 0
    print_line(str(folder))
    print_table(("file", "size"), [(f, f"{len(data):,} bytes") for f, data in made.files.items()])
    source = json.dumps(f"./{folder.name}/{made.name}.mjs")
    print_line(f"{seconds:.2f} s; next: import {{ load }} from {source};", dim=True)
    return 0


def _facts(
    artifacts: Sequence[Artifact], path: Path, seconds: float, origins: Sequence[str]
) -> dict[str, Any]:
    """The output as plain data."""
    files = (
        [path] if path.is_file() else [path / f"{a.manifest.target.slug}.vmfb" for a in artifacts]
    )
    return {
        "path": str(path),
        "seconds": seconds,
        "functions": [spec.function for spec in artifacts[0].manifest.functions],
        "linked": [spec.op for spec in artifacts[0].manifest.linked],
        "parameters": None if artifacts[0].archive is None else str(archive_path(path)),
        "artifacts": [
            {
                "file": str(file),
                "target": artifact.manifest.target.name,
                "architecture": artifact.manifest.target.architecture,
                "features": list(artifact.manifest.target.features),
                "size": len(artifact.payload),
                "sha256": artifact.manifest.payload_sha256,
                "plain_loops": artifact.manifest.plain_loops,
                "origin": origin,
            }
            for file, artifact, origin in zip(files, artifacts, origins, strict=False)
        ],
    }
