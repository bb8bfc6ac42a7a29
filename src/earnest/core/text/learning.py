"""What we say of a learning curve: what the last step gave, and no more.

Nothing is said of sizes beyond the data: no rule that we know of holds for all learners.
"""

from __future__ import annotations

from earnest.core.results.learning import LearningCurve
from earnest.core.text.estimate import percent
from earnest.core.text.numbers import decimals, number

ANYTHING = (float("-inf"), float("inf"))
ABOUT_TWICE = 0.1  # by how much twice as many cases may differ from 2


def places_of_step(made: LearningCurve) -> int:
    """Return the decimals of what a step gave, and of the scores it lies between."""
    return decimals(made.standard_error, made.value)


def step_number(made: LearningCurve, value: float) -> str:
    """Return a difference of scores with the decimals it deserves."""
    return number(value, places_of_step(made), ANYTHING)


def headline(made: LearningCurve) -> str:
    """Return what the last step gave, by rule.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.text.learning import headline
    >>> from sklearn.linear_model import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((120, 10))
    >>> y = X[:, 0] + rng.standard_normal(120)
    >>> made = en.learning_curve(Ridge(), X, y, metric="rmse", fractions=(0.5, 1), rng=0)
    >>> headline(made)
    'Twice the training cases (54 to 108) made the winner better by about 0.11.'
    """
    more = "Twice" if abs(made.times - 2) < ABOUT_TWICE else f"{made.times:.1f} times"
    sizes = f"{more} the training cases ({made.sizes[-2]:,} to {made.sizes[-1]:,})"
    size = step_number(made, abs(made.value))
    if made.shown:
        return f"{sizes} made the winner better by about {size}."
    if made.interval is not None and made.interval.high < 0.0:
        return f"{sizes} made the winner worse by about {size}."
    word = "better" if made.value >= 0 else "worse"
    return f"{sizes} cannot be shown to help: the winner was {size} {word}."


def confidence(made: LearningCurve) -> str:
    """Return the sentence on the interval of the last step; empty where there is none."""
    if made.interval is None:
        return ""
    low, high = made.interval.low, made.interval.high
    least, most = (step_number(made, abs(end)) for end in (low, high))
    said = f"With {percent(made.confidence_level)} confidence the step is worth"
    if low >= 0.0:
        return f"{said} {least} to {most}."
    if high <= 0.0:
        return f"{said} {most} to {least} less."
    return f"{said} between {least} less and {most} more."


def advice(made: LearningCurve) -> str:
    """Return what follows for who could collect more cases."""
    if made.shown:
        return "More cases still made better models. What the next ones give, no curve tells."
    return f"Whether more cases make better models, these {made.n_cases:,} do not show."


def line(made: LearningCurve) -> str:
    """Return a learning curve as one line."""
    value, limits = step_number(made, made.value), ""
    if made.interval is not None:
        low, high = (step_number(made, end) for end in (made.interval.low, made.interval.high))
        limits = f", {100 * made.confidence_level:g} % interval [{low}, {high}]"
    return (
        f"{made.metric} from {made.sizes[-2]} to {made.sizes[-1]} training cases: better by "
        f"{value}{limits} ({made.learner}, n={made.n_cases})"
    )
