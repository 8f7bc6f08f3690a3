"""A function of TensorFlow as one compiled module: tf2onnx writes ONNX, `import_network` reads it.

python convert.py tagger
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
import tf2onnx

import rnn_compiler as rc

STEPS = 50
DRAW = tf.random.Generator.from_seed(0)
FILTERS, TAGS = (tf.Variable(0.3 * DRAW.normal(shape)) for shape in ([3, 8, 16], [64, 5]))
LSTM = tf.keras.layers.LSTM(64, return_sequences=True)


# The batch is open: if it is 1 here, tf2onnx writes a loop in place of the LSTM.
@tf.function(input_signature=[tf.TensorSpec([None, STEPS, 8], tf.float32, name="x")])
def tagger(x):
    y = LSTM(tf.nn.relu(tf.nn.conv1d(x, FILTERS, 1, "SAME")))
    return {"tags": tf.nn.softmax(tf.matmul(y, TAGS))}


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    x = np.random.default_rng(0).standard_normal((1, STEPS, 8)).astype(np.float32)
    expected = tagger(x)["tags"].numpy()
    path = folder / "tagger.onnx"
    tf2onnx.convert.from_function(tagger, tagger.input_signature, opset=17, output_path=str(path))

    module = rc.import_network(path, dims={"x": (1, STEPS, 8)})
    rc.compile(module).save(folder / "tagger.vmfb")
    (tags,) = rc.runtime.load(folder / "tagger.vmfb")(x=x)
    print(f"recurrent layers: {', '.join(each.op for each in module.linked)}")
    print(f"as in TensorFlow: {np.allclose(tags, expected, atol=1e-6)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
