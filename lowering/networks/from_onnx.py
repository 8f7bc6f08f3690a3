"""Converts an ONNX model to a module of linalg, by IREE's importer and its passes for torch.

Nodes with an attribute `backend_config` become calls of declarations ``@rnn_compiler.OP.N``, which
linking replaces (`linking.calls`). Every op has its node, as messages name it, as its location
(`mlir.nodes`). This runs in a separate process, because hostile models may make these passes crash
or run forever.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from typing import Any

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.analysis.values import defining
from rnn_compiler.lowering.linking.calls import PREFIX
from rnn_compiler.lowering.mlir.bindings import (
    UNNAMED,
    block_of,
    ir,
    nested_ops,
    ops_of,
    run_passes,
    shape_of,
)
from rnn_compiler.lowering.mlir.marks import NETWORK
from rnn_compiler.lowering.mlir.nodes import listed, node_title, nodes_of
from rnn_compiler.lowering.networks.bounded_indices import clamp_positions
from rnn_compiler.lowering.networks.loop_rows import LoopRows, pin_arrays
from rnn_compiler.lowering.networks.scalars import keep_in_arrays
from rnn_compiler.lowering.networks.sliced_sources import read_unsliced
from rnn_compiler.lowering.rewriting.edits import call_before, replace

_KEPT = "{aten.flatten.using_ints,aten.unflatten.int,aten.argmax,aten.argmin}"
_OF_FUNCTIONS = (
    *("torch-recompose-complex-ops", "torch-iree-bitcast-tensor", "torch-reduce-op-variants"),
    *("torch-convert-custom-quant-op", f"torch-decompose-complex-ops{{legal-ops={_KEPT}}}"),
    *("torch-fuse-quantized-ops", "canonicalize", "torch-scalarize-shapes"),
    *("convert-torch-to-tmtensor", "torch-iree-tm-tensor-to-linalg-ext"),
    *("convert-torch-to-tensor", "torch-iree-torch-unstructured-to-linalg-ext"),
    *("torch-iree-torch-quantization-to-linalg-ext", "convert-torch-to-linalg", "cse"),
    *("convert-torch-to-scf", "convert-torch-to-arith", "canonicalize"),
    *("resolve-shaped-type-result-dims", "cse"),
    # so that `without_libm` finds their roundings
    "iree-linalg-ext-decompose-aggregated-ops{filter-ops=iree_linalg_ext.quantize_affine}",
)
_OF_ONNX = (
    "func.func(convert-torch-onnx-to-torch{allow-non-finites=true})",
    *("func.func(torch-decompose-complex-ops)", "func.func(canonicalize)"),
)
SHAPES = (
    *("inline{default-pipeline=canonicalize}", "func.func(torch-simplify-shape-calculations)"),
    *("func.func(cse)", "func.func(torch-simplify-shape-calculations)"),
    "func.func(torch-drop-abstract-interp-calculations)",
)
_TO_LINALG = (
    *("torch-refine-public-return", "func.func(canonicalize)"),
    *("func.func(torch-decompose-complex-ops)", "func.func(canonicalize)"),
    *(f"func.func({name})" for name in _OF_FUNCTIONS),
    "torch-func-backend-type-conversion",
    *("func.func(canonicalize)", "func.func(torch-finalizing-backend-type-conversion)"),
)
"""IREE's pipeline `torch-to-iree`, except that functions keep tensors as arguments and results."""

_KNOWN_SHAPE = re.compile(r"!torch\.vtensor<\[[\d,]*\]")

_VERSION = "torch.onnx_meta.opset_version"
"""An attribute that the passes require of every function."""


def linalg_of_onnx(
    models: Mapping[str, Any],
    name: str,
    *,
    origins: Mapping[str, tuple[str, str]] | None = None,
    is_open: bool = False,
    rows: LoopRows | None = None,
) -> str:
    """The text, with locations, of a module with each model's graph as a function of its inputs.

    UnsupportedError: IREE's compiler does not support a node, named in the message, or the size of
    a result depends on numbers; `is_open` allows open sizes. `origins` are the names and operators
    of nodes that messages call otherwise, by their names; `rows` are the rows that loops return.
    """
    importer: Any = importlib.import_module("iree.compiler.extras.onnx_importer")
    context = ir.Context()
    with context:
        module: Any = None
        operators: dict[str, str] = {}
        for function, model in models.items():
            model.graph.name = function
            named = _name_nodes(model.graph, origins or {}, operators)
            if rows:
                rows = rows.renamed(named)
            info = importer.ModelInfo(model)
            module = module or info.create_module(context=context)
            try:
                nodes = importer.NodeImporter.define_function(info.main_graph, module.operation)
                nodes.import_all()
            except (importer.OnnxImportError, KeyError, ValueError, AssertionError) as error:
                raise UnsupportedError(f"import_network: IREE's importer says: {error}") from error
        operation = module.operation
        with ir.Location.unknown():
            for function in models:
                _declare_calls(module, ir.SymbolTable(operation)[function].operation)
            try:
                _convert(module)
            except ir.MLIRError as error:
                raise _refused(str(error), module, operators) from error
        for function, model in models.items():
            made = ir.SymbolTable(operation)[function].operation
            _round_constants(made)
            if is_open and rows:
                inputs = [each.name for each in model.graph.input]
                rows.allocate(made, inputs)
            pin_arrays(made)
            clamp_positions(made)
            read_unsliced(made)
            keep_in_arrays(made)
            if not is_open:
                _check_sizes(made, model.graph)
            made.attributes[NETWORK] = ir.UnitAttr.get(context)
        operation.attributes["sym_name"] = ir.StringAttr.get(name)
        return operation.get_asm(enable_debug_info=True)


def _name_nodes(
    graph: Any, origins: Mapping[str, tuple[str, str]], operators: dict[str, str]
) -> dict[str, str]:
    """Names nodes as messages do, and adds their operators by these names.

    Returns the new name of each that had one. No two Scans have the same.
    """
    named: dict[str, str] = {}
    for node in graph.node:
        old, outputs = node.name, ", ".join(node.output)
        name, operator = origins.get(old, (old, node.op_type))
        node.name = node_title(name or outputs, operator)
        if node.op_type == "Scan" and node.name in operators:
            node.name = node_title(outputs, operator)
        named[old] = node.name
        operators[node.name] = operator
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _name_nodes(attribute.g, origins, operators)
    return named


def _convert(module: ir.Module) -> None:
    """Runs IREE's passes for ONNX and torch.

    The shapes of results are computed by functions of torch, whose text IREE parses each time: nine
    tenths of the time of a small model. They are left out where no shape is unknown, and run
    again only if torch-scalarize-shapes changed the module.
    """

    def run(*passes: str) -> None:
        run_passes(module, f"builtin.module({','.join(passes)})")

    def infer_shapes() -> None:
        kinds = {str(result.type) for op in nested_ops(module.operation) for result in op.results}
        known = all(
            len(_KNOWN_SHAPE.findall(kind)) == kind.count("!torch.vtensor") for kind in kinds
        )
        run(*([] if known else ["torch-reify-shape-calculations"]), *SHAPES)

    def text() -> str:
        return module.operation.get_asm(large_elements_limit=16, large_resource_limit=16)

    run(*_OF_ONNX)
    infer_shapes()
    before = text()
    run("func.func(torch-scalarize-shapes)")
    if text() != before:
        infer_shapes()
    run(*_TO_LINALG)


def _declare_calls(module: ir.Module, function: ir.Operation) -> None:
    """Replaces the nodes of our ops, which have a config, by calls."""
    for op in ops_of(block_of(function)):
        if op.name != "torch.operator":
            continue
        name = ir.StringAttr(op.attributes["name"]).value
        if "torch.onnx.backend_config" in op.attributes:
            _call(module, function, op, name.removeprefix("onnx."))


def _call(module: ir.Module, function: ir.Operation, op: ir.Operation, name: str) -> None:
    symbol = f"{PREFIX}{name}.{len(ops_of(module.body))}"
    kinds = [result.type for result in op.results]
    kind = ir.FunctionType.get([operand.type for operand in op.operands], kinds)
    attributes = {
        "sym_name": ir.StringAttr.get(symbol),
        "sym_visibility": ir.StringAttr.get("private"),
        "function_type": ir.TypeAttr.get(kind),
        "backend_config": op.attributes["torch.onnx.backend_config"],
        _VERSION: function.attributes[_VERSION],
    }
    at = ir.InsertionPoint.at_block_begin(module.body)
    ir.Operation.create("func.func", attributes=attributes, regions=1, ip=at)
    replace(op, *call_before(op, symbol, list(op.operands), kinds))


def _check_sizes(function: ir.Operation, graph: Any) -> None:
    """Checks that a function's results have known sizes."""
    kinds = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).results
    for kind, output in zip(kinds, graph.output, strict=True):
        if UNNAMED in shape_of(kind):
            nodes = [node for node in graph.node if output.name in node.output]
            where = "".join(f"{node.name}: " for node in nodes)
            raise UnsupportedError(
                f"import_network: {where}the size of output {output.name!r} depends on numbers "
                "that only calls know; fix inputs that are sizes with values="
            )


def _round_constants(function: ir.Operation) -> None:
    """Rounds constants that IREE stores in another type, because host programs do not round them.

    Pools with padding on one side begin at the lowest number of float64.
    """
    for op in ops_of(block_of(function)):
        if op.name != "arith.truncf" or isinstance(op.operands[0].owner, ir.Block):
            continue
        constant = defining(op.operands[0])
        if constant.name == "arith.constant":
            kind, value = op.results[0].type, ir.FloatAttr(constant.attributes["value"]).value
            with op.location:
                attributes = {"value": ir.FloatAttr.get(kind, value)}
            at = ir.InsertionPoint(op)
            made = ir.Operation.create(
                "arith.constant", [kind], attributes=attributes, ip=at, loc=op.location
            )
            replace(op, made.results[0])


_REMEDIES = {
    "Loop": "fix sizes with dims= and inputs with values=, so that the number of its iterations "
    "is known at import",
}
"""Remedies for operators that only some networks may have."""

_OTHERWISE = "fix open sizes with dims=, or replace the node in the model by other operators"

_ERROR = re.compile(r'error: (?:"(?P<node>node .*? \([^()"]+\))"|[^:]*): (?P<what>[^\n]*)')


_OF_NODES = ("torch.aten.", "torch.operator", "torch.onnx.", "torch.torchvision.")
"""The beginnings of names of ops that compute what nodes do."""


def _refused(text: str, module: ir.Module, operators: Mapping[str, str]) -> UnsupportedError:
    """The error for the passes' diagnostics, given the operators of nodes.

    They may be about a number, which has no location. What is left of torch is then to blame.
    """
    found = _ERROR.search(text)
    nodes = [found["node"]] if found and found["node"] in operators else []
    if not nodes:
        ops = nested_ops(module.operation)
        nodes = nodes_of(op for op in ops if op.name.startswith(_OF_NODES))
    if found is None or not nodes:
        return UnsupportedError(f"import_network: IREE's compiler says: {text.strip()[:400]}")
    what = found["what"].partition(": %")[0][:200]
    remedy = _REMEDIES.get(operators.get(nodes[0], ""), _OTHERWISE)
    return UnsupportedError(
        f"import_network: {listed(nodes)} is not taken by IREE's compiler: {what}; {remedy}"
    )
