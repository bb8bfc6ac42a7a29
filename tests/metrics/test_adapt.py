"""Any function and any scikit-learn scorer as a metric."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics as sk

import earnest as en
from earnest import Predictions
from earnest.core import TASKS, ResponseKind, Task
from earnest.errors import InputError, MetricError
from earnest.kernels import score_selected, score_table
from earnest.metrics import METRICS, CallableMetric, make_metric, metric
from earnest.resampling import Weights
from tests.metrics.evidence import make, random_evidence, repeated
from tests.metrics.oracles import pairs

Values = NDArray[Any]
TOLERANCE = 1e-12  # the same function on the same rows, but for the order of its sums


def brier_by_hand(y: Values, p: Values) -> float:
    return float(np.mean((y - p) ** 2))


def weighted_brier_by_hand(y: Values, p: Values, sample_weight: Values) -> float:
    return float(np.average((y - p) ** 2, weights=sample_weight))


def recall_that_divides(y: Values, labels: Values) -> float:
    hits = sum(1 for a, b in zip(y, labels, strict=True) if a == b == 1)
    return hits / int((y == 1).sum())


def mean_squared_log_error(y: Values, p: Values) -> float:
    return float(np.mean((np.log1p(y) - np.log1p(p)) ** 2))


def longest_label(y: Values, labels: Values) -> float:
    assert set(labels) <= {"no", "yes"}
    return float(np.mean(y == labels))


def harrell(y: Values, risk: Values) -> float:
    return pairs(np.column_stack([y["time"], y["event"]]), risk, np.ones(len(y)))


def number_of_rows(y: Values, p: Values) -> float:
    return float(len(y))


def counts(seed: int, n: int, rows: int = 4) -> Weights:
    return Weights(np.random.default_rng(seed).integers(0, 4, (rows, n)))


def test_a_function_is_called_on_repeated_rows_and_equals_the_moment_metric() -> None:
    pi, weights = random_evidence(Task.BINARY, seed=61, n=40), counts(62, 40)
    for function in (brier_by_hand, weighted_brier_by_hand):
        got = score_table(pi, metric(function), weights)
        expected = score_table(pi, METRICS["brier"], weights)
        np.testing.assert_allclose(got, expected, rtol=TOLERANCE)


def test_a_function_with_sample_weight_is_given_it() -> None:
    assert not metric(brier_by_hand).takes_weights  # type: ignore[attr-defined]  # a CallableMetric
    one = make_metric(weighted_brier_by_hand, needs="probability", greater_is_better=False)
    assert one.takes_weights
    pi = random_evidence(Task.BINARY, seed=63, n=40)
    real = Weights(np.random.default_rng(64).exponential(size=(3, 40)))
    expected = score_table(pi, METRICS["brier"], real)
    np.testing.assert_allclose(score_table(pi, one, real), expected, rtol=TOLERANCE)


def test_fractions_of_cases_are_refused_by_a_function_without_weights() -> None:
    pi = random_evidence(Task.BINARY, seed=65, n=10)
    with pytest.raises(MetricError, match="takes no weights"):
        score_table(pi, metric(brier_by_hand), Weights(np.full((1, 10), 0.5)))


def test_a_resample_that_a_function_cannot_take_is_undefined() -> None:
    """Division by zero without positives; on the cases as they are the error is shown."""
    one = make_metric(recall_that_divides, needs="label", limits=(0, 1))
    pi = random_evidence(Task.BINARY, seed=66, n=20)
    without = (pi.target.y == 0).astype(np.uint8)
    table = score_table(pi, one, Weights(np.stack([np.ones(20, np.uint8), without])))
    np.testing.assert_allclose(
        table[0], score_table(pi, METRICS["recall"], Weights.ones(20))[0], rtol=TOLERANCE
    )
    assert np.isnan(table[1]).all()
    negatives = repeated(pi, without)
    with pytest.raises(ZeroDivisionError):
        score_table(negatives, one, Weights.ones(negatives.n_cases))


def test_a_function_that_takes_anything_is_undefined_without_weight() -> None:
    pi = random_evidence(Task.BINARY, seed=81, n=10)
    weights = Weights(np.stack([np.zeros(10, np.uint8), np.full(10, 3, np.uint8)]))
    table = score_table(pi, metric(number_of_rows), weights)
    assert np.isnan(table[0]).all()
    assert (table[1] == 30).all()


def test_nothing_is_called_without_weight_or_without_predictions() -> None:
    pi = random_evidence(Task.BINARY, seed=67, n=10)
    holed = pi.responses[:, :, 0].copy()
    holed[:, 1] = np.nan
    weights = Weights(np.stack([np.zeros(10, np.uint8), np.ones(10, np.uint8)]))
    for name in ("d2_brier_score", "jaccard"):
        table = score_table(make(Task.BINARY, pi.target.y, holed), metric(name), weights)
        assert np.isnan(table[0]).all()
        assert np.isnan(table[1, 1])
        assert np.isfinite(table[1, [0, 2]]).all()


def test_a_function_sees_the_user_s_own_labels() -> None:
    pi = random_evidence(Task.BINARY, seed=68, n=30)
    y, scores = pi.target.y, pi.responses[:, :, 0]
    named = make(Task.BINARY, y, scores, classes=("no", "yes"))
    weights = counts(69, 30)
    expected = score_table(pi, METRICS["accuracy"], weights)
    one = make_metric(longest_label, needs="label")
    np.testing.assert_allclose(score_table(named, one, weights), expected, rtol=TOLERANCE)
    codes = (scores > 0.5).astype(float)
    hard = make(Task.BINARY, y, codes, classes=("no", "yes"), kind=ResponseKind.LABEL)
    as_it_is = metric(longest_label)
    np.testing.assert_allclose(score_table(hard, as_it_is, weights), expected, rtol=TOLERANCE)


def test_a_function_of_survival_sees_events_and_times() -> None:
    pi, weights = random_evidence(Task.SURVIVAL, seed=70, n=40), counts(71, 40)
    expected = score_table(pi, METRICS["concordance"], weights)
    for one in (metric(harrell), make_metric(harrell, needs="risk")):
        np.testing.assert_allclose(score_table(pi, one, weights), expected, rtol=TOLERANCE)


def test_what_a_function_needs_decides_the_tasks() -> None:
    assert make_metric(brier_by_hand, needs="value").tasks == {Task.REGRESSION}
    assert make_metric(brier_by_hand, needs="probability").tasks == {Task.BINARY, Task.MULTICLASS}
    assert make_metric(brier_by_hand, needs="risk").tasks == {Task.SURVIVAL}
    assert make_metric(brier_by_hand).tasks == set(TASKS)
    assert make_metric(brier_by_hand, tasks=["binary"]).tasks == {Task.BINARY}
    assert make_metric(brier_by_hand, tasks="binary").tasks == {Task.BINARY}


def test_names_of_functions_partials_and_callables() -> None:
    assert metric(brier_by_hand).name == "brier_by_hand"
    assert metric(partial(weighted_brier_by_hand)).name == "weighted_brier_by_hand"
    assert metric(lambda y, p: 0.0).name == "lambda"
    assert make_metric(brier_by_hand, name="mine").name == "mine"
    assert metric(brier_by_hand).greater_is_better


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"needs": "labels"}, "Did you mean 'label'"),
        ({"tasks": ["ranking"]}, "`tasks` is unknown"),
        ({"limits": (1, 0)}, "low < high"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        make_metric(brier_by_hand, **arguments)


def test_what_is_no_function_is_refused() -> None:
    for given in (3, "accuracy", dict):
        with pytest.raises(InputError, match="not a function"):
            make_metric(given)  # type: ignore[arg-type]  # what a careless caller may give


def test_a_function_that_looks_like_a_loss_must_say_so() -> None:
    """Maximising a loss would crown the worst configuration."""
    for loss in (mean_squared_log_error, sk.hamming_loss):
        with pytest.raises(InputError, match="greater_is_better=False"):
            metric(loss)
    one = make_metric(mean_squared_log_error, greater_is_better=False, needs="value")
    assert one.sign == -1.0


def test_a_function_of_scikit_learn_is_the_metric_it_stands_for() -> None:
    assert metric(sk.roc_auc_score) is METRICS["roc_auc"]
    assert metric(sk.mean_squared_error) is METRICS["mse"]
    worst = metric(sk.max_error)
    assert (worst.name, worst.greater_is_better) == ("max_error", False)
    assert worst.tasks == {Task.REGRESSION}


def test_a_scorer_is_a_metric_in_its_natural_sign() -> None:
    scorer = sk.make_scorer(sk.fbeta_score, beta=0.5)
    one = metric(scorer)
    assert one.name == "f_beta(beta=0.5)"
    pi, weights = random_evidence(Task.BINARY, seed=72, n=40), counts(73, 40)
    expected = score_table(pi, metric("f_beta(beta=0.5)"), weights)
    np.testing.assert_allclose(score_table(pi, one, weights), expected, rtol=TOLERANCE)
    loss = metric(sk.make_scorer(brier_by_hand, greater_is_better=False))
    assert not loss.greater_is_better
    assert loss.needs == "prediction"
    values = random_evidence(Task.REGRESSION, seed=74, n=30)
    squares = score_table(values, METRICS["mse"], counts(75, 30))
    np.testing.assert_allclose(score_table(values, loss, counts(75, 30)), squares, rtol=TOLERANCE)
    asks = sk.make_scorer(brier_by_hand, response_method=("predict_log_proba",))
    with pytest.raises(InputError, match="predict_log_proba"):
        metric(asks)


def test_a_scorer_of_scikit_learn_is_the_metric_of_its_name() -> None:
    assert metric(sk.get_scorer("roc_auc")) is METRICS["roc_auc"]
    assert metric(sk.get_scorer("f1")) is METRICS["f1"]
    assert metric(sk.get_scorer("neg_log_loss")) is METRICS["log_loss"]
    assert metric(sk.get_scorer("jaccard_macro")).name == "jaccard_macro"


def test_a_function_of_a_fitted_model_is_refused() -> None:
    def scores(estimator: Any, X: Values, y: Values) -> float:
        return float(estimator.score(X, y))

    with pytest.raises(InputError, match="only predictions"):
        metric(scores)


def rows_of_scikit_learn(name: str, pi: Predictions, weights: Values) -> list[float]:
    """Return the scorer's own value on repeated rows, in its natural sign."""
    scorer, again = sk.get_scorer(name), repeated(pi, weights)
    out = []
    for column in range(again.n_configs):
        response = again.responses[:, column, 0]
        if scorer._response_method == "predict" and pi.target.task is Task.BINARY:
            response = (response > 0.5).astype(int)
        elif scorer._response_method == "predict" and pi.target.task is Task.MULTICLASS:
            response = response.argmax(axis=1)
        out.append(scorer._score_func(again.target.y, response, **scorer._kwargs))
    return out


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("jaccard", Task.BINARY),
        ("positive_likelihood_ratio", Task.BINARY),
        ("neg_negative_likelihood_ratio", Task.BINARY),
        ("d2_log_loss_score", Task.BINARY),
        ("d2_brier_score", Task.BINARY),
        ("adjusted_rand_score", Task.BINARY),
        ("jaccard_macro", Task.MULTICLASS),
        ("precision_weighted", Task.MULTICLASS),
        ("recall_weighted", Task.MULTICLASS),
        ("top_k_accuracy", Task.MULTICLASS),
        ("d2_log_loss_score", Task.MULTICLASS),
        ("adjusted_mutual_info_score", Task.MULTICLASS),
        ("neg_max_error", Task.REGRESSION),
        ("d2_absolute_error_score", Task.REGRESSION),
    ],
)
def test_any_other_scorer_keeps_the_law(name: str, task: Task) -> None:
    one = metric(name)
    assert isinstance(one, CallableMetric)
    pi, weights = random_evidence(task, seed=76, n=50, C=2), counts(77, 50, rows=2)
    table = score_table(pi, one, weights)
    for values, row in zip(weights.values, table, strict=True):
        expected = rows_of_scikit_learn(name, pi, values)
        np.testing.assert_allclose(row, expected, rtol=1e-10)  # logarithms and quotients
    chosen = np.array([1, 0])
    picked = score_selected(pi, one, weights, chosen)
    np.testing.assert_allclose(picked, table[[0, 1], chosen], rtol=TOLERANCE)


def test_a_scorer_of_the_positive_class_knows_it_whatever_the_labels() -> None:
    pi = random_evidence(Task.BINARY, seed=78, n=40)
    named = make(Task.BINARY, pi.target.y, pi.responses[:, :, 0], classes=("sick", "healthy"))
    for name in ("jaccard", "d2_log_loss_score"):
        np.testing.assert_array_equal(
            score_table(pi, metric(name), Weights.ones(40)),
            score_table(named, metric(name), Weights.ones(40)),
        )


def test_a_scorer_does_without_a_class_where_it_is_told_all_of_them() -> None:
    pi = random_evidence(Task.MULTICLASS, seed=79, n=40)
    there = (pi.target.y < 2).astype(np.uint8)
    for name in ("top_k_accuracy", "d2_log_loss_score"):
        assert np.isfinite(score_table(pi, metric(name), Weights(there[None]))).all()


def test_a_metric_of_a_function_survives_the_way_to_a_worker() -> None:
    pi = random_evidence(Task.BINARY, seed=80, n=20)
    for one in (metric(brier_by_hand), metric("jaccard"), make_metric(harrell, needs="risk")):
        again = pickle.loads(pickle.dumps(one))
        assert again.name == one.name
        if Task.BINARY in one.tasks:
            np.testing.assert_array_equal(
                score_table(pi, again, Weights.ones(20)), score_table(pi, one, Weights.ones(20))
            )


@pytest.mark.parametrize(
    ("scorer", "name"),
    [
        (sk.make_scorer(sk.f1_score), "f1"),
        (sk.make_scorer(sk.f1_score, average="binary", zero_division="warn"), "f1"),
        (sk.make_scorer(sk.f1_score, average="macro"), "f1_macro"),
        (sk.make_scorer(sk.accuracy_score), "accuracy"),
        (sk.make_scorer(sk.balanced_accuracy_score), "balanced_accuracy"),
        (sk.make_scorer(sk.matthews_corrcoef), "mcc"),
        (sk.make_scorer(sk.mean_absolute_error, greater_is_better=False), "mae"),
        (sk.make_scorer(sk.fbeta_score, beta=2), "f_beta"),
    ],
)
def test_a_scorer_made_of_a_function_of_scikit_learn_is_our_metric(scorer: Any, name: str) -> None:
    found = metric(scorer)
    assert found.name == name
    assert not isinstance(found, CallableMetric)


@pytest.mark.parametrize(
    "scorer",
    [
        sk.make_scorer(sk.f1_score, zero_division=1.0),
        sk.make_scorer(sk.f1_score, labels=np.array([1])),
        sk.make_scorer(sk.accuracy_score, normalize=False),
        sk.make_scorer(sk.mean_absolute_error),  # better the greater, as it was said
        sk.make_scorer(sk.fbeta_score, beta=2, average="macro"),
    ],
)
def test_other_settings_of_it_stay_a_metric_of_their_own(scorer: Any) -> None:
    assert isinstance(metric(scorer), CallableMetric)


def pair() -> Predictions:
    scores = np.random.default_rng(0).random((20, 2))
    return Predictions.from_arrays(np.tile([0, 1], 10), scores, np.arange(20) % 4)


@pytest.mark.parametrize(
    "given", [None, "0.5", 1j, np.array([0.5]), np.array([0.5, 0.6]), [0.5]], ids=repr
)
def test_a_function_that_returns_no_number_is_refused(given: object) -> None:
    with pytest.raises(MetricError, match="does not return a number"):
        en.estimate(pair(), metric=lambda y, p: given, rng=0, n_resamples=5)


@pytest.mark.parametrize("given", [0.5, np.float32(0.5), np.array(0.5), True, 1])
def test_a_number_of_any_type_is_a_value(given: float) -> None:
    made = en.estimate(pair(), method="naive", metric=lambda y, p: given)
    assert made.value == float(given)


def test_a_function_of_one_argument_is_refused_before_it_is_called() -> None:
    with pytest.raises(InputError, match="two arguments"):
        en.estimate(pair(), metric=lambda p: 0.5)


def test_what_a_function_says_on_all_cases_is_told_before_resamples_hide_it() -> None:
    def faulty(y: np.ndarray, p: np.ndarray) -> float:
        raise ValueError("pos_label=2 is not a class")

    with pytest.raises(MetricError, match="pos_label=2"):
        en.estimate(pair(), metric=faulty, rng=0, n_resamples=5)
