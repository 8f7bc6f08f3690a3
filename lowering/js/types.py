"""Prints the types of a module's functions for TypeScript."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rnn_compiler.lowering.js.source import JsFunction
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import TensorSpec
from rnn_compiler.schema.open_sizes import written

__all__ = ["print_types"]

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


def print_types(name: str, functions: Sequence[JsFunction], origin: str) -> str:
    """The text of ``NAME.d.ts``."""
    lines = [f"// {name}.d.ts: types of {name}.mjs.", f"// {origin} Do not edit.", "", _ERRORS]
    for each in functions:
        lines += _function(each)
    lines += ["export interface Functions {"]
    lines += [f"  {each.spec.function}: {_camel(each.spec.function)};" for each in functions]
    source = "string | URL | BufferSource | Response | Promise<Response> | WebAssembly.Module"
    lines += ["}", "", f"export function load(source?: {source}): Promise<Functions>;"]
    return "\n".join(lines) + "\n"


def _function(each: JsFunction) -> list[str]:
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
