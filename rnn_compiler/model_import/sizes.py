"""Derives an op's dimensions from the known shapes of the tensors around it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rnn_compiler.errors import ArtifactError, InvalidArgumentError
from rnn_compiler.model_import.tensors import Shape
from rnn_compiler.schema.signatures import Signature
from rnn_compiler.schema.tensors import DIMENSIONS, Axis, Tensor

__all__ = ["Sizes"]

_WEIGHTED = ("num_units", "num_layers", "input_size")


class Sizes:
    """The known dimensions of an op."""

    def __init__(
        self, signature: Signature, form: Signature, attributes: Mapping[str, Any]
    ) -> None:
        """Creates it without known dimensions.

        Args:
            signature: The op's signature.
            form: The signature with the op's attributes.
            attributes: The attributes.
        """
        self._signature = signature
        self._attributes = attributes
        self._names = form.dimensions
        self._seen: list[tuple[str, Axis, int]] = []

    def see(self, tensor: Tensor, shape: Shape | None) -> None:
        """Uses the shape of an argument or result; shapes of another rank are ignored."""
        if shape is None or tensor.ignored or len(shape) != len(tensor.sizes):
            return
        for size, found in zip(tensor.sizes, shape, strict=True):
            if found is not None:
                self._seen.append((tensor.name, size, found))

    def see_value(self, tensor: Tensor, value: Any) -> None:
        """Uses the value of an argument that is a dimension."""
        if value is not None and value.ndim == 0 and tensor.equals is not None:
            self._seen.append((tensor.name, Axis.parse(tensor.equals), int(value)))

    def dims(self, path: Path, layer: str) -> dict[str, int | None]:
        """The dimensions, None for unknown ones.

        Raises:
            ArtifactError: Two tensors imply different values, or a value is not a whole number.
        """
        known: dict[str, int] = {}
        teller: dict[str, str] = {}
        for single in (True, False):  # sums follow from single sizes
            for name, size, found in self._seen:
                terms = [(k, DIMENSIONS.get(s, s)) for k, s in size.terms]
                if single != (len(terms) == 1) or not all(s in self._names for _, s in terms):
                    continue
                rest = found - sum(k * known.get(s, 0) for k, s in terms)
                missing = [(k, s) for k, s in terms if s not in known]
                if len(missing) == 1:
                    (factor, dimension) = missing[0]
                    value, remainder = divmod(rest, factor)
                    if value >= 0 and not remainder:
                        known[dimension], teller[dimension] = value, name
                        continue
                elif missing or not rest:
                    continue
                told = ", ".join(f"{s} {known[s]} by {teller[s]}" for _, s in terms if s in known)
                reason = f"{name} has the size {found} where {size} is expected" + (
                    f", with {told}" if told else ""
                )
                raise ArtifactError(f"{path}: {layer}: {reason}")
        self._solve_params(known)
        return {name: known.get(name) for name in self._names}

    def _solve_params(self, known: dict[str, int]) -> None:
        """The input size, derived from the size of the parameter buffer."""
        found = [n for _, size, n in self._seen if str(size) == "params_size"]
        derived = self._signature.derived
        if not found or derived is None or known.keys() & set(_WEIGHTED) != set(_WEIGHTED[:2]):
            return
        open_sizes = {"seq_length": 1, "batch_size": 1, **self._attributes, **known}
        try:
            none, one = (
                derived(self._signature.name, {**open_sizes, "input_size": size})["params_size"]
                for size in (0, 1)
            )
        except InvalidArgumentError:  # skip_input, which has no weights for the input
            return
        if one > none and found[0] >= none and (found[0] - none) % (one - none) == 0:
            known["input_size"] = (found[0] - none) // (one - none)
