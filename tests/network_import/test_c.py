"""Networks in C: the function is named like the module, and weights are constants."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import rnn_compiler as rc

pytest.importorskip("onnx")

from rnn_compiler.c_prefix import prefixed
from tests.network_import.graphs import B, T, saved, tagger

TARGET = "cpu:generic"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> rc.Module:
    path = saved(tagger(), tmp_path_factory.mktemp("models") / "tagger.onnx")
    return rc.import_network(path, dims={"batch": B, "sequence": T})


@pytest.mark.slow
def test_a_network_in_c(module: rc.Module, tmp_path: Path) -> None:
    samples = rc.golden(module, TARGET)
    made = rc.compile_c(module, TARGET, golden=samples)
    (function,) = made.manifest["functions"]
    assert function["function"] == "tagger"
    assert [each["name"] for each in function["arguments"]] == ["x"]
    made.save(tmp_path)
    command = ["cc", "-DTAGGER_SELFTEST_MAIN", "-Wall", "-Werror", "tagger_selftest.c", "tagger.c"]
    subprocess.run([*command, "tagger.o", "-o", "test"], cwd=tmp_path, check=True)
    subprocess.run([str(tmp_path / "test")], cwd=tmp_path, check=True)


@pytest.mark.slow
def test_a_prefix_is_the_functions_whole_name(module: rc.Module) -> None:
    (spec,) = prefixed(module, "tagger")[0].functions
    assert spec.function == "tagger"


@pytest.mark.slow
def test_thawed_modules_take_their_weights_again(module: rc.Module) -> None:
    """In the order of the function that was imported."""
    (spec,) = module.thawed().functions
    assert [each.name for each in spec.arguments] == ["x", "K", "lstm_params"]
    assert spec.weights == ("K", "lstm_params")
    assert not spec.frozen


@pytest.mark.slow
def test_renamed_modules_keep_their_weights(module: rc.Module) -> None:
    other = module.renamed({"main": "tag"})
    assert [spec.function for spec in other.functions] == ["tag"]
    assert other.parameters.keys() == {"tag.K", "tag.lstm_params"}
    assert "@main" not in other.located_text
    assert "@tag.K" in other.located_text
    assert "@main" not in other.thawed().located_text
