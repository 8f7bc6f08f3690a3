"""The cells of CudnnRNN, by rnn_mode: what buffers, signatures and converters of weights know.

What a step computes is in `lowering.ops.cells`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["RNN_MODES", "RnnMode"]


class RnnMode(NamedTuple):
    """A cell.

    Attributes:
        gates: Its gates in cuDNN's order, a letter each; n is the candidate value.
        onnx: The same gates in ONNX's order.
        keras: The same gates in the order of Keras.
        saved: The values that a step saves for the gradient, in order; c is the cell state.
        has_cell_state: Whether it has a state c in addition to h. Such a cell may have a
            projection.
        adds_biases: Whether it only adds its two biases, so that a framework may store their sum.
        is_in_keras_2: Whether Keras 2 has a layer of it with cuDNN's weights, such as CuDNNLSTM.
    """

    gates: str
    onnx: str
    keras: str
    saved: str = ""
    has_cell_state: bool = False
    adds_biases: bool = True
    is_in_keras_2: bool = False


RNN_MODES: Mapping[str, RnnMode] = MappingProxyType(
    {
        "rnn_relu": RnnMode("n", "n", "n"),
        "rnn_tanh": RnnMode("n", "n", "n"),
        "lstm": RnnMode(
            "ifno", "iofn", "ifno", saved="ifnoc", has_cell_state=True, is_in_keras_2=True
        ),
        "gru": RnnMode("rzn", "zrn", "zrn", saved="rznu", adds_biases=False, is_in_keras_2=True),
    }
)
"""The cell of each rnn_mode. `schema.cudnn_reserve` says what a GRU's u is."""
