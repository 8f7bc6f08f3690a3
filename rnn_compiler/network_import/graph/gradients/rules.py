"""The gradients of ONNX's operators: a rule for each.

A rule gets a node with the gradients of its results (`node.Backward`) and gives those of its
inputs. Sources: the formulas of the operators in the ONNX specification
(https://onnx.ai/onnx/operators), differentiated; where a function has a kink, the gradient there
is PyTorch's. The operators are those that remain once the import has rewritten a graph (`graph`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rnn_compiler.network_import.graph.gradients.functions import FUNCTIONS
from rnn_compiler.network_import.graph.gradients.node import Backward
from rnn_compiler.network_import.graph.gradients.normalizations import NORMALIZATIONS
from rnn_compiler.network_import.graph.gradients.products import PRODUCTS
from rnn_compiler.network_import.graph.gradients.recurrent import RECURRENT
from rnn_compiler.network_import.graph.gradients.reductions import REDUCTIONS
from rnn_compiler.network_import.graph.gradients.resizing import RESIZES
from rnn_compiler.network_import.graph.gradients.shapes import SHAPES
from rnn_compiler.network_import.graph.gradients.windows import WINDOWS

RULES: Mapping[str, Callable[[Backward], None]] = {
    **FUNCTIONS,
    **NORMALIZATIONS,
    **PRODUCTS,
    **RECURRENT,
    **REDUCTIONS,
    **RESIZES,
    **SHAPES,
    **WINDOWS,
}
"""The rule of each operator."""
