"""`run`: calls a function of an artifact with given or random arguments."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from rnn_compiler.base.files import write_files
from rnn_compiler.cli.arrays import open_npz, read_npy, unused_note
from rnn_compiler.cli.inspect import shape_text
from rnn_compiler.cli.options import (
    UsageError,
    add_device_option,
    add_json_option,
    check_output,
    number,
    open_sizes,
)
from rnn_compiler.cli.terminal import print_json, print_line, print_table
from rnn_compiler.errors import with_hint
from rnn_compiler.random_arguments import random_arguments
from rnn_compiler.runtime import Function, Program, load
from rnn_compiler.runtime.arguments import by_keyword, by_name
from rnn_compiler.runtime.golden import storable
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.specs import FunctionSpec
from rnn_compiler.weights.files import npz_bytes


def add_run(verbs: Any) -> None:
    """Adds the verb `run`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "run",
        help="run a function of an artifact on arrays from files",
        description="Runs a function of an artifact on arrays from .npz or .npy files.",
    )
    help_text = "a .vmfb file, or the folder of a bundle"
    parser.add_argument("file", type=Path, metavar="FILE", help=help_text)
    help_text = "the arguments, as arrays by name"
    parser.add_argument("inputs", type=Path, nargs="?", metavar="INPUTS.npz", help=help_text)
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=FILE.npy",
        help="one argument, as a .npy file or a number, such as seq_len_max=3; or another file "
        "like INPUTS.npz; repeatable",
    )
    help_text = "the function to run (default: the only one)"
    parser.add_argument("--function", metavar="NAME", help=help_text)
    add_device_option(parser)
    parser.add_argument(
        "--parameters",
        type=Path,
        metavar="FILE.irpa",
        help="the frozen weights (default: the file next to the artifact)",
    )
    parser.add_argument(
        "--random",
        action="store_true",
        help="draw random numbers for missing arguments",
    )
    parser.add_argument(
        "--dim",
        action="append",
        default=[],
        metavar="NAME=N,...",
        help="with --random: the values of open sizes, such as seq_length=32 (default: those of "
        "the given arrays, or else small ones)",
    )
    help_text = "write the results to this file"
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.npz", help=help_text)
    add_json_option(parser)
    parser.set_defaults(verb=_run)


def _run(options: argparse.Namespace) -> int:
    output: Path | None = options.output
    if output is not None and output.suffix != ".npz":
        output = output.with_name(f"{output.name}.npz")
    check_output(output)
    arrays: Path | None = options.inputs
    if arrays is not None and arrays.resolve() == options.file.resolve():
        raise UsageError(
            f"{arrays} is the artifact itself: the second file has the arguments, as "
            "numpy.savez writes arrays by name; --random fills in those that are missing"
        )
    program = load(options.file, options.device, parameters=options.parameters)
    name, function = _chosen_function(program, options.function)
    arguments = _arguments(name, function.spec, options)
    start = time.perf_counter()
    given = [each for each in function.spec.arguments if each.name in arguments]
    inputs = by_keyword(given, [arguments[each.name] for each in given])
    results = function(**inputs)._asdict()
    results = by_name(name, function.spec.results, results)
    milliseconds = (time.perf_counter() - start) * 1e3
    if output:
        stored = {name: storable(array) for name, array in results.items()}
        write_files((output, npz_bytes(stored)))
    at_sizes = [
        replace(spec, shape=tuple(results[spec.name].shape)) for spec in function.spec.results
    ]
    rows = [(spec, _summary(results[spec.name])) for spec in at_sizes]
    if options.json:
        facts = {
            "file": str(options.file),
            "function": name,
            "device": program.device.uri,
            "milliseconds": milliseconds,
            "output": str(output) if output else None,
            "results": [
                {"name": spec.name, "dtype": spec.dtype, "shape": list(spec.shape), **summary}
                for spec, summary in rows
            ],
        }
        print_json(facts)
        return 0
    print_table(
        ("result", "dtype", "shape", "min", "max", "mean", "not finite"),
        [
            (spec.name, spec.dtype, shape_text(spec), *map(_cell, summary.values()))
            for spec, summary in rows
        ],
    )
    if output:
        print_line(f"written to {output}", dim=True)
    print_line(f"{milliseconds:.2f} ms on {program.device.uri}", dim=True)
    return 0


def _chosen_function(program: Program, chosen: str | None) -> tuple[str, Function]:
    """The function to run, and its name; the only one need not be named."""
    names = list(program.functions)
    if chosen is None and len(names) > 1:
        raise UsageError(f"--function: expected one of {', '.join(names)}")
    name = chosen or names[0]
    if name not in names:
        message = f"--function {name}: expected one of {', '.join(names)}"
        raise UsageError(with_hint(message, name, names))
    return name, program.functions[name]


def _arguments(name: str, spec: FunctionSpec, options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of a function, from files or at random."""
    files = [str(options.inputs)] if options.inputs else []
    arguments = _read_inputs([*files, *options.input], spec)
    sizes = open_sizes(options, spec.open_dims, f"{name} of {options.file}")
    if options.random:
        arguments = {**random_arguments(spec, arguments, sizes), **arguments}
    elif sizes:
        raise UsageError("--dim: only with --random; otherwise the arrays determine the sizes")
    missing = [
        each.name for each in spec.arguments if each.name not in arguments and each.default is None
    ]
    if missing:
        listed = ", ".join(missing)
        note = f"(--random fills them in){unused_note(options.inputs, spec)}"
        raise UsageError(f"{name}: arguments are missing: {listed} {note}")
    return arguments


def _read_inputs(items: list[str], spec: FunctionSpec) -> dict[str, Any]:
    dtypes = {argument.name: argument.dtype for argument in spec.arguments}
    arrays: dict[str, Any] = {}
    for item in items:
        name, equals, source = item.partition("=")
        try:
            if not equals:
                with open_npz(item) as loaded:
                    arrays |= {key: loaded[key] for key in dtypes if key in loaded}
                continue
            arrays[name] = _number_or_array(source)
        except (OSError, ValueError, TypeError, EOFError, MemoryError, BadZipFile) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(f"input {item}: {reason}") from error
        if name not in dtypes:
            raise UsageError(f"input {item}: {spec.function} takes {', '.join(dtypes)}")
    for name, array in arrays.items():
        if dtypes[name] == "bfloat16" and getattr(array, "dtype", None) in ("V2", "uint16"):
            arrays[name] = array.view(DTYPES["bfloat16"].numpy)  # .npy files lack this dtype
    return arrays


def _number_or_array(text: str) -> Any:
    """The value of ``--input NAME=``: a number, or the array of a .npy file."""
    found = number(text)
    return read_npy(text) if found is None else found


def _summary(array: Any) -> dict[str, float | int | None]:
    """A summary of an array's numbers; None if none is finite."""
    values = np.asarray(array, np.float64)
    finite = values[np.isfinite(values)]
    statistics = {"min": np.min, "max": np.max, "mean": np.mean}
    with np.errstate(over="ignore"):
        numbers = {
            name: float(f(finite)) if finite.size else None for name, f in statistics.items()
        }
    return {
        **{k: v if v is not None and np.isfinite(v) else None for k, v in numbers.items()},
        "not_finite": values.size - finite.size,
    }


def _cell(number: float | int | None) -> str:
    return "-" if number is None else f"{number:.6g}"
