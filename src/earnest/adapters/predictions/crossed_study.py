"""A study of Optuna whose two samplers are each told the scores of one half of the cases.

Even trials are guided by half 0 and odd ones by half 1: each sampler sees the trials of its own
half alone, and the objective returns the score on that half. The other half judges.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.adapters.predictions.optuna import PredictionsPart, keep_part
from earnest.core.base import check
from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import InputError
from earnest.core.base.rng import Purpose, RngLike, Seeds
from earnest.core.data.folds import places
from earnest.core.data.guides import Guides, split_halves
from earnest.core.data.predictions import Predictions
from earnest.core.data.weights import Weights
from earnest.kernels.score import score_table
from earnest.metrics.families import MetricLike
from earnest.metrics.resolve import metric as measure
from earnest.metrics.responding import check_fits, pick_answer

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.samplers import BaseSampler
    from optuna.trial import FrozenTrial

    from earnest.adapters.readers import StoreLike

SHARED_STATE = ("NSGAIISampler", "NSGAIIISampler")  # keep their population in the study itself


class CrossedStudy:
    """What makes a study of Optuna honest: its sampler, and the score that its objective returns.

    Two samplers take turns, each told the scores of one half of the cases; the other half judges
    what it proposed. All trials are trained and tested on all cases, as without it.
    `predictions_from` reads the study, and `bbc` corrects for the proposals as well as for the
    choice.

    Parameters
    ----------
    y : array-like, shape (n,)
        The outcome of the cases, in the order of the row numbers that `keep` is given.
    metric : str, Metric or callable
        What the objective returns, and the study optimizes in the direction that you create it
        with.
    store : path or optuna artifact store
        Where the predictions are kept, as for `keep_predictions`.
    groups : array-like, shape (n,), optional
        Cases that belong together, and stay in one half.
    positive : label, optional
        The positive class.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed of the halves and of the samplers. Workers of one study need the same.

    Examples
    --------
    >>> import tempfile, numpy as np, optuna
    >>> import earnest as en
    >>> optuna.logging.set_verbosity(optuna.logging.ERROR)
    >>> y, noise = np.tile([0, 1], 30), np.random.default_rng(0).standard_normal(60)
    >>> folder = tempfile.TemporaryDirectory()
    >>> crossed = en.CrossedStudy(y, metric="roc_auc", store=folder.name, rng=0)
    >>> def objective(trial):
    ...     score = y * trial.suggest_float("skill", 0, 2) + noise
    ...     for fold in range(5):
    ...         rows = np.flatnonzero(np.arange(60) // 2 % 5 == fold)
    ...         value = crossed.keep(trial, rows, score[rows])
    ...     return value
    >>> sampler = crossed.sampler(optuna.samplers.TPESampler)
    >>> study = optuna.create_study(direction="maximize", sampler=sampler)
    >>> study.optimize(objective, n_trials=8)
    >>> pi = en.predictions_from(study, y, store=folder.name)
    >>> en.estimate(pi, metric="roc_auc", rng=0).guide
    <Guide.CROSSED: 'crossed'>
    >>> folder.cleanup()
    """

    def __init__(
        self,
        y: ArrayLike,
        *,
        metric: MetricLike,
        store: StoreLike,
        groups: ArrayLike | None = None,
        positive: object = None,
        rng: RngLike = None,
    ) -> None:
        self._y, self._groups, self._positive = y, groups, positive
        self._store, self._seeds = store, Seeds.of(rng)
        pi = self._table(np.asarray(y)[:, None], None)
        self.metric = measure(metric).on(pi.target.task)
        self.halves = split_halves(pi.target, pi.folds, self._seeds)
        self._parts: dict[int, list[PredictionsPart]] = defaultdict(list)
        self._lock = threading.Lock()

    def sampler(self, make: Callable[..., BaseSampler]) -> BaseSampler:
        """Return a sampler that runs two of a kind side by side.

        Parameters
        ----------
        make : class or callable
            A class of samplers, such as `optuna.samplers.TPESampler`, or a function that makes one
            from a seed.
        """
        if not callable(make):
            raise InputError(
                "`make` does not make samplers",
                needs="a class of samplers, or a function that makes one from a seed",
                got=check.show(make),
                cure=f"Pass {type(make).__name__}, or lambda seed: {type(make).__name__}(...).",
            )
        seeds = [
            int(self._seeds.generator(Purpose.GUIDES, 1 + half).integers(0, 2**31 - 1))
            for half in (0, 1)
        ]
        pair = [make(seed=seed) if isinstance(make, type) else make(seed) for seed in seeds]
        name = type(pair[0]).__name__
        if name in SHARED_STATE:
            raise InputError(
                f"two samplers of type {name} cannot share a study",
                needs="a sampler that keeps no population in the study",
                got=name,
                cure="Use SearchCV with optuna_candidates(space, sampler) and guide='crossed'.",
            )
        return _join_samplers(pair)

    def keep(self, trial: Trial, rows: ArrayLike, predictions: ArrayLike) -> float:
        """Keep the predictions of a test fold, and return the trial's score on its half so far.

        Return the score of the last call from the objective, and report it to a pruner.

        Parameters
        ----------
        trial : optuna.Trial
            The trial of the objective.
        rows : array-like of int, shape (m,)
            The numbers of the cases that were tested.
        predictions : array-like, shape (m,) or (m, K)
            Of these cases.
        """
        half = trial.number % 2
        part = keep_part(trial, rows, predictions, self._store, (self.halves, half))
        with self._lock:
            parts = [*self._parts[trial.number], part]
            self._parts[trial.number] = parts
        return self._score(parts, half)

    def _score(self, parts: Sequence[PredictionsPart], half: int) -> float:
        """Return the pooled score of one half of the cases, as far as they were tested."""
        n = len(self.halves)
        placed = places([part.rows for part in parts], n)
        repeats = 1 + max(repeat for repeat, _ in placed)
        text = any(part.answer.dtype.kind in "US" for part in parts)
        shape = (n, 1, repeats, *parts[0].answer.shape[1:])
        scores = np.full(shape, None if text else np.nan, dtype=object if text else np.float64)
        fold = np.full((n, repeats), -1, dtype=np.int32)
        for part, (repeat, number) in zip(parts, placed, strict=True):
            scores[part.rows, 0, repeat] = part.answer
            fold[part.rows, repeat] = number
        pi = self._table(scores, fold)
        check_fits(pi, self.metric)
        pi = replace(pi, guides=Guides(self.halves, np.array([half], dtype=np.int8)))
        usable = pick_answer(pi, self.metric).usable()
        assert usable.guides is not None
        counted = (usable.guides.halves == half).astype(np.uint8)[None, :]
        return float(score_table(usable, self.metric, Weights(counted))[0, 0])

    def _table(self, scores: RawArray, fold: NDArray[np.int32] | None) -> Predictions:
        return Predictions.from_arrays(
            self._y, scores, fold, groups=self._groups, positive=self._positive
        )


class _HalfOfStudy:
    """A study as one of two samplers sees it: with the trials of its own half."""

    def __init__(self, study: Study, half: int) -> None:
        self._study, self._half = study, half

    def __getattr__(self, name: str) -> Any:  # whatever a study answers
        return getattr(self._study, name)

    def get_trials(self, *args: Any, **kwargs: Any) -> list[FrozenTrial]:
        """Return the trials of this half."""
        return self._take(self._study.get_trials(*args, **kwargs))

    def _get_trials(self, *args: Any, **kwargs: Any) -> list[FrozenTrial]:
        return self._take(self._study._get_trials(*args, **kwargs))

    @property
    def trials(self) -> list[FrozenTrial]:
        """The trials of this half."""
        return self._take(self._study.trials)

    def _take(self, trials: list[FrozenTrial]) -> list[FrozenTrial]:
        return [trial for trial in trials if trial.number % 2 == self._half]


def _join_samplers(pair: Sequence[BaseSampler]) -> BaseSampler:
    """Return a sampler that asks the first of two for even trials and the second for odd ones."""
    from optuna.samplers import BaseSampler

    class CrossedSampler(BaseSampler):
        """Two samplers, each of which sees the trials of its own half."""

        def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> Any:
            return self._of(trial).infer_relative_search_space(_see(study, trial), trial)

        def sample_relative(self, study: Study, trial: FrozenTrial, search_space: Any) -> Any:
            return self._of(trial).sample_relative(_see(study, trial), trial, search_space)

        def sample_independent(
            self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: Any
        ) -> Any:
            view = _see(study, trial)
            return self._of(trial).sample_independent(view, trial, param_name, param_distribution)

        def before_trial(self, study: Study, trial: FrozenTrial) -> None:
            self._of(trial).before_trial(_see(study, trial), trial)

        def after_trial(self, study: Study, trial: FrozenTrial, state: Any, values: Any) -> None:
            self._of(trial).after_trial(_see(study, trial), trial, state, values)

        def reseed_rng(self) -> None:
            for sampler in pair:
                sampler.reseed_rng()

        def _of(self, trial: FrozenTrial) -> BaseSampler:
            return pair[trial.number % 2]

    CrossedSampler.__name__ = f"Crossed{type(pair[0]).__name__}"
    return CrossedSampler()


def _see(study: Study, trial: FrozenTrial) -> Any:
    return _HalfOfStudy(study, trial.number % 2)
