"""What the model of a run does with its columns: in memory, or from the folder of the run."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.rng import Seeds
from earnest.core.base.writing import refuse_links, write_file
from earnest.core.data.predictions import Predictions
from earnest.core.results.base import read_result
from earnest.core.results.model.columns import ModelExplanation
from earnest.core.tables.formats.missing import read_missing
from earnest.core.text.doors import arg
from earnest.engine.limits import read_budget
from earnest.training.columns.explain import explain_columns
from earnest.training.protocols import Estimator
from earnest.training.tables.table import TrainingTable
from earnest.training.tune.folder import ESTIMATE, EXPLANATION, PREDICTIONS
from earnest.training.tune.model import Model, load_model
from earnest.training.tune.options import TuneOptions
from earnest.training.tune.plan import PLAN, Pairs, TunePlan, make_pairs

if TYPE_CHECKING:
    from earnest.training.tune.tuned import Tuned

LISTS = ("ignore", "keep", "missing")


def explain_tuned(
    tuned: Tuned,
    *,
    effects: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    limit: float = math.inf,
    n_jobs: int | None = None,
) -> ModelExplanation:
    """Return what the delivered model does with its columns; see `explain_columns`."""
    plan = tuned.plan
    pairs = make_pairs(tuned.table, tuned.folds, tuned.repeats, Seeds(plan.seed))
    return _explain(
        tuned.model,
        tuned.table,
        pairs[: plan.n_splits][: tuned.folds],
        plan.seed,
        effects=effects,
        confidence_level=confidence_level,
        fit_seconds=tuned.refit_seconds,
        limit=limit,
        n_jobs=n_jobs,
    )


def explain_model(
    run: str | Path,
    data: object,
    *,
    effects: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    budget: str | float | None = None,
    n_jobs: int | None = -1,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: str | Sequence[str] = (),
) -> ModelExplanation:
    """Tell which columns the model of a run needs, and how its prediction moves with them.

    The folds of the run are made again, and the delivered model, a configuration or an ensemble, is
    trained on some of them. Columns are those of the table: all that a date or a text became
    changes cases together.

    **What is estimated.** How much worse these models score new cases if a column comes from
    independent cases. **What it assumes.** Cases, or their groups, are independent; an interval is
    that of one column. **When it fails.** Columns that tell the same stand in for each other: those
    that go together also change cases together.

    Fisher, Rudin, Dominici 2019 (model reliance); Friedman 2001 (partial dependence).

    Parameters
    ----------
    run : str or Path
        The folder that `tune` wrote.
    data : str, Path or frame
        The table that the run was made with.
    effects : sequence of str, optional
        The columns whose effects are traced; by default the most important ones.
    confidence_level : float
        The level of each interval.
    budget : str or float, optional
        How long it may take: '30s', '5m', or seconds. No limit by default.
    n_jobs : int, optional
        How many threads; -1 is all cores. Never changes the result.
    delimiter, decimal, thousands, missing
        As the table was read for the run.

    Returns
    -------
    ModelExplanation
        Importances with intervals, and effects with bands.

    Examples
    --------
    >>> import tempfile
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     asked = {"n_configs": 1, "folds": 3, "rng": 7, "n_jobs": 1, "out": folder}
    ...     found = en.tune(iris, target="target", **asked)
    ...     explanation = en.results.explain_model(folder, iris, n_jobs=1)
    >>> explanation.n_columns, explanation.n_models, len(explanation.effects) > 0
    (4, 3, True)
    """
    folder = check.read_path(run, "the folder of a run", "run").expanduser()
    model, limit = load_model(folder), read_budget(budget)
    check.check_share("confidence_level", confidence_level)
    from earnest.training.tune.job import begin

    plan, options = _read_plan(folder, model)
    options = options | {
        "delimiter": delimiter,
        "decimal": decimal,
        "thousands": thousands,
        "missing": (*options["missing"], *read_missing(missing)),
    }
    job = begin(data, TuneOptions(**options), out=None, plan=folder / PLAN)
    table, folds = job.divide(plan)
    _refuse_other_table(folder, table, model)
    return _explain(
        model,
        table,
        folds[: job.splits.folds],
        plan.seed,
        effects=effects,
        confidence_level=confidence_level,
        limit=math.inf if limit is None else limit,
        n_jobs=n_jobs,
    )


def save_in_run(explanation: ModelExplanation, run: str | Path) -> Path:
    """Write an explanation into the folder of a run, where a report finds it."""
    path = Path(run).expanduser() / EXPLANATION
    refuse_links(path)
    write_file(
        path, json.dumps(explanation.to_dict(), indent=2, allow_nan=False) + "\n", follow=False
    )
    return path


def _explain(
    model: Model,
    table: TrainingTable,
    folds: Pairs,
    seed: int,
    *,
    effects: Sequence[str] | None,
    confidence_level: float,
    fit_seconds: float | None = None,
    limit: float,
    n_jobs: int | None,
) -> ModelExplanation:
    from sklearn.base import clone

    columns = table.schema.columns
    strange = [name for name in effects or () if name not in columns]
    if strange:
        raise InputError(
            f"{arg('effects')} names no column that the model sees: {strange[0]!r}",
            needs=check.some(map(repr, columns), limit=8),
            cure=check.nearest(strange[0], columns),
        )
    recipe: Estimator = clone(model.estimator)
    return explain_columns(
        recipe,
        table,
        folds,
        model.metric,
        name=model.winner,
        seed=seed,
        confidence_level=confidence_level,
        fit_seconds=fit_seconds,
        limit=limit,
        effects=effects,
        n_jobs=n_jobs,
    )


def _read_plan(folder: Path, model: Model) -> tuple[TunePlan, dict[str, Any]]:
    """Return the plan of a run, and the options that it was made with."""
    file = folder / PLAN
    if not file.is_file():
        raise FormatError(
            f"there is no plan in {str(folder)!r}",
            needs=f"the folder of a finished run, with {PLAN!r}",
            cure="Give the folder that `earnest tune` wrote, not the model alone.",
        )
    plan = TunePlan.from_json(file.read_text(encoding="utf-8"))
    options: dict[str, Any] = dict(plan.asked)
    for name in LISTS:
        values = options.get(name)
        options[name] = tuple(map(str, values)) if isinstance(values, list) else ()
    return plan, options


def _refuse_other_table(folder: Path, table: TrainingTable, model: Model) -> None:
    """Refuse a table that the run was not made with."""
    about = read_result(folder / ESTIMATE).get("tuning", {})
    pi = Predictions.load(folder / PREDICTIONS)
    same = (
        model.schema.to_dict() == table.schema.to_dict()
        and pi.n_cases == table.n_cases
        and about.get("n_cases") == table.n_cases
        and _has_same_outcome(pi, table)
    )
    if not same:
        raise InputError(
            f"this is not the table of the run in {str(folder)!r}",
            needs=f"{pi.n_cases:,} cases with the columns and the outcome of {about.get('source')}",
            got=f"{table.n_cases:,} cases with {len(table.schema.columns):,} columns",
            cure="Give the table that the run was made with, read in the same way.",
        )


def _has_same_outcome(pi: Predictions, table: TrainingTable) -> bool:
    y = np.asarray(table.y)
    if y.dtype.names:
        y = y["time"]
    outcome = np.asarray(pi.target.y, dtype=np.float64)
    return outcome.shape == y.shape and bool(np.allclose(outcome, y.astype(np.float64)))
