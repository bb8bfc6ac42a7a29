"""Errors of new rows: against plain loops, laws of the correction, and edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

import earnest as en
from earnest import Predictions
from earnest.core import Seeds
from earnest.errors import InputError
from earnest.inference import measure_errors, share_within
from earnest.results import ErrorShares
from earnest.rules import GreedyEnsemble


def numbers(n: int, configs: int, seed: int = 0, **options: object) -> Predictions:
    """Return predictions of noise by configurations that know nothing."""
    rng = np.random.default_rng(seed)
    responses = rng.normal(size=(n, configs))
    return Predictions.from_arrays(rng.normal(size=n), responses, task="regression", **options)


def alone(pi: Predictions, position: int = 0) -> ErrorShares:
    """Return the errors of one configuration that nobody chose."""
    name = pi.configs.ids[position]
    seen = measure_errors(pi.select([name]), en.metric(usual(pi)), {name: 1.0}, Seeds(0))
    assert seen is not None
    return seen


def usual(pi: Predictions) -> str:
    return "rmse" if pi.target.task == "regression" else "log_loss"


@pytest.mark.parametrize("n", [1, 2, 9, 40])
@pytest.mark.parametrize("level", [0.3, 0.5, 0.8, 0.9])
def test_without_selection_the_bound_is_the_order_statistic_of_conformal_prediction(
    n: int, level: float
) -> None:
    pi = numbers(n, 1)
    seen = alone(pi)
    errors = np.sort(np.abs(pi.target.y - pi.responses[:, 0, 0]))
    rank = math.ceil((n + 1) * level - 1e-9)
    if rank > n:
        assert level > seen.highest_level
        with pytest.raises(InputError):
            seen.find_bound(level)
    else:
        assert seen.find_bound(level) == errors[rank - 1]


def test_the_cure_of_a_refused_level_works() -> None:
    for n in (1, 2, 5, 12, 30, 98):
        seen = alone(numbers(n, 1))
        seen.find_bound(math.floor(seen.highest_level * 100) / 100)


def test_a_selection_lowers_the_highest_level() -> None:
    pi = numbers(30, 200)
    seen = measure_errors(pi, en.metric("rmse"), {pi.configs.ids[0]: 1.0}, Seeds(0))
    assert seen is not None
    assert seen.highest_level < 30 / 31
    assert seen.find_bound(seen.highest_level) == seen.errors[-1]
    with pytest.raises(InputError):
        seen.find_bound(seen.highest_level + 0.001)


def test_the_error_of_a_class_is_what_its_probability_lacks() -> None:
    rng = np.random.default_rng(1)
    chances = rng.dirichlet(np.ones(3), size=(30, 1))
    y = np.arange(30) % 3
    several = Predictions.from_arrays(y, chances, repeats=1, classes=[0, 1, 2])
    np.testing.assert_allclose(alone(several).errors, np.sort(1 - chances[np.arange(30), 0, y]))
    two = Predictions.from_arrays(y > 0, chances[:, :, 0])
    lacking = np.where(y > 0, 1 - chances[:, 0, 0], chances[:, 0, 0])
    np.testing.assert_allclose(alone(two).errors, np.sort(lacking))


def test_groups_weigh_alike_and_count_as_cases() -> None:
    groups = np.array([0] * 8 + [1, 2, 3])
    pi = numbers(11, 1, groups=groups)
    seen = alone(pi)
    errors = np.abs(pi.target.y - pi.responses[:, 0, 0])
    assert (seen.n_units, seen.highest_level) == (4, 0.8)
    for error, share in zip(seen.errors, seen.shares, strict=True):
        plain = np.mean([np.mean(errors[groups == g] <= error) for g in range(4)])
        assert share == pytest.approx(plain)


def test_repeats_share_the_weight_of_a_case() -> None:
    rng = np.random.default_rng(3)
    y, responses = rng.normal(size=20), rng.normal(size=(20, 1, 3))
    pi = Predictions.from_arrays(y, responses, task="regression")
    seen = alone(pi)
    np.testing.assert_allclose(seen.errors, np.sort(np.abs(y[:, None] - responses[:, 0]).ravel()))
    assert seen.n_units == 20


def test_the_share_within_a_bound_is_that_of_a_plain_loop() -> None:
    rng = np.random.default_rng(4)
    levels = np.linspace(0.02, 1, 50)
    for _ in range(20):
        errors = rng.integers(0, 12, 30) / 4  # with ties
        weights, drawn = rng.random(30), rng.poisson(1.0, 30)
        quick = share_within(errors, weights, drawn, levels)
        for level, share in zip(levels, quick, strict=True):
            inside = weights * drawn
            reached = [inside[errors <= e].sum() / inside.sum() for e in np.unique(errors)]
            bound = np.unique(errors)[np.argmax(np.array(reached) >= level - 1e-12)]
            out = drawn == 0
            plain = weights[out & (errors <= bound)].sum() / weights[out].sum()
            assert share == pytest.approx(plain), level


def test_a_selection_from_many_costs_and_one_that_dominates_costs_nothing() -> None:
    pi = numbers(60, 200)
    best = int(np.argmin(np.square(pi.responses[:, :, 0] - pi.target.y[:, None]).mean(axis=0)))
    name = pi.configs.ids[best]
    seen = measure_errors(pi, en.metric("rmse"), {name: 1.0}, Seeds(0))
    assert seen is not None
    plain = alone(pi, best)
    assert seen.errors.tolist() == plain.errors.tolist()
    assert (seen.shares <= plain.shares).all()
    assert seen.find_bound(0.8) > plain.find_bound(0.8)

    responses = np.array(pi.responses)
    responses[:, 7, 0] = pi.target.y + 0.01 * responses[:, 7, 0]
    sure = Predictions.from_arrays(pi.target.y, responses, task="regression")
    chosen = measure_errors(sure, en.metric("rmse"), {sure.configs.ids[7]: 1.0}, Seeds(0))
    assert chosen is not None
    assert chosen.shares.tolist() == alone(sure, 7).shares.tolist()


def test_an_ensemble_is_judged_by_its_average_and_chosen_again() -> None:
    pi = numbers(60, 20)
    members = {pi.configs.ids[1]: 0.25, pi.configs.ids[4]: 0.75}
    rule = GreedyEnsemble(size=8, guard=True)
    seen = measure_errors(pi, en.metric("rmse"), members, Seeds(0), rule=rule)
    assert seen is not None
    average = 0.25 * pi.responses[:, 1, 0] + 0.75 * pi.responses[:, 4, 0]
    np.testing.assert_allclose(seen.errors, np.sort(np.abs(pi.target.y - average)))
    assert (seen.shares[:-1] < np.arange(1, 60) / 60).any()


def test_the_same_seed_gives_the_same_and_threads_change_nothing() -> None:
    pi = numbers(50, 30)
    members = {pi.configs.ids[2]: 1.0}
    answers = [
        measure_errors(pi, en.metric("mae"), members, Seeds(5), n_jobs=jobs) for jobs in (1, 1, 2)
    ]
    assert len({str(answer.to_dict()) for answer in answers if answer is not None}) == 1


def test_many_cases_are_thinned_to_bounds_that_are_never_smaller() -> None:
    pi = numbers(9_001, 2)
    seen = alone(pi)
    errors = np.sort(np.abs(pi.target.y - pi.responses[:, 0, 0]))
    assert len(seen.errors) <= 2_000
    for level in (0.5, 0.8, 0.9123, 0.999):
        exact = errors[math.ceil(9_002 * level - 1e-9) - 1]
        assert exact <= seen.find_bound(level) <= errors[math.ceil(9_002 * level) + 5]
    members = {pi.configs.ids[0]: 1.0}
    grouped = numbers(9_001, 2, groups=np.arange(9_001) // 3)
    for some in (pi, grouped):  # whose selection is repeated on some of the cases
        judged = measure_errors(some, en.metric("rmse"), members, Seeds(0))
        assert judged is not None
        assert judged.find_bound(0.9) >= alone(some).find_bound(0.9)


def test_labels_and_decision_values_have_no_such_errors() -> None:
    y = np.tile([0, 1], 5)
    labels = Predictions.from_arrays(y, np.stack([y, 1 - y], axis=1))
    values = Predictions.from_arrays(y, np.stack([y * 3.0, 1.5 - y], axis=1))
    for pi, name in ((labels, "accuracy"), (values, "roc_auc")):
        assert measure_errors(pi, en.metric(name), {pi.configs.ids[0]: 1.0}, Seeds(0)) is None


def test_equal_errors_are_one() -> None:
    pi = Predictions.from_arrays(
        [1.0, 2, 3, 4], np.array([[0.0], [1], [2], [3]]), task="regression"
    )
    seen = alone(pi)
    assert (seen.errors.tolist(), seen.shares.tolist()) == ([1.0], [1.0])
    assert seen.find_bound(0.5) == 1.0


@pytest.mark.parametrize(
    "data",
    [
        {"errors": [], "shares": [], "n_units": 3},
        {"errors": [2.0, 1.0], "shares": [0.5, 1.0], "n_units": 3},
        {"errors": [1.0, 2.0], "shares": [0.5, 1.1], "n_units": 3},
        {"errors": [1.0, 2.0], "shares": [0.0, 0.0], "n_units": 3},
        {"errors": [1.0, 2.0], "shares": [0.6, 0.5], "n_units": 3},
        {"errors": [-1.0, 2.0], "shares": [0.5, 1.0], "n_units": 3},
        {"errors": [1.0, None], "shares": [0.5, 1.0], "n_units": 3},
        {"errors": [1.0], "shares": [0.5, 1.0], "n_units": 3},
        {"errors": [1.0], "shares": [1.0], "n_units": 0},
    ],
)
def test_what_is_no_distribution_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(InputError):
        ErrorShares.from_dict(data)


def test_plain_data_come_back() -> None:
    seen = alone(numbers(12, 1))
    assert ErrorShares.from_dict(seen.to_dict()).to_dict() == seen.to_dict()
