"""The codes that functions return in C, and the message of ``NAME_error`` for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rnn_compiler.lowering.c.interface import CFunction, Member
from rnn_compiler.lowering.c.text import indented
from rnn_compiler.schema.schedule import ALIGNMENT

NO_STRUCT, CPU, FAILED, NO_BYTES, DAMAGED, OTHER = 1, 2, 3, 4, 5, 6
"""Codes that do not belong to an argument; the last two are of a block of states."""

NULL, MISALIGNED, OVERLAP, RANGE = range(4)
"""The kinds of mistakes with an argument or a result, added to its own code."""

_FIRST = 16


class Messages:
    """The codes of a module's functions.

    An argument, a result or the scratch memory has its own code, determined by its name and range,
    to which the kind of the mistake is added. Equal arguments of several functions share it.
    """

    def __init__(
        self,
        functions: Sequence[CFunction],
        features: Sequence[str],
        tested: Sequence[CFunction] = (),
        alignment: int = ALIGNMENT,
    ) -> None:
        """Assigns all codes; only functions in `tested` have those of a self test."""
        self.alignment = alignment
        self._codes: dict[tuple[object, ...], int] = {}
        self._samples: dict[tuple[str, str], int] = {}
        self.texts: dict[int, str] = {
            0: "no error",
            NO_STRUCT: "arguments or results: a null pointer",
            FAILED: "a workgroup, or the function that runs them, gave an error",
        }
        if any(function.sizes for function in functions):
            self.texts[NO_BYTES] = "bytes: a null pointer"
        if any(function.state for function in functions):
            self.texts[DAMAGED] = "block: damaged"
            self.texts[OTHER] = "block: of another module"
        if features:
            needed = ", ".join(features)
            self.texts[CPU] = f"this processor lacks a feature that the code needs: {needed}"
        self._add(Member("scratch", "int8", (1,)), written=True)
        if any(function.state for function in functions):
            self._add(Member("state", "int8", (1,)), written=True)
        for function in functions:
            for member in function.limited:
                self._add(member, written=False)
            for member in function.arguments:
                self._add(member, written=False)
            for member in function.results:
                self._add(member, written=True)
        for function in tested:
            for member in function.compared:
                code = _FIRST + 4 * len(self._codes) + len(self._samples)
                self._samples[function.name, member.name] = code
                self.texts[code] = (
                    f"{function.name}: {member.name}: not what it was where this was made"
                )

    def of(self, member: Member) -> int:
        """The code of an argument or result, to which the kind of the mistake is added."""
        return self._codes[(member.name, *member.range)]

    @property
    def scratch(self) -> int:
        """The code of the scratch memory."""
        return self._codes["scratch", None, None, None]

    @property
    def state(self) -> int:
        """The code of the states."""
        return self._codes["state", None, None, None]

    def of_sample(self, function: CFunction, member: Member) -> int:
        """The code of a result that differs from the expected one."""
        return self._samples[function.name, member.name]

    def _add(self, member: Member, *, written: bool) -> None:
        key = (member.name, *member.range)
        code = self._codes.setdefault(key, _FIRST + 4 * len(self._codes))
        name = member.name
        texts: Mapping[int, str] = {}
        if member.is_state:
            pass  # in a struct, which has a code of its own
        elif member.shape:
            texts = {
                NULL: f"{name}: a null pointer",
                MISALIGNED: f"{name}: not aligned to {self.alignment} bytes",
            }
            if written:
                texts = {**texts, OVERLAP: f"{name}: overlaps another array"}
        elif written:
            texts = {
                NULL: f"{name}: a null pointer",
                MISALIGNED: f"{name}: not aligned to {self.alignment} bytes",
                OVERLAP: f"{name}: overlaps another array",
            }
        if member.minimum is not None:
            what = "an element " if member.shape else ""
            text = f"{name}: {what}not from {member.range_text}"
            texts = {**texts, RANGE: text}
        self.texts.update({code + kind: text for kind, text in texts.items()})

    def function(self, name: str) -> list[str]:
        """The lines of the function that explains codes, for a module's name."""
        cases = [
            f'case {code}:\n        return "{text}";' for code, text in sorted(self.texts.items())
        ]
        return [
            f"const char *{name}_error(int code)",
            "{",
            "    switch (code) {",
            *indented(cases),
            "    default:",
            f'        return "no code of {name}";',
            "    }",
            "}",
        ]
