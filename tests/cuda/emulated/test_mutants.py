"""Mistakes in the PTX of compiled ops are caught, by the emulator's checks or by wrong results.

A mutant has as many bytes as the original, so that it can replace it in a module. Each
runs in a separate process, forked from one that has imported everything.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from cuda import emulator

TESTS = Path(__file__).parents[2]

CHILDREN = r"""
import dataclasses, hashlib, json, os, re, signal, sys
sys.path.insert(0, sys.argv[1])
from cuda import emulator
emulator.load(emulator.build())
from cases import assert_close, sizes
from numeric.harness import draw, expected, module
import rnn_compiler as rc

folder, codes = sys.argv[2], []
for row in json.load(sys.stdin):
    if (child := os.fork()) == 0:
        break
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
else:
    print(json.dumps(codes))
    raise SystemExit(0)

signal.alarm(300)
for stream, name in ((1, "out"), (2, "err")):
    os.dup2(os.open(f"{folder}/{len(codes)}.{name}", os.O_CREAT | os.O_WRONLY), stream)
op, dtype, batch, pattern, replacement, number = row
variant = sizes(4, batch, 32, 64, use_peephole=False)
artifact = rc.compile(module(op, dtype, variant), "cuda")
payload, pattern = artifact.payload, pattern.encode()
if pattern:
    found = list(re.finditer(pattern, payload))
    match = found[number % len(found)]
    new = match.expand(replacement.encode())
    assert len(new) <= len(match[0]) and new != match[0], (new, match[0])
    new += b" " * (len(match[0]) - len(new))
    payload = payload[: match.start()] + new + payload[match.end() :]
digest = hashlib.sha256(payload).hexdigest()
manifest = dataclasses.replace(artifact.manifest, payload_sha256=digest)
program = rc.runtime.load(rc.Artifact(manifest, payload), "cuda")
arguments = draw(op, dtype, variant)
try:
    results = program(**arguments)._asdict()
except (rc.errors.RnnCompilerError, RuntimeError, ValueError):
    print("caught by the emulator")
    raise SystemExit(0)
try:
    assert_close(results, expected(op, dtype, variant, arguments), dtype)
except AssertionError:
    print("caught by results")
else:
    print("not caught")
"""


class Mutant(NamedTuple):
    """A module, and the replacement for the text that `pattern` finds."""

    op: str
    dtype: str
    batch: int
    pattern: str
    replacement: str
    number: int
    by: str


BARRIER = ("\tbar.sync \t0;", "//")

MUTANTS = {
    "barrier 0": Mutant("BlockLSTMV2", "float32", 16, *BARRIER, 0, "emulator"),
    "barrier 2": Mutant("BlockLSTMV2", "float32", 16, *BARRIER, 2, "emulator"),
    "barrier of a gradient": Mutant("BlockLSTMGradV2", "float32", 16, *BARRIER, 0, "emulator"),
    "barrier before a matrix product": Mutant(
        "BlockLSTMV2", "float16", 16, *BARRIER, 0, "emulator"
    ),
    "lane of a shuffle": Mutant(
        "BlockLSTMV2",
        "float32",
        1,
        r"(shfl\.sync\.bfly\.b32 \t%r\d+, %r\d+, )1, 31",
        r"\g<1>2, 31",
        0,
        "results",
    ),
    "last step of a sum left out": Mutant(
        "BlockLSTMV2",
        "float32",
        1,
        r"(shfl\.sync\.bfly\.b32 \t%r\d+, %r\d+, )16, 31",
        r"\g<1>0, 31",
        0,
        "results",
    ),
    "element of shared memory": Mutant(
        "BlockLSTMV2",
        "float32",
        16,
        r"(ld\.shared\.v2\.b32 \t\{%r\d+, %r\d+\}, \[%rd\d+\+)144\]",
        r"\g<1>152]",
        0,
        "any",
    ),
    "element of a load": Mutant(
        "BlockLSTMV2",
        "float16",
        16,
        r"(ld\.shared\.b16 \t%rs\d+, \[%rd\d+\+)4624\]",
        r"\g<1>4608]",
        0,
        "any",
    ),
    "operand of a product": Mutant(
        "BlockLSTMV2",
        "float32",
        16,
        r"(fma\.rn\.f32 \t%r\d+, )(%r\d+), (%r\d+), (%r\d+);",
        r"\1\2, \2, \4;",
        40,
        "results",
    ),
    "fragment of a matrix product": Mutant(
        "BlockLSTMV2",
        "bfloat16",
        16,
        r"(\.bf16\.f32\n[^\n]*\n[^\n]*\{)(%r\d+), (%r\d+)",
        r"\1\3, \2",
        0,
        "results",
    ),
    "product for a sum": Mutant(
        "BlockLSTMV2", "float32", 16, r"add\.rn\.f32", "mul.rn.f32", 0, "results"
    ),
    "rounding": Mutant(
        "BlockLSTMV2", "float32", 16, r"cvt\.rmi\.f32\.f32", "neg.f32", 0, "results"
    ),
    "threads that write": Mutant(
        "BlockLSTMV2", "float32", 16, r"mov\.u32 \t(%r\d+), %tid\.x;", r"mov.b32 \t\1, 0;", 0, "any"
    ),
    "beyond an array": Mutant(
        "BlockLSTMV2",
        "float32",
        16,
        r"shl\.b32 \t(%r\d+, %r\d+), 5;",
        r"shl.b32 \t\1, 9;",
        0,
        "any",
    ),
}


UNCHANGED = [
    ("BlockLSTMV2", *of, "", "", 0) for of in (("float32", 16), ("float32", 1), ("float16", 16))
]


class Outcome(NamedTuple):
    code: int
    printed: str
    errors: str

    def in_order(self) -> str:
        """The output of the process, if it ended successfully."""
        assert self.printed, self.errors[-3000:]
        faulted = "by the emulator" in self.printed
        assert self.code == (emulator.LOST if faulted else 0), "it did not end in order"
        return self.printed.strip()


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    """The outcomes of all mutants, and of the unchanged modules."""
    rows = [*(mutant[:-1] for mutant in MUTANTS.values()), *UNCHANGED]
    folder = tmp_path_factory.mktemp("mutants")
    done = subprocess.run(
        [sys.executable, "-c", CHILDREN, str(TESTS), str(folder)],
        input=json.dumps(rows), capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return [
        Outcome(code, *((folder / f"{number}.{name}").read_text() for name in ("out", "err")))
        for number, code in enumerate(json.loads(done.stdout))
    ]


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant(outcomes: list[Outcome], name: str) -> None:
    got = outcomes[[*MUTANTS].index(name)].in_order()
    assert got.startswith("caught by")
    assert MUTANTS[name].by == "any" or got.endswith(MUTANTS[name].by), got


def test_what_is_not_mutated_is_not_caught(outcomes: list[Outcome]) -> None:
    for outcome in outcomes[len(MUTANTS) :]:
        assert outcome.in_order() == "not caught"
