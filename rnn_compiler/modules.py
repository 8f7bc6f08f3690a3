"""Modules: ops at fixed dimensions, as portable StableHLO."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from rnn_compiler.errors import InvalidArgumentError, check_keywords, describe, did_you_mean
from rnn_compiler.files import write_files
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.requirements import check_can_compile
from rnn_compiler.schema.manifest import FunctionSpec

__all__ = ["Module", "build", "find_op"]


class Module:
    """One function per op, in portable StableHLO.

    Attributes:
        functions: What its functions are.
    """

    def __init__(self, functions: Sequence[FunctionSpec]) -> None:
        self.functions = tuple(functions)

    @cached_property
    def located_text(self) -> str:
        """The module text with a source location on every op, naming the formula it comes from.

        Raises:
            UnsupportedError: The compiler package, which holds the MLIR bindings, is missing.
        """
        from rnn_compiler.lowering import iree_compile

        iree_compile.compiler_identity()
        from rnn_compiler.lowering.builder.module import build_module

        return build_module((spec, OPS[spec.op].emit) for spec in self.functions)

    @cached_property
    def text(self) -> str:
        """The module text for people: no locations, values named after the formulas."""
        located = self.located_text
        from rnn_compiler.lowering.builder.module import module_text

        return module_text(located)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Module({', '.join(spec.function for spec in self.functions)})"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the module text to a file.

        Raises:
            OSError: The file cannot be written; it is named, and an older one is left as it was.
        """
        path = Path(path)
        write_files((path, self.text.encode()))
        return path


def find_op(name: str, caller: str = "build") -> str:
    """The op of a name, which may be in snake case too.

    Args:
        name: The name.
        caller: What the message begins with.

    Raises:
        InvalidArgumentError: There is no such op; the message lists those there are, and says which
            one may be meant.

    Example:
        >>> find_op("block_lstm_v2")
        'BlockLSTMV2'
    """
    for op in OPS.values():
        if name in (op.signature.name, op.signature.function):
            return op.signature.name
    functions = {op.signature.function: name for name, op in OPS.items()}
    remedy = did_you_mean(name, OPS, functions)
    raise InvalidArgumentError(caller, "op", f"one of {', '.join(OPS)}", describe(name), remedy)


def build(
    op: str | Sequence[str | tuple[str, Mapping[str, Any]]],
    *,
    dtype: object = "float32",
    **dims_and_attributes: Any,
) -> Module:
    """Builds the portable StableHLO module of an op, or of several, one function each.

    Args:
        op: TensorFlow's name of the op, ``"BlockLSTMV2"``. For several, a list of names, or of
            pairs of a name and the keywords that are for that op alone.
        dtype: The element type of its float tensors: ``"float32"``, ``"float16"``, ...
        **dims_and_attributes: Every dimension of the op (``seq_length``, ``batch_size``,
            ``input_size``, ``num_units``) and its attributes. Given to several ops, each takes
            those it knows.

    Raises:
        TypeError: A keyword is unknown or missing.
        InvalidArgumentError: There is no such op, or a value is of the wrong kind.
        UnsupportedError: The compiler is not installed, so nothing could be made of the module.

    Example:
        >>> module = build("BlockLSTMV2", seq_length=3, batch_size=2, input_size=4, num_units=5)
        >>> print(module.text.splitlines()[1][:51])
          func.func @block_lstm_v2(%seq_len_max: tensor<i64
    """
    check_can_compile("build")
    if isinstance(op, str):
        return Module([_specialize(op, dtype, dims_and_attributes)])
    rows = [_row(item) for item in op] if isinstance(op, (list, tuple)) else [_row(op)]
    if not rows:
        raise InvalidArgumentError("build", "op", "at least one op", "an empty list")
    accepted = {name: _keywords(find_op(name)) for name, _ in rows}
    known = sorted(set[str]().union(*accepted.values()))
    check_keywords("build", dims_and_attributes, known, [])
    specs: list[FunctionSpec] = []
    for name, own in rows:
        common = {k: v for k, v in dims_and_attributes.items() if k in accepted[name]}
        specs.append(_specialize(name, own.pop("dtype", dtype), {**common, **own}))
    names = [spec.function for spec in specs]
    if len(set(names)) != len(names):
        raise InvalidArgumentError(
            "build", "op", "each op once", f"{names}", "one function a module has each name"
        )
    return Module(specs)


def _row(item: Any) -> tuple[str, dict[str, Any]]:
    """An item of a list of ops: a name, or a pair of a name and keywords."""
    if isinstance(item, str):
        return item, {}
    if issubclass(type(item), tuple) and [*map(type, item)] == [str, dict]:
        return item[0], dict(item[1])
    expected = f"one of {', '.join(OPS)}, or a list of them or of pairs of one and a dict"
    raise InvalidArgumentError("build", "op", expected, describe(item))


def _keywords(op: str) -> set[str]:
    signature = OPS[op].signature
    return {*signature.dimensions, *(attribute.name for attribute in signature.attributes)}


def _specialize(name: str, dtype: object, given: Mapping[str, Any]) -> FunctionSpec:
    signature = OPS[find_op(name)].signature
    signature.check_keywords(given, arguments=False, dims=True)
    return signature.specialize(dtype=dtype, dims=given, attributes=given)
