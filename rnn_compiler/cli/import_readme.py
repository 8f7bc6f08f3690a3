"""The README that `import -o` writes: working code that calls the compiled layers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rnn_compiler.base.files import PAGE_MARK
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.model_import import Layer
from rnn_compiler.model_import.layer import FOR_TRAINING, STREAMED
from rnn_compiler.runtime.paths import BUNDLE_ARCHIVE, archive_path
from rnn_compiler.runtime.stream_ops import stream_parts
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import Manifest, TargetSpec
from rnn_compiler.schema.open_sizes import OPEN_DIMENSIONS, names_in, shown
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

__all__ = [
    "CLanguage",
    "ImportedFunctions",
    "JsLanguage",
    "Language",
    "javascript_array",
    "python_array",
    "readme",
    "target_text",
    "tensor_rows",
]

_PORTABLE = "x86-64-v3"
"""The x86-64 level that most machines have."""

_TELLING = "avx512f"
"""The feature that older machines most often lack."""


@dataclass(frozen=True)
class ImportedFunctions:
    """Functions made of models: their layers, or a whole network.

    Attributes:
        models: The names of the models' files.
        functions: The functions, with the names that they have in the format.
        layers: The layer of each; None for a whole network.
        apart: Whether the weights are in separate files.
    """

    models: Sequence[str]
    functions: Sequence[FunctionSpec]
    layers: Sequence[Layer | None]
    apart: bool = False

    @property
    def open_dims(self) -> dict[str, int]:
        """The sizes that are open in any function, with examples of them."""
        examples = {dim: n for f in self.functions for dim, n in f.example_sizes.items()}
        known = [dim for dim in OPEN_DIMENSIONS if dim in examples]
        return {dim: examples[dim] for dim in (*known, *examples)}

    def has_file(self, layer: Layer | None) -> bool:
        """Whether the weights of a layer are in a file of their own."""
        return self.apart and layer is not None and bool(layer.weights)


def readme(
    made: ImportedFunctions,
    language_of: type[Language],
    name: str,
    targets: Sequence[TargetSpec],
    manifest: Manifest | None = None,
) -> str:
    """How to call the compiled functions, in the format's language."""
    language = language_of(made, name, manifest)
    lines = [*_head(made, language, targets), *language.opening()]
    for layer, spec in zip(made.layers, made.functions, strict=True):
        if layer is not None:
            lines += ["", f"## `{spec.function}`", "", _use(layer, spec)]
        lines += language.call(layer, spec)
        if _states(spec):
            lines += language.chunks(spec)
        if layer is not None:
            lines += _around(layer, spec, language.program(spec))
        lines += language.by_tool(spec)
    return "\n".join([*lines, *language.closing()]) + "\n"


class Language:
    """The parts of a README that depend on the format; this one is Python's."""

    def __init__(self, made: ImportedFunctions, name: str, manifest: Manifest | None) -> None:
        self.made = made
        self.name = name
        self.manifest = manifest

    @property
    def title(self) -> str:
        """The file or folder that has the functions."""
        return self.name

    def where(self) -> str:
        """Where the weights are."""
        if not any(spec.frozen for spec in self.made.functions):
            if any(map(self.made.has_file, self.made.layers)):
                return "Weights are in `FUNCTION.npz`."
            return "It takes all weights as arguments."
        if not self.name.endswith(".vmfb"):
            return f"Weights are in `{self.name}/{BUNDLE_ARCHIVE}`."
        archive = archive_path(Path(self.name))
        return f"Weights are in `{archive}`, which must stay next to `{self.name}`."

    def opening(self) -> list[str]:
        """What all calls need."""
        lines = ["", "```python", "import numpy as np", "import rnn_compiler as rc"]
        if any(spec.dtype == "bfloat16" for spec in self.made.functions):
            lines.append("from ml_dtypes import bfloat16")
        lines += ["", f'program = rc.runtime.load("{self.name}")']
        for dim, size in self.made.open_dims.items():
            works = next(f.works(dim) for f in self.made.functions if dim in f.open_dims)
            lines.append(f"{dim} = {size}  # open: {works}")
        return [*lines, "```"]

    def call(self, layer: Layer | None, spec: FunctionSpec) -> list[str]:
        """A call of a function."""
        lines = ["", "```python", "given = {", *_passed(self.made, layer, spec), "}"]
        if self.made.has_file(layer):
            lines += _loaded(spec)
        lines.append(f"out = program.{spec.function}(**given)")
        lines += [f"# out.{r.keyword}: {r.dtype} {_listed(r.shape)}" for r in spec.results]
        return [*lines, "```"]

    def program(self, spec: FunctionSpec) -> str:
        """What has the function's stream; empty if nothing has."""
        return "program" if len(self.made.functions) == 1 else f"program.{spec.function}"

    def chunks(self, spec: FunctionSpec) -> list[str]:
        """Calls that continue where the last one ended."""
        chunk, _ = stream_parts(spec)
        passed = ", ".join(f'{each}=given["{each}"]' for each in _taken_once(spec))
        return [
            "",
            f"`program.{spec.function}` keeps no state between calls. For a sequence in chunks, "
            f"use `{self.program(spec)}.stream`, which does:",
            "",
            "```python",
            f"stream = {self.program(spec)}.stream({passed})",
            f'out = stream({chunk}=given["{chunk}"])  # a chunk',
            f'out = stream({chunk}=given["{chunk}"])  # the next one continues where it ended',
            "stream.reset()  # before another sequence",
            "```",
        ]

    def by_tool(self, spec: FunctionSpec) -> list[str]:
        """A call by another tool, IREE's own."""
        return [] if self.manifest is None else _iree(self.manifest, spec, self.name)

    def closing(self) -> list[str]:
        """A call on the command line."""
        first, layer = self.made.functions[0], self.made.layers[0]
        inputs = f" {first.function}.npz" if self.made.has_file(layer) else ""
        sizes = ",".join(f"{dim}={size}" for dim, size in first.example_sizes.items())
        dims = f" --dim {sizes}" if sizes else ""
        command = f"rnn-compiler run {self.name}{inputs} --function {first.function} --random{dims}"
        return ["", "## On the command line", "", "With random input:", "", "```sh", command, "```"]


class CLanguage(Language):
    """C."""

    @property
    def title(self) -> str:
        """The file or folder that has the functions."""
        return f"{self.name}.h"

    def where(self) -> str:
        """Where the weights are."""
        if any(map(self.made.has_file, self.made.layers)):
            return "Weights are arguments; their values are in `FUNCTION.npz`."
        return "Weights are arguments." if self.made.apart else self.constants()

    def constants(self) -> str:
        """Where frozen weights are."""
        return f"Weights are constants in `{self.name}.o`."

    def opening(self) -> list[str]:
        """What all calls need."""
        build = f"cc main.c {self.name}.c {self.name}.o -o main"
        lines = [
            f"`{self.title}` documents each function, and begins with a program that calls one:"
        ]
        return ["", *lines, "", "```sh", build, "```"]

    def call(self, layer: Layer | None, spec: FunctionSpec) -> list[str]:
        """A call of a function."""
        arguments = () if layer is None else layer.signature.arguments
        limited = [each for each in arguments if each.shape and each.maximum]
        return [f"`{each.name}`: {each.doc}. A row with 0 has no step." for each in limited]

    def program(self, spec: FunctionSpec) -> str:
        """What has the function's stream; empty if nothing has."""
        return ""

    def chunks(self, spec: FunctionSpec) -> list[str]:
        """Calls that continue where the last one ended."""
        last = {True: "", False: " at its last step"}
        return [
            *("", "No state is kept between calls. For a sequence in chunks, pass:", ""),
            *(
                f"- as `{state}`, the previous call's `{result}`"
                + last[_is_whole(spec, state, result)]
                for state, result in _states(spec).items()
            ),
        ]

    def closing(self) -> list[str]:
        """A call on the command line."""
        return []


def _unsaid(spec: FunctionSpec) -> list[str]:
    """The open sizes that the lengths of flat arrays do not say, as JavaScript finds sizes."""
    left = {*spec.open_dims}
    while True:
        one = {
            name
            for tensor in spec.arguments
            if not tensor.ignored and len(names := names_in(*tensor.shape) & left) == 1
            for name in names
        }
        if not one:
            return [name for name in spec.open_dims if name in left]
        left -= one


class JsLanguage(CLanguage):
    """JavaScript."""

    @property
    def title(self) -> str:
        """The file or folder that has the functions."""
        return f"{self.name}.mjs"

    def where(self) -> str:
        """Where the weights are."""
        return "Weights are arguments." if self.made.apart else self.constants()

    def constants(self) -> str:
        """Where frozen weights are."""
        return f"Weights are constants in `{self.name}.wasm`."

    def opening(self) -> list[str]:
        """What all calls need."""
        return []

    def call(self, layer: Layer | None, spec: FunctionSpec) -> list[str]:
        """A call of a function."""
        lines = [f'import {{ load }} from "./{self.name}.mjs";', "", "const m = await load();"]
        examples = spec.example_sizes.items()
        lines += [f"const {dim} = {size}; // open: {spec.works(dim)}" for dim, size in examples]
        lines += ["const given = {"]
        arrays: dict[str, list[str]] = {}
        for each in spec.arguments:
            if not _is_implied(each):
                arrays.setdefault(each.keyword, []).append(javascript_array(each))
        lists = {each.list for each in spec.arguments}
        for key, each in arrays.items():
            listed = ", ".join(each)
            lines.append(f"  {key}: [{listed}]," if key in lists else f"  {key}: {listed},")
        if unsaid := _unsaid(spec):
            lines.append(f"  {', '.join(unsaid)},")
        lines += ["};", f"const out = m.{spec.function}(given);"]
        results = [f"// out.{r.keyword}: {r.dtype} {_listed(r.shape)}" for r in spec.results]
        return ["", "```js", *lines, *results, "```"]

    def chunks(self, spec: FunctionSpec) -> list[str]:
        """Calls that continue where the last one ended."""
        chunk, _ = stream_parts(spec)
        one = f"m.{spec.function}"
        passed = ", ".join(f"{name}: given.{name}" for name in _taken_once(spec))
        return [
            "",
            f"`{one}` keeps no state between calls. For a sequence in chunks, use "
            f"`{one}.stream`, which does:",
            "",
            "```js",
            f"const stream = {one}.stream({{ {passed} }});",
            f"stream({{ {chunk}: given.{chunk} }}); // a chunk",
            f"stream({{ {chunk}: given.{chunk} }}); // continues where it ended",
            "```",
        ]


def javascript_array(tensor: TensorSpec) -> str:
    """An argument as JavaScript: zeros, or the maximum length."""
    value = tensor.example or tensor.default or 0
    if not tensor.shape:
        return str(value)
    kind = DTYPES[tensor.dtype].javascript
    array = f"new {kind}({' * '.join(map(str, tensor.shape))})"
    number = f"{value}n" if kind.startswith("Big") else str(value)
    return f"{array}.fill({number})" if value else array


def _head(made: ImportedFunctions, language: Language, targets: Sequence[TargetSpec]) -> list[str]:
    """The title, the functions, and the machines that they run on."""
    whole = None in made.layers
    contents = "the whole network" if whole else "the recurrent layers, one function each"
    return [
        *(PAGE_MARK, "", f"# {', '.join(map(_plain, made.models))}", ""),
        f"`{language.title}` contains {contents}. {language.where()}",
        *("", *map(target_text, targets), ""),
        *(_tensor_table(made.functions[0]) if whole else _layer_table(made)),
    ]


def tensor_rows(spec: FunctionSpec) -> list[tuple[str, str, str]]:
    """The kind, name and type of each argument and result."""
    kinds = {"input": spec.arguments, "output": spec.results}
    return [
        (kind, each.name, f"{each.dtype}[{','.join(map(str, each.shape))}]")
        for kind, tensors in kinds.items()
        for each in tensors
    ]


def _tensor_table(spec: FunctionSpec) -> list[str]:
    """The arguments and results of a network."""
    rows = [f"| {kind} | `{name}` | {of} |" for kind, name, of in tensor_rows(spec)]
    return ["| | name | type |", "|---|---|---|", *rows]


def _layer_table(made: ImportedFunctions) -> list[str]:
    """The functions of layers, and their sizes."""
    lines = ["| function | layer | op | dtype | sizes |", "|---|---|---|---|---|"]
    for layer, spec in zip(made.layers, made.functions, strict=True):
        sizes = ", ".join(f"{dim} {shown(size)}" for dim, size in spec.dims.items())
        of = _plain(layer.name) if layer else ""
        cells = (f"`{spec.function}`", of, spec.op, spec.dtype, sizes)
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


def _use(layer: Layer, spec: FunctionSpec) -> str:
    """A function's purpose."""
    docs = f"{spec.op}: {layer.signature.summary}."
    if "is_training" not in spec.attributes:
        return docs
    if spec.attributes["is_training"]:
        return f"{docs} For training; `--attr is_training=false` makes one for inference."
    return f"{docs} For inference."


def _given(made: ImportedFunctions, layer: Layer | None, spec: FunctionSpec) -> list[TensorSpec]:
    """The arguments that a caller passes."""
    weights = set(layer.weights) if made.apart and layer else set[str]()
    return [a for a in spec.arguments if a.name not in weights and not _is_implied(a)]


def _is_implied(tensor: TensorSpec) -> bool:
    """Whether an argument is optional and usually omitted: it is not read, or a scalar."""
    return tensor.default is not None and (tensor.ignored or not tensor.shape)


def _passed(made: ImportedFunctions, layer: Layer | None, spec: FunctionSpec) -> list[str]:
    """The arguments as lines of a dict, each with a description."""
    described = () if layer is None else layer.signature.arguments
    docs = {tensor.name: tensor.doc for tensor in described}
    arrays: dict[str, list[str]] = {}
    lists: set[str] = set()
    for tensor in _given(made, layer, spec):
        arrays.setdefault(tensor.keyword, []).append(python_array(tensor))
        lists |= {tensor.list}
    lines: list[str] = []
    for name, each in arrays.items():
        value = f"[{', '.join(each)}]" if name in lists else each[0]
        lines.append(f'    "{name}": {value},' + (f"  # {docs[name]}" if docs.get(name) else ""))
    return lines


def python_array(tensor: TensorSpec) -> str:
    """An argument as a Python expression: zeros, or the maximum length."""
    dtype = tensor.dtype if tensor.dtype == "bfloat16" else f"np.{tensor.dtype}"
    value = tensor.example or tensor.default or 0
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


def _plain(text: str) -> str:
    """A text from a model without characters that are special in Markdown or a terminal."""
    return re.sub(r"[^\w .,;:=()\[\]'/+-]", "?", text)
