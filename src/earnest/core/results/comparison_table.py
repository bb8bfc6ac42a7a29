"""All configurations against one: the comparisons, adjusted, and the set that may be the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.errors import UnknownNameError
from earnest.core.results.base import Result
from earnest.core.results.cautions import Caution
from earnest.core.results.comparison import Comparison
from earnest.core.results.differences import Alternative, alpha_of
from earnest.core.text.comparison import p_words

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable

ADJUSTMENTS = ("holm", "bh", "none")
MOST_LINES = 10  # of the repr


@dataclass(frozen=True, kw_only=True)
class Comparisons(Result):
    """One configuration against all others on the same cases.

    Attributes
    ----------
    reference : str
        The configuration that the others are held against: `a` of every comparison.
    best : str
        The configuration with the best value on these cases.
    comparisons : tuple of Comparison
        One for each other configuration, in the given order.
    adjusted : tuple of float
        The p-value of each, adjusted for their number.
    adjust : {'holm', 'bh', 'none'}
        How.
    p_best : mapping of str to float
        For each configuration the p-value of the hypothesis that no other is better.
    joint : bool
        Whether `p_best` is from the joint law of all values, and so holds though the best was
        found on the same cases; else from the adjusted one-sided tests against the best.
    simple_first : tuple of str or None
        The names from simple to complex, where the complexity is known.
    confidence_level : float
        The level of the intervals and of the set.
    seed : int or None
        The seed of the joint law, or of the test; None where nothing was drawn.
    cautions : tuple of Caution
        Remarks on all comparisons together.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 50)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((100, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(100) // 2 % 10)
    >>> better = np.column_stack([2 * y, y, y]) + np.random.default_rng(1).standard_normal((100, 3))
    >>> pi = en.Predictions.from_arrays(y, better, configs=["a", "b", "c"])
    >>> found = en.compare_many(pi, metric="roc_auc", rng=7)
    >>> found.best, found.not_worse
    ('a', ('a',))
    """

    schema: ClassVar[str] = "earnest/comparisons/1"
    called: ClassVar[str] = "a table of comparisons"

    reference: str
    best: str
    comparisons: tuple[Comparison, ...]
    adjusted: tuple[float, ...]
    adjust: str
    p_best: Mapping[str, float]
    joint: bool
    simple_first: tuple[str, ...] | None
    confidence_level: float
    seed: int | None = None
    cautions: tuple[Caution, ...] = ()

    @property
    def not_worse(self) -> tuple[str, ...]:
        """The configurations that may be the best, as none is shown to be better, at the level."""
        alpha = alpha_of(self.confidence_level)
        return tuple(name for name, p in self.p_best.items() if name == self.best or p > alpha)

    @property
    def simplest(self) -> str | None:
        """The simplest that may be the best; None where the complexity is unknown."""
        if self.simple_first is None:
            return None
        kept = set(self.not_worse)
        return next(name for name in self.simple_first if name in kept)

    @property
    def decision(self) -> str:
        """What can be said of all of them, in words."""
        others = [name for name in self.p_best if name != self.best]
        kept = [name for name in self.not_worse if name != self.best]
        if not kept:
            whom = f"all {len(others)} others" if len(others) > 1 else others[0]
            said = f"{self.best} is better than {whom}"
        else:
            who = f"{len(kept)} of {len(others)} others" if len(others) > 1 else kept[0]
            said = f"Besides {self.best}, {who} may be the best"
        return said + (f"; the simplest of them all is {self.simplest}." if self.simplest else ".")

    @staticmethod
    def verdict(kept: bool) -> str:
        """Return the words for a configuration in the set, or out of it.

        One out of it is shown to be worse than some other, not necessarily than the best here.
        """
        return "may be the best" if kept else "not the best"

    def __len__(self) -> int:
        """Count the comparisons."""
        return len(self.comparisons)

    def __iter__(self) -> Iterator[Comparison]:
        """Iterate over the comparisons."""
        return iter(self.comparisons)

    def __getitem__(self, name: str) -> Comparison:
        """Return the comparison with a configuration."""
        for made in self.comparisons:
            if made.b == name:
                return made
        names = [made.b for made in self.comparisons]
        raise UnknownNameError(
            f"there is no comparison with {check.show(name)}",
            needs=check.some(names),
            cure=check.nearest(str(name), names),
        )

    def at(
        self,
        *,
        confidence_level: float | None = None,
        alternative: Alternative | str | None = None,
    ) -> Comparisons:
        """Return the same with another level or alternative, without new draws."""
        moved = tuple(
            made.at(confidence_level=confidence_level, alternative=alternative)
            for made in self.comparisons
        )
        level = self.confidence_level if confidence_level is None else confidence_level
        return replace(
            self,
            comparisons=moved,
            adjusted=tuple(adjusted([p_of(made) for made in moved], self.adjust)),
            confidence_level=float(level),
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return the main numbers of each comparison as flat dicts."""
        kept = set(self.not_worse)
        return [
            {
                **made.row(),
                "p_adjusted": p,
                "p_best": self.p_best[made.b],
                "not_worse": made.b in kept,
            }
            for made, p in zip(self.comparisons, self.adjusted, strict=True)
        ]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.paper import comparisons_table

        return comparisons_table(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the reference against the others, and return the matplotlib Axes."""
        from earnest.plotting.figures.comparisons import plot_comparisons

        return plot_comparisons(self, ax)

    def to_dict(self, *, draws: bool = False) -> dict[str, Any]:
        """Return plain data with a schema version, ready for JSON."""
        return {
            "schema": self.schema,
            "reference": self.reference,
            "best": self.best,
            "not_worse": list(self.not_worse),
            "simplest": self.simplest,
            "decision": self.decision,
            "adjust": self.adjust,
            "confidence_level": self.confidence_level,
            "joint": self.joint,
            "seed": self.seed,
            "p_best": dict(self.p_best),
            "simple_first": None if self.simple_first is None else list(self.simple_first),
            "adjusted": list(self.adjusted),
            "comparisons": [made.to_dict(draws=draws) for made in self.comparisons],
            "cautions": [caution.to_dict() for caution in self.cautions],
        }

    @classmethod
    def _from_parts(cls, data: Mapping[str, Any]) -> Comparisons:
        order = data["simple_first"]
        return cls(
            reference=data["reference"],
            best=data["best"],
            comparisons=tuple(Comparison.from_dict(part) for part in data["comparisons"]),
            adjusted=tuple(data["adjusted"]),
            adjust=data["adjust"],
            p_best=dict(data["p_best"]),
            joint=data["joint"],
            simple_first=None if order is None else tuple(order),
            confidence_level=data["confidence_level"],
            seed=data["seed"],
            cautions=tuple(Caution.from_dict(part) for part in data["cautions"]),
        )

    def ranked(self) -> list[tuple[Comparison, float]]:
        """Return the comparisons with their adjusted p-values, the nearest rival first."""
        pairs = list(zip(self.comparisons, self.adjusted, strict=True))
        return sorted(pairs, key=lambda pair: _shortfall(pair[0]))

    def __repr__(self) -> str:
        """Return the decision, and a line for each of the nearest rivals."""
        lines, kept = [self.decision], set(self.not_worse)
        for made, p in self.ranked()[:MOST_LINES]:
            verdict = self.verdict(made.b in kept)
            lines.append(f"{made!r}, adjusted {p_words(p)}: {verdict}")
        more = len(self.comparisons) - MOST_LINES
        return "\n".join([*lines, *([f"and {more} more"] if more > 0 else [])])


def adjusted(p_values: ArrayLike, how: str) -> list[float]:
    """Return p-values adjusted for their number.

    Parameters
    ----------
    how : {'holm', 'bh', 'none'}
        Holm's step-down (any wrong claim, whatever the dependence), the false discovery rate of
        Benjamini and Hochberg (the share of wrong claims), or not at all.

    Examples
    --------
    >>> from earnest.core.results.comparison_table import adjusted
    >>> adjusted([0.01, 0.04, 0.03], "holm")
    [0.03, 0.06, 0.06]
    >>> [round(p, 3) for p in adjusted([0.01, 0.04, 0.03], "bh")]
    [0.03, 0.04, 0.04]
    """
    check.one_of("adjust", how, ADJUSTMENTS)
    p = np.asarray(p_values, dtype=np.float64)
    if how == "none" or len(p) == 0:
        return [float(each) for each in p]
    order = np.argsort(p, kind="stable")
    steps = _holm(p[order]) if how == "holm" else _benjamini_hochberg(p[order])
    out = np.empty(len(p))
    out[order] = np.minimum(steps, 1.0)
    return [float(each) for each in out]


def _holm(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    left = np.arange(len(ordered), 0, -1)
    return np.maximum.accumulate(left * ordered)


def _benjamini_hochberg(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    ranks = np.arange(1, len(ordered) + 1)
    return np.minimum.accumulate((len(ordered) / ranks * ordered)[::-1])[::-1]


def p_of(made: Comparison) -> float:
    """Return the p-value of a comparison, 1 where it has none."""
    return 1.0 if made.p_value is None else made.p_value


def _shortfall(made: Comparison) -> float:
    return made.difference if made.scale.greater_is_better else -made.difference
