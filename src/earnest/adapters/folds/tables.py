"""Fold scores in tables: a row a configuration with a column a fold, or a row a fold.

Known are `cv_results_` as CSV, trials of Optuna, runs of MLflow and W&B, `resample` of caret,
`collect_metrics(summarize = FALSE)` of tune, `score()` of mlr3, and what `FoldScores.save` writes.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import re
import zlib
from ast import literal_eval
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from earnest.adapters.folds.names import FoldColumn, find_fold_columns
from earnest.adapters.folds.sklearn import SPLIT, read_results, unite
from earnest.adapters.trials.scored import ScoreName, score_name
from earnest.core.base.errors import EarnestError, EvidenceError
from earnest.core.data.fold_scores import FoldScores, SplitFacts
from earnest.core.data.predictions import Configs
from earnest.core.results.base import parse_json
from earnest.core.tables.columns import Columns
from earnest.core.tables.formats.json_lines import JSON_LINES
from earnest.core.tables.formats.text import TextOptions
from earnest.core.tables.opening import CSV, TABLES, open_table
from earnest.metrics.families import METRICS

# Names of columns, in small letters, that say what a row is.
CONFIG = (".config", "config", "configuration", "run_id", "hash", "uhash", "nr")
FOLD = ("resample", "fold", "iteration", "params.fold", "config.fold", "split")
REPEAT = ("repeat", "rep")
PARENT = "tags.mlflow.parentrunid"
METRIC, SCORE = (".metric", "metric"), (".estimate", "score", "value")
PARAMETERS = re.compile(r"^(?:params?[._]|config[./])(.+)$")
PLACE = re.compile(r"(?i)^(?:fold|k|split)?[ _.]*(\d+)(?:[._ ]*rep(?:eat)?[._ ]*(\d+))?$")
RANDOM = re.compile(r"(?i)^(?:resample|bootstrap|mccv|validation|lgocv)[ _.]*\d+$")
REPEAT_NAME = re.compile(r"(?i)^rep(?:eat)?[ _.]*(\d+)$")
NOT_SCORES = re.compile(
    r"(?i)(?:^|[._ ])(?:n|std_err|estimator|task_id|learner_id|resampling_id|warnings|errors|"
    r"runtime_learners|timestamp|batch_nr|prediction|task|learner|resampling|id|id2|time|step)$"
)
LONGEST = 1 << 20  # of a line of names
STUDY = {"number", "datetime_start", "state"}  # columns of the trials of Optuna
# Columns of tables of cases, which hold predictions.
CASES = {"y", "obs", "pred", "truth", "target", "rowindex", "row_ids", ".row", "row", "item"}
# What R and trackers call the metrics that are known here under another name.
CALLED = {
    "roc": "roc_auc",
    "auc": "roc_auc",
    "classif.auc": "roc_auc",
    "kappa": "cohen_kappa",
    "kap": "cohen_kappa",
    "classif.acc": "accuracy",
    "acc": "accuracy",
    "classif.bacc": "balanced_accuracy",
    "bal_accuracy": "balanced_accuracy",
    "classif.ce": "error_rate",
    "mn_log_loss": "log_loss",
    "logloss": "log_loss",
    "classif.logloss": "log_loss",
    "regr.rmse": "rmse",
    "regr.mse": "mse",
    "regr.mae": "mae",
    "regr.rsq": "r2",
    "f_meas": "f1",
    "brier_class": "brier",
}
LOSS = re.compile(r"(?i)(?:rmse|mae|mse|mape|loss|error|brier|deviance|nll|\bce)$")


def holds_fold_scores(names: Sequence[str]) -> bool:
    """Tell by the names of its columns whether a table holds fold scores.

    Examples
    --------
    >>> from earnest.adapters.folds.tables import holds_fold_scores
    >>> holds_fold_scores(["params", "split0_test_score", "split1_test_score"])
    True
    >>> holds_fold_scores(["y", "fold", "svm", "tree"])
    False
    """
    if CASES & {name.casefold() for name in names}:
        return False
    if _find_long(names) is not None:
        return True
    return "fold" not in names and bool(find_fold_columns(names))


def has_fold_scores(path: Path) -> bool:
    """Tell by the names of its columns whether a file holds fold scores; nothing is raised."""
    name = path.name.casefold()
    if not path.is_file() or not name.endswith(TABLES) or path.stat().st_size == 0:
        return False
    try:
        return holds_fold_scores(_peek_names(path, name))
    except (EarnestError, OSError, EOFError, ValueError, csv.Error, zlib.error):
        return False  # the reader of predictions says what is wrong with it


def _peek_names(path: Path, name: str) -> list[str]:
    """Return the names of the columns of a file without reading the table where that can be."""
    if name.endswith((*CSV, *JSON_LINES)):
        opener: Any = gzip.open if name.endswith(".gz") else open
        with opener(path, "rt", encoding="utf-8-sig") as file:
            line = file.readline(LONGEST)
        if line.lstrip().startswith("{"):
            return [str(key) for key in parse_json(line)]
        rows = [next(csv.reader([line], delimiter=sign), []) for sign in ",;\t|"]
        return max(rows, key=len)
    if name.endswith(".parquet"):
        import pyarrow.parquet as pq

        return [str(each) for each in pq.read_schema(path).names]
    with open_table(path) as table:
        return list(table.read(TextOptions()).names) if table.header is None else []


def load_fold_scores(path: Path) -> FoldScores:
    """Read the fold scores of a file."""
    with open_table(path) as table:
        return read_fold_table(table.read(TextOptions()))


def read_fold_table(frame: object) -> FoldScores:
    """Read the fold scores of a table: of pandas, polars, Arrow, or columns of a file."""
    columns = Columns.of(frame)
    names = list(columns.names)
    if any(SPLIT.fullmatch(name) for name in names):
        return _read_results_table(columns)
    wide = find_fold_columns(names)
    return _read_wide(columns, wide) if wide else _read_long(columns)


def _list_values(columns: Columns, name: str) -> list[Any]:
    return [None if _is_nan(value) else value for value in columns.array(name).tolist()]


def _is_nan(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _list_numbers(columns: Columns, name: str) -> list[float]:
    return [_read_number(value, name) for value in _list_values(columns, name)]


def _read_number(value: object, name: str) -> float:
    try:
        return math.nan if value is None else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise EvidenceError(
            f"column {name!r} is named like a fold score but holds text",
            needs="numbers",
            got=repr(value),
        ) from None


def _read_results_table(columns: Columns) -> FoldScores:
    """Read `cv_results_` that was written as a table."""
    names = columns.names
    params = [f"param_{name.removeprefix('param_')}" for name in names if name.startswith("param_")]
    table: dict[str, Any] = {
        name: _list_numbers(columns, name) for name in names if SPLIT.fullmatch(name)
    }
    for name in ("n_resources", "iter"):
        if name in names:
            table[name] = _list_numbers(columns, name)
    if params:
        table["params"] = _read_params(columns, {name: name[6:] for name in params})
    else:
        listed = _list_values(columns, "params") if "params" in names else [None] * columns.rows
        table["params"] = [_parse_params(value, row) for row, value in enumerate(listed)]
    return read_results(table, usual=_find_rank(columns))


def _find_rank(columns: Columns) -> str | None:
    ranks = [name.removeprefix("rank_test_") for name in columns.names if "rank_test_" in name]
    return ranks[0] if len(ranks) == 1 else None


def _parse_params(value: object, row: int) -> dict[str, object]:
    if isinstance(value, Mapping):
        return dict(value)
    try:
        parsed = literal_eval(str(value))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        parsed = None
    return dict(parsed) if isinstance(parsed, dict) else {"row": row}


def _read_params(columns: Columns, names: Mapping[str, str]) -> list[dict[str, object]]:
    """Return the parameters of the rows by their names; what a row lacks is left out."""
    table = {label: _list_values(columns, name) for name, label in names.items()}
    return [
        {label: values[row] for label, values in table.items() if values[row] is not None}
        for row in range(columns.rows)
    ]


def _read_wide(columns: Columns, fold_columns: Sequence[FoldColumn]) -> FoldScores:
    """Read a row per configuration, with a column for each fold."""
    by_metric: dict[str, list[FoldColumn]] = {}
    for column in fold_columns:
        by_metric.setdefault(column.metric, []).append(column)
    rows, repeats = {}, 1
    for metric, mine in by_metric.items():
        mine.sort(key=lambda column: (column.repeat, column.fold))
        repeats = len({column.repeat for column in mine})
        rows[metric] = np.array([_list_numbers(columns, column.name) for column in mine]).T
    names = {column.name for column in fold_columns}
    labels = {
        name: match[1]
        for name in columns.names
        if name not in names and (match := PARAMETERS.match(name)) is not None
    }
    configs = _make_configs(_read_params(columns, labels), columns.rows)
    if set(columns.names) >= STUDY:
        configs = replace(configs, static=False)  # the sampler of the study is not known
    scored = np.any([np.isfinite(table).any(axis=1) for table in rows.values()], axis=0)
    complete = np.flatnonzero(scored)  # runs of something else, and those that failed at once
    if not len(complete):
        raise EvidenceError("every fold score is missing", needs="numbers", got="empty columns")
    facts = SplitFacts(repeats=repeats, assumed=repeats == 1)
    return _unite(
        {name: table[complete] for name, table in rows.items()}, configs.take(complete), facts
    )


def _make_configs(params: Sequence[dict[str, object]], count: int) -> Configs:
    return Configs.of(params if any(params) else None, count)


def _unite(rows: Mapping[str, Any], configs: Configs, facts: SplitFacts) -> FoldScores:
    """Put metrics side by side under the names that are known, in their own direction."""
    table, names = {}, {}
    for key, values in rows.items():
        word = key.removeprefix("neg_")
        called = CALLED.get(
            word.casefold(), word.casefold() if word.casefold() in METRICS else word
        )
        lower = _is_lower_better(called)
        negated = word != key
        sign = -1.0 if lower else 1.0
        table[key] = values if negated else sign * values
        names[key] = ScoreName(called, sign) if lower or not negated else score_name(key)
    return unite(table, names, configs, facts, usual=None)


def _is_lower_better(name: str) -> bool:
    if name in METRICS:
        return not METRICS[name].greater_is_better
    return LOSS.search(name) is not None


@dataclass(frozen=True)
class LongRoles:
    """Which column of a long table says what; `metric` is None where metrics are columns."""

    fold: str
    repeat: str | None
    config: str | None
    metric: str | None
    score: str | None


def _find_long(names: Sequence[str]) -> LongRoles | None:
    """Return the columns of a table with a row per configuration and fold; None for no such."""
    low = {name.casefold(): name for name in names}

    def first(words: Sequence[str]) -> str | None:
        return next((low[word] for word in words if word in low), None)

    metric, score, config = first(METRIC), first(SCORE), first(CONFIG)
    if ".metric" in low and ".estimate" in low and "id" in low:  # of tune
        repeat = low["id"] if "id2" in low else None
        return LongRoles(
            low.get("id2", low["id"]), repeat, config, low[".metric"], low[".estimate"]
        )
    if PARENT in low:  # a run of MLflow for each fold, below that of its configuration
        of_run = first(FOLD)
        return None if of_run is None else LongRoles(of_run, None, low[PARENT], None, None)
    if "resample" in low:  # of caret
        return LongRoles(low["resample"], None, None, None, None)
    if "iteration" in low and ("resampling_id" in low or "learner_id" in low):  # of mlr3
        return LongRoles(low["iteration"], None, config or low.get("learner_id"), None, None)
    if "fold" in low and config is not None and metric is not None and score is not None:
        return LongRoles(low["fold"], first(REPEAT), config, metric, score)
    return None


def _read_long(columns: Columns) -> FoldScores:
    """Read a row per configuration and fold."""
    roles = _find_long(columns.names)
    if roles is None:
        raise EvidenceError(
            "this table holds no scores of folds",
            needs="columns split0_test_score, ... or fold_0, ..., or a row per fold as caret, tune "
            "and mlr3 write it",
            got=", ".join(columns.names[:8]),
        )
    metrics = _list_metrics(columns, roles)
    used = {roles.fold, roles.repeat, roles.config, roles.metric, roles.score, *metrics}
    params = {
        name: match[1] if (match := PARAMETERS.match(name)) else name
        for name in columns.names
        if name not in used and not NOT_SCORES.search(name) and not name.startswith(("tags.", "."))
    }
    listed = _read_params(columns, params)
    keys = [
        str(value)
        for value in (
            _list_values(columns, roles.config)
            if roles.config is not None
            else [json.dumps(row, default=str, sort_keys=True) for row in listed]
        )
    ]
    places, overlap = _read_places(columns, roles)
    return _gather(columns, roles, metrics, keys, places, listed, overlap=overlap)


def _list_metrics(columns: Columns, roles: LongRoles) -> list[str]:
    """Return the columns that are metrics, where no column names them."""
    if roles.metric is not None:
        return []
    marked = [name for name in columns.names if name.casefold().startswith("metrics.")]
    if marked:
        return marked
    dotted = [n for n in columns.names if re.match(r"(?:classif|regr|surv|selected)\.", n)]
    if dotted:
        return dotted
    if roles.fold.casefold() == "resample":  # caret writes the metrics first, then the parameters
        named = [n for n in columns.names if _is_metric_name(n)]
        return named or list(columns.names[:1])
    return [name for name in columns.names if _is_metric_name(name)]


def _is_metric_name(name: str) -> bool:
    low = name.casefold()
    others = ("rsquared", "sens", "spec", "prauc", "f", "mean_f1", "auprc")
    return low in CALLED or low in METRICS or low in others or LOSS.search(low) is not None


Place = tuple[int, int]


def _read_places(columns: Columns, roles: LongRoles) -> tuple[list[Place | None], bool]:
    """Return repeat and fold of every row, and whether the splits are random ones."""
    folds = _list_values(columns, roles.fold)
    repeats = [None] * len(folds) if roles.repeat is None else _list_values(columns, roles.repeat)
    places: list[Place | None] = []
    overlap = False
    for fold, repeat in zip(folds, repeats, strict=True):
        if fold is None:
            places.append(None)
            continue
        word = str(int(fold)) if isinstance(fold, float) and fold == int(fold) else str(fold)
        overlap = overlap or RANDOM.match(word) is not None
        match = PLACE.match(word)
        number = int(match[1]) if match else int(re.sub(r"\D", "", word) or 0)
        second = match[2] if match else None
        places.append((int(second) if second else _number_repeat(repeat), number))
    return places, overlap


def _number_repeat(repeat: object) -> int:
    if repeat is None:
        return 0
    match = REPEAT_NAME.match(str(repeat))
    digits = match[1] if match else re.sub(r"\D", "", str(repeat))
    return int(digits or 0)


def _gather(
    columns: Columns,
    roles: LongRoles,
    metrics: Sequence[str],
    keys: Sequence[str],
    places: Sequence[Place | None],
    params: Sequence[dict[str, object]],
    *,
    overlap: bool,
) -> FoldScores:
    """Put the rows of a long table into one row per configuration."""
    order = {split: i for i, split in enumerate(sorted({p for p in places if p is not None}))}
    first: dict[str, int] = {}
    for row, (key, split) in enumerate(zip(keys, places, strict=True)):
        if split is not None and key != "None":
            first.setdefault(key, row)
    config = {key: i for i, key in enumerate(first)}
    if roles.metric is not None and roles.score is not None:
        words = [str(word) for word in _list_values(columns, roles.metric)]
        scores = {word: _list_numbers(columns, roles.score) for word in dict.fromkeys(words)}
    else:
        words = []
        scores = {name: _list_numbers(columns, name) for name in metrics}
    tables = {}
    for name, values in scores.items():
        table = np.full((len(config), len(order)), np.nan)
        filled = Counter[tuple[str, Place]]()
        for row, (key, split) in enumerate(zip(keys, places, strict=True)):
            if split is None or key not in config or (words and words[row] != name):
                continue
            table[config[key], order[split]] = values[row]
            filled[key, split] += 1
        if max(filled.values(), default=0) > 1:
            twice = next(pair for pair, times in filled.items() if times > 1)
            raise EvidenceError(
                "a configuration has two scores of one fold",
                needs="one row per configuration, fold and metric",
                got=f"{twice[0]}, fold {twice[1][1]}",
                cure="If the rows are of several tasks or learners, take one of them.",
            )
        tables[name.removeprefix("metrics.")] = table
    repeats = len({split[0] for split in order})
    even = len(order) % repeats == 0 and len({split[1] for split in order}) * repeats == len(order)
    facts = SplitFacts(repeats=repeats if even else 1, overlap=overlap, assumed=not even)
    return _unite(
        tables, _name_configs(list(first), [params[row] for row in first.values()]), facts
    )


def _name_configs(names: list[str], params: list[dict[str, object]]) -> Configs:
    """Name configurations as the table does, or by number where it only has their parameters."""
    plain = all(len(name) < 40 and not name.startswith("{") for name in names)
    ids = tuple(names) if plain else tuple(f"c{i}" for i in range(len(names)))
    return Configs(ids=ids, params=tuple(params) if any(params) else None)
