"""The configurations: the three families of the paper and three faster ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

Named = tuple[str, Any]


def grid(features: int) -> list[Named]:
    """Return names and unfitted models for standardised data with so many columns."""
    return [*_lasso(), *_svm(), *_forests(features), *_others()]


def _lasso() -> Iterator[Named]:
    for penalty, ratio in (("l1", 1.0), ("l2", 0.0)):
        for c in np.logspace(-2, 2, 9):
            made = LogisticRegression(
                C=c, l1_ratio=ratio, solver="liblinear", max_iter=300, random_state=0
            )
            yield f"logistic {penalty} C={c:.3g}", made


def _svm() -> Iterator[Named]:
    iterations = 20_000  # a large cost on noise never ends
    for c in (0.01, 0.1, 1, 10):
        yield f"svm linear C={c}", SVC(kernel="linear", C=c, max_iter=iterations)
    for gamma, c in product((0.001, 0.01, 0.1, 1, 10), (0.01, 0.1, 1, 10, 100)):
        yield f"svm rbf C={c} gamma={gamma}", SVC(C=c, gamma=gamma, max_iter=iterations)
    for degree, gamma, c in product((2, 3), (0.01, 0.1, 1), (0.01, 1, 100)):
        made = SVC(kernel="poly", degree=degree, C=c, gamma=gamma, max_iter=iterations)
        yield f"svm poly{degree} C={c} gamma={gamma}", made


def _forests(features: int) -> Iterator[Named]:
    for leaf, share in product((1, 3, 5), (0.5, 1, 1.5, 2)):
        tried = min(features, max(1, round(share * features**0.5)))
        made = RandomForestClassifier(
            n_estimators=50, min_samples_leaf=leaf, max_features=tried, random_state=0
        )
        yield f"forest leaf={leaf} tried={share}", made


def _others() -> Iterator[Named]:
    for k in (1, 3, 5, 11, 21, 41):
        yield f"neighbours k={k}", KNeighborsClassifier(k)
    for depth, leaf in product((2, 4, 8), (1, 10)):
        made = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, random_state=0)
        yield f"tree depth={depth} leaf={leaf}", made
    for smooth in (1e-9, 1e-3, 1e-1):
        yield f"bayes smoothing={smooth:g}", GaussianNB(var_smoothing=smooth)
