"""One of each figure of a report, made of small results; names may be hostile."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import earnest as en
from earnest import Predictions, metric
from earnest.explanation import Objective
from earnest.explanation.importance import Importance, Share
from earnest.explanation.regions.regions import Limit, Region
from earnest.explanation.sampling_bias import Gap
from earnest.inference import ResampledSelection, class_curves, residuals, risk_groups, winner_folds
from earnest.inference.curves.calibration import calibration
from earnest.inference.curves.corrected import ClassCurves, mean_curves
from earnest.plotting import Figure
from earnest.plotting.svg import answer as svg_answer
from earnest.plotting.svg import curves as svg_curves
from earnest.plotting.svg import draws as svg_draws
from earnest.plotting.svg import effects as svg_effects
from earnest.plotting.svg import gain as svg_gain
from earnest.plotting.svg import outcomes as svg_outcomes
from earnest.plotting.svg import strips as svg_strips
from earnest.plotting.svg import thresholds as svg_thresholds
from earnest.results import EffectCurve, Estimate, Gain, RegionTree, Thresholds
from earnest.testing import example_predictions

HOSTILE = (
    '<script>alert("x")</script> & $C_1$ ]]> \'"',
    "غاما ألفا",
    "名" * 400,
    "line\nbreak\ttab\x00\x1b[31m\u202eright",
    "",
)


def named(pi: Predictions, words: str) -> Predictions:
    ids = tuple(f"{words} {i}" for i in range(pi.n_configs))
    return replace(pi, configs=replace(pi.configs, ids=ids))


def an_estimate(words: str = "config", method: str = "bbc", name: str = "roc_auc") -> Estimate:
    task = "regression" if name == "rmse" else "binary"
    knobs = {"n_resamples": 200} if method in ("bbc", "naive_bootstrap") else {}
    pi = named(example_predictions(task, n_cases=90, n_configs=9), words)
    return en.estimate(pi, method=method, metric=name, rng=0, **knobs)


def a_curve(
    words: str = "C", scale: str = "log", grid: tuple[object, ...] | None = None
) -> EffectCurve:
    if grid is None:
        levels = (words, *"bcdefgh"[:3])
        numbers = tuple(float(v) for v in np.geomspace(0.001, 10.0, 20))
        grid = levels if scale == "levels" else numbers
    size = len(grid)
    return EffectCurve(
        param=words,
        grid=grid,
        mean=0.9 - 0.004 * np.arange(size) ** 1.1,
        sd=np.linspace(0.004, 0.02, size),
        sd_of_mean=None,
        scale=scale,
        objective=Objective(words, True),
        where="",
        n_points=np.full(size, 30),
        trials=tuple(grid[i % size] for i in range(60)),
        best=grid[min(3, size - 1)],
        codes=np.arange(size, dtype=float),
    )


def a_tree(words: str = "C") -> RegionTree:
    whole = a_curve(words)

    def node(number: int, limits: tuple[Limit, ...], children: tuple[int, ...]) -> Region:
        return Region(
            number=number,
            parent=0 if number else None,
            children=children,
            limits=limits,
            share=0.4,
            n_trials=12,
            of_trials=60,
            curve=replace(whole, mean=whole.mean - 0.01 * number, sd=whole.sd / 2),
            narrower=0.5,
            holds_best=number < 2,
            impurity=1.0,
        )

    below, above = (Limit(words, op, 0.5) for op in ("<=", ">"))
    return RegionTree(
        param=words,
        regions=(node(0, (), (1, 2)), node(1, (below,), ()), node(2, (above,), ())),
        impurity="l2",
        on="sd",
    )


def gallery(words: str = "config", prefix: str = "f") -> dict[str, Figure]:
    """Return one figure of each kind; `words` stand for every name a user gives."""
    pi = named(example_predictions("binary", n_cases=90, n_configs=9), words)
    made = en.estimate(pi, metric="roc_auc", n_resamples=200, rng=0)
    both = mean_curves(pi, metric("roc_auc"), made.winner or 0, ResampledSelection.of(made))
    loss = an_estimate(words, name="rmse")
    naive = an_estimate(words, "naive_bootstrap")
    bare = an_estimate(words, "tibshirani")
    promised = replace(calibration(pi, 0).shown, label=words)
    shares = dict(zip(pi.configs.ids, made.details.win_share, strict=True))
    scale = svg_strips.find_shared_scale([made, naive, bare])
    rows = [
        svg_strips.Difference(name=words, value=0.01, one=(-0.01, 0.03), all=(-0.02, 0.04)),
        svg_strips.Difference(name=words, value=0.2, one=(0.1, 0.3), all=(0.05, 0.35), worse=True),
        svg_strips.Difference(name=words, value=0.0, cheapest=True),
    ]
    apart = svg_strips.difference_scale(rows)
    scores = svg_strips.scale_over([0.9, 1.0], width=160, limits=(0.0, 1.0))
    gap = Gap(14.0, 19.0, "above 1", 1, 9.0)
    curve, levels, tree = a_curve(words), a_curve(words, "levels"), a_tree(words)
    limits = svg_effects.find_shared_limits([curve, levels])
    parts = {name: Share(0.4 - 0.1 * i, 0.2, 0.5) for i, name in enumerate((words, "b", "c"))}
    folded = winner_folds(pi, metric("roc_auc"), 0)
    figures = {
        "answer": lambda n: svg_answer.answer(made, name=n),
        "answer-phone": lambda n: svg_answer.answer(made, name=n, width=350),
        "answer-lower": lambda n: svg_answer.answer(made.at(side="lower"), name=n, width=560),
        "answer-upper": lambda n: svg_answer.answer(made.at(side="upper"), name=n, width=560),
        "answer-loss": lambda n: svg_answer.answer(loss, name=n, width=560),
        "answer-naive": lambda n: svg_answer.answer(naive, name=n),
        "answer-bare": lambda n: svg_answer.answer(bare, name=n),
        "bootstrap": lambda n: svg_draws.bootstrap(made, name=n),
        "bootstrap-loss": lambda n: svg_draws.bootstrap(loss.at(side="upper"), name=n, width=350),
        "won": lambda n: svg_draws.won_in_bag(shares, winner=made.winner, name=n),
        "axis": lambda n: svg_strips.strip_axis(scale, name=n),
        "forest": lambda n: svg_strips.forest_strip(
            made, scale, name=n, reported=True, reference=0.9
        ),
        "forest-open": lambda n: svg_strips.forest_strip(made.at(side="lower"), scale, name=n),
        "forest-naive": lambda n: svg_strips.forest_strip(
            naive, scale, name=n, trust=svg_strips.Correction.NAIVE
        ),
        "forest-none": lambda n: svg_strips.forest_strip(None, scale, name=n),
        "difference-axis": lambda n: svg_strips.strip_axis(apart, name=n, words="winner better →"),
        "difference": lambda n: svg_strips.comparison_strip(rows[0], apart, name=n),
        "difference-worse": lambda n: svg_strips.comparison_strip(rows[1], apart, name=n),
        "difference-bare": lambda n: svg_strips.comparison_strip(rows[2], apart, name=n),
        "score": lambda n: svg_strips.score_strip(0.95, scores, name=n, interval=(0.9, 0.97)),
        "score-off": lambda n: svg_strips.score_strip(0.4, scores, name=n),
        "fold-dots": lambda n: svg_strips.fold_dots(
            [0.9, None, 0.95, float("nan")], (0.9, 1), name=n
        ),
        "roc": lambda n: svg_curves.roc(both.roc, name=n),
        "precision-recall": lambda n: svg_curves.precision_recall(both.precision_recall, name=n),
        "classes": lambda n: svg_curves.class_areas(_by_class(words), name=n),
        "classes-phone": lambda n: svg_curves.class_areas(_by_class(words), name=n, width=350),
        "gain": lambda n: svg_gain.gain(_gain("tried"), name=n, title=words),
        "gain-phone": lambda n: svg_gain.gain(_gain("mean"), name=n, width=350, title=words),
        "thresholds": lambda n: svg_thresholds.thresholds(_thresholds(), name=n),
        "benefit": lambda n: svg_thresholds.thresholds(
            _thresholds(), name=n, width=350, measures=("net_benefit",)
        ),
        "calibration": lambda n: svg_curves.calibration(promised, name=n),
        "folds": lambda n: svg_outcomes.folds(folded, name=n, estimate=made),
        "residuals": lambda n: svg_outcomes.residuals(_left(), name=n, outcome=words),
        "survival": lambda n: svg_outcomes.kaplan_meier(_groups(), name=n, time=words),
        "effect": lambda n: svg_effects.effect(curve, name=n, limits=limits, gaps=[gap]),
        "effect-levels": lambda n: svg_effects.effect(levels, name=n, limits=limits),
        "region": lambda n: svg_effects.region_node(
            tree.regions[1], tree.root.curve, name=n, limits=svg_effects.tree_limits(tree)
        ),
        "importance": lambda n: svg_effects.importance(
            Importance(parts, parts, {}, 0.95), name=n, trials={words: 3}
        ),
    }
    return {key: make(f"{prefix}-{key}") for key, make in figures.items()}


@cache
def _by_class(words: str) -> ClassCurves:
    """Curves of a few classes, one of them called as the words say."""
    pi = example_predictions("multiclass", n_cases=120)
    made = en.estimate(pi, metric="accuracy", n_resamples=50, rng=0)
    found = class_curves(pi, metric("accuracy"), made.winner or 0, ResampledSelection.of(made))
    return replace(found, names=(words, *found.names[1:]))


@cache
def _gain(order: str) -> Gain:
    pi = example_predictions("binary", n_cases=60, n_configs=40)
    return en.gain(pi, metric="roc_auc", order=order, n_resamples=50, rng=0)


@cache
def _thresholds() -> Thresholds:
    pi = example_predictions("binary", n_cases=60, n_configs=5)
    return en.thresholds(pi, metric="roc_auc", n_resamples=50, rng=0)


def _left() -> object:
    return residuals(example_predictions("regression", n_cases=900), 0)


def _groups() -> object:
    return risk_groups(example_predictions("survival", n_cases=90), 0)
