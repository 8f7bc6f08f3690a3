"""Emits MLIR op by op, on numbers and arrays, inside dispatches and around them.

| | |
|---|---|
| `body` | numbers, arrays and the ops on them, and insertion points |
| `elementwise` | StableHLO's elementwise ops on scalars and vectors |
| `whole_arrays` | zeros with a buffer of their own, rows replaced in place, views |
| `executable` | a private function and its dispatches: bindings, workgroups, bodies |
| `attributes` | attributes and types that the bindings lack |
| `float64` | functions of float64 that processors and IREE lack |
| `remainder` | the remainder of floats, exactly |
| `linalg` | products, and elementwise code on arrays |
| `partition` | loops over one workgroup's part of the work |
| `registers` | accumulators that stay in registers over a loop |
| `stablehlo` | StableHLO on whole arrays, around dispatches |
"""
