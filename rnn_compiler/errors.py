"""The exceptions and warnings of this package.

Every message names the op, the argument, what was expected, what was got and, where there is one,
the remedy. All derive from `RnnCompilerError`, and also from the builtin a caller would expect.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = [
    "ArtifactError",
    "CacheWarning",
    "CompileError",
    "CompileWarning",
    "DeviceError",
    "InvalidArgumentError",
    "RnnCompilerError",
    "UnsupportedError",
    "check_keywords",
    "describe",
    "did_you_mean",
    "with_hint",
]


class RnnCompilerError(Exception):
    """Base class of every error that this package raises on purpose."""


class InvalidArgumentError(RnnCompilerError, ValueError):
    """An argument, attribute or dimension that the op does not accept.

    Attributes:
        op: The op or function that was called, by its public name.
        argument: The argument, attribute or dimension at fault.
        expected: What would have been accepted, in words.
        got: What was passed, in words.
        remedy: What to do about it; may be empty.

    Example:
        >>> raise InvalidArgumentError("BlockLSTMV2", "b", "rank 1", "rank 2")
        Traceback (most recent call last):
        ...
        rnn_compiler.errors.InvalidArgumentError: BlockLSTMV2: 'b': expected rank 1, got rank 2
    """

    def __init__(self, op: str, argument: str, expected: str, got: str, remedy: str = "") -> None:
        self.op = op
        self.argument = argument
        self.expected = expected
        self.got = got
        self.remedy = remedy
        message = f"{op}: '{argument}': expected {expected}, got {got}"
        super().__init__(f"{message}; {remedy}" if remedy else message)

    def __reduce__(self) -> Any:  # exceptions are copied by their message unless told otherwise
        return type(self), (self.op, self.argument, self.expected, self.got, self.remedy)


class UnsupportedError(RnnCompilerError, NotImplementedError):
    """A combination that is well defined but that this package does not provide."""


class CompileError(RnnCompilerError):
    """The IREE compiler failed, crashed or ran out of time.

    Attributes:
        summary: What happened, in a line.
        target: The target that was compiled for.
        diagnostics: What the compiler wrote to its standard error.
        reproducer: Folder that holds the module and the command; None if it could not be saved.
        command: The full command line.
    """

    def __init__(
        self, summary: str, *, target: str, diagnostics: str, reproducer: str | None, command: str
    ) -> None:
        self.summary = summary
        self.target = target
        self.diagnostics = diagnostics
        self.reproducer = reproducer
        self.command = command
        lines = [f"compiling for {target}: {summary}"]
        errors = [line for line in diagnostics.splitlines() if "error:" in line]
        lines += errors[:3] or diagnostics.splitlines()[-3:]
        lines.append(
            f"reproducer: {reproducer}" if reproducer else "reproducer: could not be saved"
        )
        super().__init__("\n".join(lines))

    def __reduce__(self) -> Any:
        names = ("target", "diagnostics", "reproducer", "command")
        made = functools.partial(type(self), **{name: getattr(self, name) for name in names})
        return made, (self.summary,), vars(self)


class ArtifactError(RnnCompilerError):
    """A compiled artifact that is missing, damaged, or made for another machine or version."""


class DeviceError(RnnCompilerError):
    """A device that does not exist, is not usable, or does not fit the artifact.

    Attributes:
        reason: Why, in a few words; the message says more.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason or message


class CacheWarning(UserWarning):
    """The artifact cache could not be used; the call went on without it."""


class CompileWarning(UserWarning):
    """The fast way of lowering did not compile; the portable one was taken."""


def describe(value: object) -> str:
    """A value for a message: its repr, cut short, whatever its repr does."""
    try:
        text = " ".join(line.strip() for line in repr(value).splitlines())  # such as an array's
    except Exception:  # such as an int of too many digits, or somebody's own repr
        return f"a {type(value).__name__} that cannot be printed"
    return text if len(text) <= 80 else f"{text[:77]}..."


def did_you_mean(got: object, known: Iterable[str], others: Mapping[str, str] | None = None) -> str:
    """The name that was meant, as a question; nothing where no known name is close.

    Args:
        got: The name that there is not.
        known: The names there are.
        others: Other spellings that people have, each with the name it stands for.

    Example:
        >>> did_you_mean("blocklstm_v2", ["LSTMBlockCell", "BlockLSTMV2"])
        'did you mean BlockLSTMV2?'
        >>> did_you_mean("clip", ["cell_clip", "use_peephole"])
        'did you mean cell_clip?'
        >>> did_you_mean("hidden_size", ["num_units"], {"hidden_size": "num_units"})
        'did you mean num_units?'
        >>> did_you_mean("tpu", ["cpu", "cuda"])
        ''
    """
    import difflib  # only those who misspell pay for it

    names = {**(others or {}), **{name: name for name in known}}
    spellings = {_folded(spelling): name for spelling, name in names.items()}
    wanted = _folded(str(got))
    close = difflib.get_close_matches(wanted, spellings, n=1, cutoff=0.7)
    part_of = [spelling for spelling in spellings if wanted in spelling.split("_")]
    if not close and len(part_of) == 1:
        close = part_of
    return f"did you mean {spellings[close[0]]}?" if close else ""


def with_hint(
    message: str, got: object, known: Iterable[str], others: Mapping[str, str] | None = None
) -> str:
    """A message, and after it what `did_you_mean` says."""
    return "; ".join(filter(None, (message, did_you_mean(got, known, others))))


def _folded(name: str) -> str:
    """A name without case, and with one of the characters that join words."""
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


OTHER_NAMES = {
    "hidden_size": "num_units",
    "timesteps": "seq_length",
}
"""Names that PyTorch and Keras have for dimensions."""


def check_keywords(
    callee: str, given: Mapping[str, object], known: Sequence[str], required: Sequence[str]
) -> None:
    """Checks the keywords of a call, with Python's own kind of error.

    Raises:
        TypeError: A keyword is not among `known`, or one of `required` is missing.
    """
    for name in given:
        if name not in known:
            others = {other: own for other, own in OTHER_NAMES.items() if own in known}
            message = (
                f"{callee}() got an unexpected keyword argument {name!r}; "
                f"it takes {', '.join(known)}"
            )
            raise TypeError(with_hint(message, name, known, others))
    missing = [name for name in required if name not in given]
    if missing:
        plural = "s" if len(missing) > 1 else ""
        raise TypeError(
            f"{callee}() missing required keyword argument{plural}: "
            + ", ".join(map(repr, missing))
        )
