"""Counts the commands that a call on a GPU issues, in the compiled module, without a GPU.

The counts come from IREE's stream dialect, which shows the commands that the host issues, and which
of them at every step. Counts are not times: a dispatch costs microseconds on a GPU, but so does its
computation.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

import rnn_compiler as rc
from benchmarks.rows import Size
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.pipeline import rewrite
from rnn_compiler.lowering.rewriting.context import LoweringRequest
from rnn_compiler.lowering.targets.names import resolve_target

__all__ = ["Counts", "count", "table"]

STRONG, WEAK = Size(50, 64, 512, 512), Size(25, 32, 1536, 1536)


class Row(NamedTuple):
    """A layer whose calls are counted; `cudnn` describes cuDNN's performance on it."""

    title: str
    cudnn: str
    op: str
    size: Size
    attributes: dict[str, Any]


ROWS = (
    Row("one direction", "strong", "CudnnRNN", STRONG, {}),
    Row("one row", "strong", "CudnnRNN", Size(50, 1, 512, 512), {}),
    Row("two directions", "weak", "CudnnRNN", STRONG, {"direction": "bidirectional"}),
    Row("odd sizes", "weak", "CudnnRNN", Size(50, 64, 509, 509), {}),
    Row("a length for each row", "weak", "CudnnRNNV3", STRONG, {}),
    Row("more than 1024 units", "weak", "CudnnRNN", WEAK, {}),
)


class Counts(NamedTuple):
    """The counts of a call.

    Attributes:
        step: Dispatches per step.
        other: Dispatches outside the loops.
        copies: Copies and fills, `step_copies` of them per step.
        copied: Bytes that they write.
        allocated: Bytes that are allocated.
    """

    step: float
    other: int
    copies: int
    step_copies: float
    copied: int
    allocated: int


def count(module: rc.Module, target: str, seq_length: int) -> Counts:
    """Counts the commands of a module's function, whose loops together run `seq_length` steps."""
    blocks = dict(_blocks(_stream_ir(module, target)))
    loops = [loop for number in blocks if (loop := _loop(blocks, number))]
    unknown = sum(loop.bound is None for loop in loops)
    other = "".join(text for text in blocks.values() if text not in {loop.body for loop in loops})

    def of_step(command: str) -> float:
        total = 0.0
        for loop in loops:
            steps = seq_length / unknown if loop.bound is None else loop.bound
            total += len(re.findall(command, loop.body)) * steps / loop.more
        return total / seq_length

    transfers = r"stream\.cmd\.(?:copy|fill) "
    return Counts(
        of_step(r"stream\.cmd\.dispatch "),
        other.count("stream.cmd.dispatch "),
        len(re.findall(transfers, other)),
        of_step(transfers),
        _bytes(r"stream\.cmd\.(?:copy .*?, |fill .*? for )%c(\d+)", other),
        _bytes(r"stream\.resource\.alloca .*?\{%c(\d+)\}", other),
    )


def table(target: str, size: Size | None = None) -> Table:
    """Every row, forward in training and gradient, in float16."""
    result = Table(box=None, pad_edge=False)
    for column in ("layer", "cuDNN", "T x B x I x H", "op"):
        result.add_column(column)
    for column in ("a step", "else", "copies", "MB copied", "MB allocated"):
        result.add_column(column, justify="right")
    for row in ROWS:
        dims = (size or row.size)._asdict()
        names = ("seq_length", "batch_size", "input_size", "num_units")
        sizes = dict(zip(names, dims.values(), strict=True))
        for op in (row.op, row.op.replace("RNN", "RNNBackprop", 1)):
            module = rc.build(op, dtype="float16", num_layers=1, **sizes, **row.attributes)
            counts = count(module, target, sizes["seq_length"])
            result.add_row(
                row.title,
                row.cudnn,
                str(size or row.size),
                op,
                f"{counts.step:g}",
                str(counts.other),
                f"{counts.copies}"
                + (f" + {counts.step_copies:g} a step" * bool(counts.step_copies)),
                f"{counts.copied / 1e6:.2f}",
                f"{counts.allocated / 1e6:.1f}",
            )
    return result


def _stream_ir(module: rc.Module, target: str) -> str:
    """The function of a module, in IREE's stream dialect."""
    resolved = resolve_target(target)
    text = rewrite(
        LoweringRequest(module.located_text, module.functions, resolved, "pinned", "0")
    ).text
    with tempfile.TemporaryDirectory() as folder:
        made = iree_compile.compile_module(
            text, resolved, reproducers=Path(folder), flags=["--compile-to=stream"]
        ).decode()
    return made.partition(f"util.func public @{module.functions[0].function}(")[2]


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """The basic blocks of a function by number."""
    parts = re.split(r"\n  \^bb(\d+)", text.partition("\n  }")[0])
    yield 0, parts[0]
    yield from ((int(n), block) for n, block in zip(parts[1::2], parts[2::2], strict=True))


class _Loop(NamedTuple):
    """A loop: its body, the increment of its counter, and the limit of the counter, if known."""

    body: str
    more: int
    bound: int | None


def _loop(blocks: dict[int, str], number: int) -> _Loop | None:
    """The loop whose body is a block: one that goes back."""
    body = blocks[number]
    back = re.search(r"cf\.br \^bb(\d+)\((%\d+)", body)
    if back is None or int(back[1]) >= number:
        return None
    more = re.search(re.escape(back[2]) + r" = arith\.addi .*%c(\d+)", body)
    bound = re.search(r"arith\.cmpi slt, .*, %c(\d+)", blocks[int(back[1])])
    return _Loop(body, int(more[1]) if more else 1, int(bound[1]) if bound else None)


def _bytes(pattern: str, text: str) -> int:
    """The sum of the sizes matched by a pattern."""
    return sum(int(size) for size in re.findall(pattern, text))
