"""Ourselves: the ops of a case in one artifact, inputs and results on the device.

With one thread on local-sync. With several, on local-sync or on local-task with a worker for each
processor, whichever is faster.
"""

from __future__ import annotations

import gc
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import iree.runtime as iree
import numpy as np
from iree.runtime import flags

import rnn_compiler as rc
from benchmarks.inputs import Arrays, cell_of, draw
from benchmarks.networks import (
    Network,
    downloaded,
    first_result,
    inputs_of,
    network_of,
    outputs_of,
)
from benchmarks.peers import PEERS, Variant, chunked, steps_ours
from benchmarks.rows import CALLS, OURS, Case
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.runtime import Function, Program, get_device
from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.specs import TensorSpec

__all__ = [
    "compilation",
    "first_results",
    "module_of",
    "peak_memory",
    "soak",
    "start",
    "step_memory",
    "variant_of",
    "variants",
]

_devices = ["local-sync"]

step_memory = steps_ours.step_memory


def start(cpus: Sequence[int]) -> None:
    """Gives local-task a worker for each processor."""
    flags.parse_flags(f"--task_topology_cpu_ids={','.join(map(str, cpus))}")
    if len(cpus) > 1:
        _devices.append("local-task")


def variants(case: Case) -> list[Variant]:
    """The case on each device; or, for the contest of calls, in its way of calling."""
    if case.workload.chunks:
        return _streams(case)
    if case.workload.family == "network":
        return _network(case)
    if case.workload.family == "step":
        return steps_ours.variants(case, _devices)
    if case.workload.family == "fine-tuning":
        from benchmarks.peers import trained_networks  # which needs torch

        return trained_networks.ours(case, _devices)
    artifact = rc.compile(module_of(case, **_outputs(case)))
    if case.way:
        return [_call(case, rc.runtime.load(artifact, "local-sync"))]
    if case.dtype == "int8":
        return [variant_of(case, rc.runtime.load(artifact, device)) for device in _devices]
    prepack = len(case.workload.ops) == 1  # training has other weights at every step
    return [
        variant_of(case, rc.runtime.load(artifact, device, prepack=prepack)) for device in _devices
    ]


def _outputs(case: Case) -> dict[str, Any]:
    """The results of a CudnnRNN that peers compute too."""
    workload = case.workload
    if workload.family != "cudnn" or len(workload.ops) > 1:
        return {}
    states = "hc" if cell_of(case) == "lstm" else "h"
    return {"outputs": ["output", *(f"output_{name}" for name in states)]}


def _streams(case: Case) -> list[Variant]:
    """A stream on each device, the weights frozen."""
    drawn = draw(case)
    outputs = _outputs(case)
    states = [name.replace("output", "input") for name in outputs["outputs"][1:]]
    frozen = rc.freeze(module_of(case, **outputs), {"params": drawn["params"]})
    artifact = rc.compile(frozen)

    def on(device: str) -> Variant:
        program = rc.runtime.load(artifact, device)

        def begin() -> Callable[[Any], Any]:
            stream = program.stream(**{name: drawn[name] for name in states})
            return lambda chunk: stream(input=chunk).output

        return chunked(device, case, begin)

    return [on(device) for device in _devices]


def _network(case: Case) -> list[Variant]:
    """A whole network on each device, from numpy arrays to numpy arrays."""
    network = network_of(case)
    path = downloaded(network)
    module = rc.import_network(path, dims=network.dims, values=network.values)
    artifact = rc.compile(module)
    arrays, names = _arguments(module, network, path), outputs_of(path)

    def on(device: str) -> Variant:
        program = rc.runtime.load(artifact, device)
        return Variant(
            device,
            lambda: program(**arrays),
            lambda results: dict(zip(names, results, strict=True)),
        )

    return [on(device) for device in _devices]


def _arguments(module: rc.Module, network: Network, path: Path) -> Arrays:
    """The arguments of an imported network, by our names, in the order of its inputs."""
    given = inputs_of(network, path)
    arrays = [array for name, array in given.items() if name not in network.values]
    names = [each.name for each in module.functions[0].arguments]
    return dict(zip(names, arrays, strict=True))


def _as_it_is(network: Network) -> tuple[Path, Arrays]:
    path = downloaded(network)
    return path, inputs_of(network, path)


def first_results(case: Case) -> dict[str, float]:
    """The time and size of a network's compilation; and for us and each peer, of `first_result`."""
    network = network_of(case)
    path = downloaded(network)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start = time.perf_counter()
        module = rc.import_network(path, dims=network.dims, values=network.values)
        artifact = rc.compile(module)
        values = {"compilation": time.perf_counter() - start}
        artifact.save(folder / "network.vmfb")
        programs = {
            OURS: (folder / "network.vmfb", _arguments(module, network, path)),
            "onnxruntime": _as_it_is(network),
            "openvino": _as_it_is(network.for_openvino),
        }
        for peer, (file, arrays) in programs.items():
            if PEERS[peer].missing is None:
                found = first_result(peer, file, arrays, folder)
                values |= {f"{peer} {what}": value for what, value in found.items()}
    return values


def module_of(case: Case, **options: Any) -> rc.Module:
    """The module that a case calls."""
    workload, size = case.workload, case.size
    dims = {
        "seq_length": size.T,
        "batch_size": size.B,
        "input_size": size.I,
        "num_units": size.H,
        "num_layers": 1,
    }
    known = {dim for op in workload.ops for dim in OPS[op].signature.dimensions}
    given = {name: value for name, value in dims.items() if name in known}
    given |= {**workload.attributes, **options}
    module = rc.build(list(workload.ops), dtype=case.arrays_dtype, **given)
    if case.dtype != "int8":
        return module
    (spec,), drawn = module.functions, draw(case)
    weights = {name: drawn[name] for name in spec.weights}
    return rc.freeze(module, weights, quantize="int8")


def variant_of(case: Case, program: Program) -> Variant:
    """A case on a device."""
    functions = list(program.functions.values())
    resident = _resident(program, functions, draw(case))
    steps = [(each, _of(each, resident)) for each in functions]
    before = _run(steps[: case.workload.timed_from], {})
    timed = steps[case.workload.timed_from :]

    wanted = {result.name for function, _ in timed for result in function.spec.results}
    wanted -= {"reserve_space", "host_reserved"}
    if cell_of(case) != "lstm":
        wanted -= {"output_c", "input_c_backprop"}

    def fetch(results: Mapping[str, Any]) -> Arrays:
        return {k: np.array(v) for k, v in results.items() if k in wanted}

    if len(steps) > 1:
        return Variant(program.device.uri, lambda: _run(timed, before), fetch)
    ((function, given),) = steps
    return Variant(
        program.device.uri,
        lambda: function(**given, to_host=False),
        lambda results: fetch(results._asdict()),
    )


def _of(function: Function, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays that a function takes."""
    names = [argument.name for argument in function.spec.arguments]
    return {name: arrays[name] for name in names if name in arrays}


def _run(
    functions: Sequence[tuple[Function, Mapping[str, Any]]], results: dict[str, Any]
) -> dict[str, Any]:
    """The results of some functions, each called with its own arguments and earlier results."""
    for function, given in functions:
        computed = _of(function, results) if results else {}
        results = results | function(**given, **computed, to_host=False)._asdict()
    return results


def _resident(program: Program, functions: Sequence[Function], drawn: Arrays) -> dict[str, Any]:
    """The arguments that no function computes, on the device."""
    computed = {result.name for function in functions[:-1] for result in function.spec.results}
    return {
        argument.name: program.to_device(_argument(argument, drawn.get(argument.name)))
        for function in functions
        for argument in function.spec.arguments
        if argument.name not in computed
    }


def _argument(spec: TensorSpec, drawn: Any) -> Any:
    """The value of an argument: as drawn; maximum for integers, which are lengths; 0 if unused."""
    if drawn is None:
        drawn = np.full(spec.shape, spec.maximum or 0)
    return np.asarray(drawn).astype(DTYPES[spec.dtype].numpy)


def _call(case: Case, program: Program) -> Variant:
    """A call with a given amount of help from this package."""
    (function,) = program.functions.values()
    drawn = draw(case)
    arrays = {a.name: _argument(a, drawn.get(a.name)) for a in function.spec.arguments}
    on_device = {name: program.to_device(array) for name, array in arrays.items()}
    names = [result.name for result in function.spec.results]
    context, entry = function._context, function._function
    raw_op = getattr(rc.raw_ops, function.spec.op)

    def bare() -> Any:
        inputs = iree.VmVariantList(len(on_device))
        for array in on_device.values():
            inputs.push_ref(array.ref)
        outputs = iree.VmVariantList(len(names))
        context.invoke(entry, inputs, outputs)
        return [outputs.get_as_object(k, iree.HalBufferView) for k in range(len(names))]

    weights = {name: array for name, array in on_device.items() if name != "x"}
    states = ("x", "cs_prev", "h_prev")
    stream = program.stream(**{k: v for k, v in on_device.items() if k not in states})
    ways: list[Callable[[], Any]] = [
        bare,
        lambda: program(**on_device, to_host=False),
        lambda: raw_op(**on_device, to_host=False),
        lambda: program(**arrays),
        lambda: raw_op(**arrays),
        lambda: program(x=arrays["x"], **weights),
        lambda: stream(arrays["x"]),
    ]
    return Variant(case.way, dict(zip(CALLS, ways, strict=True))[case.way], lambda results: {})


def compilation(case: Case) -> dict[str, float]:
    """Seconds to build and compile, and the bytes of the result."""
    before = os.environ.get("RNN_COMPILER_CACHE")
    os.environ["RNN_COMPILER_CACHE"] = "off"
    try:
        seconds: list[float] = []
        for _ in range(3):
            start = time.perf_counter()
            artifact = rc.compile(module_of(case))
            seconds.append(time.perf_counter() - start)
    finally:
        if before is None:
            del os.environ["RNN_COMPILER_CACHE"]
        else:
            os.environ["RNN_COMPILER_CACHE"] = before
    return {"seconds": sorted(seconds)[1], "bytes": len(artifact.payload)}


def peak_memory(case: Case) -> dict[str, float]:
    """Peak bytes on the device, and those of all arguments and results; in a new process.

    Without the pool of freed buffers, so that memory kept for the next call does not count. IREE
    makes the calls, because its allocator counts.
    """
    os.environ["RNN_COMPILER_POOL_MAX_SIZE"] = "0"
    os.environ["RNN_COMPILER_CALLS"] = "iree"
    device = get_device("local-sync")
    variant = variant_of(case, rc.runtime.load(rc.compile(module_of(case)), "local-sync"))
    variant.call()
    tensors = {
        tensor.name: tensor
        for spec in module_of(case).functions
        for tensor in (*spec.arguments, *spec.results)
    }
    needed = sum(
        int(np.prod(tensor.shape, dtype=np.int64)) * DTYPES[tensor.dtype].numpy.itemsize
        for tensor in tensors.values()
    )
    peak = sum(device.hal.allocator.statistics[f"{kind}_bytes_peak"] for kind in ("host", "device"))
    return {"peak": peak, "needed": needed}


_ROUNDS = 4
_CALLS = 10


def soak(case: Case) -> dict[str, float]:
    """Bytes of this process after a quarter of some thousand calls, and after all.

    In each round a program for each batch size up to the case's is loaded, on either local device
    in turn, its functions are called with numpy arrays, and it is dropped.
    """
    cases = [replace(case, size=case.size._replace(B=k + 1)) for k in range(case.size.B)]
    artifacts = [rc.compile(module_of(each)) for each in cases]
    resident: list[int] = []
    calls = 0
    for _ in range(_ROUNDS):
        for k, (each, artifact) in enumerate(zip(cases, artifacts, strict=True)):
            program = rc.runtime.load(artifact, ("local-sync", "local-task")[k % 2])
            drawn = draw(each)
            functions = list(program.functions.values())
            for turn in range(_CALLS):
                function = functions[turn % len(functions)]
                function(
                    **{a.name: _argument(a, drawn.get(a.name)) for a in function.spec.arguments}
                )
                calls += 1
        del program, function, functions
        gc.collect()
        resident.append(_resident_bytes())
    loads = _ROUNDS * len(cases)
    return {"calls": calls, "loads": loads, "first": resident[0], "last": resident[-1]}


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
