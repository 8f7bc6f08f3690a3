"""`weights from-cell`: the weights of a cell of another framework as those of one of our ops."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from rnn_compiler import weights
from rnn_compiler.cli.options import add_json_option, check_output
from rnn_compiler.cli.terminal import print_json, print_line, print_table, print_text
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.model_import import Layer

__all__ = ["add_from_cell"]

_ARRAY = "arr_"
"""What precedes the number of an array that numpy.savez got without a name."""


def add_from_cell(actions: Any) -> None:
    """Adds the conversion `from-cell`, and `cells`, which lists what it knows."""
    parser: argparse.ArgumentParser = actions.add_parser(
        "cells",
        help="list the cells of other frameworks that from-cell knows",
        description="Lists the cells of other frameworks that `weights from-cell` knows.",
    )
    add_json_option(parser)
    parser.set_defaults(verb=_list)
    parser = actions.add_parser(
        "from-cell",
        help="the weights of a cell of flax, haiku, equinox, mlx, paddle, ... as those of an op",
        description="Shows the op that computes what another framework's cell does, with its sizes "
        "and attributes. With -o, writes its weights, which `compile --weights` takes.",
    )
    add_json_option(parser)
    parser.add_argument("name", metavar="NAME", help="the cell, such as haiku.GRU; see `cells`")
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="its arrays by the framework's names: .npz, .safetensors, or a file from torch.save",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="where to write, .npz or .safetensors"
    )
    parser.add_argument(
        "--prefix",
        action="append",
        metavar="PREFIX",
        help="prefix of the cell's names, such as encoder.gru.; other names are ignored. "
        "Repeatable: one for each cell of several, layer by layer, forward before backward",
    )
    parser.add_argument(
        "--bidirectional", action="store_true", help="each layer runs in both directions"
    )
    for option, what in (("activation", "the cell"), ("recurrent-activation", "its gates")):
        text = f"the function of {what}, such as relu (default: that of the framework)"
        parser.add_argument(f"--{option}", metavar="NAME", help=text)
    text = "what a cell of TensorFlow 1 adds to its forget gate (default: 1)"
    parser.add_argument("--forget-bias", type=float, metavar="NUMBER", help=text)
    parser.set_defaults(verb=_convert)


def _list(options: argparse.Namespace) -> int:
    names = weights.cells()
    if options.json:
        print_json(names)
    for name in [] if options.json else names:
        print_line(name)
    return 0


def _convert(options: argparse.Namespace) -> int:
    check_output(options.output)
    arrays: Any = weights.load(options.file)
    if arrays and all(name == f"{_ARRAY}{k}" for k, name in enumerate(arrays)):
        arrays = list(arrays.values())
    layer = weights.from_cell(
        options.name,
        arrays,
        prefix=options.prefix or "",
        bidirectional=options.bidirectional or None,
        activation=options.activation,
        recurrent_activation=options.recurrent_activation,
        forget_bias=options.forget_bias,
    )
    if options.output is not None:
        weights.save(options.output, layer.weights)
    command = _command(layer, options.output)
    shapes = {name: list(array.shape) for name, array in layer.weights.items()}
    if options.json:
        facts = {"op": layer.op, "dtype": layer.dtype, "dims": dict(layer.dims)}
        facts |= {"attributes": _attributes(layer), "weights": shapes, "notes": list(layer.notes)}
        print_json({**facts, "output": options.output and str(options.output), "command": command})
        return 0
    rows = [(name, layer.dtype, " x ".join(map(str, shape))) for name, shape in shapes.items()]
    print_line(f"{layer.op} {' '.join(f'{k}={v}' for k, v in _attributes(layer).items())}")
    print_table(("array", "dtype", "shape"), rows)
    for note in layer.notes:
        print_text(f"note: {note}")
    print_line(f"next: {command}", dim=True)
    return 0


def _attributes(layer: Layer) -> dict[str, Any]:
    """The attributes that are not the op's defaults."""
    signature = OPS[layer.op].signature
    defaults = {each.name: each.default for each in signature.attributes}
    plain = {**signature.canonical({}, layer.dtype), **defaults}
    return {
        name: value
        for name, value in layer.attributes.items()
        if value not in (plain.get(name), defaults.get(name))
    }


def _command(layer: Layer, file: Path | None) -> str:
    """The command that compiles the layer, at sizes that are an example."""
    sizes = {**layer.dims, "seq_length": 16, "batch_size": 1}
    words = ["rnn-compiler", "compile", layer.op]
    words += [f"--attr={name}={_text(value)}" for name, value in _attributes(layer).items()]
    words += ["--dim=" + ",".join(f"{name}={size}" for name, size in sizes.items())]
    words += [f"--dtype={layer.dtype}"] if layer.dtype != "float32" else []
    words += [f"--outputs={','.join(layer.outputs({}))}"]
    words += [f"--weights={file or 'WEIGHTS'}", "--format=c", "-o", "FOLDER"]
    return shlex.join(words)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
