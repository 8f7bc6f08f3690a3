"""JAX's functions reject unsupported arguments by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import processes
import pytest

from rnn_compiler.errors import InvalidArgumentError, UnsupportedError

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
jnp = pytest.importorskip("jax.numpy")
functions = pytest.importorskip("rnn_compiler.jax")

T, B, I, H = 4, 2, 3, 5  # noqa: E741
ARGUMENTS = {
    "seq_len_max": T,
    "x": jnp.ones((T, B, I)),
    "cs_prev": jnp.ones((B, H)),
    "h_prev": jnp.ones((B, H)),
    "w": jnp.ones((I + H, 4 * H)),
    **dict.fromkeys(("wci", "wcf", "wco"), jnp.zeros(H)),
    "b": jnp.zeros(4 * H),
}


def run(**changed: Any) -> Any:
    return functions.block_lstm_v2(**{**ARGUMENTS, **changed})


def loss(w: Any, result: str = "h") -> Any:
    return getattr(run(w=w), result).sum()


X, STATES = jnp.ones((T, B, I)), jnp.ones((2, B, H))
PARAMS = jnp.ones(4 * H * (I + H + 2) + 4 * H * (H + H + 2))  # of two layers


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: run(w=jnp.ones((I, 4 * H))),
            "'w': expected shape .* = [8, 20], got shape [3, 20]",
        ),
        (lambda: run(x=jnp.ones((T, B))), "'x': expected rank 3"),
        (
            lambda: run(b=jnp.zeros(20, jnp.float16)),
            "'b': expected dtype float32, got dtype float16",
        ),
        (lambda: run(x=jnp.ones((T, B, I), int)), "'x': expected dtype float16 or"),
        (lambda: run(seq_len_max=T + 1), "'seq_len_max': expected a value in 0..4, got 5"),
        (lambda: run(seq_len_max=jnp.int32(-1)), "'seq_len_max': expected a value in 0..4, got -1"),
        (lambda: run(seq_len_max=1.5), "'seq_len_max': expected int64 numbers"),
        (lambda: run(seq_len_max=jnp.float32(2)), "'seq_len_max': expected dtype int64"),
        (lambda: run(w=None), "'w': expected"),
        (lambda: run(w="x"), "'w': expected"),
        (lambda: jax.jit(lambda clip: run(cell_clip=clip))(1.0), "'cell_clip': expected a number"),
        (
            lambda: functions.cudnn_rnn(X, STATES[:1], STATES[:1], jnp.ones(3)),
            "CudnnRNN: 'params': expected shape [params_size]",
        ),
        (
            lambda: functions.cudnn_rnn(X, STATES, STATES, PARAMS, dropout=0.5, seed=2**40),
            "'seed': expected integers that fit int32, JAX's widest now, got 1099511627776; jax.",
        ),
    ],
)
def test_arguments(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=re.escape(message).replace(r"\.\*", ".*")):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: run(cell_clips=1.0), "did you mean cell_clip?"),
        (lambda: functions.block_lstm_v2(T), "missing required keyword arguments: 'x', "),
        (lambda: functions.block_lstm_v2(*[0] * 20), "takes 12 arguments: seq_len_max, x, cs_prev"),
        (lambda: functions.block_lstm_v2(T, seq_len_max=T), "multiple values for argument 'seq_"),
    ],
)
def test_keywords(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        call()


def test_names() -> None:
    with pytest.raises(AttributeError, match=r"did you mean block_lstm_v2\?"):
        functions.block_lstm_v3  # noqa: B018


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit])
def test_second_derivatives(wrap: Any) -> None:
    gradient = wrap(jax.grad(loss))
    with pytest.raises(UnsupportedError, match=r"BlockLSTM(Grad)?V2: no second derivatives"):
        jax.grad(lambda w: gradient(w).sum())(ARGUMENTS["w"])


@pytest.mark.slow
def test_forward_mode() -> None:
    with pytest.raises(TypeError, match="forward-mode"):
        jax.jvp(loss, (ARGUMENTS["w"],), (ARGUMENTS["w"],))


@pytest.mark.slow
def test_gradients_of_gradient_ops() -> None:
    saved = {name: jnp.ones((T, B, H)) for name in ("i", "cs", "f", "o", "ci", "co", "h")}
    arriving = {name: jnp.ones((T, B, H)) for name in ("cs_grad", "h_grad")}

    def by_weights(w: Any) -> Any:
        given = {**ARGUMENTS, **saved, **arriving, "w": w, "use_peephole": False}
        return functions.block_lstm_grad_v2(**given).x_grad.sum()

    assert by_weights(ARGUMENTS["w"]).shape == ()
    with pytest.raises(
        UnsupportedError, match=r"BlockLSTMGradV2: no second derivatives: .* gradient ops have none"
    ):
        jax.grad(by_weights)(ARGUMENTS["w"])


@pytest.mark.slow
@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit])
def test_gradients_of_gates(wrap: Any) -> None:
    """They would be wrong; those that are zero are not refused."""
    with pytest.raises(
        UnsupportedError, match=r"BlockLSTMV2: no gradient can flow back from 'i', .* from cs, h"
    ):
        wrap(jax.grad(lambda w: loss(w, "i")))(ARGUMENTS["w"])
    stopped = wrap(jax.grad(lambda w: loss(w) + jax.lax.stop_gradient(loss(w, "i"))))
    np.testing.assert_array_equal(stopped(ARGUMENTS["w"]), wrap(jax.grad(loss))(ARGUMENTS["w"]))
    results, pull = jax.vjp(lambda w: tuple(run(w=w)), ARGUMENTS["w"])
    zeros = [jnp.zeros_like(each) for each in results]
    assert not pull(tuple(zeros))[0].any()
    with pytest.raises(UnsupportedError, match="can flow back from 'i'"):
        pull((jnp.ones_like(zeros[0]), *zeros[1:]))


@pytest.mark.slow
def test_gradients_without_training() -> None:
    x, params = jnp.ones((T, B, I)), jnp.ones(4 * H * (I + H + 2))

    def total(params: Any, is_training: bool) -> Any:
        states = jnp.zeros((1, B, H))
        return functions.cudnn_rnn(x, states, states, params, is_training=is_training).output.sum()

    assert total(params, False) == total(params, True)
    assert jax.grad(total)(params, True).any()
    with pytest.raises(
        InvalidArgumentError, match="'is_training': expected True, where a gradient"
    ):
        jax.grad(total)(params, False)


def test_open_sizes() -> None:
    (rows,) = jax.export.symbolic_shape("rows")
    x, state = jax.ShapeDtypeStruct((T, rows, I), "f"), jax.ShapeDtypeStruct((rows, H), "f")
    with pytest.raises(InvalidArgumentError, match=r"'x': expected static sizes, got shape .*rows"):
        functions.export(lambda x, c: run(x=x, cs_prev=c, h_prev=c).h)(x, state)


@pytest.mark.parametrize(
    ("version", "remedy"),
    [
        ((3, 11), "install the extra jax: pip install 'jax<"),
        ((3, 10), "JAX needs Python 3.11 or newer, and this is 3.10"),
    ],
)
def test_without_jax(version: tuple[int, int], remedy: str) -> None:
    """The message names the missing package and the command to install it, if there is one."""
    source = "import sys; sys.modules['jax'] = None; import rnn_compiler; "
    source += f"sys.version_info = ({version[0]}, {version[1]}, 0); import rnn_compiler.jax"
    done = processes.python(source, code=1)
    assert f"ImportError: rnn_compiler.jax needs JAX 0.10 or newer; {remedy}" in done.stderr
