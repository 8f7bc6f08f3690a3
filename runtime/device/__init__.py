"""Devices, arrays on them, and optimizations of their calls."""
