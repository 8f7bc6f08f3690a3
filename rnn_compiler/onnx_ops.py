"""ONNX's ops as functions, with ONNX's names of inputs, attributes and outputs.

Inputs that are optional in ONNX may be omitted; the compiled function then does not have them. The
first call with new shapes compiles a module or finds it in the cache; later calls only run it.

Example:
    >>> import numpy as np
    >>> from rnn_compiler import onnx_ops
    >>> x = np.ones((4, 2, 3), np.float32)
    >>> w, r = np.full((1, 5, 3), 0.5, np.float32), np.full((1, 5, 5), 0.1, np.float32)
    >>> out = onnx_ops.RNN(X=x, W=w, R=r, activations=["HardSigmoid"])
    >>> out._fields, out.Y.shape, out.Y_h.shape
    (('Y', 'Y_h'), (4, 1, 2, 5), (1, 2, 5))
"""

from __future__ import annotations

from rnn_compiler.lowering.ops import OPS
from rnn_compiler.op_calls import OpCall
from rnn_compiler.op_functions import found

_PREFIX = "onnx."

_FUNCTIONS = {
    name.removeprefix(_PREFIX): OpCall(op.signature, "onnx_ops")
    for name, op in OPS.items()
    if name.startswith(_PREFIX)
}


def __getattr__(name: str) -> OpCall:
    return found("onnx_ops", _FUNCTIONS, name)


def __dir__() -> list[str]:
    return list(_FUNCTIONS)
