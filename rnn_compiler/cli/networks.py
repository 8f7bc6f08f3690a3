"""`import --whole`: a whole network as one compiled function, as C or as JavaScript."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rnn_compiler.base import stages
from rnn_compiler.base.files import check_replaceable, made_folder, write_files
from rnn_compiler.cli.formats import compiled
from rnn_compiler.cli.import_readme import Imported, readme, tensor_rows
from rnn_compiler.cli.options import UsageError, check_output_folder, pairs
from rnn_compiler.cli.terminal import print_json, print_line, print_table, showing_stages
from rnn_compiler.modules import Module
from rnn_compiler.network_import import import_network
from rnn_compiler.runtime.stream_ops import likely_states
from rnn_compiler.schema.manifest import FunctionSpec, TensorSpec
from rnn_compiler.schema.open_sizes import json_sizes


def add_whole_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `import` for whole networks."""
    parser.add_argument(
        "--whole",
        action="store_true",
        help="import the whole network of an .onnx file as one function, not only its recurrent "
        "layers; --dim then gives the size of an axis, such as batch=1, or the shape of an input, "
        "such as x=50x1x8; any in place of a number leaves the axis open",
    )
    parser.add_argument(
        "--value",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="with --whole: inputs that become constants, such as sr=16000",
    )
    parser.add_argument(
        "--state",
        action="append",
        default=[],
        metavar="INPUT=OUTPUT,...",
        help="with --whole: inputs that are states, each with the output that is its next value, "
        "such as state=stateN; program.stream then keeps them between calls",
    )


def import_whole(options: argparse.Namespace) -> int:
    """Imports a network; compiles it if a folder is named."""
    path = _check(options)
    start = time.perf_counter()
    with showing_stages():
        stages.report(f"importing {path.name}")
        module = import_network(
            path,
            dims={key: _size(key, text) for key, text in pairs(options.dim, "--dim")},
            values={key: _number(key, text) for key, text in pairs(options.value, "--value")},
            states=dict(pairs(options.state, "--state")),
            quantize=options.quantize,
        )
        files = [] if options.output is None else _write(options, module)
    seconds = time.perf_counter() - start
    spec = module.functions[0]
    if options.json:
        facts = {"files": [str(each) for each in files], "seconds": seconds, **_facts(module)}
        print_json(facts)
        return 0
    for each in files:
        print_line(str(each))
    print_table(("", "name", "type"), tensor_rows(spec))
    recurrent = ", ".join(each.op for each in module.linked) or "none"
    print_line(f"recurrent layers: {recurrent}; weights: {_weights(module):,} bytes")
    _print_states(spec)
    words = [str(path), "--whole", *(f"--dim={each}" for each in options.dim)]
    words += [f"--value={each}" for each in options.value]
    words += [f"--state={each}" for each in options.state]
    words += [f"--quantize={options.quantize}"] if options.quantize else []
    following = (
        f"less {files[-1]}" if files else f"rnn-compiler import {shlex.join(words)} -o FOLDER"
    )
    if not files and spec.open_dims:
        following += f"  (open, and any size works: {', '.join(spec.open_dims)})"
    print_line(f"{seconds:.2f} s; next: {following}", dim=True)
    return 0


def _print_states(spec: FunctionSpec) -> None:
    """Prints the states that a stream keeps between calls, or may keep if the user says so."""
    kept = _states(spec)
    if kept:
        print_line(f"states that a stream keeps: {_shown(kept)}")
    elif likely := likely_states(spec):
        options = ",".join(f"{before}={after}" for before, after in likely.items())
        print_line(f"of the same type: {_shown(likely)}; if these are states: --state {options}")


def _states(spec: FunctionSpec) -> dict[str, str]:
    """The states of a network, each with the output that holds its next value."""
    return {} if spec.chunked is None else {k: v[0] for k, v in spec.chunked.states.items()}


def _shown(states: Mapping[str, str]) -> str:
    return ", ".join(f"{before} <- {after}" for before, after in states.items())


def _check(options: argparse.Namespace) -> Path:
    """The file of a network; checks that the other options suit it."""
    if len(options.paths) != 1:
        raise UsageError("--whole: one file at a time")
    for flag in ("layer", "attr", "weights_apart"):
        if getattr(options, flag):
            raise UsageError(f"--{flag.replace('_', '-')} is for layers, not for --whole")
    compiling = options.target or options.name or options.golden or options.format != "vmfb"
    if options.output is None and compiling:
        flags = "--target, --format, --golden and --name"
        raise UsageError(f"{flags} are for compiling: name a folder with -o")
    if options.output is not None:
        check_output_folder(options.output)
    return options.paths[0]


def _size(key: str, text: str) -> int | list[int | None] | None:
    """A size, or the sizes of a shape, ``50x1x8``; ``any`` or ``?`` leaves an axis open."""
    try:
        sizes = [None if each in ("any", "?") else int(each) for each in text.split("x")]
    except ValueError:
        expected = "expected a size, 50, or a shape, 50x1x8, or any in place of a number"
        raise UsageError(f"--dim {key}={text}: {expected}") from None
    return sizes if len(sizes) > 1 else sizes[0]


def _number(key: str, text: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise UsageError(f"--value {key}={text}: expected a number")


def _write(options: argparse.Namespace, module: Module) -> list[Path]:
    """Compiles a network and writes it with a README; returns the files, the README last."""
    folder: Path = options.output
    page = folder / "README.md"
    check_replaceable(page)
    product = compiled(options, module, options.name, folder)
    made = Imported([module.name], product.functions, [None])
    text = readme(made, options.format, product.name, product.targets, product.manifest)
    with made_folder(folder):
        files = product.save()
        write_files((page, text.encode()))
    return [*files, page]


def _weights(module: Module) -> int:
    arrays: list[Any] = list(module.parameters.values())
    return sum(array.nbytes for array in arrays)


def _facts(module: Module) -> dict[str, Any]:
    """A network as plain data."""

    def listed(tensors: Sequence[TensorSpec]) -> list[dict[str, Any]]:
        return [
            json_sizes({"name": t.name, "dtype": t.dtype, "shape": t.shape}, ()) for t in tensors
        ]

    spec = module.functions[0]
    return {
        "name": module.name,
        "inputs": listed(spec.arguments),
        "outputs": listed(spec.results),
        "states": _states(spec),
        "likely_states": likely_states(spec),
        "recurrent": [each.op for each in module.linked],
        "weights": _weights(module),
    }
