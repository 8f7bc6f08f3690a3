"""From TensorFlow's BlockLSTMV2 to a compiled module that runs anywhere, in six steps."""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

import numpy as np

import rnn_compiler as rc

T, B, I, H = 4, 2, 3, 2  # seq_length, batch_size, input_size, num_units  # noqa: E741


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def numpy_lstm(
    x: np.ndarray, cs_prev: np.ndarray, h_prev: np.ndarray, w: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """The same in numpy, in the precision of its arguments: h at every step."""
    cs, h = cs_prev, h_prev
    rows = []
    for t in range(len(x)):
        i, f, ci, o = np.split(np.concatenate([x[t], h], axis=1) @ w + b, 4, axis=1)
        cs = np.tanh(ci) / (1 + np.exp(-i)) + cs / (1 + np.exp(-f))
        h = np.tanh(cs) / (1 + np.exp(-o))
        rows.append(h)
    return np.stack(rows)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(0)
    x = generator.normal(size=(T, B, I)).astype(np.float32)
    state = {
        "cs_prev": generator.normal(size=(B, H)).astype(np.float32),
        "h_prev": generator.normal(size=(B, H)).astype(np.float32),
    }
    weights = {
        "w": generator.normal(size=(I + H, 4 * H)).astype(np.float32),
        "b": generator.normal(size=4 * H).astype(np.float32),
    }
    peepholes = {name: np.zeros(H, np.float32) for name in ("wci", "wcf", "wco")}  # not used

    heading("1. Call the op, with the keywords of tf.raw_ops")
    out = rc.raw_ops.BlockLSTMV2(seq_len_max=T, x=x, **state, **weights, **peepholes)
    print(f"h[{T - 1}] =\n{out.h[-1].round(4)}")
    error = np.abs(out.h - numpy_lstm(x, **state, **weights)).max()
    print(f"\ndifference from numpy: {error:.1e}")
    assert error < 1e-5

    heading("2. Build forward and gradient as one portable StableHLO module")
    module = rc.build(
        ["BlockLSTMV2", "BlockLSTMGradV2"],
        dtype="float32",
        seq_length=T,
        batch_size=B,
        input_size=I,
        num_units=H,
        use_peephole=False,
    )
    module.save(folder / "lstm.mlir")
    lines = str(module).splitlines()
    for line in lines[:14]:
        print(line if len(line) <= 100 else f"{line[:97]}...")
    print(f"... {len(lines) - 14} more lines in lstm.mlir")

    heading("3. Compile it ahead of time")
    artifact = rc.compile(module, target="cpu")
    artifact.save(folder / "lstm.vmfb")
    for path in sorted(folder.glob("lstm.*")):
        print(f"{path.name:15} {path.stat().st_size:7,} bytes")

    heading("4. Load it: no compiler is needed from here on")
    program = rc.runtime.load(folder / "lstm.vmfb", device="local-sync")
    print(program)

    heading("5. Run the forward op, then its gradient on what it left on the device")
    h_grad = generator.normal(size=(T, B, H)).astype(np.float32)  # of the loss sum(h_grad * h)
    inputs = {"seq_len_max": T, "x": x, **state, **weights, **peepholes}
    saved = program.block_lstm_v2(**inputs, to_host=False)
    gradient = program.block_lstm_grad_v2(
        **inputs, **saved._asdict(), cs_grad=np.zeros((T, B, H), np.float32), h_grad=h_grad
    )
    for name, array in gradient._asdict().items():
        print(f"{name:13} {array.dtype}{list(array.shape)}")
    assert np.array_equal(saved.h, out.h)

    # The slope of the loss along a random direction, from the gradient and from two losses.
    point = {name: array.astype(np.float64) for name, array in ({"x": x} | state | weights).items()}
    along = {name: generator.normal(size=array.shape) for name, array in point.items()}

    def loss(step: float) -> float:
        moved = {name: array + step * along[name] for name, array in point.items()}
        return float(np.sum(h_grad * numpy_lstm(**moved)))

    slope = sum(np.sum(getattr(gradient, f"{name}_grad") * along[name]) for name in along)
    expected = (loss(1e-5) - loss(-1e-5)) / 2e-5
    print(f"\nslope of the loss: {slope:.4f} from the gradient, {expected:.4f} from differences")
    assert abs(slope - expected) < 1e-4 * abs(expected)

    heading("6. Run it without Python: the manifest has the command")
    spec = artifact.manifest.functions[0]
    command = artifact.manifest.run_command(spec, "lstm.vmfb")
    print(command.replace(" --", " \\\n    --"), end="\n\n")
    tool = shutil.which("iree-run-module", path=sysconfig.get_path("scripts")) or "iree-run-module"
    done = subprocess.run(
        [tool, *shlex.split(command)[1:]], cwd=folder, capture_output=True, text=True, check=False
    )
    print(done.stdout.strip() or done.stderr.strip())
    assert done.returncode == 0
    print("\nOn zeros every gate is one half and nothing comes out. All is well.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="keeps files (default: temporary)")
    kept = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as temporary:
        main(kept or Path(temporary))
