"""Columns that models cannot take as they are: free text, and categories with many levels.

What they become is learned from the training cases alone, by components of scikit-learn.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from threading import Lock
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from earnest.core.base import check
from earnest.core.base.errors import InputError

Matrix = NDArray[np.float64]
COMPONENTS = 24  # of each text
MOST_TERMS = 5000  # of a text, the most frequent
FEWEST_TEXTS = 2  # of training, that a word is in
FOLDS = 5  # of the training cases: each gets the means of levels of the others
MOST_REMEMBERED = 256 << 20  # bytes of columns of the last training cases
_LAST: OrderedDict[object, tuple[dict[str, Any], Matrix]] = OrderedDict()
_LOCK = Lock()


class ColumnEncoder(TransformerMixin, BaseEstimator):
    """Turn text into components, and levels into mean outcomes, all learned in `fit`.

    The columns that are neither come first, in their order; then for each category with many
    levels the mean outcome of the level, shrunk to that of all cases (one column for each of
    several classes); then for each text its components.

    Means (`TargetEncoder`) of training cases come from other training cases, so that a model does
    not see the outcome of a case in its own column. Text is weighted by how rare
    its words are (`TfidfTransformer`), and reduced to a few components (`TruncatedSVD`).

    Parameters
    ----------
    coded : sequence of int
        The columns that hold codes of categories with many levels.
    texts : sequence of sequence of int
        The columns that hold the marks of the words of each text.
    random_state : int, optional
        The seed.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.learners.encoding import ColumnEncoder
    >>> X = np.column_stack([np.arange(40.0) % 4, np.arange(40.0)])
    >>> encoder = ColumnEncoder(coded=(0,)).fit(X, np.arange(40) % 2)
    >>> encoder.transform(X[:3])
    array([[0., 0.],
           [1., 1.],
           [2., 0.]])
    """

    def __init__(
        self,
        coded: Sequence[int] = (),
        texts: Sequence[Sequence[int]] = (),
        *,
        random_state: int | None = None,
    ) -> None:
        self.coded = coded
        self.texts = texts
        self.random_state = random_state

    def fit(self, X: Matrix, y: NDArray[np.generic]) -> ColumnEncoder:
        """Learn what levels and words are worth."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Matrix, y: NDArray[np.generic], **params: object) -> Matrix:
        """Learn it, and return the columns of the training cases, without their own outcomes.

        What was learned from the same cases before is not learned again: a portfolio has dozens of
        models on the same folds.
        """
        X = self._read(X, reset=True)
        data = blake2b(np.ascontiguousarray(X).tobytes())
        data.update(np.ascontiguousarray(y).tobytes())
        about = (X.shape, y.dtype.str, tuple(self.coded), tuple(map(tuple, self.texts)))
        key = (data.digest(), about, self.random_state)
        with _LOCK:
            known = _LAST.get(key)
        if known is None:
            known = self._learn(X, y)
            with _LOCK:
                _LAST[key] = known
                while len(_LAST) > 1 and _measure_remembered() > MOST_REMEMBERED:
                    _LAST.popitem(last=False)
        learned, encoded = known
        self.__dict__.update(learned)
        return encoded.copy()

    def transform(self, X: Matrix) -> Matrix:
        """Return the columns of other cases."""
        check_is_fitted(self)
        X = self._read(X, reset=False)
        parts = [X[:, self.plain_]]
        if self.means_ is not None:
            parts.append(np.asarray(self.means_.transform(X[:, list(self.coded)])))
        for positions, terms, weights, axes in zip(
            self.texts, self.terms_, self.weights_, self.axes_, strict=True
        ):
            parts.append(_reduce(_count(X[:, list(positions)], terms), weights, axes))
        return np.hstack(parts)

    def _learn(self, X: Matrix, y: NDArray[np.generic]) -> tuple[dict[str, Any], Matrix]:
        """Return the attributes of a fitted encoder, and the columns of the training cases."""
        taken = {*self.coded, *(place for positions in self.texts for place in positions)}
        plain = np.array([i for i in range(X.shape[1]) if i not in taken], dtype=np.intp)
        parts = [X[:, plain]]
        means = None
        if len(self.coded):
            means, columns = self._learn_means(X[:, list(self.coded)], y)
            parts.append(columns)
        terms_, weights_, axes_ = [], [], []
        for positions in self.texts:
            terms, weights, axes, columns = self._learn_words(X[:, list(positions)])
            terms_.append(terms)
            weights_.append(weights)
            axes_.append(axes)
            parts.append(columns)
        learned = {
            "plain_": plain,
            "means_": means,
            "terms_": terms_,
            "weights_": weights_,
            "axes_": axes_,
        }
        return learned, np.hstack(parts)

    def _learn_means(self, codes: Matrix, y: NDArray[np.generic]) -> tuple[Any, Matrix]:
        from sklearn.preprocessing import TargetEncoder

        survival = y.dtype.names is not None
        outcome = np.asarray(cast(NDArray[np.void], y)["event"], dtype=np.int64) if survival else y
        kind, classes = "continuous", np.empty(0)
        if outcome.dtype.kind != "f":
            classes, outcome = np.unique(outcome, return_inverse=True)
            kind = {1: kind, 2: "binary"}.get(len(classes), "multiclass")
        means = TargetEncoder(target_type=kind).fit(codes, outcome)
        columns = np.asarray(means.transform(codes), dtype=np.float64)
        for train, test in _divide(outcome, kind, self.random_state):
            if kind != "continuous" and len(np.unique(outcome[train])) < len(classes):
                continue  # a class of one case: nothing is known of it without that case
            others = TargetEncoder(target_type=kind).fit(codes[train], outcome[train])
            columns[test] = others.transform(codes[test])
        return means, columns

    def _learn_words(self, marks: Matrix) -> tuple[Any, Any, Any, Matrix]:
        """Return words, their weights, the axes of the components, and the columns."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfTransformer

        present = marks[~np.isnan(marks)]
        terms, counts = np.unique(present.astype(np.int64), return_counts=True)
        often = np.flatnonzero(counts >= FEWEST_TEXTS)
        often = often[np.argsort(-counts[often], kind="stable")][:MOST_TERMS]
        terms = np.sort(terms[often])
        if len(terms) < 2:  # nothing to compare
            return (
                terms,
                np.ones(len(terms)),
                np.zeros((COMPONENTS, len(terms))),
                np.zeros((len(marks), COMPONENTS)),
            )
        table = _count(marks, terms)
        weights = np.asarray(TfidfTransformer(sublinear_tf=True).fit(table).idf_)
        svd = TruncatedSVD(min(COMPONENTS, len(terms) - 1), random_state=self.random_state)
        svd.fit(_weigh(table, weights))
        axes = np.zeros((COMPONENTS, len(terms)))
        axes[: len(svd.components_)] = svd.components_
        return terms, weights, axes, _reduce(table, weights, axes)

    def _read(self, X: Matrix, *, reset: bool) -> Matrix:
        X = validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan")
        places = [*self.coded, *(place for positions in self.texts for place in positions)]
        if places and not 0 <= min(places) <= max(places) < X.shape[1]:
            raise InputError(
                "`coded` or `texts` name columns that do not exist",
                needs=f"positions from 0 to {X.shape[1] - 1}",
                got=check.show(tuple(places)),
            )
        return np.asarray(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        return tags


def _measure_remembered() -> int:
    return sum(columns.nbytes for _, columns in _LAST.values())


def _divide(
    outcome: NDArray[np.generic], kind: str, seed: int | None
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return training and test cases of a few parts, classes spread over them."""
    order = np.random.default_rng(seed).permutation(len(outcome))
    if kind != "continuous":
        order = order[np.argsort(outcome[order], kind="stable")]
    part = np.empty(len(outcome), dtype=np.intp)
    part[order] = np.arange(len(outcome)) % FOLDS
    tests = (part == k for k in range(min(FOLDS, len(outcome))))
    return [(np.flatnonzero(~test), np.flatnonzero(test)) for test in tests]


def _count(marks: Matrix, terms: NDArray[np.int64]) -> Any:
    """Return which words each text has, as a sparse table of 0 and 1: (n, terms)."""
    from scipy.sparse import csr_matrix

    rows, columns = np.nonzero(~np.isnan(marks))
    words = marks[rows, columns].astype(np.int64)
    places = np.searchsorted(terms, words)
    places = np.minimum(places, max(len(terms) - 1, 0))
    found = (terms[places] == words) if len(terms) else np.zeros(len(words), dtype=bool)
    ones = np.ones(int(found.sum()))
    return csr_matrix((ones, (rows[found], places[found])), shape=(len(marks), len(terms)))


def _weigh(table: Any, weights: Matrix) -> Any:
    """Return the table with rare words weighted more, each text of length 1."""
    from sklearn.preprocessing import normalize

    return normalize(table.multiply(weights[None, :]).tocsr())


def _reduce(table: Any, weights: Matrix, axes: Matrix) -> Matrix:
    """Return the components of texts: (n, COMPONENTS)."""
    return np.asarray(_weigh(table, weights) @ axes.T, dtype=np.float64)
