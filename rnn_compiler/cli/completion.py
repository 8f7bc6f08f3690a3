"""Tab completion in bash and zsh, with argcomplete if it is installed.

The shell starts the command with ``_ARGCOMPLETE`` set. Options come from the verb's parser, their
values from here. Only the module of the verb on the line is imported.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import Any

__all__ = ["complete", "verb_in"]


def verb_in(environment: Mapping[str, str]) -> str:
    """The verb, possibly incomplete, on the line to be completed."""
    line = environment.get("COMP_LINE", "")[: int(environment.get("COMP_POINT", "0") or 0)]
    return next((word for word in line.split()[1:] if not word.startswith("-")), "")


def complete(parser: argparse.ArgumentParser) -> None:
    """Prints completions for the shell, and ends the process."""
    try:
        import argcomplete
    except ImportError:
        raise SystemExit(1) from None
    _add_completers(parser)
    argcomplete.autocomplete(parser, always_complete_options=False)


def _add_completers(parser: argparse.ArgumentParser) -> None:
    action: Any
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        if hasattr(action.choices, "values"):  # verbs or subcommands, each with its parser
            for verb in action.choices.values():
                _add_completers(verb)
        elif action.dest in _COMPLETERS:
            action.completer = _COMPLETERS[action.dest]


def _ops(**_: object) -> list[str]:
    from rnn_compiler.lowering.ops import OPS

    return list(OPS)


def _dtypes(**_: object) -> list[str]:
    from rnn_compiler.schema.dtypes import FLOAT_DTYPES

    return list(FLOAT_DTYPES)


def _devices(**_: object) -> list[str]:
    from rnn_compiler.schema.device_kinds import DEVICE_KINDS, DRIVERS

    numbered = [row.driver for row in DEVICE_KINDS.values() if row.is_numbered]
    return [*DRIVERS, *(f"{driver}://" for driver in numbered)]


def _targets(**_: object) -> list[str]:
    from rnn_compiler.lowering.targets.names import target_names

    return target_names()


def _dims(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    signatures = _signatures(parsed_args)
    return _pairs(prefix, {dim: () for each in signatures for dim in each.dimensions})


def _attributes(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    values: dict[str, Iterable[str]] = {}
    for signature in _signatures(parsed_args):
        for each in signature.attributes:
            values[each.name] = ("true", "false") if each.type is bool else each.choices
    return _pairs(prefix, values)


def _signatures(options: argparse.Namespace) -> list[Any]:
    """The ops on the command line; all ops if there is none."""
    from rnn_compiler.lowering.ops import OPS

    named: Any = getattr(options, "op", None) or []
    signatures = [op.signature for op in OPS.values()]
    known = [each for each in signatures if each.name in named or each.function in named]
    return known or signatures


def _functions(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The functions of the artifact on the command line; without one, those of the ops."""
    file: Any = getattr(parsed_args, "file", None)
    if file is None:
        return [each.function for each in _signatures(parsed_args)]
    from rnn_compiler.errors import RnnCompilerError
    from rnn_compiler.runtime import Artifact, read_artifact

    try:
        found = read_artifact(file)
    except (RnnCompilerError, OSError):
        return []
    artifact = found if isinstance(found, Artifact) else found.artifacts[0]
    return [spec.function for spec in artifact.manifest.functions]


def _outputs(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    before, comma, _last = prefix.rpartition(",")
    tensors = [t for each in _signatures(parsed_args) for t in (*each.results, *each.final_state)]
    names = dict.fromkeys(each.name for each in tensors)
    return [f"{before}{comma}{name}" for name in names if name not in before.split(",")]


def _pairs(prefix: str, values: dict[str, Iterable[str]]) -> list[str]:
    """Completions of the last pair in NAME=VALUE,..."""
    before, comma, last = prefix.rpartition(",")
    name, equals, _ = last.partition("=")
    given = {pair.partition("=")[0] for pair in before.split(",")}
    if equals:
        return [f"{before}{comma}{name}={value}" for value in values.get(name, ())]
    return [f"{before}{comma}{each}=" for each in values if each not in given]


_COMPLETERS: dict[str, Callable[..., list[str]]] = {
    "op": _ops,
    "dim": _dims,
    "attr": _attributes,
    "dtype": _dtypes,
    "target": _targets,
    "device": _devices,
    "function": _functions,
    "outputs": _outputs,
}
"""Completions by argparse's name for the value."""
