"""The ops around the opaque parameter buffer of CudnnRNN: its size, and one array per matrix.

CudnnRNNParamsToCanonical cuts the buffer into its regions, CudnnRNNCanonicalToParams puts them
together; `rnn_compiler.schema.cudnn_layout` is the layout, and their order. Matrices are
``[H, in]``, ``[H, h]`` and ``[P, H]``, biases ``[H]``; with skip_input the matrices W of layer 0
are ``[H, 0]``. Back, only the number of elements of each tensor counts. Nothing is computed: no bit
changes.

num_layers, num_units and input_size are run-time numbers in TensorFlow. Shapes depend on them, so
here they are dimensions of a build; a call passes them too, and they must be what was built for.

TensorFlow has no skip_input here and does not check counts, and its V2 ops refuse to work without a
projection. Here, skip_input and V2 work, and a wrong count is an error.

Source: tensorflow/core/kernels/cudnn_rnn_ops.cc.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rnn_compiler.errors import InvalidArgumentError, UnsupportedError
from rnn_compiler.lowering.builder.time_loop import Values
from rnn_compiler.lowering.ops.cudnn.signatures import MODES, NUM_PROJ
from rnn_compiler.schema.attributes import REQUIRED, Attribute
from rnn_compiler.schema.cudnn_layout import Layout
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.tensors import Argument, OpTensor, Result

if TYPE_CHECKING:
    from rnn_compiler.lowering.builder.builder import Builder, Value
    from rnn_compiler.schema.specs import FunctionSpec


_MAX_TENSORS = 512
"""The most matrices that a function may have. With more, IREE takes minutes to compile it."""

_SIZES = (
    Argument("num_layers", "", "number of layers", dtype="int32", equals="L"),
    Argument("num_units", "", "size of the state", dtype="int32", equals="H"),
    Argument("input_size", "", "size of the input", dtype="int32", equals="I"),
)

_PARAMS = OpTensor("params", "N", "the opaque buffer of all weights and biases", summed=1)
_WEIGHTS = OpTensor("weights", "", "every matrix, in canonical order", is_list=True)
_BIASES = OpTensor("biases", "", "every bias, in canonical order", is_list=True)

# Dropout does not change the parameters: its attributes are checked, but cause no compilation.
_MODES = tuple(
    replace(each, at_run_time=each.name in ("dropout", "seed", "seed2")) for each in MODES
)


def _count(name: str, doc: str) -> Attribute:
    return Attribute(name, int, REQUIRED, doc)


_NUM_PARAMS = (_count("num_params", "number of matrices, and of biases"),)
_NUM_PARAMS_V2 = (
    _count("num_params_weights", "number of matrices"),
    _count("num_params_biases", "number of biases"),
)


def _derived(op: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """The size of the buffer, and for the conversions the shapes of its parts."""
    layout = Layout.of(op, known)
    if "S" in known:
        if known["S"] == "int32" and layout.size >= 2**31:
            expected = f"int64, as the size {layout.size} is no int32"
            raise InvalidArgumentError(op, "S", expected, "int32")
        return {}
    biases = 2 * len(layout.gates) * layout.num_layers * layout.num_directions
    weights = biases + layout.projects * layout.num_layers * layout.num_directions
    wanted = {"num_params": biases, "num_params_weights": weights, "num_params_biases": biases}
    for name, count in wanted.items():
        if known.get(name, count) != count:
            raise InvalidArgumentError(op, name, _how_many(layout, count), str(known[name]))
    if weights > _MAX_TENSORS:
        raise UnsupportedError(
            f"{op}: 'num_layers': {_how_many(layout, weights)} are more than the {_MAX_TENSORS} "
            "matrices that a function may have; rnn_compiler.schema.cudnn_layout cuts any buffer"
        )
    return {
        "params_size": layout.size,
        "weights": [region.shape for region in layout.weights],
        "biases": [region.shape for region in layout.biases],
    }


def _how_many(layout: Layout, count: int) -> str:
    each = count // (layout.num_layers * layout.num_directions)
    return (
        f"{count} = {each} for each of num_layers * {layout.num_directions} direction"
        f"{'s' * (layout.num_directions > 1)} with rnn_mode {layout.rnn_mode!r}"
    )


PARAMS_SIZE = Signature(
    "CudnnRNNParamsSize",
    "Number of elements of CudnnRNN's parameter buffer",
    arguments=_SIZES,
    attributes=(
        Attribute(
            "S", str, REQUIRED, "dtype of the result", choices=("int32", "int64"), is_dtype=True
        ),
        *_MODES,
        NUM_PROJ,
    ),
    results=(Result("params_size", "1", "number of elements", dtype="S"),),
    positive=("num_layers", "num_units"),
    derived=_derived,
)

TO_CANONICAL = Signature(
    "CudnnRNNParamsToCanonical",
    "CudnnRNN's parameter buffer as a list of matrices and a list of biases",
    arguments=(*_SIZES, _PARAMS),
    attributes=(*_NUM_PARAMS, *_MODES),
    results=(_WEIGHTS, _BIASES),
    positive=("num_layers", "num_units"),
    derived=_derived,
)

TO_CANONICAL_V2 = replace(
    TO_CANONICAL,
    name="CudnnRNNParamsToCanonicalV2",
    summary="CudnnRNNParamsToCanonical for buffers that may have projections",
    attributes=(*_NUM_PARAMS_V2, *_MODES, NUM_PROJ),
)

FROM_CANONICAL = Signature(
    "CudnnRNNCanonicalToParams",
    "CudnnRNN's parameter buffer of a list of matrices and a list of biases",
    arguments=(*_SIZES, replace(_WEIGHTS, any_shape=True), replace(_BIASES, any_shape=True)),
    attributes=_MODES,
    results=(_PARAMS,),
    positive=("num_layers", "num_units"),
    derived=_derived,
)

FROM_CANONICAL_V2 = replace(
    FROM_CANONICAL,
    name="CudnnRNNCanonicalToParamsV2",
    summary="CudnnRNNCanonicalToParams for buffers that may have projections",
    attributes=(*_MODES, NUM_PROJ),
)


def params_size(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the size, a constant."""
    b.formula("params_size = constant")
    layout = Layout.of(spec.op, {**spec.dims, **spec.attributes})
    return [b.full(layout.size, (1,), spec.results[0].dtype)]


def to_canonical(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the regions of the buffer, in canonical order."""
    layout = Layout.of(spec.op, {**spec.dims, **spec.attributes})
    regions: list[Value] = []
    for name, region in zip(spec.results, layout.regions, strict=True):
        b.formula(f"{name.name} = params[{region.offset}:{region.stop}]")
        part = args["params"].slice(0, region.offset, region.stop)
        regions.append(part.reshape(*region.shape))
    return regions


def from_canonical(b: Builder, spec: FunctionSpec, args: Values) -> Sequence[Value]:
    """Emits the buffer of regions in canonical order."""
    b.formula("params = [weights, biases]")
    given = [args[argument.name] for argument in spec.arguments if argument.list]
    parts = [value.reshape(math.prod(value.shape)) for value in given if 0 not in value.shape]
    return [b.concatenate(parts, 0)]
