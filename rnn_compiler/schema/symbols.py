"""Symbols of what belongs to a function: its private functions, and its weights in an archive.

Private functions are time loops, their steps and other decompositions. The owner's name is an
identifier (`schema.names`): a symbol is that name, a dot, and a name of its own,
``block_lstm_v2.lstm_forward``. The manifest has such symbols, and an archive has them as keys.
"""

from __future__ import annotations

__all__ = ["own_name", "owner_of", "private_symbol"]


def private_symbol(owner: str, name: str) -> str:
    """The symbol of what belongs to a function.

    Args:
        owner: The function that it belongs to.
        name: Its own name, which may have dots.

    Example:
        >>> private_symbol("encoder", "lstm_forward.step")
        'encoder.lstm_forward.step'
    """
    return f"{owner}.{name}"


def owner_of(symbol: str) -> str:
    """The function that a symbol belongs to; of a function's symbol, the function itself.

    Example:
        >>> owner_of("encoder.lstm_forward.step"), owner_of("encoder")
        ('encoder', 'encoder')
    """
    return symbol.partition(".")[0]


def own_name(symbol: str) -> str:
    """The name in a symbol, without its owner.

    Example:
        >>> own_name("encoder.lstm_forward.step")
        'lstm_forward.step'
    """
    return symbol.partition(".")[2]
