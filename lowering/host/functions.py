"""The functions of a module as calls without IREE see them: tensors, and steps on their bytes.

A function whose weights can be packed has companions (`passes.hoist_weights`). Frozen weights are
arguments of compiled functions; here they become constants, packed ones if there are companions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy.typing as npt

from rnn_compiler.errors import UnsupportedError
from rnn_compiler.lowering.host.program import read_host_program, sizes_of
from rnn_compiler.lowering.host.types import KnownType, Types, with_open_sizes
from rnn_compiler.schema.attributes import MAX_DIMENSION
from rnn_compiler.schema.open_sizes import open_names
from rnn_compiler.schema.schedule import Memory, Schedule
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

Arrays = Mapping[str, npt.NDArray[Any]]

UNREAD = -1
"""The number of a constant that is missing, because it is not read."""


def companions_of(
    spec: FunctionSpec, types: Mapping[str, Types]
) -> tuple[FunctionSpec, FunctionSpec] | None:
    """The companions of a function, if a module with these public functions has them.

    The first takes the weights and returns them packed. The second is the function itself with the
    packed weights after all its arguments.
    """
    if spec.prepack not in types:
        return None
    results = types[spec.prepack].results
    made = tuple(
        TensorSpec("packed" if len(results) == 1 else f"packed_{k}", each.dtype, each.shape)
        for k, each in enumerate(results)
    )
    weights = tuple(each for each in spec.arguments if each.name in spec.weights)
    pack = FunctionSpec(spec.op, spec.prepack, spec.dtype, {}, {}, weights, made)
    return pack, replace(spec, function=spec.prepacked, arguments=(*spec.arguments, *made))


@dataclass(frozen=True)
class HostFunction:
    """A function as its host program runs it: which kernels work on which bytes.

    Attributes:
        unread: The weights that it does not read, because it reads them packed.
        companions: Its companions (`companions_of`); None if it has none.
    """

    spec: FunctionSpec
    schedule: Schedule
    unread: frozenset[str] = frozenset()
    companions: tuple[HostFunction, HostFunction] | None = None

    @cached_property
    def sizes(self) -> tuple[TensorSpec, ...]:
        """The open sizes of arguments and results, which calls need too."""
        tensors = (*self.spec.arguments, *self.spec.results)
        limit = min(self.schedule.limit, MAX_DIMENSION)
        return tuple(
            TensorSpec(
                *(name, "int64", ()),
                minimum=self.spec.minima.get(name, 1),
                maximum=min(limit, self.spec.most(name)),
            )
            for name in open_names(size for tensor in tensors for size in tensor.shape)
        )

    def without(self, constants: Mapping[str, int]) -> HostFunction:
        """The same function without some arguments: each is a constant by number, or `UNREAD`."""
        arguments = self.spec.arguments
        left = tuple(each for each in arguments if each.name not in constants)
        numbers = {
            k: constants[each.name] for k, each in enumerate(arguments) if each.name in constants
        }
        schedule = self.schedule.with_constants(numbers)
        return replace(self, spec=replace(self.spec, arguments=left), schedule=schedule)


def read_functions(
    specs: Sequence[FunctionSpec],
    types: Mapping[str, Types],
    host_program: str,
    frozen: Mapping[str, Arrays],
    memory: Memory,
) -> tuple[list[HostFunction], list[bytes]]:
    """The functions of a module and the constants that they read.

    `frozen` has, by function, the arrays that calls do not pass: arguments, and the results of the
    companion that packs them, if any. They become constants, as far as they are read. Such a
    function has no companions.
    """
    types = with_open_sizes(types, specs)
    sizes = {name: sizes_of(each) for name, each in types.items()}
    program = read_host_program(host_program, sizes, scalar_ranges(specs), memory)
    constants = [*program.constants]
    found: list[HostFunction] = []
    for spec in specs:
        function = _checked(spec, types, program.schedules)
        companions = companions_of(spec, types)
        if companions is not None:
            pack, packed = (_checked(each, types, program.schedules) for each in companions)
            read = {e.name for k, e in enumerate(spec.arguments) if packed.schedule.reads(k)}
            packed = replace(packed, unread=frozenset(spec.weights) - read)
            function = replace(function, companions=(pack, packed))
        values = frozen.get(spec.function)
        found.append(function if values is None else _with_frozen(function, values, constants))
    return found, constants


def _checked(
    spec: FunctionSpec, types: Mapping[str, Types], schedules: Mapping[str, Schedule]
) -> HostFunction:
    """A function, if the module has it with these types; IREE's integers may have no sign."""
    found = types[spec.function]
    for tensors, known in ((spec.arguments, found.arguments), (spec.results, found.results)):
        expected, got = (
            [KnownType(each.dtype.removeprefix("u"), each.shape) for each in some]
            for some in (tensors, known)
        )
        if expected != got:
            raise UnsupportedError(f"{spec.function}: its types are not those expected")
    return HostFunction(spec, schedules[spec.function])


def _with_frozen(function: HostFunction, values: Arrays, constants: list[bytes]) -> HostFunction:
    """A function without its frozen arguments, whose bytes are added to the constants.

    If it has companions, it does what the one does that takes packed weights.
    """
    does = function.companions[1] if function.companions else function
    numbers: dict[str, int] = {}
    for k, each in enumerate(does.spec.arguments):
        if each.name in values:
            numbers[each.name] = UNREAD
            if does.schedule.reads(k):
                content = values[each.name].tobytes()
                if content not in constants:  # functions may have weights in common
                    constants.append(content)
                numbers[each.name] = constants.index(content)
    made = does.without(numbers)
    return replace(made, spec=replace(made.spec, function=function.spec.function))


def scalar_ranges(specs: Iterable[FunctionSpec]) -> Mapping[str, range]:
    """The possible values of the scalar with the number of steps, for functions that have one."""
    found: dict[str, range] = {}
    for spec in specs:
        for tensor in spec.arguments:
            most = tensor.maximum
            if isinstance(most, int) and tensor.shape == () and tensor.minimum == 0:
                for name in (spec.function, spec.prepacked):
                    found[name] = range(most + 1)
    return found
