"""Tiles of products on a CPU, and other operations on a few rows in vectors.

| | |
|---|---|
| `matmul` | a few rows or one, times a panel, by the method that suits the types |
| `row_fma` | one row times panels, by fused multiply-add in registers |
| `row_dot` | one row times some rows of an unpacked matrix |
| `bfloat16_pairs` | rows times a panel of bfloat16 numbers, two at a time |
| `int8_matmul` | rows times a panel of int8 numbers |
| `int8_rows` | rows of float32 as int8 numbers with a scale |
| `register_tiles` | how products of both kinds are divided into tiles |
| `zeros_and_copies` | zeros in place, rows copied |
"""
