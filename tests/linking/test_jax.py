"""Modules that `jax.export` made, as text and as bytecode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from linking.modules import function
from quick import first

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.linking import link_module

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
jnp = pytest.importorskip("jax.numpy")
export = pytest.importorskip("jax.export")

T, B, I, H = 5, 2, 3, 4  # noqa: E741
NAME = "rnn_compiler.BlockLSTMV2"


def exported(name: str = NAME, **attributes: Any) -> Any:
    """A model with the op between its own layers, whose arguments are a tree."""
    results = [jax.ShapeDtypeStruct((T, B, H), jnp.float32)] * 7

    def model(x: Any, weights: Any) -> Any:
        state, peephole = jnp.zeros((B, H)), jnp.zeros(H)
        operands = (np.int32(T - 1), jnp.tanh(x), state, state, weights["w"])
        operands += (peephole, peephole, peephole, weights["b"])
        saved = jax.ffi.ffi_call(name, results)(*operands, **attributes)
        return {"y": saved[-1] @ weights["v"], "last": saved[-1][-2]}

    x, w, b, v = (
        jax.ShapeDtypeStruct(shape, jnp.float32)
        for shape in ((T, B, I), (I + H, 4 * H), (4 * H,), (H, 2))
    )
    checks = [export.DisabledSafetyCheck.custom_call(name)]
    made = export.export(jax.jit(model), disabled_checks=checks)
    return made(x, {"w": w, "b": b, "v": v})


@pytest.mark.slow
def test_text_and_bytecode(tmp_path: Path, cli: Any) -> None:
    """They are the same module; from a file by the command line, and in Python."""
    made = exported(use_peephole=False, cell_clip=0.5)
    bytecode = tmp_path / "model.mlirbc"
    bytecode.write_bytes(made.mlir_module_serialized)
    assert bytecode.read_bytes().startswith(b"ML\xefR")
    output = tmp_path / "model.vmfb"
    assert "linked: BlockLSTMV2" in cli("link", bytecode, "-o", output).out
    assert link_module(bytecode).text == link_module(made.mlir_module()).text

    rng = np.random.default_rng(0)
    x, w, b, v = (
        rng.normal(0, 0.7, shape).astype(np.float32)
        for shape in ((T, B, I), (I + H, 4 * H), (4 * H,), (H, 2))
    )
    program = rc.runtime.load(output)
    assert program.manifest.linked[0].attributes == {"cell_clip": 0.5, "use_peephole": False}
    got = program(x=x, weights_w=w, weights_b=b, weights_v=v)
    assert got._fields == ("last", "y")
    state, peephole = np.zeros((B, H), np.float32), np.zeros(H, np.float32)
    expected = rc.raw_ops.BlockLSTMV2(
        seq_len_max=T - 1,
        x=np.tanh(x),
        cs_prev=state,
        h_prev=state,
        w=w,
        wci=peephole,
        wcf=peephole,
        wco=peephole,
        b=b,
        cell_clip=0.5,
        use_peephole=False,
    ).h
    np.testing.assert_allclose(got.last, expected[-2], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(got.y, expected @ v, rtol=1e-5, atol=1e-6)
    assert not got.y[-1].any()

    shown = cli("inspect", output).out
    assert "@main" in shown
    assert "linked: BlockLSTMV2 seq_length=5 batch_size=2" in shown
    cli("run", output, "--random")
    cli("check", output)


@pytest.mark.parametrize("form", ["mlir_module", "mlir_module_serialized"])
def test_what_does_not_fit(form: str) -> None:
    made = getattr(exported(use_peepholes=False), form)
    with pytest.raises(rc.errors.InvalidArgumentError, match="did you mean use_peephole"):
        rc.link(made if isinstance(made, bytes) else made())


@pytest.mark.slow
def test_the_command_line_writes_json(tmp_path: Path, cli: Any) -> None:
    import json

    path = tmp_path / "model.mlir"
    path.write_text(exported().mlir_module())
    facts = json.loads(cli("link", path, "--json", "-o", tmp_path / "model.vmfb").out)
    assert facts["functions"] == ["main"]
    assert facts["linked"] == ["BlockLSTMV2"]


def on_a_mesh() -> Any:
    """A module with each form of shardings over one device, its arguments and its result."""
    import rnn_compiler.jax as ops

    sharding = jax.sharding
    mesh = sharding.Mesh(np.array(jax.devices()[:1]), ("d",))
    columns = sharding.NamedSharding(mesh, sharding.PartitionSpec(None, "d"))

    def step(x: Any, h: Any, w_ru: Any, w_c: Any, b_ru: Any, b_c: Any) -> Any:
        w_ru = jax.lax.with_sharding_constraint(w_ru, columns)
        y = ops.gru_block_cell(x, h, w_ru, w_c, b_ru, b_c).h
        return jax.lax.with_sharding_constraint(y * 2, columns)

    shapes = ((2, 3), (2, 4), (7, 8), (7, 4), (8,), (4,))
    arrays = [jnp.full(shape, 0.25, "float32") for shape in shapes]
    arrays[0] = jax.device_put(arrays[0], columns)
    return ops.export(jax.jit(step))(*arrays), arrays, step(*arrays)


@pytest.mark.slow
def test_shardings_over_one_device_are_dropped() -> None:
    made, arrays, expected = on_a_mesh()
    text = made.mlir_module()
    for form in ("sdy.mesh", "sdy.sharding = ", "sdy.sharding_constraint"):
        assert form in text
    module = link_module(text)
    assert "w_ru" in module.functions[0].weights
    program = rc.runtime.load(rc.compile(module))
    names = [each.name for each in module.functions[0].arguments]
    (found,) = program(**{k: np.asarray(v) for k, v in zip(names, arrays, strict=True)})
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.slow
def test_shardings_in_bytecode_or_over_several_devices_are_refused() -> None:
    made, _, _ = on_a_mesh()
    several = made.mlir_module().replace('["d"=1]', '["d"=2]')
    for source in (made.mlir_module_serialized, several):
        with pytest.raises(InvalidArgumentError, match=r"pass the text, exported.mlir_module\(\)"):
            link_module(source)


def called_shardings(sharding: str) -> str:
    """A module with a sharding as JAX wrote it before it had a dialect for them."""
    cell = rc.build("GRUBlockCell", batch_size=1, input_size=1, num_units=1).functions[0]
    return f"""
    module {{
      func.func public @twice(%x: tensor<2xf32> loc("x")) -> tensor<2xf32> {{
        %y = stablehlo.custom_call @Sharding(%x) {{mhlo.sharding = "{sharding}"}}
            : (tensor<2xf32>) -> tensor<2xf32>
        %z = stablehlo.add %y, %x : tensor<2xf32>
        return %z : tensor<2xf32>
      }}
      {function(cell, name="cell")}
    }}"""


@pytest.mark.parametrize(
    "sharding", first(["{replicated}", "{devices=[1,1]<=[1]}", "{maximal device=0}"])
)
def test_calls_of_shardings_over_one_device_are_dropped(sharding: str) -> None:
    twice: Any = rc.runtime.load(rc.link(called_shardings(sharding))).functions["twice"]
    np.testing.assert_array_equal(twice(x=np.array([1, 2], np.float32))[0], [2, 4])


def test_calls_of_shardings_over_several_devices_are_refused() -> None:
    message = "expected a module for one device, got the sharding .*; export the function without"
    with pytest.raises(InvalidArgumentError, match=message):
        link_module(called_shardings("{devices=[2,1]<=[2]}"))
