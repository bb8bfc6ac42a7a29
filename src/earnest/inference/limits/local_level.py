"""How much too good the winner of a search looks, from the resampled scores of all configurations.

The scores of all configurations under the same resamples give their correlations. Gaussian draws
with these correlations are continuous and unbounded. If all configurations were equal, the draws
show how far chance alone puts each behind the winner; only the part of a gap beyond that is taken
as real. With these gaps, the draws show who wins, and by how many standard errors its score is too
good.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.text.doors import arg

DRAWS = 2000  # Gaussian draws of the scores of all configurations
LUCK = 0.05  # a gap counts beyond what chance alone exceeds with this probability
CONSTANT = 1e-7  # a spread below which a score is the same in every resample
CELLS = 1 << 15  # numbers of a temporary array, which the cache holds
LEAST_SPREAD = 0.5  # of the median spread, which no configuration falls below

KEPT = 2  # normals of the last calls: the first few draws, and all of them
MOST_KEPT = 4_000_000  # numbers, 32 MB

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StandardisedScores:
    """The scores of all configurations under the same resamples, as correlations need them.

    Attributes
    ----------
    columns : ndarray, shape (B, C)
        The columns with mean 0 and length 1; one without spread is only centred.
    spread : ndarray, shape (C,)
        Their standard deviations.
    """

    columns: Array
    spread: Array

    @classmethod
    def of(cls, table: Array, *, overwrite: bool = False) -> StandardisedScores:
        """Standardise the columns of a table (B, C), in its own memory if it may be overwritten."""
        if len(table) < 2:
            raise EvidenceError(
                "correlations of scores need resamples in which all scores are defined",
                needs="at least 2",
                got=str(len(table)),
                cure=f"Use more resamples, or {arg('method', 'bbc')}.",
            )
        columns = np.subtract(table, table.mean(axis=0), out=table if overwrite else None)
        step = max(1, CELLS // table.shape[1])
        squares = np.zeros(table.shape[1])
        for start in range(0, len(table), step):
            squares += np.square(columns[start : start + step]).sum(axis=0)
        spread = np.sqrt(squares / (len(table) - 1))
        columns /= np.where(spread < CONSTANT, 1.0, spread)
        columns /= np.sqrt(len(table) - 1)
        return cls(columns, spread)


@dataclass(frozen=True, eq=False)
class WinnerErrors:
    """The errors of those who win, and who is near the winner.

    Attributes
    ----------
    errors : ndarray, shape (M,)
        By how many standard errors the winner of each draw is too good, rising.
    near : ndarray of bool, shape (C,)
        Whose gap to the winner chance alone can explain.
    """

    errors: Array
    near: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class DroppedConfigurations:
    """Configurations that were dropped on the way.

    Attributes
    ----------
    gaps : ndarray, shape (D,)
        How far each was behind the winner on the cases that tested it, on the steady scale.
    shares : ndarray, shape (D,)
        Which share of all cases that was.
    """

    gaps: Array
    shares: Array


def winner_errors(
    table: Array | StandardisedScores,
    scores: Array,
    winner: int,
    rng: np.random.Generator,
    *,
    best_wins: bool = True,
    dropped: DroppedConfigurations | None = None,
    draws: int = DRAWS,
) -> WinnerErrors:
    """Return draws from the distribution of the winner's error.

    Parameters
    ----------
    table : ndarray, shape (B, C), or StandardisedScores
        The score of every configuration under every resample, greater is better, on a scale that
        steadies the variance.
    scores : ndarray, shape (C,)
        The scores of the sample itself, on that scale.
    winner : int
        The configuration that won.
    rng : Generator
        The source of the Gaussian draws.
    best_wins : bool
        Whether the best score wins. Under another rule, gaps do not tell who could have won, and
        the errors are the largest of each draw, which bound that of any winner.
    dropped : DroppedConfigurations, optional
        The configurations that were dropped during the search, whose scores on all cases are not
        known. Each counts as a rival that is independent of the others.
    draws : int
        The number of Gaussian draws, M.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.limits.local_level import winner_errors
    >>> rng = np.random.default_rng(0)
    >>> table = rng.normal([0.8, 0.8, 0.2], 0.05, (500, 3))  # one is far behind
    >>> found = winner_errors(table, table.mean(axis=0), 0, rng)
    >>> found.near.tolist()
    [True, True, False]
    """
    standardised = table if isinstance(table, StandardisedScores) else StandardisedScores.of(table)
    spread = standardised.spread
    drawn = _gaussian(standardised.columns, spread < CONSTANT, scores, rng, draws)  # (C, M)
    error = np.maximum(spread, LEAST_SPREAD * np.median(spread))
    lucky = drawn * error[:, None]  # scores in a world of equals
    leader = lucky.max(axis=0)  # (M,)
    rank = _place_of_luck(draws)
    luck = np.empty(len(scores))  # (C,)
    step = max(1, CELLS // draws)
    for start in range(0, len(scores), step):
        behind_leader = leader - lucky[start : start + step]
        behind_leader.partition(rank, axis=1)
        luck[start : start + step] = behind_leader[:, rank]
    gap = np.maximum(scores[winner] - scores, 0.0)
    middle = float(np.median(error))
    best, its_error = _best_of_dropped(dropped, leader, middle, rng)  # (M,) both
    if not best_wins:
        largest = np.maximum(drawn.max(axis=0), its_error)
        return WinnerErrors(np.sort(largest), np.ones(len(scores), dtype=bool))
    behind = np.maximum(gap - luck, 0.0)
    behind[winner] = 0.0
    first = np.argmax(np.subtract(lucky, behind[:, None], out=lucky), axis=0)  # (M,)
    each = np.arange(draws)
    its_score = drawn[first, each]
    errors = np.where(best > lucky[first, each], its_error, its_score)
    return WinnerErrors(np.sort(errors), gap <= luck)


def _best_of_dropped(
    dropped: DroppedConfigurations | None, leading: Array, error: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return the score of the best dropped configuration in each draw, and its error: (M,) both.

    `leading` (M,) has the best of the others in a world of equals, `error` is a standard error.
    Minus infinity if none was dropped. Chance differences on a part of the cases are larger than on
    all, by the root of their share.
    """
    draws = len(leading)
    if dropped is None or len(dropped.gaps) == 0:
        return np.full(draws, -np.inf), np.full(draws, -np.inf)
    normals = rng.standard_normal((len(dropped.gaps), draws))
    leader = np.maximum(leading, error * normals.max(axis=0))
    rank = _place_of_luck(draws)
    luck = float(np.partition(leader - error * normals[0], rank)[rank])
    behind = np.maximum(dropped.gaps - luck / np.sqrt(dropped.shares), 0.0)
    chances = error * normals - behind[:, None]
    first = np.argmax(chances, axis=0)
    each = np.arange(draws)
    return chances[first, each], normals[first, each]


def _place_of_luck(draws: int) -> int:
    """Return the place of the order statistic that chance alone exceeds with probability `LUCK`."""
    return int(np.ceil((1.0 - LUCK) * (draws + 1))) - 1


def _gaussian(
    columns: Array,
    constant: NDArray[np.bool_],
    scores: Array,
    rng: np.random.Generator,
    draws: int,
) -> Array:
    """Return standard normal draws (C, M) with the correlations of the table, in one product.

    The correlations of a constant score are unknown, so its draws are independent of the others;
    constant columns take theirs from the best score down, whatever their order in the table.
    """
    normals = _draw_normals(rng, (draws, len(columns)))
    spare = rng.standard_normal((draws, int(constant.sum())))
    drawn = np.asarray(columns.T @ normals.T)
    places = np.flatnonzero(constant)
    drawn[places[np.argsort(-scores[places], kind="stable")]] = spare.T
    return drawn


def _draw_normals(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Return `rng.standard_normal(shape)`, kept for the next call with the same seed.

    They are half of the work for a small table, and the metrics of one report, the prefixes of one
    curve and the methods of one comparison all use the same ones.
    """
    if shape[0] * shape[1] > MOST_KEPT:
        return rng.standard_normal(shape)
    key = (repr(rng.bit_generator.state), shape)
    draws = _kept.get(key)
    if draws is None:
        normals = rng.standard_normal(shape)
        normals.flags.writeable = False
        draws = normals, rng.bit_generator.state
        for old in list(_kept)[: 1 - KEPT]:
            _kept.pop(old, None)
        _kept[key] = draws
    else:
        rng.bit_generator.state = draws[1]
    return draws[0]


_kept: dict[tuple[str, tuple[int, int]], tuple[Array, Mapping[str, Any]]] = {}
