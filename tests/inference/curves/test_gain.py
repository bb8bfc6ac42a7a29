"""What a search gained: fields by rule, the interval, other doors, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import earnest as en
from benchmarks.calibration.gain import Cell, simulate
from earnest import Configs, Predictions
from earnest.core.text.gain import word_advice, word_confidence, word_headline
from earnest.errors import EvidenceError, InputError
from earnest.inference.curves.gain import gain_beside
from earnest.results import Gain, Interval


def ladder(rng: np.random.Generator, skills: list[float], n: int = 200) -> Predictions:
    """Return scores of configurations that are better and better, or not."""
    y = np.arange(n) % 2
    scores = np.array(skills) * y[:, None] + rng.standard_normal((n, len(skills)))
    return en.Predictions.from_arrays(y, scores, np.arange(n) // 2 % 5)


@pytest.fixture(scope="module")
def risen() -> Gain:
    """A search whose third configuration is much better than the first two."""
    pi = ladder(np.random.default_rng(1), [0.2, 0.3, 1.8, *[1.5] * 17])
    return en.gain(pi, metric="roc_auc", n_resamples=200, rng=0)


def test_a_gain_is_the_corrected_end_less_the_corrected_start(risen: Gain) -> None:
    first, last = risen.corrected[0], risen.corrected[-1]
    assert first is not None
    assert last is not None
    assert risen.value == last - first
    assert risen.seeming > risen.value > 0.2
    assert risen.shown
    assert risen.interval is not None
    assert risen.value in risen.interval


def test_most_of_a_gain_is_reached_where_nine_tenths_are(risen: Gain) -> None:
    assert risen.configurations_for_most == 3
    assert risen.plateau
    late = ladder(np.random.default_rng(2), [*[0.2] * 18, 1.8, 1.8])
    found = en.gain(late, metric="roc_auc", n_resamples=200, rng=0)
    assert found.configurations_for_most == 19
    assert not found.plateau


def test_a_loss_has_the_same_gain_as_the_score_it_mirrors() -> None:
    rng = np.random.default_rng(3)
    y = rng.standard_normal(80)
    raw = y[:, None] + np.array([2.0, 1.5, 1.0, 0.5]) * rng.standard_normal((80, 4))
    pi = en.Predictions.from_arrays(y, raw)
    minus = en.metrics.make_metric(
        lambda a, b: -np.mean((a - b) ** 2), name="minus", needs="prediction"
    )
    plus = en.metrics.make_metric(
        lambda a, b: np.mean((a - b) ** 2), name="plus", needs="prediction", greater_is_better=False
    )
    loss = en.gain(pi, metric=plus, n_resamples=100, rng=0)
    score = en.gain(pi, metric=minus, n_resamples=100, rng=0)
    assert loss.value == pytest.approx(score.value, abs=1e-12)
    assert loss.seeming == pytest.approx(score.seeming, abs=1e-12)
    assert loss.interval is not None
    assert score.interval is not None
    assert loss.interval.low == pytest.approx(score.interval.low, abs=1e-12)
    assert loss.interval.high == pytest.approx(score.interval.high, abs=1e-12)
    assert loss.value > 0
    assert not loss.scale.greater_is_better


def test_headings_follow_the_interval(risen: Gain) -> None:
    heads = {word_headline(risen)}
    for low, high in ((-0.1, 0.1), (-0.2, -0.1)):
        other = replace(risen, value=(low + high) / 2, interval=Interval(low, high, 0.95, "x"))
        assert other.shown is False
        assert other.lost is (high < 0)
        heads.add(word_headline(other))
        assert word_confidence(other)
        assert word_advice(other)
    alone = replace(risen, n_configs=1, interval=None)
    heads.add(word_headline(alone))
    assert len(heads) == 4


def test_widths_shrink_by_the_root_of_the_cases(risen: Gain) -> None:
    now, four = risen.width_with(1.0), risen.width_with(4.0)
    assert now is not None
    assert four == pytest.approx(now / 2)
    rng = np.random.default_rng(4)
    widths = []
    for n in (100, 400):  # 6 samples each; the mean of 6 widths varies by some 7 %
        made = [
            en.gain(ladder(rng, [0.8] * 3, n), metric="roc_auc", n_resamples=100, rng=0)
            for _ in range(6)
        ]
        widths.append(np.mean([one.width_with(1.0) for one in made]))
    assert widths[1] / widths[0] == pytest.approx(0.5, rel=0.25)


def test_a_gain_beside_an_estimate_ends_in_it() -> None:
    pi = ladder(np.random.default_rng(5), [0.5, 0.8, 1.0, 0.7], n=80)
    made = en.estimate(pi, metric="accuracy", n_resamples=300, rng=4)
    found = gain_beside(made, pi, en.metric("accuracy"))
    assert made.interval is not None
    assert found.corrected[-1] == pytest.approx(made.value, abs=1e-12)
    assert found.naive[-1] == pytest.approx(made.naive, abs=1e-12)
    assert (found.low[-1], found.high[-1]) == (made.interval.low, made.interval.high)
    assert found.n_resamples == 300
    assert found.winner == made.winner


def test_a_gain_is_told_for_the_best_score_alone() -> None:
    pi = ladder(np.random.default_rng(6), [0.5, 0.8, 1.0], n=60)
    made = en.estimate(pi, metric="accuracy", selector="mean_of_folds", n_resamples=50, rng=4)
    with pytest.raises(EvidenceError, match="pooled"):
        gain_beside(made, pi, en.metric("accuracy"))


def test_a_search_tells_its_gain_in_the_order_of_its_candidates() -> None:
    rng = np.random.default_rng(7)
    y = np.arange(60) % 2
    features = y[:, None] + rng.standard_normal((60, 3))
    grid = {"C": [10.0, 0.001, 1.0, 0.1]}
    search = en.SearchCV(
        LogisticRegression(), grid, cv=3, scoring="roc_auc", n_resamples=100, random_state=0
    ).fit(features, y)
    found = search.gain()
    names = search.predictions_.configs.params
    assert [dict(one)["C"] for one in names] == [one["C"] for one in search.cv_results_["params"]]
    assert found.first == search.predictions_.configs.ids[0]
    assert found.corrected[-1] == pytest.approx(search.estimate_.value, abs=1e-12)
    assert found.n_configs == 4


def test_a_dynamic_search_is_cautioned_and_its_mean_over_orders_too() -> None:
    pi = ladder(np.random.default_rng(8), [0.5, 0.8, 1.0], n=60)
    dynamic = replace(pi, configs=Configs(ids=pi.configs.ids, static=False))
    tried = en.gain(dynamic, metric="accuracy", n_resamples=50, rng=0)
    mean = en.gain(dynamic, metric="accuracy", order="mean", n_resamples=50, rng=0)
    assert "dynamic_gain" in {one.kind for one in tried.cautions}
    assert "orders_of_dynamic_search" not in {one.kind for one in tried.cautions}
    assert {"dynamic_gain", "orders_of_dynamic_search"} <= {one.kind for one in mean.cautions}


def test_a_gain_starts_at_the_first_configuration_with_a_score() -> None:
    rng = np.random.default_rng(11)
    y = rng.standard_normal(40)
    raw = y[:, None] + rng.standard_normal((40, 5))
    raw[:, 0] = 1.0  # no correlation with a constant
    pi = en.Predictions.from_arrays(y, raw)
    found = en.gain(pi, metric="pearson", n_resamples=50, rng=0)
    other = en.gain(pi.select(range(1, 5)), metric="pearson", n_resamples=50, rng=0)
    assert found.corrected[0] is None
    assert found.first == pi.configs.ids[1]
    assert found.value == pytest.approx(other.value, abs=1e-12)
    assert found.interval is not None
    assert other.interval is not None
    assert found.interval.low == pytest.approx(other.interval.low, abs=1e-12)
    assert found.interval.high == pytest.approx(other.interval.high, abs=1e-12)
    raw[:] = 1.0
    with pytest.raises(EvidenceError, match="undefined"):
        en.gain(en.Predictions.from_arrays(y, raw), metric="pearson", n_resamples=5, rng=0)


def test_what_is_no_table_of_predictions_is_refused() -> None:
    pi = ladder(np.random.default_rng(9), [0.5, 0.8], n=40)
    with pytest.raises(EvidenceError, match="predictions"):
        en.gain([1, 2, 3], metric="accuracy")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="order"):
        en.gain(pi, metric="accuracy", order="sorted")
    with pytest.raises(InputError, match="n_resamples"):
        en.gain(pi, metric="accuracy", n_resamples=0)


@pytest.mark.parametrize("truth", ["equal", "dominant"])
def test_the_interval_of_a_gain_holds_the_true_one(truth: str) -> None:
    """A two-sided 95 % interval misses in one sample of 20.

    40 samples: 4 standard errors are 0.138, and 0.099 at 2.5 % on one side.
    """
    row = simulate(Cell("accuracy", truth, 40, 10, 0.0), samples=40, resamples=100)
    assert row.coverage >= 0.95 - 0.138
    assert row.above <= 0.025 + 0.099
