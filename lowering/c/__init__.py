"""A compiled module as C: the compiler's host program read, checked and printed, and its object."""
