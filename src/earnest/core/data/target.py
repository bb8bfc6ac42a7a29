"""The outcome of the cases: what a model tried to predict, read as the user gave it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, TypedDict, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.arguments.shared import GROUPS
from earnest.core.base import check
from earnest.core.base.arrays import (
    LARGEST_OUTCOME,
    RawArray,
    as_array,
    first_other,
    is_subset,
    look_like_class_columns,
    make_text,
    missing,
    read_one_column,
    refuse_unhashable,
    same_length,
    whole_as_int,
)
from earnest.core.base.errors import InputError
from earnest.core.data.case_weights import CaseWeights, SurveyDesign, Weighting
from earnest.core.data.measure import Measure
from earnest.core.data.order import Dependence, encode_order
from earnest.core.data.subgroups import SubgroupColumn
from earnest.core.text.doors import arg

S = TypeVar("S", bound=np.generic)


class Task(StrEnum):
    """The four kinds of outcome, and scores of items, which were computed without one here."""

    BINARY = "binary"
    MULTICLASS = "multiclass"
    REGRESSION = "regression"
    SURVIVAL = "survival"
    SCORES = "scores"


TASKS = (Task.BINARY, Task.MULTICLASS, Task.REGRESSION, Task.SURVIVAL)  # with an outcome


# Pairs of labels whose positive class nobody doubts; the positive one stands second.
_CLEAR_PAIRS: tuple[tuple[object, object], ...] = (
    (0, 1),  # False and True too
    (-1, 1),
    ("0", "1"),
    ("-1", "1"),
    ("False", "True"),
    ("false", "true"),
)

# Answers in short, and what they may stand for.
_SHORT: dict[str, tuple[str, ...]] = {
    "y": ("yes",),
    "n": ("no", "nein", "non", "não"),
    "t": ("true",),
    "f": ("false",),
    "j": ("ja",),
    "o": ("oui",),
    "s": ("sí", "sim", "si"),
    "+": ("pos", "positive"),
    "pos": ("positive",),
    "neg": ("negative",),
    "-": ("neg", "negative"),
}
# Words for the class that a study is not about.
_NEGATIVE = {"control", "controls", "no", "negative", "healthy", "normal", "well", "absent", "none"}
_NEGATIVE |= {"false", "alive", "censored", "benign", "no event", "non-case", "non-event"}
_NEGATIVE |= {"nein", "non", "nee", "nej", "nie", "não"}  # no, elsewhere


def usual_positive(labels: tuple[object, ...], counts: Sequence[int]) -> object:
    """Return the class of two that a study is probably about.

    It is 1 of 0 and 1 (or -1 and 1, true and false), else the one that is not called the negative
    one ('control', 'no', 'healthy'), else the rarer one, and the last of two that are equally
    frequent.

    Examples
    --------
    >>> from earnest.core.data.target import usual_positive
    >>> usual_positive(("case", "control"), [9, 1]), usual_positive(("defect", "ok"), [1, 9])
    ('case', 'defect')
    """
    for negative, clear in _CLEAR_PAIRS:
        if set(labels) == {negative, clear}:
            return labels[labels.index(clear)]
    named = [label for label in labels if str(label).strip().casefold() not in _NEGATIVE]
    if len(named) == 1:
        return named[0]
    return labels[0] if counts[0] < counts[-1] else labels[-1]


def refuse_spellings(name: str, labels: Sequence[object], counts: Sequence[int]) -> None:
    """Ask about classes that may be one: of other capitals or spaces, or in short, as Y is yes."""
    words = {" ".join(label.split()).casefold() for label in labels if isinstance(label, str)}
    spellings: dict[str, list[str]] = {}
    for label, count in zip(labels, counts, strict=True):
        if isinstance(label, str):
            shown = f"{label!r} ({count:,} times)"
            word = " ".join(label.split()).casefold()
            meant = next((full for full in _SHORT.get(word, ()) if full in words), word)
            spellings.setdefault(meant, []).append(shown)
    several = [" and ".join(shown) for shown in spellings.values() if len(shown) > 1]
    if not several:
        return
    task = "multiclass" if len(labels) > 2 else "binary"
    alike = len(words) < sum(isinstance(label, str) for label in labels)
    raise InputError(
        f"the outcome {name!r} has classes "
        + ("that differ in capitals or spaces alone" if alike else "in short and in full"),
        needs="one spelling of each class",
        got=check.some(several),
        cure="Are they the same? Then write each class in one way in the table. If they are "
        f"{len(labels)} different classes, pass {arg('task', task)}.",
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Target:
    """The outcome of `n` cases, with what else is known of them.

    Parameters
    ----------
    y : ndarray, shape (n,)
        Class codes (int64) for classification, 1 being the positive class of a binary task;
        values (float64) for regression; times (float64) for survival.
    task : Task
        Binary, multiclass, regression or survival.
    classes : tuple
        The labels in the order of their codes; empty without classes.
    event : ndarray of bool, shape (n,), optional
        Survival only: True where the event was seen, False where the case is censored.
    groups, strata : ndarray of int64, shape (n,), optional
        Codes of the units that belong together, and of the layers resampled apart.
    order : ndarray of int64, shape (n,), optional
        The rank of the time of each case; equal times are alike.
    dependence : Dependence, optional
        Of cases in time order: how much their losses depend on each other, once a question has
        named the losses.
    ids : ndarray of int64 or str, shape (n,), optional
        The names of the cases, all different.
    measure : Measure, optional
        Scores only: what they are summed up to.
    subgroups : tuple of SubgroupColumn
        Columns that divide the cases, which `by` names.
    weights : CaseWeights, optional
        How much each case counts in every metric; all the same if None.
    times : tuple of float
        Survival only: when models are asked for the chance to be without event. By default round
        times up to the horizon, at which a tenth of the cases is still followed.

    Examples
    --------
    >>> import earnest as en
    >>> target = en.Predictions.from_arrays(
    ...     ["ill", "well", "ill"], [0.9, 0.2, 0.7], positive="ill"
    ... ).target
    >>> target.classes, target.y
    (('well', 'ill'), array([1, 0, 1]))
    """

    y: NDArray[Any]  # int64 or float64, as the task says
    task: Task
    classes: tuple[object, ...] = ()
    event: NDArray[np.bool_] | None = None
    groups: NDArray[np.int64] | None = None
    strata: NDArray[np.int64] | None = None
    order: NDArray[np.int64] | None = None
    dependence: Dependence | None = None
    ids: NDArray[np.generic] | None = None
    measure: Measure | None = None
    subgroups: tuple[SubgroupColumn, ...] = ()
    weights: CaseWeights | None = None
    times: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Read the task, which may be given by its name, and choose times of survival."""
        if type(self.task) is not Task:
            object.__setattr__(self, "task", Task(check.one_of("task", self.task, list(Task))))
        if self.task is Task.SURVIVAL and not self.times and self.event is not None:
            object.__setattr__(self, "times", choose_times(self.y, self.event))

    @property
    def layer_codes(self) -> NDArray[np.int64]:
        """What is resampled apart: the strata given, else the classes or the events."""
        if self.strata is not None:
            return self.strata
        if self.has_classes:
            return self.y
        if self.event is not None:
            return self.event.astype(np.int64)
        return np.zeros(self.n, dtype=np.int64)

    @cached_property
    def layers(self) -> tuple[NDArray[np.intp], ...]:
        """The cases of every layer, kept as each block of resamples asks for them."""
        codes = self.layer_codes
        return tuple(np.flatnonzero(codes == code) for code in np.unique(codes))

    @property
    def ordered(self) -> bool:
        """Whether the cases are in time order."""
        return self.order is not None

    @property
    def in_blocks(self) -> bool:
        """Whether resamples draw blocks of time: of cases in order without groups or weights."""
        alike = self.groups is None and self.masses is None and not self.surveyed
        return self.order is not None and alike

    @property
    def n(self) -> int:
        """The number of cases."""
        return len(self.y)

    @property
    def masses(self) -> NDArray[np.float64] | None:
        """The weights with mean 1, None where all cases weigh the same."""
        return None if self.weights is None else self.weights.masses

    @property
    def surveyed(self) -> bool:
        """Whether the cases are those of a survey with strata, whose units are drawn in each."""
        survey = self.weights is not None and self.weights.kind is Weighting.SURVEY
        return survey and self.strata is not None

    @cached_property
    def design(self) -> SurveyDesign:
        """The units that were drawn, and their strata."""
        return SurveyDesign.of(self.n, self.groups, self.strata)

    @property
    def n_units(self) -> int:
        """The number of units that were drawn: those of a survey, groups, or cases."""
        if self.surveyed:
            return int(self.design.sizes.sum())
        return self.n if self.groups is None else len(np.unique(self.groups))

    @property
    def freedom(self) -> int:
        """The degrees of freedom of a variance over units, at least 1."""
        units = self.design.freedom if self.surveyed else self.effective_units - 1
        return max(min(units, self.effective_units), 1)

    @property
    def effective_units(self) -> int:
        """How many units of equal weight the units are worth."""
        if self.masses is None:
            return self.n_units
        return max(1, int(self.n_units * (self.count_effective() / self.n) + 1e-9))

    def count_effective(self, rows: NDArray[np.bool_] | None = None) -> float:
        """Return how many cases of equal weight these are worth: Kish's effective size."""
        if self.masses is None or self.weights is None:
            return float(self.n if rows is None else rows.sum())
        return self.weights.effective_size(rows)

    @property
    def labelled_units(self) -> int:
        """The number of independent units: groups or cases; of marks, those that people labelled.

        Where answers had unlike chances to be labelled, or cases weigh unlike, they are fewer.
        """
        units = self.effective_units
        share = 1.0 if self.measure is None else self.measure.labelled
        return units if share >= 1.0 else max(1, int(units * share + 1e-9))

    @property
    def has_classes(self) -> bool:
        """Whether the task is a classification."""
        return self.task in (Task.BINARY, Task.MULTICLASS)

    @property
    def labels(self) -> NDArray[np.generic]:
        """The outcome in the user's own words: labels, values or times."""
        return label_array(self.classes)[self.y] if self.has_classes else self.y

    def take(self, rows: NDArray[np.intp]) -> Target:
        """Return the target of some of the cases."""

        def part(values: NDArray[S] | None) -> NDArray[S] | None:
            return None if values is None else values[rows]

        return replace(
            self,
            y=self.y[rows],
            event=part(self.event),
            groups=part(self.groups),
            strata=part(self.strata),
            order=None if self.order is None else encode_order(self.order[rows], len(rows)),
            ids=part(self.ids),
            subgroups=tuple(column.take(rows) for column in self.subgroups),
            weights=None if self.weights is None else self.weights.take(rows),
        )


STEPS_TO_HORIZON = 12.0  # at least so many round times, and about twice as many at most
FOLLOWED = 0.9  # the share of cases that have left by the horizon


def choose_times(time: NDArray[np.float64], event: NDArray[np.bool_]) -> tuple[float, ...]:
    """Return round times up to the horizon: 12 to 24 multiples of 1, 2, 2.5 or 5 times 10^k.

    The horizon is when a tenth of the cases is still followed, or when half of the events were
    seen, whichever is later.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.data.target import choose_times
    >>> choose_times(np.arange(1.0, 101.0), np.ones(100, dtype=bool))[-3:]
    (80.0, 85.0, 90.0)
    """
    if len(time) == 0 or not event.any():
        return ()
    horizon = max(float(np.quantile(time, FOLLOWED, method="lower")), float(np.median(time[event])))
    if not horizon > 0.0:
        return ()
    power = 10.0 ** np.floor(np.log10(horizon / STEPS_TO_HORIZON))
    unit = max(u for u in (1.0, 2.0, 2.5, 5.0) if u * power <= horizon / STEPS_TO_HORIZON)
    count = int(np.floor(horizon / (unit * power) + 1e-9))
    times = tuple(float(f"{k * unit * power:.12g}") for k in range(1, count + 1))
    return times if times[0] > 0.0 and np.isfinite(times[-1]) else ()


def read_times(times: object, name: str = "times") -> tuple[float, ...]:
    """Return the times at which survival is predicted; refuse what is not rising and above 0."""
    array = np.atleast_1d(as_array(name, times))
    fits = array.ndim == 1 and array.dtype.kind in "iuf" and len(array) > 0
    if not fits or not np.isfinite(array).all() or array[0] <= 0 or (np.diff(array) <= 0).any():
        raise InputError(
            f"{arg(name)} does not hold times of survival",
            needs="numbers above 0, each larger than the one before",
            got=check.show(times),
        )
    return tuple(float(value) for value in array)


def label_array(classes: tuple[object, ...]) -> NDArray[np.generic]:
    """Return the classes as an array that keeps mixed labels as objects."""
    array = np.empty(len(classes), dtype=object)
    array[:] = classes
    kinds = {type(c) for c in classes}
    return np.array(classes) if len(kinds) == 1 and kinds <= {int, float, bool, str} else array


def encode_classes(
    y: NDArray[np.generic],
    task: Task,
    positive: object,
    classes: tuple[object, ...] | None,
    *,
    name: str = "`y`",
) -> tuple[NDArray[np.int64], tuple[object, ...]]:
    """Turn labels into codes; the positive class of a binary task gets code 1.

    Errors call the outcome by its `name`.
    """
    levels, codes = np.unique(y, return_inverse=True)
    labels = plain_labels(levels)
    if len(labels) < 2:
        raise InputError(
            f"{name} has fewer than two classes",
            got=f"only {check.show(labels[0])}" if labels else "no class",
            cure="Check the outcome: there is nothing to predict." + _suggest_regression(y),
        )
    if classes is not None:
        labels, codes = _recode(labels, codes, classes)
    if task is Task.BINARY:
        if len(labels) != 2:
            raise InputError(
                f"{name} has too many classes",
                needs="two for a binary task",
                got=f"{len(labels)} ({check.some(labels)})",
                cure=f"Use {arg('task', 'multiclass')}, or keep two classes.",
            )
        if _find_positive(labels, positive, np.bincount(codes.reshape(-1)).tolist(), name) == 0:
            labels, codes = (labels[1], labels[0]), 1 - codes
    elif positive is not None:
        raise InputError(
            f"{arg('positive')} is for binary tasks, but {name} has {len(labels)} classes",
            cure="Leave it out, or recode the outcome to two classes.",
        )
    return codes.astype(np.int64).reshape(-1), labels


def plain_labels(labels: Iterable[object]) -> tuple[object, ...]:
    """Return labels as Python's own types, so that files can hold them."""
    return tuple(v.item() if isinstance(v, np.generic) else v for v in labels)


def read_classes(classes: Iterable[object]) -> tuple[object, ...]:
    """Return the classes that a user lists, and refuse anything but a list of labels."""
    array = as_array("classes", classes)
    if array.ndim != 1 or array.dtype.kind not in "iufbUO":
        raise InputError(
            "`classes` is not a list of labels",
            needs="text, integers or bool, each class once",
            got=f"shape {array.shape} of type {array.dtype}",
        )
    refuse_unhashable("classes", array)
    if missing(array).any():
        raise InputError(
            "`classes` lists a missing value",
            needs="text, integers or bool, each class once",
            got=check.show(classes),
        )
    return plain_labels(classes)


def _suggest_regression(y: NDArray[np.generic]) -> str:
    return f" For a regression pass {arg('task', 'regression')}." if y.dtype.kind in "iuf" else ""


def _recode(
    labels: tuple[object, ...], codes: NDArray[np.generic], classes: tuple[object, ...]
) -> tuple[tuple[object, ...], NDArray[np.generic]]:
    strange = [label for label in labels if label not in classes]
    if strange or len(set(classes)) != len(classes):
        raise InputError(
            "`classes` does not list each class of `y` once",
            needs=check.some(map(repr, labels)),
            got=check.some(map(repr, classes)),
        )
    return classes, np.array([classes.index(label) for label in labels])[codes]


def _find_positive(
    labels: tuple[object, ...], positive: object, counts: Sequence[int], name: str
) -> int:
    """Return the index of the positive class, chosen or clear."""
    if positive is not None:
        for index, label in enumerate(labels):
            if _is_meant(positive, label):
                return index
        raise InputError(
            f"{arg('positive')} is not a class of {name}",
            needs=" or ".join(repr(label) for label in labels),
            got=check.show(positive),
            # Another label might be the other class: only one in other capitals is offered.
            cure=check.suggest_spelling(
                repr(label)
                for label in labels
                if check.find_nearest(check.spell(positive, str), [str(label)], least=1.0)
            ),
        )
    for negative, clear in _CLEAR_PAIRS:
        if set(labels) == {negative, clear}:
            return labels.index(clear)
    raise InputError(
        "the positive class is ambiguous",
        needs=f"{arg('positive', labels[0])} or {labels[1]!r}",
        got=f"no {arg('positive')}",
        cure="Pass the class that high scores stand for. That is usually "
        f"{arg('positive', usual_positive(labels, counts))}.",
    )


def _is_meant(choice: object, label: object) -> bool:
    """Tell whether a label is meant; a command line can only give text."""
    if isinstance(label, bool) and isinstance(choice, str):
        return choice.casefold() in (("true", "1") if label else ("false", "0"))
    number = isinstance(choice, (int, float, np.number, np.bool_))
    return str(label) == check.spell(choice, str) or (number and bool(label == choice))


def encode_units(
    values: ArrayLike | None, n: int, name: str, beside: str = "y"
) -> NDArray[np.int64] | None:
    """Turn group or stratum labels into codes in the order of the sorted labels."""
    if values is None:
        return None
    array = read_one_column(name, values, n, beside)
    if array.dtype == object:  # labels of mixed types have no order of their own
        array = make_text(array)
    codes = np.unique(array, return_inverse=True)[1]
    return np.asarray(codes, dtype=np.int64).reshape(-1)


def encode_ids(values: ArrayLike | None, n: int) -> NDArray[np.generic] | None:
    """Return the names of the cases as whole numbers or text, all different."""
    if values is None:
        return None
    array = read_one_column("ids", values, n)
    array = whole_as_int(array)
    numbers = array.dtype.kind == "i" or (array.dtype.kind == "u" and array.max() < 1 << 63)
    array = array.astype(np.int64) if numbers else make_text(array)
    names, counts = np.unique(array, return_counts=True)
    if len(names) != n:
        twice = check.some(f"{v} ({c} times)" for v, c in zip(names, counts, strict=True) if c > 1)
        raise InputError(
            f"`ids` are not unique: {twice}",
            cure=(
                f"If several cases belong to one unit, pass the unit as {GROUPS}; if a "
                "table "
                "repeats its cases, add a column 'repeat'."
            ),
        )
    return array


COMPETING = (
    "If these are several kinds of event, they are competing risks, which earnest does not handle: "
    "with the others censored, risks would be too high."
)


def tell_competing(kinds: int) -> str:
    """Return what to say of a column of events with more values than two, else nothing."""
    return COMPETING if kinds > 2 else ""


def survival_parts(y: object) -> tuple[NDArray[np.float64], NDArray[np.bool_]] | None:
    """Read (time, event) out of a structured array or a pair of arrays; None if it is neither."""
    if isinstance(y, np.ndarray) and y.dtype.names is not None:
        if len(y.dtype.names) != 2:
            raise InputError(
                "a structured `y` must hold survival times",
                needs="two fields, the event (bool) and the time",
                got=f"{len(y.dtype.names)} fields ({check.some(y.dtype.names)})",
            )
        parts = [as_array(name, y[name]) for name in y.dtype.names]
    elif isinstance(y, tuple) and len(y) == 2:
        parts = [as_array("y", values) for values in y]
        if any(values.ndim != 1 for values in parts):
            return None
    else:
        return None
    events = [p for p in parts if p.dtype == bool] or [p for p in parts if _is_event(p)]
    times = [p for p in parts if p is not events[0]] if len(events) == 1 else []
    if not times or times[0].dtype.kind not in "iuf":
        raise InputError(
            "the events of a survival `y` are ambiguous",
            needs="an array of times (numbers) and one of events (bool, or 0 and 1)",
            got=f"dtypes {parts[0].dtype} and {parts[1].dtype}",
            cure=f"Pass the events as bool. {_count_kinds(parts)}".rstrip(),
        )
    return times[0].astype(np.float64), events[0].astype(bool)


def _count_kinds(parts: list[NDArray[np.generic]]) -> str:
    """Return what to say of whole numbers from 0 on, where one of two columns holds a few."""
    few = [np.unique(values) for values in parts if values.dtype.kind in "iuf"]
    codes = [levels for levels in few if np.array_equal(levels, np.arange(len(levels)))]
    return tell_competing(max((len(levels) for levels in codes if len(levels) < 10), default=0))


def _is_event(values: NDArray[np.generic]) -> bool:
    return values.dtype.kind in "iuf" and bool(np.isin(values, (0, 1)).all())


MANY = 30  # whole numbers with more values than this are not taken for classes


def read_target(
    y: object,
    scores: RawArray,
    *,
    task: Task | str | None,
    positive: object,
    classes: tuple[object, ...] | None,
    groups: ArrayLike | None,
    strata: ArrayLike | None,
    order: ArrayLike | bool | None,
    ids: ArrayLike | None,
    repeats: int | None = None,
    times: object = None,
) -> tuple[Target, tuple[object, ...]]:
    """Return the target, and the classes in the order of a class axis."""
    if task is not None:
        task = Task(check.one_of("task", str(task), [str(t) for t in TASKS]))
    pair = _read_pair(y) if task is Task.SURVIVAL else survival_parts(y)
    if pair is not None and task in (None, Task.SURVIVAL):
        _refuse_classes(positive, classes, Task.SURVIVAL)
        about = _read_cases(len(pair[0]), groups, strata, order, ids)
        target = _make_survival(*pair, about)
        return target if times is None else replace(target, times=read_times(times)), ()
    if times is not None:
        raise InputError(
            f"{arg('times')} is for survival",
            needs="an outcome of times and events",
            got="another outcome",
            cure="Leave it out.",
        )
    values = _read_column(y)
    about = _read_cases(len(values), groups, strata, order, ids)
    classes = None if classes is None else plain_labels(classes)
    task = task or infer_task(values, scores, classes, repeats)
    if task is Task.REGRESSION:
        _refuse_classes(positive, classes, task)
        return _make_regression(values, about), ()
    values = whole_as_int(values)  # 0.0 and 1.0 are the classes 0 and 1
    listed = classes or plain_labels(np.unique(values))
    codes, labels = encode_classes(values, task, positive, classes)
    return Target(y=codes, task=task, classes=labels, **about), listed


def infer_task(
    values: NDArray[np.generic],
    scores: RawArray,
    classes: tuple[object, ...] | None = None,
    repeats: int | None = None,
) -> Task:
    """Tell the task from the outcome and the form of the scores."""
    if classes is not None:
        return Task.BINARY if len(classes) == 2 else Task.MULTICLASS
    levels = np.unique(values)
    numbers = values.dtype.kind in "iuf"
    whole = not numbers or bool((levels == np.rint(levels)).all())
    if len(levels) <= 2 and whole:
        return Task.BINARY
    if not numbers or scores.ndim == 4:
        return Task.MULTICLASS
    if not whole or len(levels) > MANY:
        return Task.REGRESSION
    if scores.ndim == 3 and repeats == 1 and scores.shape[2] == len(levels):
        return Task.MULTICLASS
    if scores.dtype.kind in "OU" or is_subset(scores, tuple(float(v) for v in levels)):
        return Task.MULTICLASS
    if look_like_class_columns(scores, len(levels)):
        raise InputError(
            (
                "`y` may hold classes or numbers, and `scores` look like the probabilities of its "
                f"{len(levels)} values"
            ),
            needs=f"{arg('task')}",
            got="none",
            cure=f"Pass {arg('task', 'multiclass')} with scores of shape (n, C, R, K), or "
            f"{arg('task', 'regression')}.",
        )
    return Task.REGRESSION


def _read_column(y: object) -> NDArray[np.generic]:
    values = as_array("y", y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim == 0:
        raise InputError("`y` is a single value", needs="one outcome per case", got=check.show(y))
    if values.ndim != 1:
        raise InputError(
            "multilabel and multi-output targets are not supported",
            needs="one outcome per case, shape (n,)",
            got=f"shape {values.shape}",
            cure=(
                "Estimate each outcome separately; pass one-hot columns as one column of "
                f"labels, and times with events as {arg('task', 'survival')}."
            ),
        )
    if len(values) == 0:
        raise InputError("`y` is empty", needs="at least two cases", got="none")
    absent = missing(values)
    if absent.any():
        raise InputError(
            "`y` has missing values",
            needs="an outcome for every case",
            got=f"{int(absent.sum())} of {len(values)} missing",
            cure="Remove these cases from y, scores and fold.",
        )
    _check_type(values)
    return values


def _check_type(values: NDArray[np.generic]) -> None:
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise InputError(
            "`y` has infinite values",
            needs="finite numbers",
            got=f"{int(np.isinf(values).sum())} of {len(values)} infinite",
        )
    if values.dtype.kind not in "iufbU":
        kinds = dict.fromkeys(type(v).__name__ for v in values.tolist())
        if values.dtype.kind in "mM":  # to the nanosecond they would be told as integers
            kinds = {"dates" if values.dtype.kind == "M" else "spans of time": None}
        raise InputError(
            "`y` mixes labels of different types"
            if len(kinds) > 1
            else "`y` holds neither labels nor numbers",
            needs="text, integers or bool as labels, or numbers",
            got=check.some(kinds),
            cure="Convert all labels to text with [str(v) for v in y].",
        )


class _Cases(TypedDict):
    """What is known of the cases, whatever the task."""

    groups: NDArray[np.int64] | None
    strata: NDArray[np.int64] | None
    order: NDArray[np.int64] | None
    ids: NDArray[np.generic] | None


def _read_cases(
    n: int,
    groups: ArrayLike | None,
    strata: ArrayLike | None,
    order: ArrayLike | bool | None,
    ids: ArrayLike | None,
) -> _Cases:
    return {
        "groups": encode_units(groups, n, "groups"),
        "strata": encode_units(strata, n, "strata"),
        "order": encode_order(order, n),
        "ids": encode_ids(ids, n),
    }


def _refuse_classes(positive: object, classes: tuple[object, ...] | None, task: Task) -> None:
    for name, value in (("positive", positive), ("classes", classes)):
        if value is not None:
            raise InputError(
                f"{arg(name)} is for classification, but the task is {task}",
                cure=f"Leave {arg(name)} out"
                + (
                    f", or pass {arg('task', 'binary')} or 'multiclass'."
                    if task is Task.REGRESSION
                    else "."
                ),
            )


def _make_regression(values: NDArray[np.generic], about: _Cases) -> Target:
    if values.dtype.kind not in "iufb":
        other = first_other(values)
        raise InputError(
            "`y` is not numeric",
            needs="numbers for a regression",
            got=f"text such as {check.show(values[0].item())}"
            if other is None
            else f"{check.show(other[1])} in row {other[0] + 1}",
            cure=f"Convert it, or pass {arg('task', 'multiclass')}.",
        )
    y = values.astype(np.float64)
    size = float(np.abs(y).max(initial=0.0))
    if size > LARGEST_OUTCOME:
        raise InputError(
            "the values of `y` are too large to be squared",
            needs=f"sizes up to {LARGEST_OUTCOME:g}",
            got=f"up to {size:g}",
            cure="Measure outcome and predictions in another unit.",
        )
    return Target(y=y, task=Task.REGRESSION, **about)


def _read_pair(y: object) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Read times and events out of what the user says is a survival outcome."""
    pair = survival_parts(y)
    table = as_array("y", y) if pair is None else None
    if table is not None and table.ndim == 2 and table.shape[1] == 2:
        pair = survival_parts((as_array("y", table[:, 0]), as_array("y", table[:, 1])))
    if pair is None:
        raise InputError(
            "`y` does not hold times and events",
            needs="a pair (time, event), a structured array, or two columns",
            got=f"shape {None if table is None else table.shape}",
        )
    return pair


def _make_survival(time: NDArray[np.float64], event: NDArray[np.bool_], about: _Cases) -> Target:
    same_length("event", event, len(time))
    bad = ~np.isfinite(time) | (time < 0)
    if bad.any():
        raise InputError(
            "survival times are not valid",
            needs="finite times of at least 0",
            got=f"{int(bad.sum())} of {len(time)} missing, infinite or negative",
        )
    if not event.any():
        raise InputError(
            "every case is censored",
            needs="at least one event",
            got="none",
            cure="Check which column is the event.",
        )
    return Target(y=time, task=Task.SURVIVAL, event=event, **about)
