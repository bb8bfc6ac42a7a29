"""Bootstrap estimators as plain loops over replicates and cases, from their definitions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from earnest import Replicates

Array = NDArray[np.float64]
Score = Callable[[Array, Array], float]  # outcome, response -> score


def auc(y: Array, score: Array) -> float:
    high, low = score[y == 1], score[y == 0]
    if len(high) == 0 or len(low) == 0:
        return float("nan")
    return float(np.mean([(h > low) + 0.5 * (h == low) for h in high]))


def error_rate(y: Array, score: Array) -> float:
    return float(np.mean((score > 0) != (y == 1)))


def accuracy(y: Array, score: Array) -> float:
    return 1.0 - error_rate(y, score)


def mse(y: Array, value: Array) -> float:
    return float(np.mean((y - value) ** 2))


def mae(y: Array, value: Array) -> float:
    return float(np.mean(np.abs(y - value)))


OF_CASES: list[tuple[str, str, Score]] = [  # task, metric and its definition
    ("binary", "error_rate", error_rate),
    ("binary", "accuracy", accuracy),
    ("regression", "mse", mse),
    ("regression", "mae", mae),
]
ASKED: list[tuple[str, str, Score]] = [
    *OF_CASES,
    ("binary", "roc_auc", auc),
    ("survival", "concordance", auc),  # of a survival target `score_of` takes the times too
]


def concordance(time: Array, event: Array, risk: Array) -> float:
    won = pairs = 0.0
    for i in np.flatnonzero(event):
        for j in range(len(time)):
            if time[i] < time[j] or (time[i] == time[j] and not event[j]):
                pairs += 1
                won += (risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j])
    return won / pairs if pairs else float("nan")


def score_of(made: Replicates, score: Score) -> Callable[[Array, NDArray[np.intp]], float]:
    """The score of a response on some rows, of a survival target by its events too."""
    target = made.target

    def on(response: Array, rows: NDArray[np.intp]) -> float:
        if target.event is not None:
            return concordance(target.y[rows], target.event[rows], response[rows])
        return score(target.y[rows], response[rows])

    return on


def apparent(made: Replicates, score: Score) -> float:
    return score_of(made, score)(made.apparent, np.arange(made.n_cases))


def simple(made: Replicates, score: Score) -> float:
    on, rows = score_of(made, score), np.arange(made.n_cases)
    return float(np.nanmean([on(said, rows) for said in made.responses]))


def star(made: Replicates, score: Score) -> float:
    on = score_of(made, score)
    pairs = zip(made.responses, made.counts, strict=True)
    return float(np.nanmean([on(said, np.flatnonzero(count == 0)) for said, count in pairs]))


def refined(made: Replicates, score: Score) -> float:
    on, gaps = score_of(made, score), []
    for said, count in zip(made.responses, made.counts, strict=True):
        rows = np.arange(made.n_cases)
        gaps.append(on(said, rows) - on(said, np.repeat(rows, count)))
    return apparent(made, score) + float(np.nanmean(gaps))


def loob(made: Replicates, score: Score) -> float:
    y, means = made.target.y, []
    for i in range(made.n_cases):
        out = np.flatnonzero(made.counts[:, i] == 0)
        if len(out):
            means.append(np.mean([score(y[[i]], made.responses[b, [i]]) for b in out]))
    return float(np.mean(means))


def no_information(made: Replicates, score: Score) -> float:
    y, said = made.target.y, made.apparent
    return float(np.mean([score(y[[i]], said[[j]]) for i in range(len(y)) for j in range(len(y))]))


def plus(train: float, test: float, none: float) -> float:
    """The .632+ of losses, as in Efron and Tibshirani 1997."""
    capped = min(test, none)
    rate = (capped - train) / (none - train) if capped > train and none > train else 0.0
    base = 0.368 * train + 0.632 * test
    return base + (capped - train) * 0.368 * 0.632 * rate / (1 - 0.368 * rate)
