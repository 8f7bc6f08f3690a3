"""Converts whole networks of other frameworks to modules of linalg that call our ops."""
