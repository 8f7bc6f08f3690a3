"""Artifacts: a payload that IREE loads, and the manifest that describes it.

On disk an artifact is two files: ``NAME.vmfb``, which `iree-run-module` can run, and
``NAME.vmfb.json``, its manifest; frozen weights are a third, ``NAME.irpa``. A bundle is a folder
with one payload per target and one ``manifest.json`` that lists them. Digests are checked before a
payload or weights are passed to IREE, because IREE itself runs damaged code without complaint.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iree.runtime.version import VERSION as IREE_VERSION

from rnn_compiler.base.files import check_replaceable, made_folder, read_regular, write_files
from rnn_compiler.errors import ArtifactError, describe
from rnn_compiler.runtime import paths
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.device_kinds import DEVICE_KINDS
from rnn_compiler.schema.manifest import (
    SCHEMA_VERSION,
    ArchiveSpec,
    Manifest,
    TargetSpec,
    check_digest,
)
from rnn_compiler.schema.notebook import page
from rnn_compiler.schema.specs import function_tables

if TYPE_CHECKING:
    from rnn_compiler.runtime.golden import Golden

__all__ = [
    "IREE_VERSION",
    "Artifact",
    "Bundle",
    "check_features",
    "read_artifact",
    "read_members",
]


@dataclass(frozen=True)
class Artifact:
    """A compiled module.

    Attributes:
        manifest: Its description.
        payload: The bytes of the .vmfb.
        archive: The bytes of the .irpa, the frozen weights; None if there are none.
    """

    manifest: Manifest
    payload: bytes
    archive: bytes | None = None

    def __repr__(self) -> str:
        names = ", ".join(spec.function for spec in self.manifest.functions)
        return f"Artifact({names} for {self.manifest.target.name}, {len(self.payload)} bytes)"

    def _repr_html_(self) -> str:
        return page(self, function_tables(self.manifest.functions))

    def with_archive(self, archive: bytes) -> Artifact:
        """A copy with frozen weights, and a manifest that includes their digest."""
        spec = ArchiveSpec(hashlib.sha256(archive).hexdigest(), len(archive))
        return Artifact(replace(self.manifest, parameters=spec), self.payload, archive)

    def to_bytes(self) -> bytes:
        """The payload: a .vmfb that any IREE runtime of the same version loads."""
        return self.payload

    def save(self, path: str | os.PathLike[str], *, golden: Golden | None = None) -> Path:
        """Writes the payload to `path` and the manifest next to it, ``path.json``.

        Frozen weights go into an archive, ``lstm.irpa`` next to ``lstm.vmfb``. Either all files
        appear, each complete, or none does, also when replacing older ones. The payload appears
        last, so if it is there, so are the others.

        Args:
            path: The payload's file.
            golden: Samples from `rnn_compiler.golden`, written to ``path.golden.npz``.

        Raises:
            OSError: A file cannot be written; the error names it.
        """
        path = Path(path)
        archive = paths.archive_path(path)
        spec, samples = (None, None) if golden is None else golden.stored()
        data = replace(self.manifest, golden=spec).to_json(path.name, archive.name)
        companions = (
            *_there((archive, self.archive), (paths.golden_path(path), samples)),
            (paths.manifest_path(path), _json_bytes(data)),
        )
        check_replaceable(*(each for each, _ in companions))
        write_files(*companions, (path, self.payload))
        return path

    def verify(self, source: str) -> None:
        """Checks that payload and frozen weights match the manifest.

        Raises:
            ArtifactError: One is damaged.
        """
        remedy = "copy it again, or recompile"
        check_digest(source, self.payload, self.manifest.payload_sha256, remedy)
        parameters = self.manifest.parameters
        if parameters is not None and self.archive is not None:
            weights = f"{source}: the archive of its weights"
            check_digest(weights, self.archive, parameters.sha256, remedy)

    def missing_features(self) -> list[str]:
        """The CPU features that the code may use but this machine lacks."""
        target = self.manifest.target
        return cpu_features.missing_features(target.architecture, target.features)

    def check_here(self, source: str, architecture: str | None = None) -> None:
        """Checks that this machine and this version of IREE can run the code.

        Args:
            source: The name of the artifact, for messages.
            architecture: As `Device.architecture`; None to skip this check.

        Raises:
            ArtifactError: It is for another version or architecture, or needs CPU features that are
                missing.
        """
        compiler, runtime = map(_minor, (self.manifest.compiler_version, IREE_VERSION))
        if compiler != runtime:
            raise ArtifactError(
                f"{source}: compiled with IREE {compiler}, but this runtime is {runtime}, and each "
                f"runs only its own modules: recompile with iree-base-compiler=={runtime}.*, or "
                f"install iree-base-runtime=={compiler}.*"
            )
        target = self.manifest.target
        if target.device != "local":
            kind = DEVICE_KINDS.get(target.device)
            if architecture and kind and not kind.runs(target.architecture, architecture):
                others = "later GPUs only" if kind.architectures == "later" else "no other GPUs"
                raise ArtifactError(
                    f"{source}: compiled for {target.architecture}, this GPU is {architecture}, "
                    f"and {kind.code} runs on {others}: recompile for {kind.target}:{architecture}"
                )
            return
        here = cpu_features.architecture()
        if target.architecture != here:
            raise ArtifactError(
                f"{source}: compiled for {target.architecture}, this machine is {here}: recompile "
                f"for cpu, or load it on {target.architecture}"
            )
        check_features(source, target.architecture, target.features)


def check_features(source: object, architecture: str, features: Sequence[str]) -> None:
    """Checks that this machine, of that architecture, has CPU features; raises ArtifactError."""
    if missing := cpu_features.missing_features(architecture, features):
        raise ArtifactError(
            f"{source}: needs CPU features that this machine does not have: {', '.join(missing)}; "
            "recompile here, or for a lower target such as cpu:generic"
        )


@dataclass(frozen=True)
class Bundle:
    """The same functions compiled for several targets.

    Attributes:
        artifacts: One per target, in the requested order.
    """

    artifacts: tuple[Artifact, ...]

    def save(self, folder: str | os.PathLike[str], *, golden: Golden | None = None) -> Path:
        """Writes one payload per target and one manifest into a folder, which is created.

        All targets share one archive of frozen weights, ``parameters.irpa``. Either all files
        appear, each complete, or none does; the manifest appears last.

        Args:
            folder: The folder.
            golden: Samples from `rnn_compiler.golden`, written to ``golden.npz`` there.

        Raises:
            OSError: A file cannot be written; the error names it.
        """
        folder = Path(folder)
        rows: list[dict[str, Any]] = []
        files: list[tuple[Path, bytes]] = []
        spec, samples = (None, None) if golden is None else golden.stored()
        for artifact in self.artifacts:
            name = f"{artifact.manifest.target.slug}.vmfb"
            files.append((folder / name, artifact.payload))
            manifest = replace(artifact.manifest, golden=spec)
            rows.append({"file": name, **manifest.to_json(name, paths.BUNDLE_ARCHIVE)})
        files = [
            *_there((folder / paths.BUNDLE_ARCHIVE, self.artifacts[0].archive)),
            *_there((folder / paths.BUNDLE_GOLDEN, samples)),
            *files,
        ]
        data = {"schema": SCHEMA_VERSION, "artifacts": rows}
        files.append((folder / paths.BUNDLE_MANIFEST, _json_bytes(data)))
        check_replaceable(*(each for each, _ in files))
        with made_folder(folder):
            write_files(*files)
        return folder

    def verify(self, source: str) -> None:
        """Checks that every payload matches the manifest.

        Every payload is checked, so that damage never changes which one is chosen.

        Raises:
            ArtifactError: One is damaged.
        """
        for artifact in self.artifacts:
            artifact.verify(f"{source} ({artifact.manifest.target.name})")

    def best_here(self, device_kind: str, source: str, architecture: str | None = None) -> Artifact:
        """The best artifact for this machine and a kind of device.

        Of the artifacts that run here, an artifact whose CPU features include those of another is
        better. Among equal or incomparable ones, the one requested first is chosen. For a GPU, it
        is the one for the latest architecture.

        Args:
            device_kind: The kind, one of `DEVICE_KINDS`.
            source: The name of the bundle, for messages.
            architecture: As `Device.architecture`.

        Raises:
            ArtifactError: None of them runs here; the message gives the reason for each.
        """
        reasons: list[str] = []
        usable: list[Artifact] = []
        for artifact in self.artifacts:
            target = artifact.manifest.target
            if target.device != device_kind:
                reasons.append(f"{target.name} is for a {target.device} device")
                continue
            try:
                artifact.check_here(target.name, architecture)
                usable.append(artifact)
            except ArtifactError as error:
                reasons.append(str(error))
        if not usable:
            raise ArtifactError(f"{source}: nothing in this bundle runs here: {'; '.join(reasons)}")
        levels = [_level(artifact.manifest.target) for artifact in usable]
        beaten = [any(own < other for other in levels) for own in levels]
        return usable[beaten.index(False)]


def read_artifact(
    path: str | os.PathLike[str], parameters: str | os.PathLike[str] | None = None
) -> Artifact | Bundle:
    """Reads the files of `Artifact.save` or `Bundle.save`; `load` checks the digests.

    Args:
        path: The file or folder.
        parameters: The archive of its frozen weights; default: the one next to it, or in the
            bundle.

    Raises:
        ArtifactError: A file is missing or unreadable, or a manifest damaged.
    """
    path = Path(path)
    try:
        is_bundle = path.is_dir()
    except (OSError, ValueError) as error:  # not a valid file name
        raise ArtifactError(f"{describe(str(path))}: no such artifact") from error
    if not is_bundle:
        beside = paths.manifest_path(path)
        payload = _read(path, f"{path}: no such artifact")
        name = beside.name
        missing = f"{path}: not an artifact, or its manifest is missing: no {name} beside it"
        text = _read(beside, missing)
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ArtifactError(f"{beside}: not JSON ({error})") from error
        manifest = _parse_manifest(data, str(beside))
        return Artifact(
            manifest, payload, _read_archive(manifest, parameters, paths.archive_path(path))
        )
    members: list[Artifact] = []
    for member in read_members(path, parameters):
        if isinstance(member, ArtifactError):
            raise member
        members.append(member)
    return Bundle(tuple(members))


def read_members(
    folder: Path, parameters: str | os.PathLike[str] | None = None
) -> list[Artifact | ArtifactError]:
    """The artifacts of a bundle; for one that cannot be read, the error of `read_artifact`.

    Raises:
        ArtifactError: The folder is not a bundle, or its manifest is damaged.
    """
    source = folder / paths.BUNDLE_MANIFEST
    missing = f"{folder}: not a bundle: it contains no {paths.BUNDLE_MANIFEST}"
    if any(folder.glob("*.o")):
        missing += "; a module in C is for C compilers, and for rnn-compiler verify"
    text = _read(source, missing)
    try:
        data = json.loads(text)
        if data["schema"] != SCHEMA_VERSION:
            raise ArtifactError(
                f"{source}: schema {data['schema']}, this version reads {SCHEMA_VERSION}: recompile"
            )
        rows = [(row.pop("file"), row) for row in data["artifacts"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ArtifactError(f"{source}: damaged bundle manifest ({error!r})") from error
    members: list[Artifact | ArtifactError] = []
    for name, row in rows:
        file = folder / Path(str(name)).name  # never outside the folder
        try:
            payload = _read(file, f"{file}: missing from its bundle")
            manifest = _parse_manifest(row, str(source))
            archive = _read_archive(manifest, parameters, paths.archive_path(folder))
            members.append(Artifact(manifest, payload, archive))
        except ArtifactError as error:
            members.append(error)
    return members


def _parse_manifest(data: object, source: str) -> Manifest:
    """A manifest from JSON; the error for a changed one also says which target it is for."""
    try:
        return Manifest.from_json(data, source)
    except ArtifactError as error:
        skew = _skew(data)
        if not skew:
            raise
        raise ArtifactError(f"{error}; {skew}") from error


def _skew(data: object) -> str:
    """Why an artifact would not run here according to its manifest, whose digest is wrong."""
    try:
        manifest = Manifest.from_json(data, check_digest=False)
    except ArtifactError:
        return ""
    try:
        Artifact(manifest, b"").check_here("it says")
    except ArtifactError as error:
        return str(error)
    except (TypeError, AttributeError):  # its types are unchecked
        pass
    return ""


def _level(target: TargetSpec) -> Any:
    """What code requires, as a comparable value: its CPU features, or 80 for sm_80."""
    if target.device == "local":
        return frozenset(target.features)
    return DEVICE_KINDS[target.device].level(target.architecture)


def _minor(version: str) -> str:
    """The major and minor number of IREE's version, on which modules depend."""
    found = re.match(r"\d+\.\d+", version)
    return found[0] if found else version


def _there(*files: tuple[Path, bytes | None]) -> list[tuple[Path, bytes]]:
    """The files that have content."""
    return [(path, data) for path, data in files if data is not None]


def _read_archive(
    manifest: Manifest, given: str | os.PathLike[str] | None, usual: Path
) -> bytes | None:
    """The archive of an artifact's frozen weights, if it has any."""
    if manifest.parameters is None:
        if given is not None:
            raise ArtifactError(f"{given}: not needed: the artifact has no frozen weights")
        return None
    path = usual if given is None else Path(given)
    remedy = "put it there, or name it: load(..., parameters=FILE)" if given is None else ""
    missing = "; ".join(filter(None, (f"{path}: the archive of frozen weights is missing", remedy)))
    return _read(path, missing)


def _json_bytes(data: object) -> bytes:
    return (json.dumps(data, indent=2) + "\n").encode()


def _read(path: Path, missing: str) -> bytes:
    """The bytes of a file; `missing` is the error message if it does not exist."""
    try:
        return read_regular(path)
    except FileNotFoundError as error:
        raise ArtifactError(missing) from error
    except OSError as error:
        raise ArtifactError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise ArtifactError(f"{describe(str(path))}: no such artifact") from error
