"""`check`: would an artifact run here, and how well?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rnn_compiler.cli.inspect import asks_system
from rnn_compiler.cli.options import add_device_option, add_json_option
from rnn_compiler.cli.terminal import print_json, print_table, print_text
from rnn_compiler.errors import ArtifactError, DeviceError
from rnn_compiler.runtime import Artifact, default_device, load, read_artifact
from rnn_compiler.runtime.artifact import read_members
from rnn_compiler.runtime.device.devices import device_kind, get_device
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.device_kinds import DEVICE_KINDS

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
    parser.set_defaults(verb=_check)


def _check(options: argparse.Namespace) -> int:
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
    if asks_system(target.architecture, target.features) and not cpu_features.grants_tiles():
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
