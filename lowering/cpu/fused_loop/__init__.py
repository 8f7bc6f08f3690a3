"""A time loop as one dispatch, for CPUs; in the order of its construction.

| | |
|---|---|
| `fused_loop` | the function of a loop: what is made ready, the dispatch, what is returned |
| `plan` | what the steps write, in which groups and panels |
| `state_ring` | how a state is kept in place |
| `step_weights` | the weights of a group's gates, side by side and packed |
| `rows_by_length` | the order of the rows, where some end early |
| `steps` | the loop over time |
| `work_sharing` | how threads share each step |
| `tile_heights` | into which tiles the rows of a step are cut |
| `step_tile` | one of these tiles: its products, and all else that is computed of its rows |
"""
