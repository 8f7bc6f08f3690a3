"""What pyright is told of IREE's compiler bindings, which carry no types."""
