"""Rewrites Einsums of three and more factors as products of two.

IREE's importer multiplies two factors after the other too, but sums over a letter that a later
factor still has. Here a letter stays until no other factor has it:

    bj,ji,j->bi    becomes    bj,ji->bji    bji,j->bi
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from rnn_compiler.network_import.graph import Graph, attributes_of
from rnn_compiler.network_import.graph.replacement import Replacement, rewrite_nodes


def plain_einsums(graph: Graph) -> bool:
    """Replaces the nodes whose types are known; returns whether there were any."""
    return rewrite_nodes(graph, ("Einsum",), _plain)


def _plain(graph: Graph, node: Any, _: Any) -> list[Any]:
    """The products of two; the node itself if it is one, or has an ellipsis."""
    equation: str = attributes_of(node)["equation"].s.decode().replace(" ", "")
    given, arrow, result = equation.partition("->")
    terms = given.split(",")
    if len(terms) < 3 or "." in equation or len(terms) != len(node.input):
        return [node]
    if not arrow:
        counts = Counter(given.replace(",", ""))
        result = "".join(sorted(letter for letter in counts if counts[letter] == 1))
    made = Replacement(graph, node)
    left, name = terms[0], node.input[0]
    for number, right in enumerate(terms[1:], 1):
        later = {*result, *"".join(terms[number + 1 :])}
        kept = "".join(dict.fromkeys(letter for letter in left + right if letter in later))
        after = result if number == len(terms) - 1 else kept
        name = made.add("Einsum", name, node.input[number], equation=f"{left},{right}->{after}")
        left = after
    return made.finished()
