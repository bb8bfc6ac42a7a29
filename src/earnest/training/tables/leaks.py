"""Columns that may hold what is only known after the outcome: each one alone, before the search.

A column is cut into bins, and the mean outcome of the bins, without the fold of a case, predicts
it. So all columns are scored in seconds, in the folds of the search and in its metric. After the
search `find_suspects` compares them with the winner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.cautions import of_tables
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Task
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.leaks import LeakScreen, LeakSign, LeakSuspect
from earnest.inference.cases.no_information import no_information
from earnest.kernels.score import score_table
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric, Need
from earnest.resampling.bootstrap import CaseBootstrap, GroupBootstrap
from earnest.training.tables.kinds import ColumnKind
from earnest.training.tables.table import TrainingTable, sample_rows

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Pairs = Sequence[tuple[NDArray[np.integer], NDArray[np.integer]]]

MOST_ROWS, FEWEST_ROWS = 20_000, 500  # that are looked at
MOST_CELLS = 3_000_000  # about half a second
MOST_BINS = 32
PRIOR = 1.0  # cases with the mean outcome, which each bin has besides its own
FEWEST_CASES = 30

# A column alone is suspected if it separates the outcome so well: as an AUC, of numbers half of
# 1 + the squared rank correlation; 1 is perfect, .5 is chance;
STRONG = 0.9
# if it may give such a share of what the winner gains over a constant prediction,
OF_THE_WINNER = 0.9
DRAWS = 200  # by which the difference from the winner is judged,
ERRORS = 2.0  # as so many standard errors
# if the other columns together separate it much worse, in units of normal scores,
BEHIND = 0.75
MOST_OF_COLUMNS = 1 / 3  # and if it stands out: where many columns do the same, outcomes are easy
ROWS_OF_OTHERS = 4_000  # cases by which the others are judged
TREES = 60

# Whether there is a value, or one that is not zero, tells a class if the rows are nearly all of it,
PURE = 0.05
ODDS = 0.1  # of the rows of other classes that chance would give
BY_CHANCE = 1e-4  # the probability that any column does so by chance
COVERED = 0.25  # of the class: fewer cases hardly move a score
LOSS = 0.2  # without such columns the outcome must be separated worse, in normal scores
PERFECT = 0.99  # better separations are alike

# A column follows the order of rows if ranks agree so well among cases of the same outcome,
FOLLOWING = 0.9
DISTINCT = 0.5  # of the rows have a value of their own
LAYERS = 10  # of outcomes that are numbers
BY_ORDER = 0.65  # and the place of a row separates the outcome so well

SEPARATION = {
    Task.BINARY: "roc_auc",
    Task.MULTICLASS: "roc_auc_ovr",
    Task.REGRESSION: "spearman",
    Task.SURVIVAL: "concordance",
}


@dataclass(frozen=True, eq=False)
class ColumnScan:
    """What each column of a table tells alone.

    Attributes
    ----------
    table : TrainingTable
        The cases that were looked at.
    rows : ndarray of intp, shape (m,)
        Which cases of the search they are.
    fold : ndarray of int64, shape (m,)
        The folds that test them.
    responses : ndarray, shape (m, p) or (m, p, K)
        What each column alone predicts.
    separation : ndarray, shape (p,)
        How well it separates the outcome: 1 is perfect, .5 by chance.
    patterns : dict of int to (LeakSign, str)
        The columns in which a missing value, or a zero, tells a class, and which class.
    ordered : tuple of int
        The columns that follow the order of the rows, which itself predicts the outcome.
    """

    table: TrainingTable
    rows: NDArray[np.intp]
    fold: Codes
    responses: Floats
    separation: Floats
    patterns: dict[int, tuple[LeakSign, str]]
    ordered: tuple[int, ...]


def scan_columns(table: TrainingTable, folds: Pairs, rng: np.random.Generator) -> ColumnScan | None:
    """Return what each column alone tells of the outcome, in the folds of a search.

    Large tables are sampled, and free text is not looked at. None if the cases are too few to
    tell, or all in one fold.
    """
    spoken = table.drop_texts()
    if spoken is None:
        return None
    table = spoken
    fold = _encode_folds(folds, table.n_cases)
    most = max(FEWEST_ROWS, min(MOST_ROWS, MOST_CELLS // table.inputs.n_columns))
    tested = np.flatnonzero(fold >= 0)
    layers = None if table.layers is None else table.layers[tested]
    rows = tested[sample_rows(len(tested), most, rng, layers=layers)]
    sample, fold = table.take(rows), fold[rows]
    if len(rows) < FEWEST_CASES or len(np.unique(fold)) < 2:
        return None
    outcome = _encode_outcome(sample)
    means = [_predict_alone(_bin(values, len(rows)), fold, outcome) for values in sample.X.T]
    responses = np.stack(means, axis=1)  # (m, p, K)
    separation = _measure_separation(sample, fold, responses)
    return ColumnScan(
        table=sample,
        rows=rows,
        fold=fold,
        responses=responses,
        separation=separation,
        patterns=dict(_find_patterns(sample)),
        ordered=tuple(_find_ordered(sample, fold, outcome)),
    )


def _encode_folds(folds: Pairs, n: int) -> Codes:
    """Return the fold of each case in the first repeat, -1 where none tests it."""
    codes = np.full(n, -1, dtype=np.int64)
    for index, (_, test) in enumerate(folds):
        if (codes[test] >= 0).any():
            break
        codes[test] = index
    return codes


def _encode_outcome(table: TrainingTable) -> Floats:
    """Return what is averaged (n, K): classes as 0 and 1, numbers, or what hazards leave over."""
    if table.task is Task.REGRESSION:
        return table.y.astype(np.float64)[:, None]
    if table.task is Task.SURVIVAL:
        pair = cast(NDArray[np.void], table.y)
        event, time = pair["event"].astype(np.float64), pair["time"].astype(np.float64)
        return (event - _accumulate_hazard(event, time))[:, None]
    codes = table.y.astype(np.int64)
    shown = np.eye(len(table.classes))[codes]
    return shown[:, 1:] if len(table.classes) == 2 else shown


def _accumulate_hazard(event: Floats, time: Floats) -> Floats:
    """Return the estimate of Nelson and Aalen at the time of each case."""
    times, places = np.unique(time, return_inverse=True)
    deaths = np.bincount(places, weights=event, minlength=len(times))
    leaving = np.bincount(places, minlength=len(times))
    at_risk = len(time) - np.concatenate([[0], np.cumsum(leaving)[:-1]])
    hazard: Floats = np.cumsum(deaths / at_risk)
    return hazard[places]


def _bin(values: Floats, n: int) -> Codes:
    """Return the bins of a column: its levels where they are few, else equally many cases each."""
    codes = np.zeros(len(values), dtype=np.int64)
    present = ~np.isnan(values)
    ordered = np.sort(values[present])
    bins = int(np.clip(np.sqrt(n) / 1.5, 4, MOST_BINS))
    if len(ordered):
        edges = np.unique(ordered[np.linspace(0, len(ordered) - 1, bins + 1).astype(np.intp)[1:]])
        if len(edges) < bins:  # ties: there may be few levels
            levels = np.unique(ordered)
            edges = levels if len(levels) <= 2 * MOST_BINS else edges
        codes[present] = 1 + np.searchsorted(edges, values[present], side="left")
    return codes


def _predict_alone(codes: Codes, fold: Codes, outcome: Floats) -> Floats:
    """Return the mean outcome of the bin of each case, without the cases of its fold: (n, K)."""
    bins, folds = int(codes.max()) + 1, int(fold.max()) + 1
    cells = fold * bins + codes
    counts = np.bincount(cells, minlength=folds * bins).reshape(folds, bins)
    others = counts.sum(axis=0) - counts
    means = np.empty_like(outcome)
    for index, column in enumerate(outcome.T):
        sums = np.bincount(cells, weights=column, minlength=folds * bins).reshape(folds, bins)
        sums_of_others = sums.sum(axis=0) - sums
        overall = sums_of_others.sum(axis=1, keepdims=True) / others.sum(axis=1, keepdims=True)
        means[:, index] = ((sums_of_others + PRIOR * overall) / (others + PRIOR))[fold, codes]
    return means


def _make_predictions(
    table: TrainingTable, fold: Codes, responses: Floats, names: Sequence[str]
) -> Predictions:
    """Return what columns (n, p, K) predict alone, as the predictions of configurations."""
    kind = ResponseKind.PROBABILITY if table.classes else None
    y: ArrayLike | tuple[ArrayLike, ArrayLike] = table.y
    if table.task is Task.SURVIVAL:
        pair = cast(NDArray[np.void], table.y)
        y = (pair["time"], pair["event"])
    shaped = responses[:, :, 0] if responses.shape[2] == 1 else responses[:, :, None, :]
    return Predictions.from_arrays(
        y,
        shaped,
        fold,
        configs=Configs(ids=tuple(names)),
        groups=table.groups,
        task=table.task,
        positive=1 if table.task is Task.BINARY else None,
        response=kind,
    )


def _measure_separation(table: TrainingTable, fold: Codes, responses: Floats) -> Floats:
    """Return how well predictions (n, p, K) separate the outcome: 1 is perfect, .5 by chance."""
    names = [str(index) for index in range(responses.shape[1])]
    pi = _make_predictions(table, fold, responses, names)
    scores = score_table(pi, SEPARATION[table.task], Weights.ones(len(fold)))[0]
    if table.task is Task.REGRESSION:
        scores = 0.5 * (1.0 + np.clip(scores, 0, 1) ** 2)
    return np.nan_to_num(scores, nan=0.5)


def _find_patterns(table: TrainingTable) -> Iterator[tuple[int, tuple[LeakSign, str]]]:
    """Yield the columns in which a missing value or a zero tells a class, and which class."""
    if table.task is Task.REGRESSION:
        return
    layers = table.layers
    assert layers is not None
    labels = table.classes if table.classes else ("censored", "event")
    sizes = np.bincount(layers, minlength=len(labels))
    looks = 4 * table.inputs.n_columns  # both sides of both patterns
    for index, values in enumerate(table.X.T):
        is_missing = np.isnan(values)
        label = _find_told(is_missing, layers, sizes, looks)
        if label is not None:
            yield index, (LeakSign.MISSING, str(labels[label]))
            continue
        if table.inputs.levels[index] == 0 and len(np.unique(values[~is_missing])) > 2:
            label = _find_told((values == 0.0) | is_missing, layers, sizes, looks)
            if label is not None:
                yield index, (LeakSign.ZERO, str(labels[label]))


def _find_told(mark: NDArray[np.bool_], layers: Codes, sizes: Codes, looks: int) -> int | None:
    """Return the class that rows with a mark, or those without, nearly all have; else None."""
    n = len(layers)
    for side in (~mark, mark):
        count = int(side.sum())
        if not 0 < count < n:
            continue
        tally = np.bincount(layers[side], minlength=len(sizes))
        label = int(tally.argmax())
        share = sizes[label] / n
        errors = count - int(tally[label])
        impure = (errors + 1) / (count + 2)
        chance = looks * share ** int(tally[label])
        covers = tally[label] >= COVERED * sizes[label]
        if covers and impure <= min(PURE, ODDS * (1 - share)) and chance <= BY_CHANCE:
            return label
    return None


def _find_ordered(table: TrainingTable, fold: Codes, outcome: Floats) -> Iterator[int]:
    """Yield the columns that follow the order of rows, if that order predicts the outcome."""
    row_numbers = table.rows.astype(np.float64)
    alone = _predict_alone(_bin(row_numbers, len(row_numbers)), fold, outcome)[:, None, :]
    if _measure_separation(table, fold, alone)[0] < BY_ORDER:
        return
    layers = _make_layers(table)
    for index, values in enumerate(table.X.T):
        dated = table.schema.features[index].kind is ColumnKind.DATE  # which rows may follow
        if dated or table.inputs.levels[index] or np.isnan(values).any():
            continue
        if len(np.unique(values)) >= DISTINCT * len(values) and (
            abs(_correlate_within(values, row_numbers, layers)) >= FOLLOWING
        ):
            yield index


def _make_layers(table: TrainingTable) -> Codes:
    """Return classes, events, or tenths of the outcome."""
    if table.layers is not None:
        return table.layers
    ranks = np.argsort(np.argsort(table.y.astype(np.float64), kind="stable"), kind="stable")
    return ranks * LAYERS // len(ranks)


def _correlate_within(values: Floats, row_numbers: Floats, layers: Codes) -> float:
    """Return the rank correlation within layers, the mean over their cases."""
    total = 0.0
    for layer in np.unique(layers):
        rows = layers == layer
        if rows.sum() > 2:
            ranks = [np.argsort(np.argsort(each[rows])) for each in (values, row_numbers)]
            total += float(np.corrcoef(ranks[0], ranks[1])[0, 1]) * float(rows.sum())
    return total / len(values)


def find_suspects(
    scan: ColumnScan, pi: Predictions, winner: str, metric: str | Metric, seed: int
) -> LeakScreen:
    """Return the columns that may hold what is only known after the outcome.

    Parameters
    ----------
    scan : ColumnScan
        What each column tells alone.
    pi : Predictions
        Those of the search, of all its cases.
    winner : str
        The configuration to compare with.
    metric : str or Metric
        The metric of the search; concordance stands for one of survival at times.
    seed : int
        Of the resamples, and of the trees that judge the other columns.
    """
    measure = resolve_metric(metric).on(scan.table.task)
    if measure.needs is Need.SURVIVAL:  # a column alone has a risk, and no curve
        measure = resolve_metric(SEPARATION[Task.SURVIVAL])
    names = scan.table.inputs.names
    best = pi.select(winner).take(scan.rows)
    tested = np.logical_and.reduce([best.tested(r) for r in range(best.n_repeats)])
    best = best.take(np.flatnonzero(tested)).usable()
    alone = _make_predictions(
        scan.table.take(np.flatnonzero(tested)), scan.fold[tested], scan.responses[tested], names
    )
    scores = score_table(alone, measure, Weights.ones(alone.n_cases))[0]
    strong = np.flatnonzero(scan.separation >= STRONG).tolist()
    near = [index for index in strong if _is_near(best, alone, index, measure, seed)]
    suspects = [
        LeakSuspect(names[index], float(scores[index]), sign, label)
        for index, (sign, label) in _choose(scan, near, seed).items()
    ]
    gain = 1.0 if measure.greater_is_better else -1.0
    return LeakScreen(
        suspects=tuple(sorted(suspects, key=lambda suspect: -gain * suspect.score)),
        metric=measure.name,
        n_columns=len(names),
        winner=float(score_table(best, measure, Weights.ones(best.n_cases))[0, 0]),
    )


def _is_near(best: Predictions, alone: Predictions, index: int, metric: Metric, seed: int) -> bool:
    """Tell whether a column alone may give nearly all that the winner gains over a constant."""
    resampler = CaseBootstrap() if best.target.groups is None else GroupBootstrap()
    weights = resampler.draw(best.target, DRAWS, np.random.default_rng(seed), None)
    gain = 1.0 if metric.greater_is_better else -1.0
    column = alone.select(index)
    lead = gain * float(
        (score_table(best, metric, Weights.ones(best.n_cases))
         - score_table(column, metric, Weights.ones(best.n_cases)))[0, 0]
    )  # fmt: skip
    leads = score_table(best, metric, weights)[:, 0] - score_table(column, metric, weights)[:, 0]
    error = float(np.nanstd(leads))
    constant = no_information(best.target, metric)
    value = float(score_table(best, metric, Weights.ones(best.n_cases))[0, 0])
    learned = 0.0 if constant is None else max(0.0, gain * (value - constant))
    return lead - ERRORS * error <= (1.0 - OF_THE_WINNER) * learned


def _find_sign(scan: ColumnScan, index: int) -> LeakSign:
    """Return whether a column copies the outcome, or only predicts it as well as all together."""
    is_category = scan.table.inputs.levels[index] > 0
    return LeakSign.COPY if is_category and scan.separation[index] >= 0.999 else LeakSign.ALONE


def _choose(
    scan: ColumnScan, near: Sequence[int], seed: int
) -> dict[int, tuple[LeakSign, str | None]]:
    """Return the columns without which the others together do much worse, and why each."""
    marked = {*scan.patterns, *scan.ordered}
    n_columns = scan.table.inputs.n_columns
    others = [index for index in range(n_columns) if index not in marked.union(near)]
    if not others or not marked.union(near):
        return {}
    baseline = _normal(_measure_together(scan, others, seed))
    suspects: dict[int, tuple[LeakSign, str | None]] = {}
    stands_out = len(near) <= max(1.0, MOST_OF_COLUMNS * n_columns)
    if near and stands_out and _normal(scan.separation[near].max()) - baseline >= BEHIND:
        suspects |= {index: (_find_sign(scan, index), None) for index in near}
    if marked and _normal(_measure_together(scan, [*marked, *others], seed)) - baseline >= LOSS:
        suspects |= dict.fromkeys(scan.ordered, (LeakSign.ORDER, None))
        suspects |= scan.patterns
    return suspects


def _normal(separation: float) -> float:
    """Return the normal score of a separation; all that are nearly perfect have the same."""
    return NormalDist().inv_cdf(float(np.clip(separation, 0.5, PERFECT)))


def _measure_together(scan: ColumnScan, columns: list[int], seed: int) -> float:
    """Return how well trees separate the outcome by some columns together."""
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    rng = np.random.default_rng(seed)
    rows = sample_rows(len(scan.rows), ROWS_OF_OTHERS, rng, layers=scan.table.layers)
    table, fold = scan.table.take(rows), scan.fold[rows]
    outcome, X = _encode_outcome(table), table.X[:, columns]
    is_class = bool(table.classes)
    kind = ExtraTreesClassifier if is_class else ExtraTreesRegressor
    predicted = np.zeros((len(rows), 1, outcome.shape[1]))
    for test in _halve(fold):
        trees = kind(TREES, min_samples_leaf=3, random_state=seed % 2**32)
        if is_class:
            trees.fit(X[~test], table.y[~test])
            shares = np.zeros((int(test.sum()), len(table.classes)))
            shares[:, trees.classes_] = trees.predict_proba(X[test])
            predicted[test, 0] = shares[:, 1:] if len(table.classes) == 2 else shares
        else:
            trees.fit(X[~test], outcome[~test, 0])
            predicted[test, 0, 0] = trees.predict(X[test])
    return float(_measure_separation(table, fold, predicted)[0])


def _halve(fold: Codes) -> Iterator[NDArray[np.bool_]]:
    """Yield the cases of each of three sets of folds: fewer fits than folds."""
    for third in range(min(3, int(fold.max()) + 1)):
        yield fold % 3 == third


def score_of(pi: Predictions, config: str, metric: Metric) -> float:
    """Return the score of a configuration on all cases, not corrected."""
    best = pi.select(config).usable()
    return float(score_table(best, metric, Weights.ones(best.n_cases))[0, 0])


def warn_of_leaks(screen: LeakScreen | None) -> Iterator[Caution]:
    """Yield a caution if columns are suspected, and what others are worth that were asked for."""
    if screen is None:
        return
    suspects = tuple(
        (each.column, str(each.sign), each.score, each.label) for each in screen.suspects
    )
    same = {each.column for each in screen.suspects} == set(screen.without)
    without = screen.score_without
    if suspects:
        score = without if same else None
        yield of_tables.columns_know_outcome(suspects, screen.metric, screen.winner, score)
    if not same and without is not None and screen.winner is not None:
        yield of_tables.winner_without(screen.without, screen.metric, screen.winner, without)
