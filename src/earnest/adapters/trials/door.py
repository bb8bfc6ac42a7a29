"""The door for trials: whatever holds a search's results, recognised and read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import ArrayLike

from earnest.adapters.readers import (
    EARLY,
    LAST,
    LATE,
    MARKS,
    TRIALS_READERS,
    TrialsReader,
    TrialsRequest,
    find_reader,
    refuse_source,
    register,
)
from earnest.adapters.trials import configspace, optuna, predictions, sklearn
from earnest.core.base import check
from earnest.core.base.arrays import finite_range
from earnest.core.base.errors import InputError
from earnest.core.results.estimate import restore_nan
from earnest.core.space.space import Space
from earnest.core.space.trials import ANYTHING, MEAN, Trials
from earnest.core.text.doors import arg
from earnest.metrics.families import METRICS

TOOLS = (optuna, predictions, sklearn)  # each registers its readers


def trials_from(
    source: object,
    objective_values: ArrayLike | None = None,
    *,
    study: str | None = None,
    objective: str | int | None = None,
    direction: str | None = None,
    params: Sequence[str] | None = None,
    standard_error: str | None = None,
    status: str | None = None,
    space: object = None,
    limits: tuple[float, float] | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
) -> Trials:
    """Return the trials of a search by any tool.

    Parameters
    ----------
    source : object or path
        Trials as they are; `Predictions` whose configurations have parameters; a fitted `SearchCV`,
        its run file or the folder of a run; an Optuna study, storage URL, SQLite file or journal
        file; a fitted search of scikit-learn or its `cv_results_`; a fitted `OptunaSearchCV`;
        anything with an attribute `trials_`; a run history of SMAC (the file or its folder); a
        table (pandas, polars, Arrow) or its file; a list of configurations. Files are known by
        their content. A pickle is never read.
    objective_values : array-like, optional
        The objectives of a list of configurations.
    study : str, optional
        The name of an Optuna study, if a storage has several.
    objective : str or int, optional
        Which objective, if there are several; the column of a table; the metric of predictions.
    direction : {'maximize', 'minimize'}, optional
        Which way is better, if the source does not say.
    params : sequence of str, optional
        The parameters to keep; all if None.
    standard_error, status : str, optional
        Columns of a table.
    space : Space or ConfigurationSpace, optional
        The space, where the source does not have it, or another is meant.
    limits : pair of float, optional
        The smallest and the largest objective that is possible, within which bands stay. Those of
        the metric by default, where the objective is called like one.
    delimiter, decimal, thousands : str, optional
        What separates the columns of a CSV file, its decimal mark, and the mark between its
        thousands, where the file does not tell.

    Returns
    -------
    Trials

    Examples
    --------
    >>> import earnest as en
    >>> results = {
    ...     "params": [{"C": 10.0**i} for i in range(-5, 5)],
    ...     "mean_test_score": [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.88, 0.87, 0.86, 0.8],
    ... }
    >>> en.trials_from(results)
    Trials(n=10, parameters=1, objective='score', maximize, best=0.9)
    """
    ask = TrialsRequest(
        study=study,
        objective=objective,
        direction=direction,
        params=None if params is None else tuple([params] if isinstance(params, str) else params),
        standard_error=standard_error,
        status=status,
        space=_read_space(space),
        values=objective_values,
        delimiter=delimiter,
        decimal=decimal,
        thousands=thousands,
    )
    if isinstance(source, str | Path) and "://" not in str(source):
        check.read_path(source, name="source")
    if not isinstance(source, (str, Path)):
        ask.refuse("something other than a file", *MARKS)
    reader = find_reader(TRIALS_READERS, source)
    if reader is None:
        cure = "Call its `fit` first." if hasattr(source, "fit") else ""
        raise refuse_source(TRIALS_READERS, source, "trials", cure)
    return set_limits(reader.read(source, ask), limits)


def set_limits(trials: Trials, limits: tuple[float, float] | None = None) -> Trials:
    """Return trials that know the limits of their objective, where it is called like a metric.

    Not if an objective lies outside of them, or the other way is better: then it is another thing
    of the same name, such as an accuracy in percent. Limits that the user gives hold instead.
    """
    values = trials.objective if trials.pruned is None else trials.objective[~trials.pruned]
    if limits is not None:
        low, high = check.read_range("limits", limits, "objective")
        least, most = finite_range(values)
        if least < low or most > high:
            raise InputError(
                f"objectives lie outside {arg('limits')}",
                needs=f"numbers from {low:g} to {high:g}",
                got=f"numbers from {least:g} to {most:g}",
                cure="Give the range that is possible.",
            )
        return replace(trials, limits=(low, high))
    name = trials.objective_name.removeprefix(MEAN)
    if trials.limits != ANYTHING or name not in METRICS:
        return trials
    metric = METRICS[name]
    low, high = metric.limits
    within = bool(((values >= low) & (values <= high)).all())
    if not within or metric.greater_is_better != (trials.direction == "maximize"):
        return trials
    return replace(trials, limits=(low, high))


def _read_space(space: object) -> Space | None:
    if space is None or isinstance(space, Space):
        return space
    if configspace.is_configspace(space):
        return configspace.read_configspace(space)
    raise InputError(
        "`space` is not a space",
        needs="earnest.Space, or ConfigSpace.ConfigurationSpace",
        got=check.show(space),
    )


def _read_own(source: Trials, ask: TrialsRequest) -> Trials:
    options = [n for n in vars(ask) if n != "space" and getattr(ask, n) is not None]
    ask.refuse("Trials", *options)
    return source if ask.space is None else replace(source, space=ask.space)


class TrialsHolder(Protocol):
    """A search of anybody that tells its trials."""

    trials_: Trials | Iterable[Mapping[str, Any]]


def _read_protocol(source: TrialsHolder, ask: TrialsRequest) -> Trials:
    """Read `trials_`: a Trials, or mappings of `params`, `score`, `standard_error`, `status`."""
    trials = source.trials_
    if isinstance(trials, Trials):
        return _read_own(trials, ask)
    ask.refuse("a search's own trials", "study", "objective", "standard_error", "status", "values")
    listed = [dict(trial) for trial in trials]
    states = [
        str(trial.get("status", "complete")).rpartition(".")[2].casefold() for trial in listed
    ]
    errors = [trial.get("standard_error") for trial in listed]
    direction = str(getattr(source, "trials_direction_", "maximize"))
    return Trials.from_configs(
        ask.some_of([dict(trial["params"]) for trial in listed]),
        [
            restore_nan(trial.get("score")) if state == "complete" else math.nan
            for trial, state in zip(listed, states, strict=True)
        ],
        direction=ask.direction_or(direction, "the search"),
        space=ask.space,
        standard_error=None if any(e is None for e in errors) else [restore_nan(e) for e in errors],
        pruned=[state in ("pruned", "dropped") for state in states],
        objective_name=str(getattr(source, "trials_objective_", "score")),
        source=type(source).__name__,
    )


def _read_configs(source: Sequence[Mapping[str, object]], ask: TrialsRequest) -> Trials:
    ask.refuse("configurations", "study", "standard_error", "status")
    if ask.values is None or ask.direction is None:
        raise InputError(
            "configurations without objectives are not trials",
            needs=f"their objectives as the second argument, and {arg('direction')}",
        )
    return Trials.from_configs(
        ask.some_of([dict(config) for config in source]),
        ask.values,
        direction=ask.direction,
        space=ask.space,
        objective_name="objective" if ask.objective is None else str(ask.objective),
    )


def _read_path(source: str | Path, ask: TrialsRequest) -> Trials:
    from earnest.adapters.trials.files import read_stored_trials  # which loads the stores of runs

    return read_stored_trials(source, ask)


def _read_frame(source: object, ask: TrialsRequest) -> Trials:
    ask.refuse("a table", "study", "values")
    return Trials.from_frame(source, **ask.table_options())


def _is_frame(source: object) -> bool:
    kind = type(source)  # asking a lazy frame itself would read it
    return hasattr(kind, "columns") or hasattr(kind, "column_names")


def _is_configs(source: object) -> bool:
    if not isinstance(source, (list, tuple)) or not source:
        return False
    return all(isinstance(config, Mapping) for config in source)


register(
    TrialsReader(
        name="trials",
        words="earnest.Trials",
        takes=lambda source: isinstance(source, Trials),
        read=_read_own,
        rank=EARLY,
    )
)
register(
    TrialsReader(
        name="protocol",
        words="an object with `trials_`",
        takes=lambda source: hasattr(source, "trials_"),
        read=_read_protocol,
        rank=LATE,
    )
)
register(
    TrialsReader(
        name="path",
        words="the path of a file",
        takes=lambda source: isinstance(source, str | Path),
        read=_read_path,
        rank=LAST,
    )
)
register(TrialsReader(name="table", words="a table", takes=_is_frame, read=_read_frame, rank=LAST))
register(
    TrialsReader(
        name="configurations",
        words="a list of configurations",
        takes=_is_configs,
        read=_read_configs,
        rank=LAST,
    )
)
