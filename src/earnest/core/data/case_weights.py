"""Weights of cases, and what they mean: a survey's, frequencies, or how much each case matters."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import as_array, missing, same_length
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.provenance import JsonObject
from earnest.core.text.doors import arg, word

SAMPLE_WEIGHT = word("`sample_weight`", "--weight")
MOST_UNLIKE = 1e12  # the ratio of two weights beyond which the smaller one is rounding
MOST_ROWS = 5_000_000  # that frequencies may stand for

Array = NDArray[np.float64]


class Weighting(StrEnum):
    """What a weight of a case means."""

    SURVEY = "survey"  # how many of the population it stands for: one over its chance to be drawn
    FREQUENCY = "frequency"  # how many equal cases its row is
    IMPORTANCE = "importance"  # how much it counts: exposure, cost, a density ratio


@dataclass(frozen=True, eq=False)
class CaseWeights:
    """One weight per case, of which only the ratios matter.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        Finite, at least 0, and not all 0.
    kind : Weighting
        What they mean; 'survey' or 'importance', since frequencies become rows.

    Examples
    --------
    >>> from earnest.core.data.case_weights import CaseWeights
    >>> weights = CaseWeights.of([2, 2, 4], "survey")
    >>> weights.masses, round(weights.effective_size(), 3)
    (array([0.75, 0.75, 1.5 ]), 2.667)
    """

    values: Array
    kind: Weighting

    @classmethod
    def of(cls, values: ArrayLike, kind: Weighting | str, n: int | None = None) -> CaseWeights:
        """Read weights of n cases, and refuse what is none."""
        meaning = read_weighting(kind)
        array = as_array("sample_weight", values)
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1 or array.dtype.kind not in "iufb":
            raise InputError(
                f"{SAMPLE_WEIGHT} does not hold one number per case",
                needs="numbers of at least 0",
                got=f"shape {array.shape} of type {array.dtype}",
            )
        if n is not None:
            same_length("sample_weight", array, n)
        absent = np.asarray(missing(array), dtype=bool)
        bad = absent | ~np.isfinite(array.astype(np.float64)) | (array < 0)
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"{SAMPLE_WEIGHT} has values that are no weights",
                needs="finite numbers of at least 0",
                got=f"{array[row]} in row {row + 1}, {int(bad.sum())} such values",
                cure="Give cases that shall not count the weight 0.",
            )
        weights = cls(array.astype(np.float64), meaning)
        if not (weights.values > 0).any():
            raise InputError(
                f"{SAMPLE_WEIGHT} has no weight above 0", needs="at least one", got="none"
            )
        least = float(weights.values[weights.values > 0].min())
        if float(weights.values.max()) / MOST_UNLIKE > least:
            raise InputError(
                f"the values of {SAMPLE_WEIGHT} are too unlike to be added up",
                needs=f"a largest one of at most {MOST_UNLIKE:g} times the smallest above 0",
                got=f"{weights.values.max():.6g} and {least:.6g}",
                cure="Give cases that shall not count the weight 0.",
            )
        if meaning is Weighting.FREQUENCY:
            weights.refuse_fractions()
        return weights

    def refuse_fractions(self) -> None:
        """Refuse frequencies that are no counts, or that stand for more rows than fit."""
        odd = self.values != np.rint(self.values)
        if odd.any():
            row = int(np.flatnonzero(odd)[0])
            raise InputError(
                "frequencies are not whole numbers",
                needs=f"whole numbers, or another meaning than {arg('weights', 'frequency')}",
                got=f"{self.values[row]:.6g} in row {row + 1}",
                cure=f"Use {arg('weights', 'survey')} or 'importance' for weights that are "
                "not counts.",
            )
        if self.values.sum() > MOST_ROWS:
            raise InputError(
                "frequencies stand for too many cases",
                needs=f"at most {MOST_ROWS:,}",
                got=f"{self.values.sum():,.0f}",
                cure=f"Use {arg('weights', 'importance')}: it gives the same value.",
            )

    @property
    def equal(self) -> bool:
        """Whether all cases have the same weight, so that scores need none."""
        return bool((self.values == self.values[0]).all()) if len(self.values) else True

    @cached_property
    def masses(self) -> Array | None:
        """The weights with mean 1, None where all are equal."""
        if self.equal:
            return None
        scaled = self.values / self.values.max()
        return np.asarray(scaled / scaled.mean())

    def effective_size(self, rows: NDArray[np.bool_] | NDArray[np.intp] | None = None) -> float:
        """Return Kish's number of equal cases that some of these are worth: (sum w)² / sum w²."""
        values = self.values if rows is None else self.values[rows]
        return count_effective(values)

    def take(self, rows: NDArray[np.intp]) -> CaseWeights:
        """Return the weights of some of the cases."""
        return replace(self, values=self.values[rows])

    def to_plain(self) -> dict[str, str]:
        """Return them as JSON holds them, packed."""
        packed = zlib.compress(self.values.astype("<f8").tobytes(), 6)
        return {"kind": str(self.kind), "values": base64.b64encode(packed).decode()}

    @classmethod
    def of_plain(cls, data: JsonObject) -> CaseWeights:
        """Read what `to_plain` wrote; a ValueError where it was changed."""
        try:
            raw = zlib.decompress(base64.b64decode(data["values"], validate=True))
        except (zlib.error, ValueError) as error:
            raise ValueError("weights of cases that are no numbers") from error
        return cls.of(np.frombuffer(raw, dtype="<f8").astype(np.float64), str(data["kind"]))


@dataclass(frozen=True, eq=False)
class SurveyDesign:
    """The primary sampling units of a survey, and their strata.

    Groups are the units of each stratum, so that a group in two strata is two units; without
    groups every case is a unit.

    Attributes
    ----------
    unit : ndarray of int, shape (n,)
        The unit of each case.
    strata : tuple of ndarray of int
        The units of every stratum.
    stratum : ndarray of int, shape (n,)
        The stratum of each case.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.data.case_weights import SurveyDesign
    >>> design = SurveyDesign.of(4, groups=np.array([1, 1, 2, 3]), strata=np.array([0, 0, 0, 1]))
    >>> design.unit, design.sizes, design.freedom
    (array([0, 0, 1, 2]), array([2, 1]), 1)
    """

    unit: NDArray[np.intp]
    strata: tuple[NDArray[np.intp], ...]
    stratum: NDArray[np.intp]

    @classmethod
    def of(
        cls, n: int, groups: NDArray[np.int64] | None, strata: NDArray[np.int64] | None
    ) -> SurveyDesign:
        """Read the design of n cases; all are one stratum where none is given."""
        layers = np.zeros(n, dtype=np.int64) if strata is None else strata
        members = np.arange(n) if groups is None else groups
        pairs, unit = np.unique(np.stack([layers, members]), axis=1, return_inverse=True)
        codes, stratum = np.unique(layers, return_inverse=True)
        units = tuple(np.flatnonzero(pairs[0] == code) for code in codes)
        return cls(np.asarray(unit).reshape(-1), units, np.asarray(stratum).reshape(-1))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many units each stratum has."""
        return np.array([len(units) for units in self.strata])

    @property
    def freedom(self) -> int:
        """The degrees of freedom of a variance: units less strata."""
        return int(self.sizes.sum()) - len(self.strata)


def count_effective(values: Array) -> float:
    """Return Kish's effective size of weights: (sum w)² / sum w², 0 where all are 0.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.data.case_weights import count_effective
    >>> count_effective(np.array([1.0, 1.0, 1.0])), count_effective(np.array([1.0, 0.0]))
    (3.0, 1.0)
    """
    largest = float(values.max(initial=0.0))
    if not largest > 0.0:
        return 0.0
    scaled = values / largest
    return float(scaled.sum()) ** 2 / float(np.square(scaled).sum())


def read_weighting(kind: Weighting | str) -> Weighting:
    """Return what weights mean, of its word."""
    return Weighting(check.one_of("weights", str(kind), [str(k) for k in Weighting]))


def refuse_case_weights(weights: CaseWeights | None, what: str, cure: str = "") -> None:
    """Refuse cases of unlike weight where nothing takes them into account."""
    if weights is None:
        return
    raise EvidenceError(
        f"{what} does not take case weights into account",
        needs="cases of equal weight",
        got=f"{weights.kind} weights",
        cure=cure or f"Leave {SAMPLE_WEIGHT} out for an answer about the cases as they are.",
    )
