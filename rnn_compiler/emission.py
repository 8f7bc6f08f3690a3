"""The compiler's input, as readable text."""

from __future__ import annotations

from rnn_compiler.installation import package_version
from rnn_compiler.lowering.targets.names import resolve_target
from rnn_compiler.lowering.targets.strategies import resolve_strategy
from rnn_compiler.modules import Module

__all__ = ["lowered_text"]


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
        InvalidArgumentError: The target, strategy or pass does not exist.
        UnsupportedError: The compiler is not installed.
    """
    resolved = resolve_target(target)
    located = module.located_text
    from rnn_compiler.lowering.builder.module import module_text
    from rnn_compiler.lowering.pipeline import LoweringRequest, rewrite

    name = resolve_strategy(strategy, resolved)
    request = LoweringRequest(
        text=located,
        functions=module.functions,
        target=resolved,
        strategy=name,
        package_version=package_version(),
        linked=module.linked,
    )
    rewritten = rewrite(request, last)
    return module_text(rewritten.text)
