"""A headless Chromium, controlled over a pipe by the DevTools protocol."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on PATH")

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"),
    *("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"),
)


class Page:
    """A page, whose JavaScript is evaluated from here."""

    def __init__(self, commands: IO[bytes], answers: IO[bytes]) -> None:
        self._commands, self._answers = commands, answers
        self._numbers = itertools.count(1)
        self._session: dict[str, str] = {}
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}

    def call(self, method: str, **params: Any) -> Any:
        """Sends a command; gives its result."""
        number = next(self._numbers)
        command = {"id": number, "method": method, "params": params, **self._session}
        self._commands.write(json.dumps(command).encode() + b"\0")
        while True:
            answer = json.loads(self._message())
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]

    def _message(self) -> bytes:
        data = bytearray()
        while (byte := self._answers.read(1)) != b"\0":
            assert byte, "Chromium ended"
            data += byte
        return bytes(data)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression or its promise, as if triggered by the user."""
        how = {"awaitPromise": True, "returnByValue": True, "userGesture": True}
        answer = self.call("Runtime.evaluate", expression=expression, **how)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Waits up to half a minute until an expression is true."""
        tries = "for (let k = 0; k < 300; k++) { try { if (%s) return true; } catch {} %s }"
        pause = "await new Promise((done) => setTimeout(done, 100));"
        assert self.evaluate(f"(async () => {{ {tries % (condition, pause)} }})()"), condition

    def picture(self) -> bytes:
        """A screenshot of the page, as a PNG file."""
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])


@contextmanager
def opened(folder: Path) -> Generator[Page]:
    """An empty page of a browser that keeps its files in a folder."""
    to_browser, commands = os.pipe()
    answers, from_browser = os.pipe()

    # The protocol's pipe is descriptors 3 and 4.
    script = f'exec "$0" "$@" 8<&{to_browser} 9>&{from_browser} 3<&8 4>&9'
    command = ["bash", "-c", script, str(CHROMIUM), *FLAGS, f"--user-data-dir={folder}"]
    browser = subprocess.Popen(
        command, pass_fds=(to_browser, from_browser), stderr=subprocess.DEVNULL
    )
    os.close(to_browser)
    os.close(from_browser)
    try:
        with os.fdopen(commands, "wb", buffering=0) as first, os.fdopen(answers, "rb") as second:
            yield Page(first, second)
    finally:
        browser.kill()
        browser.wait()
