"""What we say of a learning curve: what the last step gave, and no more.

Nothing is said of sizes beyond the data: no rule that we know of holds for all learners.
"""

from __future__ import annotations

from earnest.core.results.gain import LearningCurve
from earnest.core.text.gain import (
    count_gain_decimals,
    describe_span,
    show_difference,
    show_interval,
)
from earnest.core.text.numbers import percent

ABOUT_TWICE = 0.1  # by how much twice as many cases may differ from 2


def word_headline(curve: LearningCurve) -> str:
    """Return what the last step gave, by rule.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.text.learning import word_headline
    >>> from sklearn.linear_model import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((120, 10))
    >>> y = X[:, 0] + rng.standard_normal(120)
    >>> made = en.learning_curve(Ridge(), X, y, metric="rmse", fractions=(0.5, 1), rng=0)
    >>> word_headline(made)
    'Twice the training cases (54 to 108) made the model better by about 0.11.'
    """
    more = "Twice" if abs(curve.times - 2) < ABOUT_TWICE else f"{curve.times:.1f} times"
    sizes = f"{more} the training cases ({curve.sizes[-2]:,} to {curve.sizes[-1]:,})"
    size = show_difference(curve, abs(curve.value))
    if curve.shown:
        return f"{sizes} made the model better by about {size}."
    if curve.lost:
        return f"{sizes} made the model worse by about {size}."
    return f"{sizes} cannot be shown to help: the model was {_step(curve)}."


def _step(curve: LearningCurve) -> str:
    """Return by how much the last step was better or worse, as far as its decimals show."""
    size = show_difference(curve, abs(curve.value))
    if round(curve.value, count_gain_decimals(curve)) == 0.0:
        return "neither better nor worse"
    return f"{size} {'better' if curve.value > 0 else 'worse'}"


def word_confidence(curve: LearningCurve) -> str:
    """Return the sentence on the interval of the last step; empty where there is none."""
    if curve.interval is None:
        return ""
    span = describe_span(curve.interval, count_gain_decimals(curve))
    return f"With {percent(curve.confidence_level)} confidence they made it {span}."


def word_advice(curve: LearningCurve) -> str:
    """Return what follows for who could collect more cases."""
    if curve.shown:
        return "More cases still made better models. No curve can say what the next ones will give."
    return f"These {curve.n_cases:,} cases do not show whether more cases make better models."


def word_line(curve: LearningCurve) -> str:
    """Return a learning curve as one line."""
    return (
        f"{curve.metric} from {curve.sizes[-2]} to {curve.sizes[-1]} training cases: {_step(curve)}"
        f"{show_interval(curve)} ({curve.learner}, n={curve.n_cases})"
    )
