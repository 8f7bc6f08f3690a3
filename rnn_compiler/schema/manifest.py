"""The artifact schema: the description of a compiled module as data.

A `Manifest` is stored next to every payload as JSON, and in short form inside it as
`iree.reflection` attributes. It contains everything that the runtime needs to check arguments,
choose a device and name results, so loading needs neither the op registry nor the compiler.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from rnn_compiler.errors import ArtifactError
from rnn_compiler.schema.device_kinds import DEVICE_KINDS
from rnn_compiler.schema.notebook import facts, page
from rnn_compiler.schema.open_sizes import json_sizes
from rnn_compiler.schema.specs import (
    NUMBERS,
    FunctionSpec,
    TensorSpec,
    function_tables,
    own_name,
    owner_of,
)

SCHEMA_VERSION = 1

SCOPE = "model"
"""The scope of parameters in IREE, as in ``iree-run-module --parameters=model=FILE.irpa``."""


@dataclass(frozen=True)
class TargetSpec:
    """The target of a compiled module.

    Attributes:
        name: As the user wrote it, ``"cpu"``, ``"cpu:x86-64-v3"``.
        device: The kind of IREE device that runs it, ``"local"``.
        architecture: The instruction set, ``"x86_64"``, ``"aarch64"``.
        features: Every CPU feature the code may use, in LLVM's names, sorted.
    """

    name: str
    device: str
    architecture: str
    features: tuple[str, ...]

    @property
    def slug(self) -> str:
        """The name as a part of a file name, ``"cpu-x86-64-v3"``."""
        return "".join(c if c.isalnum() or c in "-_." else "-" for c in self.name)


@dataclass(frozen=True)
class GoldenSpec:
    """The description of a payload's sample arguments and results (`runtime.golden`).

    Attributes:
        computed_by: What computed the results, ``"cpu:x86-64-v3 (fused) on local-sync"``.
        sha256: Digest of their file.
    """

    computed_by: str
    sha256: str


@dataclass(frozen=True)
class ArchiveSpec:
    """The archive of a module's frozen weights."""

    sha256: str
    size: int


@dataclass(frozen=True)
class SourceSpec:
    """The ONNX file of a training step, into which `Session.save_onnx` writes its weights.

    Attributes:
        path: Its path, as it was given.
        sha256: Digest of the file.
        beside: Digests of files with elements of its weights, by their paths from its folder.
        initializers: The names of the trained weights there, by their states.
    """

    path: str
    sha256: str
    beside: dict[str, str]
    initializers: dict[str, str]


@dataclass(frozen=True, repr=False)
class Manifest:
    """Everything known about one compiled payload.

    Attributes:
        functions: The functions it exports.
        target: The target it was compiled for.
        strategy: The lowering strategy.
        package_version: The version of this package that compiled it.
        compiler_version: The version of the IREE compiler that compiled it.
        module_sha256: Digest of its portable StableHLO.
        payload_sha256: Digest of the payload.
        payload_size: Size of the payload in bytes.
        parameters: The archive of frozen weights; None if there is none, or it has not been created
            yet.
        name: The module's symbol, which is its name in IREE's VM; empty for IREE's default,
            "module".
        plain_loops: Reasons why time loops stay plain, several times slower, by symbol
            (`private_symbol`): ``{"block_lstm_v2.lstm_forward": "a unit axis"}``.
        linked: For a user's functions: our ops in them, each by its private function.
        golden: Its sample results; None if there are none.
        calls: How short calls of its functions run, by symbol: ``"direct"``, or through IREE for a
            reason, ``"iree: it is for a GPU"``.
        source: For a training step: the file of its network.
        schema: Version of this schema.
    """

    functions: tuple[FunctionSpec, ...]
    target: TargetSpec
    strategy: str
    package_version: str
    compiler_version: str
    module_sha256: str
    payload_sha256: str
    payload_size: int
    name: str = ""
    parameters: ArchiveSpec | None = None
    plain_loops: dict[str, str] = field(default_factory=dict[str, str])
    linked: tuple[FunctionSpec, ...] = ()
    golden: GoldenSpec | None = None
    calls: dict[str, str] = field(default_factory=dict[str, str])
    source: SourceSpec | None = None
    schema: int = SCHEMA_VERSION

    def __repr__(self) -> str:
        names = ", ".join(spec.function for spec in self.functions)
        return (
            f"Manifest({names} for {self.target.name}, {self.strategy}, {self.payload_size} bytes)"
        )

    def _repr_html_(self) -> str:
        about = {
            "target": f"{self.target.name} ({self.target.architecture})",
            "CPU features": " ".join(self.target.features),
            "IREE": self.compiler_version,
            "rnn-compiler": self.package_version,
            "sha256": self.payload_sha256,
        }
        shown = {name: value for name, value in about.items() if value}
        return page(self, facts(shown), function_tables(self.functions))

    @property
    def op_functions(self) -> tuple[FunctionSpec, ...]:
        """Our ops, either as functions or linked into a user's functions."""
        return self.linked or self.functions

    def plain_loops_of(self, spec: FunctionSpec) -> dict[str, str]:
        """Reasons why a function's time loops stay plain, by loop name."""
        return {
            own_name(symbol): reason
            for symbol, reason in self.plain_loops.items()
            if owner_of(symbol) == spec.function
        }

    def to_json(self, file: str = "FILE.vmfb", archive: str = "FILE.irpa") -> dict[str, Any]:
        """The manifest as JSON data, with an `iree-run-module` command for each function."""
        fields = asdict(self)
        if self.source is None:  # manifests of older versions lack it
            del fields["source"]
        rows = zip(self.functions, fields["functions"], strict=True)
        linked = zip(self.linked, fields["linked"], strict=True)
        for spec, data in (*rows, *linked):
            data["attributes"] = spec.json_attributes
            data["dims"] = spec.json_dims
            for key in ("minima", "maxima", "states"):  # manifests of older versions lack them
                if not data[key]:
                    del data[key]
            for key in ("arguments", "results", "frozen"):
                data[key] = [json_sizes(row, NUMBERS) for row in data[key]]
                for row in data[key]:
                    del row["summed"]
                    if row["also"] is None:  # manifests of older versions lack it
                        del row["also"]
        return {
            **fields,
            "manifest_sha256": _digest(fields),
            "run_commands": {
                f.function: self.run_command(f, file, archive) for f in self.functions
            },
        }

    def run_command(
        self,
        spec: FunctionSpec,
        file: str = "FILE.vmfb",
        archive: str = "FILE.irpa",
        *,
        inputs: Mapping[str, str] = MappingProxyType({}),
        outputs: Sequence[str] = (),
    ) -> str:
        """The `iree-run-module` command line that calls one function.

        Inputs that are not given, as ``"@x.npy"``, are zeros; integers with a range, such as a
        sequence length, are its maximum; open dimensions are 1. Other results are printed.
        """
        spec = spec.bound(dict.fromkeys(spec.open_dims, 1))
        kind = self.target.device
        device = DEVICE_KINDS[kind].driver if kind in DEVICE_KINDS else kind
        return shlex.join(
            [
                "iree-run-module",
                f"--module={file}",
                *([f"--parameters={SCOPE}={archive}"] if self.parameters else []),
                f"--device={device}",
                f"--function={spec.function}",
                *(f"--input={inputs.get(each.name) or _zeros(each)}" for each in spec.arguments),
                *(f"--output={output}" for output in outputs),
            ]
        )

    @staticmethod
    def from_json(data: object, source: str = "manifest", *, check_digest: bool = True) -> Manifest:
        """Reads the output of `to_json`; types cannot be relied on without `check_digest`."""
        if not isinstance(data, dict) or "schema" not in data:
            raise ArtifactError(f"{source}: not an rnn-compiler manifest")
        fields: dict[str, Any] = {**data}
        if fields["schema"] != SCHEMA_VERSION:
            raise ArtifactError(
                f"{source}: manifest schema {fields['schema']}, this version reads "
                f"{SCHEMA_VERSION}: recompile, or load it with the rnn-compiler that made it"
            )
        fields.pop("run_commands", None)
        try:
            if fields.pop("manifest_sha256", None) != _digest(fields) and check_digest:
                raise ArtifactError(f"{source}: damaged manifest (changed after it was written)")
            target = fields["target"]
            fields["target"] = TargetSpec(**(target | {"features": tuple(target["features"])}))
            fields["functions"] = tuple(map(FunctionSpec.from_json, fields["functions"]))
            fields["linked"] = tuple(map(FunctionSpec.from_json, fields.get("linked", ())))
            if fields.get("golden") is not None:
                fields["golden"] = GoldenSpec(**fields["golden"])
            if fields.get("parameters") is not None:
                fields["parameters"] = ArchiveSpec(**fields["parameters"])
            if fields.get("source") is not None:
                fields["source"] = SourceSpec(**fields["source"])
            return Manifest(**fields)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise ArtifactError(f"{source}: damaged manifest ({error!r})") from error


def check_digest(
    source: object, data: bytes, expected: object, remedy: str, what: str = "damaged"
) -> None:
    """Checks the sha256 of what a manifest describes; raises ArtifactError."""
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise ArtifactError(
            f"{source}: {what}: its sha256 is {found[:16]}..., the manifest says "
            f"{str(expected)[:16]}...; {remedy}"
        )


def _digest(fields: dict[str, Any]) -> str:
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _zeros(tensor: TensorSpec) -> str:
    """A zero argument for the tool, which takes no elements for an empty tensor."""
    value = "" if 0 in tensor.shape else f"={tensor.example or tensor.default or 0}"
    return f"{tensor.iree_type}{value}"
