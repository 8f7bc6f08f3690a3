"""One step of each kind of cell, and its derivative; that of GRUBlockCell is in `ops.block`."""
