"""Products outside the time loops, a dispatch each, for CPUs.

| | |
|---|---|
| `rows_product` | `x @ w`: its tiling, its rows, its left-hand side in int8, its destination |
| `outer_sum` | sums of `lhs^T @ rhs`, over panels that are gathered first |
| `convolution` | a convolution of images |
| `epilogue` | the elementwise functions behind it, applied to its sums |
| `filter_gradient` | the gradient of a convolution's filters |
| `windows` | the windows of images, for both |
"""
