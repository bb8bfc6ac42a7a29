"""Several estimates side by side."""

from __future__ import annotations

import json

import pytest

import earnest as en
from earnest import Predictions, estimate_all
from earnest.results import Estimates


@pytest.fixture(scope="module")
def table(binary: Predictions) -> Estimates:
    methods = ["bbc", "naive", "bbc_fold"]
    return estimate_all(binary, methods=methods, metric="roc_auc", n_resamples=200, rng=0)


def test_estimates_are_found_by_method_and_in_order(table: Estimates) -> None:
    assert len(table) == 3
    assert [e.method for e in table] == ["bbc", "naive", "bbc_fold"]
    assert table["naive"].method == "naive"
    with pytest.raises(en.errors.UnknownNameError, match="bbc, naive, bbc_fold"):
        table["tibshirani"]


def test_another_level_moves_every_interval_that_there_is(table: Estimates) -> None:
    moved = table.at(confidence_level=0.8, side="lower")
    for before, after in zip(table, moved, strict=True):
        if before.interval is None:
            assert after is before
        else:
            assert after == before.at(confidence_level=0.8, side="lower")
    with pytest.raises(en.errors.InputError):
        table.at(confidence_level=80)


def test_a_table_survives_json(table: Estimates) -> None:
    back = Estimates.from_dict(json.loads(json.dumps(table.to_dict(draws=True), allow_nan=False)))
    assert back == table
    assert back.at(side="upper") == table.at(side="upper")
    with pytest.raises(en.errors.FormatError, match="earnest/estimates/1"):
        Estimates.from_dict(table["bbc"].to_dict())


def test_refusals_survive_json_and_stand_in_the_repr(binary: Predictions) -> None:
    whole = Predictions.from_arrays(binary.target.y, binary.responses[:, :, 0])
    table = estimate_all(whole, methods=["naive", "tibshirani"], metric="roc_auc")
    assert Estimates.from_dict(json.loads(json.dumps(table.to_dict()))) == table
    assert repr(table).splitlines()[1].startswith("tibshirani: refused. ")


def test_the_frame_has_a_row_a_method(table: Estimates) -> None:
    rows = table.to_frame().to_pylist()
    assert [row["method"] for row in rows] == ["bbc", "naive", "bbc_fold"]
    assert rows[1]["low"] is None


def test_repr_and_html_have_a_line_a_method(table: Estimates) -> None:
    assert len(repr(table).splitlines()) == 3
    assert table._repr_html_().count('<td class="strip">') == 3
