"""Several estimates side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from earnest.core.base.errors import UnknownNameError
from earnest.core.base.provenance import JsonObject
from earnest.core.results.base import Result
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Estimate
from earnest.core.results.interval import Ask
from earnest.core.results.specs import Side

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable


@dataclass(frozen=True)
class Estimates(Result):
    """Estimates by several methods on the same resamples.

    Attributes
    ----------
    estimates : tuple of Estimate
        One per method, in the requested order.
    refused : mapping of str to str
        The methods that could not answer, and why.
    cautions : tuple of Caution
        Remarks that only show side by side, such as methods that disagree.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 50)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((100, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(100) // 2 % 10)
    >>> found = en.estimate_all(pi, methods=["naive", "bbc"], metric="roc_auc", rng=7)
    >>> for estimate in found:
    ...     print(estimate.method, round(estimate.value, 2))
    naive 0.8
    bbc 0.71
    """

    schema: ClassVar[str] = "earnest/estimates/1"
    called: ClassVar[str] = "a table of estimates"

    estimates: tuple[Estimate, ...]
    refused: Mapping[str, str] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()

    def __len__(self) -> int:
        """Count the estimates."""
        return len(self.estimates)

    def __iter__(self) -> Iterator[Estimate]:
        """Iterate over the estimates."""
        return iter(self.estimates)

    def __getitem__(self, method: str) -> Estimate:
        """Return the estimate of a method."""
        for estimate in self.estimates:
            if estimate.method == method:
                return estimate
        raise UnknownNameError(
            f"there is no estimate by {method!r}",
            needs=", ".join(estimate.method for estimate in self.estimates),
            cure=self.refused.get(method, ""),
        )

    def at(
        self, *, confidence_level: float | None = None, side: Side | str | None = None
    ) -> Estimates:
        """Return the same estimates with another level or side, without resampling again."""
        Ask.of(confidence_level or 0.5, side or Side.TWO_SIDED)
        moved = tuple(
            e if e.interval is None else e.at(confidence_level=confidence_level, side=side)
            for e in self.estimates
        )
        return Estimates(moved, self.refused, self.cautions)

    def to_dict(self, *, draws: bool = False) -> dict[str, object]:
        """Return plain data with a schema version, ready for JSON."""
        return {
            "schema": self.schema,
            "estimates": [estimate.to_dict(draws=draws) for estimate in self.estimates],
            "refused": dict(self.refused),
            "cautions": [caution.to_dict() for caution in self.cautions],
        }

    @classmethod
    def _from_parts(cls, data: JsonObject) -> Estimates:
        return cls(
            tuple(Estimate.from_dict(part) for part in data["estimates"]),
            dict(data["refused"]),
            tuple(Caution.from_dict(part) for part in data["cautions"]),
        )

    def rows(self) -> list[dict[str, object]]:
        """Return the main numbers as flat dicts, one a method."""
        return [estimate.row() for estimate in self.estimates]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.paper import estimates_table

        return estimates_table(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the estimates as a forest plot, and return the matplotlib Axes."""
        from earnest.plotting.figures.estimates import plot_estimates

        return plot_estimates(self, ax)

    def __repr__(self) -> str:
        """Return one line a method."""
        lines = [repr(estimate) for estimate in self.estimates]
        lines += [f"{name}: refused. {reason}" for name, reason in self.refused.items()]
        return "\n".join(lines)
