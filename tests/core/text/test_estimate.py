"""The sentences follow the result by rule, and claim only what it supports."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import earnest as en
from earnest import metric as metric_named
from earnest.core import (
    AgainstChance,
    Scale,
    Selection,
    Side,
    TrainingSizes,
    limits_words,
    print_numbers,
    reason,
    word_confidence,
    word_headline,
)
from earnest.core.results.estimate import Provenance
from earnest.core.text.estimate import (
    Form,
    PrintedEstimate,
    article,
    describe_optimism,
    estimand_words,
    flatters,
    form,
    training_words,
)
from earnest.core.text.numbers import PrintedNumber, percent, print_number, prose
from earnest.results import Estimate, Interval
from tests.snapshots import Golden

AUC = Scale("roc_auc", True, (0.0, 1.0))
RMSE = Scale("rmse", False, (0.0, float("inf")))


def made(value: float, naive: float | None, **changes: object) -> Estimate:
    base = Estimate(
        value=value,
        interval=Interval(0.969, 0.994, 0.95, "two-sided"),
        standard_error=0.0064,
        scale=AUC,
        method="bbc",
        estimand="the mean performance",
        selection=Selection.CORRECTED,
        naive=naive,
        winner="svm",
        n_cases=569,
        n_configs=312,
        n_resamples=1000,
        n_valid=1000,
        cautions=(),
        provenance=Provenance(
            seed=7, fingerprint="0", n_folds=10, n_repeats=1, knobs={}, versions={}
        ),
        no_information=0.5,
        optimism_error=0.001,
    )
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type]


def show(*numbers: PrintedNumber | None) -> tuple[str, ...]:
    return tuple(str(number) for number in numbers)


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


SMALL = made(0.984, 0.991)
LARGE = made(0.84, 0.93, standard_error=0.069, interval=Interval(0.69, 0.96, 0.95, "two-sided"))
WEAK = made(0.56, 0.71, standard_error=0.06, interval=Interval(0.44, 0.67, 0.95, "two-sided"))
LOSS = made(
    3.14,
    2.71,
    scale=RMSE,
    standard_error=0.21,
    interval=Interval(2.7, 3.6, 0.95, "two-sided"),
    no_information=9.0,
)


def test_a_small_share_lost_names_the_gap(golden):
    assert form(SMALL) is Form.SMALL
    golden.check(word_headline(SMALL, "ROC AUC"))


def test_an_optimism_that_chance_explains_is_not_stated(golden):
    for error in (0.0036, 0.1):  # 0.007 is 1.94 of the first
        unsure = dataclasses.replace(SMALL, optimism_error=error)
        assert form(unsure) is Form.OPEN
        golden.check(word_headline(unsure, "ROC AUC"))
        assert not flatters(unsure)
    assert flatters(SMALL)


def test_without_an_error_the_naive_score_must_lie_beyond_the_interval():
    unknown = dataclasses.replace(SMALL, optimism_error=None)
    assert form(unknown) is Form.OPEN
    beyond = dataclasses.replace(unknown, naive=0.995)
    assert form(beyond) is Form.SMALL
    assert form(dataclasses.replace(beyond, interval=None)) is Form.OPEN


def test_the_optimism_is_said_with_its_interval_and_as_a_share_of_the_gain(golden):
    words = plain(describe_optimism(dataclasses.replace(LARGE, optimism_error=0.02)).what)
    golden.check(words)


@pytest.mark.parametrize("value", [0.5, 0.45, 0.2])
def test_no_more_than_all_of_the_gain_is_lost(value, golden):
    words = plain(describe_optimism(made(value, 0.55, standard_error=0.06)).what)
    golden.check(words)
    assert words.count("%") == 1  # that of the level


def test_the_interval_itself_decides_about_chance():
    wide = made(0.7, 0.75, interval=Interval(0.4, 0.9, 0.95, "two-sided"))
    assert wide.against_chance is AgainstChance.UNDECIDED
    assert form(wide) is Form.NO_EVIDENCE
    beyond = dataclasses.replace(wide, interval=Interval(0.51, 0.9, 0.95, "two-sided"))
    assert beyond.against_chance is AgainstChance.BETTER
    assert form(beyond) is not Form.NO_EVIDENCE


def test_an_interval_below_chance_shows_a_model_that_is_worse():
    below = made(0.33, 0.4, interval=Interval(0.16, 0.49, 0.95, "two-sided"))
    assert below.against_chance is AgainstChance.WORSE
    assert form(below) is Form.WORSE
    touching = dataclasses.replace(below, interval=Interval(0.16, 0.5, 0.95, "two-sided"))
    assert touching.against_chance is AgainstChance.UNDECIDED
    loss = made(
        9.0, 8.0, scale=RMSE, no_information=5.0, interval=Interval(7.0, 11.0, 0.95, "two-sided")
    )
    assert loss.against_chance is AgainstChance.WORSE


def test_a_large_share_lost_contradicts_the_search(golden):
    assert form(LARGE) is Form.LARGE
    golden.check(word_headline(LARGE, "ROC AUC"))


@pytest.mark.parametrize(("value", "expected"), [(0.9752, Form.SMALL), (0.9748, Form.LARGE)])
def test_five_percent_of_what_was_learned_is_the_border(value, expected):
    # naive 0.9999 learned 0.4999 above chance; five percent of that is 0.024995
    assert form(made(value, 0.9999)) is expected


@pytest.mark.parametrize(
    ("naive", "told"), [(0.9841, "as"), (0.97, "no worse than the 0.970 that")]
)
def test_equal_as_printed_or_better_than_reported_is_no_optimism(naive, told, golden):
    estimate = made(0.984, naive)
    assert form(estimate) is Form.NONE
    golden.check(word_headline(estimate, "ROC AUC"))


def test_an_interval_that_reaches_the_no_information_score_is_no_evidence(golden):
    assert form(WEAK) is Form.NO_EVIDENCE
    golden.check(word_headline(WEAK, "ROC AUC"))
    assert "0.44" in word_confidence(WEAK)  # once, and there


def test_the_largest_class_is_not_called_chance(golden):
    accuracy = dataclasses.replace(
        WEAK, scale=Scale("accuracy", True, (0.0, 1.0)), no_information=0.55
    )
    golden.check(word_headline(accuracy, "accuracy"))


def test_an_interval_open_at_the_bad_end_cannot_show_that_a_model_is_better():
    upper = dataclasses.replace(WEAK, interval=Interval(0.0, 0.65, 0.95, "upper"))
    assert upper.against_chance is AgainstChance.UNDECIDED
    below = dataclasses.replace(upper, value=0.4, interval=Interval(0.0, 0.45, 0.95, "upper"))
    assert below.against_chance is AgainstChance.WORSE


def test_a_one_sided_bound_says_its_side_once(golden):
    lower = dataclasses.replace(WEAK, interval=Interval(0.45, 1.0, 0.95, "lower"))
    golden.check(word_headline(lower, "ROC AUC"))
    assert word_confidence(lower).endswith("is above 0.45.")


def test_without_interval_nothing_is_said_about_chance():
    assert made(0.5, 0.6, interval=None).against_chance is None
    assert form(made(0.51, 0.6, interval=None)) is Form.LARGE
    assert made(0.51, 0.6, no_information=None).against_chance is None


def test_one_configuration_has_no_naive_number(golden):
    alone = dataclasses.replace(SMALL, n_configs=1, selection=Selection.NOTHING_SELECTED)
    assert form(alone) is Form.ALONE
    golden.check(word_headline(alone, "ROC AUC"))
    assert reason(alone) == ""


def test_what_is_not_corrected_promises_nothing(golden):
    raw = dataclasses.replace(SMALL, selection=Selection.UNCORRECTED)
    said = word_headline(raw, "ROC AUC")
    golden.check(said)
    assert "does not correct" in reason(raw)
    golden.check(plain(word_confidence(raw)))


def test_the_best_of_several_on_the_cases_that_score_is_not_promised(golden):
    best = dataclasses.replace(SMALL, selection=Selection.BOUND_ONLY)
    assert form(best) is Form.ELECTED
    words = word_headline(best, "ROC AUC")
    golden.check(words)
    assert "only the limit" in words
    assert "Expect" not in words
    golden.check(word_confidence(best))
    assert "the score does not" in reason(best)


def test_losses_read_in_their_own_direction(golden):
    golden.check(word_headline(LOSS, "RMSE"))
    weak = dataclasses.replace(LOSS, interval=Interval(2.7, 9.1, 0.95, "two-sided"))
    golden.check(word_headline(weak, "RMSE"))


def test_your_predictions_can_stand_for_the_search(golden):
    said = word_headline(LARGE, "ROC AUC", speaker="your predictions")
    golden.check(said)


def test_the_reason_speaks_of_your_predictions_where_nothing_else_is_known(golden):
    golden.check(reason(SMALL))
    golden.check(reason(SMALL, speaker="your predictions"))


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (Interval(0.969, 0.994, 0.95, "two-sided"), "it lies between 0.969 and 0.994."),
        (Interval(0.972, 1.0, 0.95, "lower"), "it is above 0.972."),
        (Interval(0.0, 0.991, 0.95, "upper"), "it is below 0.991."),
    ],
)
def test_above_and_below_belong_to_one_sided_bounds_only(interval, expected):
    said = plain(word_confidence(dataclasses.replace(SMALL, interval=interval)))
    assert said == f"With 95 % confidence {expected}"


def test_a_method_without_interval_says_so(golden):
    golden.check(word_confidence(made(0.984, 0.991, interval=None)))


def test_printed_numbers_add_up():
    # 0.99149 - 0.98351 is 0.00798, but a reader subtracts 0.984 from 0.991
    shown = print_numbers(made(0.98351, 0.99149))
    assert show(shown.naive, shown.value, shown.optimism) == ("0.991", "0.984", "0.007")


def test_nearly_one_is_never_printed_as_one():
    shown = print_numbers(made(0.99961, 0.99999))
    assert show(shown.value, shown.naive) == ("over 0.999", "over 0.999")
    assert prose(-0.25, 2) == "\u22120.25"


@pytest.mark.parametrize(
    ("low", "high", "side", "level", "said"),
    [
        (0.987, 0.99999, "two-sided", "97.5 %", "is above 0.987"),
        (0.00001, 0.013, "two-sided", "97.5 %", "is below 0.013"),
        (0.99999, 1.0, "lower", "95 %", "is above 0.999"),
        (0.00001, 1.0, "lower", "95 %", "is above 0"),
        (0.0, 0.00001, "upper", "95 %", "is below 0.001"),
        (0.0, 0.99999, "upper", "95 %", "is below 1"),
        (0.987, 1.0, "two-sided", "97.5 %", "is above 0.987"),
        (0.9996, 0.99999, "two-sided", "97.5 %", "is above 0.999"),
        (0.00001, 0.99999, "two-sided", "95 %", "lies between 0 and 1"),
        (0.987, 0.998, "two-sided", "95 %", "lies between 0.987 and 0.998"),
    ],
)
def test_a_limit_that_bounds_nothing_is_not_said_and_the_level_is_right(
    low, high, side, level, said
):
    interval = Interval(low, high, 0.95, side)
    value = (low + high) / 2
    near = dataclasses.replace(SMALL, value=value, interval=interval, standard_error=0.0064)
    assert plain(word_confidence(near)) == f"With {level} confidence it {said}."
    words = limits_words(interval, print_numbers(near))
    for opening in ("is ", "lies between "):
        said = said.removeprefix(opening)
    assert words == said.replace(" and ", " to ")


def test_a_limit_near_minus_one_is_said_with_a_true_minus():
    low, high = print_number(-0.9999, 3, (-1.0, 1.0)), print_number(0.3, 3, (-1.0, 1.0))
    assert show(low, high) == ("under \u22120.999", "0.300")
    shown = PrintedEstimate(high, None, None, low, high)
    ends = Interval(-0.9999, 0.3, 0.95, "two-sided")
    assert limits_words(ends, shown) == "\u22121 to 0.300"
    assert limits_words(ends, dataclasses.replace(shown, full=frozenset({Side.LOWER}))) == (
        "below 0.300"
    )


def test_a_limit_that_all_but_reaches_the_range_is_said_as_its_end():
    half = Scale("half", True, (0.0, 0.5))
    interval = Interval(0.1, 0.49999, 0.95, "upper")
    near = made(0.3, 0.4, scale=half, interval=interval, no_information=0.1)
    assert limits_words(interval, print_numbers(near)) == "below 0.5"


def test_a_range_without_an_end_is_never_full():
    loss = dataclasses.replace(LOSS, interval=Interval(2.7, float("inf"), 0.95, "two-sided"))
    assert print_numbers(loss).full == frozenset()


def test_the_number_says_on_what_its_models_were_trained():
    mine = dataclasses.replace(SMALL, training=TrainingSizes(77, 223, 369))
    for delivered in (False, True):
        assert "trained on 77 to 369 " in training_words(mine, delivered=delivered)
    assert training_words(mine) != training_words(mine, delivered=True)
    assert "trained on 77 to 369, n=569" in repr(mine)


def test_nothing_is_said_of_training_where_it_is_not_known():
    assert training_words(SMALL) == ""
    assert "trained" not in repr(SMALL)


def test_what_is_near_one_is_one_where_one_is_no_limit():
    near = dataclasses.replace(LOSS, value=0.99999, naive=0.99961, standard_error=0.003)
    shown = print_numbers(near)
    assert show(shown.value, shown.naive, shown.optimism) == ("1.000", "1.000", "0.000")


def test_thousands_are_set_apart_and_still_add_up():
    big = dataclasses.replace(
        LOSS,
        value=23452.4,
        naive=19975.4,
        standard_error=3000.0,
        interval=Interval(999.0, 1234567.8, 0.95, "two-sided"),
    )
    shown = print_numbers(big)
    assert show(shown.value, shown.naive, shown.optimism) == ("23,452", "19,975", "3,477")
    assert show(shown.low, shown.high) == ("999", "1,234,568")
    assert prose(-2780.25, 2, (-1e9, 1e9)) == "\u22122,780.25"
    assert prose(12345.678901, 6) == "12,345.678901"


def test_digits_and_powers_of_ten_are_not_mixed():
    huge = dataclasses.replace(
        LOSS,
        value=941_583_256.0,
        naive=683_662_878.0,
        standard_error=1.8e8,
        interval=Interval(625_357_458.0, 1_340_298_000.0, 0.95, "two-sided"),
    )
    shown = print_numbers(huge)
    assert show(shown.value, shown.naive, shown.optimism) == ("9.4e+08", "6.8e+08", "2.6e+08")
    assert show(shown.low, shown.high) == ("6.3e+08", "1.34e+09")


def test_tiny_losses_keep_their_digits():
    tiny = dataclasses.replace(LOSS, value=3.21e-11, naive=2.1e-11, standard_error=1e-12)
    shown = print_numbers(tiny)
    assert show(shown.value, shown.naive, shown.optimism) == (
        "3.21e\u221211",
        "2.10e\u221211",
        "1.11e\u221211",
    )


def test_a_title_with_a_comma_closes_it(golden):
    said = word_headline(LARGE, "ROC AUC, one against the rest")
    golden.check(said)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("ROC AUC", "a"),
        ("RMSE", "an"),
        ("R²", "an"),
        ("F1", "an"),
        ("F-beta (beta = 2)", "an"),
        ("accuracy", "an"),
        ("error rate", "an"),
        ("Brier score", "a"),
        ("Matthews correlation", "a"),
        ("PR AUC", "a"),
        ("macro F1", "a"),
    ],
)
def test_the_article_follows_the_spoken_word(words, expected):
    assert article(words) == expected


def test_a_level_keeps_its_percent_sign():
    assert percent(0.975) == "97.5\u00a0%"


def test_one_configuration_is_not_said_to_be_chosen(golden):
    y = np.tile([0, 1], 30)
    scores = y + np.random.default_rng(0).standard_normal(60)
    held = en.estimate(en.Predictions.from_arrays(y, scores), metric="roc_auc", rng=0)
    golden.check(estimand_words(held))
    folds = en.Predictions.from_arrays(y, scores, np.arange(60) % 5)
    made = en.estimate(folds, metric="roc_auc", rng=0)
    golden.check(estimand_words(made))
    naive = en.estimate(folds, metric="roc_auc", method="naive")
    assert estimand_words(naive) == naive.estimand


def test_sensitivity_is_not_held_against_a_model_that_calls_all_positive():
    y = np.tile([0, 1], 30)
    scores = y[:, None] + np.random.default_rng(0).standard_normal((60, 3)) - 0.5
    pi = en.Predictions.from_arrays(y, scores, np.arange(60) % 5)
    for name in ("sensitivity", "specificity"):
        found = en.estimate(pi, metric=name, rng=0)
        assert found.no_information is None
        assert form(found) is not Form.NO_EVIDENCE
    assert en.estimate(pi, metric="npv", rng=0).no_information == 0.5


@pytest.mark.parametrize(
    ("metric", "count", "said"),
    [
        ("accuracy", 1, "The score is perfect on these 20 cases; expect an accuracy above 0.832"),
        (
            "accuracy",
            3,
            "The winner's score is perfect on these 20 cases; expect an accuracy above",
        ),
        ("roc_auc", 1, "The score is perfect on these 20 cases; expect a ROC AUC above"),
    ],
)
def test_where_no_error_was_seen_the_bound_is_expected(metric: str, count: int, said: str) -> None:
    y = np.tile([0, 1], 10)
    pi = en.Predictions.from_arrays(y, np.repeat(0.8 * y[:, None] + 0.1, count, axis=1))
    made = en.estimate(pi, metric=metric, rng=0)
    assert form(made) is Form.PERFECT
    assert word_headline(made, metric_named(metric).title).startswith(said)
    wrong = np.repeat(0.8 * y[:, None] + 0.1, count, axis=1)
    wrong[0] = 0.95
    other = en.estimate(en.Predictions.from_arrays(y, wrong), metric=metric, rng=0)
    assert form(other) is not Form.PERFECT


def test_how_many_were_tried_and_how_many_ran_on_every_fold(golden: Golden) -> None:
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], 20)
    pi = en.Predictions.from_arrays(y, y[:, None] + rng.standard_normal((40, 23)))
    made = en.estimate(pi, metric="roc_auc", rng=0)
    golden.check(reason(made, tried=60))
    assert "tried 23 configurations and kept" in reason(made, tried=23)
