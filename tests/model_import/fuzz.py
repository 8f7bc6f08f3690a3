"""Damages stored models, and reads them: ``python fuzz.py COUNT SEED``.

Each file has bits flipped, bytes overwritten, cut out, repeated or moved, or ends early; of .keras
files, a member has, so that zip's own sums are right. What is read is layers, or an error of this
package. The process has a gigabyte and a half of memory, and two seconds of a processor for each
file. Prints what was found of each kind of file, and ends with 1 at anything else.

HDF5 files are read by a process each, which takes a third of a second: few are damaged ones, and
those that are not are read once.
"""

from __future__ import annotations

import functools
import io
import json
import random
import resource
import signal
import sys
import tempfile
import traceback
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from model_import.files import MODELS, path_of

import rnn_compiler as rc
from rnn_compiler.errors import ArtifactError, InvalidArgumentError, UnsupportedError
from rnn_compiler.model_import import hdf5, keras_file, keras_h5

MOST_MEMORY = 3 << 29
SECONDS = 2.0
HDF5_EVERY = 50
"""Of how many files one is a damaged HDF5 file."""


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


NUMBERS = (-1, 0, 1, 2**31, 2**63, 1e308, None, True, "", "a", [], {}, [[]], {"config": {}})


def damaged_json(data: bytes, draw: random.Random) -> bytes:
    """A configuration in which values are others."""
    config = json.loads(data)
    for _ in range(draw.choice((1, 1, 3))):
        here: Any = config
        for _ in range(30):
            keys = list(here) if isinstance(here, dict) else range(len(here))
            if not keys:
                break
            key = draw.choice(list(keys))
            if isinstance(here[key], (dict, list)) and draw.random() < 0.85:
                here = here[key]
                continue
            here[key] = draw.choice(NUMBERS)
            break
    return json.dumps(config).encode()


def damage(name: str, folder: Path, draw: random.Random, number: int) -> tuple[Path, str]:
    """A damaged model in a folder, and what kind of file it is."""
    path = path_of(name)
    if path.is_dir():
        files = [each for each in path.rglob("*") if each.is_file()]
        victim = draw.choice([each for each in files if each.stat().st_size])
        for each in files:
            place = folder / each.relative_to(path)
            place.parent.mkdir(exist_ok=True, parents=True)
            data = each.read_bytes()
            place.write_bytes(damaged(data, draw) if each == victim else data)
        return folder, victim.suffix.split("-")[0]
    place = folder / path.name
    data = path.read_bytes()
    if path.suffix == ".onnx" and path.with_name(f"{path.name}.data").exists():
        external = path.with_name(f"{path.name}.data").read_bytes()
        place.with_name(f"{path.name}.data").write_bytes(external)
    if path.suffix == ".keras" and draw.random() < 0.7:
        with zipfile.ZipFile(path) as file:
            members = {each: file.read(each) for each in file.namelist()}
        if number % HDF5_EVERY == 0:
            members["model.weights.h5"] = damaged(members["model.weights.h5"], draw)
        else:
            change = draw.choice((damaged, damaged_json, damaged_json))
            members["config.json"] = change(members["config.json"], draw)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            for each, content in members.items():
                file.writestr(each, content)
        data = out.getvalue()
    else:
        data = damaged(data, draw)
    place.write_bytes(data)
    return place, path.suffix


class TooLongError(Exception):
    """A file took too long."""


def stop(*_: object) -> None:
    raise TooLongError


def main(count: int, seed: int) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.RLIM_INFINITY))
    signal.signal(signal.SIGPROF, stop)
    read = hdf5.read_hdf5
    known: dict[bytes, Any] = {}

    @functools.wraps(read)
    def read_once(path: Path, data: bytes | None = None) -> Any:
        content = path.read_bytes() if data is None else data
        if content not in known:
            found = read(path, data)
            known[content] = found
        return known[content]

    keras_file.read_hdf5 = keras_h5.read_hdf5 = read_once
    draw = random.Random(seed)
    found: Counter[tuple[str, str]] = Counter()
    hdf5_files = [name for name in MODELS if name.endswith((".h5", ".keras"))]
    others = [name for name in MODELS if not name.endswith(".h5")]
    for number in range(count):
        name = draw.choice(hdf5_files if number % HDF5_EVERY == 0 else others)
        with tempfile.TemporaryDirectory() as folder:
            path, kind = damage(name, Path(folder), draw, number)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                layers = rc.import_model(path)
                for layer in layers:
                    assert all(array.nbytes < 1 << 26 for array in layer.weights.values())
                result = "layers"
            except (ArtifactError, InvalidArgumentError, UnsupportedError) as error:
                result = type(error).__name__
            except Exception:
                print(f"{name}, number {number} of seed {seed}:")
                traceback.print_exc(file=sys.stdout)
                return 1
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            found[kind, result] += 1
    for (kind, result), times in sorted(found.items()):
        print(f"{kind} {result} {times}")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
