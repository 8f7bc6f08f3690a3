"""Measurements, side by side in one process; never tests, whose machine may be busy."""
