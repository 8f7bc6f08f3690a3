"""LSTM, GRU and plain cells, recognized by the formulas of a step of a loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from rnn_compiler.lowering.analysis.step_values import (
    ActivatedValue,
    Array,
    Coefficient,
    Known,
    NotACellError,
    Operand,
    StepInput,
    SumOfTerms,
    Term,
    product_of,
    times,
)

_FUNCTIONS = {"logistic": "Sigmoid", "tanh": "Tanh", "relu": "Relu"}
"""ONNX's names of functions."""


@dataclass(frozen=True)
class Preactivation:
    """The argument of an activation.

    Attributes:
        inputs: The matrix [units of the input, units] of each input.
        state: The matrix [units, units] of h.
        bias: What is added: [units].
        state_bias: What is added to the product with h, before a GRU's reset: [units].
    """

    inputs: Mapping[StepInput, Coefficient]
    state: Coefficient
    bias: Coefficient
    state_bias: Coefficient = 0.0

    def negated(self) -> Preactivation:
        """The gate of the negative argument."""
        inputs = {each: times(-1.0, matrix) for each, matrix in self.inputs.items()}
        return Preactivation(inputs, times(-1.0, self.state), times(-1.0, self.bias))


@dataclass(frozen=True)
class ScanCell:
    """A cell that one of ONNX's ops computes.

    Attributes:
        op: LSTM, GRU or RNN.
        gates: In ONNX's order.
        functions: The activations, in ONNX's order.
        state: The variable of the carried h.
        memory: That of an LSTM's carried c.
        linear_before_reset: Whether a GRU resets after the product.
        every_c: Whether c of every step is needed. ONNX's op returns the last, BlockLSTM all.
    """

    op: str
    gates: tuple[Preactivation, ...]
    functions: tuple[str, ...]
    state: Any
    memory: Any = None
    linear_before_reset: bool = False
    every_c: bool = False

    @property
    def name(self) -> str:
        """The op that runs it."""
        return "BlockLSTM" if self.every_c else f"onnx.{self.op}"

    @property
    def inputs(self) -> list[StepInput]:
        """Its inputs, in the order of its weights."""
        return [*dict.fromkeys(each for gate in self.gates for each in gate.inputs)]

    def returning_every_c(self) -> ScanCell:
        """The LSTM, with c of every step.

        Raises:
            NotACellError: No op returns it.
        """
        if self.functions != ("Sigmoid", "Tanh", "Tanh"):
            raise NotACellError("c of every step is needed, with others than sigmoid and tanh")
        return replace(self, every_c=True)

    def onnx_weights(self, library: Any, dtype: Any, units: int) -> tuple[Array, Array, Array]:
        """W, R and B of ONNX's op, without the axis of directions.

        `library` makes arrays as numpy does: it has ``concatenate`` and ``full``.
        """
        of, gates = _GateArrays(self, library, dtype, units), self.gates
        w = library.concatenate([of.inputs_turned(each) for each in gates])
        r = library.concatenate([of.state_turned(each) for each in gates])
        biases = [each.bias for each in gates] + [each.state_bias for each in gates]
        return w, r, library.concatenate([of.vector(each) for each in biases])

    def block_lstm_weights(self, library: Any, dtype: Any, units: int) -> tuple[Array, Array]:
        """The arguments w and b of BlockLSTM."""
        of = _GateArrays(self, library, dtype, units)
        i, o, f, g = self.gates
        gates = (i, g, f, o)
        both = (of.inputs, of.state)
        w = [library.concatenate([part(each) for each in gates], 1) for part in both]
        return library.concatenate(w), library.concatenate([of.vector(g.bias) for g in gates])


class _GateArrays(NamedTuple):
    """The arrays of a cell's gates; what a gate does not have is zero."""

    cell: ScanCell
    library: Any
    dtype: Any
    units: int

    def inputs(self, gate: Preactivation) -> Array:
        """The matrix for the inputs, side by side: [units of the inputs, units]."""
        inputs = self.cell.inputs
        parts = [self._of(gate.inputs.get(each, 0.0), each.units) for each in inputs]
        return self.library.concatenate(parts)

    def state(self, gate: Preactivation) -> Array:
        """The matrix for h: [units, units]."""
        return self._of(gate.state, self.units)

    def inputs_turned(self, gate: Preactivation) -> Array:
        """The transposed matrix for the inputs: [units, units of the inputs]."""
        inputs = self.cell.inputs
        parts = [self._turned(gate.inputs.get(each, 0.0), each.units) for each in inputs]
        return self.library.concatenate(parts, 1)

    def state_turned(self, gate: Preactivation) -> Array:
        """The transposed matrix for h: [units, units]."""
        return self._turned(gate.state, self.units)

    def vector(self, coefficient: Coefficient) -> Array:
        """A bias: [units]."""
        return self._of(coefficient)

    def _turned(self, coefficient: Coefficient, rows: int) -> Array:
        if isinstance(coefficient, Known):
            return coefficient.turned
        return self._of(coefficient, rows).T

    def _of(self, coefficient: Coefficient, *rows: int) -> Array:
        if isinstance(coefficient, Known):
            return coefficient.array
        return self.library.full((*rows, self.units), coefficient, self.dtype)


def mutual(needs: Mapping[Any, set[Any]]) -> list[list[Any]]:
    """Carried values in groups that depend on each other, each group after those that it needs.

    `needs` are the carried values that the next one of each is computed from; it is completed.
    """
    for through in needs:
        for each in needs:
            if through in needs[each]:
                needs[each].update(needs[through])
    groups: list[list[Any]] = []
    for each in sorted(needs, key=lambda each: len(needs[each] | {each})):
        if not any(each in group for group in groups):
            others = [other for other in needs[each] - {each} if each in needs[other]]
            groups.append([each, *others])
    return groups


def recognized(carried: Mapping[Any, Operand], batch: tuple[int, ...]) -> ScanCell:
    """The cell that computes these next values of its carried variables, [batch ..., units].

    Raises:
        NotACellError: No op computes it.
    """
    values = {each: value for each, value in carried.items() if isinstance(value, SumOfTerms)}
    if len(values) != len(carried) or not 1 <= len(values) <= 2:
        raise NotACellError("its carried values are not those of a known cell")
    if len(values) == 1:
        ((state, value),) = values.items()
        cell = _plain(state, value) if len(value.terms) == 1 else _gru(state, value)
    else:
        (first, one), (second, other) = values.items()
        if any(term.factor is not None for term in one.terms):
            cell = _lstm(first, second, one, other)
        else:
            cell = _lstm(second, first, other, one)
    if not cell.inputs:
        raise NotACellError("it has no inputs")
    if any(each.shape[:-1] != batch for each in cell.inputs):
        raise NotACellError("its inputs are of another batch than what it carries")
    return cell


def _plain(state: Any, value: SumOfTerms) -> ScanCell:
    """The cell `h = function(x W + h R + b)`."""
    ((term, coefficient),) = value.terms.items()
    if coefficient != 1.0 or term.factor is not None or len(term.activations) != 1:
        raise NotACellError("its carried value is not that of a known cell")
    (activation,) = term.activations
    functions = (_FUNCTIONS[activation.function],)
    return ScanCell("RNN", (_gate(activation.argument, state),), functions, state)


def _lstm(memory: Any, state: Any, c: SumOfTerms, h: SumOfTerms) -> ScanCell:
    """The cell `c = f * c + i * g`, `h = o * function(c)`."""
    wrong = NotACellError("its two carried values are not those of an LSTM")
    kept = [term for term in c.terms if term.factor is not None]
    new = [term for term in c.terms if term.factor is None]
    if (len(kept), len(new), len(h.terms)) != (1, 1, 1):
        raise wrong
    (out,) = h.terms
    if {*c.terms.values(), *h.terms.values()} != {1.0} or out.factor is not None:
        raise wrong
    if not _is(kept[0], memory) or len(new[0].activations) != 2 or len(out.activations) != 2:
        raise wrong
    (forget,) = kept[0].activations
    i, g = new[0].activations
    if i.function != forget.function:
        i, g = g, i
    o, squashed = out.activations
    if not _same(squashed.argument, c):
        o, squashed = squashed, o
    if not _same(squashed.argument, c) or not i.function == o.function == forget.function:
        raise wrong
    gates = tuple(_gate(each.argument, state) for each in (i, o, forget, g))
    functions = tuple(_FUNCTIONS[each.function] for each in (i, g, squashed))
    return ScanCell("LSTM", gates, functions, state, memory)


def _gru(state: Any, h: SumOfTerms) -> ScanCell:
    """The cell `h = (1 - z) * n + z * h`, or with 1 - z for z."""
    wrong = NotACellError("its carried value is not that of a known cell")
    kept = [term for term in h.terms if _is(term, state)]
    candidates = [term for term in h.terms if term.factor is None and len(term.activations) == 2]
    if len(kept) != 1 or len(candidates) != 1:
        raise wrong
    (z,) = kept[0].activations
    others = [each for each in candidates[0].activations if each is not z]
    if len(others) != 1:
        raise wrong
    (n,) = others
    whole = kept[0]._replace(activations=())
    if h.terms == {kept[0]: 1.0, product_of(n): 1.0, product_of(z, n): -1.0}:
        update = _gate(z.argument, state)
    elif h.terms == {kept[0]: -1.0, whole: 1.0, product_of(z, n): 1.0} and z.function == "logistic":
        update = _gate(z.argument, state).negated()
    else:
        raise wrong
    r, candidate, after = _candidate(n.argument, state)
    if r.function != z.function:
        raise NotACellError("its gates have different activations")
    gates = (update, _gate(r.argument, state), candidate)
    functions = (_FUNCTIONS[z.function], _FUNCTIONS[n.function])
    return ScanCell("GRU", gates, functions, state, linear_before_reset=after)


def _candidate(value: SumOfTerms, state: Any) -> tuple[ActivatedValue, Preactivation, bool]:
    """A GRU's reset gate and its candidate, and whether it resets after the product."""
    after = {term: each for term, each in value.terms.items() if term.activations}
    before = {
        term: each for term, each in value.terms.items() if isinstance(term.factor, SumOfTerms)
    }
    rest = {k: each for k, each in value.terms.items() if k not in {**after, **before}}
    gate = _gate(value.with_terms(rest), state)
    gates = {term.activations for term in after}
    for term in before:
        assert isinstance(term.factor, SumOfTerms)
        inside = [*term.factor.terms]
        if [*term.factor.terms.values()] != [1.0] or not _is(inside[0], state):
            raise NotACellError("it multiplies something else than inputs and h by a matrix")
        gates.add(inside[0].activations)
    if len(gates) != 1 or gate.state != 0.0 or len(before) + bool(after) != 1:
        raise NotACellError("it has an update gate, but not one reset gate")
    ((r, *more),) = gates
    inner = _gate(
        value.with_terms({k._replace(activations=()): c for k, c in after.items()}), state
    )
    if more or inner.inputs:
        raise NotACellError("its reset gate multiplies something else than h")
    of_state, *_ = (*before.values(), inner.state)
    return r, Preactivation(gate.inputs, of_state, gate.bias, inner.bias), bool(after)


def _is(term: Term, variable: Any) -> bool:
    """Whether a term is an activation times a carried value."""
    factor = term.factor
    if not isinstance(factor, StepInput) or term.product or len(term.activations) != 1:
        return False
    return factor.variable is variable


def _same(a: SumOfTerms, b: SumOfTerms) -> bool:
    return a is b or (a.terms == b.terms and a.order == b.order)


def _gate(value: SumOfTerms, state: Any) -> Preactivation:
    """The argument of an activation."""
    inputs: dict[StepInput, Coefficient] = {}
    of_state: Coefficient = 0.0
    bias: Coefficient = 0.0
    for term, coefficient in value.terms.items():
        if term.activations:
            raise NotACellError("the argument of a gate contains activations")
        if term.factor is None:
            bias = coefficient
        elif not term.product:
            raise NotACellError("a gate adds an input or a carried value without a matrix")
        elif not isinstance(term.factor, StepInput):
            raise NotACellError("it multiplies something else than inputs and h by a matrix")
        elif term.factor.variable is state:
            of_state = coefficient
        else:
            inputs[term.factor] = coefficient
    return Preactivation(inputs, of_state, bias)
