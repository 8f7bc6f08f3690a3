"""Tiles of products on a CPU, and other operations on a few rows in vectors.

| | |
|---|---|
| `matmul` | a few rows or one, times a panel, by the method that suits its format |
| `row_fma` | one row times panels, by fused multiply-add in registers |
| `row_dot` | one row times some rows of an unpacked matrix |
| `bfloat16_pairs` | a tile of a product with a panel of bfloat16 numbers, two at a time |
| `int8_groups` | a tile of a product with a panel of int8 numbers |
| `int8_rows` | rows of float32 as int8 numbers with a scale, and the way back |
| `register_tiles` | how products with panels of groups are divided into tiles |
| `zeros_and_copies` | zeros in place, rows copied |
"""
