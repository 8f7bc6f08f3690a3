"""What is read off a module: its time loops and products."""
