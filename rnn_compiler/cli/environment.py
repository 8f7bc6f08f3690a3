"""`ops`, `doctor` and `demo`: what there is, whether it works here, and the proof."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler import cpu_features
from rnn_compiler.attributes import REQUIRED
from rnn_compiler.cli.options import check_output, console, plain_table
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.runtime.cache import ArtifactCache
from rnn_compiler.runtime.devices import get_device
from rnn_compiler.signatures import Signature

__all__ = ["add_demo", "add_doctor", "add_ops", "print_version"]

_TARGETS = ("cpu", "cuda")


def print_version() -> int:
    """Prints the versions of this package and of what it stands on."""
    for package in ("rnn-compiler", "iree-base-compiler", "iree-base-runtime"):
        print(package, _version(package) or "not installed")
    return 0


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _installed(package: str) -> str:
    version = _version(package)
    if version is None:
        raise LookupError("not installed")
    return version


def add_ops(verbs: Any) -> None:
    """Adds the verb `ops`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "ops",
        help="list the ops, with dtypes, targets and attributes",
        description="Lists the ops; with an OP, shows its arguments and results.",
    )
    parser.add_argument("op", nargs="?", metavar="OP", help="show this one in full")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(verb=_ops)


def _ops(options: argparse.Namespace) -> int:
    if options.op:
        from rnn_compiler.modules import find_op

        signatures = [OPS[find_op(options.op, "ops")].signature]
    else:
        signatures = [op.signature for op in OPS.values()]
    if options.json:
        print(json.dumps([_op_facts(signature) for signature in signatures], indent=2))
        return 0
    table = plain_table("op", "computes", "dtypes", "targets", "attributes")
    for signature in signatures:
        attributes = [
            a.name if a.default is REQUIRED else f"{a.name}={a.default}"
            for a in signature.attributes
        ]
        table.add_row(
            f"[bold]{signature.name}[/bold]",
            signature.summary,
            " ".join(signature.dtypes),
            " ".join(_TARGETS),
            " ".join(attributes),
        )
    out = console()
    out.print(table)
    for signature in signatures if options.op else []:
        tensors = plain_table("", "name", "shape", "meaning")
        for kind, rows in (("in", signature.arguments), ("out", signature.results)):
            for tensor in rows:
                text = f"{tensor.dtype or ''} {tensor.kind}".strip().replace("[", r"\[")
                tensors.add_row(kind, tensor.name, text, tensor.doc)
        out.print()
        out.print(tensors)
    return 0


def _op_facts(signature: Signature) -> dict[str, Any]:
    return {
        "name": signature.name,
        "function": signature.function,
        "summary": signature.summary,
        "dtypes": list(signature.dtypes),
        "targets": list(_TARGETS),
        "dimensions": list(signature.dimensions),
        "attributes": {
            a.name: {
                "type": a.type.__name__,
                "default": None if a.default is REQUIRED else a.default,
            }
            for a in signature.attributes
        },
        "arguments": {t.name: t.kind for t in signature.arguments},
        "results": {t.name: t.kind for t in signature.results},
    }


def add_doctor(verbs: Any) -> None:
    """Adds the verb `doctor`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "doctor",
        help="check what is installed and which devices work",
        description="Checks the installation: versions, CPU features, devices, the cache, and "
        "whether a small op compiles and gives the right number. Exit code 1 if it does not work.",
    )
    parser.set_defaults(verb=_doctor)


def _doctor(options: argparse.Namespace) -> int:
    del options
    table = plain_table("", "", "")
    table.show_header = False
    failed = False

    def row(name: str, check: Callable[[], str], required: bool = True) -> None:
        nonlocal failed
        try:
            text, mark = check(), "[green]ok[/green]"
        except Exception as error:
            text, mark = str(error).partition("\n")[0], "[red]failed[/red]" if required else "-"
            failed = failed or required
        table.add_row(f"[bold]{name}[/bold]", mark, text.replace("[", r"\["))

    row("python", lambda: f"{platform.python_version()} ({sys.executable})")
    for package in ("rnn-compiler", "iree-base-compiler", "iree-base-runtime", "numpy"):
        row(package, lambda package=package: _installed(package))
    row("matplotlib", lambda: _installed("matplotlib"), required=False)
    features = " ".join(cpu_features.host_features())
    row("machine", lambda: f"{cpu_features.architecture()}, {os.cpu_count()} processors")
    row("CPU features", lambda: features or "none beyond the baseline")
    for uri in ("local-sync", "local-task"):
        row(f"device {uri}", lambda uri=uri: repr(get_device(uri)))
    row("device cuda", lambda: repr(get_device("cuda")), required=False)
    row("cache", _check_cache)
    row("compile and run", _check_compile)
    console().print(table)
    return 1 if failed else 0


def _check_cache() -> str:
    cache = ArtifactCache.from_environment()
    folder = cache.folder
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    writable = os.access(existing, os.W_OK)
    problem = "" if writable else ", not writable"
    try:
        cache.files.check_own()
    except FileNotFoundError:
        pass  # not made yet
    except OSError as error:
        problem = f", nothing is kept: {error.strerror}"
    return f"{folder} ({cache.mode}{problem})"


def _check_compile() -> str:
    """Compiles a one-step LSTM and checks its one number."""
    from rnn_compiler import raw_ops

    one, zero = np.ones((1, 1), np.float32), np.zeros(1, np.float32)
    h = raw_ops.BlockLSTMV2(
        seq_len_max=1,
        x=one[None],
        cs_prev=one,
        h_prev=one,
        w=np.zeros((2, 4), np.float32),
        wci=zero,
        wcf=zero,
        wco=zero,
        b=np.zeros(4, np.float32),
    ).h.item()
    expected = 0.5 * np.tanh(0.5)  # all gates are s(0), the candidate is tanh(0)
    if abs(h - expected) > 1e-6:
        raise RuntimeError(f"a one-step LSTM gave {h!r}, expected {expected!r}")
    return f"BlockLSTMV2 gave {h:.6f}, as it should"


def add_demo(verbs: Any) -> None:
    """Adds the verb `demo`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "demo",
        help="train a small LSTM with the compiled ops and draw what it learned",
        description="Compiles BlockLSTMV2 and BlockLSTMGradV2 for this machine, trains a small "
        "network with them to predict a signal, and draws what it learned. Under 30 s.",
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("rnn_compiler_demo.png"), metavar="FILE.png"
    )
    parser.set_defaults(verb=_demo)


def _demo(options: argparse.Namespace) -> int:
    from rnn_compiler.cli.demo import run_demo

    check_output(options.output)
    return run_demo(options.output, console=console())
