"""The ops as functions, with exactly the names and keywords of `tf.raw_ops`.

The first call with new shapes compiles a module or finds it in the cache; later calls only run it.
ONNX's ops are in `onnx_ops`.
"""

from __future__ import annotations

from rnn_compiler.lowering.ops import OPS
from rnn_compiler.op_calls import OpCall
from rnn_compiler.op_functions import found

_FUNCTIONS = {name: OpCall(op.signature) for name, op in OPS.items() if "." not in name}


def __getattr__(name: str) -> OpCall:
    return found("raw_ops", _FUNCTIONS, name)


def __dir__() -> list[str]:
    return list(_FUNCTIONS)
