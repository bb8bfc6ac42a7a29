"""Arrays that are used again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


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
        self._kept: dict[tuple[str, np.dtype[Any]], NDArray[Any]] = {}

    def empty(self, name: str, shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
        """Return an uninitialised array, the memory of the last one of that name."""
        size = int(np.prod(shape))
        key = (name, np.dtype(kind))
        if key not in self._kept or self._kept[key].size < size:
            self._kept[key] = np.empty(size, dtype=kind)
        return self._kept[key][:size].reshape(shape)

    def copy(self, name: str, array: NDArray[Any], kind: Any) -> NDArray[Any]:
        """Return a contiguous array of another type with the same values."""
        out = self.empty(name, array.shape, kind)
        out[...] = array
        return out
