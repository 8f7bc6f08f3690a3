"""Time loops and products as dispatches for CPUs.

| | |
|---|---|
| `fused_loop/` | a whole time loop as one dispatch |
| `products/` | a product outside the loops as one dispatch |
| `pools` | the maximum or sum of small windows of images as one dispatch |
| `packing` | matrices, weights above all, packed into panels for both |
| `tiles` | the inner products of both: a few rows times a panel, summed in registers |
| `matrix_unit` | the same by a matrix unit of the processor |
| `row_quantization` | rows of float32 as int8 numbers with scales |
| `row_copies` | copies of rows, and zeros in place |
"""
