"""A whole PyTorch model as one module: torch.onnx.export writes it, `import_network` reads it.

python network.py tagger
"""

import sys
from pathlib import Path

import numpy as np
import torch

import rnn_compiler as rc


class Tagger(torch.nn.Module):
    """A convolution, an LSTM in two directions, and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv1d(8, 32, 3, padding=1)
        self.lstm = torch.nn.LSTM(32, 64, bidirectional=True, batch_first=True)
        self.tags = torch.nn.Linear(128, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:  # [batch, 8, steps]
        y, _ = self.lstm(torch.relu(self.conv(x)).transpose(1, 2))
        return torch.softmax(self.tags(y), -1)


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    torch.manual_seed(0)
    model, x = Tagger().eval(), torch.randn(1, 8, 50)
    path = folder / "tagger.onnx"
    names = {"input_names": ["x"], "output_names": ["tags"]}
    axes = {"x": {0: "batch", 2: "steps"}}
    torch.onnx.export(model, (x,), str(path), dynamo=False, dynamic_axes=axes, **names)

    module = rc.import_network(path, dims={"batch": 1, "steps": 50})
    rc.compile(module).save(folder / "tagger.vmfb")
    (tags,) = rc.runtime.load(folder / "tagger.vmfb")(x=x.numpy())
    with torch.no_grad():
        expected = model(x).numpy()
    print(f"recurrent layers: {', '.join(each.op for each in module.linked)}")
    print(f"as in PyTorch: {np.allclose(tags, expected, atol=1e-6)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
