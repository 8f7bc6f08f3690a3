"""Registers functions with the tracer of `torch.compile` and `torch.export`.

Importing this module registers them. It also imports the tracer, which takes a second.
"""

from __future__ import annotations

import torch

from rnn_compiler.torch.attributes import attribute_values

# Attribute values and seeds are constants of a graph; they are not computed in it.
torch.compiler.assume_constant_result(attribute_values)  # pyright: ignore[reportUnknownMemberType]
