"""The verb `compare`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from earnest.comparison.asking import (
    ComparisonRequest,
    ask_first_that_applies,
    common,
    evidence_of,
    find_pair,
    read_measured,
    refuse_undefined,
    result,
)
from earnest.comparison.base import Test
from earnest.comparison.many import family_of
from earnest.core.base.errors import EarnestError
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.data.selection import first_best
from earnest.core.data.weights import Weights
from earnest.core.results.comparison import Alternative, Comparison
from earnest.core.results.comparison_table import Family
from earnest.inference.resampling.winners import gains_of
from earnest.kernels.score import score_table
from earnest.metrics.families import Metric, MetricLike

LAW_SEED = 0  # of the joint law of a table, for tests that draw nothing themselves


def compare(
    predictions: Predictions | Scores,
    a: str | int | Predictions | Scores | None = None,
    b: str | int | None = None,
    *,
    test: str | Test | None = None,
    metric: MetricLike | None = None,
    alternative: Alternative | str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: RngLike = None,
    n_jobs: int | None = None,
) -> Comparison:
    """Test whether one configuration is better than another, from out-of-sample predictions.

    The difference is metric(a) - metric(b) in the metric's own units: positive is better for a
    score and worse for a loss. Both are measured on the same cases, so the test is paired.

    Parameters
    ----------
    predictions : Predictions or Scores
        The predictions of both configurations; or those of the first, with `a` the Predictions of
        the second on the same cases and folds; or scores of prompts or models on the same items.
    a, b : str or int
        The configurations, by name or position.
    test : str or Test, optional
        A name (`earnest tests` lists them), a name with knobs such as `"mcnemar(p='mid')"`, or a
        configured instance such as `BayleTest(variance='within_fold')`. By default the first that
        applies of `delong` (for the ROC AUC of two classes), `bayle` and `bootstrap`.
    metric : str, Metric or callable
        What to compare by, named like scikit-learn's scorers and shown in its natural sign; left
        out for scores, which say themselves what they are summed up to.
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
        Before any computation, if the question cannot be answered or the test lacks a given option.

    Notes
    -----
    A configuration that was chosen because it looked best on these cases looks better than it is.
    Where a or b is the best of a table of more than two, `p_simultaneous` of the result holds for
    all pairs of the table at once, and so in spite of the choice; a caution names it.
    `compare_many` compares all of them.

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
    roc_auc(svm) - roc_auc(rf) = 0.08, 95 % interval [0.03, 0.13], p = 0.001 (delong, n=400)
    >>> print(made.decision.replace(chr(160), " "))
    svm is better than rf: its roc_auc is 0.08 higher (95 % interval 0.03 to 0.13; p = 0.001).
    """
    evidence, first, second = find_pair(predictions, a, b)
    given, measure = read_measured(evidence, metric)

    def ask(test: str | Test) -> Comparison:
        asked = ComparisonRequest.of(test, alternative, confidence_level, n_resamples, rng, n_jobs)
        return _compare(asked, given, measure, first, second)

    return ask_first_that_applies(test, measure, ask)


def _compare(
    asked: ComparisonRequest, given: Predictions, measure: Metric, first: int, second: int
) -> Comparison:
    table, remarks = common(given, list(dict.fromkeys([first, second])))
    question = asked.question(table, measure, given.fingerprint)
    refuse_undefined(question)
    reading = asked.test.read(question)
    found = evidence_of(table, measure, asked.test)
    # Cases of a fold that only one of the two has were tested all the same.
    said = (*remarks, *(c for c in found if not (remarks and c.code == "EN013")))
    made = result(asked, question, reading, 0, 0 if first == second else 1, said)
    if first == second or made.p_values is None:
        return made
    return _tell_of_table(made, asked, given, measure)


def _tell_of_table(
    made: Comparison, asked: ComparisonRequest, given: Predictions, measure: Metric
) -> Comparison:
    """Return the comparison with what holds where one of the two is the best of its table."""
    usable = given.usable()
    if usable.n_configs < 3 or made.a not in usable.configs.ids or made.b not in usable.configs.ids:
        return made
    scores = score_table(usable, measure, Weights.ones(usable.n_cases), n_jobs=asked.n_jobs)
    defined = np.flatnonzero(~np.isnan(scores[0]))
    best = defined[first_best(gains_of(measure, scores[None, :1, defined])[0])[0]]
    if usable.configs.ids[best] not in (made.a, made.b) or len(defined) < 3:
        return made
    family = _pairs_of(asked, usable.select(defined.tolist()), measure, given.fingerprint)
    at_once = {str(each): family.p_value(made, each) for each in made.p_values or ()}
    return replace(made, best_of=len(defined), p_at_once=at_once).at()


def _pairs_of(
    asked: ComparisonRequest, table: Predictions, measure: Metric, fingerprint: str
) -> Family:
    """Return what holds for all pairs of a table: by the joint law, where the test has one."""
    if not asked.test.spec.draws:  # whose result is to be the same without a seed
        asked = replace(asked, seeds=Seeds.of(LAW_SEED))
    try:
        question = asked.question(table, measure, fingerprint)
        return family_of(asked.test.read(question), question)
    except EarnestError:  # the test cannot read all of the others: Bonferroni's rule is left
        count = table.n_configs
        return Family(size=count * (count - 1) // 2, units=table.n_cases)
