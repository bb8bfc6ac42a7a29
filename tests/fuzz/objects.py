"""Arguments of Python that hold objects: unhashable, huge, nested, without order, without words."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import random
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import earnest as en

HUGE = 10**400
N = 12


def _nest(depth: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


def _loop() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    return loop


DEEP: tuple[Callable[[], Any], ...] = (lambda: _nest(100_000), _loop)
MEMBERS: tuple[Callable[[], Any], ...] = (
    *DEEP,
    lambda: [1],
    dict,
    lambda: {"a": [1]},
    lambda: {1, 2},
    lambda: HUGE,
    lambda: -HUGE,
    lambda: [HUGE],
    lambda: _nest(50),
    lambda: None,
    lambda: float("nan"),
    lambda: float("inf"),
    lambda: pd.NA,
    lambda: pd.NaT,
    lambda: complex(1, 2),
    lambda: b"\xff",
    lambda: "\ud800",
    lambda: "a" * 100_000,
    lambda: decimal.Decimal("NaN"),
    lambda: decimal.Decimal("sNaN"),
    lambda: decimal.Decimal("1e999999"),
    lambda: fractions.Fraction(HUGE, 3),
    lambda: dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
    lambda: dt.timedelta.max,
    lambda: uuid.UUID(int=0),
    lambda: np.float64(1.0),
    lambda: np.array([1, 2]),
    lambda: np.ma.masked,
    lambda: object(),
    lambda: int,
    lambda: len,
    lambda: (1, [2]),
    lambda: frozenset({1}),
    lambda: range(3),
    lambda: iter([1]),
    lambda: True,
    lambda: "",
    lambda: 0,
    lambda: 1.5,
)


# A list that holds itself, or is nested too deep, ends the process within Arrow.
FOR_TABLES = tuple(member for member in MEMBERS if member not in DEEP)


def make_object_array(
    n: int, r: random.Random, choices: tuple[Callable[[], Any], ...] = MEMBERS
) -> Any:
    """Return an array, list or series of objects: all alike, alternating, or one among many."""
    first, second = r.choice(choices), r.choice(choices)
    how = r.random()
    if how < 0.3:
        members = [first() for _ in range(n)]
    elif how < 0.6:
        members = [first() if i % 2 else second() for i in range(n)]
    elif how < 0.9:
        plain = r.choice([0, 1, 0.5, "a"])
        members = [first() if i == r.randrange(n) else plain for i in range(n)]
    else:
        members = [r.choice(choices)() for _ in range(n)]
    array = np.empty(n, dtype=object)
    for place, member in enumerate(members):
        array[place] = member
    shape = r.random()
    if shape < 0.6:
        return array
    if shape < 0.8:
        return members
    return pd.Series(array, dtype=object)


def call_with_objects(r: random.Random, work: Path) -> tuple[list[str], Callable[[], None]]:
    """Call a constructor or a verb with one or two arguments of objects."""
    name = r.choice(list(CALLS))
    notes = [name]
    return notes, lambda: CALLS[name](r, notes)


def _spoil(
    arguments: dict[str, Any],
    sizes: dict[str, int],
    r: random.Random,
    notes: list[str],
    choices: tuple[Callable[[], Any], ...] = MEMBERS,
) -> dict[str, Any]:
    names = r.sample(list(sizes), r.choice([1, 1, 1, 2]))
    notes.append(f"objects as {names}")
    return arguments | {name: make_object_array(sizes[name], r, choices) for name in names}


def _predictions(r: random.Random, notes: list[str]) -> None:
    g = np.random.default_rng(r.getrandbits(32))
    y = np.arange(N) % 2
    arguments = {"y": y, "scores": g.random((N, 2)), "fold": np.arange(N) // 2 % 3}
    sizes = {"y": N, "fold": N, "groups": N, "strata": N, "ids": N, "configs": 2, "scores": N}
    arguments = _spoil(arguments, sizes | {"classes": 2, "positive": 1}, r, notes)
    if "positive" in arguments:
        arguments["positive"] = next(iter(arguments["positive"]))
    if r.random() < 0.3:
        arguments["task"] = r.choice(["binary", "multiclass", "regression", "survival"])
    pi = en.Predictions.from_arrays(**arguments)
    _use(pi, r)


def _use(pi: en.Predictions, r: random.Random) -> None:
    repr(pi)
    hash(pi.fingerprint)
    task = str(pi.target.task)
    metric = {"binary": "accuracy", "multiclass": "accuracy", "regression": "mae"}.get(
        task, "concordance"
    )
    repr(en.estimate(pi, metric=metric, method=en.methods.BBC(n_resamples=20), rng=0))


def _frame(r: random.Random, notes: list[str]) -> None:
    g = np.random.default_rng(r.getrandbits(32))
    columns: dict[str, Any] = {"y": np.arange(N) % 2, "fold": np.arange(N) // 2 % 3}
    columns |= {"a": g.random(N), "b": g.random(N)}
    sizes = dict.fromkeys([*columns, "group", "id"], N)
    columns = _spoil(columns, sizes, r, notes, FOR_TABLES)
    frame = pd.DataFrame({name: pd.Series(list(v), dtype=object) for name, v in columns.items()})
    if r.random() < 0.2:
        frame.columns = [*list(frame.columns)[:-1], r.choice([HUGE, (1, 2), None, 1.5, b"x"])]
    _use(en.Predictions.from_frame(frame), r)


def _scores(r: random.Random, notes: list[str]) -> None:
    g = np.random.default_rng(r.getrandbits(32))
    arguments: dict[str, Any] = {"table": g.random((N, 3))}
    sizes = {"table": N, "id": N, "groups": N, "tasks": N, "configs": 3, "per": N, "fold": N}
    arguments = _spoil(arguments, sizes, r, notes)
    if r.random() < 0.1:
        arguments["weights"] = {r.choice([0, HUGE, "x"]): r.choice([HUGE, "x", [1], 1.0])}
    if r.random() < 0.1:
        arguments["limits"] = r.choice([(0, HUGE), ([], 1), (None, 1), "x", HUGE])
    scores = en.Scores(**arguments)
    repr(scores)
    repr(en.estimate(scores, n_resamples=20, rng=0))


def _replicates(r: random.Random, notes: list[str]) -> None:
    g = np.random.default_rng(r.getrandbits(32))
    arguments: dict[str, Any] = {
        "y": np.arange(N) % 2,
        "responses": g.random((5, N)),
        "counts": g.multinomial(N, np.full(N, 1 / N), size=5),
        "apparent": g.random(N),
    }
    sizes = {"y": N, "responses": 5, "counts": 5, "apparent": N, "groups": N, "strata": N}
    arguments = _spoil(arguments, sizes, r, notes)
    repr(en.estimate(en.Replicates.from_arrays(**arguments), method="err_star", metric="accuracy"))


def _trials(r: random.Random, notes: list[str]) -> None:
    g = np.random.default_rng(r.getrandbits(32))
    values = list(make_object_array(N, r))
    configs: list[Any] = [{"x": float(i), "k": values[i]} for i in range(N)]
    if r.random() < 0.2:
        configs = values
    objective = make_object_array(N, r) if r.random() < 0.3 else g.random(N)
    errors = make_object_array(N, r) if r.random() < 0.2 else None
    trials = en.Trials.from_configs(configs, objective, direction="minimize", standard_error=errors)
    repr(trials)
    repr(trials.best_config)


def _verb(r: random.Random, notes: list[str]) -> None:
    """Ask with arguments of odd types."""
    g = np.random.default_rng(r.getrandbits(32))
    pi = en.Predictions.from_arrays(
        np.arange(N) % 2, g.random((N, 3)), np.arange(N) // 2 % 3, configs=["a", "b", "c"]
    )
    member, other = r.choice(MEMBERS), r.choice(MEMBERS)
    asks: dict[str, Callable[[], Any]] = {
        "compare": lambda: en.compare(pi, member(), other(), metric="accuracy"),
        "select": lambda: pi.select(member()),
        "take": lambda: pi.take(make_object_array(4, r)),
        "metric": lambda: en.estimate(pi, metric=member()),
        "method": lambda: en.estimate(pi, metric="accuracy", method=member()),
        "level": lambda: en.estimate(pi, metric="accuracy", confidence_level=member()),
        "side": lambda: en.estimate(pi, metric="accuracy", side=member()),
        "resamples": lambda: en.estimate(pi, metric="accuracy", n_resamples=member()),
        "rng": lambda: en.estimate(pi, metric="accuracy", n_resamples=20, rng=member()),
        "jobs": lambda: en.estimate(pi, metric="accuracy", n_resamples=20, n_jobs=member()),
        "selector": lambda: en.estimate(pi, metric="accuracy", selector=member()),
        "evidence": lambda: en.estimate(member(), metric="accuracy"),
        "gate": lambda: en.gate(pi, metric="accuracy", above=member(), config=other()),
        "plan": lambda: en.plan(pi, metric="accuracy", detect=member(), n_configs=other()),
        "calibrate": lambda: en.calibrate(
            pi, metric="accuracy", methods=member(), n_simulations=2, side=other(), n_resamples=20
        ),
        "thresholds": lambda: en.thresholds(
            pi, metric="roc_auc", thresholds=member(), n_resamples=20
        ),
        "reference": lambda: en.compare_many(
            pi, metric="accuracy", reference=member(), adjust=other()
        ),
        "order": lambda: en.gain(pi, metric="accuracy", order=member(), n_resamples=20),
        "report": lambda: en.report(member()),
        "explain": lambda: en.explain(member()),
        "load": lambda: en.Predictions.load(member()),
        "read_run": lambda: en.read_run(member()),
        "load_model": lambda: en.load_model(member()),
        "trials_from": lambda: en.trials_from(member()),
        "predictions_from": lambda: en.predictions_from(member(), other()),
        "scores_from": lambda: en.scores_from(member()),
        "from_dict": lambda: en.results.Estimate.from_dict(member()),
        "score_table": lambda: en.kernels.score_table(pi, "accuracy", make_object_array(N, r)),
    }
    name = r.choice(list(asks))
    notes.append(name)
    repr(asks[name]())


CALLS: dict[str, Callable[[random.Random, list[str]], None]] = {
    "Predictions.from_arrays": _predictions,
    "Predictions.from_frame": _frame,
    "Scores": _scores,
    "Replicates.from_arrays": _replicates,
    "Trials.from_configs": _trials,
    "a verb": _verb,
}
