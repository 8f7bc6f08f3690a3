"""Reads the constants of a host program, which become buffers when it is loaded.

IREE packs all constants of a module into one, and stores it to a global in an initializer:

    util.initializer {
      %c = util.buffer.constant <alignment = 64> : !util.buffer = #util.composite<16640xi8, [...]>
      ...                                     // imported in place, or else copied
      util.global.store %buffer, @__constant_tensor_64xf32 : !hal.buffer
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.mlir.bindings import ir, ops_of
from rnn_compiler.schema.dtypes import DTYPES, ELEMENTS
from rnn_compiler.schema.schedule import Loaded, Span, Storage

_COMPOSITE = re.compile(r"#util\.composite<(\d+)xi8, \[(.*?),?\s*\]>", re.DOTALL)

_RAW = re.compile(r'dense<"0x([0-9A-F]*)">')
_NUMBER = re.compile(r"0x[0-9A-F]+|-?\d[0-9.eE+-]*")
_BFLOAT16: Any = DTYPES["bfloat16"].numpy.type


def read_constants(module: ir.Module) -> tuple[tuple[bytes, ...], Mapping[str, Span]]:
    """The constants of a module, and the span of them in each global."""
    constants: list[bytes] = []
    stored: dict[str, Span] = {}
    for op in ops_of(module.body):
        if op.name != "util.initializer":
            continue
        inside = list(_ops_inside(op))
        values = [each for each in inside if each.name == "util.buffer.constant"]
        data = [_bytes(each) for each in values if not _is_text(each)]
        stores = [
            each
            for each in inside
            if each.name == "util.global.store" and str(each.operands[0].type) == "!hal.buffer"
        ]
        if len(data) < len(values):  # names of parameters, which others read (`read_loaded`)
            stores = [each for each in stores if isinstance(each.operands[0].owner, ir.Block)]
        if not data and not stores:
            continue
        if len(data) != 1 or any(each.name == "hal.buffer.subspan" for each in inside):
            raise UnsupportedError("the module computes constants when it is loaded")
        whole = Span(Storage.CONSTANT, len(constants), 0, len(data[0]))
        constants += data
        for each in stores:
            stored[ir.FlatSymbolRefAttr(each.attributes["global"]).value] = whole
    return tuple(constants), stored


def read_loaded(module: ir.Module, first: int) -> tuple[list[Loaded], Mapping[str, Span]]:
    """The constants of a module from frozen weights, numbered from `first`, and their globals."""
    found: list[Loaded] = []
    stored: dict[str, Span] = {}
    for op in ops_of(module.body):
        inside = list(_ops_inside(op)) if op.name == "util.initializer" else []
        if not any(each.name == "io_parameters.load" for each in inside):
            continue
        for each in inside:
            if each.name != "util.global.store" or str(each.operands[0].type) != "!hal.buffer":
                continue
            if isinstance(each.operands[0].owner, ir.Block):  # a constant, imported or copied
                continue
            loaded = _loaded(each.operands[0])
            stored[ir.FlatSymbolRefAttr(each.attributes["global"]).value] = Span(
                Storage.CONSTANT, first + len(found), 0, loaded.size
            )
            found.append(loaded)
    return found, stored


def _loaded(value: ir.Value) -> Loaded:
    """The source of an initializer's buffer: a parameter, or values computed from some."""
    op = _operation(value)
    results: list[ir.Value] = [*op.results]
    number = results.index(value)
    operands = list(op.operands)
    if op.name != "io_parameters.load":
        return Loaded(_index(operands[-1]))
    counts = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    keys = operands[sum(counts[:5]) :][: counts[5]]
    key = ir.StringAttr(_operation(keys[number]).attributes["value"]).value
    return Loaded(_index(operands[len(operands) - counts[9] + number]), key)


def _index(value: ir.Value) -> int:
    return ir.IntegerAttr(_operation(value).attributes["value"]).value


def _operation(value: ir.Value) -> ir.Operation:
    """The op that defines a value; UnsupportedError if it depends on a branch."""
    owner: Any = value.owner
    if isinstance(owner, ir.Block):
        raise UnsupportedError("the module branches when it is loaded")
    return owner.operation


def _is_text(op: ir.Operation) -> bool:
    return isinstance(op.attributes["value"], ir.StringAttr)


def _ops_inside(op: ir.Operation) -> Iterator[ir.Operation]:
    for region in op.regions:
        for block in region.blocks:
            yield from ops_of(block)


def _bytes(op: ir.Operation) -> bytes:
    """The bytes of a constant."""
    value = op.attributes["value"]
    found = _COMPOSITE.fullmatch(str(value))
    if found is None:
        return _element_bytes(value)
    parts = ir.ArrayAttr(ir.Attribute.parse(f"[{found[2]}]"))
    data = b"".join(map(_element_bytes, parts))
    if len(data) != int(found[1]):
        raise UnsupportedError("the module's constants are not understood")
    return data


def _element_bytes(attribute: ir.Attribute) -> bytes:
    """The bytes of an array of numbers, row-major and little-endian, like the compiling machine."""
    try:
        elements: Any = ir.DenseElementsAttr(attribute)
        kind = ELEMENTS[str(ir.ShapedType(attribute.type).element_type)]
    except (ValueError, KeyError) as error:
        raise UnsupportedError(f"a constant of unknown form ({error})") from error
    if kind.name == "bfloat16":
        return _bfloat16_bytes(str(attribute), math.prod(ir.ShapedType(attribute.type).shape))
    array: npt.NDArray[Any] = np.array(elements)
    return array.astype(kind.numpy).tobytes()


def _bfloat16_bytes(text: str, count: int) -> bytes:
    """The bytes of an array of bfloat16, parsed from text: the bindings do not support it."""
    raw = _RAW.match(text)
    if raw is not None:
        bits = np.frombuffer(bytes.fromhex(raw[1]), np.uint16)
    else:
        words = _NUMBER.findall(text[: text.rindex(":")])
        bits = np.array(
            [
                int(word, 16) if word.startswith("0x") else _BFLOAT16(float(word)).view(np.uint16)
                for word in words
            ],
            np.uint16,
        )
    return np.broadcast_to(bits, count).tobytes()
