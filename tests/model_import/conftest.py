"""What the tests of import share."""

from __future__ import annotations

import pytest
from model_import.files import read_hdf5_if_new

from rnn_compiler.model_import import keras_file, keras_h5


@pytest.fixture
def hdf5_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads each HDF5 file once in a session: each takes a process, of a third of a second."""
    for module in (keras_file, keras_h5):
        monkeypatch.setattr(module, "read_hdf5", read_hdf5_if_new)
