"""DeLong's variances and MABT against plain NumPy transcriptions of their definitions."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import numpy as np

import earnest as en
from benchmarks.speed.timing import Row, side_by_side
from benchmarks.speed.transcriptions import (
    delong_variance,
    mabt,
    pairwise_delong_variance,
    split_mabt,
)
from earnest.core.base.rng import Seeds
from earnest.inference.cases.placements import placements
from earnest.inference.resampling.splits import Choice
from earnest.methods.split.tilted import choose_tilt_resampler, tilt_limits

RESAMPLES = 2000


def rows(quick: bool) -> Iterator[Row]:
    """Yield the ratios; numba is loaded, as in a session that has estimated something before."""
    import_module("earnest.kernels.compiled")
    yield delong_of_many(*((2_000, 100) if quick else (10_000, 500)))
    yield delong_by_pairs(2_000 if quick else 10_000, 20)
    yield whole_mabt(300, 50)
    if not quick:
        yield mabt_of_all(300, 50)


def _scores(n: int, configs: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], n // 2)
    return y, y[:, None] + rng.standard_normal((n, configs))


def delong_of_many(n: int, configs: int) -> Row:
    """Time DeLong's variances of all columns against one column after the other by mid-ranks."""
    y, scores = _scores(n, configs)
    positive = y == 1

    def ours() -> object:
        return placements(positive, scores).variance()

    def theirs() -> object:
        return [delong_variance(positive, scores[:, c]) for c in range(configs)]

    ours()
    return Row(
        f"DeLong's variances, n={n} C={configs}",
        *_named(*side_by_side(ours, theirs, 9), "mid-ranks by NumPy, column by column"),
        target=2.0,
    )


def delong_by_pairs(n: int, configs: int) -> Row:
    """Time DeLong's variances against the definition, which compares all pairs of cases."""
    y, scores = _scores(n, configs)
    positive = y == 1

    def ours() -> object:
        return placements(positive, scores).variance()

    def theirs() -> object:
        return [pairwise_delong_variance(positive, scores[:, c]) for c in range(configs)]

    ours()
    return Row(
        f"DeLong's variances, n={n} C={configs}",
        *_named(*side_by_side(ours, theirs), "all pairs by NumPy, column by column"),
        target=20.0,
    )


def whole_mabt(n: int, configs: int) -> Row:
    """Time the whole method, checks and both limits included, against choice and lower bound."""
    y, scores = _scores(n, configs)
    fold, learn = np.arange(n) // 2 % 10, np.arange(n) // 2 % 4 != 3
    pi = en.Predictions.from_arrays(y, scores, fold, response="decision")

    def ours() -> object:
        return en.estimate(pi, method="mabt", metric="roc_auc", n_resamples=RESAMPLES, rng=1)

    def theirs() -> object:
        return split_mabt(y == 1, scores, fold, learn, RESAMPLES, 1)

    ours()
    return Row(
        f"MABT, the whole method, n={n} C={configs} R={RESAMPLES}",
        *_named(*side_by_side(ours, theirs, 5), "the definition in plain NumPy"),
        target=50.0,
    )


def mabt_of_all(n: int, configs: int) -> Row:
    """Time the limits where all cases evaluate and every configuration is a candidate."""
    y, scores = _scores(n, configs)
    pi = en.Predictions.from_arrays(y, scores, response="decision")
    metric = en.metric("roc_auc").on("binary")
    values = en.kernels.score_table(pi, metric, np.ones((1, n)))[0]
    order = np.argsort(-values, kind="stable")
    choice = Choice(pi, order, values[order], np.zeros(configs, dtype=bool))
    resampler = choose_tilt_resampler(None, metric, pi.target)

    def ours() -> object:
        return tilt_limits(choice, metric, resampler, RESAMPLES, Seeds(1), corrected=True)

    def theirs() -> object:
        return mabt(y == 1, scores[:, order], RESAMPLES, 0.05, np.random.default_rng(1))

    ours()
    return Row(
        f"MABT, {configs} candidates on n={n} cases, R={RESAMPLES}",
        *_named(*side_by_side(ours, theirs, 2), "the definition in plain NumPy"),
        target=50.0,
    )


def _named(ours: float, theirs: float, baseline: str) -> tuple[float, str, float]:
    return ours, baseline, theirs
