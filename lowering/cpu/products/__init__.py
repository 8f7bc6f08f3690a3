"""Products outside the time loops, a dispatch each, for CPUs.

| | |
|---|---|
| `rows_product` | `x @ w` |
| `blocking` | its tiling |
| `store` | its destination: a new matrix, or a part of a larger one |
| `outer_sum` | sums of `lhs^T @ rhs` |
| `panels` | the panels of columns that are gathered for them first |
| `rows` | the rows that both multiply: all, the first ones, or a list |
| `int8_product` | `x @ w` with weights in int8 |
| `convolution` | a convolution of images, by products of some windows at a time |
"""
