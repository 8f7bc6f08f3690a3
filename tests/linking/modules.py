"""Handwritten user modules: a function that calls an op with its own arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import util
from pathlib import Path

from rnn_compiler.schema.dtypes import DTYPES
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec


def kind(tensor: TensorSpec, changed: Mapping[str, str] | None = None) -> str:
    """The type of a tensor, unless it is changed."""
    sizes = "".join(f"{size}x" for size in tensor.shape)
    return (changed or {}).get(tensor.name, f"tensor<{sizes}{DTYPES[tensor.dtype].mlir}>")


def kinds(tensors: Iterable[TensorSpec], changed: Mapping[str, str] | None = None) -> str:
    return ", ".join(kind(tensor, changed) for tensor in tensors)


def attribute_text(value: bool | int | float | str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def attributes_text(spec: FunctionSpec) -> str:
    """The attributes of an op, but for those that are taken at run time."""
    names = {argument.name for argument in spec.arguments}
    rows = {k: v for k, v in spec.attributes.items() if k not in names}
    return ", ".join(f"{name} = {attribute_text(value)}" for name, value in rows.items())


def function(
    spec: FunctionSpec,
    *,
    name: str = "main",
    config: str | None = None,
    target: str | None = None,
    changed: Mapping[str, str] | None = None,
) -> str:
    """A function that is one custom call.

    Args:
        spec: The op at its sizes.
        name: The function's.
        config: The call's dictionary; default: the op's attributes in `mhlo.backend_config`.
        target: What is called; default: the op.
        changed: The types of some arguments or results instead of the op's.
    """
    arguments = ", ".join(
        f'%{k}: {kind(a, changed)} loc("{a.name}")' for k, a in enumerate(spec.arguments)
    )
    given = ", ".join(f"%{k}" for k in range(len(spec.arguments)))
    results = kinds(spec.results, changed)
    infos = ", ".join(
        f'{kind(result, changed)} {{jax.result_info = "result.{result.name}"}}'
        for result in spec.results
    )
    count = len(spec.results)
    several, names = "", "%r"
    if count > 1:
        several, names = f":{count}", ", ".join(f"%r#{k}" for k in range(count))
    if config is None:
        config = f"mhlo.backend_config = {{{attributes_text(spec)}}}, api_version = 4 : i32"
    target = target or f"rnn_compiler.{spec.op}"
    return f"""
  func.func public @{name}({arguments}) -> ({infos}) {{
    %r{several} = stablehlo.custom_call @{target}({given}) {{{config}}}
        : ({kinds(spec.arguments, changed)}) -> ({results})
    return {names} : {results}
  }}"""


def declared(
    spec: FunctionSpec, *, symbol: str, attributes: str | None = None, name: str = "main"
) -> str:
    """A declaration of an op and a function that calls it."""
    arguments = ", ".join(f'%{k}: {kind(a)} loc("{a.name}")' for k, a in enumerate(spec.arguments))
    given = ", ".join(f"%{k}" for k in range(len(spec.arguments)))
    count = len(spec.results)
    dictionary = attributes_text(spec) if attributes is None else attributes
    return f"""
  func.func private @{symbol}({kinds(spec.arguments)}) -> ({kinds(spec.results)})
      attributes {{{dictionary}}}
  func.func @{name}({arguments}) -> ({kinds(spec.results)}) {{
    %r:{count} = call @{symbol}({given}) : ({kinds(spec.arguments)}) -> ({kinds(spec.results)})
    return {", ".join(f"%r#{k}" for k in range(count))} : {kinds(spec.results)}
  }}"""


def tool(name: str) -> str:
    """One of the native tools that come with IREE's runtime."""
    package = util.find_spec("iree._runtime_libs")
    assert package is not None
    assert package.submodule_search_locations
    return str(Path(package.submodule_search_locations[0]) / name)
