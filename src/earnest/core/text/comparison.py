"""The sentences that say what a comparison shows, by rule, for terminal and report alike.

A sentence claims a difference only where the test shows it at the level that was asked for. The
first configuration is its subject, so that its signs are those of the difference.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from earnest.core.results.specs import ComparisonEstimand, Side
from earnest.core.text.numbers import (
    PrintedNumber,
    decimals,
    number,
    percent,
    print_number,
    prose,
)

if TYPE_CHECKING:
    from earnest.core.results.comparison import Comparison

SMALLEST_P = 0.001  # below it a p-value is written as a bound
NEXT_TO_0 = 1e-9  # of the other numbers: an end that is nearer to 0 is rounding
ROUGH_P = 0.1  # above it two digits do


def decision(comparison: Comparison, title: str | None = None) -> str:
    """Return what can be said of two configurations, in one or a few sentences.

    Parameters
    ----------
    title : str, optional
        The metric's words for people, `Metric.title`; its name by default.
    """
    return f"{_claim(comparison, title or comparison.metric)}{scope_words(comparison)}"


def scope_words(comparison: Comparison) -> str:
    """Return the sentence on what a claim is about, empty if it is about the learners."""
    if comparison.provenance.n_folds < 2:
        return ""
    return _SCOPES.get(comparison.estimand, "")


_SCOPES = {
    ComparisonEstimand.FOLD_MODELS: " This is about the models of these folds, not the learners.",
    ComparisonEstimand.FIXED_MODELS: (
        " This is about these predictions, read as those of one fixed model each, not about the "
        "learners."
    ),
}


def _claim(comparison: Comparison, words: str) -> str:
    if comparison.probabilities is not None:
        return _posterior(comparison)
    shown = _amount(comparison)
    if comparison.difference != comparison.difference:
        pair = f"{comparison.a} and {comparison.b}"
        return f"Nothing is known about the difference in {words} between {pair}."
    if comparison.p_value is None:
        same = f"{comparison.a} and {comparison.b} have the same {words}"
        apart = same if shown is None else f"the {words} of {comparison.a} is {shown}"
        return f"Undecided: {apart}, but there is no spread to compare it with."
    proof = _proof(comparison)
    if comparison.shown and shown is not None and not comparison.shown_only_if_planned:
        better = "better" if comparison.favours == comparison.a else "worse"
        return f"{comparison.a} is {better} than {comparison.b}: its {words} is {shown} ({proof})."
    if shown is None:
        return f"{comparison.a} and {comparison.b} have the same {words} ({proof})."
    if comparison.alternative == "two-sided":
        claim = f"No difference between {comparison.a} and {comparison.b} can be shown"
    else:
        rises = (comparison.alternative == "greater") == comparison.scale.greater_is_better
        better = "better" if rises else "worse"
        claim = f"It cannot be shown that {comparison.a} is {better} than {comparison.b}"
    if comparison.shown_only_if_planned and comparison.p_simultaneous is not None:
        return (
            f"{claim} if you compare them because {comparison.favours} looks best: "
            f"{p_words(comparison.p_simultaneous)} for all pairs of the {comparison.best_of} "
            f"configurations. On its own, the {words} of {comparison.a} is {shown} ({proof})."
        )
    return f"{claim}: the {words} of {comparison.a} is {shown} ({proof})."


def places_of_difference(comparison: Comparison) -> int:
    """Return the decimals that a difference and its limits are printed with.

    They are as many as the standard error deserves, and more where an end of the interval would
    be written as 0 without being 0: a reader could not see on which side of it 0 lies.
    """
    places = decimals(comparison.standard_error, comparison.difference)
    ends = (
        () if comparison.interval is None else (comparison.interval.low, comparison.interval.high)
    )
    sizes = [abs(size) for size in (*ends, comparison.difference) if math.isfinite(size)]
    seen = [end for end in ends if NEXT_TO_0 * max(sizes, default=0.0) < abs(end) < math.inf]
    return max([places, *(_until_seen(end, places) for end in seen)])


def _until_seen(value: float, places: int) -> int:
    while round(value, places) == 0.0:
        places += 1
    return places


def outcome_words(comparison: Comparison, pair: str) -> str:
    """Return the difference behind the names of the pair, as it can be pasted."""
    places = places_of_difference(comparison)
    return f"{pair} = {number(comparison.difference, places, comparison.limits)}"


def interval_words(comparison: Comparison) -> str:
    """Return the interval as it can be pasted, nothing where there is none."""
    interval = comparison.interval
    return (
        ""
        if interval is None
        else interval.words(places_of_difference(comparison), comparison.limits)
    )


def chance_words(comparison: Comparison) -> str:
    """Return the p-value, or the posterior probabilities, as they can be pasted."""
    probabilities = comparison.probabilities
    if probabilities is None:
        return "" if comparison.p_value is None else p_words(comparison.p_value)
    return (
        f"P({comparison.a} better) = {chance(probabilities.a_better)}, "
        f"P(within {probabilities.rope:g}) = {chance(probabilities.equivalent)}, "
        f"P({comparison.b} better) = {chance(probabilities.b_better)}"
    )


def p_words(p: float) -> str:
    """Return a p-value in words: two digits above 0.1, three below, a bound below 0.001.

    Examples
    --------
    >>> from earnest.core.text.comparison import p_words
    >>> [p_words(p) for p in (0.57, 0.0431, 0.00001, 0.9999, 1.0)]
    ['p = 0.57', 'p = 0.043', 'p < 0.001', 'p > 0.99', 'p = 1.00']
    """
    shown = print_p(p)
    return f"p {shown.plain}" if shown.short_of is not None else f"p = {shown.plain}"


def p_value_text(p: float) -> str:
    """Return a p-value for a cell under a heading.

    Examples
    --------
    >>> from earnest.core.text.comparison import p_value_text
    >>> [p_value_text(p) for p in (0.57, 0.0431, 0.00001, 1.0)]
    ['0.57', '0.043', '< 0.001', '1.00']
    """
    return print_p(p).plain


def print_p(p: float) -> PrintedNumber:
    """Return how a p-value is printed; one below 0.001 stays short of 0."""
    if p < SMALLEST_P:
        return PrintedNumber(f"{SMALLEST_P:g}", short_of=0.0)
    return print_number(p, 2 if p >= ROUGH_P else 3)


def chance(share: float) -> str:
    """Return a posterior probability with two decimals, never 0 or 1 where it is not."""
    return number(share, 2)


def _amount(comparison: Comparison) -> str | None:
    """Return the size of the difference with its direction, None where there is none."""
    if not comparison.difference:
        return None
    size = print_number(
        abs(comparison.difference), places_of_difference(comparison), (0.0, comparison.limits[1])
    )
    direction = "higher" if comparison.difference > 0 else "lower"
    return f"{size.write(over='more than ', under='less than ')} {direction}"


def _proof(comparison: Comparison) -> str:
    """Return interval and p-value for the brackets of a sentence."""
    p = "" if comparison.p_value is None else p_words(comparison.p_value)
    interval = comparison.interval
    if interval is None:
        return p
    places, level = places_of_difference(comparison), percent(interval.confidence_level)
    low, high = (prose(end, places, comparison.limits) for end in (interval.low, interval.high))
    if interval.side == Side.TWO_SIDED:
        return f"{level} interval {low} to {high}; {p}"
    bound = f"above {low}" if interval.side == Side.LOWER else f"below {high}"
    return f"with {level} confidence the difference is {bound}; {p}"


def _posterior(comparison: Comparison) -> str:
    probabilities = comparison.probabilities
    assert probabilities is not None
    within = f"within {probabilities.rope:g}"
    sayings = {
        f"{comparison.a} is better than {comparison.b}": probabilities.a_better,
        f"{comparison.a} and {comparison.b} are practically equal": probabilities.equivalent,
        f"{comparison.b} is better than {comparison.a}": probabilities.b_better,
    }
    likely = max(sayings, key=lambda words: sayings[words])
    claim = likely if sayings[likely] >= comparison.confidence_level else "Undecided"
    return (
        f"{claim}: {comparison.a} is better with probability {chance(probabilities.a_better)}, "
        f"{comparison.b} with {chance(probabilities.b_better)}, and they are equal {within} with "
        f"{chance(probabilities.equivalent)}."
    )
