"""Passes that exist only because of a fault of IREE or LLVM, one per file.

Each names the test in `tests/traps/` that fails when the fault is gone; then the pass goes too.
"""
