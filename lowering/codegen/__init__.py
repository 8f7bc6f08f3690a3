"""Emits MLIR op by op, on numbers and arrays, inside dispatches and around them.

| | |
|---|---|
| `body` | numbers, arrays and the ops on them, and insertion points |
| `executable` | a private function and its dispatches: bindings, workgroups, bodies |
| `attributes` | attributes and types that the bindings lack |
| `linalg` | products, and elementwise code on arrays |
| `partition` | loops over one workgroup's part of the work |
| `registers` | accumulators that stay in registers over a loop |
| `stablehlo` | StableHLO on whole arrays, around dispatches |
"""
