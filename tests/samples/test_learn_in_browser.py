"""The page learns signs that are drawn with the mouse, and remembers them."""

from __future__ import annotations

import math
import random
import shutil
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from js.browser import Page, needs_browser, opened
from js.calling import needs_node, node
from samples.readme import SAMPLES, blocks, follow
from samples.test_browser import Quiet

pytestmark = pytest.mark.slow

Shape = Callable[[float], tuple[float, float]]


def circle(t: float) -> tuple[float, float]:
    return 0.5 + 0.35 * math.sin(6.28 * t), 0.5 - 0.35 * math.cos(6.28 * t)


def zigzag(t: float) -> tuple[float, float]:
    return 0.15 + 0.7 * t, 0.5 + 0.25 * (1 - 4 * abs(2 * t % 1 - 0.5))


def vee(t: float) -> tuple[float, float]:
    return 0.2 + 0.6 * t, 0.2 + 1.2 * min(t, 1 - t)


def spiral(t: float) -> tuple[float, float]:
    return 0.5 + 0.38 * t * math.cos(14 * t), 0.5 + 0.38 * t * math.sin(14 * t)


SHAPES: tuple[Shape, ...] = (circle, zigzag, vee, spiral)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the page, made as in its README."""
    pytest.importorskip("jax", minversion="0.10")
    folder = tmp_path_factory.mktemp("samples") / "learn_in_browser"
    shutil.copytree(SAMPLES / "learn_in_browser", folder)
    follow(blocks("learn_in_browser"), folder)
    return folder


@pytest.fixture
def site(built: Path) -> Iterator[str]:
    """The address of the page."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(built))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Drawing:
    """The page, as somebody uses it who draws each sign a little differently each time."""

    def __init__(self, page: Page, site: str) -> None:
        self.page, self._random = page, random.Random(0)
        seeded = (
            "let state = 1; Math.random = () => (state = (state * 48271) % 2147483647) / 2 ** 31;"
        )
        page.call("Page.enable")
        page.call("Page.addScriptToEvaluateOnNewDocument", source=seeded)
        self.open(site)

    def open(self, site: str) -> None:
        self.page.call("Page.navigate", url=site)
        self.page.wait_for("document.querySelectorAll('.card').length === 4")

    def size(self, width: int, *, dark: bool = False) -> None:
        self.page.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=800 if width > 500 else 1270,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.page.call("Emulation.setEmulatedMedia", features=[scheme])

    def text(self, name: str) -> str:
        return self.page.evaluate(f"document.getElementById({name!r}).textContent")

    def number(self, name: str) -> float:
        return float(self.text(name).removesuffix(" ms").replace(",", ""))

    def draw(self, shape: Shape, points: int = 60) -> None:
        rectangle = "document.getElementById('pad').getBoundingClientRect().toJSON()"
        box = self.page.evaluate(rectangle)
        draw = self._random.uniform
        scale, x0, y0, turned = (
            draw(0.8, 1),
            draw(-0.05, 0.05),
            draw(-0.05, 0.05),
            draw(-0.15, 0.15),
        )

        def at(part: float) -> dict[str, Any]:
            x, y = (scale * (each - 0.5) for each in shape(part))
            x, y = (
                0.5 + x0 + x * math.cos(turned) - y * math.sin(turned),
                0.5 + y0 + x * math.sin(turned) + y * math.cos(turned),
            )
            return {
                "x": box["x"] + x * box["width"] + draw(-1, 1),
                "y": box["y"] + y * box["height"] + draw(-1, 1),
                "button": "left",
            }

        move = partial(self.page.call, "Input.dispatchMouseEvent")
        move(type="mousePressed", clickCount=1, **at(0))
        for k in range(1, points + 1):
            move(type="mouseMoved", buttons=1, **at(k / points))
        move(type="mouseReleased", clickCount=1, **at(1))

    def teach(self, sign: int) -> None:
        """Draws a sign, says which it is, and waits until it is learned."""
        self.draw(SHAPES[sign])
        self.page.evaluate(f"document.querySelectorAll('.card')[{sign}].click()")
        self.page.wait_for("document.getElementById('says').textContent === 'Draw another one.'")

    def guesses(self, sign: int) -> str:
        """The sign that a drawing is taken for."""
        self.draw(SHAPES[sign])
        assert self.text("says").startswith("Is it ")
        guessed = "document.querySelector('.card.guessed b').textContent"
        return self.page.evaluate(guessed)


@pytest.fixture
def drawing(site: str, tmp_path: Path) -> Iterator[Drawing]:
    with opened(tmp_path) as page:
        yield Drawing(page, site)


@needs_browser
def test_it_learns_what_is_drawn_and_remembers_it(drawing: Drawing, site: str) -> None:
    drawing.size(1280)
    assert drawing.text("says") == "It knows nothing yet."
    for sign in range(4):
        drawing.teach(sign)
    assert drawing.number("loss") <= 0.03
    assert drawing.number("steps") > 100
    assert 0 < drawing.number("time") < 100
    for sign in range(4):
        drawing.teach(sign)
    assert [drawing.guesses(sign) for sign in range(4)] == [*"ABCD"]
    drawn = "document.getElementById('curve').getContext('2d').getImageData(0, 0, 900, 150).data"
    assert drawing.page.evaluate(f"{drawn}.some((value) => value > 0)")

    drawing.open(site)
    assert drawing.number("count") == 8
    assert [drawing.guesses(sign) for sign in range(4)] == [*"ABCD"]

    drawing.page.evaluate("document.getElementById('forget').click()")
    assert drawing.text("says") == "It knows nothing yet."
    drawing.open(site)
    assert drawing.number("count") == 0
    assert drawing.text("error") == ""


@needs_browser
def test_an_example_is_taken_back(drawing: Drawing) -> None:
    drawing.size(1280)
    for sign in range(2):
        drawing.teach(sign)
    steps = drawing.number("steps")
    drawing.draw(circle)
    drawing.page.evaluate("document.querySelectorAll('.card')[1].click()")  # wrong
    drawing.page.evaluate("document.getElementById('undo').click()")
    assert drawing.number("count") == 2
    assert drawing.number("steps") == steps
    assert drawing.page.evaluate("document.getElementById('undo').disabled")
    assert drawing.guesses(0) == "A"
    drawing.draw(lambda _: (0.5, 0.5))  # a tap is no sign
    assert drawing.page.evaluate("document.querySelector('.card').disabled")


@needs_browser
def test_what_is_stored_is_damaged(drawing: Drawing, site: str) -> None:
    """The page says so, and begins anew."""
    drawing.size(1280)
    drawing.teach(0)
    change = "signs.block[400] ^= 1; localStorage.signs = JSON.stringify(signs)"
    drawing.page.evaluate(f"const signs = JSON.parse(localStorage.signs); {change}")
    drawing.open(site)
    assert drawing.text("error").startswith("ArtifactError: ")
    assert drawing.number("count") == 0
    drawing.open(site)
    assert drawing.text("error") == ""


@needs_browser
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_page(drawing: Drawing, width: int, dark: bool) -> None:
    """Or lies over anything else, on a telephone too; and a drawing is seen."""
    drawing.size(width, dark=dark)
    drawing.teach(0)
    drawing.draw(vee)
    assert drawing.page.evaluate("document.documentElement.scrollWidth") <= width
    overlaps = """(() => {
      const boxes = ["h1", "#pad", "#says", ".card", ".card:last-child", "#curve", "dl", "#forget"]
        .map((each) => document.querySelector(each).getBoundingClientRect());
      const before = (a, b) => a.right <= b.left || a.bottom <= b.top;
      return boxes.some((a, k) => boxes.some((b, m) => m > k && !before(a, b) && !before(b, a)));
    })()"""
    assert not drawing.page.evaluate(overlaps)
    shade = """(() => {
      const { data } = document.getElementById("pad").getContext("2d").getImageData(0, 0, 300, 300);
      const seen = data.filter((_, k) => data[k | 3] === 255 && k % 4 < 3);
      return seen.length ? seen.reduce((a, b) => a + b, 0) / seen.length : undefined;
    })()"""
    assert (drawing.page.evaluate(shade) > 127) == dark


@needs_node
def test_in_node(built: Path) -> None:
    """The part that deals with the network, without a page."""
    script = """
    import { load } from "./learner/learner.mjs";
    import { Learner, seen } from "./signs.mjs";
    const line = (dx, dy) => Array.from({ length: 9 }, (_, k) => [500 + k * dx, 500 + k * dy]);
    const signs = [line(40, 0), line(-40, 0), line(0, 40), line(0, -40)];
    const learner = new Learner(await load());
    const best = () => signs.map((each) => {
      const p = learner.guess(each);
      return p.indexOf(Math.max(...p));
    });
    console.log(learner.isLearning, learner.canUndo);
    signs.forEach((stroke, sign) => {
      learner.add(stroke, sign);
      while (learner.isLearning) learner.step();
    });
    console.log(best().join(), learner.loss <= 0.03, learner.marks.length);
    const stored = learner.save();
    learner.add(signs[0], 1); // wrong
    for (let k = 0; k < 50; k++) learner.step();
    console.log(learner.save() !== stored, learner.canUndo);
    learner.undo();
    console.log(learner.save() === stored, learner.canUndo);
    learner.forget();
    console.log(learner.examples.length, learner.losses.length, new Set(best()).size < 4);
    learner.load(stored);
    console.log(best().join(), learner.examples.length, learner.isLearning);
    console.log(seen([]), seen([[3, 4]]), seen(line(0.1, 0)), seen(signs[0]).length);
    const square = seen([[0, 0], [100, 0], [100, 0], [100, 100]]);
    const first = [...square.slice(0, 4)].map((each) => each.toFixed(2));
    console.log(first.join(), square.slice(-2).join());
    """
    assert node(built, script).splitlines() == [
        "false false",
        "0,1,2,3 true 4",
        "true true",
        "true false",
        "0 0 true",
        "0,1,2,3 4 false",
        "undefined undefined undefined 96",
        "-0.83,-1.00,1.00,0.00 0,1",
    ]
