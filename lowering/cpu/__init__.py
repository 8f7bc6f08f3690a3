"""Time loops and products as dispatches for CPUs.

| | |
|---|---|
| `fused_loop/` | a time loop, all of it, as one dispatch |
| `products/` | a product outside the loops as one dispatch |
| `packing` | matrices, weights above all, packed into panels for both |
| `tiles/` | what both multiply: a few rows with a panel, summed in registers |
"""
