"""Small examples of evidence beyond one cross-validation: repeats, single cases, designs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.designs import NestedPredictions, PairedHalves
from earnest.core.predictions import Predictions


def with_single_folds(pi: Predictions) -> Predictions:
    """Return the first repeat with a fold for every case."""
    names = tuple(str(i) for i in range(pi.n_cases))
    return replace(
        pi,
        responses=pi.responses[:, :, :1],
        folds=np.arange(pi.n_cases, dtype=np.int32)[:, None],
        fold_names=(names,),
    )


def with_repeats(pi: Predictions, repeats: int, seed: int = 0) -> Predictions:
    """Return repeats of the first one: other folds of the same sizes, answers a little moved."""
    rng = np.random.default_rng(seed)
    first, codes = pi.responses[:, :, :1].astype(np.float64), pi.folds[:, 0]
    units = np.unique(np.arange(pi.n_cases) // 3)  # of which folds were made
    folds, responses = [codes], [first]
    for _ in range(repeats - 1):
        order = rng.permutation(len(units))
        folds.append(codes[3 * order[np.arange(pi.n_cases) // 3]])
        responses.append(_moved(first, rng))
    return replace(
        pi,
        responses=np.concatenate(responses, axis=2),
        folds=np.stack(folds, axis=1).astype(np.int32),
        fold_names=pi.fold_names[:1] * repeats,
    )


def nested_of(pi: Predictions, seed: int = 0) -> NestedPredictions:
    """Return nested predictions of one column, the inner answers a little moved."""
    outer, rng = pi.select(0), np.random.default_rng(seed)
    codes = outer.folds[:, 0]
    inner = []
    for fold in range(len(outer.fold_names[0])):
        moved = _moved(outer.responses.astype(np.float64), rng)
        moved[codes == fold] = np.nan
        folds = np.where(codes == fold, -1, codes)[:, None].astype(np.int32)
        inner.append(replace(outer, responses=moved, folds=folds))
    return NestedPredictions(outer, (tuple(inner),))


def halves_of(pi: Predictions, seed: int = 0) -> PairedHalves:
    """Return random splits of one column, of all cases and of three pairs of halves."""
    whole, rng = pi.select(0), np.random.default_rng(seed)
    every = np.arange(pi.n_cases)
    pairs = []
    for _ in range(3):
        first = np.zeros(pi.n_cases, dtype=bool)
        first[rng.permutation(pi.n_cases)[: pi.n_cases // 2]] = True
        pairs.append((_split(whole, every[first], rng), _split(whole, every[~first], rng)))
    return PairedHalves(_split(whole, every, rng), tuple(pairs))


def design_in_order(
    design: NestedPredictions | PairedHalves, rows: NDArray[np.intp]
) -> NestedPredictions | PairedHalves:
    """Return the cases of a design by position."""
    if isinstance(design, NestedPredictions):
        inner = tuple(tuple(part.take(rows) for part in row) for row in design.inner)
        return NestedPredictions(design.outer.take(rows), inner)
    pairs = tuple((a.take(rows), b.take(rows)) for a, b in design.halves)
    return PairedHalves(design.whole.take(rows), pairs)


def _split(pi: Predictions, rows: NDArray[np.intp], rng: np.random.Generator) -> Predictions:
    """Return four random splits of some rows, a quarter of them tested in each."""
    responses = np.full((*pi.responses.shape[:2], 4, *pi.responses.shape[3:]), np.nan)
    folds = np.full((pi.n_cases, 4), -1, dtype=np.int32)
    for split in range(4):
        test = rng.permutation(rows)[: max(6, len(rows) // 4)]
        responses[test, :, split] = _moved(pi.responses[test, :, 0].astype(np.float64), rng)
        folds[test, split] = 0
    return replace(pi, responses=responses, folds=folds, fold_names=(("0",),) * 4)


def _moved(answers: Any, rng: np.random.Generator) -> Any:
    """Return answers a little moved, probabilities staying such."""
    step = 0.1 * rng.standard_normal(answers.shape)
    if answers.min() >= 0.0 and answers.max() <= 1.0:
        kept = np.clip(answers, 1e-6, 1.0 - 1e-6)
        moved = 1.0 / (1.0 + np.exp(-(np.log(kept / (1.0 - kept)) + step)))
        whole = answers.ndim == 4  # of several classes, which sum to 1
        return moved / moved.sum(axis=-1, keepdims=True) if whole else moved
    return answers + step
