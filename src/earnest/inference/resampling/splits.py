"""Parts of the cases: which learn, and which evaluate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import Selector

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
        For an AUC: 'auto', as published, turns the scores of a configuration around where its
        negatives have the greater median, in every fold and in the evaluation part.
    """

    evaluate: float = 0.25
    split: Literal["stratified", "unstratified"] = "stratified"
    learn: Sequence[bool] | NDArray[np.bool_] | None = None
    selector: str | Selector | None = None
    direction: Literal["fixed", "auto"] = "fixed"

    def __post_init__(self) -> None:
        """Check the knobs, and keep the given split as a tuple."""
        check.share("evaluate", self.evaluate)
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
            cure="Use method='bbc'.",
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


def _mask(given: Any) -> tuple[bool, ...]:
    mask = np.asarray(given)
    if mask.ndim != 1 or (mask.dtype != bool and not np.isin(mask, (0, 1)).all()):
        raise InputError("`learn` is not a list of booleans", got=check.show(given))
    return tuple(bool(m) for m in mask)
