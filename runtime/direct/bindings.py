"""Bindings: where compiled code reads an argument, and how the argument is checked.

An array on the device, and a large numpy array that compiled code can read, are read in place;
other values, and states that the code updates, are copied to memory of the call's own. An array on
the device does not change, so one that is passed again is still bound and need not be checked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np
import numpy.typing as npt

from rnn_compiler.runtime.arguments import as_array, check_argument, default_array
from rnn_compiler.runtime.device.device_array import DeviceArray
from rnn_compiler.runtime.direct.memory import address_of, is_ready, zeros
from rnn_compiler.runtime.direct.prepared import Base, PreparedCall
from rnn_compiler.runtime.results import SMALL
from rnn_compiler.schema.specs import FunctionSpec

__all__ = ["Binding"]

_KEPT = 1 << 20
"""The size in bytes up to which the memory of an argument's copy is kept for later calls."""


class Binding:
    """An argument of a call.

    Attributes:
        last: Returns the array on the device that is bound, to compare by `is`; a new object, which
            no array is, if there is none.
        is_read_before: Whether its content was read before the call, to be packed or checked.
    """

    __slots__ = (
        *("_address", "_base", "_copies", "_is_state", "_may_be_packed", "_op", "_own"),
        *("_prepared", "_spec", "_stays", "is_read_before", "last"),
    )

    def __init__(
        self,
        function: FunctionSpec,
        number: int,
        prepared: PreparedCall,
        copies: list[Any],
        packs: bool,
    ) -> None:
        """Creates it; nothing is bound yet."""
        spec = function.arguments[number]
        self._op, self._spec, self._prepared, self._copies = function.op, spec, prepared, copies
        self._base: Base = ("argument", number)
        self._is_state = number in function.continued  # whose memory the code writes to
        is_weight = spec.name in function.weights
        self._stays = is_weight and len(prepared.plan.arguments) > len(function.arguments)
        self._may_be_packed = is_weight and packs
        self.is_read_before = self._stays or spec.maximum is not None
        self._own: Any = None
        self._address = 0
        self.last: Callable[[], object] = object

    def takes(self, value: Any) -> bool:
        """Whether a similar call may pass another value; checks and binds it.

        Raises:
            InvalidArgumentError: It has the wrong dtype, shape or range.
        """
        spec = self._spec
        if self._stays:
            return False
        if isinstance(value, DeviceArray):
            if self._may_be_packed or not (value.on_host and value.matches(spec)):
                return False
            self.bind(value)
            return True
        if value is None:
            if spec.default is None:
                return False
            array = default_array(spec)
        else:
            array = as_array(self._op, spec.name, value, spec.dtype)
            check_argument(self._op, spec, array)
        self.bind(array, array is value)
        return True

    def bind(self, array: npt.NDArray[Any] | DeviceArray, in_place: bool = True) -> None:
        """Binds a checked array; `in_place` if the caller keeps it until the call ends."""
        spec = self._spec
        self.last = object
        if isinstance(array, DeviceArray):
            if array.on_host and not self._is_state:
                self.last = ref(array)
                if not spec.ignored:
                    self._prepared.bind(self._base, array.address)
                    return
            host = array.to_host()
        else:
            host = array
        if spec.ignored:
            self.own()
        elif in_place and not self._is_state and host.nbytes > SMALL and is_ready(host):
            self._prepared.bind(self._base, address_of(host))
        else:
            own = self.own()
            own[...] = host if host.shape == own.shape else np.reshape(host, own.shape)

    def share(self, address: int) -> None:
        """Binds memory that several calls share, such as that of a state."""
        self.last = object
        self._prepared.bind(self._base, address)

    def own(self) -> Any:
        """The call's own memory for it, which is bound."""
        if self._own is not None:
            self._prepared.bind(self._base, self._address)
            return self._own
        own = zeros(self._spec)
        address = address_of(own)
        self._prepared.bind(self._base, address)
        if own.nbytes > _KEPT and not self._spec.ignored:
            self._copies.append(own)
        else:
            self._own, self._address = own, address
        return own
