"""TensorFlow's fused recurrent ops and their gradients as small ahead-of-time compiled modules.

raw_ops      drop-in functions: raw_ops.BlockLSTMV2(seq_len_max=..., x=..., ...)
onnx_ops     ONNX's ops: onnx_ops.LSTM(X=..., W=..., R=..., ...)
build        an op at fixed dimensions as portable StableHLO
compile      a module for a target, as an artifact
compile_many many modules, several at a time
freeze       stores weights in a module
compile_c    a module for a CPU, as C that depends on libc only
compile_js   a module as WebAssembly and JavaScript, for browsers and Node.js
golden       sample arguments and results, to verify an artifact on its target
link_module  your own StableHLO modules with our ops in them, as a module
link         the same, compiled
runtime      loading and calling artifacts; needs no compiler
target       what raw_ops compile for and run on
import_model the recurrent layers of a SavedModel, frozen graph, Keras, ONNX or PyTorch file
import_network a whole ONNX network as one module
training_step one that learns: loss, gradients and optimizer
weights      cuDNN's parameter buffer from and to PyTorch, Keras, ONNX and BlockLSTM
dropout_mask the mask that a CudnnRNN call used
errors       exceptions and warnings
"""

from __future__ import annotations

import contextlib
import importlib
from typing import TYPE_CHECKING, Any

from rnn_compiler.base.logs import configure_logging as _configure_logging
from rnn_compiler.errors import InvalidArgumentError as _InvalidArgumentError

if TYPE_CHECKING:
    from rnn_compiler import errors, onnx_ops, raw_ops, runtime, weights
    from rnn_compiler.c_compilation import CModule, compile_c
    from rnn_compiler.chosen_target import target
    from rnn_compiler.compilation import compile
    from rnn_compiler.dropout import dropout_mask
    from rnn_compiler.freezing import freeze
    from rnn_compiler.goldens import golden
    from rnn_compiler.js_compilation import JsModule, compile_js
    from rnn_compiler.linking import link, link_module
    from rnn_compiler.many_compilations import compile_many
    from rnn_compiler.model_import import Layer, import_model
    from rnn_compiler.modules import Module, build
    from rnn_compiler.network_import import import_network
    from rnn_compiler.network_import.training import training_step
    from rnn_compiler.runtime.artifact import Artifact, Bundle
    from rnn_compiler.runtime.program import Program

__all__ = [
    "Artifact",
    "Bundle",
    "CModule",
    "JsModule",
    "Layer",
    "Module",
    "Program",
    "build",
    "compile",
    "compile_c",
    "compile_js",
    "compile_many",
    "dropout_mask",
    "errors",
    "freeze",
    "golden",
    "import_model",
    "import_network",
    "link",
    "link_module",
    "onnx_ops",
    "raw_ops",
    "runtime",
    "target",
    "training_step",
    "weights",
]

with contextlib.suppress(_InvalidArgumentError):  # the command line reports it
    _configure_logging()

_SUBMODULES = ("errors", "onnx_ops", "raw_ops", "runtime", "weights")
_HOMES = {
    "Artifact": "runtime.artifact",
    "Bundle": "runtime.artifact",
    "CModule": "c_compilation",
    "JsModule": "js_compilation",
    "Layer": "model_import",
    "Module": "modules",
    "Program": "runtime.program",
    "build": "modules",
    "compile": "compilation",
    "compile_c": "c_compilation",
    "compile_js": "js_compilation",
    "compile_many": "many_compilations",
    "dropout_mask": "dropout",
    "freeze": "freezing",
    "golden": "goldens",
    "link": "linking",
    "link_module": "linking",
    "import_model": "model_import",
    "import_network": "network_import",
    "training_step": "network_import.training",
    "target": "chosen_target",
}


def __getattr__(name: str) -> Any:
    # Imported at first use, so that a process that only runs artifacts imports only the runtime.
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HOMES:
        value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    if name == "__version__":
        return importlib.import_module("rnn_compiler.base.installation").package_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
