"""`inspect` and `run`: describe an artifact, and run it."""

from __future__ import annotations

import argparse
import hashlib
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from rnn_compiler.base.files import write_files
from rnn_compiler.cli.arrays import open_npz, read_npy, unused_note
from rnn_compiler.cli.options import (
    UsageError,
    add_device_option,
    add_json_option,
    check_output,
    open_sizes,
)
from rnn_compiler.cli.terminal import print_facts, print_json, print_line, print_table, print_text
from rnn_compiler.errors import ArtifactError, DeviceError, with_hint
from rnn_compiler.random_arguments import random_arguments
from rnn_compiler.runtime import (
    Artifact,
    Bundle,
    Function,
    Program,
    default_device,
    load,
    read_artifact,
    verify,
)
from rnn_compiler.runtime.arguments import by_keyword, by_name
from rnn_compiler.runtime.artifact import read_members
from rnn_compiler.runtime.device.devices import device_kind, get_device
from rnn_compiler.runtime.golden import storable
from rnn_compiler.runtime.paths import BUNDLE_ARCHIVE, archive_path
from rnn_compiler.runtime.selftest import find_c_manifest, read_c_manifest
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.device_kinds import DEVICE_KINDS
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.manifest import FunctionSpec, Manifest, TargetSpec, TensorSpec
from rnn_compiler.schema.open_sizes import shown
from rnn_compiler.weights.files import npz_bytes

# `inspect` of a module in C: prints its manifest after checking its files against it.


def inspect_sources(path: Path, *, as_json: bool) -> None:
    """Prints the description of a module.

    Args:
        path: Its manifest.
        as_json: Whether to print the manifest unchanged.

    Raises:
        ArtifactError: A file is missing or damaged, or of another version.
    """
    manifest = read_c_manifest(path)
    try:
        facts, functions = _facts_of_sources(path, manifest), _functions(manifest)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ArtifactError(f"{path}: damaged manifest ({error!r})") from error
    for file, row in manifest["files"].items():
        _check_file(path.with_name(file), row)
    if as_json:
        print_json(manifest)
        return
    print_facts(facts)
    print_line()
    print_table(("function", "op", "RAM", "stack"), functions)


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


def _check_file(path: Path, row: dict[str, Any]) -> None:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ArtifactError(f"{path}: cannot be read ({error.strerror or error})") from error
    if hashlib.sha256(data).hexdigest() != row["sha256"]:
        raise ArtifactError(f"{path}: damaged, its digest is not the manifest's: compile again")


# `check`: would an artifact run here, and how well?

_EXIT_CODES = {"optimal": 0, "runs": 0, "recompile": 3, "unsupported": 4}
"""The verdicts, best first, and their exit codes; 1 and 2 have the same meaning for every verb."""

_VERDICTS = tuple(_EXIT_CODES)


def add_check(verbs: Any) -> None:
    """Adds the verb `check`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "check",
        help="say whether an artifact would run here, and how well",
        description="Says whether an artifact or bundle would run on this machine: optimal (it "
        "uses every CPU feature of the machine), runs (it runs without some of them), recompile "
        "(it does not run here, but its ops do when compiled here), or unsupported (there is no "
        "device of its kind here). The exit code is 0 for optimal and runs, 3 for recompile and 4 "
        "for unsupported. It is 1 if the artifact is missing or cannot be read, and 2 for wrong "
        "usage.",
    )
    help_text = "a .vmfb file, or the folder of a bundle"
    parser.add_argument("file", type=Path, metavar="FILE", help=help_text)
    add_device_option(parser)
    add_json_option(parser)
    parser.set_defaults(verb=_check_verb)


def _check_verb(options: argparse.Namespace) -> int:
    if not options.file.exists():
        raise ArtifactError(f"{options.file}: no such artifact")
    if options.device is not None:
        device_kind(options.device)
    rows: list[dict[str, str]] = []
    for member in _members(options.file):
        target = ""
        if isinstance(member, Artifact):
            target = member.manifest.target.name
            verdict, reason = _judge(member, options.file.name, options.device)
        else:
            verdict, reason = "recompile", str(member)
        rows.append({"target": target, "verdict": verdict, "reason": reason})
    best = min((row["verdict"] for row in rows), key=_VERDICTS.index, default="unsupported")
    refusal, taken = "", None
    try:
        taken = load(options.file, options.device).manifest.target.name
    except (ArtifactError, DeviceError) as error:
        refusal = error.reason if isinstance(error, DeviceError) else str(error)
        best = max(best, "recompile", key=_VERDICTS.index)
    if options.json:
        facts = {"file": str(options.file), "verdict": best, "taken": taken, "artifacts": rows}
        print_json(facts)
    else:
        print_table(("target", "verdict", "reason"), [tuple(row.values()) for row in rows])
        if len(rows) > 1:
            outcome = f"best here: {taken}" if taken else f"none can be used: {refusal}"
            print_text(outcome, dim=True)
    return _EXIT_CODES[best]


def _members(path: Path) -> list[Artifact | ArtifactError]:
    """The artifact of a file, or those of a bundle; damaged ones as errors.

    Raises:
        ArtifactError: The file cannot be read, or is not an artifact.
    """
    try:
        if path.is_dir():
            return read_members(path)
        found = read_artifact(path)
        return [found] if isinstance(found, Artifact) else list(found.artifacts)
    except ArtifactError as error:
        if isinstance(error.__cause__, OSError):
            raise
        return [error]


def _judge(artifact: Artifact, source: str, device: str | None) -> tuple[str, str]:
    """The verdict on an artifact, and the reason."""
    target = artifact.manifest.target
    try:
        artifact.verify(source)
    except ArtifactError as error:  # for any target
        return "recompile", str(error)
    device = device or default_device(artifact.manifest.op_functions, target.device)
    try:
        if device_kind(device) != target.device:  # before it is opened
            return "unsupported", f"{_whom(target.device)}, not for {device}"
        get_device(device)
    except DeviceError as error:
        return "unsupported", error.reason
    try:
        load(artifact, device)  # checks digest, machine and IREE's version
    except (ArtifactError, DeviceError) as error:
        return "recompile", str(error).replace("artifact: ", f"{source}: ", 1)
    refused = ""
    if _asks(target.architecture, target.features) and not cpu_features.grants_tiles():
        refused = "; Linux refuses AMX to this process, which computes the same bits without it"
    unused = sorted(set(cpu_features.best_features()) - set(target.features))
    if target.device != "local":
        return "optimal", f"{device} can run it"
    if unused:
        return "runs", f"without {' '.join(unused)}; --target cpu uses every feature{refused}"
    return "optimal", f"it uses every CPU feature of this machine{refused}"


def _whom(device: str) -> str:
    """The devices an artifact is for, by the name of their kind."""
    if device not in DEVICE_KINDS:
        return f"it is for a {device} device"
    kind = DEVICE_KINDS[device]
    return f"it is for {kind.description} (--device {', '.join(kind.drivers)})"


# `verify`: checks that an artifact or C module computes the same here as where it was compiled.


def add_verify(verbs: Any) -> None:
    """Adds the verb `verify`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "verify",
        help="run an artifact on its sample arguments, and compare the results",
        description="Checks an artifact, bundle or module in C that was compiled with --golden. "
        "Its functions are run on the sample arguments that --golden stored, and the results are "
        "compared with the stored ones. A difference is relative to the largest absolute value of "
        "the result, or to 1 if that is greater. The exit code is 0 if all differences are within "
        "the tolerance of their dtype, and 1 otherwise. For a module in C, the self test is built "
        "and run with the C compiler that the environment variable CC names, or else with cc, gcc "
        "or clang.",
    )
    help_text = "a .vmfb file, the folder of a bundle, or the folder or NAME.json of a module in C"
    parser.add_argument("file", type=Path, metavar="FILE", help=help_text)
    add_device_option(parser)
    add_json_option(parser)
    parser.set_defaults(verb=_verify)


def _verify(options: argparse.Namespace) -> int:
    found = verify(options.file, options.device)
    rows = found.results
    if options.json:
        results = [
            {
                "function": row.function,
                "result": row.result,
                "dtype": row.dtype,
                "difference": row.difference if row.difference < float("inf") else None,
                "tolerance": row.tolerance,
                "equal": row.is_equal,
            }
            for row in rows
        ]
        facts = {"file": str(options.file), "device": found.device, "equal": found.is_equal}
        print_json({**facts, "computed_by": found.computed_by, "results": results})
        return 0 if found.is_equal else 1
    print_table(
        ("function", "result", "dtype", "difference", "tolerance", ""),
        [
            (
                *(row.function, row.result, row.dtype),
                *(f"{row.difference:.2g}", f"{row.tolerance:.2g}"),
                "equal" if row.is_equal else "DIFFERENT",
            )
            for row in rows
        ],
    )
    wrong = sum(not row.is_equal for row in rows)
    outcome = f"{wrong} of {len(rows)} results differ" if wrong else f"all {len(rows)} are equal"
    print_text(f"{outcome}: {found.device} here, {found.computed_by} where it was made")
    return 0 if found.is_equal else 1


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
    if _asks(architecture, features):
        rows.append(("matrix unit", "AMX, if Linux permits it; if not, the same bits without it"))
    return rows


def _asks(architecture: str, features: Sequence[str]) -> bool:
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
            rows = [(t.name, t.dtype, _shape(t), _formula(t)) for t in tensors]
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


def _shape(tensor: TensorSpec) -> str:
    return " x ".join(map(shown, tensor.shape)) or "scalar"


def _formula(tensor: TensorSpec) -> str:
    return tensor.range or (tensor.formula if tensor.shape else "")


def add_run(verbs: Any) -> None:
    """Adds the verb `run`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "run",
        help="run a function of an artifact on arrays from files",
        description="Runs a function of an artifact on arrays from .npz or .npy files.",
    )
    help_text = "a .vmfb file, or the folder of a bundle"
    parser.add_argument("file", type=Path, metavar="FILE", help=help_text)
    help_text = "the arguments, as arrays by name"
    parser.add_argument("inputs", type=Path, nargs="?", metavar="INPUTS.npz", help=help_text)
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=FILE.npy",
        help="one argument, as a .npy file or a number, such as seq_len_max=3; or another file "
        "like INPUTS.npz; repeatable",
    )
    help_text = "the function to run (default: the only one)"
    parser.add_argument("--function", metavar="NAME", help=help_text)
    add_device_option(parser)
    parser.add_argument(
        "--parameters",
        type=Path,
        metavar="FILE.irpa",
        help="the frozen weights (default: the file next to the artifact)",
    )
    parser.add_argument(
        "--random",
        action="store_true",
        help="draw random numbers for missing arguments",
    )
    parser.add_argument(
        "--dim",
        action="append",
        default=[],
        metavar="NAME=N,...",
        help="with --random: the values of open sizes, such as seq_length=32 (default: those of "
        "the given arrays, or else small ones)",
    )
    help_text = "write the results to this file"
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.npz", help=help_text)
    add_json_option(parser)
    parser.set_defaults(verb=_run)


def _run(options: argparse.Namespace) -> int:
    output: Path | None = options.output
    if output is not None and output.suffix != ".npz":
        output = output.with_name(f"{output.name}.npz")
    check_output(output)
    arrays: Path | None = options.inputs
    if arrays is not None and arrays.resolve() == options.file.resolve():
        raise UsageError(
            f"{arrays} is the artifact itself: the second file has the arguments, as "
            "numpy.savez writes arrays by name; --random fills in those that are missing"
        )
    program = load(options.file, options.device, parameters=options.parameters)
    name, function = _chosen_function(program, options.function)
    arguments = _arguments(name, function.spec, options)
    start = time.perf_counter()
    given = [each for each in function.spec.arguments if each.name in arguments]
    inputs = by_keyword(given, [arguments[each.name] for each in given])
    results = function(**inputs)._asdict()
    results = by_name(name, function.spec.results, results)
    milliseconds = (time.perf_counter() - start) * 1e3
    if output:
        stored = {name: storable(array) for name, array in results.items()}
        write_files((output, npz_bytes(stored)))
    at_sizes = [
        replace(spec, shape=tuple(results[spec.name].shape)) for spec in function.spec.results
    ]
    rows = [(spec, _summary(results[spec.name])) for spec in at_sizes]
    if options.json:
        facts = {
            "file": str(options.file),
            "function": name,
            "device": program.device.uri,
            "milliseconds": milliseconds,
            "output": str(output) if output else None,
            "results": [
                {"name": spec.name, "dtype": spec.dtype, "shape": list(spec.shape), **summary}
                for spec, summary in rows
            ],
        }
        print_json(facts)
        return 0
    print_table(
        ("result", "dtype", "shape", "min", "max", "mean", "not finite"),
        [
            (spec.name, spec.dtype, _shape(spec), *map(_cell, summary.values()))
            for spec, summary in rows
        ],
    )
    if output:
        print_line(f"written to {output}", dim=True)
    print_line(f"{milliseconds:.2f} ms on {program.device.uri}", dim=True)
    return 0


def _chosen_function(program: Program, chosen: str | None) -> tuple[str, Function]:
    """The function to run, and its name; the only one need not be named."""
    names = list(program.functions)
    if chosen is None and len(names) > 1:
        raise UsageError(f"--function: expected one of {', '.join(names)}")
    name = chosen or names[0]
    if name not in names:
        message = f"--function {name}: expected one of {', '.join(names)}"
        raise UsageError(with_hint(message, name, names))
    return name, program.functions[name]


def _arguments(name: str, spec: FunctionSpec, options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of a function, from files or at random."""
    files = [str(options.inputs)] if options.inputs else []
    arguments = _read_inputs([*files, *options.input], spec)
    sizes = open_sizes(options, spec.open_dims, f"{name} of {options.file}")
    if options.random:
        arguments = {**random_arguments(spec, arguments, sizes), **arguments}
    elif sizes:
        raise UsageError("--dim: only with --random; otherwise the arrays determine the sizes")
    missing = [
        each.name for each in spec.arguments if each.name not in arguments and each.default is None
    ]
    if missing:
        listed = ", ".join(missing)
        note = f"(--random fills them in){unused_note(options.inputs, spec)}"
        raise UsageError(f"{name}: arguments are missing: {listed} {note}")
    return arguments


def _read_inputs(items: list[str], spec: FunctionSpec) -> dict[str, Any]:
    dtypes = {argument.name: argument.dtype for argument in spec.arguments}
    arrays: dict[str, Any] = {}
    for item in items:
        name, equals, source = item.partition("=")
        try:
            if not equals:
                with open_npz(item) as loaded:
                    arrays |= {key: loaded[key] for key in dtypes if key in loaded}
                continue
            arrays[name] = _number_or_array(source)
        except (OSError, ValueError, TypeError, EOFError, MemoryError, BadZipFile) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(f"input {item}: {reason}") from error
        if name not in dtypes:
            raise UsageError(f"input {item}: {spec.function} takes {', '.join(dtypes)}")
    for name, array in arrays.items():
        if dtypes[name] == "bfloat16" and getattr(array, "dtype", None) in ("V2", "uint16"):
            arrays[name] = array.view(DTYPES["bfloat16"].numpy)  # .npy files lack this dtype
    return arrays


def _number_or_array(text: str) -> Any:
    """The value of ``--input NAME=``: a number, or the array of a .npy file."""
    number = _number(text)
    return read_npy(text) if number is None else number


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return None


def _summary(array: Any) -> dict[str, float | int | None]:
    """A summary of an array's numbers; None if none is finite."""
    values = np.asarray(array, np.float64)
    finite = values[np.isfinite(values)]
    statistics = {"min": np.min, "max": np.max, "mean": np.mean}
    with np.errstate(over="ignore"):
        numbers = {
            name: float(f(finite)) if finite.size else None for name, f in statistics.items()
        }
    return {
        **{k: v if v is not None and np.isfinite(v) else None for k, v in numbers.items()},
        "not_finite": values.size - finite.size,
    }


def _cell(number: float | int | None) -> str:
    return "-" if number is None else f"{number:.6g}"
