"""The inputs on which torch tests its own layers: the same results and gradients.

Only a few run, because test_layers covers everything in them:
``TEST_TORCH_INPUTS=1 pytest -m "" ...`` runs all, ``TEST_TORCH_INPUTS=8`` every eighth.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")  # which torch's tests need

import rnn_compiler.torch as rt  # noqa: E402

EACH = int(os.environ.get("TEST_TORCH_INPUTS", "97"))
"""Every n-th input is run."""

pytestmark = pytest.mark.slow


def inputs_of(kind: str) -> list[Any]:
    from torch.testing._internal.common_modules import module_db

    (info,) = (each for each in module_db if each.name == f"nn.{kind}")
    made = info.module_inputs_func(
        info, device="cpu", dtype=torch.float64, requires_grad=True, training=True
    )
    return [*made]


def tensors(value: Any) -> list[Any]:
    """Those in a nest of tuples."""
    return (
        [value] if isinstance(value, torch.Tensor) else [t for each in value for t in tensors(each)]
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_layers_on_the_inputs_of_torchs_tests(kind: str) -> None:
    every = inputs_of(kind)
    assert len(every) >= 16
    for each in every[::EACH]:
        options = {**each.constructor_input.kwargs, "dtype": torch.float64}
        other = getattr(torch.nn, kind)(*each.constructor_input.args, **options)
        ours = getattr(rt, kind)(*each.constructor_input.args, **options)
        ours.load_state_dict(other.state_dict())
        found: list[list[Any]] = []
        for layer in (ours, other):
            given = each.forward_input.args
            results = tensors(layer(*given, **each.forward_input.kwargs))
            loss = sum(result.sin().sum() for result in results)
            learns = [*layer.parameters(), *(t for t in tensors(given) if t.requires_grad)]
            found.append([*results, *torch.autograd.grad(loss, learns)])
        torch.testing.assert_close(*found, msg=lambda text, o=options: f"{o}: {text}")
