"""A test set that is used once: trained on the rest, counted in its own file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB

from earnest import Predictions, assess, estimate, read_run
from earnest.core import DrawUnit, Estimand
from earnest.errors import EvidenceError, InputError
from earnest.methods import split_variance
from earnest.results import Estimate
from earnest.training import Samples
from tests.snapshots import Golden

RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 60)
X = Y[:, None] + RNG.normal(size=(120, 2))
DESIGN, TEST = (X[:80], Y[:80]), (X[80:], Y[80:])


def used(model: Any = None, **options: Any) -> Estimate:
    given: dict[str, Any] = {"metric": "roc_auc", "test": TEST, "rng": 0, "method": "holdout"}
    return assess(model or GaussianNB(), *DESIGN, **given | options)


def codes(made: Estimate) -> set[str]:
    return {caution.kind for caution in made.cautions}


def test_the_model_of_the_design_set_is_scored_on_the_test_set() -> None:
    made = used()
    model = GaussianNB().fit(*DESIGN)
    expected = roc_auc_score(TEST[1], model.predict_proba(TEST[0])[:, 1])
    assert made.value == pytest.approx(expected, abs=1e-12)
    assert made.n_cases == 40
    assert made.estimand == Estimand.THIS_MODEL
    assert made.winner == "GaussianNB"


def test_without_a_file_a_note_says_that_nothing_counts_the_uses() -> None:
    assert "uses_not_recorded" in codes(used())


def test_the_file_counts_uses_by_other_learners(tmp_path: Path) -> None:
    store = tmp_path / "test-set.db"
    first = used(store=store)
    assert not {"used_before", "uses_not_recorded"} & codes(first)
    second = used(LogisticRegression(), store=store)
    third = used(LogisticRegression(C=0.1), store=store)
    said = {c.kind: c.what for c in third.cautions}["used_before"]
    assert "use 3" in said
    assert "twice before (GaussianNB, LogisticRegression)" in said
    assert "once before (GaussianNB)" in {c.kind: c.what for c in second.cautions}["used_before"]
    uses = json.loads(read_run(store).documents["uses"])
    assert [use["learner"] for use in uses] == [
        "GaussianNB",
        "LogisticRegression",
        "LogisticRegression",
    ]


def test_the_same_call_again_is_the_same_use(tmp_path: Path) -> None:
    store = tmp_path / "test-set.db"
    first, again = used(store=store), used(store=store)
    assert again.to_dict() == first.to_dict()
    assert "used_before" not in codes(again)
    used(LogisticRegression(), store=store)
    assert "used_before" not in codes(used(store=store))  # it was and stays the first


def test_other_design_data_are_another_use(tmp_path: Path) -> None:
    store = tmp_path / "test-set.db"
    used(store=store)
    made = assess(
        GaussianNB(), X[:60], Y[:60], method="holdout", metric="roc_auc", test=TEST, rng=0,
        store=store,
    )  # fmt: skip
    assert "used_before" in codes(made)


def test_another_test_set_does_not_fit_the_file(tmp_path: Path) -> None:
    from earnest.errors import StoreError

    store = tmp_path / "test-set.db"
    used(store=store)
    with pytest.raises(StoreError, match="cases"):
        used(store=store, test=(X[90:], Y[90:]))


def test_the_design_set_is_no_test_set() -> None:
    with pytest.raises(EvidenceError, match="is the training set"):
        used(test=DESIGN)
    with pytest.raises(EvidenceError, match="is the training set"):
        used(test=(DESIGN[0].copy(), DESIGN[1]))


@pytest.mark.parametrize(
    ("test", "said"),
    [(X[80:], "pair|(X_test, y_test)"), ((X[80:], Y[:3]), "do not match"), ((X[80:],), "pair")],
)
def test_what_is_no_test_set_is_refused(test: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        used(test=test)


def test_a_label_that_training_does_not_know_is_refused(golden: Golden) -> None:
    with golden.raises(InputError):
        used(test=(X[80:], np.full(40, 7)))


def test_a_test_set_of_one_class_is_refused_before_any_fit(golden: Golden) -> None:
    fits = []

    class Watched(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            fits.append(1)
            return super().fit(X, y)

    ones = Y[80:] == 1
    with golden.raises(InputError):
        used(Watched(), test=(TEST[0][ones], TEST[1][ones]))
    assert fits == []


def test_numbers_are_scored_too() -> None:
    y = X @ [1.0, 2.0]
    made = assess(
        Ridge(), X[:80], y[:80], method="holdout", metric="r2", test=(X[80:], y[80:]), rng=0
    )
    assert made.value > 0.9


def test_test_cases_that_were_trained_on_are_told_of() -> None:
    design = np.random.default_rng(3).normal(size=(40, 3))
    y = np.tile([0, 1], 20)
    for shared, told in ((0, False), (4, True)):
        test = np.vstack(
            [design[:shared], np.ones((8 - shared, 3)) * np.arange(8 - shared)[:, None]]
        )
        ask = {"method": "holdout", "metric": "accuracy", "rng": 0, "test": (test, y[:8])}
        made = assess(GaussianNB(), design, y, **ask)
        words = [caution.what for caution in made.cautions if caution.kind == "shared_test_rows"]
        assert bool(words) is told
    assert words[0].startswith("4 of 8 test cases")
    few = np.repeat(design[:10], 4, axis=0)  # where rows come again, equal ones are no news
    made = assess(GaussianNB(), few, y, **{**ask, "test": (few[:8] + 0.0, y[:8])})
    assert "shared_test_rows" not in {caution.kind for caution in made.cautions}


def test_a_test_set_may_lack_a_class_that_its_metric_does_not_need() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 4
    test = rng.normal(size=(9, 2)), np.arange(9) % 3
    made = assess(GaussianNB(), X, y, method="holdout", metric="accuracy", test=test, rng=0)
    right = GaussianNB().fit(X, y).predict(test[0]) == test[1]
    assert made.value == pytest.approx(right.mean())
    with pytest.raises(InputError, match=r"lacks a class.*got no 3"):
        assess(GaussianNB(), X, y, method="holdout", metric="roc_auc_ovr", test=test)


# ---- with the training set random too


class Shifted(BaseEstimator, RegressorMixin):
    """Predicts the mean of the training outcome."""

    def fit(self, X: Any, y: Any) -> Shifted:
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


def test_the_parts_of_the_error_are_those_of_the_plain_loop() -> None:
    y = np.random.default_rng(4).standard_normal(90)
    columns = np.arange(90.0)[:, None]
    ask = {"metric": "mse", "test": (columns[60:], y[60:]), "rng": 3}
    made = assess(Shifted(), columns[:60], y[:60], method="holdout(trainings=40)", **ask)
    plain = assess(Shifted(), columns[:60], y[:60], method="holdout", **ask)
    assert (made.value, made.interval) == (plain.value, plain.interval)  # about this model
    samples = Samples(
        target=Predictions.from_arrays(y[:60], y[:60]).target,
        drawn=DrawUnit.CASES,
        both_sides=False,
        seed=3,
    )
    means = np.array([np.mean(y[:60][samples.find_rows(b)[0]]) for b in range(40)])
    losses = (y[60:, None] - means) ** 2  # (n, B)
    scores = losses.mean(axis=0)
    # Of a mean, resamples have the variance of the cases over n, known here without drawing.
    of_one = (losses.var(axis=0) / 30).mean()
    of_mean = losses.mean(axis=1).var() / 30
    interaction = (of_one - of_mean) * 40 / 39
    parts = made.details
    close = {"rel": 0.15}  # a thousand resamples know a standard deviation within 2 %
    assert parts.n_trainings == 40
    assert parts.interaction_sd == pytest.approx(np.sqrt(interaction), **close)
    assert parts.test_sd == pytest.approx(np.sqrt(of_one - interaction), **close)
    training = max(scores.var(ddof=1) - interaction, 0.0)
    assert parts.training_sd == pytest.approx(np.sqrt(training), **close)
    assert parts.standard_error == pytest.approx(np.sqrt(training + of_one), **close)
    facts = next(c.facts for c in made.cautions if c.kind == "another_training_set")
    assert facts["standard_error"] == pytest.approx(parts.standard_error)
    assert made.provenance.knobs["trainings"] == 40


def test_known_components_of_variance_are_found() -> None:
    """A table with three known variances, 60 times: seeds 0 to 59.

    Each mean of 60 squared parts lies within 4 of its standard errors of the truth.
    """
    training, test, interaction, models, cases = 0.03, 0.05, 0.04, 100, 80
    found = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        losses = (
            training * rng.standard_normal(models)
            + np.sqrt(cases) * test * rng.standard_normal((cases, 1))
            + np.sqrt(cases) * interaction * rng.standard_normal((cases, models))
        )
        weights = rng.multinomial(cases, np.full(cases, 1 / cases), 400) / cases
        parts = split_variance(losses.mean(axis=0), weights @ losses)
        found.append([parts.training_sd**2, parts.test_sd**2, parts.interaction_sd**2])
    truth = np.square([training, test, interaction])
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(60)
    bias = truth / cases  # of a resampled variance, whose divisor is n
    assert (np.abs(mean - truth) < 4 * error + bias).all()


def draw_linear(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    columns = rng.standard_normal((n, 5))
    return columns, columns @ np.ones(5) + 2 * rng.standard_normal(n)


@pytest.mark.slow
def test_the_error_is_the_spread_of_scores_over_training_and_test_sets() -> None:
    """Ridge with 60 cases, tested on 100: seeds 0 to 999 for the truth, 0 to 59 for the parts.

    The spread of 1000 pairs of sets is known within 2.3 %, the mean of 60 estimates within 2.5 %:
    four of their errors together are 14 %. With independent training sets the parts are right.
    Bootstrap samples vary about their own design set: measured once, the standard error is 1.21
    times, the part of training 1.9 times the true one.
    """
    scores, true = [], []
    large = draw_linear(np.random.default_rng(10**6), 20_000)
    for seed in range(1000):
        rng = np.random.default_rng([1, seed])
        model = Ridge().fit(*draw_linear(rng, 60))
        columns, y = draw_linear(rng, 100)
        scores.append(np.mean((y - model.predict(columns)) ** 2))
        true.append(np.mean((large[1] - model.predict(large[0])) ** 2))
    fresh, drawn = [], []
    for seed in range(60):
        rng = np.random.default_rng([2, seed])
        design, test = draw_linear(rng, 60), draw_linear(rng, 100)
        models = [Ridge().fit(*draw_linear(rng, 60)) for _ in range(100)]
        losses = np.stack([(test[1] - model.predict(test[0])) ** 2 for model in models], axis=1)
        weights = rng.multinomial(100, np.full(100, 0.01), 500) / 100
        fresh.append(split_variance(losses.mean(axis=0), weights @ losses))
        ask = {"method": "holdout(trainings=40)", "metric": "mse", "rng": seed}
        drawn.append(assess(Ridge(), *design, test=test, **ask).details)

    def root(name: str, parts: list[Any]) -> float:
        return float(np.sqrt(np.mean([getattr(each, name) ** 2 for each in parts])))

    assert root("standard_error", fresh) == pytest.approx(np.std(scores), rel=0.14)
    assert root("training_sd", fresh) == pytest.approx(np.std(true), rel=0.2)
    assert 1.0 < root("standard_error", drawn) / np.std(scores) < 1.4
    assert 1.2 < root("training_sd", drawn) / np.std(true) < 2.4


def test_predictions_alone_cannot_tell_of_other_training_sets() -> None:
    pi = Predictions.from_arrays(Y, X[:, 0])
    with pytest.raises(EvidenceError, match="what another training set"):
        estimate(pi, method="holdout(trainings=50)", metric="roc_auc")
    with pytest.raises(InputError, match="trainings"):
        estimate(pi, method="holdout(trainings=1)", metric="roc_auc")
    with pytest.raises(EvidenceError, match="test="):
        assess(GaussianNB(), X, Y, method="holdout(trainings=50)", metric="roc_auc")


def test_an_auc_has_its_parts_whatever_the_number_of_jobs() -> None:
    one, two = (used(method="holdout(trainings=30)", n_jobs=jobs) for jobs in (1, 2))
    assert one == two
    assert one.details == two.details
    assert one.details.standard_error > one.details.test_sd > 0
