"""A TensorFlow SavedModel's LSTM, without TensorFlow: from the folder to streaming calls."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

import rnn_compiler as rc

HERE = Path(__file__).parent


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    heading("1. What is in the SavedModel")
    (layer,) = rc.import_model(HERE / "speech_model")
    print(f"{layer.name}: {layer.op}, {layer.dtype}")
    print(", ".join(f"{name} {size}" for name, size in layer.dims.items()))
    print(", ".join(f"{name}={value}" for name, value in layer.attributes.items()))
    for name, array in layer.weights.items():
        print(f"{name:4} {list(array.shape)}")

    heading("2. What the model does around the op")
    for note in layer.notes:
        print(f"- {note}")

    heading("3. Compile it")
    module = layer.build(frozen=False, function="speech")
    path = rc.compile(module, target="cpu").save(folder / "speech.vmfb")
    print(f"{path.name}, {path.stat().st_size:,} bytes")

    heading("4. Call it as the model does: time first, state from call to call")
    program = rc.runtime.load(path)
    expected = np.load(HERE / "expected.npz")  # of TensorFlow, which ran the model twice
    x = np.ascontiguousarray(expected["x"].transpose(1, 0, 2))
    weights = {name: program.to_device(array) for name, array in layer.weights.items()}
    zeros = np.zeros((1, 5), np.float32)
    state = {"cs_prev": zeros, "h_prev": zeros}
    for name in ("first", "second"):
        out = program.speech(seq_len_max=len(x), x=x, **state, **weights)
        state = {"cs_prev": out.cs[-1], "h_prev": out.h[-1]}
        error = np.abs(out.h - expected[name]).max()
        print(f"{name} call: difference from TensorFlow {error:.1e}")
        assert error < 1e-5


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="keeps files (default: temporary)")
    kept = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as temporary:
        main(kept or Path(temporary))
