"""Products outside the time loops, a dispatch each, for CPUs.

| | |
|---|---|
| `rows_product` | `x @ w`, cut up by `blocking` |
| `outer_sum` | sums of `lhs^T @ rhs`, of `panels` that are gathered first |

Both take which rows count (`rows`: all, the first ones, or some that are listed), and where the
result goes: `store` for rows, a part of a vector for sums.
"""
