"""scikit-learn's boosting that splits codes of categories, and is saved without functions."""

from __future__ import annotations

from typing import Any, Self

from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from earnest.training.protocols import Estimator


class _CategoryBoosting:
    """What both share: after the fit, codes are taken as they are.

    scikit-learn would number the codes of each category again, by functions that no model file may
    hold. `Preprocessor` numbers them from 0 without gaps and puts them first, so that doing it
    again changes nothing.
    """

    _preprocessor: Any

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Grow the trees."""
        super().fit(X, y, **params)  # type: ignore[misc]
        self._preprocessor = None
        return self


class CategoryBoostingClassifier(_CategoryBoosting, HistGradientBoostingClassifier):
    """Boosted trees of classes; the first columns are codes of categories, from 0 without gaps."""


class CategoryBoostingRegressor(_CategoryBoosting, HistGradientBoostingRegressor):
    """Boosted trees of numbers; the first columns are codes of categories, from 0 without gaps."""


def take_categories(model: Estimator, count: int) -> Estimator:
    """Return a boosting of scikit-learn as one whose first columns are categories.

    Examples
    --------
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from earnest.training.learners.category_boosting import take_categories
    >>> take_categories(HistGradientBoostingClassifier(max_iter=9), 2)
    CategoryBoostingClassifier(categorical_features=[0, 1], max_iter=9)
    """
    classifies = isinstance(model, HistGradientBoostingClassifier)
    kind = CategoryBoostingClassifier if classifies else CategoryBoostingRegressor
    return kind(**{**model.get_params(), "categorical_features": [*range(count)]})
