"""Time loops and products as dispatches for GPUs.

| | |
|---|---|
| `pinned_loop` | time loops as a function that issues many steps at a time |
| `plan` | what the steps write, in which dispatches |
| `state_ring` | how a state is kept in place |
| `pointwise` | all elementwise arithmetic of a level as one dispatch |
| `matmul_tiles` | a product in the tiles that a GPU wants |
"""
