"""Goldens: sample arguments of an artifact's functions and their results, for comparison elsewhere.

A golden is created where an artifact is compiled, and stored next to it: ``NAME.vmfb.golden.npz``,
or ``golden.npz`` for all targets of a bundle. It contains ``FUNCTION/arguments/NAME`` and
``FUNCTION/results/NAME``, bfloat16 as its bits. The manifest has its digest and says what computed
it. Running the functions on the target and comparing the results shows that the file is intact,
that the machine can run it, and that the numbers are right.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rnn_compiler.base.files import read_regular
from rnn_compiler.errors import ArtifactError
from rnn_compiler.runtime.arguments import by_keyword, by_name
from rnn_compiler.runtime.program import Program
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import GoldenSpec, check_digest
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec, open_sizes_of

__all__ = [
    "TOLERANCES",
    "Comparison",
    "Golden",
    "Verification",
    "compare",
    "difference",
    "run",
    "storable",
]

TOLERANCES: Mapping[str, float] = {
    "float16": 2.0**-7,
    "bfloat16": 2.0**-5,
    "float32": 2e-5,
    "float64": 1e-10,
}
"""The largest difference between two processors, relative to the result's largest number or 1.

Processors sum in different orders. In 16 bits, stored values are then rounded differently, by 8 to
16 units in the last place. Integers and booleans must be equal.
"""

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Golden:
    """Arguments and results.

    Attributes:
        cases: For each function, its arguments and results by name.
        computed_by: What computed the results, ``"cpu:x86-64-v3 (fused) on local-sync"``.
    """

    cases: Mapping[str, tuple[Arrays, Arrays]]
    computed_by: str

    def stored(self) -> tuple[GoldenSpec, bytes]:
        """Its entry in the manifest, and the content of its file."""
        stored: Arrays = {}
        for function, pair in self.cases.items():
            for kind, arrays in zip(("arguments", "results"), pair, strict=True):
                for name, array in arrays.items():
                    stored[f"{function}/{kind}/{name}"] = storable(array)
        buffer = io.BytesIO()
        savez: Any = np.savez
        savez(buffer, **stored)
        data = buffer.getvalue()
        return GoldenSpec(self.computed_by, hashlib.sha256(data).hexdigest()), data

    @staticmethod
    def read(path: Path, spec: GoldenSpec, functions: Iterable[FunctionSpec]) -> Golden:
        """Reads a golden's file.

        Args:
            path: The file.
            spec: Its entry in the manifest.
            functions: The functions it must have arguments and results of.

        Raises:
            ArtifactError: It is missing, damaged, or another artifact's.
        """
        try:
            data = read_regular(path)
        except FileNotFoundError as error:
            raise ArtifactError(
                f"{path}: missing: the manifest says that there is a golden; copy it too"
            ) from error
        except OSError as error:
            raise ArtifactError(f"{path}: cannot be read ({error.strerror})") from error
        remedy = "copy it again, or compile with --golden"
        check_digest(path, data, spec.sha256, remedy, "damaged, or another artifact's")
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                stored: Arrays = {name: file[name] for name in file.files}
            at_sizes = [_at_sizes(stored, each) for each in functions]
            cases = {
                each.function: (
                    _tensors(stored, f"{each.function}/arguments", each.arguments),
                    _tensors(stored, f"{each.function}/results", each.results),
                )
                for each in at_sizes
            }
        except Exception as error:  # numpy's or zipfile's own, for other kinds of files
            raise ArtifactError(f"{path}: does not fit its artifact ({error})") from error
        return Golden(cases, spec.computed_by)


class Comparison(NamedTuple):
    """The comparison of one result.

    Attributes:
        function: The function that returned it.
        result: Its name.
        dtype: Its dtype.
        difference: The largest difference of an element, relative to the result's largest number or
            1; infinite if one is a number and the other is not.
        tolerance: The largest difference allowed.
    """

    function: str
    result: str
    dtype: str
    difference: float
    tolerance: float

    @property
    def is_equal(self) -> bool:
        """Whether the difference is within the tolerance."""
        return self.difference <= self.tolerance


class Verification(NamedTuple):
    """The comparison of an artifact with its golden.

    Attributes:
        results: Each result of each function.
        device: Where they were computed now.
        computed_by: What computed the golden.
    """

    results: list[Comparison]
    device: str
    computed_by: str

    @property
    def is_equal(self) -> bool:
        """Whether all results are within their tolerances."""
        return all(result.is_equal for result in self.results)


def run(program: Program, arguments: Mapping[str, Arrays]) -> dict[str, Arrays]:
    """The results of some functions of a program, by function and name."""
    results: dict[str, Arrays] = {}
    for name, given in arguments.items():
        function = program.functions[name]
        spec = function.spec
        keywords = by_keyword(spec.arguments, [given[each.name] for each in spec.arguments])
        results[name] = by_name(name, spec.results, function(**keywords)._asdict())
    return results


def compare(program: Program, golden: Golden) -> Verification:
    """Runs a golden's functions and compares their results with the golden's."""
    found = run(program, {name: arguments for name, (arguments, _) in golden.cases.items()})
    rows: list[Comparison] = []
    for name, (_, expected) in golden.cases.items():
        for spec in program.functions[name].spec.results:
            apart = difference(found[name][spec.name], expected[spec.name])
            tolerance = TOLERANCES.get(spec.dtype, 0.0)
            rows.append(Comparison(name, spec.name, spec.dtype, apart, tolerance))
    return Verification(rows, program.device.uri, golden.computed_by)


def difference(found: npt.NDArray[Any], expected: npt.NDArray[Any]) -> float:
    """The difference of a result from the expected one, see `Comparison.difference`.

    NaN equals NaN, and an infinity equals itself.
    """
    if not expected.size:
        return 0.0
    if expected.dtype.kind in "iub":
        return float(np.max(found != expected))
    a, b = found.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(b)
    if (
        not np.array_equal(a[~finite], b[~finite], equal_nan=True)
        or not np.isfinite(a[finite]).all()
    ):
        return float("inf")
    scale = max(1.0, float(np.max(np.abs(b[finite]), initial=0.0)))
    return float(np.max(np.abs(a[finite] - b[finite]), initial=0.0)) / scale


def storable(array: Any) -> npt.NDArray[Any]:
    """An array that .npz files can store: bfloat16 as its bits."""
    return array.view(np.uint16) if array.dtype == DTYPES["bfloat16"].numpy else array


def _at_sizes(stored: Arrays, spec: FunctionSpec) -> FunctionSpec:
    """A function at the sizes of its stored arguments."""
    prefix = f"{spec.function}/arguments/"
    shapes = {
        name.removeprefix(prefix): array.shape
        for name, array in stored.items()
        if name.startswith(prefix)
    }
    return spec.bound(open_sizes_of(spec, shapes))


def _tensors(stored: Arrays, prefix: str, specs: Iterable[TensorSpec]) -> Arrays:
    """The arrays of some tensors, by name.

    Raises:
        ValueError: An array is missing, or has another dtype or shape.
    """
    found: Arrays = {}
    for spec in specs:
        array: Any = stored.get(f"{prefix}/{spec.name}")
        wanted = DTYPES[spec.dtype].numpy
        if array is not None and spec.dtype == "bfloat16" and array.dtype == np.uint16:
            array = array.view(wanted)
        if array is None or (array.dtype, array.shape) != (wanted, spec.shape):
            raise ValueError(f"no {prefix}/{spec.name} of {spec}")
        found[spec.name] = array
    return found
