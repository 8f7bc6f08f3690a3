"""The page's README leads from the model's wheel to a page with the results of the C program."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from js.browser import Page, needs_browser, opened
from samples.readme import SAMPLES, blocks, follow

pytestmark = [pytest.mark.slow, needs_browser]


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without a line for each request."""

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the page, made as in its README."""
    pytest.importorskip("onnx")
    folder = tmp_path_factory.mktemp("samples")
    for sample in ("browser", "detect_speech"):
        shutil.copytree(SAMPLES / sample, folder / sample)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder / "browser")
        follow(blocks("browser"), folder / "browser")
    handler = partial(Quiet, directory=str(folder / "browser"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with opened(tmp_path) as found:
        yield found


def test_speech_is_found(site: str, page: Page) -> None:
    """Where the C program of detect_speech finds it; a call's time is shown."""
    page.call("Page.navigate", url=f"{site}?recording=recording.wav")
    page.wait_for("document.querySelector('#latency').textContent.includes('average')")
    found = page.evaluate("[...document.querySelectorAll('#speech li')].map((e) => e.textContent)")
    assert [f"speech {each}" for each in found] == blocks("detect_speech")[-1].splitlines()
    assert page.evaluate("document.querySelector('#error').textContent") == ""
    drawn = "document.querySelector('#picture').getContext('2d').getImageData(0, 0, 600, 100).data"
    assert page.evaluate(f"{drawn}.some((value) => value > 0)")


def test_a_recording_that_is_none(site: str, page: Page) -> None:
    """The page shows the reason."""
    said = "document.querySelector('#error').textContent"
    for name, expected in (("missing.wav", "Error: missing.wav: 404"), ("page.mjs", "EncodingErr")):
        page.call("Page.navigate", url=f"{site}?recording={name}")
        page.wait_for(f"{said} !== ''")
        assert page.evaluate(said).startswith(expected)


def test_the_microphone(site: str, page: Page) -> None:
    """Chromium's own test signal comes in chunk by chunk, until it is stopped."""
    page.call("Page.navigate", url=site)
    page.wait_for("!document.querySelector('#choices').disabled")
    page.evaluate("document.querySelector('#listen').click()")
    shown = "document.querySelector('#latency').textContent"
    page.wait_for(f"({shown} + document.querySelector('#error').textContent).length > 3")
    assert page.evaluate("document.querySelector('#error').textContent") == ""
    assert page.evaluate("document.querySelector('#listen').textContent") == "Stop"
    page.evaluate("document.querySelector('#listen').click()")
    page.wait_for("document.querySelector('#listen').textContent.startsWith('Listen')")
