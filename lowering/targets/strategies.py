"""Strategies: the passes between a portable module and the compiler.

    portable   no rewrite of loops or products: IREE compiles the loops unchanged, and copies the
               arrays that they carry in every step; on GPUs these get a buffer each
               (`separate_buffers`)
    fused      each loop is one dispatch (`fuse_time_loops`), sizes may be open (`open_sizes`),
               convolutions of a network become products (`linalg_to_products`), the gradients of
               their filters, and small pools and theirs, dispatches (`filter_gradients`, `pools`,
               `pool_gradients`), large products are blocked and skip padding (`products`),
               convolutions of a user's sequences are products (`sequence_convolutions`), long sums
               take several registers (`sums`), gradients of tables are those of the rows that were
               read (`table_gradients`); unsupported forms stay unchanged
    pinned     loops that update in place and issue many steps at a time (`pin_time_loops`)

Each back end has some of them (`BACK_ENDS`), with the fastest as its default. The strategy of an
artifact is recorded in its manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from rnn_compiler.errors import InvalidArgumentError, UnsupportedError, describe
from rnn_compiler.lowering.targets.gpu import Gpu
from rnn_compiler.lowering.targets.vector_unit import VectorUnit
from rnn_compiler.schema.manifest import TargetSpec
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec

PORTABLE, FUSED, PINNED = STRATEGIES = ("portable", "fused", "pinned")

STRATEGY_PASSES: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        PORTABLE: (
            *("freeze_weights", "copy_updated_values", "crop_inputs", "powers"),
            *("select_and_scatter", "separate_buffers", "update_states"),
            *("compute_before_loops", "part_from_reductions", "limit_operands"),
            *("functions_of_float64", "without_libm", "logistic"),
            *("exponential_of_float64", "widen_float16", "round_to_float16", "round_to_bfloat16"),
            "stamp_provenance",
        ),
        FUSED: (
            *("freeze_weights", "copy_updated_values", "crop_inputs", "powers"),
            *("assemble_in_place", "fuse_time_loops", "open_sizes", "linalg_to_updates"),
            *("table_gradients", "filter_gradients", "linalg_to_products", "pools"),
            *("pool_gradients", "select_and_scatter", "sequence_convolutions", "products", "sums"),
            *("leave_undefined", "read_arguments_in_place", "hoist_weights"),
            *("update_states", "compute_before_loops", "part_from_reductions", "limit_operands"),
            *("functions_of_float64", "without_libm", "logistic"),
            *("exponential_of_float64", "widen_float16", "round_to_float16", "round_to_bfloat16"),
            "stamp_provenance",
        ),
        PINNED: (
            *("freeze_weights", "copy_updated_values", "crop_inputs", "powers"),
            *("select_and_scatter", "pin_time_loops", "tile_products", "separate_buffers"),
            *("update_states", "compute_before_loops", "part_from_reductions", "logistic"),
            *("round_to_float16", "stamp_provenance"),
        ),
    }
)
"""The passes of each strategy, in order, by their names in `lowering.passes` (`load_pass`)."""


class BackEnd(NamedTuple):
    """What the lowering has for the devices of one kind.

    Attributes:
        processor: The processor of a target, with the tile sizes that suit it.
        strategies: The strategies whose code the devices run, the default first.
        dtypes: The dtypes that there is code for, a float's first; None for all.
    """

    processor: Callable[[TargetSpec], VectorUnit | Gpu]
    strategies: Sequence[str]
    dtypes: Sequence[str] | None = None


def _gpu(_: TargetSpec) -> Gpu:
    """One GPU for every target."""
    return Gpu(warp=32)


BACK_ENDS: Mapping[str, BackEnd] = MappingProxyType(
    {
        "local": BackEnd(VectorUnit.of, (FUSED, PORTABLE, PINNED)),
        "cuda": BackEnd(_gpu, (PINNED, PORTABLE)),
        # IREE rejects the tiles of pinned code, so there are no products by warps
        "vulkan": BackEnd(_gpu, (PORTABLE,), ("float32", "int32", "int64")),
    }
)
"""The back ends, by the kind of device (`TargetSpec.device`)."""


def check_open(functions: Iterable[FunctionSpec], target: TargetSpec, strategy: str) -> None:
    """Refuses, with the reason, a module that may not have open sizes."""
    names = {name: spec.op for spec in functions for name in spec.open_dims}
    for name, op in names.items():
        what = f"{op}: {name}=None, which makes one module for any {name},"
        if FUSED not in BACK_ENDS[target.device].strategies:
            raise UnsupportedError(
                f"{what} works only on CPUs, and {target.name} is not one: give it a value, or "
                "choose a target such as cpu"
            )
        if strategy != FUSED:
            raise UnsupportedError(
                f"{what} needs the {FUSED} strategy: IREE rejects the ops that {strategy} leaves "
                "unchanged; give it a value, or leave the strategy out"
            )


def check_dtypes(functions: Iterable[FunctionSpec], target: TargetSpec) -> None:
    """Checks that a target has code for the dtypes of a module's arrays.

    A scalar of another dtype, such as CudnnRNNV3's host_reserved, is only passed on.
    """
    dtypes = BACK_ENDS[target.device].dtypes
    if dtypes is None:
        return
    for spec in functions:
        for tensor in (*spec.arguments, *spec.frozen, *spec.results):
            if tensor.shape and tensor.dtype not in dtypes:
                raise UnsupportedError(
                    f"{spec.op}: {tensor.name} is {tensor.dtype}, and for {target.name} there is "
                    f"code for {', '.join(dtypes)} alone: {_without(spec, tensor, dtypes)}, or "
                    "choose another target"
                )


def _without(spec: FunctionSpec, tensor: TensorSpec, dtypes: Sequence[str]) -> str:
    """How to build a function without an array of a dtype that a target lacks."""
    if spec.dtype not in dtypes:
        return f"build it with dtype {dtypes[0]}"
    if tensor in spec.frozen:
        return "freeze its weights without quantize"
    if tensor in spec.results:
        return f"leave {tensor.name} out of its results (outputs=)"
    return f"use a version of the op that does not take {tensor.name}"


def resolve_strategy(name: object, target: TargetSpec, caller: str = "compile") -> str:
    """The strategy of a name; None for the target's default."""
    of_target = BACK_ENDS[target.device].strategies
    if name is None:
        return of_target[0]
    known = [each for each in STRATEGIES if each in of_target]
    if not isinstance(name, str) or name not in known:
        expected = f"one of {', '.join(known)}, for {target.name}"
        raise InvalidArgumentError(caller, "strategy", expected, describe(name))
    return name
