"""Cautions that follow from the evidence, whatever the method."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers, finite_range
from earnest.core.cautions import of_evidence, of_limits, of_search
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.selection import TIE, Selector
from earnest.core.data.target import Task
from earnest.core.results.cautions import Caution
from earnest.inference.limits.unseen_errors import is_loss_of_chances
from earnest.metrics.families import FitMetric, Metric, MomentMetric, Need, RankMetric, Squares
from earnest.metrics.ranking import is_auc
from earnest.metrics.responding import are_percentages, cut
from earnest.resampling.bootstrap import GroupBootstrap
from earnest.resampling.survey import SurveyBootstrap

FEW_OF_A_CLASS = 5  # cases of a class in a fold under which fold scores say little
FEW_GROUPS = 30  # under which a resampling of groups is coarse
MOST_OF_IT = 0.5  # of a sum of squares: who adds that decides it
FEW_THAT_DECIDE = 0.01  # of the cases, or one
CONFIDENT = 1.2  # the spread of log odds above which bounds of a log loss fail
CASES_FOR_CONFIDENCE = 400  # with which they hold
SUREST = 1e-6  # the distance from 0 and 1 at which probabilities are read
FEWEST_ROWS = 20  # under which folds tell nothing of groups
FEWEST_PAIRS = 5  # of cases that are together in every repeat
BY_CHANCE = 1e-4  # the probability under which folds are not taken for random ones
FEWEST_COPIED = 10  # cases that are in several folds, under which nothing is told
SHARE_COPIED = 0.2  # of the different cases
NEARLY_ALL = 0.9  # of the different cases have a prediction of their own
STEPS = 2_000  # of a scale: predictions on a coarser one coincide by chance
DECIMALS = 4  # to which predictions may be rounded; so do these
FEW_EVENTS = 20  # cases of a class with which a calibration is hardly known
FEW_FOR_AN_AUC = 10  # cases of a class with which 95 % limits of an AUC hold in 90 % or less


def evidence_remarks(pi: Predictions, metric: Metric, *, blocks: bool = False) -> Iterator[Caution]:
    """Yield what a reader must know of the predictions; `blocks` where blocks of time are drawn."""
    yield from pi.remarks
    yield from _incomplete(pi)
    yield from _classes_in_folds(pi)
    yield from _groups(pi)
    yield from rows_kept_together(pi)
    yield from _warn_of_copies(pi)
    if pi.target.ordered and not (blocks and pi.target.in_blocks):
        yield of_evidence.time_order()
    yield from _one_side(pi, metric)
    if isinstance(metric, RankMetric) and pi.kind is ResponseKind.LABEL:
        yield of_evidence.hard_labels(metric.title)


def _one_side(pi: Predictions, metric: Metric) -> Iterator[Caution]:
    """Yield a caution where the threshold gives every case the same label."""
    scores = pi.kind in (ResponseKind.PROBABILITY, ResponseKind.DECISION)
    if pi.target.task is not Task.BINARY or not scores or metric.needs is not Need.LABEL:
        return
    (low, high), at = finite_range(pi.responses), cut(pi)
    if low > at or high <= at:
        label = pi.target.classes[1 if low > at else 0]
        yield of_evidence.scores_on_one_side(
            above=low > at, threshold=float(at), label=str(label), percent=are_percentages(pi)
        )


def _incomplete(pi: Predictions) -> Iterator[Caution]:
    partial = ~pi.complete
    if partial.any():
        names = [name for name, bad in zip(pi.configs.ids, partial, strict=True) if bad]
        yield of_search.configurations_incomplete(tuple(names), pi.n_configs)
    tested = np.asarray(np.stack([pi.tested(r) for r in range(pi.n_repeats)]).any(axis=0))
    if not tested.all() and not _are_first(pi, tested):
        yield of_evidence.cases_untested(int((~tested).sum()), pi.n_cases)


def _are_first(pi: Predictions, tested: NDArray[np.bool_]) -> bool:
    """Tell whether untested cases are those before all others, on which windows only train."""
    order = pi.target.order
    return order is not None and bool(order[~tested].max() < order[tested].min())


def _classes_in_folds(pi: Predictions) -> Iterator[Caution]:
    if not pi.target.has_classes or pi.n_folds < 2 or pi.n_folds >= pi.n_cases:
        return
    fewest, where, even = _fewest_of_a_class(pi)
    if fewest < FEW_OF_A_CLASS:
        yield of_evidence.few_of_class_in_fold(fewest, *where, stratified=even > fewest)


def _fewest_of_a_class(pi: Predictions) -> tuple[int, tuple[str, str, int | None], int]:
    """Return the smallest count of a class in a fold, where, and what strata would make it."""
    fewest, even = pi.n_cases, 0
    where: tuple[str, str, int | None] = ("", "", None)
    for repeat in range(pi.n_repeats):
        folds = pi.folds[:, repeat]
        table = np.zeros((len(pi.fold_names[repeat]), len(pi.target.classes)), dtype=np.int64)
        used = folds >= 0
        np.add.at(table, (folds[used], pi.target.y[used]), 1)
        done = np.asarray(pi.cells[repeat].any(axis=1))
        table, whole = np.where(done[:, None], table, pi.n_cases), table
        fold, label = np.unravel_index(int(table.argmin()), table.shape)
        if table[fold, label] < fewest:
            fewest = int(table[fold, label])
            even = int(whole[:, label].sum()) // len(whole)
            name = pi.fold_names[repeat][int(fold)]
            again = repeat if pi.n_repeats > 1 else None
            where = (str(pi.target.classes[int(label)]), str(name), again)
    return fewest, where, even


def _groups(pi: Predictions) -> Iterator[Caution]:
    groups = pi.target.groups
    if groups is None:
        return
    count = len(np.unique(groups))
    split = max(_groups_split(groups, pi.folds[:, r]) for r in range(pi.n_repeats))
    if split and pi.n_folds > 1:
        yield of_evidence.groups_split(split, count)


def rows_kept_together(pi: Predictions) -> Iterator[Caution]:
    """Yield a caution where folds keep rows together as if they were groups, and none were given.

    Folds that were drawn at random put two neighbours into one fold about as often as any two
    cases of their class. Neighbours that are together far more often come in blocks; with repeats,
    so do cases that are together in all of them. Folds that are one run of rows each, all of a
    size, are what unshuffled folds are, and tell nothing.
    """
    if pi.target.groups is not None or pi.n_folds < 2 or pi.n_cases < FEWEST_ROWS:
        return
    codes = pi.target.y if pi.target.has_classes else np.zeros(pi.n_cases, dtype=np.intp)
    partitions = _different_partitions(pi)
    if partitions.shape[1] > 1:
        together = _together_in_all(partitions)
        if together is None:
            return
        yield of_evidence.rows_tested_together(together, pi.n_cases, partitions.shape[1])
    else:
        share = _neighbours_together(partitions[:, 0], np.asarray(codes))
        if share is None:
            return
        yield of_evidence.neighbours_tested_together(share)


def _warn_of_copies(pi: Predictions) -> Iterator[Caution]:
    """Yield a caution where cases of different folds look like copies of each other.

    Such cases have the same outcome and the same predictions of all configurations. Labels, shares
    of neighbours or trees, and rounded numbers coincide by chance, so they are no evidence: some
    configuration must have real numbers, nearly as many as there are different cases.
    """
    if pi.n_folds < 2 or pi.n_cases < FEWEST_ROWS:
        return
    folds, y = pi.folds[:, 0], np.asarray(pi.target.y)
    columns = pi.responses.reshape(pi.n_cases, -1).T
    codes = np.unique(y, return_inverse=True)[1].ravel()
    for column in columns:
        values = np.unique(column, return_inverse=True)[1].ravel()
        codes = np.unique(codes * (int(values.max()) + 1) + values, return_inverse=True)[1].ravel()
        different = int(codes.max()) + 1
        if pi.n_cases - different < FEWEST_COPIED:
            return
    cells = np.unique(np.stack([codes, folds], axis=1), axis=0)[:, 0]
    copied = int((np.bincount(cells, minlength=different) > 1).sum())
    if copied >= max(FEWEST_COPIED, SHARE_COPIED * different) and any(
        _is_real(column, different) for column in columns
    ):
        yield of_evidence.cases_repeated(pi.n_cases - different, pi.n_cases, pi.n_configs)


def _is_real(column: Numbers, different: int) -> bool:
    """Tell whether predictions are real numbers, nearly as many as there are different cases."""
    values = np.unique(column[np.isfinite(column)]).astype(np.float64)
    if len(values) < NEARLY_ALL * different:
        return False
    steps = np.concatenate([np.arange(1.0, STEPS + 1), [10.0**DECIMALS]])
    left = np.ones(len(steps), dtype=bool)  # scales on which all values may lie
    for value in values:
        left &= np.abs(value * steps - np.round(value * steps)) < 1e-6
        if not left.any():
            return True
    return False


def _different_partitions(pi: Predictions) -> NDArray[np.int64]:
    """Return the folds of the repeats that tested all cases, each partition once: (n, R)."""
    partitions: dict[bytes, NDArray[np.int64]] = {}
    for repeat in range(pi.n_repeats):
        folds = pi.folds[:, repeat]
        if (folds >= 0).all():
            _, first, codes = np.unique(folds, return_index=True, return_inverse=True)
            renamed = np.argsort(np.argsort(first))[codes].astype(np.int64)  # by first row
            partitions.setdefault(renamed.tobytes(), renamed)
    if not partitions:
        return np.zeros((pi.n_cases, 1), dtype=np.int64)
    return np.stack(list(partitions.values()), axis=1)


def _neighbours_together(folds: NDArray[np.int64], codes: Numbers) -> float | None:
    """Return the share of neighbours in one fold if it is beyond chance, else None.

    Neighbours are next to each other among the cases of their class, so that folds stratified
    by a count along the rows are as good as random ones.
    """
    same, pairs, expected, in_class = 0, 0, 0.0, True
    for code in np.unique(codes):
        mine = folds[codes == code]
        if len(mine) < 2:
            continue
        counts = np.unique(mine, return_counts=True)[1].astype(np.float64)
        together = int((np.diff(mine) == 0).sum())
        same, pairs = same + together, pairs + len(mine) - 1
        expected += float((counts * (counts - 1.0)).sum()) / len(mine)
        in_class &= _one_run_each(mine)
    if in_class or _one_run_each(folds) or pairs == 0 or expected <= 0.0:
        return None
    return same / pairs if _beyond_chance(same, pairs, min(expected / pairs, 1.0)) else None


def _one_run_each(folds: NDArray[np.int64]) -> bool:
    """Tell whether every fold is one run of rows, and all are of a size but for one row."""
    counts = np.unique(folds, return_counts=True)[1]
    return bool((np.diff(folds) != 0).sum() == len(counts) - 1 and np.ptp(counts) <= 1)


def _beyond_chance(count: int, trials: int, share: float) -> bool:
    from scipy.special import bdtrc

    return share < 1.0 and count > 0 and float(bdtrc(count - 1, trials, share)) < BY_CHANCE


def _together_in_all(partitions: NDArray[np.int64]) -> int | None:
    """Return how many cases share their fold with another in all repeats, None if by chance."""
    n = len(partitions)
    _, counts = np.unique(partitions, axis=0, return_counts=True)
    pairs = float((counts * (counts - 1)).sum()) / 2.0
    shares = [float((np.bincount(folds) / n) @ (np.bincount(folds) / n)) for folds in partitions.T]
    expected = n * (n - 1) / 2.0 * float(np.prod(shares))
    from scipy.special import pdtrc

    by_chance = pairs < FEWEST_PAIRS or float(pdtrc(pairs - 1.0, expected)) >= BY_CHANCE
    return None if by_chance else int(counts[counts > 1].sum())


def resampling_remarks(pi: Predictions, resampler: str | None) -> Iterator[Caution]:
    """Yield what a reader must know of how the cases were drawn, if they were."""
    groups = pi.target.groups
    if groups is None or resampler in (None, SurveyBootstrap.name):
        return
    count = len(np.unique(groups))
    if resampler != GroupBootstrap.name:
        yield of_evidence.groups_not_drawn(count)
        return
    if count < FEW_GROUPS:
        yield of_limits.few_groups_drawn(count)
    if pi.target.strata is not None and pi.target.measure is None:  # tasks of scores are weighted
        yield of_evidence.strata_unused()


def _groups_split(groups: NDArray[np.int64], folds: NDArray[np.int32]) -> int:
    used = folds >= 0
    pairs = np.unique(np.stack([groups[used], folds[used]]), axis=1)
    return int((np.unique(pairs[0], return_counts=True)[1] > 1).sum())


def warn_of_undefined_folds(folds: int, defined: int) -> Iterator[Caution]:
    """Yield a caution where folds have no defined score."""
    if defined < folds:
        yield of_evidence.folds_undefined(folds - defined, folds)


def one_repeat_at_a_time(pi: Predictions) -> Iterator[Caution]:
    """Yield a note that repeats do not narrow an interval that resamples folds."""
    if pi.n_repeats > 1:
        yield of_evidence.one_repeat_at_a_time(pi.n_repeats)


def unlike_scales(
    pi: Predictions, metric: Metric, selector: Selector, final: int
) -> Iterator[Caution]:
    """Yield a caution where pooled ranks mix folds whose scores differ in level.

    Measured by the share of a winner's score variance that lies between folds, within classes,
    beyond what folds of that size show by chance (an F test at the 0.1 % level).
    """
    if not isinstance(metric, RankMetric) or selector.by_fold or pi.n_folds < 2:
        return
    if not pi.target.has_classes or pi.target.task is not Task.BINARY:
        return
    from scipy.special import fdtri

    statistic, numerator, denominator = _between_folds(pi, final)
    if denominator < 1 or statistic <= float(fdtri(numerator, denominator, 0.999)):
        return
    yield of_evidence.unlike_scales(metric.title)


def warn_of_few_events(pi: Predictions, metric: Metric) -> Iterator[Caution]:
    """Yield a caution where a class has few cases for the limits of a calibration."""
    if not isinstance(metric, FitMetric) or not pi.target.has_classes:
        return
    counts = np.bincount(pi.target.y, minlength=len(pi.target.classes))
    fewest = int(counts.argmin())
    if counts[fewest] < FEW_EVENTS:
        yield of_limits.few_events(int(counts[fewest]), str(pi.target.classes[fewest]), FEW_EVENTS)


def _between_folds(pi: Predictions, config: int) -> tuple[float, int, int]:
    """Return the F statistic of folds within classes, repeat 0, with its degrees of freedom."""
    used = pi.tested(0)
    score = np.asarray(pi.responses[used, config, 0], dtype=np.float64)
    largest = float(np.abs(score).max(initial=0.0))
    score = score / largest if largest else score  # squares of any scale stay finite
    fold, label = pi.folds[used, 0], pi.target.y[used]
    residual = score - _means(score, label)
    fitted = _means(residual, fold)
    between = float((fitted**2).sum())
    within = float(((residual - fitted) ** 2).sum())
    numerator = len(np.unique(fold)) - 1
    denominator = len(score) - numerator - len(pi.target.classes)
    rounding = 1e-20 * float(((score - score.mean()) ** 2).sum())
    if numerator < 1 or denominator < 1 or between <= rounding:
        return 0.0, max(numerator, 1), 0
    if within <= rounding:
        return np.inf, numerator, denominator
    return (between / numerator) / (within / denominator), numerator, denominator


def _means(values: NDArray[np.float64], codes: Numbers) -> NDArray[np.float64]:
    sums = np.bincount(codes, weights=values)
    return np.asarray((sums / np.maximum(1, np.bincount(codes)))[codes])


def ties_at_the_top(
    pi: Predictions, metric: Metric, scores: NDArray[np.float64], best: int
) -> Iterator[Caution]:
    """Yield a note where other configurations score as well as the winner."""
    near = TIE * max(float(metric.has_unit), abs(float(scores[best])))
    tied = int((np.abs(scores - scores[best]) <= near).sum()) - 1
    if tied > 0:
        yield of_search.ties(tied, pi.configs.ids[best])


def not_corrected(configs: int) -> Iterator[Caution]:
    """Yield a caution that a winner is treated as if nothing had been selected."""
    yield of_search.not_corrected(configs)


def part_only(used: int, total: int) -> Iterator[Caution]:
    """Yield a note where some cases only select."""
    if used < total:
        yield of_evidence.cases_only_select(used, total)


def few_groups_in_variance(groups: Numbers | None) -> Iterator[Caution]:
    """Yield a caution if a variance comes from few groups."""
    count = FEW_GROUPS if groups is None else len(np.unique(groups))
    if count < FEW_GROUPS:
        yield of_limits.few_groups_in_variance(count)


def few_for_an_auc(pi: Predictions, metric: Metric) -> Iterator[Caution]:
    """Yield a caution if a class has too few cases for the usual limits of an AUC."""
    if not is_auc(metric, pi.target):
        return
    counts = np.bincount(pi.target.y, minlength=2)
    fewest = int(counts.min())
    if fewest <= FEW_FOR_AN_AUC:
        yield of_limits.few_for_an_auc(fewest, str(pi.target.classes[int(counts.argmin())]))


def warn_of_groups(pi: Predictions, method: str) -> Iterator[Caution]:
    """Yield a caution where a formula for independent cases meets groups."""
    if pi.target.groups is not None:
        yield of_evidence.groups_in_formula(method, len(np.unique(pi.target.groups)))


def warn_of_turning(name: str, turned: bool) -> Iterator[Caution]:
    """Yield a caution where the direction of an AUC was guessed from the data."""
    if turned:
        yield of_evidence.scores_reversed(name)


def few_decide(pi: Predictions, metric: Metric, config: int) -> Iterator[Caution]:
    """Yield a caution if a few cases contribute most of a metric's sum of squares.

    The squares are those of the winner's errors, and for shares of variance also those of the
    outcome around its mean.
    """
    squares = metric.squares if isinstance(metric, MomentMetric) else ()
    if not squares or pi.target.task is not Task.REGRESSION:
        return
    y = np.asarray(pi.target.y, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        errors = np.asarray(pi.responses[:, config], dtype=np.float64) - y[:, None]
        times = np.maximum(np.isfinite(errors).sum(axis=1), 1)  # a case may be tested in no repeat
        sizes = {
            Squares.ERRORS: np.nansum(errors**2, axis=1) / times,
            Squares.OUTCOME: (y - np.median(y)) ** 2,
        }
    counts = {kind: _most_of(sizes[kind]) for kind in squares}
    few = {kind: n for kind, n in counts.items() if n and n <= max(1, FEW_THAT_DECIDE * pi.n_cases)}
    if few and pi.n_cases >= FEW_OF_A_CLASS:
        kind, count = min(few.items(), key=lambda item: item[1])
        share, errors_decide = _share(sizes[kind], count), kind is Squares.ERRORS
        yield of_evidence.few_cases_decide(
            count, pi.n_cases, share, of_errors=errors_decide, metric=metric.title
        )


def confident_winner(pi: Predictions, metric: Metric, config: int) -> Iterator[Caution]:
    """Yield a caution where the winner's confidence makes bounds of a log loss too good.

    That is any mean loss of probabilities to which one error can add without limit. The luck of
    confident models with the cases that trained them is in every resample of their predictions. It
    was measured on searches that were cross-validated.
    """
    unlimited = is_loss_of_chances(metric) and np.isinf(metric.limits[1])
    if not unlimited or min(pi.n_folds, pi.n_configs) < 2:
        return
    spread = spread_of_log_odds(pi, config)
    if pi.n_cases < CASES_FOR_CONFIDENCE and spread > CONFIDENT:
        yield of_limits.winner_confident(pi.n_cases, spread, CONFIDENT, metric.title)


def spread_of_log_odds(pi: Predictions, config: int) -> float:
    """Return how much the log odds of the true class vary over cases, their standard deviation.

    Of several repeats the mean is taken.
    """
    chances, codes = np.asarray(pi.responses[:, config], dtype=np.float64), pi.target.y
    if chances.ndim == 2:  # (n, R), of the class with the code 1
        chances = np.where(codes[:, None] == 1, chances, 1.0 - chances)
    else:
        chances = chances[np.arange(len(codes)), :, codes]
    chances = np.clip(chances, SUREST, 1.0 - SUREST)
    odds = np.log(chances) - np.log1p(-chances)
    odds = odds[np.isfinite(odds).any(axis=1)]  # a case may be tested in no repeat
    return float(np.nanmean(odds, axis=1).std()) if len(odds) else 0.0


def _most_of(squares: NDArray[np.float64]) -> int:
    """Return how few cases add most of a sum of squares; 0 where it is 0 or not finite."""
    ranked = np.sort(squares[np.isfinite(squares)])[::-1]
    total = float(ranked.sum())
    if not np.isfinite(total) or total <= 0.0:
        return 0
    return int(np.searchsorted(np.cumsum(ranked), MOST_OF_IT * total) + 1)


def _share(squares: NDArray[np.float64], count: int) -> float:
    ranked = np.sort(squares[np.isfinite(squares)])[::-1]
    return float(ranked[:count].sum() / ranked.sum())
