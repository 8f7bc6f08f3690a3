"""What all of lowering stands on: MLIR's bindings, composites, marks in modules, refused forms."""
