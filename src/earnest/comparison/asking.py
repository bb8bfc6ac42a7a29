"""From what a user gives to compare to a question, and from its outcome to a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from earnest.adapters.evidence import EvidenceTable
from earnest.comparison import TESTS
from earnest.comparison.base import (
    PairOutcome,
    PairReading,
    Question,
    Test,
    check_evidence,
)
from earnest.core.base import check
from earnest.core.base.errors import EarnestError, EvidenceError, InputError, MetricError
from earnest.core.base.provenance import knobs, list_versions, simplify_setting
from earnest.core.base.registry import configure
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.base.threads import workers
from earnest.core.cautions import of_search
from earnest.core.data.fold_scores import FoldScores, refuse_fold_scores
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.data.target import Task
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution, Scope
from earnest.core.results.comparison import (
    Alternative,
    Comparison,
    level_remarks,
    make_difference_interval,
)
from earnest.core.results.estimate import Provenance, Scale, by_severity, few_beyond
from earnest.core.results.specs import ComparisonEstimand, Evidence
from earnest.core.text.doors import arg
from earnest.inference.limits.fold_scores import refuse_unknown_overlap
from earnest.inference.remarks import evidence_remarks
from earnest.kernels.score import score_table
from earnest.metrics.families import Metric, MetricLike, RankMetric
from earnest.metrics.responding import need_order, pick_answer
from earnest.metrics.scores import settle_metric


def read_measured(evidence: object, metric: MetricLike | None) -> tuple[Predictions, Metric]:
    """Return predictions and metric of what was given to compare."""
    if isinstance(evidence, FoldScores):
        raise refuse_fold_scores()
    if not isinstance(evidence, (Predictions, Scores)):
        raise EvidenceError(
            "this is not a table of out-of-sample predictions",
            needs="earnest.Predictions, or earnest.Scores",
            got=type(evidence).__name__,
            cure="Make one with Predictions.from_arrays, from_frame or load; for two columns of "
            "scores Scores({'a': ..., 'b': ...}).",
        )
    pi, measure = settle_metric(evidence, metric)
    need_order(measure)
    return pick_answer(pi, measure), measure


def read_compared(
    evidence: object, metric: MetricLike | None
) -> tuple[Predictions, Metric, FoldScores | None]:
    """Return predictions and metric to compare by; of fold scores, a case for each fold."""
    if not isinstance(evidence, FoldScores):
        return *read_measured(evidence, metric), None
    scores, measure = settle_metric(evidence, metric)
    return scores.table, measure, scores


def find_pair(
    evidence: object, a: str | int | EvidenceTable | None, b: str | int | None
) -> tuple[object, int, int]:
    """Return the evidence and the columns of a and b."""
    if a is not None and not isinstance(a, str | int | np.integer):
        return _two_tables(evidence, a, b), 0, 1
    if b is None or a is None:
        raise InputError(
            "there are not two configurations to compare",
            needs="`a` and `b`: names or positions, or a second table of predictions",
            got="one" if a is not None else "none",
            cure="To compare all with the best, use compare_many.",
        )
    table = evidence.predictions if isinstance(evidence, Scores) else evidence
    table = table.table if isinstance(table, FoldScores) else table
    if not isinstance(table, Predictions):
        return evidence, 0, 1  # refused by `read_measured`
    return evidence, table.configs.index(a), table.configs.index(b)


def _two_tables(first: object, second: object, extra: object) -> Predictions:
    """Return two predictions of one configuration each, on the same cases, side by side."""
    if isinstance(first, Scores) and isinstance(second, Scores):
        first, second = first.predictions, second.predictions
    if not isinstance(first, Predictions) or not isinstance(second, Predictions):
        raise InputError(
            "two tables of predictions are compared, or two of scores",
            needs="Predictions and Predictions, or Scores and Scores",
            got=f"{type(first).__name__} and {type(second).__name__}",
            cure="Put both columns of scores in one Scores({'a': ..., 'b': ...}).",
        )
    if extra is not None:
        raise InputError(
            "`b` cannot be combined with two tables",
            needs="two tables of one configuration each",
            got=check.show(extra),
            cure="Choose the configurations with .select(name).",
        )
    for word, table in (("first", first), ("second", second)):
        if table.n_configs != 1:
            raise InputError(
                f"the {word} table has {table.n_configs} configurations",
                needs="one configuration in each table",
                got=check.some(table.configs.ids),
                cure="Choose one with .select(name).",
            )
    if first.configs.ids == second.configs.ids:
        second = replace(
            second, configs=replace(second.configs, ids=(f"{second.configs.ids[0]}'",))
        )
    return first.concat(second)


def common(pi: Predictions, columns: list[int]) -> tuple[Predictions, list[Caution]]:
    """Return the chosen columns on the folds that all of them have.

    A configuration that was dropped early has no predictions in the later folds.
    """
    chosen = pi.select(columns)
    if chosen.complete.all():
        return chosen, []
    responses = np.array(chosen.responses, dtype=np.float64)
    for repeat, cells in enumerate(chosen.cells):
        codes = chosen.folds[:, repeat]
        shared = np.append(cells.all(axis=1), False)[codes]
        responses[~shared, :, repeat] = np.nan
    if not np.isfinite(responses).any():
        raise EvidenceError(
            "no fold was evaluated for both configurations",
            needs="a fold with predictions of each",
            got=of_search.list_folds(*_count_folds(chosen)),
            cure="Evaluate the missing folds, or compare others.",
        )
    return replace(chosen, responses=responses), [_on_common_folds(chosen)]


def _on_common_folds(pi: Predictions) -> Caution:
    return of_search.folds_not_shared(*_count_folds(pi))


def _count_folds(pi: Predictions) -> tuple[int, tuple[tuple[str, int], ...]]:
    """Return the number of folds, and in how many each configuration was evaluated."""
    counts = np.sum([cells.sum(axis=0) for cells in pi.cells], axis=0)
    total = sum(int(cells.any(axis=1).sum()) for cells in pi.cells)
    return total, tuple(zip(pi.configs.ids, counts.tolist(), strict=True))


T = TypeVar("T")


@dataclass(frozen=True)
class ComparisonRequest:
    """What a user asks of a comparison, checked."""

    test: Test
    alternative: Alternative
    confidence_level: float
    seeds: Seeds
    n_jobs: int | None
    fold_scores: FoldScores | None = None

    @classmethod
    def of(
        cls,
        test: str | Test,
        alternative: Alternative | str,
        confidence_level: float,
        n_resamples: int | None,
        rng: RngLike,
        n_jobs: int | None,
        *,
        evidence: Evidence | None = Evidence.OUT_OF_SAMPLE,
        fold_scores: FoldScores | None = None,
    ) -> ComparisonRequest:
        """Make it from arguments; a verb that trains makes the evidence that a test needs: None."""
        chosen = configure_test(test, n_resamples=n_resamples)
        if fold_scores is not None:
            evidence = Evidence.FOLD_SCORES
            if chosen.spec.overlap and getattr(chosen, "ratio", None) is None:
                refuse_unknown_overlap(fold_scores, "CorrectedTTest(ratio=0.25)")
        if evidence is not None and not chosen.spec.takes(evidence):
            raise _refuse_evidence(chosen, evidence)
        level = check.check_share("confidence_level", confidence_level)
        workers(n_jobs)
        wanted = Alternative.of(alternative)
        if wanted is not Alternative.TWO_SIDED and not chosen.spec.one_sided:
            raise InputError(
                f"test {chosen.spec.name!r} has no direction",
                needs=arg("alternative", "two-sided"),
                got=f"{str(wanted)!r}",
            )
        return cls(chosen, wanted, level, Seeds.of(rng), n_jobs, fold_scores)

    def question(self, pi: Predictions, metric: Metric, fingerprint: str) -> Question:
        """Return the question to the test, on what can be used of the predictions."""
        usable = pi.usable()
        check_evidence(self.test.spec, usable)
        return Question(
            pi=usable,
            metric=metric,
            seeds=self.seeds,
            n_jobs=self.n_jobs,
            fingerprint=fingerprint,
        )


def ask_first_that_applies(
    test: str | Test | None, defaults: Iterable[str], ask: Callable[[str | Test], T]
) -> T:
    """Ask the test that was named; without a name the first default that applies to the evidence.

    Raises
    ------
    EarnestError
        That of the first test, where none applies.
    """
    if test is not None:
        return ask(test)
    refusal: EarnestError | None = None
    for name in defaults:
        try:
            return ask(name)
        except (EvidenceError, MetricError) as error:
            refusal = refusal or error
    assert refusal is not None
    raise refusal


def default_tests(
    pi: Predictions, metric: Metric, fold_scores: FoldScores | None = None
) -> tuple[str, ...]:
    """Return the tests that are tried where none is named, in this order.

    Predictions of several folds are compared as those of learners, with a variance that allows for
    their training sets. Those of one test set, and scores of items, are of models as they are.

    The area under a ROC curve is that of all cases at once, as the score of a search is; the areas
    of single folds, which `bayle` takes, are others. Scores of folds have one test. Of cases in
    time order the forecasts are compared, with what their losses depend on each other.
    """
    if fold_scores is not None:
        return ("corrected_t",)
    if pi.target.in_blocks:
        return ("diebold_mariano", "bootstrap")
    if pi.n_folds > 1:
        return ("corrected_z", "corrected_bootstrap")
    return (*(("delong",) if metric.area else ()), "bayle", "bootstrap")


def configure_test(test: str | Test, **values: object) -> Test:
    """Return the test with the knobs that were given, and refuse one that it lacks."""
    example = "\"mcnemar(p='mid')\""
    return configure(TESTS, test, values, example=example, members=("spec", "read"))


def _refuse_evidence(test: Test, kind: Evidence) -> EvidenceError:
    cure = "Use compare_learners, which trains them, or compare two Replicates."
    if kind is Evidence.FOLD_SCORES:
        cure = f"Use {arg('test', 'corrected_t')}, or search with earnest.SearchCV."
    if kind is Evidence.REPLICATES:
        cure = f"Use {arg('test', 'lpob')} for an AUC, or {arg('test', 'loob')}."
    return EvidenceError(
        f"test {test.spec.name!r} cannot use this evidence",
        needs=str(test.spec.needs),
        got=str(kind),
        cure=cure,
    )


def find_undefined(question: Question) -> list[int]:
    """Return the configurations for which the metric has no value on the cases as they are."""
    pi, metric = question.pi, question.metric
    scores = score_table(pi, metric, Weights.ones(pi.n_cases), n_jobs=question.n_jobs)[0]
    return [int(config) for config in np.flatnonzero(np.isnan(scores))]


def refuse_undefined(question: Question) -> None:
    """Refuse a configuration for which the metric has no value."""
    undefined = find_undefined(question)
    if undefined:
        names = [question.pi.configs.ids[config] for config in undefined]
        raise EvidenceError(
            f"metric {question.metric.name!r} is undefined for {check.some(map(repr, names))}",
            needs="a defined score on the original cases",
            cure="Look for constant predictions or a class without cases, or choose another "
            "metric.",
        )


def find_evidence_cautions(
    pi: Predictions, metric: Metric, test: Test, fold_scores: FoldScores | None = None
) -> Iterable[Caution]:
    """Yield what a reader must know of the predictions, as far as it bears on a test."""
    models = test.spec.estimand is ComparisonEstimand.FOLD_MODELS
    by_fold = test.spec.min_folds > 1 or (models and isinstance(metric, RankMetric))
    if not pi.configs.static and (pi.guides is None or pi.guides.guided):
        yield of_search.dynamic_comparison(pi.guides is not None)
    if fold_scores is not None:
        yield from fold_scores.list_remarks()
        yield of_search.predictions_would_add(fold_scores.splits.assumed)
        return
    for caution in evidence_remarks(pi, metric, blocks=test.spec.blocks):
        if by_fold or caution.about is not Scope.FOLDS:
            yield caution


def result(
    request: ComparisonRequest,
    question: Question,
    reading: PairReading,
    a: int,
    b: int,
    remarks: Iterable[Caution] = (),
) -> Comparison:
    """Put the comparison of two columns of the question together."""
    names = question.pi.configs.ids
    comparison = assemble_comparison(
        request,
        reading.pair(a, b),
        question.metric.scale,
        (names[a], names[b]),
        question.pi.n_counted,
        _provenance(request, question, reading),
        remarks,
    )
    if request.fold_scores is not None:
        return replace(comparison, evidence=Evidence.FOLD_SCORES)
    items = question.pi.target.task is Task.SCORES and question.pi.n_folds == 1
    return replace(comparison, estimand=ComparisonEstimand.ITEMS) if items else comparison


def assemble_comparison(
    request: ComparisonRequest,
    outcome: PairOutcome,
    scale: Scale,
    names: tuple[str, str],
    n_cases: int,
    provenance: Provenance,
    remarks: Iterable[Caution],
) -> Comparison:
    """Put a comparison together from what a test says of a pair."""
    spec = request.test.spec
    interval = make_difference_interval(
        outcome.limits, request.confidence_level, request.alternative, scale
    )
    comparison = Comparison(
        a=names[0],
        b=names[1],
        difference=outcome.difference,
        value_a=outcome.values[0],
        value_b=outcome.values[1],
        standard_error=outcome.standard_error,
        interval=interval,
        alternative=str(request.alternative),
        confidence_level=request.confidence_level,
        statistic=outcome.statistic,
        p_values=outcome.p_values,
        scale=scale,
        test=spec.name,
        estimand=spec.estimand,
        n_cases=n_cases,
        n_resamples=outcome.n_resamples,
        n_valid=outcome.n_valid,
        cautions=(),
        provenance=provenance,
        probabilities=outcome.probabilities,
        least_p=outcome.least_p,
        source=outcome.limits,
        dependence=outcome.dependence,
    )
    added = [*few_beyond(interval, comparison.n_valid), *level_remarks(comparison)]
    return replace(comparison, cautions=by_severity([*outcome.cautions, *remarks, *added]))


def _provenance(request: ComparisonRequest, question: Question, reading: PairReading) -> Provenance:
    used = {name: simplify_setting(value) for name, value in reading.used.items()}
    return Provenance(
        seed=question.seeds.entropy if request.test.spec.draws else None,
        fingerprint=question.fingerprint,
        n_folds=question.pi.n_folds,
        n_repeats=question.pi.n_repeats,
        knobs={**knobs(request.test), **used},
        versions=list_versions(),
    )
