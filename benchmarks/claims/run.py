"""Hold three kinds of claims to their level, with learners that are really trained.

python -m benchmarks.claims.run --out FOLDER [--processes 16] [--minutes 7] [--share 1.0]
[--first 44]

- `worse.csv`: how often `compare_many` calls any equally good one worse than the best. If learners
  are compared, all of a cell are equally good; if the models of these folds are, their scores on
  new cases tell. The rules are the tests, and 'crossed': the test of these models with the term of
  `near_winner` for cases that trained each other.
- `chance.csv`: how often the interval of a search of noise lies beyond chance, on either side.
- `training.csv`: how often the interval of a search holds the mean score of the winner's fold
  models, and the mean over fresh training sets of as many cases.

Every run has its own seed, (SEED, cell, run). Tasks are blocks of runs, in random order: a run that
is cut short has fewer runs in all cells, and the files say how many.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import norm

import earnest as en
from benchmarks.blocks import run_blocks
from benchmarks.calibration.real.grid import Cell as Design
from benchmarks.calibration.real.learners import Search, families
from benchmarks.calibration.real.populations import SIZE, Population, population
from benchmarks.calibration.real.run import draw_folds, true_scores
from benchmarks.claims.grid import BLOCK, HERE, KINDS, SEED, Cell, read
from benchmarks.rows import write_rows
from earnest.core.results.comparison import Comparison
from earnest.core.results.interval import binormal_variance
from earnest.core.results.specs import AgainstChance

LEVEL = 0.05
LEARNERS = 10
COLUMNS = 8  # of each learner
NEW = 4_000  # cases that tell the truth
TRAININGS = 60  # fresh training sets behind a mean over training sets
RESAMPLES = 500
OFTEN = 20  # blocks after which the files are written
RULES = {"logistic": (7, 2), "neighbours": (5, 2), "tree": (6, 2)}  # family, setting
COMPARED = ("accuracy", "roc_auc", "log_loss")
OF_CLASSES = ("accuracy", "balanced_accuracy", "roc_auc", "f1", "mcc", "log_loss", "brier")
OF_NUMBERS = ("r2", "mae")
SEARCHED = {True: ("accuracy", "roc_auc", "f1", "log_loss"), False: ("r2", "mae")}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Worse:
    """Runs in which an equal was called worse: as a learner, as models; a single pair; power.

    `shown` is the share of the truly worse learners that are called worse, summed over runs.
    """

    cell: int
    metric: str
    rule: str
    runs: int
    learners: int
    models: int
    pair: int
    shown: float


@dataclass(frozen=True)
class Chance:
    """Runs in which the two-sided interval, or the one-sided bound, lies beyond chance."""

    cell: int
    metric: str
    runs: int
    better: int
    worse: int
    better_by_bound: int


@dataclass(frozen=True)
class Training:
    """Runs in which the interval holds either truth of the winner, and by how much it is off."""

    cell: int
    metric: str
    runs: int
    held_models: int
    held_learner: int
    bound_models: int
    bound_learner: int


def as_design(cell: Cell) -> Design:
    """Return the cell as the older simulation has it, for its folds."""
    return Design(10_000 + cell.number, cell.source, cell.n, cell.folds, cell.repeats)


def draw_noise(
    cell: Cell, rng: np.random.Generator
) -> tuple[Floats, Floats, NDArray[np.intp] | None]:
    """Return features and outcomes that have nothing to do with each other, and groups."""
    units = cell.n // cell.group
    while True:
        y = (
            rng.integers(0, 2, units).astype(np.float64)
            if cell.source == "classes"
            else rng.standard_normal(units)
        )
        if cell.source != "classes" or min(y.sum(), (1 - y).sum()) >= units // 5:
            break
    X = rng.standard_normal((cell.n, 10))
    if cell.group == 1:
        return X, y, None
    shared = rng.standard_normal((units, 10))
    groups = np.repeat(np.arange(units), cell.group)
    return (X + shared[groups]) / math.sqrt(2.0), y[groups], groups


def train_on_both(y: Floats, fold: NDArray[np.intp]) -> bool:
    """Tell whether all models are trained on both classes, which few groups may miss."""
    parts = (column != number for column in fold.T for number in np.unique(column))
    return all(len(np.unique(y[part])) == 2 for part in parts)


def search_noise(cell: Cell, run: int) -> en.Predictions:
    """Return the predictions of forty configurations on noise."""
    rng = np.random.default_rng([SEED, cell.number, run])
    classified = cell.source == "classes"
    while True:
        X, y, groups = draw_noise(cell, rng)
        fold = draw_folds(y, groups, as_design(cell), classified, run)
        if not classified or train_on_both(y, fold):
            break
    said = Search(X, y, fold, classified).out_of_sample()
    target = y.astype(int) if classified else y
    kind = "probability" if classified else "value"
    return en.Predictions.from_arrays(target, said, fold, groups=groups, response=kind)


class Equals:
    """Ten learners of one rule, each on columns of its own; `skill` is what they are worth."""

    def __init__(self, cell: Cell, run: int) -> None:
        rng = np.random.default_rng([SEED, cell.number, run])
        self.cell = cell
        signal = np.full(LEARNERS, cell.signal)
        if cell.kind == "gap":
            signal[LEARNERS // 2 :] *= 0.5
        self.skill = signal
        self.X, self.y = self._draw(cell.n, rng)
        self.new, self.new_y = self._draw(NEW, rng)
        self.fold = draw_folds(self.y, None, as_design(cell), True, run)
        folds = np.arange(cell.folds)
        self.parts = (self.fold.T[:, None, :] != folds[:, None]).reshape(-1, cell.n)

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        while True:
            y = rng.integers(0, 2, n).astype(np.float64)
            if min(y.sum(), n - y.sum()) >= n // 5:
                break
        shift = np.repeat(self.skill, COLUMNS) / math.sqrt(COLUMNS)
        X = rng.standard_normal((n, LEARNERS * COLUMNS)) + (y[:, None] - 0.5) * shift
        return X, y

    def _say(self, learner: int, new: Floats) -> Floats:
        family, setting = RULES[self.cell.source]
        columns = slice(learner * COLUMNS, (learner + 1) * COLUMNS)
        rule = families(classified=True)[family]
        which = slice(setting, setting + 1)
        said = rule.predict(self.X[:, columns], self.y, self.parts, new[:, columns], which)
        return np.clip(said[:, :, 0], 0.001, 0.999)  # (F, N)

    def predictions(self) -> en.Predictions:
        """Return the out-of-sample predictions of all learners."""
        cases, count = np.arange(self.cell.n), self.cell.folds
        table = np.empty((self.cell.n, LEARNERS, self.cell.repeats))
        for learner in range(LEARNERS):
            said = self._say(learner, self.X)
            for repeat in range(self.cell.repeats):
                table[:, learner, repeat] = said[repeat * count + self.fold[:, repeat], cases]
        return en.Predictions.from_arrays(
            self.y.astype(int), table, self.fold, response="probability"
        )

    def truths(self) -> dict[str, Floats]:
        """Return the mean score of the fold models of every learner, by metric."""
        every: dict[str, list[float]] = {metric: [] for metric in COMPARED}
        for learner in range(LEARNERS):
            said = self._say(learner, self.new)
            said = np.vstack([said, said[:1]])  # the last one stands for a refitted model
            for metric, scores in every.items():
                scores.append(true_scores(self.new_y, said, metric).of_folds)
        return {metric: np.array(scores) for metric, scores in every.items()}


def crossing(pi: en.Predictions, metric: str, value: float) -> float:
    """Return by what `near_winner` multiplies the variance of a score: cases trained each other."""
    z = float(norm.ppf(min(max(value, 0.5), 0.999)))
    about = z / math.sqrt(2.0) if metric == "roc_auc" else z
    lam = (math.sqrt(1.0 + about**2 / 4) - about / 2) ** 2
    term = lam * float(norm.pdf(z)) ** 2 / pi.n_cases
    if metric == "accuracy":
        return 1.0 + term * pi.n_cases / max(value * (1.0 - value), 1e-3)
    m, k = float(pi.target.y.sum()), float((1 - pi.target.y).sum())
    return 1.0 + 2.0 * term / float(binormal_variance(min(max(value, 0.5), 0.999), m, k))


def claims_of(
    pi: en.Predictions, metric: str, run: int
) -> Iterator[tuple[str, str, set[str], bool]]:
    """Yield for every rule the best, those called worse, and whether the first pair differs."""
    models = "delong" if metric == "roc_auc" else "bayle"
    for rule in (models, "corrected_z", "corrected_t"):
        many = en.compare_many(pi, test=rule, metric=metric, rng=run)
        pair = en.compare(pi.select([0, 1]), 0, 1, test=rule, metric=metric, rng=run)
        worse = set(many.p_best) - set(many.not_worse)
        yield rule, many.best, worse, bool(pair.p_value is not None and pair.p_value <= LEVEL)
        if rule == models and metric != "log_loss":

            def widened(made: Comparison) -> Comparison:
                mean = (made.value_a + made.value_b) / 2
                error = (made.standard_error or 0.0) * math.sqrt(crossing(pi, metric, mean))
                if not error:
                    return made
                p = 2 * float(norm.sf(abs(made.difference) / error))
                values = {**(made.p_values or {}), "two-sided": p}
                return replace(made, standard_error=error, p_values=values)

            wide = {c.b for c in many if many.family.p_value(widened(c), "two-sided") <= LEVEL}
            alone = widened(pair).p_value
            yield "crossed", many.best, wide, alone is not None and alone <= LEVEL


Key = tuple[str, str, str]  # what it is about, the metric, the rule


def add_claims(
    counts: dict[Key, Floats],
    pi: en.Predictions,
    run: int,
    skill: Floats,
    truths: dict[str, Floats] | None,
) -> None:
    """Count what is claimed of equally good ones, as learners and as models of these folds."""
    for metric in COMPARED:
        if truths is None and metric == "log_loss":
            continue  # on noise the losses of learners do differ
        names = list(pi.configs.ids)
        for rule, best, worse, pair in claims_of(pi, metric, run):
            top = names.index(best)
            out = [names.index(name) for name in worse]
            learners = any(skill[c] >= skill[top] for c in out)
            models = learners
            if truths is not None:
                scores = -truths[metric] if metric == "log_loss" else truths[metric]
                models = any(scores[c] >= scores[top] for c in out)
            poor = np.flatnonzero(skill < skill.max())
            shown = len(set(out) & set(poor.tolist())) / len(poor) if len(poor) else 0.0
            counts["worse", metric, rule] += np.array([1, learners, models, pair, shown])


def add_chance(
    counts: dict[Key, Floats], pi: en.Predictions, run: int, names: tuple[str, ...]
) -> None:
    """Count where intervals of a search of noise lie."""
    for metric in names:
        made = en.estimate(pi, method=en.methods.BBC(n_resamples=RESAMPLES), metric=metric, rng=run)
        bound = made.at(side="pessimistic").against_chance
        counts["chance", metric, ""] += np.array(
            [
                1,
                made.against_chance is AgainstChance.BETTER,
                made.against_chance is AgainstChance.WORSE,
                bound is AgainstChance.BETTER,
                0,
            ]
        )


@lru_cache(maxsize=16)
def find_population(name: str) -> Population:
    """Return a population; the exclusive or of two signs of ten features is one of ours."""
    if name != "exclusive or":
        source = population(name)
        assert source is not None
        return source
    rng = np.random.default_rng([SEED, 77])
    X = rng.standard_normal((SIZE, 10))
    odds = 3.0 * np.sign(X[:, 0] * X[:, 1])
    return Population(name, X, (rng.random(SIZE) < expit(odds)).astype(np.float64))


@cache
def learner_score(name: str, size: int, config: int) -> dict[str, float]:
    """Return the mean scores of a configuration over fresh training sets of a size, by metric."""
    source = find_population(name)
    rng = np.random.default_rng([SEED, 78, size])
    metrics = SEARCHED[source.is_classified]
    new = source.fresh(NEW, rng)
    X, y = source.X[new], source.y[new]
    totals = dict.fromkeys(metrics, 0.0)
    for _ in range(TRAININGS):
        rows = source.draw(size, rng)
        search = Search(
            source.X[rows], source.y[rows], np.zeros((size, 1), dtype=np.intp), source.is_classified
        )
        said = search.of_parts(config, np.ones((1, size), dtype=bool), X)
        said = np.vstack([said, said])
        for metric in metrics:
            totals[metric] += true_scores(y, said, metric).of_folds / TRAININGS
    return totals


def add_training(counts: dict[Key, Floats], cell: Cell, run: int) -> None:
    """Count the intervals of a search that hold either truth of the winner."""
    source = find_population(cell.source)
    rng = np.random.default_rng([SEED, cell.number, run])
    rows = source.draw(cell.n, rng)
    y, classified = source.y[rows], source.is_classified
    fold = draw_folds(y, None, as_design(cell), classified, run)
    search = Search(source.X[rows], y, fold, classified)
    pi = en.Predictions.from_arrays(
        y.astype(int) if classified else y,
        search.out_of_sample(),
        fold,
        response="probability" if classified else "value",
    )
    new = source.fresh(NEW, rng)
    said: dict[int, Floats] = {}
    for metric in SEARCHED[classified]:
        made = en.estimate(pi, method=en.methods.BBC(n_resamples=RESAMPLES), metric=metric, rng=run)
        config = pi.configs.ids.index(str(made.winner))
        if config not in said:
            said[config] = search.of_new(config, source.X[new])
        models = true_scores(source.y[new], said[config], metric).of_folds
        size = cell.n - cell.n // cell.folds
        learner = learner_score(cell.source, size, config)[metric]
        both, one = made.interval, made.at(side="pessimistic").interval
        assert both is not None
        assert one is not None
        held = [both.low <= truth <= both.high for truth in (models, learner)]
        bound = [one.low <= truth <= one.high for truth in (models, learner)]
        counts["training", metric, ""] += np.array([1, *held, *bound])


def simulate(cell: Cell, first: int, count: int) -> dict[Key, Floats]:
    """Return the counts of a block of runs."""
    counts: dict[Key, Floats] = defaultdict(lambda: np.zeros(5))
    for run in range(first, first + count):
        if cell.kind in ("noise", "chance"):
            pi = search_noise(cell, run)
            add_chance(counts, pi, run, OF_CLASSES if cell.source == "classes" else OF_NUMBERS)
            if cell.kind == "noise" and cell.source == "classes":
                add_claims(counts, pi, run, np.zeros(pi.n_configs), None)
        elif cell.kind == "search":
            add_training(counts, cell, run)
        else:
            equals = Equals(cell, run)
            add_claims(counts, equals.predictions(), run, equals.skill, equals.truths())
    return dict(counts)


def write(counts: dict[tuple[int, Key], Floats], folder: Path) -> None:
    """Write the three files."""
    worse, chance, training = [], [], []
    for (cell, (about, metric, rule)), row in sorted(counts.items()):
        runs, *numbers = row.tolist()
        whole = [int(number) for number in numbers]
        if about == "worse":
            worse.append(Worse(cell, metric, rule, int(runs), *whole[:3], round(numbers[3], 3)))
        elif about == "chance":
            chance.append(Chance(cell, metric, int(runs), *whole[:3]))
        else:
            training.append(Training(cell, metric, int(runs), *whole))
    for name, rows in (("worse", worse), ("chance", chance), ("training", training)):
        if rows:
            write_rows(rows, folder / f"{name}.csv")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=7.0)
    parser.add_argument("--share", type=float, default=1.0, help="of the declared runs")
    parser.add_argument("--kind", choices=KINDS, help="only these cells, and their file alone")
    parser.add_argument("--first", type=int, default=0, help="the number of the first cell")
    asked = parser.parse_args(arguments)
    counts = defaultdict[tuple[int, Key], Floats](lambda: np.zeros(5))
    tasks = []
    for cell in read():
        if asked.kind not in (None, cell.kind) or cell.number < asked.first:
            continue
        runs = max(1, round(cell.runs * asked.share))
        tasks += [(cell, first, min(BLOCK, runs - first)) for first in range(0, runs, BLOCK)]
    blocks = run_blocks(
        simulate, tasks, processes=asked.processes, minutes=asked.minutes, seed=SEED
    )
    for number, ((cell, _, _), block) in enumerate(blocks, 1):
        for key, row in block.items():
            counts[cell.number, key] += row
        if number % OFTEN == 0:
            write(counts, asked.out)
    write(counts, asked.out)


if __name__ == "__main__":
    main()
