"""Decision thresholds as configurations, so that tuning them is corrected for, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import InputError
from earnest.core.data.fold_scores import FoldScores, refuse_fold_scores
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.responses import ResponseKind, check_threshold
from earnest.core.data.target import Task
from earnest.core.text.doors import arg

USUAL = {ResponseKind.PROBABILITY: 0.5, ResponseKind.DECISION: 0.0}
SHARES = np.arange(1, 20) / 20  # 0.05, 0.10, ..., 0.95
MOST_BYTES = 1 << 32  # of the labels that are made; more would surprise a machine
NAME = "threshold"  # the parameter that a configuration gets


def with_thresholds(
    predictions: Predictions, thresholds: Sequence[float] | int | None = None
) -> Predictions:
    """Return Π in which every decision threshold of a configuration is its own configuration.

    A threshold that was chosen for its score is one more thing that was tuned, and its winner's
    score is too good like any other. As a configuration it takes part in the choice, and every
    method that corrects for a choice corrects for this one.

    Parameters
    ----------
    predictions : Predictions
        Probabilities or decision values of a binary task.
    thresholds : sequence of float, or int, optional
        Where a score becomes the positive label, strictly above; for all configurations alike. An
        integer uses that many quantiles of each configuration's scores, which looks at no outcome.
        By default 0.05, 0.10, ..., 0.95 for probabilities, and 19 quantiles for decision values,
        whose scales differ.

    Returns
    -------
    Predictions
        Labels, named "svm > 0.35", with the parameter `threshold` beside the others; the usual
        threshold (that of Π, else 0.5 or 0) is always among them, and stands first.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(7)
    >>> y = (rng.random(300) < 0.15).astype(int)  # few positives: 0.5 is a poor threshold for F1
    >>> score = 1 / (1 + np.exp(2 - 1.5 * y - rng.standard_normal(300)))
    >>> pi = en.Predictions.from_arrays(y, score[:, None], np.arange(300) % 10, configs=["svm"])
    >>> tuned = en.with_thresholds(pi)
    >>> tuned.n_configs, tuned.configs.ids[:2]
    (19, ('svm > 0.5', 'svm > 0.05'))
    >>> found = en.estimate(tuned, metric="f1", rng=7)
    >>> found.winner, bool(found.naive > found.value)
    ('svm > 0.3', True)
    """
    kind = check_cuttable(predictions)
    usual = USUAL[kind] if predictions.threshold is None else predictions.threshold
    cuts = _list_cuts(predictions, thresholds, usual)
    _refuse_too_many(predictions, sum(map(len, cuts)))
    responses = predictions.responses
    columns = [_cut_labels(responses[:, c], cut) for c, each in enumerate(cuts) for cut in each]
    return replace(
        predictions,
        configs=_name_configs(predictions.configs, cuts),
        responses=np.stack(columns, axis=1),
        kind=ResponseKind.LABEL,
        threshold=None,
    )


def check_cuttable(predictions: object) -> ResponseKind:
    """Return the kind of the scores, and refuse what no threshold cuts."""
    if isinstance(predictions, FoldScores):
        raise refuse_fold_scores()
    if not isinstance(predictions, Predictions):
        raise InputError(
            "this is not a table of out-of-sample predictions",
            needs="earnest.Predictions",
            got=type(predictions).__name__,
            cure="Pass its `predictions_`." if hasattr(predictions, "predictions_") else "",
        )
    if predictions.target.task is not Task.BINARY or predictions.kind not in USUAL:
        raise InputError(
            "thresholds need the scores of a binary task",
            needs="task binary, response probability or decision",
            got=f"task {predictions.target.task}, response {predictions.kind}",
            cure=(
                "Keep the scores of the models instead of their labels: SearchCV and harvest "
                f"take {arg('response', 'predict_proba')}."
            )
            if predictions.target.task is Task.BINARY
            else "",
        )
    return predictions.kind


def _list_cuts(
    pi: Predictions, thresholds: Sequence[float] | int | None, usual: float
) -> list[list[float]]:
    """Return the thresholds of every configuration, the usual one first, none of them twice."""
    count = pi.n_configs
    if thresholds is None and pi.kind is ResponseKind.PROBABILITY:
        every = [SHARES.tolist()] * count
    elif thresholds is None or isinstance(thresholds, (int, np.integer)):
        shares = SHARES if thresholds is None else _space_evenly(thresholds)
        every = [_find_quantiles(pi.responses[:, c], shares) for c in range(count)]
    else:
        every = [_check_cuts(pi, thresholds)] * count
    return [[usual, *(cut for cut in dict.fromkeys(each) if cut != usual)] for each in every]


def _space_evenly(count: object) -> NDArray[np.float64]:
    n = check.whole_number("thresholds", count, low=1)
    return np.asarray(np.arange(1, n + 1) / (n + 1))


def _find_quantiles(scores: Numbers, shares: NDArray[np.float64]) -> list[float]:
    """Return quantiles of the scores that are there: values that occur, so that ties stay whole."""
    there = scores[~np.isnan(scores)]
    if not len(there):
        return []
    return [float(v) for v in np.quantile(there, shares, method="inverted_cdf")]


def _check_cuts(pi: Predictions, thresholds: Sequence[float]) -> list[float]:
    listed = cast(Sequence[float], [thresholds]) if np.ndim(thresholds) == 0 else list(thresholds)
    if not listed:
        raise InputError("no threshold was given", needs="at least one number")
    cuts = [check_threshold(each, pi.target, pi.kind) for each in listed]
    if any(cut is None for cut in cuts):
        raise InputError(
            f"{arg('thresholds')} has a value that is not a number", needs="numbers", got="None"
        )
    return [cut for cut in cuts if cut is not None]


def _refuse_too_many(pi: Predictions, columns: int) -> None:
    size = 4 * columns * pi.n_cases * pi.n_repeats
    if size > MOST_BYTES:
        raise InputError(
            "there are too many thresholds to fit in memory",
            needs=f"labels of at most {MOST_BYTES >> 30} GB",
            got=f"{columns} columns of {pi.n_cases} cases: {size / (1 << 30):.0f} GB",
            cure=f"Pass fewer {arg('thresholds')}, or select configurations first.",
        )


def _cut_labels(scores: Numbers, cut: float) -> NDArray[np.float32]:
    """Return 1 where a score is above the cut, 0 where not, NaN where there is none."""
    labels = (scores > cut).astype(np.float32)
    labels[np.isnan(scores)] = np.nan
    return labels


def _name_configs(configs: Configs, cuts: list[list[float]]) -> Configs:
    """Return a configuration for each pair of a configuration and a threshold."""
    pairs = [(c, cut) for c, each in enumerate(cuts) for cut in each]
    params = configs.params or tuple({} for _ in configs.ids)
    name = NAME
    while any(name in config for config in params):
        name = f"decision_{name}"
    ranks = configs.complexity
    short = all(len({f"{cut:.6g}" for cut in each}) == len(each) for each in cuts)
    return Configs(
        ids=tuple(f"{configs.ids[c]} > {cut:{'.6g' if short else '.17g'}}" for c, cut in pairs),
        params=tuple({**params[c], name: cut} for c, cut in pairs),
        complexity=None if ranks is None else tuple(ranks[c] for c, _ in pairs),
        static=configs.static,
    )
