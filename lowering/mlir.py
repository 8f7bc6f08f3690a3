"""The MLIR bindings of IREE's compiler: the only place that imports them."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec

from iree.compiler import ir

__all__ = ["ir"]

# The bindings import what there is in Python for the dialect of each op that they come upon. IREE
# 3.13 has nothing for StableHLO, and looks for it again at every op: half of the time of a rewrite.
_DIALECT = "iree.compiler.dialects.stablehlo"
if _DIALECT not in sys.modules and find_spec(_DIALECT) is None:
    sys.modules[_DIALECT] = module_from_spec(ModuleSpec(_DIALECT, None))
