"""Imports the recurrent layers of other frameworks' models as ops, with sizes and weights.

import_model  the layers of a file of TensorFlow, TensorFlow Lite, Keras, ONNX or PyTorch
Layer         one of them: build() gives its module

`saved_model` with `saved_keras`, `keras_file`, `onnx_file`, `tflite_file` and `torch_layers` each
read some kinds of files (`kinds`); `cells` takes arrays from any framework; `tensorflow_graph` and
the modules next to it find ops in graphs. Loops of TensorFlow (`tensorflow_loops`) and of
TensorFlow Lite (`tflite_loops`) are read as `formulas`, in which `cell_search` finds cells, as it
does in loops of ONNX for `network_import`; `messages` is the table of protobuf messages. No
framework is needed. Files are untrusted: nothing in them is run, and sizes stated in them are
compared with their actual size before memory is allocated.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from rnn_compiler.errors import (
    ArtifactError,
    InvalidArgumentError,
    RnnCompilerError,
    UnsupportedError,
    describe,
)
from rnn_compiler.model_import.layer import Layer, RefusedLayer
from rnn_compiler.model_import.reading import clipped, damaged, exceeded

__all__ = ["DEFECT", "Layer", "import_model"]

_Reader = Callable[[Path], tuple[list[Any], str]]

_WHOLE = "import the whole network (rc.import_network, import --whole), which recognises them"
_REMEDIES: list[tuple[tuple[str, ...], str]] = [
    (
        ("loops of",),
        "none of which is an LSTM, GRU or SimpleRNN with its weights: save the model as .keras; a "
        "subclass of keras.Model with Keras 3's model.export, or convert each layer's weights with "
        "rc.weights.from_keras",
    ),
    (
        ("no loop at all",),
        "if its layers are unrolled (Keras' unroll=True), or cells called step by step, they are "
        "ordinary ops here: save the model as .keras, or make a layer of its arrays with "
        "rc.weights.from_cell",
    ),
    (
        ("operators Loop", "tf2onnx"),
        "tf2onnx writes Keras' GRU, SimpleRNN and masked layers as a Loop: import the model's "
        f".keras file, or {_WHOLE}",
    ),
    (("operators Loop",), f"its recurrent layers may be written as a Loop: {_WHOLE}"),
    (("operators Scan",), f"its recurrent layers may be written as a Scan: {_WHOLE}"),
    (
        ("TensorFlow Lite",),
        "unrolled layers (Keras' unroll=True, PyTorch's by litert-torch) are ordinary operators "
        "there: import the whole network (rc.import_network, import --whole), or the model's "
        ".keras file, or the file of torch.save",
    ),
    (
        ("objects of", "numpy"),
        "pass its arrays to rc.weights.from_torch, or save them as tensors (torch.from_numpy)",
    ),
    (
        ("objects of __torch__",),
        "a frozen script's weights have no names: save the script, or the module's state dict, "
        "before torch.jit.freeze",
    ),
    (
        ("PyTorch's exporter",),
        "the exporter writes cells and Keras' layers as such operators, and its newer version also "
        "torch.nn.RNN: export that with dynamo=False, or import the file of torch.export.save or "
        f"torch.save, or import Keras' .keras file, or {_WHOLE}",
    ),
]
"""Remedies for a model without layers, by words in the description of its other content."""

DEFECT = "it cannot be read; if other programs can read it, please report this"
"""The reason given for an exception that no reader expects."""

_EXPECTED = (
    "a model with a recurrent layer: LSTM, GRU, RNN, or TensorFlow's BlockLSTM, LSTMBlockCell, "
    "GRUBlockCell, CudnnRNN or a gradient of these"
)


def import_model(
    path: str | os.PathLike[str], *, layers: Collection[str] | None = None
) -> list[Layer]:
    """The recurrent layers of a model, with attributes, sizes and weights.

    Args:
        path: A SavedModel folder, a frozen GraphDef ``.pb``, a ``.keras`` or ``.h5`` file of Keras,
            an ``.onnx`` file, a file from torch.save or torch.jit.save, a state dict in a
            ``.safetensors`` file, or a ``.tflite`` file. Files of Keras, torch, TensorFlow Lite
            and safetensors may have any suffix. If an ``.h5`` file has only weights, the model's
            ``.json`` must be next to it; pass the path of either. Keras' files may be unzipped:
            pass the path of the folder.
        layers: The names of the layers to import; default: all.

    Returns:
        The layers, in the model's order.

    Raises:
        ArtifactError: A file is damaged or cannot be read, refers to files outside of its folder,
            or needs more time or memory than its size justifies.
        InvalidArgumentError: It is another kind of file, has no recurrent layer, or has no layer
            with a given name.
        UnsupportedError: No op computes the named layer, or a package that reads such files is not
            installed.

    Example:
        >>> import_model("model.txt")
        Traceback (most recent call last):
        ...
        rnn_compiler.errors.InvalidArgumentError: import_model: 'path': expected ...
    """
    if layers is not None and (
        isinstance(layers, str) or not all(isinstance(name, str) for name in layers)  # pyright: ignore
    ):
        expected = "a list of names"
        raise InvalidArgumentError("import_model", "layers", expected, describe(layers))
    try:
        file = Path(path)
        read = _reader(file)
    except OSError as error:
        raise _unreadable(error, path) from error
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidArgumentError):
            raise
        raise InvalidArgumentError("import_model", "path", "a path", describe(path)) from error
    found, contents = _contents(file, read)
    if not found:
        fitting = (remedy for words, remedy in _REMEDIES if all(each in contents for each in words))
        remedy = next(fitting, "")
        raise InvalidArgumentError(
            "import_model", "path", _EXPECTED, f"{file}, which has {contents}", remedy
        )
    return _wanted(found, layers)


def _contents(path: Path, read: _Reader) -> tuple[list[Any], str]:
    """The layers of a model and its other content; any failure becomes an error of this package."""
    try:
        return read(path)
    except RnnCompilerError:
        raise
    except RecursionError:
        raise damaged(path, "it is nested too deeply") from None
    except MemoryError as error:
        raise exceeded(path, "it needs more memory than there is") from error
    except OSError as error:
        raise _unreadable(error, path) from error
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise ArtifactError(f"{path}: {DEFECT} ({clipped(reason)})") from error


def _unreadable(error: OSError, path: object) -> ArtifactError:
    """The error for a file that the system cannot read."""
    return ArtifactError(f"{error.filename or path}: cannot be read ({error.strerror or error})")


def _reader(path: Path) -> _Reader:
    """The reader for a kind of file."""
    from rnn_compiler.model_import.keras_file import read_json
    from rnn_compiler.model_import.kinds import MODEL_FILES, kind_of, remedy_for
    from rnn_compiler.model_import.saved_model import read_saved_model

    if path.is_dir():
        unzipped = path / "config.json", path / "model.weights.h5", path / "saved_model.pb"
        if [each.exists() for each in unzipped] == [True, True, False]:
            return lambda folder: read_json(folder / "config.json")
        return read_saved_model
    if path.name == "saved_model.pb":
        return lambda file: read_saved_model(file.parent)
    kind = kind_of(path) if path.exists() else None
    if kind is not None:
        return kind.read
    expected = (
        "a SavedModel folder, a file of Keras or torch.save, or one that ends in "
        f"{', '.join(MODEL_FILES)}"
    )
    got = describe(str(path)) if path.exists() else f"{describe(str(path))}, which does not exist"
    remedy = remedy_for(path) if path.exists() else ""
    raise InvalidArgumentError("import_model", "path", expected, got, remedy)


def _wanted(found: list[Layer | RefusedLayer], names: Collection[str] | None) -> list[Layer]:
    """The layers with given names, each of which must have an op."""
    known = [layer.name for layer in found]
    for name in names or ():
        if name not in known:
            expected = f"one of {', '.join(known)}"
            raise InvalidArgumentError("import_model", "layers", expected, describe(name))
    wanted = [layer for layer in found if names is None or layer.name in names]
    refused = [layer for layer in wanted if isinstance(layer, RefusedLayer)]
    if refused:
        others = [layer.name for layer in found if not isinstance(layer, RefusedLayer)]
        remedy = f"; select the others with layers={others} (--layer NAME)" if others else ""
        reasons = "; ".join(f"{each.name} has {each.reason}, {each.clause}" for each in refused)
        raise UnsupportedError(f"import_model: {reasons}{remedy}")
    return [layer for layer in wanted if isinstance(layer, Layer)]
