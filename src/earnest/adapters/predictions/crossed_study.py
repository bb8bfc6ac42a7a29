"""A study of Optuna whose two samplers are each told the scores of one half of the cases.

Even trials are told of half 0 and odd ones of half 1: each sampler and the pruner see the trials of
its own half alone, and the objective returns the score on that half. The other half judges. The
study keeps the seed of the halves, so that workers and later runs use the same.
"""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.adapters.predictions.optuna import PredictionsPart, keep_part
from earnest.core.base import check
from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import InputError
from earnest.core.base.rng import Purpose, RngLike, Seeds
from earnest.core.data.folds import places
from earnest.core.data.guides import FIXED, Guides, split_halves
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

STUDY_MARK = "earnest:crossed"  # of a study: the seed of its halves, and their digest
TRIAL_MARK = "earnest:guided_by"  # of a trial that one of the two samplers proposed
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
        The seed of the halves and of the samplers. The study keeps it: workers and later runs may
        leave it out, and another one is refused.

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
        self._store, self._seeds, self._seeded = store, Seeds.of(rng), rng is not None
        self._pi = self._table(np.asarray(y)[:, None], None)
        self.metric = measure(metric).on(self._pi.target.task)
        self.halves = split_halves(self._pi.target, self._pi.folds, self._seeds)
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

        def make_pair(number: int) -> list[BaseSampler]:
            seeds = (
                int(self._seeds.generator(Purpose.GUIDES, 1 + half, number).integers(0, 2**31 - 1))
                for half in (0, 1)
            )
            return [make(seed=seed) if isinstance(make, type) else make(seed) for seed in seeds]

        name = type(make_pair(0)[0]).__name__
        if name in SHARED_STATE:
            raise InputError(
                f"two samplers of type {name} cannot share a study",
                needs="a sampler that keeps no population in the study",
                got=name,
                cure="Use SearchCV with optuna_candidates(space, sampler) and guide='crossed'.",
            )
        return _join_samplers(self, make_pair, f"Crossed{name}")

    def join(self, study: Study) -> None:
        """Use the halves of a study, or give it these if it has none; refuse other ones.

        Parameters
        ----------
        study : optuna.Study
            Whose sampler is that of `sampler`. Its pruner compares within halves from now on.
        """
        study = _find_whole(study)
        self._refuse_direction(study)
        if not isinstance(study.pruner, _make_pruner_class()):
            study.pruner = _make_pruner_class()(study.pruner)
        mark = study.user_attrs.get(STUDY_MARK)
        if mark is None:
            study.set_user_attr(STUDY_MARK, self._describe())
        elif mark != self._describe():
            with self._lock:
                self._adopt(mark)

    def _describe(self) -> dict[str, object]:
        digest = hashlib.sha256(self.halves.tobytes()).hexdigest()
        return {"seed": self._seeds.entropy, "halves": digest}

    def _adopt(self, mark: dict[str, Any]) -> None:
        """Take over the seed of a study; refuse if other halves were asked for, or are in use."""
        seeds = Seeds(mark["seed"])
        halves = split_halves(self._pi.target, self._pi.folds, seeds)
        same = hashlib.sha256(halves.tobytes()).hexdigest() == mark["halves"]
        if self._seeded or self._parts or not same:
            raise InputError(
                "this study has been crossed by other halves of the cases",
                needs=f"`rng={mark['seed']}`, and the same `y` and `groups` in the same order"
                if same
                else "the `y` and `groups` that the study began with, in the same order",
                got=f"`rng={self._seeds.entropy}`" if same else f"{len(self.halves)} other cases",
                cure="Leave `rng` out, or begin a new study.",
            )
        self._seeds, self.halves = seeds, halves

    def _refuse_direction(self, study: Study) -> None:
        needed = "maximize" if self.metric.greater_is_better else "minimize"
        names = [direction.name.lower() for direction in study.directions]
        if names != [needed]:
            raise InputError(
                f"the study does not optimize {self.metric.name!r}",
                needs=f'direction="{needed}"',
                got=", ".join(names),
                cure=f'Create it with optuna.create_study(direction="{needed}", ...).',
            )

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
        guided_by = self._find_guide(trial)
        tested = keep_part(trial, rows, predictions, self._store, (self.halves, guided_by))
        with self._lock:
            parts = [*self._parts[trial.number], tested]
            self._parts[trial.number] = parts
        return self._score(parts, half)

    def _find_guide(self, trial: Trial) -> int:
        """Return the half that guided a trial; refuse one that the crossed sampler did not make."""
        study = trial.study
        attributes = study._storage.get_trial_system_attrs(trial._trial_id)
        if TRIAL_MARK not in attributes:
            raise InputError(
                f"trial {trial.number} was not proposed by the sampler of this crossed study",
                needs="a study whose sampler sees one half of the cases at a time",
                got=type(study.sampler).__name__,
                cure="Pass sampler=crossed.sampler(TPESampler) to create_study or load_study.",
            )
        self.join(study)
        return int(attributes[TRIAL_MARK])

    def _score(self, parts: Sequence[PredictionsPart], half: int) -> float:
        """Return the pooled score of one half of the cases, as far as they were tested."""
        n = len(self.halves)
        placed = places([answers.rows for answers in parts], n)
        repeats = 1 + max(repeat for repeat, _ in placed)
        text = any(answers.answer.dtype.kind in "US" for answers in parts)
        shape = (n, 1, repeats, *parts[0].answer.shape[1:])
        scores = np.full(shape, None if text else np.nan, dtype=object if text else np.float64)
        fold = np.full((n, repeats), -1, dtype=np.int32)
        for answers, (repeat, number) in zip(parts, placed, strict=True):
            scores[answers.rows, 0, repeat] = answers.answer
            fold[answers.rows, repeat] = number
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


def _join_samplers(
    crossed: CrossedStudy, make_pair: Callable[[int], Sequence[BaseSampler]], name: str
) -> BaseSampler:
    """Return a sampler that asks the first of two for even trials and the second for odd ones.

    The two are made at the first trial, with seeds that depend on its number: another worker and a
    later run begin with another trial, and do not propose the same again.
    """
    from optuna.samplers import BaseSampler

    class CrossedSampler(BaseSampler):
        """Two samplers, each of which sees the trials of its own half."""

        def __init__(self) -> None:
            self._pair: Sequence[BaseSampler] = ()
            self._lock = threading.Lock()

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
            crossed.join(study)
            view = _see(study, trial)
            has_scores = any(
                other.values or other.intermediate_values
                for other in view.get_trials(deepcopy=False)
                if other.number != trial.number
            )
            half = trial.number % 2 if has_scores else FIXED
            study._storage.set_trial_system_attr(trial._trial_id, TRIAL_MARK, half)
            self._of(trial).before_trial(view, trial)

        def after_trial(self, study: Study, trial: FrozenTrial, state: Any, values: Any) -> None:
            self._of(trial).after_trial(_see(study, trial), trial, state, values)

        def reseed_rng(self) -> None:
            for sampler in self._pair:
                sampler.reseed_rng()

        def _of(self, trial: FrozenTrial) -> BaseSampler:
            with self._lock:
                if not self._pair:
                    self._pair = make_pair(trial.number)
            return self._pair[trial.number % 2]

    CrossedSampler.__name__ = name
    return CrossedSampler()


@cache
def _make_pruner_class() -> Any:
    """Return the class of pruners that compare a trial with those of its own half."""
    from optuna.pruners import BasePruner, HyperbandPruner

    class CrossedPruner(BasePruner):
        """A pruner that sees the trials of one half."""

        def __init__(self, inner: BasePruner) -> None:
            self.inner = inner
            if isinstance(inner, HyperbandPruner):
                _halve_brackets(inner)

        def prune(self, study: Study, trial: FrozenTrial) -> bool:
            return self.inner.prune(_see(study, trial), trial)

    return CrossedPruner


def _halve_brackets(hyperband: Any) -> None:
    """Make the brackets of Hyperband, which read the storage, show the trials of one half."""
    create = type(hyperband)._create_bracket_study

    def create_half(view: Any, bracket: int) -> Any:
        whole = create(hyperband, _find_whole(view), bracket)
        return _HalfOfStudy(whole, view._half) if isinstance(view, _HalfOfStudy) else whole

    hyperband._create_bracket_study = create_half


def _see(study: Study, trial: FrozenTrial) -> Any:
    return _HalfOfStudy(_find_whole(study), trial.number % 2)


def _find_whole(study: Study) -> Study:
    """Return the study itself, of which Hyperband shows one bracket."""
    whole: Study = getattr(study, "_study", study)
    return whole
