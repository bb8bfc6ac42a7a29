"""Early dropping on real data: models trained, and what it costs in hold-out AUC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.papers.tsamardinos2018.data import Problem, preparation
from benchmarks.papers.tsamardinos2018.grid import Named, grid
from benchmarks.papers.tsamardinos2018.replay import replay
from earnest import Predictions, estimate
from earnest.core.base.rng import Seeds
from earnest.core.data.selection import slack
from earnest.inference.resampling.winners import gains_of
from earnest.training.search.dropping.bced import (
    BCED,
    BCEDAdjusted,
    DroppingRule,
    read_dropping,
)
from earnest.training.search.dropping.evidence import RoundEvidence, score_batches

FOLDS = 10


@dataclass(frozen=True)
class TiesCount(BCED):
    """Early dropping that takes a tie with the best for worse, which the printed rule does not."""

    name: ClassVar[str] = "bced_ties"

    def _find_p_values(
        self, evidence: RoundEvidence, seeds: Seeds, round: int, n_jobs: int | None
    ) -> tuple[NDArray[np.float64], float, int]:
        """Return the share of resamples in which each configuration is not better than the best."""
        not_better = np.zeros(evidence.pi.n_configs, dtype=np.int64)
        defined = np.zeros_like(not_better)
        for scores in score_batches(evidence, self.n_resamples, seeds, round, n_jobs):  # (b, C)
            gains = gains_of(evidence.metric, scores[None])[0]
            best = gains[:, [evidence.best]]
            both = ~np.isnan(gains) & ~np.isnan(best)
            not_better += (both & (gains <= best + slack(best))).sum(axis=0)
            defined += both.sum(axis=0)
        shares = np.where(defined > 0, not_better / np.maximum(defined, 1), np.nan)
        return shares, self.threshold, self.n_resamples


RULES: dict[str, str | DroppingRule | None] = {
    "none": None,
    "bced .99": "bced",
    "bced_adjusted .99": "bced_adjusted",
    "bced_adjusted .95": BCEDAdjusted(threshold=0.95),
}
Row = dict[str, Any]


def one_draw(problem: Problem, draw: int) -> list[Row]:
    """Return a row for each rule, on one sample of 500 cases."""
    kept, rest = problem.draw(draw)
    pi, models = cross_validated(problem, kept, draw)
    truth: dict[int, float] = {}
    rows = []
    for name, given in RULES.items():
        rule = read_dropping(given)
        done = None if rule is None else replay(pi, "roc_auc", rule, Seeds(draw))
        made = estimate(pi if done is None else done.pi, metric="roc_auc", rng=draw)
        winner = pi.configs.ids.index(str(made.winner))
        if winner not in truth:
            truth[winner] = holdout_auc(problem, kept, rest, models[winner])
        every = FOLDS * pi.n_configs
        trained = every if done is None else done.trained
        assert made.interval is not None
        rows.append(
            {
                "set": problem.name,
                "draw": draw,
                "rule": name,
                "configs": pi.n_configs,
                "survivors": made.n_configs,
                "trained": trained,
                "ratio": every / trained,
                "winner": made.winner,
                "holdout_auc": truth[winner],
                "naive": made.naive,
                "estimate": made.value,
                "low": made.interval.low,
                "high": made.interval.high,
            }
        )
    return rows


def cross_validated(
    problem: Problem, rows: NDArray[np.intp], draw: int
) -> tuple[Predictions, list[Named]]:
    """Return Π of every configuration; what prepares the data is fitted once a fold."""
    X, y = problem.X.iloc[rows], problem.y[rows]
    models = grid(preparation().fit_transform(X).shape[1])
    scores = np.empty((len(rows), len(models)))
    folds = np.empty(len(rows), dtype=np.int64)
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=draw)
    for fold, (train, test) in enumerate(splitter.split(X, y)):
        ready = preparation().fit(X.iloc[train])
        inside, outside = ready.transform(X.iloc[train]), ready.transform(X.iloc[test])
        folds[test] = fold
        for column, (_, model) in enumerate(models):
            scores[test, column] = score(clone(model).fit(inside, y[train]), outside)
    names = [name for name, _ in models]
    pi = Predictions.from_arrays(y, scores, folds, configs=names, response="decision")
    return pi, models


def holdout_auc(
    problem: Problem, rows: NDArray[np.intp], rest: NDArray[np.intp], named: Named
) -> float:
    """Return the AUC, on the cases held out, of a configuration refitted on all 500."""
    ready = preparation().fit(problem.X.iloc[rows])
    model = clone(named[1]).fit(ready.transform(problem.X.iloc[rows]), problem.y[rows])
    outside = ready.transform(problem.X.iloc[rest])
    return float(roc_auc_score(problem.y[rest], score(model, outside)))


def score(model: Any, X: Any) -> NDArray[np.float64]:
    """Return decision values where a model has them, else probabilities."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64)
    return np.asarray(model.predict_proba(X)[:, 1], dtype=np.float64)
