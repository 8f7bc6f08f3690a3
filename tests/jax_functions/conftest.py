"""Disables most of XLA's optimizations, which take longer than a function's one or two calls.

Nor does it write loops of MLIR for what it fuses, which takes most of the time, nor share a module
among threads: a test's functions compile in a fifth of the time.

`test_numbers`, samples and pages of the documentation compile as they do for users.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

OPTION = "jax_disable_most_optimizations"
FASTER = {"xla_cpu_use_fusion_emitters": False, "xla_cpu_parallel_codegen_split_count": 1}


@pytest.fixture(scope="module", autouse=True)
def _unoptimized() -> Iterator[None]:
    import jax
    from jax._src import compiler

    original = compiler.get_compile_options

    def options(*arguments: Any, env_options_overrides: Any = None, **keywords: Any) -> Any:
        chosen = {**FASTER, **(env_options_overrides or {})}
        return original(*arguments, env_options_overrides=chosen, **keywords)

    before = jax.config.read(OPTION)
    jax.config.update(OPTION, True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "get_compile_options", options)
        yield
    jax.config.update(OPTION, before)
