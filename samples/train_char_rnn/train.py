"""A network that learns to write nonsense verse, a character at a time.

Trained with `rnn_compiler.torch.LSTM`, kept in a safetensors file, then frozen into a module that
`iree-run-module` runs without PyTorch and without Python.

Usage: python train.py [FOLDER] [--steps N] [--seed N]
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sysconfig
import tempfile
from pathlib import Path

import numpy as np
import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from torch.nn.functional import cross_entropy

import rnn_compiler as rc
from rnn_compiler.torch import LSTM

TEXT = (Path(__file__).parent / "carroll.txt").read_text()
ALPHABET = sorted(set(TEXT))
LENGTH, ROWS, FEATURES, UNITS = 48, 24, 32, 128


class CharRNN(torch.nn.Module):
    """Gives scores of the character that comes after each one."""

    def __init__(self) -> None:
        super().__init__()
        self.features = torch.nn.Embedding(len(ALPHABET), FEATURES)
        self.lstm = LSTM(FEATURES, UNITS)
        self.scores = torch.nn.Linear(UNITS, len(ALPHABET))

    def forward(self, characters: torch.Tensor, state: object = None) -> tuple[torch.Tensor, ...]:
        output, state = self.lstm(self.features(characters), state)
        return self.scores(output), state


def numbers(text: str) -> torch.Tensor:
    return torch.tensor([ALPHABET.index(each) for each in text])


def train(network: CharRNN, steps: int) -> list[float]:
    """Trains on random pieces of the text; gives the loss of each step, in nats a character."""
    text = numbers(TEXT)
    optimizer = torch.optim.Adam(network.parameters(), lr=8e-3)
    columns = (
        *(TextColumn("training"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()),
        TextColumn("loss {task.fields[loss]:.3f}"),
    )
    losses: list[float] = []
    with Progress(*columns) as progress:
        task = progress.add_task("", total=steps, loss=float("nan"))
        for _ in range(steps):
            start = torch.randint(len(text) - LENGTH, (ROWS,))
            pieces = text[torch.arange(LENGTH + 1)[:, None] + start]  # [LENGTH + 1, ROWS]
            scores, _ = network(pieces[:-1])
            loss = cross_entropy(scores.flatten(0, 1), pieces[1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
            progress.update(task, advance=1, loss=loss.item())
    return losses


@torch.inference_mode()
def write(network: CharRNN, beginning: str, length: int, temperature: float = 0.5) -> str:
    """Goes on with a text, a character at a time."""
    scores, state = network(numbers(beginning)[:, None])
    text = beginning
    for _ in range(length):
        chances = torch.softmax(scores[-1, 0] / temperature, 0)
        drawn = torch.multinomial(chances, 1)
        text += ALPHABET[int(drawn)]
        scores, state = network(drawn[:, None], state)
    return text


def freeze(checkpoint: Path, line: str, folder: Path) -> Path:
    """The layer of a checkpoint as a module for a line, its weights frozen."""
    weights = rc.weights.load(checkpoint)
    params = rc.weights.from_torch(
        {name: each for name, each in weights.items() if name.startswith("lstm.")},
        **{"rnn_mode": "lstm", "num_layers": 1, "prefix": "lstm."},
    )
    module = rc.build(
        "CudnnRNN",
        **{"seq_length": len(line), "batch_size": 1, "input_size": FEATURES},
        **{"num_units": UNITS, "num_layers": 1, "is_training": False, "outputs": ("output",)},
    )
    path = folder / "char_rnn.vmfb"
    rc.compile(rc.freeze(module, {"params": params})).save(path)
    return path


def run(module: Path, line: np.ndarray) -> np.ndarray:
    """What `iree-run-module` makes of a line's features."""
    arrays = {"input": line, "h": np.zeros((1, 1, UNITS), np.float32)}
    for name, array in arrays.items():
        np.save(module.with_name(f"{name}.npy"), array)
    command = [
        Path(sysconfig.get_path("scripts")) / "iree-run-module",
        f"--module={module.name}",
        f"--parameters=model={module.with_suffix('.irpa').name}",
        *("--device=local-sync", "--function=cudnn_rnn"),
        *(f"--input=@{name}.npy" for name in ("input", "h", "h")),
        "--output=@output.npy",
    ]
    subprocess.run(command, check=True, cwd=module.parent, capture_output=True)
    return np.load(module.with_name("output.npy"))


def plot(losses: list[float], path: Path) -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3), layout="constrained")
    axes.plot(losses, linewidth=1, color="tab:blue")
    axes.set(xlabel="step", ylabel="nats a character", title="Loss of train_char_rnn")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", nargs="?", help="keeps everything there (default: nowhere)")
    parser.add_argument("--steps", type=int, default=300, help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="(default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(options.seed)
        network = CharRNN()
        losses = train(network, options.steps)
        loss = float(np.mean(losses[-20:]))
        print(f"loss {losses[0]:.2f} nats a character, after {len(losses)} steps {loss:.2f}")
        print(f"\n{write(network, 'The Walrus ', 300)}\n")
        if importlib.util.find_spec("matplotlib") is not None:
            plot(losses, folder / "loss.png")
        checkpoint = rc.weights.save(folder / "char_rnn.safetensors", network.state_dict())
        line = "And more, and more, and more--"
        module = freeze(checkpoint, line, folder)
        with torch.inference_mode():
            features = network.features(numbers(line)[:, None])
            expected, _ = network.lstm(features)
        found = run(module, features.numpy())
        print(f"iree-run-module {module.name} --parameters=model={module.stem}.irpa")
        apart = float(np.abs(found - expected.numpy()).max())
        print(f"output {list(found.shape)}: difference from training below 1e-6: {apart < 1e-6}")
        assert loss < 1.0, f"the loss is {loss:.2f}, and should be below 1"


if __name__ == "__main__":
    main()
