"""Tab completion, by bash itself."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import processes
import pytest
from quick import first

from rnn_compiler.cli import main

pytest.importorskip("argcomplete")
BASH = shutil.which("bash")
SCRIPTS = Path(sys.executable).parent

pytestmark = pytest.mark.skipif(
    BASH is None or not (SCRIPTS / "register-python-argcomplete").exists(),
    reason="there is no bash, or argcomplete is not in this environment",
)


def complete(line: str, folder: Path) -> list[str]:
    """Bash's completions at the end of a line."""
    script = f"""
eval "$(register-python-argcomplete rnn-compiler)"
completer=$(complete -p rnn-compiler | sed 's/.*-F \\([^ ]*\\).*/\\1/')
COMP_LINE={line!r}
COMP_POINT=${{#COMP_LINE}}
COMP_WORDS=({line})
COMP_CWORD=0
COMP_TYPE=9
COMP_KEY=9
"$completer" rnn-compiler
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    path = os.pathsep.join([str(SCRIPTS), os.environ.get("PATH", "")])
    done = processes.run(BASH, "--norc", "-c", script, cwd=folder, variables={"PATH": path})
    return [word.strip() for word in done.stdout.splitlines() if word.strip()]


LINES = {
    "rnn-compiler co": ["compile"],
    "rnn-compiler c": ["compile", "check", "cache"],
    "rnn-compiler compile BlockLSTMG": ["BlockLSTMGrad", "BlockLSTMGradV2"],
    "rnn-compiler compile BlockLSTMV2 --dim se": ["seq_length="],
    "rnn-compiler compile BlockLSTMV2 --dim seq_length=3,ba": ["3,batch_size="],
    "rnn-compiler compile CudnnRNN --dim num_l": ["num_layers="],
    "rnn-compiler compile BlockLSTMV2 --attr us": ["use_peephole="],
    "rnn-compiler compile CudnnRNN --attr rnn_mode=l": ["lstm"],
    "rnn-compiler emit BlockLSTMV2 --stage l": ["lowered"],
    "rnn-compiler emit BlockLSTMV2 --dtype b": ["bfloat16"],
    "rnn-compiler compile BlockLSTMV2 --target cuda:sm_8": ["sm_80", "sm_86", "sm_89", "sm_87"],
    "rnn-compiler compile BlockLSTMV2 --target cpu:g": ["generic"],
    "rnn-compiler run x.vmfb --device local-t": ["local-task"],
    "rnn-compiler run x.vmfb --func": ["--function"],
    "rnn-compiler cache pr": ["prune"],
    "rnn-compiler compile GRUBlockCell --function g": ["gru_block_cell"],
    "rnn-compiler run cell.vmfb --function ": ["forward", "last"],
    "rnn-compiler compile BlockLSTMV2 --outputs h,cs_": ["h,cs_last"],
    "rnn-compiler weights from-t": ["from-torch"],
    "rnn-compiler inspect ls": ["lstm.vmfb"],
}

COMMANDS = """
import os, sys
import rnn_compiler.lowering.ops, rnn_compiler.runtime
from rnn_compiler.cli import main

for number, line in enumerate(sys.argv[1:]):
    if os.fork() == 0:
        os.environ |= {
            **{"_ARGCOMPLETE": "1", "_ARGCOMPLETE_SHELL": "bash", "_ARGCOMPLETE_IFS": " "},
            **{"COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9"},
            "_ARGCOMPLETE_COMP_WORDBREAKS": " \\t\\n\\"'><=;|&(:",
            "_ARGCOMPLETE_STDOUT_FILENAME": f"{number}.txt",
        }
        main()
    os.wait()
"""
"""A process that answers completion requests for each line, in forks."""


@pytest.mark.parametrize(
    "line",
    first(
        [
            "rnn-compiler co",
            "rnn-compiler compile BlockLSTMV2 --dim seq_length=3,ba",
            "rnn-compiler compile BlockLSTMV2 --target cuda:sm_8",
            "rnn-compiler inspect ls",
        ],
        quick=1,
    ),
)
def test_bash_offers(line: str, tmp_path: Path) -> None:
    (tmp_path / "lstm.vmfb").touch()
    assert set(complete(line, tmp_path)) == set(LINES[line])


@pytest.mark.slow
def test_the_command_offers(tmp_path: Path) -> None:
    """Completions at every position that has its own words."""
    cells = ["GRUBlockCell", "GRUBlockCell", "--function", "forward,last"]
    sizes = ["--dim", "batch_size=1,input_size=2,num_units=3"]
    assert main(["compile", *cells, *sizes, "-o", str(tmp_path / "cell.vmfb")]) == 0
    (tmp_path / "lstm.vmfb").touch()
    processes.python(COMMANDS, *LINES, cwd=tmp_path)
    for number, (line, offered) in enumerate(LINES.items()):
        assert set((tmp_path / f"{number}.txt").read_text().split()) == set(offered), line


def test_a_verb_is_completed_without_heavy_imports(tmp_path: Path) -> None:
    line = "rnn-compiler comp"
    variables = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "out"),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "COMP_TYPE": "9",
    }
    command = [sys.executable, "-X", "importtime", "-m", "rnn_compiler"]
    done = processes.run(*command, variables=variables)
    assert (tmp_path / "out").read_text().split() == ["compile"]
    imported = {row.rpartition("|")[2].strip() for row in done.stderr.splitlines()}
    assert "argcomplete" in imported
    assert imported.isdisjoint({"numpy", "iree", "iree.runtime", "rich"})


def test_without_argcomplete_nothing_is_offered(tmp_path: Path) -> None:
    """And nothing else happens."""
    (tmp_path / "argcomplete.py").write_text("raise ImportError")
    variables = {"_ARGCOMPLETE": "1", "PYTHONPATH": str(tmp_path)}
    done = processes.run(sys.executable, "-m", "rnn_compiler", code=1, variables=variables)
    assert (done.stdout, done.stderr) == ("", "")
