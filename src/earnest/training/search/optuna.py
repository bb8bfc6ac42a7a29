"""Configurations that Optuna proposes, in batches of a fixed size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, cast

from earnest.core.base import check
from earnest.core.base.errors import EarnestError, InputError
from earnest.core.base.extras import tell_install
from earnest.core.base.rng import Purpose, Seeds

Space = Mapping[str, object] | Callable[[object], dict[str, object] | None]

STATIC = ("RandomSampler", "GridSampler", "BruteForceSampler", "QMCSampler")  # never look at scores
CMA_ES = "CmaEsSampler"
GREEDY = ("NSGAIISampler", "NSGAIIISampler", CMA_ES)  # change or sharpen the best so far
MANY_SWITCHES = 8  # parameters of two values, which can fit noise in hundreds of ways
EXHAUSTIVE = ("GridSampler", "BruteForceSampler")  # end when every point was proposed
MOST_PRUNED = 1000  # proposals in a row that a space may refuse


if TYPE_CHECKING:
    from optuna import Trial
    from optuna.samplers import BaseSampler


class MissingOptunaError(EarnestError, ImportError):
    """Optuna is not installed."""


@dataclass(frozen=True, eq=False)
class OptunaCandidates:
    """Configurations that an Optuna sampler proposes from the scores of earlier ones.

    It holds only options; make one with `optuna_candidates`.
    """

    space: Space
    sampler: object
    n_trials: int
    batch: int

    @property
    def static(self) -> bool:
        """Whether proposals depend on nothing that was seen: a random or complete search."""
        kind = type(_make_sampler(self.sampler, 0))
        return kind.__name__ in STATIC and kind.__module__.split(".")[0] == "optuna"

    @property
    def greedy(self) -> bool:
        """Whether proposals climb so fast that much optimism is left if all cases guide them.

        That is, for an evolution, and for a space with many switches, such as a mask of features.
        A sampler with its own seed cannot be run twice apart, and is not asked to.
        """
        if self.static or not callable(self.sampler):
            return False
        values = self.space.values() if isinstance(self.space, Mapping) else ()
        switches = sum(len(getattr(value, "choices", ())) == 2 for value in values)
        name = type(_make_sampler(self.sampler, 0)).__name__
        return name in GREEDY or switches >= MANY_SWITCHES

    @property
    def reseeds(self) -> bool:
        """Whether two runs with other seeds propose other configurations."""
        return callable(self.sampler)

    def limit(self) -> int:
        """Return how many configurations there can be at most."""
        return self.n_trials

    def start(self, seed: int) -> OptunaAsker:
        """Start a search that depends only on this seed and on the scores that it is told."""
        return OptunaAsker(self, seed)


def optuna_candidates(
    space: Space, sampler: object = None, *, n_trials: int = 100, batch: int = 10
) -> OptunaCandidates:
    """Let Optuna propose the configurations of a search.

    Configurations come in batches of a fixed size, and the sampler learns the mean scores of a
    batch when all of it is done. So the result depends on neither the number of workers nor the
    order in which they finish, and a search that was killed continues as if it had not been.

    **What follows for the estimate.** A sampler that learns from scores has used the same cases to
    propose configurations; bias correction assumes a fixed set, and some optimism is left (EN006).
    Random, quasi-random and complete samplers look at no score, and count as fixed in advance.

    Parameters
    ----------
    space : dict or callable
        Optuna distributions by parameter name, or a function of a trial that suggests values and
        returns the parameters of the estimator (None stands for the values as suggested). It may
        suggest some only if others have a certain value, and raise `optuna.TrialPruned` for a
        combination that makes no sense.
    sampler : Sampler, class or callable, optional
        A class or a function of a seed, such as `optuna.samplers.CmaEsSampler`, which is given a
        seed from the search's `random_state`; or a sampler, which brings its own seed and is copied
        again for each fit. A tree-structured Parzen estimator by default.
    n_trials : int
        How many configurations at most.
    batch : int
        How many are proposed before the sampler learns; 1 learns most and is least parallel.

    Returns
    -------
    OptunaCandidates
        The argument `candidates` of `SearchCV`.

    Raises
    ------
    MissingOptunaError
        Where Optuna is not installed.

    Examples
    --------
    >>> import earnest as en
    >>> def space(trial):
    ...     kernel = trial.suggest_categorical("kernel", ["linear", "rbf"])
    ...     params = {"kernel": kernel, "C": trial.suggest_float("C", 0.01, 100, log=True)}
    ...     if kernel == "rbf":
    ...         params["gamma"] = trial.suggest_float("gamma", 0.001, 1, log=True)
    ...     return params
    >>> en.optuna_candidates(space, n_trials=40).limit()
    40
    """
    optuna = _import_optuna()
    check.whole_number("n_trials", n_trials, low=1)
    check.whole_number("batch", batch, low=1)
    _check_space(space, optuna)
    chosen = _make_parzen if sampler is None else sampler
    if not callable(chosen) and not isinstance(chosen, optuna.samplers.BaseSampler):
        raise InputError(
            "`sampler` is not a sampler",
            needs="an Optuna sampler, its class, or a function that makes one from a seed",
            got=check.show(sampler),
        )
    return OptunaCandidates(space, chosen, n_trials, batch)


class OptunaAsker:
    """One run of a search by Optuna."""

    def __init__(self, knobs: OptunaCandidates, seed: int) -> None:
        self.knobs = knobs
        self._optuna = _import_optuna()
        with self._silence():
            self._study = self._optuna.create_study(
                direction="maximize", sampler=_make_sampler(knobs.sampler, seed)
            )
        name = type(self._study.sampler).__name__
        self._exhaustive = name in EXHAUSTIVE
        self._asked: list[Trial] = []
        self._count, self._ended = 0, False

    def ask(self) -> Sequence[dict[str, object]]:
        """Return the parameters of the next batch, none at the end."""
        self._asked = []
        proposals: list[dict[str, object]] = []
        size = min(self.knobs.batch, self.knobs.n_trials - self._count)
        with self._silence():
            while len(proposals) < size and not self._ended:
                trial, params = self._propose()
                if params is None:
                    break
                self._asked.append(trial)
                proposals.append(params)
        self._count += len(proposals)
        return proposals

    def tell(self, scores: Sequence[float]) -> None:
        """Let the sampler learn the mean scores of the last batch; NaN is a failure."""
        with self._silence():
            for trial, score in zip(self._asked, scores, strict=True):
                self._tell_study(trial, None if math.isnan(score) else float(score))
        self._asked = []

    def _propose(self) -> tuple[Trial, dict[str, object] | None]:
        """Return the next trial and its parameters; None if every point was proposed."""
        for _ in range(MOST_PRUNED):
            before = self._study.trials if self._exhaustive else []
            trial, params = self._suggest()
            if any(trial.params == earlier.params for earlier in before):
                self._tell_study(trial, None)
                self._ended = True
            if self._ended:
                return trial, None
            if params is not None:
                return trial, params
            self._tell_study(trial, None)
        raise InputError(
            "`space` rejects every proposal",
            needs="a space with some allowed combinations",
            got=f"{MOST_PRUNED} trials pruned in a row",
        )

    def _suggest(self) -> tuple[Trial, dict[str, object] | None]:
        """Return a trial and its parameters, None if the space refuses the combination."""
        space = self.knobs.space
        if isinstance(space, Mapping):
            trial = self._study.ask(dict(space))
            return trial, dict(trial.params)
        trial = self._study.ask()
        try:
            params = space(trial)
        except self._optuna.TrialPruned:
            return trial, None
        params = trial.params if params is None else params
        if not isinstance(params, Mapping):
            raise InputError(
                "`space` does not return hyperparameters",
                needs="a dict of hyperparameters of the estimator, or None",
                got=check.show(params),
                cure="It should only propose a configuration: SearchCV does the training."
                if isinstance(params, (int, float))
                else "",
            )
        return trial, dict(params)

    def _tell_study(self, trial: Trial, score: float | None) -> None:
        state = self._optuna.trial.TrialState
        try:
            if score is None:
                self._study.tell(trial, state=state.FAIL)
            else:
                self._study.tell(trial, score)
        except RuntimeError as error:
            if "Study.stop" not in str(error):
                raise
            self._ended = True  # a sampler that went through its whole space

    @contextmanager
    def _silence(self) -> Iterator[None]:
        """Keep Optuna's log of studies and trials to itself."""
        logs = self._optuna.logging
        level = logs.get_verbosity()
        logs.set_verbosity(logs.ERROR)
        try:
            yield
        finally:
            logs.set_verbosity(level)


def _import_optuna() -> ModuleType:
    try:
        import optuna
    except ImportError as error:
        raise MissingOptunaError(
            "Optuna is not installed",
            needs="the extra 'optuna'",
            cure=tell_install("optuna"),
        ) from error
    return optuna


def _make_parzen(seed: int) -> BaseSampler:
    """Return the default sampler, which takes unfinished trials of a batch into account."""
    import warnings

    optuna = _import_optuna()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return optuna.samplers.TPESampler(seed=seed, constant_liar=True)


def _make_sampler(choice: object, seed: int) -> BaseSampler:
    """Return a sampler of its own for one run."""
    run_seed = int(Seeds(seed).generator(Purpose.TRAINING, 0).integers(0, 2**31 - 1))
    if isinstance(choice, type):
        sampler: BaseSampler = choice(seed=run_seed)
    else:
        sampler = choice(run_seed) if callable(choice) else deepcopy(cast("BaseSampler", choice))
    if type(sampler).__name__ == CMA_ES and find_spec("cmaes") is None:
        raise MissingOptunaError(  # Optuna would say so after the first batch is trained
            f"Optuna's {CMA_ES} needs the package cmaes, which is not installed",
            needs="the package cmaes",
            cure="Install it with: pip install cmaes. Or use another sampler.",
        )
    return sampler


def _check_space(space: object, optuna: ModuleType) -> None:
    if callable(space):
        return
    kind = optuna.distributions.BaseDistribution
    parts = space if isinstance(space, Mapping) else {}
    wrong = [name for name, value in parts.items() if not isinstance(value, kind)]
    if wrong or not parts:
        raise InputError(
            "`space` cannot be read",
            needs="Optuna distributions by name, or a function of a trial",
            got=f"{check.some(map(repr, wrong))} of another kind" if wrong else check.show(space),
            cure="A plain grid does not need Optuna: pass it to SearchCV."
            if wrong
            else "Read the trials of a study with predictions_from or explain."
            if isinstance(space, optuna.Study)
            else "",
        )
