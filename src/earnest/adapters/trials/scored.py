"""How a score of a search is called, and which way is better, in its own units.

Scorers of scikit-learn are all greater is better: a loss comes negated. Here it is told as itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.readers import TrialsRequest
from earnest.adapters.trials.ranges import Range, infer_space_within
from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.results.counts import COMPLETE, DROPPED, FAILED
from earnest.core.space.trials import Trials
from earnest.core.text.doors import arg
from earnest.core.text.names import simplify_values

# Scores of configurations on splits, as our own search has them, made into trials.


WHOLE = "estimator"  # the parameter of a configuration that is a whole estimator


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredSearch:
    """What a search of our own gave, from the search itself or from its run file.

    Attributes
    ----------
    configs : list of dict
        The configurations, of plain values.
    scores : mapping of str to ndarray, shape (C, S)
        Every score on every split, greater is better, NaN where there is none.
    statuses : sequence of str
        'complete', 'dropped' or 'failed', one per configuration.
    names : mapping of str to ScoreName
        How the scores are called.
    usual : str, optional
        The score that chose the winner.
    ranges : mapping
        Ranges of numbers that are known; see `ranges_of`.
    source : str
        Where it comes from, in words.
    metric : str, optional
        What the estimate of the search is of, where that is known.
    """

    configs: list[dict[str, object]]
    scores: Mapping[str, NDArray[np.float64]]
    statuses: Sequence[str]
    names: Mapping[str, ScoreName]
    usual: str | None
    ranges: Mapping[str, Range]
    source: str
    metric: str | None = None

    def find_best(self, key: str, ids: Sequence[str]) -> str | None:
        """Return the configuration with the best mean score; None where none is complete."""
        means, _ = _summarise(self.scores[key])
        means = np.where([status == COMPLETE for status in self.statuses], means, np.nan)
        return None if np.isnan(means).all() else ids[int(np.nanargmax(means))]

    def trials(self, ask: TrialsRequest) -> Trials:
        """Return the trials: mean scores in their own units, failed ones left out.

        Dropped ones inform by their mean over the splits that they had.
        """
        ask.refuse(self.source, "study", "standard_error", "status", "values")
        key = choose_score(self.names, ask.objective, self.usual)
        score = self.names[key]
        configs = ask.some_of(self.configs)
        means, errors = _summarise(self.scores[key])
        whole = [status != FAILED for status in self.statuses]
        if ask.space is None and self.ranges:
            done = np.flatnonzero(np.isfinite(means) & whole).tolist()
            if done:
                space = infer_space_within(self.ranges, [configs[i] for i in done])
                ask = replace(ask, space=space)
        return Trials.from_configs(
            configs,
            np.where([status == FAILED for status in self.statuses], np.nan, score.sign * means),
            direction=ask.direction_or(score.direction, str(score)),
            space=ask.space,
            standard_error=errors,
            pruned=[status == DROPPED for status in self.statuses],
            intermediate=[_find_running_means(score.sign * row) for row in self.scores[key]],
            objective_name=score.name,
            source=self.source,
        )


def show_configs(
    ids: Sequence[str], params: Sequence[Mapping[str, object]]
) -> list[dict[str, object]]:
    """Return configurations as they are shown: whole estimators by the name of their candidate."""
    pairs = zip(ids, params, strict=True)
    listed = [
        {WHOLE: name} if _is_whole(config) and name != f"c{i}" else dict(config)
        for i, (name, config) in enumerate(pairs)
    ]
    return simplify_values(listed)


def _is_whole(config: Mapping[str, object]) -> bool:
    return set(config) == {WHOLE} and hasattr(config[WHOLE], "fit")


def _find_running_means(scores: NDArray[np.float64]) -> dict[int, float]:
    """Return the mean over the first 1, 2, ... splits, up to the first that is lacking."""
    lacking = np.flatnonzero(np.isnan(scores))
    done = scores[: lacking[0]] if len(lacking) else scores
    means = np.cumsum(done) / np.arange(1, len(done) + 1)
    return dict(enumerate(means.tolist(), start=1))


def _summarise(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the means over the splits that have a score, and their standard errors."""
    means, errors = np.full(len(scores), np.nan), np.full(len(scores), np.nan)
    for i, row in enumerate(scores):
        valid = row[~np.isnan(row)]
        if len(valid):
            means[i] = valid.mean()
        if len(valid) > 1 and np.isfinite(valid).all():
            errors[i] = valid.std(ddof=1) / math.sqrt(len(valid))
    return means, errors


NEGATED, SINGLE, MEAN = "neg_", "score", "mean_test_"


@dataclass(frozen=True)
class ScoreName:
    """What a score is called in its own units, and the sign that brings it there.

    Examples
    --------
    >>> from earnest.adapters.trials.scored import score_name
    >>> score_name("neg_log_loss")
    ScoreName(name='log_loss', sign=-1.0)
    """

    name: str
    sign: float = 1.0

    @property
    def direction(self) -> str:
        """Which way is better."""
        return "maximize" if self.sign > 0 else "minimize"

    def __str__(self) -> str:
        """Return the name, and which way is better."""
        return f"{self.name!r}, of which {'greater' if self.sign > 0 else 'lower'} is better"

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"name": self.name, "sign": self.sign}


def score_name(key: str, scorer: object = None, scoring: object = None) -> ScoreName:
    """Return how a score is called.

    Parameters
    ----------
    key : str
        Its name in the table of results; 'score' where there is but one.
    scorer : callable, optional
        What computes it.
    scoring : str or object, optional
        What the user said, where there is but one.
    """
    metric = getattr(scorer, "metric", None)  # a metric of this package in the form of a scorer
    name = key if key != SINGLE else _find_name(scorer, scoring, metric)
    sign = getattr(scorer, "_sign", None) if metric is None else getattr(metric, "sign", None)
    if not isinstance(sign, (int, float)):
        sign = -1.0 if name.startswith(NEGATED) else 1.0
    return ScoreName(name.removeprefix(NEGATED) if sign < 0 else name, 1.0 if sign > 0 else -1.0)


def score_names(keys: Iterable[str], scorers: object, scoring: object) -> dict[str, ScoreName]:
    """Return how all scores of a search are called, by key."""
    if isinstance(scorers, Mapping):
        return {key: score_name(key, scorers.get(key)) for key in keys}
    return {key: score_name(key, scorers, scoring) for key in keys}


def choose_score(
    names: Mapping[str, ScoreName], objective: str | int | None, usual: str | None
) -> str:
    """Return the key of the score that is asked for, by key or by its name in its own units."""
    if objective is None:
        if usual in names:
            return str(usual)
        if len(names) == 1:
            return next(iter(names))
        raise InputError(
            "there are several scores",
            needs=f"{arg('objective')}, one of {check.some(names, limit=10)}",
        )
    wanted = str(objective).removeprefix(MEAN)
    called = {name.name: key for key, name in names.items()}
    if wanted not in names and wanted in called:
        return called[wanted]
    return check.one_of("objective", wanted, names)


def _find_name(scorer: object, scoring: object, metric: object) -> str:
    if metric is not None:
        return str(getattr(metric, "name", SINGLE))
    if isinstance(scoring, str):
        return scoring
    function = getattr(scorer, "_score_func", None)
    return str(getattr(function, "__name__", SINGLE))
