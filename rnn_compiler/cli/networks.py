"""`import --whole`: a whole network as one compiled function, as C or as JavaScript."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rnn_compiler.base import stages
from rnn_compiler.base.files import PAGE_MARK, check_replaceable, made_folder, write_files
from rnn_compiler.c_compilation import compile_c
from rnn_compiler.cli.import_readme import js_call, target_text
from rnn_compiler.cli.modules import only_target
from rnn_compiler.cli.options import UsageError, check_output_folder, pairs
from rnn_compiler.cli.terminal import print_json, print_line, print_table, showing_stages
from rnn_compiler.compilation import ALL_LEVELS, compile
from rnn_compiler.execution import current_target
from rnn_compiler.goldens import golden
from rnn_compiler.js_compilation import compile_js
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.modules import Module
from rnn_compiler.network_import import import_network
from rnn_compiler.runtime.paths import archive_path, golden_path
from rnn_compiler.runtime.stream_ops import likely_states
from rnn_compiler.schema.manifest import FunctionSpec, TensorSpec
from rnn_compiler.schema.open_sizes import json_sizes

__all__ = ["add_whole_options", "import_whole"]


def add_whole_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `import` for whole networks."""
    parser.add_argument(
        "--whole",
        action="store_true",
        help="import the whole network of an .onnx file as one function, not only its recurrent "
        "layers; --dim then gives the size of an axis, such as batch=1, or the shape of an input, "
        "such as x=50x1x8; any in place of a number leaves the axis open",
    )
    parser.add_argument(
        "--value",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="with --whole: inputs that become constants, such as sr=16000",
    )
    parser.add_argument(
        "--state",
        action="append",
        default=[],
        metavar="INPUT=OUTPUT,...",
        help="with --whole: inputs that are states, each with the output that is its next value, "
        "such as state=stateN; program.stream then keeps them between calls",
    )


def import_whole(options: argparse.Namespace) -> int:
    """Imports a network; compiles it if a folder is named."""
    path = _check(options)
    start = time.perf_counter()
    with showing_stages():
        stages.report(f"importing {path.name}")
        module = import_network(
            path,
            dims={key: _size(key, text) for key, text in pairs(options.dim, "--dim")},
            values={key: _number(key, text) for key, text in pairs(options.value, "--value")},
            states=dict(pairs(options.state, "--state")),
            quantize=options.quantize,
        )
        files = [] if options.output is None else _write(options, module)
    seconds = time.perf_counter() - start
    spec = module.functions[0]
    if options.json:
        facts = {"files": [str(each) for each in files], "seconds": seconds, **_facts(module)}
        print_json(facts)
        return 0
    for each in files:
        print_line(str(each))
    print_table(("", "name", "type"), _rows(spec))
    recurrent = ", ".join(each.op for each in module.linked) or "none"
    print_line(f"recurrent layers: {recurrent}; weights: {_weights(module):,} bytes")
    _print_states(spec)
    words = [str(path), "--whole", *(f"--dim={each}" for each in options.dim)]
    words += [f"--value={each}" for each in options.value]
    words += [f"--state={each}" for each in options.state]
    words += [f"--quantize={options.quantize}"] if options.quantize else []
    following = (
        f"less {files[-1]}" if files else f"rnn-compiler import {shlex.join(words)} -o FOLDER"
    )
    if not files and spec.open_dims:
        following += f"  (open, and any size works: {', '.join(spec.open_dims)})"
    print_line(f"{seconds:.2f} s; next: {following}", dim=True)
    return 0


def _print_states(spec: FunctionSpec) -> None:
    """Prints the states that a stream keeps between calls, or may keep if the user says so."""
    kept = _states(spec)
    if kept:
        print_line(f"states that a stream keeps: {_shown(kept)}")
    elif likely := likely_states(spec):
        options = ",".join(f"{before}={after}" for before, after in likely.items())
        print_line(f"of the same type: {_shown(likely)}; if these are states: --state {options}")


def _states(spec: FunctionSpec) -> dict[str, str]:
    """The states of a network, each with the output that holds its next value."""
    return {} if spec.chunked is None else {k: v[0] for k, v in spec.chunked.states.items()}


def _shown(states: Mapping[str, str]) -> str:
    return ", ".join(f"{before} <- {after}" for before, after in states.items())


def _check(options: argparse.Namespace) -> Path:
    """The file of a network; checks that the other options suit it."""
    if len(options.paths) != 1:
        raise UsageError("--whole: one file at a time")
    for flag in ("layer", "attr", "weights_apart"):
        if getattr(options, flag):
            raise UsageError(f"--{flag.replace('_', '-')} is for layers, not for --whole")
    compiling = options.target or options.name or options.golden or options.format != "vmfb"
    if options.output is None and compiling:
        flags = "--target, --format, --golden and --name"
        raise UsageError(f"{flags} are for compiling: name a folder with -o")
    if options.output is not None:
        check_output_folder(options.output)
    return options.paths[0]


def _size(key: str, text: str) -> int | list[int | None] | None:
    """A size, or the sizes of a shape, ``50x1x8``; ``any`` or ``?`` leaves an axis open."""
    try:
        sizes = [None if each in ("any", "?") else int(each) for each in text.split("x")]
    except ValueError:
        expected = "expected a size, 50, or a shape, 50x1x8, or any in place of a number"
        raise UsageError(f"--dim {key}={text}: {expected}") from None
    return sizes if len(sizes) > 1 else sizes[0]


def _number(key: str, text: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise UsageError(f"--value {key}={text}: expected a number")


def _write(options: argparse.Namespace, module: Module) -> list[Path]:
    """Compiles a network and writes it with a README; returns the files, the README last."""
    folder: Path = options.output
    check_replaceable(folder / "README.md")
    files, text, save = _MAKERS[options.format](options, module)
    stages.report(f"writing {folder}")
    with made_folder(folder):
        save()
        write_files((folder / "README.md", text.encode()))
    return [*(each for each in files if each.exists()), folder / "README.md"]


_Made = tuple[list[Path], str, Callable[[], object]]
"""Files, the text of the README, and the function that writes the files."""


def _compiled(options: argparse.Namespace, module: Module) -> _Made:
    """A network as an artifact or bundle."""
    targets: list[str] = options.target or [current_target()]
    one = len(targets) == 1 and targets[0] != ALL_LEVELS
    result = compile(module, targets[0] if one else targets)
    name = options.name or module.name
    path: Path = options.output / (f"{name}.vmfb" if one else name)
    spec = module.functions[0]
    arrays = [
        f"    {each.name}=np.zeros({_python(each)}, np.{each.dtype})," for each in spec.arguments
    ]
    code = ["```python", "import numpy as np", "import rnn_compiler as rc", ""]
    code += [
        f"{axis} = {size}  # open: any size works" for axis, size in spec.example_sizes.items()
    ]
    code += [f'program = rc.runtime.load("{path.name}")', "out = program(", *arrays, ")"]
    code += [*(f"# out.{each.name}: {each}" for each in spec.results), "```"]
    if spec.chunked is not None:
        code += ["", "A stream keeps the state between calls:", "", "```python"]
        chunk = next(each for each in spec.arguments if each.name == spec.chunked.chunk)
        code += ["stream = program.stream()  # the first state is zeros, or passed here by name"]
        code += [
            f"out = stream(np.zeros({_python(chunk)}, np.{chunk.dtype}))  # as often as you like"
        ]
        code += ["stream.reset()  # before another sequence", "```"]
    text = _readme(module, path.name, targets, code)
    samples = golden(module, result) if options.golden else None
    files = [path, archive_path(path), golden_path(path)]
    return files, text, partial(result.save, path, golden=samples)


def _python(tensor: TensorSpec) -> str:
    """A shape as Python code, with names for open sizes."""
    return f"({', '.join(map(str, tensor.shape))}{',' * (len(tensor.shape) == 1)})"


def _compiled_c(options: argparse.Namespace, module: Module) -> _Made:
    """A network as C."""
    target = only_target(options)
    samples = golden(module, target) if options.golden else None
    made = compile_c(module, target, name=options.name, prefix=options.prefix, golden=samples)
    files = [options.output / file for file in made.files]
    name = made.name
    code = [f"`{name}.h` documents the function, and begins with a program that calls it:", ""]
    code += ["```sh", f"cc main.c {name}.c {name}.o -o main", "```"]
    states = _states(module.functions[0])
    if states:
        code += ["", "No state is kept between calls. For the next chunk, pass:", ""]
        code += [
            f"- as `{state}`, the previous call's `{result}`" for state, result in states.items()
        ]
    text = _readme(module, f"{name}.h", [target], code)
    return files, text, partial(made.save, options.output)


def _compiled_js(options: argparse.Namespace, module: Module) -> _Made:
    """A network as JavaScript."""
    target = only_target(options)
    made = compile_js(module, target, name=options.name)
    files = [options.output / file for file in made.files]
    text = _readme(module, f"{made.name}.mjs", [target], js_call(made.name, module.functions[0]))
    return files, text, partial(made.save, options.output)


_MAKERS = {"vmfb": _compiled, "c": _compiled_c, "js": _compiled_js}
"""The function that makes each format."""


def _readme(module: Module, name: str, targets: Sequence[str], code: Sequence[str]) -> str:
    """Describes the compiled network, its machines, and how to call it."""
    known = [resolve_target(each) for each in targets if each != ALL_LEVELS]
    lines = [
        PAGE_MARK,
        "",
        f"# {module.name}",
        "",
        f"`{name}` holds the whole network, as one function.",
        "",
    ]
    lines += [*map(target_text, known), "", "| | name | type |", "|---|---|---|"]
    lines += [f"| {kind} | `{each}` | {text} |" for kind, each, text in _rows(module.functions[0])]
    return "\n".join([*lines, "", *code]) + "\n"


def _rows(spec: FunctionSpec) -> list[tuple[str, str, str]]:
    """The arguments and results of a function."""
    kinds = {"input": spec.arguments, "output": spec.results}
    return [
        (kind, each.name, f"{each.dtype}[{','.join(map(str, each.shape))}]")
        for kind, tensors in kinds.items()
        for each in tensors
    ]


def _weights(module: Module) -> int:
    arrays: list[Any] = list(module.parameters.values())
    return sum(array.nbytes for array in arrays)


def _facts(module: Module) -> dict[str, Any]:
    """A network as plain data."""

    def listed(tensors: Sequence[TensorSpec]) -> list[dict[str, Any]]:
        return [
            json_sizes({"name": t.name, "dtype": t.dtype, "shape": t.shape}, ()) for t in tensors
        ]

    spec = module.functions[0]
    return {
        "name": module.name,
        "inputs": listed(spec.arguments),
        "outputs": listed(spec.results),
        "states": _states(spec),
        "likely_states": likely_states(spec),
        "recurrent": [each.op for each in module.linked],
        "weights": _weights(module),
    }
