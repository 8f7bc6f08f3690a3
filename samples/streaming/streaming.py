"""Audio in chunks through two layers of an LSTM, and how long a chunk takes.

Usage: python streaming.py [--device DEVICE] [--chunks N] [--plot FILE.png]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import rnn_compiler as rc

RATE = 16_000  # samples a second
HOP = 160  # samples a frame: 10 ms
FRAMES = 3  # frames a chunk: what arrives in 30 ms
BANDS, UNITS = 40, 128


def audio(seconds: float) -> np.ndarray:
    """A tone that rises, in noise."""
    t = np.arange(int(seconds * RATE)) / RATE
    noise = np.random.default_rng(0).normal(0, 0.05, t.size)
    return (np.sin(2 * np.pi * (200 + 100 * t) * t) + noise).astype(np.float32)


def features(samples: np.ndarray) -> np.ndarray:
    """Log energies in bands of each frame, ``[frames, 1, BANDS]``: time, batch, input."""
    frames = samples[: len(samples) // HOP * HOP].reshape(-1, HOP) * np.hanning(HOP)
    power = np.abs(np.fft.rfft(frames, 2 * (2 * BANDS - 1)))[:, : 2 * BANDS] ** 2
    bands = power.reshape(len(frames), BANDS, 2).sum(2)
    return np.log(bands + 1e-6).astype(np.float32)[:, None]


def load(device: str | None) -> rc.Program:
    """The network: two layers with weights of their own, frozen; a call takes a chunk's frames."""
    rng = np.random.default_rng(1)
    sizes = {"seq_length": FRAMES, "batch_size": 1, "num_units": UNITS, "num_layers": 2}
    module = rc.build("CudnnRNNV3", **sizes, input_size=BANDS, is_training=False, function="layers")
    (params,) = [each for each in module.functions[0].arguments if each.name == "params"]
    weights = {"params": rng.normal(0, 0.1, params.shape).astype(np.float32)}
    return rc.runtime.load(rc.compile(rc.freeze(module, weights)), device)


def percentiles(seconds: list[float]) -> str:
    """The time of chunks, in microseconds."""
    return "  ".join(f"p{p} {np.percentile(seconds, p) * 1e6:7.0f} us" for p in (50, 90, 99))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="local-sync, local-task, cuda (default: by the work)")
    parser.add_argument("--chunks", type=int, default=300, help="how many (default: %(default)s)")
    parser.add_argument("--plot", metavar="FILE.png", help="draw the times; needs matplotlib")
    options = parser.parse_args()

    frames = features(audio(options.chunks * FRAMES * HOP / RATE))
    program = load(options.device)
    print(f"{program}: {FRAMES} frames a chunk, {len(frames)} in all")

    stream = program.stream()
    outputs, seconds = [], []
    for start in range(0, len(frames), FRAMES):
        begin = time.perf_counter()
        outputs.append(stream(frames[start : start + FRAMES]).output)
        seconds.append(time.perf_counter() - begin)
    streamed = np.concatenate(outputs)
    print(f"a chunk of 30 ms takes  {percentiles(seconds)}")

    # Other chunks, the same numbers: what arrives need not be what the function was built for.
    stream.reset()
    cuts = np.cumsum(np.random.default_rng(2).integers(1, 12, len(frames)))
    pieces = np.split(frames, cuts[cuts < len(frames)])
    again = np.concatenate([stream(piece).output for piece in pieces])
    equal = np.array_equal(streamed, again)
    print(f"in {len(pieces)} chunks of 1 to 11 frames: equal to the bit, {equal}")
    assert equal

    # The state goes on: without it, every chunk would begin from nothing.
    forgetful = np.concatenate(
        [
            program(input=frames[k : k + FRAMES], sequence_lengths=[FRAMES]).output
            for k in range(0, len(frames), FRAMES)
        ]
    )
    difference = float(np.abs(streamed - forgetful).max())
    print(f"without the state the outputs differ by up to {difference:.3f}")
    assert difference > 0.01

    if options.plot:
        draw(seconds, options.plot)


def draw(seconds: list[float], path: str) -> None:
    """Draws the times of the chunks, if matplotlib is there."""
    try:
        import matplotlib
    except ImportError:
        print("no plot: matplotlib is not installed")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
    axes.plot(np.array(seconds) * 1e6, ".", markersize=3)
    axes.axhline(np.percentile(seconds, 99) * 1e6, color="tab:red", linewidth=1, label="p99")
    axes.set(xlabel="chunk", ylabel="microseconds", yscale="log", title="a chunk of 30 ms")
    axes.legend()
    figure.savefig(path, dpi=120)
    print(f"written to {path}")


if __name__ == "__main__":
    main()
