"""The verb `gate`: whether a change passes, by a bound or against what is in use.

If you test on the same items often enough, a change will pass by luck. A ledger counts the looks:
the run file of a test set, whose document `uses` lists them, as that of a sequestered set does.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.evidence import EvidenceLike, EvidenceTable, Source, open_evidence
from earnest.adapters.ledger import PATIENCE, find_ledger
from earnest.comparison.asking import (
    ComparisonRequest,
    ask_first_that_applies,
    default_tests,
    read_measured,
    result,
)
from earnest.comparison.base import Question, Test
from earnest.comparison.run import LEAST_UNITS, family_of
from earnest.core.arguments.gate import SEED
from earnest.core.base import check
from earnest.core.base.errors import EarnestError, EvidenceError, InputError, StoreError
from earnest.core.base.rng import RngLike
from earnest.core.cautions import of_limits, of_tables, of_tests
from earnest.core.data.guides import FIXED
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.data.subgroups import ByLike, SubgroupColumn, find_columns, list_cells
from earnest.core.results.cautions import Caution, Scope
from earnest.core.results.comparison import Comparison
from earnest.core.results.comparison_table import ClaimFamily
from earnest.core.results.estimate import Estimate, by_severity
from earnest.core.results.specs import Selection, Side
from earnest.core.text.doors import arg, word
from earnest.decision.verdict import (
    Outcome,
    SubgroupVerdict,
    Verdict,
    combine_outcomes,
    decide_outcome,
)
from earnest.inference.cases.case_values import case_values
from earnest.inference.resampling.winners import find_best
from earnest.inference.subgroups.beside import need_subject, subgroups_beside
from earnest.methods.base import Method
from earnest.methods.run import estimate
from earnest.metrics.families import Metric, MetricLike
from earnest.metrics.responding import pick_answer
from earnest.store import SqliteStore, read_run_identity

IN_TAIL = 200  # resamples wanted beyond a limit, so that it hardly depends on the seed
MOST_RESAMPLES = 20_000
FEW_DIFFERENT = 10  # cases that differ, below which their mean is not taken as normal
BASELINE = "baseline"
CONFIG_OPTION = word("`config`", "--configs")


def gate(
    new: EvidenceLike,
    *,
    metric: MetricLike | None = None,
    above: float | None = None,
    below: float | None = None,
    against: EvidenceLike | None = None,
    margin: float | None = None,
    config: str | int | None = None,
    by: ByLike | None = None,
    confidence_level: float = 0.95,
    ledger: str | Path | None = None,
    method: str | Method | None = None,
    test: str | Test | None = None,
    rng: RngLike = SEED,
    n_jobs: int | None = None,
) -> Verdict:
    """Tell whether a result passes: above a bound, or not worse than another by a margin.

    **What holds.** A result that should not pass does so with a probability of at most 1 minus the
    level, and one that should pass fails with at most that probability; with a `ledger` this holds
    for all looks at the same items together. Otherwise it is undecided, and the verdict says how
    many more items would decide it. The same evidence always gets the same verdict.

    Parameters
    ----------
    new : Predictions, Scores, SearchCV, str or Path
        The new result; or a fitted `SearchCV`, a `Ledger`, the folder of a run or a file. Of
        several configurations the best is judged, corrected for the choice.
    metric : str, Metric or callable
        What to measure; left out for scores, and for a search to use its metric.
    above, below : float, optional
        The bound that a score must lie above, or a loss below.
    against : Predictions, Scores, SearchCV, str or Path, optional
        What is in use, on the same cases. Of several configurations its best.
    margin : float, optional
        How much worse than `against` is allowed, 0 by default. The test of non-inferiority is
        paired.
    config : str or int, optional
        The configuration of `new` to judge, if it was fixed before any score was seen; nothing is
        then corrected. Of a `Ledger`, the try that is best on the half that its agent is told of:
        the other half judges it.
    by : str, list of str, array or dict of arrays, optional
        What divides the cases into subgroups, as for `estimate`. It then fails where any subgroup
        does, and passes where all of them do; half of the error is for all cases together, and
        half is shared by the subgroups, so that a wrong fail of any of them stays as rare.
    confidence_level : float
        One minus the probability of a wrong pass, and of a wrong fail.
    ledger : path, optional
        The file that counts the looks at these items. The k-th look has limits at the level
        1 - alpha / (k (k + 1)), so that all looks together keep the level. A `Ledger` counts its
        own. While it is open the verdict says pass or undecided and hides the numbers, which would
        guide the next try; each bound is then a look.
    method, test : optional
        The method of the estimate, as for `estimate`; the test, as for `compare`.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed of resamples; by default always the same, so that a verdict does not change by
        itself.
    n_jobs : int, optional
        The number of threads.

    Returns
    -------
    Verdict
        Pass, fail or undecided, with its limits.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(3)
    >>> y = np.tile([0, 1], 150)
    >>> old, new = (y + 0.8 * rng.standard_normal(300) for _ in range(2))
    >>> old, new = (en.Predictions.from_arrays(y, s, configs=["m"]) for s in (old, new))
    >>> en.gate(new, metric="roc_auc", against=old, margin=0.05).outcome
    'pass'
    """
    source = _open_new(new, by)
    pi, measure = read_measured(source.evidence, source.metric_or(metric))
    if source.looks is not None:
        ledger = _check_ledger(source, config, against, ledger)
    columns = _find_columns(source.evidence, pi, by)
    if columns:
        pi = replace(pi, target=replace(pi.target, subgroups=columns))
    ask = _GateOptions(
        metric=source.metric_or(metric),
        level=check.check_share("confidence_level", confidence_level),
        method=method,
        test=test,
        rng=rng,
        n_jobs=n_jobs,
        ledger=ledger,
        items="" if ledger is None else identify_items(source.evidence),
        winner=source.winner_by(metric) if config is None else None,
        answer_with=source.answer_with if metric is method is config is None else None,
        own_ledger=source.looks is not None,
        hidden=source.hidden,
        question=repr((above, below, margin)) if source.hidden else "",
        columns=columns,
    )
    rows = None
    if config is not None:
        pi = pi.select(config)
        pi, rows = take_judges(pi)
    _check_bound(measure, above, below, against, margin)
    if against is None:
        bound = above if above is not None else below
        assert bound is not None
        evidence = source.evidence if config is None else pi
        return _judge_alone(evidence, pi, measure, float(bound), ask)
    old = _open_rival(against, source, by)
    other, _ = read_measured(old.evidence, ask.metric)
    in_use = old.winner_by(metric)
    other = other if in_use is None else other.select(in_use)
    if rows is not None and other.n_cases == len(rows):
        other = other.take(np.flatnonzero(rows))
    return _judge_pair(pi, other, measure, float(margin or 0.0), ask)


def _open_new(new: object, by: ByLike | None) -> Source:
    """Return what is judged; of a ledger also while it is open."""
    ledger = find_ledger(new)
    if ledger is None:
        return open_evidence(new, by)
    if by is not None:
        raise InputError(
            f"a gate on a ledger judges all cases of a half, without {arg('by')}",
            cure=f"Leave {arg('by')} out.",
        )
    return ledger.to_source(hidden=True)


def _open_rival(against: object, source: Source, by: ByLike | None) -> Source:
    """Return what is in use; of the same ledger, what it began with."""
    ledger = find_ledger(against)
    same = ledger is not None and source.looks is not None and ledger.path.samefile(source.looks)
    if not same:
        return open_evidence(against, by)
    evidence = source.evidence
    assert isinstance(evidence, Predictions | Scores)
    guides = evidence.guides if isinstance(evidence, Predictions) else evidence.parts.guides
    assert guides is not None
    first = evidence.select(np.flatnonzero(guides.guided_by == FIXED).tolist())
    return Source(evidence=first, metric=source.metric)


def _check_ledger(
    source: Source, config: object, against: object, ledger: str | Path | None
) -> Path:
    """Return the file that counts the looks at a ledger; refuse what would tell its winner."""
    assert source.looks is not None
    if ledger is not None and not (Path(ledger).exists() and source.looks.samefile(ledger)):
        raise InputError(
            "a ledger counts its own looks",
            needs=f"no {arg('ledger')}",
            got=repr(str(ledger)),
            cure="Leave it out.",
        )
    if config is None and (source.hidden or against is not None):
        raise InputError(
            "a gate on a ledger judges one try" + (" while it is open" if source.hidden else ""),
            needs=f"{CONFIG_OPTION}, the try that is best on the half that its agent is told of",
            got="the best on all cases" if not source.hidden else "none",
        )
    return source.looks


def take_judges(pi: Predictions) -> tuple[Predictions, NDArray[np.bool_] | None]:
    """Return one configuration on the cases that did not guide it, and which these are.

    Its agent chose it by the scores of the other half, so here it was fixed in advance.
    """
    if pi.guides is None:
        return pi, None
    rows = pi.guides.judges([0])[0]
    taken = pi.take(np.flatnonzero(rows))
    return replace(taken, guides=None, configs=replace(pi.configs, static=True)), rows


@dataclass(frozen=True, kw_only=True)
class _GateOptions:
    """How a gate is asked, whatever the question."""

    metric: Any
    level: float
    method: str | Method | None
    test: str | Test | None
    rng: RngLike
    n_jobs: int | None
    ledger: str | Path | None
    items: str  # what the items are known by in the ledger
    winner: str | None  # that a search delivers; another one is not judged in its name
    answer_with: Callable[[int], Estimate] | None  # of a search
    own_ledger: bool = False  # whether the result comes from that ledger
    hidden: bool = False  # whether no number may be told
    question: str = ""  # the bound, where each is a look
    columns: tuple[SubgroupColumn, ...] = ()

    def share(self, level: float) -> float:
        """Return the level of the limits of all cases: half of the error is for subgroups."""
        return 1.0 - (1.0 - level) / 2.0 if self.columns else level

    def check_winner(self, judged: str | None) -> None:
        """Refuse to judge another configuration than the search delivers."""
        if self.winner is not None and judged != self.winner:
            raise EvidenceError(
                f"the search delivers {self.winner!r}, which it chose by another rule",
                needs="the configuration with the best pooled score",
                got=repr(judged),
                cure="Pass its predictions to judge the best of them, or `config` for a "
                "configuration that was fixed in advance.",
            )


def _check_bound(
    measure: Metric, above: float | None, below: float | None, against: Any, margin: float | None
) -> None:
    """Refuse a question without a bound, with two, or with one at the wrong end."""
    bounds = [
        name
        for name, value in (("above", above), ("below", below), ("against", against))
        if value is not None
    ]
    if len(bounds) != 1:
        raise InputError(
            "a gate has one bound",
            needs=f"one of {arg('above')}, {arg('below')} and {arg('against')}",
            got=" and ".join(arg(name) for name in bounds) or "none",
        )
    better = measure.greater_is_better
    right, wrong = ("above", "below") if better else ("below", "above")
    if bounds[0] == wrong:
        kind = "score, and more is better" if better else "loss, and less is better"
        raise InputError(f"{measure.name} is a {kind}", needs=arg(right), got=arg(wrong))
    if margin is not None and against is None:
        raise InputError(f"{arg('margin')} belongs to {arg('against')}", cure="Leave it out.")
    for name, value in (("above", above), ("below", below), ("margin", margin)):
        if value is not None and not _is_number(value):
            raise InputError(f"{arg(name)} is not a number", got=check.show(value))
    if margin is not None and margin < 0:
        raise InputError(
            f"{arg('margin')} is below 0",
            needs="how much worse is allowed, 0 or more, in the units of the metric",
            got=f"{margin:g}",
        )
    bound = above if above is not None else below
    low, high = measure.scale.limits
    if bound is not None and not low <= bound <= high:
        raise InputError(
            f"no {measure.name} can be {bounds[0]} {bound:g}",
            needs=f"a bound from {low:g} to {high:g}",
            got=f"{bound:g}",
        )


def _is_number(value: object) -> bool:
    """Tell whether something is a finite number, and not the text of one."""
    return not isinstance(value, bool | str) and math.isfinite(check.read_number(value))


def _take_look(
    ask: _GateOptions, about: str, metric: str, *tables: Predictions
) -> tuple[Look | None, float]:
    """Return which look at these tables this is, and the level that is left for it."""
    if ask.ledger is None:
        return None, ask.level
    use = identify_evidence(*tables) + ask.question
    identity = read_run_identity(ask.ledger) if ask.own_ledger else None
    look = enter_look(ask.ledger, ask.items, use, about, metric, identity)
    return look, level_of_look(ask.level, look.number)


# A bound.


def _judge_alone(
    new: Any, pi: Predictions, measure: Metric, bound: float, ask: _GateOptions
) -> Verdict:
    """Judge one result by a bound, by the one-sided limits of its estimate."""
    about = check.some(pi.configs.ids, 3)
    # Whatever can be refused is refused before the look is counted.
    estimate = _estimate_at(new, ask, ask.share(ask.level))
    ask.check_winner(estimate.winner)
    if ask.columns:
        need_subject(estimate)
    look, level = _take_look(ask, about, measure.name, pi)
    level = ask.share(level)
    if look is not None:
        estimate = _estimate_at(new, ask, level)
    lower = estimate.at(confidence_level=level, side=Side.LOWER)
    upper = estimate.at(confidence_level=level, side=Side.UPPER)
    assert lower.interval is not None
    assert upper.interval is not None
    low, high = lower.interval.low, upper.interval.high
    better = measure.greater_is_better
    remarks = {str(caution): caution for side in (lower, upper) for caution in side.cautions}
    outcome = decide_outcome(low, high, bound, greater_is_better=better)
    subgroups = _judge_subgroups(estimate, pi, measure, bound, level, ask)
    verdict = Verdict(
        outcome=str(combine_outcomes([outcome, *(each.outcome for each in subgroups)])),
        of_all=str(outcome) if subgroups else None,
        subgroups=subgroups,
        value=estimate.value,
        low=low,
        high=high,
        bound=bound,
        margin=None,
        scale=estimate.scale,
        config=estimate.winner,
        baseline=None,
        confidence_level=ask.level,
        level=level,
        look=None if look is None else look.number,
        n_items=estimate.n_cases or 0,
        n_configs=estimate.n_configs,
        method=estimate.method,
        selection=estimate.selection,
        cautions=by_severity([*remarks.values(), *list_remarks(look)]),
        provenance=estimate.provenance,
    )
    return hide_numbers(verdict, look) if ask.hidden else verdict


def hide_numbers(verdict: Verdict, look: Look | None) -> Verdict:
    """Return a verdict that tells whether it passes, and no more."""
    passed = verdict.outcome == Outcome.PASS
    return replace(
        verdict,
        outcome=str(Outcome.PASS if passed else Outcome.UNDECIDED),
        value=math.nan,
        low=-math.inf,
        high=math.inf,
        hidden=True,
        cautions=by_severity(list_remarks(look)),
    )


def _find_columns(evidence: object, pi: Predictions, by: ByLike | None) -> Any:
    """Return the columns that divide the cases; refuse scores of items, which carry none."""
    if by is None:
        return ()
    if isinstance(evidence, Scores):
        raise EvidenceError(
            "subgroups are those of predictions",
            needs="earnest.Predictions, a search or a run",
            got="Scores",
            cure=f"Leave {arg('by')} out.",
        )
    return find_columns(pi, by)


def _judge_subgroups(
    estimate: Estimate,
    pi: Predictions,
    measure: Metric,
    bound: float,
    level: float,
    ask: _GateOptions,
) -> tuple[SubgroupVerdict, ...]:
    """Judge every subgroup by the bound; one-sided limits hold at the level in all at once."""
    if not ask.columns:
        return ()
    both = max(1.0 - 2.0 * (1.0 - level), 0.5)
    table = subgroups_beside(
        estimate.at(confidence_level=both, side=Side.TWO_SIDED),
        pick_answer(pi, measure),
        measure,
        ask.columns,
        n_jobs=ask.n_jobs,
    )
    least, most = measure.scale.limits
    return tuple(
        SubgroupVerdict(
            column=each.column,
            level=each.level,
            outcome=decide_outcome(
                least if each.low is None else each.low,
                most if each.high is None else each.high,
                bound,
                greater_is_better=measure.greater_is_better,
            ),
            value=each.value,
            low=each.low,
            high=each.high,
            n_items=each.n_cases,
        )
        for each in table
    )


def _estimate_at(new: Any, ask: _GateOptions, level: float) -> Estimate:
    """Return the estimate, with as many resamples as the level needs."""
    arguments: dict[str, Any] = {
        "method": ask.method,
        "metric": ask.metric,
        "confidence_level": level,
        "side": Side.PESSIMISTIC,
        "rng": ask.rng,
        "n_jobs": ask.n_jobs,
    }
    count = min(MOST_RESAMPLES, math.ceil(IN_TAIL / (1.0 - level)))
    resampled = ask.method is None and new.n_configs > 1  # by bbc, which need not be tried first
    if ask.answer_with is None:
        result = estimate(new, **arguments, n_resamples=count if resampled else None)
    else:  # of a search, which knows the rule that chose its winner
        result = ask.answer_with(count)
    if result.interval is None:
        raise EvidenceError(
            f"method {result.method!r} gives no interval",
            needs="a method with limits",
            cure=f"Leave {arg('method')} out.",
        )
    named = isinstance(ask.method, str | None) and ask.answer_with is None
    if named and (result.n_resamples or count) < count:
        result = estimate(new, **arguments, n_resamples=count)
    return result


# Against what is in use.


def _judge_pair(
    pi: Predictions,
    other: Predictions,
    measure: Metric,
    margin: float,
    ask: _GateOptions,
) -> Verdict:
    """Judge the best of a result against the best of another, by a paired test."""
    table, remarks = join_tables(pi, other)
    pair = _compare_best(table, pi.n_configs, measure, ask)
    ask.check_winner(pair.comparison.a)
    about = check.some(pi.configs.ids, 3)
    look, level = _take_look(ask, about, measure.name, pi, other)
    level = ask.share(level)
    low = pair.limit(level, "greater")
    high = pair.limit(level, "less")
    better = measure.greater_is_better
    bound = -margin if better else margin
    comparison, several = pair.comparison, max(pi.n_configs, other.n_configs) > 1
    outcome = decide_outcome(low, high, bound, greater_is_better=better)
    subgroups = _compare_subgroups(table, pi.n_configs, measure, bound, level, pair, ask)
    verdict = Verdict(
        outcome=str(combine_outcomes([outcome, *(each.outcome for each in subgroups)])),
        of_all=str(outcome) if subgroups else None,
        subgroups=subgroups,
        value=comparison.difference,
        low=low,
        high=high,
        bound=bound,
        margin=margin,
        scale=comparison.scale,
        config=comparison.a,
        baseline=comparison.b,
        confidence_level=ask.level,
        level=level,
        look=None if look is None else look.number,
        n_items=comparison.n_cases,
        n_configs=pi.n_configs,
        method=comparison.test,
        selection=Selection.BOUND_ONLY if several else Selection.NOTHING_SELECTED,
        cautions=by_severity(
            [*_drop_choice(comparison), *remarks, *pair.list_remarks(), *list_remarks(look)]
        ),
        provenance=comparison.provenance,
    )
    return hide_numbers(verdict, look) if ask.hidden else verdict


def _compare_subgroups(
    table: Predictions,
    count: int,
    measure: Metric,
    bound: float,
    level: float,
    pair: _Pair,
    ask: _GateOptions,
) -> tuple[SubgroupVerdict, ...]:
    """Judge the difference of the same pair in every subgroup; the limits share the error."""
    cells = list_cells(table.target.subgroups) if ask.columns else []
    if not cells:
        return ()
    shared = 1.0 - (1.0 - level) / len(cells)
    ids = table.configs.ids
    chosen = ids.index(pair.comparison.a), ids.index(pair.comparison.b)
    verdicts = []
    for column, name, rows in cells:
        subgroup = table.take(rows)
        groups = subgroup.target.groups
        units = len(rows) if groups is None else len(np.unique(groups))
        value: float | None = None
        limits: tuple[float, float] | None = None
        if units >= LEAST_UNITS:
            try:
                answer = _compare_best(subgroup, count, measure, ask, chosen)
                value = answer.comparison.difference
                limits = answer.limit(shared, "greater"), answer.limit(shared, "less")
            except EarnestError:  # too few folds, or a class that is missing: nothing is shown
                limits = None
        low, high = (-math.inf, math.inf) if limits is None else limits
        verdicts.append(
            SubgroupVerdict(
                column=column,
                level=name,
                outcome=decide_outcome(
                    low, high, bound, greater_is_better=measure.greater_is_better
                ),
                value=value,
                low=None if limits is None else low,
                high=None if limits is None else high,
                n_items=len(rows),
            )
        )
    return tuple(verdicts)


def _drop_choice(comparison: Comparison) -> Iterator[Caution]:
    """Yield the cautions of a comparison that a gate does not answer itself."""
    yield from (
        caution for caution in comparison.cautions if caution.about not in (Scope.PAIR, Scope.TABLE)
    )


def join_tables(new: Predictions, other: Predictions) -> tuple[Predictions, list[Caution]]:
    """Return both tables side by side, on the items that both have, and what was left out."""
    remarks: list[Caution] = []
    ours, theirs = new.target.ids, other.target.ids
    if ours is not None and theirs is not None:
        names, others = (np.asarray(ids).astype(str) for ids in (ours, theirs))
        shared, at, there = np.intersect1d(names, others, return_indices=True)
        if not len(shared):
            raise EvidenceError(
                "the two results have no item in common",
                needs="the same items in both",
                got=f"{check.some(names, 2)} and {check.some(others, 2)}",
            )
        left = len(names) - len(shared), len(others) - len(shared)
        if any(left):
            remarks.append(_remark_left(len(shared), left))
        order = np.argsort(at)
        if any(left) or not np.array_equal(names, others):
            new, other = new.take(at[order]), other.take(there[order])
    ids = [name if name not in new.configs.ids else f"{BASELINE}: {name}"
           for name in other.configs.ids]  # fmt: skip
    other = replace(other, configs=replace(other.configs, ids=tuple(ids)))
    return new.concat(other), remarks


def _remark_left(shared: int, left: tuple[int, int]) -> Caution:
    return of_tables.items_not_shared(shared, *left)


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """A comparison, and the family for which its limits must hold."""

    comparison: Comparison
    family: ClaimFamily | None
    terms: tuple[int, int] | None  # units, and how many of them differ

    def limit(self, level: float, alternative: str) -> float:
        """Return the one-sided limit of the difference at a level."""
        at = self.comparison.at(confidence_level=level, alternative=alternative)
        interval = at.interval
        if self.family is not None:
            interval = self.family.interval(at)
            bounded = interval is not None and math.isfinite(interval.width)
            if (
                interval is None
                or not bounded
                or (interval.low, interval.high) == self.comparison.limits
            ):
                interval = replace(self.family, largest=None, known=None).interval(at)
        if interval is None:
            raise EvidenceError(f"test {self.comparison.test!r} gives no interval")
        limit = interval.low if alternative == "greater" else interval.high
        return self._widen(limit, level, alternative)

    def _widen(self, limit: float, level: float, alternative: str) -> float:
        """Return a limit that also holds where few cases differ.

        If no case differs, a normal distribution has no error at all. Wilson's limit of a share of
        rare cases has one; in the worst case every case that differs does so by the whole range.
        """
        if self.terms is None or self.terms[1] >= FEW_DIFFERENT:
            return limit
        least, most = self.comparison.scale.limits
        units, size = self.terms[0], self.family.size if self.family is not None else 1
        unit = (most - least) / units
        z = NormalDist().inv_cdf(1.0 - (1.0 - level) / size)
        error = self.comparison.standard_error or 0.0
        reach = z * z * unit / 2 + z * math.hypot(error, z * unit / 2)
        if alternative == "greater":
            return max(min(limit, self.comparison.difference - reach), least - most)
        return min(max(limit, self.comparison.difference + reach), most - least)

    def list_remarks(self) -> Iterator[Caution]:
        """Yield a caution where few cases differ."""
        if self.terms is not None and self.terms[1] < FEW_DIFFERENT:
            units, different = self.terms
            yield of_limits.few_cases_differ(different, units)


def _compare_best(
    table: Predictions,
    count: int,
    measure: Metric,
    ask: _GateOptions,
    chosen: tuple[int, int] | None = None,
) -> _Pair:
    """Compare the best of the first configurations with the best of the others.

    A pair that was chosen on more cases stands for both.
    """

    def answer(test: str | Test) -> _Pair:
        request = ComparisonRequest.of(test, "two-sided", ask.level, None, ask.rng, ask.n_jobs)
        question = request.question(table, measure, table.fingerprint)
        if question.pi.n_configs < table.n_configs:
            gone = sorted(set(table.configs.ids) - set(question.pi.configs.ids))
            raise EvidenceError(
                f"not every configuration has all cases: {check.some(gone)}",
                needs="complete results",
            )
        reading = request.test.read(question)
        values = np.asarray(reading.values, dtype=np.float64)
        if chosen is None:
            first, second = _find_best(measure, values[:count]), _find_best(measure, values[count:])
        else:
            first, second = chosen[0], chosen[1] - count
        comparison = result(request, question, reading, first, count + second)
        family = None
        if table.n_configs > 2:
            fixed = count if table.n_configs - count == 1 else None
            family = family_of(reading, question, fixed=fixed)
        terms = _count_different(question, comparison, first, count + second)
        return _Pair(comparison=comparison, family=family, terms=terms)

    return ask_first_that_applies(ask.test, default_tests(table, measure), answer)


def _find_best(measure: Metric, values: Any) -> int:
    if np.isnan(values).all():
        raise EvidenceError(
            f"metric {measure.name!r} is undefined for every configuration of a result",
            needs="a defined score",
        )
    return find_best(measure, values)


def _count_different(
    question: Question, comparison: Comparison, a: int, b: int
) -> tuple[int, int] | None:
    """Return the units, and how many of them tell the two apart; None where it is not known.

    For a metric that is not a mean over cases, such as the AUC, it is only known whether any case
    differs; if none does, the size of the smallest class counts.
    """
    low, high = question.metric.scale.limits
    if not math.isfinite(high - low):
        return None
    target = question.pi.target
    if not question.metric.pointwise:
        if comparison.standard_error or comparison.difference:
            return None
        if not target.has_classes:
            return int(target.count_effective()), 0
        return min(int(target.count_effective(target.y == code)) for code in np.unique(target.y)), 0
    try:
        values = case_values(question.pi.select([a, b]), question.metric)
    except EarnestError:
        return None
    if values.kind != "pointwise":
        return None
    apart = np.nansum(np.abs(values.terms[:, 0] - values.terms[:, 1]), axis=-1) > 1e-12
    if values.groups is None:
        target = question.pi.target
        return int(target.count_effective()), math.ceil(target.count_effective(apart))
    units = np.unique(values.groups)
    return len(units), len(np.unique(values.groups[apart]))


USES = "uses"  # the document of a run file that lists what a test set was used for


@dataclass(frozen=True)
class Look:
    """One look at a test set.

    Attributes
    ----------
    number : int
        From 1 on; the same evidence again, in whatever order, is the same look.
    earlier : tuple of str
        What was looked at before.
    """

    number: int
    earlier: tuple[str, ...] = ()


def level_of_look(confidence_level: float, number: int) -> float:
    """Return the level of the limits at a look, so that all looks together keep the level.

    The k-th look may err with probability alpha / (k (k + 1)), and these sum to at most alpha,
    however many looks follow.

    Examples
    --------
    >>> from earnest.decision.gate import level_of_look
    >>> [round(level_of_look(0.95, look), 4) for look in (1, 2, 3)]
    [0.975, 0.9917, 0.9958]
    >>> round(sum(1 - level_of_look(0.95, look) for look in range(1, 100_000)), 4)
    0.05
    """
    return 1.0 - (1.0 - confidence_level) / (number * (number + 1))


def enter_look(
    ledger: str | Path,
    items: str,
    use: str,
    about: str,
    metric: str,
    identity: Mapping[str, str] | None = None,
) -> Look:
    """Record a look in the ledger of these items, unless it is there, and return its number.

    Parameters
    ----------
    ledger : path
        The file; made when it is not there.
    items : str
        What the items are known by, see `identify_items`.
    use : str
        What is looked at: the same evidence for the same metric is the same look.
    about, metric : str
        What a reader of the ledger is told.
    identity : mapping, optional
        That of a `Ledger` of these items; without it the file is one of looks alone.
    """
    look = hashlib.sha256(f"{use} {metric}".encode()).hexdigest()[:32]
    try:
        with SqliteStore(ledger, patience=PATIENCE) as store:
            store.open(identity or {"kind": "test set", "cases": items})
            uses: list[dict[str, str]] = json.loads(store.documents().get(USES, "[]"))
            looks = [entry["use"] for entry in uses]
            if look not in looks:
                uses.append({"use": look, "learner": about, "metric": metric})
                store.put_document(USES, json.dumps(uses))
                looks.append(look)
    except StoreError as error:
        if "another run" not in error.what:
            raise
        raise InputError(
            f"{str(ledger)!r} counts looks at other items",
            needs="the ledger of these items",
            cure=f"Name another {arg('ledger')} for another test set.",
        ) from error
    number = looks.index(look)
    return Look(number + 1, tuple(entry["learner"] for entry in uses[:number]))


def identify_items(evidence: EvidenceTable) -> str:
    """Return a hash of the items, whatever was predicted for them and in whatever order.

    For scores only the names of the items are known, including those without a score.
    """
    if isinstance(evidence, Scores):
        ids = evidence.parts.ids
        names = np.arange(evidence.n_cases) if ids is None else np.asarray(ids)
        texts = np.sort(names.astype(str))
        return hashlib.sha256("\0".join(["scores", *texts.tolist()]).encode()).hexdigest()[:32]
    target, n = evidence.target, evidence.n_cases or 0
    names = np.arange(n) if target.ids is None else np.asarray(target.ids)
    texts = names.astype(str)
    order = np.argsort(texts, kind="stable")
    digest = hashlib.sha256(repr((str(target.task), target.classes, n)).encode())
    digest.update("\0".join(texts[order].tolist()).encode())
    for outcome in (target.y, target.event):
        digest.update(b"-" if outcome is None else np.ascontiguousarray(outcome[order]).tobytes())
    return digest.hexdigest()[:32]


def identify_evidence(*tables: Predictions) -> str:
    """Return a hash of what is looked at; cases that have names may be in any order."""
    prints = []
    for table in tables:
        ids = table.target.ids
        if ids is not None:
            table = table.take(np.argsort(np.asarray(ids).astype(str), kind="stable"))
        prints.append(table.fingerprint)
    return " ".join(prints)


def list_remarks(look: Look | None) -> Iterator[Caution]:
    """Yield what a reader must know of earlier looks."""
    if look is None:
        yield of_tests.looks_not_counted()
    elif look.earlier:
        yield of_tests.looked_before(look.number, tuple(dict.fromkeys(look.earlier)))
