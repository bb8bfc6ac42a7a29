"""Questions that the statistics answer: valid evidence, a verb of earnest, and the checks of it.

A metric, method or test that does not fit the evidence is refused before anything is computed, so
the next is tried: nearly every input reaches a result.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import earnest as en
from earnest.comparison import TESTS
from earnest.methods import METHODS
from earnest.metrics import METRICS
from tests.fuzz.checks import check_result
from tests.fuzz.evidence import (
    draw_predictions,
    draw_replicates,
    draw_scores,
    draw_table,
    draw_trials,
    make_nested,
)

LEVELS = (0.95, 0.95, 0.9, 0.8, 0.5, 0.99, 0.999)
SIDES = ("two-sided", "two-sided", "lower", "upper", "pessimistic")
ALTERNATIVES = ("two-sided", "two-sided", "less", "greater")
SELECTORS = ("pooled", "mean_of_folds", "one_standard_error")
TRIES = 8  # questions of one input until one is answered

Notes = list[str]
Question = tuple[Notes, Callable[[], None]]
# The knobs of methods and tests that are tried, where they have them.
KNOBS: dict[str, tuple[Any, ...]] = {
    "n_resamples": tuple(range(20, 51)),
    "undefined": ("redraw", "drop", "stratify"),
    "selector": SELECTORS,
    "evaluate": (0.25, 0.5),
    "split": ("stratified", "random"),
    "direction": ("fixed", "auto"),
    "interval": ("percentile", "bca", "basic"),
    "variance": ("all_pairs", "within_fold"),
    "p": ("exact", "mid"),
    "rope": (0.01, 0.0),
    "variant": ("logit", "uncapped"),
}
ALWAYS = ("n_resamples",)


def _answer(asks: Iterable[Callable[[], Any]], r: random.Random) -> None:
    """Check the first answer; raise the last refusal if none is given."""
    refusal: en.errors.EarnestError | None = None
    for ask in asks:
        try:
            result = ask()
        except en.errors.EarnestError as error:
            refusal = error
            continue
        check_result(result, r)
        return
    assert refusal is not None
    raise refusal


def _draw_metric(task: str, r: random.Random) -> str:
    return r.choice([name for name in METRICS if task in METRICS[name].tasks])


def _draw_knobs(kind: type[Any], r: random.Random) -> dict[str, Any]:
    """Draw knobs of a method or test: always few resamples, and now and then another one."""
    names = [field.name for field in fields(kind) if field.name in KNOBS]
    return {name: r.choice(KNOBS[name]) for name in names if name in ALWAYS or r.random() < 0.15}


def _draw_level(r: random.Random) -> dict[str, Any]:
    return {"confidence_level": r.choice(LEVELS), "side": r.choice(SIDES)}


def ask_estimate(r: random.Random, work: Path) -> Question:
    """Estimate by any method, on any task."""
    drawn, notes = draw_predictions(r), Notes()
    notes.append(drawn.words)

    def ask() -> en.results.Estimate:
        metric, name = _draw_metric(drawn.task, r), r.choice(_fitting(en.Predictions))
        knobs = _draw_knobs(METHODS[name], r)
        level, seed = _draw_level(r), r.randrange(100)
        notes.append(f"estimate(method={name!r}, metric={metric!r}, {knobs}, {level}, rng={seed})")
        chosen = METHODS[name](**knobs)
        return en.estimate(pi(), method=chosen, metric=metric, rng=seed, **level)

    pi = _once(drawn.make)
    return notes, lambda: _answer((ask for _ in range(TRIES)), r)


def ask_default(r: random.Random, work: Path) -> Question:
    """Estimate as most people do: with a metric alone, or all methods at once."""
    drawn, notes = draw_predictions(r), Notes()
    notes.append(drawn.words)
    pi = _once(drawn.make)

    def ask() -> Any:
        metric, level = _draw_metric(drawn.task, r), _draw_level(r)
        count, seed = r.randint(20, 50), r.randrange(100)
        verb = en.estimate_all if r.random() < 0.04 else en.estimate
        notes.append(f"{verb.__name__}({metric!r}, n_resamples={count}, {level}, rng={seed})")
        more: dict[str, Any] = {}
        if r.random() < 0.2 and verb is en.estimate:
            more["selector"] = r.choice(
                [
                    *SELECTORS,
                    en.rules.GreedyEnsemble(size=3),
                    en.rules.TopAverage(k=2),
                    en.rules.StackedEnsemble(),
                ]
            )
            notes.append(str(more))
        if r.random() < 0.05:
            more["n_jobs"] = 2
        return verb(pi(), metric=metric, n_resamples=count, rng=seed, **level, **more)

    return notes, lambda: _answer((ask for _ in range(TRIES)), r)


def ask_comparison(r: random.Random, work: Path) -> Question:
    """Compare two configurations, or all of them."""
    drawn, notes = draw_predictions(r, n_configs=r.randint(2, 6)), Notes()
    notes.append(drawn.words)
    pi = _once(drawn.make)

    def ask() -> Any:
        metric, seed = _draw_metric(drawn.task, r), r.randrange(100)
        name = r.choice([name for name in TESTS if "out-of-sample" in str(TESTS[name].spec.needs)])
        knobs = _draw_knobs(TESTS[name], r)
        test = TESTS[name](**knobs) if r.random() < 0.8 else None
        options = {
            "confidence_level": r.choice(LEVELS),
            "alternative": r.choice(ALTERNATIVES),
            "rng": seed,
        }
        if r.random() < 0.4:
            options["adjust"] = r.choice(["simultaneous", "holm", "none", "bonferroni"])
            options["reference"] = r.choice([None, 0, 1])
            notes.append(f"compare_many({test}, {metric!r}, {options})")
            return en.compare_many(pi(), test=test, metric=metric, **options)
        a, b = r.sample(range(pi().n_configs), 2)
        notes.append(f"compare({a}, {b}, {test}, {metric!r}, {options})")
        return en.compare(pi(), a, b, test=test, metric=metric, **options)

    return notes, lambda: _answer((ask for _ in range(TRIES)), r)


def ask_curve(r: random.Random, work: Path) -> Question:
    """Ask for what a search gained, or for decision thresholds."""
    binary = r.random() < 0.5
    drawn, notes = draw_predictions(r, task="binary" if binary else None), Notes()
    notes.append(drawn.words)
    pi = _once(drawn.make)

    def ask() -> Any:
        metric, seed, count = _draw_metric(drawn.task, r), r.randrange(100), r.randint(20, 50)
        options: dict[str, Any] = {"metric": metric, "n_resamples": count, "rng": seed}
        options["confidence_level"] = r.choice(LEVELS)
        if binary:
            options["side"] = r.choice(SIDES)
            if r.random() < 0.3:
                options["thresholds"] = r.choice([[0.5], [0.1, 0.2, 0.9], [-1.0, 0.0, 1.0]])
            notes.append(f"thresholds({options})")
            found = en.thresholds(pi(), **options)
            if r.random() < 0.3:
                found.choose(r.choice(["youden", "accuracy", "f1"]))
            return found
        options["order"] = r.choice(["tried", "mean"])
        notes.append(f"gain({options})")
        return en.gain(pi(), **options)

    return notes, lambda: _answer((ask for _ in range(TRIES)), r)


def ask_decision(r: random.Random, work: Path) -> Question:
    """Ask a gate or a plan."""
    drawn, notes = draw_predictions(r), Notes()
    notes.append(drawn.words)
    pi = _once(drawn.make)

    def ask() -> Any:
        metric, seed = _draw_metric(drawn.task, r), r.randrange(100)
        level = {"confidence_level": r.choice(LEVELS), "metric": metric, "rng": seed}
        if r.random() < 0.05:
            goal = r.choice([{"detect": 0.2}, {"width": 0.3}, {"detect": 0.01}])
            notes.append(f"plan({goal}, {level})")
            return en.plan(pi(), **goal, **level)
        if r.random() < 0.4 and pi().n_configs > 1:
            options = {"against": pi().select(1), "margin": r.choice([None, 0.0, 0.1])}
            notes.append(f"gate(against=1, {options['margin']}, {level})")
            return en.gate(pi().select(0), **options, **level)
        side = "above" if METRICS[metric].greater_is_better else "below"
        bound: dict[str, Any] = {side: r.choice([0.5, 0.0, 0.9, 10.0])}
        if r.random() < 0.3:
            bound["config"] = 0
        elif r.random() < 0.9:  # the default has a thousand resamples
            bound["method"] = en.methods.BBC(n_resamples=r.randint(20, 50))
        notes.append(f"gate({bound}, {level})")
        return en.gate(pi(), **bound, **level)

    return notes, lambda: _answer((ask for _ in range(TRIES)), r)


def ask_items(r: random.Random, work: Path) -> Question:
    """Ask any question of scores of items."""
    words, options = draw_scores(r)
    notes: Notes = [words]
    scores = _once(lambda: en.Scores(**options))

    def ask() -> Any:
        seed, count, verb = r.randrange(100), r.randint(20, 50), r.random()
        level: dict[str, Any] = {"confidence_level": r.choice(LEVELS), "rng": seed}
        width = scores().n_configs
        if verb < 0.5:
            level["side"] = r.choice(SIDES)
            if r.random() < 0.5:
                level |= {"method": r.choice(_fitting(en.Predictions))}
            else:
                level |= {"n_resamples": count}
            notes.append(f"estimate({level})")
            return en.estimate(scores(), **level)
        if verb < 0.7 and width > 1:
            a, b = r.sample(range(width), 2)
            level["alternative"] = r.choice(ALTERNATIVES)
            level["test"] = r.choice([None, None, *TESTS])
            notes.append(f"compare({a}, {b}, {level})")
            return en.compare(scores(), a, b, **level)
        if verb < 0.85 and width > 1:
            notes.append(f"compare_many({level})")
            return en.compare_many(scores(), **level)
        if verb < 0.93:
            notes.append(f"gain({level}, n_resamples={count})")
            return en.gain(scores(), n_resamples=count, **level)
        bound = {r.choice(["above", "below"]): 0.5}
        notes.append(f"gate({bound}, {level})")
        return en.gate(scores(), **bound, **level)

    return notes, lambda: _answer((ask for _ in range(TRIES)), r)


def ask_learner(r: random.Random, work: Path) -> Question:
    """Ask about one learner: replicates of bootstrap samples, nested predictions."""
    notes = Notes()
    if r.random() < 0.3:
        drawn = draw_predictions(r, n_configs=1)
        notes.append(f"nested, {drawn.words}")
        nested = _once(lambda: make_nested(drawn.make(), r))

        def ask() -> Any:
            metric, level = _draw_metric(drawn.task, r), _draw_level(r)
            notes.append(f"estimate(method='bates_ncv', {metric!r}, {level})")
            return en.estimate(nested(), method="bates_ncv", metric=metric, **level)

        return notes, lambda: _answer((ask for _ in range(TRIES)), r)
    words, arguments = draw_replicates(r)
    notes.append(words)
    replicates = _once(lambda: en.Replicates.from_arrays(**arguments))

    def ask_replicates() -> Any:
        metric, level = _draw_metric(arguments["task"], r), _draw_level(r)
        if r.random() < 0.2:
            test = r.choice(["loob", "lpob"])
            notes.append(f"compare(itself, {test!r}, {metric!r})")
            return en.compare(replicates(), replicates(), test=test, metric=metric)
        name = r.choice(_fitting(en.Replicates))
        notes.append(f"estimate(method={name!r}, {metric!r}, {level})")
        return en.estimate(replicates(), method=name, metric=metric, **level)

    return notes, lambda: _answer((ask_replicates for _ in range(TRIES)), r)


def ask_statistic(r: random.Random, work: Path) -> Question:
    """Ask for the error of any statistic: bootstrap, jackknife, influence."""
    g = np.random.default_rng(r.getrandbits(32))
    n = r.choice([r.randint(2, 8), r.randint(9, 60)])
    cases = g.normal(size=n) * r.choice([1.0, 0.0, 1e9, 1e-9])
    if r.random() < 0.3:
        cases = np.round(cases)
    name = r.choice(list(STATISTICS))
    options: dict[str, Any] = {"confidence_level": r.choice(LEVELS), "side": r.choice(SIDES[:4])}
    if r.random() < 0.2:
        options["groups"] = np.arange(n) // 2
    elif r.random() < 0.2:
        options["strata"] = np.arange(n) % 2
    verb = r.choice(
        [
            en.inference.bootstrap,
            en.inference.bootstrap,
            en.inference.jackknife,
            en.inference.influence,
        ]
    )
    if verb is en.inference.bootstrap:
        options |= {
            "n_resamples": r.randint(20, 50),
            "method": r.choice(["bca", "percentile", "basic", "studentised", "bca"]),
            "rng": r.randrange(100),
        }
    words = {key: value for key, value in options.items() if not isinstance(value, np.ndarray)}
    notes: Notes = [f"{verb.__name__}({name}, n={n}, {words}, {sorted(options)})"]

    def ask() -> Any:
        return verb(lambda weights: STATISTICS[name](cases, weights), cases, **options)

    return notes, lambda: _answer([ask], r)


STATISTICS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "mean": lambda x, w: float(w @ x / w.sum()),
    "variance": lambda x, w: float(w @ (x - w @ x / w.sum()) ** 2 / w.sum()),
    "maximum": lambda x, w: float(x[w > 0].max()),
    "signal to noise": lambda x, w: float(
        np.divide(w @ x / w.sum(), np.sqrt(w @ (x - w @ x / w.sum()) ** 2 / w.sum()))
    ),
    "of the first case": lambda x, w: float("nan") if w[0] == 0 else float(w @ x / w.sum()),
}


def ask_explanation(r: random.Random, work: Path) -> Question:
    """Explain trials."""
    words, arguments = draw_trials(r)
    surrogate = r.choice([None, None, "forest", "gaussian_process"])
    options = {
        "n_points": r.choice([20, 40]),
        "grid_size": r.choice([3, 5]),
        "regions": r.choice([1, 2, 3]),
        "confidence_level": r.choice(LEVELS),
        "rng": r.randrange(100),
        "surrogate": surrogate,
    }
    notes: Notes = [words, f"explain({options})"]
    return notes, lambda: _answer(
        [lambda: en.explain(en.Trials.from_configs(**arguments), **options)], r
    )


def ask_training(r: random.Random, work: Path) -> Question:
    """Search, or assess a learner, on a small table."""
    task, X, y, groups = draw_table(r)
    notes: Notes = [f"{task}, X {X.shape}, groups={groups is not None}"]

    def ask() -> Any:
        metric, seed, folds = _draw_metric(task, r), r.randrange(100), r.choice([2, 3, 5])
        learner = (DecisionTreeRegressor if task == "regression" else DecisionTreeClassifier)(
            random_state=0, max_depth=2
        )
        if r.random() < 0.5:
            options: dict[str, Any] = {
                "cv": folds if groups is None else GroupKFold(2),
                "n_repeats": r.choice([1, 1, 2]) if groups is None else 1,
                "drop": r.choice([None, None, "bced", "bced_adjusted"]),
                "refit": r.choice([True, False, en.rules.TopAverage(k=2)]),
                "n_resamples": r.randint(20, 50),
            }
            notes.append(f"SearchCV({metric!r}, {options}, random_state={seed})")
            search = en.SearchCV(
                learner,
                {"max_depth": [1, 2, 3][: r.randint(1, 3)]},
                metric=metric,
                random_state=seed,
                **options,
            )
            search.fit(X, y, groups=groups)
            try:
                return search.estimate_
            except AttributeError as error:  # scikit-learn's way to refuse
                raise en.errors.EvidenceError(str(error)) from error
        name = r.choice([name for name in METHODS if METHODS[name].spec.design is not None])
        level = _draw_level(r)
        notes.append(f"assess(method={name!r}, {metric!r}, cv={folds}, {level}, rng={seed})")
        more = {"n_repeats": 2} if name in ("bates_ncv", "conservative_z", "repeated_cv") else {}
        return en.assess(
            learner,
            X,
            y,
            method=name,
            metric=metric,
            cv=folds,
            n_replicates=10,
            groups=groups,
            rng=seed,
            **level,
            **more,
        )

    return notes, lambda: _answer((ask for _ in range(TRIES)), r)


def ask_report(r: random.Random, work: Path) -> Question:
    """Write a report of valid evidence."""
    items = r.random() < 0.3
    words, arguments = draw_scores(r) if items else ("", {})
    drawn = draw_predictions(r)
    notes: Notes = [words or drawn.words]
    count, seed = r.randint(20, 50), r.randrange(100)

    def ask() -> None:
        if items:
            report = en.report(en.Scores(**arguments), n_resamples=count, rng=seed)
        else:
            metric = _draw_metric(drawn.task, r)
            notes.append(f"report({metric!r}, n_resamples={count}, rng={seed})")
            report = en.report(drawn.make(), metric=metric, n_resamples=count, rng=seed)
        report.save(work / "o.html")
        if r.random() < 0.3:
            report.save(work / "o.md")

    def call() -> None:
        for attempt in range(TRIES):
            try:
                ask()
            except en.errors.EarnestError:
                if attempt == TRIES - 1 or items:
                    raise
            else:
                return

    return notes, call


def _fitting(evidence: type[Any]) -> list[str]:
    """Return the methods for a kind of evidence."""
    word = "replicates" if evidence is en.Replicates else "out-of-sample"
    return [name for name in METHODS if word in str(METHODS[name].spec.needs)]


def _once(make: Callable[[], Any]) -> Callable[[], Any]:
    """Make something when it is first asked for, within the call that is watched."""
    value: list[Any] = []

    def get() -> Any:
        if not value:
            value.append(make())
        return value[0]

    return get
