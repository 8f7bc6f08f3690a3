"""Loads payloads into IREE's virtual machine and finds the functions that manifests describe."""

from __future__ import annotations

from typing import Any

import iree.runtime as iree

from rnn_compiler.errors import ArtifactError
from rnn_compiler.runtime.archive import parameters_module
from rnn_compiler.runtime.artifact import IREE_VERSION
from rnn_compiler.runtime.device.devices import Device
from rnn_compiler.runtime.device.shutdown import RUNNING
from rnn_compiler.schema.manifest import Manifest
from rnn_compiler.schema.specs import FunctionSpec, signature_text

__all__ = ["find_function", "load_module"]


def load_module(
    manifest: Manifest, payload: bytes, device: Device, archive: bytes | None
) -> tuple[Any, Any]:
    """Loads a payload with its frozen weights into an IREE context on a device.

    Returns:
        The context, and the module in it.

    Raises:
        ArtifactError: IREE rejects it.
    """
    modules = [device.hal_module]
    if archive is not None:
        modules.append(parameters_module(device.instance, archive))
    try:
        with RUNNING:
            module: Any = iree.VmModule.copy_buffer(device.instance, payload)
            return iree.VmContext(device.instance, [*modules, module]), module
    except Exception as error:
        raise ArtifactError(
            f"IREE's runtime {IREE_VERSION} rejects the module, which was compiled with "
            f"{manifest.compiler_version}: {str(error).strip()}"
        ) from error


def find_function(module: Any, spec: FunctionSpec) -> Any:
    """The function of a module that a manifest describes.

    Raises:
        ArtifactError: The function does not exist, or has other arguments or results.
    """
    function = module.lookup_function(spec.function)
    if function is None:
        raise ArtifactError(
            f"the module has no function {spec.function!r} that its manifest names; it has "
            f"{', '.join(module.function_names)}"
        )
    for kind, types in (("arguments", spec.arguments), ("results", spec.results)):
        inside = function.reflection.get(f"rnn_compiler.{kind}")
        if inside not in (None, signature_text(types)):  # None: not a module of this package
            raise ArtifactError(
                f"@{spec.function}: the manifest gives its {kind} as {signature_text(types)}; the "
                f"module says {inside}: they do not belong together"
            )
    return function
