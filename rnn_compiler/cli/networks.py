"""What `import --whole` and `import --train` share: their options' checks, and what they write."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from rnn_compiler.base.files import check_replaceable, made_folder, write_files
from rnn_compiler.cli.formats import Compiled, compiled
from rnn_compiler.cli.options import UsageError, check_output_folder, number, pairs
from rnn_compiler.modules import Module


def network_file(options: argparse.Namespace, flag: str, of_layers: Sequence[str]) -> Path:
    """The file of a network, once the other options are checked.

    Raises UsageError: the options do not suit each other, or nothing can be written there.
    """
    if len(options.paths) != 1:
        raise UsageError(f"{flag}: one file at a time")
    for each in of_layers:
        if getattr(options, each):
            raise UsageError(f"--{each.replace('_', '-')} is not for {flag}")
    compiling = options.target or options.name or options.golden or options.format != "vmfb"
    if options.output is None and compiling:
        flags = "--target, --format, --golden and --name"
        raise UsageError(f"{flags} are for compiling: name a folder with -o")
    if options.output is not None:
        check_output_folder(options.output)
    return options.paths[0]


def values_of_network(given: Sequence[str]) -> dict[str, int | float]:
    """Inputs that become constants."""
    return {key: _value(key, text) for key, text in pairs(given, "--value")}


def _value(key: str, text: str) -> int | float:
    if (found := number(text)) is not None:
        return found
    raise UsageError(f"--value {key}={text}: expected a number")


def write_network(
    options: argparse.Namespace, module: Module, page_of: Callable[[Compiled], str]
) -> list[Path]:
    """Compiles a network and writes it with a README; returns the files, the README last."""
    folder: Path = options.output
    page = folder / "README.md"
    check_replaceable(page)
    product = compiled(options, module, options.name, folder)
    text = page_of(product)
    with made_folder(folder):
        files = product.save()
        write_files((page, text.encode()))
    return [*files, page]
