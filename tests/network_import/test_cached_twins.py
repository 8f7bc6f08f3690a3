"""Networks whose text is the same, because types of MLIR have no signs, are cached separately."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler import compilation
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.runtime.cache.memory import MemoryCache

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from tests.network_import.graphs import saved

TWINS = {"uint8": TensorProto.UINT8, "int8": TensorProto.INT8}


def network(dtype: str, folder: Path) -> rc.Module:
    """A sum, whose code is the same with and without a sign."""
    tensors = [helper.make_tensor_value_info(name, TWINS[dtype], [3]) for name in ("x", "y")]
    nodes = [helper.make_node("Add", ["x", "x"], ["y"])]
    graph = helper.make_graph(nodes, "sum", tensors[:1], tensors[1:])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    return rc.import_network(saved(made, folder / "sum.onnx"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "order",
    [tuple(TWINS), (*TWINS,)[::-1]],
    ids=["unsigned first", "signed first"],
)
def test_twins_are_compiled_once_each(
    order: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RNN_COMPILER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compilation, "memory_cache", MemoryCache())
    runs: list[str] = []
    compiled = iree_compile.compile_with_host_program

    def run(text: str, *rest: Any, **keywords: Any) -> Any:
        runs.append(text)
        return compiled(text, *rest, **keywords)

    monkeypatch.setattr(iree_compile, "compile_with_host_program", run)
    modules = {dtype: network(dtype, tmp_path) for dtype in order}
    assert len({each.located_text for each in modules.values()}) == 1
    for dtype in (*order, *order):
        program = rc.runtime.load(rc.compile(modules[dtype], "cpu:generic"))
        given = np.array([1, 2, 100], dtype)
        y = program(x=given).y
        assert y.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(y, given + given)
    assert len(runs) == len(TWINS)
