"""C and JavaScript repeat the layouts of IREE's executable libraries; here they are compared."""

from __future__ import annotations

import re
import struct
from pathlib import Path

from rnn_compiler.lowering.c.templates import TYPES
from rnn_compiler.schema.executable_library import (
    DISPATCH,
    ENVIRONMENT,
    QUERY_SUFFIX,
    VERSION,
    WORKGROUP,
    Word,
)

RUNTIME = (Path(__file__).parents[2] / "lowering/js/runtime.mjs").read_text()

CODES = {"uint64_t": "Q", "uint32_t": "I", "uint16_t": "H", "uint8_t": "B"}


def fields(layout: struct.Struct) -> str:
    """The code of each field, without counts."""
    return re.sub(r"(\d+)(.)", lambda found: found[2] * int(found[1]), layout.format)


def fields_in_c(name: str) -> str:
    """The same of a struct in C."""
    (body,) = re.findall(rf"struct {name} {{(.*?)}};", TYPES, re.DOTALL)
    codes = ""
    for declaration in body.strip().rstrip(";").split(";"):
        code = "P" if "*" in declaration else CODES[declaration.split()[0]]
        for field in declaration.split(","):
            count = re.search(r"\[(\d+)\]", field)
            codes += code * int(count[1] if count else 1)
    return codes


def offsets(layout: struct.Struct) -> list[int]:
    """Where each field begins, and the size, if pointers have 32 bits as in WebAssembly."""
    codes = fields(layout).replace("P", "I")
    return [struct.calcsize(f"={codes[:k]}") for k in range(len(codes) + 1)]


def test_c() -> None:
    assert f"an executable library 0.{VERSION} of IREE" in TYPES
    assert fields_in_c("environment") == fields(ENVIRONMENT)
    assert fields_in_c("dispatch") == fields(DISPATCH)
    assert fields_in_c("workgroup") == fields(WORKGROUP)


def test_javascript() -> None:
    at = offsets(DISPATCH)
    for line in (
        f'endsWith("{QUERY_SUFFIX}")',
        f"exports[query]({VERSION}, 0)",
        f"words[words[library] / 4] !== {VERSION}",
        f"words[library + {Word.EXPORT_COUNT}]",
        f"words[library + {Word.CODE}]",
        f"words[library + {Word.NAMES}]",
        f"words.set([1, 1], {at[0] // 4})",
        f"setUint16(record + {at[2]}, 1, true)",
        f"setUint16(record + {at[3]}, constants.length, true)",
        f"words.set([countX, countY], {at[4] // 4})",
        f"setUint16(record + {at[6]}, countZ, true)",
        f"setUint8(record + {at[7]}, 1)",
        f"setUint8(record + {at[8]}, buffers.length)",
        f"record + 4 * second], {at[9] // 4})",
    ):
        assert line in RUNTIME
    for pattern, unit, layout in (
        (r"this\.environment = reserved\((\d+)\)", 1, ENVIRONMENT),
        (r"this\.group = reserved\((\d+)\)", 1, WORKGROUP),
        (r"const tables = (\d+);", 4, DISPATCH),
    ):
        (size,) = re.findall(pattern, RUNTIME)
        assert int(size) * unit >= offsets(layout)[-1]
