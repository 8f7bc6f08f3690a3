"""Emits MLIR op by op, on numbers and arrays, inside dispatches and around them.

| | |
|---|---|
| `number` | scalars and vectors, with operators |
| `body` | arrays, and insertion points |
| `function` | a private function and its dispatches |
| `executable` | a dispatch: its bindings, workgroups and body |
| `attributes` | attributes and types that the bindings lack |

Inside of a dispatch:

| | |
|---|---|
| `arithmetic` | StableHLO's elementwise ops, on scalars or vectors |
| `linalg` | products, and elementwise code on arrays |
| `partition` | loops over one workgroup's part of the work |
| `registers` | accumulators that stay in registers over a loop |

Around it:

| | |
|---|---|
| `arrays` | zeros with a buffer of their own, rows put in place, other views |
| `stablehlo` | StableHLO on whole arrays |
"""
