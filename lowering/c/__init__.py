"""A compiled module as C: its schedules printed as C, and an object with its code alone."""
