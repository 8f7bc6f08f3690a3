"""A Keras model as one compiled module: Keras writes ONNX, `import_network` reads it.

python convert.py tagger
"""

import sys
from pathlib import Path

import keras
import numpy as np

import rnn_compiler as rc


def tagger() -> keras.Model:
    tokens = keras.Input((20,), dtype="int32", name="tokens")
    y = keras.layers.Embedding(100, 32)(tokens)
    y = keras.layers.Bidirectional(keras.layers.LSTM(64, return_sequences=True))(y)
    y = keras.layers.Dense(10, activation="softmax", name="tags")(y)
    return keras.Model(tokens, y)


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    model = tagger()
    x = np.random.default_rng(0).integers(0, 100, (1, 20), dtype=np.int32)
    expected = np.asarray(model(x))
    model.export(folder / "tagger.onnx", format="onnx", verbose=False)

    module = rc.import_network(folder / "tagger.onnx", dims={"tokens": (1, 20)})
    rc.compile(module).save(folder / "tagger.vmfb")
    program = rc.runtime.load(folder / "tagger.vmfb")
    (tags,) = program(x)
    print(f"recurrent layers: {', '.join(each.op for each in module.linked)}")
    print(f"as in Keras: {np.allclose(tags, expected, atol=1e-6)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
