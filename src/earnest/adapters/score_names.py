"""How a score of a search is called, and which way is better, in its own units.

Scorers of scikit-learn are all greater is better: a loss comes negated. Here it is told as itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from earnest.core import check
from earnest.core.errors import InputError

NEGATED, SINGLE, MEAN = "neg_", "score", "mean_test_"


@dataclass(frozen=True)
class ScoreName:
    """What a score is called in its own units, and the sign that brings it there.

    Examples
    --------
    >>> from earnest.adapters.score_names import score_name
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"name": self.name, "sign": self.sign}


def score_name(key: str, scorer: Any = None, given: Any = None) -> ScoreName:
    """Return how a score is called.

    Parameters
    ----------
    key : str
        Its name in the table of results; 'score' where there is but one.
    scorer : callable, optional
        What computes it.
    given : str or object, optional
        What the user said, where there is but one.
    """
    metric = getattr(scorer, "metric", None)  # a metric of this package in the form of a scorer
    name = key if key != SINGLE else _called(scorer, given, metric)
    sign = getattr(scorer, "_sign", None) if metric is None else getattr(metric, "sign", None)
    if not isinstance(sign, (int, float)):
        sign = -1.0 if name.startswith(NEGATED) else 1.0
    return ScoreName(name.removeprefix(NEGATED) if sign < 0 else name, 1.0 if sign > 0 else -1.0)


def score_names(keys: Iterable[str], scorers: Any, given: Any) -> dict[str, ScoreName]:
    """Return how all scores of a search are called, by key."""
    several = isinstance(scorers, Mapping)
    return {
        key: score_name(key, scorers.get(key) if several else scorers, None if several else given)
        for key in keys
    }


def choose(names: Mapping[str, ScoreName], asked: str | int | None, usual: str | None) -> str:
    """Return the key of the score that is asked for, by key or by its name in its own units."""
    if asked is None:
        if usual in names:
            return str(usual)
        if len(names) == 1:
            return next(iter(names))
        raise InputError(
            "there are several scores",
            needs=f"`objective`, one of {check.some(names, limit=10)}",
        )
    said = str(asked).removeprefix(MEAN)
    called = {one.name: key for key, one in names.items()}
    if said not in names and said in called:
        return called[said]
    return check.one_of("objective", said, names)


def _called(scorer: Any, given: Any, metric: Any) -> str:
    if metric is not None:
        return str(getattr(metric, "name", SINGLE))
    if isinstance(given, str):
        return given
    function = getattr(scorer, "_score_func", None)
    return str(getattr(function, "__name__", SINGLE))
