"""The cells: one step of each kind and its derivative. GRUBlockCell's is in `ops.block`."""
