"""The exceptions and warnings of this package.

Every message names the op and the argument, what was expected and what was passed and, if there is
one, the remedy. All errors derive from `RnnCompilerError`, and also from the builtin exception that
a caller would expect.
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
    """Base class of all errors of this package."""


class InvalidArgumentError(RnnCompilerError, ValueError):
    """An argument, attribute or dimension that the op does not accept.

    Attributes:
        op: The public name of the op or function that was called.
        argument: The argument, attribute or dimension at fault.
        expected: What is accepted, in words.
        got: What was passed, in words.
        remedy: How to fix it; may be empty.

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

    def __reduce__(self) -> Any:  # by default, exceptions are copied by their message
        return type(self), (self.op, self.argument, self.expected, self.got, self.remedy)


class UnsupportedError(RnnCompilerError, NotImplementedError):
    """A combination that is well defined but not supported by this package."""


class CompileError(RnnCompilerError):
    """The IREE compiler failed, crashed or ran out of time.

    Attributes:
        summary: The failure in one line.
        target: The target of the compilation.
        diagnostics: The compiler's standard error.
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
    """A compiled artifact is missing, damaged, or made for another machine or version."""


class DeviceError(RnnCompilerError):
    """A device does not exist, is not usable, or does not fit the artifact.

    Attributes:
        reason: The reason in a few words; the message says more.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason or message


class CacheWarning(UserWarning):
    """The artifact cache could not be used; the call continued without it."""


class CompileWarning(UserWarning):
    """The fast lowering did not compile; the portable one was used."""


def describe(value: object) -> str:
    """A value for a message: its shortened repr; never raises."""
    try:
        text = " ".join(line.strip() for line in repr(value).splitlines())  # such as an array's
    except Exception:  # an int with too many digits, or a user's repr that fails
        return f"a {type(value).__name__} that cannot be printed"
    return text if len(text) <= 80 else f"{text[:77]}..."


def did_you_mean(got: object, known: Iterable[str], others: Mapping[str, str] | None = None) -> str:
    """The closest known name as a question; empty if no name is close.

    Args:
        got: The unknown name.
        known: The known names.
        others: Common other spellings, each with the name it stands for.

    Example:
        >>> did_you_mean("blocklstm_v2", ["LSTMBlockCell", "BlockLSTMV2"])
        'did you mean BlockLSTMV2?'
        >>> did_you_mean("clip", ["cell_clip", "use_peephole"])
        'did you mean cell_clip?'
        >>> did_you_mean("hidden_size", ["num_units"], {"hidden_size": "num_units"})
        'did you mean num_units?'
        >>> did_you_mean("hh", ["h", "cs"]), did_you_mean("ch", ["c", "h"])
        ('did you mean h?', '')
        >>> did_you_mean("tpu", ["cpu", "cuda"])
        ''
    """
    import difflib  # imported only when a name is misspelt

    names = {**(others or {}), **{name: name for name in known}}
    spellings = {_folded(spelling): name for spelling, name in names.items()}
    wanted = _folded(str(got))
    close = difflib.get_close_matches(wanted, spellings, n=1, cutoff=0.7)
    part_of = [spelling for spelling in spellings if wanted in spelling.split("_")]
    # The ratio of one letter to two is always low: the letter is enough if only one name has it.
    letters = [each for each in spellings if {len(each), len(wanted)} == {1, 2}]
    letters = [each for each in letters if each in wanted or wanted in each]
    for found in (part_of, letters):
        close = close or (found if len(found) == 1 else [])
    return f"did you mean {spellings[close[0]]}?" if close else ""


def with_hint(
    message: str, got: object, known: Iterable[str], others: Mapping[str, str] | None = None
) -> str:
    """A message followed by the question of `did_you_mean`, if there is one."""
    return "; ".join(filter(None, (message, did_you_mean(got, known, others))))


def _folded(name: str) -> str:
    """A name in lower case, with one separator between words."""
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


OTHER_NAMES = {
    "hidden_size": "num_units",
    "timesteps": "seq_length",
}
"""PyTorch's and Keras' names for dimensions."""


def check_keywords(
    callee: str, given: Mapping[str, object], known: Sequence[str], required: Sequence[str]
) -> None:
    """Checks the keywords of a call; raises the same kind of error as Python.

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
