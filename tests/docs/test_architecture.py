"""The architecture page and its picture name files, functions and imports that there are."""

from __future__ import annotations

import ast
import functools
import itertools
import re
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from docs.pages import PAGES, ROOT

from tests.packaging.test_layering import SOURCES, imports, parsed, within

PAGE = PAGES["docs/architecture.md"].read_text()


# The picture: a rectangle is a folder, or in one, with a name in the font of code. Arrows lead
# from the border of one to that of another, and circles on a border have numbers and letters.


class Box(NamedTuple):
    """A rectangle of the picture; its names are paths in the repository."""

    left: float
    top: float
    right: float
    bottom: float
    names: list[str]

    def has(self, x: float, y: float) -> bool:
        """Whether a point is in it, or at its border."""
        return self.left - 3 <= x <= self.right + 3 and self.top - 3 <= y <= self.bottom + 3


@functools.cache
def picture() -> list[ElementTree.Element]:
    elements = [*ElementTree.parse(ROOT / "docs" / "architecture.svg").getroot()]
    for each in elements:
        each.tag = each.tag.rpartition("}")[2]
    return elements


@functools.cache
def boxes() -> list[Box]:
    """The rectangles, those in others first."""
    found: list[Box] = []
    for each in picture()[::-1]:
        if each.tag == "rect":
            x, y, width, height = (float(each.get(k, 0)) for k in ("x", "y", "width", "height"))
            found.append(Box(x, y, x + width, y + height, []))
    found.sort(key=lambda box: (box.right - box.left) * (box.bottom - box.top))
    for each in picture():
        if each.tag == "text" and "Mono" in each.get("font-family", ""):
            at = float(each.get("x", 0)), float(each.get("y", 0))
            inner, *outer = (box for box in found if box.has(*at))
            folder = next((box.names[0] for box in outer if box.names), "")
            inner.names.extend(f"{folder}{name}" for name in (each.text or "").split(", "))
    assert found.pop().names == []  # the card
    return found


def box_at(x: float, y: float) -> Box:
    return next(box for box in boxes() if box.has(x, y))


def modules_of(name: str) -> list[str]:
    """The modules of a file or folder."""
    package = name.removesuffix("/").replace("/", ".")
    package = package if package.startswith("rnn_compiler") else f"rnn_compiler.{package}"
    found = [each for each in SOURCES if within(each, package)]
    if package == "rnn_compiler":
        below = [box.names[0] for box in boxes() if box.names[0] != name and "/" in box.names[0]]
        rooms = {modules_of(each)[0] for each in below if not each.startswith(("low", "run"))}
        found = [each for each in found if each.count(".") == 1 or each in rooms]
    return found


def arrows() -> list[tuple[Box, Box]]:
    found: list[tuple[Box, Box]] = []
    for each in picture():
        if each.tag == "polyline":
            start, *_, end = (map(float, p.split(",")) for p in each.get("points", "").split())
            found.append((box_at(*start), box_at(*end)))
    return found


def test_the_picture_shows_what_there_is() -> None:
    """Each name is a file or folder, and each folder has a name."""
    names = {name for box in boxes() for name in box.names}
    assert len(names) > 40
    for name in names:
        assert (ROOT / (name if name.endswith("/") else f"{name}.py")).exists(), name
    folders = {
        f"{path.parent.relative_to(ROOT)}/"
        for top in ("rnn_compiler", "lowering", "runtime")
        for path in (ROOT / top).glob("*/__init__.py")
        if not path.parent.is_symlink()
    }
    assert folders - names == set()


@pytest.mark.parametrize("number", range(len(arrows())))
def test_each_arrow_is_an_import(number: int) -> None:
    """And leads downwards, or to the side."""
    user, used = arrows()[number]
    assert user is not used
    assert user.top <= used.top
    known = {module for name in used.names for module in modules_of(name)}
    found = {
        other
        for name in user.names
        for module in modules_of(name)
        for other in imports(parsed(module), nested=True, typed=True)
    }
    assert found & known, f"{user.names} imports nothing of {used.names}"


def test_numbers_and_letters_follow_the_tables() -> None:
    """The file or folder that has one is in the row."""
    rows = dict(re.findall(r"^\| (\d+|[a-z]) \| .* \| (.*) \|$", PAGE, re.MULTILINE))
    elements = picture()
    marked: set[str] = set()
    for circle, text in itertools.pairwise(elements):
        if circle.tag == "circle":
            names = box_at(float(circle.get("cx", 0)), float(circle.get("cy", 0))).names
            assert any(f"`{name}" in rows[text.text or ""] for name in names), (text.text, names)
            marked.add(text.text or "")
    assert marked == rows.keys() == {*map(str, range(1, 11)), *"abcdefghij"}


# The page.


def defined(file: str, name: str) -> bool:
    """Whether a file defines a name, perhaps in a class."""
    (*classes, last), node = name.split("."), ast.parse((ROOT / file).read_text())
    for each in classes:
        node = next((n for n in node.body if isinstance(n, ast.ClassDef) and n.name == each), None)
        if node is None:
            return False
    for child in ast.walk(node):
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)) and child.name == last:
            return True
        if isinstance(child, ast.Name) and child.id == last:
            return isinstance(child.ctx, ast.Store)
    return False


BEHIND = r"`([\w/]+\.py)` \(((?:`[\w.]+`(?:, )?)+)\)"
"""A file, and names in it: "`runtime/memo.py` (`Memo.note`)"."""

BEFORE = r"`([\w.]+)` in `([\w/]+/\w+\.py)`"
"""A name in a file: "`Memo.note` in `runtime/memo.py`"."""


def test_names_are_where_the_page_says() -> None:
    pairs = [(file, name) for name, file in re.findall(BEFORE, PAGE)]
    for file, names in re.findall(BEHIND, PAGE):
        pairs += [(file, name) for name in re.findall(r"[\w.]+", names)]
    assert len(pairs) > 70
    assert [(file, name) for file, name in pairs if not defined(file, name)] == []


def test_packages_list_modules_that_there_are() -> None:
    """A package's docstring that lists its modules lists no others."""
    lists = 0
    for module, path in SOURCES.items():
        listed = re.findall(r"^(\w+) {2,}\S", ast.get_docstring(parsed(module)) or "", re.M)
        there = {each for each in listed if f"{module}.{each}" in SOURCES}
        if path.name == "__init__.py" and len(there) > len(listed) / 2:
            lists += 1
            assert {*listed} == there, module
    assert lists > 4
