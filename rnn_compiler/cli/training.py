"""`import --train`: a network of an .onnx file with its training step, compiled."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Mapping
from typing import Any

from rnn_compiler.base import stages
from rnn_compiler.cli.formats import Compiled
from rnn_compiler.cli.networks import network_file, values_of_network, write_network
from rnn_compiler.cli.options import UsageError, number, pairs, sizes_of_network
from rnn_compiler.cli.terminal import print_json, print_line, print_table, showing_stages
from rnn_compiler.cli.training_readme import training_readme
from rnn_compiler.modules import Module
from rnn_compiler.network_import.training import LOSSES, OPTIMIZERS, training_step
from rnn_compiler.schema.formats import FORMATS

_OF_LAYERS = ("layer", "attr", "outputs", "weights_apart", "state", "quantize")
"""Options of `import` that a training step does not have."""

_WORDS = {"true": True, "false": False, "none": None}


def add_training_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `import` for training steps."""
    parser.add_argument(
        "--train",
        metavar="LOSS[,NAME=VALUE...]",
        help="import the network of an .onnx file with a training step: functions train and "
        f"infer that share the weights; LOSS is one of {', '.join(LOSSES)}, with options such as "
        "cross_entropy,mask=true",
    )
    parser.add_argument(
        "--optimizer",
        metavar="NAME[,NAME=VALUE...]",
        help=f"with --train: one of {', '.join(OPTIMIZERS)}, with options such as "
        "adam,clip_norm=1 (default: adam)",
    )
    parser.add_argument(
        "--trainable",
        action="append",
        metavar="PATTERN",
        help="with --train: the names of the initializers that are trained, such as 'fc.*'; "
        "repeatable (default: all floating-point weights)",
    )
    parser.add_argument(
        "--loss-output",
        metavar="NAME",
        help="with --train: the output to which the loss applies, if there are several",
    )
    parser.add_argument(
        "--dropout",
        type=int,
        metavar="SEED",
        help="with --train: let the file's Dropout nodes drop elements (default: dropout is off)",
    )


def import_trained(options: argparse.Namespace) -> int:
    """Imports a training step; compiles it if a folder is named."""
    path = network_file(options, "--train", _OF_LAYERS)

    def page(product: Compiled) -> str:
        file, loop = product.name + FORMATS[options.format].main, type(product).loop
        return training_readme(
            path.name, product.name, file, loop, product.functions, product.targets
        )

    start = time.perf_counter()
    with showing_stages():
        stages.report(f"importing {path.name}")
        module = training_step(
            path,
            loss=_named("--train", options.train),
            optimizer=_named("--optimizer", options.optimizer or "adam"),
            train=options.trainable,
            output=options.loss_output,
            dims=sizes_of_network(options.dim),
            values=values_of_network(options.value),
            dropout=options.dropout,
        )
        files = [] if options.output is None else write_network(options, module, page)
    seconds = time.perf_counter() - start
    if options.json:
        print_json({"files": [*map(str, files)], "seconds": seconds, **_facts(module)})
        return 0
    for each in files:
        print_line(str(each))
    train = module.functions[0]
    rows = [
        ("state" if each.name in train.states else "input", each.name, str(each))
        for each in train.arguments
    ]
    rows += [("output", each.name, str(each)) for each in train.results]
    shown = [row for row in rows if row[0] != "output" or row[1] not in train.states]
    print_table(("", "name", "type"), shown)
    following = f"less {files[-1]}" if files else f"{_command(options)} -o FOLDER"
    print_line(f"{seconds:.2f} s; next: {following}", dim=True)
    return 0


def _named(flag: str, text: str) -> Mapping[str, Any]:
    """A name with options, ``adam,clip_norm=1``; lists have colons, ``class_weights=1:2``."""
    name, _, rest = text.partition(",")
    return {"name": name.strip()} | {
        key: _value(flag, key, each) for key, each in pairs([rest], flag)
    }


def _value(flag: str, key: str, text: str) -> Any:
    """A word, a number, or numbers."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if ":" in text:
        return [_value(flag, key, each) for each in text.split(":")]
    if (found := number(text)) is not None:
        return found
    raise UsageError(f"{flag} {key}={text}: expected a number, numbers as 1:2, true, false or none")


def _command(options: argparse.Namespace) -> str:
    """The command that was given."""
    words = [str(options.paths[0]), f"--train={options.train}"]
    words += [f"--optimizer={options.optimizer}"] if options.optimizer else []
    words += [f"--trainable={each}" for each in options.trainable or ()]
    words += [f"--loss-output={options.loss_output}"] if options.loss_output else []
    words += [f"--dropout={options.dropout}"] if options.dropout is not None else []
    words += [f"--dim={each}" for each in options.dim]
    words += [f"--value={each}" for each in options.value]
    return f"rnn-compiler import {shlex.join(words)}"


def _facts(module: Module) -> dict[str, Any]:
    """A training step as plain data."""
    train, infer = module.functions
    return {
        "name": module.name,
        "functions": [train.function, infer.function],
        "inputs": [each.name for each in train.arguments if each.name not in train.states],
        "outputs": [each.name for each in train.results if each.name not in train.states],
        "states": [*train.states],
        "trained": [*infer.states],
        "recurrent": [each.op for each in module.linked],
    }
