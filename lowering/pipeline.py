"""From a portable module to a payload: a strategy's passes, and the compiler."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from rnn_compiler.errors import CompileError, InvalidArgumentError
from rnn_compiler.lowering.compiler import iree_compile
from rnn_compiler.lowering.direct_calls import through_iree, with_schedules
from rnn_compiler.lowering.host.types import Types, public_types
from rnn_compiler.lowering.mlir.bindings import ir, new_context
from rnn_compiler.lowering.mlir.refused import Refused
from rnn_compiler.lowering.parts import compile_parts
from rnn_compiler.lowering.passes import load_pass
from rnn_compiler.lowering.passes.allocate_up_front import allocate_up_front, allocates_much
from rnn_compiler.lowering.rewriting.context import PASS_DIALECTS, LoweringRequest, PassContext
from rnn_compiler.lowering.targets.strategies import (
    BACK_ENDS,
    STRATEGY_PASSES,
    check_dtypes,
    check_open,
)

PASSES = {name: load_pass(name) for names in STRATEGY_PASSES.values() for name in names}
"""The passes of all strategies by their names."""


class Rewritten(NamedTuple):
    """A module as it is compiled.

    Attributes:
        plain_loops: The reasons why time loops stay plain, by their symbols.
    """

    text: str
    plain_loops: Mapping[str, str]
    types: Mapping[str, Types]


class Lowered(NamedTuple):
    """A compiled module.

    Attributes:
        plain_loops: The reasons why time loops stay plain, by their symbols.
        calls: How functions are called, by symbol (`Manifest.calls`).
    """

    payload: bytes
    plain_loops: Mapping[str, str]
    calls: Mapping[str, str]


def rewrite(
    request: LoweringRequest, last: str | None = None, *, reproducers: Path | None = None
) -> Rewritten:
    """Rewrites a portable module for the compiler; up to the pass `last`, if it is given.

    CompileError: a pass made an invalid module, or a pass of IREE refused it. The module is then
    saved under `reproducers`. UnsupportedError: a size may not be open.
    """
    with _reporting(request, reproducers):
        functions, target, strategy = request.functions, request.target, request.strategy
        check_open(functions, target, strategy)
        check_dtypes((*functions, *request.linked), target)
        if last is not None and last not in STRATEGY_PASSES[strategy]:
            others = [name for name, passes in STRATEGY_PASSES.items() if last in passes]
            remedy = f"{last} is one of the {' and '.join(others)} strategy" if others else ""
            expected = f"a pass of the {strategy} strategy: {', '.join(STRATEGY_PASSES[strategy])}"
            raise InvalidArgumentError("emit", "stage", expected, f"after:{last}", remedy)
        facts = {
            "strategy": strategy,
            "package_version": request.package_version,
            "compiler_version": iree_compile.compiler_identity().version,
        }
        with new_context(*PASS_DIALECTS), ir.Location.unknown():
            parsed = ir.Module.parse(request.text)
            processor = BACK_ENDS[target.device].processor(target)
            context = PassContext(parsed, request, processor, facts)
            for name in STRATEGY_PASSES[strategy]:
                try:
                    PASSES[name](context)
                except Refused as reason:
                    raise context.not_open(str(reason)) from reason
                if name == last:
                    break
            parsed.operation.verify()
            text = parsed.operation.get_asm(enable_debug_info=True)
            return Rewritten(text, context.plain_loops, public_types(parsed))


@contextmanager
def _reporting(request: LoweringRequest, reproducers: Path | None) -> Generator[None]:
    """Turns errors of the MLIR bindings into CompileError."""
    try:
        yield
    except ir.MLIRError as error:
        diagnostics = str(error)
        save = iree_compile.save_reproducer
        raise CompileError(
            f"the {request.strategy} strategy made a module that IREE's MLIR refuses",
            target=request.target.name,
            diagnostics=diagnostics,
            reproducer=reproducers and save(reproducers, request.text, diagnostics),
            command="",
        ) from error


def lower(
    request: LoweringRequest, *, reproducers: Path, timeout: float = iree_compile.DEFAULT_TIMEOUT
) -> Lowered:
    """Rewrites and compiles a portable module; see `rewrite` and `iree_compile.compile_module`.

    On a CPU, functions with much memory allocate it before they begin (`allocate_up_front`), and
    the payload gets the schedules of those that can be called directly (`direct_calls`).
    """
    rewritten = rewrite(request, reproducers=reproducers)
    with _reporting(request, reproducers):
        functions, target = request.functions, request.target
        if request.format == "parts":
            packed = [each for each in functions if each.function in request.known_weights]
            parts = compile_parts(
                rewritten.text, packed, target, reproducers=reproducers, timeout=timeout
            )
            return Lowered(parts.to_bytes(), rewritten.plain_loops, {})
        if target.device != "local":
            payload = iree_compile.compile_module(
                rewritten.text, target, reproducers=reproducers, timeout=timeout
            )
            calls = through_iree(functions, "it is for a GPU")
            return Lowered(payload, rewritten.plain_loops, calls)
        large = any(map(allocates_much, (*functions, *request.linked)))
        payload, host = iree_compile.compile_with_host_program(
            rewritten.text,
            target,
            reproducers=reproducers,
            timeout=timeout,
            halfway=allocate_up_front if large else None,
        )
        payload, calls = with_schedules(payload, host, functions, rewritten.types)
        return Lowered(payload, rewritten.plain_loops, calls)
