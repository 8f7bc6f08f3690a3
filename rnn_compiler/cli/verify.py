"""`verify`: checks that an artifact or C module computes the same here as where it was compiled."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rnn_compiler.cli.options import add_device_option, add_json_option
from rnn_compiler.cli.terminal import print_json, print_table, print_text
from rnn_compiler.runtime import verify


def add_verify(verbs: Any) -> None:
    """Adds the verb `verify`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "verify",
        help="run an artifact on its sample arguments, and compare the results",
        description="Checks an artifact, bundle or module in C that was compiled with --golden. "
        "Its functions are run on the sample arguments that --golden stored, and the results are "
        "compared with the stored ones. A difference is relative to the largest absolute value of "
        "the result, or to 1 if that is greater. The exit code is 0 if all differences are within "
        "the tolerance of their dtype, and 1 otherwise. For a module in C, the self test is built "
        "and run with the C compiler that the environment variable CC names, or else with cc, gcc "
        "or clang.",
    )
    help_text = "a .vmfb file, the folder of a bundle, or the folder or NAME.json of a module in C"
    parser.add_argument("file", type=Path, metavar="FILE", help=help_text)
    add_device_option(parser)
    add_json_option(parser)
    parser.set_defaults(verb=_verify)


def _verify(options: argparse.Namespace) -> int:
    found = verify(options.file, options.device)
    rows = found.results
    if options.json:
        results = [
            {
                "function": row.function,
                "result": row.result,
                "dtype": row.dtype,
                "difference": row.difference if row.difference < float("inf") else None,
                "tolerance": row.tolerance,
                "equal": row.is_equal,
            }
            for row in rows
        ]
        facts = {"file": str(options.file), "device": found.device, "equal": found.is_equal}
        print_json({**facts, "computed_by": found.computed_by, "results": results})
        return 0 if found.is_equal else 1
    print_table(
        ("function", "result", "dtype", "difference", "tolerance", ""),
        [
            (
                *(row.function, row.result, row.dtype),
                *(f"{row.difference:.2g}", f"{row.tolerance:.2g}"),
                "equal" if row.is_equal else "DIFFERENT",
            )
            for row in rows
        ],
    )
    wrong = sum(not row.is_equal for row in rows)
    outcome = f"{wrong} of {len(rows)} results differ" if wrong else f"all {len(rows)} are equal"
    print_text(f"{outcome}: {found.device} here, {found.computed_by} where it was made")
    return 0 if found.is_equal else 1
