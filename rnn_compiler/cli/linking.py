"""`link`: compiles a user's StableHLO module with our ops in it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rnn_compiler.cli.formats import add_format_options, check_format, write_compiled
from rnn_compiler.cli.modules import add_compile_options
from rnn_compiler.cli.options import (
    TARGETS_OF_FORMATS,
    add_json_option,
    add_quantize_option,
    add_weights_option,
    with_weights,
)
from rnn_compiler.cli.terminal import showing_stages
from rnn_compiler.linking import linked_module

__all__ = ["add_link"]


def add_link(verbs: Any) -> None:
    """Adds the verb `link`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "link",
        help="compile your own StableHLO module with our ops in it",
        description="Compiles a StableHLO module in which every stablehlo.custom_call "
        "@rnn_compiler.OP, and every declaration func.func private @rnn_compiler.OP, becomes the "
        "op. The operands of a call are the op's tensors, in TensorFlow's order. Attributes are "
        "in mhlo.backend_config or backend_config. Everything else is unchanged.",
    )
    help_text = "the module, as text (.mlir) or bytecode (.mlirbc)"
    parser.add_argument("module", type=Path, metavar="FILE", help=help_text)
    add_weights_option(parser)
    add_quantize_option(parser)
    add_compile_options(parser, "the name of the given FILE, as NAME.vmfb", TARGETS_OF_FORMATS)
    add_format_options(parser)
    add_json_option(parser)
    parser.set_defaults(verb=_link)


def _link(options: argparse.Namespace) -> int:
    check_format(options)
    with showing_stages():
        module = with_weights(linked_module(options.module), options.weights, options.quantize)
    return write_compiled(options, module, options.module.stem)
