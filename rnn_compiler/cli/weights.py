"""`weights`: converts weights of PyTorch, Keras, ONNX and BlockLSTM from and to CudnnRNN's params.

Each subcommand is a function of `rnn_compiler.weights`; its options are that function's keywords.
"""

from __future__ import annotations

import argparse
import inspect
import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler import weights
from rnn_compiler.base.files import write_files
from rnn_compiler.cli.arrays import read_npy
from rnn_compiler.cli.options import UsageError, add_json_option, check_output
from rnn_compiler.cli.terminal import print_json, print_line, print_table
from rnn_compiler.cli.weights_of_cells import add_from_cell
from rnn_compiler.schema.cudnn_layout import RNN_MODES
from rnn_compiler.schema.dtypes import DTYPES

__all__ = ["add_weights"]

Arrays = dict[str, Any]

_HELP = {
    "torch": "the state dict of torch.nn.LSTM, GRU or RNN, with torch's names",
    "keras": "the arrays of get_weights as arr_0, arr_1, ...: np.savez(FILE, *layer.get_weights())",
    "onnx": "W, R and B of an LSTM, GRU or RNN node, or W_0, R_0, B_0, W_1, ... of several nodes",
    "block_lstm": "w and b of BlockLSTM or BlockLSTMV2",
}

_OPTIONS = {
    "rnn_mode": ", ".join(RNN_MODES),
    "num_layers": "number of layers",
    "num_units": "size of the state",
    "input_size": "size of the input",
    "bidirectional": "each layer runs in both directions",
    "num_proj": "size of the projected output, torch's proj_size; 0 for none",
    "prefix": "prefix of the names, such as 'encoder.rnn.'; other names are ignored",
    "version": "1 for BlockLSTM, 2 for BlockLSTMV2",
    "forget_bias": "the bias that BlockLSTM adds to its forget gate; BlockLSTMV2 has none",
}

_GRU_NEEDS = {"keras": "GRU(reset_after=True)", "onnx": "a GRU node with linear_before_reset=1"}
"""The kind of GRU that "gru" means for frameworks with two."""

_MOST_TOLD = 8
"""The most names of arrays in a message."""

_TYPES: dict[str, Callable[[str], Any]] = {
    **{"int": int, "int | None": int},
    **{"float": float, "str": str},
}


def add_weights(verbs: Any) -> None:
    """Adds the verb `weights`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "weights",
        help="convert weights of other frameworks from and to CudnnRNN's params",
        description="Converts weights from and to params, the opaque vector of all weights of a "
        "CudnnRNN op, and from cells of many frameworks (from-cell). Weights are read from .npz or "
        ".safetensors files, and PyTorch's also from .pt, .pth, .ckpt, .bin or .jit files. Params "
        "are read from .npz, .safetensors or .npy files.",
    )
    actions = parser.add_subparsers(metavar="CONVERSION", title="conversions", required=True)
    for framework, content in _HELP.items():
        for direction, source, target in (
            ("from", content, "params"),
            ("to", "params", content),
        ):
            _add_conversion(actions, direction, framework, f"FILE has {source}. Writes {target}")
    add_from_cell(actions)


def _add_conversion(actions: Any, direction: str, framework: str, description: str) -> None:
    name = f"{direction}_{framework}"
    function: Callable[..., Any] = getattr(weights, name)
    parser: argparse.ArgumentParser = actions.add_parser(
        name.replace("_", "-"),
        help=f"params {direction} {_HELP[framework]}",
        description=f"{description}.",
    )
    add_json_option(parser)
    params = "the params: a .npz, .safetensors or .npy file"
    others = "the weights: a .npz or .safetensors file"
    torch = "the weights: a .npz, .safetensors file, or one of PyTorch"
    read, written = torch if framework == "torch" else others, params
    if direction == "to":
        read, written = params, others
    parser.add_argument("file", type=Path, metavar="FILE", help=read)
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help=f"where to write {written}"
    )
    names: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            continue
        names.append(parameter.name)
        dest = _destination(parameter.name)
        option = f"--{parameter.name.replace('_', '-')}"
        text = _OPTIONS[parameter.name]
        if parameter.name == "rnn_mode" and framework in _GRU_NEEDS:
            text += f"; gru means {_GRU_NEEDS[framework]}"
        if parameter.annotation.startswith("bool"):
            default = parameter.default
            parser.add_argument(option, dest=dest, action="store_true", default=default, help=text)
        else:
            required = parameter.default is parameter.empty
            parser.add_argument(
                option,
                dest=dest,
                metavar=parameter.name.upper(),
                type=_TYPES[parameter.annotation],
                required=required,
                default=None if required else parameter.default,
                help=f"{text}{_default_of(parameter)}",
            )
    parser.set_defaults(verb=partial(_convert, name, names))


def _default_of(parameter: inspect.Parameter) -> str:
    """The default of an option, in words."""
    if parameter.default is parameter.empty:
        return ""
    text = "from the names" if parameter.default is None else "%(default)r"
    return f" (default: {text})"


def _destination(keyword: str) -> str:
    """The attribute name of a keyword, distinct from options of all verbs such as --version."""
    return f"weights_{keyword}"


def _convert(name: str, names: list[str], options: argparse.Namespace) -> int:
    check_output(options.output)
    function: Callable[..., Any] = getattr(weights, name)
    keywords = {each: getattr(options, _destination(each)) for each in names}
    direction, _, framework = name.partition("_")
    if direction == "from":
        _check_kind(framework, options.file)
        given = _READERS[framework](weights.load(options.file), options.file)
        written = {"params": function(*given, **keywords)}
        _save_params(options.output, written)
    else:
        converted = function(_load_params(options.file), **keywords)
        written = _WRITERS[framework](converted)
        weights.save(options.output, written)
    if options.json:
        arrays = [
            {"name": key, "dtype": array.dtype.name, "shape": list(array.shape)}
            for key, array in written.items()
        ]
        print_json({"output": str(options.output), "arrays": arrays})
        return 0
    rows = [
        (key, array.dtype.name, " x ".join(map(str, array.shape))) for key, array in written.items()
    ]
    print_line(str(options.output))
    print_table(("array", "dtype", "shape"), rows)
    return 0


def _check_kind(framework: str, file: Path) -> None:
    """Checks that a file is not a model of a framework, which is read in another way.

    Raises:
        UsageError: It is a model; the message says how to read it.
    """
    from rnn_compiler.model_import.kinds import MODEL_FILES

    kind = MODEL_FILES.get(file.suffix.lower())
    theirs = "" if kind is None else kind.framework
    if not theirs or (framework == "torch" and theirs == "PyTorch"):
        return
    command = f"import {file}` reads its layers"
    if theirs == "PyTorch":
        command = f"weights from-torch {file}` reads the weights of one of its layers"
    name = framework.replace("_", "-")
    raise UsageError(
        f"{file}: a file of {theirs}; from-{name} reads arrays, {_HELP[framework]}; "
        f"`rnn-compiler {command}"
    )


def _pick(arrays: Arrays, names: list[str], file: Path) -> list[Any]:
    """Some arrays of a file."""
    missing = [name for name in names if name not in arrays]
    if missing:
        found = ", ".join([*arrays][:_MOST_TOLD]) or "nothing"
        more = f" and {len(arrays) - _MOST_TOLD} more" if len(arrays) > _MOST_TOLD else ""
        raise UsageError(f"{file}: expected the array {missing[0]}, found {found}{more}")
    return [arrays[name] for name in names]


def _read_keras(arrays: Arrays, file: Path) -> list[Any]:
    return [_pick(arrays, [f"arr_{k}" for k in range(len(arrays))], file)]


def _read_onnx(arrays: Arrays, file: Path) -> list[Any]:
    if "W_0" not in arrays:
        return [*_pick(arrays, ["W", "R"], file), arrays.get("B")]
    count = sum(name.startswith("W_") for name in arrays)
    letters = "WRB" if "B_0" in arrays else "WR"
    return [_pick(arrays, [f"{letter}_{k}" for k in range(count)], file) for letter in letters]


_READERS: dict[str, Callable[[Arrays, Path], list[Any]]] = {
    "torch": lambda arrays, file: [arrays],
    "keras": _read_keras,
    "onnx": _read_onnx,
    "block_lstm": lambda arrays, file: _pick(arrays, ["w", "b"], file),
}


def _write_onnx(nodes: weights.OnnxWeights) -> Arrays:
    if not isinstance(nodes.W, list):
        return nodes._asdict()
    layers = zip(*nodes, strict=True)
    return {
        f"{name}_{k}": a
        for k, node in enumerate(layers)
        for name, a in zip("WRB", node, strict=True)
    }


_WRITERS: dict[str, Callable[[Any], Arrays]] = {
    "torch": dict,
    "keras": lambda arrays: {f"arr_{k}": array for k, array in enumerate(arrays)},
    "onnx": _write_onnx,
    "block_lstm": lambda arrays: dict(zip("wb", arrays, strict=True)),
}


def _load_params(file: Path) -> Any:
    if file.suffix != ".npy":
        return _pick(weights.load(file), ["params"], file)[0]
    try:
        array: Any = read_npy(file)
    except (EOFError, ValueError) as error:
        raise UsageError(f"{file}: {error}") from error
    return array.view(DTYPES["bfloat16"].numpy) if array.dtype == "V2" else array


def _save_params(file: Path, written: Arrays) -> None:
    if file.suffix == ".npy":
        buffer = io.BytesIO()
        np.save(buffer, written["params"], allow_pickle=False)
        write_files((file, buffer.getbuffer()))
    else:
        weights.save(file, written)
