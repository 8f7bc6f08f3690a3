"""Mathematical functions for processors that have no instruction for them.

On most systems they are in libm, a separate library. ``{NAME}`` stands for the
module's name.
"""

from __future__ import annotations

DECLARED = {"floorf": "float {NAME}_floorf(float x);"}
"""Their declarations, by their names in libm."""

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
