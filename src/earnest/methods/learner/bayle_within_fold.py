"""The central limit theorem of cross-validation, with the variance within folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec, MetricFamily
from earnest.inference.cases.fold_variance import Variance
from earnest.methods.base import register
from earnest.methods.learner.bayle_all_pairs import BayleAllPairs


@register
@dataclass(frozen=True, kw_only=True)
class BayleWithinFold(BayleAllPairs):
    """Give a cross-validated score a normal interval, from the spread of the cases in each fold.

    **What is estimated.** The average test performance of the models that were fitted in the folds.
    It is not the performance of a model refitted on all cases, nor the mean over training sets.
    With several configurations it treats the winner as if it had been fixed in advance.

    **What it assumes.** Independent cases (or groups), one partition, losses that vary, and a
    learner that is stable: leaving out one training case changes its losses by little, up to a
    shift of all losses. The variance over all pairs asks that such shifts be small too.

    **When it fails.** For the winner of a search, because nothing corrects for the choice. For
    unstable learners, and for few cases. A fold with one case has no variance, so leave-one-out is
    refused.

    Bayle, Bayle, Janson and Mackey 2020, eq. 8 with its inner mean corrected: the variance is the
    mean of the unbiased variances in the folds, over n; unequal folds count by their size.

    Parameters
    ----------
    selector : str or Selector, optional
        The rule that names the winner of several configurations: by default 'mean_of_folds' for
        an AUC, else 'pooled'.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y, fold = np.tile([0, 1], 50), np.arange(100) // 10
    >>> pi = en.Predictions.from_arrays(y, 0.4 * y + np.linspace(0, 1, 100) % 0.37, fold)
    >>> en.estimate(pi, method="bayle_within_fold", metric="accuracy")
    accuracy 0.85, 95 % interval [0.78, 0.92] (bayle_within_fold, trained on 90, n=100)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="bayle_within_fold",
        title="Normal interval of cross-validation, variance within folds",
        short="Bayle, within folds",
        needs=Evidence.OUT_OF_SAMPLE,
        design=Design.FOLDS,
        estimand=Estimand.FITTED_MODELS,
        cites="Bayle et al. 2020, eq. 8",
        metrics=MetricFamily.CASEWISE,
        min_folds=2,
        weighted=True,
    )
    variance: ClassVar[Variance] = Variance.WITHIN_FOLD
