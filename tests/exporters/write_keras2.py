"""Writes LSTMs of Keras 2 to TensorFlow Lite, fused and in integers, and the interpreter's results.

python write_keras2.py FOLDER
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_USE_LEGACY_KERAS": "1"}

STEPS, INPUTS, UNITS = 14, 5, 8


def main(folder: Path) -> None:
    """Writes the files."""
    import numpy as np
    import tensorflow as tf
    import tf_keras as keras

    print(f"tf_keras {keras.__version__}, TensorFlow {tf.__version__}")
    draw = np.random.default_rng(2)
    x = keras.Input((STEPS, INPUTS), batch_size=1)
    model = keras.Model(x, keras.layers.LSTM(UNITS, return_sequences=True)(x))
    for weight in model.weights:
        weight.assign(draw.normal(0, 0.4, weight.shape))

    def samples() -> Iterator[list[Any]]:
        for _ in range(20):
            yield [draw.normal(0, 1, (1, STEPS, INPUTS)).astype(np.float32)]

    for name in ("fused", "integers"):
        converter = tf.lite.TFLiteConverter.from_keras_model(model)
        given: Any = draw.normal(0, 1, (1, STEPS, INPUTS)).astype(np.float32)
        if name == "integers":
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
            converter.representative_dataset = samples
            converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
            converter.inference_input_type = converter.inference_output_type = tf.int8
            given = draw.integers(-128, 128, given.shape).astype(np.int8)
        content = converter.convert()
        (folder / f"{name}.tflite").write_bytes(content)
        interpreter = tf.lite.Interpreter(model_content=content)
        interpreter.allocate_tensors()
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], given)
        interpreter.invoke()
        found = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
        np.savez(folder / f"{name}.npz", x=given, y=found)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
