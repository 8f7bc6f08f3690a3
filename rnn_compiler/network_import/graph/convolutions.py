"""Padding that no window of a strided convolution reaches is taken off: IREE 3.13 refuses it.

Of 4 columns and a padding of 1 on each side, windows of 3 columns, 2 apart, read 5: the last column
of the padding is read by none. IREE's importer infers another size than its verifier then.
"""

from __future__ import annotations

from rnn_compiler.network_import.graph import Graph, attributes_of, shape_of

__all__ = ["trim_padding"]


def trim_padding(graph: Graph) -> None:
    """Takes the padding that is not read off the convolutions of a graph whose shapes are known."""
    types = graph.types()
    for node in graph.proto.node:
        attributes = attributes_of(node)
        if node.op_type != "Conv" or "pads" not in attributes or "kernel_shape" not in attributes:
            continue
        shape = shape_of(types.get(node.input[0]))
        if shape is None:
            continue
        windows = attributes["kernel_shape"].ints
        axes = len(windows)
        pads = attributes["pads"].ints
        steps = attributes["strides"].ints if "strides" in attributes else [1] * axes
        apart = attributes["dilations"].ints if "dilations" in attributes else [1] * axes
        for axis, size in enumerate(shape[2:]):
            if size is None:
                continue
            reach = (windows[axis] - 1) * apart[axis] + 1
            rest = (size + pads[axis] + pads[axes + axis] - reach) % steps[axis]
            pads[axes + axis] -= min(rest, pads[axes + axis])
