"""What is lowered, and the compiler's input as readable text."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from rnn_compiler.base.installation import package_version
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.strategies import resolve_strategy
from rnn_compiler.modules import Module
from rnn_compiler.runtime.cache import ArtifactCache
from rnn_compiler.schema.manifest import TargetSpec

if TYPE_CHECKING:
    from rnn_compiler.lowering.pipeline import LoweringRequest

__all__ = ["lowered_text", "lowering_request"]


def lowering_request(
    module: Module,
    target: TargetSpec,
    strategy: str,
    *,
    known_weights: Collection[str] = (),
    portable: Collection[str] = (),
    format: str = "vmfb",
) -> LoweringRequest:
    """The request to lower a module; its text is built here.

    Args:
        module: The module.
        target: The target.
        strategy: The name of a strategy.
        known_weights: As in `LoweringRequest`.
        portable: The same.
        format: The same.

    Raises:
        UnsupportedError: The compiler is not installed.
    """
    text = module.located_text
    from rnn_compiler.lowering.pipeline import LoweringRequest  # needs the MLIR bindings

    return LoweringRequest(
        text=text,
        functions=module.functions,
        target=target,
        strategy=strategy,
        package_version=package_version(),
        linked=module.linked,
        known_weights=known_weights,
        portable=portable,
        format=format,
    )


def lowered_text(
    module: Module, target: str, strategy: str | None = None, last: str | None = None
) -> str:
    """The text of a module as it is passed to the compiler, in readable form.

    Args:
        module: The module.
        target: The name of a target.
        strategy: The name of a strategy; default: the fastest known.
        last: The name of the last pass to run; default: all.

    Raises:
        CompileError: A pass made an invalid module.
        InvalidArgumentError: The target, strategy or pass does not exist.
        UnsupportedError: The compiler is not installed.
    """
    resolved = resolve_target(target)
    request = lowering_request(module, resolved, resolve_strategy(strategy, resolved))
    from rnn_compiler.lowering.builder.module import module_text
    from rnn_compiler.lowering.pipeline import rewrite

    reproducers = ArtifactCache.from_environment().reproducers
    return module_text(rewrite(request, last, reproducers=reproducers).text)
