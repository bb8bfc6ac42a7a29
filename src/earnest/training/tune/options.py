"""What a user asks of `tune`, checked before anything is read."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from earnest.core.arguments.base import check_arguments, pass_arguments
from earnest.core.arguments.tune import TuneArguments
from earnest.core.base import check
from earnest.core.base.errors import InputError, MetricError
from earnest.core.base.threads import workers
from earnest.core.data.selection import EnsembleRule, GreedyEnsemble
from earnest.core.data.target import Task
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    from earnest.training.learners.portfolio import Portfolio
    from earnest.training.search.dropping.bced import DroppingRule


USUAL_METRIC = {
    Task.BINARY: "roc_auc",
    Task.MULTICLASS: "roc_auc_ovr",
    Task.REGRESSION: "r2",
    Task.SURVIVAL: "concordance",
}
ENSEMBLE_RULES: dict[str, EnsembleRule | None] = {
    "greedy": GreedyEnsemble(size=12, library=20, guard=True),  # a quarter of the usual time
    "none": None,
}
USUAL_SECONDS = 300.0  # of a run whose budget is not said
_SPAN = re.compile(
    r"^\s*([0-9]*\.?[0-9]+)\s*(?:(s|m|h|d)|(s)ecs?|(s)econds?|(m)ins?|(m)inutes?|(h)ours?|(d)ays?)?\s*$",
    re.IGNORECASE,
)
LISTS = ("by", "ignore", "keep", "missing", "without")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True, kw_only=True)
class TuneOptions:
    """The knobs of `tune`; see there.

    A resumed run must share what `same` returns; its budget, level and number of workers may
    differ.
    """

    target: str | None = None
    group: str | None = None
    time: str | None = None
    event: str | None = None
    task: str | None = None
    positive: object = None
    ignore: Sequence[str] = ()
    keep: Sequence[str] = ()
    by: Sequence[str] = ()
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    missing: Sequence[str] = ()
    metric: str | None = None
    portfolio: str | Path | Portfolio = "default"
    n_configs: int | None = None
    budget: float | None = None
    folds: int = 10
    repeats: int = 1
    drop: str | DroppingRule | None = None
    ensemble: str = "none"
    confidence_level: float = 0.95
    seed: int | None = None
    n_jobs: int | None = None
    learning_curve: bool = False
    without: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse what is wrong whatever the data."""
        check_arguments(
            TuneArguments,
            folds=self.folds,
            repeats=self.repeats,
            n_configs=self.n_configs,
            rng=self.seed,
            ensemble=self.ensemble,
            confidence_level=self.confidence_level,
        )
        workers(self.n_jobs)
        if self.drop is not None:
            from earnest.training.search.dropping.bced import read_dropping

            read_dropping(self.drop)

    @classmethod
    def of(cls, arguments: TuneArguments) -> Self:
        """Return the options that somebody gave on a command line."""
        values = pass_arguments(arguments, without=("rng", "budget"))
        lists = {name: tuple(values[name] or ()) for name in LISTS}
        seed, budget = arguments.rng, read_budget(arguments.budget)
        return cls(**{**values, **lists, "seed": seed, "budget": budget})

    @property
    def rule(self) -> EnsembleRule | None:
        """The rule that chooses an ensemble; None if one configuration wins."""
        return ENSEMBLE_RULES[self.ensemble]

    @property
    def seconds(self) -> float:
        """How long the run may take: no limit if only a number of configurations is asked for."""
        if self.budget is not None:
            return self.budget
        return USUAL_SECONDS if self.n_configs is None else math.inf

    @property
    def planned_seconds(self) -> float:
        """The time on which reading and the pilot are based, which is always finite."""
        return USUAL_SECONDS if self.budget is None else self.budget

    @property
    def fits_a_configuration(self) -> int:
        """How many models each configuration costs."""
        return self.folds * self.repeats

    def same(self) -> dict[str, object]:
        """Return what a resumed run must share, in plain data."""
        return {
            "target": self.target,
            "group": self.group,
            "time": self.time,
            "event": self.event,
            "task": self.task,
            "positive": None if self.positive is None else str(self.positive),
            "ignore": sorted(self.ignore),
            "keep": sorted(self.keep),
            "metric": self.metric,
            "portfolio": getattr(self.portfolio, "name", str(self.portfolio)),
            "n_configs": self.n_configs,
            "folds": self.folds,
            "repeats": self.repeats,
            "drop": None if self.drop is None else str(self.drop),
            "seed": self.seed,
            **({} if self.ensemble == "none" else {"ensemble": self.ensemble}),
            **({"missing": sorted(self.missing)} if self.missing else {}),
        }


def read_budget(budget: object) -> float | None:
    """Return a duration in seconds, or None for None."""
    return None if budget is None else read_seconds(budget)


def read_seconds(budget: object) -> float:
    """Return a duration in seconds.

    Examples
    --------
    >>> from earnest.training.tune.options import read_seconds
    >>> read_seconds("5m"), read_seconds("90 seconds"), read_seconds("1.5h"), read_seconds(30)
    (300.0, 90.0, 5400.0, 30.0)
    """
    match = _SPAN.match(str(budget)) if isinstance(budget, str | int | float) else None
    use = "Use 90s, 5m or 1h."
    if match is None or isinstance(budget, bool):
        raise InputError(f"{arg('budget')}: {check.show(budget)} is not a duration", cure=use)
    unit = next(filter(None, match.groups()[1:]), "s")
    seconds = float(match[1]) * _SECONDS[unit.lower()]
    if seconds < 1.0:
        raise InputError(f"{arg('budget')}: {check.show(budget)} is less than a second", cure=use)
    if seconds > 366 * 86400:
        raise InputError(f"{arg('budget')}: {check.show(budget)} is more than a year", cure=use)
    return seconds


def choose_metric(name: str | None, task: Task) -> str:
    """Return the name of the metric: as asked, or the usual one of the task."""
    from earnest.metrics import METRICS
    from earnest.metrics import metric as metric_named

    if name is None:
        return USUAL_METRIC[task]
    metric = metric_named(name)
    if task not in metric.tasks:
        usable = [other for other in METRICS if task in METRICS[other].tasks]
        raise MetricError(
            f"metric {name!r} is not defined for a {task} task",
            needs=check.some(usable, limit=12),
            got=repr(name),
            cure=f"Leave {arg('metric')} out for {USUAL_METRIC[task]!r}, or set another "
            f"{arg('task')}.",
        )
    return name
