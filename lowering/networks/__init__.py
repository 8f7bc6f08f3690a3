"""Whole networks of other frameworks as modules of linalg with calls of our ops in them."""
