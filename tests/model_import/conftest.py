"""Common parts of the tests of import."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from network_import.in_process import importing_here

from rnn_compiler.model_import import keras_file


@pytest.fixture(scope="module")
def networks_imported_here() -> Iterator[None]:
    with importing_here():
        yield


@pytest.fixture
def hdf5_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads each HDF5 file once in a session: each takes a process, of a third of a second."""
    from model_import.files import read_hdf5_if_new  # it skips where a package is missing

    monkeypatch.setattr(keras_file, "read_hdf5", read_hdf5_if_new)
