"""Damages stored models, and reads them: ``python fuzz.py [--count 3000] [--seed 0]``.

In most files, fields are replaced by others (`mutations`); in the rest, bits are flipped, and bytes
overwritten, cut out, repeated or moved. The result must be layers or an error of this package that
is expected, within ten seconds of CPU time and half a gigabyte. Anything else is a finding: it is
printed with the command that repeats it, and the exit code is 1. Files are read by a child, whose
crash or hang is a finding too.

HDF5 files are read by a process each, which takes a third of a second, so only a few are damaged,
and the undamaged ones are read once.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import select
import shutil
import signal
import struct
import sys
import tempfile
import traceback
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from model_import.bounds import bounded
from model_import.files import MODELS, path_of, read_hdf5_if_new
from model_import.mutations import (
    mutated_checkpoint,
    mutated_hdf5,
    mutated_json,
    mutated_message,
)

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError
from rnn_compiler.model_import import DEFECT, keras_file

LONGEST_TEXT = 2_000
HANGING = 100
"""Seconds without a file being read, after which the child is ended."""

HDF5_EVERY = 20
"""Of how many files one is a damaged HDF5 file."""

WARMING = ("block_v2", "torch_rnn.onnx", "keras3.keras")
"""Models that are read first, to import all readers."""

_MESSAGES = {".pb": "Graph", ".onnx": "OnnxModel"}


def damaged(data: bytes, draw: random.Random) -> bytes:
    """Bytes with a few damages."""
    found = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        if not found:
            break
        at = draw.randrange(len(found))
        length = min(draw.choice((1, 2, 4, 8, 64, 1000)), len(found) - at)
        kind = draw.randrange(7)
        if kind == 0:
            found[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            found[at] = draw.choice((0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)))
        elif kind == 2:
            del found[at:]
        elif kind == 3:
            del found[at : at + length]
        elif kind == 4:
            found[at:at] = found[at : at + length] * draw.choice((1, 1, 20))
        elif kind == 5:
            found[at : at + length] = draw.randbytes(length)
        else:
            other = draw.randrange(len(found))
            found[at : at + length] = found[other : other + length]
    return bytes(found)


def damage(name: str, folder: Path, draw: random.Random, in_hdf5: bool) -> tuple[Path, str]:
    """A damaged model in a folder, and a description of the damage."""
    path, in_fields = path_of(name), draw.random() < 0.8
    if path.is_dir():
        return folder, _damage_folder(path, folder, draw, in_fields)
    place, data = folder / path.name, path.read_bytes()
    beside = path.with_name(f"{path.name}.data")
    if beside.exists():
        content = beside.read_bytes()
        cut = len(content) if draw.random() < 0.8 else draw.randrange(len(content))
        (folder / beside.name).write_bytes(content[:cut])
    if path.suffix == ".keras" and (in_fields or in_hdf5):
        data = _damaged_zip(path, draw, in_hdf5)
    elif path.suffix == ".h5" and in_fields:
        data = mutated_hdf5(data, draw)
    elif path.suffix in _MESSAGES and in_fields:
        data = mutated_message(_MESSAGES[path.suffix], data, draw)
    else:
        in_fields, data = False, damaged(data, draw)
    place.write_bytes(data)
    return place, f"{path.suffix} {'fields' if in_fields or in_hdf5 else 'bytes'}"


def _damage_folder(path: Path, folder: Path, draw: random.Random, in_fields: bool) -> str:
    """Damages a SavedModel."""
    shutil.copytree(path, folder, dirs_exist_ok=True)
    files = [each for each in sorted(folder.rglob("*")) if each.is_file() and each.stat().st_size]
    victim = draw.choice(files)
    if not in_fields:
        victim.write_bytes(damaged(victim.read_bytes(), draw))
    elif victim.name == "saved_model.pb" or draw.random() < 0.5:
        victim = folder / "saved_model.pb"
        victim.write_bytes(mutated_message("SavedModel", victim.read_bytes(), draw))
    else:
        mutated_checkpoint(folder / "variables", draw)
        victim = folder / "variables.index"
    return f"{victim.suffix.split('-')[0]} {'fields' if in_fields else 'bytes'}"


def _damaged_zip(path: Path, draw: random.Random, in_hdf5: bool) -> bytes:
    """A .keras file of which a member is damaged."""
    with zipfile.ZipFile(path) as file:
        members = {each: file.read(each) for each in file.namelist()}
    name = "model.weights.h5" if in_hdf5 else "config.json"
    members[name] = (mutated_hdf5 if in_hdf5 else mutated_json)(members[name], draw)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for each, content in members.items():
            file.writestr(each, content)
    return out.getvalue()


def case(seed: int, number: int, keep: Path | None) -> tuple[str, str]:
    """Damages and reads one file; returns the damage and the outcome.

    Raises:
        Exception: A finding.
    """
    draw = random.Random(f"{seed}:{number}")
    in_hdf5 = number % HDF5_EVERY == 0
    names = [each for each in MODELS if each.endswith((".h5", ".keras")) or not in_hdf5]
    name = draw.choice([each for each in names if in_hdf5 or not each.endswith(".h5")])
    with tempfile.TemporaryDirectory() as folder:
        path, kind = damage(name, Path(folder), draw, in_hdf5)
        if keep is not None:
            shutil.copytree(folder, keep, dirs_exist_ok=True)
        try:
            with bounded():
                layers = rc.import_model(path)
        except (ArtifactError, InvalidArgumentError, UnsupportedError) as error:
            text = str(error)
            unforeseen = DEFECT in text or "more memory than there is" in text
            if unforeseen or len(text) > LONGEST_TEXT:
                raise AssertionError(f"an error of {len(text)} letters: {text[:500]}") from error
            return kind, type(error).__name__
    assert len({layer.name for layer in layers}) == len(layers)
    assert all(array.nbytes < 1 << 26 for layer in layers for array in layer.weights.values())
    return kind, "layers"


def read_hdf5_once() -> None:
    """Lets HDF5 files that are not damaged be read once."""
    keras_file.read_hdf5 = keras_file.read_hdf5 = read_hdf5_if_new


def run(options: argparse.Namespace, first: int, out: int) -> None:
    """Reads files one after the other; writes their numbers and outcomes to a pipe."""
    for number in range(first, options.first + options.count):
        os.write(out, struct.pack("<q", number))
        try:
            found = case(options.seed, number, options.keep)
        except Exception:
            found = "finding", traceback.format_exc()[-6_000:]
        text = "\t".join(found).encode()
        os.write(out, struct.pack("<q", len(text)) + text)
    os._exit(0)


def main(options: argparse.Namespace) -> int:
    read_hdf5_once()
    for name in WARMING:
        rc.import_model(path_of(name))
    counts: Counter[str] = Counter()
    number, end, findings = options.first, options.first + options.count, 0
    while number < end:
        source, out = os.pipe()
        if not (child := os.fork()):
            run(options, number, out)
        os.close(out)
        with open(source, "rb", buffering=0) as pipe:
            while (head := received(pipe, 8)) is not None:
                (number,) = struct.unpack("<q", head)
                size = received(pipe, 8)
                text = received(pipe, struct.unpack("<q", size)[0]) if size else None
                if text is None:
                    break
                kind, _, result = text.decode().partition("\t")
                counts[kind if kind == "finding" else f"{kind} {result}"] += 1
                findings += kind == "finding"
                if kind == "finding":
                    report(options.seed, number, result)
                number += 1
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if number < end:
            findings += 1
            report(options.seed, number, f"the process hung, or ended with {status}")
            number += 1
    for result, times in sorted(counts.items()):
        print(f"{result} {times}")
    return 1 if findings else 0


def received(pipe: Any, size: int) -> bytes | None:
    """Bytes from the child; None if it has ended, or hangs."""
    data = b""
    while len(data) < size:
        if not select.select([pipe], [], [], HANGING)[0] or not (
            part := pipe.read(size - len(data))
        ):
            return None
        data += part
    return data


def report(seed: int, number: int, text: str) -> None:
    """Prints a finding."""
    command = f"python tests/model_import/fuzz.py --seed {seed} --first {number} --count 1"
    print(f"finding: {command} --keep FOLDER\n{text}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3_000, help="how many files (3000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--keep", type=Path, help="a folder to leave the files in")
    sys.exit(main(parser.parse_args()))
