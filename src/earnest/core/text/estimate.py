"""The sentences that say what an estimate means, by rule, for terminal and report alike.

A sentence claims only what its interval supports. All numbers of one estimate share the decimals
that its standard error deserves, and the printed ones add up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from earnest.core.cautions import of_search
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Estimate, Scale
from earnest.core.results.interval import Interval
from earnest.core.results.specs import (
    ON_ITEMS,
    TRAINED_IN_FOLDS,
    AgainstChance,
    Estimand,
    Selection,
    Side,
)
from earnest.core.text.numbers import (
    PrintedNumber,
    decimals,
    find_shared_places,
    percent,
    print_number,
    write_round,
)

LARGE = 0.05  # the share lost from which the search's own number is contradicted
NO_LIMITS = (-math.inf, math.inf)


# Initials that are spoken with a vowel first ("an RMSE"), and initials spoken as a word ("a ROC").
_VOWEL_LETTERS = frozenset("AEFHILMNORSX")
_SPOKEN_AS_WORDS = frozenset({"ROC"})


_CORRECTION = {
    Selection.CORRECTED: "This estimate corrects for that choice.",
    Selection.BOUND_ONLY: "The limit corrects for that choice; the score does not.",
    Selection.UNCORRECTED: "This estimate does not correct for that choice.",
}
CHECK_LABELS = "Check the data: labels may be flipped, or rows mixed up."
LEAST_PLACES = 2  # of a value near an end of its range


class Form(StrEnum):
    """How the honest number stands to the one that the search reported."""

    NONE = "as reported"
    SMALL = "a little optimistic"
    LARGE = "too optimistic"
    OPEN = "a difference no larger than chance explains"
    NO_EVIDENCE = "no evidence that the model beats a constant prediction"
    WORSE = "worse than a constant prediction"
    ALONE = "nothing to compare with"
    UNCORRECTED = "not corrected for the search"
    ELECTED = "the best of several on the cases that score"
    PERFECT = "no error was seen, which says no more than its bound"


@dataclass(frozen=True)
class PrintedEstimate:
    """The numbers of an estimate as they are printed, all with the same decimals.

    `optimism` is the difference of the printed numbers, so that a reader's sum is right. `full`
    are the ends of a two-sided interval that are printed as an end of the metric's range, or all
    but that: they bound nothing.
    """

    value: PrintedNumber
    naive: PrintedNumber | None
    optimism: PrintedNumber | None
    low: PrintedNumber | None
    high: PrintedNumber | None
    full: frozenset[Side] = frozenset()

    @property
    def differ(self) -> bool:
        """Whether a reader sees that the naive number is another one."""
        if self.naive is None or self.optimism is None or self.naive == self.value:
            return False
        return self.optimism.value != 0.0


def word_direction(scale: Scale) -> str:
    """Return which way a metric is better, or the value at which it is right.

    Examples
    --------
    >>> from earnest.core.results.estimate import Scale
    >>> from earnest.core.text.estimate import word_direction
    >>> word_direction(Scale("rmse", False, (0.0, 9.0)))
    'lower is better'
    >>> word_direction(Scale("calibration_slope", True, (-9.0, 9.0), ideal=1.0))
    'right at 1'
    """
    if scale.ideal is not None:
        return f"right at {scale.ideal:g}"
    return f"{'higher' if scale.greater_is_better else 'lower'} is better"


def print_numbers(estimate: Estimate, places: int | None = None) -> PrintedEstimate:
    """Return the numbers of an estimate as text, with the decimals of its standard error.

    Parameters
    ----------
    places : int, optional
        Other decimals, for a table whose column has those of its most precise row.
    """
    places = places_of([estimate]) if places is None else places
    interval, limits = estimate.interval, estimate.scale.limits
    ends = (None, None) if interval is None else (interval.low, interval.high)
    naive, low, high = (
        None if each is None else print_number(each, places, limits)
        for each in (estimate.naive, *ends)
    )
    value = print_number(estimate.value, places, limits)
    gap = None if naive is None else abs(_find_gap(naive, value))
    optimism = None if gap is None else print_number(gap, places, NO_LIMITS)
    full = _full_ends(interval, (low, high), limits)
    return PrintedEstimate(value, naive, optimism, low, high, full)


def _find_gap(naive: PrintedNumber, value: PrintedNumber) -> float:
    """Return a difference as a reader takes it: 'over 0.999' is all but 1, so none of them is 0."""
    return naive.nearest - value.nearest


def _full_ends(
    interval: Interval | None,
    shown: tuple[PrintedNumber | None, PrintedNumber | None],
    limits: tuple[float, float],
) -> frozenset[Side]:
    """Return the ends of a two-sided interval that are an end of the range as they are printed."""
    if interval is None or interval.side != Side.TWO_SIDED:
        return frozenset()
    sides = zip((Side.LOWER, Side.UPPER), shown, limits, strict=True)
    return frozenset(
        side
        for side, end, limit in sides
        if end is not None and math.isfinite(limit) and end.nearest == limit
    )


def places_of(estimates: Iterable[Estimate]) -> int:
    """Return the decimals that estimates share: those of the most precise one."""
    rows = list(estimates)
    numbers = [n for e in rows for n in (e.value, e.naive, *_both_ends(e.interval))]
    shared = find_shared_places(numbers, [e.standard_error for e in rows])
    if shared is not None:
        return shared
    exact = [e for e in rows if e.standard_error is not None] or rows[:1]
    return max(_places_inside(e, decimals(e.standard_error, e.value)) for e in exact)


def _places_inside(estimate: Estimate, places: int) -> int:
    """Return decimals, two instead of one where one would print a value as an end of the range.

    It would read as a bound, 'under 0.1', beside an interval that goes far beyond.
    """
    ends = [end for end in estimate.scale.limits if math.isfinite(end)]
    rough = any(round(estimate.value, places) == end != estimate.value for end in ends)
    return max(places, LEAST_PLACES) if rough and places >= 0 else places


def _both_ends(interval: Interval | None) -> tuple[float, ...]:
    return () if interval is None else (interval.low, interval.high)


def form(estimate: Estimate) -> Form:
    """Return which sentence an estimate deserves."""
    if not estimate.honest:
        return Form.UNCORRECTED
    if estimate.against_chance is AgainstChance.WORSE:
        return Form.WORSE
    if estimate.against_chance is AgainstChance.UNDECIDED:
        return Form.NO_EVIDENCE
    if estimate.selection is Selection.BOUND_ONLY:
        return Form.ELECTED
    if saw_no_error(estimate):
        return Form.PERFECT
    if (
        estimate.selection is Selection.NOTHING_SELECTED
        or estimate.naive is None
        or estimate.optimism is None
    ):
        return Form.ALONE
    shown = print_numbers(estimate)
    if not shown.differ or estimate.optimism <= 0:
        return Form.NONE
    if not estimate.flattered:
        return Form.OPEN
    lost = estimate.share_lost
    return Form.LARGE if lost is not None and lost >= LARGE else Form.SMALL


def saw_no_error(estimate: Estimate) -> bool:
    """Tell whether no error was seen, so that only a bound says what to expect."""
    interval, side = estimate.interval, 1 if estimate.scale.greater_is_better else 0
    best = estimate.scale.limits[side]
    if interval is None or estimate.value != best or not math.isfinite(best):
        return False
    if estimate.n_configs > 1 and estimate.naive != best:
        return False
    shut = Side.UPPER if estimate.scale.greater_is_better else Side.LOWER
    return interval.side != shut and (interval.low, interval.high)[1 - side] != best


class Quantity(StrEnum):
    """Which number of an estimate a phrase is."""

    VALUE = "value"
    NAIVE = "naive"


@dataclass(frozen=True)
class Phrase:
    """A piece of a sentence, and the number that it is, if it is one."""

    text: str
    number: Quantity | None = None


def word_headline(
    estimate: Estimate,
    title: str | None = None,
    *,
    speaker: str = "the search",
) -> str:
    """Return the sentence with the honest number.

    Parameters
    ----------
    title : str, optional
        The metric's words for people, `Metric.title`; its name by default.
    speaker : str
        Who reported the naive number: 'the search', or 'your predictions'.
    """
    phrases = headline_phrases(estimate, title, speaker=speaker)
    return "".join(phrase.text for phrase in phrases)


def headline_phrases(
    estimate: Estimate,
    title: str | None = None,
    *,
    speaker: str = "the search",
) -> tuple[Phrase, ...]:
    """Return the headline in pieces, so that its numbers can be set apart."""
    return tuple(
        piece if isinstance(piece, Phrase) else Phrase(piece)
        for piece in _write_headline(estimate, title or estimate.metric, speaker)
    )


def _write_headline(estimate: Estimate, words: str, speaker: str) -> tuple[str | Phrase, ...]:
    shown, kind = print_numbers(estimate), form(estimate)
    value, naive = (
        Phrase(str(shown.value), Quantity.VALUE),
        Phrase(str(shown.naive), Quantity.NAIVE),
    )
    comma = "," if "," in words else ""  # "a ROC AUC, one against the rest, of 0.8"
    items = is_on_items(estimate)
    where = "on items like these" if items else "on new data"
    reported = "the winner scored here" if items else f"{speaker} reported"
    expect = (f"Expect {article(words)} {words}{comma} of ", value, f" {where}")
    if kind is Form.UNCORRECTED:
        return f"The winner's {words}{comma} of ", value, " is not corrected for the search."
    if kind is Form.NO_EVIDENCE:
        claim = f"No evidence that the model beats {rival(estimate)}: {words}{comma} "
        return claim, value, f" {where}."
    if kind is Form.WORSE:
        claim = f"The model does worse than {rival(estimate)}: {words}{comma} "
        check = f" {CHECK_LABELS}" if estimate.chance_is_midway else ""
        return claim, value, f" {where}.{check}"
    if kind is Form.ELECTED:
        scored = f"The best of the candidates scored {article(words)} {words}{comma} of "
        return scored, value, " on the cases that chose it; only the limit allows for that."
    if kind is Form.PERFECT:
        return (_say_perfect(estimate, words, shown),)
    if kind is Form.NONE and not shown.differ:
        return *expect, f", as {reported}."
    if kind is Form.NONE:
        return *expect, ", no worse than the ", naive, f" that {reported}."
    if kind is Form.OPEN and items:
        return *expect, "; the winner scored ", naive, " here."
    if kind is Form.OPEN:
        return *expect, f"; {reported} ", naive, "."
    if kind is Form.LARGE:
        return *expect, ", not the ", naive, f" that {reported}."
    if kind is Form.SMALL:
        return *expect, ". The ", naive, f" that {reported} is {shown.optimism} too optimistic."
    return *expect, "."


def is_on_items(estimate: Estimate) -> bool:
    """Tell whether an estimate is about scores of items: no folds, and nothing trained.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.core.text.estimate import is_on_items
    >>> is_on_items(en.estimate(en.Scores([[0, 1], [1, 1], [0, 0], [1, 0]]), rng=0))
    True
    """
    return estimate.estimand in set(ON_ITEMS.values())


def _say_perfect(estimate: Estimate, words: str, shown: PrintedEstimate) -> str:
    """Return what a score without an error allows to expect: a bound, not the score."""
    assert estimate.interval is not None
    cases = "folds" if estimate.n_cases is None else f"{estimate.n_cases:,} cases"
    winner = estimate.n_configs > 1
    bound = limits_words(estimate.interval, shown)
    comma = "," if "," in words else ""
    expect = f"expect {article(words)} {words}{comma} {bound} on new data."
    whose = "The winner's score is perfect" if winner else "The score is perfect"
    return f"{whose} on these {cases}; {expect}"


def word_confidence(estimate: Estimate) -> str:
    """Return the sentence on the interval; one whose end bounds nothing is said as a bound."""
    interval = estimate.interval
    if interval is None:
        return f"The method {estimate.method} gives no interval."
    shown = print_numbers(estimate)
    interval = as_bound(interval, shown)
    kind = form(estimate)
    subject = "its true value" if kind is Form.ELECTED else "it"
    level = percent(interval.confidence_level)
    claim = f"{level} confidence {subject} {_claim(interval, shown)}."
    if kind is Form.UNCORRECTED:
        return f"As if the winner had been fixed in advance, with {claim}"
    return f"With {claim}"


def reason(
    estimate: Estimate,
    *,
    speaker: str = "the search",
    tried: int | None = None,
) -> str:
    """Return the sentence on where the optimism comes from; empty where nothing was selected.

    Parameters
    ----------
    speaker : str
        Whose configurations they are: 'the search', or 'your predictions'.
    tried : int, optional
        How many were begun, where some of them were not evaluated on every fold.
    """
    if estimate.selection is Selection.NOTHING_SELECTED:
        return ""
    correction = _CORRECTION[estimate.selection]
    count = f"{estimate.n_configs:,} configurations"
    if is_on_items(estimate):
        scored = f"{count} were scored on the same {estimate.n_cases:,} items"
        return f"{scored}, and the best one was kept. {correction}"
    several = estimate.ensemble is not None and estimate.winner is None
    kept = f"an average of {len(estimate.ensemble or ())}" if several else "the best one"
    comma = ""
    if tried is not None and tried > estimate.n_configs:
        count, comma = f"{tried:,} configurations, {estimate.n_configs:,} on every fold", ","
    if speaker == "the search":
        return f"The search tried {count}{comma} and kept {kept}. {correction}"
    whose = f"{speaker[:1].upper()}{speaker[1:]} cover {count}"
    return f"{whose}, and {kept} was kept. {correction}"


def training_words(estimate: Estimate, *, delivered: bool = False) -> str:
    """Return whose score the number is; empty where the models tested are those that are used.

    Parameters
    ----------
    delivered : bool
        Whether a model that was refitted on all cases is delivered with the estimate.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.text.estimate import training_words
    >>> pi = en.Predictions.from_arrays([0, 1] * 10, np.arange(20) / 20, np.arange(20) // 2 % 5)
    >>> training_words(en.estimate(pi, metric="accuracy", rng=0))
    'It is the score of models trained on 16 of your cases; a refitted model sees all of them.'
    """
    if estimate.training is None:
        return ""
    final = "the delivered model has seen" if delivered else "a refitted model sees"
    trained = f"models trained on {estimate.training} of your cases"
    return f"It is the score of {trained}; {final} all of them."


def describe_optimism(estimate: Estimate) -> Caution:
    """Return the caution that the naive score flatters, with its interval and share of the gain.

    The share is of what the naive score is better than a constant prediction; it is all of it at
    most.
    """
    optimism_interval = estimate.optimism_interval
    places = places_of([estimate])
    shown = print_numbers(estimate, places)
    return of_search.winner_too_optimistic(
        optimism=0.0 if shown.naive is None else _find_gap(shown.naive, shown.value),
        places=places,
        low=None if optimism_interval is None else optimism_interval.low,
        high=None if optimism_interval is None else optimism_interval.high,
        level=None if optimism_interval is None else optimism_interval.confidence_level,
        share=estimate.share_lost,
        rival=rival(estimate),
        bound_only=estimate.selection is Selection.BOUND_ONLY,
    )


def flatters(estimate: Estimate) -> bool:
    """Tell whether to say that the naive score is too good: it is, and a reader sees it."""
    shown = print_numbers(estimate)
    return shown.differ and (estimate.optimism or 0.0) > 0 and estimate.flattered


def estimand_words(estimate: Estimate) -> str:
    """Return what was estimated, in words that hold for one configuration too.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.core.text.estimate import estimand_words
    >>> pi = en.Predictions.from_arrays([0, 1, 0, 1], [0.2, 0.7, 0.4, 0.6])
    >>> estimand_words(en.estimate(pi, method="bbc", metric="accuracy", rng=0))
    'the performance of this one configuration, its predictions read as they are'
    """
    if estimate.n_configs > 1 or estimate.estimand != Estimand.WINNER:
        return estimate.estimand
    if estimate.provenance.n_folds == 1:
        return str(Estimand.FIXED_MODEL)
    return f"the performance of this one configuration, {TRAINED_IN_FOLDS}"


def article(words: str) -> str:
    """Return 'a' or 'an', as the words are spoken.

    Examples
    --------
    >>> from earnest.core.text.estimate import article
    >>> [f"{article(words)} {words}" for words in ("ROC AUC", "RMSE", "accuracy", "Brier score")]
    ['a ROC AUC', 'an RMSE', 'an accuracy', 'a Brier score']
    """
    first = words.split()[0]
    spelled = first[:1].isupper() and not first[1:2].islower() and first not in _SPOKEN_AS_WORDS
    vowel = first[:1] in _VOWEL_LETTERS if spelled else first[:1].lower() in set("aeio")
    return "an" if vowel else "a"


def as_bound(interval: Interval, shown: PrintedEstimate) -> Interval:
    """Return a two-sided interval as the one-sided bound that it is if one end bounds nothing.

    An interval at 95 % from 0.987 up to 1 says that the value is above 0.987, and that at 97.5 %:
    it leaves half of the error probability beyond each end.
    """
    if len(shown.full) != 1 or interval.low == interval.high:
        return interval
    side = Side.LOWER if Side.UPPER in shown.full else Side.UPPER
    level = 1.0 - (1.0 - interval.confidence_level) / 2.0
    return replace(interval, side=str(side), confidence_level=level)


def limits_words(interval: Interval, shown: PrintedEstimate) -> str:
    """Return the limits in words: '0.91 to 0.98', or 'above 0.987' where one end bounds nothing.

    A limit that is not quite 1 is said so that it reads: 'above 0.999' for a bound. Nothing is
    above the best that a metric can have, so that a bound there is said as the number alone.
    """
    interval = as_bound(interval, shown)
    return " to ".join(_write_ends(interval, shown))


def _write_ends(interval: Interval, shown: PrintedEstimate) -> tuple[str, ...]:
    """Return both limits of an interval as they are printed, or its bound with its direction."""
    low, high = shown.low, shown.high
    assert low is not None
    assert high is not None
    if interval.side == Side.TWO_SIDED:
        return _write_end(low, Side.LOWER), _write_end(high, Side.UPPER)
    if interval.low == interval.high and low == high:
        return (low.words,)
    if interval.side == Side.LOWER:
        return (f"above {_write_bound(low, Side.LOWER)}",)
    return (f"below {_write_bound(high, Side.UPPER)}",)


def _write_end(end: PrintedNumber, side: Side) -> str:
    """Return a limit; one that all but reaches the end of the range on its side is that end."""
    return write_round(end.nearest) if _reaches(end, side) else end.words


def _write_bound(end: PrintedNumber, side: Side) -> str:
    """Return a limit behind 'above' or 'below', which say all that 'over' and 'under' do."""
    return write_round(end.nearest) if _reaches(end, side) else end.bare


def _reaches(end: PrintedNumber, side: Side) -> bool:
    if end.short_of is None:
        return False
    return end.short_of < end.value if side is Side.LOWER else end.short_of > end.value


def _claim(interval: Interval, shown: PrintedEstimate) -> str:
    ends = _write_ends(interval, shown)
    verb = "lies between" if interval.side == Side.TWO_SIDED else "is"
    return f"{verb} {' and '.join(ends)}"


def rival(estimate: Estimate) -> str:
    """Name the model without information: chance where it scores half-way, as a coin does.

    The largest class or the mean outcome is not chance, but a constant prediction.
    """
    return "chance" if estimate.chance_is_midway else "a constant prediction"


# The numbers of an estimate by name, as experiment trackers and report libraries take them.


def metrics_of(estimate: Estimate, prefix: str | None = None) -> dict[str, float]:
    """Return value, limits, standard error and naive score by name; what is not there is left out.

    The names are those of the metric with a suffix: `_low` and `_high` (only the end that a
    one-sided bound has), `_standard_error`, `_naive` and `_optimism`.

    Parameters
    ----------
    prefix : str, optional
        Another name than the metric's.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.core.text.estimate import metrics_of
    >>> pi = en.Predictions.from_arrays([0, 1, 0, 1], [0.2, 0.7, 0.4, 0.6])
    >>> metrics_of(en.estimate(pi, method="naive", metric="accuracy"))
    {'accuracy': 1.0, 'accuracy_naive': 1.0, 'accuracy_optimism': 0.0}
    """
    name = plain_name(estimate.metric if prefix is None else prefix)
    interval = estimate.interval
    side = None if interval is None else interval.side
    metrics = {
        name: estimate.value,
        f"{name}_low": None if interval is None or side == Side.UPPER else interval.low,
        f"{name}_high": None if interval is None or side == Side.LOWER else interval.high,
        f"{name}_standard_error": estimate.standard_error,
        f"{name}_naive": estimate.naive,
        f"{name}_optimism": estimate.optimism,
    }
    return {key: float(v) for key, v in metrics.items() if v is not None and math.isfinite(v)}


def plain_name(name: str) -> str:
    """Return a name of letters, digits, `_`, `-`, `.`, `/` and spaces, which every tracker takes.

    Examples
    --------
    >>> from earnest.core.text.estimate import plain_name
    >>> plain_name("f_beta(beta=2)")
    'f_beta_beta_2'
    """
    return re.sub(r"[^\w\-./ ]+", "_", name, flags=re.ASCII).strip("_") or "metric"
