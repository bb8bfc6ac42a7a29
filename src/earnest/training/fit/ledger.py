"""The ledger of a run: the outcome of every configuration on every split."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.trials.run_file import is_fit
from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EarnestError
from earnest.core.base.protocols import EngineTask, TaskOutcome
from earnest.core.data.guides import FIXED, Guides
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.responses import ResponseKind
from earnest.training.fit.experiment import (
    RESPONSE,
    SINGLE,
    UNPREDICTED,
    Configuration,
    make_cells,
    name_response,
)
from earnest.training.fit.response import ResponsePlan
from earnest.training.fit.splits import Splits

UNSCORED = "scoring failed"  # the note of a failure that left the predictions whole


@dataclass(frozen=True)
class Failure:
    """A fit that failed, or a score that could not be computed.

    Attributes
    ----------
    config : str
        The name of the configuration.
    params : dict
        Its parameters.
    repeat, fold : int
        Where it failed.
    error : str
        The traceback.
    note : str or None
        A note, such as 'time limit'.
    """

    config: str
    params: dict[str, object]
    repeat: int
    fold: int
    error: str
    note: str | None = None


class OutcomeLog:
    """Collects outcomes, in any order, into the arrays of a search.

    Parameters
    ----------
    splits : Splits
        The splits.
    plan : ResponsePlan, optional
        Which predictions are kept; None keeps none.
    names : tuple of str, optional
        The names of the scores; None if only outcomes can tell.
    static : bool
        Whether the configurations were known in advance.
    halves : ndarray of int8, shape (n,), optional
        The half of each case, where halves of the cases guide a search.
    """

    def __init__(
        self,
        splits: Splits,
        plan: ResponsePlan | None,
        names: tuple[str, ...] | None,
        *,
        static: bool = True,
        halves: NDArray[np.int8] | None = None,
    ) -> None:
        self.splits, self.plan, self.static, self.halves = splits, plan, static, halves
        self.guided_by: list[int] = []
        self.ids: list[str] = []
        self.configurations: list[Configuration] = []
        self._names = names
        self._numbers: dict[tuple[int, int], dict[str, float]] = {}
        self._bad: dict[tuple[int, int], TaskOutcome] = {}
        self._by_config: Counter[int] = Counter()  # on how many splits each was evaluated
        self._by_split: Counter[int] = Counter()  # and how many on each split
        self._n_whole = 0  # how many on all splits
        self._n_fits = 0
        self._responses: NDArray[np.float64] | None = None
        self._others: dict[tuple[str, int, int], NDArray[np.float64]] = {}
        self._split_of = {
            cell: split for split, cell in enumerate(zip(splits.repeat, splits.fold, strict=True))
        }

    def add(
        self,
        ids: Sequence[str],
        configurations: Sequence[Configuration],
        guided_by: Sequence[int] | None = None,
    ) -> range:
        """Enter configurations, each with the half that guided it, and return their positions."""
        first = len(self.ids)
        self.guided_by += [FIXED] * len(ids) if guided_by is None else guided_by
        self.ids += ids
        self.configurations += configurations
        if self.plan is not None:
            room = self.plan.make_table(len(ids), self.splits.n_repeats)
            old = self._responses
            self._responses = room if old is None else np.concatenate([old, room], axis=1)
        return range(first, len(self.ids))

    def make_tasks(self, configs: Sequence[int], splits: Sequence[int]) -> list[EngineTask]:
        """Return the tasks of some configurations on some splits, one fit after another."""
        return make_cells(configs, splits, self.configurations, self.splits)

    def record(self, outcome: TaskOutcome) -> None:
        """Record the outcome of a task."""
        config, repeat, fold = outcome.key
        split = self._split_of[repeat, fold]
        if (config, split) not in self._numbers:
            self._n_fits += is_fit(outcome)
            self._by_config[config] += 1
            self._by_split[split] += 1
            self._n_whole += self._by_config[config] == len(self.splits)
        self._numbers[config, split] = dict(outcome.numbers)
        if outcome.failed or outcome.note:
            self._bad[config, split] = outcome
        response = outcome.arrays.get(RESPONSE)
        if response is not None and self._responses is not None:
            self._responses[self.splits.test[split], config, repeat] = response
            for name, other in outcome.arrays.items():
                if name != RESPONSE:
                    self._others[name, config, split] = other

    @property
    def n_fits(self) -> int:
        """The number of fits, failed ones too."""
        return self._n_fits

    def count_complete(self, *, by_fold: bool = False) -> tuple[int, int]:
        """Return how many configurations are complete, and on how many of the first splits.

        With `by_fold`, all configurations are evaluated on one split before the next; all splits
        before the current one are then complete for those configurations that were not dropped.
        """
        if not by_fold:
            return self._n_whole, len(self.splits)
        under_way = max(self._by_split, default=0)
        return self._by_split[under_way - 1] if under_way else 0, under_way

    def list_complete(self, n_splits: int) -> list[int]:
        """Return the positions of the configurations evaluated on all of the first splits."""
        return [
            config
            for config in range(len(self.ids))
            if all((config, split) in self._numbers for split in range(n_splits))
        ]

    @property
    def score_names(self) -> tuple[str, ...]:
        """The names of the scores."""
        if self._names is not None:
            return self._names
        for key in sorted(self._numbers):
            names = [name for name in self._numbers[key] if name.startswith("test_")]
            if names:
                return tuple(name.removeprefix("test_") for name in names)
        return (SINGLE,)

    def read_numbers(
        self,
        name: str,
        splits: Sequence[int],
        missing: float,
        configs: Sequence[int] | None = None,
    ) -> NDArray[np.float64]:
        """Return one number of all or some configurations on some splits: (C, S).

        `missing` replaces the number of a fit that failed; a fit that was not made has NaN.
        """
        chosen = range(len(self.ids)) if configs is None else configs
        nothing: dict[str, float] = {name: np.nan}
        rows = [
            [self._numbers.get((config, split), nothing).get(name, missing) for split in splits]
            for config in chosen
        ]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(splits))

    def list_failures(self) -> tuple[Failure, ...]:
        """Return what failed, in the order of configurations and splits."""
        return tuple(
            Failure(
                self.ids[config],
                self.configurations[config].params,
                self.splits.repeat[split],
                self.splits.fold[split],
                bad.error or bad.note or "",
                bad.note if bad.failed else UNSCORED,
            )
            for (config, split), bad in sorted(self._bad.items())
            if is_fit(bad)  # what failed did so for all stages of a fit
        )

    def list_unscored(self, *names: str) -> set[str]:
        """Return the configurations that lack one of these scores where something failed."""
        return {self.ids[key[0]] for key in self._bad if self._lacks(key, names)}

    def _lacks(self, key: tuple[int, int], names: Sequence[str]) -> bool:
        return any(f"test_{name}" not in self._numbers[key] for name in names)

    def list_failed_fits(self) -> list[str]:
        """Return the tracebacks of the fits that failed."""
        bad = [bad for _, bad in sorted(self._bad.items()) if is_fit(bad)]
        return [failure.error for failure in bad if failure.error and failure.note != UNPREDICTED]

    def list_failed_scores(self) -> list[str]:
        """Return the tracebacks of models that could be fitted, but not scored."""
        bad = [bad for _, bad in sorted(self._bad.items())]
        late = [
            failure.error
            for key, failure in sorted(self._bad.items())
            if failure.error and failure.note == UNPREDICTED and self._lacks(key, self.score_names)
        ]
        return late + [failure.note for failure in bad if failure.error is None and failure.note]

    def count_splits(self, config: int) -> int:
        """Return on how many splits a configuration was evaluated."""
        return self._by_config[config]

    def make_predictions(
        self, only: Sequence[int] | None = None, n_splits: int | None = None
    ) -> Predictions | None:
        """Return Π of all or some configurations, as far as they were evaluated.

        With `n_splits` on the first splits alone, as if there were no predictions of later ones.
        """
        if self.plan is None or self._responses is None:
            return None
        chosen = range(len(self.ids)) if only is None else only
        whole = only is None or len(chosen) == len(self.ids)
        configs = Configs(
            ids=tuple(self.ids[c] for c in chosen),
            params=tuple(self.configurations[c].params for c in chosen),
            static=self.static,
        )
        responses = self._responses if whole else self._responses[:, list(chosen)]
        first = self.plan.make_predictions(responses, configs, self.splits)
        others = (self._make_other(plan, first, chosen) for plan in self.plan.others)
        codes = np.array([self.guided_by[c] for c in chosen], dtype=np.int8)
        return replace(
            self._cut_splits(first, n_splits),
            others=tuple(self._cut_splits(each, n_splits) for each in others if each is not None),
            guides=None if self.halves is None else Guides(self.halves, codes),
        )

    def _cut_splits(self, pi: Predictions, n_splits: int | None) -> Predictions:
        """Return Π without the predictions of all but the first splits."""
        if n_splits is None or n_splits >= len(self.splits):
            return pi
        responses = pi.responses.copy()
        for split in range(n_splits, len(self.splits)):
            responses[self.splits.test[split], :, self.splits.repeat[split]] = np.nan
        return replace(pi, responses=responses)

    def _make_other(
        self, plan: ResponsePlan, first: Predictions, chosen: Sequence[int]
    ) -> Predictions | None:
        """Return Π of another response, None where the first one tells it or its order."""
        assert self.plan is not None
        name, places = (
            name_response(plan),
            {config: config_index for config_index, config in enumerate(chosen)},
        )
        cells = {
            (places[config], split): answer
            for (kind, config, split), answer in self._others.items()
            if kind == name and config in places
        }
        if not cells:
            return None
        responses = self.plan.tell(plan, np.asarray(first.responses)).copy()
        for (config_index, split), answer in cells.items():
            rows, repeat = self.splits.test[split], self.splits.repeat[split]
            responses[rows, config_index, repeat] = answer
        if plan.kind is ResponseKind.DECISION and have_same_order(first.responses, responses):
            return None
        return plan.make_predictions(responses, first.configs, self.splits)


def have_same_order(first: Numbers, second: Numbers) -> bool:
    """Tell whether two tables of scores (n, C, R) order the cases of every column alike."""
    if first.ndim > 3:
        return False
    for a, b in zip(
        first.reshape(len(first), -1).T, second.reshape(len(second), -1).T, strict=True
    ):
        order = np.argsort(a, kind="stable")
        steps, others = (np.sign(np.diff(values[order])) for values in (a, b))
        if not np.array_equal(steps, others, equal_nan=True):
            return False
    return True


# Failures in words.


USERS_LINE = 5  # whoever called `fit`, two calls above `judge`, which calls here


class AllFailedError(EarnestError, ValueError):
    """No fit of a search succeeded."""


def tell_failures(ledger: OutcomeLog, error_score: float) -> None:
    """Warn of fits and scores that failed; raise if no fit succeeded."""
    from sklearn.exceptions import FitFailedWarning

    failed, count = ledger.list_failed_fits(), ledger.n_fits
    if failed and len(failed) == count:
        raise AllFailedError(
            f"all the {count} fits failed",
            got=failed[0].strip(),
            cure="It is very likely that the model is misconfigured: look at the first error "
            "above, or set error_score='raise' to debug it",
        )
    if failed:
        warnings.warn(
            f"{len(failed)} fits failed out of a total of {count}.\nThe score on these splits is "
            f"set to {error_score}. Look at failures_, or set error_score='raise' to debug them."
            f"\n\n{_summarise(failed)}",
            FitFailedWarning,
            stacklevel=USERS_LINE,
        )
    for text in dict.fromkeys(ledger.list_failed_scores()):
        warnings.warn(
            f"Scoring failed. The score is set to {error_score}. Details:\n{text}",
            UserWarning,
            stacklevel=USERS_LINE,
        )


def warn_of_means(side: str, means: NDArray[np.float64]) -> None:
    """Warn of mean scores that are not finite."""
    if not np.isfinite(means).all():
        warnings.warn(
            f"One or more of the {side} scores are non-finite: {means}",
            UserWarning,
            stacklevel=USERS_LINE + 1,
        )


def _summarise(errors: list[str]) -> str:
    counted = Counter(errors).items()
    return "\n".join(f"{n} fits failed with the following error:\n{text}" for text, n in counted)


def find_exception(text: str) -> str:
    r"""Return the line of a traceback that names the exception and begins its message.

    Examples
    --------
    >>> from earnest.training.fit.ledger import find_exception
    >>> find_exception('Traceback:\n  File "x.py", line 1\n    fit()\nValueError: too few\nrows')
    'ValueError: too few'
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return "no message"
    frames = [i for i, line in enumerate(lines) if line.startswith("  File ")]
    below = lines[frames[-1] + 1 :] if frames else lines
    named = next((line for line in below if not line[0].isspace()), lines[-1])
    return re.sub(
        r"^(\w+\.)+(?=\w+(:|$))", "", named.strip().rstrip(":")
    )  # the class, not its modules


def explain_failure(outcome: TaskOutcome) -> str:
    """Return in one line why a fit failed."""
    return find_exception(outcome.error or outcome.note or "")
