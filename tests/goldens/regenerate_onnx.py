"""Records the golden files of ONNX's ops; needs onnx and onnxruntime, nothing of this project.

    python tests/goldens/regenerate_onnx.py            # compare every file with what is installed
    python tests/goldens/regenerate_onnx.py --write    # store what is installed gives

ONNX Runtime's CPU kernels support neither float64 nor layout 1; those cases come from
onnx.reference, whose evaluator supports no other functions, no clip and no lengths.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

FOLDER = Path(__file__).parent / "onnx"
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
OUTPUTS = {"LSTM": ("Y", "Y_h", "Y_c"), "GRU": ("Y", "Y_h"), "RNN": ("Y", "Y_h")}
INPUTS = ("X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P")
STATES = "B sequence_lens initial_h"
DEFAULTS: dict[str, Any] = {
    "direction": "forward", "activations": [], "activation_alpha": [], "activation_beta": [],
    "clip": 0.0, "hidden_size": 0, "layout": 0,
}  # fmt: skip
OWN = {"LSTM": {"input_forget": 0}, "GRU": {"linear_before_reset": 0}, "RNN": {}}

# Name, op, (T, B, I, H), optional inputs, attributes, what it is for. The sizes are coprime.
CASES: tuple[tuple[str, tuple[int, int, int, int], str, dict[str, Any], str], ...] = (
    ("LSTM", (5, 3, 2, 4), f"{STATES} initial_c", {}, "defaults, rows of several lengths"),
    ("LSTM", (4, 3, 2, 5), f"{STATES} initial_c P",
     {"direction": "bidirectional", "clip": 0.8,
      "activations": ["HardSigmoid", "Softsign", "Elu", "Sigmoid", "ScaledTanh", "LeakyRelu"],
      "activation_alpha": [0.3, 0.7, 1.3, 0.2], "activation_beta": [0.4, 0.9]},
     "six functions with parameters, clip, peepholes"),
    ("LSTM", (4, 2, 3, 5), "B P", {"direction": "reverse", "input_forget": 1},
     "reverse, coupled gates, peepholes"),
    ("LSTM", (4, 2, 3, 5), "", {"clip": 0.2}, "only what is required, and a clip"),
    ("LSTM", (3, 4, 2, 5), "B initial_h initial_c P", {"layout": 1, "direction": "bidirectional"},
     "batch first, float64"),
    ("GRU", (5, 3, 2, 4), STATES, {}, "defaults: reset before the product"),
    ("GRU", (4, 3, 2, 5), STATES,
     {"direction": "bidirectional", "linear_before_reset": 1, "clip": 0.9,
      "activations": ["Sigmoid", "Softplus", "HardSigmoid", "Affine"],
      "activation_alpha": [0.25, 0.6], "activation_beta": [0.45, 0.1]},
     "reset after the product, functions with parameters"),
    ("GRU", (4, 3, 2, 5), STATES,
     {"direction": "reverse", "clip": 0.5, "activations": ["HardSigmoid", "Tanh"]},
     "reset before the product, HardSigmoid's defaults"),
    ("GRU", (3, 4, 2, 5), "B initial_h", {"layout": 1, "direction": "bidirectional"},
     "batch first, float64"),
    ("RNN", (5, 3, 2, 4), STATES, {}, "defaults"),
    ("RNN", (4, 3, 2, 5), STATES,
     {"direction": "bidirectional", "activations": ["ThresholdedRelu", "Affine"],
      "activation_alpha": [0.3, 0.7], "activation_beta": [0.2]},
     "functions with parameters"),
    ("RNN", (4, 2, 3, 5), "B", {"direction": "reverse", "activations": ["Relu"], "clip": 1.5},
     "reverse, clip"),
    ("RNN", (3, 4, 2, 5), "B initial_h", {"layout": 1, "direction": "bidirectional"},
     "batch first, float64"),
)  # fmt: skip


def arguments(kind: str, sizes: tuple[int, ...], optional: str, attributes: Any, seed: int) -> Any:
    """Random inputs, by name."""
    T, B, I, H = sizes  # noqa: E741
    D, g = (2 if attributes.get("direction") == "bidirectional" else 1), GATES[kind]
    batch_first = attributes.get("layout") == 1
    state = (B, D, H) if batch_first else (D, B, H)
    shapes = {
        "X": (B, T, I) if batch_first else (T, B, I), "W": (D, g * H, I), "R": (D, g * H, H),
        "B": (D, 2 * g * H), "initial_h": state, "initial_c": state, "P": (D, 3 * H),
    }  # fmt: skip
    rng = np.random.default_rng(seed)
    dtype = np.float64 if batch_first else np.float32
    made: dict[str, Any] = {}
    for name in INPUTS:
        if name in ("X", "W", "R", *optional.split()):
            if name == "sequence_lens":
                made[name] = np.array([T, 1, T - 1, 2][:B], np.int32)
            else:
                made[name] = (rng.standard_normal(shapes[name]) * 0.8).astype(dtype)
    return made


def evaluated(kind: str, given: dict[str, Any], attributes: dict[str, Any], H: int) -> Any:
    """The outputs, and the program that computed them."""
    names = [name if name in given else "" for name in INPUTS]
    while not names[-1]:
        names.pop()
    node = helper.make_node(kind, names, OUTPUTS[kind], hidden_size=H, **attributes)
    kinds = {
        "float32": TensorProto.FLOAT,
        "float64": TensorProto.DOUBLE,
        "int32": TensorProto.INT32,
    }
    rows = [
        helper.make_tensor_value_info(n, kinds[a.dtype.name], a.shape) for n, a in given.items()
    ]
    made = [
        helper.make_tensor_value_info(name, kinds[given["X"].dtype.name], None)
        for name in OUTPUTS[kind]
    ]
    graph = helper.make_graph([node], kind, rows, made)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])
    model.ir_version = 10
    if given["X"].dtype == np.float64:
        return ReferenceEvaluator(model).run(None, given), f"onnx.reference {onnx.__version__}"
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, given), f"onnxruntime {onnxruntime.__version__}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for number, (kind, sizes, optional, attributes, note) in enumerate(CASES):
        given = arguments(kind, sizes, optional, attributes, number)
        outputs, source = evaluated(kind, given, attributes, sizes[3])
        results = dict(zip(OUTPUTS[kind], outputs, strict=True))
        path = FOLDER / f"{number:02}_{kind}_{'T{}B{}I{}H{}'.format(*sizes)}.npz"
        texts = DEFAULTS | OWN[kind] | attributes | {"inputs": optional.split()}
        every = {k: " ".join(map(str, v)) if isinstance(v, list) else v for k, v in texts.items()}
        meta = {
            "op": f"onnx.{kind}", "dtype": given["X"].dtype.name,
            "dims": dict(zip("TBIH", sizes, strict=True)), "attrs": every,
            "attrs_passed": list(attributes), "inputs": list(given), "outputs": list(results),
            "undefined_from": {}, "poison": False, "note": note, "source": source,
        }  # fmt: skip
        if options.write:
            np.savez_compressed(path, **given, **results, meta=json.dumps(meta))
            continue
        with np.load(path) as file:
            worst = max(np.abs(file[name] - value).max() for name, value in results.items())
        print(f"{path.name}: at most {worst:.2g} apart")


if __name__ == "__main__":
    main()
