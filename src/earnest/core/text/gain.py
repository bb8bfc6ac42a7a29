"""What we say of the gain of a search: the heading, how sure it is, and what to do next."""

from __future__ import annotations

import math

from earnest.core.results.gain import Gain, Improvement
from earnest.core.results.interval import Interval
from earnest.core.results.specs import Side
from earnest.core.text.numbers import decimals, number, percent

ANYTHING = (float("-inf"), float("inf"))


def count_gain_decimals(improvement: Improvement) -> int:
    """Return the decimals of an improvement and of the scores it lies between."""
    return decimals(improvement.standard_error, improvement.value)


def show_difference(improvement: Improvement, value: float) -> str:
    """Return a difference of scores with the decimals it deserves."""
    return number(value, count_gain_decimals(improvement), ANYTHING)


def show_interval(improvement: Improvement) -> str:
    """Return the interval for one line, behind a comma; empty where there is none."""
    interval = improvement.interval
    return (
        ""
        if interval is None
        else f", {interval.words(count_gain_decimals(improvement), ANYTHING)}"
    )


def describe_span(interval: Interval, places: int) -> str:
    """Return between which improvements an interval lies.

    Examples
    --------
    >>> from earnest.core.results.interval import Interval
    >>> from earnest.core.text.gain import describe_span
    >>> for low, high in ((0.1, 0.2), (-0.2, -0.1), (-0.1, 0.2)):
    ...     print(describe_span(Interval(low, high, 0.95, "two-sided"), 2))
    between 0.10 and 0.20 better
    between 0.10 and 0.20 worse
    between 0.10 worse and 0.20 better
    """
    low, high = (number(abs(end), places, ANYTHING) for end in (interval.low, interval.high))
    if interval.low >= 0.0:
        return f"between {low} and {high} better"
    if interval.high <= 0.0:
        return f"between {high} and {low} worse"
    return f"between {low} worse and {high} better"


def word_headline(gain: Gain) -> str:
    """Return the heading by rule as a sentence: a gain, a loss, or none that can be shown.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.text.gain import word_headline
    >>> y = np.tile([0, 1], 50)
    >>> noise = np.random.default_rng(4).random((100, 40))
    >>> word_headline(en.gain(en.Predictions.from_arrays(y, noise), metric="roc_auc", rng=0))
    'No gain can be shown: the search suggested 0.09.'
    """
    return f"{heading(gain)}."


def heading(gain: Gain) -> str:
    """Return the heading by rule, without the full stop of a sentence."""
    seeming, size = (show_difference(gain, score) for score in (gain.seeming, abs(gain.value)))
    if gain.n_configs == 1:
        return "One configuration was tried, so there was nothing to gain"
    if gain.n_members is not None:
        return _head_single(gain, size, seeming)
    if gain.shown:
        improved = f"Tuning improved the score by about {size}{_where(gain)}"
        return f"{improved} (the search suggested {seeming})"
    if gain.lost:
        lost = f"Tuning lost about {size} (the search suggested a gain of {seeming})"
        return f"{lost}: {_start(gain)} is better than the winner"
    if _stayed(gain):
        return "No gain can be shown: the first configuration stayed the best"
    return f"No gain can be shown: the search suggested {seeming}"


def _head_single(gain: Gain, size: str, seeming: str) -> str:
    """Return the heading where the search delivers an ensemble, which is not in the gain."""
    best = "the best single configuration, without the ensemble,"
    suggested = f"(the search suggested {seeming})"
    if gain.shown:
        return f"{best.capitalize()} improved the score by about {size}{_where(gain)} {suggested}"
    if gain.lost:
        return f"{best.capitalize()} lost about {size} {suggested}"
    if _stayed(gain):
        return f"No gain can be shown for {best} which is the first one tried"
    return f"No gain can be shown for {best} {suggested[1:-1]}"


def _where(gain: Gain) -> str:
    most = gain.configurations_for_most
    if most is None or most >= gain.n_configs:
        return ""
    if not gain.plateau:
        return f", most of it only after {most} configurations"
    return f", most of it in the first {_count_first(most)}"


def _count_first(configs: int) -> str:
    return "configuration" if configs == 1 else f"{configs} configurations"


def _stayed(gain: Gain) -> bool:
    """Tell whether the configuration that the search began with won: nothing could be gained."""
    return gain.order == "tried" and gain.first == gain.winner


def _start(gain: Gain) -> str:
    return "the first configuration" if gain.order == "tried" else "a configuration chosen blindly"


def word_confidence(gain: Gain) -> str:
    """Return the sentence on the interval of the gain; empty where there is none."""
    if gain.interval is None or _stayed(gain):
        return ""
    winner = "the winner" if gain.n_members is None else "the best single configuration"
    text = f"With {percent(gain.confidence_level)} confidence {winner} is"
    return f"{text} {describe_span(gain.interval, count_gain_decimals(gain))} than {_start(gain)}."


def _more_of(gain: Gain) -> str:
    """Return what to collect more of: folds hold cases, and more of them are none."""
    return "cases" if gain.units == "folds" else gain.units


def width_words(gain: Gain, interval: Interval | None = None) -> str:
    """Return what twice the cases would make of the limits; empty where there are none.

    `interval` is the one that the reader was given, where it is not that of the curve.
    """
    width = gain.width_with(1.0)
    if interval is not None and interval.side == Side.TWO_SIDED:
        width = (interval.high - interval.low) / 2.0
    if width is None:
        return ""
    now, then = (
        show_difference(gain, half_width) for half_width in (width, width / math.sqrt(2.0))
    )
    return f"With twice the {_more_of(gain)} the limits would be about ±{then} instead of ±{now}."


def word_advice(gain: Gain) -> tuple[str, ...]:
    """Return what to do next, by rule: go on tuning, stop, or collect more cases."""
    cases = width_words(gain)
    if gain.n_configs == 1:
        return ("Try more configurations to see what a search gains.",)
    if gain.shown and not gain.plateau:
        return ("The score was still rising at the end: go on tuning.", cases)
    if gain.shown:
        return (
            "More configurations of this kind buy little: stop here, and collect more "
            f"{_more_of(gain)}.",
            cases,
        )
    if gain.lost and gain.n_members is not None:
        return (f"Collect more {_more_of(gain)} before you search again.", cases)
    if gain.lost:
        return (
            f"Use {_start(gain)}, or collect more {_more_of(gain)} before you search again.",
            cases,
        )
    if gain.interval is None or _stayed(gain):
        return (f"Collect more {_more_of(gain)} before you try more configurations.", cases)
    most = show_difference(gain, gain.interval.high)
    return (
        f"{_name_search(gain)} gained at most {most}. If that is too little to matter, stop here; "
        f"otherwise collect more {_more_of(gain)} before you try more configurations.",
        cases,
    )


def _name_search(gain: Gain) -> str:
    return "The search" if gain.n_members is None else "The best single configuration"


def word_line(gain: Gain) -> str:
    """Return a gain as one line."""
    value, seeming = (show_difference(gain, score) for score in (gain.value, gain.seeming))
    order = "as tried" if gain.order == "tried" else "in any order"
    size = f"{gain.n_cases} folds" if gain.units == "folds" else f"n={gain.n_cases}"
    single = "" if gain.n_members is None else " of the best single one"
    return (
        f"{gain.metric} gain{single} {value}{show_interval(gain)}, seemingly {seeming} "
        f"({gain.n_configs} config{'s' * (gain.n_configs != 1)} {order}, {size})"
    )
