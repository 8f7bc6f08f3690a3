"""What is measured: sizes, workloads, and contests among our own variants, as data.

A *case* is one workload at one size and dtype. A *contest* is a handful of entrants that take turns
on the same cores, so that a drift of the machine affects all of them: us and the peers on one case
(`groups`), or our own variants: two sizes, three dtypes, five ways of calling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rnn_compiler.lowering.ops import OPS

__all__ = [
    "CALLS",
    "MACHINE",
    "OURS",
    "OURS_IN_TORCH",
    "SIZES",
    "TINY",
    "WORKLOADS",
    "Case",
    "Contest",
    "Entrant",
    "Size",
    "Workload",
    "call_contests",
    "compile_cases",
    "dtype_contests",
    "memory_cases",
    "scaling_contests",
    "sequence_workloads",
    "soak_cases",
]

OURS = "rnn-compiler"

OURS_IN_TORCH = "rnn_compiler.torch"
"""Ourselves as layers of torch."""

MACHINE = "machine"
"""Not an entrant, but the machine's limit."""


class Size(NamedTuple):
    """The dimensions of a layer: seq_length, batch_size, input_size, num_units."""

    T: int
    B: int
    I: int
    H: int

    def __str__(self) -> str:
        return "x".join(map(str, self))

    @staticmethod
    def parse(text: str) -> Size:
        """Reads ``128,1,128,128`` or ``128x1x128x128``.

        Raises:
            ValueError: It is not four positive integers.
        """
        numbers = [int(part) for part in text.replace("x", ",").split(",")]
        if len(numbers) != 4 or min(numbers) < 1:
            raise ValueError(f"not a size: {text!r}: expected T,B,I,H, four positive integers")
        return Size(*numbers)


SIZES = (
    Size(128, 1, 128, 128),
    Size(50, 1, 512, 512),
    Size(200, 8, 64, 64),
    Size(32, 16, 256, 256),
    Size(50, 64, 512, 512),
    Size(25, 32, 1024, 1024),
)
"""The usual sizes, from a stream over a small, latency-bound layer to cache-filling matrices."""

TINY = Size(8, 2, 16, 16)
"""A size to show that everything works, without meaning for speed."""


@dataclass(frozen=True)
class Workload:
    """Ops that run one after another, each on the results of those before it.

    Attributes:
        name: Short, for `--rows`.
        title: A readable title.
        ops: TensorFlow's names.
        timed_from: The number of ops at the start that only prepare and are not timed.
        attributes: The attributes of the ops.
        family: The kind of inputs they take: ``"block"``, ``"cell"``, ``"cudnn"`` or ``"onnx"``; or
            ``"network"``, for a whole one (`networks`); ``"step"`` (`steps`); or
            ``"fine-tuning"`` (`fine_tuning`).
        passes: The number of times they multiply every input and state by its weights: once
            forward, twice backward.
        lengths: Whether each sequence of a batch has its own length.
        chunks: Whether a call takes the next chunk of a sequence, with the size's number of steps,
            and continues from the state after the previous chunk.
    """

    name: str
    title: str
    ops: tuple[str, ...]
    family: str
    passes: int
    attributes: dict[str, Any] = field(default_factory=dict[str, Any], hash=False)
    timed_from: int = 0
    lengths: bool = False
    chunks: bool = False


_LSTM = {"rnn_mode": "lstm"}

WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload(
            "inference",
            "CudnnRNN(is_training=False)",
            ("CudnnRNN",),
            "cudnn",
            1,
            {**_LSTM, "is_training": False},
        ),
        Workload(
            "training",
            "CudnnRNN + CudnnRNNBackprop",
            ("CudnnRNN", "CudnnRNNBackprop"),
            "cudnn",
            3,
            {**_LSTM, "is_training": True},
        ),
        Workload(
            "block",
            "BlockLSTMV2",
            ("BlockLSTMV2",),
            "block",
            1,
            {"use_peephole": False},
        ),
        Workload(
            "block-training",
            "BlockLSTMV2 + BlockLSTMGradV2",
            ("BlockLSTMV2", "BlockLSTMGradV2"),
            "block",
            3,
            {"use_peephole": False},
        ),
    )
}


@dataclass(frozen=True)
class Case:
    """A workload at a size and dtype.

    Attributes:
        workload: The workload.
        size: The dimensions.
        dtype: The element type; in int8, that of the weights, which are frozen.
        way: How it is called; only the contest of ways of calling has several.
        seed: The number of the draw of its tensors (`inputs.draw`).
    """

    workload: Workload
    size: Size
    dtype: str = "float32"
    way: str = ""
    seed: int = 0

    @property
    def arrays_dtype(self) -> str:
        """The element type of inputs and results."""
        return "float32" if self.dtype == "int8" else self.dtype


@dataclass(frozen=True)
class Entrant:
    """An entrant of a contest.

    Attributes:
        label: Its name in the contest.
        peer: The peer that runs it.
        case: The case it runs.
    """

    label: str
    peer: str
    case: Case


@dataclass(frozen=True)
class Contest:
    """Entrants that are compared with each other, relative to the first.

    Attributes:
        section: The table it belongs to.
        group: The part of that table.
        name: Its row there.
        entrants: The entrants.
        same_results: Whether all have the same case, so that they must compute the same, and one
            limit holds for all.
    """

    section: str
    group: str
    name: str
    entrants: tuple[Entrant, ...]
    same_results: bool = False

    @property
    def path(self) -> str:
        """The path that `--rows` matches, ``peers/inference/128x1x128x128``."""
        return f"{self.section}/{self.group}/{self.name}"


def sequence_workloads() -> list[Workload]:
    """Every op over a sequence, alone; gradients after their forward op, which is not timed."""
    workloads: list[Workload] = []
    for name, op in OPS.items():
        known = {attribute.name for attribute in op.signature.attributes}
        if "seq_length" not in op.signature.dimensions:
            continue
        forward = name.replace("Grad", "").replace("Backprop", "")
        ops = (name,) if forward == name else (forward, name)
        families = {"Cudnn": "cudnn", "onnx.": "onnx"}
        family = families.get(name[:5], "block")
        attributes: dict[str, Any] = {"is_training": len(ops) == 2}
        if family == "cudnn":
            attributes |= _LSTM
        elif family == "block":
            attributes = {"use_peephole": False}
        attributes = {k: v for k, v in attributes.items() if k in known or len(ops) == 2}
        passes = 2 if len(ops) == 2 else 1
        workloads.append(Workload(name, name, ops, family, passes, attributes, len(ops) - 1))
    return workloads


FACTOR = 4
"""The factor by which the scaling contests enlarge a dimension."""


def scaling_contests(tiny: bool = False) -> list[Contest]:
    """Each op over a sequence at a size, and at one that is four times as long, wide or high."""
    base = TINY if tiny else Size(64, 8, 64, 64)
    longer = {
        "T": base._replace(T=FACTOR * base.T),
        "B": base._replace(B=FACTOR * base.B),
        "H": base._replace(H=FACTOR * base.H),
    }
    return [
        Contest(
            "scaling",
            workload.name,
            axis,
            (Entrant("1x", OURS, Case(workload, base)), Entrant("4x", OURS, Case(workload, size))),
        )
        for workload in sequence_workloads()
        for axis, size in longer.items()
    ]


def dtype_contests(sizes: Sequence[Size]) -> list[Contest]:
    """Every workload in smaller types against float32; in int8 those that do not train."""
    return [
        Contest(
            "dtypes",
            workload.name,
            str(size),
            tuple(
                Entrant(dtype, OURS, Case(workload, size, dtype))
                for dtype in ("float32", "float16", "bfloat16", "int8")
                if dtype != "int8" or workload.passes == 1
            ),
        )
        for workload in WORKLOADS.values()
        for size in sizes
    ]


CALLS = (
    "bare IREE call, on the device",
    "program, on the device",
    "raw op, on the device",
    "program, numpy in and out",
    "raw op, numpy in and out",
    "program, x from numpy, numpy out",
    "stream, numpy in and out",
)
"""Ways of calling one op; the first is the minimum that IREE itself needs."""


def call_contests() -> list[Contest]:
    """The overhead of calls beyond IREE's own; streaming runs one step per call, so it matters."""
    cell = Workload("LSTMBlockCell", "LSTMBlockCell", ("LSTMBlockCell",), "cell", 1)
    size = Size(1, 1, 128, 128)
    entrants = tuple(Entrant(way, OURS, Case(cell, size, way=way)) for way in CALLS)
    return [Contest("calls", cell.name, str(size), entrants)]


def compile_cases(tiny: bool = False) -> list[Case]:
    """Every op over a sequence, short and sixteen times as long."""
    sizes = [TINY] if tiny else [Size(32, 16, 256, 256), Size(512, 16, 256, 256)]
    return [Case(workload, size) for workload in sequence_workloads() for size in sizes]


def memory_cases(sizes: Sequence[Size]) -> list[Case]:
    """Every workload: its peak memory relative to the minimum."""
    return [Case(workload, size) for workload in WORKLOADS.values() for size in sizes]


def soak_cases(tiny: bool = False) -> list[Case]:
    """Programs for each batch size up to fifty, loaded and released."""
    return [Case(WORKLOADS["block-training"], TINY if tiny else Size(16, 50, 32, 32))]
