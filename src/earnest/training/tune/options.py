"""What a user asks of `tune`, checked before anything is read."""

from __future__ import annotations

import math
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
from earnest.engine.limits import read_budget

if TYPE_CHECKING:
    from earnest.training.learners.portfolio import Portfolio
    from earnest.training.search.dropping.bced import DroppingRule


USUAL_METRIC = {
    Task.BINARY: "roc_auc",
    Task.MULTICLASS: "roc_auc_ovr",
    Task.REGRESSION: "r2",
    Task.SURVIVAL: "concordance",
}
GREEDY = GreedyEnsemble(size=12, library=20, guard=True)  # a quarter of the usual time
ENSEMBLE_RULES: dict[str, EnsembleRule | None] = {"auto": GREEDY, "greedy": GREEDY, "none": None}
FOLDS, FEWER_FOLDS = 10, 5
MANY = 5000  # cases from which on fewer folds do
VERY_MANY = 200_000  # cases from which on some of the folds do
FOLDS_OF_VERY_MANY = 2  # of ten: each tests a tenth of the cases
USUAL_SECONDS = 300.0  # of a run whose budget is not said
LISTS = ("by", "ignore", "keep", "missing", "without")


@dataclass(frozen=True)
class FoldPlan:
    """How cases are divided, to train on some and test on the others.

    Attributes
    ----------
    folds, repeats : int
        The folds, and how often they are drawn.
    n_used : int, optional
        How many of the folds test; None for all. The cases of the others only train.
    """

    folds: int
    repeats: int = 1
    n_used: int | None = None

    @property
    def n_splits(self) -> int:
        """How many models each configuration costs."""
        return self.folds * self.repeats if self.n_used is None else self.n_used

    @property
    def share(self) -> float:
        """The share of the cases that a model is trained on."""
        return (self.folds - 1) / self.folds

    @property
    def n_tests(self) -> float:
        """How often each case is tested, on average."""
        return self.n_splits / self.folds


@dataclass(frozen=True, kw_only=True)
class TuneOptions:
    """The knobs of `tune`; see there.

    A resumed run must share what `same` returns; its budget, level and number of workers may
    differ.
    """

    target: str | None = None
    group: str | None = None
    when: str | None = None
    time: str | None = None
    event: str | None = None
    task: str | None = None
    positive: object = None
    ignore: Sequence[str] = ()
    keep: Sequence[str] = ()
    by: Sequence[str] = ()
    weight: str | None = None
    weights: str = "importance"
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    missing: Sequence[str] = ()
    metric: str | None = None
    portfolio: str | Path | Portfolio = "default"
    n_configs: int | None = None
    budget: float | None = None
    folds: int | None = None
    repeats: int = 1
    drop: str | DroppingRule | None = None
    ensemble: str = "auto"
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
            weights=self.weights,
        )
        self._refuse_unweighted()
        workers(self.n_jobs)
        if self.drop is not None:
            from earnest.training.search.dropping.bced import read_dropping

            read_dropping(self.drop)

    def _refuse_unweighted(self) -> None:
        """Refuse what would not count the weights of cases."""
        if self.weight is None:
            return
        if self.ensemble == "greedy":
            raise InputError(
                "an ensemble does not take case weights into account",
                needs=f"{arg('ensemble', 'none')} beside {arg('weight')}",
                got="'greedy'",
            )
        if self.learning_curve:
            raise InputError(
                "a learning curve does not take case weights into account",
                needs=f"one of {arg('learning_curve')} and {arg('weight')}",
                got="both",
            )

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

    def choose_splits(self, n_cases: int) -> FoldPlan:
        """Return how a table of so many cases is divided, as asked for or by its size."""
        if self.folds is not None:
            return FoldPlan(self.folds, self.repeats)
        if n_cases < MANY:
            return FoldPlan(FOLDS, self.repeats)
        if n_cases < VERY_MANY or self.repeats > 1:
            return FoldPlan(FEWER_FOLDS, self.repeats)
        return FoldPlan(FOLDS, 1, FOLDS_OF_VERY_MANY)

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
            **({} if self.ensemble == "auto" else {"ensemble": self.ensemble}),
            **({} if self.when is None else {"when": self.when}),
            **({"missing": sorted(self.missing)} if self.missing else {}),
            **({} if self.weight is None else {"weight": self.weight, "weights": self.weights}),
        }


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
