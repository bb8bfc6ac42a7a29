"""Picture, p-value, verdict and heading of a comparison come from one adjustment."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

import earnest as en
from earnest.core import Standing
from earnest.reporting import verdicts
from earnest.results import Comparisons
from tests.snapshots import Golden


@pytest.fixture(scope="module")
def pi() -> en.Predictions:
    """Twelve configurations of falling skill; seed 21."""
    rng = np.random.default_rng(21)
    y = np.tile([0, 1], 100)
    scores = y[:, None] * np.linspace(2.0, 0.6, 12) + rng.standard_normal((200, 12))
    configs = en.Configs(
        ids=tuple(f"m{i}" for i in range(12)), complexity=tuple(float(12 - i) for i in range(12))
    )
    return en.Predictions.from_arrays(y, scores, np.arange(200) // 2 % 10, configs=configs)


@pytest.fixture(scope="module")
def told(pi: en.Predictions) -> en.results.Report:
    return en.report(pi, metric="roc_auc", explain=False, n_resamples=100)


@pytest.fixture(scope="module", params=["delong", "bayle", "bootstrap"])
def many(pi: en.Predictions, request: pytest.FixtureRequest) -> Comparisons:
    return en.compare_many(pi, test=request.param, metric="roc_auc", rng=0)


def test_the_verdict_is_that_of_the_set_for_all_pairs_at_once(many: Comparisons) -> None:
    found = verdicts(many)
    assert {row.worse for row in found} == {True, False}
    assert {row.comparison.b for row in found if not row.worse} == {*many.not_worse} - {many.best}
    for row in found:
        assert row.p == many.p_best[row.comparison.b]
        assert row.worse == (row.p <= 0.05 and row.comparison.difference > 0)


def test_the_thin_bar_holds_the_thick_one_and_never_contradicts_the_verdict(
    many: Comparisons,
) -> None:
    for row in verdicts(many):
        assert row.pairwise is not None
        assert row.all is not None
        assert row.all[0] <= row.pairwise[0] <= row.pairwise[1] <= row.all[1]
        near = abs(row.p - 0.05) < 0.02  # a resampled p and a resampled limit share no last digit
        assert near or row.worse == (row.all[0] > 0)


def test_the_part_counts_and_names_what_the_rows_say(
    told: en.results.Report,
) -> None:
    part = told.content.rivals
    assert part is not None
    kept = [row.config for row in part.rows if not row.worse]
    margin = 0.05 * (told.content.results["estimate"]["naive"] - 0.5)
    assert part.heading.startswith(f"{len(kept)} other configurations")
    assert list(part.not_worse) == kept
    near = [row.config for row in part.rows if not row.worse and row.ahead_by <= margin]
    winner = told.content.results["estimate"]["winner"]
    assert part.cheapest == max([*near, winner], key=lambda name: int(name[1:]))
    tinted = [row.config for row in part.rows if row.cheapest]
    assert tinted == [name for name in near if name == part.cheapest]
    assert part.margin in part.lede


def test_the_cheapest_is_unknown_without_an_order(pi: en.Predictions) -> None:
    bare = en.Predictions.from_arrays(pi.target.y, pi.responses[:, :, 0], pi.folds[:, 0])
    part = en.report(bare, metric="roc_auc", explain=False, n_resamples=100).content.rivals
    assert part is not None
    assert part.cheapest is None
    assert "is unknown" in part.lede
    assert en.compare_many(bare, metric="roc_auc", rng=0).cheapest is None


def test_every_surface_counts_the_same_configurations(
    pi: en.Predictions, told: en.results.Report
) -> None:
    # one question, one answer: Python, the report's heading and rows, and its audit table
    other = en.report(pi, metric="average_precision", explain=False, n_resamples=100)
    for metric, made in (("roc_auc", told), ("average_precision", other)):
        many = en.compare_many(pi, metric=metric, rng=0)
        content = made.content
        assert content.rivals is not None
        assert content.audit is not None
        assert set(content.rivals.not_worse) == set(many.not_worse) - {many.best}
        states = {row.config: row.status for row in content.audit.rows}
        assert {name for name, state in states.items() if state != "worse"} == {*many.not_worse}
        assert dict(content.audit.counts)[Standing.NOT_WORSE] == str(len(many.not_worse) - 1)


def test_of_a_loss_the_winner_is_ahead_by_a_positive_amount(regression: en.Predictions) -> None:
    part = en.report(regression, metric="rmse", n_resamples=100).content.rivals
    assert part is not None
    assert all(float(row.ahead.replace("\u2212", "-")) > 0 for row in part.rows)
    assert part.rows[-1].worse


@pytest.mark.parametrize("kind", ["classes", "loss"])
def test_interval_p_and_verdict_of_a_row_are_of_one_kind_in_every_form(
    told: en.results.Report, regression: en.Predictions, kind: str
) -> None:
    made = told
    if kind == "loss":
        made = en.report(regression, metric="rmse", explain=False, n_resamples=100)
    part = made.content.rivals
    assert part is not None
    written, markdown = json.loads(made.to_json())["rivals"]["rows"], made.to_markdown()
    for row, plain in zip(part.rows, written, strict=True):
        assert row.limits is not None
        assert row.limits_one is not None
        assert row.ahead_by is not None
        assert row.limits[0] <= row.limits_one[0] <= row.ahead_by
        assert row.ahead_by <= row.limits_one[1] <= row.limits[1]
        assert row.worse == (row.limits[0] > 0) == (row.p_value <= 0.05)
        assert plain["limits"] == list(row.limits)
        assert row.interval in markdown.replace("\\", "")
    open_rows = [row for row in part.rows if not row.worse and row.limits_one[0] > 0]
    assert open_rows or kind == "loss"  # so the two kinds of interval do differ here


def test_the_sentence_on_the_cheapest_shows_the_interval_that_its_verdict_follows(
    pi: en.Predictions,
    golden: Golden,
) -> None:
    scores = pi.responses[:, :, 0]
    near = scores[:, :1] + 0.02 * np.random.default_rng(5).standard_normal((200, 1))
    ranks = (*pi.configs.complexity, 0.5)
    configs = en.Configs(ids=(*pi.configs.ids, "near"), complexity=ranks)
    wider = en.Predictions.from_arrays(
        pi.target.y, np.hstack([scores, near]), pi.folds[:, 0], configs=configs
    )
    part = en.report(wider, metric="roc_auc", explain=False, n_resamples=100).content.rivals
    assert part is not None
    assert part.cheapest == "near"
    cheapest = next(row for row in part.rows if row.cheapest)
    said = f"95\u00a0% interval for all pairs at once: {cheapest.interval})"
    assert said in part.lede
    assert cheapest.limits is not None
    assert cheapest.limits[0] <= 0 <= cheapest.limits[1]
    golden.check(part.lede)


def test_a_difference_that_is_not_zero_is_never_printed_as_zero() -> None:
    rng = np.random.default_rng(12)
    y = np.tile([0, 1], 600)
    score = y + rng.standard_normal(1200)
    order = np.argsort(score)
    pair = next((a, b) for a, b in pairwise(order) if y[a] < y[b])
    other = score.copy()  # two neighbours change places: the least difference that there is
    other[list(pair)] = score[list(pair[::-1])]
    pi = en.Predictions.from_arrays(y, np.stack([score, other], axis=1), np.arange(1200) // 2 % 5)
    part = en.report(pi, metric="roc_auc", n_resamples=60).content.rivals
    assert part is not None
    assert part.rows[0].ahead_by == pytest.approx(1 / 600**2)
    assert part.rows[0].ahead == "< 0.0001"
    assert part.rows[0].worse is False


def test_the_table_says_over_what_its_scores_are(told: en.results.Report, golden: Golden) -> None:
    pooled = told.content.rivals
    assert pooled is not None
    golden.check(pooled.test)


def test_two_equal_configurations_are_not_worse(golden: Golden) -> None:
    rng = np.random.default_rng(2)
    y = np.tile([0, 1], 30)
    score = y + rng.standard_normal(60)
    pi = en.Predictions.from_arrays(y, np.stack([score, score], axis=1), np.arange(60) // 2 % 5)
    part = en.report(pi, metric="roc_auc", n_resamples=100).content.rivals
    assert part is not None
    assert [row.worse for row in part.rows] == [False]
    assert part.rows[0].p == "1.00"
    golden.check(part.heading)
