"""Benchmarks: this project and its peers do the same work, taking turns on the same cores.

`rows` defines what is measured, `groups` the peers to compare with, `inputs` the data, and `peers/`
how each framework does it. `worker` and `processes` run each peer in a separate process, `contests`
lets them take turns while the machine is `quiet`, and `run` carries out a plan. `work` computes the
work of a row, `kernels` measure what the machine could do. `figures` computes statistics, `results`
stores them, `report` and `plot` show them. `measurements` makes the page of experiments.
"""
