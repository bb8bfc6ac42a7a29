"""The ensemble that an estimate is about, on cases that did not choose it.

As for its score, values are those of cross-fitted predictions, and bootstrap resamples, in which
the ensemble of the drawn cases is judged on those left out, tell how the choice varies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.selection import EnsembleRule
from earnest.core.data.weights import Weights
from earnest.core.results.estimate import Estimate
from earnest.core.text.doors import arg
from earnest.inference.curves.corrected import ResampledSelection, enough
from earnest.inference.resampling.ensembles import (
    BLOCK,
    blend,
    choose_ensembles,
    count_partitions,
    cross_fit,
    score_ensembles,
    take_partition,
)
from earnest.inference.resampling.ensembles import read_rule as read_ensemble_rule
from earnest.metrics.families import Metric

Floats = NDArray[np.float64]
MOST_DRAWS = 200  # resamples in which an ensemble is chosen once more: its score needs more

Judge = Callable[[Predictions, Weights, Weights], Floats]
"""From ensembles as configurations, in-bag and out-of-bag weights (b, n) to numbers (b, k)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DeliveredEnsemble:
    """An ensemble as chosen on all cases, on cases that did not choose it, and in resamples.

    Attributes
    ----------
    pi : Predictions
        The usable predictions of all configurations.
    metric : Metric
        What the ensemble is chosen by.
    rule : EnsembleRule
        How it is chosen.
    selection : ResampledSelection
        The resamples of the estimate, the first of them where they are many.
    whole : Predictions
        What it predicts as chosen on all cases, as one configuration.
    crossed : Predictions or None
        What ensembles predict for cases that did not choose them; None where the cases outside of
        some part choose none.
    n_members : int
        How many configurations it averages.
    """

    pi: Predictions
    metric: Metric
    rule: EnsembleRule
    selection: ResampledSelection
    whole: Predictions
    crossed: Predictions | None
    n_members: int

    @classmethod
    def of(
        cls, estimate: Estimate, pi: Predictions, metric: Metric, *, n_jobs: int | None = None
    ) -> DeliveredEnsemble | None:
        """Return that of an estimate, from usable predictions; None if it chose no ensemble."""
        if estimate.ensemble is None:
            return None
        rule = read_ensemble_rule(str(estimate.provenance.knobs.get("selector")))
        if rule is None:
            raise EvidenceError(
                "the rule of this ensemble is not known by its name",
                needs="a rule of earnest.rules",
                got=str(estimate.provenance.knobs.get("selector")),
                cure=f"Use {arg('selector', 'greedy_ensemble')}.",
            )
        selection = ResampledSelection.of(estimate)
        pi = replace(pi, guides=None)
        turns = count_partitions(selection.n_resamples)
        shares = np.array([[estimate.ensemble.get(name, 0.0) for name in pi.configs.ids]])
        few = enough(pi.n_cases * pi.n_repeats, min(selection.n_resamples, MOST_DRAWS))
        return cls(
            pi=pi,
            metric=metric,
            rule=rule,
            selection=replace(selection, n_resamples=few, draws=None),
            whole=replace(blend(pi, shares), configs=Configs(ids=("ensemble",))),
            crossed=cross_fit(pi, metric, rule, selection.seeds, n_partitions=turns, n_jobs=n_jobs),
            n_members=len(estimate.ensemble),
        )

    @property
    def partitions(self) -> list[Predictions]:
        """What is predicted for cases that did not choose, once per division of the cases."""
        if self.crossed is None:
            return []
        repeats = self.pi.n_repeats
        count = self.crossed.n_repeats // repeats
        return [take_partition(self.crossed, turn, repeats) for turn in range(count)]

    @property
    def judged(self) -> Predictions:
        """What the ensemble predicts for cases that did not choose it, where there is that."""
        return self.whole if self.crossed is None else self.crossed

    def resample(self, judge: Judge, *, columns: int, n_jobs: int | None = None) -> Floats:
        """Return what is told of the in-bag ensemble of every resample with a score: (B, k)."""

        def statistic(inbag: Weights) -> Floats:
            shares = choose_ensembles(self.pi, self.metric, inbag, self.rule, n_jobs=n_jobs)
            outside = inbag.out_of_bag()
            scores = score_ensembles(self.pi, self.metric, outside, shares, n_jobs=n_jobs)
            parts = []
            for top in range(0, len(inbag), BLOCK):
                rows = slice(top, top + BLOCK)
                block = shares[rows]
                exists = np.asarray(block.any(axis=1))[:, None]
                filled = np.where(exists, block, 1.0 / block.shape[1])
                blended = blend(self.pi, filled)
                parts.append(judge(blended, inbag.take(rows), outside.take(rows)))
            return np.column_stack([scores, np.concatenate(parts)])

        table = self.selection.resample(
            statistic,
            self.pi.target,
            self.metric,
            self.selection.seeds,
            left_out=True,
            columns=max(self.pi.n_configs, columns),
            n_jobs=n_jobs,
        )
        return table[~np.isnan(table[:, 0]), 1:]
