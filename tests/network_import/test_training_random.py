"""Random graphs: gradients are PyTorch's, whatever is broadcast, shared, moved or not a float."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("torch")

import torch
from onnx import TensorProto, helper
from quick import SWEEP

from tests.network_import import in_torch
from tests.network_import.gradients import backward, results
from tests.network_import.graphs import model

SMOOTH = ("Tanh", "Sigmoid", "Exp", "Softplus", "Erf", "Sin", "Cos", "Neg", "Abs", "Gelu")
BROADCAST = ("Add", "Sub", "Mul", "Max", "Min", "Div")


class Drawn:
    """A graph of float64 whose nodes read any values before them.

    Attributes:
        nodes: The nodes.
        shapes: The shapes of the floats so far.
        constants: Its constants.
        inputs: The values of its inputs.
    """

    def __init__(self, seed: int, count: int, dtype: Any = np.float64) -> None:
        self.random = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self.dtype = dtype
        shapes = [(2, 3, 4), (3, 4), (4,), (2, 1, 4), (1, 3, 1), ()]
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.inputs: dict[str, Any] = {}
        for number, shape in enumerate(shapes):
            name = f"x{number}"
            self.shapes[name] = shape
            self.inputs[name] = (self.random.standard_normal(shape) * 0.5).astype(dtype)
        ways = [self.of_one, self.of_two, self.product, self.chosen, self.moved, self.reduced]
        ways += [self.joined, self.gathered, self.normalized]
        while len(self.nodes) < count:
            ways[self.random.integers(len(ways))]()

    def pick(self, least: int = 0) -> str:
        """A value, more often one of the last ones."""
        names = [name for name, shape in self.shapes.items() if len(shape) >= least]
        place = max(self.random.integers(len(names)), self.random.integers(len(names)))
        return names[place]

    def add(self, operator: str, inputs: list[str], shape: Any, **attributes: Any) -> str:
        """A node whose result has a shape."""
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], f"n{name}", **attributes))
        if shape is not None and np.prod(shape) <= 200:
            self.shapes[name] = tuple(shape)
        return name

    def constant(self, array: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array)
        return name

    def of_one(self) -> None:
        x = self.add("Tanh", [name := self.pick()], self.shapes[name])
        self.add(str(self.random.choice(SMOOTH)), [x], self.shapes[name])

    def of_two(self) -> None:
        pair = [self.pick(), self.pick()]
        operator = str(self.random.choice(BROADCAST))
        try:
            shape = np.broadcast_shapes(*(self.shapes[each] for each in pair))
        except ValueError:
            return
        if operator == "Div":
            square = self.add("Mul", [pair[1]] * 2, self.shapes[pair[1]])
            pair[1] = self.add("Add", [square, self.constant(self.dtype(1))], self.shapes[pair[1]])
        self.add(operator, pair, shape)

    def product(self) -> None:
        x = self.pick(2)
        *leading, width = self.shapes[x]
        w = self.constant(self.random.standard_normal((width, 3)).astype(self.dtype))
        scaled = self.add("Tanh", [x], self.shapes[x])
        self.add("MatMul", [scaled, w], [*leading, 3])

    def chosen(self) -> None:
        """By a comparison, and by integers, through which no gradient goes."""
        one, other = self.pick(), self.pick()
        try:
            shape = np.broadcast_shapes(self.shapes[one], self.shapes[other])
        except ValueError:
            return
        condition = self.add("Less", [one, self.constant(self.dtype(0.1))], None)
        if self.random.random() < 0.5:
            condition = self.add("Not", [condition], None)
        number = self.add("Cast", [condition], None, to=TensorProto.INT64)
        back = self.add("Cast", [number], self.shapes[one], to=_kind(self.dtype))
        self.add("Where", [condition, self.add("Mul", [one, back], self.shapes[one]), other], shape)

    def moved(self) -> None:
        x = self.pick(1)
        shape = [*self.shapes[x]]
        order = self.random.permutation(len(shape)).tolist()
        turned = self.add("Transpose", [x], [shape[k] for k in order], perm=order)
        if self.random.random() < 0.5:
            sizes = self.constant(np.array([-1, shape[order[-1]]]))
            rows = int(np.prod(shape)) // shape[order[-1]]
            self.add("Reshape", [turned, sizes], [rows, shape[order[-1]]])

    def reduced(self) -> None:
        x = self.pick(1)
        shape = [*self.shapes[x]]
        axis, keeps = int(self.random.integers(len(shape))), int(self.random.integers(2))
        operator = str(self.random.choice(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin"]))
        left = [size for k, size in enumerate(shape) if k != axis or keeps]
        left = [1 if keeps and k == axis else size for k, size in enumerate(left)]
        axes = self.constant(np.array([axis]))
        self.add(operator, [x, axes], left, keepdims=keeps)

    def joined(self) -> None:
        x = self.pick(1)
        shape = [*self.shapes[x]]
        axis = int(self.random.integers(len(shape)))
        bounds = [self.constant(np.array([each])) for each in (0, shape[axis], axis, 2)]
        part = self.add("Slice", [x, *bounds], None)
        total = shape[axis] + -(-shape[axis] // 2)
        self.add(
            "Concat", [x, part], [total if k == axis else n for k, n in enumerate(shape)], axis=axis
        )

    def gathered(self) -> None:
        x = self.pick(1)
        shape = [*self.shapes[x]]
        axis = int(self.random.integers(len(shape)))
        places = self.random.integers(-shape[axis], shape[axis], 3)
        made = [*shape[:axis], 3, *shape[axis + 1 :]]
        self.add("Gather", [x, self.constant(places)], made, axis=axis)

    def normalized(self) -> None:
        x = self.pick(1)
        axis = int(self.random.integers(len(self.shapes[x])))
        operator = str(self.random.choice(["Softmax", "LogSoftmax"]))
        self.add(operator, [x], self.shapes[x], axis=axis)

    def model(self) -> tuple[Any, list[str]]:
        """The model of the last values, and the inputs on which these depend."""
        ends = [name for name in self.shapes if name.startswith("v")][-3:]
        needed = {*ends}
        for node in reversed(self.nodes):
            if needed.intersection(node.output):
                needed.update(node.input)
        nodes = [node for node in self.nodes if needed.intersection(node.output)]
        given = {name: self.shapes[name] for name in self.inputs if name in needed}
        kinds = dict.fromkeys((*given, *ends), _kind(self.dtype))
        constants = {name: array for name, array in self.constants.items() if name in needed}
        return model(nodes, given, ends, constants, dtypes=kinds, opset=20), [*given]


def _kind(dtype: Any) -> int:
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def by_torch(made: Any, drawn: Drawn, wanted: list[str], upstream: list[Any]) -> list[Any]:
    """The gradients of inputs."""
    network = in_torch.Network(made.graph, {name: drawn.inputs[name] for name in wanted})
    outputs = network()
    total: Any = sum((y * torch.tensor(dy)).sum() for y, dy in zip(outputs, upstream, strict=True))
    if isinstance(total, torch.Tensor) and total.requires_grad:
        total.backward()
    found = [network.parameters[name].grad for name in wanted]
    return [
        np.zeros_like(drawn.inputs[name]) if each is None else each.numpy()
        for name, each in zip(wanted, found, strict=True)
    ]


def compared(seed: int, count: int, folder: Path) -> None:
    drawn = Drawn(seed, count)
    made, wanted = drawn.model()
    outputs = results(made, {name: drawn.inputs[name] for name in wanted})
    upstream = [drawn.random.standard_normal(each.shape) for each in outputs]
    right = by_torch(made, drawn, wanted, upstream)
    reached = [name for name, each in zip(wanted, right, strict=True) if np.any(each)]
    if not reached:
        return
    by_rules = backward(made, reached, folder)
    names = [each.name for each in made.graph.output]
    feeds = {name: drawn.inputs[name] for name in wanted}
    feeds |= {f"d{name}": dy for name, dy in zip(names, upstream, strict=True)}
    known = {each.name for each in by_rules.graph.input}
    found = results(by_rules, {name: each for name, each in feeds.items() if name in known})
    wanted_now = [each for each in right if np.any(each)]
    for name, got, gradient in zip(reached, found, wanted_now, strict=True):
        scale = max(1, np.abs(gradient).max())
        np.testing.assert_allclose(
            got, gradient, rtol=1e-7, atol=1e-9 * scale, err_msg=f"{seed} {name}"
        )


@pytest.mark.parametrize("first", [0, 20])
def test_random_graphs(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 20):
        compared(seed, 12, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 2000 if SWEEP else 1500, 100))
def test_many_random_graphs(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 100):
        compared(seed, 30, tmp_path)
