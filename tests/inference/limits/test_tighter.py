"""bbc takes the tighter one of two limits where a declared blind test confirmed it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np
import pytest

import earnest as en
from earnest.core import MovedLimits, NormalLimits, Side, TighterLimits

LEVELS = (0.5, 0.8, 0.95, 0.999)
SIDES = ("two-sided", "lower", "upper")


def searched(n: int = 80, configs: int = 12, folds: int = 5) -> en.Predictions:
    rng, y = np.random.default_rng(3), np.arange(n) % 2
    odds = 1.2 * (y[:, None] - 0.5) + 0.6 * rng.standard_normal((n, 1))
    said = 1.0 / (1.0 + np.exp(-odds - 0.8 * rng.standard_normal((n, configs))))
    return en.Predictions.from_arrays(y, said, np.arange(n) // 2 % folds, response="probability")


@pytest.mark.parametrize("metric", ["accuracy", "error_rate", "roc_auc", "balanced_accuracy"])
def test_each_end_is_the_tighter_one_and_holds_the_value(metric: str) -> None:
    pi = searched()
    both, drawn, law = (
        en.estimate(pi, method=method, metric=metric, rng=1)
        for method in (
            en.methods.BBC(n_resamples=500),
            en.methods.BBC(n_resamples=500, limits="drawn"),
            en.methods.NearWinner(n_resamples=500),
        )
    )
    if isinstance(drawn.source, MovedLimits):  # the tighter one was studied before ends were moved
        drawn = replace(drawn, source=drawn.source.inner)
    assert isinstance(both.source, TighterLimits)
    assert (both.value, both.winner, both.naive) == (drawn.value, drawn.winner, drawn.naive)
    for level in LEVELS:
        for side in SIDES:
            low, high = (
                [getattr(e.at(confidence_level=level, side=side).interval, end) for e in made]
                for made, end in (((drawn, law), "low"), ((drawn, law), "high"))
            )
            got = both.at(confidence_level=level, side=side).interval
            assert got is not None
            assert (got.low, got.high) == (max(low), min(high))
            assert both.value in got


def test_other_levels_and_files_need_no_resample(monkeypatch: pytest.MonkeyPatch) -> None:
    made = en.estimate(searched(), metric="roc_auc", rng=1)
    again = en.estimate(searched(), metric="roc_auc", rng=1, confidence_level=0.8, side="lower")
    back = en.results.Estimate.from_dict(made.to_dict(draws=True))
    for estimate in (made, back):
        moved = estimate.at(confidence_level=0.8, side="lower")
        assert moved.interval == again.interval


def in_groups(count: int) -> Callable[[], en.Predictions]:
    def make() -> en.Predictions:
        pi = searched()
        return replace(pi, target=replace(pi.target, groups=np.arange(80) % count))

    return make


@pytest.mark.parametrize(
    ("make", "metric", "options"),
    [
        (lambda: searched(n=38), "accuracy", {}),  # fewer cases than were studied
        (lambda: searched(folds=1), "accuracy", {}),
        (lambda: searched(configs=1), "accuracy", {}),
        (in_groups(10), "accuracy", {}),
        (searched, "recall", {}),
        (searched, "f1", {}),
        (searched, "brier", {}),
        (searched, "accuracy", {"limits": "drawn"}),
        (searched, "accuracy", {"selector": "mean_of_folds"}),
        (searched, "accuracy", {"undefined": "stratify"}),
    ],
)
def test_limits_stay_at_the_draws_where_nothing_was_shown(
    make: Callable[[], en.Predictions], metric: str, options: dict[str, str]
) -> None:
    method = replace(en.methods.BBC(n_resamples=100), **options)
    made = en.estimate(make(), method=method, metric=metric, rng=1)
    assert not isinstance(made.source, TighterLimits)


def test_groups_as_many_as_were_studied_get_the_tighter_limits() -> None:
    made = en.estimate(in_groups(16)(), metric="accuracy", rng=1, n_resamples=100)
    assert isinstance(made.source, TighterLimits)


def test_an_open_end_stays_open() -> None:
    both = TighterLimits(NormalLimits(0.0, 1.0), NormalLimits(0.5, 1.0))
    assert both.limits(0.9, Side.LOWER)[1] == inf
    assert both.limits(0.9, Side.UPPER)[0] == -inf


def test_the_good_end_of_r2_is_as_far_from_the_value_as_from_the_mean_of_the_draws() -> None:
    rng = np.random.default_rng(0)
    y = rng.standard_normal(40)
    said = 0.5 * y[:, None] + 0.6 * rng.standard_normal((40, 10))
    pi = en.Predictions.from_arrays(y, said, np.arange(40) % 5)
    for level in LEVELS:
        made = en.estimate(pi, metric="r2", rng=0, confidence_level=level)
        assert made.interval is not None
        assert made.draws is not None
        draws = np.sort(made.draws)
        end = draws[len(draws) - 1 - int((1.0 - level) / 2.0 * len(draws) + 1e-9)]
        assert made.value > draws.mean()  # those of a third of the cases are lower
        assert made.interval.high == pytest.approx(min(end + made.value - draws.mean(), 1.0))
