"""Products outside the time loops, a dispatch each, for CPUs.

| | |
|---|---|
| `rows_product` | `x @ w`, tiled by `blocking` |
| `int8_product` | the same with `w` in int8 |
| `outer_sum` | sums of `lhs^T @ rhs`, of `panels` that are gathered first |
| `convolution` | a convolution of images |

`rows_product` and `outer_sum` take the rows to multiply (`rows`: all, the first ones, or a list)
and the destination of the result: `store` for rows, a part of a vector for sums.
"""
