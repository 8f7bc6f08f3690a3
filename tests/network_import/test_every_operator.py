"""Every operator with several inputs, whose sizes disagree: refused, or ONNX Runtime's numbers."""

from __future__ import annotations

import contextlib
import pickle
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import processes
import pytest
from js import calling as js_calling

import rnn_compiler as rc
from rnn_compiler.schema.specs import FunctionSpec

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import onnxruntime

from tests.network_import.every_operator import (
    Case,
    cases,
    disagreeing,
    given,
    imported,
    operators,
    usual_sizes,
    variants,
)
from tests.network_import.graphs import TARGET, joined, saved

pytestmark = pytest.mark.slow


class Accepted(NamedTuple):
    """A case that is imported, with its function and its network in ONNX Runtime."""

    case: Case
    spec: FunctionSpec
    judge: Any


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Accepted]]:
    """The cases of each operator that are imported with an open axis."""
    path = tmp_path_factory.mktemp("models") / "m.onnx"
    onnxruntime.set_default_logger_severity(4)
    found: dict[str, list[Accepted]] = {}
    for operator, forms in cases().items():
        found[operator] = []
        for variant in variants(forms[0]):  # the one with the most inputs and axes
            made = imported(variant, path)
            if made is not None:
                case, module = made
                with contextlib.suppress(Exception):  # it lacks some operators of new versions
                    judge = onnxruntime.InferenceSession(case.model().SerializeToString())
                    found[operator].append(Accepted(case, module.functions[0], judge))
    return found


_WITHOUT_CASES = {
    *("CastLike", "MaxRoiPool", "SequenceAt", "SequenceConstruct", "SequenceErase"),
    *("SequenceInsert", "SequenceMap", "StringConcat"),
}
"""Operators of which onnx has no node with arrays that we take."""

_CLOSED = {
    *("AffineGrid", "Attention", "BitShift", "BitwiseOr", "CausalConvWithState", "CenterCropPad"),
    *("Col2Im", "Compress", "ConvInteger", "CumProd", "DFT", "DeformConv", "DequantizeLinear"),
    *("Dropout", "Expand", "GridSample", "LinearAttention", "Loop", "MaxUnpool", "MelWeightMatrix"),
    *("NegativeLogLikelihoodLoss", "NonMaxSuppression", "Pow", "Range", "ReduceProd", "Reshape"),
    *("Resize", "RoiAlign", "STFT", "Scan", "SoftmaxCrossEntropyLoss", "Split"),
    *("SplitToSequence", "SwiGLU", "TensorScatter"),
}
"""Operators whose case is refused with any open axis, or has none that ONNX Runtime takes."""

_LIMITS = ("Updating cos_cache",)
"""What ONNX Runtime says where it does not support what ONNX allows."""


def test_every_operator_has_a_case(accepted: dict[str, list[Accepted]]) -> None:
    assert {*operators()} - {*accepted} == _WITHOUT_CASES


def test_operators_without_open_axes(accepted: dict[str, list[Accepted]]) -> None:
    assert {operator for operator, found in accepted.items() if not found} == _CLOSED


def test_sizes_that_calls_take_are_onnx_s(accepted: dict[str, list[Accepted]]) -> None:
    """What ONNX Runtime refuses needs axes that are one, or an import that refuses."""
    wrong: list[str] = []
    for each in (each for found in accepted.values() for each in found):
        for sizes in disagreeing(each.spec, usual_sizes(each.case, each.spec)):
            arrays = given(each.case, each.spec, sizes)
            try:
                each.judge.run(None, arrays)
            except Exception as error:  # ONNX Runtime's own
                if any(said in str(error) for said in _LIMITS):
                    continue
                shapes = {name: array.shape for name, array in arrays.items()}
                wrong.append(f"{each.case}: {shapes}: {str(error)[-300:]}")
                break
    assert not wrong, "\n".join(wrong)


_CHUNK = 16
"""The number of networks that are compiled as one."""


class Group(NamedTuple):
    """Networks that are one, with calls of their own sizes and what these return."""

    module: rc.Module
    calls: Sequence[tuple[dict[str, Any], dict[str, Any]]]


def groups(accepted: Iterable[Sequence[Accepted]], path: Path) -> Iterator[Group]:
    """The case of each operator and number of open axes, many in a module with the same axes."""
    chosen: dict[tuple[int, ...], list[Accepted]] = {}
    for found in accepted:
        best = {len(each.spec.open_dims): each for each in reversed(found)}
        for each in best.values():
            limits = tuple(each.spec.least(dim) for dim in each.spec.open_dims)
            chosen.setdefault((max(limits), each.case.opset), []).append(each)
    for rows in chosen.values():
        for start in range(0, len(rows), _CHUNK):
            yield _group(rows[start : start + _CHUNK], path)


_IN_JAVASCRIPT = ("Add", "Concat", "Conv", "GatherElements", "Gemm", "MatMul", "TopK", "Where")
"""The operators that are run in JavaScript: one of each kind that reads several arrays."""

_POOL = {"A": 3, "B": 4, "C": 5, "D": 2, "E": 6, "F": 7}
"""The usual sizes of the axes that networks of a group share."""


def _group(rows: Sequence[Accepted], path: Path) -> Group:
    models: list[Any] = []
    for each in rows:
        called = dict(zip(each.spec.open_dims, _POOL, strict=False))
        inputs = [name for name in each.case.arrays if name not in each.case.constants]
        names = {
            (name, k): called[str(size)]
            for name, tensor in zip(inputs, each.spec.arguments, strict=True)
            for k, size in enumerate(tensor.shape)
            if str(size) in called
        }
        models.append(each.case.model(names))
    module = rc.import_network(saved(joined(models), path))
    (spec,) = module.functions
    usual = {dim: min(max(_POOL[dim], spec.least(dim)), spec.most(dim)) for dim in spec.open_dims}
    calls: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for sizes in disagreeing(spec, usual):
        arguments: dict[str, Any] = {}
        results: dict[str, Any] = {}
        for k, each in enumerate(rows):
            own = dict(zip(each.spec.open_dims, map(sizes.get, _POOL), strict=False))
            arrays = given(each.case, each.spec, own)
            arguments |= {f"m{k}_{name}": array for name, array in arrays.items()}
            if not each.case.node.op_type.startswith("Scatter"):  # which may write a place twice
                outputs = [f"m{k}_{out.name}" for out in each.judge.get_outputs()]
                with contextlib.suppress(Exception):  # of ONNX Runtime, which has limits
                    results |= zip(outputs, each.judge.run(None, arrays), strict=True)
        calls.append((arguments, results))
    return Group(module, calls)


_SCRIPT = """
import pickle, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from c.calling import Call, Loaded
from c.guarded import Guard
module, calls = pickle.loads(Path("group").read_bytes())
loaded, found = Loaded(module, Path.cwd()), []
for number, given in enumerate(calls):
    for at_end in (True, False):
        print(number, at_end, {{name: array.shape for name, array in given.items()}}, flush=True)
        guard = Guard(at_end=at_end)
        call = Call(loaded, "every", given, guard)
        code = call()
        assert code == 0, loaded.error(code)
        guard.check()
    found.append({{name: array.copy() for name, array in call.results.items()}})
Path("found").write_bytes(pickle.dumps(found))
"""


def test_compiled_code_stays_in_its_arrays(
    accepted: dict[str, list[Accepted]], tmp_path: Path
) -> None:
    """In C, between pages that end the process: with all sizes that calls take."""
    for group in groups(accepted.values(), tmp_path / "m.onnx"):
        made = rc.compile_c(group.module, TARGET, name="every")
        (tmp_path / "group").write_bytes(pickle.dumps((made, [a for a, _ in group.calls])))
        tests = str(Path(__file__).parents[1])
        processes.python(_SCRIPT.format(tests=tests), cwd=tmp_path)
        _compare(group, pickle.loads((tmp_path / "found").read_bytes()))


@js_calling.needs_node
def test_javascript_computes_the_same(accepted: dict[str, list[Accepted]], tmp_path: Path) -> None:
    for group in groups(map(accepted.__getitem__, _IN_JAVASCRIPT), tmp_path / "m.onnx"):
        loaded = js_calling.Loaded(rc.compile_js(group.module, name="every"), tmp_path)
        rows = [("main", given, loaded.sizes("main", given)) for given, _ in group.calls]
        _compare(group, loaded.calls(rows))


def _compare(group: Group, results: Sequence[Mapping[str, Any]]) -> None:
    """Compares the results of a group's calls with ONNX Runtime's."""
    for (arguments, wanted), got in zip(group.calls, results, strict=True):
        for name, array in wanted.items():
            shapes = {
                k: a.shape for k, a in arguments.items() if k.split("_")[0] == name.split("_")[0]
            }
            np.testing.assert_allclose(got[name], array, 1e-3, 1e-4, err_msg=f"{name} {shapes}")


def test_a_guard_sees_what_leaves_an_array() -> None:
    """A read ends the process; a write before the page is seen."""
    start = f"import ctypes, sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
    start += "import numpy as np; from c.guarded import Guard; guard = Guard(at_end=True)\n"
    read = "a = guard(np.zeros(16)); ctypes.string_at(a.ctypes.data, a.nbytes + 1)"
    assert processes.python(start + read, code=None).returncode == -signal.SIGSEGV
    write = "a = guard(np.zeros(3)); ctypes.memset(a.ctypes.data, 0, a.nbytes + 1); guard.check()"
    done = processes.python(start + write, code=1)
    assert "bytes behind an array were written" in done.stderr
