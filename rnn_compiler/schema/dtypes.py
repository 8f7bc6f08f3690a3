"""Element types: one row each, with numpy type, MLIR spelling and type of arithmetic.

16-bit types are for storage only. Products, sums and activations are computed in float32 and
rounded when they are stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class DType:
    """An element type.

    Attributes:
        name: The name used in this package, for example ``"float32"``.
        numpy: The numpy dtype, in native byte order.
        mlir: The MLIR spelling, for example ``"f32"``.
        compute: The name of the type in which it is computed.
    """

    name: str
    numpy: np.dtype[Any]
    mlir: str
    compute: str

    @property
    def bits(self) -> int:
        """Its width in bits as MLIR names it: 1 for booleans, which take a byte of memory."""
        return 1 if self.name == "bool" else 8 * self.numpy.itemsize

    @property
    def is_float(self) -> bool:
        """Whether it is a floating-point type."""
        return self.name in FLOAT_DTYPES

    @property
    def c(self) -> str:
        """The C type; 16-bit floats are their bits, and booleans are bytes.

        Example:
            >>> DTYPES["int64"].c, DTYPES["bfloat16"].c, DTYPES["bool"].c
            ('int64_t', 'uint16_t', 'uint8_t')
        """
        others = {"float16": "uint16_t", "bfloat16": "uint16_t", "bool": "uint8_t"}
        others |= {"float32": "float", "float64": "double"}
        return others.get(self.name, f"{self.name}_t")

    @property
    def javascript(self) -> str:
        """The class of its arrays in JavaScript; those of 16-bit floats and booleans hold bits.

        Example:
            >>> DTYPES["int64"].javascript, DTYPES["bfloat16"].javascript
            ('BigInt64Array', 'Uint16Array')
        """
        bits = {"float16": "uint16", "bfloat16": "uint16", "bool": "uint8"}
        kind = bits.get(self.name, self.name)
        return f"{'Big' * kind.endswith('int64')}{kind.capitalize()}Array"


DTYPES: dict[str, DType] = {
    row.name: row
    for row in (
        DType("float16", np.dtype(np.float16), "f16", compute="float32"),
        DType("bfloat16", np.dtype(ml_dtypes.bfloat16), "bf16", compute="float32"),
        DType("float32", np.dtype(np.float32), "f32", compute="float32"),
        DType("float64", np.dtype(np.float64), "f64", compute="float64"),
        DType("int8", np.dtype(np.int8), "i8", compute="int8"),
        DType("int32", np.dtype(np.int32), "i32", compute="int32"),
        DType("int64", np.dtype(np.int64), "i64", compute="int64"),
        # Not used by ops, but a function of a user's module may use them.
        DType("bool", np.dtype(np.bool_), "i1", compute="bool"),
        DType("int16", np.dtype(np.int16), "i16", compute="int16"),
        DType("uint8", np.dtype(np.uint8), "ui8", compute="uint8"),
        DType("uint16", np.dtype(np.uint16), "ui16", compute="uint16"),
        DType("uint32", np.dtype(np.uint32), "ui32", compute="uint32"),
        DType("uint64", np.dtype(np.uint64), "ui64", compute="uint64"),
    )
}

FLOAT_DTYPES: tuple[str, ...] = ("float16", "bfloat16", "float32", "float64")

ELEMENTS: dict[str, DType] = {row.mlir: row for row in DTYPES.values()}
"""Element types by their MLIR spelling."""

_NAMES = {row.numpy: name for name, row in DTYPES.items()}

_ALIASES = {row.mlir: name for name, row in DTYPES.items()} | {
    "half": "float16",
    "float": "float32",
    "double": "float64",
}


def canonical_name(dtype: object) -> str | None:
    """The name of a dtype given as a name, an alias or a numpy dtype; None if it is unknown.

    Byte order is ignored: a big-endian float is a float32 too.

    Example:
        >>> canonical_name("bf16"), canonical_name(np.float64), canonical_name("complex64")
        ('bfloat16', 'float64', None)
    """
    if dtype is None:  # numpy reads None as float64
        return None
    if isinstance(dtype, str):
        dtype = _ALIASES.get(dtype, dtype)
        if dtype in DTYPES:
            return dtype
    try:
        # A tf.DType has the numpy dtype as an attribute.
        described: Any = np.dtype(getattr(dtype, "as_numpy_dtype", cast(Any, dtype)))
    except Exception:  # numpy raises various errors for other values
        return None
    return _NAMES.get(described.newbyteorder("="))
