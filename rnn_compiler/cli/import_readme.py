"""The README that `import -o` writes: working code that calls the compiled layers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rnn_compiler.base.files import PAGE_MARK
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.js_compilation import JsModule
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.model_import import Layer
from rnn_compiler.model_import.layer import FOR_TRAINING, STREAMED
from rnn_compiler.runtime.artifact import Artifact, Bundle
from rnn_compiler.runtime.paths import BUNDLE_ARCHIVE, archive_path
from rnn_compiler.runtime.stream_ops import stream_parts
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import FunctionSpec, Manifest, TargetSpec, TensorSpec
from rnn_compiler.schema.open_sizes import OPEN_DIMENSIONS, shown

__all__ = ["Imported", "c_readme", "js_call", "js_readme", "readme", "target_text"]

_PORTABLE = "x86-64-v3"
"""The x86-64 level that most machines have."""

_TELLING = "avx512f"
"""The feature that older machines most often lack."""


@dataclass(frozen=True)
class Imported:
    """Layers of models, and their functions.

    Attributes:
        models: The names of the models' files.
        layers: The layers.
        functions: The function of each.
        apart: Whether the weights are in separate files.
    """

    models: Sequence[str]
    layers: Sequence[Layer]
    functions: Sequence[FunctionSpec]
    apart: bool

    @property
    def open_dims(self) -> dict[str, int]:
        """The sizes that are open in any function, with examples of them."""
        examples = {dim: n for f in self.functions for dim, n in f.example_sizes.items()}
        return {dim: examples[dim] for dim in OPEN_DIMENSIONS if dim in examples}

    def has_file(self, layer: Layer) -> bool:
        """Whether the weights of a layer are in a file of their own."""
        return self.apart and bool(layer.weights)


def readme(made: Imported, result: Artifact | Bundle, name: str) -> str:
    """How to call the compiled layers, from Python and with IREE's own tool.

    Args:
        made: The layers.
        result: The artifact or bundle.
        name: Its file or folder.
    """
    artifacts = [result] if isinstance(result, Artifact) else result.artifacts
    lines = [
        *_head(made, name, [each.manifest.target for each in artifacts], _where(made, name)),
        "",
        "```python",
        "import numpy as np",
        "import rnn_compiler as rc",
    ]
    if any(spec.dtype == "bfloat16" for spec in made.functions):
        lines.append("from ml_dtypes import bfloat16")
    lines += ["", f'program = rc.runtime.load("{name}")']
    lines += [f"{dim} = {size}  # open: any size works" for dim, size in made.open_dims.items()]
    lines.append("```")
    for layer, spec in zip(made.layers, made.functions, strict=True):
        lines += _section(made, layer, spec)
        if isinstance(result, Artifact):
            lines += _iree(result.manifest, spec, name)
    first, layer = made.functions[0], made.layers[0]
    inputs = f" {first.function}.npz" if made.has_file(layer) else ""
    sizes = ",".join(f"{dim}={size}" for dim, size in first.example_sizes.items())
    dims = f" --dim {sizes}" if sizes else ""
    command = f"rnn-compiler run {name}{inputs} --function {first.function} --random{dims}"
    lines += ["", "## On the command line", "", "With random input:", "", "```sh", command, "```"]
    return "\n".join(lines) + "\n"


def c_readme(made: Imported, name: str, target: TargetSpec) -> str:
    """How to call the compiled layers from C.

    Args:
        made: The layers.
        name: The prefix of the C files.
        target: The target they were compiled for.
    """
    where = "Weights are arguments." if made.apart else f"Weights are constants in `{name}.o`."
    if made.apart and any(layer.weights for layer in made.layers):
        where = "Weights are arguments; their values are in `FUNCTION.npz`."
    lines = [*_head(made, f"{name}.h", [target], where), ""]
    build = f"cc main.c {name}.c {name}.o -o main"
    lines += [f"`{name}.h` documents each function, and begins with a program that calls one:"]
    lines += ["", "```sh", build, "```"]
    for layer, spec in zip(made.layers, made.functions, strict=True):
        lines += ["", f"## `{spec.function}`", "", _use(layer, spec)]
        limited = [each for each in layer.signature.arguments if each.shape and each.maximum]
        lines += [f"`{m.name}`: {m.doc}. A row with 0 has no step." for m in limited]
        states = _states(spec)
        if states:
            lines += ["", "No state is kept between calls. For a sequence in chunks, pass:", ""]
            lines += [
                f"- as `{state}`, the previous call's `{result}`"
                + ("" if _is_whole(spec, state, result) else " at its last step")
                for state, result in states.items()
            ]
        lines += _around(layer, spec)
    return "\n".join(lines) + "\n"


def js_readme(made: Imported, module: JsModule) -> str:
    """How to call the compiled layers from JavaScript.

    Args:
        made: The layers.
        module: The module in JavaScript.
    """
    where = f"Weights are constants in `{module.name}.wasm`."
    if made.apart:
        where = "Weights are arguments."
    target = resolve_target(module.manifest["target"]["name"])
    lines = _head(made, f"{module.name}.mjs", [target], where)
    for layer, spec in zip(made.layers, made.functions, strict=True):
        lines += ["", f"## `{spec.function}`", "", _use(layer, spec), ""]
        lines += js_call(module.name, spec)
        if _states(spec):
            chunk, _ = stream_parts(spec)
            one = f"m.{spec.function}"
            passed = ", ".join(f"{name}: given.{name}" for name in _taken_once(spec))
            lines += ["", f"`{one}` keeps no state between calls. For a sequence in chunks, use "]
            lines[-1] += f"`{one}.stream`, which does:"
            lines += ["", "```js", f"const stream = {one}.stream({{ {passed} }});"]
            lines += [f"stream({{ {chunk}: given.{chunk} }}); // a chunk"]
            lines += [f"stream({{ {chunk}: given.{chunk} }}); // continues where it ended", "```"]
        lines += _around(layer, spec)
    return "\n".join(lines) + "\n"


def js_call(name: str, spec: FunctionSpec) -> list[str]:
    """A fenced block of JavaScript that calls a function of `name.mjs` with zeros."""
    lines = ["```js", f'import {{ load }} from "./{name}.mjs";', "", "const m = await load();"]
    examples = spec.example_sizes.items()
    lines += [f"const {dim} = {size}; // open: any size works" for dim, size in examples]
    lines += ["const given = {"]
    arrays: dict[str, list[str]] = {}
    for each in spec.arguments:
        if not _is_implied(each):
            arrays.setdefault(each.keyword, []).append(_js_array(each))
    lists = {each.list for each in spec.arguments}
    for key, each in arrays.items():
        value = f"[{', '.join(each)}]" if key in lists else each[0]
        lines.append(f"  {key}: {value},")
    lines += ["};", f"const out = m.{spec.function}(given);"]
    return [*lines, *(f"// out.{each.keyword}: {each}" for each in spec.results), "```"]


def _js_array(tensor: TensorSpec) -> str:
    """An argument as JavaScript: zeros, or the maximum length."""
    value = tensor.maximum or tensor.default or 0
    if not tensor.shape:
        return str(value)
    array = f"new {DTYPES[tensor.dtype].javascript}({' * '.join(map(str, tensor.shape))})"
    return f"{array}.fill({value})" if value else array


def _head(made: Imported, name: str, targets: Sequence[TargetSpec], where: str) -> list[str]:
    """The title, the functions, and the machines that they run on."""
    title = f"# {', '.join(map(_plain, made.models))}"
    lines = [
        *(PAGE_MARK, "", title, ""),
        f"`{name}` contains the recurrent layers, one function each. {where}",
        "",
        *map(target_text, targets),
        "",
        "| function | layer | op | dtype | sizes |",
        "|---|---|---|---|---|",
    ]
    for layer, spec in zip(made.layers, made.functions, strict=True):
        sizes = ", ".join(f"{dim} {shown(size)}" for dim, size in spec.dims.items())
        cells = (f"`{spec.function}`", _plain(layer.name), layer.op, spec.dtype, sizes)
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def target_text(target: TargetSpec) -> str:
    """Describes a target in a sentence or two, and suggests a wider one if it is too narrow.

    Example:
        >>> target_text(TargetSpec("cpu:x86-64-v3", "local", "x86_64", ("avx2",)))
        'Compiled for `cpu:x86-64-v3`.'
    """
    if target.device != "local" or target.name != "cpu":
        return f"Compiled for `{target.name}`."
    levels = ARCHITECTURES[target.architecture].levels
    advice = _PORTABLE if _PORTABLE in levels else target.architecture
    beyond = sorted({*target.features} - {*levels.get(advice, ())})
    needs = ""
    if beyond:
        one = _TELLING if _TELLING in beyond else beyond[0]
        needs = f": {len(beyond)} of its CPU features, such as {one}, are not in {advice}"
    return (
        f"Compiled for `cpu`, the {target.architecture} processor of the machine that compiled it"
        f"{needs}. For other machines compile with `--target cpu:{advice}`."
    )


def _section(made: Imported, layer: Layer, spec: FunctionSpec) -> list[str]:
    """A function: a call, a stream of chunks, and what the model does around it."""
    one = f"program.{spec.function}"
    streaming = "program" if len(made.functions) == 1 else one
    lines = ["", f"## `{spec.function}`", "", _use(layer, spec), "", "```python", "given = {"]
    lines += _passed(made, layer, spec)
    lines.append("}")
    if made.has_file(layer):
        lines += _loaded(spec)
    lines.append(f"out = {one}(**given)")
    lines += [f"# out.{r.keyword}: {r.dtype} {_listed(r.shape)}" for r in spec.results]
    lines.append("```")
    states = _states(spec)
    if states:
        lines += ["", *_stream(spec, one, streaming)]
    return [*lines, *_around(layer, spec, streaming)]


def _use(layer: Layer, spec: FunctionSpec) -> str:
    """A function's purpose."""
    docs = f"{spec.op}: {layer.signature.summary}."
    if "is_training" not in spec.attributes:
        return docs
    if spec.attributes["is_training"]:
        return f"{docs} For training; `--attr is_training=false` makes one for inference."
    return f"{docs} For inference."


def _given(made: Imported, layer: Layer, spec: FunctionSpec) -> list[TensorSpec]:
    """The arguments that a caller passes."""
    weights = set(layer.weights) if made.apart else set[str]()
    return [a for a in spec.arguments if a.name not in weights and not _is_implied(a)]


def _is_implied(tensor: TensorSpec) -> bool:
    """Whether an argument is optional and usually omitted: it is not read, or a scalar."""
    return tensor.default is not None and (tensor.ignored or not tensor.shape)


def _passed(made: Imported, layer: Layer, spec: FunctionSpec) -> list[str]:
    """The arguments as lines of a dict, each with a description."""
    docs = {tensor.name: tensor.doc for tensor in layer.signature.arguments}
    arrays: dict[str, list[str]] = {}
    lists: set[str] = set()
    for tensor in _given(made, layer, spec):
        arrays.setdefault(tensor.keyword, []).append(_array(tensor))
        lists |= {tensor.list}
    lines: list[str] = []
    for name, each in arrays.items():
        value = f"[{', '.join(each)}]" if name in lists else each[0]
        lines.append(f'    "{name}": {value},' + (f"  # {docs[name]}" if docs.get(name) else ""))
    return lines


def _array(tensor: TensorSpec) -> str:
    """An argument as a Python expression: zeros, or the maximum length."""
    dtype = tensor.dtype if tensor.dtype == "bfloat16" else f"np.{tensor.dtype}"
    value = tensor.maximum or tensor.default or 0
    if not tensor.shape:
        return f"{dtype}({value})"
    shape = str(tensor.shape[0])
    if len(tensor.shape) > 1:
        shape = f"({', '.join(map(str, tensor.shape))})"
    return f"np.full({shape}, {value}, {dtype})" if value else f"np.zeros({shape}, {dtype})"


def _loaded(spec: FunctionSpec) -> list[str]:
    """Lines that add the weights of a file."""
    file = f'np.load("{spec.function}.npz")'
    if spec.dtype == "bfloat16":  # the file has its bits
        return [f"given |= {{name: bits.view(bfloat16) for name, bits in {file}.items()}}"]
    return [f"given |= {file}"]


def _stream(spec: FunctionSpec, one: str, name: str) -> list[str]:
    """Calls that continue where the last one ended."""
    chunk, _ = stream_parts(spec)
    passed = ", ".join(f'{each}=given["{each}"]' for each in _taken_once(spec))
    return [
        f"`{one}` keeps no state between calls. For a sequence in chunks, use "
        f"`{name}.stream`, which does:",
        "",
        "```python",
        f"stream = {name}.stream({passed})",
        f'out = stream({chunk}=given["{chunk}"])  # a chunk',
        f'out = stream({chunk}=given["{chunk}"])  # the next one continues where it ended',
        "stream.reset()  # before another sequence",
        "```",
    ]


def _taken_once(spec: FunctionSpec) -> list[str]:
    """The arguments that a stream takes once: states and weights."""
    chunk, _ = stream_parts(spec)
    changing = {chunk, *(each.name for each in spec.arguments if each.maximum is not None)}
    return [a.name for a in spec.arguments if a.name not in changing and not _is_implied(a)]


def _states(spec: FunctionSpec) -> Mapping[str, str]:
    """The results that hold the state after a call, by argument; empty if there is no state."""
    try:
        return stream_parts(spec)[1]
    except UnsupportedError:
        return {}


def _is_whole(spec: FunctionSpec, state: str, result: str) -> bool:
    """Whether a result can be passed unchanged as the next call's state."""
    shapes = {each.name: each.shape for each in (*spec.arguments, *spec.results)}
    return shapes[state] == shapes[result]


def _iree(manifest: Manifest, spec: FunctionSpec, name: str) -> list[str]:
    """A call with IREE's own tool, which reads and writes numpy files."""
    tensors = (*spec.arguments, *spec.results)
    if any(each.list or each.dtype == "bfloat16" for each in tensors):
        return []  # numpy files do not support bfloat16
    files = {a.name: f"{spec.function}.{a.name}.npy" for a in spec.arguments if not _is_implied(a)}
    results = {each.name: f"{spec.function}.{each.name}.npy" for each in spec.results}
    states = {state: r for state, r in _states(spec).items() if _is_whole(spec, state, r)}
    results |= {result: files[state] for state, result in states.items()}
    command = manifest.run_command(
        spec,
        name,
        archive_path(Path(name)).name,
        inputs={name: f"@{file}" for name, file in files.items()},
        outputs=[f"@{results[each.name]}" for each in spec.results],
    )
    again = ""
    if states:
        again = " It writes the state to the files it was read from, so a second run continues."
    return [
        "",
        f"With IREE's own tool, which reads the arguments from files.{again}",
        "",
        "```python",
        "for name, array in given.items():",
        f'    np.save(f"{spec.function}.{{name}}.npy", array)',
        "```",
        "",
        "```sh",
        command,
        "```",
    ]


def _around(layer: Layer, spec: FunctionSpec, program: str = "") -> list[str]:
    """What the model does around a function."""
    trained = spec.attributes.get("is_training")
    notes = [note for note in layer.notes if trained or note != FOR_TRAINING]
    streamed = STREAMED.replace("program", program) if program else ""
    notes = [note.replace(STREAMED, streamed) for note in notes]
    if not notes:
        return []
    return ["", "In the model:", "", *(f"- {_plain(note)}" for note in notes)]


def _listed(shape: Sequence[object]) -> str:
    """A shape, with the formulas of open sizes."""
    return f"[{', '.join(map(str, shape))}]"


def _where(made: Imported, name: str) -> str:
    """Where the weights are."""
    if not any(layer.weights for layer in made.layers):
        return "It takes all weights as arguments."
    if made.apart:
        return "Weights are in `FUNCTION.npz`."
    if not name.endswith(".vmfb"):
        return f"Weights are in `{name}/{BUNDLE_ARCHIVE}`."
    return f"Weights are in `{archive_path(Path(name))}`, which must stay next to `{name}`."


def _plain(text: str) -> str:
    """A text from a model without characters that are special in Markdown or a terminal."""
    return re.sub(r"[^\w .,;:=()\[\]'/+-]", "?", text)
