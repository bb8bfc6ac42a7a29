"""What more training cases gave: the score of a learner that was trained on a part of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from earnest.core.results.gain import Improvement

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable


@dataclass(frozen=True, kw_only=True)
class LearningCurve(Improvement):
    """How the score of a learner grew with the number of its training cases.

    Attributes
    ----------
    value : float
        What the last step gave: by how much all training cases are better than the largest part
        of them; positive where the score got better, for losses too.
    interval : Interval or None
        The two-sided interval of that, paired by case.
    standard_error : float or None
        That of the value.
    scale : Scale
        The metric.
    learner : str
        What was trained.
    fractions : tuple of float
        The parts of each training set, the last one 1.
    sizes : tuple of int
        How many cases a model was trained on, in the mean of the folds.
    scores : tuple of float
        The cross-validated score at each size, on the same test cases.
    low, high : tuple of float or None
        The limits of each score for itself.
    test : str
        The test that made the interval of the last step.
    n_cases, n_fits : int
        What it stands on.
    confidence_level : float
        That of all limits.
    cautions : tuple of Caution
        Coded remarks.
    provenance : Provenance
        Seed, fingerprint, folds, knobs and versions.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from sklearn.linear_model import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((120, 10))
    >>> y = X[:, 0] + rng.standard_normal(120)
    >>> made = en.learning_curve(Ridge(), X, y, metric="rmse", fractions=(0.25, 0.5, 1), rng=0)
    >>> made.sizes, made.n_fits
    ((27, 54, 108), 30)
    >>> made.shown
    True
    """

    schema: ClassVar[str] = "earnest/learning_curve/1"
    called: ClassVar[str] = "a learning curve"

    learner: str
    fractions: tuple[float, ...]
    sizes: tuple[int, ...]
    scores: tuple[float, ...]
    test: str
    n_fits: int

    @property
    def times(self) -> float:
        """How many times more cases the last step had than the one before."""
        return self.sizes[-1] / self.sizes[-2]

    def to_dict(self, *, draws: bool = False) -> dict[str, Any]:
        """Return plain data with a schema version, ready for JSON; there are no draws in it."""
        return {
            **super().to_dict(draws=draws),
            "learner": self.learner,
            "fractions": list(self.fractions),
            "sizes": list(self.sizes),
            "scores": list(self.scores),
            "test": self.test,
            "n_fits": self.n_fits,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return the curve as flat dicts, one a size."""
        return [
            {"fraction": part, "training_cases": size, "score": score, "low": low, "high": high}
            for part, size, score, low, high in zip(
                self.fractions, self.sizes, self.scores, self.low, self.high, strict=True
            )
        ]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.paper import learning_table

        return learning_table(self)

    def summary(self) -> str:
        """Return what the last step gave, in a few sentences."""
        from earnest.core.text.learning import advice, confidence, headline

        return " ".join(part for part in (headline(self), confidence(self), advice(self)) if part)

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve, and return the matplotlib Axes."""
        from earnest.plotting.figures.gain import plot_learning

        return plot_learning(self, ax)

    def __repr__(self) -> str:
        """Return one line."""
        from earnest.core.text.learning import line

        return line(self)
