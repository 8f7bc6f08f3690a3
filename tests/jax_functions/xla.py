"""Most of XLA's optimizations take longer than a function's one or two calls."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest

_OPTION = "jax_disable_most_optimizations"
_FASTER = {"xla_cpu_use_fusion_emitters": False, "xla_cpu_parallel_codegen_split_count": 1}


@contextmanager
def unoptimized() -> Generator[None]:
    """Compiles without them, in a fifth of the time.

    Nor does XLA write loops of MLIR for what it fuses, which takes most of the time, nor share a
    module among threads.
    """
    import jax
    from jax._src import compiler

    original = compiler.get_compile_options

    def options(*arguments: Any, env_options_overrides: Any = None, **keywords: Any) -> Any:
        chosen = {**_FASTER, **(env_options_overrides or {})}
        return original(*arguments, env_options_overrides=chosen, **keywords)

    before = jax.config.read(_OPTION)
    jax.config.update(_OPTION, True)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compiler, "get_compile_options", options)
            yield
    finally:
        jax.config.update(_OPTION, before)
