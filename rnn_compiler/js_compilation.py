"""JavaScript: compiles a module for ``cpu:wasm32`` to files for browsers, Node.js and workers.

``NAME.mjs`` is an ES module, ``NAME.wasm`` the compiled code with frozen weights, ``NAME.d.ts``
types for TypeScript, ``NAME.json`` a description. No other tools are needed to make or run them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rnn_compiler.compilation import check_request
from rnn_compiler.errors import InvalidArgumentError, UnsupportedError, describe
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.targets.names import check_format, resolve_target
from rnn_compiler.lowering.targets.strategies import resolve_strategy
from rnn_compiler.modules import Module
from rnn_compiler.runtime.stream_ops import stream_op, stream_parts
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.formats import FORMATS
from rnn_compiler.schema.open_sizes import written
from rnn_compiler.schema.schedule import aligned
from rnn_compiler.schema.specs import FunctionSpec
from rnn_compiler.source_compilation import SourceModule, compile_code

if TYPE_CHECKING:
    from rnn_compiler.lowering.js.source import JsFunction

__all__ = ["WASM", "JsModule", "compile_js"]

WASM = FORMATS["js"].target
"""The target of WebAssembly for every current engine."""


class JsModule(SourceModule):
    """A module as JavaScript.

    Attributes:
        name: The prefix of its files.
        parts: The bytes of each file except the manifest, by file name.
        manifest: The content of ``NAME.json`` as plain data.
    """

    def __repr__(self) -> str:
        return f"JsModule({self.shown}, {len(self.code)} bytes of WebAssembly)"

    @property
    def source(self) -> str:
        """The text of ``NAME.mjs``."""
        return self.text_of(".mjs")

    @property
    def code(self) -> bytes:
        """The bytes of ``NAME.wasm``."""
        return self.parts[f"{self.name}.wasm"]

    @property
    def types(self) -> str:
        """The text of ``NAME.d.ts``."""
        return self.text_of(".d.ts")


def compile_js(
    module: Module,
    target: str = WASM,
    *,
    name: str | None = None,
    strategy: str | None = None,
    timeout: float = iree_compile.DEFAULT_TIMEOUT,
) -> JsModule:
    """Compiles a module to WebAssembly and a JavaScript module that calls it.

    Args:
        module: A module from `build`.
        target: ``"cpu:wasm32"``, or ``"cpu:wasm32,relaxed-simd"`` for engines with fused
            multiplication and addition.
        name: The prefix of the files; default: the module's name, or else the first function's.
        strategy: How to lower it. Leave the default: only code that does not loop on the host can
            become JavaScript.
        timeout: Time limit for the compiler in seconds.

    Raises:
        InvalidArgumentError: The target does not exist, or the name is not valid.
        CompileError: The compiler failed; holds its diagnostics and a saved reproducer.
        OSError: The folder for its temporary files, which ``TMPDIR`` names, is full.
        UnsupportedError: The target is not WebAssembly, the module needs a loop on the host, or the
            compiler is not installed.

    Example:
        >>> from rnn_compiler.modules import build
        >>> module = build("GRUBlockCell", batch_size=2, input_size=3, num_units=4)
        >>> made = compile_js(module, name="cell")
        >>> sorted(made.files)
        ['cell.d.ts', 'cell.json', 'cell.mjs', 'cell.wasm']
    """
    check_request("compile_js", module, timeout)
    from rnn_compiler.lowering.host.states import stored
    from rnn_compiler.lowering.js.linking import link
    from rnn_compiler.lowering.js.source import (
        JsFunction,
        print_module,
        print_types,
        stream_companions,
    )
    from rnn_compiler.schema.identifiers import check_identifier

    if not isinstance(target, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidArgumentError("compile_js", "target", "one target", describe(target))
    name = name or module.name or module.functions[0].function
    check_identifier("compile_js", "name", name)
    resolved = resolve_target(target, "compile_js")
    check_format("compile_js", resolved, "js")
    strategy = resolve_strategy(strategy, resolved, "compile_js")
    code = compile_code(module, resolved, strategy, timeout)
    architecture = ARCHITECTURES[resolved.architecture]
    read, constants = code.read("compile_js", "JavaScript")
    functions: list[JsFunction] = []
    for spec, function in zip(module.functions, read, strict=True):
        stream = _stream(spec)
        companions = {} if isinstance(stream, str) else stream_companions(function)
        functions.append(JsFunction(spec, function, stream, companions))
    first = {state: array.tobytes() for state, array in module.initial.items()}
    initial = stored(first, constants)
    constants += [first[state] for state, number in initial.items() if number is not None]
    _check_starts(module.functions)
    starts, data = _laid_out(constants, architecture.alignment)
    features = [*architecture.baseline, *resolved.features]
    source = print_module(name, functions, starts, features, code.origin, initial)
    digest = hashlib.sha256(code.code.object + data + source.encode()).hexdigest()
    sections = {"rnn_compiler.id": digest.encode()}
    if starts:
        sections["rnn_compiler.constants"] = data
    wasm = link(code.code.object, sections)
    source = print_module(name, functions, starts, features, code.origin, initial, digest)
    types = print_types(name, functions, code.origin, initial)
    parts = {
        f"{name}.mjs": source.encode(),
        f"{name}.wasm": wasm,
        f"{name}.d.ts": types.encode(),
    }
    return JsModule(name, parts, code.manifest("js", name, [*map(_row, functions)], parts))


def _check_starts(functions: Sequence[FunctionSpec]) -> None:
    """Checks that no function has the name by which a session of another starts."""
    names = [spec.function for spec in functions]
    taken = [name for name in names if any(spec.states for spec in functions)]
    for name in names:
        if name.endswith("_start") and name.removesuffix("_start") in taken:
            expected = "a name other than that by which the states of a function start"
            raise InvalidArgumentError("compile_js", "function", expected, repr(name))


def _laid_out(constants: Sequence[bytes], alignment: int) -> tuple[list[int], bytes]:
    """The offset of each constant, and the bytes of all."""
    starts: list[int] = []
    data = bytearray()
    for each in constants:
        data += bytes(aligned(len(data), alignment) - len(data))
        starts.append(len(data))
        data += each
    return starts, bytes(data)


def _stream(spec: FunctionSpec) -> dict[str, Any] | str:
    """How a function takes a sequence in chunks, or the reason why it does not."""
    try:
        op = stream_op(spec)
        chunk, after = stream_parts(spec)
    except UnsupportedError as error:
        return str(error)
    most = spec.dims["seq_length"] if op.steps else 1
    given = {each.name for each in spec.arguments}
    return {
        "chunk": chunk,
        "length": op.length if op.length in given else None,
        "rows": [*op.rows],
        "next": after,
        "axis": spec.time_axis,
        "steps": op.steps,
        "most": most if isinstance(most, int) else None,
    }


def _row(each: JsFunction) -> dict[str, Any]:
    """A function's row in the manifest."""
    spec = each.spec
    return {
        "function": spec.function,
        "op": spec.op,
        "dtype": spec.dtype,
        "dims": spec.json_dims,
        "attributes": spec.json_attributes,
        "frozen": [tensor.name for tensor in spec.frozen],
        "arguments": [_tensor(tensor) for tensor in spec.arguments],
        "results": [_tensor(tensor) for tensor in spec.results],
        **({"states": [*spec.states]} if spec.states else {}),
        "scratch_size": written(each.function.schedule.scratch),
    }


def _tensor(tensor: Any) -> dict[str, Any]:
    shape = [written(size) for size in tensor.shape]
    return {"name": tensor.name, "dtype": tensor.dtype, "shape": shape, "formula": tensor.formula}
