"""No sentence on an estimate contradicts itself: value, limits and range agree as printed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import earnest as en
from earnest.core import (
    MINUS,
    Scale,
    Selection,
    Side,
    limits_words,
    print_numbers,
    word_confidence,
    word_headline,
)
from earnest.metrics import METRICS
from earnest.results import Estimate, Interval

LEVELS = (0.5, 0.95, 0.99)
SIDES = ("two-sided", "lower", "upper")
NUMBER = rf"(?:over |under )?[{MINUS}]?[\d,]+(?:\.\d+)?(?:e[+{MINUS}]\d+)?"


def spans(text: str, scale: Scale) -> tuple[float, float]:
    """Return the numbers that a printed one may stand for, as a reader takes it."""
    value = float(text.split()[-1].replace(MINUS, "-").replace(",", ""))
    if text.startswith("over"):
        return value, scale.limits[1]
    if text.startswith("under"):
        return scale.limits[0], value
    return value, value


def check_agreement(made: Estimate) -> None:
    """Hold one estimate to what its sentences say."""
    shown, scale, interval = print_numbers(made), made.scale, made.interval
    assert interval is not None
    assert made.value in interval
    least, most = spans(str(shown.value), scale)
    assert shown.low is not None
    assert shown.high is not None
    if math.isfinite(interval.low):
        assert spans(str(shown.low), scale)[0] <= most
    if math.isfinite(interval.high):
        assert spans(str(shown.high), scale)[1] >= least
    said = word_confidence(made)
    for word, beyond in (("above", scale.limits[1]), ("below", scale.limits[0])):
        found = re.search(rf"is {word} ({NUMBER})", said)
        if found is not None:
            bound = float(found[1].replace(MINUS, "-").replace(",", ""))
            assert bound < beyond if word == "above" else bound > beyond
            assert bound <= most if word == "above" else bound >= least
    assert limits_words(interval, shown) in said.replace(" and ", " to ")
    if "too optimistic." in word_headline(made):
        assert shown.optimism is not None
        assert spans(str(shown.optimism), replace(scale, limits=(-math.inf, math.inf)))[0] > 0.0


def awkward(seed: int) -> en.Predictions:
    """Make few cases that are told apart perfectly, nearly, by ties, not at all, or all wrongly."""
    rng = np.random.default_rng(seed)
    n, configs = int(rng.integers(4, 40)), int(rng.integers(1, 6))
    y = rng.permutation(np.arange(n) % 2)
    right = np.repeat(0.1 + 0.8 * y[:, None], configs, axis=1)
    nearly = right.copy()
    nearly[rng.integers(0, n)] = 0.5
    scores = [
        rng.random((n, configs)),
        right + 0.01 * rng.random((n, configs)),
        1.0 - right,
        rng.integers(0, 3, (n, configs)) / 2,
        nearly,
    ][seed % 5]
    fold = rng.permutation(np.arange(n) % int(rng.integers(1, 5)))
    return en.Predictions.from_arrays(y, scores, fold)


def answers(pi: en.Predictions, metric: str, methods: tuple[str, ...]) -> Iterator[Estimate]:
    """Yield what methods say of predictions, at each level and side."""
    for method in methods:
        try:
            few = {"n_resamples": 100} if method.startswith("bbc") else {}
            made = en.estimate(pi, method=method, metric=metric, rng=0, **few)
        except en.errors.EarnestError:  # too few cases, or of a class, for this method
            continue
        if made.interval is not None:
            yield from (
                made.at(confidence_level=level, side=side) for level in LEVELS for side in SIDES
            )


BINARY = sorted(name for name in METRICS if "binary" in METRICS[name].tasks)
NUMERIC = sorted(name for name in METRICS if "regression" in METRICS[name].tasks)


@pytest.mark.parametrize("seed", range(5))  # one of each kind
def test_no_sentence_on_awkward_tables_contradicts_itself(seed):
    pi, count = awkward(seed), 0
    for metric in BINARY[seed % 2 :: 2]:
        for made in answers(pi, metric, ("bbc", "holdout", "delong", "bbc_fold")):
            check_agreement(made)
            count += 1
    assert count > 50


@pytest.mark.parametrize("seed", range(4))
def test_no_sentence_on_awkward_numbers_contradicts_itself(seed):
    """Numbers of any size, one of them far out, predicted exactly or not at all."""
    rng = np.random.default_rng(seed)
    n, size = int(rng.integers(5, 30)), 10.0 ** rng.integers(-6, 12)
    y = size * rng.random(n)
    y[0] *= (1.0, 1e9)[seed % 2]
    guesses = y[:, None] + (0.0, size)[seed // 2 % 2] * rng.normal(size=(n, 3))
    pi = en.Predictions.from_arrays(y, guesses, np.arange(n) % 3, task="regression")
    made = [e for metric in NUMERIC for e in answers(pi, metric, ("bbc", "holdout"))]
    for one in made:
        check_agreement(one)
    assert made


def test_a_limit_beyond_the_value_is_moved_to_it():
    """Most draws are 1, so that the limit at 50 % is 1 and their mean is not."""
    y = np.linspace(0.0, 1.0, 24)
    guesses = y.copy()
    guesses[5] += 0.5
    pi = en.Predictions.from_arrays(y, guesses, np.arange(24) % 3)
    made = en.estimate(pi, method="bbc", metric="r2", rng=0)
    half = made.at(confidence_level=0.5, side="lower")
    assert half.source is not None
    assert half.source.limits(0.5, Side.LOWER)[0] > made.value
    assert half.interval.low == made.value < 1.0


@st.composite
def estimates(draw: st.DrawFn, base: Estimate) -> Estimate:
    """Draw estimates of any size and error, with limits on either side or beyond the value."""
    low, high = draw(st.sampled_from([(0.0, 1.0), (-1.0, 1.0), (0.0, math.inf),
                                      (-math.inf, 1.0), (-math.inf, math.inf)]))  # fmt: skip
    scale = Scale("metric", draw(st.booleans()), (low, high))
    unit = 1.0 if math.isfinite(high) and math.isfinite(low) else 10.0 ** draw(st.integers(-8, 13))
    near = st.one_of(
        st.floats(-1.0, 1.0).map(lambda x: unit * x),
        st.floats(0.0, 2e-3).map(lambda x: high - x if math.isfinite(high) else x),
        st.floats(0.0, 2e-3).map(lambda x: low + x if math.isfinite(low) else -x),
    )
    value, naive, one, other = (scale.clip(draw(near)) for _ in range(4))
    ends = {"two-sided": (min(one, other), max(one, other)), "lower": (one, high),
            "upper": (low, one)}  # fmt: skip
    side = draw(st.sampled_from(SIDES))
    error = draw(st.one_of(st.none(), st.floats(1e-12, 0.5).map(lambda x: unit * x)))
    interval = Interval(*ends[side], draw(st.sampled_from(LEVELS)), side)
    base = replace(base, source=None, cautions=(), interval=None)
    n_configs = draw(st.integers(1, 5))
    choices = [choice for choice in Selection if choice is not Selection.NOTHING_SELECTED]
    selection = Selection.NOTHING_SELECTED if n_configs == 1 else draw(st.sampled_from(choices))
    return replace(base, value=value, naive=naive, interval=interval, standard_error=error,
                   scale=scale, n_configs=n_configs, selection=selection,
                   no_information=None)  # fmt: skip


BASE = en.estimate(en.Predictions.from_arrays([0, 1] * 9, [0.2, 0.7] * 9), metric="accuracy",
                   method="holdout", rng=0)  # fmt: skip


@settings(max_examples=100)
@given(estimates(BASE))
def test_no_sentence_on_any_estimate_contradicts_itself(made):
    check_agreement(made)
