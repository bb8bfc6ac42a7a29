"""The simulated data of Paraschakis et al. 2024 are those that the paper used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.papers.paraschakis2024 import own_data, study
from benchmarks.papers.paraschakis2024.own_data import DATA_SETS, PLACES, Place, draw_data

FIRST = study.Setting(9, 6, 50, 100, 0.5)
MEAN_OF_BEST = 0.865811991703324  # published with the tables, of all 200 data sets
MEAN_OF_CHOSEN = 0.819984345859786


def test_the_first_data_sets_have_the_published_means() -> None:
    """Of the best true AUC, and of that of the winner by the mean of folds, to the last digit.

    The paper's AUCs are rounded to 32 bits, which breaks ties of the means.
    """
    best, chosen = [], []
    fold = np.arange(FIRST.cases) % FIRST.folds
    for number in range(DATA_SETS):
        scores, truth = draw_data(PLACES[0], number)
        low, high = scores[: FIRST.few], scores[FIRST.few :]
        areas = [
            np.mean(high[fold[FIRST.few :] == k, None] > low[fold[: FIRST.few] == k], axis=(0, 1))
            for k in range(FIRST.folds)
        ]
        best.append(truth.max())
        chosen.append(truth[np.mean(np.float32(areas), axis=0, dtype=np.float64).argmax()])
    assert np.mean(best) == pytest.approx(MEAN_OF_BEST, abs=1e-14)
    assert np.mean(chosen) == pytest.approx(MEAN_OF_CHOSEN, abs=1e-14)


def test_places_are_in_the_order_of_the_published_stream() -> None:
    assert len(PLACES) == len(set(PLACES)) == len(study.SETTINGS)
    assert PLACES[0] == Place(FIRST.alpha, FIRST.cases, FIRST.configs, FIRST.minority)
    assert PLACES[-1] == Place(24, 500, 500, 0.1)


@pytest.mark.slow
def test_the_last_data_sets_have_the_published_mean(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where the stream has gone through all settings, those of five classes too."""
    monkeypatch.setattr(own_data, "STATES", tmp_path / "states.npz")
    own_data._read_states.cache_clear()
    best = [draw_data(PLACES[-1], number)[1].max() for number in range(DATA_SETS)]
    own_data._read_states.cache_clear()
    assert np.mean(best) == pytest.approx(0.955905372612243, abs=1e-14)


def test_the_evaluation_part_has_both_classes_where_it_must() -> None:
    rng = np.random.default_rng(5)
    setting = study.Setting(24, 6, 500, 1, 0.1)
    pi = study.make_predictions(setting, rng.standard_normal((500, 1)))
    y, fold = pi.target.y, pi.folds[:, 0]
    counts: dict[bool, list[int]] = {False: [], True: []}
    for each_fold, found in counts.items():
        for _ in range(30):
            learn = study.draw_learning_part(pi, rng, each_fold=each_fold)
            assert learn.sum() == 375
            assert all(len(set(y[learn & (fold == k)])) == 2 for k in range(10))
            found.append(min(len(set(y[~learn & (fold == k)])) for k in range(10)))
    assert min(counts[True]) == 2
    assert min(counts[False]) == 1  # one in fifteen splits has both in all by chance
