"""`emit` and `compile`: from ops to StableHLO and to artifacts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from rnn_compiler.base.files import write_files
from rnn_compiler.chosen_target import current_target
from rnn_compiler.cli.formats import add_format_options, check_format, write_compiled
from rnn_compiler.cli.options import (
    TARGETS,
    TARGETS_OF_FORMATS,
    add_json_option,
    add_module_options,
    add_quantize_option,
    add_weights_option,
    check_output,
    module_of,
    with_weights,
)
from rnn_compiler.cli.sizes import add_sizes_options, compile_sizes, sizes_of
from rnn_compiler.cli.terminal import print_error, showing_stages
from rnn_compiler.compilation import lowered_text
from rnn_compiler.linking import link_module
from rnn_compiler.lowering.compiler.iree_compile import DEFAULT_TIMEOUT
from rnn_compiler.lowering.targets.strategies import STRATEGIES, STRATEGY_PASSES
from rnn_compiler.schema.formats import FORMATS
from rnn_compiler.schema.identifiers import check_identifier
from rnn_compiler.weights.files import load

_AFTER = {f"after:{name}": name for names in STRATEGY_PASSES.values() for name in names}
_PASSES_TEXT = "; ".join(f"{name}: {', '.join(passes)}" for name, passes in STRATEGY_PASSES.items())

_WRITTEN = "\n".join(
    f"  --format {name:<11}" + f"\n{' ' * 22}".join(row.written)
    for name, row in FORMATS.items()
    if row.written
)

_COMPILED = f"""\
Compiles one or several ops. What it writes depends on the options:

  by default          NAME.vmfb and its manifest, NAME.vmfb.json
  --weights           also NAME.irpa, the frozen weights
  --golden            also NAME.vmfb.golden.npz, for the verb verify
  several --target    a bundle: a folder with a .vmfb for each target
  several sizes       a folder with a .vmfb for each (a range in --dim, or --dims)
{_WRITTEN}
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
    add_format_options(parser)
    add_json_option(parser)
    parser.set_defaults(verb=_compile)


def add_compile_options(
    parser: argparse.ArgumentParser, output: str, other_targets: str = ""
) -> None:
    """Adds the options of a compilation: target, strategy, output and time limit."""
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
    parser.add_argument(
        "--timeout",
        type=float,
        default=DEFAULT_TIMEOUT,
        metavar="SECONDS",
        help="how long the compiler may take (default: %(default)g)",
    )


def _compile(options: argparse.Namespace) -> int:
    check_format(options)
    sizes = sizes_of(options)
    if sizes is not None:
        return compile_sizes(options, sizes)
    module = module_of(options)
    return write_compiled(options, module)


# `link`: compiles a user's StableHLO module with our ops in it.


def add_link(verbs: Any) -> None:
    """Adds the verb `link`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "link",
        help="compile your own StableHLO modules with our ops in them",
        description="Compiles a StableHLO module in which every stablehlo.custom_call "
        "@rnn_compiler.OP, and every declaration func.func private @rnn_compiler.OP, becomes the "
        "op. The operands of a call are the op's tensors, in TensorFlow's order. Attributes are "
        "in mhlo.backend_config or backend_config. Everything else is unchanged. Several files "
        "become functions of one module. Arguments that JAX donates are states: functions update "
        "them in place, and share those of the same name.",
    )
    help_text = "the module, as text (.mlir) or bytecode (.mlirbc); several become one"
    parser.add_argument("module", type=Path, nargs="+", metavar="FILE", help=help_text)
    parser.add_argument(
        "--name",
        help="name of the files and, in C, of struct NAME_state (default: that of the first FILE)",
    )
    add_weights_option(parser)
    parser.add_argument(
        "--states",
        type=Path,
        metavar="FILE",
        help="a .npz or .safetensors file with the first values of states, by name",
    )
    add_quantize_option(parser)
    add_compile_options(parser, "NAME.vmfb, by --name or the first FILE", TARGETS_OF_FORMATS)
    add_format_options(parser)
    add_json_option(parser)
    parser.set_defaults(verb=_link)


def _link(options: argparse.Namespace) -> int:
    check_format(options)
    if options.name is not None:
        check_identifier("link", "name", options.name, "give another: --name")
    with showing_stages():
        states = None if options.states is None else load(options.states)
        module = link_module(*options.module, states=states)
        left = module.left
        module = with_weights(module, options.weights, options.quantize)
    for each in left:
        print_error(f"{each}; it stays a loop", kind="note")
    return write_compiled(options, module, options.name or options.module[0].stem)
