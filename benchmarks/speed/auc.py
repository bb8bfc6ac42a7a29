"""Whole BBC for the AUC, against NumPy on the same resamples; and BBC over folds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

import earnest as en
from benchmarks.speed.problems import binary
from benchmarks.speed.timing import Row, best, side_by_side
from earnest.core.base.rng import Seeds
from earnest.core.data.selection import MeanOfFolds
from earnest.kernels.score import fold_scores
from earnest.resampling.bootstrap import CaseBootstrap, batches

RESAMPLES = 1000
FEW = 30  # configurations where there are many cases
TIMED = 20  # configurations that the baseline is timed on, then scaled


def rows(quick: bool) -> Iterator[Row]:
    """Yield the ratios of the AUC."""
    sizes = [(500, 766, 60.0)] if quick else [(500, 766, 60.0), (10_000, 1_000, 150.0)]
    for n, configs, target in sizes:
        yield from whole_bbc(n, configs, target)
    yield from over_folds()
    if not quick:
        yield at_a_million()


def whole_bbc(n: int, configs: int, target: float) -> Iterator[Row]:
    """Time draw, sort, scan, select and out-of-bag together.

    All cores are ours, NumPy's cumsum uses one. The target is about the plain form of the baseline;
    the leanest form we found stands beside it, and so does our time on one thread.
    """
    pi = binary(n, configs)
    counts = np.concatenate(
        [w.values for w in batches(CaseBootstrap(), pi.target, RESAMPLES, Seeds.of(1))]
    )

    def ours(n_jobs: int) -> object:
        return en.estimate(pi, metric="roc_auc", n_resamples=RESAMPLES, rng=1, n_jobs=n_jobs)

    ours(-1)  # warm: compiled code loaded, fingerprint known
    scaled = f"({TIMED} configurations, scaled; one thread)"
    plain = best(lambda: presorted_cumsum(pi, counts, TIMED), 1) * configs / TIMED
    lean = best(lambda: lean_cumsum(pi, counts, TIMED), 1) * configs / TIMED
    work = f"BBC, AUC, n={n} C={configs} B={RESAMPLES}, warm"
    mine, alone = (best(lambda jobs=jobs: ours(jobs), 5) for jobs in (-1, 1))
    yield Row(f"{work}, all cores", mine, f"NumPy presorted cumsum {scaled}", plain, target)
    yield Row(f"{work}, all cores", mine, f"the leanest NumPy we found {scaled}", lean, None)
    yield Row(f"{work}, one thread", alone, f"the leanest NumPy we found {scaled}", lean, None)


def at_a_million() -> Row:
    """Hold the time of a cell (case, configuration, resample) against that with fewer cases.

    A block of 64 resamples of a million cases takes 64 MB, which no cache holds.
    """
    costs = []
    for n in (100_000, 1_000_000):
        pi, resamples = binary(n, FEW), 512
        en.estimate(pi, metric="roc_auc", n_resamples=64, rng=1)  # warm: fingerprint known
        start = time.process_time()
        en.estimate(pi, metric="roc_auc", n_resamples=resamples, rng=1, n_jobs=1)
        costs.append((time.process_time() - start) / (n * FEW * resamples) * 1e9)
    return Row(
        f"whole BBC, AUC, n=1,000,000 C={FEW} B=512, a cell in processor time of one thread",
        costs[1],
        "the same at n=100,000",
        costs[0],
        1.5,
        unit="ns",
        more_is_better=False,
    )


def presorted_cumsum(pi: en.Predictions, counts: NDArray[np.uint8], configs: int) -> None:
    """Compute the AUC of some configurations for all resamples with NumPy alone."""
    y = pi.target.y.astype(bool)
    for c in range(configs):
        order = np.argsort(pi.responses[:, c, 0], kind="stable")
        labels = y[order]
        for start in range(0, len(counts), 64):
            ordered = counts[start : start + 64, order].astype(np.float64)
            below = np.cumsum(ordered * ~labels, axis=1)
            positives = ordered * labels
            (positives * below).sum(axis=1) / (positives.sum(axis=1) * below[:, -1])


def lean_cumsum(pi: en.Predictions, counts: NDArray[np.uint8], configs: int) -> None:
    """Do the same with less: sum the negatives alone, in integers, and look them up."""
    y = pi.target.y.astype(bool)
    for c in range(configs):
        order = np.argsort(pi.responses[:, c, 0], kind="stable")
        labels = y[order]
        negative, positive = order[~labels], order[labels]
        before = np.cumsum(~labels)[labels]  # negatives below each positive
        for start in range(0, len(counts), 64):
            block = counts[start : start + 64]
            below = np.zeros((len(block), len(negative) + 1), dtype=np.int64)
            np.cumsum(block[:, negative], axis=1, out=below[:, 1:])
            own = block[:, positive].astype(np.int64)
            np.einsum("ij,ij->i", own, below[:, before]) / (own.sum(axis=1) * below[:, -1])


def over_folds() -> Iterator[Row]:
    """Time BBC over folds against the loop of its definition in plain Python."""
    pi, metric = binary(500, 766), en.metric("roc_auc")
    table = fold_scores(pi, metric)[:, 0]
    method = en.methods.BBCFold(n_resamples=RESAMPLES, exact=False)
    yield Row(
        "BBC-F on its fold scores, n=500 C=766 K=10 B=1000",
        *timed(
            lambda: method.draws([table], MeanOfFolds(), metric, pi, Seeds.of(1)),
            "the definition as a Python loop",
            lambda: fold_loop(table),
            times=20,
        ),
        5.0,
    )
    yield Row(
        "BBC-F, whole call with fold scores, same size",
        *timed(
            lambda: en.estimate(pi, method=method, metric="roc_auc", rng=1, n_jobs=-1),
            "fold AUCs by scikit-learn's roc_auc_score (one fold timed, scaled) and that loop",
            lambda: sklearn_fold(pi),
            scale=10,
        ),
        None,
    )


def timed(
    ours: Callable[[], object],
    name: str,
    theirs: Callable[[], object],
    scale: float = 1.0,
    times: int = 3,
) -> tuple[float, str, float]:
    """Return our time, the baseline's name and its time, as a row wants them."""
    mine, other = side_by_side(ours, theirs, times)
    return mine, name, other * scale


def sklearn_fold(pi: en.Predictions) -> list[float]:
    """Compute the AUC of every configuration in one fold, one call each."""
    from sklearn.metrics import roc_auc_score

    rows = pi.folds[:, 0] == 0
    y = pi.target.y[rows]
    return [float(roc_auc_score(y, pi.responses[rows, c, 0])) for c in range(pi.n_configs)]


def fold_loop(table: NDArray[np.float64]) -> list[float]:
    """Draw folds, select, score: the definition, one resample at a time."""
    rng = np.random.default_rng(1)
    folds, out = len(table), []
    while len(out) < RESAMPLES:
        drawn = rng.integers(0, folds, folds)
        left_out = np.setdiff1d(np.arange(folds), drawn)
        if len(left_out) == 0:
            continue
        winner = int(np.argmax(table[drawn].mean(axis=0)))
        out.append(float(table[left_out, winner].mean()))
    return out
