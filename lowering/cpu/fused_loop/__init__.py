"""A time loop as one dispatch, for CPUs. The modules are in the order of its construction.

| | |
|---|---|
| `fused_loop` | the function of a loop: its preparations, the dispatch, its results |
| `inserted_outputs` | outputs that are written into a larger array |
| `input_products` | products of inputs that steps compute, where memory is scarce |
| `plan` | the arrays that steps write, in groups and panels |
| `state_ring` | how a state is updated in place |
| `step_weights` | the weights of a group's gates, side by side and packed |
| `rows_by_length` | the order of the rows, if some end early |
| `steps` | the loop over time |
| `work_sharing` | how threads share each step |
| `tile_heights` | how the rows of a step are divided into tiles |
| `int8_steps` | left-hand sides of a step's products in int8 |
| `step_tile` | one of these tiles: its products and its elementwise arithmetic |
"""
