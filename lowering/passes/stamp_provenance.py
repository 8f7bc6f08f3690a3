"""Writes into each function what it is, as `iree.reflection` attributes.

The compiler carries these strings into the payload, where `iree-dump-module`, Python and C read
them without opening a device. Every key starts with ``rnn_compiler.``. What only exists after
compilation (the payload's digest) is in the manifest beside it.
"""

# pyright: basic, reportAttributeAccessIssue=false

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from rnn_compiler.lowering.mlir import ir
from rnn_compiler.manifest import FunctionSpec, TargetSpec, signature_text

__all__ = ["stamp_provenance"]


def stamp_provenance(
    module: ir.Module,
    functions: Sequence[FunctionSpec],
    target: TargetSpec,
    versions: Mapping[str, str],
) -> None:
    """Adds the attributes to every public function of a module.

    Args:
        module: The module, changed in place.
        functions: What its public functions are.
        target: What it will be compiled for.
        versions: More to record, as key and value, such as the versions of the tools.
    """
    by_name = {spec.function: spec for spec in functions}
    with module.context, ir.Location.unknown():
        for op in module.body.operations:
            spec = by_name.get(ir.StringAttr(op.attributes["sym_name"]).value)
            if spec is None:
                continue
            facts = {
                "op": spec.op,
                "dtype": spec.dtype,
                "dims": json.dumps(spec.dims),
                "attributes": json.dumps(spec.json_attributes),
                "arguments": signature_text(spec.arguments),
                "results": signature_text(spec.results),
                "target": target.name,
                "architecture": target.architecture,
                "features": ",".join(target.features),
                **versions,
            }
            op.attributes["iree.reflection"] = ir.DictAttr.get(
                {f"rnn_compiler.{key}": ir.StringAttr.get(text) for key, text in facts.items()}
            )
