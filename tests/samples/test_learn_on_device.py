"""A board learns, remembers and refuses damaged blocks: the README's commands and their output."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
from c.calling import run
from c.emulated import needs
from samples.readme import SAMPLES, blocks

pytestmark = [pytest.mark.slow, needs("cortex-m4")]


def known(printed: str) -> list[int]:
    return [int(number) for number in re.findall(r"knows (\d+) of 100", printed)]


def sizes(printed: str) -> list[tuple[str, str]]:
    """Those of the states and of scratch memory, which no C compiler changes."""
    return re.findall(r"(states|scratch) (\d+)", printed)


def words(text: str) -> list[str]:
    """The text without its numbers, which depend on how the first person's training was rounded."""
    return re.sub(r"\d+", "N", text).split()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sample, with the program, and what the first block prints."""
    pytest.importorskip("jax", minversion="0.10")
    folder = tmp_path_factory.mktemp("learn") / "learn_on_device"
    shutil.copytree(SAMPLES / "learn_on_device", folder)
    commands = blocks("learn_on_device")[0].replace("python ", f"{sys.executable} -W error ")
    commands = commands.replace("arm-none-eabi-gcc", "arm-none-eabi-gcc -Wall -Wextra -Werror")
    (folder / "printed").write_text(run("sh", "-ec", commands, folder=folder))
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """A copy in which nothing was learned yet."""
    return Path(shutil.copytree(built, tmp_path / "band"))


def test_the_readme(folder: Path) -> None:
    _, trained, start, days, damage, again = blocks("learn_on_device")
    printed = (folder / "printed").read_text()
    assert words(printed) == words(trained)
    first, owner = map(int, re.findall(r"(\d+) %", printed))
    assert first >= 95
    assert owner <= 50
    output = "".join(run("sh", "-ec", start, folder=folder) for _ in range(4))
    assert words(output) == words(days)
    assert sizes(output) == sizes(days)
    before, *after = known(output)
    assert before == owner  # on the board as in Python
    assert after[0::2] == after[1::2]  # a restart forgets nothing
    assert after[0] >= 70
    assert after[-1] >= 85
    output = run("sh", "-ec", f"{damage} 2>/dev/null", folder=folder)
    assert words(output) == words(again)
    assert sizes(output) == sizes(again)
    assert known(output) == after[3:5]


def test_a_loss_of_power_while_a_block_is_written(folder: Path) -> None:
    """Wherever it ends, the older block is read; without any, the first values."""
    start = blocks("learn_on_device")[2]
    outputs = [run("sh", "-ec", start, folder=folder) for _ in range(2)]
    older, newer = (folder / f"{bank}.bank" for bank in "ab")
    block = newer.read_bytes()
    for size in (0, len(block) - 1):
        newer.write_bytes(block[:size])
        output = run("sh", "-ec", start, folder=folder)
        assert output.startswith("b.bank: cut short\n")
        assert words(output.partition("\n")[2]) == words(outputs[1])
        assert known(output) == known(outputs[1])
        assert newer.read_bytes() == block
    for bank in (older, newer):
        bank.write_bytes(bank.read_bytes()[:-1])
    output = run("sh", "-ec", start, folder=folder)
    assert known(output) == known(outputs[0])
