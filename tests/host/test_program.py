"""Host programs are read into schedules; others are refused, with a reason."""

from __future__ import annotations

import re

import pytest

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.host.formulas import expanded
from rnn_compiler.lowering.host.program import HostProgram, Sizes, read_host_program
from rnn_compiler.schema.open_sizes import open_dimension
from rnn_compiler.schema.schedule import (
    Choice,
    Copy,
    Dispatch,
    Fill,
    Repeat,
    Schedule,
    Span,
    Storage,
)

# ruff: noqa: E501

PROGRAM = """
util.func public @f(%a: !hal.buffer_view, %r: !hal.buffer) -> !hal.buffer_view {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c7_i32 = arith.constant -7 : i32
  %c-1_i64 = arith.constant -1 : i64
  %c0_i64 = arith.constant 0 : i64
  %null = util.null : !hal.fence
  %device = util.global.load immutable @device : !hal.device
  %code = util.global.load immutable @code : !hal.executable
  %memory_type = hal.memory_type<"DeviceLocal"> : i32
  %usage = hal.buffer_usage<"Transfer"> : i32
  %element = hal.element_type<f32> : i32
  %encoding = hal.encoding_type<dense_row_major> : i32
  %x = hal.buffer_view.buffer<%a : !hal.buffer_view> : !hal.buffer
  %fence = hal.fence.create device(%device : !hal.device) flags("None") : !hal.fence
  %t = hal.device.queue.alloca<%device : !hal.device> affinity(%c-1_i64) wait(%null) signal(%fence) pool(%c0_i64) type(%memory_type) usage(%usage) flags("None") : !hal.buffer{%c64}
  %cmd = hal.command_buffer.create device(%device : !hal.device) mode(OneShot) categories("Transfer|Dispatch") affinity(%c-1_i64) : !hal.command_buffer
  %id = hal.executable.lookup.function target(%code : !hal.executable) function(@module::@variant::@kernel) : i64
  hal.command_buffer.dispatch<%cmd : !hal.command_buffer> target(%code : !hal.executable)[%id] workgroups([%c8, %c1, %c1]) constants([%c7_i32]) bindings([
    (%x : !hal.buffer)[%c0, %c8],
    (%t : !hal.buffer)[%c0, %c64]
  ]) flags("None")
  hal.command_buffer.copy_buffer<%cmd : !hal.command_buffer> source(%t : !hal.buffer)[%c4] target(%r : !hal.buffer)[%c0] length(%c8) flags("None")
  hal.command_buffer.fill_buffer<%cmd : !hal.command_buffer> target(%r : !hal.buffer)[%c4, %c4] pattern(%c7_i32 : i32) flags("None")
  hal.device.queue.execute<%device : !hal.device> affinity(%c-1_i64) wait(%null) signal(%fence) commands(%cmd) flags("None")
  REST
  %view = hal.buffer_view.create buffer(%r : !hal.buffer)[%c0, %c8] shape([%c8]) type(%element) encoding(%encoding) : !hal.buffer_view
  util.return %view : !hal.buffer_view
}
"""

GLOBALS = """
util.global private @device : !hal.device
util.global private @code : !hal.executable
"""

SIZES = {"f": Sizes([8], [8])}

ARGUMENT = Span(Storage.ARGUMENT, 0, 0, 8)
RESULT = Span(Storage.RESULT, 0, 0, 8)
SCRATCH = Span(Storage.SCRATCH, 0, 0, 64)


def read(rest: str = "", numbers: range = range(0), **changes: str) -> HostProgram:
    text = PROGRAM.replace("REST", rest)
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return read_host_program(GLOBALS + text, SIZES, {"f": numbers})


def steps(program: HostProgram) -> Schedule:
    return program.schedules["f"]


def test_a_program() -> None:
    """Sizes that are allocated are rounded up, constants are 32 bits, results are the caller's."""
    schedule = steps(read())
    assert schedule == Schedule(
        "f",
        64,
        (
            Dispatch("kernel", (8, 1, 1), (2**32 - 7,), (ARGUMENT, SCRATCH)),
            Copy(SCRATCH.part(4, 8), RESULT),
            Fill(RESULT.part(4, 4), b"\xf9\xff\xff\xff"),
        ),
        blocks=(8,),
        results=(RESULT,),
    )
    assert schedule.reads(0)


def test_parts_of_parts() -> None:
    """Offsets of nested subspans add up; earlier contents are no longer read."""
    part = """
  %s = hal.device.queue.alloca<%device : !hal.device> affinity(%c-1_i64) wait(%null) signal(%fence) pool(%c0_i64) type(%memory_type) usage(%usage) flags("None") : !hal.buffer{%c8}
  %u = hal.device.queue.alloca<%device : !hal.device> affinity(%c-1_i64) wait(%null) signal(%fence) pool(%c0_i64) type(%memory_type) usage(%usage) flags("None") : !hal.buffer{%c64}
  %v = hal.buffer.subspan<%u : !hal.buffer>[%c4, %c8] : !hal.buffer
  hal.device.queue.copy<%device : !hal.device> affinity(%c-1_i64) wait(%null) signal(%fence) source(%v : !hal.buffer)[%c4] target(%r : !hal.buffer)[%c4] length(%c4) flags("None")
  hal.device.queue.fill<%device : !hal.device> affinity(%c-1_i64) wait(%null) signal(%fence) target(%v : !hal.buffer)[%c4] length(%c4) pattern(%c7_i32 : i32) flags("None")
"""
    schedule = steps(read(part))
    last = Span(Storage.SCRATCH, 0, 4 + 4, 4)
    assert schedule.scratch == 64
    assert schedule.steps[3:] == (Copy(last, RESULT.part(4, 4)), Fill(last, b"\xf9\xff\xff\xff"))


def test_floats_fill() -> None:
    """By their bits, also if the compiler was told not to look at them."""
    for kind, value, pattern in (
        ("f32", "1.5", "0000c03f"),
        ("f16", "-2.0", "00c0"),
        ("bf16", "1.0", "803f"),
    ):
        bits = kind.replace("bf", "f").replace("f", "i")
        fill = f"""
  %f = arith.constant {value} : {kind}
  %o = util.optimization_barrier %f : {kind}
  %p = arith.bitcast %o : {kind} to {bits}
  hal.device.queue.fill<%device : !hal.device> affinity(%c-1_i64) wait(%null) signal(%fence) target(%r : !hal.buffer)[%c0] length(%c8) pattern(%p : {bits}) flags("None")
"""
        assert steps(read(fill)).steps[-1] == Fill(RESULT, bytes.fromhex(pattern))


CHOOSE = """
  %n = hal.buffer.load<%t : !hal.buffer>[%c8] : i64
  %some = arith.cmpi sgt, %n, %c0_i64 : i64
  cf.cond_br %some, ^bb1, ^bb2
^bb1:
  %again = hal.command_buffer.create device(%device : !hal.device) mode(OneShot) categories("Transfer|Dispatch") affinity(%c-1_i64) : !hal.command_buffer
  hal.command_buffer.copy_buffer<%again : !hal.command_buffer> source(%x : !hal.buffer)[%c0] target(%r : !hal.buffer)[%c0] length(%c8) flags("None")
  hal.device.queue.execute<%device : !hal.device> affinity(%c-1_i64) wait(%null) signal(%fence) commands(%again) flags("None")
  cf.br ^bb2
^bb2:
"""


def test_a_choice() -> None:
    """Of two, by a number that compiled code left in memory."""
    *_, choice = steps(read(CHOOSE, range(2))).steps
    assert choice == Choice(SCRATCH.part(8, 8), {0: (), 1: (Copy(ARGUMENT, RESULT),)})


LOOP = """
  cf.br ^bb1(%c0 : index)
^bb1(%k: index):
  %more = arith.cmpi slt, %k, %c8 : index
  cf.cond_br %more, ^bb2, ^bb3
^bb2:
  %next = arith.addi %k, %c1 : index
  cf.br ^bb1(%next : index)
^bb3:
"""

FILL = """
  hal.device.queue.fill<%device : !hal.device> affinity(%c-1_i64) wait(%null) signal(%fence) target(%r : !hal.buffer)[%c0] length(%c4) pattern(%c7_i32 : i32) flags("None")
"""


def test_a_loop() -> None:
    """Of a known number of iterations is written out."""
    schedule = steps(read(LOOP.replace("^bb2:\n", "^bb2:\n" + FILL)))
    assert schedule.steps[3:] == 8 * (Fill(RESULT.part(0, 4), b"\xf9\xff\xff\xff"),)


REFUSED = {
    "an endless loop": (LOOP, {"%next = arith.addi %k, %c1 : index": "%next = arith.addi %k, %c0 : index"},
        "a loop of unknown or large length"),
    "very many steps": (5000 * FILL, {}, "more than 4,096 steps"),
    "a length that a call brings": (CHOOSE, {}, "a size, or a number of steps, that a call computes"),
    "an op that nobody knows": (
        "%m = hal.buffer_view.rank<%a : !hal.buffer_view> : index",
        {},
        "hal.buffer_view.rank",
    ),
    "a size that a call brings": (
        "%m = hal.buffer_view.dim<%a : !hal.buffer_view>[0] : index",
        {},
        "sizes known only at run time",
    ),
    "beyond a buffer": ("", {"source(%t : !hal.buffer)[%c4]": "source(%t : !hal.buffer)[%c64]"},
        "a part of a buffer that is beyond its end"),
    "beyond an argument": ("", {"(%x : !hal.buffer)[%c0, %c8]": "(%x : !hal.buffer)[%c4, %c8]"},
        "a part of a buffer that is beyond its end"),
    "results with a gap": ("", {"buffer(%r : !hal.buffer)[%c0, %c8]":
        "buffer(%r : !hal.buffer)[%c4, %c4]"}, "results in memory of its own"),
    "an unknown buffer": ("", {"(%x : !hal.buffer)[%c0, %c8]": "(%b : !hal.buffer)[%c0, %c8]",
        "%fence = ": "%b = util.null : !hal.buffer\n  %fence = "}, "a buffer of unknown origin"),
    "other arguments": ("", {"(%a: !hal.buffer_view, ": "(%a: !hal.buffer_view, %z: i32, "},
        "other arguments than the module"),
}  # fmt: skip


@pytest.mark.slow
def test_a_long_loop() -> None:
    """Of more steps than a schedule may have is written once."""
    schedule = steps(read(LOOP.replace("^bb2:\n", "^bb2:\n" + 600 * FILL)))
    last = schedule.steps[-1]
    assert isinstance(last, Repeat)
    repeated, written = len(last.steps), len(schedule.steps[3:-1])
    assert (repeated, written % 600) == (600, 0)
    assert written // 600 + last.end - last.first == 8


def test_results_in_memory_of_its_own() -> None:
    """They are copied to the caller's."""
    elsewhere = {"buffer(%r : !hal.buffer)[%c0, %c8]": "buffer(%t : !hal.buffer)[%c0, %c8]"}
    assert steps(read(**elsewhere)).steps[-1] == Copy(SCRATCH.part(0, 8), RESULT)


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    """The message names the function and the obstacle."""
    rest, changes, reason = REFUSED[case]
    with pytest.raises(
        UnsupportedError, match=re.escape(f"f: its host program has {reason}, and only")
    ):
        read(rest, **changes)


@pytest.mark.parametrize(
    ("location", "where"),
    [
        ("""callsite("node 'a b' (Slice)" at "graph:main")""", "node 'a b' (Slice): "),
        (r"""fused["node '\22\C3\A9' (Cos)", "n"("n = 1"), "node 'b' (Or)"]""", "node '\"é' (Cos), node 'b' (Or): "),
        ("""fused["node 'a' (Or)", "node 'b' (Or)", "node 'c' (Or)", "node 'd' (Or)"]""", "node 'a' (Or), node 'b' (Or), node 'c' (Or) and 1 more: "),
        ("unknown", ""),
    ],
)  # fmt: skip
def test_refused_by_node(location: str, where: str) -> None:
    """The message names the nodes that the op was made of, or its operands."""
    what = "a size, or a number of steps, that a call computes"
    message = re.escape(f"f: {where}its host program has {what}")
    load = f"%n = hal.buffer.load<%x : !hal.buffer>[%c0] : i32 loc({location})"
    with pytest.raises(UnsupportedError, match=message):
        read(load)
    with pytest.raises(UnsupportedError, match=re.escape(f"f: {where}its host program has arith")):
        read(
            f"%y = arith.bitcast %c7_i32 : i32 to f32 loc({location})\n%z = arith.addf %y, %y : f32"
        )


SIZE = """
  %m = hal.buffer_view.dim<%a : !hal.buffer_view>[0] : index
  %n = arith.muli %m, %c4 : index
  %n1 = arith.addi %n, %c4 : index
  %i = arith.index_castui %n1 : index to i32
"""
"""Of an argument of floats, and of one that has one more of them; at the beginning."""

T = open_dimension("seq_length")

OPEN = {"f": Sizes([4 * T], [4 * T], [[T]])}


def read_open(rest: str = "", **changes: str) -> HostProgram:
    text = PROGRAM.replace("REST", rest)
    for old, new in {
        "  %x = hal": SIZE + "  %x = hal",
        "hal.buffer{%c64}": "hal.buffer{%n1}",
        "workgroups([%c8,": "workgroups([%m,",
        "constants([%c7_i32])": "constants([%i])",
        "(%x : !hal.buffer)[%c0, %c8]": "(%x : !hal.buffer)[%c0, %n]",
        "(%t : !hal.buffer)[%c0, %c64]": "(%t : !hal.buffer)[%c4, %n]",
        "[%c0] length(%c8)": "[%c0] length(%n)",
        "(%r : !hal.buffer)[%c4, %c4]": "(%r : !hal.buffer)[%c0, %c4]",
        "(%r : !hal.buffer)[%c0, %c8]": "(%r : !hal.buffer)[%c0, %n]",
        **changes,
    }.items():
        assert old in text, old
        text = text.replace(old, new)
    return read_host_program(GLOBALS + text, OPEN, {})


def test_open_sizes() -> None:
    """Memory, parts of it, workgroups and constants by formulas of the size of an argument."""
    schedule = steps(read_open())
    argument, result = (
        Span(storage, 0, 0, 4 * T) for storage in (Storage.ARGUMENT, Storage.RESULT)
    )
    part = Span(Storage.SCRATCH, 0, 4, 4 * T)
    assert schedule.steps == (
        Dispatch("kernel", (T, 1, 1), (4 * T + 4,), (argument, part)),
        Copy(part, result),
        Fill(result.part(0, 4), b"\xf9\xff\xff\xff"),
    )
    assert expanded(schedule.scratch, schedule.formulas) == "64*((4*seq_length + 3) / 64) + 64"
    assert schedule.at(schedule.scratch, {"seq_length": 16}) == 128
    assert schedule.at(schedule.scratch, {"seq_length": 15}) == 64


OPEN_REFUSED = {
    "steps by a size": (
        "%o = arith.cmpi slt, %m, %c8 : index\n  cf.cond_br %o, ^bb1, ^bb1\n^bb1:\n",
        {},
        "steps that depend on open sizes",
    ),
    "a size that may be wrong": (
        '%o = arith.cmpi slt, %m, %c8 : index\n  cf.assert %o, "m"',
        {},
        "sizes that may not pass a check of the host program",
    ),
    "no arithmetic": (
        "%o = arith.shli %m, %c1 : index",
        {},
        "arith.shli of sizes known only at run time",
    ),
    "a sign": (
        "%o = arith.subi %m, %c8 : index\n  %p = arith.divui %o, %c8 : index",
        {},
        "a number whose sign is known only at run time",
    ),
    "beyond a buffer": (
        "",
        {"(%t : !hal.buffer)[%c4, %n]": "(%t : !hal.buffer)[%c8, %n]"},
        "a part of a buffer that is beyond its end",
    ),
    "another size as a result": (
        "",
        {"shape([%c8])": "shape([%c8])", "buffer(%r : !hal.buffer)[%c0, %n]":
            "buffer(%r : !hal.buffer)[%c0, %c4]"},
        "results in memory of its own",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", OPEN_REFUSED)
def test_refused_of_open_sizes(case: str) -> None:
    rest, changes, reason = OPEN_REFUSED[case]
    with pytest.raises(
        UnsupportedError, match=re.escape(f"f: its host program has {reason}, and only")
    ):
        read_open(rest, **changes)


def test_workgroups_are_counted_in_few_bits() -> None:
    """16 of them along the last axis, so that a size may not be larger."""
    schedule = steps(read_open(**{"workgroups([%m, %c1, %c1])": "workgroups([%c1, %c1, %m])"}))
    assert schedule.limit == 2**16 - 1


def test_a_function_that_is_missing() -> None:
    with pytest.raises(UnsupportedError, match="the host program lacks g"):
        read_host_program(GLOBALS, {"g": Sizes([], [])}, {})


def test_text_of_another_compiler() -> None:
    with pytest.raises(UnsupportedError, match="its host program is not understood"):
        read_host_program("util.func public @f() { hal.new }", SIZES, {})


def test_constants_that_are_computed() -> None:
    """When a module is loaded, from a file or by code."""
    text = """
    util.global private @weights : !hal.buffer
    util.initializer {
      %b = util.null : !hal.buffer
      util.global.store %b, @weights : !hal.buffer
      util.return
    }
    """
    with pytest.raises(UnsupportedError, match="computes constants when it is loaded"):
        read_host_program(text, {}, {})
