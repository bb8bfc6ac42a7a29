"""Arrays that are used again."""

from __future__ import annotations

from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers

F = TypeVar("F", bound=np.floating)


class Scratch:
    """Memory that blocks of work share: fresh pages can cost as much as the work on them.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.kernels.scratch import Scratch
    >>> scratch = Scratch()
    >>> scratch.copy("a", np.array([1, 2]), np.float32)
    array([1., 2.], dtype=float32)
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, type[np.floating]], NDArray[np.floating]] = {}

    def empty(self, name: str, shape: tuple[int, ...], kind: type[F]) -> NDArray[F]:
        """Return an uninitialised array, the memory of the last one of that name."""
        size = int(np.prod(shape))
        key = (name, kind)
        if key not in self._kept or self._kept[key].size < size:
            self._kept[key] = np.empty(size, dtype=kind)
        return cast(NDArray[F], self._kept[key][:size].reshape(shape))

    def copy(self, name: str, array: Numbers, kind: type[F]) -> NDArray[F]:
        """Return a contiguous array of another type with the same values."""
        out = self.empty(name, array.shape, kind)
        out[...] = array
        return out
