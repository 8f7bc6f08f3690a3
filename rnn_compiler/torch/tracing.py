"""What the tracer of `torch.compile` and `torch.export` is told of functions.

To import this module is to tell it, and to import it, which takes a second.
"""

from __future__ import annotations

import torch

from rnn_compiler.torch.attributes import attribute_values

__all__: list[str] = []

# The attributes' values and the seeds are constants of a graph; they are not computed in it.
torch.compiler.assume_constant_result(attribute_values)  # pyright: ignore[reportUnknownMemberType]
