"""Trials of SMAC: its run history, with the space beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from earnest.adapters.readers import TrialsRequest
from earnest.adapters.trials.configspace import load_configspace
from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.provenance import JsonObject
from earnest.core.results.base import parse_json
from earnest.core.space.parameters import simplify_value
from earnest.core.space.trials import Trials
from earnest.core.text.doors import arg

JsonRow: TypeAlias = JsonObject | list[Any]  # a run, as one of three versions writes it
HISTORY, SPACE = "runhistory.json", "configspace.json"
SUCCESS = 1  # of SMAC's StatusType
NOT_OVER = (0, 8)  # running; 8 in the first version


def is_history(data: object) -> bool:
    """Tell whether this is the content of a run history."""
    return isinstance(data, dict) and "data" in data and "configs" in data


def read_history(path: Path, ask: TrialsRequest) -> Trials:
    """Make trials from a run history; the cost is minimised.

    Runs of one configuration with several seeds or instances are averaged, and give its standard
    error. Where budgets differ, `budget` is one of the parameters. The space is read from
    `configspace.json` beside the history, and inferred where there is none.
    """
    ask.refuse("a run history", "study", "standard_error", "status", "values")
    content = parse_json(path.read_text(encoding="utf-8"))
    space = ask.space
    if space is None and (path.parent / SPACE).is_file() and ask.params is None:
        space = load_configspace(path.parent / SPACE)
    try:
        runs = _collect_runs(content["data"], ask.objective)
        configs_by_id = {str(key): dict(value) for key, value in content["configs"].items()}
        configs = [
            {k: simplify_value(v) for k, v in configs_by_id[key].items() if v is not None}
            for key, _ in runs
        ]
    except InputError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FormatError(
            f"{path.name!r} cannot be read",
            needs="a run history of SMAC",
            got=f"{type(error).__name__}: {error}",
        ) from error
    if not runs:
        raise FormatError(
            f"{path.name!r} holds no finished run",
            needs="a run history of SMAC with at least one finished run",
            got="none",
        )
    budgets = [budget for _, budget in runs]
    if len(set(budgets)) > 1:
        configs = [c | {"budget": b} for c, b in zip(configs, budgets, strict=True)]
        space = ask.space  # that of the file knows no budget
    return Trials.from_configs(
        ask.some_of(configs),
        [float(np.mean(costs)) for costs in runs.values()],
        direction=ask.direction_or("minimize", "a run history, whose cost is minimised"),
        space=space,
        standard_error=_find_errors(list(runs.values())),
        objective_name="cost",
        source=f"SMAC run history {path.name!r}",
    )


def _collect_runs(
    rows: list[JsonRow], objective: str | int | None
) -> dict[tuple[str, float], list[float]]:
    """Return the costs of the runs that are over, by configuration and budget."""
    runs: dict[tuple[str, float], list[float]] = defaultdict(list)
    for run in map(_read_run, rows):
        if run["status"] not in NOT_OVER:
            key = str(run["config_id"]), float(run["budget"] or 0.0)
            runs[key].append(_read_cost(run, objective))
    return runs


def _read_run(row: JsonRow) -> JsonObject:
    """Return a run by name, of any of SMAC's three ways to write it."""
    run: dict[str, Any]
    if isinstance(row, Mapping):
        run = dict(row)
    elif len(row) == 2:  # version 1: key and value
        run = {
            "config_id": row[0][0],
            "budget": row[0][3],
            "cost": row[1][0],
            "status": row[1][2],
        }
    else:  # version 2.0, and 2.1 with the time of the processor between
        column = 7 if len(row) > 10 else 6
        run = {"config_id": row[0], "budget": row[3], "cost": row[4], "status": row[column]}
    run["status"] = _read_status(run.get("status", SUCCESS))
    run.setdefault("budget", None)
    return run


def _read_status(status: object) -> int:
    if isinstance(status, dict):
        status = status.get("__enum__", "")
    if isinstance(status, str):
        return {"SUCCESS": SUCCESS, "RUNNING": 0}.get(status.rpartition(".")[2], 2)
    return int(status)  # type: ignore[call-overload, no-any-return]  # raises for what is not a number


def _read_cost(run: JsonObject, objective: str | int | None) -> float:
    """Return the cost of a run, NaN where it failed."""
    if run["status"] != SUCCESS:
        return float("nan")
    cost = run["cost"]
    if not isinstance(cost, list):
        return float(cost)
    if not isinstance(objective, int):
        raise InputError(
            "the runs have several costs", needs=f"{arg('objective')}, from 0 to {len(cost) - 1}"
        )
    return float(cost[check.whole_number("objective", objective, low=0, high=len(cost) - 1)])


def _find_errors(costs: list[list[float]]) -> list[float] | None:
    if min(len(c) for c in costs) < 2:
        return None
    return [float(np.std(c, ddof=1) / np.sqrt(len(c))) for c in costs]
