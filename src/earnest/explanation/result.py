"""What `explain` returns: effects, regions, importance, and how far they can be trusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.provenance import JsonObject
from earnest.core.base.threads import one_blas_thread
from earnest.core.results.base import HIDDEN, OPTIONAL, Result, is_page
from earnest.core.results.cautions import Caution
from earnest.core.space.levels import show_level
from earnest.core.space.trials import TrialCounts
from earnest.core.text.cleaning import clean_line
from earnest.core.text.doors import arg
from earnest.explanation.coverage import Untested
from earnest.explanation.curves import (
    CurveQuality,
    EffectCurve,
    EffectSurface,
    Objective,
    QualityGain,
    average_columns,
    negative_log_likelihood,
)
from earnest.explanation.effects import (
    Scene,
    compute_surface,
    describe_condition,
    effect_of,
)
from earnest.explanation.importance import Importance, Share
from earnest.explanation.joint import JointEffect
from earnest.explanation.regions.partition import Growth, RegionRule, regions_of
from earnest.explanation.regions.regions import Region, RegionTree, inside
from earnest.explanation.sampling_bias import SamplingBias, show_short
from earnest.explanation.stable import StableOptimum
from earnest.explanation.suggest import Suggestion, suggest_configs
from earnest.explanation.surrogate.quality import NOT_SHOWN, SurrogateQuality, Trust

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable
    from earnest.plotting.figures.effects import Axes, Figure


@dataclass(frozen=True, eq=False, kw_only=True)
class Explanation(Result):
    """What the tuning learned, and how certain that is.

    Attributes
    ----------
    objective : Objective
        What was tuned.
    counts : TrialCounts
        How the trials ended, and which of them inform.
    space : tuple of str
        All parameters, explained or not.
    covered : mapping of str to tuple
        The values of each parameter in complete trials: low and high of a number, levels of a
        category.
    untested : tuple of Untested
        Parts of the space that only pruned trials without a value have.
    best_config, best_value : mapping, float
        The best trial.
    surrogate, surrogate_quality : str, SurrogateQuality
        The model that everything is read from, and how well it predicts trials it has not seen.
    importance : Importance
        Shares of the variance of the objective over the space; its `trust` says whether the
        surrogate predicts well enough to tell what matters.
    effects : mapping of str to EffectCurve
        The effect of each parameter, the most important first.
    regions : mapping of str to RegionTree
        For each of them, the regions in which the effect can be trusted more or less.
    sampling_bias : SamplingBias
        How far the trials are from an even spread, and where hardly any are.
    stable_optimum : StableOptimum
        The configurations that cannot be distinguished from the best.
    confidence_level : float
        That of intervals and bands.
    cautions : tuple of Caution
        Coded remarks.
    provenance : mapping
        Source, seed, Monte Carlo points, grid and versions.
    joint_effect : JointEffect or None
        Whether the two foremost parameters work together otherwise in the region of the best
        configuration; None where there is no such region or pair.
    scene : Scene or None
        What further questions are answered from; not written, so None after `from_dict`.

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
    >>> explanation.objective.name, list(explanation.effects)
    ('objective', ['rate', 'depth'])
    >>> explanation.best_config["depth"]
    7
    """

    schema: ClassVar[str] = "earnest/explanation/1"
    called: ClassVar[str] = "an explanation"
    derived: ClassVar[tuple[str, ...]] = ("finding", "n_trials", "trust")

    objective: Objective
    counts: TrialCounts
    space: tuple[str, ...]
    covered: Mapping[str, tuple[object, ...]]
    untested: tuple[Untested, ...]
    best_config: Mapping[str, object]
    best_value: float
    surrogate: str
    surrogate_quality: SurrogateQuality
    importance: Importance
    effects: Mapping[str, EffectCurve]
    regions: Mapping[str, RegionTree]
    sampling_bias: SamplingBias
    stable_optimum: StableOptimum
    confidence_level: float
    cautions: tuple[Caution, ...]
    provenance: JsonObject
    joint_effect: JointEffect | None = field(default=None, metadata=OPTIONAL)
    scene: Scene | None = field(default=None, repr=False, metadata=HIDDEN)

    @property
    def finding(self) -> str:
        """Which parameters matter most, in words that claim no more than the intervals support."""
        parts = {name: self.where_active(name) for name in self.effects}
        return word_importance(self.importance, self.sampling_bias, parts, self.untested)

    def where_active(self, param: str) -> str:
        """Return where a parameter is active, in words; empty if everywhere."""
        if self.scene is None:
            return self.effects[param].where
        return describe_condition(self.scene.space, self.scene.space.index(param))

    @property
    def headline(self) -> str:
        """The finding with a capital, unless it begins with the name of a parameter."""
        finding = self.finding
        names_first = self.trust is Trust.SHOWN and bool(list_foremost(self.importance))
        return finding if names_first else finding[:1].upper() + finding[1:]

    @property
    def n_trials(self) -> int:
        """How many trials inform: complete ones, and pruned ones with a value."""
        return self.counts.used

    @property
    def trust(self) -> Trust:
        """Whether the trials show what matters."""
        return self.importance.trust

    @property
    def winner_tree(self) -> RegionTree | None:
        """The tree whose branch to the best configuration says most.

        That of the most important parameter whose tree divides the space around it; None if none
        does.
        """
        trees = (tree for tree in self.regions.values() if len(tree) > 1)
        return next((tree for tree in trees if tree.best is not None), None)

    @one_blas_thread()
    def effect(self, param: str, *, within: Region | None = None) -> EffectCurve:
        """Return the effect of any parameter, in a region if one is given.

        Parameters
        ----------
        param : str
            A parameter of the space.
        within : Region, optional
            A region of its tree, or of another's; both uncertainties are computed for it.
        """
        scene = self._scene()
        if within is None:
            return self.effects.get(param) or effect_of(scene, param)
        points = scene.points_where_active(scene.space.index(param))
        rows = inside(scene.space, within.limits, scene.space.mask(points))
        return effect_of(scene, param, points[rows], where=within.words)

    @one_blas_thread()
    def effect2d(
        self,
        first: str,
        second: str,
        *,
        grid_size: int | None = None,
        within: Region | None = None,
    ) -> EffectSurface:
        """Return the joint effect of two parameters, in a region if one is given.

        Parameters
        ----------
        first, second : str
            Two parameters of the space.
        grid_size : int, optional
            How many values each has; those of the curves by default.
        within : Region, optional
            A region of any tree: averages are over its points, and pairs outside it have no value.
            Both uncertainties are computed for it.
        """
        if grid_size is not None:
            check.whole_number("grid_size", grid_size, low=2)
        scene = self._scene()
        if within is None:
            return compute_surface(scene, first, second, grid_size)
        return compute_surface(
            scene, first, second, grid_size, limits=within.limits, where=within.words
        )

    @one_blas_thread()
    def region_tree(
        self,
        param: str,
        *,
        depth: int | None = None,
        n_regions: int | None = None,
        min_gain: float | None = None,
        min_points: int | None = None,
        impurity: str = "l2",
        on: str = "sd",
    ) -> RegionTree:
        """Grow the regions of a parameter again, with your own options.

        Parameters
        ----------
        param : str
            The parameter.
        depth, n_regions, min_gain, min_points
            When to stop; see `Growth`. Four regions if nothing is said.
        impurity : {'l2', 'area', 'variance', 'mean'}
            What must be similar within a region; see `RegionRule`.
        on : {'sd', 'variance'}
            What the curves are of.
        """
        scene = self._scene()
        growth = Growth(depth, n_regions, min_gain, min_points)
        rule = RegionRule(growth, impurity, on)
        return regions_of(scene, self.effect(param), rule)

    @one_blas_thread()
    def quality(
        self, param: str, truth: Callable[[dict[str, object]], float] | None = None
    ) -> QualityGain:
        """Return how confident an effect is: overall, and in the region of the best configuration.

        Parameters
        ----------
        param : str
            The parameter.
        truth : callable, optional
            The true objective of a configuration, where it is known (in a simulation): then the
            likelihood of the true effect is returned too.
        """
        tree = self.regions.get(param) or self.region_tree(param)
        if truth is None:
            gain = tree.quality()
            if gain is None:
                raise EvidenceError(
                    f"the best configuration has no {param!r}",
                    needs="a hyperparameter that is active in it",
                )
            return gain
        return judge_against(self._scene(), tree, self.effect(param), truth)

    @one_blas_thread()
    def suggest(
        self, n: int = 3, *, param: str | None = None, region: Region | None = None
    ) -> tuple[Suggestion, ...]:
        """Return configurations to evaluate next, so that a curve becomes sharper.

        Parameters
        ----------
        n : int
            How many.
        param : str, optional
            Whose curve; all alike if None.
        region : Region, optional
            A region of that curve.
        """
        scene = self._scene()
        check.whole_number("n", n, low=1)
        if param is None:
            if region is not None:
                raise EvidenceError(
                    "a region needs its `param`",
                    cure="Pass the hyperparameter whose curve it belongs to.",
                )
            return suggest_configs(scene, n, None)
        curve = self.effect(param)
        return suggest_configs(scene, n, curve, _list_rows(scene, curve, region))

    def plot(self, figure: Figure | None = None, *, most: int = 8) -> Axes:
        """Draw the effects side by side on one scale and return the first matplotlib Axes."""
        from earnest.plotting.figures.effects import plot_effects

        return plot_effects(self, figure, most=most)

    def rows(self) -> list[dict[str, object]]:
        """Return the importance of each parameter as flat dicts, the most important first."""
        total = self.importance.total
        return [
            {
                "param": name,
                "share": share.value,
                "low": share.low,
                "high": share.high,
                "total": total[name].value,
                "total_low": total[name].low,
                "total_high": total[name].high,
                "best": show_short(self.best_config[name]) if name in self.best_config else None,
                "n_trials": self.effects[name].n_trials if name in self.effects else None,
            }
            for name, share in self.importance.main.items()
        ]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.paper import PaperTable

        level = f"{100 * self.confidence_level:.10g}\u00a0%"
        heads = ("parameter", "share", f"{level} interval", "with the others", "best")
        body = [
            (
                str(row["param"]),
                f"{row['share']:.2f}",
                f"[{row['low']:.2f}, {row['high']:.2f}]",
                f"{row['total']:.2f}",
                str(row["best"] or "–"),
            )
            for row in self.rows()
        ]
        codes = sorted({caution.code for caution in self.cautions})
        note = (
            f"Shares of the variation of {self.objective.name} over the space, from a "
            f"{self.surrogate} fitted to {self.counts}"
        )
        if self.trust is Trust.NOT_SHOWN:
            note += f"; {NOT_SHOWN}"
        remarks = f"; cautions: {', '.join(codes)}" if codes else ""
        return PaperTable(heads, tuple(body), f"{note}{remarks}.")

    def save(self, path: str | Path, *, draws: bool = True) -> Path:
        """Write it as JSON, or as a page if the name ends in .html, and return where to.

        The page is the part of a report on what the search learned. An explanation that was read
        from JSON has one too, but makes no suggestions.
        """
        if not is_page(path):
            return super().save(path, draws=draws)
        from earnest.reporting.report import Report, content_of_explanation

        return Report(content_of_explanation(self)).save(path)

    def _check_parts(self) -> None:
        super()._check_parts()
        if set(self.importance.main) != set(self.importance.total):
            raise ValueError("the names of the parameters differ from part to part")

    def __eq__(self, other: object) -> bool:
        """Compare what is written; the scene of further questions is not."""
        return isinstance(other, Explanation) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # it holds mappings and arrays

    def _scene(self) -> Scene:
        if self.scene is None:
            raise EvidenceError(
                "this explanation was read from a file, without its surrogate",
                needs=f"the explanation that {arg('explain')} returned",
                cure=f"Run {arg('explain')} again with the same seed.",
            )
        return self.scene

    def __repr__(self) -> str:
        """Return one line."""
        return clean_line(
            f"{self.objective.name} explained by {self.surrogate} from {self.n_trials} trials "
            f"(R² {self.surrogate_quality.r2:.2f}): {self.finding}"
        )


def _list_rows(scene: Scene, curve: EffectCurve, region: Region | None) -> NDArray[np.intp] | None:
    if region is None or curve.ice is None:
        return None
    return np.flatnonzero(inside(scene.space, region.limits, scene.space.mask(curve.ice.points)))


Floats = NDArray[np.float64]
Truth = Callable[[dict[str, object]], float]


def judge_against(scene: Scene, tree: RegionTree, curve: EffectCurve, truth: Truth) -> QualityGain:
    """Return confidence and likelihood, overall and in the region of the best configuration.

    The true effect is averaged over the same Monte Carlo points as the surrogate's.
    """
    gain, best, ice = tree.quality(), tree.best, curve.ice
    if gain is None or best is None or ice is None:
        raise EvidenceError(
            f"the best configuration has no {tree.param!r}",
            needs="a hyperparameter that is active in it",
        )
    true = true_curves(scene, curve, truth)
    rows = inside(scene.space, best.limits, scene.space.mask(ice.points))
    return QualityGain(
        _add_likelihood(gain.overall, curve, average_columns(true)),
        _add_likelihood(gain.region, best.curve, average_columns(true[rows])),
    )


def true_curves(scene: Scene, curve: EffectCurve, truth: Truth) -> Floats:
    """Return the true ICE curves at the points of an effect: (m, G), NaN where none exist."""
    assert curve.ice is not None
    column = scene.space.index(curve.param)
    out = np.full(curve.ice.mean.shape, np.nan)
    for g, code in enumerate(curve.codes):
        moved = curve.ice.points.copy()
        moved[:, column] = code
        exists = np.flatnonzero(~np.isnan(curve.ice.mean[:, g]))
        configs = scene.space.decode(scene.space.mask(moved[exists]))
        out[exists, g] = [_check_number(truth(config), config) for config in configs]
    return out


def _check_number(value: object, config: dict[str, object]) -> float:
    number = check.read_number(value)
    if math.isnan(number) and not isinstance(value, Real):
        raise InputError(
            "`truth` does not return numbers",
            needs="a function from a configuration to its objective",
            got=f"{value!r} for {config!r}",
        )
    return number


def _add_likelihood(quality: CurveQuality, curve: EffectCurve, truth: Floats) -> CurveQuality:
    return CurveQuality(
        quality.mean_confidence,
        quality.optimum_confidence,
        negative_log_likelihood(truth, curve.mean, curve.sd),
    )


MOST_NAMED = 2  # parameters that a sentence names as the most important
LITTLE = 0.05  # share of the variance under which a parameter hardly matters


def word_importance(
    importance: Importance,
    bias: SamplingBias,
    where: Mapping[str, str] | None = None,
    untested: Sequence[Untested] = (),
) -> str:
    """Return the sentence of an explanation.

    A parameter is said to matter most only where the interval of its share, together with others,
    lies above those of all that are not named, and where the surrogate predicts trials that it has
    not seen; one that is active in a part of the space is named with that part.

    Parameters
    ----------
    importance : Importance
        The shares.
    bias : SamplingBias
        Where the search looked.
    where : mapping of str to str, optional
        Where a parameter is active, in words, of those that are not active everywhere.
    untested : sequence of Untested
        What only pruned trials without a value have.

    Examples
    --------
    >>> from earnest.explanation.result import word_importance
    >>> from earnest.explanation.importance import Importance, Share
    >>> from earnest.explanation.sampling_bias import Discrepancy, SamplingBias
    >>> shares = {"C": Share(0.6, 0.5, 0.7), "gamma": Share(0.2, 0.1, 0.3)}
    >>> even = SamplingBias(Discrepancy(0.0, 0.0), {})
    >>> word_importance(Importance(shares, shares, {}, 0.95), even)
    'C matters most'
    """
    shown = importance.trust is Trust.SHOWN
    finding = find_most_important(importance, where) if shown else NOT_SHOWN
    if untested:
        return f"{finding}; {untested[0]}"
    leading = importance.ranking[0]
    gaps = bias.gaps.get(leading, ())
    widest = max(gaps, key=lambda gap: gap.expected, default=None)
    if widest is None or not shown:
        return finding
    return f"{finding}; {leading} {show_level(widest.words)} was hardly tried"


def find_most_important(importance: Importance, where: Mapping[str, str] | None = None) -> str:
    """Return which parameters matter most, or that none clearly does."""
    names, parts = importance.ranking, where or {}
    leading = list_foremost(importance)
    if len(names) == 1:
        return f"{names[0]} is the only one that varied"
    if not leading:
        little = all(importance.total[name].high < LITTLE for name in names)
        verb = "affects the objective" if little else "clearly matters most"
        return f"no hyperparameter {verb}"
    verb = "matters" if len(leading) == 1 else "matter"
    named = (f"{n} (where {parts[n]})" if parts.get(n) else n for n in leading)
    return f"{' and '.join(named)} {verb} most"


def list_foremost(importance: Importance) -> tuple[str, ...]:
    """Return the parameters that the finding names first, none where none matters most."""
    names = importance.ranking
    if len(names) == 1:
        return names
    little = all(importance.total[name].high < LITTLE for name in names)
    return () if little else find_leading(importance)


def find_leading(importance: Importance) -> tuple[str, ...]:
    """Return the one or two parameters whose intervals lie above all others, or none."""
    names = importance.ranking
    counts = range(1, min(MOST_NAMED, len(names) - 1) + 1)
    return next(
        (names[:k] for k in counts if _differ_clearly(importance, names[:k], names[k:])), ()
    )


def _differ_clearly(
    importance: Importance, first: tuple[str, ...], others: tuple[str, ...]
) -> bool:
    lowest = min(importance.total[name].low for name in first)
    return lowest > max(importance.total[name].high for name in others)


def show_share(share: Share) -> str:
    """Return a share with its interval.

    Examples
    --------
    >>> from earnest.explanation.result import show_share
    >>> from collections.abc import Mapping

    from earnest.explanation.importance import Share
    >>> show_share(Share(0.412, 0.33, 0.5))
    '41 % (33 to 50)'
    """
    return f"{100 * share.value:.0f} % ({100 * share.low:.0f} to {100 * share.high:.0f})"
