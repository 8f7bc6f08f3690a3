"""`import`: the recurrent layers of models, as a table or as a compiled module."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rnn_compiler.base import stages
from rnn_compiler.base.files import check_replaceable, made_folder, write_files
from rnn_compiler.cli.formats import (
    Compiled,
    add_format_options,
    check_format,
    compiled,
    targets_of,
)
from rnn_compiler.cli.import_readme import ImportedFunctions, readme, target_text, tensor_rows
from rnn_compiler.cli.networks import network_file, values_of_network, write_network
from rnn_compiler.cli.options import (
    UsageError,
    add_json_option,
    add_outputs_option,
    add_quantize_option,
    check_output_folder,
    keywords_of,
    pairs,
    sizes_of_network,
)
from rnn_compiler.cli.terminal import (
    print_json,
    print_line,
    print_table,
    print_text,
    showing_stages,
)
from rnn_compiler.cli.training import add_training_options, import_trained
from rnn_compiler.compilation import ALL_LEVELS
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.model_import import Layer, import_model
from rnn_compiler.model_import.layer import (
    build_layers,
    check_dimensions,
    function_names,
    identifier,
)
from rnn_compiler.modules import Module
from rnn_compiler.network_import import import_network
from rnn_compiler.runtime.golden import storable
from rnn_compiler.runtime.stream_ops import likely_states
from rnn_compiler.schema.open_sizes import json_sizes
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec
from rnn_compiler.weights.files import npz_bytes

# `import --whole`: a whole network as one compiled function, as C or as JavaScript.


def add_whole_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `import` for whole networks."""
    parser.add_argument(
        "--whole",
        action="store_true",
        help="import the whole network of an .onnx or .tflite file as one function, not only its "
        "recurrent layers; --dim then gives the size of an axis, such as batch=1, or the shape of "
        "an input, such as x=50x1x8; any in place of a number leaves the axis open",
    )
    parser.add_argument(
        "--value",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="with --whole or --train: inputs that become constants, such as sr=16000",
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
    path = network_file(options, "--whole", ("layer", "attr", "outputs", "weights_apart"))

    def page(product: Compiled) -> str:
        made = ImportedFunctions([module.name], product.functions, [None])
        return readme(made, product.language, product.name, product.targets, product.manifest)

    start = time.perf_counter()
    with showing_stages():
        stages.report(f"importing {path.name}")
        module = import_network(
            path,
            dims=sizes_of_network(options.dim),
            values=values_of_network(options.value),
            states=dict(pairs(options.state, "--state")),
            quantize=options.quantize,
        )
        files = [] if options.output is None else write_network(options, module, page)
    seconds = time.perf_counter() - start
    spec = module.functions[0]
    if options.json:
        facts = {
            "files": [str(each) for each in files],
            "seconds": seconds,
            **_facts_of_network(module),
        }
        print_json(facts)
        return 0
    for each in files:
        print_line(str(each))
    print_table(("", "name", "type"), tensor_rows(spec))
    recurrent = ", ".join(_recurrent(module)) or "none"
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
        limits = {dim: f" up to {most}" for dim, most in spec.maxima.items()}
        sizes = ", ".join(f"{dim}{limits.get(dim, '')}" for dim in spec.open_dims)
        following += f"  (open, and any size works: {sizes})"
    print_line(f"{seconds:.2f} s; next: {following}", dim=True)
    return 0


def _print_states(spec: FunctionSpec) -> None:
    """Prints the states that a stream keeps between calls, or may keep if the user says so."""
    kept = _states(spec)
    if kept:
        print_line(f"states that a stream keeps: {_shown(kept)}")
    elif likely := likely_states(spec):
        options = ",".join(f"{before}={after}" for before, after in likely.items())
        chunk = ", ".join(each.name for each in spec.arguments if each.name not in likely)
        print_line(
            f"of the same type: {_shown(likely)}; if these are states and {chunk} is the chunk: "
            f"--state {options}"
        )


def _states(spec: FunctionSpec) -> dict[str, str]:
    """The states of a network, each with the output that holds its next value."""
    return {} if spec.chunked is None else {k: v[0] for k, v in spec.chunked.states.items()}


def _shown(states: Mapping[str, str]) -> str:
    return ", ".join(f"{before} <- {after}" for before, after in states.items())


def _recurrent(module: Module) -> list[str]:
    """The ops of all recurrent layers; those of the same sizes call one function."""
    text = module.located_text
    return [s.op for s in module.linked for _ in range(text.count(f"call @{s.function}("))]


def _weights(module: Module) -> int:
    arrays: list[Any] = list(module.parameters.values())
    return sum(array.nbytes for array in arrays)


def _facts_of_network(module: Module) -> dict[str, Any]:
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
        "recurrent": _recurrent(module),
        "weights": _weights(module),
    }


def add_import(verbs: Any) -> None:
    """Adds the verb `import`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "import",
        help="find and compile the recurrent layers of models, or a whole network",
        description="Lists the recurrent layers of models, with sizes and weights. With -o, "
        "compiles them into one module with one function per layer. With --whole, imports a whole "
        "network instead. The framework of the model is not needed.",
    )
    parser.add_argument(
        "paths",
        type=Path,
        nargs="+",
        metavar="PATH",
        help="a SavedModel folder, a frozen GraphDef .pb, a .keras or .h5 file, an .onnx file, "
        "a .tflite file, a .pt, .pt2, .pth, .ckpt, .bin or .jit file of PyTorch, or a .safetensors "
        "file",
    )
    parser.add_argument(
        "--layer",
        action="append",
        metavar="NAME",
        help="import only this layer; repeatable (default: all)",
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
        help="dimensions that the model leaves open, or that override the model's, such as "
        "batch_size=1; seq_length=any,batch_size=any keeps both open",
    )
    parser.add_argument(
        "--name", help="name of the module and its files (default: the name of the first model)"
    )
    parser.add_argument(
        "--attr",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="attributes that override the model's in the layers that have them, such as "
        "is_training=false",
    )
    parser.add_argument(
        "--target",
        action="append",
        metavar="TARGET",
        help="cpu (this machine), cpu:x86-64-v3, cuda:sm_86, ..., as in compile; repeatable "
        "(default: RNN_COMPILER_TARGET, else cpu)",
    )
    add_format_options(parser)
    parser.add_argument(
        "--weights-apart",
        action="store_true",
        help="write the weights to .npz files instead of into the module",
    )
    add_quantize_option(parser)
    add_outputs_option(parser, "all that are not empty")
    add_whole_options(parser)
    add_training_options(parser)
    add_json_option(parser)
    parser.set_defaults(verb=_import)


def _import(options: argparse.Namespace) -> int:
    check_format(options)
    if options.quantize and options.weights_apart:
        raise UsageError(
            f"--quantize {options.quantize} is for frozen weights, not --weights-apart"
        )
    if options.train is not None:
        return import_trained(options)
    for flag in ("optimizer", "trainable", "loss_output", "dropout"):
        if getattr(options, flag):
            raise UsageError(f"--{flag.replace('_', '-')} is for training: give --train LOSS too")
    if options.whole:
        return import_whole(options)
    for flag in ("value", "state"):
        if getattr(options, flag):
            raise UsageError(f"--{flag} is for whole networks: give --whole too")
    if options.output is None:
        for flag in ("dim", "attr", "target", "format", "quantize", "outputs", "name", "golden"):
            if getattr(options, flag) not in ([], None, "vmfb", False):
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
    for target in targets_of(options):
        if target != ALL_LEVELS:
            print_text(target_text(resolve_target(target)).replace("`", ""))
    print_line(f"{seconds:.2f} s; next: less {shlex.quote(str(files[-1]))}", dim=True)
    return 0


def _layers(paths: Sequence[Path], names: Sequence[str] | None) -> list[Layer]:
    """The layers of models, or those with given names."""
    if len(paths) == 1 or names is None:
        return [layer for path in paths for layer in import_model(path, layers=names)]
    layers = [layer for path in paths for layer in import_model(path)]
    known = [layer.name for layer in layers]
    for name in names:
        if name not in known:
            raise UsageError(f"--layer {name}: expected one of {', '.join(known)}")
    return [layer for layer in layers if layer.name in names]


def _write(options: argparse.Namespace, layers: Sequence[Layer], apart: bool) -> list[Path]:
    """Compiles the layers; returns the files written, the README last."""
    folder: Path = options.output
    check_replaceable(folder / "README.md")
    models = [path.resolve().name for path in options.paths]
    name = options.name or identifier(Path(models[0]).stem)
    given = keywords_of(options, list(dict.fromkeys(layer.op for layer in layers)))
    try:
        check_dimensions(layers, given)
        missing = [f"{dim}=N" for dim in _open_dims(layers) if dim not in given]
        if missing:
            raise UsageError(f"{', '.join(models)}: sizes are missing: --dim {','.join(missing)}")
        own = {"frozen": not apart, "quantize": options.quantize, "outputs": options.outputs}
        module = build_layers(layers, name=name, **own, **given)
    except TypeError as error:
        raise UsageError(f"--dim: {error}") from error
    with showing_stages():
        product = compiled(options, module, folder=folder)
    made = ImportedFunctions(models, product.functions, layers, apart)
    text = readme(made, product.language, product.name, product.targets, product.manifest)
    written: list[tuple[Path, bytes | memoryview]] = [
        (
            folder / f"{spec.function}.npz",
            npz_bytes({name: storable(array) for name, array in layer.weights.items()}),
        )
        for layer, spec in zip(layers, module.functions, strict=True)
        if made.has_file(layer)
    ]
    written.append((folder / "README.md", text.encode()))
    check_replaceable(*(path for path, _ in written))
    with made_folder(folder):
        files = product.save()
        write_files(*written)
    return [*files, *(each for each, _ in written)]


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


def _open_dims(layers: Sequence[Layer]) -> list[str]:
    """The sizes that the models leave open."""
    return sorted({dim for layer in layers for dim, size in layer.dims.items() if size is None})


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
    if missing := _open_dims(layers):
        command += " --dim " + ",".join(f"{dim}=N" for dim in missing) + "  (or any in place of N)"
    print_line()
    print_line(f"next: {command}", dim=True)
