"""Paraschakis et al. 2024: lower bounds of the winner's AUC, simulated and on real data.

Table 1: the data at hand. Table 2 and the selected models: true AUCs from Beta(alpha, beta),
binormal scores, fixed class sizes, at most ten folds (section 4.1). Table 3 and figure 2 in kind:
cross-validation of 43 fast configurations on samples of real data, the winner scored on the rest.
Own data: the simulations of table 2 once more, on the very data sets of the paper.
Figure 3: running times. All methods run as published.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

import earnest as en
from benchmarks.papers.agreement import read_published
from benchmarks.papers.paraschakis2024.as_published import (
    PublishedBBC,
    PublishedBBCFold,
    PublishedDeLong,
    PublishedHanleyMcNeil,
    PublishedNaiveBootstrap,
)
from benchmarks.papers.paraschakis2024.own_data import DATA_SETS, Place, draw_data
from benchmarks.papers.paraschakis2024.plain_mabt import bound_of_best, bound_with_plain_weights
from benchmarks.papers.study import (
    Cell,
    Done,
    Finding,
    Floats,
    Kind,
    Reason,
    Scale,
    seed_words,
)
from earnest.core import Side

NAME = "paraschakis2024"
TOLERANCE = 1e-6
LEVEL, ALPHA, RESAMPLES = 0.95, 0.05, 500
MADE_FROM = {
    **dict.fromkeys(("ranks", "selected", "pooled"), ("table2",)),
    **dict.fromkeys(("ranks_real", "selected_real"), ("table3",)),
}

SPLIT: dict[str, Any] = {"split": "unstratified", "direction": "auto"}
TILT: dict[str, Any] = {**SPLIT, "variant": "uncapped"}
TENTH: dict[str, Any] = {"preselect": 0.1}
BOOTSTRAPS: dict[str, Any] = {
    "bbc": PublishedBBC(n_resamples=RESAMPLES),
    "bbc_fold": PublishedBBCFold(n_resamples=RESAMPLES, exact=False),
    "naive_bootstrap": PublishedNaiveBootstrap(n_resamples=500),
}
RIVALS: dict[str, Any] = {
    "delong": PublishedDeLong(**SPLIT),
    "hanley_mcneil": PublishedHanleyMcNeil(**SPLIT),
    "tilted": en.methods.Tilted(**TILT),
    "delong_10p": PublishedDeLong(**SPLIT, **TENTH),
    "hanley_mcneil_10p": PublishedHanleyMcNeil(**SPLIT, **TENTH),
    "tilted_10p": en.methods.Tilted(**TILT, **TENTH),
    "mabt": en.methods.MABT(**TILT),
}
METHODS = (*BOOTSTRAPS, *RIVALS)
FORMULAS = ("delong", "hanley_mcneil", "delong_10p", "hanley_mcneil_10p")
GROUPS = {"bbc": "BBC, BBC-F", "delong": "DL, HM, BT", "mabt": "DL10p, HM10p, BT10p, MABT"}
SETS = {"credit_g": 50, "spambase": 50, "phoneme": 50, "phishing_river": 50, "coil2000": 500}
TIMES: dict[str, tuple[int, ...]] = {
    "samples": (50, 100, 250, 500, 1000, 5000, 10000),
    "configs": (5, 10, 20, 50, 100, 250),
    "folds": (3, 5, 10, 20, 30, 50),
}
EVALUATED = ("drawn anew", 13, 15, 17, 19)  # cases of the minority that evaluate, of 50
PART, EACH_FOLD = "the part", "each fold"  # of the evaluation part, which has both classes
SPLITTERS = {"delong": "DL, HM, BT", "delong_10p": "DL10p, HM10p, BT10p, MABT"}
NOT_NORMALISED = "regression, ties exact, weights not normalised"
VERSIONS = (
    "formula, ties exact",
    "formula, ties broken",
    "regression, ties exact",
    "regression, ties broken",
    NOT_NORMALISED,
)
WEIGHTS = {"divided by their sum": "regression, ties exact", "as they are": NOT_NORMALISED}
BY_FOLD = (
    "likely the splits: with both classes in each fold of the evaluation part it agrees "
    "(`own_data`)"
)
NOT_DIVIDED = (
    "likely the weights: with weights that are not divided by their sum, both classes in each fold "
    "and 10,000 resamples it agrees (`resamples`)"
)
BY_FOLD_AND_MORE = (
    "likely the splits and resamples: with both classes in each fold and 10,000 resamples it "
    "agrees (`resamples`)"
)
MORE_RESAMPLES = "likely the resamples: with 10,000 it agrees (`resamples`)"
# the tightness of mabt with these configurations does not agree in `resamples` either
NOT_OPEN = r"^(?!alpha=9 .*configs=500 minority=0\.1.* tightness)"
REASONS: Sequence[Reason] = (
    Reason("pooled", r"method=\w+_10p", BY_FOLD),
    *(Reason(table, r"method=(?!mabt)", BY_FOLD) for table in ("table2", "own_data")),
    *(Reason(table, f"{NOT_OPEN}.*method=mabt", NOT_DIVIDED) for table in ("table2", "own_data")),
    Reason("ties", f"{NOT_OPEN}.*weights not normalised", BY_FOLD_AND_MORE),
    Reason("ties", NOT_OPEN, NOT_DIVIDED),
    Reason("weights", r"minority=0\.5.*weights=as they are", MORE_RESAMPLES),
    Reason("weights", f"{NOT_OPEN}.*weights=as they are", BY_FOLD_AND_MORE),
    Reason("weights", NOT_OPEN, NOT_DIVIDED),
)
TRIED = {  # tables of what we tried, and why
    "own_data": "table 2 again on the paper's own data, with two rules of splits",
    "pooled": "table 2 over settings with the same number of cases",
    "ties": "versions of `mabt`, to find why it differs",
    "weights": "two kinds of weights of `mabt` and two rules of splits, to find why it differs",
    "resamples": "`mabt` with 10,000 resamples and the best of these versions",
}


@dataclass(frozen=True)
class Setting:
    """One row of table 2: the law of the true AUCs, cases, configurations, minority share."""

    alpha: int
    beta: int
    cases: int
    configs: int
    minority: float

    @property
    def few(self) -> int:
        """The number of cases of the minority, which is class 0."""
        return int(self.cases * self.minority)

    @property
    def folds(self) -> int:
        """At most ten folds, each with a case of the minority."""
        return min(10, int(self.cases * min(self.minority, 1 - self.minority)))

    @property
    def splits(self) -> bool:
        """Whether the learning part can have every class in every fold, as the paper asks."""
        return self.cases * self.minority * 0.75 >= self.folds


SETTINGS = tuple(
    Setting(alpha, 6, cases, configs, minority)
    for alpha in (24, 9)
    for cases in (500, 50)
    for configs in (100, 500)
    for minority in (0.1, 0.5)
)


def grid(scale: Scale, data: Path | None) -> list[Cell]:
    """List the cells; those of table 3 where there is a folder with data."""
    if scale is Scale.SMOKE:
        few = (Setting(9, 6, 50, 100, 0.5), Setting(24, 6, 500, 100, 0.1))
        return [*(_cell(setting, 2) for setting in few), _own_cell(few[0], 2, PART)]
    many = {Scale.SMALL: 200, Scale.FULL: 1000}[scale]
    cells = [_cell(setting, many) for setting in SETTINGS]
    cells += [
        Cell.of("evaluation", 3 * many // 10, alpha=a, cases=500, configs=c, minority_evaluated=m)
        for a in (24, 9)
        for c in (100, 500)
        for m in EVALUATED
    ]
    cells += [_own_cell(setting, 2 * many, PART) for setting in SETTINGS]
    cells += [
        _own_cell(setting, 2 * many, EACH_FOLD)
        for setting in SETTINGS
        if (setting.cases, setting.minority) == (500, 0.1)
    ]
    cells += [
        Cell.of("weights", 2 * many, **asdict(setting), both_classes_in=rule)
        for setting in SETTINGS
        if setting.cases == 500
        for rule in ((PART, EACH_FOLD) if setting.minority == 0.1 else (PART,))
    ]
    cells += [
        Cell.of("resamples", 2 * many, **asdict(setting), both_classes_in=rule)
        for setting in SETTINGS
        if setting.cases == 500
        for rule in (EACH_FOLD if setting.minority == 0.1 else PART,)
    ]
    cells += [
        Cell.of("ties", many // 4, alpha=a, cases=500, configs=c, minority=b)
        for a in (24, 9)
        for c, b in ((100, 0.1), (500, 0.1), (100, 0.5))
    ]
    for axis, values in TIMES.items():
        cells += [
            Cell.of("figure3", 5 if scale is Scale.SMALL else 100, None, False, axis=axis, at=value)
            for value in values
        ]
    if data is not None:
        runs = {Scale.SMALL: 50, Scale.FULL: 100}[scale]
        cells += [Cell.of("table3", runs, data, set=s, cases=n) for s, n in SETS.items()]
        cells += [Cell.of("table1", 1, data, set=s, cases=n) for s, n in SETS.items()]
    return cells


def _cell(setting: Setting, runs: int) -> Cell:
    return Cell.of("table2", runs, **asdict(setting))


def _own_cell(setting: Setting, runs: int, both_classes_in: str) -> Cell:
    return Cell.of("own_data", runs, **asdict(setting), both_classes_in=both_classes_in)


def stream(cell: Cell, number: int) -> np.random.Generator:
    """Return the random numbers of a replication, whose number also seeds the methods."""
    if cell.table != "table2":
        return cell.rng(number)
    names = ("alpha", "beta", "cases", "configs")
    key = [*(cell.number(name) for name in names), int(10 * float(cell["minority"]))]
    return np.random.default_rng([4321, *key, number])


def setting_of(cell: Cell) -> Setting:
    """Return the setting of a cell of table 2."""
    alpha, beta, cases, configs = (
        cell.number(name) for name in ("alpha", "beta", "cases", "configs")
    )
    return Setting(alpha, beta, cases, configs, float(cell["minority"]))


def run(cell: Cell, rng: np.random.Generator) -> Mapping[str, float]:
    """Return one replication."""
    import_module("earnest.kernels.compiled")  # hundreds of runs pay for loading it once
    return RUNS[cell.table](cell, rng)


def _simulate(cell: Cell, rng: np.random.Generator) -> dict[str, float]:
    """Return the bounds on a data set of our own."""
    setting = setting_of(cell)
    pi, truth = draw_scores(setting, rng)
    return bounds(pi, truth, {**BOOTSTRAPS, **choose_rivals(setting)}, seed_words(rng)[-1])


def choose_rivals(setting: Setting) -> dict[str, Any]:
    """Return the methods that split the data and have numbers of a setting in table 2."""
    if not setting.splits:
        return {}
    if setting.cases == 50:  # the table has no tilts there: each had runs without a bound
        return {name: RIVALS[name] for name in FORMULAS}
    return RIVALS


def draw_scores(setting: Setting, rng: np.random.Generator) -> tuple[en.Predictions, Floats]:
    """Return predictions and the true AUC of every configuration.

    theta ~ Beta(alpha, beta); scores of class 1 are N(0, 1), those of class 0 N(-mu, 1) with
    mu = sqrt(2) Phi^-1(theta). Class sizes are fixed, class 0 being the minority; labels are
    sorted and folds dealt out in turn.
    """
    truth = rng.beta(setting.alpha, setting.beta, setting.configs)
    shift = np.sqrt(2) * np.array([NormalDist().inv_cdf(t) for t in truth])
    scores = rng.standard_normal((setting.cases, setting.configs))
    scores[: setting.few] -= shift
    return make_predictions(setting, scores), truth


def make_predictions(setting: Setting, scores: Floats) -> en.Predictions:
    """Return the predictions of a setting, whose cases are sorted by class."""
    y = np.repeat([0, 1], [setting.few, setting.cases - setting.few])
    fold = np.arange(setting.cases) % setting.folds
    return en.Predictions.from_arrays(y, scores, fold, response="decision")


def _on_own_data(cell: Cell, rng: np.random.Generator) -> dict[str, float]:
    """Return the bounds on a published data set, with a split of our own."""
    setting = setting_of(cell)
    pi, truth = _take_own_data(setting, rng)
    each_fold = cell["both_classes_in"] == EACH_FOLD
    methods = {} if each_fold else dict(BOOTSTRAPS)
    rivals = choose_rivals(setting)
    if rivals:
        learn = draw_learning_part(pi, rng, each_fold=each_fold)
        how: dict[str, Any] = {"split": "stratified", "learn": tuple(learn.tolist())}
        methods |= {name: replace(method, **how) for name, method in rivals.items()}
    return bounds(pi, truth, methods, int(rng.integers(2**31)))


def _take_own_data(setting: Setting, rng: np.random.Generator) -> tuple[en.Predictions, Floats]:
    """Return the published data set of a replication: every one has its turn."""
    place = Place(setting.alpha, setting.cases, setting.configs, setting.minority)
    scores, truth = draw_data(place, seed_words(rng)[-1] % DATA_SETS)
    return make_predictions(setting, scores), truth


def bounds(
    pi: en.Predictions, truth: Floats, methods: Mapping[str, Any], seed: int
) -> dict[str, float]:
    """Return the lower bound of every method and the true AUC of what it chose.

    A method without an answer has none, as in the paper.
    """
    out = {}
    for name, method in methods.items():
        out[name] = out[f"truth_{name}"] = math.nan
        try:
            made = en.estimate(
                pi, method=method, metric="roc_auc", confidence_level=LEVEL, side="lower", rng=seed
            )
        except en.errors.EvidenceError:
            continue
        assert made.source is not None
        low, _ = made.source.limits(LEVEL, Side.LOWER)  # an interval would reach to the value
        out[name] = made.scale.clip(low)
        out[f"truth_{name}"] = float(truth[pi.configs.index(str(made.winner))])
    return out


def _fixed_evaluation(cell: Cell, rng: np.random.Generator) -> dict[str, float]:
    """Return the bounds where the evaluation part has so many cases of the minority."""
    setting = Setting(cell.number("alpha"), 6, 500, cell.number("configs"), 0.1)
    pi, truth = draw_scores(setting, rng)
    how: dict[str, Any] = {}
    if cell["minority_evaluated"] != EVALUATED[0]:
        learn = _learning_part(setting, cell.number("minority_evaluated"))
        how = {"split": "stratified", "learn": tuple(learn.tolist())}
    methods = {name: replace(RIVALS[name], **how) for name in SPLITTERS}
    return bounds(pi, truth, methods, int(rng.integers(2**31)))


def _ties(cell: Cell, rng: np.random.Generator) -> dict[str, float]:
    """Return the bound of MABT, and those of plain loops with other influences and ties."""
    setting = Setting(cell.number("alpha"), 6, 500, cell.number("configs"), float(cell["minority"]))
    pi, truth = draw_scores(setting, rng)
    return _plain_bounds(pi, truth, draw_learning_part(pi, rng), rng)


def _weights(cell: Cell, rng: np.random.Generator) -> dict[str, float]:
    """Return the bounds of the plain loops on a published data set, with either weights."""
    pi, truth = _take_own_data(setting_of(cell), rng)
    learn = draw_learning_part(pi, rng, each_fold=cell["both_classes_in"] == EACH_FOLD)
    found = _plain_bounds(pi, truth, learn, rng)
    return {"truth_mabt": found["truth_mabt"], **{name: found[name] for name in WEIGHTS.values()}}


def _plain_bounds(
    pi: en.Predictions, truth: Floats, learn: NDArray[np.bool_], rng: np.random.Generator
) -> dict[str, float]:
    """Return the bound of MABT, those of the plain loops, and the truth of what they chose."""
    bound, own, candidates = _choose_candidates(pi, truth, learn, rng)
    return {"truth_mabt": own, "mabt": bound, **bound_of_best(*candidates, ALPHA, rng)}


def _many_resamples(cell: Cell, rng: np.random.Generator) -> dict[str, float]:
    """Return the bound of the plain loops with more resamples, on a published data set."""
    pi, truth = _take_own_data(setting_of(cell), rng)
    learn = draw_learning_part(pi, rng, each_fold=cell["both_classes_in"] == EACH_FOLD)
    _, own, candidates = _choose_candidates(pi, truth, learn, rng)
    return {"truth_mabt": own, "mabt": bound_with_plain_weights(*candidates, ALPHA, rng)}


def _choose_candidates(
    pi: en.Predictions, truth: Floats, learn: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[float, float, tuple[Floats, Floats, int]]:
    """Return the bound of MABT, the truth of what it chose, and scores by class of its candidates.

    The last number says which of them it chose.
    """
    method = replace(RIVALS["mabt"], split="stratified", learn=tuple(learn.tolist()))
    made = en.estimate(
        pi,
        method=method,
        metric="roc_auc",
        confidence_level=LEVEL,
        side="lower",
        rng=int(rng.integers(2**31)),
    )
    assert made.interval is not None
    names = list(made.details.candidates)
    some = pi.responses[~learn][:, [pi.configs.index(name) for name in names], 0]
    high = pi.target.y[~learn] == 1
    own = float(truth[pi.configs.index(str(made.winner))])
    return made.interval.low, own, (some[~high], some[high], names.index(str(made.winner)))


def draw_learning_part(
    pi: en.Predictions, rng: np.random.Generator, *, each_fold: bool = False
) -> NDArray[np.bool_]:
    """Return three quarters of the cases, both classes in all their folds and in the rest.

    With `each_fold`, the rest has both classes in each of its folds too.
    """
    n, y, fold = pi.n_cases, pi.target.y, pi.folds[:, 0]
    while True:
        learn = np.zeros(n, dtype=bool)
        learn[rng.choice(n, int(0.75 * n), replace=False)] = True
        kept, rest = (
            np.bincount(2 * fold[part] + y[part], minlength=2 * (fold.max() + 1)).reshape(-1, 2)
            for part in (learn, ~learn)
        )  # cases by fold and class
        left = rest if each_fold else rest.sum(axis=0)
        if (kept > 0).all() and (left > 0).all():
            return learn


@cache
def _learning_part(setting: Setting, evaluated: int) -> NDArray[np.bool_]:
    """Return a split whose evaluation part has so many of the minority, all folds both classes."""
    rng, few, n = np.random.default_rng(evaluated), int(setting.cases * 0.1), setting.cases
    y, fold = np.arange(n) >= few, np.arange(n) % setting.folds
    while True:
        learn = np.ones(n, dtype=bool)
        learn[rng.choice(few, evaluated, replace=False)] = False
        learn[few + rng.choice(n - few, n // 4 - evaluated, replace=False)] = False
        if all(len(set(y[learn & (fold == k)])) == 2 for k in range(setting.folds)):
            return learn


def _timed(cell: Cell, rng: np.random.Generator) -> dict[str, float]:
    """Return the seconds of both bootstraps with B = 200 in one thread, as in section 5."""
    usual = {"samples": 500, "configs": 5, "folds": 3} | {str(cell["axis"]): cell.number("at")}
    n, folds = usual["samples"], usual["folds"]
    y = np.tile([0, 1], n // 2)
    scores = 0.8 * y[:, None] + rng.standard_normal((n, usual["configs"]))
    fold = np.arange(n) // 2 % folds
    pi = en.Predictions.from_arrays(y, scores, fold, response="decision")
    out = {}
    methods: dict[str, PublishedBBC | PublishedBBCFold] = {
        "bbc": PublishedBBC(n_resamples=200),
        "bbc_fold": PublishedBBCFold(n_resamples=200, exact=False),
    }
    for name, method in methods.items():
        begun = time.perf_counter()
        en.estimate(pi, method=method, metric="roc_auc", side="lower", rng=0, n_jobs=1)
        out[name] = time.perf_counter() - begun
    return out


def _real(cell: Cell, rng: np.random.Generator) -> dict[str, float]:
    """Return bounds on one sample of a data set; the truth is the AUC on the cases held out."""
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold, train_test_split

    from benchmarks.papers.tsamardinos2018.data import preparation
    from benchmarks.papers.tsamardinos2018.fast_grid import NAMES, Grid

    problem, n = _problem(cell.data, str(cell["set"])), cell.number("cases")
    seed = int(rng.integers(2**31))
    rows = np.arange(len(problem.y))
    mine, rest = train_test_split(rows, train_size=n, stratify=problem.y, random_state=seed)
    rest = rest[:5000]
    y = problem.y[mine].astype(np.float64)
    ready = preparation().fit(problem.X.iloc[mine])
    X, new = (np.asarray(ready.transform(problem.X.iloc[part])) for part in (mine, rest))
    search = Grid(X, y)
    folds, scores = np.empty(n, dtype=np.intp), np.empty((n, len(NAMES)))
    k = min(10, int(np.bincount(problem.y[mine]).min()))
    splitter = StratifiedKFold(k, shuffle=True, random_state=seed)
    for fold, (train, test) in enumerate(splitter.split(X, y)):
        folds[test], scores[test] = fold, search.scores(train, test)
    pi = en.Predictions.from_arrays(
        y.astype(int), scores, folds, configs=NAMES, response="decision"
    )
    said = search.scores_of_new(new)
    truth = np.array([roc_auc_score(problem.y[rest], column) for column in said.T])
    return bounds(pi, truth, {**BOOTSTRAPS, **RIVALS}, seed)


def _describe(cell: Cell, _: np.random.Generator) -> dict[str, float]:
    """Return what table 1 says of a data set; its features count the outcome, as in the paper."""
    problem = _problem(cell.data, str(cell["set"]))
    counts = np.bincount(problem.y)
    return {
        "instances": len(problem.y),
        "training samples": cell.number("cases"),
        "features": problem.X.shape[1] + 1,
        "classes": len(counts),
        "balance ratio": float(counts.min() / counts.sum()),
    }


@cache
def _problem(folder: Path | None, name: str) -> Any:
    import pandas as pd

    from benchmarks.papers.tsamardinos2018.data import Problem

    assert folder is not None
    frame = pd.read_parquet(folder / f"{name}.parquet")
    target = frame.pop("target").to_numpy().astype(np.int64)
    return Problem(name, frame, target)


# ---------------------------------------------------------------------------- what it shows


RUNS: dict[str, Callable[[Cell, np.random.Generator], dict[str, float]]] = {
    "table1": _describe,
    "table2": _simulate,
    "table3": _real,
    "figure3": _timed,
    "evaluation": _fixed_evaluation,
    "own_data": _on_own_data,
    "weights": _weights,
    "resamples": _many_resamples,
    "ties": _ties,
}


def find(done: Mapping[str, Sequence[Done]]) -> dict[str, list[Finding]]:
    """Return inclusion and tightness, ranks, selected models, and times."""
    out: dict[str, list[Finding]] = {}
    if "table2" in done:
        out["table2"] = [one for part in done["table2"] for one in _table2(part)]
        out["ranks"] = _ranks(out["table2"])
        out["pooled"] = _pooled(out["table2"])
        out["selected"] = _selected(done["table2"])
    if "evaluation" in done:
        out["evaluation"] = [one for part in done["evaluation"] for one in _evaluated(part)]
    if "own_data" in done:
        out["own_data"] = [one for part in done["own_data"] for one in _on_same_data(part)]
    if "weights" in done:
        out["weights"] = [one for part in done["weights"] for one in _by_weights(part)]
    if "resamples" in done:
        out["resamples"] = [one for part in done["resamples"] for one in _with_many_resamples(part)]
    if "ties" in done:
        out["ties"] = [one for part in done["ties"] for one in _versions(part)]
    if "figure3" in done:
        out["figure3"] = [
            Finding(part.cell.name, name, Kind.SHOWN, float(np.median(part[name])), len(part[name]))
            for part in done["figure3"]
            for name in ("bbc", "bbc_fold")
        ]
    if "table1" in done:
        out["table1"] = [
            Finding(f"set={part.cell['set']}", name, Kind.SHOWN, float(part[name][0]), 1)
            for part in done["table1"]
            for name in part.names
        ]
    if "table3" in done:
        out["table3"] = [
            Finding(one.row, one.quantity, Kind.SHOWN, one.value, one.runs, one.spread)
            for part in done["table3"]
            for one in _table2(part)
        ]
        out["ranks_real"] = _ranks(out["table3"])
        out["selected_real"] = _selected(done["table3"], Kind.SHOWN)
    return out


def _table2(part: Done) -> list[Finding]:
    """Return inclusion and tightness of every method of a cell, of the runs with a bound."""
    out = []
    for method in METHODS:
        if method not in part:
            continue
        # The table is about the winner by the mean of folds for the three bootstraps.
        truth = part["truth_bbc" if method in BOOTSTRAPS else f"truth_{method}"]
        gaps = truth - part[method]
        gaps = gaps[~np.isnan(gaps)]
        row = f"{part.cell.name} method={method}"
        if len(gaps) < 2:
            continue
        # The paper counts a bound that is hit as included, but not for the naive bootstrap.
        held = gaps > 0 if method == "naive_bootstrap" else gaps >= 0
        out += [Finding.share(row, "inclusion", held), Finding.mean(row, "tightness", gaps)]
    return out


def _on_same_data(part: Done) -> list[Finding]:
    """Return inclusion, tightness and the truth of what was chosen, on the published data sets.

    The data are the same, so that the published means can differ from ours by chance only as
    replications on one data set do: the spread is that within data sets.
    """
    out = []
    for method in METHODS:
        if method not in part:
            continue
        row = f"{part.cell.name} method={method}"
        truth = part["truth_bbc" if method in BOOTSTRAPS else f"truth_{method}"]
        gaps = truth - part[method]
        chosen = _within(row, "truth", truth)
        if method in BOOTSTRAPS:  # without chance: only ties are broken in another way
            chosen = replace(chosen, kind=Kind.SHOWN)
        held = gaps > 0 if method == "naive_bootstrap" else gaps >= 0
        out += [chosen, *_judge(row, gaps, held)]
    return out


def _by_weights(part: Done) -> list[Finding]:
    """Return inclusion and tightness of MABT with either weights, on the published data sets."""
    out = []
    for weights, name in WEIGHTS.items():
        gaps = part["truth_mabt"] - part[name]
        out += _judge(f"{part.cell.name} weights={weights}", gaps, gaps >= 0)
    return out


def _with_many_resamples(part: Done) -> list[Finding]:
    """Return inclusion and tightness of MABT with more resamples, on the published data sets."""
    gaps = part["truth_mabt"] - part["mabt"]
    return _judge(part.cell.name, gaps, gaps >= 0)


def _judge(row: str, gaps: Floats, held: NDArray[np.bool_]) -> list[Finding]:
    """Return tightness, inclusion and the share without a bound, on the published data sets."""
    there = ~np.isnan(gaps)
    return [
        _within(row, "tightness", gaps),
        _within(row, "inclusion", np.where(there, held, np.nan), doubt=0.5),
        Finding(row, "no bound", Kind.SHOWN, float(1 - there.mean()), len(gaps)),
    ]


def _within(row: str, quantity: str, values: Floats, doubt: float = 0.0) -> Finding:
    """Return a mean over data sets, and the standard deviation within them.

    `doubt` is the square of a data set more, one on which two replications differ: so that a share
    without any such data set has a spread too.
    """
    sets: dict[int, list[float]] = {}
    for number, value in enumerate(values):
        if not np.isnan(value):
            sets.setdefault(number % DATA_SETS, []).append(float(value))
    known = [value for found in sets.values() for value in found]
    squares = sum(len(found) * float(np.var(found)) for found in sets.values()) + doubt
    free = len(known) - len(sets)
    spread = math.sqrt(squares / (free + (doubt > 0))) if free else math.nan
    mean = float(np.mean(known)) if known else math.nan
    kind = Kind.MEAN if free else Kind.SHOWN
    return Finding(row, quantity, kind, mean, len(known), spread)


def _pooled(table: Sequence[Finding]) -> list[Finding]:
    """Return inclusion over the settings of a size and a minority share, for every method.

    Many small differences in one direction would not show in cells one by one.
    """
    sums: dict[str, list[Finding]] = {}
    for one in table:
        if one.quantity == "inclusion":
            facts = dict(part.split("=") for part in one.row.split(" "))
            row = " ".join(f"{name}={facts[name]}" for name in ("cases", "minority", "method"))
            sums.setdefault(row, []).append(one)
    out = []
    for row, parts in sums.items():
        runs = sum(part.runs for part in parts)
        share = sum(round(part.value * part.runs) for part in parts) / runs
        out.append(Finding(row, "inclusion", Kind.SHARE, share, runs))
    return out


def _ranks(table: Sequence[Finding]) -> list[Finding]:
    """Return the average rank of every method by the rule of the paper.

    Only rows in which all methods have an answer count. Methods that are not rejected come first,
    by tightness; the others by the distance of their inclusion from 95 %; ties have the best rank.
    """
    from scipy.stats import binom

    rows: dict[str, dict[str, tuple[int, float]]] = {}
    for held, gap in zip(table[::2], table[1::2], strict=True):
        place, _, method = held.row.rpartition(" method=")
        hits = round(held.value * held.runs)
        rejected = binom.cdf(hits, held.runs, 0.95) <= 0.05
        key = (1, abs(held.value - 0.95)) if rejected else (0, gap.value)
        rows.setdefault(place, {})[method] = key
    whole = [row for row in rows.values() if len(row) == len(METHODS)]
    out = []
    for method in METHODS:
        ranks = [1 + sum(other < row[method] for other in row.values()) for row in whole]
        if ranks:
            mean = float(np.mean(ranks))
            out.append(Finding(f"method={method}", "rank", Kind.SHOWN, mean, len(ranks)))
    return out


def _selected(parts: Sequence[Done], kind: Kind = Kind.MEAN) -> list[Finding]:
    """Return the true AUC of what each group of methods chose, in each setting and over all."""
    out: list[Finding] = []
    means: dict[str, list[float]] = {name: [] for name in GROUPS}
    for part in parts:
        for name, words in GROUPS.items():
            if f"truth_{name}" in part and not np.isnan(part[f"truth_{name}"]).any():
                truth = part[f"truth_{name}"]
                out.append(Finding.mean(f"{part.cell.name} group={words}", "truth", truth, kind))
                if all(f"truth_{other}" in part for other in GROUPS):
                    means[name].append(float(truth.mean()))
    for name, words in GROUPS.items():
        if means[name]:
            mean = float(np.mean(means[name]))
            out.append(Finding(f"group={words}", "truth", Kind.SHOWN, mean, len(means[name])))
    return out


def _evaluated(part: Done) -> list[Finding]:
    """Return inclusions and tightness, and how far the published numbers are from all of them.

    The distance is Hotelling's: of the truths of what was chosen, the bounds and the inclusions,
    all at once, from those of as many published runs. It counts that they vary together.
    """
    from scipy.stats import f

    out: list[Finding] = []
    columns: list[Floats] = []
    theirs: list[float] = []
    place = part.cell.name.partition(" minority_evaluated=")[0].split()
    facts = dict(fact.split("=") for fact in place)
    row = f"alpha={facts['alpha']} beta=6 cases=500 configs={facts['configs']} minority=0.1"
    published = read_published(Path(__file__).parent / "expected.csv")
    for method, group in SPLITTERS.items():
        name = f"{row} method={method}"
        share, gap = (published["table2", name, q].value for q in ("inclusion", "tightness"))
        truth = published["selected", f"{row} group={group}", "truth"].value
        gaps = part[f"truth_{method}"] - part[method]
        mine = f"{part.cell.name} method={method}"
        held = (gaps >= 0).astype(np.float64)
        for quantity, values in (("inclusion", held), ("tightness", gaps)):
            made = Finding.mean(mine, quantity, values[~np.isnan(values)], Kind.SHOWN)
            out.append(made)
        columns += [part[f"truth_{method}"], part[method], held]
        theirs += [truth, truth - gap, share]
    values = np.stack(columns, axis=1)
    values = values[~np.isnan(values).any(axis=1)]
    n, k = values.shape
    away = np.array(theirs) - values.mean(axis=0)
    spread = np.cov(values.T) * (1 / n + 1 / 200)
    square = float(away @ np.linalg.solve(spread, away))
    p = float(f.sf(square * (n - k) / (k * (n - 1)), k, n - k))
    out += [
        Finding(part.cell.name, "distance", Kind.SHOWN, math.sqrt(square), n),
        Finding(part.cell.name, "p", Kind.SHOWN, p, n),
    ]
    return out


def _versions(part: Done) -> list[Finding]:
    """Return the tightness of MABT in all versions, and how often the plain loops have none.

    Tested are ours and the version that comes nearest to the published bounds.
    """
    row = part.cell.name
    out = [Finding.mean(row, "tightness", part["truth_mabt"] - part["mabt"])]
    for name in VERSIONS:
        gaps = part["truth_mabt"] - part[name]
        none = np.isnan(gaps)
        kind = Kind.MEAN if name == NOT_NORMALISED else Kind.SHOWN
        out += [
            Finding.mean(row, f"tightness, {name}", gaps[~none], kind),
            Finding(row, f"no bound, {name}", Kind.SHOWN, float(none.mean()), len(none)),
        ]
    gaps = part["truth_mabt"] - part[NOT_NORMALISED]
    return [
        *out,
        Finding.share(row, f"inclusion, {NOT_NORMALISED}", gaps[~np.isnan(gaps)] >= 0),
    ]


def draw_figures(folder: Path) -> None:
    """Draw what the results show."""
    from benchmarks.papers.paraschakis2024.figures import draw_all

    draw_all(folder)
