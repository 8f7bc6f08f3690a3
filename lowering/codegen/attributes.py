"""Attributes and types of the emitted ops.

The Python bindings have those of MLIR. They lack IREE's own for tile sizes, pipelines and bindings,
or have classes without a constructor for them, so these are parsed from text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rnn_compiler.lowering.mlir.bindings import ir


def integer(value: int) -> ir.Attribute:
    """A 64-bit integer."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def integers(values: Sequence[int]) -> ir.Attribute:
    """An array of 64-bit integers."""
    return ir.DenseI64ArrayAttr.get(list(values))


def segments(*counts: int) -> ir.Attribute:
    """The number of operands of each kind of an op."""
    return ir.DenseI32ArrayAttr.get(list(counts))


def reassociation(groups: Iterable[Sequence[int]]) -> ir.Attribute:
    """The groups of neighbouring axes that a reshape merges."""
    return ir.ArrayAttr.get([ir.ArrayAttr.get([integer(n) for n in each]) for each in groups])


def maps(rank: int, axes: Iterable[Sequence[int | ir.AffineExpr]]) -> ir.Attribute:
    """Affine maps from an op's axes, or expressions of them, to those of each of its operands."""
    dims = [ir.AffineExpr.get_dim(axis) for axis in range(rank)]
    found = [[dims[axis] if isinstance(axis, int) else axis for axis in each] for each in axes]
    return ir.ArrayAttr.get(
        [ir.AffineMapAttr.get(ir.AffineMap.get(rank, 0, each)) for each in found]
    )


def parallel(rank: int) -> ir.Attribute:
    """The iterator types of an op, all of whose axes are parallel."""
    each = "#linalg.iterator_type<parallel>"
    # Parsed as one array: parsing one element makes the bindings import linalg, which takes 0.1 s.
    return ir.Attribute.parse(f"[{', '.join([each] * rank)}]")


def in_place(rank: int, counts: Sequence[int]) -> dict[str, ir.Attribute]:
    """The attributes of reads and writes of a vector along the last axis, within bounds."""
    return {
        "in_bounds": ir.ArrayAttr.get([ir.BoolAttr.get(True)]),
        "operandSegmentSizes": segments(*counts),
        "permutation_map": ir.AffineMapAttr.get(
            ir.AffineMap.get(rank, 0, [ir.AffineExpr.get_dim(rank - 1)])
        ),
    }


def cpu_tiles(parallel: Sequence[int], reduction: Sequence[int] = ()) -> dict[str, ir.Attribute]:
    """Tile sizes of an op's parallel and reduced axes, for CPUs."""
    levels = [f"vector_common_parallel = {list(parallel)}"]
    if reduction:
        none = [0] * len(parallel)
        levels = [f"distribution = {none}", *levels, f"vector_reduction = {list(reduction)}"]
    text = f"#iree_cpu.lowering_config<{', '.join(levels)}>"
    return {"lowering_config": ir.Attribute.parse(text)}


def cpu_pipeline(name: str) -> ir.Attribute:
    """The pipeline by which IREE compiles a dispatch for CPUs."""
    text = f"#iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<{name}>>"
    return ir.Attribute.parse(text)


def gpu_tiles(
    pipeline: str,
    threads: int,
    warp: int,
    levels: Mapping[str, Sequence[int] | Sequence[Sequence[int]]],
) -> dict[str, ir.Attribute]:
    """Tile sizes of an op for a GPU's workgroups and threads, and its dispatch's pipeline."""
    config = ", ".join(f"{name} = {list(values)}" for name, values in levels.items())
    text = (
        "#iree_codegen.compilation_info<"
        f"lowering_config = #iree_gpu.lowering_config<{{{config}}}>, "
        "translation_info = #iree_codegen.translation_info<"
        f"pipeline = #iree_gpu.pipeline<{pipeline}> "
        f"workgroup_size = [{threads}, 1, 1] subgroup_size = {warp}>>"
    )
    return {"compilation_info": ir.Attribute.parse(text)}


def only_device() -> dict[str, ir.Attribute]:
    """The only device, by the name that IREE will give it, as the target of a barrier."""
    return {"target": ir.Attribute.parse("#hal.device.promise<@__device_0>")}


def binding_type() -> ir.Type:
    """The type of a dispatch's binding."""
    return ir.Type.parse("!stream.binding")


def tensor_binding_type(access: str, tensor: ir.Type) -> ir.Type:
    """The type of a binding as a tensor that is "readonly" or "readwrite"."""
    return ir.Type.parse(f"!iree_tensor_ext.dispatch.tensor<{access}:{tensor}>")
