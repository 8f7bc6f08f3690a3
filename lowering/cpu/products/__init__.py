"""Products outside the time loops, a dispatch each, for CPUs.

| | product |
|---|---|
| `blocked_product` | of two matrices of known sizes, also added to a vector |
| `row_product` | of a single row with a matrix |
| `open_product` | of as many rows as there are, with a matrix |
| `padded_product` | of the rows of a padded sequence that count, with a matrix |
| `padded_sum` | the sum of their outer products, of known sizes |
| `outer_sum` | the sum of the outer products of as many rows as there are |

`valid_rows` lists which rows count, `gathered_panels` copies them side by side.
"""
