"""Yousef 2022: bootstrap estimates of an AUC or an error rate, and their standard errors.

Table 2, figures 2 and 3, table 3: normal classes in 5 dimensions with a squared Mahalanobis
distance of .8, n of each class, QDA, 100 bootstrap samples drawn within classes. Table 4: LDA and
QDA in 4 dimensions, the leave-pair-out AUC and its error; the distance is not given in the chapter,
and c = .607 in every dimension meets both of its mean AUCs. Table 1 in kind: error rates of LDA and
QDA in eight settings, where the chapter averages 24 experiments of Efron and Tibshirani (1997).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import earnest as en
from benchmarks.papers.study import (
    Cell,
    Done,
    Finding,
    Floats,
    Kind,
    Reason,
    Scale,
    facts_of,
    seed_words,
)
from benchmarks.papers.yousef2022.as_printed import Printed632Plus, find_error_of_pairs
from benchmarks.papers.yousef2022.discriminants import RULES

NAME = "yousef2022"
TOLERANCE = 1e-6
SIZES = (20, 22, 25, 28, 33, 40, 50, 66, 100, 200)
C2, C4 = float(np.sqrt(0.8 / 5)), 0.607
TESTERS = 20_000  # of each class, the same for all trials
TRIALS_SHOWN = 15
AUCS: dict[str, str | Printed632Plus] = {
    "star": "err_star",
    ".632": ".632",
    ".632+": Printed632Plus(),
    ".632+ continuous": ".632+",
    "apparent": "apparent",
}
RATES = {"loob": "loob", ".632": ".632", ".632+": ".632+", "apparent": "apparent"}
PARTS = ("mse_conditional", "mse_mean", "sd_ratio", "rho")  # of equation 63
MADE_FROM = {
    **dict.fromkeys(("table3", "equation63", "figure2", "figure3"), ("table2",)),
}
REASONS: Sequence[Reason] = (
    Reason(
        "table2",
        "estimator=true",
        "the chapter tests on 1000 cases of each class, whose luck shifts all true AUCs alike: "
        "twelve such test sets of ours had means from .702 to .732 with n = 200",
    ),
    Reason(
        "table4",
        "mean error",
        "the chapter does not give B; the mean error depends on it",
    ),
    Reason("table4", "sd error", "the chapter does not give B; the spread depends on it"),
)


def grid(scale: Scale, data: Path | None) -> list[Cell]:
    """List the cells."""
    if scale is Scale.SMOKE:
        return [
            Cell.of("table2", 2, n=20),
            Cell.of("table4", 1, B=200),
            Cell.of("table1", 2, rule="lda", n=15, p=5, distance=1.0),
        ]
    small = scale is Scale.SMALL
    cells = [Cell.of("table2", 200 if small else 1000, n=n) for n in SIZES]
    cells += [
        Cell.of("table4", 200 if small else 1000, B=count)
        for count in ((200, 1000) if small else (200, 1000, 5000))
    ]
    cells += [
        Cell.of("table1", 50 if small else 400, rule=rule, n=n, p=5, distance=distance)
        for rule in ("lda", "qda")
        for n in (15, 30)
        for distance in (1.0, 2.0)
    ]
    return cells


def stream(cell: Cell, number: int) -> np.random.Generator:
    """Return the random numbers of a trial; its number also seeds the bootstrap samples."""
    if cell.table == "table1":
        return cell.rng(number)
    return np.random.default_rng([number, cell.number("n") if cell.table == "table2" else 20])


def run(cell: Cell, rng: np.random.Generator) -> Mapping[str, float]:
    """Return one trial: a training set, its true value, and what the estimators say."""
    if cell.table == "table4":
        return _two_learners(rng, cell.number("B"))
    if cell.table == "table1":
        return _error_rates(cell, rng)
    n = cell.number("n")
    X, y = draw(rng, n, 5, C2)
    made = replicates("qda", X, y, 100, seed_words(rng)[0])
    out = {"true": truth("qda", X, y, C2)}
    for name, method in AUCS.items():
        out[name] = en.estimate(made, method=method, metric="roc_auc").value
    return out


def _error_rates(cell: Cell, rng: np.random.Generator) -> dict[str, float]:
    rule, n, p = str(cell["rule"]), cell.number("n"), cell.number("p")
    c = float(cell["distance"]) / np.sqrt(p)
    X, y = draw(rng, n, p, c)
    made = replicates(rule, X, y, 100, seed_words(rng)[-1])
    new, labels = testers(p, c)
    said = RULES[rule](X, y, np.ones((1, len(y))), new)[0]
    out = {"true": float(np.mean((said > 0) != (labels == 1)))}
    for name, method in RATES.items():
        out[name] = en.estimate(made, method=method, metric="error_rate").value
    return out


def _two_learners(rng: np.random.Generator, count: int) -> dict[str, float]:
    """Return truth, value and errors of both learners and of their difference."""
    X, y = draw(rng, 20, 4, C4)
    seed, out = seed_words(rng)[0], {}
    both = {rule: replicates(rule, X, y, count, seed) for rule in ("lda", "qda")}
    for rule, made in both.items():
        found = en.estimate(made, method="lpob", metric="roc_auc")
        out[f"{rule} truth"] = truth(rule, X, y, C4)
        out[f"{rule} value"] = found.value
        out[f"{rule} error"] = float(found.standard_error or np.nan)
        out[f"{rule} error as printed"] = find_error_of_pairs(made.responses, made.counts, y == 1)
    apart = en.compare(both["lda"], both["qda"], test="lpob", metric="roc_auc")
    out["difference truth"] = out["lda truth"] - out["qda truth"]
    out["difference value"] = apart.difference
    out["difference error"] = float(apart.standard_error or np.nan)
    return out


def draw(rng: np.random.Generator, n: int, p: int, c: float) -> tuple[Floats, NDArray[np.int64]]:
    """Return n cases of each class, normal with unit covariance, the means c apart in all p."""
    y = np.repeat([0, 1], n)
    return c * y[:, None] + rng.standard_normal((2 * n, p)), y


def replicates(rule: str, X: Floats, y: NDArray[np.int64], count: int, seed: int) -> en.Replicates:
    """Return what the rule says of all cases when trained on stratified bootstrap samples.

    A sample with no more different cases of a class than columns has no covariance of full rank,
    and is drawn again.
    """
    target = en.Predictions.from_arrays(y, np.zeros(len(y))).target

    def spans(counts: NDArray[np.integer]) -> NDArray[np.bool_]:
        different = [(counts[:, y == label] > 0).sum(axis=1) for label in (0, 1)]
        return np.asarray(np.min(different, axis=0) > X.shape[1])

    drawn = en.resampling.StratifiedBootstrap().draw(
        target, count, np.random.default_rng(seed), spans
    )
    counts = np.asarray(drawn.values)
    return en.Replicates.from_arrays(
        y,
        RULES[rule](X, y, counts.astype(np.float64), X),
        counts,
        RULES[rule](X, y, np.ones((1, len(y))), X)[0],
        drawn="stratified",
        response="decision",
        learner=rule,
        seed=seed,
    )


def truth(rule: str, X: Floats, y: NDArray[np.int64], c: float) -> float:
    """Return the AUC of the model of all cases on many new ones."""
    new, labels = testers(X.shape[1], c)
    return auc(RULES[rule](X, y, np.ones((1, len(y))), new)[0], labels)


@cache
def testers(p: int, c: float) -> tuple[Floats, NDArray[np.int64]]:
    """Return the cases that all models are tested on.

    Means and covariances of each class are made exact: else the luck of the testers would shift all
    truths alike, by about .003 for as many, and by .01 for the 1000 of a class of the chapter.
    """
    X, y = draw(np.random.default_rng(1), TESTERS, p, 0.0)
    for label in (0, 1):
        mine = X[y == label] - X[y == label].mean(axis=0)
        spread = np.linalg.cholesky(mine.T @ mine / TESTERS)
        X[y == label] = np.linalg.solve(spread, mine.T).T + c * label
    return X, y


def auc(score: Floats, y: NDArray[np.int64]) -> float:
    """Return the AUC by ranks; scores of continuous cases have no ties."""
    ranks = np.empty(len(score))
    ranks[np.argsort(score)] = np.arange(1, len(score) + 1)
    positives = int(y.sum())
    above = ranks[y == 1].sum() - positives * (positives + 1) / 2
    return float(above / (positives * (len(y) - positives)))


# ---------------------------------------------------------------------------- what it shows


def find(done: Mapping[str, Sequence[Done]]) -> dict[str, list[Finding]]:
    """Return the tables and the numbers behind figures 2 and 3."""
    out: dict[str, list[Finding]] = {}
    if "table2" in done:
        parts = done["table2"]
        out["table2"] = [one for part in parts for one in _table2(part)]
        out["table3"] = _table3(parts)
        each = [one for part in parts for one in _equation63(part)]
        out["equation63"] = [*each, *average_equation63(each)]
        out["figure2"] = [
            Finding.mean(part.cell.name, name, part[name], Kind.SHOWN)
            for part in parts
            for name in ("true", "star", ".632", ".632+")
        ]
        first = parts[0]
        out["figure3"] = [
            Finding(f"trial={k}", name, Kind.SHOWN, float(first[name][k]), 1)
            for k in range(min(TRIALS_SHOWN, len(first.values)))
            for name in ("true", "star", ".632", ".632+")
        ]
    if "table4" in done:
        out["table4"] = [one for part in done["table4"] for one in _table4(part)]
    if "table1" in done:
        out["table1"] = _table1(done["table1"])
    return out


def _rms(away: Floats) -> float:
    return float(np.sqrt(np.square(away).mean()))


def _table2(part: Done) -> list[Finding]:
    """Return mean, sd, rms about the conditional and the mean truth, and the correlation.

    An rms has no exact test here; means, standard deviations and correlations are tested.
    """
    true, count, out = part["true"], len(part.values), []
    for name in ("true", *AUCS):
        found, row = part[name], f"{part.cell.name} estimator={name}"
        out += [Finding.mean(row, "mean", found), Finding.sd(row, "sd", found)]
        if name != "true":
            rho = float(np.corrcoef(found, true)[0, 1])
            out += [
                Finding(row, "rms", Kind.SHOWN, _rms(found - true), count),
                Finding(row, "rms_am", Kind.SHOWN, _rms(found - true.mean()), count),
                Finding(row, "rho", Kind.CORRELATION, rho, count),
            ]
    return out


def _table3(parts: Sequence[Done]) -> list[Finding]:
    out = []
    for name in AUCS:
        mine = [_rms(part[name] - part["true"]) for part in parts]
        out.append(Finding(f"estimator={name}", "rms", Kind.SHOWN, float(np.mean(mine)), len(mine)))
    return out


def _equation63(part: Done) -> list[Finding]:
    """Return the four parts of equation 63, which hold to rounding."""
    true, out = part["true"], []
    for name in AUCS:
        found = part[name]
        scale = found.std() * true.std()
        parts = {
            "mse_conditional": float(np.square(found - true).mean() / scale),
            "mse_mean": float(np.square(found - true.mean()).mean() / scale),
            "sd_ratio": float(true.std() / found.std()),
            "rho": float(np.corrcoef(found, true)[0, 1]),
        }
        rest = parts["mse_mean"] + parts["sd_ratio"] - 2 * parts["rho"]
        assert np.isclose(parts["mse_conditional"], rest)
        row = f"{part.cell.name} estimator={name}"
        out += [Finding(row, key, Kind.SHOWN, value, len(true)) for key, value in parts.items()]
    return out


def average_equation63(each: Sequence[Finding]) -> list[Finding]:
    """Return the means over sizes, and what both errors differ by, as the text has them.

    Sizes count as replications: the tolerance has their differences in it.
    """
    by: dict[tuple[str, str], list[float]] = {}
    for one in each:
        by.setdefault((facts_of(one.row)["estimator"], one.quantity), []).append(one.value)
    out = []
    for name in AUCS:
        parts = {quantity: np.array(by[name, quantity]) for quantity in PARTS}
        parts["sd_ratio less twice rho"] = parts["sd_ratio"] - 2 * parts["rho"]
        row = f"sizes=all estimator={name}"
        out += [Finding.mean(row, quantity, values) for quantity, values in parts.items()]
    return out


def _table4(part: Done) -> list[Finding]:
    out = []
    for name in part.names:
        who, _, what = name.partition(" ")
        row = f"{part.cell.name} of={who}"
        out.append(Finding.mean(row, f"mean {what}", part[name]))
        if what != "error as printed":
            out.append(Finding.sd(row, f"sd {what}", part[name]))
    return out


def _table1(parts: Sequence[Done]) -> list[Finding]:
    out = []
    for name in RATES:
        mine = [_rms(part[name] - part["true"]) for part in parts]
        out.append(Finding(f"estimator={name}", "rms", Kind.SHOWN, float(np.mean(mine)), len(mine)))
    return out


def draw_figures(folder: Path) -> None:
    """Draw figures 2 and 3 from the results."""
    from benchmarks.papers.yousef2022.figures import draw_all

    if (folder / "figure2.csv").is_file():
        draw_all(folder)
