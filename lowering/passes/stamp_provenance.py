"""Describes each function by `iree.reflection` attributes.

The compiler carries these strings into the payload, where `iree-dump-module`, Python and C read
them without opening a device. Every key starts with ``rnn_compiler.``. What only exists after
compilation (the payload's digest) is in the manifest next to it.
"""

from __future__ import annotations

import json

from rnn_compiler.lowering.mlir.bindings import ir, ops_of, symbol_of
from rnn_compiler.lowering.passes import pass_with
from rnn_compiler.lowering.rewriting.context import PassContext, first
from rnn_compiler.schema.specs import signature_text


def provenance_is_stamped(context: PassContext) -> str | None:
    """Every public function has a description."""
    symbols = ir.SymbolTable(context.module.operation)
    return first(
        spec.function
        for spec in context.request.functions
        if "iree.reflection" not in symbols[spec.function].operation.attributes
    )


@pass_with(requires=(), ensures=(provenance_is_stamped,))
def stamp_provenance(context: PassContext) -> None:
    """Adds the attributes to every public function of a module."""
    by_name = {spec.function: spec for spec in context.request.functions}
    for op in ops_of(context.module.body):
        spec = by_name.get(symbol_of(op))
        if spec is None:
            continue
        facts = {
            "op": spec.op,
            "dtype": spec.dtype,
            "dims": json.dumps(spec.json_dims),
            "attributes": json.dumps(spec.json_attributes),
            "arguments": signature_text(spec.arguments),
            "results": signature_text(spec.results),
            **({"frozen": signature_text(spec.frozen)} if spec.frozen else {}),
            "target": context.request.target.name,
            "architecture": context.request.target.architecture,
            "features": ",".join(context.request.target.features),
            **context.facts,
        }
        if context.request.linked:
            facts["linked"] = ", ".join(each.op for each in context.request.linked)
        reflection = {f"rnn_compiler.{key}": ir.StringAttr.get(text) for key, text in facts.items()}
        if "iree.reflection" in op.attributes:  # a user's own
            own = ir.DictAttr(op.attributes["iree.reflection"])
            reflection = {row.name: row.attr for row in own} | reflection
        op.attributes["iree.reflection"] = ir.DictAttr.get(reflection)
