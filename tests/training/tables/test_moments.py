"""Dates as numbers, against Python's own calendar."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from earnest.training.tables.moments import FORMS, PARTS, compute_part, find_form, read_moments

START = datetime(1903, 2, 27, 13, 30)
MOMENTS = [START + timedelta(hours=5003 * i) for i in range(200)]


def list_oracle(moment: datetime) -> dict[str, float]:
    since = moment - datetime(1970, 1, 1)
    return {
        "year": moment.year,
        "month": moment.month,
        "day": moment.day,
        "weekday": moment.isoweekday(),
        "hour": moment.hour + moment.minute / 60,
        "days since 1970": since.total_seconds() / 86400,
    }


def test_parts_of_dates_are_those_of_the_calendar_and_gaps_stay_gaps() -> None:
    seconds = read_moments(pa.chunked_array([[*MOMENTS, None]]), "")
    for part in PARTS:
        values = compute_part(seconds, part)
        assert values[:-1] == pytest.approx([list_oracle(m)[part] for m in MOMENTS])
        assert np.isnan(values[-1])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("sign", [".", "/", "-", " "])
def test_dates_that_people_write_are_read_in_their_form(form: str, sign: str) -> None:
    if sign == " " and "b" not in form.lower():
        return
    cells = [m.strftime(form.replace(".", sign)) for m in MOMENTS]
    column = pa.chunked_array([[*cells, None]])
    found = find_form(column)
    assert found == form or {found, form} == {"%d.%b.%Y", "%d.%B.%Y"}  # of May alone
    seconds = read_moments(column, form)
    oracle = [m.replace(hour=0, minute=0) for m in MOMENTS]
    assert seconds[:-1] == pytest.approx(
        [(m - datetime(1970, 1, 1)).total_seconds() for m in oracle]
    )
    assert np.isnan(seconds[-1])


@pytest.mark.parametrize("cell", ["24.12.2025 18:05", "24.12.2025T18:05:30", "24.12.2025  18:05"])
def test_the_time_of_a_date_that_is_written_counts(cell: str) -> None:
    seconds = read_moments(pa.chunked_array([[cell]]), "%d.%m.%Y")
    assert compute_part(seconds, "hour")[0] == pytest.approx(18 + 5 / 60)


def test_what_is_no_date_is_missing_and_another_form_too() -> None:
    cells = ["31.12.2020", "12.31.2020", "31.12.2020 or later", "", "unknown"]
    seconds = read_moments(pa.chunked_array([cells]), "%d.%m.%Y")
    assert np.isfinite(seconds).tolist() == [True, False, False, False, False]


def test_the_day_comes_first_where_both_ways_read_all() -> None:
    assert find_form(pa.chunked_array([["03/04/2020", "05/06/2020"]])) == "%d.%m.%Y"
    assert find_form(pa.chunked_array([["03/04/2020", "05/16/2020"]])) == "%m.%d.%Y"


def test_time_zones_and_times_of_day_are_read() -> None:
    noon = datetime(2020, 1, 1, 12, tzinfo=UTC)
    zoned = pa.chunked_array([[noon]], pa.timestamp("us", "Europe/Vienna"))
    assert read_moments(zoned, "")[0] == noon.timestamp()
    time = pa.chunked_array([[5400]], pa.int32()).cast(pa.time32("s"))
    assert compute_part(read_moments(time, ""), "hour")[0] == 1.5
    assert np.isnan(read_moments(pa.chunked_array([[None]], pa.null()), "")).all()
