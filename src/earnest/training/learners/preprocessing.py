"""What columns are, and what is done to them before a model sees them, learned in training."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.training.learners.encoding import COMPONENTS

if TYPE_CHECKING:
    from sklearn.utils import Tags


MOST_LEVELS = 100  # a category with more is encoded by the mean outcome of its levels


@dataclass(frozen=True)
class Inputs:
    """The columns of the matrix that models see, and the number of cases.

    The matrix itself is float64 of shape (n, p): a number is as it was, a category is the code
    0..L-1 of its level, and NaN is missing. A level that training never saw arrives as NaN or as
    a code of its own.

    Parameters
    ----------
    names : tuple of str
        One per column.
    levels : tuple of int
        0 for a column of numbers, else the number of levels of the category.
    missing : tuple of bool
        Whether a column has missing values.
    n_cases : int
        The number of rows.
    texts : tuple of tuple of int
        For each text the columns that hold the marks of its words; these are no numbers.

    Examples
    --------
    >>> from earnest.training.learners.preprocessing import Inputs
    >>> inputs = Inputs(("age", "job"), (0, 4), (True, False), n_cases=300)
    >>> inputs.numeric, inputs.categorical
    ((0,), (1,))
    """

    names: tuple[str, ...]
    levels: tuple[int, ...]
    missing: tuple[bool, ...]
    n_cases: int
    texts: tuple[tuple[int, ...], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """Refuse columns that are described unlike each other, and a table without any."""
        lengths = {len(self.names), len(self.levels), len(self.missing)}
        if len(lengths) != 1 or lengths == {0}:
            raise InputError(
                "the descriptions of the columns do not match",
                needs="a name, a number of levels and a flag for each of at least one column",
                got=f"{len(self.names)} names, {len(self.levels)} levels, "
                f"{len(self.missing)} flags",
            )

    @classmethod
    def of(cls, X: object, *, categorical: Iterable[int] = (), names: Iterable[str] = ()) -> Inputs:
        """Describe a matrix whose categories are codes already.

        Examples
        --------
        >>> import numpy as np
        >>> from earnest.training.learners.preprocessing import Inputs
        >>> Inputs.of(np.array([[1.5, 0], [np.nan, 2]]), categorical=[1])
        Inputs(names=('x0', 'x1'), levels=(0, 3), missing=(True, False), n_cases=2)
        """
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or not X.size:
            raise InputError("X is not a table", needs="rows and columns", got=f"shape {X.shape}")
        chosen = set(categorical)
        levels = [int(np.nanmax(X[:, i], initial=0)) + 1 for i in range(X.shape[1])]
        return cls(
            names=tuple(names) or tuple(f"x{i}" for i in range(X.shape[1])),
            levels=tuple(count if i in chosen else 0 for i, count in enumerate(levels)),
            missing=tuple(bool(column.any()) for column in np.isnan(X).T),
            n_cases=len(X),
        )

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.names)

    @property
    def numeric(self) -> tuple[int, ...]:
        """The positions of the columns of numbers."""
        words = {place for places in self.texts for place in places}
        return tuple(i for i, n in enumerate(self.levels) if n == 0 and i not in words)

    @property
    def categorical(self) -> tuple[int, ...]:
        """The positions of the categories that have a column for each level, or a code."""
        return tuple(i for i, count in enumerate(self.levels) if 0 < count <= MOST_LEVELS)

    @property
    def coded(self) -> tuple[int, ...]:
        """The positions of the categories with more levels than that."""
        return tuple(i for i, count in enumerate(self.levels) if count > MOST_LEVELS)

    @property
    def is_plain(self) -> bool:
        """Whether all columns are numbers and categories that models take."""
        return not self.coded and not self.texts

    def encode(self) -> Inputs:
        """Return the columns that `ColumnEncoder` makes of these, for an outcome of two classes."""
        if self.is_plain:
            return self
        words = {place for places in self.texts for place in places}
        plain = [i for i in range(self.n_columns) if i not in {*self.coded, *words}]
        components = range(COMPONENTS * len(self.texts))
        more = [*(self.names[i] for i in self.coded), *(f"text {k}" for k in components)]
        return Inputs(
            (*(self.names[i] for i in plain), *more),
            (*(self.levels[i] for i in plain), *(0 for _ in more)),
            (*(self.missing[i] for i in plain), *(False for _ in more)),
            self.n_cases,
        )

    @property
    def has_missing(self) -> bool:
        """Whether any column has missing values."""
        return any(self.missing)

    @property
    def n_encoded(self) -> int:
        """The number of columns where every level gets one of its own."""
        return sum(max(count, 1) for count in self.levels)


IMPUTATIONS = ("median", "mean", "none")
ENCODINGS = ("one_hot", "ordinal", "native")
LARGEST = 1e30  # beyond it squares overflow, and trees take no number above 3e38

Matrix = NDArray[np.float64]


class Preprocessor(TransformerMixin, BaseEstimator):
    """Fill gaps, encode categories, scale numbers and remove what is constant.

    All of it is learned in `fit`, so that inside a pipeline nothing of a test fold leaks. The
    columns that come out are the numbers, the encoded categories, then the indicators of missing
    values; columns without any spread in training are left out, except that one always stays.

    A category that is missing counts as the most frequent level. A level that training did not
    see becomes zeros in one-hot columns, and the most frequent level as an ordinal code.

    Parameters
    ----------
    categorical : sequence of int
        The columns that hold codes of categories; the rest are numbers.
    impute : {'median', 'mean', 'none'}
        What fills a missing number; 'none' leaves it NaN, for models that take NaN, and missing
        ordinal codes too.
    indicator : bool
        Whether a column tells where a value was missing, for columns with gaps in training.
    encode : {'one_hot', 'ordinal', 'native'}
        A column for each level that training saw (for two levels one), or the code as a number.
        With 'native' codes come first, numbered without gaps and NaN where training did not see
        the level, and no column is left out, so that a model can be told their positions.
    scale : bool
        Whether numbers and ordinal codes are brought to mean 0 and standard deviation 1.

    Attributes
    ----------
    kept_ : ndarray of bool
        Which of the columns made are not constant.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.learners.preprocessing import Preprocessor
    >>> X = np.array([[1.0, 0], [np.nan, 2], [3.0, 1], [2.0, 2]])
    >>> Preprocessor(categorical=(1,), scale=False).fit_transform(X)
    array([[1., 1., 0., 0., 0.],
           [2., 0., 0., 1., 1.],
           [3., 0., 1., 0., 0.],
           [2., 0., 0., 1., 0.]])
    """

    def __init__(
        self,
        categorical: Sequence[int] = (),
        *,
        impute: str = "median",
        indicator: bool = True,
        encode: str = "one_hot",
        scale: bool = True,
    ) -> None:
        self.categorical = categorical
        self.impute = impute
        self.indicator = indicator
        self.encode = encode
        self.scale = scale

    def fit(self, X: Matrix, y: object = None) -> Preprocessor:
        """Learn fillings, levels, scales and which columns are constant."""
        check.one_of("impute", self.impute, IMPUTATIONS)
        check.one_of("encode", self.encode, ENCODINGS)
        X = self._read(X, reset=True)
        self._numeric = [i for i in range(X.shape[1]) if i not in set(self.categorical)]
        numbers, codes = X[:, self._numeric], X[:, list(self.categorical)]
        self.fill_ = _find_fillings(numbers, self.impute)  # (numbers,)
        self.levels_ = [np.unique(column[~np.isnan(column)]) for column in codes.T]
        self.most_frequent_ = np.array([_find_most_frequent(column) for column in codes.T])
        gaps = np.isnan(X).any(axis=0) & bool(self.indicator) & (self.impute != "none")
        self.with_gaps_ = np.flatnonzero(gaps)
        self.mean_, self.spread_ = self._find_scales(X)
        self.kept_ = _find_varying(self._make_columns(X))
        if self.encode == "native":
            self.kept_[:] = True
        return self

    def transform(self, X: Matrix) -> Matrix:
        """Return the prepared columns."""
        check_is_fitted(self)
        return self._make_columns(self._read(X, reset=False))[:, self.kept_]

    def get_feature_names_out(
        self, input_features: Iterable[str] | None = None
    ) -> NDArray[np.object_]:
        """Return the names of the columns that come out, such as `job=2` and `age missing`."""
        check_is_fitted(self)
        seen = getattr(self, "feature_names_in_", None)
        inputs = seen if input_features is None else input_features
        names = [f"x{i}" for i in range(self.n_features_in_)] if inputs is None else list(inputs)
        outputs = [names[i] for i in self._numeric]
        if self.encode == "one_hot":
            for column, levels in zip(self.categorical, self.levels_, strict=True):
                outputs += [f"{names[column]}={level:g}" for level in _drop_redundant(levels)]
        else:
            codes = [names[column] for column in self.categorical]
            outputs = [*codes, *outputs] if self.encode == "native" else [*outputs, *codes]
        outputs += [f"{names[i]} missing" for i in self.with_gaps_]
        return np.array(outputs or ["nothing"], dtype=object)[self.kept_]

    def _read(self, X: Matrix, *, reset: bool) -> Matrix:
        X = validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan")
        places = list(self.categorical)
        if places and not 0 <= min(places) <= max(places) < X.shape[1]:
            raise InputError(
                "`categorical` names columns that do not exist",
                needs=f"positions from 0 to {X.shape[1] - 1}",
                got=check.show(tuple(places)),
            )
        return np.asarray(np.clip(X, -LARGEST, LARGEST))

    def _find_scales(self, X: Matrix) -> tuple[Matrix, Matrix]:
        """Return what is taken from numbers and ordinal codes, and what divides them."""
        matrix = self._make_unscaled(X)
        if not self.scale:
            return np.zeros(matrix.shape[1]), np.ones(matrix.shape[1])
        with np.errstate(all="ignore"):
            mean, spread = _compute_moments(matrix)
        usable = np.isfinite(mean) & np.isfinite(spread) & (spread > 1e-12 * np.abs(mean))
        return np.where(usable, mean, 0.0), np.where(usable & (spread > 0.0), spread, 1.0)

    def _make_unscaled(self, X: Matrix) -> Matrix:
        """Return numbers without gaps, and ordinal codes."""
        numbers = X[:, self._numeric]
        if self.impute != "none":
            numbers = np.where(np.isnan(numbers), self.fill_, numbers)
        if self.encode == "one_hot":
            return numbers
        if self.encode == "ordinal":
            return np.hstack([numbers, self._fill_codes(X)])
        columns = zip(self.categorical, self.levels_, strict=True)
        codes = [number_codes(X[:, column], levels) for column, levels in columns]
        return np.column_stack([*codes, numbers]) if codes else numbers

    def _fill_codes(self, X: Matrix) -> Matrix:
        """Return codes in which what is missing, or no level of training, is filled or NaN."""
        codes = X[:, list(self.categorical)].copy()
        for j, levels in enumerate(self.levels_):
            unknown = ~np.isin(codes[:, j], levels)
            codes[unknown, j] = np.nan if self.impute == "none" else self.most_frequent_[j]
        return codes

    def _make_columns(self, X: Matrix) -> Matrix:
        parts = [(self._make_unscaled(X) - self.mean_) / self.spread_]
        if self.encode == "one_hot":
            parts += [
                self._encode_one_hot(X[:, column], j) for j, column in enumerate(self.categorical)
            ]
        if len(self.with_gaps_):
            parts.append(np.isnan(X[:, self.with_gaps_]).astype(np.float64))
        matrix = np.hstack(parts)
        return matrix if matrix.shape[1] else np.zeros((len(X), 1))  # no level was ever seen

    def _encode_one_hot(self, codes: Matrix, j: int) -> Matrix:
        codes = np.where(np.isnan(codes), self.most_frequent_[j], codes)
        return np.asarray(codes[:, None] == _drop_redundant(self.levels_[j]), dtype=np.float64)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _find_fillings(numbers: Matrix, impute: str) -> Matrix:
    """Return what fills the gaps of each column of numbers, 0 where all of it is missing."""
    empty = np.isnan(numbers).all(axis=0)
    shown = np.where(empty, 0.0, numbers)
    return np.asarray(
        np.nanmean(shown, axis=0) if impute == "mean" else np.nanmedian(shown, axis=0)
    )


def _drop_redundant(levels: Matrix) -> Matrix:
    """Return the levels that get a column: of two one is enough."""
    return levels[1:] if len(levels) == 2 else levels


def _find_most_frequent(codes: Matrix) -> float:
    levels, counts = np.unique(codes[~np.isnan(codes)], return_counts=True)
    return float(levels[counts.argmax()]) if len(levels) else 0.0


def _compute_moments(matrix: Matrix) -> tuple[Matrix, Matrix]:
    """Return mean and standard deviation of each column without its gaps."""
    is_present = ~np.isnan(matrix)
    count = np.maximum(is_present.sum(axis=0), 1)
    mean = np.where(is_present, matrix, 0.0).sum(axis=0) / count
    return mean, np.sqrt(np.where(is_present, (matrix - mean) ** 2, 0.0).sum(axis=0) / count)


def _find_varying(matrix: Matrix) -> NDArray[np.bool_]:
    """Tell which columns differ between cases; the first stays where none does."""
    is_present = ~np.isnan(matrix)
    low = np.where(is_present, matrix, np.inf).min(axis=0, initial=np.inf)
    high = np.where(is_present, matrix, -np.inf).max(axis=0, initial=-np.inf)
    varies = (high > low) | (is_present.any(axis=0) & ~is_present.all(axis=0))
    if not varies.any():
        varies[:1] = True
    return np.asarray(varies)


def number_codes(codes: Matrix, levels: Matrix) -> Matrix:
    """Return the place of each code among the levels of training, NaN for all others.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.learners.preprocessing import number_codes
    >>> number_codes(np.array([7.0, 2.0, 3.0, np.nan]), np.array([2.0, 7.0]))
    array([ 1.,  0., nan, nan])
    """
    places = np.searchsorted(levels, codes)
    known = np.isin(codes, levels)
    return np.where(known, places.astype(np.float64), np.nan)
