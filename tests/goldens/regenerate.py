"""Runs TensorFlow's kernels on the inputs of the golden files; needs TensorFlow, nothing compiled.

    cd tests
    PYTHONPATH=.. python -m goldens.regenerate            # compare every file with this TensorFlow
    PYTHONPATH=.. python -m goldens.regenerate --write    # store what this TensorFlow gives
    PYTHONPATH=.. python -m goldens.regenerate --new OP DTYPE VARIANT FILE NOTE

The last records a new file, from random inputs; VARIANT is JSON, with the sizes and attributes as
`rnn_compiler.build` takes them. It runs all steps, so that TensorFlow leaves no row uninitialised.

Numbers that differ in the last bits are no surprise: TensorFlow chooses its kernels by the CPU.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from goldens.golden import FOLDER, Arrays, Golden, read_goldens
from numeric.harness import draw, module

from rnn_compiler.schema.tensors import DIMENSIONS


def run_tensorflow(golden: Golden) -> Arrays:
    """The results of TensorFlow's kernel on the inputs of a golden file, 0 where uninitialised."""
    import tensorflow as tf

    op = getattr(tf.raw_ops, golden.op)
    inputs = {name: tf.constant(array) for name, array in golden.inputs.items()}
    with tf.device("CPU"):
        results = op(**inputs, **golden.passed_attributes)
    return golden.filled({name: value.numpy() for name, value in results._asdict().items()}, 0.0)


def write(golden: Golden, outputs: Arrays) -> None:
    """Writes a golden file with these results."""
    import tensorflow as tf

    meta = {**golden.meta, "tf_version": tf.__version__, "device": "CPU"}
    attributes = {k: np.float32(v) if type(v) is float else v for k, v in meta["attrs"].items()}
    arrays = {**golden.inputs, **attributes, **golden.filled(outputs, np.nan)}
    np.savez_compressed(golden.path, **arrays, meta=json.dumps(meta))


def new(op: str, dtype: str, variant: dict[str, Any], path: Path, note: str) -> Golden:
    """A golden file with random inputs and no results yet."""
    spec = module(op, dtype, variant).functions[0]
    inputs = draw(op, dtype, variant, seed=len(read_goldens()), scale=2.0)
    meta: dict[str, Any] = {
        "op": op,
        "dtype": dtype,
        "attrs": spec.attributes,
        "attrs_passed": [name for name in spec.attributes if name in variant],
        "inputs": list(inputs),
        "outputs": [result.name for result in spec.results],
        "dims": {letter: spec.dims[dim] for letter, dim in DIMENSIONS.items() if dim in spec.dims},
        "note": note,
        "poison": False,
        "undefined_from": {},
    }
    return Golden(path, meta, inputs, {})


def compare(golden: Golden, outputs: Arrays) -> str:
    """How results differ from those stored, in words."""
    stored = golden.filled(golden.outputs, 0.0)
    if all(np.array_equal(stored[name], outputs[name]) for name in stored):
        return "the same bits"
    worst = max(
        np.abs(stored[name].astype(np.float64) - outputs[name]).max(initial=0.0) for name in stored
    )
    return f"at most {worst:.2g} apart"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="store what this TensorFlow gives")
    parser.add_argument(
        "--new", nargs=5, metavar=("OP", "DTYPE", "VARIANT", "FILE", "NOTE"), help="record a file"
    )
    options = parser.parse_args()
    if options.new:
        op, dtype, variant, name, note = options.new
        golden = new(op, dtype, json.loads(variant), FOLDER / name, note)
        write(golden, run_tensorflow(golden))
        return 0
    failures = 0
    for golden in read_goldens():
        outputs = run_tensorflow(golden)
        verdict = compare(golden, outputs)
        try:
            golden.assert_matches(outputs)
        except AssertionError as error:
            failures += 1
            verdict += f", which is too much: {error}"
        print(f"{golden.path.name}: {verdict}")
        if options.write:
            write(golden, outputs)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
