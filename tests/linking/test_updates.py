"""One step of a module with states of every kind, in every way that runs modules."""

from __future__ import annotations

import functools

import numpy as np
from execution import Execute, each_way
from linking import stateful

import rnn_compiler as rc


@functools.cache
def module() -> rc.Module:
    return rc.link_module(stateful.TEXT, stateful.INFER)


@each_way
def test_a_step(execute: Execute) -> None:
    states, given = stateful.states(3), stateful.arguments(4)
    states["count"] = np.int32(2)
    after, others = stateful.train(states, given)
    found = execute(module(), {**states, **given})
    assert found.keys() == {*after, *others}
    for name, value in {**after, **others}.items():
        np.testing.assert_allclose(
            found[name].reshape(np.shape(value)), value, rtol=2e-6, atol=2e-6, err_msg=name
        )
    result = execute(module(), {"p": states["p"], "x": given["x"]}, function=1)
    np.testing.assert_allclose(result["y"], 2 * states["p"] * given["x"], rtol=1e-6)
