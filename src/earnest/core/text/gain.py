"""What we say of the gain of a search: the heading, how sure it is, and what to do next."""

from __future__ import annotations

import math

from earnest.core.results.gain import Gain, Improvement
from earnest.core.results.interval import Interval
from earnest.core.results.specs import Side
from earnest.core.text.numbers import decimals, number, percent

ANYTHING = (float("-inf"), float("inf"))


def count_places(made: Improvement) -> int:
    """Return the decimals of an improvement and of the scores it lies between."""
    return decimals(made.standard_error, made.value)


def show_difference(made: Improvement, value: float) -> str:
    """Return a difference of scores with the decimals it deserves."""
    return number(value, count_places(made), ANYTHING)


def show_interval(made: Improvement) -> str:
    """Return the interval for one line, behind a comma; empty where there is none."""
    interval = made.interval
    return "" if interval is None else f", {interval.words(count_places(made), ANYTHING)}"


def span_words(interval: Interval, places: int) -> str:
    """Return between which improvements an interval lies.

    Examples
    --------
    >>> from earnest.core.results.interval import Interval
    >>> from earnest.core.text.gain import span_words
    >>> for low, high in ((0.1, 0.2), (-0.2, -0.1), (-0.1, 0.2)):
    ...     print(span_words(Interval(low, high, 0.95, "two-sided"), 2))
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


def headline(made: Gain) -> str:
    """Return the heading by rule: a gain, a loss, or none that can be shown.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.text.gain import headline
    >>> y = np.tile([0, 1], 50)
    >>> noise = np.random.default_rng(4).random((100, 40))
    >>> headline(en.gain(en.Predictions.from_arrays(y, noise), metric="roc_auc", rng=0))
    'No gain can be shown: the search seemed to gain 0.09.'
    """
    seeming, value = (show_difference(made, one) for one in (made.seeming, made.value))
    if made.n_configs == 1:
        return "One configuration was tried, so there was nothing to gain."
    if made.shown:
        return f"The search seemed to gain {seeming} and gained about {value}{_where(made)}."
    if made.lost:
        return (
            f"The search seemed to gain {seeming} and lost about {value.lstrip('-')}: "
            f"{_start(made)} is better than the winner."
        )
    if _stayed(made):
        return "No gain can be shown: the first configuration stayed the best."
    return f"No gain can be shown: the search seemed to gain {seeming}."


def _where(made: Gain) -> str:
    most = made.configurations_for_most
    if most is None or most >= made.n_configs:
        return ""
    if not made.plateau:
        return f", most of it only after {most} configurations"
    return f", most of it in the first {_count_first(most)}"


def _count_first(configs: int) -> str:
    return "configuration" if configs == 1 else f"{configs} configurations"


def _stayed(made: Gain) -> bool:
    """Tell whether the configuration that the search began with won: nothing could be gained."""
    return made.order == "tried" and made.first == made.winner


def _start(made: Gain) -> str:
    return "the first configuration" if made.order == "tried" else "a configuration chosen blindly"


def confidence(made: Gain) -> str:
    """Return the sentence on the interval of the gain; empty where there is none."""
    if made.interval is None or _stayed(made):
        return ""
    said = f"With {percent(made.confidence_level)} confidence the winner is"
    return f"{said} {span_words(made.interval, count_places(made))} than {_start(made)}."


def width_words(made: Gain, interval: Interval | None = None) -> str:
    """Return what twice the cases would make of the limits; empty where there are none.

    `interval` is the one that the reader was given, where it is not that of the curve.
    """
    width = made.width_with(1.0)
    if interval is not None and interval.side == Side.TWO_SIDED:
        width = (interval.high - interval.low) / 2.0
    if width is None:
        return ""
    now, then = (show_difference(made, one) for one in (width, width / math.sqrt(2.0)))
    return f"With twice the {made.units} the limits would be about ±{then} instead of ±{now}."


def advice(made: Gain) -> tuple[str, ...]:
    """Return what to do next, by rule: go on tuning, stop, or collect more cases."""
    cases = width_words(made)
    if made.n_configs == 1:
        return ("Try more configurations to see what a search gains.",)
    if made.shown and not made.plateau:
        return ("The score was still rising at the end: go on tuning.", cases)
    if made.shown:
        return (
            "More configurations of this kind buy little: stop here, and collect more "
            f"{made.units}.",
            cases,
        )
    if made.lost:
        return (f"Use {_start(made)}, or collect more {made.units} before you search again.", cases)
    if made.interval is None or _stayed(made):
        return (f"Collect more {made.units} before you try more configurations.", cases)
    most = show_difference(made, made.interval.high)
    return (
        f"The search gained at most {most}. If that is too little to matter, stop here; otherwise "
        f"collect more {made.units} before you try more configurations.",
        cases,
    )


def line(made: Gain) -> str:
    """Return a gain as one line."""
    value, seeming = (show_difference(made, one) for one in (made.value, made.seeming))
    order = "as tried" if made.order == "tried" else "in any order"
    return (
        f"{made.metric} gain {value}{show_interval(made)}, seemingly {seeming} "
        f"({made.n_configs} config{'s' * (made.n_configs != 1)} {order}, n={made.n_cases})"
    )
