"""Columns that divide the cases into subgroups: what `by` names, or brings along."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import as_array, column_names, make_text, missing, same_length
from earnest.core.base.errors import InputError
from earnest.core.base.provenance import JsonObject
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    from earnest.core.data.predictions import Predictions

ByLike: TypeAlias = "str | Sequence[str] | ArrayLike | Mapping[str, ArrayLike]"
MISSING = "missing"  # the level of cases without a value
UNNAMED = "subgroup"  # the name of an array that comes without one
MOST_LEVELS = 50


@dataclass(frozen=True, eq=False, kw_only=True)
class SubgroupColumn:
    """One column of the cases: the levels in order, and the level of every case.

    Parameters
    ----------
    name : str
        What the column is called.
    levels : tuple of str
        Its values as text, numbers in their order; 'missing' stands last.
    codes : ndarray of int64, shape (n,)
        The position of the level of each case.

    Examples
    --------
    >>> from earnest.core.data.subgroups import SubgroupColumn
    >>> column = SubgroupColumn.of("site", ["b", None, "a", "b"])
    >>> column.levels, column.codes
    (('a', 'b', 'missing'), array([1, 2, 0, 1]))
    """

    name: str
    levels: tuple[str, ...]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, name: str, values: ArrayLike) -> SubgroupColumn:
        """Read a column; a missing value is a level of its own."""
        array = as_array("by", values)
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1:
            raise InputError(
                f"the column {name!r} of {arg('by')} is not one value per case",
                needs="an array of shape (n,)",
                got=f"shape {array.shape}",
                cure="Pass several columns as a dict: {'sex': ..., 'site': ...}.",
            )
        absent = np.asarray(missing(array), dtype=bool)
        present = array[~absent]
        if present.dtype == object:
            present = np.asarray(make_text(present))
        if present.dtype.kind == "f" and (present == np.rint(present)).all():
            present = present.astype(np.int64)  # a column of whole numbers with gaps
        distinct, positions = np.unique(present, return_inverse=True)
        if len(distinct) + bool(absent.any()) > MOST_LEVELS:
            raise InputError(
                f"the column {name!r} of {arg('by')} has too many levels",
                needs=f"at most {MOST_LEVELS}",
                got=f"{len(distinct):,} different values of {len(array):,} cases",
                cure="Put numbers into bins, such as ages of ten years, and rare levels together.",
            )
        levels = [check.spell(level, str) for level in distinct.tolist()]
        codes = np.full(len(array), len(levels), dtype=np.int64)
        codes[~absent] = positions.reshape(-1)
        if absent.any():
            levels += [] if MISSING in levels else [MISSING]  # a level may say so itself
            codes[absent] = levels.index(MISSING)
        return cls(name=name, levels=tuple(levels), codes=codes)

    def take(self, rows: NDArray[np.intp]) -> SubgroupColumn:
        """Return the column of some of the cases, with all its levels."""
        return replace(self, codes=self.codes[rows])

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON holds it, the codes packed."""
        packed = zlib.compress(self.codes.astype("<u1").tobytes(), 6)
        return {
            "name": self.name,
            "levels": list(self.levels),
            "codes": base64.b64encode(packed).decode(),
        }

    @classmethod
    def of_plain(cls, data: JsonObject) -> SubgroupColumn:
        """Read what `to_plain` wrote; a ValueError where it was changed."""
        levels = tuple(map(str, data["levels"]))
        try:
            raw = zlib.decompress(base64.b64decode(data["codes"], validate=True))
        except (zlib.error, ValueError) as error:
            raise ValueError("codes of subgroups that are no codes") from error
        codes = np.frombuffer(raw, dtype="<u1").astype(np.int64)
        if len(codes) and int(codes.max()) >= len(levels):
            raise ValueError("a code of a subgroup without a level")
        return cls(name=str(data["name"]), levels=levels, codes=codes)


def list_cells(
    columns: Sequence[SubgroupColumn],
) -> list[tuple[str, str, NDArray[np.intp]]]:
    """Return column, level and cases of every subgroup that has a case."""
    cells = [
        (column.name, level, np.flatnonzero(column.codes == code))
        for column in columns
        for code, level in enumerate(column.levels)
    ]
    return [cell for cell in cells if len(cell[2])]


def read_columns(by: object, n: int) -> tuple[SubgroupColumn, ...]:
    """Return the columns that arrays or a dict of arrays give to the cases.

    Examples
    --------
    >>> from earnest.core.data.subgroups import read_columns
    >>> [column.name for column in read_columns({"sex": ["f", "m"], "site": [1, 2]}, 2)]
    ['sex', 'site']
    """
    if isinstance(by, Mapping):
        columns = {check.spell(name, str): values for name, values in by.items()}
    elif (names := column_names(by)) is not None:  # of a table
        table = cast("Mapping[str, ArrayLike]", by)
        columns = {name: table[name] for name in names}
    else:
        name = getattr(by, "name", None)
        columns = {UNNAMED if name is None else check.spell(name, str): cast("ArrayLike", by)}
    if not columns:
        raise InputError(f"{arg('by')} names no column", needs="at least one", got="none")
    for values in columns.values():
        same_length("by", as_array("by", values), n)
    return tuple(SubgroupColumn.of(name, values) for name, values in columns.items())


def list_names(by: object) -> tuple[str, ...]:
    """Return the names of columns, where `by` names some."""
    names = [by] if isinstance(by, str) else by
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        return ()
    return tuple(dict.fromkeys(names))


def find_columns(pi: Predictions, by: object) -> tuple[SubgroupColumn, ...]:
    """Return the columns that `by` names among those of the predictions, or brings along."""
    names = list_names(by)
    carried = {column.name: column for column in pi.target.subgroups}
    are_values = isinstance(by, list | tuple) and len(by) == pi.n_cases
    if names and (not are_values or set(names) <= set(carried)):
        return tuple(_find_column(carried, name) for name in names)
    return read_columns(by, pi.n_cases)


def _find_column(carried: Mapping[str, SubgroupColumn], name: str) -> SubgroupColumn:
    if name not in carried:
        listed = check.some(map(repr, carried)) if carried else "none"
        raise InputError(
            f"the predictions have no column {name!r} of subgroups",
            needs=f"a column that they carry ({listed}), or its values",
            got=check.show(name),
            cure=check.nearest(name, carried)
            if carried
            else f"Pass {arg('by')} when you make them, as in Predictions.from_arrays(..., "
            "by={'sex': sex}), or pass the values here.",
        )
    return carried[name]
