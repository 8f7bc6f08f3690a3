"""The benchmarks are run from a clone, not installed: their folder's parent must be on the path."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
