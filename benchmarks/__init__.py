"""Benchmarks: this project and its peers do the same work, taking turns on the same cores.

`rows` defines the measurements, `groups` the peers to compare with, `inputs` the data, and `peers/`
how each framework does the work. `worker` and `processes` run each peer in a separate process,
`contests` lets them take turns while the machine is `quiet`, and `run` carries out a plan. `work`
computes the work of a row, `kernels` measure the limits of the machine. `figures` computes
statistics, `results` stores them, `report` and `plot` show them. `measurements` makes the page of
experiments.
"""
