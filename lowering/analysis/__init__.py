"""What is read off a module: its time loops, products and sizes; and a step emitted on numbers."""
