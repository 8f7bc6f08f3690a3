"""Options that several verbs share, and the parsing of their values."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from rnn_compiler.errors import OTHER_NAMES, with_hint
from rnn_compiler.lowering.ops import CALLED, find_op
from rnn_compiler.modules import Module, build
from rnn_compiler.schema.attributes import MAX_DIMENSION, REQUIRED, Attribute
from rnn_compiler.schema.device_kinds import DRIVERS
from rnn_compiler.schema.formats import FORMATS
from rnn_compiler.schema.open_sizes import OPEN_DIMENSIONS
from rnn_compiler.weights.files import load

__all__ = [
    "TARGETS",
    "TARGETS_OF_FORMATS",
    "UsageError",
    "add_device_option",
    "add_json_option",
    "add_module_options",
    "add_quantize_option",
    "add_weights_option",
    "check_output",
    "check_output_folder",
    "dimension",
    "keywords_of",
    "module_of",
    "open_sizes",
    "pairs",
    "with_weights",
]

TARGETS = (
    "cpu (this machine), cpu:generic, cpu:x86-64-v3, cpu:avx2,fma, cpu:levels (all levels), "
    "cpu:aarch64,dotprod, cpu:riscv64, cpu:x86_64, cuda, cuda:sm_86, cuda:t4, vulkan"
)
"""The targets of a module for IREE's runtime, in words."""

TARGETS_OF_FORMATS = "".join(
    f"; with --format {name} {row.targets}" for name, row in FORMATS.items() if row.targets
)
"""The targets that only C and JavaScript have."""


class UsageError(Exception):
    """An invalid command line."""


def check_output(path: Path | None) -> None:
    """Checks, before any work is done, that a file can be written.

    Raises:
        UsageError: It cannot be written; the message gives the reason.
    """
    if path is None or (path.exists() and not path.is_dir() and not path.is_file()):
        return  # standard output, or a device or pipe
    if path.is_dir():
        raise UsageError(f"--output {path}: is a folder; name a file")
    if not path.parent.is_dir():
        raise UsageError(f"--output {path}: there is no folder {path.parent}; create it first")
    if path.exists() and not os.access(path, os.W_OK):
        raise UsageError(f"--output {path}: exists and is not writable")
    _check_folder(path, Path(os.path.realpath(path)).parent)


def check_output_folder(path: Path) -> None:
    """Checks, likewise, that a folder can be created or written to.

    Raises:
        UsageError: It cannot; the message gives the reason.
    """
    there = next(each for each in (path, *path.absolute().parents) if each.exists())
    if not there.is_dir():
        raise UsageError(f"--output {path}: {there} is a file; name a folder")
    _check_folder(path, there)


def _check_folder(path: Path, folder: Path) -> None:
    """Tries to create a file in a folder, because permissions alone do not decide."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(f"--output {path}: cannot write in {folder} ({error.strerror})") from error


def add_module_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that describe a module: ops, dimensions, dtype, attributes."""
    parser.add_argument(
        "op",
        nargs="+",
        metavar="OP",
        help="an op that `rnn-compiler ops` lists, such as BlockLSTMV2 or onnx.LSTM",
    )
    parser.add_argument(
        "--dim",
        action="append",
        default=[],
        metavar="NAME=N,...",
        help="the op's dimensions, such as seq_length, batch_size, input_size, num_units and "
        "num_layers; seq_length=any,batch_size=any compiles one module for any length and batch",
    )
    parser.add_argument("--dtype", default="float32", help="float16, bfloat16, float32 or float64")
    parser.add_argument(
        "--attr",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="the op's attributes, such as use_peephole=false; `rnn-compiler ops OP` lists them",
    )
    parser.add_argument(
        "--function",
        type=_names,
        metavar="NAME,...",
        help="names of the functions, one for each OP (default: the ops' names in snake case)",
    )
    parser.add_argument("--name", help="name of the module (default: none)")
    add_outputs_option(parser, "all of the op's usual results")
    add_weights_option(parser)
    add_quantize_option(parser)


def add_outputs_option(parser: argparse.ArgumentParser, usual: str) -> None:
    """Adds which results are returned; `usual` is what is returned without the option."""
    parser.add_argument(
        "--outputs",
        type=_names,
        metavar="NAME,...",
        help="the results to return, such as h,cs_last; others are not computed (default: "
        f"{usual})",
    )


def add_quantize_option(parser: argparse.ArgumentParser) -> None:
    """Adds how frozen weights are stored."""
    parser.add_argument(
        "--quantize",
        choices=["int8"],
        help="store the frozen matrices in int8, and multiply in int8 arithmetic",
    )


def add_weights_option(parser: argparse.ArgumentParser) -> None:
    """Adds the file of arguments to freeze."""
    parser.add_argument(
        "--weights",
        type=Path,
        metavar="FILE",
        help="a .npz or .safetensors file of arguments to freeze into the module, by name: an "
        "array w is for every function that takes w, encoder.w only for the function encoder",
    )


def _names(text: str) -> list[str]:
    """Names that are separated by commas."""
    return [name.strip() for name in text.split(",")]


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Adds the choice of output for programs."""
    text = "print only JSON on standard output, errors included"
    parser.add_argument("--json", action="store_true", help=text)


def add_device_option(parser: argparse.ArgumentParser) -> None:
    """Adds the device to run on."""
    text = f"{', '.join(DRIVERS)} (default: depends on the target and the work of a call)"
    parser.add_argument("--device", metavar="DEVICE", help=text)


def module_of(options: argparse.Namespace) -> Module:
    """The module that the options describe.

    Raises:
        UsageError: A pair is malformed, or a name is unknown or missing.
        InvalidArgumentError: The op does not accept a value.
    """
    names = [find_op(name) for name in options.op]
    keywords = keywords_of(options, names)
    functions: list[str] | None = options.function
    if functions is not None and len(functions) != len(names):
        given = f"{len(functions)} for {len(names)}"
        raise UsageError(f"--function {','.join(functions)}: expected a name for each op, {given}")
    _check_given(names, keywords)
    keywords |= {"dtype": options.dtype, "name": options.name, "outputs": options.outputs}
    try:
        if len(names) == 1:
            module = build(names[0], function=functions[0] if functions else None, **keywords)
        elif functions is None:
            module = build(names, **keywords)
        else:
            own = [{"function": function} for function in functions]
            module = build([*zip(names, own, strict=True)], **keywords)
    except TypeError as error:
        raise UsageError(f"{error} (--dim gives dimensions, --attr attributes)") from error
    return with_weights(module, options.weights, options.quantize)


def with_weights(module: Module, path: Path | None, quantize: str | None = None) -> Module:
    """A module with the weights of a file; names without a function apply to all functions.

    Raises:
        UsageError: An array of the file is not an argument of the module.
        InvalidArgumentError: An array has the wrong dtype, shape or value.
    """
    if path is None:
        if quantize is not None:
            raise UsageError(f"--quantize {quantize} is for frozen weights: give --weights too")
        return module
    weights: dict[str, dict[str, Any]] = {spec.function: {} for spec in module.functions}
    takes = {spec.function: [each.name for each in spec.arguments] for spec in module.functions}
    for key, array in load(path).items():
        function, _, name = key.rpartition(".")
        found = [each for each in takes if name in takes[each] and function in ("", each)]
        if not found:
            known = {f"{each}.{name}" for each in takes for name in takes[each]}
            known |= {name for names in takes.values() for name in names}
            message = f"--weights {path}: {key}: no argument of {', '.join(takes)}"
            raise UsageError(with_hint(message, key, known))
        for each in found:
            weights[each][name] = array
    from rnn_compiler.freezing import freeze  # needs IREE

    return freeze(module, weights, quantize=quantize)


def keywords_of(options: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    """The dimensions and attributes that ``--dim`` and ``--attr`` give for ops.

    Raises:
        UsageError: A pair is malformed, unknown to all ops, or of the wrong kind.
    """
    attributes = {a.name: a for name in names for a in CALLED[name].signature.attributes}
    keywords: dict[str, Any] = {}
    dims = {dim for name in names for dim in CALLED[name].signature.dimensions}
    for key, text in pairs(options.dim, "--dim"):
        if key in attributes and key not in dims:
            raise UsageError(f"--dim {key}: an attribute; did you mean --attr {key}={text}?")
        keywords[key] = dimension(key, text)
    for key, text in pairs(options.attr, "--attr"):
        if key not in attributes:
            ops = " or ".join(names)
            message = f"--attr {key}: {ops} has no attributes"
            if attributes:
                message = f"--attr {key}: no such attribute of {ops}: {', '.join(attributes)}"
            spellings = {each: f"--attr {each}" for each in attributes}
            spellings |= {each: f"--dim {each}" for each in dims}
            raise UsageError(with_hint(message, key, (), spellings))
        keywords[key] = _attribute(attributes[key], text)
    return keywords


def _check_given(names: Sequence[str], given: Collection[str]) -> None:
    """Checks that all given dimensions exist, and that none is missing.

    Raises:
        UsageError: A dimension is unknown or missing.
    """
    signatures = [CALLED[name].signature for name in names]
    dims = dict.fromkeys(dim for each in signatures for dim in each.dimensions)
    attributes = {a.name: a for each in signatures for a in each.attributes}
    for key in given:
        if key not in dims and key not in attributes:
            message = f"--dim {key}: no such dimension of {' or '.join(names)}: {', '.join(dims)}"
            raise UsageError(with_hint(message, key, dims, OTHER_NAMES))
    missing = [f"{dim}=N" for dim in dims if dim not in given]
    if missing:
        raise UsageError(f"{', '.join(names)}: sizes are missing: --dim {','.join(missing)}")
    required = [name for name, a in attributes.items() if a.default is REQUIRED]
    missing = [f"{name}=..." for name in required if name not in given]
    if missing:
        raise UsageError(f"{', '.join(names)}: attributes are missing: --attr {','.join(missing)}")


def dimension(name: str, text: str) -> int | None:
    """The value of a dimension; ``any`` or ``?``, which some shells expand, leaves it open."""
    return None if text in ("any", "?") else _integer(name, text)


def open_sizes(options: argparse.Namespace, known: Sequence[str], of: str) -> dict[str, int]:
    """The values of open sizes in ``--dim``.

    Raises UsageError: a pair is malformed, or the size is not open, or out of range.
    """
    sizes: dict[str, int] = {}
    for key, text in pairs(options.dim, "--dim"):
        if key not in known:
            listed = ", ".join(known) or "none"
            message = f"--dim {key}: no open size of {of}; those are: {listed}"
            raise UsageError(with_hint(message, key, known))
        sizes[key] = size = _integer(key, text, may_be_open=False)
        if not 1 <= size <= MAX_DIMENSION:
            raise UsageError(f"--dim {key}={text}: expected 1 to {MAX_DIMENSION}")
    return sizes


def pairs(options: Iterable[str], flag: str) -> list[tuple[str, str]]:
    """The pairs ``NAME=VALUE`` of a flag, from comma-separated lists or repeated flags.

    Raises:
        UsageError: A pair is malformed, or a name is repeated.
    """
    found: dict[str, str] = {}
    for item in ",".join(options).split(","):
        key, equals, value = item.partition("=")
        name, value = key.strip(), value.strip()
        if equals and name:
            if name in found:
                raise UsageError(f"{flag} {name}: given twice, as {found[name]} and as {value}")
            found[name] = value
        elif item.strip():
            message = f"{flag} {item!r}: expected NAME=VALUE"
            if found and flag == "--attr":
                name, value = [*found.items()][-1]
                message += f"; several words are one value with spaces, '{name}={value} {item}'"
            raise UsageError(message)
    return [*found.items()]


def number(text: str) -> int | float | None:
    """The number that a text is, an integer where it can be; None if it is none."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _integer(key: str, text: str, *, may_be_open: bool = True) -> int:
    try:
        return int(text)
    except ValueError:
        or_open = ", or any to leave it open" if may_be_open and key in OPEN_DIMENSIONS else ""
        raise UsageError(f"--dim {key}={text}: expected an integer{or_open}") from None


_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def _attribute(attribute: Attribute, text: str) -> bool | int | float | str:
    try:
        if attribute.type is bool:
            return _BOOLEANS[text.lower()]
        return attribute.type(text)
    except (KeyError, ValueError):
        expected = "true or false" if attribute.type is bool else f"a {attribute.type.__name__}"
        raise UsageError(f"--attr {attribute.name}={text}: expected {expected}") from None


def sizes_of_network(options: Iterable[str]) -> dict[str, int | list[int | None] | None]:
    """The sizes of axes, and shapes of inputs, of a network."""
    return {key: _size(key, text) for key, text in pairs(options, "--dim")}


def _size(key: str, text: str) -> int | list[int | None] | None:
    """A size, or the sizes of a shape, ``50x1x8``; ``any`` or ``?`` leaves an axis open."""
    try:
        sizes = [None if each in ("any", "?") else int(each) for each in text.split("x")]
    except ValueError:
        expected = "expected a size, 50, or a shape, 50x1x8, or any in place of a number"
        raise UsageError(f"--dim {key}={text}: {expected}") from None
    return sizes if len(sizes) > 1 else sizes[0]
