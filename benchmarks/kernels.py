"""Two small kernels as MLIR for IREE: sums of products in registers, and a sum over an array.

Both take a number of repetitions. Sums start from different numbers; otherwise the compiler would
merge them.
"""

from __future__ import annotations

__all__ = ["PAIRS", "SUMS", "products", "reads", "row_bytes"]

SUMS = 12
"""Enough for two units with a latency of six; with two more they fit into sixteen registers."""

PAIRS = "avx512bf16"
"""The processor feature that multiplies pairs of bfloat16 and adds them to float32."""

_VECTORS = 16
"""The number of vectors that `reads` adds in one iteration."""


def row_bytes(lanes: int) -> int:
    """Bytes in a row of the argument of `reads`."""
    return 4 * lanes * _VECTORS


def products(name: str, lanes: int, paired: bool) -> str:
    """``name(array [SUMS + 1, lanes], times)``: each vector times the last, plus itself.

    Args:
        name: The function's.
        lanes: Numbers in a register, of float32; 16 if they come in pairs.
        paired: Whether each factor is a pair of bfloat16.
    """
    sums = [f"%s{k}" for k in range(SUMS)]
    starts = [f"%i{k} = {_read(f'%c{k}', '%c0', _array(lanes), lanes)}" for k in range(SUMS)]
    step = [_paired(k) if paired else _fused(k, lanes) for k in range(SUMS)]
    carried = ", ".join(f"{s} = %i{k}" for k, s in enumerate(sums))
    types = ", ".join([f"vector<{lanes}xf32>"] * SUMS)
    writes = [
        f"%w{k + 1} = vector.transfer_write %r#{k}, %w{k}[%c{k}, %c0] {{in_bounds = [true]}} : "
        f"vector<{lanes}xf32>, {_array(lanes)}"
        for k in range(SUMS)
    ]
    factor = f"%f = {_read(f'%c{SUMS}', '%c0', _array(lanes), lanes)}"
    pair = "%p = vector.bitcast %f : vector<16xf32> to vector<32xbf16>" if paired else ""
    body = [
        *_constants(SUMS + 1),
        factor,
        pair,
        *starts,
        f"%r:{SUMS} = scf.for %k = %c0 to %times step %c1 iter_args({carried}) -> ({types}) {{",
        *step,
        f"scf.yield {', '.join(f'%n{k}' for k in range(SUMS))} : {types}",
        "}",
        f"%w0 = tensor.empty() : {_array(lanes)}",
        *writes,
    ]
    return _function(name, _array(lanes), _array(lanes), body, f"%w{SUMS}")


def reads(name: str, lanes: int) -> str:
    """``name(array [any, 16 * lanes], times)``: the sum of all vectors, a number of times.

    It reads back and forth, so that data still in a near cache is read first: weights may be read
    like this too.
    """
    array = f"tensor<?x{lanes * _VECTORS}xf32>"
    vector = f"vector<{lanes}xf32>"
    types = ", ".join([vector] * _VECTORS)
    sums = [f"%s{k}" for k in range(_VECTORS)]
    step: list[str] = []
    for k in range(_VECTORS):
        step.append(f"%v{k} = {_read('%row', f'%o{k}', array, lanes)}")
        step.append(f"%n{k} = arith.addf %s{k}, %v{k} : {vector}")
    outer = ", ".join(f"%t{k} = %zero" for k in range(_VECTORS))
    inner = ", ".join(f"{s} = %t{k}" for k, s in enumerate(sums))
    total = [
        f"%a{k + 1} = arith.addf {f'%a{k}' if k else '%r#0'}, %r#{k + 1} : {vector}"
        for k in range(_VECTORS - 1)
    ]
    body = [
        *_constants(2),
        *(f"%o{k} = arith.constant {k * lanes} : index" for k in range(_VECTORS)),
        f"%zero = arith.constant dense<0.0> : {vector}",
        "%c2 = arith.constant 2 : index",
        "%last = arith.subi %rows, %c1 : index",
        f"%r:{_VECTORS} = scf.for %k = %c0 to %times step %c1 iter_args({outer}) -> ({types}) {{",
        "%odd = arith.remui %k, %c2 : index",
        "%fro = arith.cmpi eq, %odd, %c1 : index",
        f"%q:{_VECTORS} = scf.for %j = %c0 to %rows step %c1 iter_args({inner}) -> ({types}) {{",
        "%back = arith.subi %last, %j : index",
        "%row = arith.select %fro, %back, %j : index",
        *step,
        f"scf.yield {', '.join(f'%n{k}' for k in range(_VECTORS))} : {types}",
        "}",
        f"scf.yield {', '.join(f'%q#{k}' for k in range(_VECTORS))} : {types}",
        "}",
        *total,
        f"%w0 = tensor.empty() : tensor<{lanes}xf32>",
        f"%w1 = vector.transfer_write %a{_VECTORS - 1}, %w0[%c0] {{in_bounds = [true]}} : "
        f"{vector}, tensor<{lanes}xf32>",
    ]
    return _function(name, array, f"tensor<{lanes}xf32>", body, "%w1")


def _fused(k: int, lanes: int) -> str:
    return f"%n{k} = vector.fma %f, %s{k}, %f : vector<{lanes}xf32>"


def _paired(k: int) -> str:
    return (
        f'%n{k} = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%s{k}, %p, %p) : '
        "(vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>"
    )


def _array(lanes: int) -> str:
    return f"tensor<{SUMS + 1}x{lanes}xf32>"


def _read(row: str, column: str, array: str, lanes: int) -> str:
    return (
        f"vector.transfer_read %array[{row}, {column}], %pad {{in_bounds = [true]}} : "
        f"{array}, vector<{lanes}xf32>"
    )


def _constants(count: int) -> list[str]:
    indices = [f"%c{k} = arith.constant {k} : index" for k in range(count)]
    return ["%pad = arith.constant 0.0 : f32", *indices]


def _function(name: str, array: str, result: str, body: list[str], value: str) -> str:
    """A function of one dispatch."""
    return "\n".join(
        [
            f"func.func @{name}(%array: {array}, %n: i64) -> {result} {{",
            "%axis = arith.constant 0 : index",
            f"%rows = tensor.dim %array, %axis : {array}",
            "%times = arith.index_cast %n : i64 to index",
            f"%result = flow.dispatch.region -> ({result}) {{",
            *filter(None, body),
            f"flow.return {value} : {result}",
            "}",
            f"return %result : {result}",
            "}",
        ]
    )
