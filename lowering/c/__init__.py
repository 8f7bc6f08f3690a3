"""A compiled module as C: reads and checks the compiler's host program, and prints it as C."""
