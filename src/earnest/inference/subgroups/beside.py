"""The score of an estimate's winner in every subgroup, on the resamples of the estimate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.base.provenance import list_versions
from earnest.core.base.rng import Purpose
from earnest.core.cautions import of_evidence
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import Pooled
from earnest.core.data.subgroups import SubgroupColumn
from earnest.core.data.target import Task
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Estimate, Provenance
from earnest.core.results.specs import Selection
from earnest.core.results.subgroups import (
    LargestGap,
    Subgroup,
    SubgroupCalibration,
    Subgroups,
    SubgroupStanding,
)
from earnest.engine.patience import announce_scores
from earnest.inference.curves.calibration import judge_part, no_calibration
from earnest.inference.curves.corrected import ResampledSelection, enough
from earnest.inference.curves.delivered import DeliveredEnsemble
from earnest.inference.subgroups.laws import (
    LossPool,
    ScoreLimits,
    correlate,
    find_tail,
    limit_difference,
)
from earnest.inference.subgroups.scores import MaskScore, score_ensemble_on_masks, score_masks
from earnest.metrics.families import Metric

LEAST_UNITS = 10  # of a subgroup, below which it has no limits
LEAST_OF_A_CLASS = 3  # for metrics that need the classes
LEAST_POSITIVE = 10  # of each class, with which a subgroup's probabilities are judged

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Cell:
    """A level of a column with its cases, and the other cases that have no such level."""

    column: SubgroupColumn
    code: int
    mask: Mask
    score: int
    others: int | None

    @property
    def level(self) -> str:
        return self.column.levels[self.code]


def subgroups_beside(
    estimate: Estimate,
    predictions: Predictions,
    metric: Metric,
    columns: Sequence[SubgroupColumn],
    *,
    n_jobs: int | None = None,
) -> Subgroups:
    """Return the score of an estimate's winner in every subgroup, corrected like the estimate.

    The winner is a configuration, or the ensemble that a rule chose.

    **What is estimated.** In every subgroup the performance of the configuration that this rule
    chooses on all cases. It is chosen in-bag on all cases of a resample, and scored on the cases
    of the subgroup that the resample leaves out. Of an ensemble, cross-fitted predictions are
    scored, as for all cases.

    **The limits.** Each score has the law of its metric: binomial for shares, Student's with a
    correction for skewness for losses (`laws`). The tail of each limit is the one with which all
    of them hold at once, by the correlations of their errors (max-T). The difference to all other
    cases combines both limits (Newcombe's MOVER), and all differences hold at once, too. The
    largest gap holds what the limits of all pairs of subgroups allow.

    **When it fails.** With few independent cases there are no limits: the subgroup is marked.

    Parameters
    ----------
    estimate : Estimate
        Of the predictions, by this metric.
    predictions : Predictions
        Whose cases the columns divide.
    columns : sequence of SubgroupColumn
        What divides them.
    """
    need_subject(estimate)
    taken = replace(predictions, target=replace(predictions.target, subgroups=tuple(columns)))
    pi = taken.usable()
    columns = pi.target.subgroups
    level = 0.95 if estimate.interval is None else estimate.interval.confidence_level
    masks, cells = _lay_masks(columns)
    corrected = estimate.selection is not Selection.UNCORRECTED
    ensemble = DeliveredEnsemble.of(estimate, pi, metric, n_jobs=n_jobs)
    if ensemble is not None:
        selection, shown, winner = ensemble.selection, ensemble.judged, 0
        with announce_scores(pi, metric, selection.n_resamples, "Subgroups"):
            scored = score_ensemble_on_masks(ensemble, masks, n_jobs=n_jobs)
    else:
        selection, shown = _find_selection(estimate, pi), pi
        winner = pi.configs.index(str(estimate.winner))
        judged = pi if corrected else pi.select(winner)
        with announce_scores(judged, metric, selection.n_resamples, "Subgroups"):
            scored = score_masks(
                judged, metric, winner if corrected else 0, selection, masks, n_jobs=n_jobs
            )
    table = _Table(
        pi=shown,
        metric=metric,
        winner=winner,
        cells=cells,
        scores=scored.scores,
        pools={column.name: LossPool.of(shown, metric, winner, column.codes) for column in columns},
        level=level,
        selection=selection,
    )
    return Subgroups(
        value=estimate.value,
        scale=metric.scale,
        winner=estimate.winner,
        selection=Selection.CORRECTED
        if corrected and estimate.n_configs > 1
        else estimate.selection,
        subgroups=table.judge(),
        gaps=tuple(table.find_gaps()),
        columns=tuple(column.name for column in columns),
        n_cases=pi.n_cases,
        n_configs=estimate.n_configs,
        n_resamples=len(scored.winners) or None,
        confidence_level=level,
        cautions=tuple(_list_remarks(estimate)),
        provenance=Provenance(
            seed=selection.seeds.entropy,
            fingerprint=predictions.fingerprint,
            n_folds=pi.n_folds,
            n_repeats=pi.n_repeats,
            knobs={
                "by": [column.name for column in columns],
                "n_resamples": selection.n_resamples,
                "selector": selection.selector.name if ensemble is None else ensemble.rule.name,
            },
            versions=list_versions(),
        ),
        n_members=None if ensemble is None else ensemble.n_members,
    )


def need_subject(estimate: Estimate) -> None:
    """Refuse an estimate that is neither about a configuration nor about an ensemble."""
    if estimate.winner is None and estimate.ensemble is None:
        raise EvidenceError(
            "subgroups are judged for one configuration or one ensemble",
            needs="an estimate of one of them",
            got=f"method {estimate.method!r}",
        )


def _find_selection(estimate: Estimate, pi: Predictions) -> ResampledSelection:
    """Return how an estimate chose a configuration; of many cases the first resamples do."""
    selection = ResampledSelection.of(estimate)
    few = enough(pi.n_cases * pi.n_repeats, selection.n_resamples)
    if few < selection.n_resamples:
        selection = replace(selection, n_resamples=few)
    if estimate.selection is Selection.UNCORRECTED:
        selection = replace(selection, selector=Pooled())
    return selection


def _list_remarks(estimate: Estimate) -> Iterator[Caution]:
    """Yield what the estimate says of its cases, which holds in subgroups too."""
    yield from (caution for caution in estimate.cautions if not caution.changes_with_level)
    if estimate.dependence is not None:
        yield of_evidence.subgroups_in_time()


def _lay_masks(columns: Sequence[SubgroupColumn]) -> tuple[list[Mask], list[_Cell]]:
    """Return the masks that are scored, each once, and where each level and its others stand."""
    masks: list[Mask] = []
    places: dict[bytes, int] = {}

    def place(mask: Mask) -> int:
        key = np.packbits(mask).tobytes()
        if key not in places:
            places[key] = len(masks)
            masks.append(mask)
        return places[key]

    cells = []
    for column in columns:
        for code in range(len(column.levels)):
            mask = column.codes == code
            if mask.any():
                others = None if mask.all() else place(~mask)
                cells.append(_Cell(column, code, mask, place(mask), others))
    return masks, cells


@dataclass(frozen=True, eq=False, kw_only=True)
class _Table:
    """All subgroups with what their limits are read from."""

    pi: Predictions
    metric: Metric
    winner: int
    cells: Sequence[_Cell]
    scores: Sequence[MaskScore]
    pools: Mapping[str, LossPool | None]
    level: float
    selection: ResampledSelection

    def judge(self) -> tuple[Subgroup, ...]:
        """Return every subgroup with its limits, and how it stands against the others."""
        usable = [k for k in range(len(self.cells)) if self._find_mark(k) is None]
        tail = self._find_tail([self._score(k).moves for k in usable], 1)
        compared = [k for k in usable if self._is_compared(k)]
        gap_tail = self._find_tail([self._differ(k) for k in compared], 2)
        shrunk = self._shrink(usable)
        return tuple(
            self._judge_one(k, tail, gap_tail, usable, compared, shrunk)
            for k in range(len(self.cells))
        )

    def _judge_one(
        self,
        k: int,
        tail: float,
        gap_tail: float,
        usable: Sequence[int],
        compared: Sequence[int],
        shrunk: dict[int, float],
    ) -> Subgroup:
        cell, score = self.cells[k], self._score(k)
        low, high = self._limits(k).limit(tail) if k in usable else (None, None)
        gap = gap_low = gap_high = None
        if k in compared and cell.others is not None:
            gap = score.value - self.scores[cell.others].value
            gap_low, gap_high = self._limit_gap(k, gap_tail)
        binary = self.pi.target.task is Task.BINARY
        return Subgroup(
            column=cell.column.name,
            level=cell.level,
            n_cases=score.n_cases,
            n_units=score.n_units,
            standing=self._stand(k, gap_low, gap_high),
            n_positive=int((self.pi.target.y[cell.mask] == 1).sum()) if binary else None,
            value=score.value if score.defined else None,
            low=low,
            high=high,
            shrunk=shrunk.get(k),
            naive=score.naive if score.defined else None,
            gap=gap,
            gap_low=gap_low,
            gap_high=gap_high,
            calibration=self._calibrate(cell),
        )

    def find_gaps(self) -> Iterator[LargestGap]:
        """Yield the largest difference between two judged subgroups of each column."""
        sign = self.metric.sign
        usable = [k for k in range(len(self.cells)) if self._find_mark(k) is None]
        for column in dict.fromkeys(cell.column for cell in self.cells):
            mine = [k for k in usable if self.cells[k].column is column]
            pairs = [(a, b) for a in mine for b in mine if a < b]
            if not pairs:
                continue
            moves = [self._score(a).moves - self._score(b).moves for a, b in pairs]
            tail = self._find_tail(moves, 3)
            limits = {k: self._limits(k).limit(tail) for k in mine}
            ends = []
            for a, b in pairs:
                together = self._correlate(self._score(a), self._score(b))
                first = (self._score(a).value, limits[a])
                second = (self._score(b).value, limits[b])
                low, high = limit_difference(first, second, together)
                ends += [(low, high), (-high, -low)]
            order = sorted(mine, key=lambda k: sign * self._score(k).value)
            worst, best = order[0], order[-1]
            yield LargestGap(
                column=column.name,
                best=self.cells[best].level,
                worst=self.cells[worst].level,
                value=abs(self._score(best).value - self._score(worst).value),
                low=max(0.0, max(low for low, _ in ends)),
                high=max(0.0, max(high for _, high in ends)),
            )

    def _score(self, k: int) -> MaskScore:
        return self.scores[self.cells[k].score]

    def _find_mark(self, k: int) -> SubgroupStanding | None:
        """Return why a subgroup has no limits; None where it has."""
        return self._mark(self._limits(k))

    @staticmethod
    def _mark(limits: ScoreLimits) -> SubgroupStanding | None:
        score = limits.score
        if not score.defined:
            return SubgroupStanding.UNDEFINED
        few = score.n_units < LEAST_UNITS or score.fewest < LEAST_OF_A_CLASS
        return SubgroupStanding.FEW if few or not limits.has_width else None

    def _is_compared(self, k: int) -> bool:
        has_others = self.cells[k].others is not None
        return has_others and self._mark(self._limit_others(k)) is None

    def _stand(self, k: int, low: float | None, high: float | None) -> SubgroupStanding:
        mark = self._find_mark(k)
        if mark is not None:
            return mark
        if low is None or high is None or low <= 0.0 <= high:
            return SubgroupStanding.NOT_SHOWN
        return (
            SubgroupStanding.BETTER
            if (low > 0.0) is self.metric.greater_is_better
            else SubgroupStanding.WORSE
        )

    def _limits(self, k: int) -> ScoreLimits:
        pool = self.pools[self.cells[k].column.name]
        return ScoreLimits(score=self._score(k), metric=self.metric, pool=pool)

    def _limit_others(self, k: int) -> ScoreLimits:
        others = self.cells[k].others
        assert others is not None
        return replace(self._limits(k), score=self.scores[others])

    def _limit_gap(self, k: int, tail: float) -> tuple[float, float]:
        """Return the limits of a subgroup's score less that of the other cases."""
        mine, others = self._limits(k), self._limit_others(k)
        return limit_difference(
            (mine.score.value, mine.limit(tail)),
            (others.score.value, others.limit(tail)),
            self._correlate(mine.score, others.score),
        )

    def _differ(self, k: int) -> Floats:
        others = self.cells[k].others
        assert others is not None
        return self._score(k).moves - self.scores[others].moves

    @staticmethod
    def _correlate(first: MaskScore, second: MaskScore) -> float:
        """Return the correlation of two scores, whose units may be the same."""
        size = float(np.sqrt(np.square(first.moves).sum() * np.square(second.moves).sum()))
        together = float(first.moves @ second.moves) / size if size > 0.0 else 0.0
        return max(together, 0.0) if abs(together) > 1e-12 else 0.0

    def _find_tail(self, moves: Sequence[Floats], stream: int) -> float:
        """Return the tail with which limits with these errors hold at once."""
        alpha = 1.0 - self.level
        if not moves:
            return alpha / 2.0
        random = self.selection.seeds.generator(Purpose.MULTIPLIERS, 4, stream)
        return find_tail(correlate(np.column_stack(moves)), alpha, random)

    def _shrink(self, usable: Sequence[int]) -> dict[int, float]:
        """Return the scores drawn to the mean of their column, by what chance explains.

        The variance between subgroups is what their scores vary more than their errors say
        (DerSimonian and Laird 1986).
        """
        shrunk: dict[int, float] = {}
        for column in dict.fromkeys(cell.column for cell in self.cells):
            mine = [k for k in usable if self.cells[k].column is column]
            if len(mine) < 2:
                shrunk |= {k: self._score(k).value for k in mine}
                continue
            values = np.array([self._score(k).value for k in mine])
            errors = np.array([max(self._error(k), 1e-12) for k in mine]) ** 2
            weights = 1.0 / errors
            mean = float(weights @ values / weights.sum())
            excess = float(weights @ np.square(values - mean)) - (len(mine) - 1)
            scale = float(weights.sum() - np.square(weights).sum() / weights.sum())
            between = max(excess / scale, 0.0) if scale > 0.0 else 0.0
            full = 1.0 / (errors + between)
            mean = float(full @ values / full.sum())
            pulled = mean + between / (between + errors) * (values - mean)
            shrunk |= {k: float(value) for k, value in zip(mine, pulled, strict=True)}
        return shrunk

    def _error(self, k: int) -> float:
        """Return half the width of 68 % limits: an error that few cases do not make 0."""
        low, high = self._limits(k).limit(0.16)
        return (high - low) / 2.0

    def _calibrate(self, cell: _Cell) -> SubgroupCalibration | None:
        """Judge the probabilities of the positive class, where there are enough cases."""
        pi = self.pi
        if pi.target.task is not Task.BINARY or no_calibration(pi) is not None:
            return None
        sizes = np.bincount(pi.target.y[cell.mask], minlength=2)
        if int(sizes.min()) < LEAST_POSITIVE:
            return None
        subset = pi.take(np.flatnonzero(cell.mask))
        judged = judge_part(subset, self.winner, level=self.level, n_parts=len(self.cells))
        limits = judged.intercept.interval
        return SubgroupCalibration(
            expected=judged.mean_predicted,
            observed=judged.observed,
            low=limits.low,
            high=limits.high,
            verdict=judged.verdict,
        )
