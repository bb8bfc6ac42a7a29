"""A delivered ensemble in subgroups and at thresholds, by plain loops over the same weights."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, log_loss, roc_auc_score

import earnest as en
from earnest.core import Purpose, Seeds
from earnest.inference.curves import delivered
from earnest.inference.curves.delivered import DeliveredEnsemble
from earnest.inference.curves.gain import gain_beside
from earnest.inference.curves.thresholds import thresholds_beside
from earnest.inference.resampling.ensembles import leave_parts_out
from earnest.inference.subgroups.scores import score_ensemble_on_masks
from earnest.resampling import every_class_on_both_sides
from tests.inference.resampling.test_ensembles import area, chances, grow, minus_log_loss
from tests.methods import oracles

N, C, SIZE, RESAMPLES, SEED = 90, 6, 3, 40, 7
RULE = en.rules.GreedyEnsemble(size=SIZE)
LEVELS = np.random.default_rng(8).integers(0, 2, N)
MASKS = [level == LEVELS for level in range(2)]
CHOSEN_BY = {"roc_auc": area, "log_loss": minus_log_loss}
EXACT = 1e-9
Floats = NDArray[np.float64]


def make_predictions(seed: int = 4) -> en.Predictions:
    y, p = chances(N, C, seed)
    return en.Predictions.from_arrays(y.astype(int), p, np.arange(N) % 5)


def judge(pi: en.Predictions, metric: str, **options: object) -> en.results.Estimate:
    return en.estimate(pi, metric=metric, selector=RULE, n_resamples=RESAMPLES, rng=SEED, **options)


def score(metric: str, y: NDArray[np.generic], p: Floats) -> float:
    if len(np.unique(y)) < 2 and metric == "roc_auc":
        return np.nan
    return float(log_loss(y, p, labels=[0, 1]) if metric == "log_loss" else roc_auc_score(y, p))


def choose_plainly(pi: en.Predictions, metric: str, row: NDArray[np.generic]) -> Floats:
    """Return what the ensemble of some weights predicts: (n,)."""
    p = pi.responses[:, :, 0].astype(float)
    y = pi.target.y.astype(float)
    return np.asarray(p @ grow(y, p, row.astype(float), CHOSEN_BY[metric], SIZE, C))


def cross_plainly(pi: en.Predictions, metric: str) -> list[Floats]:
    """Return predictions (n,) of cases by ensembles of the others, once a division."""
    turns = []
    for turn in range(2):  # the fewest
        crossed = np.empty(N)
        for row in leave_parts_out(pi.target, Seeds(SEED).generator(Purpose.CROSS_FIT, turn)):
            crossed[row == 0] = choose_plainly(pi, metric, row)[row == 0]
        turns.append(crossed)
    return turns


def draw_counts(pi: en.Predictions) -> NDArray[np.uint8]:
    return oracles.counts_of(pi, RESAMPLES, SEED, every_class_on_both_sides(pi.target))


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss"])
def test_a_subgroup_has_the_score_of_ensembles_chosen_without_its_cases(metric: str) -> None:
    pi = make_predictions()
    y, estimate = pi.target.y, judge(pi, metric, by={"site": LEVELS})
    turns = cross_plainly(pi, metric)
    assert estimate.subgroups is not None
    assert estimate.subgroups.n_members == len(estimate.ensemble or ())
    assert estimate.value == pytest.approx(np.mean([score(metric, y, p) for p in turns]), abs=EXACT)
    whole = choose_plainly(pi, metric, np.ones(N))
    for each, mask in zip(estimate.subgroups, MASKS, strict=True):
        values = [score(metric, y[mask], p[mask]) for p in turns]
        assert each.value == pytest.approx(np.mean(values), abs=EXACT)
        assert each.naive == pytest.approx(score(metric, y[mask], whole[mask]), abs=EXACT)
        assert each.low is not None
        assert each.high is not None
        assert each.low < np.mean(values) < each.high


def test_what_the_choice_adds_is_the_variance_of_ensembles_chosen_in_bag() -> None:
    pi = make_predictions()
    y, estimate = pi.target.y, judge(pi, "roc_auc")
    ensemble = DeliveredEnsemble.of(estimate, pi, en.metric("roc_auc"))
    assert ensemble is not None
    drawn = [choose_plainly(pi, "roc_auc", row) for row in draw_counts(pi)]
    scored = score_ensemble_on_masks(ensemble, MASKS).scores
    for each, mask in zip(scored, MASKS, strict=True):
        scores = [roc_auc_score(y[mask], p[mask]) for p in drawn]
        assert each.choice == pytest.approx(np.var(scores), rel=1e-6)


def test_where_no_part_can_be_left_out_resamples_score_the_subgroups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pi = make_predictions()
    y, estimate = pi.target.y, judge(pi, "roc_auc")
    monkeypatch.setattr(delivered, "cross_fit", lambda *_, **__: None)
    ensemble = DeliveredEnsemble.of(estimate, pi, en.metric("roc_auc"))
    assert ensemble is not None
    scored = score_ensemble_on_masks(ensemble, MASKS).scores
    counts = draw_counts(pi)
    drawn = [choose_plainly(pi, "roc_auc", row) for row in counts]
    for each, mask in zip(scored, MASKS, strict=True):
        scores = [
            score("roc_auc", y[mask & (row == 0)], p[mask & (row == 0)])
            for row, p in zip(counts, drawn, strict=True)
        ]
        assert each.value == pytest.approx(np.nanmean(scores), abs=EXACT)
    table = thresholds_beside(estimate, pi, en.metric("roc_auc"), columns=_columns(pi))
    row = table.at(0.5)
    hits = sum(((y == 1) & (count == 0)).sum() for count in counts)
    above = sum(
        (p[(y == 1) & (count == 0)] > row.threshold).sum()
        for p, count in zip(drawn, counts, strict=True)
    )
    assert row.sensitivity.value == pytest.approx(above / hits, abs=EXACT)
    for each, mask in zip(table.subgroups, MASKS, strict=True):
        left = [mask & (y == 1) & (count == 0) for count in counts]
        above = sum((p[rows] > row.threshold).sum() for p, rows in zip(drawn, left, strict=True))
        rate = each.table.at(0.5).sensitivity.value
        assert rate == pytest.approx(above / sum(rows.sum() for rows in left), abs=EXACT)


def _columns(pi: en.Predictions):  # type: ignore[no-untyped-def]
    from earnest.core.data.subgroups import find_columns

    return find_columns(pi, {"site": LEVELS})


def test_all_cases_as_one_subgroup_have_the_score_of_the_ensemble() -> None:
    pi = make_predictions()
    for metric in ("roc_auc", "log_loss", "accuracy"):
        estimate = judge(pi, metric, by=np.repeat("all", N))
        assert estimate.subgroups is not None
        (every,) = estimate.subgroups
        assert every.value == pytest.approx(estimate.value, abs=1e-12)
        assert every.naive == pytest.approx(estimate.naive, abs=1e-12)


def test_counts_at_thresholds_are_those_of_ensembles_chosen_without_the_cases() -> None:
    pi = make_predictions()
    y, estimate = pi.target.y, judge(pi, "roc_auc")
    table = thresholds_beside(estimate, pi, en.metric("roc_auc"), columns=_columns(pi))
    turns = cross_plainly(pi, "roc_auc")
    whole = choose_plainly(pi, "roc_auc", np.ones(N))

    def rates(mask: NDArray[np.bool_], cut: float) -> tuple[float, float]:
        counts = sum(confusion_matrix(y[mask], p[mask] > cut, labels=[0, 1]) for p in turns)
        (right, false), (missed, hits) = counts
        return hits / (hits + missed), right / (right + false)

    assert table.n_members == len(estimate.ensemble or ())
    every = np.ones(N, dtype=bool)
    for cut in table.thresholds[:: len(table.thresholds) // 8]:
        row = table.at(cut)
        expected = rates(every, cut)
        assert row.sensitivity.value == pytest.approx(expected[0], abs=EXACT)
        assert row.specificity.value == pytest.approx(expected[1], abs=EXACT)
        assert row.sensitivity.naive == pytest.approx(np.mean(whole[y == 1] > cut), abs=EXACT)
        for each, mask in zip(table.subgroups, MASKS, strict=True):
            rate = each.table.at(cut).sensitivity.value
            assert rate == pytest.approx(rates(mask, cut)[0], abs=EXACT)


def test_draws_at_thresholds_are_counts_of_in_bag_ensembles() -> None:
    """What a chosen threshold loses is read from them."""
    pi = make_predictions()
    y, estimate = pi.target.y, judge(pi, "roc_auc")
    table = thresholds_beside(estimate, pi, en.metric("roc_auc"))
    assert table.draws is not None
    middle = len(table.thresholds) // 2
    cut = table.thresholds[middle]
    for b, row in enumerate(draw_counts(pi)):
        p = choose_plainly(pi, "roc_auc", row)
        assert table.draws.hits_out[b, middle] == np.sum((p > cut) & (y == 1) & (row == 0))
        assert table.draws.alarms_in[b, middle] == row[(p > cut) & (y == 0)].sum()
    chosen = table.choose("youden").balanced_accuracy
    assert chosen.value is not None
    assert chosen.naive is not None


def test_the_gain_beside_an_ensemble_is_that_of_the_best_single_configuration() -> None:
    pi = make_predictions()
    estimate = judge(pi, "log_loss")
    gain = gain_beside(estimate, pi, en.metric("log_loss"))
    alone = en.gain(pi, metric="log_loss", n_resamples=RESAMPLES, rng=SEED)
    assert (gain.value, gain.interval, gain.winner) == (alone.value, alone.interval, alone.winner)
    assert gain.n_members == len(estimate.ensemble or ()) > 1
    assert alone.n_members is None
    again = en.results.Gain.from_dict(gain.to_dict())
    assert again.n_members == gain.n_members


def test_an_ensemble_of_one_is_called_by_its_name() -> None:
    pi, rule = make_predictions(), en.rules.GreedyEnsemble(size=1)
    estimate = en.estimate(pi, metric="roc_auc", selector=rule, n_resamples=20, rng=1, by=LEVELS)
    table = thresholds_beside(estimate, pi, en.metric("roc_auc"))
    assert estimate.subgroups is not None
    assert table.winner == estimate.subgroups.winner == estimate.winner is not None
    assert gain_beside(estimate, pi, en.metric("roc_auc")).n_members is None


@pytest.mark.parametrize("task", ["regression", "multiclass"])
def test_subgroups_of_an_ensemble_of_any_task_add_up_to_its_score(task: str) -> None:
    """A mean over cases: that of all is the mean of the subgroups by their cases."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, N)
    if task == "regression":
        values = y[:, None] + rng.standard_normal((N, C))
        pi, metric = en.Predictions.from_arrays(y + 0.5, values, task="regression"), "mae"
    else:
        p = rng.dirichlet(np.ones(3), (N, C)) + 0.8 * (y[:, None, None] == np.arange(3))
        p = (p / p.sum(axis=2, keepdims=True))[:, :, None]
        pi, metric = en.Predictions.from_arrays(y, p, task="multiclass"), "log_loss"
    estimate = judge(pi, metric, by={"site": LEVELS})
    assert estimate.subgroups is not None
    mean = sum(each.n_cases * (each.value or 0.0) for each in estimate.subgroups) / N
    assert mean == pytest.approx(estimate.value, abs=EXACT)
