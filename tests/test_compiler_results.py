"""The compiler runs once for a text and its flags, and again for all others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import compiler_results

from rnn_compiler.lowering.compiler.iree_compile import DEFAULT_TIMEOUT, compiler_program


def test_what_it_got_before_is_not_compiled_again(tmp_path: Path) -> None:
    """Files that it wrote come back; failures are not kept."""
    runs: list[str] = []

    def run(
        command: Sequence[str], module: str, timeout: float, temporary: str, written: str
    ) -> tuple[int | None, bytes, str]:
        runs.append(module)
        (Path(written) / "object.o").write_text(f"{module}{command[1:]}")
        return int(module == "bad"), module.encode(), "told"

    compiler = compiler_program("iree-compile")
    calls = [
        *[([compiler, "-a"], "one")] * 2,
        ([compiler, "-b"], "one"),
        ([compiler, "-a"], "two"),
        *[([compiler, "-a"], "bad")] * 2,
        *[(["other", "-a"], "one")] * 2,
    ]
    for number, (command, module) in enumerate(calls):
        kept = compiler_results.kept(run, tmp_path / "results")  # as in another session
        written = tmp_path / str(number)
        written.mkdir()
        found = kept(command, module, DEFAULT_TIMEOUT, "", str(written))
        assert found == (int(module == "bad"), module.encode(), "told")
        assert (written / "object.o").read_text() == f"{module}{command[1:]}"
    assert runs == ["one", "one", "two", "bad", "bad", "one", "one"]
    compiler_results.forget_old(tmp_path / "results", days=-1)
    assert [*(tmp_path / "results").iterdir()] == []
