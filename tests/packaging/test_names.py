"""Commands and names that docs, samples and messages tell users to type work."""

from __future__ import annotations

import re
from pathlib import Path

import processes

ROOT = Path(__file__).parents[2]

BY_NAME = re.compile(r"pip install [^\n&;]*\brnn-compiler\b(?![-_.])")
"""An installation by this package's name, which no index has; wheels are named by file."""


def test_nothing_is_installed_by_a_name_that_no_index_has() -> None:
    assert BY_NAME.search("pip install 'rnn-compiler[remote]' s3fs")
    assert not BY_NAME.search("pip install rnn_compiler-0.2.0-py3-none-any.whl")
    listing = ["git", "ls-files", "-z", "*.md", "*.py", "*.toml"]
    names = processes.run(*listing, cwd=ROOT).stdout.split("\0")
    assert len(names) > 500
    found = [
        f"{name}: {match[0]}"
        for name in names
        if name and not name.startswith("tests/packaging/")
        for match in BY_NAME.finditer((ROOT / name).read_text())
    ]
    assert not found
