"""The comparison of estimators over data sets: its learners, its trials, its tables."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import earnest as en
from benchmarks.assessment import tables
from benchmarks.assessment.learners import LEARNERS
from benchmarks.assessment.problems import Problem, prepared, synthetic
from benchmarks.assessment.run import main
from benchmarks.assessment.summarise import Row, read, summarise, write
from benchmarks.assessment.trial import METHODS, METRICS, Answer, answers, truth


def sample(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    problem = synthetic()
    rows = problem.draw(n, np.random.default_rng(seed))
    return problem.X[rows], problem.y[rows]


# ---- learners


@pytest.mark.parametrize("name", LEARNERS)
def test_a_weighting_trains_what_scikit_learn_trains_on_repeated_cases(name: str) -> None:
    X, y = sample(30, seed=1)
    counts = np.random.default_rng(2).multinomial(30, np.full(30, 1 / 30), size=6)
    new = synthetic(seed=3).X[:50]
    learner = LEARNERS[name]
    for row, said in zip(counts, learner.responses(X, y, counts, new), strict=True):
        drawn = np.repeat(np.arange(30), row)
        model = clone(learner.model).fit(X[drawn], y[drawn])
        scores = getattr(model, "decision_function", None)
        wanted = scores(new) if scores else model.predict_proba(new)[:, 1]
        np.testing.assert_allclose(said, wanted, rtol=1e-9, atol=1e-12)  # rounding
        np.testing.assert_array_equal(said > learner.middle, model.predict(new) == 1)


def test_neighbours_are_found_when_all_near_cases_are_left_out() -> None:
    X, y = sample(60, seed=4)
    weights = np.zeros((1, 60))
    farthest = np.argsort(((X - X[0]) ** 2).sum(axis=1))[-3:]
    weights[0, farthest] = 1
    said = LEARNERS["3_nn"].responses(X, y, weights, X[:1])
    assert said[0, 0] == pytest.approx(y[farthest].mean())


# ---- trials


@pytest.fixture(scope="module")
def made() -> dict[tuple[str, str], Answer]:
    """What every method says of naive Bayes on fifty cases, by metric and method."""
    found = answers(LEARNERS["naive_bayes"], *sample(50, seed=5), 11, 20)
    return {(one.metric, one.method): one for one in found}


@pytest.mark.parametrize("metric", METRICS)
def test_a_trial_says_what_assess_says_with_the_same_seed(
    metric: str, made: dict[tuple[str, str], Answer]
) -> None:
    X, y = sample(50, seed=5)
    cheap = [name for name in METHODS if name not in ("bates_ncv", "conservative_z", "loocv")]
    asked = {"metric": metric, "n_replicates": 20, "rng": 11}
    wanted = en.assess_all(LEARNERS["naive_bayes"].model, X, y, methods=cheap, **asked)
    assert len(wanted) >= 11
    for one in wanted:
        limits = (np.nan, np.nan) if one.interval is None else (one.interval.low, one.interval.high)
        mine = made[metric, one.method]
        got = [mine.value, mine.low, mine.high]
        np.testing.assert_allclose(got, [one.value, *limits], rtol=1e-9, err_msg=one.method)


def test_a_trial_asks_every_method_and_counts_its_models(
    made: dict[tuple[str, str], Answer],
) -> None:
    assert {method for _, method in made} == set(METHODS)
    wanted = {"apparent": 1, "holdout": 1, "cv": 10, "corrected_t": 10, "repeated_cv": 100}
    wanted |= {"loocv": 50, "bates_ncv": 10 * (10 + 45), "conservative_z": 15 + 300, "loob": 21}
    assert {name: made["accuracy", name].fits for name in wanted} == wanted


def test_truth_is_that_of_scikit_learn() -> None:
    responses, y = np.array([0.2, 0.5, 0.7, 0.9]), np.array([0, 1, 0, 1])
    assert truth(responses, y, 0.5) == {"accuracy": 0.5, "roc_auc": 0.75}


def test_a_population_that_cannot_fill_ten_folds_is_left_out() -> None:
    y = (np.arange(1000) % 10 == 0).astype(np.int64)
    rare = Problem("rare", np.zeros((1000, 1)), y)
    assert [rare.holds(n) for n in (40, 100, 300)] == [False, True, False]
    assert y[rare.draw(100, np.random.default_rng(0))].sum() == 10


def test_categories_and_gaps_become_numbers_and_constants_go() -> None:
    table = pd.DataFrame({"a": [1.0, np.nan, 3.0, 5.0], "b": list("xyxy"), "c": 1.0})
    made = prepared("é", table.assign(target=np.array([0, 1, 0, 1], dtype=np.int8)))
    assert made.X.shape == (4, 2)
    np.testing.assert_allclose(made.X.std(axis=0), 1.0)
    assert made.X[1, 0] == pytest.approx(made.X[2, 0])  # the median of 1, 3 and 5


# ---- runs


def test_a_run_that_was_cut_goes_on_and_gives_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cheap = [name for name in METHODS if name not in ("bates_ncv", "conservative_z", "loocv")]
    monkeypatch.setattr("benchmarks.assessment.trial.METHODS", cheap)
    asked = ["--quick", "--kept", str(tmp_path / "kept"), "--out", str(tmp_path)]
    main(asked)
    first = table(tmp_path / "results.csv")
    assert {line["n_trials"] for line in first} == {"2"}
    cut = sorted((tmp_path / "kept").iterdir())[0]
    text = cut.read_text(encoding="utf-8")
    cut.write_text(text[: text.index("\n") + 50], encoding="utf-8")
    main(asked)
    assert table(tmp_path / "results.csv") == first


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    return [{key: cell for key, cell in line.items() if key != "seconds"} for line in lines]


# ---- summaries


def trials(numbers: list[tuple[float, float, float, float]]) -> list[dict[str, object]]:
    """Return trials from a truth, a value and its limits."""
    return [
        {
            "trial": i,
            "truth": {"accuracy": own},
            "answers": [["accuracy", "cv", value, low, high, i == 0, 10, 0.5]],
        }
        for i, (own, value, low, high) in enumerate(numbers)
    ]


def test_a_summary_is_what_its_definitions_say(tmp_path: Path) -> None:
    none = float("nan")
    made = trials([(0.5, 0.6, 0.5, 0.7), (0.6, 0.6, 0.55, 0.9), (0.7, 0.9, none, none)])
    (row,) = summarise({"a--lda--40--20": made})
    assert (row.data, row.learner, row.n, row.method) == ("a", "lda", 40, "cv")
    assert (row.n_trials, row.n_answers, row.n_intervals, row.fits) == (3, 3, 2, 10)
    assert row.truth == pytest.approx(0.6)
    assert row.bias == pytest.approx(0.1)
    assert row.sd == pytest.approx(np.std([0.6, 0.6, 0.9], ddof=1))
    assert row.rms_own == pytest.approx(np.sqrt((0.01 + 0.0 + 0.04) / 3))
    assert row.rms_mean == pytest.approx(np.sqrt(0.09 / 3))
    assert row.correlation == pytest.approx(np.corrcoef([0.5, 0.6, 0.7], [0.6, 0.6, 0.9])[0, 1])
    assert (row.covers_own, row.covers_mean) == (1.0, 1.0)
    assert row.width == pytest.approx(0.275)
    assert row.rough == pytest.approx(1 / 3)
    assert read(write([row], tmp_path))[0].bias == pytest.approx(row.bias, rel=1e-3)


def test_methods_of_one_value_share_a_line_and_ranks_are_within_cells() -> None:
    (cv,) = summarise({"a--lda--40--20": trials([(0.5, 0.6, 0.5, 0.7), (0.6, 0.8, 0.5, 0.7)])})
    same = Row(**{**vars(cv), "method": "corrected_t", "width": 0.5})
    better = Row(**{**vars(cv), "method": "loob", "rms_mean": 0.01, "sd": 0.01})
    groups = tables.alike([cv, same, better])
    assert set(groups) == {("cv", "corrected_t"), ("loob",)}
    assert tables.ranks(groups, "rms_mean") == {("cv", "corrected_t"): 2.0, ("loob",): 1.0}


def test_means_are_over_cells_in_which_all_methods_answer() -> None:
    (cv,) = summarise({"a--lda--40--20": trials([(0.5, 0.6, 0.5, 0.7), (0.6, 0.8, 0.5, 0.7)])})
    other = Row(**{**vars(cv), "method": "loob"})
    alone = Row(**{**vars(cv), "data": "b"})
    larger = Row(**{**vars(cv), "data": "b", "n": 100})
    every = [cv, other, alone, larger]
    assert tables.comparable(every, "accuracy", 40) == [cv, other]
    assert tables.comparable(every, "accuracy", 100) == [larger]


def test_the_error_of_a_mean_over_cells_adds_in_squares() -> None:
    (row,) = summarise({"a--lda--40--20": trials([(0.5, 0.6, 0.5, 0.7), (0.6, 0.8, 0.5, 0.7)])})
    cells = {
        (name, "lda", 40): Row(**{**vars(row), "data": name, "bias": bias, "bias_se": error})
        for name, bias, error in (("a", 0.1, 0.03), ("b", 0.3, 0.04))
    }
    assert tables.with_error(cells, "bias", "+.3f") == "+0.200 ± 0.025"


def test_the_results_that_are_kept_are_of_every_method_and_of_many_trials() -> None:
    rows = tables.results()
    assert {row.method for row in rows} == set(METHODS)
    assert min(row.n_trials for row in rows) >= 45
    assert all(0 < row.n_answers <= row.n_trials for row in rows)


def test_an_answer_without_an_interval_has_no_limits(made: dict[tuple[str, str], Answer]) -> None:
    found = made["accuracy", "apparent"]
    assert np.isnan([found.low, found.high]).all()
