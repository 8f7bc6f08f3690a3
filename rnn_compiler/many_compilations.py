"""Compiles many modules at once, for example all sizes that a model is served at.

Each compilation is a call of one function with one request, both of which can be pickled, so any
executor can run them: threads, processes, other machines. The target ``"cpu"`` means the machine
that makes the request. Artifacts are stored in the cache of the machine that compiled them, and in
the shared remote cache, if there is one.
"""

from __future__ import annotations

import copy
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Protocol, cast

from rnn_compiler.base.stages import LONG, watching
from rnn_compiler.compilation import Request, compile_request, requests_of, with_weights
from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.lowering.compiler.iree_compile import DEFAULT_TIMEOUT
from rnn_compiler.modules import Module
from rnn_compiler.runtime.artifact import Artifact, Bundle
from rnn_compiler.runtime.device.resources import processors

__all__ = ["Executor", "compile_many"]

_log = logging.getLogger(__name__)


class Executor(Protocol):
    """Anything that runs calls elsewhere: `concurrent.futures.Executor`, Dask's `Client`, ..."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        """Starts a call; returns a future, whose ``result()`` waits for the result or raises."""
        ...


def compile_many(
    modules: Iterable[Module],
    target: str | Sequence[str] | None = None,
    *,
    strategy: str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    executor: Executor | None = None,
    return_exceptions: bool = False,
    done: Callable[[Module, Artifact | Bundle | Exception], None] | None = None,
) -> list[Any]:
    """Compiles modules as `compile` does, several at a time.

    Args:
        modules: Modules from `build`.
        target: As in `compile`, for each of them.
        strategy: As in `compile`.
        timeout: As in `compile`, for each of them.
        executor: Runs the compilations: anything with the ``submit`` method of
            `concurrent.futures.Executor`, such as its pools of threads and processes, or Dask's
            `Client`; default: one thread per processor. Each compiler runs in a separate process.
        return_exceptions: Whether to return errors in place of the artifacts that did not compile,
            instead of raising the first one when all are done.
        done: Called for each module, in order, with its artifact or error; default: every few
            seconds, the number of finished modules is logged.

    Returns:
        The result of `compile` for each module, in order.

    Raises:
        InvalidArgumentError: One is not a module, or the target does not exist; nothing is
            compiled.
        CompileError: A module did not compile; the first, if there are several. The others are in
            the cache.
        UnsupportedError: The compiler is not installed.

    Example:
        >>> from rnn_compiler import build
        >>> sizes = [dict(batch_size=n, input_size=3, num_units=4) for n in (1, 2)]
        >>> artifacts = compile_many([build("GRUBlockCell", **each) for each in sizes])
        >>> [artifact.manifest.functions[0].dims["batch_size"] for artifact in artifacts]
        [1, 2]
    """
    if isinstance(modules, Module) or not isinstance(modules, Iterable):  # pyright: ignore
        raise InvalidArgumentError(
            "compile_many", "modules", "a list of modules", describe(modules)
        )
    rows = list(modules)
    plans = [requests_of(module, target, strategy, timeout) for module in rows]
    if executor is not None and not callable(getattr(executor, "submit", None)):
        expected = "an object with the submit method of concurrent.futures.Executor"
        raise InvalidArgumentError("compile_many", "executor", expected, describe(executor))
    own = ThreadPoolExecutor(processors()) if executor is None else None
    pool = cast(Executor, own or executor)
    try:
        futures = [[pool.submit(_compile_quietly, _light(each)) for each in plan] for plan in plans]
        results: list[Any] = []
        logged = time.monotonic()
        for module, waiting in zip(rows, futures, strict=True):
            results.append(_result(module, target, waiting))
            if done is not None:
                done(module, results[-1])
            elif time.monotonic() - logged > LONG:
                logged = time.monotonic()
                _log.warning("compiled %d of %d modules", len(results), len(rows))
    finally:
        if own is not None:
            own.shutdown(cancel_futures=True)
    failed = [each for each in results if isinstance(each, Exception)]
    if failed and not return_exceptions:
        raise failed[0]
    return results


def _compile_quietly(request: Request) -> Artifact:
    """Compiles one of many requests without logging it separately."""
    with watching(lambda stage: None):
        return compile_request(request)


def _result(module: Module, target: str | Sequence[str] | None, waiting: Sequence[Any]) -> Any:
    """The outcome for a module: the result of `compile`, or the error."""
    try:
        return with_weights(module, target, [future.result() for future in waiting])
    except Exception as error:
        return error


def _light(request: Request) -> Request:
    """A request without the values of frozen weights, which a compilation does not need."""
    module = copy.copy(request.module)
    module.parameters = {}
    vars(module).pop("text", None)
    return replace(request, module=module)
