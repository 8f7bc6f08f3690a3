"""Ourselves in training: the layers of `rnn_compiler.torch`, next to torch's own.

They run on their default device, with as many threads as torch has.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import torch

import rnn_compiler.torch as layers
from benchmarks.peers import Variant, ours, pytorch
from benchmarks.rows import Case

__all__ = ["start", "variants"]

_LAYERS = {"lstm": layers.LSTM, "gru": layers.GRU, "rnn_tanh": layers.RNN}


def start(cpus: Sequence[int]) -> None:
    """Gives torch and local-task a thread for each processor."""
    pytorch.start(cpus)
    ours.start(cpus)


def variants(case: Case) -> list[Variant]:
    """Inference, or forward and backward."""
    tensors = pytorch.tensors_of(case)
    layer = pytorch.layer_of(case, _LAYERS).to(getattr(torch, case.dtype))
    run = pytorch.training if case.workload.passes > 1 else pytorch.inference
    fetch = functools.partial(pytorch.fetch, case, tensors["input"])
    return [Variant("layer", run(layer, tensors), fetch)]
