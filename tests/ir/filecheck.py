"""FileCheck (https://llvm.org/docs/CommandGuide/FileCheck.html) on strings."""

from __future__ import annotations

import io

from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser, pattern_for_opts


def check(text: str, checks: str) -> None:
    """Fails unless a text satisfies the CHECK lines of another."""
    options = Options(match_filename="checks")
    parser = Parser(options, io.StringIO(checks), *pattern_for_opts(options))
    matcher = Matcher(options, FInput("text", text), parser)
    matcher.stderr = io.StringIO()
    assert matcher.run() == 0, f"{matcher.stderr.getvalue()}\n{text}"
