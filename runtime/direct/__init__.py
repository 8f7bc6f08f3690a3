"""Functions called directly: their compiled code, by their schedules, without IREE in between."""
