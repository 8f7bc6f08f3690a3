"""JAX's transformations apply to functions that contain our ops."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import processes
import pytest

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
jnp = pytest.importorskip("jax.numpy")
functions = pytest.importorskip("rnn_compiler.jax")

T, B, I, H = 4, 2, 3, 5  # noqa: E741
RNG = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    return jnp.asarray(RNG.normal(0, 0.5, shape), jnp.float32)


X, C, H0, W, BIAS = normal(T, B, I), normal(B, H), normal(B, H), normal(I + H, 4 * H), normal(4 * H)
ZERO = jnp.zeros(H)


def outputs(x: Any, w: Any = W) -> Any:
    return functions.block_lstm_v2(T, x, C, H0, w, ZERO, ZERO, ZERO, BIAS).h


def loss(x: Any, w: Any = W) -> Any:
    return (outputs(x, w) ** 2).sum()


def plain_loss(x: Any, w: Any = W) -> Any:
    """The same in JAX alone."""

    def step(state: Any, row: Any) -> Any:
        c, h = state
        i, f, ci, o = jnp.split(jnp.concatenate([row, h], 1) @ w + BIAS, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(ci)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (c, h), h

    return (jax.lax.scan(step, (C, H0), x)[1] ** 2).sum()


def close(actual: Any, expected: Any) -> None:
    for one, other in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5)


@pytest.mark.slow
def test_grad_and_remat() -> None:
    """As they come, and under jit, as all other transformations are."""
    expected = jax.jit(jax.value_and_grad(plain_loss, argnums=(0, 1)))(X, W)
    assert jnp.abs(expected[1][1]).max() > 0.1
    close(jax.value_and_grad(loss, argnums=(0, 1))(X, W), expected)
    close(jax.jit(jax.value_and_grad(jax.checkpoint(loss), argnums=(0, 1)))(X, W), expected)


@pytest.mark.slow
def test_vmap() -> None:
    """One row after the other, over any axes of any arguments."""
    several = jnp.stack([X, 2 * X, -X], 2)
    mapped = jax.jit(jax.vmap(jax.value_and_grad(loss, argnums=(0, 1)), in_axes=(2, None)))
    plain = jax.jit(jax.value_and_grad(plain_loss, argnums=(0, 1)))
    expected = [plain(several[:, :, k], W) for k in range(3)]
    close(mapped(several, W), jax.tree.map(lambda *rows: jnp.stack(rows), *expected))
    weights = jnp.stack([W, 2 * W])
    close(list(jax.vmap(loss, in_axes=(None, 0))(X, weights)), [loss(X, W), loss(X, 2 * W)])


@pytest.mark.slow
def test_scan_over_cells() -> None:
    """A cell within JAX's loop: gradients flow through its state."""

    def cells(x: Any, w: Any) -> Any:
        def step(state: Any, row: Any) -> Any:
            c, h = state
            made = functions.lstm_block_cell(
                row, c, h, w, ZERO, ZERO, ZERO, BIAS, forget_bias=0.0, cell_clip=-1.0
            )
            return (made.cs, made.h), made  # also what has no gradient, and nobody reads

        return (jax.lax.scan(step, (C, H0), x)[1].h ** 2).sum()

    def by_sequence(x: Any, w: Any) -> Any:
        arguments = (T, x, C, H0, w, ZERO, ZERO, ZERO, BIAS, 0.0, -1.0)
        return (functions.block_lstm(*arguments).h ** 2).sum()

    expected = jax.jit(jax.value_and_grad(by_sequence, argnums=(0, 1)))(X, W)
    close(jax.jit(jax.value_and_grad(cells, argnums=(0, 1)))(X, W), expected)


def test_one_function_serves_all_calls_of_an_instance() -> None:
    text = jax.jit(lambda x: outputs(x) + outputs(2 * x)).lower(X).as_text()
    assert text.count("func.func private @block_lstm_v2_") == 3  # with its loop's and its step's
    assert "custom_call" not in text
    assert jax.make_jaxpr(outputs)(X).pretty_print().count("block_lstm_v2[") == 1


@pytest.mark.slow
def test_steps_may_be_traced() -> None:
    run = jax.jit(lambda n: functions.block_lstm_v2(n, X, C, H0, W, ZERO, ZERO, ZERO, BIAS).h)
    for n in range(T + 1):
        assert not run(n)[n:].any()
        assert run(n)[:n].all()
        close(run(n)[:n], outputs(X)[:n])
    close(run(T + 5), outputs(X))  # clamped, as it is not known


@pytest.mark.slow
def test_the_gradient_of_integers_is_none() -> None:
    def of_steps(n: Any, x: Any) -> Any:
        return functions.block_lstm_v2(n, x, C, H0, W, ZERO, ZERO, ZERO, BIAS).h.sum()

    by_n, by_x = jax.grad(of_steps, argnums=(0, 1), allow_int=True)(jnp.int32(2), X)
    assert by_n.dtype == jax.dtypes.float0
    assert by_x[:2].all()
    assert not by_x[2:].any()


@pytest.mark.slow
def test_none_and_ignored_states() -> None:
    params = normal(3 * (3 * 4 + 4 * 4 + 2 * 4))
    x, ignored = normal(T, B, 3), normal(1)
    given = {"params": params, "rnn_mode": "gru"}
    lengths = np.full(B, T, np.int64)
    one = functions.cudnn_rnn(x, jnp.zeros((1, B, 4)), None, **given)
    two = functions.cudnn_rnn(x, [[[0.0] * 4] * B], ignored, **given)
    np.testing.assert_array_equal(one.output, two.output)
    three = functions.cudnn_rnn_v3(x, one.output_h, None, params, lengths, rnn_mode="gru")
    assert three.output_c.shape == ()

    def total(c: Any) -> Any:
        return functions.cudnn_rnn(x, jnp.zeros((1, B, 4)), c, **given).output.sum()

    np.testing.assert_array_equal(jax.grad(total)(ignored), [0.0])


def test_functions_and_results_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(functions.block_lstm_v2)) is functions.block_lstm_v2
    made = functions.gru_block_cell(
        normal(2, 3), normal(2, 4), normal(7, 8), normal(7, 4), normal(8), normal(4)
    )
    assert pickle.loads(pickle.dumps(made))._fields == ("r", "u", "c", "h")


SEVERAL_DEVICES = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
import rnn_compiler.jax as functions
T, B, I, H = 3, 4, 2, 3
rng = np.random.default_rng(0)
x, w = rng.normal(size=(T, B, I)).astype("f"), rng.normal(size=(I + H, 4 * H)).astype("f")
def loss(x, w):
    zero, state = jnp.zeros(H), jnp.zeros((x.shape[1], H))
    arguments = (T, x, state, state, w, zero, zero, zero, jnp.zeros(4 * H))
    return (functions.block_lstm_v2(*arguments).h ** 2).sum()
gradient = jax.jit(jax.grad(loss, argnums=1))
expected = gradient(x, w)
mesh = Mesh(np.array(jax.devices()), ("batch",))
rows = NamedSharding(mesh, P(None, "batch"))
got = gradient(jax.device_put(x, rows), w)
np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
@jax.jit
@jax.shard_map(mesh=mesh, in_specs=(P(None, "batch"), P()), out_specs=P(), check_vma=False)
def mapped(x, w):
    return jax.lax.psum(jax.grad(loss, argnums=1)(x, w), "batch")
np.testing.assert_allclose(mapped(x, w), expected, rtol=1e-5, atol=1e-5)
two = np.stack([x, 2 * x])
values = jax.pmap(loss, in_axes=(0, None))(two, w)
np.testing.assert_allclose(values, [jax.jit(loss)(each, w) for each in two], rtol=1e-5)
print("done", len(jax.devices()))
"""


@pytest.mark.slow
def test_several_devices() -> None:
    """Sharded arguments, shard_map and pmap, on two devices of XLA's CPU client."""
    variables = {
        "XLA_FLAGS": "--xla_force_host_platform_device_count=2",
        "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
    }
    done = processes.python(SEVERAL_DEVICES, flags=["-W", "ignore"], variables=variables)
    assert done.stdout.split() == ["done", "2"], done.stderr
