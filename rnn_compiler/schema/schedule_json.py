"""Schedules as JSON, stored in a payload so that its functions can be called directly.

`compile` writes them and the runtime reads them. Numbers computed from open sizes are text,
``"64*seq_length + n0"``; a span is a letter for its kind of memory and three numbers.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rnn_compiler.errors import ArtifactError
from rnn_compiler.schema.formulas import Formula
from rnn_compiler.schema.open_sizes import Size, open_names, parse, written
from rnn_compiler.schema.schedule import (
    Choice,
    Copy,
    Dispatch,
    Fill,
    Schedule,
    Span,
    Step,
    Storage,
)

__all__ = ["SCHEDULES_FILE", "Loaded", "Schedules"]

SCHEDULES_FILE = "rnn_compiler.schedules.json"
"""The file name of the schedules in a payload, which is also a zip file."""

_VERSION = 1

_STORAGES = {
    "a": Storage.ARGUMENT,
    "r": Storage.RESULT,
    "s": Storage.SCRATCH,
    "c": Storage.CONSTANT,
}
_LETTERS = {storage: letter for letter, storage in _STORAGES.items()}


@dataclass(frozen=True)
class Loaded:
    """A constant that exists once a module is loaded, because it comes from frozen weights.

    Attributes:
        size: Its size in bytes.
        parameter: Its name in the archive; empty if it is packed from several.
    """

    size: int
    parameter: str = ""


@dataclass(frozen=True)
class Schedules:
    """The schedules of a module's functions.

    Attributes:
        functions: By symbol.
        arguments: The size in bytes of each argument of a function, by symbol.
        constants: The constants that they read, as bytes or by origin.
    """

    functions: Mapping[str, Schedule]
    arguments: Mapping[str, Sequence[Size]]
    constants: Sequence[bytes | Loaded] = field(default=())

    def to_json(self) -> str:
        """The schedules as JSON text.

        Example:
            >>> Schedules.from_json(Schedules({}, {}, [b"abc"]).to_json()).constants
            (b'abc',)
        """
        functions = {
            name: {
                "arguments": [*map(written, self.arguments[name])],
                "scratch": written(each.scratch),
                "blocks": [*map(written, each.blocks)],
                "results": [*map(_span, each.results)],
                "steps": [*map(_step, each.steps)],
                "formulas": {
                    name: [formula.operator, *map(written, formula.operands)]
                    for name, formula in each.formulas.items()
                },
                "limit": each.limit,
            }
            for name, each in self.functions.items()
        }
        constants = [
            [each.size, each.parameter] if isinstance(each, Loaded) else each.hex()
            for each in self.constants
        ]
        fields = {"version": _VERSION, "constants": constants, "functions": functions}
        return json.dumps(fields, separators=(",", ":"))

    @staticmethod
    def from_json(text: str | bytes) -> Schedules:
        """Reads the output of `to_json`.

        Raises:
            ArtifactError: It is something else, or has another version.
        """
        try:
            fields = json.loads(text)
            if fields["version"] != _VERSION:
                raise ArtifactError(f"schedules of version {fields['version']}, not {_VERSION}")
            rows: dict[str, Any] = fields["functions"]
            constants = tuple(
                bytes.fromhex(each) if isinstance(each, str) else Loaded(int(each[0]), str(each[1]))
                for each in fields["constants"]
            )
            arguments = {name: [*map(parse, row["arguments"])] for name, row in rows.items()}
            functions = {name: _read(name, row, arguments[name]) for name, row in rows.items()}
        except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ArtifactError(f"damaged schedules ({error!r})") from error
        return Schedules(functions, arguments, constants)


def _span(span: Span) -> list[Any]:
    return [_LETTERS[span.storage], span.index, written(span.offset), written(span.length)]


def _step(step: Step) -> list[Any]:
    if isinstance(step, Dispatch):
        numbers = [[*map(written, each)] for each in (step.workgroups, step.constants)]
        return ["dispatch", step.kernel, *numbers, [*map(_span, step.buffers)]]
    if isinstance(step, Copy):
        return ["copy", _span(step.source), _span(step.target)]
    if isinstance(step, Fill):
        return ["fill", _span(step.target), step.pattern.hex()]
    cases = {str(value): [*map(_step, steps)] for value, steps in step.cases.items()}
    return ["choice", _span(step.value), cases]


def _read(name: str, row: Mapping[str, Any], arguments: Sequence[Size]) -> Schedule:
    names = open_names(arguments)
    formulas: dict[str, Formula] = {}
    for each, (operator, *operands) in row["formulas"].items():
        formulas[each] = Formula(operator, tuple(parse(number, names) for number in operands))
        names.append(each)
    steps = tuple(_read_step(step, names) for step in row["steps"])
    blocks = tuple(parse(each, names) for each in row["blocks"])
    results = tuple(_read_span(each, names) for each in row["results"])
    scratch = parse(row["scratch"], names)
    return Schedule(name, scratch, steps, formulas, row["limit"], blocks, results)


def _read_span(row: Sequence[Any], names: Collection[str]) -> Span:
    letter, index, offset, length = row
    return Span(_STORAGES[letter], index, parse(offset, names), parse(length, names))


def _read_step(row: Sequence[Any], names: Collection[str]) -> Step:
    kind, *rest = row
    if kind == "dispatch":
        kernel, (x, y, z), constants, buffers = rest
        return Dispatch(
            kernel,
            (parse(x, names), parse(y, names), parse(z, names)),
            tuple(parse(each, names) for each in constants),
            tuple(_read_span(each, names) for each in buffers),
        )
    if kind == "copy":
        source, target = rest
        return Copy(_read_span(source, names), _read_span(target, names))
    if kind == "fill":
        target, pattern = rest
        return Fill(_read_span(target, names), bytes.fromhex(pattern))
    if kind != "choice":
        raise ValueError(f"no step: {kind!r}")
    value, cases = rest
    read = {
        int(key): tuple(_read_step(step, names) for step in steps) for key, steps in cases.items()
    }
    return Choice(_read_span(value, names), read)
