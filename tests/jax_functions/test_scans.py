"""Scans over known cells run our ops, with the same values and gradients; others are left."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from quick import every, first

import rnn_compiler as rc
from rnn_compiler.linking import link_module

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
jnp = pytest.importorskip("jax.numpy")
functions = pytest.importorskip("rnn_compiler.jax")

T, B, I, H = 6, 2, 3, 4  # noqa: E741
RNG = np.random.default_rng(0)


def draw(*shape: int) -> Any:
    return RNG.normal(0, 0.5, shape).astype(np.float32)


def as_drawn(tree: Any) -> Any:
    """Parameters of a framework, all of them random: biases too."""
    floats = lambda each: hasattr(each, "dtype") and jnp.issubdtype(each.dtype, jnp.floating)  # noqa: E731
    return jax.tree.map(lambda each: jnp.asarray(draw(*each.shape)) if floats(each) else each, tree)


X, STATE, MEMORY = draw(T, B, I), draw(B, H), draw(B, H)
WEIGHTS = {
    "w": draw(I + H, 4 * H), "b": draw(4 * H), "x": draw(I, 3 * H), "h": draw(H, 3 * H),
    "a": draw(3 * H), "n": draw(H), "dense": draw(H, I), "s": draw(B, H),
}  # fmt: skip


def agree(function: Callable[..., Any], arguments: Any, *ops: str, tolerance: float = 1e-5) -> Any:
    """A function's results and all its gradients, without our ops and with them."""

    def loss(arguments: Any) -> Any:
        results = [each for each in jax.tree.leaves(function(*arguments)) if each.dtype != "uint32"]
        return sum(jnp.sin(each + k).sum() for k, each in enumerate(results)), results

    step = jax.jit(jax.value_and_grad(loss, has_aux=True, allow_int=True))
    expected = step(arguments)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore" if not ops else "error", "fuse_scans: no scan")
        with functions.fuse_scans() as scans:
            got = step(arguments)
    assert scans.fused == [*ops]
    assert ops or scans.left
    for ours, theirs in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        if theirs.dtype.kind != "V":  # the gradient of integers
            ours, theirs = (np.asarray(each, np.float32) for each in (ours, theirs))
            if not ops:
                np.testing.assert_array_equal(ours, theirs)
            assert np.abs(ours - theirs).max(initial=0) <= tolerance * max(
                1, np.abs(theirs).max(initial=0)
            )
    return scans


def over(cell: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return lambda p, carry, x: jax.lax.scan(lambda c, x: cell(p, c, x), carry, x, **options)


def lstm(p: Any, carry: Any, x: Any, function: Any = jnp.tanh) -> Any:
    """As TensorFlow and haiku write it: one product with [x, h], and 1 added to f."""
    c, h = carry
    gates = jnp.concatenate([x, h], -1) @ p["w"] + p["b"]
    i, g, f, o = jnp.split(gates, 4, -1)
    c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * function(g)
    return (c, jax.nn.sigmoid(o) * function(c))


def gru(p: Any, h: Any, x: Any) -> Any:
    """As PyTorch and flax do: the reset gate multiplies the product."""
    of_x, of_h = x @ p["x"] + p["a"], h @ p["h"]
    r = jax.nn.sigmoid(of_x[:, :H] + of_h[:, :H])
    z = jax.nn.sigmoid(of_x[:, H : 2 * H] + of_h[:, H : 2 * H])
    n = jnp.tanh(of_x[:, 2 * H :] + r * (of_h[:, 2 * H :] + p["n"]))
    return n + z * (h - n)


def gru_before(p: Any, h: Any, x: Any) -> Any:
    """As haiku does: the reset gate multiplies h, and z is that of the candidate."""
    zr = jax.nn.sigmoid(x @ p["x"][:, : 2 * H] + h @ p["h"][:, : 2 * H] + p["a"][: 2 * H])
    z, r = jnp.split(zr, 2, -1)
    n = jnp.tanh(x @ p["x"][:, 2 * H :] + (r * h) @ p["h"][:, 2 * H :] + p["a"][2 * H :])
    return (1 - z) * h + z * n


def minimal(p: Any, h: Any, x: Any) -> Any:
    """A gated unit whose one gate both resets and updates."""
    f = jax.nn.sigmoid(x @ p["x"][:, :H] + h @ p["h"][:, :H])
    n = jnp.tanh(x @ p["x"][:, H : 2 * H] + f * (h @ p["h"][:, H : 2 * H] + p["n"]))
    return (1 - f) * n + f * h


def plain(p: Any, h: Any, x: Any, function: Any = jnp.tanh) -> Any:
    return function(x @ p["x"][:, :H] + h @ p["h"][:, :H] + p["n"])


def twice(cell: Callable[..., Any]) -> Callable[..., Any]:
    """A cell whose output is what it carries."""
    return lambda p, h, x: (cell(p, h, x),) * 2


def of_lstm(p: Any, carry: Any, x: Any) -> Any:
    carry = lstm(p, carry, x)
    return carry, carry[1]


def decoder(p: Any, carry: Any, x: Any) -> Any:
    """With a dense layer inside, and with c of every step, before and after it."""
    after = lstm(p, carry, x)
    return after, (after[1] @ p["dense"], after[0], carry[0])


def stacked(p: Any, carry: Any, x: Any) -> Any:
    """Two layers, a dense one between them, dropout, a sum, and a counter."""
    first, second, key, total, count = carry
    key, used = jax.random.split(key)
    x = x * jax.random.bernoulli(used, 0.5, x.shape)
    first = lstm(p, first, x)
    second = gru(p, second, jax.nn.relu(first[1] @ p["dense"]))
    return (first, second, key, total + second.sum(), count + 1.0), second * count


KNOWN = {
    "lstm": (over(of_lstm), (MEMORY, STATE), ["onnx.LSTM"]),
    "lstm, last": (over(lambda *a: (lstm(*a), None)), (MEMORY, STATE), ["onnx.LSTM"]),
    "lstm, relu": (
        over(lambda *a: (lstm(*a, jax.nn.relu),) * 2 and ((c := lstm(*a, jax.nn.relu)), c[1])),
        (MEMORY, STATE), ["onnx.LSTM"],
    ),
    "decoder": (over(decoder), (MEMORY, STATE), ["BlockLSTM"]),
    "decoder, backwards": (over(decoder, reverse=True), (MEMORY, STATE), ["BlockLSTM"]),
    "gru": (over(twice(gru)), STATE, ["onnx.GRU"]),
    "gru, backwards": (over(twice(gru), reverse=True), STATE, ["onnx.GRU"]),
    "gru, unrolled": (over(twice(gru), unroll=2), STATE, ["onnx.GRU"]),
    "gru, reset before": (over(twice(gru_before)), STATE, ["onnx.GRU"]),
    "minimal": (over(twice(minimal)), STATE, ["onnx.GRU"]),
    "plain": (over(twice(plain)), STATE, ["onnx.RNN"]),
    "relu": (over(twice(lambda *a: plain(*a, jax.nn.relu))), STATE, ["onnx.RNN"]),
    "relu of zeros": (
        lambda p, h, x: over(twice(lambda *a: plain(*a, jax.nn.relu)))(p, h * 0, x * 0),
        STATE, ["onnx.RNN"],
    ),
    "h before": (over(lambda p, h, x: (plain(p, h, x), h)), STATE, ["onnx.RNN"]),
    "h before, backwards": (
        over(lambda p, h, x: (plain(p, h, x), h), reverse=True), STATE, ["onnx.RNN"],
    ),
    "jit": (over(jax.jit(twice(gru))), STATE, ["onnx.GRU"]),
    "checkpoint": (over(jax.checkpoint(twice(gru))), STATE, ["onnx.GRU"]),
    "checkpoint of it": (jax.checkpoint(over(twice(gru))), STATE, ["onnx.GRU"]),
    "stack": (
        over(stacked), ((MEMORY, STATE), STATE + 1, jax.random.PRNGKey(0), 0.5, 0.0),
        ["onnx.LSTM", "onnx.GRU"],
    ),
    "stack, backwards": (
        over(stacked, reverse=True),
        ((MEMORY, STATE), STATE + 1, jax.random.PRNGKey(0), 0.5, 0.0), ["onnx.LSTM", "onnx.GRU"],
    ),
}  # fmt: skip
QUICK = ("gru, reset before",)


@pytest.mark.parametrize(
    "name", [pytest.param(e, marks=() if e in QUICK else pytest.mark.slow) for e in KNOWN]
)
def test_known_cells(name: str) -> None:
    function, carry, ops = KNOWN[name]
    agree(function, (WEIGHTS, carry, X), *ops)


def test_a_backward_scan_turns_no_array_around() -> None:
    """Not its inputs, not its outputs and, in the gradient, neither."""
    scan = over(twice(gru), reverse=True)

    def step(p: Any, x: Any) -> Any:
        return jax.grad(lambda p, x: scan(p, STATE, x)[1].sum(), (0, 1))(p, x)

    with functions.fuse_scans():
        text = functions.export(jax.jit(step))(WEIGHTS, X).mlir_module()
    assert "onnx_gru_grad" in text
    assert "stablehlo.reverse" not in text


@pytest.mark.slow
@pytest.mark.parametrize("transposed", first([True, False]))
def test_gradients_of_gates_are_put_side_by_side(transposed: bool) -> None:
    """Not padded and added up; and weights that are kept as the op has them are not transposed."""

    def loss(p: Any, x: Any) -> Any:
        def cell(carry: Any, x: Any) -> Any:
            c, h = carry
            w, r = (each.T if transposed else each for each in p)
            i, f, g, o = jnp.split(x @ w + h @ r, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (c, jax.nn.sigmoid(o) * jnp.tanh(c)), None

        return jax.lax.scan(cell, (MEMORY, STATE), x)[0][1].sum()

    shapes = [(4 * H, I), (4 * H, H)] if transposed else [(I, 4 * H), (H, 4 * H)]
    weights = [0.1 * np.random.default_rng(0).normal(size=each) for each in shapes]
    arguments = [each.astype(np.float32) for each in weights], X
    agree(loss, arguments, "onnx.LSTM")
    with functions.fuse_scans():
        lowered = functions.export(jax.jit(jax.grad(loss)))(*arguments).mlir_module()
    assert "stablehlo.pad" not in lowered
    if transposed:
        turned = [each for each in lowered.splitlines() if "stablehlo.transpose" in each]
        assert all(f"tensor<{H}x{4 * H}" not in each for each in turned)


@pytest.mark.slow
def test_bfloat16() -> None:
    function = over(twice(gru))
    half = jax.tree.map(lambda each: jnp.asarray(each, jnp.bfloat16), (WEIGHTS, STATE, X))
    agree(function, half, "onnx.GRU", tolerance=0.05)


@pytest.mark.slow
def test_a_mapped_scan_is_one_op() -> None:
    """For rows that a cell sees one at a time, as in equinox, and for two batches."""

    def one(p: Any, carry: Any, x: Any) -> Any:
        def cell(carry: Any, x: Any) -> Any:
            c, h = carry
            i, f, g, o = jnp.split(p["w"].T[:, :I] @ x + p["w"].T[:, I:] @ h + p["b"], 4)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (c, h), h

        return jax.lax.scan(cell, carry, x)

    rows = jax.vmap(one, (None, 0, 1))
    agree(rows, (WEIGHTS, (MEMORY, STATE), X), "onnx.LSTM")
    batches = jax.vmap(rows, (None, 0, 0))
    two = ((np.stack([MEMORY] * 3), np.stack([STATE] * 3)), np.stack([X, X + 1, -X]))
    with functions.fuse_scans():
        text = str(jax.make_jaxpr(batches)(WEIGHTS, *two))
    assert text.count("onnx_lstm[") == 1
    assert "scan[" not in text


def peephole(p: Any, carry: Any, x: Any) -> Any:
    c, h = carry
    i, g, f, o = jnp.split(jnp.concatenate([x, h], -1) @ p["w"] + p["b"], 4, -1)
    c = jax.nn.sigmoid(f + c * p["n"]) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (c, h), h


def coupled(p: Any, carry: Any, x: Any) -> Any:
    c, h = carry
    _, g, f, o = jnp.split(jnp.concatenate([x, h], -1) @ p["w"] + p["b"], 4, -1)
    c = jax.nn.sigmoid(f) * c + (1 - jax.nn.sigmoid(f)) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (c, h), h


def normalized(p: Any, carry: Any, x: Any) -> Any:
    c, h = lstm(p, carry, x)
    return (c, h - h.mean(-1, keepdims=True)), h


def mixed(p: Any, carry: Any, x: Any) -> Any:
    """An LSTM whose output gate is squashed like its candidate."""
    c, h = carry
    i, g, f, o = jnp.split(jnp.concatenate([x, h], -1) @ p["w"] + p["b"], 4, -1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jnp.tanh(o) * jnp.tanh(c)
    return (c, h), h


@jax.custom_jvp
def straight(x: Any) -> Any:
    """A tanh with a derivative of its own."""
    return jnp.tanh(x)


straight.defjvps(lambda tangent, _, x: tangent)


@jax.custom_jvp
@jax.jit
def relu(x: Any) -> Any:
    """Named like JAX's, with a derivative of its own."""
    return jnp.maximum(x, 0)


relu.defjvps(lambda tangent, _, x: tangent)

LSTM_STATE = (MEMORY, STATE)
LEFT = {
    "sin": (twice(lambda *a: plain(*a, jnp.sin)), STATE, "its body has 'sin'"),
    # Half of its gradient at 0 flows, unlike in jax.nn.relu and the ops.
    "maximum": (twice(lambda *a: plain(*a, lambda v: jnp.maximum(v, 0))), STATE, "has 'max'"),
    "own relu": (twice(lambda *a: plain(*a, relu)), STATE, "has 'custom_jvp_call'"),
    "own derivative": (twice(lambda *a: plain(*a, straight)), STATE, "has 'custom_jvp_call'"),
    "peephole": (peephole, LSTM_STATE, "a carried value without a matrix"),
    "coupled": (coupled, LSTM_STATE, "not those of an LSTM"),
    "normalized": (normalized, LSTM_STATE, "its body has"),
    "mixed": (mixed, LSTM_STATE, "not those of an LSTM"),
    "residual": (twice(lambda p, h, x: h + plain(p, h, x)), STATE, "not that of a known cell"),
    "scaled": (twice(lambda p, h, x: 0.5 * plain(p, h, x)), STATE, "not that of a known cell"),
    "leaky": (
        twice(lambda p, h, x: 0.3 * h + 0.7 * plain(p, h, x)), STATE, "not that of a known cell",
    ),
    "bias of a row": (
        twice(lambda p, h, x: jnp.tanh(x @ p["x"][:, :H] + h @ p["h"][:, :H] + p["s"])),
        STATE, "differs along the batch",
    ),
    "one row for all": (
        twice(lambda p, h, x: plain(p, h, x[:1])), STATE, "its inputs are of another batch",
    ),
    "no matrix": (
        twice(lambda p, h, x: jnp.tanh(jnp.square(x @ p["x"][:, :H]) + h @ p["h"][:, :H])),
        STATE, "without a matrix",
    ),
    "no input": (
        twice(lambda p, h, x: jnp.tanh(h @ p["h"][:, :H])), STATE, "it has no inputs",
    ),
    "two dtypes": (
        lambda p, h, x: (plain(p, h.astype(jnp.float32), x).astype(jnp.bfloat16), h),
        jnp.asarray(STATE, jnp.bfloat16), "it computes with bfloat16 and float32",
    ),
    "rows reversed": (twice(lambda p, h, x: plain(p, h[::-1], x)), STATE, "its body has 'rev'"),
    "every c, relu": (
        lambda p, carry, x: ((after := lstm(p, carry, x, jax.nn.relu)), after[0]),
        LSTM_STATE, "c of every step is needed",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_others_are_left_with_a_reason(name: str) -> None:
    cell, carry, reason = LEFT[name]
    with (
        pytest.warns(UserWarning, match="fuse_scans: no scan became an op: .*") as warned,
        functions.fuse_scans() as scans,
    ):
        text = str(jax.make_jaxpr(over(cell))(WEIGHTS, carry, X))
    assert "scan[" in text
    assert "onnx_" not in text
    (message,) = scans.left
    assert reason in message
    assert f"test_scans.py:{over.__code__.co_firstlineno + 1}: " in message
    assert message in str(warned[0].message)


@pytest.mark.slow
def test_gradients_of_what_is_left_are_jaxs() -> None:
    agree(over(coupled), (WEIGHTS, LSTM_STATE, X))
    agree(over(normalized), (WEIGHTS, LSTM_STATE, X))


def test_no_steps_and_no_scan() -> None:
    with pytest.warns(UserWarning, match="it has no steps"), functions.fuse_scans():
        jax.make_jaxpr(over(twice(gru)))(WEIGHTS, STATE, X[:0])
    with pytest.warns(UserWarning, match="no scan was traced"), functions.fuse_scans():
        pass


def test_weights_of_each_row_are_left() -> None:
    """No op has different weights for the rows of a batch."""
    each = jax.tree.map(lambda each: np.stack([each, 2 * each]), WEIGHTS)
    models = jax.vmap(over(twice(gru)), (0, None, None))
    with pytest.warns(UserWarning, match="a product that is not one with a matrix"):  # noqa: SIM117
        with functions.fuse_scans():
            jax.make_jaxpr(models)(each, STATE, X)


def test_jit_keeps_what_it_traced_apart() -> None:
    """With our ops and without them; and a decorator does the same as a block."""
    scan = over(twice(gru))
    step = jax.jit(scan)
    lowered = lambda: step.lower(WEIGHTS, STATE, X).as_text()  # noqa: E731
    before = lowered()
    with functions.fuse_scans() as scans:
        inside = lowered()
    assert scans.fused == ["onnx.GRU"]
    assert repr(scans) == "<fused: onnx.GRU; left: none>"
    assert "onnx_gru" in inside
    assert "onnx_gru" not in before
    assert lowered() == before
    decorated = functions.fuse_scans()(scan)
    assert "onnx_gru" in jax.jit(decorated).lower(WEIGHTS, STATE, X).as_text()


def test_an_error_inside_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError), functions.fuse_scans():
        _ = 1 / 0


def exported_step() -> tuple[Any, Any, Any]:
    """A training step of a two-layer network, and its export with our ops."""

    def loss(p: Any, x: Any, y: Any) -> Any:
        _, h = over(of_lstm)(p, LSTM_STATE, x)
        _, h = over(twice(gru), reverse=True)(p, STATE, h @ p["dense"])
        return ((h @ p["dense"] - y) ** 2).mean()

    def step(p: Any, x: Any, y: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(p, x, y)
        return jax.tree.map(lambda p, g: p - 0.1 * g, p, gradients), value

    arguments = (WEIGHTS, X, X + 1)
    with functions.fuse_scans() as scans:
        exported = functions.export(step)(*arguments)
    assert scans.fused == ["onnx.LSTM", "onnx.GRU"]
    return step, arguments, exported


def test_an_exported_step_calls_the_ops() -> None:
    _, _, exported = exported_step()
    module = link_module(exported.mlir_module())
    assert sorted(each.op for each in module.linked) == [
        "onnx.GRU", "onnx.GRUGrad", "onnx.LSTM", "onnx.LSTMGrad",
    ]  # fmt: skip


@pytest.mark.slow
def test_an_exported_step_runs() -> None:
    step, arguments, exported = exported_step()
    program = rc.runtime.load(rc.link(exported.mlir_module()))
    spec = program.manifest.functions[0]
    given = dict(zip((e.name for e in spec.arguments), jax.tree.leaves(arguments), strict=True))
    expected = jax.tree.leaves(jax.jit(step)(*arguments))
    for ours, theirs in zip(program(**given), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)


# Modules of the frameworks.

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "lengths": {
        "seq_lengths": np.array([2, T]), "return_carry": True, "reverse": True, "keep_order": True,
    },
    "carry": {"return_carry": True, "time_major": True, "reverse": True},
}  # fmt: skip
FLAX = {
    "LSTMCell": "onnx.LSTM", "OptimizedLSTMCell": "onnx.LSTM",
    "GRUCell": "onnx.GRU", "SimpleCell": "onnx.RNN",
}  # fmt: skip


def flax_op(cell: str, options: str) -> str:
    """With lengths, flax selects the last carry from those of every step."""
    return "BlockLSTM" if options == "lengths" and "LSTM" in cell else FLAX[cell]


NNX = [(cell, options) for cell in FLAX for options in OPTIONS]
LINEN = [(cell, options) for cell in (*FLAX, "MGUCell") for options in OPTIONS]


@pytest.mark.parametrize(
    ("cell", "options"),
    first(
        every(
            NNX,
            *(("OptimizedLSTMCell", "lengths"), ("LSTMCell", "carry")),
            *(("GRUCell", "lengths"), ("SimpleCell", "plain")),
        )
    ),
)
def test_nnx(cell: str, options: str) -> None:
    """Each cell with one of the options, which change what is around the scan."""
    nnx = pytest.importorskip("flax.nnx", reason="flax has these modules")
    module = nnx.RNN(getattr(nnx, cell)(I, H, rngs=nnx.Rngs(0)))
    graph, weights, rest = nnx.split(module, nnx.Param, ...)

    def function(weights: Any, rest: Any, x: Any) -> Any:
        return nnx.merge(graph, weights, rest)(x, **OPTIONS[options])

    x = X if options == "carry" else X.swapaxes(0, 1)
    agree(function, (as_drawn(weights), rest, x), flax_op(cell, options))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "options"),
    every(
        LINEN,
        *(("LSTMCell", "lengths"), ("OptimizedLSTMCell", "carry"), ("GRUCell", "plain")),
        *(("SimpleCell", "carry"), ("MGUCell", "lengths")),
    ),
)
def test_linen(cell: str, options: str) -> None:
    """Each cell with one of the options, another one than in nnx."""
    linen = pytest.importorskip("flax.linen", reason="flax has these modules")
    module = linen.RNN(getattr(linen, cell)(H))
    x = X if options == "carry" else X.swapaxes(0, 1)
    weights = as_drawn(module.init(jax.random.key(0), x))
    op = "onnx.GRU" if cell == "MGUCell" else flax_op(cell, options)
    agree(lambda p, x: module.apply(p, x, **OPTIONS[options]), (weights, x), op)


@pytest.mark.slow
def test_options_of_flax() -> None:
    """relu is a function of the ops; hard_sigmoid, which XLA writes with a clamp, is left."""
    linen = pytest.importorskip("flax.linen", reason="flax has these modules")
    for gate, function, ops in (
        (linen.sigmoid, linen.relu, ["onnx.LSTM"]), (linen.hard_sigmoid, linen.tanh, []),
    ):  # fmt: skip
        module = linen.RNN(linen.LSTMCell(H, gate_fn=gate, activation_fn=function))
        weights = as_drawn(module.init(jax.random.key(0), X))
        agree(module.apply, (weights, X), *ops)
    convolution = linen.RNN(linen.ConvLSTMCell(2, (3,)))
    x = draw(B, T, 5, 2)
    scans = agree(convolution.apply, (as_drawn(convolution.init(jax.random.key(0), x)), x))
    assert "'conv_general_dilated'" in scans.left[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "op"), first([("LSTMCell", "onnx.LSTM"), ("GRUCell", "onnx.GRU")])
)
@pytest.mark.parametrize("use_bias", first([False, True]))
def test_equinox(cell: str, op: str, use_bias: bool) -> None:
    nn = pytest.importorskip("equinox.nn", reason="equinox has these modules")
    module = as_drawn(getattr(nn, cell)(I, H, use_bias=use_bias, key=jax.random.key(0)))
    first = (jnp.asarray(MEMORY[0]),) * 2 if cell == "LSTMCell" else jnp.asarray(STATE[0])

    def one(module: Any, x: Any) -> Any:
        def step(carry: Any, x: Any) -> Any:
            carry = module(x, carry)
            return carry, carry[0] if cell == "LSTMCell" else carry

        return jax.lax.scan(step, first, x)

    agree(jax.vmap(one, (None, 1)), (module, X), op)
