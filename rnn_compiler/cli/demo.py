"""The demo: a small LSTM, trained with the compiled ops, continues a heartbeat by itself.

The signal looks like an ECG of trigeminy: two normal beats are followed by a premature one of
another shape. Nothing in the trace announces it, so predicting it takes counting. The network sees
one noisy sample at a time and predicts the next. BlockLSTMV2 and BlockLSTMGradV2 do the work, from
one artifact; the dense readout and Adam are a few lines of numpy.

It is evaluated on new recordings: first with the recorded samples as input, then with its own
predictions. It is part of the package, not a sample, because the verb also runs where the package
was installed from a wheel.
"""

from __future__ import annotations

import io
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler import compilation, runtime
from rnn_compiler.base.files import write_files
from rnn_compiler.chosen_target import current_device, current_target
from rnn_compiler.cli.terminal import (
    print_error,
    print_facts,
    print_json,
    print_line,
    progress,
    status,
)
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.modules import build
from rnn_compiler.runtime.cache import ArtifactCache

__all__ = ["run_demo"]

Array = npt.NDArray[np.float32]

DEFAULT_STEPS = 3000

_SEQ_LENGTH, _BATCH_SIZE, _NUM_UNITS = 32, 16, 32

_SAMPLES_PER_SECOND = 25
_SAMPLES_PER_BEAT = 20
_NOISE = 0.02
# Waves as rows of time (in beats, 0 is the peak of a normal beat), height, width.
_NORMAL_BEAT = np.array(
    [[-0.2, 0.16, 0.05], [-0.07, -0.14, 0.03], [0, 1, 0.03], [0.07, -0.22, 0.03], [0.28, 0.3, 0.07]]
)
_PREMATURE_BEAT = np.array([[-0.2, 1.1, 0.06], [-0.04, -0.5, 0.06], [0.16, -0.35, 0.08]])

_STRETCHES = 16  # per training recording; the state is carried from one to the next
_HEARD = 4 * _SEQ_LENGTH  # samples of a held-out recording that the network hears
_ALONE = 6 * _SEQ_LENGTH  # samples that the network then generates by itself

# The bounds: the mean squared error of the next sample, relative to that of repeating the last one;
# and alone, the root mean squared error relative to the signal's standard deviation, for which
# silence gives 1 and a lost rhythm more.
NEXT_SAMPLE_BOUND = 0.05
ALONE_BOUND = 0.5


def run_demo(output: Path, *, steps: int = DEFAULT_STEPS, as_json: bool = False) -> int:
    """Trains the network, evaluates it and draws the result.

    Returns 0 if the network passed, else 1. Raises OSError: the picture cannot be written.
    """
    if output.is_dir() or not output.parent.is_dir():  # rather than after the training
        raise FileNotFoundError(f"{output}: not a file name in a folder that exists")
    module = build(
        ["BlockLSTMV2", "BlockLSTMGradV2"],
        dtype="float32",
        seq_length=_SEQ_LENGTH,
        batch_size=_BATCH_SIZE,
        input_size=1,
        num_units=_NUM_UNITS,
        use_peephole=False,
    )
    key = compilation.cache_key(module, resolve_target(current_target()))
    cached = ArtifactCache.from_environment().get(key) is not None
    start = time.perf_counter()
    with status("compiling the forward and the backward function"):
        artifact = compilation.compile(module)
    compile_seconds = time.perf_counter() - start

    generator = np.random.default_rng(1)
    network = DemoNetwork(runtime.load(artifact, current_device(module.functions)), generator)
    start = time.perf_counter()
    with progress("training", steps) as advance:
        losses = train(network, generator, steps, lambda loss: advance(f"loss {loss:.4f}"))
    train_seconds = time.perf_counter() - start
    trial = judge(network, np.random.default_rng(2))

    report: dict[str, Any] = {
        "passed": trial.passed,
        "compile_seconds": compile_seconds,
        "cached": cached,
        "artifact_size": artifact.manifest.payload_size,
        "steps": steps,
        "steps_per_second": steps / train_seconds,
        "first_loss": losses[0],
        "last_loss": float(np.mean(losses[-_STRETCHES:])),
        "next_sample_error": trial.next_sample_error,
        "alone_error": trial.alone_error,
    }
    if not as_json:
        print_facts(_facts(report), title="BlockLSTMV2 + BlockLSTMGradV2")
    drawn = draw(output, network, losses, trial)
    if as_json:
        print_json({**report, "picture": str(output) if drawn else None})
    else:
        hint = "no picture: it needs matplotlib, which the extra plot installs"
        print_line(f"see {output}" if drawn else hint)
    if trial.passed:
        return 0
    print_error("training did not reach its goals: see the bounds above")
    return 1


def _facts(report: dict[str, Any]) -> list[tuple[str, str]]:
    """A report for people."""
    return [
        (
            "compiled in",
            f"{report['compile_seconds']:.2f} s, cache {'hit' if report['cached'] else 'miss'}",
        ),
        ("artifact", f"{report['artifact_size']:,} bytes"),
        ("trained", f"{report['steps']:,} steps, {report['steps_per_second']:,.0f} a second"),
        ("loss", f"{report['first_loss']:.4f} at the start, {report['last_loss']:.4f} at the end"),
        (
            "next sample, held out",
            f"{report['next_sample_error']:.1%} of the error of repeating the last one "
            f"(bound {NEXT_SAMPLE_BOUND:.0%})",
        ),
        (
            "alone, held out",
            f"{report['alone_error']:.1%} of the signal's own spread (bound {ALONE_BOUND:.0%})",
        ),
    ]


def record_hearts(generator: np.random.Generator, length: int) -> Array:
    """Recordings ``[length, batch_size]`` that start anywhere in the rhythm, with noise."""
    start = generator.uniform(0, 3, _BATCH_SIZE)
    beats = start + np.arange(length)[:, None] / _SAMPLES_PER_BEAT
    number = np.floor(beats + 0.5)
    phase = (beats - number)[..., None]

    def trace(waves: Any) -> npt.NDArray[np.float64]:
        when, height, width = waves.T
        return np.sum(height * np.exp(-0.5 * ((phase - when) / width) ** 2), axis=-1)

    signal = np.where(number % 3 == 0, trace(_PREMATURE_BEAT), trace(_NORMAL_BEAT))
    return (signal + generator.normal(0, _NOISE, signal.shape)).astype(np.float32)


@dataclass(frozen=True)
class TrainingState:
    """The state of the network, ``[batch_size, num_units]`` each."""

    cs_prev: Array
    h_prev: Array


NO_MEMORY = TrainingState(*np.zeros((2, _BATCH_SIZE, _NUM_UNITS), np.float32))


class DemoNetwork:
    """An LSTM layer and a dense readout that predict the next sample.

    Attributes:
        parameters: ``w`` and ``b`` of the LSTM, ``readout`` and ``offset`` of the readout.
    """

    def __init__(self, program: runtime.Program, generator: np.random.Generator) -> None:
        H = _NUM_UNITS
        self.parameters: dict[str, Array] = {
            "w": generator.normal(0, H**-0.5, (1 + H, 4 * H)).astype(np.float32),
            "b": np.repeat(np.array([0, 1.5, 0, 0], np.float32), H),  # the forget gate starts open
            "readout": generator.normal(0, H**-0.5, H).astype(np.float32),
            "offset": np.zeros(1, np.float32),
        }
        self._program = program
        unused = program.to_device(np.zeros(H, np.float32))
        self._peepholes = {"wci": unused, "wcf": unused, "wco": unused}
        self._cs_grad = program.to_device(np.zeros((_SEQ_LENGTH, _BATCH_SIZE, H), np.float32))

    def predict(self, samples: Array, state: TrainingState) -> tuple[Array, TrainingState]:
        """Predicts the sample after each of ``samples[n, batch_size]``; returns the last state too.

        A stretch may be shorter than the module's seq_length: `seq_len_max` gives its length.
        """
        n = len(samples)
        padded = np.zeros((_SEQ_LENGTH, _BATCH_SIZE), np.float32)
        padded[:n] = samples
        out = self._program.block_lstm_v2(**self._inputs(padded, state, n))
        return self._read(out.h[:n]), TrainingState(out.cs[n - 1], out.h[n - 1])

    def gradient(
        self, samples: Array, targets: Array, state: TrainingState
    ) -> tuple[float, dict[str, Array], TrainingState]:
        """The mean squared error on a full stretch, its gradients, and the state after."""
        inputs = self._inputs(samples, state, _SEQ_LENGTH)
        out = self._program.block_lstm_v2(**inputs, to_host=False)
        h: Array = np.asarray(out.h)
        error = self._read(h) - targets
        error_grad = error * np.float32(2 / error.size)
        lstm = self._program.block_lstm_grad_v2(
            **inputs,
            **out._asdict(),
            cs_grad=self._cs_grad,
            h_grad=error_grad[..., None] * self.parameters["readout"],
        )
        gradient: dict[str, Array] = {
            "w": lstm.w_grad,
            "b": lstm.b_grad,
            "readout": np.tensordot(error_grad, h, 2),
            "offset": error_grad.sum(keepdims=True).reshape(1),
        }
        return float(np.mean(error**2)), gradient, TrainingState(np.asarray(out.cs)[-1], h[-1])

    def _inputs(self, samples: Array, state: TrainingState, seq_len_max: int) -> dict[str, Any]:
        return {
            "seq_len_max": seq_len_max,
            "x": samples[..., None],
            "cs_prev": state.cs_prev,
            "h_prev": state.h_prev,
            "w": self.parameters["w"],
            **self._peepholes,
            "b": self.parameters["b"],
        }

    def _read(self, h: Array) -> Array:
        return h @ self.parameters["readout"] + self.parameters["offset"]


class Adam:
    """Adam for parameters by name; the norm of the gradient is clipped to 1."""

    def __init__(self, parameters: dict[str, Array]) -> None:
        self._parameters = parameters
        self._mean = {name: np.zeros_like(value) for name, value in parameters.items()}
        self._square = {name: np.zeros_like(value) for name, value in parameters.items()}
        self._count = 0

    def step(self, gradient: dict[str, Array], rate: float) -> None:
        """Updates the parameters in place."""
        self._count += 1
        rate *= (1 - 0.99**self._count) ** 0.5 / (1 - 0.9**self._count)
        norm = sum(float(np.sum(g**2)) for g in gradient.values()) ** 0.5
        for name, parameter in self._parameters.items():
            g = gradient[name] / max(1, norm)
            mean, square = self._mean[name], self._square[name]
            mean += 0.1 * (g - mean)
            square += 0.01 * (g**2 - square)
            parameter -= rate * mean / (np.sqrt(square) + 1e-8)


def stretches(generator: np.random.Generator) -> Iterator[tuple[Array, bool]]:
    """Stretches ``[seq_length + 1, batch_size]`` of new recordings; whether each begins one."""
    while True:
        recordings = record_hearts(generator, _STRETCHES * _SEQ_LENGTH + 1)
        for first in range(0, _STRETCHES * _SEQ_LENGTH, _SEQ_LENGTH):
            yield recordings[first : first + _SEQ_LENGTH + 1], first == 0


def train(
    network: DemoNetwork,
    generator: np.random.Generator,
    steps: int,
    report: Callable[[float], None],
) -> list[float]:
    """Trains one stretch per step, at a rate that falls to 0; returns and reports the losses."""
    optimizer = Adam(network.parameters)
    state = NO_MEMORY
    losses: list[float] = []
    for step, (stretch, is_first) in zip(range(steps), stretches(generator), strict=False):
        state = NO_MEMORY if is_first else state
        loss, gradient, state = network.gradient(stretch[:-1], stretch[1:], state)
        optimizer.step(gradient, rate=0.005 * (1 + math.cos(math.pi * step / steps)))
        losses.append(loss)
        report(loss)
    return losses


@dataclass(frozen=True)
class HeldOut:
    """Held-out recordings and the network's predictions, ``[time, batch_size]``.

    Attributes:
        recordings: The samples.
        predictions: Predictions of the same samples; from `_HEARD` on without hearing any.
    """

    recordings: Array
    predictions: Array

    @property
    def naive_loss(self) -> float:
        """The mean squared error of repeating the last sample."""
        return float(np.mean(np.diff(self.recordings, axis=0) ** 2))

    @property
    def next_sample_error(self) -> float:
        """The mean squared error while it hears, relative to `naive_loss`.

        The first half, in which it finds its place in the rhythm, does not count.
        """
        heard = slice(_HEARD // 2, _HEARD)
        error = self.predictions[heard] - self.recordings[heard]
        return float(np.mean(error**2)) / self.naive_loss

    @property
    def alone_error(self) -> float:
        """The root mean squared error while it is alone, relative to the standard deviation."""
        error = self.predictions[_HEARD:] - self.recordings[_HEARD:]
        return float(np.sqrt(np.mean(error**2)) / np.std(self.recordings[_HEARD:]))

    @property
    def passed(self) -> bool:
        """Whether both errors are within their bounds."""
        return self.next_sample_error < NEXT_SAMPLE_BOUND and self.alone_error < ALONE_BOUND


def judge(network: DemoNetwork, generator: np.random.Generator) -> HeldOut:
    """Lets the network hear new recordings, then continue alone."""
    recordings = record_hearts(generator, _HEARD + _ALONE)
    predictions = np.zeros_like(recordings)
    state = NO_MEMORY
    for first in range(0, _HEARD, _SEQ_LENGTH):
        heard = slice(first, first + _SEQ_LENGTH)
        following = slice(first + 1, first + _SEQ_LENGTH + 1)
        predictions[following], state = network.predict(recordings[heard], state)
    for t in range(_HEARD, _HEARD + _ALONE - 1):
        predictions[t + 1 : t + 2], state = network.predict(predictions[t : t + 1], state)
    return HeldOut(recordings, predictions)


def draw(path: Path, network: DemoNetwork, losses: list[float], trial: HeldOut) -> bool:
    """Writes the picture; False if matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    ink, accent, shade = "#9aa5b1", "#d1495b", "#fdf3e7"
    size = sum(parameter.size for parameter in network.parameters.values())
    figure: Any = Figure(figsize=(11, 6), dpi=140, layout="constrained")
    figure.suptitle(
        f"An LSTM with {size:,} parameters hears a heartbeat, then carries on alone",
        fontsize=16,
        fontweight="bold",
    )
    trace, loss = figure.subplots(2, 1, height_ratios=[3, 2])

    trace.set_title("every third beat is premature: predicting it takes counting", pad=10)
    seconds = np.arange(len(trial.recordings)) / _SAMPLES_PER_SECOND
    alone = _HEARD / _SAMPLES_PER_SECOND
    trace.axvspan(alone, seconds[-1], color=shade)
    trace.plot(seconds, trial.recordings[:, 0], color=ink, lw=4, label="held-out recording")
    trace.plot(seconds[1:], trial.predictions[1:, 0], color=accent, lw=1.6, label="prediction")
    top = {"y": 0.97, "va": "top", "fontsize": 11, "transform": trace.get_xaxis_transform()}
    trace.text(alone / 2, s="hears the recording", ha="center", **top)
    trace.text((alone + seconds[-1]) / 2, s="hears only itself", ha="center", **top)
    trace.set(xlabel="time (s)", ylabel="signal", xlim=(0, seconds[-1]), ylim=(-0.75, 1.6))
    trace.legend(loc="lower right", ncols=2, frameon=False)

    mean = np.convolve(losses, np.ones(_STRETCHES) / _STRETCHES, "valid")
    loss.plot(np.arange(len(mean)) + _STRETCHES, mean, color=accent, lw=2)
    for level, text in ((trial.naive_loss, "repeating the last sample"), (_NOISE**2, "noise")):
        loss.axhline(level, color="black", lw=1, ls=":")
        loss.text(len(losses), level * 1.1, text, ha="right", va="bottom", fontsize=10)
    loss.set(xlabel="training step", ylabel="squared error", yscale="log", xlim=(0, len(losses)))
    for axes in (trace, loss):
        axes.spines[["top", "right"]].set_visible(False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    write_files((path, buffer.getbuffer()))
    return True
