"""XLA compiles each function for a call or two: most of its optimizations take longer than these.

`test_numbers`, samples and pages of the documentation run what it compiles for users.
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
