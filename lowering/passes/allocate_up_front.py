"""Makes functions on CPUs allocate results and temporaries before they begin.

IREE allocates both in the queue of a device. With threads (local-task), the queue has slabs of
64 MiB, and maps larger memory again at each call (`task_device.c`): BlockLSTMV2 at 128 x 128 steps
and rows of 256 units had 67,000 page faults per call, which took longer than the work. The device's
allocator, for which our runtime has a pool (`buffer_pool`), has no such limit, but serves only
allocations before a function begins. So functions with much memory allocate it then.

They are changed halfway through IREE, at its phase `stream`, where allocations first appear.
Starting the compiler twice takes 0.2 s more, so other functions are compiled in one go.
"""

from __future__ import annotations

import math

from rnn_compiler.lowering.mlir.bindings import block_of, ir, new_context, ops_of
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.specs import FunctionSpec

_LARGE = 8 << 20
"""The bytes from which a function `allocates_much`: an eighth of a slab, since temporaries may be
several times as large."""


def allocates_much(spec: FunctionSpec) -> bool:
    """Whether a function may allocate more than a slab, estimated before it is compiled.

    The estimate is the size of its arguments and results and, for large projections, of four gates
    in float32 for all steps. Functions with open sizes may allocate any amount.
    """
    if spec.open_dims:
        return True
    dims = spec.static_dims
    rows = dims.get("seq_length", 1) * dims.get("batch_size", 1)
    tensors = (*spec.arguments, *spec.frozen, *spec.results)
    size = sum(math.prod(each.static_shape) * DTYPES[each.dtype].numpy.itemsize for each in tensors)
    return size + rows * 4 * dims.get("num_units", 0) * 4 >= _LARGE


def allocate_up_front(text: str) -> str:
    """Moves the allocations of a module, at IREE's phase `stream`, from the queue to the host.

    The host allocates before it queues any work. Deallocations are dropped: the queue references a
    buffer until its work is done, and a buffer without references is freed.
    """
    with new_context("stream"), ir.Location.unknown():
        module = ir.Module.parse(text)
        for op in ops_of(module.body):
            if op.name in ("util.func", "util.initializer") and op.regions[0].blocks:
                _rewrite(block_of(op))
        module.operation.verify()
        return module.operation.get_asm(enable_debug_info=True)


def _rewrite(block: ir.Block) -> None:
    for op in ops_of(block):
        if op.name == "stream.resource.alloca":
            size, *after = op.operands
            with ir.InsertionPoint(op), op.location:
                made = ir.Operation.create(
                    "stream.resource.alloc",
                    [op.results[0].type],
                    [size],
                    {
                        **{name: op.attributes[name] for name in op.attributes},
                        "uninitialized": ir.Attribute.parse("unit"),
                    },
                )
            op.results[0].replace_all_uses_with(made.results[0])
            _replace(op, op.results[1], after)
        elif op.name == "stream.resource.dealloca":
            _replace(op, op.results[0], [*op.operands][2:])
        else:
            for region in op.regions:
                for each in region.blocks:
                    _rewrite(each)


def _replace(op: ir.Operation, time: ir.Value, after: list[ir.Value]) -> None:
    """Removes an op of the queue: its result becomes the value that it waited for."""
    if not after:
        with ir.InsertionPoint(op), op.location:
            after = [ir.Operation.create("stream.timepoint.immediate", [time.type]).results[0]]
    time.replace_all_uses_with(after[0])
    op.erase()
