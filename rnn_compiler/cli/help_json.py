"""``--help --json``: the options of a verb as plain data."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

__all__ = ["described", "parser_of"]


def parser_of(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the verb and subcommand on a command line."""
    for word in words:
        verbs = _verbs(parser)
        if word in verbs:
            parser = verbs[word]
    return parser


def described(parser: argparse.ArgumentParser) -> dict[str, Any]:
    """The options of a parser."""
    verbs = _verbs(parser)
    actions = [each for each in parser._actions if each.choices is None or not _is_verbs(each)]
    return {
        "command": parser.prog,
        "usage": " ".join(parser.format_usage().removeprefix("usage: ").split()),
        "description": parser.description or "",
        "arguments": [_argument(each) for each in actions],
        **({"verbs": list(verbs)} if verbs else {}),
    }


def _is_verbs(action: argparse.Action) -> bool:
    return hasattr(action.choices, "values")


def _verbs(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if _is_verbs(action):
            choices: Any = action.choices
            found.update(choices)
    return found


def _argument(action: argparse.Action) -> dict[str, Any]:
    default = action.default
    plain = default is None or isinstance(default, (bool, int, float, str, list))
    choices = None if action.choices is None else [str(each) for each in action.choices]
    return {
        "name": action.dest,
        "flags": list(action.option_strings),
        "value": None if action.nargs == 0 else str(action.metavar or action.dest),
        "required": action.required,
        "default": default if plain and default != argparse.SUPPRESS else None,
        "choices": choices,
        "help": "" if action.help in (None, argparse.SUPPRESS) else _text(action),
    }


def _text(action: argparse.Action) -> str:
    """The help of an argument, with placeholders filled in."""
    return str(action.help) % {**vars(action), "prog": ""}
