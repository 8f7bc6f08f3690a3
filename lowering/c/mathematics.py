"""Functions of mathematics that code calls where its processor has no instruction for them.

They would be in libm, which is a library of its own on most systems. ``{NAME}`` stands for the
module's name.
"""

from __future__ import annotations

__all__ = ["DECLARED", "DEFINED"]

DECLARED = {"floorf": "float {NAME}_floorf(float x);"}
"""The declaration of each, by the name that it has in libm."""

DEFINED = {
    "floorf": """\
/* The largest integer that is not above a number. */
float {NAME}_floorf(float x)
{
    float whole;
    if (!(x > -8388608.0f && x < 8388608.0f))
        return x; /* an integer anyway, or no number */
    whole = (float)(int32_t)x;
    return whole > x ? whole - 1.0f : whole;
}
""",
}
"""Their definitions."""
