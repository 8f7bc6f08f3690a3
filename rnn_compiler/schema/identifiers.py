"""The names that a module and its files may have, in any language."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from rnn_compiler.errors import InvalidArgumentError, describe

KEYWORDS = frozenset(
    word
    for line in (
        "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t",
        "char32_t char8_t class compl concept const const_cast consteval constexpr constinit",
        "continue co_await co_return co_yield decltype default delete do double dynamic_cast",
        "else enum explicit export extern false float for friend goto if inline int long main",
        "mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected",
        "public register reinterpret_cast requires restrict return short signed sizeof static",
        "static_assert static_cast struct switch template this thread_local throw true try",
        "typedef typeid typename typeof union unsigned using virtual void volatile wchar_t",
        "while xor xor_eq",
        # macros: of the headers that NAME.h includes, of others, of compilers
        "NULL assert offsetof unreachable",
        "EOF HUGE_VAL I INFINITY NAN RAND_MAX complex errno imaginary stderr stdin stdout",
        "i386 linux unix",
    )
    for word in line.split()
)
"""The reserved words of C11, C23 and C++20, ``main``, and short names of macros."""

_OF_STDINT = re.compile(
    "(size|ptrdiff)_t|u?int(_least|_fast)?[0-9]+_t|u?int(max|ptr)_t"
    "|(U?INT(_LEAST|_FAST)?[0-9]+|U?INT(MAX|PTR)|SIZE|PTRDIFF|WCHAR|WINT|SIG_ATOMIC)_(MIN|MAX|C)"
)
"""The types and the limits of the headers that NAME.h includes."""


def is_word_of_c(name: str) -> bool:
    """Whether a name is a reserved word of C or C++, or of headers."""
    return name in KEYWORDS or _OF_STDINT.fullmatch(name) is not None


RESERVED = KEYWORDS | {
    word
    for line in (
        # variables, functions and types of functions in C
        "arguments array arrays buffers bytes call_kernel caller check_arrays code constants",
        "context cpu_is_known fill groups job k lengths memcpy memory memset results run",
        "scratch state wrong",
        # words of JavaScript
        "Math await debugger eval extends finally function implements import in instanceof",
        "interface let null package super typeof var with yield",
    )
    for word in line.split()
}
"""The names that open sizes cannot have, because printed code has variables of their names."""


_LONGEST = 100
"""The most letters of a name in C."""


_REMEDY = "give another: name= or function=, or --name or --function on the command line"


def check_identifier(caller: str, argument: str, name: object, remedy: str = _REMEDY) -> str:
    """Checks that a text can be a name in C and C++."""
    if (
        not isinstance(name, str)
        or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name)
        or is_word_of_c(name)
        or len(name) > _LONGEST
    ):
        letters = f"a name of at most {_LONGEST} letters, digits and _"
        expected = f"{letters}, no digit or _ first, no word of C or C++"
        raise InvalidArgumentError(caller, argument, expected, describe(name), remedy)
    return name


def identifiers(texts: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Names in Python and C for some texts, different from each other and from those taken.

    Example:
        >>> identifiers(["x:0", "x_0", "lambda", "1"])
        ['x_0', 'x_0_1', 'lambda_', 'value_1']
    """
    known = {*taken, *TAKEN}
    names: list[str] = []
    for text in texts:
        stem = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
        stem = (stem if stem[:1].isalpha() else f"value_{stem}")[:_LONGEST_STEM].rstrip("_")
        word = keyword.iskeyword(stem) or is_word_of_c(stem) or _WORDS.fullmatch(stem)
        name = stem = f"{stem}_" if word else stem
        number = 0
        while name in known:
            number += 1
            name = f"{stem}_{number}"
        known.add(name)
        names.append(name)
    return names


TAKEN = ("to_host", "self")
"""Names with a special meaning in calls."""

_LONGEST_STEM = 90
"""Letters of a name; C takes 100, with what is added to equal ones."""

_WORDS = re.compile(r"scratch|n\d+")
"""Names of memory in C, and of computed sizes in schedules."""
