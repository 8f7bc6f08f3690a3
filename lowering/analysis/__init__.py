"""Analyses of a module: its time loops, products and sizes, and the code of a step."""
