"""Makes the files of Keras 1 in this folder, with Keras 1.2.2 on Theano 1.0.5.

These run on newer Pythons too, in an environment of their own, slowly:

    pip install 'numpy<1.24' 'scipy<1.11' 'setuptools<60' wheel six pyyaml 'h5py<3.9'
    pip install --no-deps --no-build-isolation theano==1.0.5 keras==1.2.2
    python tests/model_files/make_keras_1.py

``keras1.h5`` is a whole model; ``keras1_parts.json`` and ``keras1_parts.h5`` are the same model in
two files, with other weights; the ``.npz`` beside hold its input and the output of each layer.
"""

from __future__ import annotations

import collections
import collections.abc
import inspect
import os
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
T, B, I, H = 4, 2, 3, 5  # noqa: E741

Arguments = collections.namedtuple("Arguments", "args varargs keywords defaults")


def getargspec(function: Any) -> Arguments:
    return Arguments(*inspect.getfullargspec(function)[:4])


def on_a_newer_python() -> None:
    """Restores features of older Pythons for Theano."""
    os.environ["KERAS_BACKEND"] = "theano"
    os.environ["THEANO_FLAGS"] = "cxx=,linker=py,optimizer=None,floatX=float32,blas.ldflags="
    for name in ("Callable", "Container", "Iterable", "MutableMapping", "MutableSet", "Sequence"):
        setattr(collections, name, getattr(collections.abc, name))
    setattr(inspect, "getargspec", getargspec)  # noqa: B010


def model(seed: int) -> Any:
    """Layers with weights by gate and joined, in one and in two directions."""
    from keras.layers import GRU, LSTM, Bidirectional, Dense, SimpleRNN
    from keras.models import Sequential

    options = {"return_sequences": True, "inner_activation": "sigmoid"}
    made = Sequential(
        [
            LSTM(H, name="gates", input_shape=(T, I), **options),
            LSTM(H, name="joined", consume_less="gpu", **options),
            Bidirectional(GRU(H, **options), name="both"),
            GRU(H, name="older", consume_less="gpu", **options),
            Bidirectional(LSTM(H, **options), name="two", merge_mode="sum"),
            SimpleRNN(H, name="last", activation="relu"),
            Dense(2, name="dense"),
        ]
    )
    draw = np.random.RandomState(seed)
    made.set_weights([draw.normal(0, 0.5, w.shape).astype("float32") for w in made.get_weights()])
    return made


def arrays(made: Any, seed: int) -> dict[str, Any]:
    """The input, and the output of each layer."""
    from keras.models import Model

    x = np.random.RandomState(seed).normal(0, 1, (B, T, I)).astype("float32")
    found = {"x": x}
    for layer in made.layers:
        found[layer.name] = Model(made.layers[0].input, layer.output).predict(x)
    return found


if __name__ == "__main__":
    on_a_newer_python()
    whole, parts = model(200), model(201)
    whole.save(str(HERE / "keras1.h5"))
    np.savez_compressed(HERE / "keras1.npz", **arrays(whole, 202))
    (HERE / "keras1_parts.json").write_text(parts.to_json())
    parts.save_weights(str(HERE / "keras1_parts.h5"))
    np.savez_compressed(HERE / "keras1_parts.npz", **arrays(parts, 203))
