"""Repeat searches with real learners, and hold every interval for the winner against the truth.

python -m benchmarks.calibration.real.run [--data FOLDER] [--processes 2] [--minutes 7]

Blocks of all cells are run in random order until the time is over. What comes out of a replication
depends on nothing but its number and that of its cell. Populations of real tables need a folder
with their Parquet files; their cells are left out without it.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

import earnest as en
from benchmarks.blocks import run_blocks
from benchmarks.calibration.real.grid import HERE, Cell, read
from benchmarks.calibration.real.learners import Search
from benchmarks.calibration.real.populations import IN_A_GROUP, SEED, Population, population
from benchmarks.calibration.run import ALWAYS_BONFERRONI, LEVEL
from benchmarks.rows import write_rows
from earnest.core.results.interval import (
    AreaLimits,
    FewUnitsLimits,
    MovedLimits,
    NearWinnerLimits,
    OverlapLimits,
    ShareLimits,
)
from earnest.metrics import metric as resolve_metric

RESULTS = HERE / "results.csv"
BLOCK = 5
OFTEN = 20  # blocks after which the file is written
RESAMPLES = 500
THRESHOLD = 0.5
METHODS: dict[str, en.Method | str] = {
    "default": en.methods.BBC(n_resamples=RESAMPLES),
    "bbc": en.methods.BBC(n_resamples=RESAMPLES, limits="drawn"),
    "bbc_fold": "bbc_fold",
    "mabt": "mabt",
    "delong_10p": "delong_10p",
    "near_winner": en.methods.NearWinner(n_resamples=RESAMPLES),
}
TRUTH_CASES = 5_000, 20_000  # new cases that tell the truth: 50 for each case, within these
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """The sums over the replications of a cell, for one metric and one method.

    Attributes
    ----------
    replications : int
        On how many samples the method gave an interval: split methods need both classes twice.
    held, slack, two, width
        One-sided bounds that hold, the distances from the truth to them, two-sided intervals that
        hold, their widths. The truth is the mean score of the fold models of the configuration
        that this method names, on new cases of the population.
    refit_held, refit_two
        The same, were they asked for the model that is trained on all cases.
    error, refit_error
        By how much the value is too good for either truth.
    seconds : float
        What the method took, of processor time.
    luck : str
        For 'naive', run by run, by how much the winner's score was too good.
    """

    cell: int
    metric: str
    method: str
    replications: int
    held: int
    slack: float
    two: int
    width: float
    refit_held: int
    refit_two: int
    error: float
    refit_error: float
    seconds: float
    luck: str = ""

    def plus(self, other: Row) -> Row:
        """Return the sums over the replications of both."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in SUMMED}
        return replace(self, **sums, luck=f"{other.luck} {self.luck}".strip())


SUMMED = tuple(f.name for f in fields(Row) if f.type in ("int", "float") and f.name != "cell")


@dataclass(frozen=True)
class Judged:
    """What one method did on one sample."""

    held: bool
    slack: float
    two: bool
    width: float
    refit_held: bool
    refit_two: bool
    error: float
    refit_error: float
    seconds: float


@dataclass(frozen=True)
class Truth:
    """The score of the fold models of a configuration, and of the refitted one."""

    of_folds: float
    of_refit: float


def draw_folds(
    y: Floats, groups: NDArray[np.intp] | None, cell: Cell, classified: bool, seed: int
) -> NDArray[np.intp]:
    """Return folds (n, R): of whole groups, or in turn within classes, or at random."""
    rng, made = np.random.default_rng([SEED, cell.number, seed, 1]), []
    for _ in range(cell.repeats):
        if groups is not None:
            of_group = rng.permutation(groups.max() + 1) % cell.folds
            made.append(of_group[groups])
            continue
        order = rng.permutation(len(y))
        if classified:
            order = order[np.argsort(y[order], kind="stable")]
        fold = np.empty(len(y), dtype=np.intp)
        fold[order] = np.arange(len(y)) % cell.folds
        made.append(fold)
    return np.stack(made, axis=1)


class Sample:
    """One search on one sample, and the truth of its configurations when asked for."""

    def __init__(self, cell: Cell, source: Population, number: int) -> None:
        rng = np.random.default_rng([SEED, cell.number, number])
        rows = source.draw(cell.n, rng)
        groups = np.arange(cell.n) // IN_A_GROUP if source.grouped else None
        y = source.y[rows]
        fold = draw_folds(y, groups, cell, source.is_classified, number)
        self.search = Search(source.X[rows], y, fold, source.is_classified)
        kind = "probability" if source.is_classified else "value"
        said = self.search.out_of_sample()
        target = y.astype(int) if source.is_classified else y
        self.predictions = en.Predictions.from_arrays(
            target, said, fold, groups=groups, response=kind
        )
        least, most = TRUTH_CASES
        new = source.fresh(min(max(50 * cell.n, least), most), rng)
        self.new, self.new_y = source.X[new], source.y[new]
        self.said: dict[int, Floats] = {}
        self.known: dict[tuple[int, str], Truth] = {}

    def truth(self, config: int, metric: str) -> Truth:
        """Return the true scores of a configuration: the mean over fold models, and the refit's."""
        if config not in self.said:
            self.said[config] = self.search.of_new(config, self.new)  # (F + 1, N)
        if (config, metric) not in self.known:
            self.known[config, metric] = true_scores(self.new_y, self.said[config], metric)
        return self.known[config, metric]


def true_scores(y: Floats, said: Floats, metric: str) -> Truth:
    """Return the mean score of fold models and that of the last one, the refitted, from (F + 1, N).

    F1 is that of the fold models together, for it is no mean over cases. The tests hold these
    scores to those of the metrics.
    """
    if metric == "roc_auc":
        ranks = rankdata(said, axis=1)
        positives, negatives = y.sum(), (1 - y).sum()
        scores = (ranks @ y - positives * (positives + 1) / 2) / (positives * negatives)
    elif metric == "log_loss":
        scores = -(y * np.log(said) + (1 - y) * np.log1p(-said)).mean(axis=1)
    elif metric == "brier":
        scores = np.square(said - y).mean(axis=1)
    elif metric == "mae":
        scores = np.abs(said - y).mean(axis=1)
    elif metric == "r2":
        scores = 1 - np.square(said - y).mean(axis=1) / y.var()
    elif metric == "accuracy":
        scores = ((said > THRESHOLD) == y).mean(axis=1)
    else:
        hits = (said > THRESHOLD)[:, y == 1].mean(axis=1)
        alarms = (said > THRESHOLD)[:, y == 0].mean(axis=1)
        if metric == "balanced_accuracy":
            scores = (hits + 1 - alarms) / 2
        else:
            both = np.array([[hits[:-1].mean(), alarms[:-1].mean()], [hits[-1], alarms[-1]]])
            good, called = y.mean() * both[:, 0], y.mean() + (1 - y.mean()) * both[:, 1]
            return Truth(*(2 * good / (called + good)).tolist())
    return Truth(float(scores[:-1].mean()), float(scores[-1]))


def replicate(
    cell: Cell, source: Population, number: int, methods: Sequence[str] = tuple(METHODS)
) -> dict[tuple[str, str], Judged]:
    """Return what every method did for every metric on one sample, by (metric, method)."""
    sample = Sample(cell, source, number)
    every: dict[tuple[str, str], Judged] = {}
    for metric in cell.metrics:
        for method in methods:
            start = process_time()
            try:
                made = en.estimate(
                    sample.predictions, method=METHODS[method], metric=metric, rng=number
                )
            except en.errors.EarnestError:  # not for this metric, these groups, or so few cases
                continue
            seconds = process_time() - start
            every[metric, method] = judge(sample, made, seconds)
            law = law_of(made)
            if law is not None:
                wide = with_law(made, replace(law, errors=ALWAYS_BONFERRONI))
                every[metric, "bonferroni"] = judge(sample, wide, seconds)
                if (other := without_term(made)) is not None:
                    every[metric, "independent"] = judge(sample, other, seconds)
            if method == "bbc":
                every[metric, "naive"] = _luck(sample, made)
    return every


def without_term(made: en.results.Estimate) -> en.results.Estimate | None:
    """Return an estimate of `near_winner` as if cases had not trained each other's models.

    None where its law has no term for that: that of a loss.
    """
    source = law_of(made)
    assert source is not None
    few = source.inner if isinstance(source.inner, FewUnitsLimits) else None
    law = source.inner if few is None else few.inner
    if not isinstance(law, AreaLimits | ShareLimits | OverlapLimits) or law.crossed is None:
        return None
    law = replace(law, crossed=None)
    inner = law if few is None else replace(few, inner=law)
    return with_law(made, replace(source, inner=inner))


def law_of(made: en.results.Estimate) -> NearWinnerLimits | None:
    """Return the law that limits come from, before they are moved; None if they have none."""
    source = made.source.inner if isinstance(made.source, MovedLimits) else made.source
    return source if isinstance(source, NearWinnerLimits) else None


def with_law(made: en.results.Estimate, law: NearWinnerLimits) -> en.results.Estimate:
    """Return an estimate with another law, moved as before."""
    moved = isinstance(made.source, MovedLimits)
    return replace(made, source=replace(made.source, inner=law) if moved else law)


def judge(sample: Sample, made: en.results.Estimate, seconds: float) -> Judged:
    """Hold an estimate against the truth of the configuration that it names."""
    config = sample.predictions.configs.ids.index(str(made.winner))
    truth = sample.truth(config, made.metric)
    gain = resolve_metric(made.metric).greater_is_better
    one = made.at(confidence_level=LEVEL, side="lower" if gain else "upper").interval
    both = made.at(confidence_level=LEVEL, side="two-sided").interval
    assert one is not None
    assert both is not None
    sign, bound = (1.0, one.low) if gain else (-1.0, one.high)
    return Judged(
        sign * (truth.of_folds - bound) >= 0,
        sign * (truth.of_folds - bound),
        both.low <= truth.of_folds <= both.high,
        both.high - both.low,
        sign * (truth.of_refit - bound) >= 0,
        both.low <= truth.of_refit <= both.high,
        sign * (made.value - truth.of_folds),
        sign * (made.value - truth.of_refit),
        seconds,
    )


def _luck(sample: Sample, made: en.results.Estimate) -> Judged:
    """Return the naive score held against the truth: no interval, only its luck."""
    assert made.naive is not None
    config = sample.predictions.configs.ids.index(str(made.winner))
    truth = sample.truth(config, made.metric)
    sign = 1.0 if resolve_metric(made.metric).greater_is_better else -1.0
    luck = sign * (made.naive - truth.of_folds)
    against_refit = sign * (made.naive - truth.of_refit)
    none = float("nan")
    return Judged(False, none, False, none, False, False, luck, against_refit, 0.0)


def simulate(
    cell: Cell,
    source: Population,
    first: int,
    count: int = BLOCK,
    methods: Sequence[str] = tuple(METHODS),
) -> list[Row]:
    """Return a block of replications of a cell."""
    found: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for number in range(first, first + count):
        for key, one in replicate(cell, source, number, methods).items():
            found[key].append(one)
    return [_row(cell, *key, rows) for key, rows in found.items()]


def _row(cell: Cell, metric: str, method: str, rows: list[Judged]) -> Row:
    naive = method == "naive"

    def total(name: str) -> float:
        return 0.0 if naive and name in ("slack", "width") else _sum(rows, name)

    return Row(
        cell.number,
        metric,
        method,
        len(rows),
        int(total("held")),
        total("slack"),
        int(total("two")),
        total("width"),
        int(total("refit_held")),
        int(total("refit_two")),
        total("error"),
        total("refit_error"),
        total("seconds"),
        " ".join(f"{row.error:.4g}" for row in rows) if naive else "",
    )


def _sum(rows: list[Judged], name: str) -> float:
    return round(float(sum(getattr(row, name) for row in rows)), 5)


def run(
    cells: list[Cell],
    replications: int,
    path: Path,
    folder: Path | None = None,
    minutes: float = np.inf,
    processes: int = 1,
    methods: Sequence[str] = tuple(METHODS),
) -> None:
    """Run blocks of all cells in random order until the time is over, and sum them by cell."""
    tasks = [
        (cell, folder, first, methods)
        for cell in cells
        for first in range(0, replications, BLOCK)
        if find_population(cell, folder) is not None
    ]
    sums: dict[tuple[int, str, str], Row] = {}
    blocks = run_blocks(simulate_block, tasks, processes=processes, minutes=minutes, seed=SEED)
    for number, (_, rows) in enumerate(blocks, 1):
        for row in rows:
            key = row.cell, row.metric, row.method
            sums[key] = row.plus(sums[key]) if key in sums else row
        if number % OFTEN == 0:
            write_rows([sums[key] for key in sorted(sums)], path)
    write_rows([sums[key] for key in sorted(sums)], path)


def find_population(cell: Cell, folder: Path | None) -> Population | None:
    """Return the population of a cell, and say so where its table is missing."""
    source = population(cell.population, folder)
    if source is None:
        print(f"{cell.population}.parquet is missing: give its folder with --data.")
    return source


def simulate_block(
    cell: Cell, folder: Path | None, first: int, methods: Sequence[str]
) -> list[Row]:
    """Return a block of replications of a cell whose population is there."""
    source = population(cell.population, folder)
    assert source is not None
    return simulate(cell, source, first, methods=methods)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with spambase.parquet and the like")
    parser.add_argument("--population", action="append", help="only this one; repeat for more")
    parser.add_argument("--method", action="append", help="only this one; repeat for more")
    parser.add_argument("--replications", type=int, default=400)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=7.0, help="when no block begins any more")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    chosen = [c for c in read() if c.population in (asked.population or [c.population])]
    run(
        chosen,
        asked.replications,
        asked.out,
        asked.data,
        asked.minutes,
        asked.processes,
        asked.method or tuple(METHODS),
    )


if __name__ == "__main__":
    main()
