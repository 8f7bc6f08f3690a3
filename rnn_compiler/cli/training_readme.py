"""The README that `import --train -o` writes: a loop that trains, in the format's language."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from rnn_compiler.base.files import PAGE_MARK
from rnn_compiler.cli.import_readme import javascript_array, python_array, target_text
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import TargetSpec
from rnn_compiler.schema.open_sizes import is_static
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

RATE = "learning_rate"
"""The argument that is a number of the program's choice."""

_RATE = 0.001


Loop = Callable[[str, FunctionSpec, FunctionSpec], list[str]]
"""The lines of a format that train: of the product's name, the step, and the inference."""


def training_readme(
    title: str,
    name: str,
    file: str,
    loop: Loop,
    functions: Sequence[FunctionSpec],
    targets: Sequence[TargetSpec],
) -> str:
    """How to train with a compiled network, named `name` in `file`, and to run it."""
    train, infer = functions
    lines = [
        *(PAGE_MARK, "", f"# {title}", ""),
        f"`{file}` contains the network as `{infer.function}`, and a step of training as "
        f"`{train.function}`. They share the trained weights, whose first values are in it.",
        *("", *map(target_text, targets), ""),
        *("| | name | type |", "|---|---|---|"),
        *(f"| {kind} | `{each.name}` | {_type(each)} |" for kind, each in _rows(train)),
        *("", *loop(name, train, infer)),
    ]
    return "\n".join(lines) + "\n"


def _rows(train: FunctionSpec) -> list[tuple[str, TensorSpec]]:
    """The arguments, results and states of a step."""
    rows = [("state" if a.name in train.states else "input", a) for a in train.arguments]
    rows += [("output", each) for each in train.results if each.name not in train.states]
    return sorted(rows, key=lambda row: ("input", "output", "state").index(row[0]))


def _type(tensor: TensorSpec) -> str:
    return f"{tensor.dtype}[{','.join(map(str, tensor.shape))}]"


def _passed(spec: FunctionSpec) -> list[TensorSpec]:
    """The arguments that are neither states nor the learning rate; in a mask, everything counts."""
    own = [a for a in spec.arguments if a.name not in spec.states and a.name != RATE]
    return [replace(each, default=1) if each.name == "mask" else each for each in own]


def _sizes(train: FunctionSpec, definition: str) -> list[str]:
    """Definitions of open sizes."""
    sizes = train.example_sizes.items()
    return [definition.format(dim, size, train.works(dim)) for dim, size in sizes]


def python_loop(name: str, train: FunctionSpec, infer: FunctionSpec) -> list[str]:
    """A loop with a session."""
    shown = ", ".join(f'{each.name}=given["{each.name}"]' for each in _passed(infer))
    return [
        *("```python", "import numpy as np", "import rnn_compiler as rc", ""),
        f'session = rc.runtime.load("{name}").session()',
        *_sizes(train, "{} = {}  # open: {}"),
        "given = {",
        *(f'    "{each.name}": {python_array(each)},' for each in _passed(train)),
        "}",
        "for _ in range(10):  # with other batches",
        f"    out = session.{train.function}(**given, {RATE}={_RATE})",
        "    print(float(out.loss))",
        f"out = session.{infer.function}({shown})",
        'session.save("trained.safetensors")  # session.load continues from there',
        "```",
    ]


def javascript_loop(name: str, train: FunctionSpec, infer: FunctionSpec) -> list[str]:
    """A loop with the states of an object."""
    shown = ", ".join(f"{each.name}: given.{each.name}" for each in _passed(infer))
    return [
        *("```js", f'import {{ load }} from "./{name}.mjs";', "", "const m = await load();"),
        f"const {train.function} = m.{train.function}_start();",
        *_sizes(train, "const {} = {}; // open: {}"),
        "const given = {",
        *(f"  {each.name}: {javascript_array(each)}," for each in _passed(train)),
        "};",
        "for (let step = 0; step < 10; step++) {",
        f"  const out = {train.function}({{ ...given, {RATE}: {_RATE} }}); // with other batches",
        "  console.log(out.loss[0]);",
        "}",
        f"const out = {train.function}.{infer.function}({{ {shown} }});",
        *("```", "", _way_back(f"`{train.function}.save()` returns")),
    ]


def c_loop(name: str, train: FunctionSpec, infer: FunctionSpec) -> list[str]:
    """A program; of open sizes the header says what it passes."""
    own = [*_passed(train), *(each for each in train.results if each.name not in train.states)]
    if not all(is_static(*each.shape) for each in own):
        return [
            f"`{name}.h` documents the functions, and begins with a program that calls one. Its "
            "sizes are open: they are members of the arguments."
        ]
    limit = f"{name.upper()}_ALIGNMENT"
    given = [each for each in _passed(train) if each.shape]
    arrays = [*given, *(each for each in train.results if each.name not in train.states)]
    members = [f".{each.name} = {each.name}" for each in given]
    results = [f".{each.name} = {each.name}" for each in arrays if each not in given]
    return [
        *("```c", f'#include "{name}.h"', "#include <stdalign.h>", "#include <stdio.h>", ""),
        *(f"alignas({limit}) static {_c_array(each)};" for each in arrays),
        f"alignas({limit}) static unsigned char scratch[{train.function.upper()}_SCRATCH_SIZE];",
        *(f"static struct {name}_state state;", "", "int main(void)", "{"),
        f"    const struct {train.function}_arguments batch = {{",
        *(f"        {each}," for each in members),
        f"        .{RATE} = {_RATE}f,",
        "    };",
        f"    const struct {train.function}_results results = {{",
        *(f"        {each}," for each in results),
        "    };",
        *("    int code = 0;", ""),
        *(
            f"    for (int k = 0; k < {math.prod(each.static_shape)}; k++)\n"
            f"        {each.name}[k] = {each.example or each.default};"
            for each in given
            if each.example or each.default
        ),
        f"    {name}_initial_state(&state);",
        "    for (int step = 0; step < 10 && !code; step++) { /* with other batches */",
        f"        code = {train.function}(&batch, &results, &state, scratch);",
        '        printf("%g\\n", (double)loss[0]);',
        "    }",
        "    return code;",
        "}",
        *("```", "", "```sh", f"cc main.c {name}.c {name}.o -o main", "```"),
        *("", f"`{infer.function}` takes the same state. `{name}.h` documents both."),
        *("", _way_back(f"`{name}_state_to_block` writes")),
    ]


def _way_back(writer: str) -> str:
    """How the weights that a device has learned get into an ONNX file."""
    return (
        f"{writer} the state as bytes. `session.load` in Python, of the same network as a "
        "`.vmfb`, reads a file of them, and `session.save_onnx` writes the trained network."
    )


def _c_array(tensor: TensorSpec) -> str:
    sizes: Sequence[int] = tensor.static_shape
    return f"{DTYPES[tensor.dtype].c} {tensor.name}[{math.prod(sizes)}]"
