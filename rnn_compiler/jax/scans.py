"""Replaces scans over known cells by ops, where a function is traced.

Inside `fuse_scans`, JAX's primitive for scans hands each scan to `_fused` before JAX transforms it.
`jax.vmap` comes first: of a scan whose arguments are mapped, JAX makes one over the whole batch,
which is then handed over. Gradients come last, so they are those of the ops.

A scan may carry more than one cell, and other values beside them. Its carried values are divided
into groups that depend on each other; each group that is a cell becomes an op, each other group a
scan of its own, in the order in which they need each other. All else in the body is computed for
all steps at once, by `jax.vmap`.
"""

# JAX's type annotations are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import contextlib
import functools
import math
import warnings
from collections.abc import Generator, Iterable, Mapping, Sequence, Set
from contextvars import ContextVar
from typing import Any

import jax
import jax.numpy as jnp
from jax._src import config
from jax._src.interpreters.batching import BatchTracer
from jax.extend.core import Literal, primitives
from jax.extend.source_info_util import register_exclusion

from rnn_compiler.jax.cells import run
from rnn_compiler.jax.equations import computed, literal, results, variables
from rnn_compiler.jax.primitives import Array
from rnn_compiler.lowering.analysis.step_cells import ScanCell, mutual, recognized
from rnn_compiler.lowering.analysis.step_values import Known, NotACellError, Operand, entering

_ACTIVE: Any = config.State(
    "rnn_compiler_fuse_scans",
    False,
    help="Whether scans over known cells become ops of rnn_compiler.",
    include_in_jit_key=True,
    include_in_trace_context=True,
)
"""Of each thread. What `jax.jit` traced with one value is not used with the other."""


_PRODUCTS = ("dot_general", "conv_general_dilated")


class Scans:
    """What became of the scans in a `fuse_scans` block.

    Attributes:
        fused: The op of each cell that was replaced, such as "onnx.GRU".
        left: Why other scans were left to JAX, or parts of them.
    """

    def __init__(self) -> None:
        self.fused: list[str] = []
        self.left: list[str] = []

    def __repr__(self) -> str:
        return f"<fused: {', '.join(self.fused) or 'none'}; left: {', '.join(self.left) or 'none'}>"


_REPORT: ContextVar[Scans | None] = ContextVar("scans", default=None)


@contextlib.contextmanager
def fuse_scans() -> Generator[Scans]:
    """Where it is entered, `jax.lax.scan` over LSTM, GRU and plain cells runs our ops.

    The cells are recognized by their formulas. So it works for modules of flax (`nnx.RNN`,
    `linen.RNN`), for cells of equinox and haiku in a scan, and for cells written by hand. The
    result has the same values and gradients, up to rounding. Enter it around what traces the
    function: `export`, or the first call of a function from `jax.jit`. It also serves as a
    decorator: ``@fuse_scans()``.

    A scan is left as it is if no op computes its cell: with activations other than sigmoid, tanh
    and relu, peepholes, layer normalization, projections, convolutions. The result lists such
    scans with the reasons. If nothing is replaced, there is a warning.

    Yields:
        What was replaced, filled in while functions are traced.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from rnn_compiler.jax import export
        >>> def elman(w, u, x):
        ...     def cell(h, x):
        ...         h = jnp.tanh(x @ w + h @ u)
        ...         return h, h
        ...     return jax.lax.scan(cell, jnp.zeros((2, 4)), x)[1]
        >>> arguments = jnp.ones((3, 4)), jnp.ones((4, 4)), jnp.ones((5, 2, 3))
        >>> with fuse_scans() as scans:
        ...     exported = export(elman)(*arguments)
        >>> scans
        <fused: onnx.RNN; left: none>
        >>> "custom_call @rnn_compiler.onnx.RNN" in exported.mlir_module()
        True
    """
    _install()
    report = Scans()
    token = _REPORT.set(report)
    try:
        with _ACTIVE(True):
            yield report
    finally:
        _REPORT.reset(token)
    if not report.fused:
        reasons = "; ".join(dict.fromkeys(report.left)) or "no scan was traced"
        warnings.warn(f"fuse_scans: no scan became an op: {reasons}", stacklevel=3)


@functools.cache
def _install() -> None:
    """Lets scans come to us first; the place of a scan is still the user's line."""
    register_exclusion(__file__)
    scan: Any = primitives.scan_p
    bind = scan.bind

    def first(*arguments: Any, **params: Any) -> Any:
        mapped = any(isinstance(each, BatchTracer) for each in arguments)
        if _ACTIVE.value and not mapped:
            results = _fused(arguments, params)
            if results is not None:
                return results
            with _ACTIVE(False):  # scans that JAX derives from it are not looked at
                return bind(*arguments, **params)
        return bind(*arguments, **params)

    scan.bind = first


def _fused(arguments: Sequence[Array], params: Mapping[str, Any]) -> list[Array] | None:
    """The results of a scan, if at least one cell in it became an op."""
    loop = _JaxScan(arguments, params)
    results = loop.results()
    report = _REPORT.get()
    if report is not None:
        report.fused += loop.fused
        report.left += loop.left
    return results


class _JaxScan:
    """A scan: its body, its arguments, and what becomes of its carried values."""

    def __init__(self, arguments: Sequence[Array], params: Mapping[str, Any]) -> None:
        closed, constants = params["jaxpr"], params["num_consts"]
        first = constants + params["num_carry"]
        body = closed.jaxpr
        self.length: int = params["length"]
        self.backwards: bool = params["reverse"]
        self.body = body
        self.constants = dict(zip(body.constvars, closed.consts, strict=True))
        self.constants |= zip(body.invars[:constants], arguments[:constants], strict=True)
        self.initial = dict(zip(body.invars[constants:first], arguments[constants:], strict=False))
        self.next = dict(zip(self.initial, body.outvars, strict=False))
        self.outputs = body.outvars[len(self.next) :]
        self.slices = dict(zip(body.invars[first:], arguments[first:], strict=True))
        self.makers = {made: equation for equation in body.eqns for made in equation.outvars}
        self.origins = self._origins()
        self.fused: list[str] = []
        self.left: list[str] = []

    def results(self) -> list[Array] | None:
        """The scan's results by ops and what remains, or None if no group of values is a cell."""
        if any(each.primitive.name == "add_any" for each in self.body.eqns):
            return None  # the gradient of a scan that was left
        if self.body.effects or not self.length:
            self._leave("it has effects" if self.body.effects else "it has no steps")
            return None
        groups = self._groups()
        cells = self._recognized(groups)
        if not any(cells):
            return None
        steps = {**self.slices}
        final: dict[Any, Array] = {}
        for group, cell in zip(groups, cells, strict=True):
            self._scan(group, steps, final) if cell is None else self._run(cell, steps, final)
        outputs = self._at_all_steps(self.outputs, steps)
        return [*(final[each] for each in self.next), *outputs]

    def _leave(self, reason: str) -> None:
        """Says why the scan, or a part of it, is left."""
        self.left.append(f"{self.body.debug_info.func_src_info}: {reason}")

    # What depends on what.

    def _origins(self) -> dict[Any, frozenset[Any]]:
        """The carried values and slices that each variable depends on."""
        found = dict.fromkeys(self.constants, frozenset[Any]())
        found |= {each: frozenset([each]) for each in (*self.next, *self.slices)}
        for equation in self.body.eqns:
            of = [found[each] for each in variables(equation.invars)]
            found |= dict.fromkeys(equation.outvars, frozenset[Any]().union(*of))
        return found

    def _groups(self) -> list[list[Any]]:
        """The carried values that depend on each other, each group after those that it needs."""
        needs = {
            each: {*self.origins.get(following, ())} & {*self.next}
            for each, following in self.next.items()
        }
        return mutual(needs)

    def _equations(self, targets: Iterable[Any], given: Iterable[Any]) -> list[Any]:
        """The equations that compute variables from given ones."""
        known = {*given}
        wanted = {*variables(targets)} - known
        found: list[Any] = []
        for equation in reversed(self.body.eqns):
            if not wanted.isdisjoint(equation.outvars):
                found.append(equation)
                wanted |= {*variables(equation.invars)} - known
        return found[::-1]

    def _read(self, targets: Sequence[Any], given: Iterable[Any]) -> list[Any]:
        """Those of the given variables from which others are computed."""
        given = [*given]
        read = {*variables(targets)}
        for equation in self._equations(targets, given):
            read |= {*variables(equation.invars)}
        return [each for each in given if each in read]

    def _read_elsewhere(self, group: Sequence[Any]) -> list[Any]:
        """Which values of a group, before and after a step, the rest of the body reads."""
        others = [following for each, following in self.next.items() if each not in group]
        return self._read([*self.outputs, *others], self._both(group))

    def _both(self, group: Sequence[Any]) -> list[Any]:
        """The variables of a group before and after a step."""
        return [*group, *dict.fromkeys(variables(self.next[each] for each in group))]

    # Which groups are cells.

    def _recognized(self, groups: Sequence[Sequence[Any]]) -> list[ScanCell | None]:
        """The cell of each group that is one."""
        known = {*self.slices}
        found: list[ScanCell | None] = []
        for group in groups:
            reader = _ScanReader(self, known)
            try:
                values = {each: reader.value(self.next[each]) for each in group}
                cell = recognized(values, group[0].aval.shape[:-1])
                c = [] if cell.memory is None else self._both([cell.memory])
                if not {*c}.isdisjoint(self._read_elsewhere(group)):
                    cell = cell.returning_every_c()
                found.append(cell)
                self.fused.append(cell.name)
            except NotACellError as error:
                if self._has_product(group):
                    self._leave(str(error))
                found.append(None)
            known |= {*self._both(group)}
        return found

    def _has_product(self, group: Sequence[Any]) -> bool:
        """Whether a group is recurrent as layers are: by products or by what functions do."""
        return any(
            (each.primitive.name in _PRODUCTS or "jaxpr" in each.params)
            and not self.origins[each.outvars[0]].isdisjoint(group)
            for each in self._equations([self.next[each] for each in group], group)
        )

    # What computes them.

    def _run(self, cell: ScanCell, steps: dict[Any, Array], final: dict[Any, Array]) -> None:
        """A cell, by its op; adds its values of all steps, and the last ones."""
        x = self._at_all_steps([each.variable for each in cell.inputs], steps)
        carried = [each for each in (cell.state, cell.memory) if each is not None]
        shape = jnp.shape(self.initial[cell.state])
        rows = math.prod(shape[:-1])
        flat = [each.reshape(self.length, rows, each.shape[-1]) for each in x]
        first = [jnp.reshape(self.initial[each], (rows, shape[-1])) for each in carried]
        side_by_side = flat[0] if len(flat) == 1 else jnp.concatenate(flat, -1)
        every, last = run(cell, side_by_side, *first, backwards=self.backwards)
        read = self._read_elsewhere(carried)
        for each, after, end in zip(carried, every, last, strict=True):
            final[each] = end.reshape(shape)
            if after is not None:
                steps[self.next[each]] = after.reshape(self.length, *shape)
            if each in read:
                start, following = jnp.asarray(self.initial[each])[None], steps[self.next[each]]
                before = [following[1:], start] if self.backwards else [start, following[:-1]]
                steps[each] = jnp.concatenate(before)

    def _scan(self, group: Sequence[Any], steps: dict[Any, Array], final: dict[Any, Array]) -> None:
        """A group that is no cell, by a scan of its own; adds the same."""
        following = [self.next[each] for each in group]
        given = self._read(following, steps)
        read = self._read_elsewhere(group)

        def body(carried: Sequence[Array], of_step: Sequence[Array]) -> tuple[Any, Any]:
            known = dict(zip([*group, *given], [*carried, *of_step], strict=True))
            values = self._evaluated([*following, *read], known)
            return values[: len(group)], values[len(group) :]

        first = [jnp.asarray(self.initial[each]) for each in group]
        with _ACTIVE(False):
            last, every = jax.lax.scan(
                body, first, [steps[each] for each in given], self.length, reverse=self.backwards
            )
        final |= zip(group, last, strict=True)
        steps |= zip(read, every, strict=True)

    def _at_all_steps(self, targets: Sequence[Any], steps: Mapping[Any, Array]) -> list[Array]:
        """Variables of the body at all steps: [length, ...]."""
        given = self._read(targets, steps)
        if not given:
            values = self._evaluated(targets, {})
            return [jnp.broadcast_to(each, (self.length, *jnp.shape(each))) for each in values]

        def one(*of_step: Array) -> list[Array]:
            return self._evaluated(targets, dict(zip(given, of_step, strict=True)))

        return jax.vmap(one)(*(steps[each] for each in given))

    def _evaluated(self, targets: Sequence[Any], given: Mapping[Any, Array]) -> list[Array]:
        """Variables of the body, from given ones and the constants."""
        known = {**self.constants, **given}
        used = {each: known[each] for each in self._read(targets, known)}
        return computed(targets, self._equations(targets, known), used, self.body.debug_info)


class _ScanReader:
    """Reads variables of a body as sums."""

    def __init__(self, loop: _JaxScan, known: Set[Any]) -> None:
        self._loop = loop
        self._known = known  # at all steps
        self._read: dict[Any, Operand] = {}

    def value(self, variable: Any) -> Operand:
        """A variable."""
        if isinstance(variable, Literal):
            return literal(variable)
        if variable not in self._read:
            self._read[variable] = self._value(variable)
        return self._read[variable]

    def _value(self, variable: Any) -> Operand:
        loop = self._loop
        if variable in loop.constants:
            array = loop.constants[variable]
            return Known(lambda: array, jnp.shape(array))
        if variable in self._known or variable in loop.next:
            return entering(variable, variable.aval.shape)
        equation = loop.makers[variable]
        try:
            operands = [self._operand(equation, each) for each in equation.invars]
            made = results(equation, operands, loop.body.debug_info)
        except NotACellError:
            if self._is_input(variable):
                return entering(variable, variable.aval.shape)
            raise
        return made[equation.outvars.index(variable)]

    def _operand(self, equation: Any, variable: Any) -> Operand:
        """An operand; what a matrix is multiplied by is an input, however it was computed."""
        whole = equation.primitive.name in ("dot_general", "concatenate")
        return (
            entering(variable, variable.aval.shape)
            if whole and self._is_input(variable)
            else self.value(variable)
        )

    def _is_input(self, variable: Any) -> bool:
        """Whether a variable is known at all steps, and not at compile time."""
        if isinstance(variable, Literal):
            return False
        origins = self._loop.origins[variable]
        return bool(origins) and origins <= self._known
