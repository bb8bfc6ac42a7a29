"""Two learners compared by the replicates of both, as `compare_learners` compares them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import earnest as en

RNG = np.random.default_rng(12)
X = RNG.standard_normal((40, 3))
Y = (X[:, 0] + RNG.standard_normal(40) > 0).astype(int)
COUNT = 60


def train(learner: object, metric: str = "roc_auc", rng: int = 5) -> en.Replicates:
    return en.bootstrap_train(learner, X, Y, metric=metric, n_replicates=COUNT, rng=rng)


@pytest.fixture(scope="module")
def both() -> tuple[en.Replicates, en.Replicates]:
    return train(GaussianNB()), train(LogisticRegression())


@pytest.mark.parametrize(("test", "metric"), [("lpob", "roc_auc"), ("loob", "accuracy")])
def test_replicates_give_what_training_both_gives(test: str, metric: str) -> None:
    pair = [train(learner, metric) for learner in (GaussianNB(), LogisticRegression())]
    found = en.compare(*pair, metric=metric)
    trained = en.compare_learners(
        GaussianNB(), LogisticRegression(), X, Y, test=test, metric=metric, n_replicates=COUNT,
        rng=5,
    )  # fmt: skip
    assert found.test == test  # the default of this metric
    assert (found.a, found.b) == (trained.a, trained.b) == ("GaussianNB", "LogisticRegression")
    assert found.to_dict() == trained.to_dict()


def test_the_other_way_round_the_sign_changes(both: tuple[en.Replicates, en.Replicates]) -> None:
    one, other = en.compare(*both, metric="roc_auc"), en.compare(*both[::-1], metric="roc_auc")
    assert one.difference == pytest.approx(-other.difference, abs=1e-12)
    assert one.p_value == pytest.approx(other.p_value, abs=1e-12)


def test_a_learner_is_as_good_as_itself(both: tuple[en.Replicates, en.Replicates]) -> None:
    made = en.compare(both[0], both[0], metric="roc_auc")
    assert (made.difference, made.p_value) == (0.0, 1.0)
    assert (made.a, made.b) == ("GaussianNB", "GaussianNB'")


def test_samples_on_which_one_learner_failed_are_left_out_for_both(
    both: tuple[en.Replicates, en.Replicates],
) -> None:
    first, second = both
    fewer = replace(second.take(np.arange(5, COUNT)), n_failed=5)
    made = en.compare(first, fewer, metric="roc_auc")
    same = en.compare(first.take(np.arange(5, COUNT)), replace(fewer, n_failed=0), metric="roc_auc")
    assert made.provenance.knobs["n_replicates"] == COUNT - 5
    assert (made.difference, made.standard_error) == (same.difference, same.standard_error)
    with pytest.raises(en.errors.EvidenceError, match="no bootstrap sample"):
        en.compare(first.take(np.arange(5)), fewer, metric="roc_auc")


def test_a_learner_trained_elsewhere_is_compared_with_one_trained_here(
    both: tuple[en.Replicates, en.Replicates],
) -> None:
    first, second = both
    arrays = (Y, second.responses, second.counts.astype(np.int64), second.apparent)
    with pytest.raises(en.errors.EvidenceError, match="'stratified' and 'case'"):
        en.compare(first, en.Replicates.from_arrays(*arrays), metric="roc_auc")
    read = en.Replicates.from_arrays(*arrays, drawn="stratified", learner="theirs")
    made, own = (en.compare(first, other, metric="roc_auc") for other in (read, second))
    assert (made.b, made.difference, made.p_value) == ("theirs", own.difference, own.p_value)
    # some failed here: counts of another type are the same samples
    fewer = replace(first.take(np.arange(5, COUNT)), n_failed=5)
    some = en.compare(fewer, read, metric="roc_auc")
    assert some.provenance.knobs["n_replicates"] == COUNT - 5


def test_what_cannot_be_compared_is_refused(both: tuple[en.Replicates, en.Replicates]) -> None:
    first, second = both
    pi = en.Predictions.from_arrays(Y, X[:, :1], np.arange(40) % 5, configs=["x"])
    for one, other in ((first, pi), (pi, first), (first, "LogisticRegression"), (first, None)):
        with pytest.raises(en.errors.InputError, match="Replicates and Replicates"):
            en.compare(one, other, metric="roc_auc")
    with pytest.raises(en.errors.InputError, match="`b` cannot be combined"):
        en.compare(first, second, "x", metric="roc_auc")
    with pytest.raises(en.errors.EvidenceError, match="different bootstrap samples"):
        en.compare(first, train(LogisticRegression(), rng=6), metric="roc_auc")
    with pytest.raises(en.errors.EvidenceError, match="test='lpob'"):
        en.compare(first, second, test="bayle", metric="roc_auc")
    with pytest.raises(en.errors.InputError, match="`metric` is missing"):
        en.compare(first, second)
    with pytest.raises(en.errors.MetricError, match="decision"):
        en.compare(first, replace(second, kind="decision"), metric="brier_score")
    with pytest.raises(en.errors.EvidenceError, match="compare two Replicates"):
        en.compare(pi, "x", "x", test="lpob", metric="roc_auc")
