"""The work grows with the columns, not with their square: 100,000 of them are a table like others.

Names that count how often they are compared tell it, whatever the machine: a search of all names
for each of `P` compares `P * P / 2` of them, a look-up about one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from earnest import Configs, Predictions
from earnest.core import Columns
from earnest.core.tables.frames import read_frame
from earnest.core.tables.raw import _count_unlike_ranges
from earnest.core.tables.roles import find_class_columns
from earnest.errors import InputError
from earnest.training import ColumnKind, Feature, Schema
from earnest.training.tables.table import _look_at_columns

P = 400
ROWS = 6


class Name(str):
    """A name that counts its comparisons, and stays one when something is added to it."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __add__(self, other: str) -> Name:
        return Name(str.__add__(self, other))

    __hash__ = str.__hash__


def names(prefix: str = "x") -> tuple[str, ...]:
    return tuple(Name(f"{prefix}{place}") for place in range(P))


def columns_of(found: tuple[str, ...]) -> Columns:
    """A table of numbers, whose columns have these names."""
    values = np.random.default_rng(0).random(ROWS)
    column = nw.from_native(pa.chunked_array([values]), series_only=True)
    fold = nw.from_native(pa.chunked_array([np.arange(ROWS) // 2 % 2]), series_only=True)
    outcome = nw.from_native(pa.chunked_array([np.arange(ROWS) % 2]), series_only=True)
    about = {"y": outcome, "fold": fold}
    return Columns((*about, *found), ROWS, lambda name: about.get(name, column))


@pytest.fixture(autouse=True)
def linear() -> Iterator[None]:
    """Fail a test in which names were compared more than 30 times each on average."""
    Name.compared = 0
    yield
    assert Name.compared <= 30 * P


def test_names_that_are_searched_one_by_one_are_noticed() -> None:
    wanted, known = names(), names()
    assert all(name in known for name in wanted)
    assert Name.compared >= P * (P - 1) // 2
    Name.compared = 0


def test_a_schema_looks_its_columns_up() -> None:
    schema = Schema(
        tuple(Feature(name, ColumnKind.NUMBER) for name in names()), {}, {"target": "y"}
    )
    assert schema.encode(columns_of(names())).shape == (ROWS, P)


def test_a_schema_finds_what_is_missing() -> None:
    schema = Schema(
        tuple(Feature(name, ColumnKind.NUMBER) for name in names()), {}, {"target": "y"}
    )
    with pytest.raises(InputError, match=f"{P // 2 - 5} more are missing"):
        schema.encode(columns_of(names()[::2]))


def test_columns_are_told_from_classes() -> None:
    assert find_class_columns(columns_of(names()), names(), [0, 1]) is None


def test_predictions_are_read_with_and_without_a_list_of_configurations() -> None:
    assert read_frame(columns_of(names())).n_configs == P
    assert read_frame(columns_of(names()), configs=names()).n_configs == P


def test_columns_are_left_out_and_kept_by_name() -> None:
    looks = _look_at_columns(columns_of(names()), {"y", "fold"}, names()[::2], names()[1::2], None)
    assert [looks[name].kind.used for name in names()] == [False, True] * (P // 2)


def test_configurations_are_found_and_written_by_name() -> None:
    scores = np.random.default_rng(0).random((ROWS, P))
    pi = Predictions.from_arrays([0, 1] * (ROWS // 2), scores, configs=Configs(ids=names()))
    assert pi.select(names()[::-1]).configs.ids == names()[::-1]
    assert pi.to_frame().num_columns == P + 2


@pytest.mark.parametrize("seed", range(5))
def test_ranges_that_share_a_point_are_counted_as_by_trying_every_point(seed: int) -> None:
    ends = np.sort(np.random.default_rng(seed).integers(0, 30, (25, 2)), axis=1)
    ranges: list[Any] = [(float(low), float(high)) for low, high in ends]
    most = max(sum(low <= at <= high for low, high in ranges) for at, _ in ranges)
    assert _count_unlike_ranges(ranges) == len(ranges) - most
