"""Devices, arrays on them, and what makes calls there quick."""
