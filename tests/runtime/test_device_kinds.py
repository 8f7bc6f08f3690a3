"""A kind of device is a row: each is complete, and another one needs no other code to be named."""

from __future__ import annotations

import iree.runtime as iree
import processes
import pytest

from rnn_compiler.lowering.targets.names import compiler_flags, resolve_target
from rnn_compiler.lowering.targets.strategies import BACK_ENDS
from rnn_compiler.runtime.device.devices import NATIVE_DRIVERS
from rnn_compiler.schema.device_kinds import DEVICE_KINDS, DRIVERS, TARGETS


@pytest.mark.parametrize("kind", DEVICE_KINDS)
def test_a_row_is_complete(kind: str) -> None:
    row = DEVICE_KINDS[kind]
    assert {*row.drivers} <= {*iree.query_available_drivers()}
    assert BACK_ENDS.keys() == DEVICE_KINDS.keys()
    target = resolve_target(row.target)
    assert target.device == kind
    assert compiler_flags(target)
    if kind != "local":
        assert row.drivers == (kind,)
        assert all((row.code, row.runs_on, row.failures, row.remedy))
        assert target.architecture.startswith(row.prefix)
        assert (row.architectures == "later") == bool(row.prefix)
        assert row.architectures != "features"
        assert (kind in NATIVE_DRIVERS) == row.needs_native


def test_rows_differ() -> None:
    assert len(TARGETS) == len({row.dlpack for row in DEVICE_KINDS.values()}) == len(DEVICE_KINDS)
    assert len(DRIVERS) == sum(len(row.drivers) for row in DEVICE_KINDS.values())
    types = [row.torch for row in DEVICE_KINDS.values() if row.torch]
    assert len(types) == len({*types})


PLANTED = """
import dataclasses
from rnn_compiler.schema import device_kinds
row = device_kinds.DeviceKind(
    drivers=("hip",), target="rocm", description="GPUs of AMD", one="an AMD GPU", dlpack=10,
    is_numbered=True, code="HSACO", runs_on="GPUs of this architecture",
    failures={"libamdhip64": "no ROCm on this machine"}, remedy="install ROCm",
)
device_kinds.DEVICE_KINDS = {**device_kinds.DEVICE_KINDS, "hip": row}
device_kinds.DRIVERS = {**device_kinds.DRIVERS, "hip": "hip"}
device_kinds.TARGETS = {**device_kinds.TARGETS, "rocm": "hip"}

from rnn_compiler.lowering.targets import strategies
back_end = strategies.BACK_ENDS["vulkan"]._replace(dtypes=("float16",))
strategies.BACK_ENDS = {**strategies.BACK_ENDS, "hip": back_end}

from rnn_compiler.lowering.targets import names
from rnn_compiler.schema.manifest import TargetSpec
def read(name, caller=""):
    return TargetSpec(name, "hip", "gfx1100", ())
def listed():
    return ["rocm"]
def details():
    return {"mi300x": "rocm:gfx942"}
own = names._TargetKind(read, listed, listed, lambda _: [], details, plugin="hal_target_planted")
names._KINDS = {**names._KINDS, "hip": own}
print([names.compiler_flags(names.resolve_target(each))[-2:] for each in ("cuda", "rocm")])

import rnn_compiler as rc
from rnn_compiler.cli import main
from rnn_compiler.cli.inspect import _code
from rnn_compiler.runtime.device.devices import get_device

from rnn_compiler.runtime.device import devices
class Native:
    def devices_here(self):
        return ""

module = rc.build("GRUBlockCell", batch_size=1, input_size=2, num_units=3)
artifact = rc.compile(module)
manifest = dataclasses.replace(artifact.manifest, target=read("rocm"))
artifact = dataclasses.replace(artifact, manifest=manifest)
with rc.target("rocm"):
    print(rc.chosen_target.current_device())
    for action in (
        lambda: get_device("hip://0"),
        lambda: setattr(devices, "NATIVE_DRIVERS", {"hip": Native()}),
        lambda: get_device("hip"),
        lambda: artifact.check_here("code", "gfx1100"),
        lambda: artifact.check_here("code", "gfx1101"),
        lambda: get_device("rocm:1"),
        lambda: names.resolve_target("rocn"),
        lambda: names.resolve_target("mi300y"),
        lambda: rc.compile(module),
    ):
        try:
            action()
        except rc.errors.RnnCompilerError as error:
            print(error)
print(_code(read("rocm")))
main(["ops", "GRUBlockCell"])
"""


@pytest.mark.slow
@pytest.mark.skipif("hip" not in iree.query_available_drivers(), reason="IREE without HIP")
def test_a_planted_row_is_carried_through() -> None:
    done = processes.python(PLANTED)
    expected = [
        "hip",
        "device 'hip://0': hip has no row in NATIVE_DRIVERS",
        "device 'hip' could not be opened: no ROCm on this machine; install ROCm",
        "code: compiled for gfx1100, this GPU is gfx1101, and HSACO runs on no other GPUs: "
        "recompile for rocm:gfx1101",
        "('code', 'HSACO for gfx1100: GPUs of this architecture')",
        "no device 'rocm:1': expected one of local-sync, local-task, cuda, vulkan, hip; "
        "did you mean hip://1?",
        "[['--iree-plugin=-hal_target_vulkan_spirv', '--iree-plugin=-hal_target_planted'], "
        "['--iree-plugin=-hal_target_vulkan_spirv']]",
        "vulkan, rocm, got 'rocn'; did you mean rocm?",
        "vulkan, rocm, got 'mi300y'; did you mean rocm:gfx942?",
        "for rocm there is code for float16 alone: build it with dtype float16, or choose another",
        "cpu cuda, and vulkan for float32, and rocm for float16",
    ]
    for part in expected:
        assert part in done.stdout
