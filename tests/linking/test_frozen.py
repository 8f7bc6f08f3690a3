"""Frozen arguments of a user's module: the same numbers, from an archive, packed once."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import processes
import pytest
from cases import assert_same_bits
from linking.modules import function
from linking.test_link import arguments_of
from linking.test_weights import CELL, SIZES, STACK

import rnn_compiler as rc
from rnn_compiler.errors import InvalidArgumentError
from rnn_compiler.linking import link_module

TEXT = f"module {{ {function(STACK)} }}"


@pytest.mark.slow
def test_frozen_weights_give_the_bits_of_arguments(tmp_path: Path) -> None:
    """In Python and by IREE's own tool; the module's text has them as constants."""
    given = arguments_of(STACK)
    expected = rc.runtime.load(rc.link(TEXT), "local-sync")(**given)
    artifact = rc.link(TEXT, weights={"params": given["params"]})
    (spec,) = artifact.manifest.functions
    assert [each.name for each in spec.frozen] == ["params"]
    artifact.save(tmp_path / "m.vmfb")
    del given["params"]
    program = rc.runtime.load(tmp_path / "m.vmfb", "local-sync")
    for _ in range(3):
        assert_same_bits(program(**given), expected)


@pytest.mark.slow
def test_an_archive_serves_other_weights_without_compiling() -> None:
    given = arguments_of(STACK)
    first, second = (
        rc.link(TEXT, weights={"params": factor * given["params"]}) for factor in (1, 2)
    )
    assert first.payload == second.payload
    assert first.manifest.parameters != second.manifest.parameters


@pytest.mark.slow
def test_only_what_is_needed_is_moved_and_packed() -> None:
    """Weights that reach an op through moves; other arguments stay where they are."""
    module = link_module(CELL.replace("MORE", "").replace("WC", "%wc"))
    rng = np.random.default_rng(0)
    given = {
        each.name: rng.normal(size=each.shape).astype(np.float32)
        for each in module.functions[0].arguments
    }
    names = ("u", "wc")
    frozen = rc.freeze(module, {name: given[name] for name in names})
    assert [each.name for each in frozen.functions[0].arguments] == ["h", "x", "v", "b", "bc"]
    expected = rc.runtime.load(rc.compile(module))(**given).result0
    rest = {name: array for name, array in given.items() if name not in names}
    np.testing.assert_array_equal(rc.runtime.load(rc.compile(frozen))(**rest).result0, expected)
    portable = rc.runtime.load(rc.compile(frozen, strategy="portable"))
    np.testing.assert_allclose(portable(**rest).result0, expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"parms": np.zeros(3)}, "did you mean params"),
        ({"params": np.zeros(3, np.float32)}, "expected shape"),
        (3, "a mapping"),
    ],
)
def test_what_is_refused(weights: object, said: str) -> None:
    with pytest.raises(InvalidArgumentError, match=said):
        rc.link(TEXT, weights=weights)  # type: ignore[arg-type]


def test_arguments_of_a_function_that_is_called_are_refused() -> None:
    text = CELL.replace("MORE", "").replace("WC", "%wc").replace("private @cell", "public @cell")
    module = link_module(text)
    spec = next(spec for spec in module.functions if spec.function == "cell")
    name = spec.arguments[2].name
    array = np.zeros(spec.arguments[2].shape, np.float32)
    with pytest.raises(InvalidArgumentError, match="no other function of the module calls"):
        rc.freeze(module, {"cell": {name: array}})


@pytest.mark.slow
def test_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "user.mlir").write_text(TEXT)
    np.savez(tmp_path / "w.npz", params=arguments_of(STACK)["params"])
    command = [sys.executable, "-m", "rnn_compiler", "link", "user.mlir", "--weights", "w.npz"]
    processes.run(*command, "-o", "m.vmfb", cwd=tmp_path)
    assert (tmp_path / "m.irpa").stat().st_size >= 4 * SIZES["num_units"]
    assert "params" not in rc.runtime.load(tmp_path / "m.vmfb").manifest.functions[0].weights
