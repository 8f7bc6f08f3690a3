"""A Keras model as one compiled module: Keras writes ONNX, `import_network` reads it.

python convert.py tagger
"""

import sys
from pathlib import Path

import keras
import numpy as np

import rnn_compiler as rc


def tagger() -> keras.Model:
    tokens = keras.Input((None,), dtype="int32", name="tokens")  # any length
    y = keras.layers.Embedding(100, 32)(tokens)
    y = keras.layers.Bidirectional(keras.layers.LSTM(64, return_sequences=True))(y)
    y = keras.layers.Dense(10, activation="softmax", name="tags")(y)
    return keras.Model(tokens, y)


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    model = tagger()
    rng = np.random.default_rng(0)
    texts = [rng.integers(0, 100, size, dtype=np.int32) for size in ((1, 20), (1, 1), (3, 7))]
    expected = [np.asarray(model(x)) for x in texts]
    model.export(folder / "tagger.onnx", format="onnx", verbose=False)

    module = rc.import_network(folder / "tagger.onnx")
    rc.compile(module).save(folder / "tagger.vmfb")
    program = rc.runtime.load(folder / "tagger.vmfb")
    tags = [program(x)[0] for x in texts]
    print(f"recurrent layers: {', '.join(each.op for each in module.linked)}")
    same = all(np.allclose(got, y, atol=1e-6) for got, y in zip(tags, expected, strict=True))
    print(f"as in Keras: {same}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
