"""Hypothesis strategies for Π and for what its configurations may be."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from earnest import Configs, Predictions
from earnest.core import LARGEST_OUTCOME

# No lone surrogates, which no file can hold, and no NUL, which NumPy drops from the end of text.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=6)
PARAMS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(
            TEXT | st.integers() | st.sampled_from(["$tuple", "$x"]), inner, max_size=3
        )
    ),
    max_leaves=5,
)


@st.composite
def labels_of(draw: st.DrawFn, count: int) -> list[Any]:
    kind = draw(st.sampled_from(["text", "int", "float"] + ["bool"] * (count == 2)))
    if kind == "bool":
        return [False, True]
    values = {
        "text": TEXT,
        "int": st.integers(-(2**62), 2**62),
        "float": st.floats(-1e6, 1e6).map(lambda v: round(v) + 0.5),
    }[kind]
    return draw(st.lists(values, min_size=count, max_size=count, unique=True))


@st.composite
def predictions(draw: st.DrawFn) -> Predictions:
    """Any Π: every task, kind, type and shape, with cells and cases that were not evaluated."""
    task = draw(st.sampled_from(["binary", "multiclass", "regression", "survival"]))
    n, width, repeats = draw(st.integers(4, 9)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    options: dict[str, Any] = {"task": task}
    kind = "value"
    count = {"binary": 2, "multiclass": 3}.get(task, 0)
    if count:
        labels = draw(labels_of(count))
        y: Any = [labels[i % count] for i in range(n)]
        kind = draw(st.sampled_from(["probability", "decision", "label"]))
        options |= {"response": kind, "classes": labels}
        if task == "binary":
            options["positive"] = labels[draw(st.integers(0, 1))]
        if task == "binary" and kind != "label" and draw(st.booleans()):
            options["threshold"] = draw(st.floats(0, 1))
    elif task == "regression":
        y = draw(hnp.arrays(np.float64, n, elements=st.floats(-LARGEST_OUTCOME, LARGEST_OUTCOME)))
    else:
        y = (draw(hnp.arrays(np.float64, n, elements=st.floats(0, 1e300))), np.arange(n) % 2 == 0)
    shape: tuple[int, ...] = (n, width, repeats)
    if kind == "label":
        codes = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, count - 1)))
        scores = np.empty(shape, dtype=object)
        scores[...] = np.array([*labels, None], dtype=object)[codes]
    else:
        shape = (*shape, 3) if task == "multiclass" else shape
        low: float | None
        high: float | None
        low, high = (0, 1) if kind == "probability" else (None, None)
        bits = 32 if dtype is np.float32 else 64
        if task == "regression" and bits == 64:
            low, high = -LARGEST_OUTCOME, LARGEST_OUTCOME
        finite = st.floats(low, high, width=bits, allow_nan=False, allow_infinity=False)
        scores = draw(hnp.arrays(dtype, shape, elements=finite))
        if task == "multiclass" and kind == "probability":
            scores = ((scores + 0.25) / (scores + 0.25).sum(axis=3, keepdims=True)).astype(dtype)
    folds = draw(hnp.arrays(np.int64, (n, repeats), elements=st.integers(-1, 2)))
    folds[:2] = [[0], [1]]
    gaps = draw(hnp.arrays(bool, (3, width, repeats)))
    for r in range(repeats):
        gone = gaps[folds[:, r], :, r] | (folds[:, r] < 0)[:, None]
        scores[:, :, r][gone] = None if kind == "label" else np.nan
    names = draw(st.lists(TEXT | st.just("y"), min_size=width, max_size=width, unique=True))
    params = draw(st.none() | st.tuples(*[st.dictionaries(TEXT, PARAMS, max_size=2)] * width))
    ranks = draw(st.none() | st.tuples(*[st.floats(-9, 9)] * width))
    fold_names = np.array(
        draw(st.sampled_from([["0", "1", "10"], ["a", "b", ""], ["2", "x", "-"]]))
    )
    return Predictions.from_arrays(
        y,
        scores,
        np.where(folds < 0, None, fold_names.astype(object)[folds]),
        configs=Configs(ids=tuple(names), params=params, complexity=ranks, static=width > 1),
        groups=draw(st.none() | st.just(np.arange(n) // 2)),
        strata=draw(st.none() | st.just(np.arange(n) % 2)),
        ids=draw(st.none() | st.lists(TEXT, min_size=n, max_size=n, unique=True)),
        when=draw(st.booleans()),
        **options,
    )
