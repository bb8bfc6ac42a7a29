"""A threshold that is tuned is a configuration, and is corrected for like any other."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score

import earnest as en
from earnest import Predictions
from earnest.core import SHARES
from earnest.errors import InputError


def scores(n: int = 120, configs: int = 3, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, y[:, None] + rng.standard_normal((n, configs))


def probabilities(n: int = 120, configs: int = 3) -> Predictions:
    y, made = scores(n, configs)
    return Predictions.from_arrays(y, 1 / (1 + np.exp(-made)), np.arange(n) % 5)


def test_labels_are_those_of_the_scores_above_each_threshold() -> None:
    pi = probabilities()
    cut = en.with_thresholds(pi, [0.3, 0.7])
    assert cut.configs.ids[:3] == ("c0 > 0.5", "c0 > 0.3", "c0 > 0.7")
    for column, (config, threshold) in enumerate((c, t) for c in range(3) for t in (0.5, 0.3, 0.7)):
        expected = pi.responses[:, config, 0] > threshold
        assert (cut.responses[:, column, 0] == expected).all()


def test_the_usual_threshold_gives_the_score_that_the_scores_themselves_have() -> None:
    pi = probabilities()
    own = en.estimate(pi, metric="accuracy", rng=0)
    cut = en.with_thresholds(pi, [0.5])
    assert cut.n_configs == pi.n_configs
    assert en.estimate(cut, metric="accuracy", rng=0).value == own.value


def test_the_threshold_of_the_predictions_takes_the_place_of_the_usual_one() -> None:
    y, made = scores()
    pi = Predictions.from_arrays(y, made, threshold=0.25)
    assert en.with_thresholds(pi, [1.0]).configs.ids[:2] == ("c0 > 0.25", "c0 > 1")


def test_by_default_probabilities_are_cut_at_twentieths() -> None:
    cut = en.with_thresholds(probabilities(configs=1))
    assert {one["threshold"] for one in cut.configs.params} == set(SHARES)
    assert cut.configs.ids[0] == "c0 > 0.5"


def test_decision_values_are_cut_at_quantiles_of_each_configuration() -> None:
    y, made = scores()
    made[:, 1] *= 1000.0
    cut = en.with_thresholds(Predictions.from_arrays(y, made), 3)
    per_config = np.array([one["threshold"] for one in cut.configs.params]).reshape(3, 4)
    expected = np.quantile(made, [0.25, 0.5, 0.75], axis=0, method="inverted_cdf").T
    assert (per_config[:, 0] == 0.0).all()
    assert np.allclose(per_config[:, 1:], expected, rtol=1e-12)


def test_cells_that_were_not_evaluated_stay_so() -> None:
    y, made = scores()
    fold = np.arange(len(y)) % 5
    made[fold == 2, 1] = np.nan
    cut = en.with_thresholds(Predictions.from_arrays(y, made, fold), [0.0, 0.5])
    assert cut.complete.tolist() == [True, True, False, False, True, True]


def test_repeats_parameters_groups_and_ranks_are_kept() -> None:
    y, made = scores()
    configs = en.Configs(ids=("a", "b", "c"), params=({"C": 1}, {"C": 2}, {"C": 3}))
    configs = configs.with_complexity([3, 1, 2])
    both = np.stack([made, made + 0.1], axis=2)
    pi = Predictions.from_arrays(
        y, both, np.stack([np.arange(120) % 5, np.arange(120) % 4], axis=1),
        configs=configs, groups=np.arange(120) // 2,
    )  # fmt: skip
    cut = en.with_thresholds(pi, [1.0])
    assert cut.n_repeats == 2
    assert cut.configs.params[1] == {"C": 1, "threshold": 1.0}
    assert cut.configs.complexity == (3, 3, 1, 1, 2, 2)
    assert cut.target.groups is pi.target.groups


def test_a_parameter_that_is_called_threshold_already_keeps_its_name() -> None:
    y, made = scores(configs=1)
    configs = en.Configs(ids=("a",), params=({"threshold": 9},))
    cut = en.with_thresholds(Predictions.from_arrays(y, made, configs=configs), [0.5])
    assert cut.configs.params[1] == {"threshold": 9, "decision_threshold": 0.5}


def test_thresholds_that_print_alike_have_names_of_their_own() -> None:
    y, made = scores(configs=1)
    cut = en.with_thresholds(Predictions.from_arrays(y, made), [0.3, 0.3 + 1e-12])
    assert len(set(cut.configs.ids)) == 3


def test_ties_and_repeated_quantiles_make_no_threshold_twice() -> None:
    y = np.tile([0, 1], 30)
    cut = en.with_thresholds(Predictions.from_arrays(y, np.full(60, 2.5), response="decision"))
    assert cut.configs.ids == ("c0 > 0", "c0 > 2.5")


def test_tuning_the_threshold_of_noise_is_corrected_for() -> None:
    # Scores that know nothing of a rare outcome: the best of 19 F1 scores looks better than what
    # the same choice brings on new cases. Mean over 40 seeds of the optimism that is left, of
    # standard error about .006 (the sd of one is about .04): four of these are allowed.
    left, naive = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = (np.arange(150) < 30).astype(int)
        pi = Predictions.from_arrays(y, rng.random((150, 1)), rng.permutation(150) % 5)
        tuned = en.with_thresholds(pi)
        found = en.estimate(tuned, metric="f1", n_resamples=200, rng=seed)
        cut = tuned.configs.params[tuned.configs.index(found.winner)]["threshold"]
        fresh = rng.random(20_000)
        truth = f1_score(np.arange(20_000) < 4_000, fresh > cut)
        left.append(found.value - truth)
        naive.append(found.naive - truth)
    error = np.std(left, ddof=1) / np.sqrt(40)
    assert np.mean(naive) > 4 * np.std(naive, ddof=1) / np.sqrt(40)
    assert np.mean(left) < 4 * error


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "no threshold"),
        ([1.5], "from 0 to 1"),
        ([np.nan], "out of range"),
        ([None], "not a number"),
        (["high"], "out of range"),
        (0, "of at least 1"),
        (True, "of at least 1"),
        ([50], "use 0.5"),
    ],
)
def test_thresholds_that_cut_nothing_are_refused(given: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        en.with_thresholds(probabilities(), given)


def test_what_no_threshold_cuts_is_refused() -> None:
    y, made = scores()
    with pytest.raises(InputError, match="response label"):
        en.with_thresholds(Predictions.from_arrays(y, (made > 0).astype(int)))
    with pytest.raises(InputError, match="task regression"):
        en.with_thresholds(Predictions.from_arrays(made[:, 0], made, task="regression"))
    with pytest.raises(InputError, match="Predictions"):
        en.with_thresholds(made)


def test_more_labels_than_memory_are_refused_before_they_are_made() -> None:
    y = np.tile([0, 1], 50_000)
    wide = np.broadcast_to(np.linspace(0, 1, 100_000)[:, None], (100_000, 1000))
    pi = Predictions.from_arrays(y, wide)
    with pytest.raises(InputError, match="fit in memory"):
        en.with_thresholds(pi)


def test_a_search_and_labels_are_told_where_scores_are() -> None:
    fitted = type("Search", (), {"predictions_": probabilities()})()
    with pytest.raises(InputError, match="`predictions_`"):
        en.with_thresholds(fitted)
    labels = Predictions.from_arrays([0, 1] * 9, np.tile([[0], [1]], (9, 2)), response="label")
    with pytest.raises(InputError, match="response='predict_proba'"):
        en.with_thresholds(labels)
