"""`python -m benchmarks.gpu`: on a CPU it proves that it works; without a GPU it says so."""

from __future__ import annotations

import pytest

from benchmarks.gpu import main
from rnn_compiler.errors import DeviceError
from rnn_compiler.runtime.device.devices import get_device


def test_without_a_gpu_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        get_device("cuda")
    except DeviceError:
        pass
    else:
        pytest.skip("there is a GPU")
    assert main([]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "device 'cuda' could not be opened" in err


def test_a_row(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.gpu._cudnn", lambda case, options: (float("nan"), None))
    options = ["--target", "cpu", "--device", "local-sync", "--size", "3,2,4,4"]
    assert main([*options, "--seconds", "0.01"]) == 0
    out = capsys.readouterr().out
    assert sum(line.split()[:3:2] == ["inference", "float16"] for line in out.splitlines()) == 1
    assert sum(line.split()[:3:2] == ["training", "float32"] for line in out.splitlines()) == 1
