"""README and docs are true: code and commands run, links lead somewhere, tables agree."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import shutil
import sys
import sysconfig
import warnings
from pathlib import Path

import processes
import pytest
from docs.pages import PAGES, ROOT, Block, blocks

import rnn_compiler as rc
from rnn_compiler.cli import main
from rnn_compiler.lowering.ops import OPS
from rnn_compiler.lowering.targets.strategies import STRATEGY_PASSES

RUN = ("python", "sh")
BY_CI = ("demo command", "test command")


SYSTEM = ("cc", "./main", "node")
"""Commands from outside this environment: the C compiler, its output, and Node.js."""


def runs(block: Block) -> bool:
    if block.marker.startswith("file: "):
        return True
    return block.language in RUN and not block.marker.startswith("not run: ")


def run_block(page: str, block: Block, names: dict[str, object]) -> None:
    """Runs Python in the page's names, or each command of a shell block in this process."""
    if block.marker.startswith("file: "):
        Path(block.marker.removeprefix("file: ")).write_text(block.text)
        return
    if block.language == "python":
        source = "\n" * (block.line - 1) + block.text  # so that tracebacks name the page's lines
        exec(compile(source, page, "exec"), names)
        return
    for line in block.text.replace("\\\n", "").splitlines():
        command = shlex.split(line, comments=True)
        if not command:
            continue
        name, *arguments = command
        if name == "rnn-compiler":
            assert main(arguments) == 0, line
        else:
            place = None if name in SYSTEM else sysconfig.get_path("scripts")
            tool = shutil.which(name, path=place)
            assert tool, f"{page}, line {block.line}: {name} is not installed, mark the block"
            processes.run(tool, *arguments)


PAGES_THAT_RUN = [
    page
    for page in PAGES
    if any(runs(block) and block.marker not in BY_CI for block in blocks(page))
]


BOARDS = ("docs/tutorials/keras_to_a_board.md", "docs/tutorials/learn_on_a_board.md")
"""Pages that say how much memory a module in the folder `board` needs."""


def check_board(page: str) -> None:
    """Each size on a page is in the manifest of its module."""
    (file,) = Path("board").glob("*.json")
    manifest = json.loads(file.read_text())
    functions = manifest["functions"]
    sizes = {
        "flash": manifest["flash_size"],
        "states": manifest["state"]["size"] if "state" in manifest else 0,
        "scratch memory": max(each["scratch_size"] for each in functions),
        "stack": max(each["stack_size"] for each in functions),
    }
    text = " ".join(PAGES[page].read_text().split())
    said = re.findall(rf"([\d,]+) (KB|bytes) of ({'|'.join(sizes)})", text)
    assert {"flash", "scratch memory", "stack"} <= {kind for *_, kind in said}
    for number, unit, kind in said:
        size = sizes[kind] / {"KB": 1000, "bytes": 1}[unit]
        assert number == f"{size:,.0f}", (kind, size)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES_THAT_RUN)
def test_all_that_a_page_shows_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In order, in one folder; each page separately."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    left: list[str] = []
    for block in blocks(page):
        if runs(block) and block.marker not in BY_CI:
            _, _, needed = block.marker.partition("needs: ")
            if needed and not (shutil.which(needed) or importlib.util.find_spec(needed)):
                left.append(f"line {block.line} needs {needed}")
                continue
            with warnings.catch_warnings():
                if needed:  # which has deprecations of its own
                    warnings.simplefilter("ignore")
                run_block(page, block, names)
    if left:
        pytest.skip(f"all of {page} ran, but {', '.join(left)}")
    if page in BOARDS:
        check_board(page)


def test_the_test_sees_the_pages() -> None:
    """Pages are there, and so are the commands that .ci/run takes from the README."""
    assert {"README.md", "docs/python.md", "docs/command_line.md"} <= set(PAGES_THAT_RUN)
    markers = [block.marker for block in blocks("README.md")]
    assert [markers.count(each) for each in BY_CI] == [1, 1]
    for page in PAGES:
        for block in blocks(page):
            known = ("not run: ", "needs: ", "emitted: ", "from: ", "file: ")
            assert not block.marker or block.marker in BY_CI or block.marker.startswith(known), (
                page,
                block.marker,
            )


@pytest.mark.slow
def test_the_command_line_page_shows_every_verb() -> None:
    text = (ROOT / "docs" / "command_line.md").read_text()
    help_text = processes.run(sys.executable, "-m", "rnn_compiler", "--help").stdout
    verbs = re.findall(r"^    (\w+)  ", help_text, re.MULTILINE)
    assert len(verbs) == 14
    for verb in verbs:
        assert f"rnn-compiler {verb}" in text, verb
    for variable in set(re.findall(r"RNN_COMPILER_\w+", help_text)):
        assert variable in text, variable


def test_every_op_has_a_row_and_every_row_an_op() -> None:
    text = (ROOT / "docs" / "ops.md").read_text()
    rows = re.findall(r"^\| `([\w.]+)` \| .* \| (.*) \| .* \|$", text, re.MULTILINE)
    assert dict(rows) == {name: " ".join(op.signature.dtypes) for name, op in OPS.items()}


def test_every_pass_has_a_row_with_its_strategies() -> None:
    text = (ROOT / "lowering" / "passes" / "README.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\w, ]+) \|", text, re.MULTILINE))
    found: dict[str, list[str]] = {}
    for strategy, passes in STRATEGY_PASSES.items():
        for name in passes:
            found.setdefault(name, []).append(strategy)
    every = len(STRATEGY_PASSES)
    assert rows == {
        name: "all" if len(strategies) == every else ", ".join(strategies)
        for name, strategies in found.items()
    }


# Links and names.

LINKED = {
    str(path.relative_to(ROOT)): path
    for path in (
        *PAGES.values(),
        ROOT / "lowering" / "passes" / "README.md",
        *(ROOT / "samples").glob("*/README.md"),
        ROOT / "tests" / "README.md",
        ROOT / "tests" / "goldens" / "README.md",
        ROOT / "tests" / "model_files" / "README.md",
    )
}


def anchor(heading: str) -> str:
    """The anchor that a heading has on GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(path: Path) -> set[str]:
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


@pytest.mark.parametrize("page", LINKED)
def test_links_lead_somewhere(page: str) -> None:
    """To a file that git has, and a heading that it has; addresses are not fetched."""
    path = LINKED[page]
    links = re.findall(r"\]\(([^)\s]+)\)", path.read_text())
    for link in links:
        if re.match(r"https?://", link):
            continue
        name, _, fragment = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), f"{page}: {link}"
        assert target.is_relative_to(ROOT), f"{page}: {link}"
        if fragment:
            assert fragment in anchors(target), f"{page}: {link}"


def test_scripts_of_samples_lie_beside_their_pages() -> None:
    """The site says to run a sample's commands in its folder."""
    pages = sorted((ROOT / "samples").glob("*/README.md"))
    ran = [
        (page, name)
        for page in pages
        for name in re.findall(r"^python (\S+\.py)", page.read_text(), re.M)
    ]
    assert len(ran) > 10
    assert not [f"{page}: {name}" for page, name in ran if not (page.parent / name).is_file()]


FOLDERS = ("lowering", "runtime", "rnn_compiler", "tests", "benchmarks", "samples", "docs")


@pytest.mark.parametrize("page", LINKED)
def test_files_that_are_named_exist(page: str) -> None:
    """Paths in backquotes, relative to the page's folder or the root. N stands for a name."""
    path = LINKED[page]
    text = path.read_text()
    for name in re.findall(r"`([\w./-]+/[\w./-]*)`", text):
        if name.split("/")[0] in FOLDERS and "..." not in name:
            assert (ROOT / name).exists(), f"{page}: {name}"


def test_files_that_the_architecture_names_exist() -> None:
    """Also without their folders."""
    names = re.findall(r"`([\w]+\.py)`", LINKED["docs/architecture.md"].read_text())
    files = {path.name for top in FOLDERS for path in (ROOT / top).rglob("*.py")}
    assert names
    assert {*names} <= files


def test_every_page_is_reached_from_the_readme() -> None:
    seen, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        path = waiting.pop()
        if path in seen or path.suffix != ".md":
            continue
        seen.add(path)
        for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)", path.read_text()):
            if not link.startswith("http"):
                waiting.append((path.parent / link).resolve())
    assert {path.resolve() for path in PAGES.values()} <= seen


def test_the_reference_has_every_public_name() -> None:
    """The names that it lacks would count as internal."""
    pages = {path.stem: path.read_text() for path in (ROOT / "docs" / "reference").glob("*.md")}
    listed = re.findall(r"<!-- members: rnn_compiler (.*) -->", pages["rnn_compiler"])
    assert set(rc.__all__) <= {*" ".join(listed).split(), *rc.runtime.__all__, *pages}


def test_the_site_lists_every_page() -> None:
    contents = (ROOT / "docs" / "conf.py").read_text()
    for page in PAGES:
        if page.startswith("docs/") and page.count("/") == 1:
            assert f'"{page.removesuffix(".md")}"' in contents, page
