"""Code in MLIR's dialects, written op by op, of numbers and arrays: in and around dispatches.

| | |
|---|---|
| `number` | scalars and vectors, with operators |
| `body` | arrays, and places where ops are emitted |
| `function` | a private function, which makes dispatches |
| `executable` | a dispatch: its bindings, workgroups and body |
| `attributes` | attributes and types that the bindings lack |

Inside of a dispatch:

| | |
|---|---|
| `arithmetic` | StableHLO's elementwise ops, on scalars or vectors |
| `linalg` | products, and what each point of an array computes |
| `registers` | sums over a loop that stay in registers |
| `shares` | loops over the share of one of several parts |

Around it:

| | |
|---|---|
| `arrays` | zeros with a buffer of their own, rows put in place, other views |
| `stablehlo` | StableHLO on whole arrays |
"""
