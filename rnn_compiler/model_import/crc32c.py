"""The CRC-32C checksum of TensorFlow's files, computed by the package google-crc32c.

Source of the mask: leveldb/util/crc32c.h.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable

from rnn_compiler.base.installation import pip_install
from rnn_compiler.errors import UnsupportedError

__all__ = ["load_crc32c", "masked_crc32c"]

_MASK = 0xA282EAD8


def masked_crc32c(data: bytes) -> int:
    """The checksum as TensorFlow stores it.

    Raises:
        UnsupportedError: The package google-crc32c is not installed.

    Example:
        >>> hex(masked_crc32c(b"123456789"))
        '0xc78ab0e5'
    """
    crc = load_crc32c()(data)
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


@functools.cache
def load_crc32c() -> Callable[[bytes], int]:
    """The package's function, loaded at first use.

    Raises:
        UnsupportedError: The package google-crc32c is not installed.
    """
    try:
        return importlib.import_module("google_crc32c").value
    except ImportError:
        raise UnsupportedError(
            "TensorFlow's checkpoints need the package google-crc32c, which is not installed: "
            f"{pip_install('google-crc32c', extra='import')}"
        ) from None
