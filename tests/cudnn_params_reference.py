"""The ops around CudnnRNN's parameter buffer in numpy; elements of lists are named individually."""

from __future__ import annotations

from typing import Any

import cudnn_reference
import numpy as np
import numpy.typing as npt

Arrays = dict[str, npt.NDArray[Any]]


def network(arguments: dict[str, Any]) -> dict[str, Any]:
    """The sizes by letter; I and P are 0 where the input is skipped and nothing is projected."""
    mode, how = arguments.get("rnn_mode", "lstm"), arguments.get("input_mode", "linear_input")
    L, H, I = (int(arguments[k]) for k in ("num_layers", "num_units", "input_size"))  # noqa: E741
    skips = how == "skip_input" or (how == "auto_select" and I == H)
    P = arguments.get("num_proj", 0)
    D = 2 if arguments.get("direction") == "bidirectional" else 1
    return {"mode": mode, "L": L, "D": D, "H": H, "I": 0 if skips else I, "P": P if P < H else 0}


def params_size(**arguments: Any) -> Arrays:
    """CudnnRNNParamsSize."""
    n = network(arguments)
    L, D, H, P, h = n["L"], n["D"], n["H"], n["P"], n["P"] or n["H"]
    gates = len(cudnn_reference.GATES[n["mode"]])
    first = D * gates * H * (n["I"] + h)
    above = (L - 1) * D * gates * H * (D * h + h)
    return {"params_size": np.array([first + above + L * D * P * H + 2 * L * D * gates * H])}


def canonical(params: npt.NDArray[Any], arguments: dict[str, Any]) -> Arrays:
    """The parts of a buffer, as views, in canonical order."""
    layers = cudnn_reference.unpack(params, **network(arguments))
    weights = [w for layer in layers for name, w in layer.items() if name[0] != "b"]
    biases = [b for layer in layers for name, b in layer.items() if name[0] == "b"]
    return {f"weights_{k}": w for k, w in enumerate(weights)} | {
        f"biases_{k}": b for k, b in enumerate(biases)
    }


def params_to_canonical(*, params: npt.NDArray[Any], **arguments: Any) -> Arrays:
    """CudnnRNNParamsToCanonical."""
    return canonical(params, arguments)


def canonical_to_params(**arguments: Any) -> Arrays:
    """CudnnRNNCanonicalToParams."""
    params = np.zeros(params_size(**arguments)["params_size"], arguments["biases_0"].dtype)
    for name, part in canonical(params, arguments).items():
        part[...] = arguments[name].reshape(part.shape)
    return {"params": params}
