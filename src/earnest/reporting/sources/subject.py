"""What figures are drawn of: the predictions of a configuration, or of an ensemble."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from earnest.core.data.predictions import Predictions
from earnest.core.results.estimate import Estimate
from earnest.inference.curves.corrected import ResampledSelection, cross_fit_ensemble
from earnest.inference.resampling.ensembles import blend, take_partition
from earnest.metrics.families import Metric


@dataclass(frozen=True, eq=False)
class FigureSubject:
    """What figures are drawn of.

    Attributes
    ----------
    pi : Predictions
        Those with a column of what is shown.
    estimate : Estimate
        The estimate, whose `winner` names that column.
    selection : ResampledSelection
        The resamples.
    beside : Predictions or None
        For an ensemble: what it predicts as chosen on all cases, for curves that are not corrected.
    """

    pi: Predictions
    estimate: Estimate
    selection: ResampledSelection
    beside: Predictions | None = None

    @property
    def once(self) -> Predictions:
        """The predictions without the further partitions of an ensemble."""
        return self.pi if self.beside is None else take_partition(self.pi, 0, self.beside.n_repeats)


def find_subject(estimate: Estimate, pi: Predictions, metric: Metric) -> FigureSubject | None:
    """Return what the number is about: a configuration, or an ensemble; None without either.

    An ensemble is shown on cases that did not choose it, so that all figures of it are corrected.
    """
    selection = ResampledSelection.of(estimate)
    if estimate.ensemble is None:
        return None if estimate.winner is None else FigureSubject(pi, estimate, selection)
    usable = pi.usable()
    crossed = cross_fit_ensemble(estimate, usable, metric)
    if crossed is None:
        return None
    shares = np.array([[estimate.ensemble.get(name, 0.0) for name in usable.configs.ids]])
    return FigureSubject(
        crossed,
        replace(estimate, winner=crossed.configs.ids[0]),
        replace(selection, draws=None),
        blend(usable, shares),
    )
