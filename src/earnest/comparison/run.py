"""The verb `compare`."""

from __future__ import annotations

from typing import Any

from earnest.comparison.asking import Asked, evidence_of, refuse_undefined, result
from earnest.comparison.base import Test
from earnest.comparison.losses import Losses
from earnest.comparison.pairing import common, measured, paired
from earnest.core.base.rng import RngLike
from earnest.core.data.predictions import Predictions
from earnest.core.results.comparison import Comparison
from earnest.core.results.differences import Alternative
from earnest.metrics.families import Metric


def compare(
    predictions: Predictions | Losses,
    a: str | int | Predictions | None = None,
    b: str | int | None = None,
    *,
    test: str | Test = "bayle",
    metric: str | Metric | Any = None,
    alternative: Alternative | str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: RngLike = None,
    n_jobs: int | None = None,
) -> Comparison:
    """Tell whether one configuration is better than another, from out-of-sample predictions.

    The difference is metric(a) - metric(b) in the metric's own units: positive is better for a
    score and worse for a loss. Both are measured on the same cases, so the test is paired.

    Parameters
    ----------
    predictions : Predictions or Losses
        The predictions of both configurations; or those of the first, with `a` the Predictions of
        the second on the same cases and folds; or columns of losses.
    a, b : str or int
        The configurations, by name or position.
    test : str or Test
        A name (`earnest tests` lists them), a name with knobs such as `"mcnemar(p='mid')"`, or a
        configured instance such as `BayleTest(variance='within_fold')`.
    metric : str, Metric or callable
        What to compare by, named like scikit-learn's scorers and shown in its natural sign; left
        out for losses.
    alternative : {'two-sided', 'less', 'greater'}
        What to show of the difference: that it is not 0, below 0, or above 0. The interval of a
        one-sided alternative is one-sided: 'less' gives an upper bound.
    confidence_level : float
        The level of the interval; the decision is made at 1 minus it.
    n_resamples : int, optional
        The number of resamples, for tests that draw any.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed; the result records it.
    n_jobs : int, optional
        The number of threads, 1 by default and -1 for all cores; never changes the result.

    Returns
    -------
    Comparison
        The difference, its interval, the p-value, what is compared, a decision in words, and what
        to be careful about.

    Raises
    ------
    InputError, EvidenceError, MetricError
        Before any work, where the question cannot be answered; a knob that the test lacks is an
        error too.

    Notes
    -----
    A configuration that was chosen because it looked best on these cases looks better than it is,
    against any other: see `compare_many`.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(1)
    >>> y = np.tile([0, 1], 200)
    >>> scores = y[:, None] * [2.0, 1.4] + rng.standard_normal((400, 2))
    >>> pi = en.Predictions.from_arrays(y, scores, np.arange(400) // 2 % 10, configs=["svm", "rf"])
    >>> made = en.compare(pi, "svm", "rf", metric="roc_auc")
    >>> made
    roc_auc(svm) - roc_auc(rf) = 0.08, 95 % interval [0.03, 0.13], p = 0.002 (bayle, n=400)
    >>> print(made.decision.replace(chr(160), " "))
    svm is better than rf: its roc_auc is 0.08 higher (95 % interval 0.03 to 0.13; p = 0.002).
    """
    asked = Asked.of(test, alternative, confidence_level, n_resamples, rng, n_jobs)
    evidence, first, second = paired(predictions, a, b)
    given, measure = measured(evidence, metric)
    table, remarks = common(given, list(dict.fromkeys([first, second])))
    question = asked.question(table, measure, given.fingerprint)
    refuse_undefined(question)
    reading = asked.test.read(question)
    found = evidence_of(table, measure, asked.test)
    # Cases of a fold that only one of the two has were tested all the same.
    said = (*remarks, *(c for c in found if not (remarks and c.code == "EN013")))
    return result(asked, question, reading, 0, 0 if first == second else 1, said)
