"""Scores of configurations on splits, as our own search has them, made into trials."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.ask import Ask
from earnest.adapters.ranges import space_within
from earnest.adapters.score_names import ScoreName, choose
from earnest.core.readable import readable
from earnest.core.trials import Trials

COMPLETE, DROPPED, FAILED = "complete", "dropped", "failed"
WHOLE = "estimator"  # the parameter of a configuration that is a whole estimator


@dataclass(frozen=True, eq=False, kw_only=True)
class Scored:
    """What a search of our own gave, from the search itself or from its run file.

    Attributes
    ----------
    configs : list of dict
        The configurations, of plain values.
    scores : mapping of str to ndarray, shape (C, S)
        Every score on every split, greater is better, NaN where there is none.
    statuses : sequence of str
        'complete', 'dropped' or 'failed', one a configuration.
    names : mapping of str to ScoreName
        How the scores are called.
    usual : str, optional
        The score that chose the winner.
    ranges : mapping
        Ranges of numbers that are known; see `ranges_of`.
    source : str
        Where it comes from, in words.
    """

    configs: list[dict[str, Any]]
    scores: Mapping[str, NDArray[np.float64]]
    statuses: Sequence[str]
    names: Mapping[str, ScoreName]
    usual: str | None
    ranges: Mapping[str, Mapping[str, Any]]
    source: str

    def trials(self, ask: Ask) -> Trials:
        """Return the trials: mean scores in their own units, dropped and failed ones left out."""
        ask.refuse(self.source, "study", "standard_error", "status", "values")
        key = choose(self.names, ask.objective, self.usual)
        score = self.names[key]
        configs = ask.some_of(self.configs)
        means, errors = _summaries(self.scores[key])
        whole = [status == COMPLETE for status in self.statuses]
        if ask.space is None and self.ranges:
            done = np.flatnonzero(np.isfinite(means) & whole).tolist()
            if done:
                space = space_within(self.ranges, [configs[i] for i in done])
                ask = replace(ask, space=space)
        return Trials.from_configs(
            configs,
            np.where([status == FAILED for status in self.statuses], np.nan, score.sign * means),
            direction=ask.direction_or(score.direction, str(score)),
            space=ask.space,
            standard_error=errors,
            pruned=[status == DROPPED for status in self.statuses],
            objective_name=score.name,
            source=self.source,
        )


def shown_configs(ids: Sequence[str], params: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return configurations as they are shown: whole estimators by the name of their candidate."""
    pairs = zip(ids, params, strict=True)
    listed = [
        {WHOLE: name} if _is_whole(config) and name != f"c{i}" else dict(config)
        for i, (name, config) in enumerate(pairs)
    ]
    return readable(listed)


def _is_whole(config: Mapping[str, Any]) -> bool:
    return set(config) == {WHOLE} and hasattr(config[WHOLE], "fit")


def _summaries(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the means over the splits that have a score, and their standard errors."""
    means, errors = np.full(len(scores), np.nan), np.full(len(scores), np.nan)
    for i, row in enumerate(scores):
        known = row[~np.isnan(row)]
        if len(known):
            means[i] = known.mean()
        if len(known) > 1 and np.isfinite(known).all():
            errors[i] = known.std(ddof=1) / math.sqrt(len(known))
    return means, errors
