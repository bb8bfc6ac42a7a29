"""What an estimate is made of."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.core import Ask, DrawnLimits, LimitSource, NormalLimits, Scale, Selection, Side
from earnest.core.base.provenance import finite
from earnest.core.cautions import of_search
from earnest.core.results.estimate import Provenance, make_interval
from earnest.results import Estimate
from tests.snapshots import Golden

AUC = Scale("roc_auc", True, (0.0, 1.0))
MSE = Scale("mse", False, (0.0, math.inf))
FLATTERED = of_search.winner_too_optimistic(
    optimism=0.1,
    places=1,
    low=None,
    high=None,
    level=None,
    share=None,
    rival="chance",
    bound_only=False,
)


def an_estimate(
    scale: Scale = AUC, value: float = 0.8, naive: float | None = 0.9, draws: bool = True
) -> Estimate:
    source: LimitSource = (
        DrawnLimits(np.linspace(value - 0.2, value + 0.2, 401))
        if draws
        else NormalLimits(value, 0.1)
    )
    return Estimate(
        value=value,
        interval=make_interval(source, Ask(), scale),
        standard_error=0.1,
        scale=scale,
        method="bbc",
        estimand="the winner",
        selection=Selection.CORRECTED,
        naive=naive,
        winner="c3",
        n_cases=100,
        n_configs=7,
        n_resamples=401 if draws else None,
        n_valid=401 if draws else None,
        cautions=(FLATTERED,),
        provenance=Provenance(
            seed=1, fingerprint="ab", n_folds=5, n_repeats=2, knobs={"a": 1}, versions={"b": "2"}
        ),
        no_information=0.5 if scale is AUC else 2.0,
        optimism_error=0.02,
        source=source,
    )


def test_optimism_is_positive_where_the_naive_score_flatters() -> None:
    assert an_estimate(AUC, 0.8, 0.9).optimism == pytest.approx(0.1)
    assert an_estimate(MSE, 1.5, 1.2).optimism == pytest.approx(0.3)
    assert an_estimate(naive=None).optimism is None


def test_share_lost_is_relative_to_what_was_learned() -> None:
    assert an_estimate(AUC, 0.8, 0.9).share_lost == pytest.approx(0.1 / 0.4)
    assert an_estimate(MSE, 1.5, 1.2).share_lost == pytest.approx(0.3 / 0.8)
    assert an_estimate(AUC, 0.4, 0.45).share_lost is None  # nothing was learned
    assert an_estimate(naive=None).share_lost is None


def test_the_optimism_has_a_normal_interval_at_the_level() -> None:
    made = an_estimate()
    found, wide = made.optimism_interval, made.at(confidence_level=0.99).optimism_interval
    assert found is not None
    assert wide is not None
    assert (found.low, found.high) == pytest.approx(
        (0.1 - 1.96 * 0.02, 0.1 + 1.96 * 0.02), abs=1e-5
    )
    assert wide.width == pytest.approx(2 * 2.5758 * 0.02, abs=1e-5)
    loss = an_estimate(MSE, 1.5, 1.4).optimism_interval
    assert loss is not None
    assert (loss.low, loss.high) == pytest.approx((found.low, found.high))
    assert replace(made, optimism_error=None).optimism_interval is None
    assert an_estimate(naive=None).optimism_interval is None


def test_another_level_keeps_the_caution_only_where_the_optimism_is_certain() -> None:
    made = replace(an_estimate(), optimism_error=0.04)  # 2.5 errors
    codes = {
        level: [c.code for c in made.at(confidence_level=level).cautions] for level in (0.9, 0.99)
    }
    assert "EN001" in codes[0.9]
    assert "EN001" not in codes[0.99]


def test_limits_are_brought_into_the_range_of_the_metric() -> None:
    interval = make_interval(NormalLimits(0.95, 0.1), Ask(0.95, Side.TWO_SIDED), AUC)
    assert interval.high == 1.0
    lower = make_interval(NormalLimits(0.05, 0.1), Ask(0.95, Side.LOWER), AUC)
    assert (lower.low, lower.high) == (0.0, 1.0)
    upper = make_interval(NormalLimits(1.0, 0.1), Ask(0.9, Side.PESSIMISTIC), MSE)
    assert (upper.low, upper.side) == (0.0, "upper")


@pytest.mark.parametrize("draws", [True, False])
def test_another_level_or_side_is_read_from_the_same_source(draws: bool) -> None:
    made = an_estimate(draws=draws)
    moved = made.at(confidence_level=0.8, side="lower")
    assert moved.source is made.source
    assert moved.interval == make_interval(made.source, Ask(0.8, Side.LOWER), AUC)
    assert replace(moved, interval=made.interval) == made


def test_at_keeps_what_is_not_asked_for() -> None:
    moved = an_estimate().at(side="upper").at(confidence_level=0.8)
    assert moved.interval is not None
    assert (moved.interval.side, moved.interval.confidence_level) == ("upper", 0.8)


def test_at_refuses_a_bad_level_or_side() -> None:
    with pytest.raises(en.errors.InputError):
        an_estimate().at(confidence_level=2)
    with pytest.raises(en.errors.InputError):
        an_estimate().at(side="both")


@pytest.mark.parametrize("scale", [AUC, MSE])
@pytest.mark.parametrize("draws", [True, False])
def test_a_result_survives_json(scale: Scale, draws: bool) -> None:
    made = an_estimate(scale, draws=draws)
    back = Estimate.from_dict(json.loads(json.dumps(made.to_dict(draws=True), allow_nan=False)))
    assert back == made
    assert back.at(confidence_level=0.7).interval == made.at(confidence_level=0.7).interval


def test_draws_are_kept_only_when_asked_for() -> None:
    made = an_estimate()
    assert "draws" not in made.to_dict()["limits_from"]
    back = Estimate.from_dict(made.to_dict())
    assert back == made
    with pytest.raises(en.errors.EvidenceError, match="not kept"):
        back.at(confidence_level=0.5)


def test_numbers_that_json_cannot_hold_become_none() -> None:
    assert [finite(v) for v in (math.nan, math.inf, None, 1.5)] == [None, None, None, 1.5]
    assert isinstance(finite(np.float64(0.5)), float)
    data = replace(an_estimate(), value=math.nan).to_dict()
    assert data["value"] is None
    assert math.isnan(Estimate.from_dict(data).value)


@pytest.mark.parametrize("data", [{}, {"schema": "earnest/estimate/0"}, {"schema": None}])
def test_another_schema_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(en.errors.FormatError, match="earnest/estimate/1"):
        Estimate.from_dict(data)


def test_the_repr_is_one_line_for_a_paper(golden: Golden) -> None:
    golden.check(repr(an_estimate()))
    assert "95 % lower bound 0.62" in repr(an_estimate().at(side="lower"))
    assert "90 % upper bound 0.96" in repr(an_estimate().at(side="upper", confidence_level=0.9))
    alone = replace(an_estimate(), n_configs=1, selection=Selection.NOTHING_SELECTED, interval=None)
    assert repr(alone) == "roc_auc 0.80 (bbc, n=100)"


def test_the_html_escapes_names() -> None:
    text = replace(an_estimate(), winner="<b>&")._repr_html_()
    assert "&lt;b&gt;&amp;" in text
    assert "EN001" in text


def test_the_row_and_the_frame_have_the_main_numbers() -> None:
    made = an_estimate()
    table = made.to_frame()
    assert table.num_rows == 1
    row = table.to_pylist()[0]
    assert row == made.rows()[0]
    assert (row["value"], row["low"], row["side"]) == (0.8, made.interval.low, "two-sided")
    assert replace(made, interval=None).rows()[0]["low"] is None


def test_a_result_pickles_with_its_draws() -> None:
    made = an_estimate()
    back = pickle.loads(pickle.dumps(made))
    assert back == made
    np.testing.assert_array_equal(back.draws, made.draws)


def test_draws_are_none_where_limits_are_normal() -> None:
    assert an_estimate(draws=False).draws is None


def test_the_caution_on_few_draws_follows_the_level() -> None:
    y = np.tile([0, 1], 30)
    pi = en.Predictions.from_arrays(y, np.random.default_rng(3).random(60))
    wide = en.estimate(pi, metric="roc_auc", n_resamples=200, confidence_level=0.8, rng=3)
    assert "EN016" not in {caution.code for caution in wide.cautions}
    narrow = wide.at(confidence_level=0.99)
    assert "EN016" in {caution.code for caution in narrow.cautions}
    assert narrow.at(confidence_level=0.8) == wide


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: [],
        lambda data: {k: v for k, v in data.items() if k != "winner"},
        lambda data: {**data, "value": "x"},
        lambda data: {**data, "interval": {"low": 0.1}},
        lambda data: {**data, "cautions": None},
    ],
)
def test_damaged_data_is_refused_with_a_reason(damage: Any) -> None:
    pi = en.Predictions.from_arrays(np.tile([0, 1], 30), np.random.default_rng(3).random(60))
    data = en.estimate(pi, metric="roc_auc", n_resamples=50, rng=3).to_dict()
    with pytest.raises(en.errors.FormatError, match=r"read|missing"):
        Estimate.from_dict(damage(data))
