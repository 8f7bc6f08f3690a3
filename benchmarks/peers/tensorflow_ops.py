"""TensorFlow: the fastest form of an op that it has.

For BlockLSTMV2 its own kernel, eagerly or as a graph. For ONNX's ops see `keras_layers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from benchmarks.inputs import Arrays, draw
from benchmarks.peers import Variant, keras_layers, steps_tensorflow
from benchmarks.rows import Case

__all__ = ["start", "variants"]


def start(cpus: Sequence[int]) -> None:
    """Uses as many threads as there are processors."""
    tf.config.threading.set_intra_op_parallelism_threads(len(cpus))
    tf.config.threading.set_inter_op_parallelism_threads(1)


def variants(case: Case) -> list[Variant]:
    """An op, alone or with its gradient; or a training step."""
    if case.workload.family == "step":
        return steps_tensorflow.variants(case)
    if case.workload.family == "onnx":
        return keras_layers.variants(case)
    tensors = {name: tf.constant(array) for name, array in draw(case).items()}
    cotangents = {name: tensors.pop(name) for name in ("cs_grad", "h_grad")}
    tensors["seq_len_max"] = tf.constant(case.size.T, tf.int64)
    training = case.workload.passes > 1

    def run(tensors: Any, cotangents: Any) -> Any:
        forward = tf.raw_ops.BlockLSTMV2(**tensors, cell_clip=0.0, use_peephole=False)
        if not training:
            return (forward,)
        activations = forward._asdict()
        return forward, tf.raw_ops.BlockLSTMGradV2(
            **tensors, **activations, **cotangents, use_peephole=False
        )

    graph = tf.function(run).get_concrete_function(tensors, cotangents)
    flat: list[Any] = tf.nest.flatten((tensors, cotangents))
    return [
        Variant("eager", lambda: run(tensors, cotangents), _fetch),
        Variant("graph", lambda: graph(*flat), _fetch),
    ]


def _fetch(results: Any) -> Arrays:
    return {name: value.numpy() for outputs in results for name, value in outputs._asdict().items()}
