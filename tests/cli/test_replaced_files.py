"""Files whose names the user did not choose replace only files that this package wrote."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.test_remedies import negating

import rnn_compiler as rc

TORCH = str(Path(__file__).parents[1] / "model_files" / "torch_lstm.onnx")
SIZES = "seq_length=2,batch_size=1"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("theirs", "whole"),
    [("README.md", ()), ("LSTM.npz", ()), ("README.md", ("--whole",))],
)
def test_an_import_leaves_other_files_alone(
    theirs: str, whole: tuple[str, ...], tmp_path: Path, cli: Any
) -> None:
    model = negating(tmp_path.parent / f"{tmp_path.name}.onnx", 2) if whole else TORCH
    words = ["import", str(model), "-o", str(tmp_path), *whole]
    words += [] if whole else ["--dim", SIZES, "--weights-apart"]
    cli(*words)
    cli(*words)
    for each in tmp_path.iterdir():
        each.unlink()
    (tmp_path / theirs).write_bytes(b"Compiled with rnn-compiler. Mine.\n")
    error = cli(*words, code=1).err
    assert f"{tmp_path / theirs}" in error
    assert "rnn-compiler did not write this file: move it, or choose another folder" in error
    assert [each.name for each in tmp_path.iterdir()] == [theirs]
    assert (tmp_path / theirs).read_bytes() == b"Compiled with rnn-compiler. Mine.\n"


@pytest.mark.slow
@pytest.mark.parametrize("form", ["c", "js"])
def test_sources_leave_other_files_alone(form: str, tmp_path: Path) -> None:
    module = rc.build("GRUBlockCell", batch_size=1, input_size=2, num_units=3, name="mine")
    made = rc.compile_c(module) if form == "c" else rc.compile_js(module)
    made.save(tmp_path)
    made.save(tmp_path)
    assert len(made.files) == 4
    for name in made.files:
        for each in tmp_path.iterdir():
            each.unlink()
        (tmp_path / name).write_text("// mine\n")
        with pytest.raises(FileExistsError, match="did not write this file") as caught:
            made.save(tmp_path)
        assert caught.value.filename == str(tmp_path / name)
        assert [each.name for each in tmp_path.iterdir()] == [name]
        (tmp_path / name).write_text("")  # nothing is lost
        made.save(tmp_path)


@pytest.mark.slow
def test_companions_of_artifacts_leave_other_files_alone(tmp_path: Path) -> None:
    """Manifest, frozen weights and samples, of an artifact and of a bundle."""
    module = rc.build("GRUBlockCell", batch_size=1, input_size=2, num_units=3)
    weights = [each for each in module.functions[0].arguments if each.name[0] in "wb"]
    arrays = {each.name: np.full(each.shape, 0.5, np.float32) for each in weights}
    frozen = rc.freeze(module, arrays)
    artifact, bundle = rc.compile(frozen, "cpu:generic"), rc.compile(frozen, ["cpu:generic"])
    for made, path, companions in (
        (artifact, tmp_path / "m.vmfb", ["m.irpa", "m.vmfb.golden.npz", "m.vmfb.json"]),
        (bundle, tmp_path, ["parameters.irpa", "golden.npz", "manifest.json"]),
    ):
        samples = rc.golden(frozen, made)
        for name in companions:
            made.save(path, golden=samples)
            made.save(path, golden=samples)
            assert (tmp_path / name).exists()
            for each in tmp_path.iterdir():
                each.unlink()
            (tmp_path / name).write_text("mine")
            with pytest.raises(FileExistsError, match="did not write this file") as caught:
                made.save(path, golden=samples)
            assert caught.value.filename == str(tmp_path / name)
            assert [each.name for each in tmp_path.iterdir()] == [name]
            (tmp_path / name).unlink()
