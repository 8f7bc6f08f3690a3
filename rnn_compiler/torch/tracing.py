"""What is said of functions to the tracer of `torch.compile` and `torch.export`.

To import this module is to import the tracer, which takes a second.
"""

from __future__ import annotations

import torch

from rnn_compiler.torch.attributes import attribute_values

__all__ = ["constants"]

constants = torch.compiler.assume_constant_result(attribute_values)  # pyright: ignore
"""The values of a call's attributes: constants of a graph, not computed in it."""
