"""A PyTorch LSTM as a module that runs without PyTorch, by way of its ONNX file.

`model.onnx` is what torch.onnx.export wrote for torch.nn.LSTM(3, 5, num_layers=2,
bidirectional=True); `expected.npz` holds an input, and what torch gave for it.
"""

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
    expected = np.load(HERE / "expected.npz")
    x = expected["x"]
    T, B, _ = x.shape

    heading("1. The layers of the file")
    layers = rc.import_model(HERE / "model.onnx")
    for layer in layers:
        sizes = ", ".join(f"{name} {size or '?'}" for name, size in layer.dims.items())
        print(f"{layer.name}: {layer.op}, {layer.attributes['direction']}, {sizes}")

    heading("2. Both in one module, for sizes that the file leaves open")
    names = ["lower", "upper"]
    sizes = {"seq_length": T, "batch_size": B}
    rows = [
        (layer.op, {**layer.keywords(sizes), "function": name})
        for layer, name in zip(layers, names, strict=True)
    ]
    module = rc.build(rows, name="encoder", outputs=["output", "output_h"])
    path = rc.compile(module, target="cpu").save(folder / "encoder.vmfb")
    print(f"{path.name}, {path.stat().st_size:,} bytes: {', '.join(names)}")

    heading("3. Run it")
    program = rc.runtime.load(path)
    value, states = x, []
    for layer, name in zip(layers, names, strict=True):
        function = program.functions[name]
        out = function(input=value, sequence_lengths=np.full(B, T), **layer.weights)
        value, states = out.output, [*states, out.output_h]
    for name, found in (("output", value), ("h_n", np.concatenate(states))):
        error = np.abs(found - expected["y" if name == "output" else "state_0"]).max()
        print(f"{name:6} {list(found.shape)}: difference from PyTorch {error:.1e}")
        assert error < 1e-5


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="keeps files (default: temporary)")
    kept = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as temporary:
        main(kept or Path(temporary))
