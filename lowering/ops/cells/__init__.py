"""One step of each kind of cell, and its derivative."""
