"""XLA compiles without most of its optimizations.

Values in `test_numbers`, samples and pages of the documentation are compiled as for users.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from jax_functions.xla import unoptimized


@pytest.fixture(scope="module", autouse=True)
def _unoptimized() -> Iterator[None]:
    with unoptimized():
        yield
