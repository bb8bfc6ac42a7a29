"""Weights of cases: how they are read, what they are worth, and that files keep them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import earnest as en
from earnest.core import CaseWeights
from earnest.errors import InputError

RNG = np.random.default_rng(5)
Y = np.tile([0, 1], 20)
SCORES = np.round(RNG.random((40, 3)), 3)
WEIGHTS = np.round(RNG.lognormal(0.0, 0.6, 40), 3)
FOLD = np.arange(40) // 2 % 4


def predictions(**more: object) -> en.Predictions:
    return en.Predictions.from_arrays(Y, SCORES, FOLD, **more)  # type: ignore[arg-type]


def test_kish_s_size_is_that_of_the_formula_and_ignores_the_scale() -> None:
    for scale in (1.0, 1e-300, 1e300):
        weights = CaseWeights.of(WEIGHTS * scale, "survey")
        assert weights.effective_size() == pytest.approx(
            WEIGHTS.sum() ** 2 / np.square(WEIGHTS).sum()
        )
        assert weights.masses is not None
        assert weights.masses.mean() == pytest.approx(1.0)


def test_equal_weights_leave_predictions_as_they_are() -> None:
    plain = predictions()
    for kind in ("importance", "survey"):
        weighed = predictions(sample_weight=np.full(40, 0.3), weights=kind)
        assert weighed.target.weights is None
        assert weighed.fingerprint == plain.fingerprint
    assert predictions(sample_weight=np.ones(40), weights="frequency").fingerprint == (
        plain.fingerprint
    )


def test_a_survey_with_strata_is_one_even_where_weights_are_equal() -> None:
    pi = predictions(sample_weight=np.ones(40), weights="survey", strata=np.arange(40) // 20)
    assert pi.target.surveyed
    assert pi.target.masses is None


def test_frequencies_become_rows_and_rows_of_frequency_0_go() -> None:
    counts = np.arange(40) % 3
    pi = predictions(sample_weight=counts, weights="frequency", ids=np.arange(40))
    assert pi.n_cases == counts.sum()
    assert pi.target.weights is None
    rows = np.concatenate([np.flatnonzero(counts > turn) for turn in range(2)])
    assert np.array_equal(pi.responses[:, :, 0], SCORES[rows])
    assert np.array_equal(pi.folds[:, 0], FOLD[rows])


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow", ".npz"])
def test_files_keep_weights_and_what_they_mean(suffix: str, tmp_path: Path) -> None:
    pi = predictions(sample_weight=WEIGHTS, weights="survey", strata=Y, groups=np.arange(40) // 4)
    again = en.Predictions.load(pi.save(tmp_path / f"cases{suffix}"))
    assert again.fingerprint == pi.fingerprint
    assert again.target.weights is not None
    assert again.target.weights.kind == "survey"


@pytest.mark.parametrize("form", ["wide", "long"])
def test_tables_have_a_column_of_weights_that_is_read_by_its_name(form: str) -> None:
    pi = predictions(sample_weight=WEIGHTS, weights="survey", ids=np.arange(40))
    table = pi.to_frame(form=form)
    again = en.Predictions.from_frame(table, weight="weight", weights="survey")
    assert again.target.weights is not None
    assert np.array_equal(again.target.weights.values, WEIGHTS)


def test_a_part_of_the_cases_keeps_its_weights() -> None:
    pi = predictions(sample_weight=WEIGHTS)
    part = pi.take(np.arange(10))
    assert part.target.weights is not None
    assert np.array_equal(part.target.weights.values, WEIGHTS[:10])
    assert pi.fingerprint != predictions().fingerprint
    with pytest.raises(InputError):
        pi.concat(predictions())


@pytest.mark.parametrize(
    ("weights", "kind"),
    [
        (WEIGHTS[:-1], "importance"),
        (-WEIGHTS, "importance"),
        (np.where(Y == 1, np.nan, 1.0), "importance"),
        (np.where(Y == 1, np.inf, 1.0), "survey"),
        (np.zeros(40), "survey"),
        (np.where(Y == 1, 1e13, 1.0), "survey"),
        (WEIGHTS, "frequency"),
        (np.full(40, 1e6), "frequency"),
        (WEIGHTS, "exposure"),
        (np.full(40, "a"), "importance"),
        (np.ones((40, 2)), "importance"),
    ],
    ids=[
        *(
            "short",
            "negative",
            "missing",
            "infinite",
            "zero",
            "unlike",
            "fractions",
            "huge",
            "kind",
        ),
        *("text", "columns"),
    ],
)
def test_what_is_no_weight_is_refused(weights: object, kind: str) -> None:
    with pytest.raises(InputError):
        predictions(sample_weight=weights, weights=kind)
