"""Products outside the time loops, a dispatch each, for CPUs.

| | |
|---|---|
| `rows_product` | `x @ w`, tiled by `blocking` |
| `outer_sum` | sums of `lhs^T @ rhs`, of `panels` that are gathered first |

Both take the rows to multiply (`rows`: all, the first ones, or a list), and the destination of the
result: `store` for rows, a part of a vector for sums.
"""
