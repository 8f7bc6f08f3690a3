"""The cost of weights in int8 in terms of a perplexity and the accuracy of tags.

    python -m benchmarks.int8_accuracy

Two networks learn from the verse of `samples/train_char_rnn`, in float32:

- the sample's LSTM guesses the next character; its perplexity is that of the whole text;
- a GRU in both directions reads the text without spaces and tags each letter after which a word
  ends. It is evaluated on the last fifth of the text, which it has not seen: by the fraction of
  correct tags and the F1 score.

Then each runs with its weights frozen in float32 and in int8, on the same machine. Needs torch.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import rnn_compiler as rc
import rnn_compiler.torch as layers

__all__ = ["main"]

torch: Any = importlib.import_module("torch")

FEATURES, UNITS = 32, 128
LENGTH, ROWS = 48, 24
STEPS = 300

Run = Callable[[Any], Any]
"""A layer: a function from inputs ``[T, 1, I]`` to outputs ``[T, 1, D*H]``."""


def sample() -> Any:
    """The module of the sample."""
    path = Path(__file__).parents[1] / "samples" / "train_char_rnn" / "train.py"
    spec = importlib.util.spec_from_file_location("train_char_rnn", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def frozen(layer: Any, mode: str, steps: int, quantize: str | None) -> Run:
    """A trained layer with frozen weights."""
    weights = {name: each.detach().numpy() for name, each in layer.state_dict().items()}
    both = any(name.endswith("_reverse") for name in weights)
    direction = "bidirectional" if both else "unidirectional"
    known: dict[str, Any] = {"rnn_mode": mode, "num_layers": 1, "direction": direction}
    params = rc.weights.from_torch(weights, rnn_mode=mode)
    sizes = {"seq_length": steps, "batch_size": 1, "input_size": FEATURES, "num_units": UNITS}
    module = rc.build("CudnnRNN", **sizes, **known, is_training=False, outputs=["output"])
    made: Any = rc.compile(rc.freeze(module, {"params": params}, quantize=quantize))
    function = rc.runtime.load(made).functions["cudnn_rnn"]
    state = np.zeros((1 + both, 1, UNITS), np.float32)
    given: dict[str, Any] = {
        "input_h": state,
        "input_c": state if mode == "lstm" else np.zeros((), np.float32),
    }

    def run(inputs: Any) -> Any:
        return torch.from_numpy(np.array(function(input=inputs.numpy(), **given).output))

    return run


def perplexity() -> list[float]:
    """The perplexity of the sample's network, in float32 and in int8."""
    module = sample()
    torch.manual_seed(0)
    network = module.CharRNN()
    module.train(network, STEPS)
    text = module.numbers(module.TEXT)
    found: list[float] = []
    with torch.inference_mode():
        features = network.features(text[:-1, None])
        for quantize in (None, "int8"):
            output = frozen(network.lstm, "lstm", len(text) - 1, quantize)(features)
            loss = torch.nn.functional.cross_entropy(network.scores(output)[:, 0], text[1:])
            found.append(float(loss.exp()))
    return found


def tags() -> list[tuple[float, float]]:
    """The accuracy and F1 score of a segmenter in float32 and in int8."""
    words = sample().TEXT.split()
    letters, ends = "".join(words), np.cumsum([len(word) for word in words]) - 1
    alphabet = sorted(set(letters))
    text = torch.tensor([alphabet.index(each) for each in letters])
    truth = torch.zeros(len(letters))
    truth[torch.from_numpy(ends)] = 1
    border = len(letters) * 4 // 5
    torch.manual_seed(0)
    features = torch.nn.Embedding(len(alphabet), FEATURES)
    gru: Any = layers.GRU(FEATURES, UNITS, bidirectional=True)
    score = torch.nn.Linear(2 * UNITS, 1)
    network = torch.nn.ModuleList([features, gru, score])
    optimizer = torch.optim.Adam(network.parameters(), lr=4e-3)
    for _ in range(STEPS):
        start = torch.randint(border - LENGTH, (ROWS,))
        positions = torch.arange(LENGTH)[:, None] + start
        scores = score(gru(features(text[positions]))[0])[..., 0]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, truth[positions])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    unseen, wanted = text[border:, None], truth[border:].bool()
    found: list[tuple[float, float]] = []
    with torch.inference_mode():
        for quantize in (None, "int8"):
            output = frozen(gru, "gru", len(unseen), quantize)(features(unseen))
            guess = score(output)[:, 0, 0] > 0
            both = int((guess & wanted).sum())
            f1 = 2 * both / int(guess.sum() + wanted.sum())
            found.append((float((guess == wanted).float().mean()), f1))
    return found


def main() -> None:
    """Prints both tables."""
    console = Console()
    table = Table("", "float32", "int8", box=None)
    table.add_row("perplexity", *(f"{each:.4f}" for each in perplexity()))
    table.add_row("tags, F1 score", *(f"{a:.2%}, {f:.3f}" for a, f in tags()))
    console.print(table)


if __name__ == "__main__":
    main()
