"""The results of a run and its machine, as data and as a JSON file.

The file describes the machine in terms that matter for speed, without identifying it.
"""

from __future__ import annotations

import dataclasses
import json
import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.contests import Outcome, Track
from benchmarks.peers import PEERS, manifest_of
from benchmarks.work import Limit

__all__ = ["Facts", "Results", "describe_machine", "versions"]

SCHEMA = 1


@dataclass(frozen=True)
class Facts:
    """Measurements of a case other than time.

    Attributes:
        section: ``"compile"``, ``"memory"`` or ``"soak"``.
        group: The workload.
        name: The size.
        values: Numbers by name; None if it failed.
        failure: The reason.
    """

    section: str
    group: str
    name: str
    values: dict[str, float] | None
    failure: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """Identifies it among the facts of a run."""
        return self.section, self.group, self.name


@dataclass
class Results:
    """A run.

    Attributes:
        created: The time, in UTC.
        machine: The machine.
        versions: The versions of all packages that were measured.
        outcomes: The contests, in order.
        facts: The other measurements.
    """

    created: str
    machine: dict[str, Any]
    versions: dict[str, str]
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    facts: list[Facts] = field(default_factory=list[Facts])

    @staticmethod
    def begin() -> Results:
        """An empty run, here and now."""
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        packages = [package for peer in PEERS.values() for package in peer.packages]
        scripts = [script for peer in PEERS.values() for script in peer.scripts]
        return Results(now, describe_machine(), versions(packages) | script_versions(scripts))

    def continued(self, now: Results) -> Results:
        """This run, to be added to.

        Raises:
            ValueError: It was made on another machine or with other versions.
        """
        if (self.machine, self.versions) != (now.machine, now.versions):
            raise ValueError("a run on another machine or with other versions: cannot be resumed")
        return self

    def add(self, outcome: Outcome) -> None:
        """Adds an outcome, in place of an earlier one of the same contest."""
        keys = [other.key for other in self.outcomes]
        if outcome.key in keys:
            self.outcomes[keys.index(outcome.key)] = outcome
        else:
            self.outcomes.append(outcome)

    def save(self, path: Path) -> None:
        """Writes the file, all of it or nothing."""
        draft = path.with_name(f"{path.name}.part")
        draft.write_text(json.dumps({"schema": SCHEMA, **dataclasses.asdict(self)}, indent=1))
        os.replace(draft, path)

    @staticmethod
    def load(path: Path) -> Results:
        """Reads the output of `save`.

        Raises:
            ValueError: It is not such a file.
            OSError: It cannot be read.
        """
        try:
            data = json.loads(path.read_text())
            if data.pop("schema") != SCHEMA:
                raise ValueError("another schema")
            outcomes = [_outcome(row) for row in data.pop("outcomes")]
            facts = [Facts(**row) for row in data.pop("facts")]
            return Results(**data, outcomes=outcomes, facts=facts)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"{path}: not results of this benchmark: {error!r}") from error


def _outcome(row: dict[str, Any]) -> Outcome:
    tracks = {label: Track(**track) for label, track in row.pop("tracks").items()}
    limit = row.pop("limit", None)
    return Outcome(**row, tracks=tracks, limit=limit and Limit(**limit))


def versions(packages: Iterable[str]) -> dict[str, str]:
    """The versions of those packages that are installed, and Python's."""
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def script_versions(packages: Iterable[str]) -> dict[str, str]:
    """The versions of those packages of Node.js that are installed here."""
    files = {package: manifest_of(package) for package in packages}
    return {
        package: json.loads(file.read_text())["version"]
        for package, file in files.items()
        if file.exists()
    }


def describe_machine() -> dict[str, Any]:
    """Processor, caches, memory and system: what speed depends on."""
    info = _fields(Path("/proc/cpuinfo"))
    memory = _fields(Path("/proc/meminfo")).get("MemTotal", "0 kB").split()[0]
    flags = info.get("flags", info.get("Features", "")).split()
    vector = ("avx2", "fma", "avx512f", "avx512_bf16", "avx512_fp16", "amx_bf16", "amx_int8")
    vector += ("asimd", "sve")
    return {
        "cpu": info.get("model name", platform.machine()),
        "architecture": platform.machine(),
        "vector": [flag for flag in vector if flag in flags],
        "processors": len(os.sched_getaffinity(0)),
        "caches": _caches(),
        "memory_gib": round(int(memory) / 2**20),
        "system": platform.system(),
    }


def _fields(path: Path) -> dict[str, str]:
    """The first value of each ``name : value`` line."""
    found: dict[str, str] = {}
    if path.exists():
        for line in path.read_text().splitlines():
            name, colon, value = line.partition(":")
            if colon:
                found.setdefault(name.strip(), value.strip())
    return found


def _caches() -> dict[str, str]:
    """The size of each data cache of the first processor."""
    caches: dict[str, str] = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind = (folder / "type").read_text().strip()
        if kind != "Instruction":
            level = (folder / "level").read_text().strip()
            caches[f"L{level}"] = (folder / "size").read_text().strip()
    return caches
