"""The experiments after Bayle et al. 2020: procedures, learners, truths, and what is kept."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, t
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import earnest as en
from benchmarks.papers.agreement import judge
from benchmarks.papers.bayle2020 import figures, formulas, learners, populations, stable, study
from benchmarks.papers.bayle2020.design import design
from benchmarks.papers.bayle2020.trial import (
    INTERVAL,
    PAIRS,
    PROCEDURES,
    TEST,
    Evidence,
    comparisons,
    evidence,
    intervals,
    read,
    trial,
)
from benchmarks.papers.reproduce import as_csv
from benchmarks.papers.study import Cell, Done

N = 200
MADE = {"classes": populations.classes, "values": populations.values}


def published(loss: np.ndarray, plan: object) -> dict[str, tuple[float, float, float]]:
    """Centre, scale and degrees of freedom of every procedure, as the authors' code has them.

    `loss` maps the kinds of splits to (n,), (n, 10) and (n, 5) losses; infinite degrees of freedom
    are the normal law.
    """
    folds, random, halves = loss
    n, k = len(folds), 10
    blocks = folds.reshape(k, -1)  # ten folds in a row
    sets = np.nanmean(random, axis=0)
    pairs = np.array([[halves[plan.halves[:, r] == h, r].mean() for h in (0, 1)] for r in range(5)])
    fold_means = blocks.mean(axis=1)
    return {
        "bayle_all_pairs": (folds.mean(), folds.std() / n**0.5, np.inf),
        "bayle_within_fold": (
            folds.mean(),
            blocks.var(axis=1, ddof=1).mean() ** 0.5 / n**0.5,
            np.inf,
        ),
        "holdout": (blocks[0].mean(), blocks[0].std() / (n / k) ** 0.5, np.inf),
        "cv_t": (fold_means.mean(), fold_means.std(ddof=1) / k**0.5, k - 1),
        "resampled_t": (sets.mean(), sets.std(ddof=1) / 10**0.5, 9),
        "corrected_t": (sets.mean(), sets.std(ddof=1) * (1 / 10 + 1 / 9) ** 0.5, 9),
        "five_by_two": (pairs[0, 0], pairs.var(axis=1, ddof=1).mean() ** 0.5, 5),
        "corrected_t of folds": (
            fold_means.mean(),
            fold_means.std(ddof=1) * (1 / 10 + 1 / 9) ** 0.5,
            9,
        ),
    }


def quantile(level: float, df: float) -> float:
    return float(norm.ppf(level) if np.isinf(df) else t.ppf(level, df))


@pytest.fixture(scope="module", params=list(MADE))
def made(request: pytest.FixtureRequest) -> tuple[populations.Population, Evidence]:
    population = MADE[request.param]()
    return population, evidence(population, N, np.random.default_rng(3))


@pytest.mark.parametrize("every", [False, True], ids=["shortcut", "earnest"])
@pytest.mark.parametrize("which", [0, 1])
def test_every_interval_is_its_published_formula(
    made: tuple[populations.Population, Evidence], which: int, every: bool
) -> None:
    population, found = made
    loss = found.folds[:, which], found.random[:, which], found.halves[:, which]
    wanted = published(loss, found.design)
    said = intervals(found, population.task, population.metric, which, every)
    assert list(wanted) == list(PROCEDURES)
    for row, (centre, scale, df) in zip(said, wanted.values(), strict=True):
        reach = quantile(0.975, df) * scale
        limits = np.maximum([centre, centre - reach, centre + reach], 0)  # a loss is not below 0
        np.testing.assert_allclose(row[:3], limits, rtol=1e-9)


@pytest.mark.parametrize("every", [False, True], ids=["shortcut", "earnest"])
def test_every_test_is_its_published_formula(
    made: tuple[populations.Population, Evidence], every: bool
) -> None:
    _, found = made
    apart = tuple(part[:, 0] - part[:, 1] for part in (found.folds, found.random, found.halves))
    for row, (centre, scale, df) in zip(
        comparisons(found, every), published(apart, found.design).values(), strict=True
    ):
        reach = quantile(0.95, df) * scale
        np.testing.assert_allclose(row[:3], [centre, centre - reach, centre + reach], rtol=1e-9)
        less = norm.cdf(centre / scale) if np.isinf(df) else t.cdf(centre / scale, df)
        np.testing.assert_allclose(row[3:5], [less, 1 - less], rtol=1e-6, atol=1e-12)


def test_the_truth_is_the_mean_loss_of_many_fresh_cases(
    made: tuple[populations.Population, Evidence],
) -> None:
    # 400,000 fresh cases, seed 7: an error rate has sd 0.0008, a squared error 0.0023
    population, _ = made
    rows, y = population.draw(N, np.random.default_rng(6))
    said = learners.LEARNERS[PAIRS[population.task][0]](population, rows[None], y[None])
    fresh, outcome = population.draw(400_000, np.random.default_rng(7))
    seen = np.square(said[0, fresh] - outcome).mean()
    assert population.truth(said)[0] == pytest.approx(seen, abs=4 * 0.0023)


def test_each_truth_is_of_the_models_that_a_procedure_trained() -> None:
    population, plan = populations.values(), design(N)
    found = evidence(population, N, np.random.default_rng(3))
    rows, y = population.draw(N, np.random.default_rng(3))
    one = {
        name: [
            population.truth(learners.ridge(population, rows[None, part], y[None, part]))[0]
            for part in parts
        ]
        for name, parts in {
            "folds": [np.flatnonzero(plan.folds != k) for k in range(10)],
            "random": [np.flatnonzero(plan.tested[:, j] < 0) for j in range(10)],
            "halves": [np.flatnonzero(plan.halves[:, r] == k) for r in range(5) for k in (1, 0)],
        }.items()
    }
    wanted = dict.fromkeys(PROCEDURES, np.mean(one["folds"]))
    wanted |= dict.fromkeys(["resampled_t", "corrected_t"], np.mean(one["random"]))
    wanted |= {"holdout": one["folds"][0], "five_by_two": np.mean(one["halves"])}
    np.testing.assert_allclose(found.truths[:, 1], list(wanted.values()), rtol=1e-12)


@pytest.mark.parametrize("name", MADE)
def test_learners_are_those_of_scikit_learn(name: str) -> None:
    learners.check(MADE[name]())


def test_a_trial_of_the_study_is_that_of_all_procedures() -> None:
    cell = Cell.of("trials", 1, population="values", cases=100)
    found = study.run(cell, study.stream(cell, 0))
    single, both = read(trial(populations.values(), 100, 0)[None])
    for which, learner in enumerate(PAIRS["regression"]):
        wanted = single[0, which].ravel()
        names = [f"{learner} {p} {f}" for p in PROCEDURES for f in INTERVAL]
        np.testing.assert_allclose([found[name] for name in names], wanted, rtol=1e-9)
    names = [f"both {p} {f}" for p in PROCEDURES for f in TEST]
    np.testing.assert_allclose([found[name] for name in names], both[0].ravel(), rtol=1e-9)


def by_formula() -> list[dict[str, str]]:
    with stable.EXPECTED.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_expected_numbers_follow_from_the_formulas() -> None:
    # 5x2 is drawn: of 200,000 the coverage has an sd of .0004, the width one of .001
    found = stable.expected(200_000)
    for line in by_formula():
        held, wide = found[line["procedure"]]
        assert float(line["coverage"]) == pytest.approx(held, abs=0.002)
        assert float(line["relative_width"]) == pytest.approx(wide, abs=0.005)


def test_a_learner_that_no_case_changes_has_the_expected_coverage() -> None:
    # 2000 samples of 200 normal losses, seed 9: a share has an sd of at most .0085
    rng, plan, held = np.random.default_rng(9), design(N), np.zeros(len(PROCEDURES))
    for _ in range(2000):
        loss = rng.standard_normal(N)
        random = np.where(plan.tested < 0, np.nan, loss[:, None])
        known = formulas.laws(loss, random, np.repeat(loss[:, None], 5, axis=1), plan)
        answers = np.array([law.answer(0.975)[1:3] for law in known])
        held += (answers[:, 0] <= 0) & (answers[:, 1] >= 0)
    wanted = [float(line["coverage"]) for line in by_formula()]
    # hold-out has 20 cases and the normal law, which is short of its level there by itself
    wanted[PROCEDURES.index("holdout")] = 2 * t.cdf(norm.ppf(0.975) * (19 / 20) ** 0.5, 19) - 1
    np.testing.assert_allclose(held / 2000, wanted, atol=4 * 0.0085)


def test_tables_claims_and_figures_are_made_of_trials(tmp_path: Path) -> None:
    cells = [Cell.of("trials", 30, population=name, cases=700) for name in study.TASKS]
    small = Cell.of("trials", 2, population="values", cases=100)
    rows = [study.run(small, study.stream(small, k)) for k in range(2)]
    done = []
    for cell in cells:
        own = PAIRS[study.TASKS[str(cell["population"])]]
        swap = dict(zip(PAIRS["regression"], own, strict=True))
        names = tuple(
            " ".join([swap.get(n.split(" ")[0], "both"), *n.split(" ")[1:]]) for n in rows[0]
        )
        values = np.array([list(row.values()) for row in rows] * 15)  # shares are of more than 25
        done.append(Done(cell, names, values, 0.0))
    found = study.find({"trials": done})
    assert len(found["figure2"]) == 4 * 2 * len(PROCEDURES) * 4
    low, high, truth = (done[1]["forest bayle_all_pairs " + f] for f in ("low", "high", "truth"))
    share = np.mean((low <= truth) & (truth <= high))
    assert {f.value for f in found["figure2"] if f.quantity == "coverage"} >= {share}
    assert len(found["claims"]) == 9
    for table in ("figure2", "figure3"):
        verdicts = judge(table, found[table], {}, ())
        (tmp_path / f"{table}.csv").write_text(as_csv(verdicts))
    figures.draw_all(tmp_path)
    for name in ("figure2.svg", "figure3.svg"):
        drawn = (tmp_path / name).read_text()
        assert all(label in drawn for label in ("hold-out", "5x2 CV", "phoneme"))


def test_the_ratio_of_a_learner_is_that_of_check_stability_in_kind() -> None:
    # Both estimate n gamma / sigma²; 25 samples of 100 cases, of one of them each: within a factor.
    cell = Cell.of("stability", 1, population="values", a="ridge", b="", cases=100)
    rows = [study.run(cell, study.stream(cell, k)) for k in range(25)]
    ratio = np.mean([r["gamma"] for r in rows]) / np.mean([r["variance"] for r in rows])
    population = populations.values()
    drawn, y = population.draw(100, np.random.default_rng(0))
    learner = make_pipeline(StandardScaler(), Ridge(alpha=learners.ALPHA))
    found = en.check_stability(learner, population.X[drawn], y, metric="mse", rng=0)
    assert ratio / 2 < found.ratio < 2 * ratio
