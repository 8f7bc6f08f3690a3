"""Rewrites forms of Resize that IREE's importer does not take.

Sizes and scales of some axes (``axes``) become those of all. The nearest elements are gathered
along one axis after the other, if they are found by the corners, or by half pixels as in PyTorch,
or if the axis is one of the first two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rnn_compiler.network_import.graph import Graph, attributes_of, onnx, shape_of, value_in
from rnn_compiler.network_import.graph.replacement import Replacement, rewrite_nodes

IMAGES = 2
"""The number of leading axes, batch and channels, along which IREE does not resize images."""

_HALF = np.float32(0.5)

_ROUNDED: Mapping[str, Callable[[Any], Any]] = {
    "round_prefer_floor": lambda x: np.ceil(x - _HALF),
    "round_prefer_ceil": lambda x: np.floor(x + _HALF),
    "floor": np.floor,
    "ceil": np.ceil,
}
"""How the nearest element is found."""

_WITH_SIZES = 11
"""The first version with sizes and roi."""

_MOST_RESIZED = 1 << 20
"""The largest size along which indices are computed; open axes are tried at larger ones."""

_LEFT = ("antialias", "exclude_outside", "keep_aspect_ratio_policy")
"""Attributes with which nothing is rewritten."""

_TAKEN = ("half_pixel", "asymmetric")
"""The modes in which IREE finds the nearest elements."""


def plain_resizes(graph: Graph) -> bool:
    """Replaces the nodes whose sizes are known; returns whether there were any."""
    constants = graph.constants()

    def plain(graph: Graph, node: Any, kind: Any) -> list[Any] | None:
        shape = shape_of(kind)
        return _plain(graph, node, shape, constants) if shape and None not in shape else None

    return graph.opset >= _WITH_SIZES and rewrite_nodes(graph, ("Resize",), plain)


def _plain(
    graph: Graph, node: Any, shape: Sequence[Any], constants: dict[str, Any]
) -> list[Any] | None:
    """The nodes that replace a Resize; None if it stays."""
    attributes = attributes_of(node)
    roi, scales, sizes = [*node.input[1:], "", "", ""][:3]
    given = constants.get(sizes or scales)
    if given is None or any(name in attributes for name in _LEFT):
        return None
    numbers = onnx.numpy_helper.to_array(given).tolist()
    axes = range(len(shape))
    if "axes" in attributes:
        axes = [axis % len(shape) for axis in attributes["axes"].ints]
    factors: list[Any] = [*shape] if sizes else [1.0] * len(shape)
    for axis, number in zip(axes, numbers, strict=True):
        factors[axis] = number
    same = shape if sizes else [1.0] * len(shape)
    made = Replacement(graph, node)
    mode = value_in(attributes, "mode", b"nearest").decode()
    is_image = factors[:IMAGES] == [*same[:IMAGES]]
    if mode == "nearest" and not (is_image and _centres(attributes) in _TAKEN):
        resized = [
            size for size, one, other in zip(shape, factors, same, strict=True) if one != other
        ]
        if max(resized, default=0) > _MOST_RESIZED:
            return None
        _gather(made, node, factors, shape, is_size=bool(sizes))
        return made.finished()
    is_row = mode != "nearest" and len(shape) == IMAGES + 1
    if "axes" not in attributes and not is_row:
        return None
    x, kept = node.input[0], {n: a for n, a in attributes.items() if n != "axes"}
    if is_row:
        x = made.add("Unsqueeze", x, made.constant([IMAGES]))
        factors.insert(IMAGES, 1)
    every = made.constant(factors, np.int64 if sizes else np.float32)
    made.add("Resize", x, roi, *(["", every] if sizes else [every]))
    made.nodes[-1].attribute.extend(kept.values())
    if is_row:
        made.add("Squeeze", made.nodes[-1].output[0], made.constant([IMAGES]))
    return made.finished()


def _centres(attributes: Any) -> str:
    """How the element is found from which one of the result comes."""
    name = "coordinate_transformation_mode"
    return value_in(attributes, name, b"half_pixel").decode()


def _gather(
    made: Replacement, node: Any, factors: Sequence[Any], shape: Sequence[int], *, is_size: bool
) -> None:
    """Adds the nodes that gather the nearest elements."""
    attributes = attributes_of(node)
    name = "nearest_mode"
    rounded = _ROUNDED[value_in(attributes, name, b"round_prefer_floor").decode()]
    x = node.input[0]
    for axis, (before, factor) in enumerate(zip(shape, factors, strict=True)):
        after = factor if is_size else math.floor(before * factor)
        scale = np.float32(after / before if is_size else factor)
        if scale != 1:
            places = rounded(_places(_centres(attributes), before, after, scale))
            indices = np.minimum(np.maximum(places, 0), before - 1)
            x = made.add("Gather", x, made.constant(indices), axis=axis)
    if not made.nodes:
        made.add("Identity", x)


def _places(centres: str, before: int, after: int, scale: np.float32) -> Any:
    """Where the elements of a result come from along an axis, by ONNX' text, in float32."""
    k = np.arange(after, dtype=np.float32)
    if centres == "align_corners":
        return k * np.float32(before - 1) / np.float32(max(after - 1, 1))
    if centres == "asymmetric":
        return k / scale
    if centres == "pytorch_half_pixel" and after <= 1:
        return k
    middle = before / 2 * (1 - after / (before * float(scale)))
    moved = np.float32(middle if centres == "half_pixel_symmetric" else 0)
    return (k + _HALF) / scale - _HALF + moved
