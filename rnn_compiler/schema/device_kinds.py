"""The kinds of devices, by the names that manifests give them (`TargetSpec.device`).

`local` is the CPU of the machine at hand: its devices alone share the host's memory, and run code
for a processor with certain features. Every other kind has the name of IREE's driver for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple


class DeviceKind(NamedTuple):
    """Devices that run the same code.

    What the lowering has for them is in `lowering.targets`.

    Attributes:
        drivers: IREE's drivers for them, with which their names begin (``--device``); the one that
            uses a whole device last.
        target: The name of their targets, without what follows a colon.
        description: A description in words.
        one: One of them in words.
        dlpack: DLPack's type of their memory (`DLDeviceType` in dlpack.h).
        architectures: Which of them run the code for an architecture: those with its CPU
            features (of the CPU alone), those with the same or a later number (`prefix`), those of
            exactly this architecture, or any.
        prefix: What precedes the number of an architecture, if later ones run its code too.
        is_exported: Whether IREE shares their memory with other frameworks, by DLPack. The native
            driver of a GPU then waits for these.
        is_staged: Whether results reach the host through a buffer of theirs that it can read,
            because they cannot write to any memory of the host.
        is_numbered: Whether their names may end with DLPack's number, ``cuda://1``.
        torch: PyTorch's type of such devices, whose tensors stay there; empty if there is none.
        code: What is compiled for them; empty for machine code.
        runs_on: The devices that a module runs on, in words.
        other_names: What they are called elsewhere.
        failures: Why they do not open, by part of IREE's message, in the most common cases.
        remedy: What to do about one that does not open.
    """

    drivers: Sequence[str]
    target: str
    description: str
    one: str
    dlpack: int
    architectures: Literal["features", "later", "exact", "any"] = "exact"
    prefix: str = ""
    is_exported: bool = False
    is_staged: bool = True
    is_numbered: bool = False
    torch: str = ""
    code: str = ""
    runs_on: str = ""
    other_names: Sequence[str] = ()
    failures: Mapping[str, str] = MappingProxyType({})
    remedy: str = ""

    @property
    def driver(self) -> str:
        """The driver that uses a whole device."""
        return self.drivers[-1]

    @property
    def needs_native(self) -> bool:
        """Whether there must be a native driver (`NATIVE_DRIVERS` in `runtime.device.devices`).

        It knows a device's number and architecture, and waits for the work of other frameworks.
        """
        if self.architectures == "features":
            return False
        return self.is_exported or self.is_numbered or self.architectures != "any"

    def level(self, architecture: str) -> int:
        """The number of an architecture, 80 for sm_80; 0 if they have no order."""
        later = self.architectures == "later"
        return int(architecture.removeprefix(self.prefix)) if later else 0

    def runs(self, code: str, device: str) -> bool:
        """Whether code for an architecture runs on a device with another; features aside."""
        if self.architectures == "later":
            return self.level(code) <= self.level(device)
        return self.architectures == "any" or code == device


DEVICE_KINDS: Mapping[str, DeviceKind] = MappingProxyType(
    {
        "local": DeviceKind(
            drivers=("local-sync", "local-task"),
            target="cpu",
            description="CPUs",
            one="the CPU",
            dlpack=1,
            architectures="features",
            is_exported=True,
            is_staged=False,
            torch="cpu",
        ),
        "cuda": DeviceKind(
            drivers=("cuda",),
            target="cuda",
            description="NVIDIA GPUs",
            one="an NVIDIA GPU",
            dlpack=2,
            architectures="later",
            prefix="sm_",
            is_exported=True,
            is_staged=False,
            is_numbered=True,
            torch="cuda",
            code="PTX",
            runs_on="NVIDIA GPUs of this architecture and of later ones",
            other_names=("gpu",),
            failures={"libcuda.so": "no NVIDIA driver on this machine (libcuda.so.1 not found)"},
            remedy="a GPU needs NVIDIA's driver, which provides libcuda.so, and in a container its "
            "toolkit (docker run --gpus all): nvidia-smi must list the GPU",
        ),
        "vulkan": DeviceKind(
            drivers=("vulkan",),
            target="vulkan",
            description="GPUs with Vulkan",
            one="a GPU with Vulkan",
            dlpack=7,
            architectures="any",
            is_staged=True,  # Vulkan imports the host's memory only at page boundaries
            code="SPIR-V 1.3",
            runs_on="any GPU whose driver has Vulkan",
            failures={
                "libvulkan.so": "no Vulkan on this machine (libvulkan.so.1 not found)",
                "VK_ERROR_INCOMPATIBLE_DRIVER": "no driver for Vulkan on this machine",
            },
            remedy="a GPU needs its vendor's driver for Vulkan, and vulkaninfo must list it; "
            "Mesa's lavapipe (Debian's mesa-vulkan-drivers) runs on the CPU instead",
        ),
    }
)

DRIVERS: Mapping[str, str] = MappingProxyType(
    {driver: kind for kind, row in DEVICE_KINDS.items() for driver in row.drivers}
)
"""The kind of the devices of each driver."""

TARGETS: Mapping[str, str] = MappingProxyType(
    {row.target: kind for kind, row in DEVICE_KINDS.items()}
)
"""The kind of the devices of each target, by its name up to the colon."""
