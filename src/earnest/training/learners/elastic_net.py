"""Linear models with an elastic net, by penalty or by a place on the path of penalties."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.training.learners.base import NumberLearner, fit_quietly
from earnest.training.protocols import Predictor

if TYPE_CHECKING:
    from sklearn.linear_model import ElasticNet, LogisticRegression

MOST_STEPS = 30  # of Newton's method
INNER_STEPS = 100  # of coordinate descent in each, as the next begins where it ended
CLOSE = 1e-6  # a change of all coefficients, in units of the largest, that ends it
FLOOR = 1e-5  # of fitted probabilities: weights below it say nothing
LEAST_MIX = 1e-3  # the share of the L1 penalty below which the path starts as at this one

Array = NDArray[np.float64]


class ElasticNetClassifier(ClassifierMixin, BaseEstimator):
    """Logistic regression with an elastic net.

    It minimises the sum of the losses plus 1/C times (l1_ratio |w|_1 + (1 - l1_ratio) |w|²/2), by
    Newton's method with coordinate descent inside. Several classes have one model together, the
    multinomial one, whose coefficients are improved class by class in turn.

    Parameters
    ----------
    C : float
        The inverse of the penalty.
    l1_ratio : float
        The share of the L1 penalty, from 0 (ridge) to 1 (lasso).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from earnest.training.learners.elastic_net import ElasticNetClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ElasticNetClassifier(C=0.1, l1_ratio=1.0).fit((X - X.mean(0)) / X.std(0), y)
    >>> bool(0 < (model.coef_ != 0).sum() < 15)
    True
    """

    def __init__(self, C: float = 1.0, l1_ratio: float = 0.5) -> None:
        self.C = C
        self.l1_ratio = l1_ratio

    def fit(self, X: Array, y: NDArray[np.generic]) -> ElasticNetClassifier:
        """Fit the coefficients."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise InputError(
                "the outcome has only one class", needs="at least two classes", got="one class"
            )
        codes = np.searchsorted(self.classes_, y)
        outcome = np.eye(len(self.classes_))[codes]  # (n, K)
        if len(self.classes_) == 2:
            penalty = self._find_penalty(X, outcome[:, 1:])
            coef, intercept = fit_logistic_net(X, outcome[:, 1], *penalty)
            self.coef_, self.intercept_ = coef[None], np.array([intercept])
        else:
            penalty = self._find_penalty(X, outcome)
            self.coef_, self.intercept_ = fit_multinomial_net(X, outcome, *penalty)
        return self

    def _find_penalty(self, X: Array, outcome: Array) -> tuple[float, float]:
        """Return the penalty of the mean loss, and the share of L1 in it."""
        return 1.0 / (self.C * len(X)), self.l1_ratio

    def decision_function(self, X: Array) -> Array:
        """Return the log odds (n,), or log probabilities of K classes up to a constant: (n, K)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        scores = np.asarray(X @ self.coef_.T + self.intercept_)
        return np.asarray(scores[:, 0] if len(self.classes_) == 2 else scores)

    def predict_proba(self, X: Array) -> Array:
        """Return the probabilities of the classes."""
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return np.asarray(softmax(scores, axis=1))
        return np.column_stack([expit(-scores), expit(scores)])

    def predict(self, X: Array) -> NDArray[np.generic]:
        """Return the likeliest class."""
        scores = self.decision_function(X)
        codes = (scores > 0.0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[codes])


class PathClassifier(ElasticNetClassifier):
    """Logistic regression with an elastic net, at a place on the path of penalties.

    The path is that of Friedman, Hastie and Tibshirani (2010): from the smallest penalty that
    leaves no coefficient, evenly on the log scale down to 1e-4 of it (1e-2 where there are fewer
    cases than columns). It is made from the training data that the model is given.

    Parameters
    ----------
    alpha : float
        The share of the L1 penalty, in (0, 1].
    step : int
        The place on the path, from 1 for the largest penalty.
    steps : int
        The length of the path.
    """

    def __init__(self, alpha: float = 1.0, step: int = 5, steps: int = 10) -> None:
        self.alpha = alpha
        self.step = step
        self.steps = steps

    def _find_penalty(self, X: Array, outcome: Array) -> tuple[float, float]:
        check.whole_number("step", self.step, low=1, high=self.steps)
        path = make_penalty_path(X, outcome, self.alpha, self.steps)
        return float(path[self.step - 1]), self.alpha


class ElasticNetRegressor(NumberLearner):
    """Least squares with an elastic net, for an outcome brought to mean 0 and variance 1.

    It minimises half the sum of squares plus 1/C times the penalty of `ElasticNetClassifier`.

    Parameters
    ----------
    C : float
        The inverse of the penalty.
    l1_ratio : float
        The share of the L1 penalty, from 0 (ridge) to 1 (lasso).
    """

    def __init__(self, C: float = 1.0, l1_ratio: float = 0.5) -> None:
        self.C = C
        self.l1_ratio = l1_ratio

    def _make_inner(self, X: Array, y: NDArray[np.generic]) -> Predictor:
        from sklearn.linear_model import ElasticNet, Ridge

        if self.l1_ratio == 0:
            return Ridge(alpha=1.0 / self.C)
        return ElasticNet(alpha=1.0 / (self.C * len(X)), l1_ratio=self.l1_ratio, max_iter=2000)


def make_penalty_path(X: Array, y: Array, alpha: float, steps: int) -> Array:
    """Return the penalties of a path for outcomes (n,) or (n, K), the largest first: (steps,)."""
    n, p = X.shape
    gradient = np.abs((X - X.mean(axis=0)).T @ (y - y.mean(axis=0))) / n
    largest = max(float(gradient.max()), 1e-12) / max(alpha, LEAST_MIX)
    return largest * np.geomspace(1.0, 1e-2 if n < p else 1e-4, steps)


def fit_logistic_net(X: Array, y: Array, penalty: float, l1_ratio: float) -> tuple[Array, float]:
    """Return coefficients and intercept of the penalised mean log loss, y being 0 or 1."""
    if l1_ratio == 0:
        ridge = _fit_ridge(X, y, penalty)
        return ridge.coef_[0], float(ridge.intercept_[0])
    return _minimise(X, y, penalty, l1_ratio)


def _fit_ridge(X: Array, y: NDArray[np.generic], penalty: float) -> LogisticRegression:
    from sklearn.linear_model import LogisticRegression

    return fit_quietly(LogisticRegression(C=1.0 / (penalty * len(X)), max_iter=500), X, y)


def fit_multinomial_net(
    X: Array, outcome: Array, penalty: float, l1_ratio: float
) -> tuple[Array, Array]:
    """Return coefficients (K, p) and intercepts (K,) of the penalised mean multinomial loss.

    Parameters
    ----------
    outcome : ndarray, shape (n, K)
        1 in the column of the class, else 0.
    """
    if l1_ratio == 0:
        ridge = _fit_ridge(X, outcome.argmax(axis=1), penalty)
        return np.asarray(ridge.coef_), np.asarray(ridge.intercept_)
    return _minimise_in_turns(X, outcome, penalty, l1_ratio)


def _minimise_in_turns(
    X: Array, outcome: Array, penalty: float, l1_ratio: float
) -> tuple[Array, Array]:
    """Minimise as `_minimise` does, class by class with the others as they are (Friedman 2010)."""
    n_classes = outcome.shape[1]
    rate = np.clip(outcome.mean(axis=0), FLOOR, 1.0 - FLOOR)
    coef, intercept = np.zeros((n_classes, X.shape[1])), np.log(rate)
    inner = [_make_inner_net(X, l1_ratio) for _ in range(n_classes)]
    score = np.tile(intercept, (len(X), 1))

    def cost(of: Array, weights: Array) -> float:
        loss = (logsumexp(of, axis=1) - (outcome * of).sum(axis=1)).mean()
        return float(loss + penalty * _measure_size(weights.ravel(), l1_ratio))

    value = cost(score, coef)
    for _ in range(MOST_STEPS):
        before, moved = value, 0.0
        for k in range(n_classes):
            chance = np.clip(softmax(score, axis=1)[:, k], FLOOR, 1.0 - FLOOR)
            weight = chance * (1.0 - chance)
            inner[k].set_params(alpha=penalty / weight.mean())
            inner[k].coef_ = coef[k].copy()
            response = score[:, k] + (outcome[:, k] - chance) / weight
            fit_quietly(inner[k], X, response, sample_weight=weight / weight.mean())
            step, shift = inner[k].coef_ - coef[k], float(inner[k].intercept_) - intercept[k]
            along, factor = X @ step + shift, 1.0
            while factor > 1e-4:
                new, weights = score.copy(), coef.copy()
                new[:, k] += factor * along
                weights[k] += factor * step
                trial = cost(new, weights)
                if trial <= value:
                    score, coef, value = new, weights, trial
                    intercept[k] += factor * shift
                    moved = max(moved, float(np.abs(factor * step).max()))
                    break
                factor /= 2.0
        small = moved <= CLOSE * max(float(np.abs(coef).max()), 1e-3)
        if small or before - value <= 1e-6 * abs(before):
            break
    return coef, intercept - intercept.mean()


def _minimise(X: Array, y: Array, penalty: float, l1_ratio: float) -> tuple[Array, float]:
    """Minimise by quadratic approximations, each solved by coordinate descent, with halved steps.

    The approximation is a least squares problem with weights, which are brought to mean 1 for
    `ElasticNet`; its penalty is divided by the same factor.
    """
    rate = min(max(float(y.mean()), FLOOR), 1.0 - FLOOR)
    coef, intercept = np.zeros(X.shape[1]), float(np.log(rate / (1.0 - rate)))
    inner = _make_inner_net(X, l1_ratio)
    value = _compute_objective(X, y, coef, intercept, penalty, l1_ratio)
    for _ in range(MOST_STEPS):
        score = X @ coef + intercept
        chance = np.clip(expit(score), FLOOR, 1.0 - FLOOR)
        weight = chance * (1.0 - chance)
        inner.set_params(alpha=penalty / weight.mean())
        inner.coef_ = coef.copy()
        response = score + (y - chance) / weight
        fit_quietly(inner, X, response, sample_weight=weight / weight.mean())
        step, shift = inner.coef_ - coef, float(inner.intercept_) - intercept
        factor = 1.0
        while factor > 1e-4:
            trial = _compute_objective(
                X, y, coef + factor * step, intercept + factor * shift, penalty, l1_ratio
            )
            if trial <= value:
                break
            factor /= 2.0
        else:
            break
        coef, intercept = coef + factor * step, intercept + factor * shift
        settled = value - trial <= 1e-8 * abs(value)
        value = trial
        if settled or np.abs(factor * step).max() <= CLOSE * max(np.abs(coef).max(), 1e-3):
            break
    return coef, intercept


def _make_inner_net(X: Array, l1_ratio: float) -> ElasticNet:
    """Return the least squares of one step, which begins where the last one ended."""
    from sklearn.linear_model import ElasticNet

    return ElasticNet(
        l1_ratio=l1_ratio,
        max_iter=INNER_STEPS,
        tol=1e-6,
        warm_start=True,
        precompute=len(X) > 2 * X.shape[1],
    )


def _compute_objective(
    X: Array, y: Array, coef: Array, intercept: float, penalty: float, l1_ratio: float
) -> float:
    score = X @ coef + intercept
    loss = np.logaddexp(0.0, score).mean() - (y * score).mean()
    return float(loss + penalty * _measure_size(coef, l1_ratio))


def _measure_size(coef: Array, l1_ratio: float) -> float:
    """Return what the penalty is of: L1 and half the squares, by their shares."""
    return float(l1_ratio * np.abs(coef).sum() + (1.0 - l1_ratio) / 2.0 * (coef @ coef))
