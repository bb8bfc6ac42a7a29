"""One trial: a sample, the models of all its splits, what every procedure says, and the truth.

The proposed procedures are asked of earnest in every trial. Asking all their rivals would take
longer than to train the models; they come from `formulas`, which every twentieth trial holds to
what earnest says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import earnest as en
from benchmarks.papers.bayle2020.design import FOLDS, Design, design
from benchmarks.papers.bayle2020.formulas import Law, laws
from benchmarks.papers.bayle2020.learners import LEARNERS
from benchmarks.papers.bayle2020.populations import Codes, Floats, Population

PAIRS = {"binary": ("logistic", "net"), "regression": ("forest", "ridge")}  # A1 and A2
PROPOSED = 2  # the first procedures are those that are proposed
ASKED = 20  # one trial of as many asks earnest for all of them
NOTHING = 1e-12  # a standard error that is none
OVERLAP = 1 / (FOLDS - 1)  # test cases over training cases
PROCEDURES = (
    "bayle_all_pairs",
    "bayle_within_fold",
    "holdout",
    "cv_t",
    "resampled_t",
    "corrected_t",
    "five_by_two",
    "corrected_t of folds",
)
INTERVAL = ("value", "low", "high", "truth")
Answer = tuple[float, ...]
TEST = ("difference", "low", "high", "less", "greater", "truth")


@dataclass(frozen=True, eq=False)
class Evidence:
    """Losses of the two learners, by split, and the true means that they are about.

    Losses are (n, 2) for the folds, (n, 2, 10) for the random test sets and (n, 2, 5) for the
    halves. Truths are (procedures, 2): the mean of the models that a procedure trained, all of the
    folds, the first of them, all of the random test sets, or all of the halves.
    """

    said: Floats
    y: Floats
    design: Design
    folds: Floats
    random: Floats
    halves: Floats
    truths: Floats


def evidence(population: Population, n: int, rng: np.random.Generator) -> Evidence:
    """Draw a sample, train both learners on every split, and compute the losses and the truths."""
    plan = design(n)
    rows, y = population.draw(n, rng)
    said_folds, losses, truths = [], [], []
    for name in PAIRS[population.task]:
        train = LEARNERS[name]
        most = train(population, rows[plan.most], y[plan.most])
        half = train(population, rows[plan.half], y[plan.half])
        truths.append((population.truth(most), population.truth(half)))
        most, half = most[:, rows], half[:, rows]
        said_folds.append(most[plan.folds, np.arange(n)])
        off = np.where(plan.tested < 0, np.nan, np.square(most[FOLDS:].T - y[:, None]))
        part = half.reshape(5, 2, n)[np.arange(5)[None], plan.halves, np.arange(n)[:, None]]
        losses.append((np.square(said_folds[-1] - y), off, np.square(part - y[:, None])))
    folds, random, halves = (np.stack(part, axis=1) for part in zip(*losses, strict=True))
    most, half = (np.stack(part) for part in zip(*truths, strict=True))  # (2, 20), (2, 10)
    all_folds, random_sets = most[:, :FOLDS].mean(axis=1), most[:, FOLDS:].mean(axis=1)
    of_halves = half.mean(axis=1)
    about = [all_folds, all_folds, most[:, 0], all_folds, random_sets, random_sets, of_halves]
    return Evidence(
        np.stack(said_folds, axis=1), y, plan, folds, random, halves, np.stack([*about, all_folds])
    )


def intervals(made: Evidence, task: str, metric: str, which: int, every: bool) -> Floats:
    """Return what the procedures say of one learner: (procedures, 4), see `INTERVAL`.

    With `every` all are asked of earnest and held to the formulas, else the first two.
    """
    pi = en.Predictions.from_arrays(
        made.y,
        made.said[:, which],
        made.design.folds,
        task=task,
        response="label" if task == "binary" else None,
    )

    def asked(method: Any) -> Answer:
        found = en.estimate(pi, method=method, metric=metric)
        assert found.interval is not None
        return found.value, found.interval.low, found.interval.high

    def alone(kind: str, test: Any) -> Answer:
        """Ask a test of two learners, of which the other never errs."""
        loss, fold = _losses(made, kind)
        nothing = np.where(np.isnan(loss[:, which]), np.nan, 0.0)
        given = en.Scores(
            {"it": loss[:, which], "nothing": nothing}, fold=fold, greater_is_better=False
        )
        found = en.compare(given, "it", "nothing", test=test)
        assert found.interval is not None
        return found.difference, found.interval.low, found.interval.high

    ask: list[Callable[[], Answer]] = [
        lambda: asked("bayle_all_pairs"),
        lambda: asked("bayle_within_fold"),
        lambda: asked(en.methods.HoldOut(interval="normal")),
        lambda: alone("folds", "cv_t"),
        lambda: alone("random", "resampled_t"),
        lambda: alone("random", en.comparison.CorrectedTTest(ratio=OVERLAP)),
        lambda: alone("halves", "five_by_two"),
        lambda: asked("corrected_t"),
    ]
    known = laws(made.folds[:, which], made.random[:, which], made.halves[:, which], made.design)
    ends = (0.0, 1.0 if task == "binary" else np.inf)
    said = _answers(known, ask, 0.975, ends, every)[:, :3]
    return np.column_stack([said, made.truths[:, which]])


def comparisons(made: Evidence, every: bool) -> Floats:
    """Return what every test says of the two learners: (procedures, 6), see `TEST`.

    The limits are those of 90 %, one-sided bounds of 95 % both.
    """

    def asked(kind: str, test: Any) -> Answer:
        loss, fold = _losses(made, kind)
        given = en.Scores({"A1": loss[:, 0], "A2": loss[:, 1]}, fold=fold, greater_is_better=False)
        found = en.compare(given, "A1", "A2", test=test, confidence_level=0.9)
        p = found.p_values or {}
        low, high = -np.inf, np.inf
        if found.interval is not None:
            low, high = found.interval.low, found.interval.high
        return found.difference, low, high, p["less"], p["greater"]

    ask: list[Callable[[], Answer]] = [
        lambda: asked("folds", "bayle"),
        lambda: asked("folds", en.comparison.BayleTest(variance="within_fold")),
        lambda: asked("first", "bayle"),
        lambda: asked("folds", "cv_t"),
        lambda: asked("random", "resampled_t"),
        lambda: asked("random", en.comparison.CorrectedTTest(ratio=OVERLAP)),
        lambda: asked("halves", "five_by_two"),
        lambda: asked("folds", "corrected_t"),
    ]
    folds, random, halves = (
        part[:, 0] - part[:, 1] for part in (made.folds, made.random, made.halves)
    )
    known = laws(folds, random, halves, made.design)
    said = _answers(known, ask, 0.95, (-np.inf, np.inf), every)
    return np.column_stack([said, made.truths[:, 0] - made.truths[:, 1]])


def _answers(
    known: list[Law],
    ask: list[Callable[[], Answer]],
    level: float,
    ends: tuple[float, float],
    every: bool,
) -> Floats:
    """Return value and limits, and for tests p-values, of earnest or by the formula: (laws, 5).

    Without a spread the formula has no answer, and earnest has one of its own.
    """
    out = np.full((len(known), 5), np.nan)
    for place, (law, one) in enumerate(zip(known, ask, strict=True)):
        if law.scale <= NOTHING:
            found = one()
            out[place, : len(found)] = found
            continue
        out[place] = np.clip(law.answer(level), *ends)
        if every or place < PROPOSED:
            found = one()
            np.testing.assert_allclose(np.clip(found, *ends), out[place, : len(found)], 1e-6, 1e-12)
            out[place, : len(found)] = found
    return np.asarray(np.clip(out, *ends))


def _losses(made: Evidence, kind: str) -> tuple[Floats, Codes | None]:
    """Return the losses of one kind of splits, and the folds that they were made in."""
    plan = made.design
    if kind == "first":  # a hold-out set: the normal law with the variance over all pairs
        return made.folds[plan.folds == 0], None
    return {
        "folds": (made.folds, plan.folds),
        "random": (made.random, plan.tested),
        "halves": (made.halves, plan.halves),
    }[kind]


def trial(population: Population, n: int, number: int) -> Floats:
    """Return one row: the intervals of A1, those of A2, and the tests, one after the other."""
    key = [ord(letter) for letter in population.name]
    made = evidence(population, n, np.random.default_rng([*key, n, number]))
    every = number % ASKED == 0
    task, metric = population.task, population.metric
    parts = [intervals(made, task, metric, which, every) for which in (0, 1)]
    return np.concatenate([part.ravel() for part in [*parts, comparisons(made, every)]])


def read(rows: Floats) -> tuple[Floats, Floats]:
    """Return the kept rows as intervals (trials, 2, procedures, 4) and tests (..., 6)."""
    count, cut = len(PROCEDURES), 2 * len(PROCEDURES) * len(INTERVAL)
    return (
        rows[:, :cut].reshape(-1, 2, count, len(INTERVAL)),
        rows[:, cut:].reshape(-1, count, len(TEST)),
    )
