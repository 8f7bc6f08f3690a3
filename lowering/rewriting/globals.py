"""Globals of a module: values that it has from load time on."""

from __future__ import annotations

import json

from rnn_compiler.lowering.mlir.bindings import ir
from rnn_compiler.schema.manifest import SCOPE

__all__ = ["add_global", "load_global"]


def add_global(
    symbol: str, kind: ir.Type, at: ir.InsertionPoint, *, parameter: str | None = None
) -> None:
    """Adds a global.

    Args:
        symbol: Its symbol.
        kind: Its type.
        at: The insertion point.
        parameter: Its name in an archive; without one, an initializer stores it.
    """
    attributes: dict[str, ir.Attribute] = {
        "sym_name": ir.StringAttr.get(symbol),
        "sym_visibility": ir.StringAttr.get("private"),
        "type": ir.TypeAttr.get(kind),
    }
    if parameter is not None:
        names = f"{json.dumps(SCOPE)}::{json.dumps(parameter)}"
        attributes["initial_value"] = ir.Attribute.parse(f"#flow.parameter.named<{names}> : {kind}")
    ir.Operation.create("util.global", attributes=attributes, ip=at)


def load_global(
    symbol: str, kind: ir.Type, at: ir.InsertionPoint, location: ir.Location | None = None
) -> ir.Value:
    """Emits the value of a global."""
    attributes = {"global": ir.FlatSymbolRefAttr.get(symbol)}
    load = ir.Operation.create("util.global.load", [kind], [], attributes, ip=at, loc=location)
    return load.results[0]
