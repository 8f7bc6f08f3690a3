"""States in C: a struct that calls update, its first values, blocks that are stored."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from c import emulated
from c.calling import C11, COMPILERS, STRICT, Call, Loaded, each_build, run, sanitized
from linking import stateful

import rnn_compiler as rc
from rnn_compiler.errors import CompileWarning

PROGRAM = r"""
#include "NAME.h"
#include <stdio.h>
#include <string.h>

STATE state, kept, other;
alignas(ALIGNED) static float x[37], row[2], old[4], late[1], y[37];
alignas(ALIGNED) static uint8_t flag[3] = {1, 0, 1};
alignas(ALIGNED) static unsigned char scratch[TRAIN_SCRATCH_SIZE + INFER_SCRATCH_SIZE];
static unsigned char block[BLOCK];

int main(void)
{
    struct train_arguments given = {x, row, flag, 0.25f};
    struct train_results results = {old, late};
    struct infer_arguments seen = {x};
    struct infer_results shown = {y};
    int code = 0;
    for (int k = 0; k < 37; k++)
        x[k] = (float)(k % 5) - 2;
    row[0] = 1;
    row[1] = 2;
    PREFIX_initial_state(&state);
    for (int step = 0; step < 3 && !code; step++)
        code = train(&given, &results, &state, scratch);
    if (code) {
        puts(NAME_error(code));
        return 1;
    }
    kept = state;
    PREFIX_state_to_block(&state, block);
    code = train(&given, &results, &state, scratch);
    printf("count %d\n", (int)state.count);
    state = kept; /* undoes the step */
    printf("count %d\n", (int)state.count);
    memset(&other, 0xff, sizeof other);
    code = PREFIX_state_from_block(&other, block);
    printf("read %d %d\n", code, memcmp(other.p, state.p, sizeof state.p));
    block[BLOCK - 3] ^= 4;
    code = PREFIX_state_from_block(&other, block);
    printf("damaged %s, count %d\n", NAME_error(code), (int)other.count);
    block[0] ^= 1;
    printf("%s\n", NAME_error(PREFIX_state_from_block(&other, block)));
    code = infer(&seen, &shown, &state, scratch);
    for (int k = 0; k < 37; k++)
        if (y[k] != 2 * (state.p[k] * x[k]))
            code = 99;
    printf("infer %d\n", code);
    for (int k = 0; k < 37; k++)
        printf("%a ", state.p[k]);
    printf("\n");
    return 0;
}
"""


def program(name: str = "tagger") -> str:
    text = PROGRAM.replace("PREFIX", name).replace(
        "STATE state", f"static struct {name}_state state"
    )
    text = text.replace("ALIGNED", f"{name.upper()}_ALIGNMENT").replace("NAME", name)
    return text.replace("BLOCK", f"{name.upper()}_STATE_BLOCK_SIZE")


@functools.cache
def module() -> rc.Module:
    return rc.link_module(stateful.TEXT, stateful.INFER, states=stateful.states())


@functools.cache
def compiled(target: str = "cpu:generic") -> rc.CModule:
    return rc.compile_c(module(), target, name="tagger")


def expected() -> np.ndarray:  # type: ignore[type-arg]
    states = stateful.states()
    given = {
        "x": np.arange(37, dtype=np.float32) % 5 - 2,
        "row": np.float32([[1, 2]]),
        "flag": np.array([True, False, True]),
        "rate": np.float32(0.25),
    }
    for _ in range(3):
        states, _ = stateful.train(states, given)
    return states["p"]


def check(output: str) -> None:
    *lines, last = output.splitlines()
    assert lines == [
        *("count 4", "count 3", "read 0 0", "damaged block: damaged, count 3"),
        *("block: of another module", "infer 0"),
    ]
    found = [float.fromhex(word) for word in last.split()]
    np.testing.assert_allclose(found, expected(), rtol=1e-6, atol=1e-6)


@each_build
def test_a_program_that_learns(tmp_path: Path, c_compiler: str, language: tuple[str, ...]) -> None:
    """With sanitizers, and no warning."""
    sanitized(c_compiler, tmp_path)
    compiled().save(tmp_path)
    (tmp_path / "main.c").write_text(program())
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1")
    objects: list[str] = []
    for source in ("main.c", "tagger.c"):
        run(
            c_compiler,
            *language,
            *STRICT,
            *flags,
            "-c",
            source,
            "-o",
            f"{source}.o",
            folder=tmp_path,
        )
        objects.append(f"{source}.o")
    linker = c_compiler if language == C11 else {"gcc": "g++", "clang": "clang++"}[c_compiler]
    run(linker, *flags, *objects, "tagger.o", "-o", "main", folder=tmp_path)
    check(run("./main", folder=tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["aarch64", "armv7"])
def test_other_processors(tmp_path: Path, architecture: str) -> None:
    if missing := emulated.missing(architecture):
        pytest.skip(f"{architecture}: needs {missing}")
    machine = emulated.MACHINES[architecture]
    compiled(f"cpu:{architecture}").save(tmp_path)
    (tmp_path / "main.c").write_text(program())
    files = ("main.c", "tagger.c", "tagger.o", "-o", "main")
    run(*machine.compiler, *C11, *STRICT, "-O1", *files, folder=tmp_path)
    check(run(*machine.command(tmp_path / "main", [], None), folder=tmp_path))


def test_wrong_states(tmp_path: Path) -> None:
    """A pointer that is null, misaligned, or to memory of something else: nothing is written."""
    loaded = Loaded(compiled(), tmp_path)
    call = Call(loaded, "train", {**stateful.states(), **stateful.arguments()})
    before = call.state.copy()
    for pointer, message in [
        (0, "arguments or results: a null pointer"),
        (call.state.ctypes.data + 8, "state: not aligned to 64 bytes"),
        (call.scratch.ctypes.data, "scratch: overlaps another array"),
        (call.arguments["x"].ctypes.data, "state: overlaps another array"),
    ]:
        call.pointers["state"] = pointer
        assert loaded.error(call()) == message
        np.testing.assert_array_equal(call.state, before)


def test_truth_values_are_checked(tmp_path: Path) -> None:
    loaded = Loaded(compiled(), tmp_path)
    call = Call(loaded, "train", {**stateful.states(), **stateful.arguments()})
    call.states["seen"].view(np.uint8)[1] = 2
    assert loaded.error(call()) == "seen: an element not from 0 to 1"


def test_what_the_header_says() -> None:
    text = compiled().header
    assert "The states, 1664 bytes" in text
    assert "struct tagger_state *state" in text
    assert "const struct tagger_state *state" in text  # of infer, which updates none
    assert "alignas(64) float ring[12];    /* [6, 2] */" in text
    assert "#define TAGGER_STATE_BLOCK_SIZE 1061" in text
    state = compiled().manifest["state"]
    assert (state["struct"], state["size"], state["block_size"]) == (
        "struct tagger_state",
        1664,
        1061,
    )
    assert [row["name"] for row in state["members"]] == [*stateful.TYPES]


@pytest.mark.slow
def test_one_function_has_states_of_its_own_name() -> None:
    alone = rc.compile_c(rc.link_module(stateful.TEXT), "cpu:generic", name="tagger")
    assert "struct tagger_state {" in alone.header  # main is called like the module
    assert "tagger_initial_state" not in alone.header
    names = rc.link_module(stateful.TEXT.replace("@main", "@learn"))
    assert "struct learn_state {" in rc.compile_c(names, "cpu:generic", name="tagger").header


def test_zeros_take_no_room() -> None:
    """First values that are zeros, such as moments, are not stored."""
    zeros = {name: np.zeros_like(value) for name, value in stateful.states().items()}
    made = rc.link_module(stateful.TEXT, stateful.INFER, states=zeros)
    source = rc.compile_c(made, "cpu:generic", name="tagger").source
    assert "memset(state->big, 0, 600);" in source
    assert "memcpy(state->big" not in source.partition("tagger_initial_state")[2].partition("}")[0]


def test_states_without_first_values_are_told() -> None:
    some = {name: value for name, value in stateful.states().items() if name not in ("m", "count")}
    made = rc.link_module(stateful.TEXT, stateful.INFER, states=some)
    with pytest.warns(CompileWarning, match="for the states m, count: they are zeros at first"):
        header = rc.compile_c(made, "cpu:generic", name="tagger").header
    assert "Gives the states their first values, and m, count zeros." in header


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILERS)
def test_the_self_test_compares_states(tmp_path: Path, name: str) -> None:
    made = rc.compile_c(module(), "cpu", name="tagger", golden=rc.golden(module(), "cpu"))
    made.save(tmp_path)
    files = ("tagger_selftest.c", "tagger.c", "tagger.o", "-o", "main")
    run(name, *C11, *STRICT, "-DTAGGER_SELFTEST_MAIN", *files, folder=tmp_path)
    lines = run("./main", folder=tmp_path).splitlines()
    assert "train p 0 2e-05 equal" in lines
    assert len(lines) == len(stateful.TYPES) + 3
    assert all(line.endswith(" equal") for line in lines)
