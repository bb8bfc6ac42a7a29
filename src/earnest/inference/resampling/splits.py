"""Parts of the cases: which learn and which evaluate, and what a method chooses on them.

The learning part names the best configuration, or preselects the top tenth; the evaluation part
judges. Paraschakis et al. 2024, section 4, and the split of their code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import Selector, first_best, slack
from earnest.core.data.weights import Weights
from earnest.core.text.doors import arg
from earnest.inference.cases.placements import Placements, auc_placements, need_auc, turned
from earnest.inference.resampling.winners import gains_of, judge_winner, score_sample
from earnest.kernels.score import score_table
from earnest.metrics.families import Metric

TRIES = 1000  # of an unstratified split before it is called impossible


@dataclass(frozen=True, kw_only=True)
class SplitKnobs:
    """The knobs of a method that chooses on one part of the cases and evaluates on the other.

    Parameters
    ----------
    evaluate : float
        The share of cases that evaluate, a quarter by default.
    split : {'stratified', 'unstratified'}
        How the parts are drawn; unstratified, as published, they are drawn again until every fold
        of the learning part, and the evaluation part, has every class.
    learn : sequence of bool, optional
        Which cases learn, one boolean per case, instead of a random split.
    selector : str or Selector, optional
        The rule that scores configurations on the learning part; 'mean_of_folds' by default.
    direction : {'fixed', 'auto'}
        For an AUC: 'auto', as published, reverses the scores of a configuration if its negatives
        have the greater median, in every fold and in the evaluation part.
    """

    evaluate: float = 0.25
    split: Literal["stratified", "unstratified"] = "stratified"
    learn: Sequence[bool] | NDArray[np.bool_] | None = None
    selector: str | Selector | None = None
    direction: Literal["fixed", "auto"] = "fixed"

    def __post_init__(self) -> None:
        """Check the knobs, and keep the given split as a tuple."""
        check.check_share("evaluate", self.evaluate)
        check.one_of("split", self.split, ["stratified", "unstratified"])
        check.one_of("direction", self.direction, ["fixed", "auto"])
        if self.learn is not None:
            object.__setattr__(self, "learn", _mask(self.learn))


def learning_part(pi: Predictions, knobs: SplitKnobs, seeds: Seeds) -> NDArray[np.bool_]:
    """Return which cases learn (n,): as given, or drawn at random."""
    if knobs.learn is not None:
        learning = np.array(knobs.learn, dtype=bool)
        if len(learning) != pi.n_cases or learning.all() or not learning.any():
            raise InputError(
                "`learn` does not split the cases in two",
                needs=f"{pi.n_cases} booleans, some of them true",
                got=f"{len(learning)}, {int(learning.sum())} of them true",
            )
        return learning
    rng = seeds.generator(Purpose.EVALUATION)
    draw = split_cases if knobs.split == "stratified" else redraw_split
    return ~draw(pi, knobs.evaluate, rng)


def split_cases(pi: Predictions, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return a random part of the cases (n,), stratified by class, whole groups together."""
    units = np.arange(pi.n_cases) if pi.target.groups is None else pi.target.groups
    layers = pi.target.layer_codes if pi.target.groups is None else np.zeros(pi.n_cases, int)
    taken = np.zeros(pi.n_cases, dtype=bool)
    for layer in np.unique(layers):
        members = np.unique(units[layers == layer])
        size = max(1, round(share * len(members)))
        taken |= np.isin(units, rng.permutation(members)[:size])
    return taken


def redraw_split(pi: Predictions, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return the published evaluation part: drawn until no fold and no part lacks a class."""
    units = np.arange(pi.n_cases) if pi.target.groups is None else pi.target.groups
    members = np.unique(units)
    size = int((1.0 - share) * len(members) + 1e-9)
    for _ in range(TRIES):
        taken = ~np.isin(units, rng.permutation(members)[:size])
        if _every_class_everywhere(pi, taken):
            return taken
    raise EvidenceError(
        "no split with every class in every fold was found",
        needs="cases of every class in each fold of the learning part, and in the other part",
        got=f"{pi.n_cases} cases in {pi.n_folds} folds, {TRIES} splits tried",
        cure="Use split='stratified', or fewer folds.",
    )


def part_of(pi: Predictions, used: NDArray[np.bool_]) -> Predictions:
    """Return some of the cases, and refuse to go on with none."""
    if used.all():
        return pi
    if not used.any():
        raise EvidenceError(
            "no case is left to select or to score",
            needs="cases for both",
            got=f"{pi.n_cases} cases",
            cure=f"Use {arg('method', 'bbc')}.",
        )
    return pi.take(np.flatnonzero(used)).usable()


def _every_class_everywhere(pi: Predictions, taken: NDArray[np.bool_]) -> bool:
    if not pi.target.has_classes:
        return bool(taken.any() and not taken.all())
    classes = len(np.unique(pi.target.y))
    if len(np.unique(pi.target.y[taken])) < classes:
        return False
    for folds in pi.folds.T:
        for fold in np.unique(folds[folds >= 0]):
            if len(np.unique(pi.target.y[(folds == fold) & ~taken])) < classes:
                return False
    return True


def _mask(flags: Any) -> tuple[bool, ...]:
    mask = np.asarray(flags)
    if mask.ndim != 1 or (mask.dtype != bool and not np.isin(mask, (0, 1)).all()):
        raise InputError("`learn` is not a list of booleans", got=check.show(flags))
    return tuple(bool(m) for m in mask)


TENTH = 0.1  # of the configurations, which the published rivals compare on the evaluation part


@dataclass(frozen=True, eq=False)
class Choice:
    """What a split has chosen, and how good it was in the evaluation part.

    Parameters
    ----------
    part : Predictions
        The evaluation cases, every configuration.
    candidates : ndarray of int, shape (m,)
        The configurations among which the evaluation part chose, the chosen one first.
    values : ndarray, shape (m,)
        Their metric in the evaluation part.
    turned : ndarray of bool, shape (m,)
        Whose scores were reversed.
    naive : float or None
        The chosen one's score in the learning part; None where nothing was chosen.
    scores : ndarray, shape (C,), optional
        All scores of the learning part.
    folds : tuple of int
        How many folds the learning part has, and in how many the metric was defined.
    """

    part: Predictions
    candidates: NDArray[np.intp]
    values: NDArray[np.float64]
    turned: NDArray[np.bool_]
    naive: float | None = None
    scores: NDArray[np.float64] | None = None
    folds: tuple[int, int] = (0, 0)

    @property
    def chosen(self) -> int:
        """The configuration that was chosen."""
        return int(self.candidates[0])

    @cached_property
    def placements(self) -> Placements:
        """The placements of the chosen configuration, for the AUC of two classes."""
        return auc_placements(self.part, self.chosen)

    @property
    def value(self) -> float:
        """The metric of the chosen configuration in the evaluation part."""
        return float(self.values[0])


@dataclass(frozen=True)
class SplitDetails:
    """What else a method that splits the cases tells.

    Attributes
    ----------
    n_evaluated : int
        How many cases evaluated.
    candidates : tuple of str
        The configurations among which the evaluation part chose, the chosen one first.
    """

    n_evaluated: int
    candidates: tuple[str, ...]

    @classmethod
    def of(cls, choice: Choice) -> SplitDetails:
        """Name what was chosen from."""
        names = choice.part.configs.ids
        return cls(choice.part.n_cases, tuple(names[int(c)] for c in choice.candidates))


def choose_on_split(
    pi: Predictions,
    metric: Metric,
    knobs: SplitKnobs,
    selector: Selector,
    seeds: Seeds,
    *,
    preselect: float | None,
    n_jobs: int | None = None,
) -> Choice:
    """Return the configuration chosen on one part of the cases, and how it does on the other.

    With `preselect`, that share of the configurations, the best of the learning part, is compared
    in the evaluation part; else the best of the learning part is taken. With one configuration, and
    no split given, all cases evaluate.
    """
    if knobs.direction == "auto":
        cure = f"Leave {arg('direction')} out: other metrics have only one direction."
        need_auc(arg("direction", "auto"), metric, pi.target, cure)
    if pi.n_configs == 1 and knobs.learn is None:
        return _evaluate(pi, metric, knobs, np.array([0]), n_jobs)
    learning = learning_part(pi, knobs, seeds)
    evaluated, learned = part_of(pi, ~learning), part_of(pi, learning)
    scores = score_sample(learned, metric, selector, n_jobs=n_jobs)  # (F, 1, C)
    if knobs.direction == "auto":
        scores = _turn_folds(learned, metric, selector, scores)
    best, _, means = judge_winner(learned, metric, selector, scores)
    candidates = np.array([best])
    if preselect is not None:
        candidates = _top(metric, means, best, preselect)
    choice = _evaluate(evaluated, metric, knobs, candidates, n_jobs)
    defined = int((~np.isnan(scores).all(axis=(1, 2))).sum())
    naive = float(means[choice.chosen])
    return replace(choice, naive=naive, scores=means, folds=(len(scores), defined))


def _turn_folds(
    pi: Predictions, metric: Metric, selector: Selector, scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Reverse fold scores if the negatives of the fold have the greater median."""
    turns = [turned(pi, np.ones(pi.n_cases, dtype=bool))]
    if selector.by_fold:
        turns = [
            turned(pi, pi.folds[:, r] == k, r)
            for r in range(pi.n_repeats)
            for k in np.flatnonzero(pi.cells[r].any(axis=1))
        ]
    return np.where(np.stack(turns)[:, None], sum(metric.limits) - scores, scores)


def _top(metric: Metric, means: NDArray[np.float64], best: int, share: float) -> NDArray[np.intp]:
    """Return the top share of the learning scores, ties kept, the best among them."""
    gains = gains_of(metric, means[None, None])[0, 0]
    edge = np.nanquantile(gains, 1.0 - share)
    high = np.nan_to_num(gains, nan=-np.inf) >= edge - slack(np.asarray(edge))
    high[best] = True
    return np.flatnonzero(high)


def _evaluate(
    pi: Predictions,
    metric: Metric,
    knobs: SplitKnobs,
    candidates: NDArray[np.intp],
    n_jobs: int | None,
) -> Choice:
    """Score the candidates in the evaluation part, and put the best of them first."""
    some = pi.select([int(c) for c in candidates])
    values = score_table(some, metric, Weights.ones(pi.n_cases), n_jobs=n_jobs)[0]
    turns = np.zeros(len(candidates), dtype=bool)
    if knobs.direction == "auto":
        turns = turned(some, np.ones(pi.n_cases, dtype=bool))
        values = np.where(turns, sum(metric.limits) - values, values)
    best = int(first_best(gains_of(metric, values[None, None])[0])[0])
    if best < 0:
        raise EvidenceError(
            f"metric {metric.name!r} is undefined in the evaluation part",
            needs="cases of every class in the evaluation part",
            got=f"{pi.n_cases} cases",
            cure=f"Use more cases, or {arg('method', 'bbc')}.",
        )
    order = np.r_[best, np.delete(np.arange(len(candidates)), best)]
    defined = order[~np.isnan(values[order])]
    return Choice(pi, candidates[defined], values[defined], turns[defined])
