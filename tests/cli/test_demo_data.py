"""The packaged table is small, real, well formed, and shows the winner's curse."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

import earnest as en

DATA = files("earnest") / "data"
TABLE = DATA / "demo_predictions.csv"


@pytest.fixture(scope="module")
def pi() -> en.Predictions:
    return en.Predictions.load(str(TABLE))


def test_it_is_small():
    assert len(TABLE.read_bytes()) <= 60_000


def test_its_source_and_licence_are_told():
    about = (DATA / "README.md").read_text(encoding="utf-8")
    for words in ("demo_predictions.csv", "German Credit", "CC BY 4.0", "10.24432/C5NC77"):
        assert words in about


def test_it_holds_probabilities_of_sixty_configurations_in_ten_stratified_folds(pi):
    assert (pi.n_cases, pi.n_configs, pi.n_folds, pi.n_repeats) == (150, 60, 10, 1)
    assert pi.kind == "probability"
    positives = np.bincount(pi.folds[:, 0], weights=pi.target.y)
    assert positives.max() - positives.min() <= 1


def test_the_winners_curse_is_visible(run, golden):
    done = run("estimate", TABLE, "--metric", "roc_auc", "--rng", "7")
    assert done.code == 0
    golden.check_sentence(done.out, "Expect a ROC")
    assert "! EN001" in done.out
