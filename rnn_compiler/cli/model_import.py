"""`import`: the recurrent layers of models, as a table or as a compiled module."""

from __future__ import annotations

import argparse
import re
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnn_compiler import stages
from rnn_compiler.cli.options import UsageError, add_json_option, check_output_folder, keywords_of
from rnn_compiler.cli.terminal import (
    print_json,
    print_line,
    print_table,
    print_text,
    showing_stages,
)
from rnn_compiler.compilation import ALL_LEVELS, compile
from rnn_compiler.execution import current_target
from rnn_compiler.files import made_folder, write_files
from rnn_compiler.model_import import Layer, import_model
from rnn_compiler.model_import.whole import build_layers, function_names, identifier
from rnn_compiler.runtime.artifact import Artifact
from rnn_compiler.runtime.paths import BUNDLE_ARCHIVE, archive_path
from rnn_compiler.schema.manifest import FunctionSpec
from rnn_compiler.schema.open_sizes import shown
from rnn_compiler.weights.files import npz_bytes

__all__ = ["add_import"]


def add_import(verbs: Any) -> None:
    """Adds the verb `import`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "import",
        help="find, and compile, the recurrent layers of models",
        description="Lists the recurrent layers of models, with sizes and weights; with -o, "
        "compiles them into one module with a function each. No framework is needed.",
    )
    parser.add_argument(
        "paths",
        type=Path,
        nargs="+",
        metavar="PATH",
        help="a SavedModel folder, a frozen GraphDef .pb, a .keras or .h5 file, or an .onnx file",
    )
    parser.add_argument(
        "--layer",
        action="append",
        metavar="NAME",
        help="a layer that is wanted; repeatable (default: all)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FOLDER",
        help="write the compiled module, its weights and a README into this folder",
    )
    parser.add_argument(
        "--dim",
        action="append",
        default=[],
        metavar="NAME=N,...",
        help="dimensions that the model leaves open, or that replace its: batch_size=1; "
        "seq_length=?,batch_size=? for any",
    )
    parser.add_argument(
        "--attr",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="attributes that replace the model's, where a layer has them: is_training=false",
    )
    parser.add_argument(
        "--target",
        action="append",
        metavar="TARGET",
        help="cpu (this machine), cpu:x86-64-v3, cuda:sm_86, ...; repeatable (default: cpu)",
    )
    parser.add_argument(
        "--weights-apart",
        action="store_true",
        help="write the weights into .npz files, and not into the module",
    )
    add_json_option(parser)
    parser.set_defaults(verb=_import)


def _import(options: argparse.Namespace) -> int:
    if options.output is None:
        for flag in ("dim", "attr", "target"):
            if getattr(options, flag):
                raise UsageError(f"--{flag} is for compiling: name a folder with -o")
    else:
        check_output_folder(options.output)
    paths: list[Path] = options.paths
    layers = _layers(paths, options.layer)
    if options.output is None:
        if options.json:
            print_json([_facts(layer) for layer in layers])
        else:
            _print_layers(paths, layers)
        return 0
    start = time.perf_counter()
    apart: bool = options.weights_apart
    files = _write(options, layers, apart)
    seconds = time.perf_counter() - start
    if options.json:
        facts = [_facts(layer) for layer in layers]
        print_json({"files": [str(each) for each in files], "seconds": seconds, "layers": facts})
        return 0
    for each in files:
        print_line(str(each))
    functions = ", ".join(function_names(layers))
    print_text(f"functions: {functions}")
    print_line(f"{seconds:.2f} s; next: less {shlex.quote(str(files[-1]))}", dim=True)
    return 0


def _layers(paths: Sequence[Path], names: Sequence[str] | None) -> list[Layer]:
    """The layers of models, or those of some names."""
    if len(paths) == 1 or names is None:
        return [layer for path in paths for layer in import_model(path, layers=names)]
    layers = [layer for path in paths for layer in import_model(path)]
    known = [layer.name for layer in layers]
    for name in names:
        if name not in known:
            raise UsageError(f"--layer {name}: expected names out of {', '.join(known)}")
    return [layer for layer in layers if layer.name in names]


def _write(options: argparse.Namespace, layers: Sequence[Layer], apart: bool) -> list[Path]:
    """Compiles the layers; the files that were written, the README last."""
    folder: Path = options.output
    models = [path.resolve().name for path in options.paths]
    name = identifier(Path(models[0]).stem)
    given = keywords_of(options, list(dict.fromkeys(layer.op for layer in layers)))
    try:
        module = build_layers(layers, name=name, frozen=not apart, **given)
    except TypeError as error:
        raise UsageError(f"--dim: {error}") from error
    targets: list[str] = options.target or [current_target()]
    one = len(targets) == 1 and targets[0] != ALL_LEVELS
    with showing_stages():
        result = compile(module, targets[0] if one else targets)
        path = folder / (f"{name}.vmfb" if one else name)
        stages.report(f"writing {path}")
    written: list[tuple[Path, bytes | memoryview]] = []
    names = function_names(layers)
    for function, layer in zip(names, layers, strict=True):
        if apart and layer.weights:
            written.append((folder / f"{function}.npz", npz_bytes(_storable(layer))))
    commands = _iree_commands(result, path) if isinstance(result, Artifact) else []
    text = readme(models, path.name, layers, module.functions, apart, commands)
    written.append((folder / "README.md", text.encode()))
    with made_folder(folder):
        result.save(path)
        write_files(*written)
    archive = archive_path(path)  # of weights that are in the module
    return [path, *([archive] if archive.exists() else []), *(each for each, _ in written)]


def _iree_commands(artifact: Artifact, path: Path) -> list[str]:
    """What calls each function with IREE's own tool, in the folder of the artifact."""
    manifest = artifact.manifest
    names = path.name, archive_path(path).name
    return [manifest.run_command(spec, *names) for spec in manifest.functions]


def _storable(layer: Layer) -> dict[str, Any]:
    """The weights of a layer as numpy's files can hold them: bfloat16 as its bits."""
    arrays: dict[str, Any] = dict(layer.weights)
    return {
        name: array.view("uint16") if array.dtype.name == "bfloat16" else array
        for name, array in arrays.items()
    }


def readme(
    models: Sequence[str],
    name: str,
    layers: Sequence[Layer],
    functions: Sequence[FunctionSpec],
    apart: bool,
    commands: Sequence[str],
) -> str:
    """How to call what was compiled.

    Args:
        models: The names of the models' files.
        name: The compiled module.
        layers: Its layers.
        functions: Their functions.
        apart: Whether the weights are in files of their own.
        commands: What calls them with IREE's own tool.
    """
    lines = [
        f"# {', '.join(map(_plain, models))}",
        "",
        f"`{name}` holds the recurrent layers, a function each. " + _where(layers, name, apart),
        "",
        "| function | layer | op | dtype | sizes |",
        "|---|---|---|---|---|",
    ]
    for layer, spec in zip(layers, functions, strict=True):
        sizes = ", ".join(f"{dim} {shown(size)}" for dim, size in spec.dims.items())
        cells = (f"`{spec.function}`", _plain(layer.name), layer.op, spec.dtype, sizes)
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "```python", "import numpy as np", "import rnn_compiler as rc", ""]
    lines.append(f'program = rc.runtime.load("{name}")')
    for layer, spec in zip(layers, functions, strict=True):
        weights = set(layer.weights) if apart else set[str]()
        given = [a for a in spec.arguments if a.name not in weights and a.default is None]
        passed = [f"{a.name}=...,  # {a.dtype} {_listed(a.shape)}" for a in given]
        passed += [f'**np.load("{spec.function}.npz"),'] if weights else []
        lines += [f"out = program.{spec.function}(", *(f"    {each}" for each in passed), ")"]
        results = ", ".join(f"{r.name} {_listed(r.shape)}" for r in spec.results)
        lines.append(f"# out: {results}")
    lines.append("```")
    for layer, spec in zip(layers, functions, strict=True):
        if layer.notes:
            lines += ["", f"Around `{spec.function}`:", ""]
            lines += [f"- {_plain(note)}" for note in layer.notes]
    inputs = f" {functions[0].function}.npz" if apart and layers[0].weights else ""
    command = f"rnn-compiler run {name}{inputs} --function {functions[0].function} --random"
    lines += ["", "On the command line, with drawn input:", "", "```sh", command, "```", ""]
    if commands:
        sizes = ", open sizes at 1" if any(spec.open_dims for spec in functions) else ""
        lines += [f"With IREE's own tool, on zeros{sizes}:", "", "```sh", *commands, "```", ""]
    return "\n".join(lines)


def _listed(shape: Sequence[object]) -> str:
    """A shape, with the formulas of open sizes."""
    return f"[{', '.join(map(str, shape))}]"


def _where(layers: Sequence[Layer], name: str, apart: bool) -> str:
    """Where the weights are."""
    if not any(layer.weights for layer in layers):
        return "It takes all weights as arguments."
    if apart:
        return "Weights are in `FUNCTION.npz`."
    if not name.endswith(".vmfb"):
        return f"Weights are in `{name}/{BUNDLE_ARCHIVE}`."
    return f"Weights are in `{archive_path(Path(name))}`, which goes where `{name}` goes."


def _plain(text: str) -> str:
    """A text of a model without what Markdown or a terminal would take for more than text."""
    return re.sub(r"[^\w .,;:=()\[\]'/+-]", "?", text)


def _facts(layer: Layer) -> dict[str, Any]:
    """A layer as plain data."""
    return {
        "name": layer.name,
        "op": layer.op,
        "dtype": layer.dtype,
        "attributes": {
            name: value if not isinstance(value, float) or abs(value) < float("inf") else str(value)
            for name, value in layer.attributes.items()
        },
        "dims": dict(layer.dims),
        "weights": {name: list(array.shape) for name, array in layer.weights.items()},
        "notes": list(layer.notes),
    }


def _print_layers(paths: Sequence[Path], layers: Sequence[Layer]) -> None:
    """The layers as tables."""
    rows = [
        (
            layer.name,
            layer.op,
            layer.dtype,
            ", ".join(f"{dim} {'?' if n is None else n}" for dim, n in layer.dims.items()),
            ", ".join(layer.weights) or "none",
        )
        for layer in layers
    ]
    print_table(("layer", "op", "dtype", "sizes", "weights"), rows)
    for layer in layers:
        attributes = [f"{name}={value}" for name, value in layer.attributes.items()]
        print_line()
        print_text(f"{layer.name}: {', '.join(attributes) or 'no attributes'}")
        for note in layer.notes:
            print_text(f"  {note}")
    command = f"rnn-compiler import {shlex.join(map(str, paths))} -o FOLDER"
    missing = sorted({dim for layer in layers for dim, size in layer.dims.items() if size is None})
    if missing:
        command += " --dim " + ",".join(f"{dim}=N" for dim in missing)
    print_line()
    print_line(f"next: {command}", dim=True)
