"""Time loops and products as dispatches for GPUs.

| | |
|---|---|
| `pinned_loop` | time loops as a function that issues many steps at a time |
| `plan` | the arrays that steps write, and in which dispatches |
| `state_ring` | how a state is updated in place |
| `pointwise` | all elementwise arithmetic of a level as one dispatch |
| `matmul_tiles` | a product tiled for a GPU |
"""
