"""Sentences claim no more than their numbers show, and do not contradict each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest.core import AgainstChance, print_numbers, word_headline
from earnest.core.text.gain import word_advice, word_confidence
from earnest.core.text.learning import word_headline as tell_step
from earnest.core.text.learning import word_line
from earnest.core.text.thresholds import tell_bands
from earnest.reporting.parts.headings import rivals_heading
from earnest.results import Interval
from tests.snapshots import Golden


@pytest.fixture(scope="module")
def gain() -> en.results.Gain:
    y = np.tile([0, 1], 50)
    noise = np.random.default_rng(4).random((100, 40))
    return en.gain(en.Predictions.from_arrays(y, noise), metric="roc_auc", rng=0)


def test_where_the_first_configuration_won_it_is_not_compared_with_itself(
    gain: en.results.Gain,
    golden: Golden,
) -> None:
    stayed = replace(gain, order="tried", first=gain.winner)
    assert gain.interval is not None
    assert word_confidence(stayed) == ""
    golden.check(stayed.summary())
    assert "worse" not in stayed.summary()
    assert "gained at most" not in stayed.summary()


def test_a_narrow_interval_around_no_gain_is_told_as_what_can_be_gained_at_most(
    gain: en.results.Gain,
) -> None:
    narrow = Interval(-0.0018, 0.0018, 0.95, "two-sided")
    none = replace(gain, value=0.0, interval=narrow, standard_error=0.0009)
    assert not none.shown
    said = " ".join(word_advice(none))
    assert "at most 0.0018" in said
    assert "cannot tell" not in said


@pytest.fixture(scope="module")
def curve() -> en.results.LearningCurve:
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = X[:, 0] + rng.standard_normal(60)
    return en.learning_curve(Ridge(), X, y, metric="rmse", fractions=(0.5, 1), rng=0)


@pytest.mark.parametrize("value", [0.0, 0.0001, -0.0001])
def test_a_step_of_a_learning_curve_that_shows_no_digit_is_neither_better_nor_worse(
    curve: en.results.LearningCurve, value: float
) -> None:
    wide = Interval(-0.02, 0.02, 0.95, "two-sided")
    flat = replace(curve, value=value, interval=wide, standard_error=0.01)
    for said in (tell_step(flat), word_line(flat)):
        assert "neither better nor worse" in said
        assert "0.00 better" not in said
        assert "winner" not in said  # there is one learner


def test_thresholds_without_limits_speak_of_no_bands() -> None:
    rng = np.random.default_rng(7)
    y = (rng.random(100) < 0.3).astype(int)
    score = 1 / (1 + np.exp(1.5 - 1.5 * y[:, None] - rng.standard_normal((100, 5))))
    found = en.thresholds(en.Predictions.from_arrays(y, score), metric="roc_auc", rng=0)
    assert found.has_bands
    assert tell_bands(found).startswith("The bands are")
    empty = [None] * len(found.thresholds)
    ends = dict.fromkeys(("low", "high", "pointwise_low", "pointwise_high"), tuple(empty))
    bare = replace(found, curves={k: replace(c, **ends) for k, c in found.curves.items()})
    assert not bare.has_bands
    assert tell_bands(bare).startswith("There are no bands")


@pytest.mark.parametrize(("value", "shown"), [(0.03, "0.03"), (0.97, "0.97"), (0.4, "0.4")])
def test_a_value_near_an_end_is_no_bound_beside_a_wide_interval(value: float, shown: str) -> None:
    y = np.repeat([0, 1], [20, 4])
    noise = np.random.default_rng(0).random((24, 3))
    made = en.estimate(en.Predictions.from_arrays(y, noise), metric="f1", rng=0)
    wide = Interval(0.0, 0.99, 0.95, "two-sided")
    rough = replace(made, value=value, standard_error=0.2, interval=wide)
    assert str(print_numbers(rough).value) == shown


@pytest.mark.parametrize("count", [1, 82])
def test_rivals_are_not_shown_to_be_worse_rather_than_not_worse(count: int, golden: Golden) -> None:
    said = rivals_heading(count, 100)
    golden.check(said)


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy"])
def test_worse_than_chance_is_a_finding_with_a_hint(metric: str) -> None:
    rng = np.random.default_rng(1)
    y = np.tile([0, 1], 60)
    scores = 1 / (1 + np.exp(2.5 * (y[:, None] - 0.5) + rng.standard_normal((120, 2))))
    made = en.estimate(en.Predictions.from_arrays(y, scores), metric=metric, rng=0)
    assert made.against_chance is AgainstChance.WORSE
    said = word_headline(made)
    assert "does worse than" in said
    assert "labels may be flipped" in said
    assert "No evidence" not in said


def test_models_that_learned_nothing_are_worse_than_a_constant_by_f1_without_a_hint() -> None:
    rng = np.random.default_rng(0)
    pi = en.Predictions.from_arrays(np.tile([0, 1], 200), rng.random((400, 3)))
    made = en.estimate(pi, metric="f1", rng=0)
    assert made.against_chance is AgainstChance.WORSE  # of calling all positive: 0.67
    assert "flipped" not in word_headline(made)
