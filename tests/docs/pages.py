"""The pages of documentation, and their fenced blocks.

A block of Python or shell is run, unless the line above it is one of

    <!-- not run: REASON -->      it is not run
    <!-- needs: NAME -->          run where this module or command is installed, else skipped
    <!-- demo command -->, <!-- test command -->      .ci/run runs it

A block of another language under

    <!-- file: NAME -->           is written to a file, which later blocks may use

and a quoted block is compared with its origin: the output of a pass, or a file.

    <!-- emitted: stablehlo -->, <!-- emitted: PASS TARGET -->
    <!-- from: FILE -->
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PAGES", "ROOT", "Block", "blocks"]

ROOT = Path(__file__).parents[2]

_TOP = ("README.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md")
PAGES = {
    str(path.relative_to(ROOT)): path
    for path in (*(ROOT / name for name in _TOP), *sorted(ROOT.glob("docs/**/*.md")))
}

_BLOCK = re.compile(
    r"(?:^<!-- (?P<marker>[^>]*?) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        language: The word behind the fence.
        text: Its lines.
        marker: The comment above it; empty if there is none.
        line: The line of the page that it begins at.
    """

    language: str
    text: str
    marker: str
    line: int


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in order."""
    text = PAGES[page].read_text()
    return [
        Block(
            found["language"],
            found["text"],
            found["marker"] or "",
            text.count("\n", 0, found.start("text")) + 1,
        )
        for found in _BLOCK.finditer(text)
    ]
