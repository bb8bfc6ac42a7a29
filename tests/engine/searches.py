"""A small search that tests run here and on clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from earnest import SearchCV


def searched(**options: Any) -> SearchCV:
    """Twelve trees of different depth and seed on five folds; seed 5."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 6))
    y = (X[:, 0] + rng.normal(size=150) > 0).astype(int)
    grid = {"max_depth": [1, 2, 3, 4], "max_features": [1, 3, 6]}
    search = SearchCV(
        DecisionTreeClassifier(), grid, scoring="roc_auc", cv=5, random_state=3, **options
    )
    return search.fit(X, y)
