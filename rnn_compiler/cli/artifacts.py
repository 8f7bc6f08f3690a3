"""`inspect` and `run`: what an artifact is, and what it computes."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from rich.markup import escape

from rnn_compiler.cli.draws import random_arguments
from rnn_compiler.cli.options import (
    UsageError,
    add_device_option,
    check_output,
    console,
    plain_table,
)
from rnn_compiler.dtypes import DTYPES
from rnn_compiler.errors import ArtifactError, DeviceError, with_hint
from rnn_compiler.files import write_files
from rnn_compiler.manifest import FunctionSpec, TargetSpec, TensorSpec
from rnn_compiler.runtime import Artifact, default_device, load, read_artifact
from rnn_compiler.runtime.arguments import by_keyword, by_name
from rnn_compiler.runtime.devices import get_device
from rnn_compiler.weights.files import npz_bytes

__all__ = ["add_inspect", "add_run"]


def add_inspect(verbs: Any) -> None:
    """Adds the verb `inspect`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "inspect",
        help="show what an artifact is: functions, shapes, target, versions",
        description="Shows what an artifact or bundle is, after checking its digest.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a .vmfb, or a bundle folder")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(verb=_inspect)


def _inspect(options: argparse.Namespace) -> int:
    found = read_artifact(options.file)
    artifacts = [found] if isinstance(found, Artifact) else list(found.artifacts)
    found.verify(str(options.file))
    single = isinstance(found, Artifact)
    names = [options.file.name if single else f"{a.manifest.target.slug}.vmfb" for a in artifacts]
    if options.json:
        data = [a.manifest.to_json(name) for a, name in zip(artifacts, names, strict=True)]
        print(json.dumps(data[0] if isinstance(found, Artifact) else data, indent=2))
        return 0
    out = console()
    for artifact, name in zip(artifacts, names, strict=True):
        manifest = artifact.manifest
        target = manifest.target
        facts = plain_table("", "")
        facts.show_header = False
        for label, text in (
            ("file", name),
            ("payload", f"{manifest.payload_size:,} bytes, sha256 {manifest.payload_sha256}"),
            ("target", f"{target.name} ({target.architecture}, device {target.device})"),
            *_code(target),
            ("runs here", _runs_here(artifact)),
            ("strategy", manifest.strategy),
            (
                "made by",
                f"rnn-compiler {manifest.package_version}, IREE {manifest.compiler_version}",
            ),
        ):
            facts.add_row(f"[bold]{label}[/bold]", escape(text))
        out.print(facts)
        for spec in manifest.functions:
            out.print()
            out.print(_function_table(spec))
            out.print(manifest.run_command(spec, name), style="dim", markup=False)
    return 0


def _code(target: TargetSpec) -> list[tuple[str, str]]:
    """What the code needs of the processor."""
    if target.device == "cuda":
        text = f"PTX for {target.architecture}: GPUs of this architecture and of later ones"
        return [("code", text)]
    return [("CPU features", " ".join(target.features) or "the architecture's baseline")]


def _runs_here(artifact: Artifact) -> str:
    try:
        artifact.check_here("no")
        manifest = artifact.manifest
        if manifest.target.device != "local":
            get_device(default_device(manifest.functions, manifest.target.device))
    except (ArtifactError, DeviceError) as error:
        return str(error)
    return "yes"


def _function_table(spec: FunctionSpec) -> Any:
    constants = {**spec.dims, **spec.attributes}
    title = f"@{spec.function}  {spec.op} " + " ".join(f"{k}={v}" for k, v in constants.items())
    table = plain_table("", "name", "dtype", "shape", "formula", title=escape(title))
    for kind, tensors in (("in", spec.arguments), ("out", spec.results)):
        for tensor in tensors:
            table.add_row(kind, tensor.name, tensor.dtype, _shape(tensor), _formula(tensor))
    return table


def _shape(tensor: TensorSpec) -> str:
    return " x ".join(map(str, tensor.shape)) or "scalar"


def _formula(tensor: TensorSpec) -> str:
    if tensor.maximum is not None:
        return f"{tensor.minimum}..{tensor.maximum}"
    return tensor.formula.replace("[", r"\[") if tensor.shape else ""


def add_run(verbs: Any) -> None:
    """Adds the verb `run`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "run",
        help="run a function of an artifact on arrays from files",
        description="Runs a function of an artifact on arrays from .npz or .npy files.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a .vmfb, or a bundle folder")
    parser.add_argument("inputs", type=Path, nargs="?", metavar="INPUTS.npz", help="arrays by name")
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=FILE.npy",
        help="one argument, from a .npy file or as a number; or a whole .npz; repeatable",
    )
    parser.add_argument("--function", metavar="NAME", help="default: the only one")
    add_device_option(parser)
    parser.add_argument(
        "--random", action="store_true", help="draw the arguments that are not given"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.npz", help="write the results")
    parser.set_defaults(verb=_run)


def _run(options: argparse.Namespace) -> int:
    output: Path | None = options.output
    if output is not None and output.suffix != ".npz":
        output = output.with_name(f"{output.name}.npz")
    check_output(output)
    program = load(options.file, options.device)
    names = list(program.functions)
    if options.function is None and len(names) > 1:
        raise UsageError(f"--function: expected one of {', '.join(names)}")
    name = options.function or names[0]
    if name not in names:
        message = f"--function {name}: expected one of {', '.join(names)}"
        raise UsageError(with_hint(message, name, names))
    function = program.functions[name]
    files = [str(options.inputs)] if options.inputs else []
    arguments = _read_inputs([*files, *options.input], function.spec)
    if options.random:
        arguments = {**random_arguments(function.spec), **arguments}
    specs = function.spec.arguments
    missing = [a.name for a in specs if a.name not in arguments and a.default is None]
    if missing:
        raise UsageError(f"{name}: no input for {', '.join(missing)} (--random draws them)")
    start = time.perf_counter()
    given = [argument for argument in specs if argument.name in arguments]
    inputs = by_keyword(given, [arguments[argument.name] for argument in given])
    results = function(**inputs)._asdict()
    results = by_name(name, function.spec.results, results)
    milliseconds = (time.perf_counter() - start) * 1e3
    table = plain_table("result", "dtype", "shape", "min", "max", "mean", "not finite")
    for spec in function.spec.results:
        table.add_row(spec.name, spec.dtype, _shape(spec), *_summary(results[spec.name]))
    out = console()
    out.print(table)
    if output:
        stored = {name: _storable(array) for name, array in results.items()}
        write_files((output, npz_bytes(stored)))
        out.print(f"written to {output}", style="dim", markup=False)
    out.print(f"[dim]{milliseconds:.2f} ms on {program.device.uri}[/dim]")
    return 0


def _read_inputs(items: list[str], spec: FunctionSpec) -> dict[str, Any]:
    dtypes = {argument.name: argument.dtype for argument in spec.arguments}
    arrays: dict[str, Any] = {}
    for item in items:
        name, equals, source = item.partition("=")
        try:
            if not equals:
                loaded: Mapping[str, Any] = np.load(item, allow_pickle=False)
                arrays |= {key: loaded[key] for key in dtypes if key in loaded}
                continue
            number = _number(source)
            arrays[name] = np.load(source, allow_pickle=False) if number is None else number
        except (OSError, ValueError, TypeError, EOFError, BadZipFile) as error:
            raise UsageError(f"input {item}: {error}") from error
        if name not in dtypes:
            raise UsageError(f"input {item}: {spec.function} takes {', '.join(dtypes)}")
    for name, array in arrays.items():
        if dtypes[name] == "bfloat16" and getattr(array, "dtype", None) in ("V2", "uint16"):
            arrays[name] = array.view(DTYPES["bfloat16"].numpy)  # .npy files cannot name bfloat16
    return arrays


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return None


def _summary(array: Any) -> list[str]:
    values = np.asarray(array, np.float64)
    finite = values[np.isfinite(values)]
    if not finite.size:
        return ["-", "-", "-", str(values.size)]
    numbers = [f"{f(finite):.6g}" for f in (np.min, np.max, np.mean)]
    return [*numbers, str(values.size - finite.size)]


def _storable(array: Any) -> Any:
    """An array that .npz files can hold: bfloat16 as its bits."""
    return array.view(np.uint16) if array.dtype == DTYPES["bfloat16"].numpy else array
