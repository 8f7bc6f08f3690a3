"""The formats that modules are compiled to: an artifact for IREE's runtime, C, JavaScript.

A `Compiled` is a module compiled to one of them, not yet written. `compile`, `link` and `import`
make, save and show it in the same way.
"""

from __future__ import annotations

import argparse
import json
import shlex
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, ClassVar

from rnn_compiler.base import stages
from rnn_compiler.c_compilation import compile_c
from rnn_compiler.chosen_target import current_target
from rnn_compiler.cli.import_readme import CLanguage, JsLanguage, Language
from rnn_compiler.cli.options import UsageError, check_output, check_output_folder
from rnn_compiler.cli.terminal import (
    print_json,
    print_line,
    print_table,
    print_text,
    showing_stages,
)
from rnn_compiler.cli.training_readme import Loop, c_loop, javascript_loop, python_loop
from rnn_compiler.compilation import ALL_LEVELS, compile
from rnn_compiler.goldens import golden
from rnn_compiler.js_compilation import compile_js
from rnn_compiler.lowering.compiler.iree_compile import DEFAULT_TIMEOUT
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.modules import Module
from rnn_compiler.runtime.artifact import Artifact
from rnn_compiler.runtime.golden import Golden
from rnn_compiler.runtime.paths import archive_path, golden_path, manifest_path
from rnn_compiler.schema.formats import FORMATS
from rnn_compiler.schema.manifest import Manifest, TargetSpec
from rnn_compiler.schema.specs import FunctionSpec, states_of
from rnn_compiler.source_compilation import SourceModule


def add_format_options(parser: argparse.ArgumentParser) -> None:
    """Adds the choice of the format, and the options that only some have."""
    parser.add_argument(
        "--format",
        choices=[*PRODUCTS],
        default="vmfb",
        help="; ".join(f"{name}, {row.contents}" for name, row in FORMATS.items())
        + " (default: %(default)s)",
    )
    parser.add_argument(
        "--prefix",
        action="store_true",
        help="for C: prefix function names with the module's name, so that modules with functions "
        "of the same name can be linked into one program",
    )
    parser.add_argument(
        "--golden",
        action="store_true",
        help="also store sample arguments and results, which `verify`, or the self test in C, "
        "compares on the target",
    )


def check_format(options: argparse.Namespace) -> None:
    """Checks the options that only some formats have.

    Raises:
        UsageError: They are given for another format, or several targets for one that takes one.
    """
    row = FORMATS[options.format]
    if options.prefix and "prefix" not in row.options:
        raise UsageError("--prefix is for C: add --format c")
    if options.golden and "golden" not in row.options:
        raise UsageError(f"--golden: not with --format {options.format}")
    if row.single and not is_single(targets_of(options)):
        raise UsageError(
            f"--format {options.format}: takes one target; compile each into a folder of its own"
        )


def targets_of(options: argparse.Namespace) -> list[str]:
    """The names of the targets of a command line."""
    return options.target or [FORMATS[options.format].target or current_target()]


def is_single(targets: Sequence[str]) -> bool:
    """Whether there is one target, for which there is an artifact, not a bundle."""
    return len(targets) == 1 and targets[0] != ALL_LEVELS


def compiled(
    options: argparse.Namespace, module: Module, name: str = "", folder: Path | None = None
) -> Compiled:
    """Compiles a module to the format of a command line.

    Raises UsageError: the options do not suit the format, or nothing can be written there.
    """
    check_format(options)
    name = name or module.name or module.functions[0].function
    return PRODUCTS[options.format](options, module, name, folder)


class Compiled(ABC):
    """A compiled module in one format.

    Attributes:
        path: The file or folder to write.
        name: What a README calls it by: the file, the bundle's folder, or the prefix of the files.
        files: The files to write, as far as there is something to write to them.
        functions: The functions with their names in the format.
        targets: The targets.
        manifest: The manifest of an artifact; None for other formats, or several targets.
        samples: What computed samples for it; None without.
        language: The language of the README of imported functions.
        loop: The lines of a README that train a network.
        seconds: The time that it took.
    """

    path: Path
    name: str
    files: Sequence[Path]
    functions: Sequence[FunctionSpec]
    targets: Sequence[TargetSpec]
    manifest: Manifest | None = None
    samples: Golden | None = None
    language: ClassVar[type[Language]]
    loop: ClassVar[Loop]

    def __init__(
        self, options: argparse.Namespace, module: Module, name: str, folder: Path | None
    ) -> None:
        self.module = module
        self.chosen: dict[str, Any] = {
            "strategy": getattr(options, "strategy", None),
            "timeout": getattr(options, "timeout", DEFAULT_TIMEOUT),
        }
        start = time.perf_counter()
        self.compile(options, name, folder)
        self.seconds = time.perf_counter() - start

    @abstractmethod
    def compile(self, options: argparse.Namespace, name: str, folder: Path | None) -> None:
        """Compiles the module, after checking that it can be written."""

    @abstractmethod
    def write(self) -> None:
        """Writes the files."""

    @abstractmethod
    def show(self) -> None:
        """Prints what was compiled."""

    @property
    @abstractmethod
    def next(self) -> str:
        """The command, or the line of a program, that comes next."""

    def save(self) -> list[Path]:
        """Writes the files; returns them.

        Raises:
            OSError: A file cannot be written, or would replace one of another kind.
        """
        stages.report(f"writing {self.path}")
        self.write()
        return [each for each in self.files if each.exists()]

    def facts(self) -> dict[str, Any]:
        """The product as plain data."""
        return {
            "path": str(self.path),
            "seconds": self.seconds,
            "functions": [spec.function for spec in self.functions],
            "golden": self.samples and self.samples.computed_by,
        }

    def show_golden(self) -> None:
        """Prints who computed the samples, if there are any."""
        if self.samples is not None:
            by = self.samples.computed_by
            print_text(f"golden: computed by {by}; rnn-compiler verify compares")


class _Vmfb(Compiled):
    """An artifact, or a bundle for several targets."""

    language = Language
    loop = staticmethod(python_loop)

    def compile(self, options: argparse.Namespace, name: str, folder: Path | None) -> None:
        targets = targets_of(options)
        single = is_single(targets)
        file = f"{name}.vmfb" if single else name
        self.path = folder / file if folder else options.output or Path(file)
        self.name = self.path.name
        if folder is None and single:
            stored = self.module.parameters or self.module.initial
            weights = archive_path(self.path) if stored else None
            samples = golden_path(self.path) if options.golden else None
            for each in (self.path, manifest_path(self.path), samples, weights):
                check_output(each)
        elif folder is None:
            check_output_folder(self.path)
        with stages.noting_origins() as self.origins:
            self.made = compile(self.module, targets[0] if single else targets, **self.chosen)
        self.artifacts = [self.made] if isinstance(self.made, Artifact) else [*self.made.artifacts]
        self.samples = golden(self.module, self.made) if options.golden else None
        self.files = [self.path, archive_path(self.path), golden_path(self.path)]
        self.functions = self.module.functions
        self.targets = [each.manifest.target for each in self.artifacts]
        self.manifest = self.artifacts[0].manifest if single else None

    def write(self) -> None:
        self.made.save(self.path, golden=self.samples)

    @property
    def next(self) -> str:
        return f"rnn-compiler inspect {shlex.quote(str(self.path))}"

    def facts(self) -> dict[str, Any]:
        single, archive = self.manifest is not None, self.artifacts[0].archive
        rows: list[dict[str, Any]] = []
        for artifact in self.artifacts:
            manifest, target = artifact.manifest, artifact.manifest.target
            row = {"file": str(self.path if single else self.path / f"{target.slug}.vmfb")}
            row |= {"target": target.name, "architecture": target.architecture}
            rows.append(
                {
                    **row,
                    "features": [*target.features],
                    "size": len(artifact.payload),
                    "sha256": manifest.payload_sha256,
                    "plain_loops": manifest.plain_loops,
                }
            )
        for row, origin in zip(rows, self.origins, strict=False):
            row["origin"] = origin
        return {
            **super().facts(),
            "linked": [spec.op for spec in self.module.linked],
            "states": [*states_of(self.functions)],
            "parameters": None if archive is None else str(archive_path(self.path)),
            "artifacts": rows,
        }

    def show(self) -> None:
        print_line(str(self.path))
        print_text(f"functions: {', '.join(spec.function for spec in self.functions)}")
        if self.module.linked:
            print_text(f"linked: {', '.join(spec.op for spec in self.module.linked)}")
        states = states_of(self.functions)
        if states:
            print_text(f"states: {', '.join(states)}")
        rows: list[tuple[str, ...]] = []
        for artifact, origin in zip(self.artifacts, self.origins, strict=False):
            target = artifact.manifest.target
            features = f" with {len(target.features)} features" if target.features else ""
            size = f"{len(artifact.payload):,} bytes"
            rows.append((target.name, f"{target.architecture}{features}", size, origin))
        print_table(("target", "code for", "size", "cache"), rows)
        self.show_golden()
        archive = self.artifacts[0].archive
        if archive is not None:
            what = "frozen weights" if self.module.parameters else "first values of states"
            print_text(f"{what}: {len(archive):,} bytes in {archive_path(self.path)}")
        for artifact in self.artifacts:
            for loop, reason in artifact.manifest.plain_loops.items():
                of = artifact.manifest.target.name
                print_text(f"{of}: time loop {loop} stays plain: {reason}")


class SourceFiles(Compiled):
    """Files for other compilers or engines, in a folder."""

    made: SourceModule

    def compile(self, options: argparse.Namespace, name: str, folder: Path | None) -> None:
        """Compiles the module, after checking that the folder can be written."""
        self.path = folder or options.output or Path(name)
        if folder is None:
            check_output_folder(self.path)
        (target,) = targets_of(options)
        self.made = self.printed(options, target, name)
        self.name = self.made.name
        self.files = [self.path / file for file in self.made.files]
        names = [row["function"] for row in self.made.manifest["functions"] if "op" in row]
        pairs = zip(self.module.functions, names, strict=True)
        self.functions = [replace(spec, function=name) for spec, name in pairs]
        self.targets = [resolve_target(target)]

    @abstractmethod
    def printed(self, options: argparse.Namespace, target: str, name: str) -> SourceModule:
        """Compiles the module to sources."""

    def write(self) -> None:
        """Writes the files."""
        self.made.save(self.path)

    def facts(self) -> dict[str, Any]:
        """The product as plain data."""
        return {
            **super().facts(),
            "functions": [row["function"] for row in self.made.manifest["functions"]],
            "files": [str(each) for each in self.files],
            "target": asdict(self.targets[0]),
            "manifest": str(self.path / f"{self.name}.json"),
        }

    def show(self) -> None:
        """Prints the sizes of the files."""
        print_line(str(self.path))
        rows = [(file, f"{len(data):,} bytes") for file, data in self.made.files.items()]
        print_table(("file", "size"), rows)
        self.show_golden()


class _C(SourceFiles):
    """C."""

    language = CLanguage
    loop = staticmethod(c_loop)

    def printed(self, options: argparse.Namespace, target: str, name: str) -> SourceModule:
        self.samples = golden(self.module, target) if options.golden else None
        prefix, chosen = options.prefix, self.chosen
        return compile_c(
            self.module, target, name=name, prefix=prefix, golden=self.samples, **chosen
        )

    def show(self) -> None:
        super().show()
        rows: list[tuple[str, ...]] = []
        for row in self.made.manifest["functions"]:
            size = row["scratch_size"]
            text = size if isinstance(size, str) else f"{size:,}"  # a formula, or a number
            rows.append((row["function"], f"{text} bytes", f"{row['stack_size']:,} bytes"))
        print_table(("function", "scratch memory", "stack"), rows)
        state = self.made.manifest.get("state")
        if state:
            print_text(f"states: {state['size']:,} bytes, {state['struct']}")

    @property
    def next(self) -> str:
        source, code = (self.path / f"{self.name}{end}" for end in (".c", ".o"))
        return f"cc -I{shlex.join([str(self.path), 'main.c', str(source), str(code)])}"


class _Js(SourceFiles):
    """JavaScript."""

    language = JsLanguage
    loop = staticmethod(javascript_loop)

    def printed(self, options: argparse.Namespace, target: str, name: str) -> SourceModule:
        return compile_js(self.module, target, name=name, **self.chosen)

    @property
    def next(self) -> str:
        return f"import {{ load }} from {json.dumps(f'./{self.path.name}/{self.name}.mjs')};"


PRODUCTS: dict[str, type[Compiled]] = {"vmfb": _Vmfb, "c": _C, "js": _Js}
"""The product of each format."""


def write_compiled(options: argparse.Namespace, module: Module, name: str = "") -> int:
    """Compiles a module, writes it and prints a summary; the verbs `compile` and `link`."""
    with showing_stages():
        product = compiled(options, module, name)
        product.save()
    if options.json:
        print_json(product.facts())
        return 0
    product.show()
    print_line(f"{product.seconds:.2f} s; next: {product.next}", dim=True)
    return 0
