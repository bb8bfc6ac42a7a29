"""Results made by hand, so that what is shown does not depend on how it was computed."""

from __future__ import annotations

import dataclasses
from typing import Any

from earnest.core import Scale, Selection
from earnest.core.cautions import of_search
from earnest.core.results.estimate import Provenance
from earnest.results import Estimate, Interval

ESTIMAND = "the performance of a configuration chosen by this rule from these configurations"
CAUTION = of_search.winner_too_optimistic(
    optimism=0.09,
    places=2,
    low=None,
    high=None,
    level=None,
    share=None,
    rival="chance",
    bound_only=False,
)
NOTE = of_search.best_not_told_apart(4, 5)


def estimate(
    value: float = 0.84,
    naive: float | None = 0.93,
    low: float = 0.69,
    high: float = 0.96,
    **changes: Any,
) -> Estimate:
    """Return an estimate of a ROC AUC with a standard error of 0.069."""
    made = Estimate(
        value=value,
        interval=Interval(low, high, 0.95, "two-sided"),
        standard_error=0.069,
        scale=Scale("roc_auc", True, (0.0, 1.0)),
        method="bbc",
        estimand=ESTIMAND,
        selection=Selection.CORRECTED,
        naive=naive,
        winner="svm [bold]C=1[/bold] β",
        n_cases=1208,
        n_configs=312,
        n_resamples=1000,
        n_valid=1000,
        cautions=(NOTE, CAUTION),
        provenance=Provenance(
            seed=7, fingerprint="0", n_folds=10, n_repeats=3, knobs={}, versions={}
        ),
        no_information=0.5,
        optimism_error=0.02,
    )
    return dataclasses.replace(made, **changes)
