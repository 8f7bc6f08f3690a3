"""Runs as a separate process: reads an ONNX model and writes it as a linalg module.

The libraries that read models are written in C++ and trust their input: a damaged file can crash or
hang the process. The parent detects both (`process`), and the system limits time and memory.

    python worker.py FOLDER

The folder has ``request.json``, with the ``path`` and ``size`` of the file, the ``name`` of the
module, ``dims``, and the options of a ``training`` step or null, and ``values.npz``, the arrays of
fixed inputs. The process writes ``module.mlir``, ``arrays.npz`` with the arrays ``a0``, ``a1``, ..,
and ``facts.json``. Its ``functions`` have the names of inputs and outputs in the function's order,
with what they are called, weights, unsigned dtypes, the ranges of positions, and the shapes that
depend on open axes. The names of these are there too, and the first values of the ``states`` of a
training step; or it has the error. Of an array there is the number and the dtype, of which an npz
loses bfloat16. Before IREE's importer begins, the process writes ``operators.json``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rnn_compiler.base.systems import limit_process

if TYPE_CHECKING:
    from rnn_compiler.errors import RnnCompilerError

SPARE_MEMORY = 3 << 30
SECONDS = 120
BYTES_A_SECOND = 2_000_000


def main(folder: Path) -> int:
    """Imports the model of a request within limits derived from its size."""
    request: dict[str, Any] = json.loads((folder / "request.json").read_text())
    path = Path(request["path"])
    size: int = request["size"]
    limit_process(SPARE_MEMORY + 16 * size, SECONDS + size // BYTES_A_SECOND)
    from rnn_compiler.base.installation import import_failure
    from rnn_compiler.errors import RnnCompilerError

    try:
        facts = imported(path, request, folder)
    except RnnCompilerError as error:
        facts = reported(error)
    except ImportError as error:
        facts = reported(import_failure(error, error.name or "a module", extra="import"))
    except OSError as error:
        facts = {"unreadable": [error.errno, error.strerror, error.filename]}
    except (MemoryError, RecursionError) as error:
        facts = {"exceeded": type(error).__name__}
    except Exception as error:
        facts = {"defect": f"{type(error).__name__}: {error}"}
    (folder / "facts.json").write_text(json.dumps(facts))
    return 0


def reported(error: RnnCompilerError) -> dict[str, Any]:
    """An error that the parent raises again."""
    return {"error": type(error).__name__, "arguments": error.__reduce__()[1]}


def imported(path: Path, request: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Imports a model; returns facts about it."""
    import numpy as np

    from rnn_compiler.lowering.networks.from_onnx import linalg_of_onnx
    from rnn_compiler.lowering.networks.loop_rows import LoopRows
    from rnn_compiler.network_import.graph import Graph
    from rnn_compiler.network_import.graph.axes import open_axes
    from rnn_compiler.network_import.graph.bodies import check_bodies
    from rnn_compiler.network_import.graph.checks import (
        check_fit,
        check_inputs,
        check_operators,
        check_types,
    )
    from rnn_compiler.network_import.graph.equal_axes import check_equal_sizes
    from rnn_compiler.network_import.graph.folding import fold
    from rnn_compiler.network_import.graph.functions import NOT_IN_ONNX
    from rnn_compiler.network_import.graph.gathered_rows import join_gathered_rows
    from rnn_compiler.network_import.graph.open_axes import Opened, leave_open
    from rnn_compiler.network_import.graph.parameters import take_parameters
    from rnn_compiler.network_import.graph.products import plain_products
    from rnn_compiler.network_import.graph.quantized import plain_lstms
    from rnn_compiler.network_import.graph.random_numbers import check_random
    from rnn_compiler.network_import.graph.ranges import ranges_of_positions
    from rnn_compiler.network_import.graph.recurrent import replace_recurrent
    from rnn_compiler.network_import.graph.recurrent_sizes import check_recurrent_sizes
    from rnn_compiler.network_import.graph.reshapes import plain_reshapes
    from rnn_compiler.network_import.graph.scans import rows_of_scans
    from rnn_compiler.network_import.graph.single_units import add_second_units
    from rnn_compiler.network_import.graph.sizes import fix_sizes, fix_values
    from rnn_compiler.network_import.graph.training.step import EntryPoint, trained_network
    from rnn_compiler.network_import.graph.training.trained import check_floats, take_trained
    from rnn_compiler.schema.dtypes import canonical_name
    from rnn_compiler.schema.open_sizes import written

    graph, options = Graph.read(path), request["training"]
    if options:
        check_floats(graph)
    plain_lstms(graph)
    check_operators(graph, also=NOT_IN_ONNX)
    check_inputs(graph)
    with np.load(folder / "values.npz") as values:
        fix_values(graph, dict(values))
    fix_sizes(graph, request["dims"])
    check_fit(graph)
    trained = take_trained(graph, options["train"]) if options else {}
    axes = open_axes(graph)
    if axes:
        opened = leave_open(graph, axes)
    else:
        fold(graph)
        join_gathered_rows(graph)
        opened = Opened({}, {}, {}, graph.shapes(), [])
        check_recurrent_sizes(graph, opened.values)
        check_equal_sizes(graph, opened.values)
    check_operators(graph)
    check_random(graph, trains=bool(options))
    check_types(graph)
    check_bodies(graph)
    dtypes = graph.dtypes()
    ranges = ranges_of_positions(graph, opened.values)
    minima = {key: max(n, ranges.minima.get(key, n)) for key, n in opened.minima.items()}
    states: dict[str, Any] = {}
    if options:
        functions, states = trained_network(graph, opened, trained, options)
    else:
        add_second_units(graph)
        replace_recurrent(graph, axes=opened.axes)
        functions = {"main": EntryPoint.of(graph, opened.shapes)}
    arrays: list[Any] = []

    def stored(given: Mapping[str, Any]) -> list[tuple[str, int, Any]]:
        arrays.extend(given.values())
        numbers = range(len(arrays) - len(given), len(arrays))
        pairs = zip(given.items(), numbers, strict=True)
        return [(name, k, canonical_name(array.dtype)) for (name, array), k in pairs]

    facts: dict[str, Any] = {}
    for function, entry in functions.items():
        plain_products(entry.graph)
        plain_reshapes(entry.graph)
        limits = {**ranges.inputs, **entry.ranges}
        facts[function] = {
            "inputs": [*entry.inputs.items()],
            "outputs": [*entry.outputs],
            "continued": dict(entry.continued),
            "dtypes": dtypes,
            "ranges": {name: [*map(written, range)] for name, range in limits.items()},
            "weights": stored(take_parameters(entry.graph)),
            "shapes": {
                name: [written(size) for size in shape] for name, shape in entry.shapes.items()
            },
        }
    models = {function: entry.graph.model for function, entry in functions.items()}
    operators = sorted({each for entry in functions.values() for each in entry.graph.operators()})
    (folder / "operators.json").write_text(json.dumps(operators))
    name, origins = request["name"], graph.origins
    sources = {axis.key: axis.sources[0] for axis in opened.axes}
    rows = LoopRows(rows_of_scans(graph, opened.values), sources)
    text = linalg_of_onnx(models, name, origins=origins, is_open=graph.is_open, rows=rows)
    (folder / "module.mlir").write_text(text)
    described = {
        "functions": facts,
        "axes": [
            (axis.key, axis.title, minima[axis.key], opened.maxima.get(axis.key))
            for axis in opened.axes
        ],
        "states": stored(states),
    }
    np.savez(folder / "arrays.npz", **{f"a{k}": each for k, each in enumerate(arrays)})
    return described


if __name__ == "__main__":
    sys.path.pop(0)  # this folder, whose modules are not top-level ones
    sys.exit(main(Path(sys.argv[1])))
