"""Linking: a user's StableHLO modules, with our ops in them, as a module to compile."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast, overload

import numpy.typing as npt

from rnn_compiler.base.files import read_regular
from rnn_compiler.compilation import compile
from rnn_compiler.errors import InvalidArgumentError, describe
from rnn_compiler.freezing import freeze
from rnn_compiler.lowering.linking.reading import without_shardings
from rnn_compiler.modules import Module, renamed_functions, with_arguments
from rnn_compiler.requirements import check_can_compile
from rnn_compiler.runtime.artifact import Artifact, Bundle
from rnn_compiler.schema.int8 import Matrix
from rnn_compiler.schema.manifest import SourceSpec
from rnn_compiler.schema.pytrees import identifier
from rnn_compiler.schema.specs import FunctionSpec

__all__ = ["LinkedModule", "link", "link_module", "linked_network"]


class LinkedModule(Module):
    """A user's module with our ops in it, in portable StableHLO.

    Attributes:
        functions: Its public functions.
        linked: Our ops in it, each by the private function that contains it.
        name: Its symbol, chosen by the user; empty if it has none.
        initial: The first values of states, by name.
        source: For a training step: the file of its network.
        left: Why loops that may be recurrent layers were left as loops, by their places.
    """

    is_users = True

    def __init__(
        self,
        text: str,
        functions: Sequence[FunctionSpec],
        linked: Sequence[FunctionSpec],
        name: str = "",
        parameters: Mapping[str, npt.NDArray[Any]] | None = None,
        initial: Mapping[str, npt.NDArray[Any]] | None = None,
        source: SourceSpec | None = None,
        left: Sequence[str] = (),
    ) -> None:
        super().__init__(functions, name, parameters)
        self.linked = tuple(linked)
        self.initial = dict(initial or {})
        self.source = source
        self.left = tuple(left)
        self._located = text

    @cached_property
    def located_text(self) -> str:
        """The module text with the user's source locations and ours."""
        return self._located

    def changed(self, **changes: Any) -> LinkedModule:
        """The module with other arguments of its constructor."""
        kept = ("functions", "linked", "name", "parameters", "initial", "source", "left")
        given: dict[str, Any] = {each: getattr(self, each) for each in kept}
        given |= {"text": self._located, **changes}
        return LinkedModule(**given)

    def frozen(
        self, functions: Sequence[FunctionSpec], parameters: Mapping[str, npt.NDArray[Any]]
    ) -> LinkedModule:
        """The module with functions that take fewer arguments, whose values are stored in it.

        Raises:
            InvalidArgumentError: Another function of the module calls one of them.
        """
        from rnn_compiler.lowering.linking.frozen_arguments import without_arguments

        gone = {
            before.function: {
                number: {
                    after.parameter(each.name): each
                    for each in after.frozen
                    if each.name.partition(".")[0] == argument.name
                }
                for number, argument in enumerate(before.arguments)
                if argument not in after.arguments
            }
            for before, after in zip(self.functions, functions, strict=True)
            if len(after.arguments) < len(before.arguments)
        }
        text, linked = without_arguments(self._located, self.linked, gone)
        return self.changed(text=text, functions=functions, linked=linked, parameters=parameters)

    def matrices(self) -> dict[tuple[str, str], Matrix]:
        """The arguments that are only used as matrices of our ops, by function and name."""
        from rnn_compiler.lowering.linking.frozen_arguments import int8_matrices

        return int8_matrices(self._located, self.linked, self.functions)

    def thawed(self) -> LinkedModule:
        """The module with functions that take their frozen arguments again, after the others."""
        from rnn_compiler.lowering.linking import frozen_arguments

        text = frozen_arguments.with_arguments(self._located, self.functions)
        specs = [with_arguments(each, (*each.arguments, *each.frozen)) for each in self.functions]
        return self.changed(text=text, functions=specs, parameters={})

    def with_initial(self, states: Mapping[str, Any]) -> LinkedModule:
        """The module with first values of its states; others of its values are kept.

        Args:
            states: Arrays by name, or trees of arrays by the name of the argument.

        Raises:
            InvalidArgumentError: There is no such state, or a value has another shape or dtype.
        """
        from rnn_compiler.runtime.states import checked_states

        values = {**self.initial, **checked_states("link", self.functions, states)}
        return self.changed(initial=values)

    def renamed(self, names: Mapping[str, str]) -> LinkedModule:
        """The module with its public functions renamed; `names` maps old names to new ones."""
        from rnn_compiler.lowering.linking.interface import with_symbols

        changed = dict(names)
        for spec in self.functions:
            new = replace(spec, function=names[spec.function])
            changed |= {spec.parameter(each.name): new.parameter(each.name) for each in spec.frozen}
        specs, name, parameters = renamed_functions(self, names)
        text = with_symbols(self._located, changed)
        return self.changed(text=text, functions=specs, name=name, parameters=parameters)


@overload
def link(
    text_or_path: str | bytes | os.PathLike[str],
    target: str | None = None,
    *,
    strategy: str | None = None,
    weights: Mapping[str, Any] | None = None,
    quantize: str | None = None,
) -> Artifact: ...
@overload
def link(
    text_or_path: str | bytes | os.PathLike[str],
    target: Sequence[str],
    *,
    strategy: str | None = None,
    weights: Mapping[str, Any] | None = None,
    quantize: str | None = None,
) -> Bundle: ...
def link(
    text_or_path: str | bytes | os.PathLike[str],
    target: str | Sequence[str] | None = None,
    *,
    strategy: str | None = None,
    weights: Mapping[str, Any] | None = None,
    quantize: str | None = None,
) -> Artifact | Bundle:
    """Compiles a user's StableHLO module, in which calls are replaced by our ops.

    Every ``stablehlo.custom_call @rnn_compiler.OP`` and every declaration ``func.func private
    @rnn_compiler.OP`` becomes the op, lowered as `compile` lowers it. The rest is unchanged. A
    call takes the op's tensors in TensorFlow's order; its attributes are in ``mhlo.backend_config``
    or ``backend_config``; integers may be int32 or int64.

    Args:
        text_or_path: MLIR text, MLIR bytecode, or the path of a file with either. `jax.export`
            gives both: ``exported.mlir_module()`` and ``exported.mlir_module_serialized``.
        target: As in `compile`; a list of them gives a bundle.
        strategy: As in `compile`.
        weights: Arguments of the module's functions to freeze, as in `freeze`: ``{"w": w}``, or
            ``{"encoder": {"w": w}, ...}`` for several functions. Arguments have the names that they
            have in JAX or in MLIR text (``%w``); those without a name are ``arg0``, ``arg1``, ...
        quantize: How those that are passed to our ops directly are stored, as in `freeze`.

    Returns:
        The artifact, whose manifest describes the module's public functions.

    Raises:
        InvalidArgumentError: It is not a StableHLO module, a call has an unknown op or wrong
            attributes, shapes or dtypes, the target does not exist, or a weight matches no
            argument.
        CompileError: The compiler failed; holds its diagnostics and a saved reproducer.
        OSError: The file cannot be read.
        UnsupportedError: The compiler is not installed.

    Example:
        >>> text = '''
        ... func.func private @rnn_compiler.GRUBlockCell(tensor<2x3xf32>, tensor<2x4xf32>,
        ...     tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>)
        ...     -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
        ... func.func @step(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<7x8xf32>,
        ...     %wc: tensor<7x4xf32>, %b: tensor<8xf32>, %bc: tensor<4xf32>) -> tensor<2x4xf32> {
        ...   %r:4 = call @rnn_compiler.GRUBlockCell(%x, %h, %w, %wc, %b, %bc) : (tensor<2x3xf32>,
        ...     tensor<2x4xf32>, tensor<7x8xf32>, tensor<7x4xf32>, tensor<8xf32>, tensor<4xf32>)
        ...     -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
        ...   return %r#3 : tensor<2x4xf32>
        ... }'''
        >>> artifact = link(text, "cpu:generic")
        >>> [spec.op for spec in artifact.manifest.linked]
        ['GRUBlockCell']
    """
    module = link_module(text_or_path, weights=weights, quantize=quantize)
    return compile(module, target, strategy=strategy)  # type: ignore[arg-type]


def link_module(
    text_or_path: str | bytes | os.PathLike[str],
    *others: str | bytes | os.PathLike[str],
    weights: Mapping[str, Any] | None = None,
    states: Mapping[str, Any] | None = None,
    quantize: str | None = None,
) -> LinkedModule:
    """A user's StableHLO module, in which calls are replaced by our ops, to be compiled.

    It is what `link` compiles, for `compile`, `compile_c` and `compile_js`. Several texts become
    functions of one module; a function ``main`` is then named like its module, as JAX names it
    after the exported function, or like its file.

    Arguments that JAX donates are states (``module.functions[0].states``): a program keeps them
    between calls (`Program.session`). Functions that have an argument of the same name, shape and
    type share the state. Results are named by their paths in JAX; a result that continues a state
    has the state's name.

    Args:
        text_or_path: As in `link`.
        *others: More modules, each as text or path.
        weights: As in `link`.
        states: First values of states, stored with what is compiled: arrays by name, or trees of
            arrays by the name of the argument, ``{"params": params, "opt": opt_state}``.
        quantize: As in `link`.

    Returns:
        The module.

    Raises:
        InvalidArgumentError: As in `link`; or two functions have the same name, or states of one
            name that differ in shape or type, or a value does not fit its state.
        OSError: A file cannot be read.
        UnsupportedError: The compiler is not installed.

    Example:
        >>> text = '''
        ... module @jit_count {
        ...   func.func @main(%total: tensor<3xf32> {tf.aliasing_output = 0 : i32},
        ...       %x: tensor<3xf32>) -> tensor<3xf32> {
        ...     %sum = stablehlo.add %total, %x : tensor<3xf32>
        ...     return %sum : tensor<3xf32>
        ...   }
        ... }'''
        >>> link_module(text, states={"total": [0, 0, 0]}).functions[0].states
        ('total',)
    """
    check_can_compile("link")
    from rnn_compiler.lowering.linking import link as linking  # needs the MLIR bindings
    from rnn_compiler.lowering.linking.reading import stablehlo_text

    read: list[linking.Source] = []
    for each in (text_or_path, *others):
        source, file = _source(each)
        source = without_shardings(source)
        name = identifier(Path(file).stem) or ""
        read.append(linking.Source(stablehlo_text(source, file), source, name))
    made = linking.link_module(*read)
    module = LinkedModule(**made._asdict())
    if weights is not None:
        module = cast(LinkedModule, freeze(module, weights, quantize=quantize))
    return module if states is None else module.with_initial(states)


def linked_network(text: str) -> LinkedModule:
    """The portable module of an imported network.

    Args:
        text: A module of linalg that declares our ops.

    Raises:
        InvalidArgumentError: A declaration does not fit its op.
    """
    from rnn_compiler.lowering.linking import link as linking

    return LinkedModule(**linking.link_module(linking.Source(text))._asdict())


def _source(text_or_path: object) -> tuple[bytes, str]:
    """The bytes of a module, and its file, if it has one.

    A string that could be MLIR is not interpreted as a path.
    """
    if isinstance(text_or_path, (bytes, bytearray)):
        return bytes(text_or_path), ""
    if isinstance(text_or_path, str) and any(mark in text_or_path for mark in "\n{("):
        return text_or_path.encode(errors="replace"), ""
    if text_or_path == "" or not isinstance(text_or_path, (str, os.PathLike)):
        expected = "MLIR as a string or bytes, or the path of a file"
        raise InvalidArgumentError("link", "text_or_path", expected, describe(text_or_path))
    path = Path(cast("str | os.PathLike[str]", text_or_path))
    try:
        return read_regular(path), str(path)
    except ValueError as error:  # not a valid file name
        expected, got = "MLIR, or the path of a file", describe(str(path))
        raise InvalidArgumentError("link", "text_or_path", expected, got) from error
