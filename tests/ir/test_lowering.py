"""Additions of lowering to a portable module, and their arrival in the compiled one."""

from __future__ import annotations

import json
import re
from importlib import metadata, util
from pathlib import Path

import iree.runtime
import processes
import pytest
from ir.filecheck import check

import rnn_compiler as rc
from rnn_compiler.lowering.mlir.bindings import ir, new_context
from rnn_compiler.lowering.passes.stamp_provenance import stamp_provenance
from rnn_compiler.lowering.pipeline import rewrite
from rnn_compiler.lowering.rewriting.context import LoweringRequest, PassContext
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.strategies import FUSED
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.manifest import TargetSpec

DIMS = {"seq_length": 3, "batch_size": 2, "input_size": 4, "num_units": 5}
FORWARD = {
    "rnn_compiler.op": "BlockLSTMV2",
    "rnn_compiler.dtype": "float32",
    "rnn_compiler.arguments": (
        "seq_len_max: int64[], x: float32[3,2,4], cs_prev: float32[2,5], h_prev: float32[2,5], "
        "w: float32[9,20], wci: float32[5], wcf: float32[5], wco: float32[5], b: float32[20]"
    ),
    "rnn_compiler.results": ", ".join(
        f"{name}: float32[3,2,5]" for name in ("i", "cs", "f", "o", "ci", "co", "h")
    ),
    "rnn_compiler.strategy": "fused",
}


@pytest.fixture(scope="module")
def module() -> rc.Module:
    return rc.build(["BlockLSTMV2", "BlockLSTMGradV2"], use_peephole=True, **DIMS)


@pytest.fixture(scope="module")
def artifact(module: rc.Module) -> rc.Artifact:
    return rc.compile(module, "cpu")


def reflection(text: str) -> dict[str, dict[str, str]]:
    """The reflection attributes of each function of a module."""
    with new_context():
        functions = ir.Module.parse(text).body.operations
        return {
            ir.StringAttr(op.attributes["sym_name"]).value: {
                each.name: ir.StringAttr(each.attr).value
                for each in ir.DictAttr(op.attributes["iree.reflection"])
            }
            if "iree.reflection" in op.attributes
            else {}
            for op in functions
        }


def stamped(module: rc.Module) -> str:
    return rewritten(module, resolve_target("cpu:x86-64-v2"), "fused")


def rewritten(module: rc.Module, target: TargetSpec, strategy: str) -> str:
    return rewrite(
        LoweringRequest(module.located_text, module.functions, target, strategy, "1.2.3")
    ).text


@pytest.fixture(autouse=True)
def _on_x86(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Targets are named as on x86-64, wherever the test runs, unless something is compiled."""
    if "artifact" not in request.fixturenames:
        monkeypatch.setattr("rnn_compiler.schema.cpu_features.architecture", lambda: "x86_64")


def test_public_functions_say_what_they_are(module: rc.Module) -> None:
    """Op, types, dimensions, attributes, target and versions; all keys under one prefix."""
    attributes = reflection(stamped(module))
    forward = attributes["block_lstm_v2"]
    assert forward.items() >= FORWARD.items()
    assert json.loads(forward["rnn_compiler.dims"]) == DIMS
    assert json.loads(forward["rnn_compiler.attributes"]) == {
        "cell_clip": 0.0,
        "use_peephole": True,
    }
    assert forward["rnn_compiler.target"] == "cpu:x86-64-v2"
    assert forward["rnn_compiler.architecture"] == "x86_64"
    assert forward["rnn_compiler.features"] == "cx16,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3"
    assert forward["rnn_compiler.package_version"] == "1.2.3"
    assert forward["rnn_compiler.compiler_version"] == metadata.version("iree-base-compiler")
    backward = attributes["block_lstm_grad_v2"]
    assert backward["rnn_compiler.op"] == "BlockLSTMGradV2"
    assert backward.keys() == forward.keys()
    assert all(key.startswith("rnn_compiler.") for key in forward)


def test_private_functions_say_nothing(module: rc.Module) -> None:
    attributes = reflection(stamped(module))
    assert attributes["block_lstm_v2.lstm_forward"] == {}
    assert attributes["block_lstm_grad_v2.lstm_backward"] == {}


def test_nothing_else_changes(module: rc.Module) -> None:
    """Without attributes and rewrites, the compiler gets the portable module, locations and all."""
    with new_context():
        text = rewritten(module, resolve_target("cpu:x86-64-v2"), "portable")
        parsed = ir.Module.parse(text)
        for op in parsed.body.operations:
            if "iree.reflection" in op.attributes:
                del op.attributes["iree.reflection"]
        assert parsed.operation.get_asm(enable_debug_info=True) == module.located_text


def test_stamping_takes_what_it_is_given(module: rc.Module) -> None:
    """Only functions that are listed are stamped, with every further fact under the prefix."""
    with new_context(), ir.Location.unknown():
        parsed = ir.Module.parse(module.text)
        target = resolve_target("cpu:generic")
        facts = {"note": 'a "quoted" fact'}
        request = LoweringRequest(module.text, module.functions[1:], target, "fused", "0")
        stamp_provenance(PassContext(parsed, request, VectorUnit.of(target), facts))
        assert parsed.operation.verify()
        attributes = reflection(str(parsed))
    assert attributes["block_lstm_v2"] == {}
    assert attributes["block_lstm_grad_v2"]["rnn_compiler.note"] == 'a "quoted" fact'
    assert attributes["block_lstm_grad_v2"]["rnn_compiler.features"] == ""


@pytest.mark.slow
def test_attributes_are_readable_without_a_device(module: rc.Module, artifact: rc.Artifact) -> None:
    """IREE's Python API returns exactly the stamped values, next to IREE's own signature."""
    compiled = iree.runtime.VmModule.copy_buffer(iree.runtime.VmInstance(), artifact.payload)
    target = artifact.manifest.target
    version = artifact.manifest.package_version
    text = rewrite(
        LoweringRequest(module.located_text, module.functions, target, "fused", version)
    ).text
    for spec in module.functions:
        found = compiled.lookup_function(spec.function).reflection
        stamp = reflection(text)[spec.function]
        assert {k: v for k, v in found.items() if k.startswith("rnn_compiler.")} == stamp
        assert f"@{spec.function}(%input0: tensor<i64>" in found["iree.abi.declaration"]


def test_iree_dump_module_shows_the_attributes(artifact: rc.Artifact, tmp_path: Path) -> None:
    package = util.find_spec("iree._runtime_libs")
    assert package is not None
    assert package.submodule_search_locations
    tool = Path(package.submodule_search_locations[0]) / "iree-dump-module"
    path = artifact.save(tmp_path / "lstm.vmfb")
    dump = processes.run(tool, path)
    lines = "\n".join(f"CHECK: {key}: {value}" for key, value in sorted(FORWARD.items()))
    check(dump.stdout, f"CHECK: Exported Functions:\nCHECK: block_lstm_v2(\n{lines}")


def test_iterations_are_short_where_an_engine_compiles_the_code_again() -> None:
    """In WebAssembly: one workgroup, two rows of weights an iteration, registers of four units."""
    dims = {"seq_length": 3, "batch_size": 1, "input_size": 4, "num_units": 256}
    built = rc.build("BlockLSTMV2", **dims)
    target = resolve_target("cpu:wasm32")
    text = rewrite(LoweringRequest(built.text, built.functions, target, FUSED, "0")).text
    loop = text[text.index("stream.executable private @block_lstm_v2_lstm_forward_loop") :]
    body = loop[: loop.index("vector.fma")]
    rest = loop[len(body) : loop.index("scf.yield", len(body))]
    assert rest.count("vector.fma") == 2 * 8
    assert "vector<8xf32>" not in loop
    assert re.search(
        r"workgroups\(\)[^{]*\{\s+(%c1) = arith.constant 1 .*\s+.*\s+stream.return \1,", loop
    )
