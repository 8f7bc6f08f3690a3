"""A time loop as one dispatch, for CPUs.

| | |
|---|---|
| `fused_loop` | the function of a loop: its preparations, the dispatch, its results |
| `prepared_loop` | products that steps compute themselves, outputs that are kept or shared |
| `plan` | the arrays that steps read and write, in groups and panels; states in place |
| `row_tiles` | the tiles of a step's rows |
| `int8_rows` | rows of left-hand sides in int8 |
| `steps` | the loop over time, and the tiles of a step: products and elementwise arithmetic |
| `work_sharing` | how threads share each step, and the order of rows if some end early |
"""
