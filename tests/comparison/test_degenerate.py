"""What breaks the peers: every test on models that do not differ, do not vary, or hardly exist."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from earnest import Predictions, Scores, compare
from earnest.comparison import TESTS
from earnest.errors import EarnestError, EvidenceError
from earnest.results import Comparison
from tests.comparison.evidence import EVERY_TEST, WITH_P, classified, columns, metric_of
from tests.snapshots import Golden

ALTERNATIVES = ["two-sided", "less", "greater"]


def asked(
    pi: Predictions, test: str, a: object = "a", b: object = "b", **ask: object
) -> Comparison:
    ask = {"metric": metric_of(test), "rng": 0, **ask}
    return compare(pi, a, b, test=test, **ask)


def sound(made: Comparison) -> None:
    """No NaN, an interval in the range, p in (0, 1], the same after JSON."""
    numbers = [made.difference, made.value_a, made.value_b, made.standard_error, made.statistic]
    assert all(value is None or math.isfinite(value) for value in numbers)
    low, high = made.limits
    if made.interval is not None:
        assert low <= made.interval.low <= made.interval.high <= high
    else:
        assert made.cautions
    if made.p_values is not None:
        assert all(0.0 < p <= 1.0 for p in made.p_values.values())
    elif made.probabilities is None:  # no spread, no posterior
        assert "no_posterior" in {caution.kind for caution in made.cautions}
        assert made.decision.startswith("Undecided: ")
    else:
        chances = made.probabilities
        assert math.isclose(chances.a_better + chances.equivalent + chances.b_better, 1.0)
    text = json.dumps(made.to_dict(draws=True), allow_nan=False)
    assert Comparison.from_dict(json.loads(text)) == made
    assert made.decision.endswith(".")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("test", EVERY_TEST)
def test_a_model_against_itself_differs_by_nothing_and_p_is_1(test: str, alternative: str) -> None:
    made = asked(classified(), test, "good", "good", alternative=alternative)
    sound(made)
    assert made.difference == 0.0
    assert made.value_a == made.value_b
    assert made.p_value == (1.0 if TESTS[test].spec.p_value else None)
    assert made.interval is not None
    assert 0.0 in made.interval
    assert "same_predictions" in {caution.kind for caution in made.cautions}
    assert made.favours is None


@pytest.mark.parametrize("test", EVERY_TEST)
def test_equal_columns_under_other_names_are_the_same_model(test: str) -> None:
    pi = classified()
    twin = replace(
        pi,
        responses=np.concatenate([pi.responses[:, :1]] * 2, axis=1),
        configs=pi.configs.take([0, 1]),
    )
    made = asked(twin, test, "good", "fair")
    sound(made)
    assert (made.difference, made.p_value) == (0.0, 1.0 if TESTS[test].spec.p_value else None)
    assert made.interval is not None
    assert (made.interval.low, made.interval.high) == (0.0, 0.0)


@pytest.mark.parametrize("test", [name for name in EVERY_TEST if name != "delong"])
def test_all_losses_zero_give_p_1_and_an_interval_that_allows_for_the_unseen(test: str) -> None:
    y = np.tile([0, 1], 20)
    pi = columns(y, np.column_stack([y * 0.8 + 0.1, y * 0.6 + 0.2]), np.arange(40) // 2 % 4)
    made = asked(pi, test, metric="error_rate")
    sound(made)
    assert (made.value_a, made.value_b, made.difference) == (0.0, 0.0, 0.0)
    assert made.p_value == (1.0 if TESTS[test].spec.p_value else None)
    assert made.interval is not None
    assert made.interval.low < 0.0 < made.interval.high  # scores differ, so other cases may


@pytest.mark.parametrize("test", [n for n in EVERY_TEST if n not in ("delong", "mcnemar")])
def test_equal_losses_of_an_unbounded_metric_give_p_1(test: str) -> None:
    y = np.arange(20.0)
    guesses = np.column_stack([y + 1.0, y - 1.0])  # the same errors by other predictions
    pi = columns(y, guesses, np.arange(20) % 4)
    chosen = TESTS["bayesian_t"](rope=0.1) if test == "bayesian_t" else test
    made = compare(pi, "a", "b", test=chosen, metric="mse", rng=0)
    sound(made)
    assert made.difference == 0.0
    assert made.p_value == (1.0 if TESTS[test].spec.p_value else None)


@pytest.mark.parametrize("test", [n for n in EVERY_TEST if n not in ("delong", "mcnemar")])
def test_models_that_differ_by_rounding_alone_are_not_told_apart(test: str) -> None:
    rng = np.random.default_rng(4)
    y = rng.standard_normal(40)
    guess = y + rng.standard_normal(40)
    twin = guess * (1 + 1e-15 * rng.standard_normal(40))
    assert (guess != twin).any()
    pi = columns(y, np.column_stack([guess, twin]), np.arange(40) % 4)
    chosen = TESTS["bayesian_t"](rope=0.1) if test == "bayesian_t" else test
    made = compare(pi, "a", "b", test=chosen, metric="mse", rng=0)
    sound(made)
    assert made.difference == 0.0
    assert made.p_value == (1.0 if TESTS[test].spec.p_value else None)


def test_an_error_that_is_rounding_of_a_derivative_is_no_error() -> None:
    y = np.array([0.0, 3.0, 1.0, 0.0])
    guesses = np.array([[1.0, 0.0], [1.0, 2.0], [2.0, 0.0], [0.0, 1.0]])
    pi = columns(y, guesses, [1, 2, 2, 0], groups=[1, 1, 0, 1], task="regression")
    made = compare(pi, "a", "b", metric="r2")
    sound(made)
    assert made.standard_error == 0.0


def test_no_p_value_is_0_however_far_out() -> None:
    rng = np.random.default_rng(5)
    given = Scores({"a": rng.random(400), "b": 50 + rng.random(400)}, greater_is_better=False)
    sound(compare(given, "a", "b"))


@pytest.mark.parametrize("test", EVERY_TEST)
def test_two_constant_scores_cannot_be_told_apart(test: str) -> None:
    y = np.tile([0, 1], 20)
    pi = columns(y, np.tile([0.3, 0.4], (40, 1)), np.arange(40) // 2 % 4)
    made = asked(pi, test)
    sound(made)
    assert made.difference == 0.0
    assert made.p_value == (1.0 if TESTS[test].spec.p_value else None)


@pytest.mark.parametrize("test", EVERY_TEST)
def test_perfect_against_constant_is_shown_without_a_p_of_0(test: str) -> None:
    y = np.tile([0, 1], 30)
    pi = columns(y, np.column_stack([y * 0.8 + 0.1, np.full(60, 0.6)]), np.arange(60) // 2 % 5)
    made = asked(pi, test)
    sound(made)
    assert made.difference == pytest.approx(0.5)
    assert made.interval is not None
    assert made.interval.low < made.interval.high or made.interval.low == 1.0
    if TESTS[test].spec.p_value and test not in (
        "cv_t",
        "corrected_t",
        "resampled_t",
    ):  # which see five folds
        assert made.shown


@pytest.mark.parametrize("test", [name for name in EVERY_TEST if name != "delong"])
def test_right_against_wrong_everywhere_has_no_point_as_an_interval(test: str) -> None:
    y = np.tile([0, 1], 30)
    pi = columns(y, np.column_stack([y, 1 - y]), np.arange(60) // 2 % 5, response="label")
    made = asked(pi, test)
    sound(made)
    assert made.difference == 1.0
    assert made.interval is not None
    assert made.interval.low < 1.0
    if TESTS[test].spec.p_value and test not in ("cv_t", "corrected_t", "resampled_t"):
        assert made.shown


@pytest.mark.parametrize("test", ["delong", "bayle", "bootstrap"])
def test_two_perfect_separations_cannot_be_told_apart_by_auc(test: str) -> None:
    y = np.tile([0, 1], 30)
    pi = columns(y, np.column_stack([y * 0.8, y * 0.6 + 0.1]), np.arange(60) // 2 % 5)
    made = asked(pi, test, metric="roc_auc")
    sound(made)
    assert (made.value_a, made.value_b, made.difference, made.p_value) == (1.0, 1.0, 0.0, 1.0)
    assert made.interval is not None
    assert made.interval.low < 0.0 < made.interval.high


@pytest.mark.parametrize("test", EVERY_TEST)
def test_one_positive_is_answered_or_refused_with_a_cure(test: str, golden: Golden) -> None:
    rng = np.random.default_rng(2)
    y = np.array([1] + [0] * 29)
    pi = columns(y, rng.random((30, 2)), np.arange(30) % 5)
    if test == "delong":
        with pytest.raises(EvidenceError) as refusal:
            asked(pi, test)
        golden.check(str(refusal.value))
        return
    sound(asked(pi, test))
    if test == "bayle":
        with pytest.raises(EvidenceError, match="1 of each class"):
            asked(pi, test, metric="roc_auc")
    if test == "bootstrap":
        sound(asked(pi, test, metric="roc_auc"))
    if test in ("cv_t", "corrected_t", "bayesian_t"):
        with pytest.raises(EvidenceError) as refusal:
            asked(pi, test, metric="roc_auc")
        golden.check(str(refusal.value))


@pytest.mark.parametrize("test", EVERY_TEST)
def test_two_cases_are_answered_or_refused(test: str, golden: Golden) -> None:
    pi = columns([0, 1], [[0.2, 0.7], [0.6, 0.3]], [0, 1])
    if test == "delong":
        with pytest.raises(EvidenceError) as refusal:
            asked(pi, test)
        golden.check(str(refusal.value))
        return
    made = asked(pi, test)
    sound(made)
    assert made.difference == 1.0
    if TESTS[test].spec.p_value:
        assert made.p_value >= 0.5  # type: ignore[operator]  # it has one


@pytest.mark.parametrize("test", EVERY_TEST)
def test_one_case_is_refused_or_shows_nothing(test: str) -> None:
    given = Scores({"a": [0.0], "b": [1.0]}, limits=(0.0, 1.0), greater_is_better=False)
    try:
        made = compare(given, "a", "b", test=test, rng=0)
    except EarnestError:
        return
    sound(made)
    assert not made.shown


@pytest.mark.parametrize("test", EVERY_TEST)
def test_groups_are_counted_or_refused(test: str) -> None:
    pi = classified(groups=np.arange(60) // 4)
    if not TESTS[test].spec.groups:
        with pytest.raises(EvidenceError, match="groups"):
            asked(pi, test, "good", "poor")
        return
    sound(asked(pi, test, "good", "poor"))


@pytest.mark.parametrize("test", ["bayle", "delong", "bootstrap", "sign_flip"])
def test_cases_repeated_as_groups_do_not_make_a_test_surer(test: str) -> None:
    pi = classified(n=60, folds=1)
    rows = np.repeat(np.arange(60), 5)
    copies = pi.take(rows)
    grouped = replace(copies, target=replace(copies.target, groups=rows.astype(np.int64)))
    alone = asked(pi, test, "good", "fair").standard_error
    honest = asked(grouped, test, "good", "fair").standard_error
    fooled = asked(copies, test, "good", "fair").standard_error
    assert alone is not None
    assert honest is not None
    assert fooled is not None
    # groups stand for single cases again, up to n / (n - 1) and the noise of 1999 resamples
    assert honest == pytest.approx(alone, rel=0.08)
    assert fooled < 0.6 * alone


@pytest.mark.parametrize("test", EVERY_TEST)
def test_a_dropped_configuration_is_compared_on_the_folds_that_both_have(test: str) -> None:
    pi = classified()
    responses = pi.responses.copy()
    late = pi.folds[:, 0] >= 3
    responses[late, 1] = np.nan
    partial = replace(pi, responses=responses)
    made = asked(partial, test, "good", "fair")
    sound(made)
    assert made.n_cases == int((~late).sum())
    assert "folds_not_shared" in {caution.kind for caution in made.cautions}
    alone = asked(pi.take(np.flatnonzero(~late)), test, "good", "fair")
    assert made.difference == pytest.approx(alone.difference)


@pytest.mark.parametrize("test", EVERY_TEST)
def test_no_common_fold_is_refused(test: str, golden: Golden) -> None:
    pi = classified()
    responses = pi.responses.copy()
    early = pi.folds[:, 0] < 3
    responses[early, 0], responses[~early, 1] = np.nan, np.nan
    with pytest.raises(EvidenceError) as refusal:
        asked(replace(pi, responses=responses), test, "good", "fair")
    golden.check(str(refusal.value))


@pytest.mark.parametrize("test", EVERY_TEST)
def test_repeats_are_counted_or_refused(test: str) -> None:
    pi = classified(repeats=3)
    if not TESTS[test].spec.repeats:
        with pytest.raises(EvidenceError, match=r"3 repeats.*test='bayle'"):
            asked(pi, test, "good", "poor")
        return
    sound(asked(pi, test, "good", "poor"))


@pytest.mark.parametrize("test", WITH_P)
def test_a_swap_of_the_two_mirrors_everything(test: str) -> None:
    pi = classified()
    there, back = asked(pi, test, "good", "fair"), asked(pi, test, "fair", "good")
    assert back.difference == pytest.approx(-there.difference)
    assert back.p_value == pytest.approx(there.p_value)
    assert there.p_values is not None
    assert back.p_values is not None
    assert back.p_values["less"] == pytest.approx(there.p_values["greater"])
    assert there.interval is not None
    assert back.interval is not None
    assert back.interval.low == pytest.approx(-there.interval.high)


@pytest.mark.parametrize("test", WITH_P)
def test_a_score_and_its_loss_mirror_each_other(test: str) -> None:
    if test == "delong":
        pi = classified()
        turned = replace(pi, responses=1.0 - pi.responses)
        score, loss = asked(pi, test, "good", "fair"), asked(turned, test, "good", "fair")
    else:
        pi = classified()
        score = asked(pi, test, "good", "fair")
        loss = asked(pi, test, "good", "fair", metric="error_rate")
    assert loss.difference == pytest.approx(-score.difference)
    assert loss.p_value == pytest.approx(score.p_value)


@pytest.mark.parametrize("name", ["naïve β=½", "模型", "a,b", "<b>x</b>", "", "$x$ `y`"])
def test_any_name_can_be_compared(name: str) -> None:
    y = np.tile([0, 1], 10)
    pi = Predictions.from_arrays(
        y, np.random.default_rng(0).random((20, 2)), configs=[name, "other"]
    )
    made = compare(pi, name, "other", metric="accuracy")
    sound(made)
    assert name in made.decision
    assert "<b>x</b>" not in made._repr_html_()
