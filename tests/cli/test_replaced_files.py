"""Files whose names the user did not choose replace only files that this package wrote."""

from pathlib import Path

import pytest

import rnn_compiler as rc
from rnn_compiler.cli import main

TORCH = str(Path(__file__).parents[1] / "model_files" / "torch_lstm.onnx")
SIZES = "seq_length=2,batch_size=1"


@pytest.mark.parametrize(
    ("theirs", "whole"), [("README.md", ()), ("LSTM.npz", ()), ("README.md", ("--whole",))]
)
def test_an_import_leaves_other_files_alone(
    theirs: str, whole: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["import", TORCH, "-o", str(tmp_path), *whole]
    words += [] if whole else ["--dim", SIZES, "--weights-apart"]
    assert main(words) == 0
    assert main(words) == 0  # its own files are replaced
    for each in tmp_path.iterdir():
        each.unlink()
    (tmp_path / theirs).write_bytes(b"Compiled with rnn-compiler. Mine.\n")
    capsys.readouterr()
    assert main(words) == 1
    error = capsys.readouterr().err
    assert f"{tmp_path / theirs}" in error
    assert "rnn-compiler did not write this file: move it, or choose another folder" in error
    assert [each.name for each in tmp_path.iterdir()] == [theirs]
    assert (tmp_path / theirs).read_bytes() == b"Compiled with rnn-compiler. Mine.\n"


@pytest.mark.parametrize("form", ["c", "js"])
def test_sources_leave_other_files_alone(form: str, tmp_path: Path) -> None:
    module = rc.build("GRUBlockCell", batch_size=1, input_size=2, num_units=3, name="mine")
    made = rc.compile_c(module) if form == "c" else rc.compile_js(module)
    made.save(tmp_path)
    made.save(tmp_path)
    texts = [name for name in made.files if not name.endswith((".o", ".wasm", ".json"))]
    assert len(texts) == 2
    for name in texts:
        for each in tmp_path.iterdir():
            each.unlink()
        (tmp_path / name).write_text("// mine\n")
        with pytest.raises(FileExistsError, match="did not write this file") as caught:
            made.save(tmp_path)
        assert caught.value.filename == str(tmp_path / name)
        assert [each.name for each in tmp_path.iterdir()] == [name]
        (tmp_path / name).write_text("")  # nothing is lost
        made.save(tmp_path)
