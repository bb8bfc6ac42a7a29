"""Trees boosted by Cox's partial likelihood."""

from __future__ import annotations

import numpy as np
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from earnest.training.learners.survival.hazards import (
    Array,
    HazardModel,
    PartialLikelihood,
    read_survival,
)

HEAVIEST = 5.0  # the largest step of a leaf


class BoostedCoxRegressor(HazardModel):
    """Proportional hazards whose log is a sum of small trees.

    Each tree is fitted to what the events exceed their expectation by; each leaf takes one Newton
    step (Friedman 2001; Ridgeway 1999), and `predict_survival` has Breslow's baseline.

    Parameters
    ----------
    rounds : int
        How many trees.
    learning_rate : float
        The share of each step that is taken.
    max_leaf_nodes, min_leaf : int
        The size of the trees, and the cases of a leaf.
    rows, columns : float
        The share of cases of each tree, and of columns of each split.
    l2 : float
        What is added to the expected events of a leaf.
    random_state : int, optional
        The seed.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.learners.survival.boosted import BoostedCoxRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> time = rng.exponential(np.exp(-np.abs(X[:, 0])))
    >>> model = BoostedCoxRegressor(random_state=0).fit(X, (np.ones(200, dtype=bool), time))
    >>> model.score(X, (np.ones(200, dtype=bool), time)) > 0.6
    True
    """

    def __init__(
        self,
        rounds: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 4,
        min_leaf: int = 10,
        rows: float = 1.0,
        columns: float = 1.0,
        l2: float = 1.0,
        random_state: int | None = None,
    ) -> None:
        self.rounds = rounds
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_leaf = min_leaf
        self.rows = rows
        self.columns = columns
        self.l2 = l2
        self.random_state = random_state

    def fit(self, X: Array, y: object) -> BoostedCoxRegressor:
        """Fit to a structured array of events and times, or to such a pair."""
        X = validate_data(self, X, dtype=np.float64)
        time, event = read_survival(y)
        likelihood = PartialLikelihood.of(time, event)
        draws = check_random_state(self.random_state)
        n, hazards = len(X), np.zeros(len(X))
        count = max(1, round(self.rows * n))
        self.trees_: list[DecisionTreeRegressor] = []
        self.leaves_: list[Array] = []
        for _ in range(self.rounds):
            _, expected, _ = likelihood.evaluate(hazards)
            used = np.arange(n) if count == n else draws.choice(n, count, replace=False)
            residuals = event - expected
            tree = DecisionTreeRegressor(
                max_leaf_nodes=max(2, self.max_leaf_nodes),
                min_samples_leaf=min(self.min_leaf, max(1, count // 2)),
                max_features=self.columns,
                random_state=draws.randint(np.iinfo(np.int32).max),
            ).fit(X[used], residuals[used])
            nodes = tree.apply(X)
            sums = np.bincount(nodes[used], residuals[used], tree.tree_.node_count)
            rates = np.bincount(nodes[used], expected[used], tree.tree_.node_count)
            steps = np.clip(sums / (rates + self.l2), -HEAVIEST, HEAVIEST) * self.learning_rate
            self.trees_.append(tree)
            self.leaves_.append(steps)
            hazards = hazards + steps[nodes]
        self.center_ = float(hazards.mean())
        self._fit_baseline(hazards - self.center_, time, event)
        return self

    def predict(self, X: Array) -> Array:
        """Return the log hazard, 0 on average of the training cases; greater is riskier."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        single = X.astype(np.float32)
        hazards = np.full(len(X), -self.center_)
        for tree, steps in zip(self.trees_, self.leaves_, strict=True):
            hazards += steps[tree.tree_.apply(single)]
        return hazards
