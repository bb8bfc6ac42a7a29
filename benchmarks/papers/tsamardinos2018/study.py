"""Tsamardinos et al. 2018: bias of five protocols, early dropping, repeats and intervals.

Figure 1: accuracies right by chance alone, four Beta laws (section 6.1). Table 1: the data at hand.
Figures 2, 5, 6 and 7 in kind: small balanced samples from 30 % of a data set, 43 fast
configurations, the rest held out (section 6.2). Figures 3 and 4 in kind: 92 configurations of
scikit-learn on 500 cases. `early` and `early_samples`: figures 1, and 2 to 4, if dropping starts
with the first fold. `portfolio`: figures 2, 3, 5, 6 and 7 with the 610 configurations of the paper,
or with every so many-th of them. `text`: numbers of the text that no chance is in. Intervals are
the default ones of `bbc`, not the published quantiles.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split

import earnest as en
from benchmarks.papers.study import Cell, Done, Finding, Floats, Kind, Reason, Scale
from benchmarks.papers.tsamardinos2018.data import Problem, preparation, problems
from benchmarks.papers.tsamardinos2018.dropping import RULES, TiesCount, one_draw
from benchmarks.papers.tsamardinos2018.fast_grid import NAMES, Grid, Rows
from benchmarks.papers.tsamardinos2018.portfolio import load_models, score_new
from benchmarks.papers.tsamardinos2018.replay import Replay, replay
from earnest.core.base.rng import Seeds
from earnest.training.learners.portfolio import load_portfolio
from earnest.training.learners.preprocessing import Inputs

NAME = "tsamardinos2018"
TOLERANCE = 1e-6
MORE_ROOMS = ("training",)
REASONS: Sequence[Reason] = ()
FOLDS, REPEATS, RESAMPLES = 10, 10, 1000
POOL = 0.3  # of a data set; the rest is held out
LAWS = ((9, 6), (14, 6), (24, 6), (54, 6))
SIZES = (20, 40, 60, 80, 100, 500, 1000)
CONFIGS = (50, 100, 200, 300, 500, 1000, 2000)
SETS = (
    "digits",
    "coil2000",
    "credit_data",
    "phishing_river",
    "phoneme",
    "spambase",
    "stackoverflow",
)
LARGE = ("digits", "credit_data", "phoneme", "spambase")  # 250 cases of each class in the pool
SOME = 140  # every so manyth of the 610 configurations, for the tests
TREES = 20  # instead of 1000: see the page
MOST = 1500  # cases held out that score
LEVELS = (*(round(0.5 + 0.05 * i, 2) for i in range(10)), 0.99)
COUNTS = (1, 2, 3, 4, 6, 10)  # of repeats
SIMULATED = ("cvt", "tt", "ncv", "bbc", "bced")
DROPPING = ("trained", "ratio", "survivors", "holdout_auc")
PROTOCOLS = ("bbc", "bced", "bbc10")  # that have intervals
CHOSEN_BY = {
    "cvt": "bbc",
    "tt": "bbc",
    "ncv": "ncv",
    "bbc": "bbc",
    "bced": "bced",
    "bbc10": "bbc10",
}
COMMITTED = ("portfolio",)  # tables with replications of many hours, which go on from there
DRAWN = {"samples": "", "portfolio": "portfolio_"}  # samples of real data, and their tables
FIRST_FOLD = en.rules.BCED(min_predictions=2)  # drops from the first fold on
EARLY = {"early_samples": FIRST_FOLD, "tied_samples": TiesCount(min_predictions=2)}
SUBSETS = 8 * 20 * 6 + 20 * 5  # samples of the paper: dexter has none of 500 cases
MADE_FROM = {
    "claims": ("figure1",),
    "early_figure2": ("early_samples",),
    "figure3": ("early_samples",),
    "ties": ("tied_samples",),
    **{
        f"{before}{name}": (source,)
        for source, before in DRAWN.items()
        for name in ("figure2", "figure5", "figure6", "figure7")
    },
}


def grid(scale: Scale, data: Path | None) -> list[Cell]:
    """List the cells; real data beyond the digits where there is a folder with them."""
    if scale is Scale.SMOKE:
        return [
            Cell.of("figure1", 2, alpha=9, beta=6, cases=40, configs=50),
            Cell.of("early", 2, alpha=9, beta=6, cases=40, configs=50),
            Cell.of("samples", 1, set="digits", cases=20),
            Cell.of("early_samples", 2, set="digits", cases=40),
            Cell.of("tied_samples", 2, set="digits", cases=40),
            Cell.of("text", 1),
            Cell.of("table1", 1, set="digits"),
            Cell.of("portfolio", 1, set="digits", cases=20, every=SOME, trees=TREES),
        ]
    small = scale is Scale.SMALL
    sizes, configs = ((20, 40, 100, 500), (50, 200)) if small else (SIZES, CONFIGS)
    cells = [
        Cell.of("figure1", 50 if small else 500, alpha=a, beta=b, cases=n, configs=c)
        for a, b in LAWS
        for n in sizes
        for c in configs
        if not small or a == LAWS[0][0] or (n, c) in ((40, 200), (500, 200))
    ]
    cells += [
        Cell.of("early", 20 if small else 200, alpha=9, beta=6, cases=n, configs=c)
        for n in sizes
        for c in configs
    ]
    sets = SETS if data is not None else ("digits",)
    cells += [
        Cell.of(table, 10 if small else 20, data, set=name, cases=n)
        for table in ("samples", *EARLY)
        for n in ((20, 40, 100) if small else (20, 40, 60, 80, 100, 500))
        for name in sets
        if n < 500 or name in LARGE
    ]
    cells += [Cell.of("table1", 1, data, set=name) for name in sets]
    cells.append(Cell.of("text", 1))
    three = ("digits", "spambase", "phoneme") if data is not None else ("digits",)
    cells.append(Cell.of("portfolio", 1, set="digits", cases=20, every=SOME, trees=TREES))
    cells += [
        Cell.of("portfolio", 1 if small else 20, data, set=name, cases=n, every=1, trees=TREES)
        for name in three
        for n in ((20,) if small else (20, 40, 60, 80, 100, 500))
    ]
    if not small:
        cells += [Cell.of("figure4", 20, data, set=name, cases=500) for name in sets]
    return cells


def stream(cell: Cell, replication: int) -> np.random.Generator:
    """Return the random numbers of one replication: what drops early has samples of figure 2."""
    same = replace(cell, table="samples") if cell.table in EARLY else cell
    return same.rng(replication)


def run(cell: Cell, rng: np.random.Generator) -> Mapping[str, float]:
    """Return one replication."""
    if cell.table == "text":
        return find_design(rng)
    if cell.table == "figure1":
        return simulate(cell, rng)
    if cell.table == "early":
        return simulate_early(cell, rng)
    problem = read_problem(cell.data, str(cell["set"]))
    if cell.table == "table1":
        return describe(problem)
    if cell.table == "portfolio":
        return run_portfolio(cell, problem, rng)
    if cell.table == "samples":
        return draw_sample(problem, cell.number("cases"), rng)
    if cell.table in EARLY:
        return draw_early(problem, cell.number("cases"), EARLY[cell.table], rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of solvers that did not converge: bad configurations
        rows = one_draw(problem, int(rng.integers(2**31)))
    return {f"{row['rule']}: {name}": float(row[name]) for row in rows for name in DROPPING}


@cache
def read_problem(folder: Path | None, name: str) -> Problem:
    """Return one data set."""
    return next(problems(folder, [name]))


# ---------------------------------------------------------------------------- figure 1


@dataclass(frozen=True, eq=False)
class Simulated:
    """A simulated cross-validation: true accuracies, what was predicted, gains (K, C), a seed."""

    truth: Floats
    pi: en.Predictions
    scores: Floats
    seed: int

    @property
    def best(self) -> int:
        """The configuration with the best mean of folds."""
        return int(self.scores.mean(axis=0).argmax())

    def find_bias(self, pi: en.Predictions) -> float:
        """Return by how much BBC of some predictions is too good for what it chose."""
        made = en.estimate(pi, metric="accuracy", n_resamples=RESAMPLES, rng=self.seed)
        return float(made.value - self.truth[self.pi.configs.index(str(made.winner))])

    def drop(self, rule: en.rules.BCED) -> en.Predictions:
        """Return the predictions that a rule of early dropping would have left."""
        return replay(self.pi, "accuracy", rule, Seeds(self.seed)).pi


def draw_simulated(cell: Cell, rng: np.random.Generator) -> Simulated:
    """Draw true accuracies from a Beta law, and what each configuration gets right."""
    cases, configs = cell.number("cases"), cell.number("configs")
    truth = rng.beta(cell.number("alpha"), cell.number("beta"), configs)
    right = rng.random((cases, configs)) < truth  # a number of its own for each configuration
    y, folds = np.tile([0, 1], cases // 2), np.arange(cases) % FOLDS
    labels = np.where(right, y[:, None], 1 - y[:, None])
    pi = en.Predictions.from_arrays(y, labels, folds, response="label")
    scores = np.array([right[folds == k].mean(axis=0) for k in range(FOLDS)])  # (K, C)
    return Simulated(truth, pi, scores, int(rng.integers(2**31)))


def simulate(cell: Cell, rng: np.random.Generator) -> dict[str, float]:
    """Return by how much each protocol is too good."""
    made = draw_simulated(cell, rng)
    chosen = float(made.truth[made.best])
    return {
        "cvt": float(made.scores[:, made.best].mean()) - chosen,
        "tt": tibshirani(made.scores) - chosen,
        "ncv": nested(made.scores) - chosen,
        "bbc": made.find_bias(made.pi),
        "bced": made.find_bias(made.drop(en.rules.BCED())),
    }


def simulate_early(cell: Cell, rng: np.random.Generator) -> dict[str, float]:
    """Return by how much NCV is too good, and BCED if it drops from the first fold on."""
    made = draw_simulated(cell, rng)
    return {
        "ncv": nested(made.scores) - float(made.truth[made.best]),
        "bced": made.find_bias(made.drop(FIRST_FOLD)),
    }


def tibshirani(scores: Floats) -> float:
    """Return the estimate of Tibshirani and Tibshirani from gains (K, C)."""
    best = scores.mean(axis=0).max()
    return float(2 * best - scores.max(axis=1).mean())


def nested(scores: Floats) -> float:
    """Return the nested estimate from gains (K, C): each fold by the winner of the others."""
    others = (scores.sum(axis=0) - scores).round(9)  # rounding errors know the own fold
    winners = others.argmax(axis=1)
    return float(scores[np.arange(len(scores)), winners].mean())


# ---------------------------------------------------------------------------- small samples


def draw_sample(problem: Problem, n: int, rng: np.random.Generator) -> dict[str, float]:
    """Return what the protocols say of a sample, and how good what they chose is."""
    grid, new, outcome = sample(problem, n, rng)
    seed = int(rng.integers(2**31 - REPEATS))
    said = grid.scores_of_new(new)

    def truth(config: str) -> float:
        return float(roc_auc_score(outcome, said[:, NAMES.index(config)]))

    return try_protocols(grid.y, NAMES, grid.scores, truth, seed)[0]


def draw_early(
    problem: Problem, n: int, rule: en.rules.BCED, rng: np.random.Generator
) -> dict[str, float]:
    """Return what early dropping from the first fold on says of a sample, saves and costs."""
    grid, new, outcome = sample(problem, n, rng)
    seed = int(rng.integers(2**31 - REPEATS))
    scores = grid.scores_of_new(new)
    folds = _folds(grid.y, seed)
    outer = predict_folds(grid.scores, folds)
    pi = en.Predictions.from_arrays(
        grid.y.astype(int), outer, folds, configs=NAMES, response="decision"
    )
    early = replay(pi, "roc_auc", rule, Seeds(seed))
    asked: dict[str, Any] = {"metric": "roc_auc", "n_resamples": RESAMPLES, "rng": seed}
    estimates = {"bbc": en.estimate(pi, **asked), "bced": en.estimate(early.pi, **asked)}
    out = {name: estimate.value for name, estimate in estimates.items()}
    winners = {name: NAMES.index(str(estimate.winner)) for name, estimate in estimates.items()}
    if rule is FIRST_FOLD:
        out["ncv"], winners["ncv"] = nest_folds(grid.y, folds, outer, grid.scores)
    third = np.isnan(early.pi.responses[folds == 2, :, 0]).all(axis=0)
    return {
        **out,
        **{
            f"truth_{name}": float(roc_auc_score(outcome, scores[:, winner]))
            for name, winner in winners.items()
        },
        "cvt": float(estimates["bbc"].naive or np.nan),
        "times faster": FOLDS * len(NAMES) / early.trained,
        "dropped after two folds": float(third.mean()),
    }


def try_protocols(
    y: Floats,
    names: Sequence[str],
    train: Callable[[Rows, Rows], Floats],
    truth: Callable[[str], float],
    seed: int,
) -> tuple[dict[str, float], Replay]:
    """Return what every protocol says of what it chose, and how good that is; and the dropping.

    Parameters
    ----------
    y : ndarray, shape (n,)
        The outcome of a sample.
    names : sequence of str
        The configurations.
    train : callable
        Takes rows to train on and rows to score, and returns the scores of all configurations.
    truth : callable
        Takes a configuration, and returns the AUC on new cases of its model of all rows.
    seed : int
        Of folds and resamples.
    """
    folds = np.stack([_folds(y, seed + r) for r in range(REPEATS)], axis=1)
    scores = np.stack([predict_folds(train, folds[:, r]) for r in range(REPEATS)], axis=2)
    every = en.Predictions.from_arrays(
        y.astype(int), scores, folds, configs=names, response="decision"
    )
    asked: dict[str, Any] = {"metric": "roc_auc", "n_resamples": RESAMPLES, "rng": seed}
    made = {count: en.estimate(_first(every, count), **asked) for count in COUNTS}
    single = _first(every, 1)
    early = replay(single, "roc_auc", en.rules.BCED(), Seeds(seed))
    outer, refit = nest_folds(y, folds[:, 0], scores[:, :, 0], train)
    found = {"bbc": made[1], "bced": en.estimate(early.pi, **asked), "bbc10": made[REPEATS]}
    chosen = {**{name: str(one.winner) for name, one in found.items()}, "ncv": names[refit]}
    truths = {config: truth(config) for config in dict.fromkeys(chosen.values())}
    out = {f"truth_{name}": truths[config] for name, config in chosen.items()}
    out["cvt"] = float(made[1].naive or np.nan)
    out["tt"] = en.estimate(single, method="tibshirani", metric="roc_auc").value
    out["ncv"] = outer
    out |= {name: one.value for name, one in found.items()}
    out |= {f"width_{count}": _width(made[count]) for count in COUNTS}
    for name, one in found.items():
        for level in LEVELS:
            interval = one.at(confidence_level=level).interval
            assert interval is not None
            out[f"{name}_low_{level:g}"], out[f"{name}_high_{level:g}"] = (
                interval.low,
                interval.high,
            )
    return out, early


def split(problem: Problem, n: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Return the rows of a balanced sample of the pool, and of the cases held out."""
    rows = np.arange(len(problem.y))
    pool, rest = train_test_split(rows, train_size=POOL, stratify=problem.y, random_state=0)
    parts = [rng.choice(pool[problem.y[pool] == label], n // 2, replace=False) for label in (0, 1)]
    mine = rng.permutation(np.concatenate(parts))
    return mine, rng.permutation(rest)[:MOST]


def sample(problem: Problem, n: int, rng: np.random.Generator) -> tuple[Grid, Floats, Floats]:
    """Return a balanced sample of the pool, and features and outcome of the cases held out."""
    mine, rest = split(problem, n, rng)
    ready = preparation().fit(problem.X.iloc[mine])
    X, new = (np.asarray(ready.transform(problem.X.iloc[part])) for part in (mine, rest))
    return Grid(X, problem.y[mine].astype(np.float64)), new, problem.y[rest].astype(np.float64)


def _folds(y: Floats, seed: int) -> Rows:
    out = np.empty(len(y), dtype=np.intp)
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    for fold, (_, test) in enumerate(splitter.split(y, y)):
        out[test] = fold
    return out


def predict_folds(train: Callable[[Rows, Rows], Floats], folds: Rows) -> Floats:
    """Return the out-of-sample scores of all configurations: (n, C)."""
    parts, tests = [], []
    for fold in range(FOLDS):
        tests.append(np.flatnonzero(folds == fold))
        parts.append(train(np.flatnonzero(folds != fold), tests[-1]))
    return np.concatenate(parts)[np.argsort(np.concatenate(tests))]


def _first(pi: en.Predictions, count: int) -> en.Predictions:
    return en.Predictions.from_arrays(
        pi.target.y,
        pi.responses[:, :, :count],
        pi.folds[:, :count],
        configs=pi.configs,
        response="decision",
    )


def nest_folds(
    y: Floats, folds: Rows, outer: Floats, train: Callable[[Rows, Rows], Floats]
) -> tuple[float, int]:
    """Return the nested estimate, and the winner of all folds by their mean."""
    inner = np.full((FOLDS, FOLDS, outer.shape[1]), np.nan)  # outer fold, inner fold
    for k in range(FOLDS):
        for j in range(k):
            test = np.flatnonzero((folds == k) | (folds == j))
            said = train(np.flatnonzero((folds != k) & (folds != j)), test)
            inner[k, j] = _auc(y[test], said, folds[test] == j)
            inner[j, k] = _auc(y[test], said, folds[test] == k)
    winners = np.nanmean(inner, axis=1).argmax(axis=1)
    each = np.stack([_auc(y, outer, folds == k) for k in range(FOLDS)])
    return float(each[np.arange(FOLDS), winners].mean()), int(each.mean(axis=0).argmax())


def _auc(y: Floats, said: Floats, rows: Any) -> Floats:
    """Return the AUC of every configuration on some rows: (C,)."""
    high, low = said[rows & (y == 1)], said[rows & (y == 0)]
    apart = high[:, None] - low[None]
    return np.asarray(((apart > 0) + 0.5 * (apart == 0)).mean(axis=(0, 1)))


def _width(made: en.results.Estimate) -> float:
    assert made.interval is not None
    return made.interval.high - made.interval.low


# ---------------------------------------------------------------------------- the portfolio


def describe(problem: Problem) -> dict[str, float]:
    """Return what table 1 says of a data set: cases, variables, ratio of classes, pool and rest."""
    cases, positive = len(problem.y), int(problem.y.sum())
    pool = int(POOL * cases)  # as scikit-learn divides
    return {
        "samples": cases,
        "variables": problem.X.shape[1],
        "pr/nr": positive / (cases - positive),
        "pool": pool,
        "holdout": cases - pool,
    }


def find_design(rng: np.random.Generator) -> dict[str, float]:
    """Return the numbers of the text that are no results: what was drawn, trained and waited for.

    BBC and what needs no more share 10 models of a configuration, ten repeats take 100, and nested
    cross-validation 100.
    """
    inputs = Inputs(("a", "b"), (0, 0), (False, False), n_cases=100)
    whole = load_portfolio("tsamardinos2018").configurations("binary", inputs, rng=0)
    models = FOLDS + FOLDS * REPEATS + FOLDS**2
    settings = len(LAWS) * len(SIZES) * len(CONFIGS)
    cell = Cell.of("figure1", 1, alpha=LAWS[0][0], beta=LAWS[0][1], cases=100, configs=50)
    simulated = draw_simulated(cell, rng)
    folds = np.arange(cell.number("cases")) % FOLDS
    responses = simulated.drop(en.rules.BCED()).responses[:, :, 0]
    lost = [bool(np.isnan(responses[folds == fold]).any()) for fold in range(FOLDS)]
    return {
        **{f"mean accuracy of Beta({a}, {b})": float(beta.mean(a, b)) for a, b in LAWS},
        **{f"variance of Beta({a}, {b})": float(beta.var(a, b)) for a, b in LAWS},
        "settings of figure 1": settings,
        "matrices of predictions of figure 1": 500 * settings,
        "configurations of section 6.2": len(whole),
        "models trained in section 6.2, whole millions": SUBSETS * len(whole) * models // 10**6,
        "folds before the first drop with 100 cases": lost.index(True),
    }


def run_portfolio(cell: Cell, problem: Problem, rng: np.random.Generator) -> dict[str, float]:
    """Return what the protocols say of the published configurations, and the truth."""
    n = cell.number("cases")
    mine, rest = split(problem, n, rng)
    X, y = problem.X.to_numpy(dtype=np.float64), problem.y.astype(np.float64)  # numbers only
    seed = int(rng.integers(2**31 - REPEATS))
    columns = [str(column) for column in problem.X.columns]
    models = load_models(columns, n, seed, cell.number("every"), cell.number("trees"))
    every, sample = list(models.values()), X[mine]

    def train(inside: Rows, outside: Rows) -> Floats:
        return score_new(every, sample[inside], y[mine][inside], sample[outside])

    def truth(config: str) -> float:
        said = score_new([models[config]], sample, y[mine], X[rest])
        return float(roc_auc_score(y[rest], said[:, 0]))

    found, early = try_protocols(y[mine], list(models), train, truth, seed)
    return {"configs": len(models), "trained": early.trained / len(models), **found}


# ---------------------------------------------------------------------------- what it shows


def find(done: Mapping[str, Sequence[Done]]) -> dict[str, list[Finding]]:
    """Return the numbers behind the figures, and what became of the paper's claims."""
    out: dict[str, list[Finding]] = {}
    if "figure1" in done:
        out["figure1"] = [
            Finding.mean(part.cell.name, name, part[name], Kind.SHOWN)
            for part in done["figure1"]
            for name in SIMULATED
        ]
        out["claims"] = _claims(done["figure1"])
    if "early" in done:
        out["early"] = [
            *(
                Finding.mean(part.cell.name, name, part[name], Kind.SHOWN)
                for part in done["early"]
                for name in ("ncv", "bced")
            ),
            *_gaps(done["early"], "bced"),
        ]
    for source, before in DRAWN.items():
        parts = [part for part in done.get(source, ()) if _is_whole(part)]
        if parts:
            out |= {f"{before}{name}": lines for name, lines in _show_protocols(parts).items()}
    if "early_samples" in done:
        out |= _show_early(_with_all(done["early_samples"]))
    if "tied_samples" in done:
        out["ties"] = [
            Finding.mean(part.cell.name, name, values, Kind.SHOWN)
            for part in _with_all(done["tied_samples"])
            for name, values in _list_costs(part).items()
        ]
    if "text" in done:
        out["text"] = [
            Finding(name, "design", Kind.EXACT, float(done["text"][0][name][0]), 1)
            for name in done["text"][0].names
        ]
    if "table1" in done:
        out["table1"] = [
            Finding(part.cell.name, name, Kind.SHOWN, float(part[name][0]), 1)
            for part in done["table1"]
            for name in part.names
        ]
    if "portfolio" in done:
        whole = _with_all([part for part in done["portfolio"] if _is_whole(part)])
        out["portfolio"] = [one for part in whole for one in _show_dropping(part)]
    if "figure4" in done:
        out["figure4"] = [
            Finding.mean(f"{part.cell.name} rule={rule}", name, part[f"{rule}: {name}"], Kind.SHOWN)
            for part in done["figure4"]
            for rule in RULES
            for name in DROPPING
        ]
    return out


def _is_whole(part: Done) -> bool:
    """Tell whether a cell has all configurations; the tests run a few of the 610 only."""
    return dict(part.cell.facts).get("every", 1) == 1


def _show_protocols(parts: Sequence[Done]) -> dict[str, list[Finding]]:
    """Return the numbers of figures 2, 5, 6 and 7."""
    every = _with_all(parts)
    return {
        "figure2": [
            Finding.mean(part.cell.name, name, part[name] - part[f"truth_{by}"], Kind.SHOWN)
            for part in every
            for name, by in CHOSEN_BY.items()
        ],
        "figure5": [
            Finding.mean(
                part.cell.name,
                f"over {name}",
                part["truth_bbc10"] / part[f"truth_{name}"],
                Kind.SHOWN,
            )
            for part in every
            for name in ("bbc", "ncv")
        ],
        "figure6": [one for part in every[len(parts) :] for one in _coverage(part)],
        "figure7": [
            Finding.mean(part.cell.name, f"repeats={count}", part[f"width_{count}"], Kind.SHOWN)
            for part in every
            for count in COUNTS
        ],
    }


def _show_early(parts: Sequence[Done]) -> dict[str, list[Finding]]:
    """Return the numbers of figures 2 and 3 if dropping starts with the first fold."""
    names = ("cvt", "ncv", "bbc", "bced")
    bias = []
    for part in parts:
        off = {name: part[name] - part[f"truth_{CHOSEN_BY[name]}"] for name in names}
        off["bced less bbc"] = off["bced"] - off["bbc"]
        bias += [
            Finding.mean(part.cell.name, name, values, Kind.SHOWN) for name, values in off.items()
        ]
    costs = [
        Finding.mean(part.cell.name, name, values, Kind.SHOWN)
        for part in parts
        for name, values in _list_costs(part).items()
        if name != "bced"
    ]
    return {"early_figure2": bias, "figure3": costs}


def _list_costs(part: Done) -> dict[str, Floats]:
    """Return the bias of early dropping, what it costs and what it saves."""
    return {
        "bced": part["bced"] - part["truth_bced"],
        "over cvt": part["truth_bced"] / part["truth_bbc"],
        "times faster": part["times faster"],
        "dropped after two folds": part["dropped after two folds"],
    }


def _show_dropping(part: Done) -> list[Finding]:
    """Return figure 3 for the 610 configurations: what early dropping saves, and what it costs."""
    shown = {
        "configurations": part["configs"],
        "times faster": FOLDS / part["trained"],
        "AUC": part["truth_bbc"],
        "AUC of bced": part["truth_bced"],
    }
    row = part.cell.name
    return [Finding.mean(row, name, values, Kind.SHOWN) for name, values in shown.items()]


def _with_all(parts: Sequence[Done]) -> list[Done]:
    """Return the cells, then one for each size with the samples of all its sets."""
    out = list(parts)
    for n in dict.fromkeys(part.cell.number("cases") for part in parts):
        mine = [part for part in parts if part.cell["cases"] == n]
        values = np.vstack([part.values for part in mine])
        facts = {**dict(mine[0].cell.facts), "set": "all"}
        cell = Cell(mine[0].cell.table, tuple(facts.items()), len(values))
        out.append(Done(cell, mine[0].names, values, 0.0))
    return out


def _coverage(part: Done) -> list[Finding]:
    """Return how often the intervals of each level hold the AUC of what was chosen."""
    out = []
    for name in PROTOCOLS:
        truth = part[f"truth_{name}"]
        for level in LEVELS:
            held = (part[f"{name}_low_{level:g}"] <= truth) & (
                truth <= part[f"{name}_high_{level:g}"]
            )
            out.append(Finding.share(f"{part.cell.name} level={level:g}", name, held))
    return out


def _claims(parts: Sequence[Done]) -> list[Finding]:
    """Return in how many settings each statement on figure 1 held, up to two standard errors.

    Figure 1 is of Beta(9, 6), and the paper says that the other laws are similar.
    """

    def bias(part: Done, name: str) -> tuple[float, float]:
        return float(part[name].mean()), float(part[name].std(ddof=1) / len(part.values) ** 0.5)

    def count(words: str, held: list[bool]) -> Finding:
        return Finding(words, "settings", Kind.SHOWN, float(sum(held)), len(held))

    def signed(name: str, sign: float, some: Sequence[Done]) -> list[bool]:
        return [sign * bias(p, name)[0] > -2 * bias(p, name)[1] for p in some]

    large = [p for p in parts if p.cell.number("cases") >= 500]
    shown = [p for p in parts if p.cell["alpha"] == 9]
    out = [
        count("CVT over-estimates in all settings", signed("cvt", 1.0, parts)),
        count("TT is conservative from 500 cases on", signed("tt", -1.0, large)),
        count(
            "NCV is almost unbiased",
            [abs(bias(p, "ncv")[0]) <= 2 * bias(p, "ncv")[1] for p in parts],
        ),
        count("BBC is conservative", signed("bbc", -1.0, parts)),
        count(
            "BCED is no more biased than BBC",
            [
                abs(bias(p, "bced")[0]) <= abs(bias(p, "bbc")[0]) + 2 * bias(p, "bced")[1]
                for p in parts
            ],
        ),
    ]
    largest = max(shown, key=lambda part: bias(part, "cvt")[0])
    return [
        *out,
        Finding.mean("the largest bias of CVT, Beta(9, 6)", "bias", largest["cvt"]),
        *_gaps(shown, "bbc"),
        *_gaps(shown, "bced"),
    ]


def _gaps(parts: Sequence[Done], name: str) -> list[Finding]:
    """Return by how much a protocol is below NCV, on average over settings and at most.

    The protocols of a run share its data. Their errors are added up as if they did not, as the
    errors of the published numbers are not known better.
    """
    gaps = [float((part["ncv"] - part[name]).mean()) for part in parts]
    spreads = [math.hypot(*(part[of].std(ddof=1) for of in ("ncv", name))) for part in parts]
    most, runs = int(np.argmax(gaps)), min(len(part.values) for part in parts)
    words, mean = f"NCV less {name.upper()}", math.hypot(*spreads) / len(parts)
    return [
        Finding(f"{words}, mean", "bias", Kind.MEAN, float(np.mean(gaps)), runs, mean),
        Finding(f"{words}, most", "bias", Kind.MEAN, gaps[most], runs, spreads[most]),
    ]


def draw_figures(folder: Path) -> None:
    """Draw what the results show."""
    from benchmarks.papers.tsamardinos2018.figures import draw_all

    draw_all(folder)
