"""A GRU of two units that oscillates: the state turns by an eighth of a circle at each step.

With the update gate at 0 and the reset gate at 1, its state is tanh(h @ w), and w is a rotation
that stretches by a half. The input is added to the first unit, so that it can be disturbed.
"""

import numpy as np

import rnn_compiler as rc

ANGLE, GAIN = 2 * np.pi / 8, 1.5


def weights() -> dict[str, np.ndarray]:
    """The weights of the cell, in GRUBlockCell's order: first the input's row, then the state's."""
    turn = GAIN * np.array([[np.cos(ANGLE), np.sin(ANGLE)], [-np.sin(ANGLE), np.cos(ANGLE)]])
    return {
        "w_ru": np.zeros((3, 4), np.float32),
        "w_c": np.vstack([[1.0, 0.0], turn]).astype(np.float32),
        "b_ru": np.float32([20, 20, -20, -20]),
        "b_c": np.zeros(2, np.float32),
    }


if __name__ == "__main__":
    cell = rc.build("GRUBlockCell", batch_size=1, input_size=1, num_units=2, outputs=("h",))
    rc.compile_c(rc.freeze(cell, weights()), "cpu:cortex-m4", name="gru").save("gru")
