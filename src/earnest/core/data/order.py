"""The order of cases in time, and how much their losses depend on those before them."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import RawArray, make_text, read_one_column
from earnest.core.base.errors import InputError
from earnest.core.results.base import Plain
from earnest.core.text.doors import arg

STRONG = 0.5  # the share of the cases that dependent ones are worth, below which it is strong
FEW = 20  # independent cases that all are worth, under which limits were seen to fail


@dataclass(frozen=True, kw_only=True)
class Dependence(Plain):
    """How much the losses of cases in time order depend on each other, and the blocks drawn.

    Attributes
    ----------
    block_length : int
        How many times in a row a block of a resample has, by the rule of Politis and White.
    inflation : float
        The variance of the mean loss over that of as many independent cases, at least 1.
    first : float
        The correlation of losses with those one time before.
    n_times : int
        How many different times the cases have.
    df : int
        The degrees of freedom with which the variance of the mean is known.

    Examples
    --------
    >>> from earnest.core.data.order import Dependence
    >>> dependence = Dependence(block_length=8, inflation=2.0, first=0.36, n_times=200, df=36)
    >>> dependence.worth, dependence.strong
    (100.0, False)
    """

    block_length: int
    inflation: float
    first: float
    n_times: int
    df: int

    @property
    def worth(self) -> float:
        """How many independent times the mean loss is worth."""
        return self.n_times / self.inflation

    @property
    def strong(self) -> bool:
        """Whether the cases are worth less than half of their number."""
        return self.inflation * STRONG > 1.0

    @property
    def few(self) -> bool:
        """Whether they are worth so few that limits were seen to fail."""
        return self.worth < FEW


def encode_order(values: ArrayLike | bool | None, n: int) -> NDArray[np.int64] | None:
    """Return the rank of the time of each case, equal times alike; True takes the rows in order.

    Times are numbers or dates.

    Examples
    --------
    >>> from earnest.core.data.order import encode_order
    >>> encode_order(["2024-02-01", "2023-12-31", "2024-02-01"], 3)
    array([1, 0, 1])
    """
    if values is None or values is False:
        return None
    if values is True:
        return np.arange(n)
    times = _read_times(read_one_column("when", values, n))
    ranks = np.unique(times, return_inverse=True)[1]
    return np.asarray(ranks, dtype=np.int64).reshape(-1)


def _read_times(array: RawArray) -> RawArray:
    """Return numbers or dates; text is read as either."""
    if array.dtype.kind in "iufM" or array.dtype == bool:
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise _refuse(array)
        return array
    text = make_text(array)
    for kind in (np.float64, "datetime64[ns]"):
        try:
            times = np.char.strip(text).astype(kind)
        except ValueError:
            continue
        if not np.isnan(times).any():
            return np.asarray(times)
    raise _refuse(text)


def _refuse(values: RawArray) -> InputError:
    return InputError(
        f"{arg('when')} does not hold times",
        needs="numbers, or dates such as 2024-12-31",
        got=check.some(map(repr, dict.fromkeys(values.tolist()))),
        cure="Write dates as year-month-day, or number the cases in their order.",
    )


def is_by_rows(order: NDArray[np.int64] | None) -> bool:
    """Tell whether the rows themselves are in time order, each at a time of its own."""
    return order is not None and bool((order == np.arange(len(order))).all())


def pack_order(order: NDArray[np.int64]) -> str:
    """Return the ranks as text for a file."""
    return base64.b64encode(zlib.compress(order.astype("<i8").tobytes(), 6)).decode()


def unpack_order(text: str, n: int) -> NDArray[np.int64]:
    """Read what `pack_order` wrote; a ValueError where it was changed."""
    try:
        raw = zlib.decompress(base64.b64decode(text, validate=True))
    except (zlib.error, ValueError) as error:
        raise ValueError("an order that is none") from error
    order = np.frombuffer(raw, dtype="<i8").astype(np.int64)
    if len(order) != n or (n and not 0 <= int(order.min()) <= int(order.max()) < n):
        raise ValueError("an order of other cases")
    return order


def rebuild_order(ordered: bool, packed: str | None, n: int) -> NDArray[np.int64] | None:
    """Return the order that a file tells: of its rows, or packed."""
    if packed is not None:
        return unpack_order(packed, n)
    return np.arange(n) if ordered else None


def describe_order(order: NDArray[np.int64] | None) -> dict[str, object]:
    """Return what a file tells of the order: `ordered`, and the ranks unless they are the rows'."""
    facts: dict[str, object] = {"ordered": order is not None}
    if order is not None and not is_by_rows(order):
        facts["order"] = pack_order(order)
    return facts
