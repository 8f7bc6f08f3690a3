"""Rewrites between the portable module and the compiler, one a file."""
