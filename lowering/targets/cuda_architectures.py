"""The CUDA architectures that code is compiled for, and common names for them.

Code for a GPU is PTX, which the driver translates for the GPU it finds when a module is loaded. PTX
for one architecture runs on that and on every later one, so a GPU that IREE has no code for is
served by an earlier one's. IREE's compiler must not see other names: it has no code for
``sm_90`` and ``sm_100`` (`tests/traps/test_cuda_targets.py`), and does not survive some others. For
Volta and Turing it would write tensor-core instructions that only later GPUs have; so they get the
code for sm_60, which uses none.

Sources: NVIDIA's table of compute capabilities (https://developer.nvidia.com/cuda-gpus); CUDA C++
Programming Guide, "PTX compatibility".
"""

from __future__ import annotations

__all__ = ["ARCHITECTURES", "DEFAULT", "architecture_of"]

DEFAULT = "sm_80"
"""The architecture for ``cuda`` alone: it suits every data-centre GPU since 2020."""

ARCHITECTURES: dict[str, tuple[str, ...]] = {
    "sm_60": (
        *("pascal", "p100", "sm_61", "sm_62", "gtx1080"),
        *("volta", "sm_70", "v100", "titanv", "sm_72"),
        *("turing", "sm_75", "t4", "rtx2060", "rtx2070", "rtx2080", "rtx2080ti"),
    ),
    "sm_80": (
        *("ampere", "a100", "a30", "sm_87", "orin"),
        *("hopper", "h100", "h200", "gh200", "sm_90", "sm_90a"),
        *("b100", "b200", "gb200", "sm_100", "sm_100a", "sm_103"),
    ),
    "sm_86": (
        *("a2", "a10", "a10g", "a16", "a40", "a6000"),
        *("rtx3060", "rtx3070", "rtx3080", "rtx3090", "rtx3090ti"),
    ),
    "sm_89": ("ada", "l4", "l40", "l40s", "rtx4060", "rtx4070", "rtx4080", "rtx4090"),
    "sm_120": ("rtx5060", "rtx5070", "rtx5080", "rtx5090", "sm_121"),
}
"""The architectures that code is compiled for: other names of each, and later ones it serves."""

_BY_NAME = {
    name: architecture for architecture, names in ARCHITECTURES.items() for name in names
} | {architecture: architecture for architecture in ARCHITECTURES}


def architecture_of(name: str) -> str | None:
    """The architecture to compile for; None if the name is unknown.

    Example:
        >>> architecture_of("sm_86"), architecture_of("h100"), architecture_of("k80")
        ('sm_86', 'sm_80', None)
    """
    return _BY_NAME.get(name)
