"""The rows that are measured against other frameworks, as data.

They define workload, dtype, sizes, peers and aims. An aim is a lower bound for the geometric mean
of the best peer's time over ours, on one thread and on two. Apart from noise, no row should be
slower than the best peer (`LEAST`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.rows import (
    OURS,
    OURS_IN_TORCH,
    SIZES,
    WORKLOADS,
    Case,
    Contest,
    Entrant,
    Size,
    Workload,
)

__all__ = [
    "CHUNKED",
    "GROUPS",
    "IN_WASM",
    "LEAST",
    "Group",
    "aim_of",
    "latency_contests",
    "peer_contests",
    "title_of",
    "wasm_contests",
]

LEAST = 0.95
"""The aim for the least row of a group."""

LSTM_SIZES = (*SIZES, Size(16, 1, 2048, 2048), Size(1, 1, 128, 128))
"""The usual sizes; weights that exceed all caches; and a single step, dominated by call
overhead."""

CELL_SIZES = (SIZES[0], SIZES[1], SIZES[3], SIZES[4])
"""The sizes for cells other than lstm: from latency to large batches."""

INT8_SIZES = (
    Size(1, 1, 128, 128),
    Size(50, 1, 512, 512),
    Size(16, 1, 1024, 1024),
    Size(32, 16, 256, 256),
)
"""The sizes for weights in int8: a step, rows that wait for weights, and a batch."""

LENGTHS_SIZE = Size(128, 128, 256, 256)
DIRECTIONS_SIZE = Size(600, 1, 256, 256)

AUDIO_SIZES = tuple(Size(64, 1, 1, units) for units in (16, 24, 40))
"""The sizes of a plug-in's block of samples, one input per step."""

CHUNK_SIZES = tuple(Size(steps, 1, units, units) for units in (128, 256, 512) for steps in (1, 10))
"""The sizes of streams: one step at a time, and ten."""

WASM_SIZES = tuple(
    Size(steps, 1, units, units) for units in (64, 128, 256, 512) for steps in (1, 10, 128)
)
"""The sizes of a web page's work: chunks, and a whole recording."""

_INFERENCE = ("torch", "onnxruntime", "openvino", "jax")
_STREAMING = ("torch", "onnxruntime", "openvino")
_TRAINING = ("torch", "jax")
_ONNX = ("onnxruntime", "tensorflow")


@dataclass(frozen=True)
class Group:
    """Rows of one workload.

    Attributes:
        name: For `--rows`.
        title: A readable title: the op and its purpose.
        workload: The workload.
        sizes: One row per size.
        peers: The peers that take part.
        dtype: The element type.
        aim: The aim for the geometric mean.
        ours: The forms in which we take part.
    """

    name: str
    title: str
    workload: Workload
    sizes: tuple[Size, ...]
    peers: tuple[str, ...]
    dtype: str = "float32"
    aim: float | None = None
    ours: str = OURS


def _cudnn(mode: str, version: str = "", lengths: bool = False, **more: Any) -> list[Workload]:
    """Inference and training of a CudnnRNN."""
    name = f"{mode}{'-lengths' * lengths}"
    return [
        Workload(
            f"{name}{'-training' * training}",
            name,
            (f"CudnnRNN{version}", f"CudnnRNNBackprop{version}")[: 1 + training],
            "cudnn",
            1 + 2 * training,
            {"rnn_mode": mode, "is_training": training, **more},
            lengths=lengths,
        )
        for training in (False, True)
    ]


_LENGTHS, _LENGTHS_TRAINING = _cudnn("lstm", "V3", lengths=True)
_BOTH, _ = _cudnn("lstm", direction="bidirectional")


def _onnx(name: str, op: str, **attributes: Any) -> list[Workload]:
    """Inference and training of one of ONNX's ops."""
    states = "initial_h initial_c" if op == "onnx.LSTM" else "initial_h"
    given = {"inputs": f"B {states}", **attributes}
    return [
        Workload(
            f"{name}{'-training' * training}",
            name,
            (op, f"{op}Grad")[: 1 + training],
            "onnx",
            1 + 2 * training,
            {**given, "is_training": training},
        )
        for training in (False, True)
    ]


_HARD, _HARD_TRAINING = _onnx(
    "onnx-hard-sigmoid",
    "onnx.LSTM",
    activations="HardSigmoid Tanh Tanh",
    activation_alpha=str(1 / 6),
)
_PEEPHOLE, _PEEPHOLE_TRAINING = _onnx(
    "onnx-peephole", "onnx.LSTM", inputs="B initial_h initial_c P"
)
_BEFORE, _BEFORE_TRAINING = _onnx("onnx-gru", "onnx.GRU")

_GRU, _GRU_TRAINING = _cudnn("gru")
_TANH, _TANH_TRAINING = _cudnn("rnn_tanh")

GROUPS = {
    group.name: group
    for group in (
        Group(
            "inference",
            "CudnnRNN lstm, inference",
            WORKLOADS["inference"],
            LSTM_SIZES,
            _INFERENCE,
            aim=1.05,
        ),
        Group(
            "inference-bfloat16",
            "CudnnRNN lstm, inference in bfloat16",
            WORKLOADS["inference"],
            LSTM_SIZES,
            ("torch", "openvino"),
            "bfloat16",
            1.2,
        ),
        Group(
            "inference-int8",
            "CudnnRNN lstm, inference with weights in int8",
            WORKLOADS["inference"],
            INT8_SIZES,
            ("torch", "onnxruntime", "openvino"),
            "int8",
            1.2,
        ),
        Group(
            "training",
            "CudnnRNN lstm, training",
            WORKLOADS["training"],
            LSTM_SIZES,
            _TRAINING,
            aim=1.3,
        ),
        Group(
            "layer-training",
            "CudnnRNN lstm as rnn_compiler.torch.LSTM, training",
            WORKLOADS["training"],
            LSTM_SIZES,
            ("torch",),
            aim=1.0,
            ours=OURS_IN_TORCH,
        ),
        Group(
            "lengths",
            "CudnnRNNV3 lstm with lengths, inference",
            _LENGTHS,
            (LENGTHS_SIZE,),
            _INFERENCE,
        ),
        Group(
            "lengths-training",
            "CudnnRNNV3 lstm with lengths, training",
            _LENGTHS_TRAINING,
            (LENGTHS_SIZE,),
            _TRAINING,
        ),
        Group(
            "both-directions",
            "CudnnRNN lstm in both directions, inference",
            _BOTH,
            (DIRECTIONS_SIZE,),
            _INFERENCE,
        ),
        Group("gru", "CudnnRNN gru, inference", _GRU, CELL_SIZES, _INFERENCE),
        Group(
            "gru-int8",
            "CudnnRNN gru, inference with weights in int8",
            _GRU,
            INT8_SIZES,
            ("torch", "openvino"),
            "int8",
            1.5,
        ),
        Group("gru-training", "CudnnRNN gru, training", _GRU_TRAINING, CELL_SIZES, _TRAINING),
        Group("rnn", "CudnnRNN rnn_tanh, inference", _TANH, CELL_SIZES, _INFERENCE),
        Group("rnn-training", "CudnnRNN rnn_tanh, training", _TANH_TRAINING, CELL_SIZES, _TRAINING),
        Group("block", "BlockLSTMV2", WORKLOADS["block"], SIZES, ("tensorflow",), aim=2.0),
        Group(
            "block-training",
            "BlockLSTMV2 + BlockLSTMGradV2",
            WORKLOADS["block-training"],
            SIZES,
            ("tensorflow",),
            aim=10.0,
        ),
        Group(
            "onnx-hard-sigmoid",
            "onnx.LSTM with Keras 3's hard_sigmoid, inference",
            _HARD,
            CELL_SIZES,
            _ONNX,
        ),
        Group(
            "onnx-hard-sigmoid-training",
            "onnx.LSTM with Keras 3's hard_sigmoid, training",
            _HARD_TRAINING,
            CELL_SIZES,
            ("tensorflow",),
        ),
        Group("onnx-peephole", "onnx.LSTM with peepholes, inference", _PEEPHOLE, CELL_SIZES, _ONNX),
        Group(
            "onnx-peephole-training",
            "onnx.LSTM with peepholes, training",
            _PEEPHOLE_TRAINING,
            CELL_SIZES,
            ("tensorflow",),
        ),
        Group("onnx-gru", "onnx.GRU, the reset first, inference", _BEFORE, CELL_SIZES, _ONNX),
        Group(
            "onnx-gru-training",
            "onnx.GRU, the reset first, training",
            _BEFORE_TRAINING,
            CELL_SIZES,
            ("tensorflow",),
        ),
    )
}


def _streaming(name: str, title: str, mode: str, sizes: Sequence[Size]) -> Group:
    rnn = {"rnn_mode": mode, "is_training": False}
    workload = Workload(name, mode, ("CudnnRNNV3",), "cudnn", 1, rnn, chunks=True)
    return Group(name, title, workload, sizes, _STREAMING)


CHUNKED = {
    group.name: group
    for group in (
        _streaming("lstm-chunks", "lstm in chunks, the state kept", "lstm", CHUNK_SIZES),
        _streaming("gru-chunks", "gru in chunks, the state kept", "gru", CHUNK_SIZES),
        _streaming("audio-blocks", "an effect's lstm, blocks of 64 samples", "lstm", AUDIO_SIZES),
    )
}
"""Streaming workloads, for latency."""


IN_WASM = {
    f"wasm-{mode}": Group(
        f"wasm-{mode}",
        f"{mode} in WebAssembly",
        Workload(
            f"wasm-{mode}",
            mode,
            ("CudnnRNNV3",),
            "cudnn",
            1,
            {"rnn_mode": mode, "is_training": False},
        ),
        WASM_SIZES,
        peers,
        aim=1.5,
    )
    for mode, peers in (("lstm", ("onnxruntime-web", "tfjs")), ("gru", ("onnxruntime-web",)))
}
"""The workloads of the section `wasm`."""


def title_of(name: str) -> str:
    """The title of a group; its name for results of an earlier version."""
    groups = {**GROUPS, **CHUNKED, **IN_WASM}
    return groups[name].title if name in groups else name


def aim_of(name: str) -> float | None:
    """The aim of a group for its geometric mean, if it has one."""
    groups = {**GROUPS, **IN_WASM}
    return groups[name].aim if name in groups else None


def peer_contests(sizes: Sequence[Size] | None, peers: Iterable[str]) -> list[Contest]:
    """The contests of every group, at its own or given sizes, against the given peers."""
    return _contests("peers", GROUPS.values(), sizes, peers)


def latency_contests(sizes: Sequence[Size] | None, peers: Iterable[str]) -> list[Contest]:
    """The same for streaming workloads, where a size's steps are those of a chunk."""
    return _contests("latency", CHUNKED.values(), sizes, peers)


def wasm_contests(sizes: Sequence[Size] | None, peers: Iterable[str]) -> list[Contest]:
    """The same in WebAssembly."""
    return _contests("wasm", IN_WASM.values(), sizes, peers)


def _contests(
    section: str, groups: Iterable[Group], sizes: Sequence[Size] | None, peers: Iterable[str]
) -> list[Contest]:
    chosen = set(peers)
    contests: list[Contest] = []
    for group in groups:
        others = [peer for peer in group.peers if peer in chosen]
        if group.ours != OURS and not others:  # it needs the same package
            continue
        for size in sizes or group.sizes:
            case = Case(group.workload, size, group.dtype)
            us = Entrant(OURS, group.ours, case)
            entrants = (us, *(Entrant(peer, peer, case) for peer in others))
            contests.append(Contest(section, group.name, str(size), entrants, True))
    return contests
