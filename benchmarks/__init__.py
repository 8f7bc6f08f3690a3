"""Measurements: ours and the same work elsewhere, taking turns on the same cores; never tests.

`rows` says what is measured, `peers/` how each framework does it, `worker` and `processes` keep
each in a process of its own, `contests` lets them take turns, `figures` draws numbers from the
rounds, `results` keeps them, `report` and `plot` show them.
"""
