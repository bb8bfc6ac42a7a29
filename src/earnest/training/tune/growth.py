"""What rows add that a search did not see: its winner trained on its rows, and on more."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EarnestError
from earnest.core.base.threads import one_blas_thread
from earnest.core.cautions import of_search
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Task
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.kernels.score import score_table
from earnest.metrics import metric as metric_named
from earnest.training.columns.fold_models import answer_rows
from earnest.training.fit.problem import MetricScorer
from earnest.training.protocols import Estimator
from earnest.training.tables.table import TrainingTable, sample_rows

HELD_OUT = 0.2  # of the rows that the search did not see, which compare the two models
FEWEST_HELD_OUT, MOST_HELD_OUT = 100, 20_000
TIMES = 4  # as many rows as the search saw are trained on at most, to see what more rows add


@dataclass(frozen=True)
class RowGain:
    """What the winner of a search scores when it is trained on more rows than the search saw.

    Both models are scored on the same rows, which neither of them, nor the search, has seen.

    Attributes
    ----------
    n_searched, n_delivered : int
        The rows of the search, and of the delivered model.
    n_more, n_held_out : int
        The rows that the winner was trained on to compare, all but those that score, or four times
        those of the search; and the rows that score. 0 where there are too few.
    score_searched, score_more : float, optional
        The score of the winner trained on the rows of the search, and on more.
    """

    n_searched: int
    n_delivered: int
    n_more: int = 0
    n_held_out: int = 0
    score_searched: float | None = None
    score_more: float | None = None

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return asdict(self)


def measure_growth(
    winner: Estimator,
    searched: TrainingTable,
    whole: TrainingTable,
    metric: str,
    rng: np.random.Generator,
) -> RowGain:
    """Train the winner on the rows of the search and on more, and score both on the same rows.

    Parameters
    ----------
    winner : estimator
        Unfitted.
    searched, whole : TrainingTable
        The rows that the search saw, and all.
    metric : str
        What to measure.
    rng : Generator
        Draws the rows that score, and those of the larger training.
    """
    unseen = np.flatnonzero(~np.isin(whole.rows, searched.rows))
    if whole.groups is not None:  # rows of one group must not be on both sides
        seen = np.unique(whole.groups[np.isin(whole.rows, searched.rows)])
        unseen = unseen[~np.isin(whole.groups[unseen], seen)]
    layers = None if whole.layers is None else whole.layers[unseen]
    most = min(MOST_HELD_OUT, int(HELD_OUT * len(unseen)))
    bare = RowGain(searched.n_cases, whole.n_cases)
    if most < FEWEST_HELD_OUT:
        return bare
    held = unseen[sample_rows(len(unseen), most, rng, layers=layers, fewest=0)]
    outside = np.ones(whole.n_cases, dtype=bool)
    outside[held] = False
    if whole.groups is not None:
        outside &= ~np.isin(whole.groups, whole.groups[held])
    test, more = whole.take(held), whole.take(np.flatnonzero(outside))
    more = more.sample(TIMES * searched.n_cases, rng)
    try:
        scores = [_score(winner, train, test, metric) for train in (searched, more)]
    except EarnestError:  # a class that none of the rows has
        return bare
    if not np.isfinite(scores).all():
        return bare
    return RowGain(searched.n_cases, whole.n_cases, more.n_cases, len(held), *scores)


def _score(winner: Estimator, train: TrainingTable, test: TrainingTable, metric: str) -> float:
    """Return the score on the test rows of the winner trained on others."""
    from sklearn.base import clone

    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(winner).fit(train.X, train.y)
    if test.task is Task.SURVIVAL:
        measure = metric_named(metric).on(test.task)
        return measure.sign * MetricScorer(measure)(model, test.X, test.y)
    responses = _respond(model, test)
    pi = Predictions.from_arrays(test.y, responses, task=str(test.task))
    measure = metric_named(metric).on(test.task)
    return float(score_table(pi, measure, Weights.ones(test.n_cases))[0, 0])


def _respond(model: Estimator, test: TrainingTable) -> NDArray[np.float64]:
    """Return probabilities where there are some, otherwise what is predicted: (n, 1[, 1, K])."""
    answers = answer_rows(model, test.X, test.task, len(test.classes))
    return answers[:, None] if answers.ndim == 1 else answers[:, None, None, :]


def warn_of_growth(growth: RowGain, metric: str) -> Caution:
    """Return the caution that the search saw fewer rows than the delivered model."""
    return of_search.searched_on_fewer(
        growth.n_searched,
        growth.n_delivered,
        metric,
        growth.n_more,
        growth.n_held_out,
        growth.score_searched,
        growth.score_more,
    )
