"""The winner's interval for more metrics, for groups, and after early dropping: does it hold.

python -m benchmarks.calibration.extensions [--kind mae] [--replications 200] [--minutes 30]
python -m benchmarks.calibration.extensions --summary

Every kind of question has 18 cells: nine combinations of cases, configurations, truths and
correlations (an orthogonal array, so that every pair of levels meets once), each in an easy and in
a hard version. The cells are those of `cells()`; what comes out depends on nothing but the numbers
of cell and replication. Every block of replications is a few lines of `extensions.csv`, one for
each law, as soon as it is done.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from functools import cache
from itertools import product
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri, stdtrit

import earnest as en
from benchmarks.calibration.run import Outcome, bbc_limits
from benchmarks.calibration.summary import too_rare
from earnest.core.base.rng import Seeds
from earnest.core.data.weights import Weights
from earnest.core.results.interval import LimitSource, LossLimits, NearWinnerLimits
from earnest.core.results.specs import Side
from earnest.inference.cases.case_values import case_values
from earnest.kernels.score import score_table
from earnest.metrics import metric as resolve_metric
from earnest.resampling.bootstrap import CaseBootstrap, batches

SEED = 20_260
RESULTS = Path(__file__).parent / "extensions.csv"
BLOCK = 50  # replications a line
RESAMPLES = 500
LEVEL = 0.95
ORTHOGONAL = [(a, b, (a + b + 1) % 3, (a + 2 * b + 2) % 3) for a in range(3) for b in range(3)]
CASES, CONFIGS = (40, 100, 400), (1, 10, 100)
TRUTHS, CORRELATIONS = ("equal", "spread", "dominant"), (0.0, 0.5, 0.9)
KINDS = {  # the metric, the size of groups, and whether most configurations are dropped half-way
    "f1": ("f1", 0, False),
    "mcc": ("mcc", 0, False),
    "cohen_kappa, 3 classes": ("cohen_kappa", 0, False),
    "balanced_accuracy, 3 classes": ("balanced_accuracy", 0, False),
    "roc_auc_ovr, 3 classes": ("roc_auc_ovr", 0, False),
    "concordance": ("concordance", 0, False),
    "mae": ("mae", 0, False),
    "mse": ("mse", 0, False),
    "r2": ("r2", 0, False),
    "log_loss": ("log_loss", 0, False),
    "brier": ("brier", 0, False),
    "accuracy, groups of 5": ("accuracy", 5, False),
    "roc_auc, groups of 5": ("roc_auc", 5, False),
    "mae, groups of 5": ("mae", 5, False),
    "accuracy, early dropping": ("accuracy", 0, True),
    "roc_auc, early dropping": ("roc_auc", 0, True),
}
LAWS = {  # that the limits assume; docs/methods/near_winner.md derives them
    "f1": "exact, of a share",
    "mcc": "share of errors",
    "cohen_kappa, 3 classes": "share of errors",
    "balanced_accuracy, 3 classes": "share, $p_2$",
    "roc_auc_ovr, 3 classes": "Beta, $w$ measured",
    "concordance": "Beta, $w$ measured",
    **dict.fromkeys(("mae", "mse", "r2", "log_loss", "brier"), "Gamma"),
    "accuracy, groups of 5": "share, $p_2 / f$",
    "roc_auc, groups of 5": "Beta",
    "mae, groups of 5": "Gamma",
    "accuracy, early dropping": "exact",
    "roc_auc, early dropping": "Beta",
}
WITHIN_GROUPS = 0.5  # the correlation of what two cases of a group are made of
POSITIVES, CLASSES = 0.3, np.array([0.5, 0.3, 0.2])
KEPT = 0.1  # of the configurations, after half of the cases

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cell:
    """One setting; `hard` is near the ceiling for scores, and has heavy tails for losses."""

    number: int
    kind: str
    n: int
    configs: int
    truth: str
    correlation: float
    hard: bool

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return KINDS[self.kind][0]

    @property
    def group(self) -> int:
        """The size of groups, 0 for independent cases."""
        return KINDS[self.kind][1]


@dataclass(frozen=True)
class Sample:
    """Predictions, and the true value (C,) of every configuration."""

    predictions: en.Predictions
    truth: Floats


@dataclass(frozen=True)
class Line:
    """The sums over some replications of a cell, for one law.

    `held` counts one-sided bounds at 95 % that hold, `slack` sums their distance from the truth;
    `two` and `width` are those of two-sided intervals. `moved` counts bounds that were widened to
    hold the value, `replaced` samples for which near_winner gave BBC's interval.
    """

    cell: int
    kind: str
    law: str
    first: int
    replications: int
    held: int
    slack: float
    two: int
    width: float
    moved: int
    replaced: int


def cells() -> list[Cell]:
    """Return all cells, in the order of their numbers."""
    made = []
    for kind, hard, levels in product(KINDS, (False, True), ORTHOGONAL):
        n, configs, truth, correlation = levels
        setting = CASES[n], CONFIGS[configs], TRUTHS[truth], CORRELATIONS[correlation]
        if KINDS[kind][2] and configs == 0:
            continue  # of one configuration nothing is dropped
        made.append(Cell(len(made), kind, *setting, hard))
    return made


# ---- samples of which the truth is known


def draw(cell: Cell, rng: np.random.Generator) -> Sample:
    """Return one sample of a cell."""
    makers: dict[str, Callable[[Cell, np.random.Generator], Sample]] = {
        "accuracy": _two_classes,
        "f1": _two_classes,
        "mcc": _two_classes,
        "cohen_kappa": _three_classes,
        "balanced_accuracy": _three_classes,
        "roc_auc": _scores,
        "roc_auc_ovr": _class_scores,
        "concordance": _risks,
        "log_loss": _probabilities,
        "brier": _probabilities,
    }
    return makers.get(cell.metric, _errors)(cell, rng)


def _quality(cell: Cell, rng: np.random.Generator, easy: float, hard: float, low: float) -> Floats:
    """Return how good each configuration is: the best as good as it can be, others down to low."""
    best = hard if cell.hard else easy
    if cell.truth == "equal" or cell.configs == 1:
        return np.full(cell.configs, best)
    if cell.truth == "dominant":
        return np.where(np.arange(cell.configs) == cell.configs // 2, best, low)
    return low + (best - low) * rng.beta(2.0, 2.0, cell.configs)


def _noise(cell: Cell, rng: np.random.Generator, *more: int) -> Floats:
    """Return standard normal numbers (n, C, ...) with the correlations of a cell and its groups."""

    def each(*shape: int) -> Floats:
        own = rng.standard_normal((cell.n, *shape))
        if not cell.group:
            return own
        units = np.arange(cell.n) // cell.group
        shared = rng.standard_normal((units[-1] + 1, *shape))[units]
        return np.asarray(math.sqrt(WITHIN_GROUPS) * shared + math.sqrt(1.0 - WITHIN_GROUPS) * own)

    shared, own = each(1, *more), each(cell.configs, *more)
    return np.asarray(
        math.sqrt(cell.correlation) * shared + math.sqrt(1.0 - cell.correlation) * own
    )


def _groups(cell: Cell) -> NDArray[np.int64] | None:
    return np.arange(cell.n) // cell.group if cell.group else None


def _outcome(n: int, shares: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return classes (n,) drawn by their shares, with two cases of each at least."""
    while True:
        y = rng.choice(len(shares), n, p=shares)
        if np.bincount(y, minlength=len(shares)).min() >= 2:
            return y


def _two_classes(cell: Cell, rng: np.random.Generator) -> Sample:
    """Return labels that are right with the same probability in both classes."""
    right = _quality(cell, rng, 0.82, 0.95, 0.65)
    y = _outcome(cell.n, np.array([1.0 - POSITIVES, POSITIVES]), rng)
    said = np.where(_noise(cell, rng) < ndtri(right), y[:, None], 1 - y[:, None])
    hits, misses = POSITIVES * right, POSITIVES * (1.0 - right)
    alarms, others = (1.0 - POSITIVES) * (1.0 - right), (1.0 - POSITIVES) * right
    margins = (hits + alarms) * (hits + misses) * (others + alarms) * (others + misses)
    truth = {
        "accuracy": right,
        "f1": 2.0 * hits / (2.0 * hits + misses + alarms),
        "mcc": (hits * others - misses * alarms) / np.sqrt(margins),
    }[cell.metric]
    pi = en.Predictions.from_arrays(y, said, response="label", positive=1, groups=_groups(cell))
    return Sample(pi, truth)


def _three_classes(cell: Cell, rng: np.random.Generator) -> Sample:
    """Return labels of three classes; wrong ones are of either other class, for all alike."""
    right = _quality(cell, rng, 0.82, 0.95, 0.6)
    y = _outcome(cell.n, CLASSES, rng)
    wrong = (y + rng.integers(1, 3, cell.n)) % 3
    said = np.where(_noise(cell, rng) < ndtri(right), y[:, None], wrong[:, None])
    predicted = right[:, None] * CLASSES + (1.0 - right[:, None]) * (1.0 - CLASSES) / 2.0
    chance = (predicted * CLASSES).sum(axis=1)
    truth = right if cell.metric == "balanced_accuracy" else (right - chance) / (1.0 - chance)
    return Sample(en.Predictions.from_arrays(y, said, task="multiclass", response="label"), truth)


def _scores(cell: Cell, rng: np.random.Generator) -> Sample:
    """Return scores of two normal laws of equal spread."""
    area = _quality(cell, rng, 0.82, 0.96, 0.65)
    y = _outcome(cell.n, np.array([1.0 - POSITIVES, POSITIVES]), rng)
    scores = math.sqrt(2.0) * ndtri(area) * y[:, None] + _noise(cell, rng)
    pi = en.Predictions.from_arrays(y, scores, response="decision", groups=_groups(cell))
    return Sample(pi, area)


def _class_scores(cell: Cell, rng: np.random.Generator) -> Sample:
    """Return scores of three classes, each with the same AUC against the rest."""
    area = _quality(cell, rng, 0.82, 0.96, 0.65)
    y = _outcome(cell.n, CLASSES, rng)
    own = (y[:, None] == np.arange(3))[:, None, :]
    scores = math.sqrt(2.0) * ndtri(area)[:, None] * own + _noise(cell, rng, 3)
    pi = en.Predictions.from_arrays(y, scores[:, :, None], task="multiclass", response="decision")
    return Sample(pi, area)


def _risks(cell: Cell, rng: np.random.Generator) -> Sample:
    """Return risks that see part of what decides about exponential times, a third censored."""
    slope = _quality(cell, rng, 1.2, 3.5, 0.5)
    frailty, time, event = _survival(cell.n, rng)
    risks = slope * frailty[:, None] + _noise(cell, rng)
    pi = en.Predictions.from_arrays((time, event), risks, task="survival")
    return Sample(pi, np.interp(slope, *_concordances()))


def _survival(n: int, rng: np.random.Generator) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    frailty = rng.standard_normal(n)
    time, end = rng.exponential(np.exp(-1.5 * frailty)), rng.exponential(2.5, n)
    return frailty, np.minimum(time, end), time <= end


@cache
def _concordances() -> tuple[Floats, Floats]:
    """Return slopes and their concordance, over a million independent pairs of cases."""
    first, second = (_survival(1_000_000, np.random.default_rng([SEED, k])) for k in range(2))
    earlier = first[1] < second[1]
    apart = np.where(earlier, first[0] - second[0], second[0] - first[0])
    apart = apart[np.where(earlier, first[2], second[2])]
    slopes = np.linspace(0.3, 3.7, 35)
    return slopes, np.array([ndtr(slope * apart / math.sqrt(2.0)).mean() for slope in slopes])


def _probabilities(cell: Cell, rng: np.random.Generator) -> Sample:
    """Return probabilities whose log odds for the truth are normal; hard ones are overconfident."""
    centre, spread = _quality(cell, rng, 2.0, 3.5, 1.0), 3.0 if cell.hard else 1.0
    y = _outcome(cell.n, np.array([0.6, 0.4]), rng)
    odds = centre + spread * _noise(cell, rng)
    pi = en.Predictions.from_arrays(
        y, expit(odds * (2 * y[:, None] - 1)), response="probability", positive=1
    )
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    at = centre[:, None] + spread * nodes
    loss = np.square(expit(-at)) if cell.metric == "brier" else np.logaddexp(0.0, -at)
    return Sample(pi, loss @ (weights / weights.sum()))


def _errors(cell: Cell, rng: np.random.Generator) -> Sample:
    """Return numbers with normal errors, hard ones with those of Student's t for 5 degrees."""
    scale = 1.0 / (1.0 + _quality(cell, rng, 1.0, 1.0, 0.5))
    errors, mean = scale * _noise(cell, rng), math.sqrt(2.0 / math.pi)
    if cell.hard:
        errors *= np.sqrt(3.0 / rng.chisquare(5.0, cell.n))[:, None]  # of variance 1
        mean *= math.sqrt(1.5) * math.gamma(2.0) / math.gamma(2.5)  # E sqrt(3 / chi-square)
    y = rng.standard_normal(cell.n)
    truth = {"mse": scale**2, "mae": scale * mean, "r2": 1.0 - scale**2}[cell.metric]
    pi = en.Predictions.from_arrays(y, y[:, None] - errors, task="regression", groups=_groups(cell))
    return Sample(pi, truth)


def drop(sample: Sample) -> en.Predictions:
    """Return predictions of ten folds in which most configurations stop after half of them."""
    pi = sample.predictions
    fold = np.arange(pi.n_cases) * 10 // pi.n_cases
    order = np.random.default_rng(pi.n_cases).permutation(pi.n_cases)  # classes in every fold
    fold = fold[np.argsort(order)]
    early = Weights((fold < 5).astype(np.int64)[None])
    metric = resolve_metric("accuracy" if str(pi.kind) == "label" else "roc_auc").on("binary")
    scores = score_table(pi, metric, early)[0]
    keep = np.argsort(-scores, kind="stable")[: max(2, round(KEPT * pi.n_configs))]
    responses = pi.responses[:, :, 0].astype(np.float64)
    dropped = np.setdiff1d(np.arange(pi.n_configs), keep)
    responses[np.ix_(fold >= 5, dropped)] = np.nan
    return en.Predictions.from_arrays(
        pi.target.y, responses, fold, response=str(pi.kind), positive=1
    )


# ---- what is held against the truth


def replicate(cell: Cell, number: int) -> tuple[dict[str, Outcome], bool, bool]:
    """Return what each law did, whether a bound was moved to the value, and BBC's was given."""
    sample = draw(cell, np.random.default_rng([SEED, cell.number, number]))
    pi = drop(sample) if KINDS[cell.kind][2] else sample.predictions
    method = en.methods.NearWinner(n_resamples=RESAMPLES)
    made = en.estimate(pi, method=method, metric=cell.metric, rng=number)
    metric = resolve_metric(cell.metric).on(pi.target.task)
    winner, greater = pi.configs.ids.index(str(made.winner)), metric.greater_is_better
    truth = float(sample.truth[winner])
    assert made.source is not None
    assert made.draws is not None
    bad, good = (0, 1) if greater else (1, 0)

    def judge(ends: Callable[[float, bool], float]) -> Outcome:
        """Hold the bad end and both ends of a law against the truth; `ends(tail, bad)`."""
        sign = 1.0 if greater else -1.0
        bound, low, high = ends(0.05, True), ends(0.025, True), ends(0.025, False)
        inside = sign * low <= sign * truth <= sign * high
        return Outcome(
            sign * bound <= sign * truth, sign * (truth - bound), inside, abs(high - low)
        )

    def of(source: LimitSource) -> Callable[[float, bool], float]:
        sides = (Side.LOWER, Side.UPPER)

        def end(tail: float, is_bad: bool) -> float:
            place = bad if is_bad else good
            return float(source.limits(1.0 - tail, sides[place])[place])

        return end

    whole = pi.usable()
    one = whole.select([str(made.winner)])
    bbc = bbc_limits(made, whole, number)
    laws = {"near_winner": judge(of(made.source)), "bbc": judge(of(bbc))}
    source = made.source
    if not isinstance(source, NearWinnerLimits):
        return laws, False, True
    bare = of(source.inner)(source.local_tail(0.05), True)
    moved = bare > made.value if greater else bare < made.value

    def at_local_level(ends: Callable[[float, bool], float]) -> Outcome:
        return judge(lambda tail, is_bad: ends(source.local_tail(tail) if is_bad else tail, is_bad))

    if isinstance(source.inner, LossLimits) and cell.metric in ("mae", "mse", "log_loss", "brier"):
        laws |= {
            name: at_local_level(ends) for name, ends in rivals(one, cell.metric, number).items()
        }
    return laws, moved, False


def rivals(
    one: en.Predictions, metric: str, number: int
) -> dict[str, Callable[[float, bool], float]]:
    """Return other laws of a mean loss of one configuration, each as `ends(tail, bad)`."""
    losses = case_values(one, metric).terms[:, 0, 0]
    n, mean = len(losses), float(losses.mean())
    error = float(losses.std()) / math.sqrt(n - 1)
    parts = batches(CaseBootstrap(), one.target, RESAMPLES, Seeds.of(number))
    counts = np.concatenate([part.values for part in parts]).astype(np.float64)
    means = counts @ losses / n
    errors = np.sqrt(np.maximum(counts @ losses**2 / n - means**2, 1e-300) / (n - 1))
    student = (means - mean) / errors
    skew = float((((losses - mean) / losses.std()) ** 3).mean())
    pull, shift = (
        skew / (6.0 * math.sqrt(n)),
        float(ndtri(np.clip((means < mean).mean(), 0.01, 0.99))),
    )

    def accelerated(share: float) -> float:
        z = shift + float(ndtri(share))
        return float(np.quantile(means, ndtr(shift + z / (1.0 - pull * z))))

    def own_gamma(tail: float, is_bad: bool) -> float:
        side = Side.UPPER if is_bad else Side.LOWER
        return LossLimits(mean, mean**2 / error**2).limits(1.0 - tail, side)[int(is_bad)]

    def sign(is_bad: bool) -> float:
        return 1.0 if is_bad else -1.0

    return {
        "influence error, Student": lambda tail, is_bad: (
            mean - sign(is_bad) * float(stdtrit(n - 1, tail)) * error
        ),
        "influence error, Student on logarithms": lambda tail, is_bad: (
            mean * math.exp(-sign(is_bad) * float(stdtrit(n - 1, tail)) * error / mean)
        ),
        "studentised bootstrap": lambda tail, is_bad: (
            mean - float(np.quantile(student, tail if is_bad else 1.0 - tail)) * error
        ),
        "BCa": lambda tail, is_bad: accelerated(1.0 - tail if is_bad else tail),
        "Gamma with the winner's own spread": own_gamma,
    }


def simulate(cell: Cell, first: int, count: int = BLOCK) -> list[Line]:
    """Return a block of replications of a cell, one line for each law."""
    sums: dict[str, list[Outcome]] = defaultdict(list)
    moved = replaced = 0
    for number in range(first, first + count):
        laws, was_moved, was_replaced = replicate(cell, number)
        moved, replaced = moved + was_moved, replaced + was_replaced
        for name, outcome in laws.items():
            sums[name].append(outcome)
    return [
        Line(
            cell.number,
            cell.kind,
            name,
            first,
            len(rows),
            sum(row.held for row in rows),
            round(sum(row.slack for row in rows), 6),
            sum(row.held_two_sided for row in rows),
            round(sum(row.width for row in rows), 6),
            moved if name == "near_winner" else 0,
            replaced if name == "near_winner" else 0,
        )
        for name, rows in sums.items()
    ]


def run(chosen: list[Cell], replications: int, path: Path, minutes: float) -> None:
    """Simulate what is missing, all cells in turn, until the time is over."""
    end = monotonic() + 60.0 * minutes
    known = {(line.cell, line.first) for line in read(path)}
    fresh = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [f.name for f in fields(Line)], lineterminator="\n")
        if fresh:
            table.writeheader()
        for first, cell in product(range(0, replications, BLOCK), chosen):
            if monotonic() > end:
                return
            if (cell.number, first) not in known:
                table.writerows([asdict(line) for line in simulate(cell, first)])
                file.flush()


# ---- the table


def read(path: Path) -> list[Line]:
    """Return the lines of a file, none where there is no file."""
    if not path.exists():
        return []
    kinds = {"kind": str, "law": str, "slack": float, "width": float}
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Line(**{name: kinds.get(name, int)(value) for name, value in row.items()})
            for row in csv.DictReader(file)
        ]


@dataclass(frozen=True)
class Summed:
    """What a law did in all replications of a cell."""

    runs: float = 0.0
    held: float = 0.0
    slack: float = 0.0
    two: float = 0.0
    width: float = 0.0
    moved: float = 0.0
    replaced: float = 0.0

    def plus(self, line: Line) -> Summed:
        """Return the sums with those of one more block."""
        return Summed(
            self.runs + line.replications,
            self.held + line.held,
            self.slack + line.slack,
            self.two + line.two,
            self.width + line.width,
            self.moved + line.moved,
            self.replaced + line.replaced,
        )

    def rejected(self, count: float) -> bool:
        """Tell whether so few of the runs is too rare for 95 %."""
        return too_rare(int(count), int(self.runs))


Found = dict[tuple[str, bool, str], dict[int, Summed]]


def sum_up(path: Path) -> Found:
    """Return the sums of every cell, by kind, version and law."""
    every = {cell.number: cell for cell in cells()}
    found: Found = defaultdict(dict)
    for line in read(path):
        part = found[line.kind, every[line.cell].hard, line.law]
        part[line.cell] = part.get(line.cell, Summed()).plus(line)
    return found


def ratios(mine: dict[int, Summed], bbc: dict[int, Summed]) -> tuple[float, float]:
    """Return slack and width over BBC's: means over the cells in which BBC's bounds hold."""
    holds = [c for c in mine if not bbc[c].rejected(bbc[c].held)]
    if not holds:
        return math.nan, math.nan

    def ratio(name: str) -> float:
        shares = [
            getattr(mine[c], name) / mine[c].runs / (getattr(bbc[c], name) / bbc[c].runs)
            for c in holds
        ]
        return float(np.mean(shares))

    return ratio("slack"), ratio("width")


def list_kinds(path: Path) -> list[list[str]]:
    """Return the head and lines of a table: `near_winner` beside BBC, by kind and version.

    "Rejected" are cells whose bounds hold too rarely by an exact binomial test at 5 %.
    """
    found = sum_up(path)
    head = ["metric and design", "law", "version", "cells", "runs", "rejected", "worst", "mean"]
    head += ["two-sided: rejected", "worst", "BBC: rejected", "worst", "slack / BBC's"]
    out = [[*head, "width / BBC's", "BBC's given"]]
    order = list(KINDS)
    for kind, hard, law in sorted(found, key=lambda key: (order.index(key[0]), key[1])):
        if law != "near_winner":
            continue
        mine, bbc = list(found[kind, hard, law].values()), found[kind, hard, "bbc"]
        slack, width = ratios(found[kind, hard, law], bbc)
        shares, runs = [one.held / one.runs for one in mine], sum(one.runs for one in mine)
        line = [kind, LAWS[kind], "hard" if hard else "easy", str(len(mine)), f"{runs:.0f}"]
        line += [*_held(mine), f"{np.mean(shares):.3f}"]
        line += [str(sum(one.rejected(one.two) for one in mine))]
        line += [f"{min(one.two / one.runs for one in mine):.3f}", *_held(list(bbc.values()))]
        line += [f"{slack:.2f}", f"{width:.2f}"]
        out.append([*line, f"{sum(one.replaced for one in mine) / runs:.0%}".replace("%", " %")])
    return out


def list_laws(path: Path) -> list[list[str]]:
    """Return the head and lines of a table: laws of a mean loss at the same local level.

    They were tried on samples with light tails, and are shown for cells with enough of them.
    """
    found = sum_up(path)
    out = [["distribution of a mean loss", "cells", "runs", "rejected", "worst", "mean"]]
    for law in dict.fromkeys(law for _, _, law in found if law != "bbc"):
        losses = [
            one
            for (kind, _, name), part in found.items()
            if name == law and (kind, False, "BCa") in found
            for one in part.values()
            if one.runs >= BLOCK / 2
        ]
        if losses:
            shares, runs = [one.held / one.runs for one in losses], sum(one.runs for one in losses)
            line = [law, str(len(losses)), f"{runs:.0f}", *_held(losses)]
            out.append([*line, f"{np.mean(shares):.3f}"])
    return out


def _held(cells: list[Summed]) -> list[str]:
    """Return how many cells are rejected, and the lowest share of bounds that held."""
    rejected = sum(one.rejected(one.held) for one in cells)
    return [str(rejected), f"{min(one.held / one.runs for one in cells):.3f}"]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=list(KINDS), help="only the cells of this kind")
    parser.add_argument("--replications", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so long")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--summary", action="store_true", help="print the table and run nothing")
    asked = parser.parse_args(arguments)
    if not asked.summary:
        chosen = [cell for cell in cells() if cell.kind == (asked.kind or cell.kind)]
        run(chosen, asked.replications, asked.out, asked.minutes)
    for lines in (list_kinds(asked.out), list_laws(asked.out)):
        print("\n".join(" | ".join(line) for line in lines), end="\n\n")


if __name__ == "__main__":
    main()
