"""The command line that calls a function of an artifact with IREE's own tool."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from rnn_compiler.schema.device_kinds import DEVICE_KINDS

if TYPE_CHECKING:
    from rnn_compiler.schema.manifest import FunctionSpec, Manifest, TensorSpec

__all__ = ["SCOPE", "iree_command"]

SCOPE = "model"
"""The scope of parameters in IREE, as in ``iree-run-module --parameters=model=FILE.irpa``."""


def iree_command(
    manifest: Manifest,
    spec: FunctionSpec,
    file: str,
    archive: str,
    *,
    inputs: Mapping[str, str] = MappingProxyType({}),
    outputs: Sequence[str] = (),
) -> str:
    """The `iree-run-module` command line that calls one function.

    Args:
        manifest: The artifact's.
        spec: The function.
        file: The payload's file name.
        archive: The file name of the frozen weights, if there are any.
        inputs: Values of arguments by name, ``"@x.npy"``. Others are zeros; integers with a range,
            such as a sequence length, are its maximum; open dimensions are 1.
        outputs: The destination of each result; default: they are printed.
    """
    spec = spec.bound(dict.fromkeys(spec.open_dims, 1))
    kind = manifest.target.device
    device = DEVICE_KINDS[kind].driver if kind in DEVICE_KINDS else kind
    return shlex.join(
        [
            "iree-run-module",
            f"--module={file}",
            *([f"--parameters={SCOPE}={archive}"] if manifest.parameters else []),
            f"--device={device}",
            f"--function={spec.function}",
            *(f"--input={inputs.get(each.name) or _zeros(each)}" for each in spec.arguments),
            *(f"--output={output}" for output in outputs),
        ]
    )


def _zeros(tensor: TensorSpec) -> str:
    """A zero argument for the tool, which takes no elements for an empty tensor."""
    value = "" if 0 in tensor.shape else f"={tensor.maximum or tensor.default or 0}"
    return f"{tensor.iree_type}{value}"
