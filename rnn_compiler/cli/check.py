"""`check`: would an artifact run here, and how well?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rnn_compiler import cpu_features
from rnn_compiler.cli.options import console, plain_table
from rnn_compiler.errors import ArtifactError, DeviceError
from rnn_compiler.runtime import Artifact, Bundle, default_device, load, read_artifact
from rnn_compiler.runtime.devices import get_device

__all__ = ["add_check"]

_VERDICTS = ("optimal", "runs", "recompile", "unsupported")


def add_check(verbs: Any) -> None:
    """Adds the verb `check`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "check",
        help="say whether an artifact would run here, and how well",
        description="Says whether an artifact or bundle would run on this machine: optimal (it "
        "uses all that the machine has), runs, recompile (not as it is, but the same module "
        "compiled here would), unsupported (the device it is for is not here). "
        "Exit code 0 for optimal and runs, 1 otherwise.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a .vmfb, or a bundle folder")
    parser.add_argument("--device", metavar="DEVICE", help="local-sync, local-task, cuda")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(verb=_check)


def _check(options: argparse.Namespace) -> int:
    if not options.file.exists():
        raise ArtifactError(f"{options.file}: no such artifact")
    rows: list[dict[str, str]] = []
    taken: str | None = None
    try:
        found = read_artifact(options.file)
    except ArtifactError as error:
        rows.append({"target": "", "verdict": "recompile", "reason": str(error)})
    else:
        for artifact in [found] if isinstance(found, Artifact) else found.artifacts:
            verdict, reason = _judge(artifact, options.file.name, options.device)
            name = artifact.manifest.target.name
            rows.append({"target": name, "verdict": verdict, "reason": reason})
        taken = _taken(found, options.device)
    best = min((row["verdict"] for row in rows), key=_VERDICTS.index, default="unsupported")
    if options.json:
        facts = {"file": str(options.file), "verdict": best, "taken": taken, "artifacts": rows}
        print(json.dumps(facts, indent=2))
    else:
        table = plain_table("target", "verdict", "reason")
        for row in rows:
            table.add_row(row["target"], f"[bold]{row['verdict']}[/bold]", row["reason"])
        console().print(table)
        if taken and len(rows) > 1:
            console().print(f"of these, {taken} is taken", style="dim", markup=False)
    return 0 if best in ("optimal", "runs") else 1


def _taken(found: Artifact | Bundle, device: str | None) -> str | None:
    """The target of the artifact that would be loaded, if one would."""
    bundle = found if isinstance(found, Bundle) else Bundle((found,))
    try:
        kind = get_device(device or default_device()).kind
        return bundle.best_here(kind, "").manifest.target.name
    except (ArtifactError, DeviceError):
        return None


def _judge(artifact: Artifact, source: str, device: str | None) -> tuple[str, str]:
    """The verdict on an artifact, and the reason."""
    target = artifact.manifest.target
    device = device or default_device(target.device)
    try:
        opened = get_device(device)
    except DeviceError as error:
        return "unsupported", str(error)
    if opened.kind != target.device:
        return "unsupported", f"it is for a {target.device} device, {device} is none"
    try:
        load(artifact, device)  # digest, machine, IREE's version: all that a real load checks
    except (ArtifactError, DeviceError) as error:
        return "recompile", str(error).replace("artifact: ", f"{source}: ", 1)
    unused = sorted(set(cpu_features.host_features()) - set(target.features))
    if target.device != "local":
        return "optimal", f"{device} takes it"
    if unused:
        return "runs", f"but leaves unused: {' '.join(unused)}; --target cpu uses all"
    return "optimal", "it uses every CPU feature of this machine"
