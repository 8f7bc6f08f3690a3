"""What modules are compiled for, and how."""
