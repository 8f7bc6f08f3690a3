"""Products outside the time loops, a dispatch each, for CPUs.

| | product |
|---|---|
| `blocked_product` | of two matrices of known sizes, also added to a vector |
| `row_product` | of a single row with a matrix |
| `open_product` | of as many rows as there are, with a matrix |
| `valid_rows_product` | of the valid rows of a padded sequence, with a matrix |
| `valid_rows_outer_sum` | the sum of their outer products, of known sizes |
| `outer_sum` | the sum of the outer products of as many rows as there are |

`valid_rows` lists the valid rows, `gathered_panels` copies them side by side.
"""
