"""`rc.link` accepts exports of our functions by `jax.export`, and they run like the functions."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from jax_functions.trees import leaves

import rnn_compiler as rc
from rnn_compiler.linking import link_module

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
jnp = pytest.importorskip("jax.numpy")
functions = pytest.importorskip("rnn_compiler.jax")

T, B, I, H = 4, 2, 3, 5  # noqa: E741
SIZES = {"x": (T, B, I), "w": (I + H, 4 * H), "b": (4 * H,), "dense": (H, 2)}
RNG = np.random.default_rng(0)
ARRAYS = {name: RNG.normal(0, 0.5, shape).astype(np.float32) for name, shape in SIZES.items()}


def loss(w: Any, b: Any, dense: Any, x: Any, seq_len_max: Any) -> Any:
    """Two calls of the op of a size, an attribute that no binary number is, and a loop."""
    state, zero = jnp.zeros((B, H)), jnp.zeros(H)

    def layer(x: Any) -> Any:
        run = functions.block_lstm_v2
        return run(seq_len_max, x, state, state, w, zero, zero, zero, b, cell_clip=0.3)

    y = layer(x).h @ dense + jax.vmap(lambda k: layer(k * x).cs @ dense)(jnp.ones(2)).sum(0)
    return (y**2).sum()


@pytest.mark.slow
def test_a_train_step() -> None:
    step = jax.jit(jax.value_and_grad(loss, argnums=(0, 1, 2)))
    arrays = [ARRAYS[name] for name in ("w", "b", "dense", "x")]
    expected = jax.tree.leaves(step(*arrays, 3))
    exported = functions.export(step)(*arrays, 3)
    text = exported.mlir_module()
    for op in ("BlockLSTMV2", "BlockLSTMGradV2"):
        assert f"stablehlo.custom_call @rnn_compiler.{op}(" in text
    assert "stablehlo.composite" not in text
    assert link_module(text).text == link_module(exported.mlir_module_serialized).text
    artifact = rc.link(text)
    # Of the two gradients, one knows that `cs_grad` is zero; in the loop, it is an argument.
    ops = [each.op for each in artifact.manifest.linked]
    assert ops == ["BlockLSTMV2", "BlockLSTMGradV2", "BlockLSTMGradV2"]
    assert artifact.manifest.linked[0].attributes["cell_clip"] == 0.3
    named = {name: ARRAYS[name] for name in ("w", "b", "dense", "x")}
    results = rc.runtime.load(artifact)(**named, seq_len_max=np.int32(3))
    assert len(results) == len(expected) == 4
    for ours, theirs in zip(results, expected, strict=True):
        assert np.abs(theirs).max() > 0.1
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


def test_jaxs_own_export_wants_to_know_the_calls() -> None:
    function = jax.jit(lambda x: functions.gru_block_cell(x, *GRU[1:]).h)
    exported = jax.export.export(function, disabled_checks=functions.CUSTOM_CALLS)(GRU[0])
    assert "@rnn_compiler.GRUBlockCell(" in exported.mlir_module()
    with pytest.raises(ValueError, match="no compatibility guarantees"):
        jax.export.export(function)(GRU[0])


GRU = [
    np.zeros(shape, np.float32)
    for shape in ((B, I), (B, H), (I + H, 2 * H), (I + H, H), (2 * H,), (H,))
]


@pytest.mark.parametrize(
    ("function", "arguments", "attributes"),
    [
        ("cudnn_rnn_v3", "seeds", {"num_proj": 3}),
        ("cudnn_rnn_v2", "", {"rnn_mode": "gru", "direction": "bidirectional"}),
        ("lstm_block_cell", "", {"forget_bias": -0.7, "use_peephole": True}),
    ],
)
def test_attributes_and_integers_arrive(
    function: str, arguments: str, attributes: dict[str, Any]
) -> None:
    """Every kind of attribute; the module linked is the op's of the same attributes."""
    from cases import sizes
    from numeric.harness import draw

    signature = getattr(functions, function).signature
    variant = sizes(3, 2, 4, 4, **attributes)
    if arguments == "seeds":
        variant |= {"dropout": 0.25, "num_layers": 2}
    given = draw(signature.name, "float32", variant)
    keywords = {k: v for k, v in variant.items() if k in {a.name for a in signature.attributes}}
    made = functions.export(lambda given: getattr(functions, function)(**given, **keywords))(given)
    (linked,) = link_module(made.mlir_module()).linked
    expected = rc.build(signature.name, **{
        k: v for k, v in {"num_layers": 1, **variant}.items()
        if k in (*signature.dimensions, *keywords)
    }).functions[0]  # fmt: skip
    assert linked.attributes == expected.attributes
    assert linked.dims == expected.dims
    assert linked.arguments == expected.arguments


def test_trees_have_the_names_of_arguments() -> None:
    """Whatever JAX knows as a tree: with static fields, and classes that only it can take apart."""

    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Cell:
        weight: Any
        bias: Any
        size: int = dataclasses.field(default=3, metadata={"static": True})

    @jax.tree_util.register_pytree_with_keys_class
    class Variable:
        def __init__(self, value: Any) -> None:
            self.value = value

        def tree_flatten_with_keys(self) -> Any:
            return [(jax.tree_util.GetAttrKey("value"), self.value)], None

        @classmethod
        def tree_unflatten(cls, _: None, children: Any) -> Variable:
            return cls(*children)

    params = {"cell": Cell(Variable(np.ones(2)), None), "scale": (Variable(np.ones(3)), 2.0)}
    text = functions.export(lambda p, x: (p, x))(params, np.ones(4)).mlir_module()
    names = [each.name for each in link_module(text).functions[0].arguments]
    assert names == ["p_cell_weight_value", "p_scale_0_value", "p_scale_1", "x"]
    found = leaves({"p": params, "x": [1, 2, 3, 4]}, names)
    assert [*found] == names
    assert found["x"] == [1, 2, 3, 4]
    assert found["p_scale_0_value"] is params["scale"][0].value


@pytest.mark.slow
def test_states_of_the_same_shape() -> None:
    """Each goes on with the value of its name. JAX donates memory by the order of the names."""

    def step(params: Any, mean: Any, rate: Any) -> dict[str, Any]:
        mean = jax.tree.map(lambda m, p: 0.5 * m + p, mean, params)
        params = jax.tree.map(lambda p, m: p - rate * m, params, mean)
        return {"params": params, "mean": mean, "first": params["w"][0]}

    trees: dict[str, Any] = {"params": {"w": np.float32([1, 2])}, "mean": {"w": np.float32([3, 5])}}
    rate = np.float32(0.25)
    text = functions.export(jax.jit(step, donate_argnums=(0, 1)))(*trees.values(), rate)
    session = rc.runtime.load(rc.compile(link_module(text.mlir_module(), states=trees))).session()
    for _ in range(3):
        trees = step(**trees, rate=rate)
        first = trees.pop("first")
        assert session.main(rate=rate).first == first
    for name, value in leaves(trees).items():
        np.testing.assert_array_equal(session.state[name], value)


@pytest.mark.slow
def test_layers_that_are_computed_again() -> None:
    """`jax.checkpoint` around a layer gives the same step; `test_memory.py` has what it saves."""
    steps, units = 7, 5
    zero = jnp.zeros((1, 1, units))
    lengths = jnp.full((1,), steps, jnp.int32)

    def layer(params: Any, x: Any) -> Any:
        return functions.cudnn_rnn_v3(x, zero, zero, params, lengths, rnn_mode="gru").output

    def train(params: Any, x: Any, layer: Any) -> Any:
        def loss(params: Any) -> Any:
            h = x
            for each in params:
                h = layer(each, h)
            return jnp.mean(h**2)

        value, gradient = jax.value_and_grad(loss)(params)
        return {"params": jax.tree.map(lambda p, g: p - g, params, gradient), "loss": value}

    rng = np.random.default_rng(0)
    params = [rng.normal(0, 0.3, 6 * units * (units + 1)).astype(np.float32) for _ in range(2)]
    x = rng.normal(0, 1, (steps, 1, units)).astype(np.float32)
    found: list[Any] = []
    for each in (layer, jax.checkpoint(layer)):
        step = jax.jit(lambda params, x, each=each: train(params, x, each), donate_argnums=0)
        module = rc.link_module(functions.export(step)(params, x).mlir_module())
        session = rc.runtime.load(rc.compile(module, "cpu:generic")).session(params=params)
        session(x=x)
        found.append(session.state)
    for name, value in found[0].items():
        np.testing.assert_allclose(found[1][name], value, rtol=1e-5, atol=1e-6)
