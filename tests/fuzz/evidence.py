"""Valid evidence that is hard on statistics: few cases, ties, one class in a fold, gaps, groups.

Each function draws the arguments of a constructor and leaves the call to the caller, so that what
the constructor does to them is fuzzed too.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

import earnest as en

TASKS = ("binary", "multiclass", "regression", "survival")
RESPONSES = ("probability", "probability", "decision", "label")
PAIRS: tuple[tuple[Any, Any], ...] = ((0, 1), (0, 1), (-1, 1), (False, True), ("no", "yes"))
SCALES = (1.0, 1.0, 1.0, 1.0, 100.0, 1e-6, 1e9, 1e-60, 1e70)


@dataclass(frozen=True)
class Drawn:
    """The arguments of `Predictions.from_arrays`, and what stands in them."""

    arguments: dict[str, Any]
    task: str
    words: str

    def make(self) -> en.Predictions:
        """Return the predictions."""
        return en.Predictions.from_arrays(**self.arguments)


def draw_predictions(
    r: random.Random, *, task: str | None = None, n_configs: int | None = None
) -> Drawn:
    """Draw predictions of any task: n from 2 to 60, C from 1 to 8, R from 1 to 5."""
    g = np.random.default_rng(r.getrandbits(32))
    task = r.choice(TASKS) if task is None else task
    n = r.choice([r.randint(2, 9), r.randint(10, 60), r.randint(10, 60)])
    width = r.randint(1, 8) if n_configs is None else n_configs
    repeats = r.choice([1, 1, 1, 1, 2, 3, 5])
    odd: list[str] = []
    arguments, signal = _draw_outcome(task, n, g, r, odd)
    responses = _draw_responses(task, arguments, signal, width, repeats, g, r, odd)
    groups = _draw_groups(n, r) if r.random() < 0.25 else None
    folds = _draw_folds(n, repeats, signal, groups, g, r, odd)
    if folds is not None and responses.dtype.kind == "f":
        if r.random() < 0.15:
            responses = _leave_out(responses, folds, r, odd)
        if r.random() < 0.05:
            folds[g.random(n) < 0.2] = -1
            odd.append("untested cases")
        untested = folds.reshape(n, -1) == -1
        responses = np.where(
            untested.reshape(n, 1, repeats, *([1] * (responses.ndim - 3))), np.nan, responses
        )
    shape = responses
    if task != "multiclass" or arguments.get("response") == "label":
        shape = responses if repeats > 1 or r.random() < 0.5 else responses[:, :, 0]
    arguments |= {"scores": shape, "fold": folds, "groups": groups}
    if r.random() < 0.2:
        arguments["strata"] = r.choice([np.arange(n) % 2, np.arange(n) // 3, np.zeros(n, int)])
    if r.random() < 0.2:
        arguments["configs"] = _draw_configs(width, r)
    if r.random() < 0.1:
        arguments["ids"] = [f"case {i}" for i in range(n)]
    if r.random() < 0.05 and folds is not None and task != "survival":
        arguments["when"] = True
    words = (
        f"{task}, n={n}, C={width}, R={repeats}, folds={_count(folds)}, "
        f"groups={_count(groups)}, {', '.join(odd) or 'plain'}"
    )
    return Drawn(arguments, task, words)


def _count(values: np.ndarray | None) -> int:
    return 0 if values is None else len(np.unique(values))


def _draw_outcome(
    task: str, n: int, g: np.random.Generator, r: random.Random, odd: list[str]
) -> tuple[dict[str, Any], np.ndarray]:
    """Return `y` with what explains it, and a number for each case that models shall find."""
    if task == "binary":
        share = r.choice([0.5, 0.5, 0.3, 0.1])
        codes = (g.random(n) < share).astype(int)
        if r.random() < 0.98:
            codes[:2] = 0, 1
        if len(np.unique(codes)) == 1:
            odd.append("one class")
        pair = r.choice(PAIRS)
        more = {"positive": pair[1]} if isinstance(pair[1], str) or r.random() < 0.1 else {}
        return {"y": np.array(pair)[codes], "task": "binary", **more}, codes.astype(float)
    if task == "multiclass":
        count = r.randint(3, min(5, max(3, n)))
        codes = g.integers(0, count, n)
        codes[: min(n, count)] = np.arange(count)[:n]
        names = r.choice([np.arange(count), np.array(["ape", "bee", "cat", "dog", "elk"])[:count]])
        return {"y": names[codes], "classes": list(names), "task": "multiclass"}, codes.astype(
            float
        )
    if task == "regression":
        values = g.normal(size=n) * r.choice(SCALES)
        if r.random() < 0.2:
            values = np.round(g.normal(size=n) * 2)
            odd.append("whole numbers")
        if r.random() < 0.03:
            values = np.full(n, values[0])
            odd.append("constant outcome")
        return {"y": values, "task": "regression"}, values
    times = g.exponential(1.0, n) + 0.01
    if r.random() < 0.3:
        times = np.ceil(3 * times)
        odd.append("tied times")
    events = g.random(n) < r.choice([1.0, 0.7, 0.3])
    if not events.any() and r.random() < 0.9:
        events[0] = True
    return {"y": (times, events), "task": "survival"}, -times


def _draw_responses(
    task: str,
    arguments: dict[str, Any],
    signal: np.ndarray,
    width: int,
    repeats: int,
    g: np.random.Generator,
    r: random.Random,
    odd: list[str],
) -> np.ndarray:
    """Return responses (n, C, R[, K]), and say in `arguments` what they are."""
    n = len(signal)
    noise = g.normal(size=(n, width, repeats)) * r.choice([0.0, 0.3, 1.0, 3.0])
    spread = float(np.std(signal)) or 1.0
    centred = (signal - signal.mean()) / spread
    latent = r.choice([1.0, 1.0, 0.0, -1.0]) * centred[:, None, None] + noise
    for column in range(width):
        how = r.random()
        if how < 0.05:
            latent[:, column] = latent[0, column, 0]
            odd.append(f"{column} constant")
        elif how < 0.1 and column:
            latent[:, column] = latent[:, column - 1]
            odd.append(f"{column} copied")
        elif how < 0.13:
            latent[:, column] = 5 * centred[:, None]
            odd.append(f"{column} perfect")
    if r.random() < 0.2:
        latent = np.round(latent, r.choice([0, 0, 1]))
        odd.append("ties")
    if task in ("regression", "survival"):
        return signal.mean() + spread * latent if task == "regression" else latent
    response = r.choice(RESPONSES)
    arguments["response"] = response
    if task == "binary":
        if response == "decision":
            return latent
        if response == "probability":
            return np.clip(1 / (1 + np.exp(-latent)), 0, r.choice([1.0, 1.0, 0.5]))
        classes = np.unique(arguments["y"])
        return classes[np.minimum((latent > 0).astype(int), len(classes) - 1)]
    count = len(arguments["classes"])
    scores = g.normal(size=(n, width, repeats, count)) + 2 * (
        signal[:, None, None, None] == np.arange(count)
    ) * r.choice([0, 1, 3])
    if response == "decision":
        return scores
    if response == "label":
        return np.array(arguments["classes"])[scores.argmax(axis=-1)]
    powers = np.exp(np.clip(scores, -30, 30))
    return powers / powers.sum(axis=-1, keepdims=True)


def _draw_groups(n: int, r: random.Random) -> np.ndarray:
    size = r.choice([1, 2, 3, max(1, n // 2), n])
    return np.arange(n) // size


def _draw_folds(
    n: int,
    repeats: int,
    signal: np.ndarray,
    groups: np.ndarray | None,
    g: np.random.Generator,
    r: random.Random,
    odd: list[str],
) -> np.ndarray | None:
    """Return folds (n,) or (n, R), or None for one set of cases."""
    if repeats == 1 and r.random() < 0.15:
        return None
    count = r.choice([2, 2, 3, 5, 10, n])
    count = max(2, min(count, n))
    order = np.argsort(signal, kind="stable") if r.random() < 0.1 else None
    if order is not None:
        odd.append("sorted folds")
    columns = []
    for _ in range(repeats):
        units = np.arange(n) if groups is None or r.random() < 0.3 else groups
        distinct = np.unique(units)
        codes = np.arange(len(distinct)) % count
        if order is None:
            g.shuffle(codes)
            column = codes[np.searchsorted(distinct, units)]
        else:
            column = np.empty(n, dtype=int)
            column[order] = np.arange(n) * count // n
        columns.append(column)
    folds = np.stack(columns, axis=1)
    return folds[:, 0] if repeats == 1 else folds


def _leave_out(
    responses: np.ndarray, folds: np.ndarray, r: random.Random, odd: list[str]
) -> np.ndarray:
    """Return the responses without some folds of some configurations, as after early dropping."""
    table = folds if folds.ndim == 2 else folds[:, None]
    responses = responses.copy()
    for column in range(responses.shape[1]):
        if r.random() < 0.3:
            last = 0 if r.random() < 0.1 else r.randrange(int(table.max()) + 1)
            for repeat in range(responses.shape[2]):
                responses[table[:, repeat] > last, column, repeat] = np.nan
            odd.append(f"{column} from fold {last} on missing")
    if r.random() < 0.05:
        responses[:, r.randrange(responses.shape[1])] = np.nan
        odd.append("one never run")
    return responses


def _draw_configs(width: int, r: random.Random) -> list[Any]:
    names: list[list[Any]] = [
        [f"model {i}" for i in range(width)],
        [{"depth": i, "kind": "a"} for i in range(width)],
        [{"rate": 10.0**-i, "on": bool(i % 2), "none": None} for i in range(width)],
        [f"<b>é{i}</b>\u202e" for i in range(width)],
        list(range(width)),
    ]
    return r.choice(names)


def draw_scores(r: random.Random) -> tuple[str, dict[str, Any]]:
    """Draw the arguments of `Scores`: items, configurations, samples, groups and tasks."""
    g = np.random.default_rng(r.getrandbits(32))
    n, width = r.choice([r.randint(2, 9), r.randint(10, 60)]), r.randint(1, 8)
    samples = r.choice([1, 1, 1, 2, 5])
    kind = r.choice(["pass", "pass", "share", "number", "cost", "few values"])
    easy = g.random((n, 1, 1))
    values: np.ndarray = g.random((n, width, samples))
    if kind == "pass":
        values = (values < r.choice([easy, 0.5, 0.99, 1.1, -0.1])).astype(float)
    elif kind == "number":
        values = (easy + g.normal(size=values.shape)) * r.choice(SCALES)
    elif kind == "cost":
        values = g.exponential(size=values.shape) * r.choice([1.0, 1e6, 1e-6])
    elif kind == "few values":
        values = g.integers(1, 6, values.shape).astype(float)
    options: dict[str, Any] = {}
    if kind == "cost":
        options["greater_is_better"] = False
    if kind == "few values" and r.random() < 0.7:
        options["limits"] = (1, 5)
    if r.random() < 0.25:
        options["groups"] = _draw_groups(n, r)
    if r.random() < 0.25:
        tasks = np.arange(n) % r.choice([1, 2, 3])
        options["tasks"] = tasks
        if r.random() < 0.3:
            options["weights"] = {int(t): float(g.random() + 0.1) for t in np.unique(tasks)}
    if r.random() < 0.35:
        choices = ["mean", "median", "quantile(0.9)", *["macro"] * ("tasks" in options)]
        if kind == "pass":
            choices += [f"pass@{samples}", f"pass^{samples}", "pass@1"]
        options["aggregate"] = r.choice(choices)
    if r.random() < 0.1:
        options["per"] = g.random((n, width, samples)) + 0.5
        options.pop("aggregate", None)
        options.pop("limits", None)  # a ratio has others than the scores
    if r.random() < 0.15 and values.dtype.kind == "f":
        values = values.copy()
        values[g.random(values.shape) < r.choice([0.02, 0.2])] = np.nan
        options["incomplete"] = r.choice(["items", "configs", "worst"])
        if options["incomplete"] == "worst" and kind not in ("pass", "share"):
            options["limits"] = (float(np.nanmin(values)), float(np.nanmax(values)))
    elif r.random() < 0.1:
        folds = np.arange(n) % 2
        options["fold"] = folds if samples == 1 else np.tile(folds[:, None], samples)
    options["table"] = values[:, :, 0] if samples == 1 and r.random() < 0.8 else values
    if "per" in options and options["table"].ndim == 2:
        options["per"] = options["per"][:, :, 0]
    words = {name: value for name, value in options.items() if isinstance(value, str | tuple)}
    return f"Scores of {kind}, n={n}, C={width}, samples={samples}, {words}", options


def draw_replicates(r: random.Random, task: str | None = None) -> tuple[str, dict[str, Any]]:
    """Draw the arguments of `Replicates.from_arrays`: 5 to 40 bootstrap samples."""
    drawn = draw_predictions(r, task=task, n_configs=1)
    g = np.random.default_rng(r.getrandbits(32))
    arguments = {
        name: value
        for name, value in drawn.arguments.items()
        if name in ("y", "task", "positive", "classes", "response")
    }
    base = drawn.arguments["scores"]
    base = base[:, 0] if base.ndim == 2 else base[:, 0, 0]
    n, count = len(base), r.choice([5, 20, 40])
    counts = g.multinomial(n, np.full(n, 1 / n), size=count)
    groups = None
    if r.random() < 0.2:
        groups = _draw_groups(n, r)
        units = np.unique(groups)
        drawn_units = g.multinomial(len(units), np.full(len(units), 1 / len(units)), size=count)
        counts = drawn_units[:, groups]
        arguments |= {"groups": groups, "drawn": "group"}
    responses = np.repeat(base[None], count, axis=0)
    if base.dtype.kind == "f" and arguments.get("response") not in ("probability", "label"):
        scale = float(np.nanmax(base) - np.nanmin(base)) or 1.0
        responses = responses + r.choice([0.0, 0.2, 1.0]) * scale * g.normal(size=responses.shape)
    elif arguments.get("response") == "probability" and drawn.task == "binary":
        responses = np.clip(responses + 0.1 * g.normal(size=responses.shape), 0, 1)
    arguments |= {"responses": responses, "counts": counts, "apparent": base}
    return f"Replicates of {drawn.words}, B={count}", arguments


def make_nested(pi: en.Predictions, r: random.Random) -> en.NestedPredictions:
    """Return nested predictions around one column, the inner answers a little moved."""
    g = np.random.default_rng(r.getrandbits(32))
    y: Any = pi.target.y if pi.target.event is None else (pi.target.y, pi.target.event)
    moved = pi.responses[:, 0].astype(float)  # (n, R[, K])
    inner = []
    for repeat in range(pi.n_repeats):
        codes, row = pi.folds[:, repeat], []
        for fold in range(len(pi.fold_names[repeat])):
            answers = moved[:, repeat].copy()
            if pi.kind not in ("label", "probability"):
                answers = answers + 0.1 * (np.nanstd(answers) or 1.0) * g.normal(size=answers.shape)
            answers[codes == fold] = np.nan
            shape = answers[:, None] if answers.ndim == 1 else answers[:, None, None]
            row.append(
                en.Predictions.from_arrays(
                    y,
                    shape,
                    np.where(codes == fold, -1, codes),
                    task=str(pi.target.task),
                    response=str(pi.kind) if pi.target.has_classes else None,
                    classes=range(len(pi.target.classes)) if pi.target.has_classes else None,
                )
            )
        inner.append(tuple(row))
    return en.NestedPredictions(pi.select(0), tuple(inner))


def draw_table(r: random.Random) -> tuple[str, np.ndarray, np.ndarray, np.ndarray | None]:
    """Draw a table to learn from: its task, columns (n, 1 to 3), outcome, and perhaps groups."""
    g = np.random.default_rng(r.getrandbits(32))
    n, width = r.randint(8, 60), r.randint(1, 3)
    X = g.normal(size=(n, width))
    how = r.random()
    if how < 0.1:
        X[:, 0] = 1.0
    elif how < 0.3:
        X = np.round(X)
    task = r.choice(["binary", "multiclass", "regression"])
    latent = X[:, 0] * r.choice([0.0, 1.0, 3.0]) + g.normal(size=n)
    if task == "regression":
        y = latent
    else:
        cuts = [r.choice([0.0, 1.0])] if task == "binary" else [-0.5, 0.5]
        y = np.searchsorted(cuts, latent)
        y[: len(cuts) + 1] = np.arange(len(cuts) + 1)
    return task, X, y, _draw_groups(n, r) if r.random() < 0.2 else None


def draw_trials(r: random.Random) -> tuple[str, dict[str, Any]]:
    """Draw the arguments of `Trials.from_configs`: 2 to 40 trials of 1 to 4 hyperparameters."""
    g = np.random.default_rng(r.getrandbits(32))
    n = r.randint(2, 9) if r.random() < 0.05 else r.randint(10, 40)
    columns: dict[str, list[Any]] = {}
    for at in range(r.randint(1, 4)):
        kind = r.choice(["float", "log", "int", "choice", "bool", "constant", "mixed"])
        columns_of: dict[str, list[Any]] = {
            "float": g.random(n).tolist(),
            "log": (10 ** g.uniform(-6, 2, n)).tolist(),
            "int": g.integers(0, 5, n).tolist(),
            "choice": g.choice(["a", "b", "c"], n).tolist(),
            "bool": (g.random(n) < 0.5).tolist(),
            "constant": [1] * n,
            "mixed": [r.choice([1, "x", None, 0.5, True]) for _ in range(n)],
        }
        columns[f"{kind}{at}"] = columns_of[kind]
    configs = [{name: values[i] for name, values in columns.items()} for i in range(n)]
    if r.random() < 0.2:  # a conditional parameter
        for config in configs[::2]:
            config["only"] = float(g.random())
    objective = g.normal(size=n) * r.choice([1.0, 1.0, 0.0, 1e9, 1e-9])
    if r.random() < 0.5:
        numbers = [v for v in columns.values() if all(type(x) in (int, float) for x in v)]
        objective = objective + (np.array(numbers[0]) if numbers else 0.0)
    if r.random() < 0.2:
        objective[g.random(n) < 0.3] = np.nan
    options: dict[str, Any] = {"direction": r.choice(["maximize", "minimize"])}
    if r.random() < 0.2:
        options["standard_error"] = g.random(n)
    if r.random() < 0.2:
        options["pruned"] = g.random(n) < 0.3
    words = f"{n} trials of {', '.join(columns)}, {', '.join(options)}"
    return words, {"configs": configs, "objective": objective, **options}
