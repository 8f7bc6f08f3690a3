"""The sample `blink`: its README's commands, and what the board's LED does."""

from __future__ import annotations

import re
import shutil
import sys
from itertools import groupby
from pathlib import Path

import pytest
from c.calling import run
from c.emulated import needs

SAMPLE = Path(__file__).parents[2] / "samples" / "blink"


@pytest.mark.slow
@needs("cortex-m4")
def test_the_led_is_on_for_four_steps_and_off_for_four(tmp_path: Path) -> None:
    folder = tmp_path / "blink"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("gru", "blink"))
    blocks = re.findall(r"```sh\n(.*?)```", (SAMPLE / "README.md").read_text(), re.DOTALL)
    build, emulate = (block.replace("python ", f"{sys.executable} ") for block in blocks)
    run("sh", "-ec", build, folder=folder)
    start = run("arm-none-eabi-objdump", "-d", "--disassemble=reset", "blink", folder=folder)
    assert "bl" in start
    assert not re.search(r"\tv\w", start)  # nothing with floats before the unit is on
    emulate = emulate.replace("led_change_intensity", "led_set_intensity").strip()
    lines = run("sh", "-ec", f"{emulate} 2>&1", folder=folder)
    seen = re.findall(r"'USERLED0' .* (\d+)%", lines)[-48:]
    lengths = [(number, len([*same])) for number, same in groupby(seen)]
    assert {number for number, _ in lengths} == {"0", "100"}
    assert [length for _, length in lengths[1:-1]] == [4] * (len(lengths) - 2)
    assert len(lengths) >= 12
