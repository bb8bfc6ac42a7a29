"""The options of a search as one value, made by `SearchCV` and by `tune`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from pathlib import Path

import numpy as np

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import Progress, Store
from earnest.core.base.rng import RngLike
from earnest.core.data.selection import EnsembleRule
from earnest.core.data.stages import read_stages
from earnest.core.text.doors import arg
from earnest.engine.limits import read_budget
from earnest.methods.base import Method
from earnest.metrics.families import MetricLike
from earnest.training.fit.run import RunOptions
from earnest.training.protocols import Estimator
from earnest.training.search.dropping.bced import DroppingRule, read_dropping
from earnest.training.search.dropping.stopping import StopWhenWidth, read_stopping
from earnest.training.search.live import LivePage


@dataclass(frozen=True, eq=False)
class SearchOptions:
    """What a search tries, how it compares, and how it is run.

    The fields are the arguments of `SearchCV`, with its defaults, and are described there. They
    are as the user gave them: `prepare` reads and checks them.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from earnest.training.search.options import SearchOptions
    >>> options = SearchOptions(SVC(), param_grid={"C": [1, 10]}, error_score="raise")
    >>> options.given_candidates, options.raises
    ({'C': [1, 10]}, True)
    """

    estimator: Estimator | None
    candidates: object = None
    n_iter: int | None = None
    scoring: object = None
    metric: MetricLike | None = None
    cv: object = None
    n_repeats: int = 1
    refit: bool | str | EnsembleRule | Callable[..., object] = True
    method: str | Method = "bbc"
    confidence_level: float = 0.95
    n_resamples: int | None = None
    response: str | None = None
    guide: str | None = None
    drop: str | DroppingRule | None = None
    stop_when_width: float | None = None
    store: str | Path | Store | None = None
    time_limit: float | None = None
    budget: str | float | None = None
    n_jobs: int | None = None
    error_score: str | float = np.nan
    return_train_score: bool = False
    random_state: RngLike = None
    verbose: float | Progress = 0
    param_grid: object = None
    param_distributions: object = None
    pre_dispatch: int | str = "2*n_jobs"
    live: str | Path | LivePage | None = None
    stages: bool | int = False
    weights: str = "importance"

    @property
    def given_candidates(self) -> object:
        """The configurations, under whichever of three names they were given; None without."""
        names = ("candidates", "param_grid", "param_distributions")
        text = [name for name in names if getattr(self, name) is not None]
        if len(text) > 1:
            raise InputError(
                "the configurations are given twice",
                needs="one of `candidates`, `param_grid` and `param_distributions`",
                got=check.some(arg(name) for name in text),
                cure="To search several grids, pass a list of them.",
            )
        return getattr(self, text[0]) if text else None

    @property
    def ensemble(self) -> EnsembleRule | None:
        """The rule by which an ensemble is chosen; None if one configuration wins."""
        return self.refit if isinstance(self.refit, EnsembleRule) else None

    @property
    def raises(self) -> bool:
        """Whether a fit that fails ends the search."""
        return isinstance(self.error_score, str)

    @property
    def missing_score(self) -> float:
        """The score of a fit that fails."""
        return np.nan if isinstance(self.error_score, str) else float(self.error_score)

    @cached_property
    def n_stages(self) -> int:
        """How many stages are kept of each fit; 0 where stages are no configurations."""
        return read_stages(self.stages)

    @cached_property
    def dropping(self) -> DroppingRule | None:
        """The rule that ends configurations early."""
        return read_dropping(self.drop)

    @cached_property
    def budget_seconds(self) -> float:
        """How long a dynamic search proposes; infinite without a budget."""
        seconds = read_budget(self.budget)
        return math.inf if seconds is None else seconds

    @cached_property
    def stopping(self) -> StopWhenWidth | None:
        """The rule that leaves out the rest of the folds: by the search's own interval."""
        return read_stopping(
            self.stop_when_width,
            confidence_level=self.confidence_level,
            method=self.method,
            n_resamples=self.n_resamples,
        )

    @property
    def run(self) -> RunOptions:
        """How the fits are run."""
        shown = self.verbose
        return RunOptions(
            n_jobs=self.n_jobs,
            store=self.store,
            time_limit=self.time_limit,
            progress=bool(shown) if not shown or isinstance(shown, float | Real) else shown,
            pre_dispatch=self.pre_dispatch,
            raises=self.raises,
        )
