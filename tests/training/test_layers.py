"""LSTM, GRU and RNN give torch.nn's results, forward and backward, with the same state dict.

Each base is a layer at some sizes; its configurations differ in properties that need few other
programs: bias, batch_first, hx, packed or not, sorted or not, one sequence without a batch.
``TEST_TORCH_SWEEP=25 pytest -m "" ...`` sweeps over 25 bases instead of 5.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="rnn_compiler.torch needs torch")

from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402

import rnn_compiler.torch as rt  # noqa: E402

TOLERANCES = {"float32": 2e-6, "float64": 1e-13, "bfloat16": 3e-2}
"""Relative to the largest element, or to 1; torch computes the last in float32."""

BASES = 5 if "TEST_TORCH_SWEEP" not in os.environ else int(os.environ["TEST_TORCH_SWEEP"])
FORMS = ("batch", "packed", "batch", "packed", "batch", "unsorted", "unsorted", "one")


@dataclass(frozen=True)
class Base:
    """A layer at some sizes."""

    kind: str
    T: int
    B: int
    I: int  # noqa: E741
    H: int
    options: dict[str, Any]
    dtype: str = "float32"
    forms: tuple[str, ...] = FORMS

    def __str__(self) -> str:
        options = "-".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.kind}-{self.T}x{self.B}x{self.I}x{self.H}-{options}-{self.dtype}"


FIRST = (
    Base("LSTM", 4, 3, 2, 6, {"num_layers": 2, "bidirectional": True}, "float64"),
    Base("LSTM", 4, 3, 2, 6, {"proj_size": 5}, "float64", FORMS[:-1]),
    Base("GRU", 4, 3, 2, 6, {"num_layers": 2, "bidirectional": True}, "float64", ("batch",) * 3),
    Base("RNN", 4, 3, 2, 6, {"nonlinearity": "relu", "num_layers": 2}, "float64", FORMS[:-1]),
    Base("LSTM", 3, 2, 4, 5, {}, "bfloat16", ("batch", "batch")),
)
"""At sizes that other tests have too; those compare float32, among others, and packed rows of GRU.

One sequence is a batch of one of whatever layer.
"""


def draw_base(number: int) -> Base:
    if number < len(FIRST):
        return FIRST[number]
    rng = random.Random(number)
    kind = rng.choice(["LSTM", "GRU", "RNN"])
    sizes = [rng.randint(1, largest) for largest in (20, 9, 20, 20)]
    units = sizes[-1]
    options: dict[str, Any] = {"num_layers": rng.randint(1, 3), "bidirectional": rng.random() < 0.5}
    if kind == "RNN":
        options["nonlinearity"] = rng.choice(["tanh", "relu"])
    if kind == "LSTM" and units > 1 and rng.random() < 0.5:
        options["proj_size"] = rng.randint(1, units - 1)
    return Base(kind, *sizes, options, rng.choice(["float32", "float32", "float64"]))


@dataclass(frozen=True)
class Configuration:
    """How a layer is called."""

    bias: bool
    batch_first: bool
    with_hx: bool
    form: str
    seed: int


def draw_configuration(number: int, base: Base, k: int) -> Configuration:
    rng = random.Random(1000 * number + k)
    few = number < len(FIRST)  # whose programs are few: states with gradients are other ones
    with_hx = base.dtype == "float64" if few else rng.random() < 0.5
    bias, batch_first = rng.random() < 0.6, rng.random() < 0.5
    return Configuration(bias, batch_first, with_hx, base.forms[k], rng.randrange(1 << 30))


def results(layer: Any, base: Base, how: Configuration, kind: Any) -> dict[str, Any]:
    """Outputs and gradients of a layer, in float64."""
    generator = torch.Generator().manual_seed(how.seed)

    def draw(*shape: int) -> Any:
        values = torch.randn(shape, generator=generator, dtype=torch.float64)
        return values.to(getattr(torch, base.dtype)).to(kind)

    B = base.B if how.form != "one" else 1
    x = draw(base.T, B, base.I).requires_grad_()
    width = base.options.get("proj_size") or base.H
    rows = base.options.get("num_layers", 1) * (1 + base.options.get("bidirectional", False))
    states = [draw(rows, B, width)] + [draw(rows, B, base.H)] * (base.kind == "LSTM")
    states = [each.detach().clone().requires_grad_() for each in states]
    given: Any = x.transpose(0, 1) if layer.batch_first and how.form != "one" else x
    hx: Any = states
    if how.form == "one":
        given, hx = x[:, 0], [each[:, 0] for each in states]
    if how.form in ("packed", "unsorted"):
        lengths = torch.randint(1, base.T + 1, (B,), generator=generator)
        lengths[0] = base.T
        lengths = lengths.sort(descending=True).values if how.form == "packed" else lengths.flip(0)
        given = pack_padded_sequence(
            given, lengths, batch_first=layer.batch_first, enforce_sorted=how.form == "packed"
        )
    hx = tuple(hx) if base.kind == "LSTM" else hx[0]
    output, last = layer(given, hx) if how.with_hx else layer(given)
    if how.form in ("packed", "unsorted"):
        output, found = pad_packed_sequence(output, batch_first=layer.batch_first)
        assert found.tolist() == lengths.tolist()
    outputs = [output, *(last if base.kind == "LSTM" else [last])]
    loss = sum((each * draw(*each.shape)).sum() for each in outputs)
    loss.backward()
    found = dict(zip(["output", "h_n", "c_n"], outputs, strict=False))
    found["input"] = x.grad
    found |= {f"state {k}": each.grad for k, each in enumerate(states) if how.with_hx}
    found |= {name: each.grad for name, each in layer.named_parameters()}
    return {name: each.detach().double() for name, each in found.items()}


@pytest.mark.filterwarnings("ignore:LSTM with projections")  # which torch.nn's does more slowly
@pytest.mark.slow
@pytest.mark.parametrize("number", [pytest.param(k, id=str(draw_base(k))) for k in range(BASES)])
def test_layers_equal_torchs(number: int) -> None:
    base = draw_base(number)
    kind = getattr(torch, base.dtype)
    wide = torch.float32 if base.dtype == "bfloat16" else kind
    for k in range(len(base.forms)):
        how = draw_configuration(number, base, k)
        options = {**base.options, "bias": how.bias, "batch_first": how.batch_first}
        ours = getattr(rt, base.kind)(base.I, base.H, **options, dtype=kind)
        other = getattr(torch.nn, base.kind)(base.I, base.H, **options, dtype=kind)
        assert list(ours.state_dict()) == list(other.state_dict())
        assert str(ours) == str(other)
        ours.load_state_dict(other.state_dict())
        again = getattr(torch.nn, base.kind)(base.I, base.H, **options, dtype=wide)
        again.load_state_dict(ours.state_dict())
        found = results(ours, base, how, kind)
        expected = results(again, base, how, wide)
        assert found.keys() == expected.keys()
        for name, want in expected.items():
            assert found[name].shape == want.shape, (how, name)
            scale = max(1.0, float(want.abs().max()))
            error = float((found[name] - want).abs().max()) / scale
            assert error <= TOLERANCES[base.dtype], f"{how}: {name}: {error:.2g}"
