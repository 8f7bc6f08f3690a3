"""The states of a module in C: a struct, its first values, and a block of bytes to keep them in.

Each state is an array in the struct, which the caller owns. `schema.state_blocks` has the layout of
blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.lowering.c.header import note
from rnn_compiler.lowering.c.interface import Member, StateStruct
from rnn_compiler.lowering.c.messages import DAMAGED, OTHER
from rnn_compiler.lowering.c.text import call, comment, externals, indented
from rnn_compiler.schema.open_sizes import static_size
from rnn_compiler.schema.state_blocks import HEADER

HASH = """\
/* Continues a hash, FNV-1a of 64 bits. */
static uint64_t hashed(uint64_t hash, const void *data, size_t size)
{
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ ((const unsigned char *)data)[k]) * 0x100000001b3u;
    return hash;
}
"""


def declared(state: StateStruct) -> list[str]:
    """The lines of the header."""
    pointer = f"{state.struct} *state"
    about = [
        f"The states, {state.size} bytes: calls update them in place, and nothing else keeps them.",
        "A copy, `kept = *state`, undoes later calls: `*state = kept`.",
    ]
    members = [(_declared(state, member), member) for member in state.members]
    width = max(len(text) for text, _ in members)
    lines = [*comment(about), f"{state.struct} {{"]
    lines += [f"    {text:<{width}}  /* {note(member) or 'scalar'} */" for text, member in members]
    lines += ["};", ""]
    if state.initial:
        lacking = [each.name for each in state.members if each.name not in state.initial]
        others = f", and {', '.join(lacking)} zeros" if lacking else ""
        lines += comment([f"Gives the states their first values{others}."])
        lines += [f"void {state.prefix}_initial_state({pointer});", ""]
    lines += comment(
        [
            "The states as a block of bytes, to be stored. It has a hash, so that one that was not",
            "wholly written is refused. To survive a loss of power, write to two places in turn.",
            "Reading a block returns 0, or a code and leaves the states as they are.",
        ]
    )
    return [
        *lines,
        f"#define {state.macro} {state.block}",
        *call(f"void {state.prefix}_state_to_block(", [f"const {pointer}", "void *block"], ");"),
        *call(f"int {state.prefix}_state_from_block(", [pointer, "const void *block"], ");"),
        "",
    ]


def _declared(state: StateStruct, member: Member) -> str:
    """The declaration of a state."""
    count = f"[{max(1, static_size(member.elements))}]" if member.shape else ""
    return f"alignas({state.alignment}) {member.c_type} {member.name}{count};"


def defined(state: StateStruct, initial: Sequence[str]) -> list[str]:
    """The lines of the source; `initial` are the symbols of first values."""
    pointer, members = f"{state.struct} *state", [each for each in state.members if _size(each)]
    size, layout = state.block - HEADER, f"UINT64_C({state.layout:#x})"
    first = [
        f"memcpy({each.state_pointer}, {symbol}, {_size(each)});"
        if (symbol := state.initial.get(each.name))
        else f"memset({each.state_pointer}, 0, {_size(each)});"
        for each in members
    ]
    to_block = [f"unsigned char *at = (unsigned char *)block + {HEADER};"]
    to_block += [f"uint64_t header[2] = {{{layout}, 0}};"]
    from_block = [
        f"const unsigned char *at = (const unsigned char *)block + {HEADER};",
        "uint64_t header[2];",
        f"memcpy(header, block, {HEADER});",
        f"if (header[0] != {layout})",
        f"    return {OTHER};",
        f"if (header[1] != hashed(header[0], at, {size}))",
        f"    return {DAMAGED};",
    ]
    for each in members:
        to_block += [f"memcpy(at, {each.state_pointer}, {_size(each)});", f"at += {_size(each)};"]
        from_block += [f"memcpy({each.state_pointer}, at, {_size(each)});", f"at += {_size(each)};"]
    to_block += [
        f"header[1] = hashed(header[0], at - {size}, {size});",
        f"memcpy(block, header, {HEADER});",
    ]
    prefix = state.prefix
    functions = [
        (f"void {prefix}_initial_state(", [pointer], first if state.initial else []),
        (f"void {prefix}_state_to_block(", [f"const {pointer}", "void *block"], to_block),
        (
            f"int {prefix}_state_from_block(",
            [pointer, "const void *block"],
            [*from_block, "return 0;"],
        ),
    ]
    lines = [*externals([f"extern const unsigned char {each}[];" for each in initial]), HASH]
    for head, parameters, body in functions:
        if body:
            lines += [*call(head, parameters, ")"), "{", *indented(body), "}", ""]
    return lines


def _size(member: Member) -> int:
    return static_size(member.size)
