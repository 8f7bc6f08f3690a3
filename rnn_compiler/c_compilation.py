"""C: compiles a module for a target into four files that depend on libc only.

``NAME.h`` and ``NAME.c`` are printed from the compiler's own host program (`lowering.host`);
``NAME.o`` is the compiled code, the same as in an artifact; ``NAME.json``
describes them. They contain nothing of IREE. A golden adds ``NAME_selftest.c``.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from rnn_compiler.chosen_target import current_target
from rnn_compiler.compilation import check_request
from rnn_compiler.errors import CompileWarning, InvalidArgumentError, describe
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.targets.names import check_format, resolve_target
from rnn_compiler.lowering.targets.strategies import resolve_strategy
from rnn_compiler.modules import Module
from rnn_compiler.runtime.golden import TOLERANCES, Golden
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.open_sizes import json_sizes
from rnn_compiler.schema.specs import FunctionSpec, open_sizes_of, states_of
from rnn_compiler.source_compilation import SourceModule, compile_code

if TYPE_CHECKING:
    from rnn_compiler.lowering.c.interface import CFunction, Member
    from rnn_compiler.lowering.c.library import Library
    from rnn_compiler.lowering.c.selftest import Samples

__all__ = ["CModule", "compile_c"]


# Prefixes C function names with the module's name, so that two modules can be linked together.


def prefixed(module: Module, name: str) -> tuple[Module, Mapping[str, str]]:
    """A module whose function names have a prefix, and the new names by the old ones.

    A function whose name is or begins with the prefix keeps its name.

    Example:
        >>> from rnn_compiler.modules import build
        >>> module = build("GRUBlockCell", batch_size=2, input_size=3, num_units=4)
        >>> prefixed(module, "encoder")
        (Module(encoder_gru_block_cell), {'gru_block_cell': 'encoder_gru_block_cell'})
    """
    names = {spec.function: _prefixed(spec.function, name) for spec in module.functions}
    return module.renamed(names), names


def without_main(module: Module, name: str) -> tuple[Module, Mapping[str, str]]:
    """A module whose function ``main``, if any, is named like the module.

    Args:
        module: The module.
        name: Its name in C, where ``main`` is the program's.
    """
    names = {spec.function: spec.function for spec in module.functions}
    if "main" not in names or name in names:
        return module, names
    names["main"] = name
    return module.renamed(names), names


def _prefixed(function: str, name: str) -> str:
    if function == "main":
        return name
    own = function == name or function.startswith(f"{name}_")
    return function if own else f"{name}_{function}"


class CModule(SourceModule):
    """A module as C.

    Attributes:
        name: The prefix of its files and symbols.
        parts: The bytes of each file except the manifest, by file name.
        manifest: The content of ``NAME.json`` as plain data.
    """

    def __repr__(self) -> str:
        return f"CModule({self.shown}, {len(self.object)} bytes of code)"

    @property
    def header(self) -> str:
        """The text of ``NAME.h``, which documents every function."""
        return self.text_of(".h")

    @property
    def source(self) -> str:
        """The text of ``NAME.c``."""
        return self.text_of(".c")

    @property
    def object(self) -> bytes:
        """The bytes of ``NAME.o``."""
        return self.parts[f"{self.name}.o"]

    @property
    def selftest(self) -> str:
        """The text of ``NAME_selftest.c``; empty without a golden."""
        return self.text_of("_selftest.c")


def compile_c(
    module: Module,
    target: str | None = None,
    *,
    name: str | None = None,
    prefix: bool = False,
    strategy: str | None = None,
    golden: Golden | None = None,
    timeout: float = iree_compile.DEFAULT_TIMEOUT,
) -> CModule:
    """Compiles a module to C: a header, a source file and an object that depend on libc only.

    Args:
        module: A module from `build`.
        target: A CPU, ``"cpu"``, ``"cpu:x86-64-v3"``, ...; default: as for `compile`.
        name: The prefix of files and symbols; default: the module's name, or else the first
            function's. Two modules in one program need different names.
        prefix: Whether to prefix function names as well, ``encoder_cudnn_rnn_v3``, so that modules
            with functions of the same name can be linked into one program.
        strategy: How to lower it. Leave the default: only code that does not loop on the host can
            become C.
        golden: Samples from `golden` for the module and the target. They add a file,
            ``NAME_selftest.c``, which runs the functions on the target and compares the results.
        timeout: Time limit for the compiler in seconds.

    Raises:
        InvalidArgumentError: The target does not exist, the name is not valid in C, or the golden
            is another module's or too large for a source file.
        CompileError: The compiler failed; holds its diagnostics and a saved reproducer.
        OSError: The folder for its temporary files, which ``TMPDIR`` names, is full.
        UnsupportedError: The target is not a CPU, the module needs a loop on the host, or the
            compiler is not installed.

    Example:
        >>> from rnn_compiler.modules import build
        >>> module = build("GRUBlockCell", batch_size=2, input_size=3, num_units=4)
        >>> made = compile_c(module, "cpu:generic", name="cell")
        >>> sorted(made.files)
        ['cell.c', 'cell.h', 'cell.json', 'cell.o']
        >>> "int gru_block_cell(const struct gru_block_cell_arguments *arguments" in made.header
        True
    """
    check_request("compile_c", module, timeout)
    from rnn_compiler.lowering.c.interface import check_file_name

    if target is not None and not isinstance(target, str):  # pyright: ignore
        raise InvalidArgumentError("compile_c", "target", "one target", describe(target))
    if name is None:
        name = module.name or module.functions[0].function
    name = check_file_name(name)
    resolved = resolve_target(current_target() if target is None else target, "compile_c")
    check_format("compile_c", resolved, "c")
    _warn_of_zeros(module)
    samples = None if golden is None else _samples(module, golden)
    module, names = (prefixed if prefix else without_main)(module, name)
    samples = samples and samples.renamed(names)
    strategy = resolve_strategy(strategy, resolved, "compile_c")
    code = compile_code(module, resolved, strategy, timeout)
    from rnn_compiler.lowering.c.library import make_library

    library = make_library(
        *(name, *code.read("compile_c", "C"), code.code.object, resolved, code.origin, samples),
        code.code.stack_usage,
        {state: array.tobytes() for state, array in module.initial.items()},
    )
    parts = _parts(name, library)
    manifest = code.manifest(
        *("c", name, _functions(module, library, code.packed), parts),
        alignment=ARCHITECTURES[resolved.architecture].alignment,
        flash_size=library.flash,
        **({"state": state} if (state := _state(library)) else {}),
        golden=golden and {"computed_by": golden.computed_by, "file": f"{name}_selftest.c"},
    )
    return CModule(name, parts, manifest)


def _warn_of_zeros(module: Module) -> None:
    """Says which states are zeros at first because only others have first values."""
    lacking = [name for name in states_of(module.functions) if name not in module.initial]
    if module.initial and lacking:
        warnings.warn(
            f"compile_c: no first value was given for the states {', '.join(lacking)}: "
            "they are zeros at first; store theirs as well: link_module(..., states=...)",
            CompileWarning,
            stacklevel=3,
        )


def _samples(module: Module, golden: object) -> Samples:
    """The content of a golden, if it is the module's."""
    if not isinstance(golden, Golden):
        raise InvalidArgumentError("compile_c", "golden", "samples from `golden`", describe(golden))
    sizes = {spec.function: _sizes(spec, golden) for spec in module.functions if spec.open_dims}
    specs = {spec.function: spec.bound(sizes.get(spec.function, {})) for spec in module.functions}
    if golden.cases.keys() != specs.keys() or not all(
        {name: (a.dtype, a.shape) for name, a in arrays.items()}
        == {each.name: (DTYPES[each.dtype].numpy, each.shape) for each in tensors}
        for function, case in golden.cases.items()
        for arrays, tensors in zip(
            case, (specs[function].arguments, specs[function].results), strict=True
        )
    ):
        expected, got = f"one of {module!r}", f"one of {', '.join(golden.cases)}"
        remedy = "its functions, arguments, dtypes and shapes must be the module's"
        raise InvalidArgumentError("compile_c", "golden", expected, got, remedy)
    from rnn_compiler.lowering.c.selftest import Samples

    samples = Samples(golden.cases, golden.computed_by, TOLERANCES, sizes)
    samples.check_size()
    return samples


def _sizes(spec: FunctionSpec, golden: Golden) -> Mapping[str, int]:
    """The open sizes of a function in a golden, if it has any."""
    arguments, _ = golden.cases.get(spec.function, ({}, {}))
    with contextlib.suppress(InvalidArgumentError):  # the comparison then reports the error
        return open_sizes_of(spec, {name: array.shape for name, array in arguments.items()})
    return {}


def _functions(module: Module, library: Library, packed: Collection[str]) -> list[dict[str, Any]]:
    """The C interface of each function."""
    specs = {spec.function: spec for spec in module.functions}
    functions: list[dict[str, Any]] = []
    for function in library.functions:
        row = _function(function)
        spec = specs.get(function.name)
        if spec is None:
            row["companion_of"] = function.companion_of
        else:
            row |= {"op": spec.op, "dtype": spec.dtype, "dims": spec.json_dims}
            row |= {"attributes": spec.json_attributes, "weights": list(spec.weights)}
            row |= {"frozen": [each.name for each in spec.frozen]}
            row |= {"packed_beforehand": function.name in packed}
        functions.append(row)
    return functions


def _parts(name: str, library: Library) -> dict[str, bytes]:
    """The bytes of each file except the manifest, by file name."""
    parts = {
        f"{name}.h": library.header.encode(),
        f"{name}.c": library.source.encode(),
        f"{name}.o": library.object,
    }
    return {**parts, f"{name}_selftest.c": library.selftest.encode()} if library.selftest else parts


def _function(function: CFunction) -> dict[str, Any]:
    from rnn_compiler.lowering.host.formulas import expanded

    sizes = [{"name": m.name, "minimum": m.minimum, "maximum": m.maximum} for m in function.sizes]
    return {
        "function": function.name,
        "scratch_size": expanded(function.scratch, function.schedule.formulas),
        "stack_size": function.stack,
        **({"open_sizes": sizes} if sizes else {}),
        "arguments": [_member(member, by_value=not member.shape) for member in function.given],
        "results": [_member(member, by_value=False) for member in function.results],
        **({"states": _states(function), "updates": [*function.updated]} if function.state else {}),
    }


def _states(function: CFunction) -> list[str]:
    return [member.name for member in function.arguments if member.is_state]


def _state(library: Library) -> dict[str, Any] | None:
    """The struct of states, if there is one."""
    state = next((each.state for each in library.functions if each.state), None)
    return state and {
        "struct": state.struct,
        "size": state.size,
        "block_size": state.block,
        "initial": [*state.initial],
        "members": [_member(member, by_value=False) for member in state.members],
    }


def _member(member: Member, *, by_value: bool) -> dict[str, Any]:
    row = {
        "name": member.name,
        "dtype": member.dtype,
        "shape": list(member.shape),
        "formula": member.formula,
        "c_type": member.c_type,
        "by_value": by_value,
        "size": member.size,
        "minimum": member.minimum,
        "maximum": member.maximum,
        **({} if member.also is None else {"also": member.also}),
        "may_be_null": member.may_be_null,
    }
    return json_sizes(row, ("size", "minimum", "maximum"))
