"""`inspect`: describes artifacts, bundles and modules in C."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rnn_compiler.cli.options import add_json_option
from rnn_compiler.cli.terminal import print_facts, print_json, print_line, print_table, print_text
from rnn_compiler.errors import ArtifactError, DeviceError
from rnn_compiler.runtime import Artifact, Bundle, default_device, read_artifact
from rnn_compiler.runtime.device.devices import get_device
from rnn_compiler.runtime.paths import BUNDLE_ARCHIVE, archive_path
from rnn_compiler.runtime.selftest import find_c_manifest, read_c_manifest, read_listed
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.device_kinds import DEVICE_KINDS
from rnn_compiler.schema.manifest import Manifest, TargetSpec
from rnn_compiler.schema.open_sizes import shown
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

# `inspect` of a module in C: prints its manifest after checking its files against it.


def inspect_sources(path: Path, *, as_json: bool) -> None:
    """Prints the description of a module.

    Raises ArtifactError: a file is missing or damaged, or of another version.
    """
    manifest = read_c_manifest(path)
    try:
        facts, functions = _facts_of_sources(path, manifest), _functions(manifest)
        listed = [(path.with_name(file), row["sha256"]) for file, row in manifest["files"].items()]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ArtifactError(f"{path}: damaged manifest ({error!r})") from error
    for file, digest in listed:
        read_listed(file, digest)
    if as_json:
        print_json(manifest)
        return
    print_facts(facts)
    print_line()
    print_table(("function", "op", "scratch memory", "stack"), functions)


def _facts_of_sources(path: Path, manifest: dict[str, Any]) -> list[tuple[str, str]]:
    target = manifest["target"]
    versions = (manifest["package_version"], manifest["compiler_version"])
    golden, state = manifest["golden"], manifest.get("state")
    files = [(file, f"{int(row['size']):,} bytes") for file, row in manifest["files"].items()]
    return [
        ("module", f"{manifest['name']}, in {manifest['format'].upper()}"),
        ("file", str(path)),
        ("made by", "rnn-compiler {}, IREE {}".format(*versions)),
        ("target", f"{target['name']} ({target['architecture']})"),
        *_features(target["architecture"], target["features"]),
        ("flash", f"{int(manifest['flash_size']):,} bytes of code and constants"),
        *([("states", f"{int(state['size']):,} bytes, {state['struct']}")] if state else []),
        ("alignment", f"{int(manifest['alignment'])} bytes"),
        *([("golden", f"computed by {golden['computed_by']}")] if golden else []),
        *files,
    ]


def _functions(manifest: dict[str, Any]) -> list[tuple[str, ...]]:
    return [
        (
            row["function"],
            row["op"] if "op" in row else f"companion of {row['companion_of']}",
            _bytes(row["scratch_size"]),
            _bytes(row["stack_size"]),
        )
        for row in manifest["functions"]
    ]


def _bytes(size: int | str) -> str:
    """A size, which may be a formula of open sizes."""
    return f"{size} bytes" if isinstance(size, str) else f"{size:,} bytes"


def add_inspect(verbs: Any) -> None:
    """Adds the verb `inspect`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "inspect",
        help="describe an artifact: functions, shapes, target, versions",
        description="Describes an artifact, a bundle or a module in C, after checking its digest.",
    )
    help_text = "a .vmfb file, the folder of a bundle, or the folder or NAME.json of a module in C"
    parser.add_argument("file", type=Path, metavar="FILE", help=help_text)
    add_json_option(parser)
    parser.set_defaults(verb=_inspect)


def _inspect(options: argparse.Namespace) -> int:
    sources = find_c_manifest(options.file)
    if sources is not None:
        inspect_sources(sources, as_json=options.json)
        return 0
    found = read_artifact(options.file)
    found.verify(str(options.file))
    if isinstance(found, Bundle):
        _inspect_bundle(found, options)
    elif options.json:
        print_json(found.manifest.to_json(options.file.name, archive_path(options.file).name))
    else:
        archive = archive_path(options.file)
        weights = _weights(found, archive)
        print_facts([("file", str(options.file)), *_origin(found), *_facts(found), *weights])
        _print_functions(found.manifest, options.file, archive)
    return 0


def _inspect_bundle(bundle: Bundle, options: argparse.Namespace) -> None:
    """Prints what a bundle's artifacts have in common, and how they differ."""
    artifacts = bundle.artifacts
    files = [f"{artifact.manifest.target.slug}.vmfb" for artifact in artifacts]
    if options.json:
        pairs = zip(artifacts, files, strict=True)
        print_json([a.manifest.to_json(file, BUNDLE_ARCHIVE) for a, file in pairs])
        return
    archive = archive_path(options.file)
    common = [fact for fact in _origin(artifacts[0]) if all(fact in _origin(a) for a in artifacts)]
    common += _weights(artifacts[0], archive)
    print_facts([("bundle", str(options.file)), *common])
    for artifact, file in zip(artifacts, files, strict=True):
        own = [fact for fact in _origin(artifact) if fact not in common]
        title = artifact.manifest.target.name
        print_line()
        print_facts([("file", file), *own, *_facts(artifact)], title=title, indent=2)
    shown: list[FunctionSpec] = []
    for artifact, file in zip(artifacts, files, strict=True):
        new = [spec for spec in artifact.manifest.functions if spec not in shown]
        _print_functions(artifact.manifest, options.file / file, archive, new)
        shown += new


def _origin(artifact: Artifact) -> list[tuple[str, str]]:
    """How it was compiled, usually the same for all artifacts of a bundle."""
    manifest = artifact.manifest
    name = [("module", manifest.name)] if manifest.name else []
    versions = f"rnn-compiler {manifest.package_version}, IREE {manifest.compiler_version}"
    return [*name, ("made by", versions), ("strategy", manifest.strategy)]


def _facts(artifact: Artifact) -> list[tuple[str, str]]:
    """Its target and its payload's digest."""
    manifest = artifact.manifest
    target = manifest.target
    return [
        ("target", f"{target.name} ({target.architecture}, device {target.device})"),
        *_code(target),
        ("runs here", _runs_here(artifact)),
        ("size", f"{manifest.payload_size:,} bytes"),
        ("sha256", manifest.payload_sha256),
        *([("golden", f"computed by {manifest.golden.computed_by}")] if manifest.golden else []),
    ]


def _weights(artifact: Artifact, archive: Path) -> list[tuple[str, str]]:
    """Its frozen weights, if it has any."""
    spec = artifact.manifest.parameters
    return [] if spec is None else [("weights", f"{spec.size:,} bytes in {archive}")]


def _code(target: TargetSpec) -> list[tuple[str, str]]:
    """What a GPU's code is, or the processor features that a CPU's code needs."""
    if target.device == "local":
        return _features(target.architecture, target.features)
    if target.device not in DEVICE_KINDS:
        return [("code", "of a kind that this version does not have")]
    kind = DEVICE_KINDS[target.device]
    architecture = "" if kind.architectures == "any" else f" for {target.architecture}"
    return [("code", f"{kind.code}{architecture}: {kind.runs_on}")]


def _features(architecture: str, features: Sequence[str]) -> list[tuple[str, str]]:
    """The processor features that code needs, and what the system must permit."""
    rows = [("CPU features", " ".join(features) or "the architecture's baseline")]
    if asks_system(architecture, features):
        rows.append(("matrix unit", "AMX, if Linux permits it; if not, the same bits without it"))
    return rows


def asks_system(architecture: str, features: Sequence[str]) -> bool:
    """Whether code asks the system for permission to use a part of the processor."""
    return architecture in ARCHITECTURES and ARCHITECTURES[architecture].asks(features)


def _runs_here(artifact: Artifact) -> str:
    try:
        artifact.check_here("no")
        manifest = artifact.manifest
        if manifest.target.device != "local":
            get_device(default_device(manifest.op_functions, manifest.target.device))
    except ArtifactError as error:
        return str(error)
    except DeviceError as error:
        return f"no: {error.reason}"
    return "yes"


def _print_functions(
    manifest: Manifest,
    file: Path,
    archive: Path,
    functions: Sequence[FunctionSpec] | None = None,
) -> None:
    """Prints some or all functions of an artifact, each with a command that runs it."""
    for spec in manifest.functions if functions is None else functions:
        print_line()
        head = f"@{spec.function}"
        title = head if manifest.linked else f"{head}  {_constants(spec)}"
        for kind, tensors in (
            ("argument", [each for each in spec.arguments if each.name not in spec.states]),
            ("state", [each for each in spec.arguments if each.name in spec.states]),
            ("frozen argument", spec.frozen),
            ("result", spec.results),
        ):
            rows = [(t.name, t.dtype, shape_text(t), _formula(t)) for t in tensors]
            if rows or kind == "argument":
                print_table((kind, "dtype", "shape", "formula"), rows, title=title)
                print_line()
            title = ""
        _print_plain_loops(manifest, spec)
        if spec.function in manifest.calls:
            print_text(f"calls: {_calls(manifest.calls[spec.function])}")
        print_line(manifest.run_command(spec, str(file), str(archive)), dim=True)
    for spec in manifest.linked if functions is None or functions else ():
        print_line()
        print_line(f"linked: {_constants(spec)} dtype={spec.dtype}")
        _print_plain_loops(manifest, spec)


def _calls(said: str) -> str:
    """How this process calls a function."""
    through_iree = os.environ.get("RNN_COMPILER_CALLS") == "iree"
    return "iree: RNN_COMPILER_CALLS=iree" if said == "direct" and through_iree else said


def _constants(spec: FunctionSpec) -> str:
    """An op with its sizes and attributes."""
    dims = {name: "?" if size is None else size for name, size in spec.json_dims.items()}
    return " ".join([spec.op, *(f"{k}={v}" for k, v in {**dims, **spec.attributes}.items())])


def _print_plain_loops(manifest: Manifest, spec: FunctionSpec) -> None:
    for loop, reason in manifest.plain_loops_of(spec).items():
        print_text(f"time loop {loop} stays plain: {reason}")


def shape_text(tensor: TensorSpec) -> str:
    """The shape of an argument or result as tables show it."""
    return " x ".join(map(shown, tensor.shape)) or "scalar"


def _formula(tensor: TensorSpec) -> str:
    return tensor.range or (tensor.formula if tensor.shape else "")
