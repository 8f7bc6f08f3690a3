"""Runs ONNX graphs with PyTorch's functions, which differentiate them: what training must do.

A graph is given after its sizes are folded, so that operators on shapes are gone. Layers are
written step by step, from ONNX's formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from onnx import helper, numpy_helper

F: Any = torch.nn.functional
Attributes = Mapping[str, Any]


class Network:
    """A graph as a function of tensors.

    Attributes:
        parameters: The trained weights, by name.
    """

    def __init__(self, graph: Any, trained: Mapping[str, Any]) -> None:
        self._graph = graph
        self._constants = {
            each.name: torch.tensor(numpy_helper.to_array(each)) for each in graph.initializer
        }
        self.parameters = {
            name: torch.tensor(np.array(array), requires_grad=True)
            for name, array in trained.items()
        }

    def __call__(self, **given: Any) -> list[Any]:
        """The outputs."""
        known: dict[str, Any] = {**self._constants, **self.parameters, "": None}
        known |= {name: torch.as_tensor(array) for name, array in given.items()}
        for node in self._graph.node:
            attributes = {each.name: _value(each) for each in node.attribute}
            inputs = [known[name] for name in node.input]
            made = _FUNCTIONS[node.op_type](attributes, *inputs)
            results = made if isinstance(made, (tuple, list)) else [made]
            known.update(zip(node.output, results, strict=False))
        return [known[each.name] for each in self._graph.output]


def _value(attribute: Any) -> Any:
    value = helper.get_attribute_value(attribute)
    return value.decode() if isinstance(value, bytes) else value


def _kind(attributes: Attributes) -> Any:
    return torch.tensor(np.zeros((), helper.tensor_dtype_to_np_dtype(attributes["to"]))).dtype


def _numbers(value: Any) -> list[int]:
    return [int(each) for each in value.reshape(-1)]


def _pads(a: Attributes, rank: int) -> list[int]:
    """Padding in the order of torch: the last axis first, before and behind."""
    pads = a.get("pads", [0] * (2 * rank))
    return [pads[k + rank * end] for k in reversed(range(rank)) for end in (0, 1)]


def _conv(a: Attributes, x: Any, w: Any, b: Any = None) -> Any:
    rank = x.ndim - 2
    function = (F.conv1d, F.conv2d, F.conv3d)[rank - 1]
    strides, dilations = (tuple(a.get(name, [1] * rank)) for name in ("strides", "dilations"))
    assert a.get("auto_pad", "NOTSET") in ("NOTSET", "VALID")
    return function(F.pad(x, _pads(a, rank)), w, b, strides, 0, dilations, a.get("group", 1))


def _conv_transpose(a: Attributes, x: Any, w: Any, b: Any = None) -> Any:
    rank = x.ndim - 2
    function = (F.conv_transpose1d, F.conv_transpose2d)[rank - 1]
    strides, dilations = (tuple(a.get(name, [1] * rank)) for name in ("strides", "dilations"))
    more, pads = a.get("output_padding", [0] * rank), a.get("pads", [0] * (2 * rank))
    made = function(x, w, None, strides, 0, 0, a.get("group", 1), dilations)
    made = F.pad(made, [n for k in reversed(range(rank)) for n in (0, more[k])])
    for k in range(rank):
        made = made.narrow(2 + k, pads[k], made.shape[2 + k] - pads[k] - pads[k + rank])
    return made if b is None else made + b.reshape(-1, *[1] * rank)


def _max_pool(a: Attributes, x: Any) -> Any:
    rank = x.ndim - 2
    function = (F.max_pool1d, F.max_pool2d)[rank - 1]
    padded = F.pad(x, _pads(a, rank), value=-torch.inf)
    strides, dilations = (a.get(name, [1] * rank) for name in ("strides", "dilations"))
    return function(padded, tuple(a["kernel_shape"]), tuple(strides), 0, tuple(dilations))


def _average_pool(a: Attributes, x: Any) -> Any:
    rank = x.ndim - 2
    function = (F.avg_pool1d, F.avg_pool2d)[rank - 1]
    strides = tuple(a.get("strides", [1] * rank))
    given = [F.pad(each, _pads(a, rank)) for each in (x, torch.ones_like(x))]
    means = [function(each, tuple(a["kernel_shape"]), strides) for each in given]
    return means[0] if a.get("count_include_pad", 0) else means[0] / means[1]


def _slice(
    a: Attributes, x: Any, starts: Any, ends: Any, axes: Any = None, steps: Any = None
) -> Any:
    chosen = _numbers(axes) if axes is not None else [*range(len(starts))]
    strides = _numbers(steps) if steps is not None else [1] * len(starts)
    for start, end, axis, step in zip(
        _numbers(starts), _numbers(ends), chosen, strides, strict=True
    ):
        places = range(*slice(start, end, step).indices(x.shape[axis]))
        if step < 0 and end < -x.shape[axis]:
            places = range(
                min(start % x.shape[axis] if start < 0 else start, x.shape[axis] - 1), -1, step
            )
        x = x.index_select(axis, torch.tensor([*places], dtype=torch.int64))
    return x


def _gather(a: Attributes, x: Any, places: Any) -> Any:
    axis = a.get("axis", 0) % x.ndim
    flat = places.long().reshape(-1)
    rows = x.index_select(axis, torch.where(flat < 0, flat + x.shape[axis], flat))
    return rows.reshape(*x.shape[:axis], *places.shape, *x.shape[axis + 1 :])


def _split(a: Attributes, x: Any, sizes: Any = None) -> Any:
    axis = a.get("axis", 0)
    return torch.split(x, _numbers(sizes), axis) if sizes is not None else x.chunk(2, axis)


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def made(a: Attributes, x: Any, axes: Any = None) -> Any:
        given = _numbers(axes) if axes is not None else a.get("axes", [*range(x.ndim)])
        return function(x, tuple(given), keepdim=bool(a.get("keepdims", 1)))

    return made


def _normalized(axes: Callable[[Attributes, Any], list[int]], own: bool) -> Callable[..., Any]:
    """A normalization over axes, whose scale and bias are per channel unless they are `own`."""

    def made(a: Attributes, x: Any, scale: Any, bias: Any = None) -> Any:
        over = axes(a, x)
        variance, mean = torch.var_mean(x, over, correction=0, keepdim=True)
        normal = (x - mean) / torch.sqrt(variance + a.get("epsilon", 1e-5))
        shape = scale.shape if own else (-1, *[1] * (x.ndim - 2))
        scaled = normal * scale.reshape(shape)
        return scaled if bias is None else scaled + bias.reshape(shape)

    return made


def _batch_norm(a: Attributes, x: Any, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
    return F.batch_norm(x, mean, variance, scale, bias, eps=a.get("epsilon", 1e-5))


def _pad(a: Attributes, x: Any, pads: Any, number: Any = None) -> Any:
    n = _numbers(pads)
    assert a.get("mode", "constant") == "constant"
    order = [n[k + x.ndim * end] for k in reversed(range(x.ndim)) for end in (0, 1)]
    return F.pad(x, order, value=0 if number is None else number.item())


def _recurrent(kind: str) -> Callable[..., Any]:
    """LSTM, GRU or RNN, by ONNX's formulas, with its default functions."""

    def made(
        a: Attributes,
        x: Any,
        W: Any,
        R: Any,
        B: Any = None,
        lengths: Any = None,
        h0: Any = None,
        c0: Any = None,
        P: Any = None,
    ) -> Any:
        assert not a.get("layout", 0)
        H, (T, batch, _) = R.shape[2], x.shape
        B = torch.zeros(len(W), 2 * W.shape[1]) if B is None else B
        functions = a.get("activations", [])
        outputs, hs, cs = [], [], []
        for d in range(len(W)):
            names = functions[len(functions) // len(W) * d :]
            last = torch.relu if names[:1] == ["Relu"] else torch.tanh
            h = torch.zeros(batch, H, dtype=x.dtype) if h0 is None else h0[d]
            c = torch.zeros(batch, H, dtype=x.dtype) if c0 is None else c0[d]
            wb, rb = B[d].chunk(2)
            is_reverse = a.get("direction") == "reverse" or d == 1
            rows = [None] * T
            for t in reversed(range(T)) if is_reverse else range(T):
                xs, hs_ = x[t] @ W[d].T + wb, h @ R[d].T + rb
                if kind == "LSTM":
                    i, o, f, g = (xs + hs_).chunk(4, -1)
                    if P is not None:
                        pi, po, pf = P[d].chunk(3)
                        i, f = i + pi * c, f + pf * c
                    new_c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
                    o = o if P is None else o + po * new_c
                    new = torch.sigmoid(o) * torch.tanh(new_c)
                elif kind == "GRU":
                    z, r = torch.sigmoid(xs[:, : 2 * H] + hs_[:, : 2 * H]).chunk(2, -1)
                    if a.get("linear_before_reset", 0):
                        reset = r * hs_[:, 2 * H :]
                    else:
                        reset = (r * h) @ R[d][2 * H :].T + rb[2 * H :]
                    new_c, new = c, (1 - z) * torch.tanh(xs[:, 2 * H :] + reset) + z * h
                else:
                    new_c, new = c, last(xs + hs_)
                valid = torch.ones(batch, 1) > 0 if lengths is None else (t < lengths)[:, None]
                h, c = torch.where(valid, new, h), torch.where(valid, new_c, c)
                rows[t] = torch.where(valid, new, torch.zeros_like(new))
            outputs.append(torch.stack(rows))  # pyright: ignore[reportArgumentType]
            hs.append(h)
            cs.append(c)
        return torch.stack(outputs, 1), torch.stack(hs), torch.stack(cs)

    return made


def _of_one(name: str) -> Callable[..., Any]:
    return lambda _, x: getattr(torch, name)(x)


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{
        name: _of_one(name.lower())
        for name in ("Exp", "Log", "Sqrt", "Abs", "Neg", "Sigmoid", "Tanh", "Relu", "Erf", "Sin")
    },
    "Cos": _of_one("cos"),
    "Reciprocal": _of_one("reciprocal"),
    "Identity": lambda _, x: x,
    "Softplus": lambda _, x: F.softplus(x),
    "Gelu": lambda a, x: F.gelu(x, approximate=a.get("approximate", "none")),
    "LeakyRelu": lambda a, x: F.leaky_relu(x, a.get("alpha", 0.01)),
    "Elu": lambda a, x: F.elu(x, a.get("alpha", 1.0)),
    "PRelu": lambda _, x, slope: torch.where(x > 0, x, slope * x),
    "Cast": lambda a, x: x.to(_kind(a)),
    "Add": lambda _, x, y: x + y,
    "Sub": lambda _, x, y: x - y,
    "Mul": lambda _, x, y: x * y,
    "Div": lambda _, x, y: x / y,
    "Pow": lambda _, x, y: x**y,
    "Max": lambda _, x, y: torch.maximum(x, y),
    "Min": lambda _, x, y: torch.minimum(x, y),
    "Where": lambda _, c, x, y: torch.where(c, x, y),
    "Not": lambda _, x: ~x,
    "Less": lambda _, x, y: x < y,
    "Greater": lambda _, x, y: x > y,
    "Equal": lambda _, x, y: x == y,
    "And": lambda _, x, y: x & y,
    "Clip": lambda _, x, low=None, high=None: torch.clamp(x, low, high),
    "Softmax": lambda a, x: torch.softmax(x, a.get("axis", -1)),
    "LogSoftmax": lambda a, x: torch.log_softmax(x, a.get("axis", -1)),
    "MatMul": lambda _, x, y: x @ y,
    "Gemm": lambda a, x, y, c=0: (
        a.get("alpha", 1.0)
        * ((x.T if a.get("transA", 0) else x) @ (y.T if a.get("transB", 0) else y))
        + a.get("beta", 1.0) * c
    ),
    "Einsum": lambda a, *x: torch.einsum(a["equation"], *x),
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "MaxPool": _max_pool,
    "AveragePool": _average_pool,
    "GlobalAveragePool": lambda _, x: x.mean((*range(2, x.ndim),), keepdim=True),
    "BatchNormalization": _batch_norm,
    "LayerNormalization": _normalized(
        lambda a, x: [*range(a.get("axis", -1) % x.ndim, x.ndim)], own=True
    ),
    "InstanceNormalization": _normalized(lambda _, x: [*range(2, x.ndim)], own=False),
    "ReduceSum": _reduction(torch.sum),
    "ReduceMean": _reduction(torch.mean),
    "ReduceMax": _reduction(torch.amax),
    "ReduceMin": _reduction(torch.amin),
    "ReduceL2": _reduction(torch.linalg.vector_norm),
    "Reshape": lambda _, x, shape: x.reshape(
        [n if n else x.shape[k] for k, n in enumerate(_numbers(shape))]
    ),
    "Flatten": lambda a, x: x.reshape(int(np.prod(x.shape[: a.get("axis", 1)])), -1),
    "Squeeze": lambda _, x, axes: x.squeeze(tuple(_numbers(axes))),
    "Unsqueeze": lambda _, x, axes: x.reshape(_unsqueezed(x, _numbers(axes))),
    "Transpose": lambda a, x: x.permute(a.get("perm", [*range(x.ndim)][::-1])),
    "Concat": lambda a, *x: torch.cat(x, a["axis"]),
    "Split": _split,
    "Slice": _slice,
    "Pad": _pad,
    "Gather": _gather,
    "Expand": lambda _, x, shape: x.expand(torch.broadcast_shapes(x.shape, _numbers(shape))),
    "Tile": lambda _, x, counts: x.repeat(_numbers(counts)),
    "CumSum": lambda _, x, axis: torch.cumsum(x, int(axis)),
    "Trilu": lambda a, x, k=0: (torch.triu if a.get("upper", 1) else torch.tril)(x, int(k)),
    **{kind: _recurrent(kind) for kind in ("LSTM", "GRU", "RNN")},
}


def _unsqueezed(x: Any, axes: list[int]) -> list[int]:
    rank, sizes = x.ndim + len(axes), iter(x.shape)
    chosen = {axis % rank for axis in axes}
    return [1 if axis in chosen else next(sizes) for axis in range(rank)]
