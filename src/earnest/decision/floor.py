"""The verb `floor`: how much of the best of many scores is luck, from the scores and n alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.trials.optuna import is_study
from earnest.adapters.trials.scored import MEAN, choose_score, score_names
from earnest.core.arguments.base import check_arguments
from earnest.core.arguments.floor import FloorArguments
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.cautions import of_search
from earnest.core.results.base import FLAT, MetricResult
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Scale
from earnest.core.results.interval import Interval
from earnest.core.results.specs import Side
from earnest.core.tables.formats.text import TextOptions
from earnest.core.tables.opening import TABLES, open_table
from earnest.core.text.doors import arg
from earnest.core.text.numbers import decimals, number, percent
from earnest.decision.luck import ErrorKind, ScoreLaw
from earnest.metrics.families import METRICS

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable

USUAL_CORRELATION = (0.0, 0.8)  # of tries on the same cases: strangers, and close relatives
SCORE = "score"
NAMES = ("score", "value", "mean_test_score", "objective", "accuracy", "roc_auc")  # of columns
PROPORTIONS = ("accuracy", "error_rate", SCORE)


@dataclass(frozen=True, kw_only=True)
class Floor(MetricResult):
    """How much of the best of several scores may be luck.

    Attributes
    ----------
    best, mean : float
        The best score and the mean of all.
    winner : str
        Which one is the best.
    luck : tuple of float
        By how much the best of as many equally good tries is too good in the mean: where tries
        agree most, and where they agree least.
    luck_limits : tuple of float
        Between which the luck of such a search lies, at the level.
    corrected : tuple of float
        The best score less its luck, where tries agree least, and where they agree most.
    interval : Interval
        Of the true score of the best one. It holds at least at its level, however good the tries
        are and however they agree.
    p_value : float
        At most the chance that equally good tries lead their mean by so much.
    correlation : tuple of float
        How far tries are taken to agree on a case, at least and at most.
    n_tries, n_cases : int
        The scores, and the cases of each.
    cautions : tuple of Caution
        How rough it is.

    Examples
    --------
    >>> import earnest as en
    >>> scores = [0.62, 0.60, 0.64, 0.61, 0.685, 0.59, 0.63, 0.6, 0.65, 0.61]
    >>> found = en.floor(scores, n=200)
    >>> found
    best accuracy 0.685 of 10: luck 0.03 to 0.05, 95 % interval [0.59, 0.75] (n=200)
    >>> found.by_luck
    True
    """

    schema: ClassVar[str] = "earnest/floor/1"
    called: ClassVar[str] = "a floor"
    derived: ClassVar[tuple[str, ...]] = ("sentence", "by_luck")

    best: float
    mean: float
    winner: str
    luck: tuple[float, float]
    luck_limits: tuple[float, float]
    corrected: tuple[float, float]
    interval: Interval
    p_value: float
    scale: Scale = field(metadata=FLAT)
    correlation: tuple[float, float]
    n_tries: int
    n_cases: int
    cautions: tuple[Caution, ...]

    @property
    def by_luck(self) -> bool:
        """Whether luck alone explains the lead of the best over the mean, at the level."""
        return self.p_value > 1.0 - self.interval.confidence_level

    @property
    def sentence(self) -> str:
        """What it says, in words."""
        least, most = (self._write(value) for value in self.luck)
        level = percent(self.interval.confidence_level)
        low, high = self._write(self.interval.low), self._write(self.interval.high)
        worth = " to ".join(dict.fromkeys(self._write(value) for value in sorted(self.corrected)))
        lead = (
            "Luck alone explains its lead over the others."
            if self.by_luck
            else "Luck alone does not explain its lead over the others."
        )
        if self.n_tries == 1:
            lead = "One score was not chosen from others."
        span = least if least == most else f"{least} to {most}"
        return (
            f"The best of {self.n_tries:,} tries scored {self._write(self.best)}; of as many "
            f"equally good tries the best is {span} too good. Expect {worth}, and with {level} "
            f"confidence {low} to {high}. {lead}"
        )

    def _write(self, value: float) -> str:
        places = decimals(self._error(), self.best)
        return str(number(value, places, (-math.inf, math.inf)))

    def _error(self) -> float:
        """Return about the standard error of a score, which says how many decimals are worth it."""
        return (self.interval.high - self.interval.low) / 4.0

    def rows(self) -> list[dict[str, Any]]:
        """Return the main numbers as one flat dict."""
        names = ("winner", "best", "mean", "p_value", "n_tries", "n_cases")
        low, high = self.interval.low, self.interval.high
        pairs = {
            "luck_low": self.luck[0],
            "luck_high": self.luck[1],
            "corrected_low": min(self.corrected),
            "corrected_high": max(self.corrected),
            "low": low,
            "high": high,
        }
        return [{name: getattr(self, name) for name in names} | pairs]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.paper import PaperTable

        heads = ("tries", "best", "luck", "corrected", "interval")
        spans = (self.luck, tuple(sorted(self.corrected)), (self.interval.low, self.interval.high))
        cells = tuple(" to ".join(self._write(value) for value in span) for span in spans)
        row = (f"{self.n_tries:,}", self._write(self.best), *cells)
        return PaperTable(heads, (row,), self.sentence)

    def __repr__(self) -> str:
        """Return one line."""
        places = decimals(self._error(), self.best)
        least, most = (self._write(value) for value in self.luck)
        interval = self.interval.words(places, self.scale.limits)
        return (
            f"best {self.metric} {number(self.best, max(places, 3), self.scale.limits)} of "
            f"{self.n_tries:,}: luck {least} to {most}, {interval} (n={self.n_cases:,})"
        )


def floor(
    scores: object,
    *,
    n: int | None = None,
    metric: str | None = None,
    deviation: float | None = None,
    positives: int | None = None,
    greater_is_better: bool | None = None,
    correlation: Sequence[float] | float | None = None,
    confidence_level: float = 0.95,
) -> Floor:
    """Tell how much of the best of many scores is luck, from the scores and the cases alone.

    It is for a leaderboard, a sweep or a log, of which no predictions and no fold scores are left.

    **What is estimated.** The luck of the best of as many tries that are all equally good, and the
    true score of the best one here.

    **What it assumes.** Every try was scored once, on n independent cases, and all were listed.
    Tries on the same cases agree; how far is not in the scores, so there is a range. Agreement
    lowers the luck.

    **When it fails.** If scores were listed only where they were good, or tries were proposed by
    the scores of others. Means are taken for normal: of 100 equally good tries with exponential
    losses of 100 cases each, luck was said not to explain the lead in 11 % of the searches.
    `estimate` says more from fold scores, and most from predictions.

    Parameters
    ----------
    scores : list, mapping, Trials, a fitted search, an Optuna study, a table, str or Path
        One score per try, of every try.
    n : int
        The cases (or items) that each was scored on.
    metric : str, optional
        What was measured. 'accuracy' and other proportions need no more than n, 'roc_auc' the
        number of positives, any other mean its standard deviation. By default 'accuracy'.
    deviation : float, optional
        The standard deviation of what one case adds to a mean.
    positives : int, optional
        The cases of the positive class.
    greater_is_better : bool, optional
        Which way is better, where the metric is not known here.
    correlation : float, or sequence of float
        The least and the most that two tries agree on a case, on a normal scale; 0 to .8 by
        default.
    confidence_level : float
        The level of the interval.

    Returns
    -------
    Floor
        The luck, the corrected score and its interval.

    Examples
    --------
    >>> import earnest as en
    >>> found = en.floor({"a": 0.81, "b": 0.84, "c": 0.79}, n=500, metric="roc_auc", positives=100)
    >>> found.winner, [round(value, 3) for value in found.luck]
    ('b', [0.011, 0.023])
    """
    check_arguments(FloorArguments, n=n, positives=positives, confidence_level=confidence_level)
    names, values, source_metric, better = read_tries(scores, metric)
    name = metric or source_metric
    size = _need_cases(n)
    law, scale = _choose_law(name, size, values, deviation, positives)
    if greater_is_better is None:
        greater_is_better = METRICS[name].greater_is_better if name in METRICS else better
    span = _read_correlation(correlation)
    sign = 1.0 if greater_is_better else -1.0
    gains = _as_gains(law, values, greater_is_better)
    chosen, count = int(np.argmax(gains)), len(gains)
    mean = float(gains.mean())
    tail = (1.0 - confidence_level) / 2.0
    ends = law.limits(float(gains[chosen]), tail / count, tail)
    level = str(Side.TWO_SIDED)
    low, high = sorted(_restore(law, end, greater_is_better) for end in ends)
    quantiles = [
        law.luck_quantile(mean, count, agreed, share)
        for agreed in span
        for share in (tail, 1.0 - tail)
    ]
    return Floor(
        best=float(values[chosen]),
        mean=float(values.mean()),
        winner=names[chosen],
        luck=_sort([law.expected_luck(mean, count, agreed) for agreed in span]),
        luck_limits=(min(quantiles), max(quantiles)),
        corrected=_pair(
            [_restore(law, law.correct(gains, agreed), greater_is_better) for agreed in span]
        ),
        interval=Interval(scale.clip(low), scale.clip(high), confidence_level, level),
        p_value=law.chance_of_lead(gains) if count > 1 else 1.0,
        scale=Scale(scale.name, sign > 0, scale.limits, scale.reading),
        correlation=span,
        n_tries=count,
        n_cases=size,
        cautions=(of_search.scores_alone(count, *span),),
    )


def _sort(pair: Sequence[float]) -> tuple[float, float]:
    return min(pair), max(pair)


def _pair(values: Sequence[float]) -> tuple[float, float]:
    return values[0], values[-1]


def _as_gains(law: ScoreLaw, values: NDArray[np.float64], better: bool) -> NDArray[np.float64]:
    """Return scores of which greater is better: a proportion of errors becomes one of hits."""
    if better:
        return values
    return -values if law.law is ErrorKind.MEAN else 1.0 - values


def _restore(law: ScoreLaw, gain: float, better: bool) -> float:
    if better:
        return gain
    return -gain if law.law is ErrorKind.MEAN else 1.0 - gain


def _need_cases(n: int | None) -> int:
    if n is None:
        raise InputError(
            f"{arg('n')} is missing",
            needs="how many cases, or items, each score is of",
            cure="Without it, nothing tells luck from skill.",
        )
    return n


def _read_correlation(correlation: Sequence[float] | float | None) -> tuple[float, float]:
    share = USUAL_CORRELATION if correlation is None else correlation
    listed = list(share) if isinstance(share, tuple | list) else [share]
    pair = listed * 2 if len(listed) == 1 else listed
    if len(pair) != 2 or not all(_is_correlation(end) for end in pair):
        raise InputError(
            f"{arg('correlation')} is out of range",
            needs="two numbers from 0 to below 1, such as 0 and 0.8",
            got=check.show(share),
        )
    low, high = sorted(map(check.read_number, pair))
    return low, high


def _is_correlation(value: object) -> bool:
    return not isinstance(value, bool) and 0.0 <= check.read_number(value) < 1.0


def _choose_law(
    name: str,
    n: int,
    values: NDArray[np.float64],
    deviation: float | None,
    positives: int | None,
) -> tuple[ScoreLaw, Scale]:
    """Return the law of the errors of a metric, and its scale."""
    name = METRICS[name].name if name in METRICS else name
    if name == "roc_auc" and deviation is None:
        if positives is None or positives >= n:
            raise InputError(
                f"the error of an AUC needs {arg('positives')}",
                needs=f"the cases of the positive class, from 1 to {n - 1}",
                got="none" if positives is None else str(positives),
            )
        _refuse_outside(name, values, 0.0, 1.0)
        return ScoreLaw(law=ErrorKind.AUC, n=n, positives=positives), METRICS[name].scale
    if positives is not None:
        raise InputError(f"{arg('positives')} is for 'roc_auc'", cure="Leave it out.")
    if deviation is not None:
        if not (math.isfinite(deviation) and deviation > 0.0):
            raise InputError(
                f"{arg('deviation')} is out of range", needs="a number above 0", got=str(deviation)
            )
        scale = METRICS[name].scale if name in METRICS else _plain_scale(name)
        return ScoreLaw(law=ErrorKind.MEAN, n=n, deviation=float(deviation)), scale
    if name not in PROPORTIONS:
        raise InputError(
            f"the error of {name!r} is not known from n alone",
            needs=f"{arg('deviation')}: the standard deviation of what one case adds",
            cure="Proportions, such as 'accuracy', need only n, and 'roc_auc' the positives.",
        )
    _refuse_outside(name, values, 0.0, 1.0)
    scale = METRICS["accuracy" if name == SCORE else name].scale
    return ScoreLaw(law=ErrorKind.PROPORTION, n=n), scale


def _plain_scale(name: str) -> Scale:
    return Scale(name, True, (-math.inf, math.inf))


def _refuse_outside(name: str, values: NDArray[np.float64], low: float, high: float) -> None:
    if values.min() < low or values.max() > high:
        raise InputError(
            f"scores lie outside of the range of {name!r}",
            needs=f"numbers from {low:g} to {high:g}",
            got=f"numbers from {values.min():g} to {values.max():g}",
            cure=f"Divide percentages by 100. For other means pass {arg('metric')} and "
            f"{arg('deviation')}.",
        )


Tries = tuple[list[str], NDArray[np.float64], str, bool]


def read_tries(source: object, metric: str | None) -> Tries:
    """Return the names and scores of all tries, what they are of, and if more is better."""
    if isinstance(source, Mapping) and "params" not in source:
        names = [str(name) for name in source]
        return _read_scores(names, list(source.values())) if names else _refuse_no_scores()
    if isinstance(source, Sequence | np.ndarray) and not isinstance(source, str | bytes):
        return _read_scores(None, source)
    if isinstance(source, str | Path) and str(source).casefold().endswith(TABLES):
        return _read_column(check.read_path(source), metric)
    if is_study(source):
        return _read_study(source)
    results = source if isinstance(source, Mapping) else getattr(source, "cv_results_", None)
    if isinstance(results, Mapping):
        return _read_results(source, results, metric)
    from earnest.adapters.trials.door import trials_from

    trials = trials_from(source)
    values = np.asarray(trials.objective, dtype=np.float64)
    values = values if trials.pruned is None else values[~trials.pruned]
    names, scores, _, _ = _read_scores(None, values)
    name = trials.objective_name.removeprefix(MEAN)
    return names, scores, name if name in METRICS else SCORE, trials.direction == "maximize"


def _read_study(study: Any) -> Tries:
    """Read the values of the complete trials of a study of Optuna."""
    done = [trial for trial in study.get_trials(deepcopy=False) if trial.state.name == "COMPLETE"]
    if done and len(done[0].values) > 1:
        raise InputError(
            "the study has several objectives",
            needs="one score per try",
            cure="Pass a list of the one that chose the best.",
        )
    names = [f"t{trial.number}" for trial in done]
    names, values, _, _ = _read_scores(names, [trial.value for trial in done])
    return names, values, SCORE, study.directions[0].name == "MAXIMIZE"


def _read_results(source: object, results: Mapping[Any, Any], metric: str | None) -> Tries:
    """Read the mean scores of a search of scikit-learn, in their own units."""
    keys = [str(key).removeprefix(MEAN) for key in results if str(key).startswith(MEAN)]
    names = score_names(keys, getattr(source, "scorer_", None), getattr(source, "scoring", None))
    usual = getattr(source, "refit", None)
    key = choose_score(names, metric if len(keys) > 1 else None, usual if usual in keys else None)
    name = names[key]
    tries, values, _, _ = _read_scores(None, name.sign * np.asarray(results[MEAN + key]))
    return tries, values, name.name if name.name in METRICS else SCORE, name.sign > 0


def _read_column(path: Path, metric: str | None) -> Tries:
    """Read the column of a table that holds the scores of all tries."""
    with open_table(path) as file:
        columns = file.read(TextOptions())
    low = {name.casefold(): name for name in columns.names}
    wanted = [] if metric is None else [metric, f"mean_test_{metric}", f"metrics.{metric}"]
    chosen = next((low[w] for w in (*map(str.casefold, wanted), *NAMES) if w in low), None)
    if chosen is None:
        numeric = [n for n in columns.names if columns.array(n).dtype.kind in "fiu"]
        if len(numeric) != 1:
            raise EvidenceError(
                f"no column of {path.name!r} is known to hold the scores",
                needs="a column 'score', or one named like the metric",
                got=check.some(columns.names),
                cure=f"Rename it to 'score', or name it with {arg('metric')}.",
            )
        chosen = numeric[0]
    word = next((low[name] for name in ("config", "name", "model", "prompt") if name in low), None)
    names = None if word is None else [str(name) for name in columns.array(word).tolist()]
    name = chosen.casefold().removeprefix("mean_test_").removeprefix("metrics.")
    tries, values, _, _ = _read_scores(names, columns.array(chosen).tolist())
    return tries, values, name if name in METRICS else SCORE, True


def _read_scores(names: list[str] | None, scores: Any) -> Tries:
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            "scores are not numbers", needs="one number per try", got=check.show(scores)
        ) from error
    if values.ndim != 1:
        raise InputError(
            "there is not one score per try",
            needs="a list of numbers",
            got=f"shape {values.shape}",
            cure="With scores of folds ask earnest.estimate, which says more.",
        )
    names = [f"c{i}" for i in range(len(values))] if names is None else names
    whole = np.isfinite(values)
    if not whole.any():
        return _refuse_no_scores()
    scored = [name for name, fine in zip(names, whole, strict=True) if fine]
    return scored, values[whole], SCORE, True


def _refuse_no_scores() -> Tries:
    raise EvidenceError("there are no scores", needs="one finite number per try", got="none")
