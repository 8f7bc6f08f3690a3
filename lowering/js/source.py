"""Prints a module's functions as JavaScript data: their arguments, and their steps at given sizes.

``NAME.mjs`` is this data followed by `runtime.mjs`, which checks arguments and runs the steps, and
by `states.mjs` if a function has states. It calls compiled code by the layouts in
`schema.executable_library`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from rnn_compiler.lowering.host.functions import UNREAD, HostFunction
from rnn_compiler.lowering.host.states import fixed_states
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.open_sizes import Open, Size, SizeFormula, written
from rnn_compiler.schema.schedule import (
    Choice,
    Copy,
    Dispatch,
    Fill,
    Repeat,
    Schedule,
    Span,
    Step,
    Storage,
)
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec
from rnn_compiler.schema.state_blocks import layout_of

_STORAGES = {
    Storage.ARGUMENT: "a",
    Storage.RESULT: "r",
    Storage.SCRATCH: "s",
    Storage.CONSTANT: "c",
}

_RUNTIME = Path(__file__).with_name("runtime.mjs")
_STATES = Path(__file__).with_name("states.mjs")


@dataclass(frozen=True)
class JsFunction:
    """A function as the JavaScript runtime calls it.

    Attributes:
        stream: How it takes a sequence in chunks, or the reason why it does not.
        companions: Functions that a stream uses instead, by the runtime's name.
    """

    spec: FunctionSpec
    function: HostFunction
    stream: Mapping[str, Any] | str
    companions: Mapping[str, JsFunction] = field(default_factory=dict[str, "JsFunction"])


def stream_companions(function: HostFunction) -> dict[str, JsFunction]:
    """The companions of a function, with which a stream packs its weights once, by their keys.

    The second has no weights that it does not read.
    """
    if function.companions is None:
        return {}
    pack, packed = function.companions
    without = packed.without(dict.fromkeys(packed.unread, UNREAD))
    made = tuple(  # under names that no argument has
        replace(each, name=f"$packed_{k}") for k, each in enumerate(pack.spec.results)
    )
    arguments = (*without.spec.arguments[: -len(made)], *made)
    return {
        "pack": JsFunction(replace(pack.spec, results=made), pack, ""),
        "packed": JsFunction(replace(packed.spec, arguments=arguments), without, ""),
    }


def print_module(
    name: str,
    functions: Sequence[JsFunction],
    constants: Sequence[int],
    features: Sequence[str],
    origin: str,
    initial: Mapping[str, int | None],
    identity: str = "",
) -> str:
    """The text of ``NAME.mjs``.

    `constants` are offsets in the section of constants; `initial` the first values of states, each
    the number of a constant, or None for zeros.
    """
    tensors = fixed_states(each.spec for each in functions)
    states = {
        "layout": f"{layout_of(tensors.values()):016x}",
        "tensors": [*map(_tensor, tensors.values())],
        "initial": dict(initial),
    }
    rows = [_function(each.spec.function, each) for each in functions]
    fields = {
        "name": name,
        "id": identity,
        "features": [*features],
        "constants": [*constants],
        "states": states if tensors else None,
    }
    head = [f"// {name}.mjs: {', '.join(each.spec.function for each in functions)}."]
    head += [f"// {origin} Do not edit.", ""]
    data = ["const MODULE = {"]
    data += [f"  {key}: {json.dumps(value)}," for key, value in fields.items()]
    data += ["  functions: {", *(f"    {line}" for row in rows for line in row), "  },", "};", ""]
    arrays = (f"{dtype}: {row.javascript}" for dtype, row in DTYPES.items())
    data += [f"const ARRAYS = {{ {', '.join(arrays)} }};", ""]
    runtime = _RUNTIME.read_text() + (_STATES.read_text() if tensors else "")
    return "\n".join([*head, *data, runtime])


def _function(name: str, each: JsFunction) -> list[str]:
    spec, function, schedule = each.spec, each.function, each.function.schedule
    sizes = [{"name": m.name, "minimum": m.minimum, "maximum": m.maximum} for m in function.sizes]
    fields = {
        "op": spec.op,
        "arguments": [*map(_tensor, spec.arguments)],
        "results": [*map(_tensor, spec.results)],
        "states": [*spec.states],
        "updated": [spec.arguments[number].name for number in spec.continued],
        "sizes": sizes,
        "limit": schedule.limit,
        "stream": each.stream,
    }
    lines = [f"{name}: {{"]
    lines += [f"  {key}: {json.dumps(value)}," for key, value in fields.items()]
    for key, companion in each.companions.items():
        lines += (f"  {line}" for line in _function(key, companion))
    lines += [f"  plan({_parameters(function)}) {{"]
    lines += [f"    {line}" for line in _definitions(schedule, schedule.steps)]
    tensors = (*spec.arguments, *spec.results)
    ranged = {t.name: [t.minimum or 0, t.maximum, t.also] for t in tensors if t.maximum is not None}
    defaults = {t.name: t.default for t in spec.arguments if t.default is not None}
    plan = {
        "shapes": {t.name: [*t.shape] for t in tensors},
        "ranges": ranged,
        "defaults": defaults,
        "scratch": schedule.scratch,
    }
    lines += ["    return {"]
    lines += [f"      {key}: {_expression(value)}," for key, value in plan.items()]
    lines += ["      steps: [", *(f"        {_step(s, schedule)}," for s in schedule.steps)]
    return [*lines, "      ],", "    };", "  },", "},"]


def _parameters(function: HostFunction) -> str:
    return f"{{ {', '.join(member.name for member in function.sizes)} }}"


def _tensor(spec: TensorSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "dtype": spec.dtype,
        "shape": [written(size) for size in spec.shape],
        "formula": spec.formula,
        "optional": spec.ignored or spec.default is not None,
        "ignored": spec.ignored,
        "list": spec.list,
    }


def _computed(formula: SizeFormula) -> str:
    first, second, *rest = (f"({_expression(each)})" for each in formula.operands)
    match formula.operator:
        case "/":
            return f"Math.trunc({first} / {second})"
        case "?":
            return f"{first} ? {second} : {rest[0]}"
        case "<":
            return f"+({first} < {second})"
        case "==":
            return f"+({first} === {second})"
        case _:
            return f"{first} {formula.operator} {second}"


def _expression(value: Any) -> str:
    """A number, or a structure of numbers, as an expression in terms of open sizes."""
    if isinstance(value, dict):
        items = cast(Mapping[str, Any], value).items()
        return "{ " + ", ".join(f"{key}: {_expression(each)}" for key, each in items) + " }"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_expression, cast(Sequence[Any], value)))}]"
    return str(value) if isinstance(value, Open) else json.dumps(value)


def _definitions(schedule: Schedule, steps: Sequence[Step], counter: str = "") -> list[str]:
    """The definitions of the numbers that some steps refer to."""
    defined = schedule.defined(steps, counter)
    return [f"const {name} = {_computed(each)};" for name, each in defined.items()]


def _step(step: Step, schedule: Schedule) -> str:
    if isinstance(step, Dispatch):
        parts: list[Any] = [[*step.workgroups], [*step.constants]]
        spans = ", ".join(map(_span, step.buffers))
        numbers = ", ".join(map(_expression, parts))
        return f'["dispatch", {json.dumps(step.kernel)}, {numbers}, [{spans}]]'
    if isinstance(step, Copy):
        return f'["copy", {_span(step.source)}, {_span(step.target)}]'
    if isinstance(step, Fill):
        return f'["fill", {_span(step.target)}, {[*step.pattern]}]'
    if isinstance(step, Repeat):
        return _repeat(step, schedule)
    return _choice(step, schedule)


def _repeat(step: Repeat, schedule: Schedule) -> str:
    """All repetitions, as elements of the array of steps."""
    count = _expression(step.end - step.first)
    first = f"const {step.counter} = {step.first} + k;"
    lines = " ".join([first, *_definitions(schedule, step.steps, step.counter)])
    steps = ", ".join(_step(each, schedule) for each in step.steps)
    return f"...Array.from({{ length: {count} }}, (_, k) => {{ {lines} return [{steps}]; }}).flat()"


def _choice(step: Choice, schedule: Schedule) -> str:
    cases = (
        f"[{value}, [{', '.join(_step(each, schedule) for each in steps)}]]"
        for value, steps in step.cases.items()
    )
    return f'["choice", {_span(step.value)}, [{", ".join(cases)}]]'


def _span(span: Span) -> str:
    numbers: Sequence[Size] = (span.index, span.offset, span.length)
    return f'["{_STORAGES[span.storage]}", {", ".join(map(_expression, numbers))}]'


# Prints the types of a module's functions for TypeScript.

_ERRORS = """\
export class RnnCompilerError extends Error {}
export class InvalidArgumentError extends RnnCompilerError {
  op: string;
  argument: string;
  expected: string;
  got: string;
  remedy: string;
}
export class UnsupportedError extends RnnCompilerError {}
export class ArtifactError extends RnnCompilerError {}

export interface Tensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly (number | string)[];
}
export interface Signature {
  readonly op: string;
  readonly arguments: readonly Tensor[];
  readonly results: readonly Tensor[];
}
"""


def print_types(
    name: str, functions: Sequence[JsFunction], origin: str, initial: Collection[str]
) -> str:
    """The text of ``NAME.d.ts``; `initial` are the states that have a first value."""
    lines = [f"// {name}.d.ts: types of {name}.mjs.", f"// {origin} Do not edit.", "", _ERRORS]
    for each in functions:
        lines += _typed_function(each)
    tensors = fixed_states(each.spec for each in functions)
    lines += _typed_states(functions, tensors, initial) if tensors else []
    lines += ["export interface Functions {"]
    lines += [f"  {each.spec.function}: {_camel(each.spec.function)};" for each in functions]
    if tensors:
        mark = "?" if {*tensors} <= {*initial} else ""
        for function in (each.spec.function for each in functions):
            lines.append(
                f"  {function}_start(states{mark}: FirstStates): {_camel(function)}Session;"
            )
    source = "string | URL | BufferSource | Response | Promise<Response> | WebAssembly.Module"
    lines += ["}", "", f"export function load(source?: {source}): Promise<Functions>;"]
    return "\n".join(lines) + "\n"


def _typed_function(each: JsFunction) -> list[str]:
    spec, name = each.spec, _camel(each.spec.function)
    sizes = [f"  {member.name}?: number;" for member in each.function.sizes]
    lines = [f"export interface {name}Arguments {{", *sizes, *_members(spec.arguments, True), "}"]
    lines += ["", f"export interface {name}Results {{", *_members(spec.results, False), "}", ""]
    lines += [f"export interface {name} {{"]
    lines += [f"  (given: {name}Arguments): {name}Results;", "  readonly signature: Signature;"]
    if isinstance(each.stream, str):
        return [*lines, "}", ""]
    chunk, length, states = (each.stream[key] for key in ("chunk", "length", "next"))
    state = " | ".join(f'"{key}"' for key in states)
    kept = [a for a in spec.arguments if a.name not in (chunk, length)]
    members = [line for line in sizes if "seq_length?" not in line]
    members += _members(kept, True, states)
    mark = "?" if all(_is_optional(a) or a.name in states for a in kept) else ""
    return [
        *lines,
        "  /** A copy of the weights is packed when the stream starts. */",
        f"  stream(given{mark}: {name}StreamArguments): {name}Stream;",
        "}",
        "",
        f"export interface {name}StreamArguments {{",
        *members,
        "}",
        "",
        f"export interface {name}Stream {{",
        f'  (given: Pick<{name}Arguments, "{chunk}">): Partial<{name}Results>;',
        f"  readonly state: Required<Pick<{name}Arguments, {state}>>;",
        f"  reset(state?: Partial<Pick<{name}Arguments, {state}>>): void;",
        "  close(): void;",
        "}",
        "",
    ]


def _typed_states(
    functions: Sequence[JsFunction], tensors: Mapping[str, TensorSpec], initial: Collection[str]
) -> list[str]:
    """The types of states, and of functions that keep them."""
    lines = ["export interface States {", *_members([*tensors.values()], False), "}", ""]
    lines += ["export interface FirstStates {", *_members([*tensors.values()], True, initial), "}"]
    lines += ["", *_SESSION.splitlines(), ""]
    for each in functions:
        name, spec = _camel(each.spec.function), each.spec
        kept = " | ".join(f'"{state}"' for state in spec.states) or "never"
        updated = [spec.arguments[number].name for number in spec.continued]
        results = " | ".join(f'"{state}"' for state in updated) or "never"
        lines += [
            f"export interface {name}Step {{",
            f"  (given: Omit<{name}Arguments, {kept}>): Omit<{name}Results, {results}>;",
            "}",
        ]
    names = [each.spec.function for each in functions]
    for each in names:
        lines += [f"export interface {_camel(each)}Session extends {_camel(each)}Step, Session {{"]
        lines += [
            f"  readonly {other}: {_camel(other)}Step;" for other in names if other not in SESSION
        ]
        steps = " ".join(f"readonly {other}: {_camel(other)}Step;" for other in names)
        lines += ["  /** All functions, also those named like other members. */"]
        lines += [f"  readonly functions: {{ {steps} }};", "}", ""]
    return lines


SESSION = ("close", "functions", "keep", "load", "reset", "revert", "save", "state")
"""The members of a session besides its functions."""

_SESSION = """\
export interface Session {
  /** Copies of the states; assigning some replaces them. */
  get state(): States;
  set state(states: Partial<FirstStates>);
  /** Gives the states their first values. */
  reset(): void;
  /** Remembers the states, for `revert`. */
  keep(): void;
  /** Gives the states the values that they had at the last `keep`. */
  revert(): void;
  /** The states as bytes, with a hash. */
  save(): Uint8Array;
  /** Reads such bytes; damaged ones, or those of another module, are an ArtifactError. */
  load(block: Uint8Array | ArrayBuffer): void;
  /** Gives the memory back. */
  close(): void;
}"""


def _is_optional(tensor: TensorSpec) -> bool:
    return tensor.ignored or tensor.default is not None


def _members(
    tensors: Sequence[TensorSpec], is_given: bool, optional: Collection[str] = ()
) -> list[str]:
    lines: list[str] = []
    lists: set[str] = set()
    for each in tensors:
        if each.list and each.list in lists:
            continue
        lists.add(each.list)
        shape = f"[{', '.join(str(written(size)) for size in each.shape)}]"
        kind = DTYPES[each.dtype].javascript
        if is_given and not each.shape and each.dtype not in ("float16", "bfloat16"):
            kind = f"{'boolean | ' * (each.dtype == 'bool')}number | bigint | {kind}"
        kind = f"{kind}[]" if each.list else kind
        mark = "?" if is_given and (_is_optional(each) or each.name in optional) else ""
        lines += [f"  /** {each.dtype} {shape} */", f"  {each.keyword}{mark}: {kind};"]
    return lines


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
