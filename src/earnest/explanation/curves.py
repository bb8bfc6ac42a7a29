"""Effects: curves and surfaces with their uncertainty, and measures of their quality.

The measures of a curve are those of Moosbauer et al. 2021, section 6, computed on a grid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.provenance import finite
from earnest.core.results.base import (
    HIDDEN,
    Document,
    Plain,
    Sheet,
    check_lengths,
    read_array,
)
from earnest.core.results.estimate import Scale
from earnest.core.text.numbers import write_count

if TYPE_CHECKING:
    import pyarrow as pa

    from earnest.plotting.figures.effects import Axes, EffectOptions, Figure


@dataclass(frozen=True)
class CurveQuality(Plain):
    """The quality of a curve, lower is better throughout.

    Attributes
    ----------
    mean_confidence : float
        MC: the mean over the grid of the curve's sd.
    optimum_confidence : float or None
        OC: its sd at the grid value nearest to the best configuration's; None if that has no
        value.
    nll : float or None
        The mean negative log-likelihood of the true curve; None if no truth is known.
    """

    mean_confidence: float
    optimum_confidence: float | None = None
    nll: float | None = None


@dataclass(frozen=True)
class QualityGain:
    """The quality over the whole space, in the region of the best configuration, and the gain.

    Gains are shares: 0.3 is a band 30 % narrower. The gain of the NLL is relative to its absolute
    value, which can be near 0.
    """

    overall: CurveQuality
    region: CurveQuality

    @property
    def mean_confidence(self) -> float:
        """The share by which the mean band is narrower."""
        return relative_gain(self.overall.mean_confidence, self.region.mean_confidence)

    @property
    def optimum_confidence(self) -> float | None:
        """The share by which the band at the optimum is narrower."""
        return _read_gain(self.overall.optimum_confidence, self.region.optimum_confidence)

    @property
    def nll(self) -> float | None:
        """The share by which the truth is more likely."""
        return _read_gain(self.overall.nll, self.region.nll)

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "overall": self.overall.to_dict(),
            "region": self.region.to_dict(),
            "gain": {
                "mean_confidence": finite(self.mean_confidence),
                "optimum_confidence": finite(self.optimum_confidence),
                "nll": finite(self.nll),
            },
        }


def mean_confidence(sd: Floats) -> float:
    """Return MC, the mean sd over the grid; values that do not exist are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.explanation.curves import mean_confidence
    >>> mean_confidence(np.array([0.5, 1.5]))
    1.0
    """
    existing = sd[~np.isnan(sd)]
    return float(existing.mean()) if len(existing) else math.nan


def optimum_confidence(sd: Floats, codes: Floats, optimum: float) -> float | None:
    """Return OC, the sd at the grid value nearest to the optimum's, the first of two as near."""
    if math.isnan(optimum):
        return None
    return float(sd[int(np.argmin(np.abs(codes - optimum)))])


def negative_log_likelihood(truth: Floats, mean: Floats, sd: Floats) -> float:
    """Return the mean over the grid of -log N(truth; mean, sd); infinite if the sd is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.explanation.curves import negative_log_likelihood
    >>> round(negative_log_likelihood(np.zeros(3), np.zeros(3), np.ones(3)), 4)
    0.9189
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        each = 0.5 * np.log(2 * np.pi * sd**2) + 0.5 * ((truth - mean) / sd) ** 2
    certain = np.where(truth == mean, -np.inf, np.inf)
    comparable = ~np.isnan(truth) & ~np.isnan(mean)
    return float(np.mean(np.where(sd == 0, certain, each)[comparable]))


def average_columns(table: Floats) -> Floats:
    """Return the mean of each column over what exists; NaN if nothing does."""
    exists = ~np.isnan(table)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(exists, table, 0.0).sum(axis=0) / exists.sum(axis=0))


def relative_gain(before: float, after: float) -> float:
    """Return by which share `after` is lower than `before`, relative to the size of `before`."""
    if before == after:
        return 0.0
    return (before - after) / abs(before) if before else -math.inf


def _read_gain(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else relative_gain(before, after)


Floats = NDArray[np.float64]
AVERAGE, OF_MEAN = "average", "mean"
BANDS = {
    AVERAGE: "average surrogate uncertainty (eq. 5)",
    OF_MEAN: "uncertainty of the average (eq. 4)",
}


@dataclass(frozen=True)
class Objective(Scale):
    """What was tuned: its name, its direction, and the limits of its values where known."""

    name: str
    greater_is_better: bool
    limits: tuple[float, float] = (-math.inf, math.inf)

    def clip_all(self, values: Floats) -> Floats:
        """Bring values into the limits; NaN stays."""
        return np.clip(values, *self.limits)

    def best(self, values: Floats) -> int:
        """Return where the best value is, the first of equal ones."""
        return int(np.nanargmax(values) if self.greater_is_better else np.nanargmin(values))

    def worse_by(self, value: Floats, best: float) -> Floats:
        """Return by how much values are worse than the best one."""
        return best - value if self.greater_is_better else value - best


@dataclass(frozen=True, eq=False)
class Ice:
    """The curves that an effect averages: one per Monte Carlo point.

    Attributes
    ----------
    points : ndarray of shape (m, d)
        Codes of the points; the column of the parameter itself is replaced along the curve.
    mean, sd : ndarray of shape (m, G)
        Mean and sd of the surrogate along each curve; NaN where a combination does not exist.
    own_mean, own_sd : ndarray of shape (m,)
        Mean and sd of the surrogate at the points themselves.
    """

    points: Floats
    mean: Floats
    sd: Floats
    own_mean: Floats
    own_sd: Floats

    def taken(self, rows: NDArray[np.intp]) -> Ice:
        """Return some of the curves."""
        return Ice(*(getattr(self, field.name)[rows] for field in fields(self)))


class IceAverage(TypedDict):
    """The fields of an effect that are averages of its ICE curves, and the curves themselves."""

    mean: Floats
    sd: Floats
    sd_of_mean: Floats | None
    n_points: NDArray[np.intp]
    ice: Ice


def average_ice(ice: Ice) -> IceAverage:
    """Average ICE curves over what exists (eq. 7 and 8); the mean by eq. 3, the sd by eq. 5."""
    return {
        "mean": average_columns(ice.mean),
        "sd": np.sqrt(average_columns(ice.sd**2)),
        "sd_of_mean": None,
        "n_points": (~np.isnan(ice.mean)).sum(axis=0).astype(np.intp),
        "ice": ice,
    }


class Effect(Document):
    """The base of effects: what is written of them, and what `sd` is."""

    @property
    def sd_is(self) -> str:
        """What `sd` is, in words."""
        return BANDS[AVERAGE]

    def to_dict(self, *, draws: bool = False) -> dict[str, Any]:
        """Return plain data with a schema version, ready for JSON; without the ICE curves.

        Parameters
        ----------
        draws : bool
            As for other results; an effect holds no draws.
        """
        return super().to_dict(draws=True)

    def __eq__(self, other: object) -> bool:
        """Compare what is written; arrays by their values."""
        return isinstance(other, type(self)) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # it holds arrays


@dataclass(frozen=True, eq=False, kw_only=True)
class EffectCurve(Effect):
    """The effect of a parameter on the objective, averaged over all others.

    What is estimated: the partial dependence of the surrogate's mean, over a uniform spread of the
    space, or of a region of it. It is not the effect on the true objective: that differs where the
    surrogate is wrong, and the bands show where it may be.

    Attributes
    ----------
    param : str
        The parameter.
    grid : tuple
        Its values, equidistant on its own scale, or its levels.
    mean, sd : ndarray of shape (G,)
        The average of the surrogate's mean (eq. 3), and the root of the average of its variance
        (eq. 5). `sd` is the average uncertainty of single predictions: it is not the standard
        deviation of `mean`, never below it, and does not shrink with more points.
    sd_of_mean : ndarray of shape (G,) or None
        The standard deviation of `mean` under the surrogate (eq. 4).
    scale : {'linear', 'log', 'levels'}
        How to draw the grid.
    objective : Objective
        What the curve is in the units of.
    where : str
        Where it is averaged, in words; empty for the whole space.
    n_points : ndarray of shape (G,)
        The Monte Carlo points that each value averages.
    trials : tuple
        The values of the parameter in the complete trials that lie there.
    pruned, unused : tuple
        Those in trials that were stopped early: with a value that informs, and without.
    best : object
        Its value in the best configuration; None if it has none, or lies elsewhere.
    codes : ndarray of shape (G,)
        The grid in the codes of the space.
    ice : Ice or None
        The curves behind the average; neither compared nor written.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> configs = [
    ...     {"rate": 10 ** rng.uniform(-4, 0), "depth": int(rng.integers(1, 9))} for _ in range(40)
    ... ]
    >>> score = [-((np.log10(c["rate"]) + 2) ** 2) + 0.1 * c["depth"] for c in configs]
    >>> explanation = en.explain(configs, objective_values=score, direction="maximize", rng=0)
    >>> curve = explanation.effect("rate")
    >>> round(float(curve.grid[int(curve.mean.argmax())]), 2)
    0.01
    """

    schema: ClassVar[str] = "earnest/effect/1"
    called: ClassVar[str] = "an effect"
    derived: ClassVar[tuple[str, ...]] = ("sd_is", "mean_confidence")

    param: str
    grid: tuple[object, ...]
    mean: Floats
    sd: Floats
    sd_of_mean: Floats | None
    scale: str
    objective: Objective
    where: str
    n_points: NDArray[np.intp]
    trials: tuple[object, ...]
    best: object
    codes: Floats
    pruned: tuple[object, ...] = ()
    unused: tuple[object, ...] = ()
    ice: Ice | None = field(default=None, repr=False, metadata=HIDDEN)

    @property
    def mean_confidence(self) -> float:
        """The mean sd over the grid (MC); the average half width of the band is 1.96 of it."""
        return mean_confidence(self.sd)

    @property
    def n_trials(self) -> int:
        """How many trials lie there and inform."""
        return len(self.trials) + len(self.pruned)

    @property
    def trial_words(self) -> str:
        """How many trials lie there, in words."""
        words = write_count(self.n_trials, "trial")
        pruned = f", {len(self.pruned):,} pruned" if self.pruned else ""
        unused = f", {len(self.unused):,} more without a value" if self.unused else ""
        return words + pruned + unused

    def averaged(self, ice: Ice) -> EffectCurve:
        """Return the effect averaged over other ICE curves, such as those of a region."""
        return replace(self, **average_ice(ice))

    def bands(self, confidence_level: float = 0.95, of: str = AVERAGE) -> tuple[Floats, Floats]:
        """Return the low and high edges of the band around the curve, within the limits.

        Parameters
        ----------
        confidence_level : float
            The level of the normal quantile.
        of : {'average', 'mean'}
            The average surrogate uncertainty (eq. 5), or the uncertainty of the average (eq. 4).
        """
        reach = quantile(confidence_level) * self._sd(of)
        clip = self.objective.clip_all
        return clip(self.mean - reach), clip(self.mean + reach)

    def half_width(self, confidence_level: float = 0.95) -> float:
        """Return half of the mean width of the band, within the limits of the objective."""
        low, high = self.bands(confidence_level)
        return mean_confidence((high - low) / 2)

    def _sd(self, of: str) -> Floats:
        if check.one_of("of", of, BANDS) == AVERAGE:
            return self.sd
        if self.sd_of_mean is None:
            raise EvidenceError(
                "the uncertainty of the average was not computed for this curve",
                cure="Use explanation.effect(param, within=region).",
            )
        return self.sd_of_mean

    def plot(self, ax: Axes | None = None, **options: Unpack[EffectOptions]) -> Axes:
        """Draw the curve with its band and return the matplotlib Axes."""
        from earnest.plotting.figures.effects import plot_effect

        return plot_effect(self, ax, **options)

    def to_frame(self) -> pa.Table:
        """Return the curve as a pyarrow table with one row per grid value."""
        import pyarrow as pa

        columns: dict[str, object] = {
            self.param: pa.array(_unify_types(self.grid)),
            "mean": self.mean,
            "sd": self.sd,
        }
        if self.sd_of_mean is not None:
            columns["sd_of_mean"] = self.sd_of_mean
        return pa.table(columns)

    @property
    def places(self) -> Floats:
        """The positions of the grid on an axis: its values, or one position per level."""
        if self.scale == "levels":
            return np.arange(len(self.grid), dtype=np.float64)
        return np.array(self.grid, dtype=np.float64)

    def _check_parts(self) -> None:
        super()._check_parts()
        check_lengths(self.places, self.mean, self.sd, self.n_points)
        tried = (*self.trials, *self.pruned, *self.unused)
        _refuse_gaps(self.scale, self.grid, tried, self.best)

    def __repr__(self) -> str:
        """Return one line."""
        exists = ~np.isnan(self.mean)
        low, high = (float(f(self.mean[exists])) for f in (np.min, np.max))
        region = f" where {self.where}" if self.where else ""
        return (
            f"effect of {self.param} on {self.objective.name}{region}: {low:.3g} to {high:.3g}, "
            f"average uncertainty {self.mean_confidence:.2g} ({self.n_trials} trials)"
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class EffectSurface(Effect):
    """The joint effect of two parameters, averaged over all others, with its uncertainty.

    Attributes are those of `EffectCurve`; arrays have the shape (Ga, Gb).

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> configs = [
    ...     {"rate": 10 ** rng.uniform(-4, 0), "depth": int(rng.integers(1, 9))} for _ in range(40)
    ... ]
    >>> score = [-((np.log10(c["rate"]) + 2) ** 2) + 0.1 * c["depth"] for c in configs]
    >>> explanation = en.explain(configs, objective_values=score, direction="maximize", rng=0)
    >>> explanation.effect2d("rate", "depth").mean.shape
    (20, 8)
    """

    schema: ClassVar[str] = "earnest/effect2d/1"
    called: ClassVar[str] = "a joint effect"
    derived: ClassVar[tuple[str, ...]] = ("sd_is",)

    params: tuple[str, str]
    grids: tuple[tuple[object, ...], tuple[object, ...]]
    scales: tuple[str, str]
    mean: Sheet
    sd: Sheet
    sd_of_mean: Sheet
    objective: Objective
    where: str
    n_points: int
    trials: tuple[tuple[object, object], ...]
    best: tuple[object, object] | None

    def list_apart(self, other: EffectSurface, confidence_level: float = 0.95) -> Floats:
        """Return by how much two surfaces differ in shape, where they clearly do, else 0.

        Each surface is taken about its own average over the pairs that both have, so that a region
        in which everything is better does not count. They differ at a pair where the bands of the
        two averages (eq. 4) do not overlap, at the level for all pairs at once (Bonferroni).

        Parameters
        ----------
        other : EffectSurface
            That of the same parameters on the same grid, such as that of the whole space.
        confidence_level : float
            The level of the bands.

        Returns
        -------
        ndarray of shape (Ga, Gb)
            This surface minus the other, each about its average; 0 where bands overlap, NaN where
            one of them has no value.
        """
        if (self.params, self.grids) != (other.params, other.grids):
            raise InputError(
                "the surfaces are of other parameters or grids",
                needs=f"{self.params[0]!r} and {self.params[1]!r} on the same grid",
                got=f"{other.params[0]!r} and {other.params[1]!r}",
            )
        shared = ~(np.isnan(self.mean) | np.isnan(other.mean))
        if not shared.any():
            return np.full(self.mean.shape, np.nan)
        apart = self.mean - self.mean[shared].mean() - other.mean + other.mean[shared].mean()
        level = 1.0 - (1.0 - check.check_share("confidence_level", confidence_level)) / shared.sum()
        reach = quantile(level) * (self.sd_of_mean + other.sd_of_mean)
        return np.asarray(np.where(np.abs(apart) > reach, apart, np.where(shared, 0.0, np.nan)))

    def plot(self, figure: Figure | None = None) -> Axes:
        """Draw the mean next to its uncertainty and return the matplotlib Axes of the mean."""
        from earnest.plotting.figures.effects import plot_surface

        return plot_surface(self, figure)

    def _check_parts(self) -> None:
        super()._check_parts()
        shape = tuple(map(len, self.grids))
        if any(sheet.shape != shape for sheet in (self.mean, self.sd, self.sd_of_mean)):
            raise ValueError("the sheets are not of the size of the grids")
        for axis in (0, 1):
            best = None if self.best is None else self.best[axis]
            tried = tuple(pair[axis] for pair in self.trials)
            _refuse_gaps(self.scales[axis], self.grids[axis], tried, best)

    def __repr__(self) -> str:
        """Return one line."""
        region = f" where {self.where}" if self.where else ""
        return (
            f"effect of {self.params[0]} and {self.params[1]} on {self.objective.name}{region}: "
            f"{float(np.nanmin(self.mean)):.3g} to {float(np.nanmax(self.mean)):.3g}, "
            f"average uncertainty {float(np.nanmean(self.sd)):.2g}"
        )


def quantile(confidence_level: float) -> float:
    """Return the normal quantile of a two-sided band."""
    level = check.check_share("confidence_level", confidence_level)
    return NormalDist().inv_cdf(0.5 + 0.5 * level)


def _refuse_gaps(
    scale: str, grid: tuple[object, ...], trials: tuple[object, ...], best: object
) -> None:
    """Raise a ValueError where a value on an axis of numbers is missing or is not a number."""
    if scale != "levels":
        read_array([best])  # None where the best trial has no value
        if np.isnan(read_array([*grid, *trials])).any():
            raise ValueError("a value of a parameter is missing")


def _unify_types(values: tuple[object, ...]) -> list[object]:
    """Return values of one type, as a column of a table wants them; text where they differ."""
    kinds = {type(v) for v in values if v is not None}
    return list(values) if len(kinds) <= 1 or kinds == {int, float} else [str(v) for v in values]
