"""Π: the out-of-sample predictions of every configuration for every case."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeGuard, TypeVar, Unpack, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import (
    LARGEST_OUTCOME,
    Numbers,
    as_array,
    column_names,
    kept,
    read_only,
    refuse_other_order,
    same_length,
    yield_row_bytes,
)
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.data.case_weights import CaseWeights, Weighting
from earnest.core.data.folds import (
    FoldSizes,
    TrainingSizes,
    encode_folds,
    find_complete,
    find_evaluated_cells,
    find_training_sizes,
)
from earnest.core.data.guides import FIXED, Guides
from earnest.core.data.order import is_by_rows, pack_order
from earnest.core.data.responses import (
    ResponseKind,
    check_threshold,
    encode_responses,
    infer_kind,
    refuse_class_columns,
    shape_scores,
)
from earnest.core.data.subgroups import ByLike, read_columns
from earnest.core.data.target import Target, Task, read_classes, read_target
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    from earnest.core.tables.options import FileOptions, FrameOptions


@dataclass(frozen=True, kw_only=True)
class Configs:
    """The configurations of a search: names, parameters, and how complex each is.

    Parameters
    ----------
    ids : tuple of str
        One unique name per configuration.
    params : tuple of dict, optional
        The hyperparameters of each.
    complexity : tuple of float, optional
        The rank of each from simple to complex, for the one-standard-error rule; without it the
        given order counts as simple first.
    static : bool
        Whether the configurations were fixed before any was evaluated (a grid, a random draw),
        and not proposed by what was seen (Bayesian optimisation).

    Examples
    --------
    >>> import earnest as en
    >>> grid = en.Configs(ids=("small", "large"), params=({"C": 0.1}, {"C": 10}), static=True)
    >>> grid.ids, grid.params[1]
    (('small', 'large'), {'C': 10})
    """

    ids: tuple[str, ...]
    params: tuple[dict[str, object], ...] | None = None
    complexity: tuple[float, ...] | None = None
    static: bool = True

    def __post_init__(self) -> None:
        """Refuse names that are given twice, and columns of unlike length."""
        twice = [name for name, times in Counter(self.ids).items() if times > 1]
        if twice:
            raise InputError(f"configuration names are not unique: {check.some(map(repr, twice))}")
        for name, values in (("params", self.params), ("complexity", self.complexity)):
            if values is not None and len(values) != len(self.ids):
                raise InputError(
                    f"{arg(name)} has the wrong length",
                    needs=f"{len(self.ids)} values, one per configuration",
                    got=str(len(values)),
                )
        if self.complexity is not None and not np.isfinite(self.complexity).all():
            bad = [n for n, rank in zip(self.ids, self.complexity, strict=True) if rank - rank != 0]
            raise InputError(
                "`complexity` has values that are not finite",
                needs="a finite rank for every configuration",
                got=f"NaN or infinity for {check.some(map(repr, bad))}",
            )

    def __len__(self) -> int:
        """Count the configurations."""
        return len(self.ids)

    @classmethod
    def of(cls, source: Configs | Iterable[object] | None, count: int) -> Configs:
        """Make configurations from names, from parameter dicts, or from nothing."""
        if isinstance(source, Configs):
            configs = source
        elif source is None:
            configs = cls(ids=_number_names(count))
        else:
            if isinstance(source, np.ndarray) and (
                source.ndim != 1 or source.dtype.kind not in "iufUO"
            ):
                raise InputError(
                    f"{arg('configs')} is not a list of names",
                    needs="one name per configuration",
                    got=f"shape {source.shape} of type {source.dtype}",
                )
            configs = cls._from_list([source] if isinstance(source, str) else list(source))
        if len(configs) != count:
            raise InputError(
                f"{arg('configs')} and `scores` differ in length",
                needs=f"{count} configurations, one per column of scores",
                got=str(len(configs)),
            )
        return configs

    @classmethod
    def _from_list(cls, items: list[object]) -> Configs:
        dicts = [item for item in items if isinstance(item, Mapping)]
        if not dicts:
            return cls(ids=tuple(check.spell(item, str) for item in items))
        if len(dicts) < len(items):
            raise InputError(
                f"{arg('configs')} mixes names and parameters",
                needs="names only, or parameter dicts only",
                got=f"{len(dicts)} dicts among {len(items)}",
                cure="To pass both, use Configs(ids=..., params=...).",
            )
        return cls(ids=_number_names(len(items)), params=tuple(dict(item) for item in dicts))

    def index(self, config: int | str) -> int:
        """Return the position of a configuration given by name or position."""
        if isinstance(config, str):
            if config not in self._places:
                raise InputError(
                    f"configuration {check.show(config)} is unknown",
                    needs=check.some(self.ids),
                    cure=check.nearest(config, self.ids),
                )
            return self._places[config]
        return check.whole_number("config", config, low=0, high=len(self) - 1)

    def find(self, configs: int | str | Iterable[int | str]) -> list[int]:
        """Return the positions of one or several configurations, in the requested order."""
        if isinstance(configs, np.ndarray) and configs.ndim == 0:
            configs = configs.item()
        if isinstance(configs, str) or not isinstance(configs, Iterable):
            configs = [configs]
        if _are_places(configs, len(self)):
            columns: list[int] = configs.tolist()
        else:
            columns = [self.index(config) for config in configs]
        if not columns:
            raise InputError(
                "no configuration was selected", cure=f"Name at least one of the {len(self)}."
            )
        return columns

    @cached_property
    def _places(self) -> dict[str, int]:
        """The position of each name: a search of all names for each of many would take hours."""
        return {name: position for position, name in enumerate(self.ids)}

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """What is printed of each: its name, and behind it what its parameters say."""
        from earnest.core.text.names import label_configs

        return label_configs(self.ids, self.params)

    def find_label(self, name: str) -> str | None:
        """Return what is printed of a configuration, None where its name is all that is known."""
        label = None if self.params is None else self.labels.get(name)
        return None if label == name else label

    def take(self, columns: Sequence[int] | NDArray[np.intp]) -> Configs:
        """Return some of the configurations."""

        def part(values: tuple[T, ...] | None) -> tuple[T, ...] | None:
            return None if values is None else tuple(values[i] for i in columns)

        return Configs(
            ids=tuple(self.ids[i] for i in columns),
            params=part(self.params),
            complexity=part(self.complexity),
            static=self.static,
        )

    def simplicity_order(self) -> NDArray[np.intp]:
        """Return the positions from the simplest to the most complex, ties in the given order."""
        if self.complexity is None:
            return np.arange(len(self))
        return np.argsort(np.asarray(self.complexity), kind="stable")

    def with_complexity(self, complexity: ArrayLike) -> Configs:
        """Return the same configurations with a rank: the lower, the simpler or cheaper."""
        ranks = tuple(float(v) for v in np.asarray(complexity, dtype=np.float64).ravel())
        return replace(self, complexity=ranks)


def _are_places(choice: object, count: int) -> TypeGuard[NDArray[np.intp]]:
    """Tell whether an array holds positions of configurations; anything else is read one by one."""
    if not isinstance(choice, np.ndarray) or choice.ndim != 1 or choice.dtype.kind not in "iu":
        return False
    return choice.size > 0 and bool(choice.min() >= 0) and bool(choice.max() < count)


def _read_rows(rows: ArrayLike, n: int) -> NDArray[np.intp]:
    """Return positions of cases, which a mask may give too, and refuse what is neither."""
    array = as_array("rows", rows)
    if array.ndim != 1 or array.dtype.kind not in "iub":
        raise InputError(
            f"{arg('rows')} does not hold positions of cases",
            needs="whole numbers, or a mask of true and false",
            got=check.show(rows),
        )
    if array.dtype.kind == "b":
        same_length("rows", array, n)
        return np.flatnonzero(array)
    if array.size and not (-n <= array.min() and array.max() < n):
        raise InputError(
            f"{arg('rows')} holds positions that no case has",
            needs=f"whole numbers from 0 to {n - 1}",
            got=f"{array.min()} to {array.max()}",
        )
    return array.astype(np.intp)


def _number_names(count: int) -> tuple[str, ...]:
    return tuple(f"c{i}" for i in range(count))


T = TypeVar("T")

KEPT_BYTES = 64_000_000  # of the usable part of incomplete predictions


@dataclass(frozen=True, eq=False, kw_only=True)
class Predictions:
    """Out-of-sample predictions of `C` configurations for `n` cases in `R` repeats (Π).

    Make one with `from_arrays`, `from_frame` or `load`; the constructor itself takes what they
    have checked and encoded.

    Parameters
    ----------
    target : Target
        The outcome of the cases.
    configs : Configs
        The configurations, one per column.
    responses : ndarray, shape (n, C, R) or (n, C, R, K)
        Scores of the positive class, class codes, values or risks; with K columns of class
        probabilities for a multiclass task. NaN means not evaluated. They are kept as a view
        that cannot be written to.
    folds : ndarray of int32, shape (n, R)
        The fold that tested a case, -1 where none did.
    fold_names : tuple of tuple of str
        The names of the folds of each repeat.
    kind : ResponseKind
        What the responses are.
    threshold : float, optional
        Where a score becomes the positive label; .5 for probabilities and 0 for decisions if None.
    remarks : tuple of Caution
        What is known of how they came about; every result made of them carries it.
    training_sizes : tuple of tuple of int, optional
        How many cases trained the models of each fold of each repeat. None where the folds are
        those of a K-fold cross-validation, which says it by itself, and where it is not known.
    ensemble_rule : str, optional
        How the tool that kept them combines configurations into the model it delivers, such as
        'greedy_ensemble(size=25)'. `estimate` chooses by it where you name no selector.
    others : tuple of Predictions
        What the same models answered in other ways, each of another kind, where these responses
        do not tell it: the labels of an SVC beside its probabilities, say. Every metric is
        computed from the answer that it needs.
    guides : Guides, optional
        Of an adaptive search that was told scores of half of the cases at a time: which half
        guided each configuration. `bbc` lets the other half judge it.

    Examples
    --------
    >>> import earnest as en
    >>> scores = [[0.1, 0.3], [0.4, 0.2], [0.8, 0.9], [0.7, 0.1]]
    >>> pi = en.Predictions.from_arrays([0, 0, 1, 1], scores, configs=["svm", "tree"])
    >>> pi
    Predictions(n=4, configs=2, repeats=1, folds=1, task=binary, response=probability)
    """

    target: Target
    configs: Configs
    responses: Numbers
    folds: NDArray[np.int32]
    fold_names: tuple[tuple[str, ...], ...]
    kind: ResponseKind
    threshold: float | None = None
    remarks: tuple[Caution, ...] = ()
    training_sizes: FoldSizes | None = None
    ensemble_rule: str | None = None
    others: tuple[Predictions, ...] = ()
    guides: Guides | None = None

    def __post_init__(self) -> None:
        """Look once for predictions that are not finite; the cells are kept."""
        object.__setattr__(self, "responses", read_only(self.responses))
        counts = [len(names) for names in self.fold_names]
        sizes = self.training_sizes
        if sizes is not None and [len(row) for row in sizes] != counts:
            raise InputError(
                "`training_sizes` does not fit the folds",
                needs=f"{check.some(counts)} sizes, one per fold of each repeat",
                got=check.some([len(row) for row in sizes]),
            )
        _refuse_other_guides(self)
        _ = self.cells
        _refuse_other_answers(self)

    def __setstate__(self, state: dict[str, object]) -> None:
        """Come back from a pickle or a copy as it was; NumPy makes arrays writable there."""
        self.__dict__.update(state)
        self.__dict__["responses"] = read_only(self.responses)

    @classmethod
    def from_arrays(
        cls,
        y: ArrayLike | tuple[ArrayLike, ArrayLike],
        scores: ArrayLike,
        fold: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        configs: Configs | Iterable[object] | None = None,
        task: Task | str | None = None,
        positive: object = None,
        repeats: int | None = None,
        classes: Sequence[object] | None = None,
        response: ResponseKind | str | None = None,
        threshold: float | None = None,
        strata: ArrayLike | None = None,
        when: ArrayLike | bool | None = None,
        ids: ArrayLike | None = None,
        by: ByLike | None = None,
        times: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        weights: Weighting | str = Weighting.IMPORTANCE,
    ) -> Self:
        """Make Π from arrays.

        Parameters
        ----------
        y : array-like, shape (n,)
            The outcome: labels of any type, numbers, or for survival a structured array or a pair
            of times and events.
        scores : array-like, shape (n,), (n, C), (n, C, R) or (n, C, R, K)
            The predictions; the last axis of four holds the classes in sorted order (or in that
            of `classes`). Up to 64 MB they are copied, so that what you do to your array later
            changes nothing here; a larger or memory-mapped one is not copied: leave it alone.
        fold : array-like, shape (n,) or (n, R), optional
            The fold that tested each case; missing or -1 where none did. None is one hold-out fold.
        groups, strata : array-like, shape (n,), optional
            Groups of cases that belong together, and strata to resample separately.
        configs : list of str or of dict, or Configs, optional
            Names or parameters of the configurations; by default the columns of a frame.
        task : {'binary', 'multiclass', 'regression', 'survival'}, optional
            Inferred if it is clear.
        positive : label, optional
            The positive class, which high scores stand for; needed unless the labels are 0/1, -1/1
            or bool.
        repeats : int, optional
            The number of repeats, where the shape leaves it open: with two dimensions the
            columns are C * R, the repeats of a configuration side by side; with three dimensions
            and `repeats=1` the last axis may be the classes.
        classes : sequence, optional
            All classes, in the order of the last axis of `scores`.
        response : {'probability', 'decision', 'label'}, optional
            What a classifier's scores are, inferred where it is clear: values from 0 to 1 are
            probabilities, and those of several classes if they sum to 1 in every row.
        threshold : float, optional
            Where a binary score becomes the positive label (strictly above).
        when : array-like, shape (n,), or bool, optional
            The time of each case, as numbers or dates; True where the rows are in time order.
            Resamples then draw blocks of time, unless there are groups.
        ids : array-like, shape (n,), optional
            Names of the cases.
        by : array-like or dict of array-like, optional
            Columns that divide the cases into subgroups, such as {'sex': sex, 'site': site}.
        times : array-like, optional
            For survival: the times of the last axis of `scores`, which are then chances to be
            without event.
        sample_weight : array-like, shape (n,), optional
            How much each case counts, at least 0. Every metric is weighted; only the ratios matter.
        weights : {'importance', 'survey', 'frequency'}
            What they mean. 'survey': one over the chance to be drawn; with `strata`, and `groups`
            as primary sampling units, resamples follow that design. 'frequency': a row of weight 3
            becomes three cases. 'importance': how much a case matters, such as exposure.
        """
        refuse_other_order(
            {
                "y": y,
                "scores": scores,
                "fold": fold,
                "groups": groups,
                "strata": strata,
                "when": when,
                "sample_weight": sample_weight,
            }
        )
        array = as_array("scores", scores)
        target, class_order = read_target(
            y,
            array,
            task=task,
            positive=positive,
            classes=None if classes is None else read_classes(classes),
            groups=groups,
            strata=strata,
            order=when,
            ids=ids,
            repeats=repeats,
            times=times,
        )
        if by is not None:
            target = replace(target, subgroups=read_columns(by, target.n))
        if configs is None and repeats is None:
            refuse_class_columns(array, target)
        wide = len(class_order) if times is None else len(target.times)
        shaped = shape_scores(array, target.n, repeats, wide)
        if configs is None and array.ndim == 2 and shaped.shape[1] == array.shape[1]:
            configs = column_names(scores)
        table = Configs.of(configs, shaped.shape[1])
        kind = infer_kind(shaped, target, response)
        responses = encode_responses(shaped, target, kind, class_order, table.ids)
        if np.may_share_memory(responses, array):
            responses = kept(responses)
        folds, fold_names = encode_folds(fold, target.n, responses.shape[2])
        pi = cls(
            target=target,
            configs=table,
            responses=responses,
            folds=folds,
            fold_names=fold_names,
            kind=kind,
            threshold=check_threshold(threshold, target, kind),
        )
        return pi if sample_weight is None else pi.with_weights(sample_weight, weights)

    def with_weights(
        self, sample_weight: ArrayLike, weights: Weighting | str = Weighting.IMPORTANCE
    ) -> Self:
        """Return Π of cases that count by these weights; see `from_arrays`.

        Examples
        --------
        >>> import earnest as en
        >>> pi = en.Predictions.from_arrays([0, 1], [0.2, 0.7]).with_weights([1, 3], "frequency")
        >>> pi.target.y
        array([0, 1, 1, 1])
        """
        read = CaseWeights.of(sample_weight, weights, self.n_cases)
        target = self.target
        if read.kind is Weighting.FREQUENCY:
            return self._repeat_rows(read.values)
        design = read.kind is Weighting.SURVEY and target.strata is not None
        chosen = None if read.equal and not design else read
        others = tuple(
            replace(other, target=replace(other.target, weights=chosen)) for other in self.others
        )
        bare = replace(self, others=())
        return replace(bare, target=replace(target, weights=chosen), others=others)

    def unfold(self) -> Self:
        """Return Π in which frequencies have become rows; as it is where it has none."""
        weights = self.target.weights
        if weights is None or weights.kind is not Weighting.FREQUENCY:
            return self
        return self._repeat_rows(weights.values)

    def _repeat_rows(self, counts: NDArray[np.float64]) -> Self:
        """Return Π in which each row stands as often as it was counted.

        Copies come after all rows, since neighbours in one fold look like blocks of rows, except
        where the cases are in time order.
        """
        places = np.arange(self.n_cases)
        rows = np.repeat(places, counts.astype(np.intp))
        twice = bool((counts > 1).any())  # names of cases are unique
        if not self.target.ordered:
            turns = np.concatenate([np.arange(count) for count in counts.astype(np.intp)])
            rows = rows[np.argsort(turns, kind="stable")]
        sizes = self.training_sizes
        irregular = None if sizes == find_training_sizes(self.folds) else sizes

        def repeat(pi: Predictions, others: tuple[Predictions, ...]) -> Any:
            ids = None if twice else pi.target.ids
            target = replace(pi.target, ids=ids, weights=None)
            rowwise = replace(pi, target=target, others=()).take(rows)
            return replace(rowwise, training_sizes=irregular, others=others)

        return cast(Self, repeat(self, tuple(repeat(other, ()) for other in self.others)))

    @classmethod
    def from_frame(cls, frame: object, **options: Unpack[FrameOptions]) -> Self:
        """Make Π from a pandas, polars or Arrow table, wide or long.

        The options are those of `earnest.core.tables.frames.read_frame`: names of columns
        (`target`, `fold`, `group`, `repeat`, `id`, `strata`, `time`, `event`, `weight`,
        `configs`), the `format`, `when` (a column, or True), and `task`, `positive`, `classes`,
        `response`, `threshold` and `weights` as in `from_arrays`.

        Examples
        --------
        >>> import earnest as en, pyarrow as pa
        >>> columns = {"y": [0, 1, 0, 1], "fold": [0, 0, 1, 1]}
        >>> table = pa.table(columns | {"svm": [0.2, 0.7, 0.4, 0.9], "tree": [0.0, 0.6, 0.1, 0.3]})
        >>> en.Predictions.from_frame(table)
        Predictions(n=4, configs=2, repeats=1, folds=2, task=binary, response=probability)
        """
        from earnest.core.tables.frames import read_frame

        return cls._of(read_frame(frame, **options))

    @classmethod
    def load(cls, path: str | Path, **options: Unpack[FileOptions]) -> Self:
        """Read Π from a CSV, Parquet, Arrow, NPZ or NPY file.

        The options are those of `earnest.core.tables.files.load`.
        """
        from earnest.core.tables.files import load

        return cls._of(load(path, **options))

    @classmethod
    def _of(cls, pi: Predictions) -> Self:
        """Return Π as one of a subclass."""
        if isinstance(pi, cls):
            return pi
        return cls(**{field.name: getattr(pi, field.name) for field in fields(pi)})

    def save(self, path: str | Path) -> Path:
        """Write Π to a CSV, Parquet, Arrow or NPZ file; see `earnest.core.tables.files.save`."""
        from earnest.core.tables.files import save

        return save(self, path)

    def to_frame(self, *, form: str = "wide", backend: str = "pyarrow") -> object:
        """Return Π as a table; see `earnest.core.tables.frames.write_frame`.

        Parameters
        ----------
        form : {'wide', 'long'}
            One column per configuration, or one row per case, configuration and repeat.
        backend : {'pyarrow', 'pandas', 'polars'}
            The library of the table.
        """
        from earnest.core.tables.frames import write_frame

        return write_frame(self, form=form, backend=backend)

    @property
    def n_cases(self) -> int:
        """The number of cases, tested or not."""
        return self.target.n

    @property
    def n_counted(self) -> int:
        """The number of cases, or of items where batches of them stand for cases."""
        measure = self.target.measure
        return measure.items if measure is not None and measure.items else self.n_cases

    @property
    def n_configs(self) -> int:
        """The number of configurations, complete or not."""
        return len(self.configs)

    @property
    def n_repeats(self) -> int:
        """The number of repeats of the cross-validation."""
        return int(self.folds.shape[1])

    @property
    def n_folds(self) -> int:
        """The largest number of folds of a repeat that tested anything."""
        return max(int(cell.any(axis=1).sum()) for cell in self.cells)

    @cached_property
    def cells(self) -> tuple[NDArray[np.bool_], ...]:
        """For each repeat, which (fold, configuration) was evaluated: (K, C)."""
        largest = LARGEST_OUTCOME if self.target.task is Task.REGRESSION else np.inf
        return find_evaluated_cells(
            self.responses, self.folds, self.configs.ids, self.fold_names, largest
        )

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Which configurations were evaluated wherever any was: (C,)."""
        return find_complete(self.cells)

    @property
    def training(self) -> TrainingSizes | None:
        """How many cases the tested models were trained on, None where that is not known."""
        sizes = self.training_sizes or find_training_sizes(self.folds)
        if sizes is None:
            return None
        used = [
            size
            for repeat, cell in enumerate(self.cells)
            for size, tested in zip(sizes[repeat], np.asarray(cell.any(axis=1)), strict=True)
            if tested
        ]
        return TrainingSizes.of(used) if used else None

    def tested(self, repeat: int) -> NDArray[np.bool_]:
        """Which cases a repeat tested: (n,)."""
        done = np.append(self.cells[repeat].any(axis=1), False)  # code -1 reads the last
        return np.asarray(done[self.folds[:, repeat]])

    def usable(self) -> Predictions:
        """Return Π without untested cases, empty repeats and incomplete configurations.

        Up to `KEPT_BYTES` it is kept as long as these predictions are, so that a second question
        finds what the first one knew of it.
        """
        usable = _USABLE.get(self)
        if usable is None:
            usable = self._find_usable()
            if usable is not self and usable.responses.nbytes <= KEPT_BYTES:
                _USABLE[self] = usable
        return usable

    def _find_usable(self) -> Predictions:
        rows = np.stack([self.tested(r) for r in range(self.n_repeats)], axis=1)  # (n, R)
        cases = np.asarray(rows.any(axis=1))
        repeats = np.asarray(rows.any(axis=0))
        if cases.all() and repeats.all() and self.complete.all():
            return self
        if not cases.any() or not self.complete.any():
            raise EvidenceError(
                "no configuration has complete predictions",
                needs="at least one configuration with predictions in every fold",
                got=f"{self.n_configs} configurations, each with missing folds",
                cure="Select the configurations to compare, or evaluate the missing folds.",
            )
        index = np.flatnonzero(cases)
        columns = np.flatnonzero(self.complete)
        sizes = self.training_sizes or find_training_sizes(self.folds)
        responses = self.responses[np.ix_(index, columns, np.flatnonzero(repeats))]
        return replace(
            self,
            target=self.target.take(index),
            configs=self.configs.take(columns),
            responses=responses,
            folds=np.where(rows, self.folds, -1)[index][:, repeats],
            fold_names=tuple(self.fold_names[int(r)] for r in np.flatnonzero(repeats)),
            training_sizes=None
            if sizes is None
            else tuple(sizes[int(r)] for r in np.flatnonzero(repeats)),
            others=tuple(other.usable() for other in self.others),
            guides=None if self.guides is None else self.guides.take(index).select(columns),
        )

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all content but the parameters, equal only for equal Π of equal cases."""
        digest = hashlib.sha256(self.case_fingerprint.encode())
        configs, target = self.configs, self.target
        facts = (configs.ids, configs.complexity, configs.static, str(self.kind), self.threshold)
        digest.update(repr((*facts, self.fold_names, target.ordered)).encode())
        if self.training_sizes is not None:
            digest.update(repr(self.training_sizes).encode())
        for array in (target.strata, target.ids):
            digest.update(b"-" if array is None else repr(array.tolist()).encode())
        digest.update(f"{self.responses.dtype.name}{self.responses.shape}".encode())
        for block in yield_row_bytes(self.responses):
            digest.update(block)
        if target.order is not None and not is_by_rows(target.order):
            digest.update(pack_order(target.order).encode())
        for column in self.target.subgroups:
            digest.update(repr(column.to_plain()).encode())
        for other in self.others:
            digest.update(other.fingerprint.encode())
        if self.guides is not None:
            digest.update(repr(self.guides.to_text()).encode())
        if self.kind is ResponseKind.SURVIVAL:
            digest.update(repr(target.times).encode())
        return digest.hexdigest()[:32]

    @cached_property
    def case_fingerprint(self) -> str:
        """A hash of the cases and folds, equal where two results may be compared pair by pair."""
        digest = hashlib.sha256(repr((str(self.target.task), self.target.classes)).encode())
        if self.target.measure is not None:
            digest.update(repr(self.target.measure).encode())
        parts = (self.target.y, self.target.event, self.target.groups, self.folds)
        for array in parts:
            digest.update(b"-" if array is None else f"{array.dtype.name}{array.shape}".encode())
            digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
        if self.target.weights is not None:
            digest.update(repr(self.target.weights.to_plain()).encode())
        return digest.hexdigest()[:32]

    def select(self, configs: int | str | Iterable[int | str]) -> Predictions:
        """Return Π of some configurations, by name or position, in the requested order."""
        columns = self.configs.find(configs)
        return replace(
            self,
            configs=self.configs.take(columns),
            responses=self.responses[:, columns],
            others=tuple(other.select(columns) for other in self.others),
            guides=None if self.guides is None else self.guides.select(columns),
        )

    def take(self, rows: NDArray[np.intp]) -> Predictions:
        """Return Π of some of the cases, by position."""
        rows = _read_rows(rows, self.n_cases)
        return replace(
            self,
            target=self.target.take(rows),
            responses=self.responses[rows],
            folds=self.folds[rows],
            training_sizes=self.training_sizes or find_training_sizes(self.folds),
            others=tuple(other.take(rows) for other in self.others),
            guides=None if self.guides is None else self.guides.take(rows),
        )

    def take_repeats(self, repeats: slice) -> Predictions:
        """Return Π of some of the repeats, on the same cases."""
        sizes = self.training_sizes
        return replace(
            self,
            responses=self.responses[:, :, repeats],
            folds=self.folds[:, repeats],
            fold_names=self.fold_names[repeats],
            training_sizes=None if sizes is None else sizes[repeats],
            others=tuple(other.take_repeats(repeats) for other in self.others),
        )

    def concat(self, *others: Predictions) -> Predictions:
        """Return Π with added configurations of other predictions of the same cases and folds."""
        for other in others:
            _refuse_other_cases(self, other)
        parts = [self, *others]
        configs = Configs(
            ids=tuple(name for pi in parts for name in pi.configs.ids),
            params=_join([pi.configs.params for pi in parts]),
            complexity=_join([pi.configs.complexity for pi in parts]),
            static=all(pi.configs.static for pi in parts),
        )
        responses = np.concatenate([pi.responses for pi in parts], axis=1)
        remarks = tuple(dict.fromkeys(remark for pi in parts for remark in pi.remarks))
        others = tuple(
            first.concat(*later) for first, *later in zip(*(pi.others for pi in parts), strict=True)
        )
        return replace(
            self,
            configs=configs,
            responses=responses,
            remarks=remarks,
            others=others,
            guides=_join_guides(parts),
        )

    def _repr_html_(self) -> str:
        from earnest.reporting.fragments import predictions_fragment

        return predictions_fragment(self)

    def __repr__(self) -> str:
        """Return one line with the sizes."""
        return (
            f"Predictions(n={self.n_cases}, configs={self.n_configs}, repeats={self.n_repeats}, "
            f"folds={self.n_folds}, task={self.target.task}, "
            f"response={'+'.join(response.kind for response in (self, *self.others))})"
        )


def _join(parts: list[tuple[T, ...] | None]) -> tuple[T, ...] | None:
    """Join tuples, or give None where one part has none."""
    if any(piece is None for piece in parts):
        return None
    return tuple(value for piece in parts if piece is not None for value in piece)


def _join_guides(parts: list[Predictions]) -> Guides | None:
    """Join the guides of predictions of the same cases; None where some of them are not known.

    Configurations that were fixed in advance have no guide, whatever guided the others.
    """
    halves = next((pi.guides.halves for pi in parts if pi.guides is not None), None)
    if halves is None:
        return None
    codes = []
    for pi in parts:
        if pi.guides is None and not pi.configs.static:
            return None
        if pi.guides is not None and not np.array_equal(pi.guides.halves, halves):
            return None
        fixed = np.full(pi.n_configs, FIXED, dtype=np.int8)
        codes.append(fixed if pi.guides is None else pi.guides.guided_by)
    return Guides(halves, np.concatenate(codes))


def _refuse_other_guides(pi: Predictions) -> None:
    """Refuse guides of other cases or configurations."""
    if pi.guides is None:
        return
    sizes = len(pi.guides.halves), len(pi.guides.guided_by)
    if sizes != (pi.n_cases, pi.n_configs):
        raise InputError(
            "`guides` are not of these predictions",
            needs=f"{pi.n_cases} cases, {pi.n_configs} configurations",
            got=f"{sizes[0]} cases, {sizes[1]} configurations",
        )


def _refuse_other_answers(pi: Predictions) -> None:
    """Refuse answers of other models, for other cases, or twice of a kind."""
    for other in pi.others:
        same = other.configs.ids == pi.configs.ids and other.case_fingerprint == pi.case_fingerprint
        if not same or other.others:
            raise InputError(
                "`others` are not answers of the same models for the same cases",
                needs="the configurations, cases and folds of these predictions",
                got=repr(other),
                cure="To change predictions without them, pass others=() too.",
            )
    kinds = [response.kind for response in (pi, *pi.others)]
    if len(set(kinds)) < len(kinds):
        raise InputError(
            "`others` hold a kind of response twice", needs="one of each", got=", ".join(kinds)
        )


def _refuse_other_cases(ours: Predictions, other: Predictions) -> None:
    """Refuse Π that cannot stand beside ours."""
    pairs = {
        "y, folds or groups": (ours.case_fingerprint, other.case_fingerprint),
        "response": tuple(
            "+".join(response.kind for response in (pi, *pi.others)) for pi in (ours, other)
        ),
        "threshold": (ours.threshold, other.threshold),
    }
    if ours.kind is ResponseKind.SURVIVAL:
        pairs["times"] = (str(ours.target.times), str(other.target.times))
    for name, (mine, theirs) in pairs.items():
        if mine != theirs:
            raise InputError(
                "predictions of different cases, folds or kinds cannot be combined",
                needs=f"the same {name} ({mine})",
                got=str(theirs),
                cure="Evaluate all configurations on the same folds of the same cases.",
            )


_USABLE: WeakKeyDictionary[Predictions, Predictions] = WeakKeyDictionary()
