"""The order of cases in time: how it is read, kept and refused."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from earnest.core.data.order import Dependence, encode_order, pack_order, unpack_order
from earnest.errors import InputError
from tests.snapshots import Golden


def test_times_of_any_kind_have_the_same_ranks() -> None:
    days = [3, 1, 2, 1]
    spellings = (
        days,
        [float(day) for day in days],
        [str(day) for day in days],
        [f"2024-01-0{day}" for day in days],
        [dt.date(2024, 1, day) for day in days],
        np.array([f"2024-01-0{day}" for day in days], dtype="datetime64[D]"),
    )
    for values in spellings:
        assert encode_order(values, 4).tolist() == [2, 0, 1, 0], values
    assert encode_order(["9", "10"], 2).tolist() == [0, 1]
    assert encode_order(True, 3).tolist() == [0, 1, 2]
    assert encode_order(None, 3) is None
    assert encode_order(False, 3) is None


def test_what_is_no_time_is_refused(golden: Golden) -> None:
    for values in (["a", "b"], [1.0, np.nan], [1.0, np.inf], [1, 2, 3], ["2024-13-01", "2"]):
        with golden.raises(InputError):
            encode_order(values, 2)


def test_packed_ranks_come_back_and_others_are_refused() -> None:
    order = np.array([2, 0, 1, 0])
    assert (unpack_order(pack_order(order), 4) == order).all()
    for text, n in ((pack_order(order), 3), ("no text", 4), (pack_order(np.array([7])), 1)):
        with pytest.raises(ValueError, match="order"):
            unpack_order(text, n)


@pytest.mark.parametrize("name", ["pi.npz", "pi.csv", "pi.parquet"])
def test_files_keep_the_order(tmp_path: Path, name: str) -> None:
    y = np.arange(12.0)
    for order in (True, np.arange(12)[::-1], np.repeat([3, 1, 2], 4), None):
        pi = en.Predictions.from_arrays(y, y[:, None] + 1.0, when=order)
        back = en.Predictions.load(pi.save(tmp_path / name))
        assert (back.target.order is None) == (order is None)
        assert order is None or (back.target.order == pi.target.order).all()
        assert back.fingerprint == pi.fingerprint


def test_the_order_is_part_of_the_fingerprint_and_follows_its_cases() -> None:
    y = np.arange(12.0)
    prints = {
        en.Predictions.from_arrays(y, y[:, None], when=order).fingerprint
        for order in (None, True, np.arange(12)[::-1])
    }
    assert len(prints) == 3
    pi = en.Predictions.from_arrays(y, y[:, None], when=np.arange(12)[::-1])
    assert pi.take(np.array([0, 5, 11])).target.order.tolist() == [2, 1, 0]


def test_a_column_of_a_table_is_the_order() -> None:
    import pyarrow as pa

    table = pa.table({"y": [1.0, 2.0, 3.5], "day": [3, 1, 2], "m": [1.5, 2.5, 3.0]})
    pi = en.Predictions.from_frame(table, when="day", fold=None, task="regression")
    assert pi.target.order.tolist() == [2, 0, 1]
    assert pi.configs.ids == ("m",)
    rows = en.Predictions.from_frame(table.drop(["day"]), when=True, fold=None, task="regression")
    assert rows.target.order.tolist() == [0, 1, 2]


def test_dependence_is_plain_data() -> None:
    told = Dependence(block_length=4, inflation=3.0, first=0.5, n_times=90, df=20)
    assert Dependence.from_dict(told.to_dict()) == told
    assert (told.worth, told.strong, told.few) == (30.0, True, False)
