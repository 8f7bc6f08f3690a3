"""The exceptions themselves: their base classes, and that they can be sent to other processes."""

from __future__ import annotations

import copy
import pickle

import pytest

from rnn_compiler import errors
from rnn_compiler.errors import (
    ArtifactError,
    CacheWarning,
    CompileError,
    CompileWarning,
    DeviceError,
    InvalidArgumentError,
    RnnCompilerError,
    UnsupportedError,
)

EXAMPLES = [
    InvalidArgumentError("BlockLSTMV2", "b", "shape [16]", "shape [15]"),
    InvalidArgumentError("BlockLSTMV2", "b", "dtype float32", "dtype int8", "convert it"),
    CompileError(
        "it failed", target="cpu", diagnostics="x: error: y", reproducer=None, command="c"
    ),
    UnsupportedError("no"),
    ArtifactError("damaged"),
    DeviceError("no device"),
    RnnCompilerError("any"),
]


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (InvalidArgumentError, ValueError),
        (UnsupportedError, NotImplementedError),
        (CompileError, Exception),
        (ArtifactError, Exception),
        (DeviceError, Exception),
    ],
)
def test_every_error_is_of_this_package_and_of_its_builtin_kind(
    kind: type[Exception], builtin: type[Exception]
) -> None:
    assert issubclass(kind, RnnCompilerError)
    assert issubclass(kind, builtin)


@pytest.mark.parametrize("warning", [CacheWarning, CompileWarning])
def test_warnings_are_no_errors(warning: type) -> None:
    assert issubclass(warning, UserWarning)
    assert not issubclass(warning, RnnCompilerError)


def test_every_error_has_an_example_here() -> None:
    kinds = {getattr(errors, name) for name in errors.__all__}
    declared = {kind for kind in kinds if isinstance(kind, type)} - {CacheWarning, CompileWarning}
    assert declared == {type(example) for example in EXAMPLES}


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(
    "copied", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy]
)
def test_errors_travel_between_processes(error: Exception, copied: object) -> None:
    """A pool of workers hangs on an exception that its parent cannot unpickle."""
    other = copied(error)  # type: ignore[operator]
    assert type(other) is type(error)
    assert str(other) == str(error)
    assert vars(other) == vars(error)
