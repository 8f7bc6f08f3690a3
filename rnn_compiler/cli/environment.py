"""`ops`, `doctor` and `demo`: lists the ops, checks the installation, shows that it works."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rnn_compiler.base.installation import (
    NAMES,
    installed_names,
    pip_install,
    requirements,
    version,
)
from rnn_compiler.cli.options import add_json_option, check_output
from rnn_compiler.cli.terminal import print_facts, print_json, print_line, print_table, print_text
from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.ops import CALLED, OPS
from rnn_compiler.lowering.targets.strategies import BACK_ENDS
from rnn_compiler.requirements import RUNTIME, is_within, missing_to_compile
from rnn_compiler.runtime.cache import ArtifactCache
from rnn_compiler.runtime.cache.remote import RemoteCache, reason_of
from rnn_compiler.runtime.device.devices import get_device
from rnn_compiler.schema import cpu_features
from rnn_compiler.schema.architectures import ARCHITECTURES
from rnn_compiler.schema.attributes import REQUIRED, Attribute
from rnn_compiler.schema.device_kinds import DEVICE_KINDS, DRIVERS
from rnn_compiler.schema.signatures import Signature

__all__ = ["add_demo", "add_doctor", "add_ops", "print_version"]

_DTYPES = {DEVICE_KINDS[kind].target: back_end.dtypes for kind, back_end in BACK_ENDS.items()}
"""The dtypes that there is code for, by target; None for every dtype of an op."""

_TARGETS = [target for target, dtypes in _DTYPES.items() if dtypes is None]

_TARGETS_IN_WORDS = ", and ".join(
    [
        " ".join(_TARGETS),
        *(f"{target} for {dtypes[0]}" for target, dtypes in _DTYPES.items() if dtypes),
    ]
)


def print_version() -> int:
    """Prints the versions of this package and its dependencies."""
    for package in (*(installed_names() or NAMES[:1]), "iree-base-compiler", "iree-base-runtime"):
        print_line(f"{package} {version(package) or 'not installed'}")
    return 0


def add_ops(verbs: Any) -> None:
    """Adds the verb `ops`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "ops",
        help="list the ops; with an OP, show its arguments, results and attributes",
        description="Lists the ops. With an OP, shows its arguments, results and attributes.",
    )
    parser.add_argument("op", nargs="?", metavar="OP", help="the op to show")
    add_json_option(parser)
    parser.set_defaults(verb=_ops)


def _ops(options: argparse.Namespace) -> int:
    if options.op:
        from rnn_compiler.lowering.ops import find_op

        signatures = [CALLED[find_op(options.op, "ops")].signature]
    else:
        signatures = [op.signature for op in OPS.values()]
    if options.json:
        print_json([_op_facts(signature) for signature in signatures])
    elif options.op:
        _print_op(signatures[0])
    else:
        print_table(("op", "computes"), [(each.name, each.summary) for each in signatures])
        print_line()
        for dtypes in dict.fromkeys(each.dtypes for each in signatures):
            names = [each.name for each in signatures if each.dtypes == dtypes]
            which = "all" if len(names) == len(signatures) else ", ".join(names)
            print_text(f"{which}: dtypes {' '.join(dtypes)}; targets {_TARGETS_IN_WORDS}")
        print_text("rnn-compiler ops OP shows an op's arguments, attributes and results", dim=True)
    return 0


def _print_op(signature: Signature) -> None:
    """Prints an op in full."""
    print_facts(
        [
            ("op", signature.name),
            ("computes", signature.summary),
            ("dtypes", " ".join(signature.dtypes)),
            ("targets", _TARGETS_IN_WORDS),
        ]
    )
    for kind, tensors in (
        ("argument", signature.arguments),
        ("result", signature.results),
        ("optional result", signature.final_state),
    ):
        rows = [(t.name, f"{t.dtype or ''} {t.kind}".strip(), t.doc) for t in tensors]
        if rows:
            print_line()
            print_table((kind, "shape", "meaning"), rows)
    attributes = [
        (a.name, a.type.__name__, _default(a), a.values, a.doc) for a in signature.attributes
    ]
    if attributes:
        print_line()
        print_table(("attribute", "type", "default", "values", "meaning"), attributes)
    forms = [
        (which, name, kind) for which, kinds in _other_forms(signature) for name, kind in kinds
    ]
    if forms:
        print_line()
        print_table(("with", "tensor", "shape"), forms)


def _default(attribute: Attribute) -> str:
    if attribute.default is None:
        return "the op's"
    return "required" if attribute.default is REQUIRED else attribute.text(attribute.default)


def _other_forms(signature: Signature) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """The tensors that change when an attribute does not have its default."""
    defaults = {a.name: a.default for a in signature.attributes}
    usual = _kinds(signature.form(defaults))
    forms: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for attribute in signature.attributes:
        for value, label in attribute.others():
            kinds = _kinds(signature.form({**defaults, attribute.name: value}))
            changed = tuple((n, kind) for n, kind in kinds.items() if usual.get(n) != kind)
            if changed:
                forms.setdefault((attribute.name, changed), []).append(label)
    return [(f"{name} {', '.join(labels)}", kinds) for (name, kinds), labels in forms.items()]


def _kinds(signature: Signature) -> dict[str, str]:
    return {t.name: t.kind for t in (*signature.arguments, *signature.results)}


def _op_facts(signature: Signature) -> dict[str, Any]:
    return {
        "name": signature.name,
        "function": signature.function,
        "summary": signature.summary,
        "dtypes": list(signature.dtypes),
        "targets": _TARGETS,
        "dimensions": list(signature.dimensions),
        "attributes": {
            a.name: {
                "type": a.type.__name__,
                "default": None if a.default is REQUIRED else a.default,
                "required": a.default is REQUIRED,
                "values": a.values,
                "doc": a.doc,
            }
            for a in signature.attributes
        },
        "arguments": {t.name: t.kind for t in signature.arguments},
        "results": {t.name: t.kind for t in signature.results},
        "results_on_request": {t.name: t.kind for t in signature.final_state},
    }


def add_doctor(verbs: Any) -> None:
    """Adds the verb `doctor`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "doctor",
        help="check what is installed and which devices work",
        description="Checks the installation: versions, CPU features, devices, the cache, and "
        "whether a small op compiles and computes the right number. If the compiler is not "
        "installed, checks only what is needed to load and run artifacts. The exit code is 1 if "
        "something does not work.",
    )
    add_json_option(parser)
    parser.set_defaults(verb=_doctor)


def _doctor(options: argparse.Namespace) -> int:
    missing = missing_to_compile()
    runs_only = "iree-base-compiler" in missing
    rows: list[tuple[str, str, str]] = []

    def row(name: str, check: Callable[[], str], required: bool = True) -> None:
        try:
            rows.append((name, "ok", check()))
        except Exception as error:
            reason = getattr(error, "reason", "") or str(error).partition("\n")[0]
            rows.append((name, "failed" if required else "-", reason))

    row("python", lambda: f"{platform.python_version()} ({sys.executable})")
    row(" and ".join(installed_names()) or "rnn-compiler", _check_package)
    for package, wanted in {**requirements(), **requirements("compiler")}.items():
        needed = package in RUNTIME or not runs_only
        row(package, lambda each=package, wanted=wanted: installed(each, wanted), required=needed)
    row("matplotlib", lambda: installed("matplotlib"), required=False)
    features = " ".join(cpu_features.host_features())
    row("machine", lambda: f"{cpu_features.architecture()}, {os.cpu_count()} processors")
    row("CPU features", lambda: features or "none beyond the baseline")
    here = ARCHITECTURES.get(cpu_features.architecture())
    if here is not None and here.asks(cpu_features.host_features()):
        row("AMX", _check_tiles, required=False)
    for uri, kind in DRIVERS.items():
        row(f"device {uri}", lambda uri=uri: repr(get_device(uri)), required=kind == "local")
    if runs_only:
        rows.append(("compile", "-", f"needs {' and '.join(missing)}"))
    else:
        row("cache", check_cache)
        if os.environ.get("RNN_COMPILER_CACHE_REMOTE"):
            row("remote cache", _check_remote, required=False)
        row("compile and run", _check_compile)
    works = all(state != "failed" for _, state, _ in rows)
    if options.json:
        checks = [dict(zip(("name", "state", "detail"), each, strict=True)) for each in rows]
        print_json({"works": works, "compiles": works and not runs_only, "checks": checks})
        return 0 if works else 1
    print_facts((f"{state:<6}  {name}", detail) for name, state, detail in rows)
    if works and runs_only:
        print_line()
        print_text(
            "This machine loads and runs artifacts (inspect, check, run, verify). "
            f"To compile here too: {pip_install(*missing)}"
        )
    return 0 if works else 1


def _check_tiles() -> str:
    """What Linux answers to a process that asks for AMX's tiles."""
    if cpu_features.grants_tiles():
        return "permitted to this process"
    raise UnsupportedError(
        "Linux refuses it to this process: a thread has a small signal stack, or this is a sandbox"
    )


def _check_package() -> str:
    """The version of this package, under whichever name it is installed."""
    names = installed_names()
    if len(names) > 1:
        raise RuntimeError(
            "installed twice, over the same files: pip uninstall both, then install one of them"
        )
    return installed(names[0] if names else "rnn-compiler")


def installed(package: str, wanted: str = "") -> str:
    found = version(package)
    if found is None:
        raise LookupError("not installed")
    if not is_within(found, wanted):
        raise LookupError(f"{found}, but {wanted} is needed: pip install '{package}{wanted}'")
    return found


def check_cache() -> str:
    cache = ArtifactCache.from_environment()
    folder = cache.folder
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    writable = os.access(existing, os.W_OK)
    problem = "" if writable else ", not writable"
    try:
        cache.files.check_own()
    except FileNotFoundError:
        pass  # not created yet
    except OSError as error:
        problem = f", nothing is cached: {error.strerror}"
    return f"{folder} ({cache.mode}{problem})"


def _check_remote() -> str:
    """Checks that the remote cache answers."""
    remote = RemoteCache.from_environment()
    if remote is None:
        return "none"
    try:
        remote.check()
    except Exception as error:
        raise ConnectionError(f"{remote.shown}: {reason_of(error)}") from error
    return remote.shown


def _check_compile() -> str:
    """Compiles a one-step LSTM and checks its only result."""
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
    return f"BlockLSTMV2 gave {h:.6f}, as expected"


def add_demo(verbs: Any) -> None:
    """Adds the verb `demo`."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "demo",
        help="train a small LSTM with the compiled ops and draw what it learned",
        description="Compiles BlockLSTMV2 and BlockLSTMGradV2 for this machine, trains a small "
        "network with them to predict a signal, and draws what it learned. This takes less than "
        "30 s. The picture needs matplotlib; without it, only the figures are printed.",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("rnn_compiler_demo.png"),
        metavar="FILE.png",
        help="the picture (default: %(default)s)",
    )
    add_json_option(parser)
    parser.set_defaults(verb=_demo)


def _demo(options: argparse.Namespace) -> int:
    from rnn_compiler.cli.demo import run_demo

    check_output(options.output)
    return run_demo(options.output, as_json=options.json)
