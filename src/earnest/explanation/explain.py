"""The verb `explain`, and what to be careful about in its answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from earnest.adapters.trials.door import trials_from
from earnest.core.arguments.base import check_arguments
from earnest.core.arguments.explain import ExplainArguments
from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.provenance import list_versions
from earnest.core.base.rng import Purpose, RngLike, Seeds
from earnest.core.base.threads import each, one_blas_thread, workers
from earnest.core.cautions import of_search, of_trials
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import by_severity
from earnest.core.space.levels import show_level
from earnest.core.space.trials import Trials
from earnest.core.text.doors import arg
from earnest.explanation.coverage import find_untested
from earnest.explanation.curves import EffectCurve, Objective
from earnest.explanation.effects import Scene, effect_of, find_ranges
from earnest.explanation.importance import measure_importance
from earnest.explanation.joint import find_joint_effect
from earnest.explanation.regions.partition import DEFAULT_REGIONS, Growth, RegionRule, regions_of
from earnest.explanation.regions.regions import RegionTree
from earnest.explanation.result import Explanation
from earnest.explanation.sampling_bias import SamplingBias, sampling_bias
from earnest.explanation.stable import StableOptimum, stable_optimum
from earnest.explanation.surrogate.quality import cross_validated, judge_trust
from earnest.explanation.surrogate.surrogate import Surrogate, find_surrogate

MOST_POINTS, FEWEST_POINTS = 1000, 250  # Monte Carlo points, where nobody says
POINTS_TIMES_TRIALS = 300_000  # beyond which there are fewer
FIT = 100  # the stream of the surrogate, apart from those of effects


def explain(
    source: object,
    params: Sequence[str] | str | None = None,
    *,
    surrogate: str | Surrogate | None = None,
    n_points: int | None = None,
    grid_size: int = 20,
    regions: int = DEFAULT_REGIONS,
    depth: int | None = None,
    min_gain: float | None = None,
    min_points: int | None = None,
    impurity: str = "l2",
    on: str = "sd",
    confidence_level: float = 0.95,
    rng: RngLike = None,
    n_jobs: int | None = None,
    objective_values: ArrayLike | None = None,
    study: str | None = None,
    objective: str | int | None = None,
    direction: str | None = None,
    space: object = None,
    standard_error: str | None = None,
    status: str | None = None,
    limits: tuple[float, float] | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
) -> Explanation:
    """Explain what a tuning run learned about its parameters, and how certain that is.

    What is estimated: the partial dependence of a surrogate of the objective on each parameter,
    averaged over a uniform spread of the space, with the surrogate's own uncertainty; regions of
    the space in which that is smaller; and the share of the objective's variance that each
    parameter explains. What it assumes: that the surrogate fits, which it checks on trials it has
    not seen and tells. When it fails: where the search hardly looked, curves are guesses, and the
    bands are only as honest as the surrogate; the true objective is never evaluated.

    Parameters
    ----------
    source : object or path
        Trials, a `SearchCV`, the folder of a run, an Optuna study or storage, a fitted search of
        scikit-learn, `Predictions` with an `objective`, a SMAC run history, a table or its file;
        see `trials_from`.
    params : sequence of str, optional
        The parameters to explain; all that vary if None. All of them inform the surrogate.
    surrogate : {'gaussian_process', 'forest'} or Surrogate, optional
        The model of the objective; chosen by the number of trials if None.
    n_points : int, optional
        Monte Carlo points that effects average over: 1000, or as few as 250 for many trials, whose
        surrogate takes longer at every point.
    grid_size : int
        Values of a number at which its effect is computed; a category has all its levels.
    regions : int
        Into how many regions at most the space is divided for each parameter; 1 for none.
    depth, min_gain, min_points : optional
        When to stop dividing before that: how often a path is split at most, by which share a
        split must narrow the mean band, and how many Monte Carlo points a region has at least.
    impurity : {'l2', 'area', 'variance', 'mean'}
        What is alike within a region; see `Explanation.region_tree`.
    on : {'sd', 'variance'}
        Of what these curves are.
    confidence_level : float
        That of intervals and of bands as drawn.
    rng : int, Generator, optional
        Seeds the Monte Carlo points and the surrogate.
    n_jobs : int, optional
        Threads; -1 is all. No result depends on it.
    limits : pair of float, optional
        The smallest and the largest objective that is possible, such as (0, 1) of an AUC: no band
        goes beyond. By default those of the metric that the objective is called like.
    objective_values, study, objective, direction, space, standard_error, status
        How to read the source; see `trials_from`. So are `delimiter`, `decimal` and `thousands`.

    Returns
    -------
    Explanation

    References
    ----------
    Moosbauer, Herbinger, Casalicchio, Lindauer and Bischl (2021), *Explaining hyperparameter
    optimization via partial dependence plots*, NeurIPS.

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
    >>> list(explanation.effects)
    ['rate', 'depth']
    """
    check_arguments(
        ExplainArguments,
        n_points=n_points,
        regions=regions,
        depth=depth,
        min_points=min_points,
        impurity=impurity,
        on=on,
        confidence_level=confidence_level,
    )
    rule = RegionRule(Growth(depth, regions, min_gain, min_points), impurity, on)
    check.whole_number("grid_size", grid_size, low=2)
    seeds, threads = Seeds.of(rng), workers(n_jobs)
    trials = trials_from(
        source,
        objective_values,
        study=study,
        objective=objective,
        direction=direction,
        space=space,
        standard_error=standard_error,
        status=status,
        limits=limits,
        delimiter=delimiter,
        decimal=decimal,
        thousands=thousands,
    )
    if n_points is None:
        n_points = choose_points(len(trials))
    columns = _find_columns(trials, params)
    kind = find_surrogate(surrogate, trials.space, len(trials))
    with one_blas_thread():
        scene = _set_scene(trials, kind, seeds, n_points, grid_size)
        return _make_explanation(trials, kind, scene, columns, rule, confidence_level, threads)


def _make_explanation(
    trials: Trials,
    kind: Surrogate,
    scene: Scene,
    columns: list[int],
    rule: RegionRule,
    level: float,
    threads: int,
) -> Explanation:
    """Compute everything from a fitted surrogate, and put it together."""
    _ = scene.points, scene.active, scene.best  # drawn before threads need them
    seeds = scene.seeds
    quality = cross_validated(kind, trials)
    importance = replace(measure_importance(scene, columns, level), trust=judge_trust(quality.r2))
    ranked = [trials.space.index(name) for name in importance.ranking]
    explained = each(lambda c: _explain_parameter(scene, c, rule), ranked, threads)
    curves, trees = [curve for curve, _ in explained], [tree for _, tree in explained]
    bias = sampling_bias(trials.space, scene.codes, trials.space.mask(scene.points))
    stable = stable_optimum(scene, level)
    return Explanation(
        effects={curve.param: curve for curve in curves},
        regions={tree.param: tree for tree in trees},
        importance=importance,
        surrogate=scene.fitted.name,
        surrogate_quality=quality,
        sampling_bias=bias,
        stable_optimum=stable,
        objective=scene.objective,
        best_config=trials.best_config,
        best_value=float(trials.objective[trials.best]),
        counts=trials.counts,
        covered=find_ranges(trials.space, scene.codes[scene.complete]),
        untested=find_untested(trials.space, scene.codes, trials.unused_codes),
        space=trials.space.names,
        confidence_level=level,
        cautions=by_severity(
            [
                *trials.cautions,
                *scene.fitted.cautions,
                *quality.cautions,
                *remark_edge(scene, ranked),
                *remark_hardly_tried(bias, importance.ranking),
                *warn_of_repeated(trials),
                *remark_rarely_active(curves),
                *remark_divided_by_order(trees),
                *empty_regions(trees),
                *alone(_find_varying(trials)),
                *warn_of_untold(stable),
            ]
        ),
        provenance={
            "source": trials.source,
            "seed": seeds.entropy,
            "n_points": scene.n_points,
            "grid_size": scene.grid_size,
            "regions": rule.growth.n_regions,
            **_list_knobs(rule),
            "versions": dict(list_versions()),
        },
        joint_effect=find_joint_effect(scene, trees, importance.ranking, level),
        scene=scene,
    )


def choose_points(n_trials: int) -> int:
    """Return how many Monte Carlo points effects average over where nobody says.

    Examples
    --------
    >>> from earnest.explanation.explain import choose_points
    >>> choose_points(60), choose_points(1000), choose_points(5000)
    (1000, 300, 250)
    """
    return min(MOST_POINTS, max(FEWEST_POINTS, POINTS_TIMES_TRIALS // n_trials))


def _set_scene(
    trials: Trials, kind: Surrogate, seeds: Seeds, n_points: int, grid_size: int
) -> Scene:
    fitted = kind.fit(
        trials.space,
        trials.codes,
        trials.objective,
        trials.standard_error,
        added_sd=trials.added_sd,
        rng=seeds.generator(Purpose.EXPLANATION, FIT),
    )
    return Scene(
        trials.space,
        fitted,
        np.asarray(trials.codes),
        np.asarray(trials.objective),
        Objective(trials.objective_name, trials.direction == "maximize", trials.limits),
        n_points,
        grid_size,
        seeds,
        trials.pruned,
        trials.unused_codes,
    )


def _list_knobs(rule: RegionRule) -> dict[str, object]:
    """Return how regions are split where that is not the usual way."""
    usual = RegionRule()
    knobs = {name: getattr(rule.growth, name) for name in ("depth", "min_gain", "min_points")}
    knobs = {name: value for name, value in knobs.items() if value is not None}
    names = ("impurity", "on")
    other = {name: getattr(rule, name) for name in names}
    return knobs | {name: value for name, value in other.items() if value != getattr(usual, name)}


def _explain_parameter(
    scene: Scene, column: int, rule: RegionRule
) -> tuple[EffectCurve, RegionTree]:
    curve = effect_of(scene, column)
    return curve, regions_of(scene, curve, rule)


def _find_varying(trials: Trials) -> list[int]:
    """Return the parameters with an effect: those that differ between trials."""
    out = []
    for column, parameter in enumerate(trials.space):
        tried = trials.codes[:, column]
        if parameter.varies and len(np.unique(tried[~np.isnan(tried)])) > 1:
            out.append(column)
    return out


def _find_columns(trials: Trials, params: Sequence[str] | str | None) -> list[int]:
    varying = _find_varying(trials)
    if params is None:
        return varying
    names = [params] if isinstance(params, str) else list(params)
    columns = list(dict.fromkeys(trials.space.index(name) for name in names))
    if not columns:
        raise InputError(
            f"{arg('params')} is empty", needs="names of hyperparameters, or None for all"
        )
    fixed = [trials.space[column].name for column in columns if column not in varying]
    if fixed:
        raise InputError(
            f"hyperparameters never varied: {check.some(map(repr, fixed))}",
            needs=check.some(trials.space[column].name for column in varying),
            cure="Their effect cannot be seen; leave them out.",
        )
    return columns


EDGE = 0.01  # of a range: nearer to its end is on the edge
FEW_TRIALS = 10  # with a parameter active, under which its curve is mostly the surrogate's prior
FEW_IN_REGION = 5
FEW_VALUES = 3  # a number tried at so few values is often at an end by right
UNTOLD = 0.5  # share of trials that cannot be told from the best


def remark_edge(scene: Scene, columns: Iterable[int]) -> Iterator[Caution]:
    """Yield a caution if the best configuration lies at an end of a range."""
    best = scene.codes[scene.best]
    edges = []
    for column in columns:
        parameter, code, tried = scene.space[column], best[column], scene.codes[:, column]
        few = len(np.unique(tried[~np.isnan(tried)])) <= FEW_VALUES
        if not parameter.numeric or few or np.isnan(code):
            continue
        if code <= EDGE or code >= 1.0 - EDGE:
            value = show_level(parameter.decode(np.array([code]))[0])
            edges.append((parameter.name, value, bool(code <= EDGE)))
    if edges:
        yield of_trials.best_on_edge(tuple(edges), inferred=scene.space.inferred is not None)


def remark_hardly_tried(bias: SamplingBias, params: Iterable[str]) -> Iterator[Caution]:
    """Yield a caution if parts of parameters were hardly tried."""
    gaps = [(name, gap.words, gap.n_trials) for name in params for gap in bias.gaps.get(name, ())]
    if gaps:
        yield of_trials.hardly_tried(tuple(gaps))


def warn_of_repeated(trials: Trials) -> Iterator[Caution]:
    """Yield a note if configurations were evaluated more than once."""
    count = trials.n_duplicates
    if count:
        yield of_trials.trials_repeated(count, len(trials))


def remark_rarely_active(curves: Iterable[EffectCurve]) -> Iterator[Caution]:
    """Yield a caution if few trials have a parameter active."""
    rare = [(c.param, c.n_trials) for c in curves if c.n_trials < FEW_TRIALS]
    if rare:
        yield of_trials.rarely_active(tuple(rare), FEW_TRIALS)


def remark_divided_by_order(trees: Iterable[RegionTree]) -> Iterator[Caution]:
    """Yield a note if categories had too many levels to try every division of them."""
    divided = [tree.param for tree in trees if not all(region.exact for region in tree.regions)]
    if divided:
        yield of_trials.levels_split_in_order(tuple(divided))


def empty_regions(trees: Iterable[RegionTree]) -> Iterator[Caution]:
    """Yield a caution if few trials lie in a region whose band is narrower than the whole."""
    empty = [
        (tree.param, leaf.words, leaf.n_trials)
        for tree in trees
        for leaf in tree.leaves
        if leaf.n_trials < FEW_IN_REGION and leaf.narrower > 0 and leaf.limits
    ]
    if empty:
        yield of_trials.regions_hardly_tried(tuple(empty), FEW_IN_REGION)


def alone(columns: list[int]) -> Iterator[Caution]:
    """Yield a note if one parameter varies: there is nothing to divide the space by."""
    if len(columns) == 1:
        yield of_trials.one_varies()


def warn_of_untold(stable: StableOptimum) -> Iterator[Caution]:
    """Yield a note if the best cannot be distinguished from most others."""
    if len(stable) > UNTOLD * stable.n_trials:
        yield of_search.best_not_told_apart(len(stable), stable.n_trials)
