"""A large matrix that is made column by column: on the disk and mapped, so that memory stays small.

Tables come by columns, and Π is read by rows. A matrix of gigabytes is therefore written twice: its
columns one after the other, then turned over block by block. Both files have no name, and go when
nobody has them open; they lie where Python keeps temporary files (`TMPDIR`).
"""

from __future__ import annotations

import tempfile
from types import TracebackType
from typing import IO, Self

import numpy as np

from earnest.core.base.arrays import BLOCK, RawArray

LARGE = 1 << 26  # bytes from which a matrix is mapped unless the user says otherwise


class ColumnFile:
    """Takes the columns of a matrix, all of one length, and gives it back mapped.

    Parameters
    ----------
    dtype : dtype
        Of its values, which are kept to the last bit.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.tables.formats.mapped import ColumnFile
    >>> with ColumnFile(np.dtype(np.float64)) as columns:
    ...     columns.append(np.array([1.0, 2.0, 3.0]))
    ...     columns.append(np.array([4.0, 5.0, 6.0]))
    ...     matrix = columns.mapped((3, 2, 1, 1))  # cases, configurations, repeats, classes
    >>> matrix[:, :, 0, 0].tolist()
    [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    """

    def __init__(self, dtype: np.dtype[np.generic]) -> None:
        self.dtype = dtype
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="earnest-")  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def append(self, values: RawArray) -> None:
        """Write one column: its values, repeat after repeat."""
        self._file.write(np.ascontiguousarray(values, dtype=self.dtype).data)

    def mapped(self, shape: tuple[int, int, int, int]) -> RawArray:
        """Return the matrix (n, C, R, K); its columns were given by configuration, then class."""
        n, configs, repeats, classes = shape
        self._file.flush()
        step = max(1, BLOCK // max(1, configs * repeats * classes))
        with tempfile.TemporaryFile(prefix="earnest-") as turned:
            for start in range(0, n, step):
                # Mapped anew for each block: pages that were read would stay in memory.
                whole: RawArray = np.memmap(
                    self._file, self.dtype, "r", shape=(configs, classes, repeats, n)
                )
                block = whole[..., start : start + step].transpose(3, 0, 2, 1)
                turned.write(np.ascontiguousarray(block).data)
                del whole, block
            turned.flush()
            return np.memmap(turned, self.dtype, "r", shape=shape)
