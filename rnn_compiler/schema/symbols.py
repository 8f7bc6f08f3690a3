"""Symbols of private functions: time loops, their steps, other decompositions, frozen arguments.

Each belongs to a function, its owner, whose name is an identifier (`schema.names`): its symbol is
that name, a dot, and its own name, ``block_lstm_v2.lstm_forward``. The manifest has such symbols.
"""

from __future__ import annotations

__all__ = ["owner_of", "private_symbol"]


def private_symbol(owner: str, name: str) -> str:
    """The symbol of a private function.

    Args:
        owner: The function that it belongs to.
        name: Its own name, which may have dots.

    Example:
        >>> private_symbol("encoder", "lstm_forward.step")
        'encoder.lstm_forward.step'
    """
    return f"{owner}.{name}"


def owner_of(symbol: str) -> str:
    """The function that a private function belongs to; of other functions, themselves.

    Example:
        >>> owner_of("encoder.lstm_forward.step"), owner_of("encoder")
        ('encoder', 'encoder')
    """
    return symbol.partition(".")[0]
