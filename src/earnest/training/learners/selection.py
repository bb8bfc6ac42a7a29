"""Selections of columns: the strongest one by one, or those that a lasso keeps."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from earnest.core.base import check
from earnest.training.learners.elastic_net import fit_logistic_net, make_penalty_path
from earnest.training.learners.survival.hazards import read_survival

if TYPE_CHECKING:
    from sklearn.utils import Tags

# Which kind of outcome a selection of columns looks at.


CLASSES, NUMBERS, SURVIVAL = "classes", "numbers", "survival"
KINDS = ("auto", CLASSES, NUMBERS, SURVIVAL)


def find_outcome_kind(outcome: str, y: object) -> str:
    """Return the kind of an outcome: what was asked, else what it looks like.

    Events and times are survival; what scikit-learn takes for continuous is numbers, and so is a
    column of counts only if it is asked for.
    """
    from sklearn.utils.multiclass import type_of_target

    check.one_of("outcome", outcome, KINDS)
    if outcome != "auto":
        return outcome
    if isinstance(y, tuple) or getattr(getattr(y, "dtype", None), "names", None) is not None:
        return SURVIVAL
    return NUMBERS if type_of_target(y).startswith("continuous") else CLASSES


Array = NDArray[np.float64]
Outcome = NDArray[np.generic]  # labels, numbers, or events and times as fields


class ColumnSelection(SelectorMixin, BaseEstimator):
    """What all selections of columns are to scikit-learn."""

    support_: NDArray[np.bool_]

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return np.asarray(self.support_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class _Selection(ColumnSelection):
    """A selection that never ends without a column."""

    outcome: str

    def fit(self, X: Array, y: Outcome) -> Self:
        """Choose the columns."""
        if find_outcome_kind(self.outcome, y) == SURVIVAL:
            X = validate_data(self, X, dtype=np.float64)
        else:
            X, y = validate_data(self, X, y, dtype=np.float64)
        self.strengths_ = np.nan_to_num(self._measure_strengths(X, y), nan=0.0, posinf=np.inf)
        self.support_ = self._choose(self.strengths_)
        if not self.support_.any():
            self.support_[int(self.strengths_.argmax())] = True
        return self

    def _measure_strengths(self, X: Array, y: Outcome) -> Array:
        """Return how strong each column is: (p,)."""
        raise NotImplementedError

    def _choose(self, strengths: Array) -> NDArray[np.bool_]:
        return np.asarray(strengths > 0.0)


class UnivariateSelection(_Selection):
    """The share of the columns that go strongest with the outcome, each by itself.

    The strength is the F statistic of an analysis of variance for classes, of a regression for
    numbers, and the score test of Cox's model for survival. At least one column stays.

    Parameters
    ----------
    share : float
        The share of the columns that stay, in (0, 1].
    outcome : {'auto', 'classes', 'numbers', 'survival'}
        What the outcome is.
    """

    def __init__(self, share: float = 0.5, *, outcome: str = "auto") -> None:
        self.share = share
        self.outcome = outcome

    def _measure_strengths(self, X: Array, y: Outcome) -> Array:
        from sklearn.feature_selection import f_classif, f_regression

        kind = find_outcome_kind(self.outcome, y)
        if kind == SURVIVAL:
            return score_by_cox(X, *read_survival(y))
        ask = f_classif if kind == CLASSES else f_regression
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # of columns that are constant in this part
            return np.asarray(ask(X, y)[0], dtype=np.float64)

    def _choose(self, strengths: Array) -> NDArray[np.bool_]:
        count = max(math.ceil(self.share * len(strengths) - 1e-9), 1)
        chosen = np.zeros(len(strengths), dtype=bool)
        chosen[np.argsort(-strengths, kind="stable")[:count]] = True
        return chosen


class Lasso(_Selection):
    """The columns that a linear model with an L1 penalty keeps.

    Parameters
    ----------
    strength : float
        The penalty, as a share of the smallest one that keeps no column; in (0, 1).
    outcome : {'auto', 'classes', 'numbers'}
        What the outcome is.
    """

    def __init__(self, strength: float = 0.1, *, outcome: str = "auto") -> None:
        self.strength = strength
        self.outcome = outcome

    def _measure_strengths(self, X: Array, y: Outcome) -> Array:
        check.check_share("strength", self.strength)
        if find_outcome_kind(self.outcome, y) != CLASSES:
            return self._score_numbers(X, np.asarray(y, dtype=np.float64))
        labels = np.unique(y)
        classes = labels[1:] if len(labels) == 2 else labels
        each = [self._score_class(X, (y == label).astype(np.float64)) for label in classes]
        return np.asarray(np.max(each, axis=0))

    def _score_class(self, X: Array, y: Array) -> Array:
        penalty = self.strength * float(make_penalty_path(X, y, 1.0, 2)[0])
        return np.abs(fit_logistic_net(X, y, penalty, 1.0)[0])

    def _score_numbers(self, X: Array, y: Array) -> Array:
        from sklearn.linear_model import Lasso as LassoModel

        from earnest.training.learners.base import fit_quietly

        penalty = self.strength * float(make_penalty_path(X, y, 1.0, 2)[0])
        model = fit_quietly(LassoModel(alpha=penalty, max_iter=2000), X, y)
        return np.asarray(np.abs(model.coef_))


def score_by_cox(X: Array, time: Array, event: NDArray[np.bool_]) -> Array:
    """Return the score test statistic of each column by itself in Cox's model: (p,).

    At a coefficient of 0 the score is the sum over events of the column minus its mean over the
    cases still at risk, and its variance the sum of the variances over them (ties by Breslow).
    """
    order = np.argsort(-time, kind="stable")
    X, time, event = X[order] - X.mean(axis=0), time[order], event[order]
    last = np.searchsorted(-time, -time, side="right") - 1  # the risk set has all of equal time
    at_risk = (last + 1.0)[:, None]
    mean = X.cumsum(axis=0)[last] / at_risk
    spread = (X**2).cumsum(axis=0)[last] / at_risk - mean**2
    score, variance = (X - mean)[event].sum(axis=0), spread[event].sum(axis=0)
    usable = variance > 1e-12
    return np.where(usable, score**2 / np.where(usable, variance, 1.0), 0.0)
