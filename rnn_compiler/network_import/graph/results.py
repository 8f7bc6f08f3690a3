"""The error for nodes whose results have no valid type."""

from __future__ import annotations

from collections.abc import Sequence

from rnn_compiler.errors import UnsupportedError

_OF_SEQUENCES = ("ConcatFromSequence", "SplitToSequence")


def unknown_result(
    node: str, operator: str, sizes: Sequence[int] | None = None
) -> UnsupportedError:
    """The error for a node without a valid result, because of its sizes if these are given."""
    where = f"import_network: {node}"
    if operator.startswith("Sequence") or operator in _OF_SEQUENCES:
        return UnsupportedError(
            f"{where}: sequences of arrays are not supported; export a model that stacks or "
            "concatenates arrays instead"
        )
    what = f"a result of the sizes {sizes}" if sizes else "a result of unknown type or shape"
    return UnsupportedError(
        f"{where} has {what}; check its attributes and the shapes of its inputs, and fix open "
        "sizes with dims={...} or --dim, and inputs that are sizes with values={...} or --value"
    )
