"""What a model answered: probabilities, decision values, labels, values, risks or survival."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import (
    ROUNDING,
    Numbers,
    RawArray,
    as_array,
    cut_row_blocks,
    finite_range,
    is_subset,
    is_within_one,
    look_like_class_columns,
    missing,
    refuse_unhashable,
)
from earnest.core.base.errors import InputError
from earnest.core.data.target import Target, Task
from earnest.core.text.doors import arg

SUM = 1e-3  # by how much rounding may carry the sum of all class probabilities away from 1

PERCENT = "If they are percentages, divide them by 100."


class ResponseKind(StrEnum):
    """The kinds of response; the first three are a classifier's."""

    PROBABILITY = "probability"
    DECISION = "decision"
    LABEL = "label"
    VALUE = "value"
    RISK = "risk"
    SURVIVAL = "survival"  # the risk, and the chance to be without event at each of the times


_ALLOWED = {
    Task.BINARY: (ResponseKind.PROBABILITY, ResponseKind.DECISION, ResponseKind.LABEL),
    Task.MULTICLASS: (ResponseKind.PROBABILITY, ResponseKind.DECISION, ResponseKind.LABEL),
    Task.REGRESSION: (ResponseKind.VALUE,),
    Task.SURVIVAL: (ResponseKind.RISK, ResponseKind.SURVIVAL),
    Task.SCORES: (ResponseKind.VALUE,),
}


def shape_scores(scores: ArrayLike, n: int, repeats: int | None, classes: int) -> RawArray:
    """Bring scores to (n, C, R) or (n, C, R, K) without copying them.

    `classes` is the number of classes of a classification, else 0.
    """
    array = as_array("scores", scores)
    if array.ndim == 0 or array.ndim > 4 or len(array) != n:
        raise InputError(
            "`scores` has the wrong shape",
            needs=f"(n,), (n, C), (n, C, R) or (n, C, R, K) with n = {n}, the length of `y`",
            got=str(array.shape),
        )
    if repeats is not None:
        check.whole_number("repeats", repeats, low=1)
    if array.ndim == 1:
        array = array[:, None, None]
    elif array.ndim == 2:
        width, times = array.shape[1], repeats or 1
        if width % times:
            raise InputError(
                f"{arg('repeats')} does not divide the columns of `scores`",
                needs="C * R columns, the R repeats of a configuration side by side",
                got=f"{width} columns, {arg('repeats', times)}",
            )
        array = array.reshape(n, width // times, times)  # splitting an axis is a view
    elif array.ndim == 3 and classes and repeats == 1 and array.shape[2] == classes:
        array = array[:, :, None, :]
    if 0 in array.shape[1:]:
        raise InputError(
            "`scores` has no configuration",
            needs="at least one column",
            got=f"shape {array.shape}",
        )
    if repeats is not None and array.shape[2] != repeats:
        raise InputError(
            f"{arg('repeats')} and `scores` disagree",
            needs=f"shape (n, C, {repeats})",
            got=f"shape {array.shape}",
        )
    return array


def infer_kind(
    array: RawArray, target: Target, response: ResponseKind | str | None
) -> ResponseKind:
    """Return the kind of response: as given, or as it is clear from the values."""
    allowed = _ALLOWED[target.task]
    if response is not None:
        check.one_of("response", str(response), [str(kind) for kind in allowed])
        return ResponseKind(response)
    if not target.has_classes:
        curves = target.task is Task.SURVIVAL and array.ndim == 4
        return ResponseKind.SURVIVAL if curves else allowed[0]
    if array.dtype.kind in "OUb" or is_subset(array, target.classes):
        return ResponseKind.LABEL
    if array.dtype.kind not in "fiu":  # complex numbers, dates: refused when they are encoded
        return allowed[0]
    whole = is_within_one(array) and (array.ndim < 4 or not count_unlike_one(array).any())
    return ResponseKind.PROBABILITY if whole else ResponseKind.DECISION


def count_unlike_one(array: Numbers) -> NDArray[np.int64]:
    """Count for each configuration the rows of class scores (n, C, R, K) that do not sum to 1."""
    counts = np.zeros(array.shape[1], dtype=np.int64)
    for block in cut_row_blocks(array):
        total = block.sum(axis=3, dtype=np.float64)  # NaN where a case was not evaluated
        counts += (np.abs(total - 1.0) > SUM).sum(axis=(0, 2))
    return counts


def refuse_class_columns(scores: RawArray, target: Target) -> None:
    """Refuse what predict_proba of one binary model gives: two columns are two configurations."""
    if target.task is Task.BINARY and look_like_class_columns(scores, 2):
        raise InputError(
            "`scores` look like both class probabilities of one model, not two configurations",
            needs="the score of the positive class, one column per configuration",
            got="two columns that sum to 1 in every case",
            cure=(
                "Pass the column of the positive class. If they are two configurations, name "
                f"them with {arg('configs')}."
            ),
        )


def encode_responses(
    array: RawArray,
    target: Target,
    kind: ResponseKind,
    order: tuple[object, ...],
    names: tuple[str, ...],
) -> Numbers:
    """Turn labels into class codes, two probability columns into one, and numbers into floats.

    `order` are the classes in the order of the last axis of four-dimensional scores, and `names`
    those of the configurations.
    """
    if kind is ResponseKind.LABEL:
        if array.ndim > 3:
            raise InputError(
                "`scores` are labels with a class axis",
                needs="shape (n, C, R)",
                got=f"{array.ndim} dimensions",
            )
        return _encode_labels(array, target)
    if array.dtype.kind not in "fiub":
        raise InputError(
            "`scores` are not numbers",
            needs="a float or int array",
            got=f"dtype {array.dtype}",
            cure=""
            if array.dtype.kind in "cmM"
            else "Convert them with np.asarray(scores, dtype=float).",
        )
    numbers = array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
    if kind is ResponseKind.SURVIVAL:
        return join_risks(numbers, target)
    if numbers.ndim == 4:
        whole = numbers
        numbers = _order_classes(numbers, target, order)
        if kind is ResponseKind.PROBABILITY:
            _refuse_other_sums(whole, names)
    elif target.task is Task.MULTICLASS:
        raise InputError(
            "a multiclass task needs a score for every class, or labels",
            needs=f"(n, C, R, {len(target.classes)}), or labels as (n, C, R)",
            got=f"shape {array.shape} with values that are not classes",
            cure=(
                "Pass the predict_proba of one model as p[:, None, None, :]; for one repeat "
                f"and shape (n, C, K) pass {arg('repeats', 1)}."
            ),
        )
    return _check_probabilities(numbers) if kind is ResponseKind.PROBABILITY else numbers


def join_risks(chances: Numbers, target: Target) -> Numbers:
    """Return chances to be without event (n, C, R, K) behind the risk: (n, C, R, 1 + K).

    The risk is the time that a case is expected to lose up to the last of the times.
    """
    times = np.array(target.times)
    if chances.ndim != 4 or chances.shape[3] != len(times):
        raise InputError(
            "`scores` do not match the times",
            needs=f"shape (n, C, R, {len(times)}): the chance to be without event at "
            f"{check.some(map(str, target.times))}",
            got=f"shape {chances.shape}",
            cure=f"Name the times of the last axis with {arg('times')}.",
        )
    low, high = finite_range(chances)
    falls = np.diff(chances, axis=3)
    if low < -ROUNDING or high > 1.0 + ROUNDING or (falls > ROUNDING).any():
        raise InputError(
            "`scores` are not chances to be without event",
            needs="values from 0 to 1 that never rise with time",
            got=f"values from {low:.6g} to {high:.6g}"
            + (", some of which rise" if (falls > ROUNDING).any() else ""),
            cure="If they are chances of the event, pass 1 minus them.",
        )
    chances = np.clip(chances, 0.0, 1.0)
    lengths = np.diff(times, prepend=0.0)
    before = np.concatenate([np.ones_like(chances[..., :1]), chances[..., :-1]], axis=3)
    lost = times[-1] - ((before + chances) / 2.0) @ lengths
    return np.concatenate([lost[..., None], chances], axis=3)


def check_threshold(threshold: float | None, target: Target, kind: ResponseKind) -> float | None:
    """Return the cut of a binary score as a float, or None for the usual one."""
    if threshold is None:
        return None
    if target.task is not Task.BINARY or kind is ResponseKind.LABEL:
        raise InputError(
            f"{arg('threshold')} needs the scores of a binary task",
            needs="task binary, response probability or decision",
            got=f"task {target.task}, response {kind}",
            cure="Leave it out.",
        )
    cut = check.read_number(threshold)
    low, high = (0.0, 1.0) if kind is ResponseKind.PROBABILITY else (-np.inf, np.inf)
    if not low <= cut <= high or not np.isfinite(cut):
        raise InputError(
            f"{arg('threshold')} is out of range",
            needs="a finite number" + (" from 0 to 1" if kind is ResponseKind.PROBABILITY else ""),
            got=check.show(threshold),
            cure=f"For {cut:g} percent use {cut / 100:g}." if 1.0 < cut <= 100.0 else "",
        )
    return cut


def is_like_percent(low: float, high: float) -> bool:
    """Tell whether scores of this range may be percentages."""
    return low >= 0.0 and 1.0 < high <= 100.0


def _check_probabilities(numbers: Numbers) -> Numbers:
    """Return probabilities inside [0, 1]; they are copied only to mend rounding."""
    low, high = finite_range(numbers)
    if low < -ROUNDING or high > 1.0 + ROUNDING:
        raise InputError(
            "`scores` are not probabilities",
            needs="values from 0 to 1",
            got=f"values from {low:.6g} to {high:.6g}",
            cure=f"{PERCENT} "
            * is_like_percent(low, high)
            + f"{'Otherwise pass' if is_like_percent(low, high) else 'Pass'} "
            f"{arg('response', 'decision')}, "
            f"or leave {arg('response')} out.",
        )
    return np.clip(numbers, 0.0, 1.0) if low < 0.0 or high > 1.0 else numbers


def _refuse_other_sums(numbers: Numbers, names: tuple[str, ...]) -> None:
    """Refuse class probabilities that do not sum to 1 in every row."""
    counts = count_unlike_one(numbers) if is_within_one(numbers) else np.zeros(1, dtype=np.int64)
    bad = [int(c) for c in np.flatnonzero(counts)]
    if bad:
        listed = (f"{names[c]} ({counts[c]} row{'s' if counts[c] > 1 else ''})" for c in bad)
        raise InputError(
            "class probabilities do not sum to 1",
            needs=f"rows that sum to 1 within {SUM:g}",
            got=f"other sums in {len(bad)} of {len(names)} configurations: {check.some(listed)}",
            cure=f"Divide each row by its sum, or pass {arg('response', 'decision')} if they "
            "are scores.",
        )


def _order_classes(numbers: Numbers, target: Target, order: tuple[object, ...]) -> Numbers:
    count = numbers.shape[3]
    if not target.has_classes or count != len(target.classes):
        raise InputError(
            "the last axis of `scores` does not match the classes",
            needs=f"{len(target.classes)} columns for {check.some(target.classes)}"
            if target.has_classes
            else f"no class axis for a {target.task} task",
            got=f"{count} columns",
        )
    if target.task is Task.BINARY:
        return numbers[..., order.index(target.classes[1])]
    return numbers


def _encode_labels(array: Numbers, target: Target) -> NDArray[np.float64]:
    refuse_unhashable("scores", array)
    gone = missing(array)
    codes = np.full(array.shape, np.nan)
    codes[gone] = 0.0
    for code, label in enumerate(target.classes):
        if (array.dtype.kind == "U") <= isinstance(label, str):  # text never equals a number
            codes[array == label] = code
    if np.isnan(codes).any():
        _match_by_text(array, target, codes)
    unknown = np.isnan(codes)
    if unknown.any():
        strangers = dict.fromkeys(array[unknown].ravel()[:1000].tolist())
        raise InputError(
            "`scores` hold labels that are not classes of `y`",
            needs=check.some(map(repr, target.classes)),
            got=check.some(map(repr, strangers)),
        )
    codes[gone] = np.nan
    return codes


def _match_by_text(array: Numbers, target: Target, codes: NDArray[np.float64]) -> None:
    """Let '1' and 1 be the same class: a file often keeps one as text and one as a number."""
    codes_by_text = {str(label): code for code, label in enumerate(target.classes)}
    for value in dict.fromkeys(array[np.isnan(codes)].tolist()):
        text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
        if text in codes_by_text:
            codes[array == value] = codes_by_text[text]
