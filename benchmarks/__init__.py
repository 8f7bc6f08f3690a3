"""Measurements: ours and the same work elsewhere, taking turns on the same cores; never tests.

`rows` says what is measured, `groups` against whom, `inputs` on which numbers, `peers/` how each
framework does it, `worker` and `processes` keep each in a process of its own, `contests` lets them
take turns while it is `quiet`, `run` goes through all of it. `work` says what a row comes to,
`kernels` measure what the machine could do. `figures` draws numbers from the rounds, `results`
keeps them, `report` and `plot` show them.
"""
