"""Pruned trials inform an explanation by their last value, and what tells nothing is said so."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import optuna
import pytest

import earnest as en
from earnest.core.space.pruned import carry_to_end
from earnest.core.space.trials import TrialCounts
from earnest.explanation import ForestSurrogate
from earnest.explanation.coverage import Beyond
from earnest.explanation.result import true_curves
from earnest.results import Explanation
from tests.explanation.scenes import mixed, mixed_trials
from tests.explanation.studies import OWN_SD, epoch_study, folded_study, true_score

KNOBS: dict[str, Any] = {"n_points": 200, "grid_size": 10, "rng": 0}
SEEDS = (0, 1, 2, 3)


@cache
def study_of(kind: str, seed: int) -> optuna.Study:
    return folded_study(50, seed) if kind == "folds" else epoch_study(50, seed)


@cache
def explained(kind: str, seed: int) -> Explanation:
    return en.explain(study_of(kind, seed), **KNOBS)


@cache
def explained_by_complete_trials(kind: str, seed: int) -> Explanation:
    study = study_of(kind, seed)
    done = [trial for trial in study.trials if trial.state.name == "COMPLETE"]
    trials = en.Trials.from_configs(
        [trial.params for trial in done],
        [trial.value for trial in done],
        direction="maximize",
        space=en.trials_from(study).space,
    )
    return en.explain(trials, **KNOBS)


def errors(found: Explanation, param: str) -> np.ndarray:
    """Return the distance of a curve from the true effect over the same points."""
    curve = found.effects[param]
    truth = true_curves(found.scene, curve, true_score).mean(axis=0)
    return np.abs(curve.mean - truth)


@pytest.mark.parametrize("kind", ["folds", "epochs"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_parameter_that_decided_what_was_pruned_matters_most(kind: str, seed: int) -> None:
    states = [t.state.name for t in study_of(kind, seed).trials if t.params["gamma"] > 0.1]
    assert len(states) > 5
    assert set(states) == {"PRUNED"}
    found, without = explained(kind, seed), explained_by_complete_trials(kind, seed)
    assert found.importance.ranking[0] == "gamma"
    assert found.importance.total["gamma"].low > found.importance.total["C"].high
    assert found.importance.total["gamma"].value > 0.9
    drop = np.ptp(found.effects["gamma"].mean)
    assert drop > 0.15  # of 0.25
    assert np.ptp(without.effects["gamma"].mean) < 0.03


@pytest.mark.parametrize("kind", ["folds", "epochs"])
@pytest.mark.parametrize("param", ["C", "gamma"])
def test_curves_and_bands_are_closer_to_the_truth_with_pruned_trials(kind: str, param: str) -> None:
    """The error falls from 0.08 to about 0.004: a tenth is a tolerance of more than two times."""
    for seed in SEEDS:
        found, without = explained(kind, seed), explained_by_complete_trials(kind, seed)
        assert errors(found, param).mean() < 0.1 * errors(without, param).mean()
        held, missed = (
            np.mean(errors(each, param) <= 1.96 * each.effects[param].sd)
            for each in (found, without)
        )
        assert held >= 0.9
        assert missed <= 0.6


def test_complete_trials_that_reported_are_explained_to_the_bit_as_those_that_did_not() -> None:
    trials = mixed_trials(30)
    plain = en.Trials.from_configs(
        trials.configs, trials.objective, direction="maximize", space=mixed()
    )
    reported = en.Trials.from_configs(
        trials.configs,
        trials.objective,
        direction="maximize",
        space=mixed(),
        pruned=np.zeros(30, dtype=bool),
        intermediate=[{0: value - 0.1, 1: value} for value in trials.objective],
    )
    assert reported.pruned is reported.added_sd is None
    knobs = {"n_points": 60, "grid_size": 6, "rng": 3}
    assert en.explain(reported, **knobs).to_dict() == en.explain(plain, **knobs).to_dict()


def test_a_carried_value_is_right_to_its_own_standard_deviation() -> None:
    """4000 pruned trials: means over 5 folds, from the first s, within 4 standard errors."""
    rng = np.random.default_rng(5)
    n, kept, folds = 4200, 200, 5
    hard = 0.1 * rng.standard_normal(folds)
    scores = rng.uniform(0.4, 0.9, n)[:, None] + hard + OWN_SD * rng.standard_normal((n, folds))
    means = np.cumsum(scores, axis=1) / np.arange(1, folds + 1)
    pruned = np.arange(n) >= kept
    for last in (1, 3):
        paths = [
            dict(enumerate(row[: last if out else folds]))
            for row, out in zip(means, pruned, strict=True)
        ]
        carried = carry_to_end(np.where(pruned, np.nan, means[:, -1]), pruned, paths)
        misses = (carried.objective - means[:, -1])[pruned]
        sd = OWN_SD * np.sqrt(1 / last - 1 / folds)
        assert carried.added_sd[-1] == pytest.approx(sd, rel=4 / np.sqrt(2 * kept))
        assert misses.std() == pytest.approx(sd, rel=4 / np.sqrt(2 * (n - kept)))
        assert abs(misses.mean()) < 4 * sd / np.sqrt(kept)
        assert (carried.added_sd[:kept] == 0).all()


def test_scores_of_single_folds_are_read_as_running_means() -> None:
    found = en.trials_from(folded_study(50, 1, report="fold"))
    assert found.counts.pruned_used > 10
    for config, value, sd, out in zip(
        found.configs, found.objective, found.added_sd, found.pruned, strict=True
    ):
        assert abs(value - true_score(config)) < 6 * max(sd, OWN_SD) or not out
    assert found.added_sd.max() < 1.5 * OWN_SD  # of a mean of two; one fold alone has 0.02


def test_a_step_of_few_complete_trials_is_not_used_and_a_diverged_value_is_held_near() -> None:
    values = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.4, np.nan, np.nan, np.nan])
    paths = [{1: v, 5: v} for v in values[:6]]
    pruned = np.isnan(values)
    carried = carry_to_end(values, pruned, [*paths, {1: -1e9}, {0: 0.3}, {1: 0.3, 2: np.nan}])
    assert -20 < carried.objective[6] < 0
    assert np.isnan(carried.objective[7:]).all()
    few = carry_to_end(values, pruned, [*paths[:4], {}, {}, {1: 0.3}, {}, {}])
    assert np.isnan(few.objective[6:]).all()


def test_a_pruned_trial_is_never_the_best() -> None:
    rng = np.random.default_rng(0)
    configs = [{"a": float(a), "b": float(b)} for a, b in rng.random((24, 2))]
    scores = np.array([config["a"] for config in configs])
    pruned = scores > 0.7
    paths = [
        {1: s - 0.5} if out else {1: s - 0.5, 2: s} for s, out in zip(scores, pruned, strict=True)
    ]
    trials = en.Trials.from_configs(
        configs, scores, direction="maximize", pruned=pruned, intermediate=paths
    )
    assert trials.counts == TrialCounts(int((~pruned).sum()), int(pruned.sum()), 0, 0)
    found = en.explain(trials, **KNOBS)
    assert found.best_value == scores[~pruned].max()
    assert found.effects["a"].best == found.best_config["a"] <= 0.7
    assert found.covered["a"] == (scores[~pruned].min(), scores[~pruned].max())
    assert found.stable_optimum.n_trials == (~pruned).sum()
    assert max(config["a"] for config in found.stable_optimum.configs) <= 0.7
    assert found.effects["a"].mean[-1] > 0.85  # it still knows that more of it is better


@pytest.mark.parametrize("surrogate", ["gaussian_process", ForestSurrogate(n_trees=10)])
def test_a_less_certain_value_counts_less(surrogate: Any) -> None:
    rng = np.random.default_rng(1)
    configs = [{"a": float(a)} for a in rng.random(40)]
    scores = np.array([config["a"] for config in configs])
    trials = en.Trials.from_configs(configs, scores, direction="maximize")
    wrong = np.where(np.arange(40) % 2 == 1, 1.5, scores)
    ends = {}
    for sd in (0.01, 5.0):
        added = np.where(np.arange(40) % 2 == 1, sd, 0.0)
        given = replace(trials, objective=wrong, pruned=added > 0, added_sd=added)
        ends[sd] = en.explain(given, surrogate=surrogate, **KNOBS).effects["a"].mean.mean()
    assert abs(ends[5.0] - 0.5) < 0.5 * abs(ends[0.01] - 0.5)


def test_what_only_silent_pruned_trials_have_is_untested() -> None:
    study = folded_study(60, 2, report="nothing")
    found = en.explain(study, **KNOBS)
    silent = [t.params["gamma"] for t in study.trials if t.state.name == "PRUNED"]
    assert found.counts == TrialCounts(60 - len(silent), 0, len(silent), 0)
    (part,) = found.untested
    done = [t.params["gamma"] for t in study.trials if t.state.name == "COMPLETE"]
    assert (part.param, part.beyond, part.n_pruned) == ("gamma", Beyond.ABOVE, len(silent))
    assert part.limit == pytest.approx(max(done)) == pytest.approx(found.covered["gamma"][1])
    assert str(part) in found.finding
    assert sorted(found.effects["gamma"].unused) == pytest.approx(sorted(silent))
    assert found.effects["gamma"].n_trials == found.counts.complete
    again = Explanation.from_dict(found.to_dict())
    assert again.untested == found.untested
    assert again.counts == found.counts


def test_the_table_of_a_study_tells_as_much_as_its_columns() -> None:
    study = study_of("folds", 0)
    silent = en.trials_from(study.trials_dataframe(), direction="maximize")
    assert silent.counts.pruned_used == 0
    assert silent.counts.pruned_unused == explained("folds", 0).counts.pruned_used
    assert en.explain(silent, **KNOBS).untested[0].param == "gamma"
    whole = study.trials_dataframe(attrs=("value", "state", "params", "intermediate_values"))
    told = en.trials_from(whole, direction="maximize")
    expected = en.trials_from(study)
    assert told.counts == expected.counts
    np.testing.assert_allclose(told.objective, expected.objective, rtol=1e-12)
    np.testing.assert_allclose(told.added_sd, expected.added_sd, rtol=1e-9, atol=1e-12)


def test_a_level_that_was_always_pruned_is_untested() -> None:
    rng = np.random.default_rng(3)
    configs = [{"a": float(rng.random()), "kind": "xyz"[i % 3]} for i in range(30)]
    pruned = np.array([config["kind"] == "z" for config in configs])
    trials = en.Trials.from_configs(configs, rng.random(30), direction="maximize", pruned=pruned)
    (part,) = en.explain(trials, **KNOBS).untested
    assert (part.param, part.beyond, part.limit) == ("kind", Beyond.LEVEL, "z")
