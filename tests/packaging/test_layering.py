"""The allowed imports between folders, checked in the sources."""

from __future__ import annotations

import ast
import functools
import gc
import graphlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import processes
import pytest

from rnn_compiler.compilation import SOURCES as DECIDING
from rnn_compiler.lowering.passes import IREE_FAULTS

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "rnn_compiler": ROOT / "rnn_compiler",
    "rnn_compiler.lowering": ROOT / "lowering",
    "rnn_compiler.runtime": ROOT / "runtime",
}
"""The packages by the folder that each is in; rnn_compiler/ also holds links to the other two."""


def sources() -> dict[str, Path]:
    """The file of each module of this package."""
    modules: dict[str, Path] = {}
    for package, folder in FOLDERS.items():
        for path in folder.rglob("*.py"):
            parts = path.relative_to(folder).with_suffix("").parts
            if package == "rnn_compiler" and parts[0] in ("lowering", "runtime"):
                continue
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            modules[".".join([package, *parts])] = path
    return modules


SOURCES = sources()


def imports(node: ast.AST, *, nested: bool, typed: bool = False) -> Iterator[str]:
    """The full names imported by some source; without `nested`, only imports at module level.

    What is imported for types alone is left out unless `typed`.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            assert child.module is not None
            for alias in child.names:
                member = f"{child.module}.{alias.name}"
                yield member if member in SOURCES else child.module
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test) and not typed:
            continue
        elif nested or not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from imports(child, nested=nested, typed=typed)


@functools.cache
def trees() -> dict[str, ast.Module]:
    """All sources, in which no garbage is looked for: that takes twice as long as parsing them."""
    gc.disable()
    try:
        return {module: ast.parse(path.read_text()) for module, path in SOURCES.items()}
    finally:
        gc.freeze()
        gc.enable()


def parsed(module: str) -> ast.Module:
    return trees()[module]


@functools.cache
def imported(module: str, *, nested: bool = True) -> frozenset[str]:
    return frozenset(imports(parsed(module), nested=nested))


def closure(module: str) -> set[str]:
    """All modules that importing a module imports, directly or indirectly, with their parents."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        parent = name.rpartition(".")[0]
        if parent:
            waiting.append(parent)
        if name in SOURCES:
            waiting += imported(name, nested=False)
    return seen


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def within_any(name: str, packages: Sequence[str]) -> bool:
    return any(within(name, package) for package in packages)


def modules(package: str) -> list[str]:
    return sorted(name for name in SOURCES if within(name, package))


GROUND = ["rnn_compiler.errors", "rnn_compiler.base"]
SCHEMA = ["rnn_compiler.errors", "rnn_compiler.base.systems", "rnn_compiler.schema"]
MAY_IMPORT = {
    "rnn_compiler.errors": [],
    "rnn_compiler.base": GROUND,
    "rnn_compiler.schema": SCHEMA,
    "rnn_compiler.runtime": [*GROUND, *SCHEMA, "rnn_compiler.runtime"],
    "rnn_compiler.lowering": [*GROUND, *SCHEMA, "rnn_compiler.lowering"],
    "rnn_compiler.weights": [*GROUND, *SCHEMA, "rnn_compiler.weights"],
    "rnn_compiler.model_import": [
        *(*SCHEMA, "rnn_compiler.weights", "rnn_compiler.modules", "rnn_compiler.freezing"),
        "rnn_compiler.quantization",
        *("rnn_compiler.lowering.ops", "rnn_compiler.lowering.analysis.cell_steps"),
        *("rnn_compiler.base.files", "rnn_compiler.base.installation", "rnn_compiler.model_import"),
    ],
}
"""The allowed imports of a floor: schema <- {lowering, runtime, weights} <- all other modules."""


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_layer_imports_only_those_below_it(package: str) -> None:
    """Anywhere in its source, also inside functions."""
    for module in modules(package):
        inner = {name for name in imported(module) if within(name, "rnn_compiler")}
        others = {name for name in inner if not within_any(name, MAY_IMPORT[package])}
        assert others == set(), module


FLOORS: list[tuple[str, ...]] = [
    ("pipeline", "networks"),
    ("linking",),
    ("direct_calls", "parts", "c", "js"),
    ("passes", "host"),
    ("rewriting",),
    ("cpu", "gpu"),
    ("analysis",),
    ("codegen",),
    ("ops",),
    ("builder",),
    ("compiler", "mlir"),
    ("targets",),
]
"""The folders and modules of lowering, top first: each imports those below it, and itself."""

CPU_FLOORS: list[tuple[str, ...]] = [
    ("fused_loop", "products"),
    ("packing",),
    ("tiles", "row_copies", "row_quantization"),
    ("matrix_unit",),
]
"""The same of lowering for CPUs."""

UNSEEN: dict[str, Sequence[str]] = {
    **dict.fromkeys(
        ("c", "host"),
        (
            *("passes", "rewriting", "cpu", "gpu", "analysis", "codegen", "ops", "builder"),
            *("targets", "compiler"),
        ),
    ),
    "ops": ["pipeline", "passes", "rewriting", "cpu", "gpu", "analysis", "codegen"],
    "codegen": ["ops", "builder", "targets", "compiler"],
    "analysis": ["ops", "builder", "targets", "compiler"],
    "passes": ["ops", "builder", "compiler"],
    "rewriting": ["cpu", "gpu", "ops", "builder", "compiler"],
}
"""Rooms that some do not import, although they are lower in the list."""


def arrows_in(package: str) -> set[tuple[str, str]]:
    """Which rooms of a package import which others, also inside functions and for types alone.

    A room is a folder of the package, or a module beside these.
    """

    def room(module: str) -> str:
        return module.removeprefix(f"{package}.").split(".")[0]

    arrows: set[tuple[str, str]] = set()
    for module in modules(package):
        for name in set(imports(parsed(module), nested=True, typed=True)):
            if within(name, package) and module != package:
                arrows.add((room(module), room(name)))
    return {(user, used) for user, used in arrows if user != used}


def check_downwards(arrows: set[tuple[str, str]], floors: Sequence[tuple[str, ...]]) -> None:
    """Checks that all rooms are listed, and that none imports one as high or higher."""
    number = {name: number for number, names in enumerate(floors) for name in names}
    assert {name for arrow in arrows for name in arrow} == number.keys()
    assert {(user, used) for user, used in arrows if number[user] >= number[used]} == set()


def test_lowering_imports_downwards() -> None:
    """CPU and GPU do not import each other; the ops do not import the code that rewrites them."""
    arrows = arrows_in("rnn_compiler.lowering")
    check_downwards(arrows, FLOORS)
    seen = {(user, used) for user, used in arrows if used in UNSEEN.get(user, [])}
    assert seen == set()
    assert {
        ("passes", "cpu"),
        ("cpu", "analysis"),
        ("analysis", "codegen"),
        ("codegen", "mlir"),
    } <= (arrows)


def test_passes_do_not_import_each_other() -> None:
    package = "rnn_compiler.lowering.passes"
    users = set(modules(package)) - {package}
    assert len(users) > 10
    assert not {(user, name) for user in users for name in imported(user) if name in users}


def test_each_fault_of_iree_is_named_by_the_pass_that_avoids_it() -> None:
    """By the test that says when the pass can go."""
    folder = ROOT / "lowering" / "passes" / "iree_faults"
    files = {path.stem: path for path in folder.glob("*.py") if path.stem != "__init__"}
    assert files.keys() == {*IREE_FAULTS, "keep_nan"}
    for name, path in files.items():
        tests = re.findall(
            r"tests/[\w/]+\.py", ast.get_docstring(ast.parse(path.read_text())) or ""
        )
        assert tests, name
        assert all((ROOT / test).exists() for test in tests), name


def test_lowering_for_cpus_imports_downwards() -> None:
    """Time loops and products outside them do not see each other."""
    check_downwards(arrows_in("rnn_compiler.lowering.cpu"), CPU_FLOORS)


OPS_FLOORS: list[tuple[str, ...]] = [
    ("dropout_mask",),
    ("block", "ctc", "cudnn", "integer_lstm", "onnx"),
    ("layers",),
    ("cells",),
]
"""The same of the ops."""


def test_families_of_ops_do_not_import_each_other() -> None:
    check_downwards(arrows_in("rnn_compiler.lowering.ops"), OPS_FLOORS)


KNOWN_CIRCLES = [
    {"device.device_array", "device.devices"},
    {
        *("direct.chunks", "runtime.artifact", "runtime.function", "runtime.golden"),
        *("runtime.loading", "runtime.program", "runtime.session", "runtime.stream"),
    },
]
"""Modules that refer to each other, in functions or types."""


FACES = {"rnn_compiler", "rnn_compiler.weights"}
"""Packages that load modules above them when they are asked for one of their names."""


def test_modules_do_not_import_in_circles() -> None:
    """Not even inside functions or for types, but for a few."""
    others = SOURCES.keys() - FACES
    arrows = {
        module: {*imports(parsed(module), nested=True, typed=True)} & others - {module}
        for module in others
    }
    found = 0
    while circle := circle_in(arrows):
        short = {".".join(name.split(".")[-2:]) for name in circle}
        assert any(short <= known for known in KNOWN_CIRCLES), sorted(circle)
        for module in circle:
            arrows[module] -= circle
        found += 1
    assert found >= len(KNOWN_CIRCLES)


def test_folders_do_not_import_in_circles() -> None:
    """But for the errors, and direct calls, which functions make."""
    arrows: dict[str, set[str]] = {}
    for module in SOURCES.keys() - FACES - {"rnn_compiler.__main__"}:
        for name in {*imports(parsed(module), nested=True, typed=True)} & SOURCES.keys():
            if name != "rnn_compiler.errors" and folder_of(name) != folder_of(module):
                arrows.setdefault(folder_of(module), set()).add(folder_of(name))
    assert circle_in(arrows) == {"rnn_compiler.runtime", "rnn_compiler.runtime.direct"}
    arrows["rnn_compiler.runtime.direct"].discard("rnn_compiler.runtime")
    assert circle_in(arrows) == set()


def folder_of(module: str) -> str:
    """The folder that a module is in, a package's own docstring included."""
    return module if SOURCES[module].name == "__init__.py" else module.rpartition(".")[0]


def circle_in(arrows: dict[str, set[str]]) -> set[str]:
    """The nodes of a circle; empty if there is none."""
    try:
        graphlib.TopologicalSorter(arrows).prepare()
    except graphlib.CycleError as error:
        return {*error.args[1]}
    return set()


def test_the_sweep_sees_every_layer() -> None:
    """The check above reads real imports of real modules."""
    assert "rnn_compiler.schema.manifest" in imported("rnn_compiler.runtime.artifact")
    assert "rnn_compiler.lowering.pipeline" in imported("rnn_compiler.compilation")
    assert "rnn_compiler.lowering.pipeline" not in imported(
        "rnn_compiler.compilation", nested=False
    )
    assert {
        "rnn_compiler.runtime.cache",
        "rnn_compiler.lowering.ops.block.block_lstm",
    } <= SOURCES.keys()


def test_the_cache_key_covers_all_that_decides_what_is_compiled() -> None:
    used = {name for module in modules("rnn_compiler.lowering") for name in imported(module)}
    folders = [f"rnn_compiler.{folder}" for folder in DECIDING]
    outside = {name for name in used if name in SOURCES and not within_any(name, folders)}
    told = {"rnn_compiler.errors"}
    told |= {f"rnn_compiler.base.{name}" for name in ("installation", "stages", "systems")}
    assert outside == told  # what is said, when, and where programs are


def test_one_module_imports_the_compilers_bindings() -> None:
    users = {m for m in SOURCES if any(within(name, "iree.compiler") for name in imported(m))}
    assert users == {"rnn_compiler.lowering.mlir.bindings"}


def test_only_the_runtime_imports_irees_runtime() -> None:
    users = {m for m in SOURCES if any(within(name, "iree.runtime") for name in imported(m))}
    assert users >= {"rnn_compiler.runtime.device.devices", "rnn_compiler.runtime.function"}
    outside = {user for user in users if not within(user, "rnn_compiler.runtime")}
    assert {user for user in outside if not within(user, "rnn_compiler.cli")} == set()


def test_importing_the_runtime_imports_no_compiler() -> None:
    """Not through anything it imports, either."""
    for module in (*modules("rnn_compiler.runtime"), "rnn_compiler"):
        reached = closure(module)
        found = {n for n in reached if within_any(n, ["rnn_compiler.lowering", "iree.compiler"])}
        assert not found, module


def test_ops_reach_the_bindings_only_when_they_emit() -> None:
    """So that listing ops, or checking a call, does not load a compiler."""
    for module in ("rnn_compiler.raw_ops", "rnn_compiler.modules", "rnn_compiler.lowering.ops"):
        assert not {name for name in closure(module) if within(name, "iree.compiler")}


NOT_TO_RUN = (
    *("iree.compiler", "rnn_compiler.lowering", "rnn_compiler.schema.signatures"),
    *("filelock", "platformdirs", "rich", "asyncio", "importlib.metadata", "multiprocessing"),
)
"""Packages that running an artifact does not need, or that would slow down its start."""


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import rnn_compiler", ["iree", "numpy", "rnn_compiler.runtime", "rnn_compiler.lowering"]),
        ("import rnn_compiler.runtime", [*NOT_TO_RUN]),
        ("import rnn_compiler as rc; rc.runtime.load", ["iree.compiler", "rnn_compiler.lowering"]),
        (
            "import rnn_compiler as rc; rc.weights.from_torch",
            ["iree", "rnn_compiler.runtime", "rnn_compiler.lowering", "safetensors"],
        ),
        ("import rnn_compiler as rc; rc.compile; rc.compile_many; rc.link", ["jax", "fsspec"]),
        (
            "import rnn_compiler.raw_ops as o; o.BlockLSTMV2; o.BlockLSTMV2.__doc__",
            ["iree.compiler"],
        ),
        (  # 0.1 s of what Python has for ops, which passes make without it
            "import rnn_compiler as rc; module = rc.build('BlockLSTMV2', seq_length=2,"
            " batch_size=4, input_size=4, num_units=4);"
            "from rnn_compiler.lowering.pipeline import rewrite;"
            "from rnn_compiler.lowering.rewriting.context import LoweringRequest;"
            "from rnn_compiler.lowering.targets.names import resolve_target;"
            "target = resolve_target('cpu:x86-64-v3');"
            "rewrite(LoweringRequest(module.located_text, module.functions, target, 'fused', ''))",
            ["iree.compiler.dialects.linalg", "iree.compiler.dialects.llvm"],
        ),
    ],
)
def test_what_is_not_loaded(statement: str, absent: list[str]) -> None:
    """In a fresh process."""
    script = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    loaded = processes.python(script, flags=["-W", "error"]).stdout.split()
    assert "rnn_compiler" in loaded
    assert not [name for name in loaded if any(within(name, package) for package in absent)]


@pytest.mark.parametrize("folder", ["runtime", "lowering"])
def test_folders_are_not_packages_of_their_own(folder: str) -> None:
    """A second copy of a module, with a second registry or cache, is refused."""
    done = processes.python(f"import {folder}", code=1, cwd=ROOT)
    message = f"ImportError: this package is imported as rnn_compiler.{folder}, not by its folder's"
    assert message in done.stderr
