"""Disables most of XLA's optimizations, which take longer than a function's one or two calls.

`test_numbers`, samples and pages of the documentation compile as they do for users.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

OPTION = "jax_disable_most_optimizations"


@pytest.fixture(scope="module", autouse=True)
def _unoptimized() -> Iterator[None]:
    import jax

    before = jax.config.read(OPTION)
    jax.config.update(OPTION, True)
    yield
    jax.config.update(OPTION, before)
