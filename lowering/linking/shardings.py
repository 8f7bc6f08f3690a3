"""Removes shardings over one device, which `jax.export` writes for arrays that are on a mesh.

IREE does not have their dialect, and they say nothing where there is one device. The text is
changed, line by line, because nothing here can parse it.
"""

from __future__ import annotations

import re

_MESH = re.compile(rb"^[ \t]*sdy\.mesh @\S+ = <(.*?)>.*$", re.MULTILINE)
_AXIS = re.compile(rb'"=(\d+)')
_CONSTRAINT = re.compile(rb"sdy\.sharding_constraint (%[\w#]+) <[^>]*>")

_ATTRIBUTE = rb"sdy\.\w+\s*=\s*#sdy\.\w+<(?:[^<>]|<[^<>]*>)*>"
_ATTRIBUTES = re.compile(rb",\s*" + _ATTRIBUTE + rb"|" + _ATTRIBUTE + rb"(?:,\s*)?")


def without_shardings(source: bytes) -> bytes:
    """A module without shardings, if it is text and each of its meshes has one device.

    Its lines keep their numbers. Constraints become conversions to the type that they have.

    Example:
        >>> without_shardings(b'sdy.mesh @m = <["d"=1]>')
        b''
        >>> without_shardings(b'sdy.mesh @m = <["d"=2]>')
        b'sdy.mesh @m = <["d"=2]>'
        >>> without_shardings(b'%1 = sdy.sharding_constraint %0 <@m, [{"d"}]> : tensor<3xf32>')
        b'%1 = stablehlo.convert %0 : tensor<3xf32>'
    """
    sizes = [size for mesh in _MESH.findall(source) for size in _AXIS.findall(mesh)]
    if any(int(size) != 1 for size in sizes):
        return source
    for pattern, text in (
        (_MESH, b""),
        (_CONSTRAINT, rb"stablehlo.convert \1"),
        (_ATTRIBUTES, b""),
    ):
        source = pattern.sub(text, source)
    return source
