"""A typed builder of portable StableHLO."""
