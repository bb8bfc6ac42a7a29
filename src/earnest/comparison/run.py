"""The verbs `compare` and `compare_many`, and the winner of a search against all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from earnest.adapters.evidence import EvidenceLike, EvidenceTable, open_evidence
from earnest.comparison.asking import (
    ComparisonRequest,
    ask_first_that_applies,
    common,
    default_tests,
    find_evidence_cautions,
    find_pair,
    find_undefined,
    read_compared,
    read_measured,
    refuse_undefined,
    result,
)
from earnest.comparison.base import JointReading, PairReading, Question, Test, largest_errors
from earnest.comparison.replicates import TESTS_OF_SAMPLES, compare_samples, find_learners
from earnest.core.arguments.compare import ADJUSTMENTS
from earnest.core.base import check
from earnest.core.base.errors import EarnestError, EvidenceError, InputError
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.cautions import of_search
from earnest.core.data.predictions import Predictions
from earnest.core.data.replicates import Replicates
from earnest.core.data.subgroups import ByLike, SubgroupColumn, find_columns, list_cells
from earnest.core.data.target import Task
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution, Scope
from earnest.core.results.comparison import Alternative, Comparison
from earnest.core.results.comparison_table import ClaimFamily, Comparisons, adjust_all
from earnest.core.results.estimate import by_severity
from earnest.core.results.specs import Evidence, Selection
from earnest.core.results.subgroups import Subgroup, Subgroups, SubgroupStanding
from earnest.core.text.doors import arg
from earnest.inference.cases.no_information import no_information
from earnest.inference.resampling.winners import find_best
from earnest.kernels.score import score_table
from earnest.metrics.families import Metric, MetricLike
from earnest.metrics.scores import settle_metric

JOINT_SEED = 0  # of the joint draws of a table, for tests that draw nothing themselves
LEAST_UNITS = 30  # of a subgroup, below which its difference may not be normal
MARGIN = 0.05  # of what the best is better than a constant prediction: what cheaper may lose


def compare(
    predictions: EvidenceLike,
    a: str | int | EvidenceLike | None = None,
    b: str | int | None = None,
    *,
    test: str | Test | None = None,
    metric: MetricLike | None = None,
    alternative: Alternative | str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    by: ByLike | None = None,
    rng: RngLike = None,
    n_jobs: int | None = None,
) -> Comparison:
    """Test whether one configuration is better than another, from out-of-sample predictions.

    The difference is metric(a) - metric(b) in the metric's own units: positive is better for a
    score and worse for a loss. Both are measured on the same cases, so the test is paired.

    Parameters
    ----------
    predictions : Predictions, Scores, Replicates, SearchCV, str or Path
        The predictions of both configurations; or those of the first, with `a` the Predictions of
        the second on the same cases and folds; or scores of prompts or models on the same items; or
        the Replicates of a learner, with `a` those of another on the same bootstrap samples. A
        fitted `SearchCV`, the folder of a run or a file stands for the predictions in it; a fitted
        `GridSearchCV` and the like for the scores of its folds.
    a, b : str or int
        The configurations, by name or position.
    test : str or Test, optional
        A name (`earnest tests` lists them), a name with knobs such as `"mcnemar(p='mid')"`, or a
        configured instance such as `BayleTest(variance='within_fold')`. By default, for
        cross-validated predictions `corrected_z`, which compares learners, or
        `corrected_bootstrap` for metrics that it cannot take; for a test set or scores the first
        that applies of `delong` (for the ROC AUC of two classes), `bayle` and `bootstrap`; for
        replicates `lpob` (for an AUC or a concordance) or `loob`; for scores of folds
        `corrected_t`.
    metric : str, Metric or callable
        What to compare by, named like scikit-learn's scorers and shown in its natural sign; leave
        it out for scores, which have their own summary, and for a search to use its metric.
    alternative : {'two-sided', 'less', 'greater'}
        What to show about the difference: that it is not 0, below 0, or above 0. A one-sided
        alternative has a one-sided interval: 'less' gives an upper bound.
    confidence_level : float
        The level of the interval; the decision is made at 1 minus it.
    n_resamples : int, optional
        The number of resamples, for tests that draw any.
    by : str, list of str, array or dict of arrays, optional
        What divides the cases into subgroups, as for `estimate`. The comparison then has
        `subgroups`: the difference in each by the same test, with intervals that hold at once.
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
    If a or b is the best of a table of more than two, `p_simultaneous` of the result holds for all
    pairs of the table at once, and so despite the choice; a caution names it. `compare_many`
    compares all of them.

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
    roc_auc(svm) - roc_auc(rf) = 0.08, 95 % interval [0.01, 0.15], p = 0.026 (corrected_z, n=400)
    >>> print(made.decision.replace(chr(160), " "))
    svm is better than rf: its roc_auc is 0.08 higher (95 % interval 0.01 to 0.15; p = 0.026).
    """

    def request(test: str | Test, evidence: Evidence) -> ComparisonRequest:
        how = (alternative, confidence_level, n_resamples, rng, n_jobs)
        return ComparisonRequest.of(test, *how, evidence=evidence, fold_scores=folds)

    source, folds = open_evidence(predictions, by), None
    metric, rng = source.metric_or(metric), source.seed_or(rng)
    other = a if a is None or isinstance(a, str | int) else _open_other(a)
    if isinstance(source.evidence, Replicates) or isinstance(other, Replicates):
        both = find_learners(source.evidence, other, b)
        measure = settle_metric(both[0], metric)[1]

        _refuse_by(by, "Replicates")

        def ask_samples(test: str | Test) -> Comparison:
            return compare_samples(request(test, Evidence.REPLICATES), both, measure)

        return ask_first_that_applies(test, TESTS_OF_SAMPLES, ask_samples)
    evidence, first, second = find_pair(source.evidence, other, b)
    pi, measure, folds = read_compared(evidence, metric)
    if folds is not None:
        _refuse_by(by, "scores of folds")

    def ask(test: str | Test) -> Comparison:
        return _compare(request(test, Evidence.OUT_OF_SAMPLE), pi, measure, first, second)

    columns = () if by is None else find_columns(pi, by)
    comparison = ask_first_that_applies(test, default_tests(pi, measure, folds), ask)
    if not columns:
        return comparison
    chosen = comparison.test if test is None else test
    seen = request(chosen, Evidence.OUT_OF_SAMPLE)
    return replace(
        comparison,
        subgroups=compare_subgroups(seen, pi, measure, (first, second), comparison, columns),
    )


def compare_subgroups(
    request: ComparisonRequest,
    pi: Predictions,
    measure: Metric,
    pair: tuple[int, int],
    comparison: Comparison,
    columns: Sequence[SubgroupColumn],
) -> Subgroups:
    """Return the difference of a pair in every subgroup, by the same test.

    The intervals are two-sided, at a level at which they hold at once (Bonferroni). A subgroup in
    which the test cannot be asked is marked.
    """
    cells = list_cells(columns)
    level = 1.0 - (1.0 - request.confidence_level) / len(cells)
    of_subgroup = replace(request, alternative=Alternative.TWO_SIDED, confidence_level=level)
    subgroups = []
    for column, name, rows in cells:
        subgroup = pi.take(rows)
        units = (
            len(rows) if subgroup.target.groups is None else len(np.unique(subgroup.target.groups))
        )
        answer: Comparison | None = None
        if units >= LEAST_UNITS:
            try:
                answer = _compare_part(of_subgroup, subgroup, measure, pair)
            except EarnestError:  # too few folds, or a class that is missing
                answer = None
        subgroups.append(_stand(column, name, len(rows), units, subgroup, answer))
    return Subgroups(
        value=comparison.difference,
        scale=measure.scale,
        winner=comparison.a,
        baseline=comparison.b,
        selection=Selection.NOTHING_SELECTED,
        subgroups=tuple(subgroups),
        gaps=(),
        columns=tuple(column.name for column in columns),
        n_cases=comparison.n_cases,
        n_configs=2,
        n_resamples=comparison.n_resamples,
        confidence_level=request.confidence_level,
        cautions=(),
        provenance=comparison.provenance,
    )


def _compare_part(
    request: ComparisonRequest, subgroup: Predictions, measure: Metric, pair: tuple[int, int]
) -> Comparison:
    """Return the comparison of a pair on some of the cases."""
    table, _ = common(subgroup, list(dict.fromkeys(pair)))
    question = request.question(table.usable(), measure, subgroup.fingerprint)
    refuse_undefined(question)
    return result(request, question, request.test.read(question), 0, len(set(pair)) - 1)


def _stand(
    column: str,
    level: str,
    n_cases: int,
    units: int,
    subgroup: Predictions,
    answer: Comparison | None,
) -> Subgroup:
    """Return what a comparison says of a subgroup; of one without limits, why."""
    binary = subgroup.target.task is Task.BINARY
    positive = int((subgroup.target.y == 1).sum()) if binary else None
    width = 0.0 if answer is None or answer.interval is None else answer.interval.width
    if answer is None or answer.interval is None or not 0.0 < width < np.inf:
        few = units < LEAST_UNITS or (answer is not None and width == 0.0)  # no case differs
        return Subgroup(
            column=column,
            level=level,
            n_cases=n_cases,
            n_units=units,
            n_positive=positive,
            standing=SubgroupStanding.FEW if few else SubgroupStanding.UNDEFINED,
            value=None if answer is None else answer.difference,
        )
    low, high = answer.interval.low, answer.interval.high
    standing = SubgroupStanding.NOT_SHOWN
    if low > 0.0 or high < 0.0:
        better = (low > 0.0) is answer.scale.greater_is_better
        standing = SubgroupStanding.BETTER if better else SubgroupStanding.WORSE
    return Subgroup(
        column=column,
        level=level,
        n_cases=n_cases,
        n_units=units,
        n_positive=positive,
        standing=standing,
        value=answer.difference,
        low=low,
        high=high,
    )


def _refuse_by(by: ByLike | None, evidence: str) -> None:
    """Refuse subgroups of evidence that has no cases."""
    if by is not None:
        raise EvidenceError(
            "subgroups are those of predictions",
            needs="earnest.Predictions, a search or a run",
            got=evidence,
            cure=f"Leave {arg('by')} out.",
        )


def _open_other(a: EvidenceLike) -> int | EvidenceTable:
    """Return the place of a configuration, or the second table."""
    return int(a) if isinstance(a, np.integer) else open_evidence(a).evidence


def _compare(
    request: ComparisonRequest, pi: Predictions, measure: Metric, first: int, second: int
) -> Comparison:
    table, remarks = common(pi, list(dict.fromkeys([first, second])))
    question = request.question(table, measure, pi.fingerprint)
    refuse_undefined(question)
    reading = request.test.read(question)
    cautions = find_evidence_cautions(table, measure, request.test, request.fold_scores)
    # Cases of a fold that only one of the two has were tested all the same.
    every_remark = (*remarks, *(c for c in cautions if not (remarks and c.about is Scope.UNTESTED)))
    comparison = result(request, question, reading, 0, 0 if first == second else 1, every_remark)
    if first == second or comparison.p_values is None:
        return comparison
    return _tell_of_table(comparison, request, pi, measure)


def _tell_of_table(
    comparison: Comparison, request: ComparisonRequest, pi: Predictions, measure: Metric
) -> Comparison:
    """Return the comparison with what holds where one of the two is the best of its table."""
    usable = pi.usable()
    if (
        usable.n_configs < 3
        or comparison.a not in usable.configs.ids
        or comparison.b not in usable.configs.ids
    ):
        return comparison
    scores = score_table(usable, measure, Weights.ones(usable.n_cases), n_jobs=request.n_jobs)
    defined = np.flatnonzero(~np.isnan(scores[0]))
    if len(defined) < 3:
        return comparison
    best = usable.configs.ids[find_best(measure, scores[0])]
    if best not in (comparison.a, comparison.b):
        return comparison
    family = _pairs_of(request, usable.select(defined.tolist()), measure, pi.fingerprint)
    at_once = {str(each): family.p_value(comparison, each) for each in comparison.p_values or ()}
    return replace(comparison, best_of=len(defined), p_at_once=at_once).at()


def _pairs_of(
    request: ComparisonRequest, table: Predictions, measure: Metric, fingerprint: str
) -> ClaimFamily:
    """Return what holds for all pairs of a table, by the joint draws of the test if it has any."""
    if not request.test.spec.draws:  # whose result is to be the same without a seed
        request = replace(request, seeds=Seeds.of(JOINT_SEED))
    try:
        question = request.question(table, measure, fingerprint)
        return family_of(request.test.read(question), question)
    except EarnestError:  # the test cannot read all of the others: Bonferroni's rule is left
        count = table.n_configs
        return ClaimFamily(size=count * (count - 1) // 2, units=table.n_cases)


def compare_many(
    predictions: EvidenceLike,
    *,
    test: str | Test | None = None,
    metric: MetricLike | None = None,
    adjust: str = "simultaneous",
    reference: str | int | None = None,
    alternative: Alternative | str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: RngLike = None,
    n_jobs: int | None = None,
) -> Comparisons:
    """Find the best configuration, those shown to be worse, and those not shown to be.

    Every configuration is compared with the best one on these cases, or with `reference`.
    `standings` says of each how it stands, and `not_worse` is the set of those not shown to be
    worse than the best here.

    **What holds.** All claims against the best hold for all pairs of configurations at once: the
    probability that any of them is wrong is at most 1 minus the level, however many configurations
    there are, and although the best was found on the same cases. So the set contains every
    configuration that is truly best. What they are claims about is the test's `estimand`: by
    default learners, for cross-validated predictions. Tests with a joint distribution of all values
    (`corrected_z`, `bayle`, `delong`, `bootstrap`) compare a difference with the largest one that
    chance gives any pair (max-T); the others use Bonferroni's rule over all pairs, which is more
    conservative.

    Parameters
    ----------
    test : str or Test, optional
        As for `compare`, with the same default.
    adjust : {'simultaneous', 'holm', 'bh', 'none'}
        How to adjust p-values: 'simultaneous' for all pairs at once, so that they also hold against
        the best. 'holm' (the probability of any wrong claim) and 'bh' (Benjamini and Hochberg, the
        expected share of wrong claims) are for a reference that was fixed before any score was
        seen; against the best they are too small, with a caution. The set does not depend on it.
    reference : str or int, optional
        What to compare with; by default the best on these cases. A reference that is not the best
        here is treated as fixed in advance: p-values then hold for all comparisons with it. The set
        is always about the best. Of a fitted `SearchCV` or the folder of a run, its winner stands
        for the best.
    predictions, metric, alternative, confidence_level, n_resamples, rng, n_jobs
        As for `compare`. The difference is metric(reference) - metric(other).

    Returns
    -------
    Comparisons
        The comparisons, their adjusted p-values, the set, and where an order from cheap to costly
        is known (`Configs.with_complexity`), the cheapest configuration in it that scores within
        5 % of what the best is better than a constant prediction.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 150)
    >>> scores = y[:, None] * [2.0, 1.9, 0.5] + rng.standard_normal((300, 3))
    >>> pi = en.Predictions.from_arrays(y, scores, np.arange(300) // 2 % 10, configs=list("abc"))
    >>> many = en.compare_many(pi, metric="roc_auc", rng=0)
    >>> many.best, many.not_worse
    ('a', ('a', 'b'))
    """
    check.one_of("adjust", adjust, ADJUSTMENTS)
    source = open_evidence(predictions)
    pi, measure, folds = read_compared(source.evidence, source.metric_or(metric))
    winner, seed = source.winner_by(metric), source.seed_or(rng)

    def ask(test: str | Test) -> Comparisons:
        request = ComparisonRequest.of(
            test, alternative, confidence_level, n_resamples, seed, n_jobs, fold_scores=folds
        )
        return compare_all(request, pi, measure, adjust=adjust, reference=reference, winner=winner)

    return ask_first_that_applies(test, default_tests(pi, measure, folds), ask)


def compare_all(
    request: ComparisonRequest,
    pi: Predictions,
    measure: Metric,
    *,
    adjust: str = "simultaneous",
    reference: str | int | None = None,
    winner: str | None = None,
) -> Comparisons:
    """Compare one configuration with all others.

    Parameters
    ----------
    reference : str or int, optional
        What to compare with. A reference that is not the best here is treated as fixed in advance.
    winner : str, optional
        The winner of a search. It stands for the best: it was chosen on the same cases, although
        this test may measure another one better.
    """
    _need_p_values(request.test)
    question, left_out = _keep_defined(request.question(pi, measure, pi.fingerprint))
    configs = question.pi.configs
    _refuse_single(configs.ids)
    reading = request.test.read(question)
    if winner is None:
        best = find_best(measure, reading.values)
    else:
        best = _reference(pi, question.pi, winner)
    held = best if reference is None else _reference(pi, question.pi, reference)
    pairs = family_of(reading, question)
    family = pairs if held == best else family_of(reading, question, fixed=held)
    everyone = range(len(configs))
    comparisons = [result(request, question, reading, held, c) for c in everyone if c != held]
    against = comparisons
    if held != best:
        against = [result(request, question, reading, best, c) for c in everyone if c != best]
    shown = {
        comparison.b: 1.0
        if comparison.favours == comparison.b
        else pairs.p_value(comparison, "two-sided")
        for comparison in against
    }
    remarks = [
        *find_evidence_cautions(pi, measure, request.test, request.fold_scores),
        *left_out,
    ]
    simple = [configs.ids[config] for config in configs.simplicity_order()]
    joint = pairs.largest is not None
    return Comparisons(
        reference=configs.ids[held],
        best=configs.ids[best],
        comparisons=tuple(comparisons),
        adjusted=adjust_all(tuple(comparisons), adjust, family),
        adjust=adjust,
        p_best={name: shown.get(name, 1.0) for name in configs.ids},
        joint=joint,
        family=family.at(request.confidence_level),
        simple_first=None if configs.complexity is None else tuple(simple),
        confidence_level=request.confidence_level,
        seed=request.seeds.entropy if joint or request.test.spec.draws else None,
        remarks=by_severity([*remarks, *_warn_of_choice(held == best, adjust)]),
        labels=None if configs.params is None else configs.labels,
        margin=None if configs.complexity is None else _find_margin(question, reading.values[best]),
    )


def _find_margin(question: Question, best: float) -> float:
    """Return how much worse than the best a cheaper configuration may score.

    A share of what the best is better than a constant prediction, or than 0 where none has a score.
    """
    zero = no_information(question.pi.target, question.metric)
    if zero is None:
        return MARGIN * abs(float(best))
    return MARGIN * max(0.0, question.metric.sign * (float(best) - zero))


def family_of(reading: PairReading, question: Question, fixed: int | None = None) -> ClaimFamily:
    """Return what is claimed at once: of all pairs, or of those with one fixed in advance."""
    count = len(reading.values)
    size = max(1, count * (count - 1) // 2 if fixed is None else count - 1)
    if not isinstance(reading, JointReading):
        return ClaimFamily(size=size, units=question.pi.n_cases)
    return ClaimFamily(
        size=size,
        units=reading.units,
        largest=largest_errors(reading.deviations(), fixed, question.n_jobs),
    )


def _need_p_values(test: Test) -> None:
    if not test.spec.p_value:
        raise InputError(
            f"test {test.spec.name!r} gives no p-value to adjust",
            needs="a test with a p-value",
            cure=f"Use {arg('test', 'corrected_t')}, which has the same distribution, or "
            "compare pair by "
            "pair.",
        )
    if not test.spec.one_sided:
        raise InputError(
            f"test {test.spec.name!r} has no direction, so it cannot find the best",
            needs="a test with one-sided alternatives",
            cure=f"Use {arg('test', 'five_by_two')} or {arg('test', 'corrected_t')}, or compare "
            "pair by pair.",
        )


def _keep_defined(question: Question) -> tuple[Question, list[Caution]]:
    """Return the question without configurations for which the metric has no value."""
    gone, ids = set(find_undefined(question)), question.pi.configs.ids
    defined = [config for config in range(len(ids)) if config not in gone]
    if not defined:
        refuse_undefined(question)
    if not gone:
        return question, []
    names = [ids[config] for config in sorted(gone)]
    remark = of_search.configurations_undefined(tuple(names), len(ids), question.metric.title)
    return replace(question, pi=question.pi.select(defined)), [remark]


def _refuse_single(names: tuple[str, ...]) -> None:
    """Refuse a table of one configuration: there is nothing to compare it with."""
    if len(names) < 2:
        raise EvidenceError(
            "there is only one configuration",
            needs="at least two with complete predictions",
            got=names[0],
            cure="Use estimate for a single one.",
        )


def _reference(pi: Predictions, usable: Predictions, reference: str | int) -> int:
    name = pi.configs.ids[pi.configs.index(reference)]
    if name not in usable.configs.ids:
        raise EvidenceError(
            f"reference {name!r} lacks predictions, or a defined score",
            needs="a configuration evaluated in every fold, for which the metric is defined",
            cure="Evaluate the missing folds, or choose another reference.",
        )
    return usable.configs.ids.index(name)


def _warn_of_choice(chosen: bool, adjust: str) -> Iterator[Caution]:
    """Yield a caution for p-values that are adjusted as if the best had been fixed in advance."""
    if not chosen or adjust == "simultaneous":
        return
    yield of_search.best_in_hindsight()


def against_winner(
    pi: Predictions,
    metric: str | Metric,
    winner: str | None,
    *,
    confidence_level: float,
    rng: RngLike,
    n_jobs: int | None = None,
) -> Comparisons:
    """Compare the winner with all others by the first test that applies.

    The winner stands for the best, so `not_worse` are those that are not shown to be worse than
    it. As it was chosen on the same cases, everything holds for all pairs at once.

    Raises
    ------
    EarnestError
        That of the first test, where none applies.
    """
    table, measure = read_measured(pi, metric)

    def ask(test: str | Test) -> Comparisons:
        request = ComparisonRequest.of(test, "two-sided", confidence_level, None, rng, n_jobs)
        return compare_all(request, table, measure, winner=winner)

    return ask_first_that_applies(None, default_tests(table, measure), ask)
