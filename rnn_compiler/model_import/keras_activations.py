"""Keras' activations as ONNX's functions.

hard_sigmoid has the slope of the Keras that wrote the file: 0.2 in Keras 1 and 2, 1/6 in Keras 3.

Sources: keras/activations.py of Keras 1.2 and tf_keras, keras/src/activations and
keras/src/layers/activations of Keras 3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

__all__ = [
    "NEWEST",
    "OnnxFunction",
    "activation_attributes",
    "described",
    "onnx_function",
    "version_of",
]

NEWEST = 3
"""The newest major version of Keras."""


class OnnxFunction(NamedTuple):
    """A function by ONNX's name.

    Attributes:
        name: The name.
        alpha: Its alpha; None if it has none.
        beta: Its beta; None if it has none.
    """

    name: str
    alpha: float | None = None
    beta: float | None = None


_FUNCTIONS: Mapping[str | None, OnnxFunction] = {
    None: OnnxFunction("Affine", 1.0, 0.0),
    "linear": OnnxFunction("Affine", 1.0, 0.0),
    "relu": OnnxFunction("Relu"),
    "leaky_relu": OnnxFunction("LeakyRelu", 0.2),
    "elu": OnnxFunction("Elu", 1.0),
    "tanh": OnnxFunction("Tanh"),
    "sigmoid": OnnxFunction("Sigmoid"),
    "softsign": OnnxFunction("Softsign"),
    "softplus": OnnxFunction("Softplus"),
}

_SLOPES = {1: 0.2, 2: 0.2, 3: 1 / 6}
"""The slope of hard_sigmoid, by version of Keras."""


def onnx_function(activation: Any, version: int) -> OnnxFunction | None:
    """ONNX's function for an activation in a configuration; None if it has none.

    Args:
        activation: As in the configuration: a name, None for linear, or the configuration of a
            layer, ``LSTM(activation=LeakyReLU(0.1))``.
        version: Keras' major version.

    Example:
        >>> onnx_function("hard_sigmoid", 2), onnx_function("swish", 2)
        (OnnxFunction(name='HardSigmoid', alpha=0.2, beta=0.5), None)
        >>> onnx_function({"class_name": "ELU", "config": {"alpha": 0.5}}, 3)
        OnnxFunction(name='Elu', alpha=0.5, beta=None)
    """
    if isinstance(activation, dict):
        return _of_layer(cast(dict[str, Any], activation), version)
    if activation == "hard_sigmoid":
        return OnnxFunction("HardSigmoid", _SLOPES[version], 0.5)
    is_name = activation is None or isinstance(activation, str)
    return _FUNCTIONS.get(activation) if is_name else None


def described(activation: Any) -> str:
    """An activation in a configuration, for messages; a layer is shown as a constructor call.

    Example:
        >>> described({"class_name": "ReLU", "config": {"name": "r", "max_value": 6.0}})
        'ReLU(max_value=6.0)'
    """
    layer = cast(dict[str, Any], activation) if isinstance(activation, dict) else {}
    config = layer.get("config")
    if not isinstance(config, dict):
        return repr(cast(object, activation))
    options = cast(dict[str, Any], config).items()
    given = [f"{k}={v!r}" for k, v in options if k not in ("name", "trainable", "dtype")]
    return f"{layer.get('class_name')}({', '.join(given)})"


def _of_layer(layer: Mapping[str, Any], version: int) -> OnnxFunction | None:
    """ONNX's function for a layer of Keras; None if there is none."""
    kind, options = layer.get("class_name"), layer.get("config")
    if not isinstance(options, dict) or layer.get("registered_name") not in (None, kind):
        return None
    options = cast(dict[str, Any], options)
    if kind == "Activation":
        name = options.get("activation", "")
        return None if isinstance(name, dict) else onnx_function(name, version)
    if kind == "ELU":
        return _with_alpha("Elu", options.get("alpha", 1.0))
    slope = options.get("negative_slope", options.get("alpha", 0.3))
    if kind == "LeakyReLU":
        return _with_alpha("LeakyRelu", slope)
    if kind != "ReLU" or options.get("max_value") is not None or options.get("threshold", 0) != 0:
        return None
    slope = options.get("negative_slope", 0)
    return _FUNCTIONS["relu"] if slope == 0 else _with_alpha("LeakyRelu", slope)


def _with_alpha(name: str, alpha: Any) -> OnnxFunction | None:
    is_number = isinstance(alpha, (int, float)) and not isinstance(alpha, bool)
    return OnnxFunction(name, float(alpha)) if is_number and math.isfinite(alpha) else None


def activation_attributes(functions: Sequence[OnnxFunction]) -> dict[str, Any]:
    """The attributes of ONNX's ops for functions, in order.

    Example:
        >>> activation_attributes([OnnxFunction("Elu", 1.0), OnnxFunction("Tanh")])
        {'activations': ['Elu', 'Tanh'], 'activation_alpha': [1.0], 'activation_beta': []}
    """
    return {
        "activations": [each.name for each in functions],
        "activation_alpha": [each.alpha for each in functions if each.alpha is not None],
        "activation_beta": [each.beta for each in functions if each.beta is not None],
    }


def version_of(text: Any, config: Mapping[str, Any]) -> int:
    """Keras' major version.

    Args:
        text: The version in the file; None if there is none, as in configurations of Keras 3.
        config: The model's configuration.

    Example:
        >>> version_of("2.2.4-tf", {}), version_of(None, {"module": "keras"}), version_of(None, {})
        (2, 3, 2)
    """
    text = text or config.get("keras_version")
    if isinstance(text, str) and text.split(".")[0] in ("1", "2"):
        return int(text[0])
    return NEWEST if text or "module" in config else 2
