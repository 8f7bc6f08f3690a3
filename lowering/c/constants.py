"""Reads the constants of a host program, which it makes buffers of when it is loaded.

IREE 3.13 packs all constants of a module into one, and fills a global with it in an initializer:

    util.initializer {
      %c = util.buffer.constant <alignment = 64> : !util.buffer = #util.composite<16640xi8, [...]>
      ...                                     // imported where it lies, or else copied
      util.global.store %buffer, @__constant_tensor_64xf32 : !hal.buffer
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.c.schedule import Place, Span
from rnn_compiler.lowering.mlir import ir, ops_of

__all__ = ["read_constants"]

_COMPOSITE = re.compile(r"#util\.composite<\d+xi8, (\[.*\])>", re.DOTALL)


def read_constants(module: ir.Module) -> tuple[tuple[bytes, ...], Mapping[str, Span]]:
    """The constants of a module, and what of them its globals are.

    Raises:
        UnsupportedError: An initializer does more than to store a constant.
    """
    constants: list[bytes] = []
    stored: dict[str, Span] = {}
    for op in ops_of(module.body):
        if op.name != "util.initializer":
            continue
        inside = list(_ops_inside(op))
        data = [_bytes(each) for each in inside if each.name == "util.buffer.constant"]
        stores = [
            each
            for each in inside
            if each.name == "util.global.store" and str(each.operands[0].type) == "!hal.buffer"
        ]
        if not data and not stores:
            continue
        if len(data) != 1 or any(each.name == "hal.buffer.subspan" for each in inside):
            raise UnsupportedError("compile_c: the module computes constants when it is loaded")
        whole = Span(Place.CONSTANT, len(constants), 0, len(data[0]))
        constants += data
        for each in stores:
            stored[ir.FlatSymbolRefAttr(each.attributes["global"]).value] = whole
    return tuple(constants), stored


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
    return b"".join(map(_element_bytes, ir.ArrayAttr(ir.Attribute.parse(found[1]))))


def _element_bytes(attribute: ir.Attribute) -> bytes:
    """The bytes of an array of numbers, in rows and little-endian."""
    elements: Any = ir.DenseElementsAttr(attribute)
    array: npt.NDArray[Any] = np.array(elements)
    return array.astype(array.dtype.newbyteorder("<")).tobytes()
