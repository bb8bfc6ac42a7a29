"""The score of what a search delivers in subgroups of the cases."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from earnest.core.base.errors import UnknownNameError
from earnest.core.results.base import FLAT, OPTIONAL, MetricResult, Plain
from earnest.core.results.calibration import CalibrationVerdict
from earnest.core.results.cautions import Caution
from earnest.core.results.scale import Provenance, Scale
from earnest.core.results.specs import Selection

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable
    from earnest.plotting.figures.subgroups import Axes


class SubgroupStanding(StrEnum):
    """What the limits show of a subgroup against the other cases."""

    WORSE = "worse"
    BETTER = "better"
    NOT_SHOWN = "no difference shown"
    FEW = "too few cases"
    UNDEFINED = "undefined"


@dataclass(frozen=True, kw_only=True)
class SubgroupCalibration(Plain):
    """How far the probabilities of the positive class hold in a subgroup.

    Attributes
    ----------
    expected, observed : float
        The mean probability, and the share of positives, among the cases of the subgroup.
    low, high : float
        The limits of what has to be added to the log odds for both to agree; they hold in all
        subgroups at once, and 0 between them is no sign of a wrong level.
    verdict : CalibrationVerdict
        What the test of level and slope says, at a level shared by all subgroups.
    """

    expected: float
    observed: float
    low: float
    high: float
    verdict: CalibrationVerdict


@dataclass(frozen=True, kw_only=True)
class Subgroup(Plain):
    """One subgroup: its cases, its score, and how it stands against all other cases.

    Attributes
    ----------
    column, level : str
        The column, and its level.
    n_cases, n_units : int
        Its cases, and how many of them are independent.
    n_positive : int or None
        Cases of the positive class, for two classes.
    value : float or None
        The corrected score; None where the metric is undefined.
    low, high : float or None
        Its limits, which hold in all subgroups at once; None where cases are too few.
    shrunk : float or None
        The value drawn toward the mean of the subgroups of its column, by as much as chance
        explains how they differ.
    naive : float or None
        The score before the correction.
    gap, gap_low, gap_high : float or None
        The score less that of all other cases, with limits that hold in all subgroups at once.
    standing : SubgroupStanding
        What these limits show.
    calibration : SubgroupCalibration or None
        Of the probabilities of the positive class.
    """

    derived: ClassVar[tuple[str, ...]] = ("name",)

    column: str
    level: str
    n_cases: int
    n_units: int
    standing: SubgroupStanding
    n_positive: int | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    shrunk: float | None = None
    naive: float | None = None
    gap: float | None = None
    gap_low: float | None = None
    gap_high: float | None = None
    calibration: SubgroupCalibration | None = field(default=None, metadata=OPTIONAL)

    @property
    def name(self) -> str:
        """Column and level, as in 'sex = f'."""
        return f"{self.column} = {self.level}"

    @property
    def judged(self) -> bool:
        """Whether it has limits."""
        return self.low is not None


@dataclass(frozen=True, kw_only=True)
class LargestGap(Plain):
    """The difference between the best and the worst subgroup of a column.

    Attributes
    ----------
    column, best, worst : str
        The column, and its levels with the best and the worst score.
    value : float
        How far they are apart, 0 or more. Of equal subgroups it is above 0 by chance.
    low, high : float
        Limits of the difference between the truly best and the truly worst one.
    """

    column: str
    best: str
    worst: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Subgroups(MetricResult):
    """The score of one model in every subgroup, with limits that hold in all of them at once.

    Attributes
    ----------
    value : float or None
        The score on all cases.
    scale : Scale
        The metric.
    baseline : str or None
        What the scores are differences to, where two configurations are compared.
    winner : str or None
        The configuration; None for an ensemble of several.
    n_members : int or None
        How many configurations are averaged, where a rule chose an ensemble.
    selection : Selection
        Whether the scores are corrected for its choice.
    subgroups : tuple of Subgroup
        All of them, by column and level.
    gaps : tuple of LargestGap
        For each column with two judged subgroups or more.
    columns : tuple of str
        What the cases are divided by.
    n_cases, n_configs, n_resamples : int
        What it is based on.
    confidence_level : float
        With this probability all limits of scores hold at once; and so do all limits of gaps.
    cautions, provenance
        As of every result.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(3)
    >>> y, sex = np.tile([0, 1], 150), rng.choice(["f", "m"], 300)
    >>> scores = y[:, None] + rng.standard_normal((300, 10))
    >>> pi = en.Predictions.from_arrays(y, scores, by={"sex": sex})
    >>> groups = en.estimate(pi, metric="roc_auc", by="sex", rng=0).subgroups
    >>> groups
    roc_auc by sex: no subgroup of 2 is shown to be worse (95 % at once, n=300)
    >>> groups["sex", "f"].n_cases + groups["sex", "m"].n_cases
    300
    """

    schema: ClassVar[str] = "earnest/subgroups/1"
    called: ClassVar[str] = "a table of subgroups"
    derived: ClassVar[tuple[str, ...]] = ("worse", "shown_worse_by", "worse_by_at_most")

    value: float | None
    scale: Scale = field(metadata=FLAT)
    winner: str | None
    selection: Selection
    subgroups: tuple[Subgroup, ...]
    gaps: tuple[LargestGap, ...]
    columns: tuple[str, ...]
    n_cases: int
    n_configs: int
    n_resamples: int | None
    confidence_level: float
    cautions: tuple[Caution, ...]
    provenance: Provenance = field(metadata=FLAT)
    baseline: str | None = field(default=None, metadata=OPTIONAL)
    n_members: int | None = field(default=None, metadata=OPTIONAL)

    def __len__(self) -> int:
        """Count the subgroups."""
        return len(self.subgroups)

    def __iter__(self) -> Iterator[Subgroup]:
        """Iterate over the subgroups."""
        return iter(self.subgroups)

    def __getitem__(self, key: tuple[str, str] | str) -> Subgroup:
        """Return the subgroup of a column and a level, or of a level that one column has."""
        matches = [
            each
            for each in self.subgroups
            if (key == (each.column, each.level) if isinstance(key, tuple) else key == each.level)
        ]
        if len(matches) != 1:
            raise UnknownNameError(
                f"{key!r} names {'no' if not matches else 'more than one'} subgroup",
                needs=", ".join(repr((each.column, each.level)) for each in self.subgroups[:6]),
            )
        return matches[0]

    @property
    def judged(self) -> tuple[Subgroup, ...]:
        """The subgroups that have limits."""
        return tuple(each for each in self.subgroups if each.judged)

    @property
    def worse(self) -> tuple[str, ...]:
        """The names of the subgroups that are shown to be worse than the other cases."""
        return tuple(
            each.name for each in self.subgroups if each.standing is SubgroupStanding.WORSE
        )

    def limit_deficit(self, subgroup: Subgroup) -> tuple[float, float] | None:
        """Return by how much a subgroup is worse than the other cases: at least and at most.

        Of a comparison it is by how much the first configuration is worse there than the second.
        """
        ends = subgroup.gap_low, subgroup.gap_high
        if self.baseline is not None:
            ends = subgroup.low, subgroup.high
        if ends[0] is None or ends[1] is None:
            return None
        low, high = ends[0], ends[1]
        return (-high, -low) if self.scale.greater_is_better else (low, high)

    @property
    def shown_worse_by(self) -> float:
        """The largest deficit that is shown of any subgroup; 0 where none is."""
        ends = [ends for each in self.subgroups if (ends := self.limit_deficit(each))]
        return max((max(low, 0.0) for low, _ in ends), default=0.0)

    @property
    def worse_by_at_most(self) -> float | None:
        """The deficit that no judged subgroup exceeds, at the level; None where none is judged."""
        ends = [ends for each in self.subgroups if (ends := self.limit_deficit(each))]
        return max((max(high, 0.0) for _, high in ends), default=None)

    def shows_worse(self, margin: float = 0.0) -> bool:
        """Tell whether some subgroup is shown to be worse than the others by more than a margin."""
        return self.shown_worse_by > margin

    def _check_parts(self) -> None:
        super()._check_parts()
        for each in self.subgroups:
            limits = (each.value, each.low, each.high)
            if each.judged and not all(v is not None and not math.isnan(v) for v in limits):
                raise ValueError(f"the subgroup {each.name} has limits without a value")
            if each.column not in self.columns:
                raise ValueError(f"the subgroup {each.name} is of no column")

    def rows(self) -> list[dict[str, Any]]:
        """Return the subgroups as flat dicts."""
        names = ("column", "level", "n_cases", "n_positive", "value", "low", "high", "shrunk")
        more = ("naive", "gap", "gap_low", "gap_high")
        return [
            {name: getattr(each, name) for name in (*names, *more)}
            | {"standing": str(each.standing)}
            for each in self.subgroups
        ]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.subgroups import make_table

        return make_table(self)

    def summary(self) -> str:
        """Return what is shown of the subgroups, in a few sentences."""
        from earnest.core.text.subgroups import word_summary

        return word_summary(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the subgroups as a forest plot, and return the matplotlib Axes."""
        from earnest.plotting.figures.subgroups import plot_subgroups

        return plot_subgroups(self, ax)

    def _print_more(self) -> Iterator[str]:
        """Yield a line per subgroup."""
        from earnest.core.text.subgroups import word_rows

        yield from word_rows(self)

    def __repr__(self) -> str:
        """Return one line."""
        from earnest.core.text.subgroups import word_line

        return word_line(self)
