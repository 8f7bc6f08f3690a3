"""Products outside the time loops, a dispatch each, for CPUs.

| | |
|---|---|
| `rows_product` | `x @ w` |
| `blocking` | its tiling |
| `panel_product` | its loops over panels of columns |
| `blocks` | all rows, of a known number |
| `partitions` | rows whose number is computed, or that are copied first |
| `quantized_rows` | its left-hand side in int8, if its weights are |
| `store` | its destination: a new matrix, or a part of a larger one |
| `outer_sum` | sums of `lhs^T @ rhs` |
| `panels` | the panels of columns that are gathered for them first |
| `rows` | the rows that both multiply: all, the first ones, or a list |
| `convolution` | a convolution of images, by products of some windows at a time |
| `epilogue` | the elementwise functions behind it, applied to its sums |
"""
