"""The variance of a test-set score with two random sources: the training set and the test set.

Paradigm II of Yousef 2022, section 1.1: a design set trains, a set kept away from it tests. The
score of a model on its test set varies with both. A table of scores tells the parts: one column for
each model, one row for each resample of the test set.

With models of independent training sets the parts are right. Models of bootstrap samples of one
design set vary about its model, not about the best one: where the score is flat around its best, as
that of a learner that minimizes it, the part of training comes out too large, in a variance about
threefold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError


@dataclass(frozen=True)
class TwoSources:
    """The parts of the standard error of a test-set score, as standard deviations.

    Attributes
    ----------
    training_sd : float
        How much the true score of the learner varies from training set to training set.
    test_sd : float
        How much the score of a fixed mixture of such models varies from test set to test set.
    interaction_sd : float
        What both add together: models of other training sets err on other test cases.
    n_trainings : int
        The models that were trained.
    """

    training_sd: float
    test_sd: float
    interaction_sd: float
    n_trainings: int

    @property
    def standard_error(self) -> float:
        """The standard error of the score, with training set and test set random."""
        return math.hypot(self.training_sd, self.test_sd, self.interaction_sd)


def split_variance(scores: NDArray[np.float64], table: NDArray[np.float64]) -> TwoSources:
    """Return the parts of the variance of a test-set score.

    Parameters
    ----------
    scores : ndarray of shape (B,)
        The score of each model on the test set.
    table : ndarray of shape (R, B)
        The same on resamples of the test set, the same ones for all models.

    Returns
    -------
    TwoSources
        With V1 the variance over resamples of one model's score (the mean over models) and V2 that
        of the mean score of all models, V1 - V2 is (B - 1)/B of the interaction. The variance over
        models is that of training plus the interaction; a negative difference counts as 0.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.methods.split.two_sources import split_variance
    >>> rng = np.random.default_rng(0)
    >>> models = 0.3 * rng.standard_normal(400)
    >>> table = models + 0.4 * rng.standard_normal((500, 1))
    >>> parts = split_variance(models, table)
    >>> round(parts.training_sd, 1), round(parts.test_sd, 1), round(parts.interaction_sd, 1)
    (0.3, 0.4, 0.0)
    """
    scores = scores[~np.isnan(scores)]
    table = table[~np.isnan(table).any(axis=1)]
    count = len(scores)
    if count < 2 or len(table) < 2 or table.shape[1] != count:
        raise EvidenceError(
            "the metric is undefined for most models of other training sets",
            needs="at least two models that it can score",
            got=f"{count}",
        )
    of_one = float(table.var(axis=0, ddof=1).mean())
    of_mean = float(table.mean(axis=1).var(ddof=1))
    interaction = max(of_one - of_mean, 0.0) * count / (count - 1)
    training = max(float(scores.var(ddof=1)) - interaction, 0.0)
    return TwoSources(
        training_sd=math.sqrt(training),
        test_sd=math.sqrt(max(of_one - interaction, 0.0)),
        interaction_sd=math.sqrt(interaction),
        n_trainings=count,
    )
