"""Writes Keras' networks with what the newest Keras, TensorFlow and tf2onnx write them to.

    python write_keras.py FOLDER

Each network is there as ``.keras``, ``.onnx``, ``.tflite`` and a SavedModel, its input and output
as ``.npz``; with an open length, as ``NAME_open``. A process of its own writes each, because
TensorFlow's converter may end its process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

STEPS, INPUTS, UNITS = 6, 5, 8


def networks(keras: Any) -> dict[str, Callable[[], list[Any]]]:
    """Makes the layers of each network."""
    layers = keras.layers
    return {
        "lstm": lambda: [layers.LSTM(UNITS), layers.Dense(3, activation="softmax")],
        "gru": lambda: [layers.GRU(UNITS, return_sequences=True), layers.Dense(3)],
        "rnn": lambda: [layers.SimpleRNN(UNITS)],
        "both": lambda: [layers.Bidirectional(layers.LSTM(UNITS, return_sequences=True))],
        "both_gru": lambda: [layers.Bidirectional(layers.GRU(UNITS)), layers.Dense(3)],
        "both_rnn": lambda: [
            layers.Bidirectional(layers.SimpleRNN(UNITS, return_sequences=True), merge_mode="mul"),
        ],
        "both_twice": lambda: [
            layers.Bidirectional(layers.LSTM(UNITS, return_sequences=True), merge_mode="sum"),
            layers.Bidirectional(layers.GRU(UNITS, reset_after=False), merge_mode="ave"),
        ],
        "both_masked": lambda: [
            layers.Masking(0.0),
            layers.Bidirectional(layers.LSTM(UNITS, return_sequences=True)),
        ],
        "before": lambda: [layers.GRU(UNITS, reset_after=False)],
        "hard": lambda: [layers.LSTM(UNITS, recurrent_activation="hard_sigmoid")],
        "masked": lambda: [layers.Masking(0.0), layers.LSTM(UNITS, return_sequences=True)],
        "convolved": lambda: [
            layers.Conv1D(6, 3, padding="same", activation="relu"),
            layers.BatchNormalization(),
            layers.MaxPooling1D(2),
            layers.GRU(UNITS),
            layers.Dense(4, activation="softmax"),
        ],
    }


def write(name: str, folder: Path, steps: int | None) -> None:
    """Writes one network of that many steps, or of any number of them."""
    import keras
    import numpy as np
    import tensorflow as tf

    keras.utils.set_random_seed(1)
    batch = 2 if "masked" in name else 1  # as a loop with a mask of one row is written out
    x = keras.Input((steps, INPUTS), batch_size=batch)
    y = x
    for layer in networks(keras)[name]():
        y = layer(y)
    model = keras.Model(x, y)
    draw = np.random.default_rng(2)
    for weight in model.weights:
        if "variance" not in weight.path:
            weight.assign(draw.normal(0, 0.4, weight.shape))
    given = draw.normal(0, 1, (batch, STEPS, INPUTS)).astype(np.float32)
    given[:, -2:] = 0
    path = str(folder / (name if steps else f"{name}_open"))
    short = {} if steps else {"short": model(given[:, :3]).numpy()}
    np.savez(f"{path}.npz", x=given, y=model(given).numpy(), **short)
    model.save(f"{path}.keras")
    model.export(path, verbose=False)
    model.export(f"{path}.onnx", format="onnx", verbose=False)
    converted = tf.lite.TFLiteConverter.from_keras_model(model).convert()
    Path(f"{path}.tflite").write_bytes(converted)


def main(folder: Path) -> None:
    """Writes all networks."""
    import keras
    import tensorflow as tf

    print(f"Keras {keras.__version__}, TensorFlow {tf.__version__}")
    of_any_length = [(name, None) for name in networks(keras) if name != "convolved"]
    for name, steps in [*((name, STEPS) for name in networks(keras)), *of_any_length]:
        child = os.fork()  # before TensorFlow has threads
        if not child:
            write(name, folder, steps)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            sys.exit(f"{name}: status {status}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
