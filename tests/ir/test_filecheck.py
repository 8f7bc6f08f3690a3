"""The FileCheck helper fails when it should; otherwise its checks would prove nothing."""

from __future__ import annotations

import pytest
from ir.filecheck import check

TEXT = "one\ntwo a\ntwo b\nthree\n"


def test_satisfied_checks_pass() -> None:
    check(TEXT, "CHECK: one\nCHECK-NEXT: two a\nCHECK-COUNT-1: two\nCHECK-NOT: two\nCHECK: three")


@pytest.mark.parametrize(
    "checks",
    [
        "CHECK: four",
        "CHECK: three\nCHECK: one",
        "CHECK: one\nCHECK-NEXT: three",
        "CHECK: one\nCHECK-NOT: two b\nCHECK: three",
        "CHECK: one\nCHECK-NOT: three",
        "CHECK-LABEL: one\nCHECK-NOT: two b\nCHECK-LABEL: three",
        "CHECK-COUNT-3: two",
        "no checks at all",
    ],
)
def test_unsatisfied_checks_fail(checks: str) -> None:
    with pytest.raises(AssertionError):
        check(TEXT, checks)
