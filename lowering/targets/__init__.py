"""Targets of compilation, and strategies for them."""
