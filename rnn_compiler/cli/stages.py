"""The stages of a compilation and the time they take, live, on a terminal only."""

from __future__ import annotations

import contextlib
from collections.abc import Generator

from rnn_compiler.stages import watching

__all__ = ["showing_stages"]


@contextlib.contextmanager
def showing_stages() -> Generator[None]:
    """Shows on standard error where a compilation inside a ``with`` block is, and for how long.

    The line is gone at the end. Without a terminal, or without rich, nothing is shown.
    """
    try:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    except ImportError:
        yield
        return
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    off = not console.is_terminal or console.is_dumb_terminal
    with Progress(*columns, console=console, transient=True, disable=off) as progress:
        task = progress.add_task("starting", total=None)
        with watching(lambda stage: progress.update(task, description=stage)):
            yield
