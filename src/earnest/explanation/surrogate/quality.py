"""How well a surrogate predicts trials that it has not seen, by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.cautions import of_trials
from earnest.core.results.base import Plain
from earnest.core.results.cautions import Caution
from earnest.core.space.trials import Trials
from earnest.explanation.surrogate.gaussian_process import GaussianProcess
from earnest.explanation.surrogate.surrogate import Surrogate

Floats = NDArray[np.float64]
LEVEL, NORMAL = 0.95, 1.959963984540054
# R² above which fewer than one in ten names of what matters most are wrong, and one in twenty, by
# the simulation in benchmarks/explanation. Below the first nothing is shown, below the second a
# caution says that the surrogate explains only part.
POOR, FAIR = 0.6, 0.7
# Predictions of trials over which R² is averaged: with 24 trials one split gives .43 or .66.
PREDICTIONS, MOST_REPEATS = 400, 10
SEED = 0  # of the splits, whatever the seed of the explanation
NARROW = 0.85  # share of trials in bands of 95 %, below which they are too narrow


NOT_SHOWN = "these trials do not show what matters"


class Trust(StrEnum):
    """Whether the trials show what matters, by how well the surrogate predicts unseen ones."""

    SHOWN = "shown"
    NOT_SHOWN = "not_shown"


def judge_trust(r2: float) -> Trust:
    """Return whether the trials show what matters, by the cross-validated R² of the surrogate."""
    return Trust.SHOWN if r2 >= POOR else Trust.NOT_SHOWN


@dataclass(frozen=True)
class SurrogateQuality(Plain):
    """How a surrogate did on trials that it had not seen.

    Parameters
    ----------
    r2 : float
        The share of the objective's variance that it predicts; 0 is no better than the mean.
    nll : float
        The mean negative log density of the trials under its normal predictions, noise included,
        in the units of the objective.
    coverage : float
        The share of trials within its bands of 95 %, noise included.
    n_folds, n_trials, n_repeats : int
        The folds, the trials that were predicted, and how often they were dealt to folds: the
        numbers are means over these.
    """

    r2: float
    nll: float
    coverage: float
    n_folds: int
    n_trials: int
    n_repeats: int = 1

    def __str__(self) -> str:
        """Return one sentence."""
        return (
            f"In {self.n_folds}-fold cross-validation{self._say_repeats()} the surrogate explains "
            f"{_say_share(self.r2)} of the variance (R² {self.r2:.2f}), and its 95 % bands hold "
            f"{100 * self.coverage:.0f} % of the trials."
        )

    def _say_repeats(self) -> str:
        return "" if self.n_repeats == 1 else f", repeated {self.n_repeats} times,"

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Cautions about a surrogate that predicts poorly, or is too certain."""
        cautions = []
        if self.r2 < FAIR:
            cautions.append(of_trials.surrogate_poor(self.r2, poor=self.r2 < POOR))
        if self.coverage < NARROW:
            cautions.append(of_trials.surrogate_too_certain(self.coverage))
        return tuple(cautions)


def cross_validated(
    surrogate: Surrogate,
    trials: Trials,
    seeds: Seeds | None = None,
    *,
    n_folds: int = 5,
    n_repeats: int | None = None,
) -> SurrogateQuality:
    """Return how a surrogate does on trials that it has not seen.

    What is estimated: R², negative log density and coverage for a trial of the same search. The
    trials of an optimiser are not a random sample of the space, so it tells how well the surrogate
    knows where the optimiser looked. Pruned trials are judged by the objective they stand for, and
    their added sd counts in density and coverage. Trials of one configuration stay in one fold. Few
    trials are dealt to folds several times, since one split of few says little, and by a seed of
    its own: what can be trusted depends on the trials alone. To save time a Gaussian process looks
    for its scales from one start here, not from several.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.explanation.surrogate.gaussian_process import GaussianProcess
    >>> configs = [{"a": i / 30} for i in range(30)]
    >>> y = [config["a"] ** 2 for config in configs]
    >>> trials = en.Trials.from_configs(configs, y, direction="minimize")
    >>> cross_validated(GaussianProcess(), trials).r2 > 0.99
    True
    """
    folds = min(check.whole_number("n_folds", n_folds, low=2), len(trials))
    repeats = count_repeats(len(trials)) if n_repeats is None else n_repeats
    error = np.zeros(len(trials))  # sd of single trials that the surrogate was told of
    added = trials.added_sd
    if isinstance(surrogate, GaussianProcess):
        surrogate = replace(surrogate, restarts=0)
        if surrogate.noise == "standard_error" and trials.standard_error is not None:
            error = trials.standard_error
    if added is not None:
        error = np.hypot(error, added)
    seeds, judged = seeds or Seeds.of(SEED), []
    for repeat in range(repeats):
        rng = seeds.generator(Purpose.EXPLANATION, _FOLDS, repeat)
        fold = _deal_folds(trials.codes, folds, rng)
        mean, sd = np.empty(len(trials)), np.empty(len(trials))
        for k in np.unique(fold):
            out = fold == k
            errors = trials.standard_error
            fitted = surrogate.fit(
                trials.space,
                trials.codes[~out],
                trials.objective[~out],
                None if errors is None else errors[~out],
                added_sd=None if added is None else added[~out],
                rng=seeds.generator(Purpose.EXPLANATION, _FITS, repeat * folds + int(k)),
            )
            mean[out], latent = fitted.posterior(trials.codes[out])
            sd[out] = np.sqrt(latent**2 + fitted.noise_sd**2 + error[out] ** 2)
        judged.append(_judge(trials.objective, mean, sd))
    r2, nll, coverage = np.mean(judged, axis=0).tolist()
    return SurrogateQuality(r2, nll, coverage, folds, len(trials), repeats)


def count_repeats(n_trials: int) -> int:
    """Return how often trials are dealt to folds: more often, the fewer they are.

    Examples
    --------
    >>> from earnest.explanation.surrogate.quality import count_repeats
    >>> [count_repeats(n) for n in (24, 100, 400, 2000)]
    [10, 4, 1, 1]
    """
    return min(MOST_REPEATS, max(1, PREDICTIONS // n_trials))


_FOLDS, _FITS = 101, 102  # streams of the purpose, apart from those of effects


def _deal_folds(codes: Floats, folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Deal configurations to folds of about equal size, equal ones to the same."""
    comparable = np.nan_to_num(codes, nan=-1.0)  # NaN is not equal to itself row by row
    _, member = np.unique(comparable, axis=0, return_inverse=True)
    count = int(member.max()) + 1
    dealt = np.empty(count, dtype=np.intp)
    dealt[rng.permutation(count)] = np.arange(count) % folds
    return dealt[member.ravel()]


def _judge(objective: Floats, mean: Floats, sd: Floats) -> tuple[float, float, float]:
    """Return R², the mean negative log density, and the coverage of bands of 95 %."""
    spread = float(np.var(objective))
    safe = np.maximum(sd, 1e-6 * np.sqrt(spread))
    errors = objective - mean
    density = 0.5 * np.log(2 * np.pi * safe**2) + 0.5 * (errors / safe) ** 2
    return (
        float(1.0 - np.mean(errors**2) / spread),
        float(density.mean()),
        float(np.mean(np.abs(errors) <= NORMAL * safe)),
    )


def _say_share(r2: float) -> str:
    return "none" if r2 <= 0 else f"{100 * r2:.0f} %"
