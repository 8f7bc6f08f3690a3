"""Writes TensorFlow Lite files with recurrent layers, without a package.

A table is a dict of values by field number: a numpy scalar, a dict for a table, an array for a
vector of numbers, or a list of dicts for a vector of tables. The field numbers are those of
TensorFlow Lite's schema.fbs.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Writer", "both_lstm", "gates", "lstm", "table_bytes"]

TYPES = {"float32": 0, "float16": 1, "int32": 2, "int64": 4, "bool": 6, "int16": 7, "int8": 9}
TYPES["variant"] = 14
OPS = {
    **{"ADD": 0, "AVERAGE_POOL_2D": 1, "CONCATENATION": 2, "CONV_2D": 3, "DEPTHWISE_CONV_2D": 4},
    **{"DEQUANTIZE": 6, "FLOOR": 8, "FULLY_CONNECTED": 9, "LOGISTIC": 14, "LSTM": 16},
    **{"MAX_POOL_2D": 17, "MUL": 18, "RELU": 19, "RELU_N1_TO_1": 20, "RELU6": 21, "RESHAPE": 22},
    **{"RNN": 24, "SOFTMAX": 25, "SVDF": 27, "TANH": 28, "PAD": 34, "GATHER": 36},
    **{"UNIDIRECTIONAL_SEQUENCE_RNN": 35, "TRANSPOSE": 39, "MEAN": 40, "SUB": 41, "DIV": 42},
    **{"UNIDIRECTIONAL_SEQUENCE_LSTM": 44, "STRIDED_SLICE": 45, "BIDIRECTIONAL_SEQUENCE_RNN": 46},
    **{"EXP": 47, "SPLIT": 49, "BIDIRECTIONAL_SEQUENCE_LSTM": 52, "MAXIMUM": 55, "ARG_MAX": 56},
    **{"MINIMUM": 57, "LESS": 58, "NEG": 59, "GREATER": 61, "GREATER_EQUAL": 62, "LESS_EQUAL": 63},
    **{"SLICE": 65, "SIN": 66, "TILE": 69, "EXPAND_DIMS": 70, "EQUAL": 71, "NOT_EQUAL": 72},
    **{"LOG": 73, "SUM": 74, "SQRT": 75, "RSQRT": 76, "SHAPE": 77, "REDUCE_MAX": 82, "PACK": 83},
    **{"UNPACK": 88, "SQUARE": 92, "FILL": 94, "SQUARED_DIFFERENCE": 99, "ABS": 101},
    **{"SPLIT_V": 102, "CEIL": 104, "REVERSE_V2": 105, "COS": 108, "ELU": 111, "ROUND": 116},
    **{"HARD_SWISH": 117, "WHILE": 119, "SELECT_V2": 123, "CALL_ONCE": 129, "VAR_HANDLE": 142},
    **{"READ_VARIABLE": 143, "ASSIGN_VARIABLE": 144, "GELU": 150, "CAST": 53},
}


def table_bytes(root: Mapping[int, Any]) -> bytes:
    """A FlatBuffer with an identifier."""
    out = bytearray(struct.pack("<I", 0) + b"TFL3" + bytes(8))
    struct.pack_into("<I", out, 0, _table(out, root))
    return bytes(out)


def _table(out: bytearray, fields: Mapping[int, Any]) -> int:
    """Appends a table, then what it refers to; its place."""
    count = max(fields, default=-1) + 1
    out += bytes(-len(out) % 8)
    places = len(out)
    out += struct.pack("<HH", 4 + 2 * count, 8 + 8 * count)
    out += b"".join(
        struct.pack("<H", 8 + 8 * index if index in fields else 0) for index in range(count)
    )
    out += bytes(-len(out) % 8)
    start = len(out)
    out += struct.pack("<i", start - places) + bytes(4 + 8 * count)
    for index, value in fields.items():
        at = start + 8 + 8 * index
        if isinstance(value, np.generic):
            out[at : at + value.nbytes] = value.tobytes()
        else:
            struct.pack_into("<I", out, at, _target(out, value) - at)
    return start


def _target(out: bytearray, value: Any) -> int:
    """Appends a table or a vector; its place."""
    if isinstance(value, dict):
        return _table(out, value)  # pyright: ignore
    out += bytes((12 - len(out)) % 16)
    start = len(out)
    out += struct.pack("<I", len(value))
    if isinstance(value, np.ndarray):
        out += value.tobytes()
        return start
    out += bytes(4 * len(value))
    for k, each in enumerate(value):
        at = start + 4 + 4 * k
        struct.pack_into("<I", out, at, _table(out, each) - at)
    return start


class Writer:
    """A model whose graphs are made op by op."""

    def __init__(self) -> None:
        self.buffers: list[dict[int, Any]] = [{}]
        self.codes: list[dict[int, Any]] = []
        self.graphs: list[dict[str, Any]] = []
        self.graph()

    def graph(self) -> int:
        """Begins a graph, to which the next tensors and ops belong."""
        self.graphs.append({"tensors": [], "ops": [], "inputs": [], "outputs": []})
        return len(self.graphs) - 1

    def tensor(
        self,
        shape: Sequence[int] = (),
        dtype: str = "float32",
        *,
        data: Any = None,
        variable: bool = False,
        signature: Sequence[int] | None = None,
        scale: Sequence[float] = (),
        zero: Sequence[int] = (),
        sparse: bool = False,
    ) -> int:
        """A tensor's number; with data, a constant."""
        fields: dict[int, Any] = {0: np.array(shape, "<i4"), 1: np.int8(TYPES[dtype])}
        fields[5] = np.bool_(variable)
        if data is not None:
            data = np.asarray(data)
            fields[0], fields[1] = np.array(data.shape, "<i4"), np.int8(TYPES[data.dtype.name])
            fields[2] = np.uint32(len(self.buffers))
            self.buffers.append({0: np.frombuffer(data.tobytes(), np.uint8)})
        if scale:
            fields[4] = {2: np.array(scale, "<f4"), 3: np.array(zero or [0] * len(scale), "<i8")}
        if sparse:
            fields[6] = {}
        if signature is not None:
            fields[7] = np.array(signature, "<i4")
        self.graphs[-1]["tensors"].append(fields)
        return len(self.graphs[-1]["tensors"]) - 1

    def op(
        self,
        name: str,
        inputs: Sequence[int],
        shape: Sequence[int] = (),
        dtype: str = "float32",
        *,
        options: tuple[int, dict[int, Any]] | None = None,
        outputs: Sequence[int] | None = None,
        intermediates: Sequence[int] = (),
    ) -> int:
        """The number of an op's first output; options are the number of their type, and fields."""
        code = OPS.get(name, 32)  # an operator of TensorFlow's has only a name
        self.codes.append({0: np.int8(min(code, 127)), 3: np.int32(code)})
        if name not in OPS:
            self.codes[-1][1] = np.frombuffer(name.encode(), np.uint8)
        made = [self.tensor(shape, dtype)] if outputs is None else list(outputs)
        fields: dict[int, Any] = {
            0: np.uint32(len(self.codes) - 1),
            1: np.array(inputs, "<i4"),
            2: np.array(made, "<i4"),
        }
        if options is not None:
            fields[3], fields[4] = np.uint8(options[0]), options[1]
        if intermediates:
            fields[8] = np.array(intermediates, "<i4")
        self.graphs[-1]["ops"].append(fields)
        return made[0] if made else -1

    def ends(self, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """Sets the inputs and outputs of the last graph."""
        self.graphs[-1]["inputs"], self.graphs[-1]["outputs"] = inputs, outputs

    def content(self) -> bytes:
        """The file."""
        graphs = [
            {
                0: each["tensors"],
                1: np.array(each["inputs"], "<i4"),
                2: np.array(each["outputs"], "<i4"),
                3: each["ops"],
            }
            for each in self.graphs
        ]
        model = {0: np.uint32(3), 1: self.codes, 2: graphs, 4: self.buffers}
        return table_bytes(model)

    def save(self, path: Path) -> Path:
        """Writes the file."""
        path.write_bytes(self.content())
        return path


def gates(
    inputs: int, units: int, *, seed: int = 0, cifg: bool = False, peepholes: bool = False
) -> dict[str, Any]:
    """Random weights of an LSTM by slot, ``w_i``, ``r_i``, ``p_i``, ``b_i``, ..."""
    draw = np.random.default_rng(seed)
    shapes = {
        **{f"w_{gate}": (units, inputs) for gate in "ifco"},
        **{f"r_{gate}": (units, units) for gate in "ifco"},
        **({f"p_{gate}": (units,) for gate in "ifo"} if peepholes else {}),
        **{f"b_{gate}": (units,) for gate in "ifco"},
    }
    names = [name for name in shapes if not (cifg and name.endswith("_i"))]
    return {name: draw.normal(0, 0.5, shapes[name]).astype(np.float32) for name in names}


_SLOTS = (
    *(f"{kind}_{gate}" for kind in "wr" for gate in "ifco"),
    *("p_i", "p_f", "p_o"),
    *(f"b_{gate}" for gate in "ifco"),
    *("projection", "projection_bias"),
)


def lstm(
    writer: Writer,
    x: int,
    weights: Mapping[str, Any],
    shape: Sequence[int],
    *,
    clip: float = 10.0,
    projection_clip: float = 0.0,
    time_major: bool = False,
    activation: int = 4,
    diagonal: bool = False,
    norms: Mapping[str, Any] | None = None,
    state: Any = None,
    intermediates: Sequence[int] = (),
    step: bool = False,
) -> int:
    """The output of a UNIDIRECTIONAL_SEQUENCE_LSTM, or of LSTM, one step of it.

    Weights are arrays, or numbers of tensors. `norms` are weights of a layer normalization; `state`
    is what h holds in the file, if anything.
    """
    batch = shape[1 if time_major else 0]
    numbers = _numbers(writer, weights)
    states = _states(writer, weights, batch, shape[-1], state)
    others = [_slot(writer, (norms or {})[f"norm_{gate}"]) for gate in "ifco"] if norms else []
    options: dict[int, Any] = {
        **{0: np.int8(activation), 1: np.float32(clip), 2: np.float32(projection_clip)},
        **({} if step else {3: np.bool_(time_major)}),
        **({5: np.bool_(True)} if diagonal else {}),
    }
    return writer.op(
        "LSTM" if step else "UNIDIRECTIONAL_SEQUENCE_LSTM",
        [x, *numbers, *states, *others],
        shape,
        options=(71, options),
        intermediates=intermediates,
    )


def both_lstm(
    writer: Writer, x: int, weights: Sequence[Mapping[str, Any]], shape: Sequence[int]
) -> int:
    """The output of a BIDIRECTIONAL_SEQUENCE_LSTM, batch-major, given each direction's weights."""
    numbers = [number for each in weights for number in _numbers(writer, each)]
    states = [n for each in weights for n in _states(writer, each, shape[0], shape[-1] // 2, None)]
    options = {0: np.int8(4), 1: np.float32(0), 3: np.bool_(True), 4: np.bool_(False)}
    inputs = [x, *numbers, *states, *[-1] * 9]
    return writer.op("BIDIRECTIONAL_SEQUENCE_LSTM", inputs, shape, options=(70, options))


def _numbers(writer: Writer, weights: Mapping[str, Any]) -> list[int]:
    """The tensors of weights, -1 for those that are absent."""
    return [_slot(writer, weights[name]) if name in weights else -1 for name in _SLOTS]


def _slot(writer: Writer, value: Any) -> int:
    return value if isinstance(value, int) else writer.tensor(data=value)


def _states(
    writer: Writer, weights: Mapping[str, Any], batch: int, outputs: int, state: Any
) -> list[int]:
    """The states h and c, which the op keeps."""
    held: Any = weights.get("b_o")
    units = outputs if isinstance(held, int) else len(held)
    h = weights.get("h", -1)
    if h < 0:
        h = writer.tensor((batch, outputs), variable=True, data=state)
    c = weights.get("c", -1)
    return [h, writer.tensor((batch, units), variable=True) if c < 0 else c]
