"""Replicates: what models that were trained on bootstrap samples say of every case."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.arguments.shared import GROUPS
from earnest.core.base import check
from earnest.core.base.arrays import Numbers, as_array, read_only, yield_row_bytes
from earnest.core.base.errors import InputError
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Target, Task
from earnest.core.data.weights import Unit, Weights
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import arg

ARRAYS = ("responses", "counts", "apparent")


class DrawUnit(StrEnum):
    """What was drawn, with replacement: cases, cases of each stratum, or groups."""

    CASES = "case"
    STRATIFIED = "stratified"
    GROUPS = "group"


@dataclass(frozen=True, eq=False, kw_only=True)
class Replicates:
    """Responses of `B` models, each trained on a bootstrap sample, for all `n` cases.

    They are not out-of-sample: a replicate saw the cases that it drew, which its row of `counts`
    says. `bootstrap_train` makes them, `from_arrays` reads those of models trained elsewhere, and
    the constructor refuses what does not fit together.

    Parameters
    ----------
    target : Target
        The outcome of the cases.
    responses : ndarray, shape (B, n) or (B, n, K)
        What the model of each replicate says of each case, drawn by it or not.
    counts : ndarray of int, shape (B, n)
        How often each replicate drew each case.
    apparent : ndarray, shape (n,) or (n, K)
        What the model that was trained on all cases says of them.
    kind : ResponseKind
        What the responses are.
    drawn : DrawUnit
        What was drawn: 'case', 'stratified' (the layers of the target apart) or 'group'.
    learner : str
        The name of the learner.
    threshold : float, optional
        Where a binary score becomes the positive label; .5 for probabilities and 0 for decisions
        if None.
    n_failed : int
        How many replicates have no model and are left out.
    seed : int, optional
        The seed that they were drawn with.
    cautions : tuple of Caution
        What the training has to say.
    inner : Replicates, optional
        Models trained on samples of the samples, as many of each, one sample after the other: the
        evidence of two-stage intervals.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.arange(20.0)[:, None], np.tile([0, 1], 10)
    >>> en.bootstrap_train(LogisticRegression(), X, y, n_replicates=50, rng=0)
    Replicates(n=20, replicates=50, drawn=case, task=binary, response=probability)
    """

    target: Target
    responses: Numbers
    counts: NDArray[np.integer]
    apparent: Numbers
    kind: ResponseKind
    drawn: DrawUnit = DrawUnit.CASES
    learner: str = "learner"
    threshold: float | None = None
    n_failed: int = 0
    seed: int | None = None
    cautions: tuple[Caution, ...] = ()
    inner: Replicates | None = None

    def __post_init__(self) -> None:
        """Refuse what does not go together, and keep arrays that cannot be written to."""
        object.__setattr__(self, "drawn", DrawUnit(self.drawn))
        object.__setattr__(self, "kind", ResponseKind(self.kind))
        for name in ARRAYS:
            object.__setattr__(self, name, np.asarray(getattr(self, name)))
        _check_responses(self)
        _check_counts(self)
        _check_inner(self)
        for name in ARRAYS:
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def __setstate__(self, state: dict[str, object]) -> None:
        """Come back from a pickle or a copy as it was; NumPy makes arrays writable there."""
        self.__dict__.update(state)
        self.__dict__.update({name: read_only(getattr(self, name)) for name in ARRAYS})

    def __repr__(self) -> str:
        """Return one line."""
        return (
            f"Replicates(n={self.n_cases}, replicates={self.n_replicates}, drawn={self.drawn}, "
            f"task={self.target.task}, response={self.kind})"
        )

    @classmethod
    def from_arrays(
        cls,
        y: ArrayLike | tuple[ArrayLike, ArrayLike],
        responses: ArrayLike,
        counts: ArrayLike,
        apparent: ArrayLike,
        *,
        drawn: DrawUnit | str = DrawUnit.CASES,
        groups: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        task: Task | str | None = None,
        positive: object = None,
        classes: Sequence[object] | None = None,
        response: ResponseKind | str | None = None,
        threshold: float | None = None,
        learner: str = "learner",
        seed: int | None = None,
    ) -> Replicates:
        """Make replicates from arrays, for models that were trained outside of earnest.

        Parameters
        ----------
        y : array-like, shape (n,)
            The outcome, as for `Predictions.from_arrays`.
        responses : array-like, shape (B, n) or (B, n, K)
            What the model of each bootstrap sample says of each case, drawn by it or not. The last
            axis of three holds the classes in sorted order, or in that of `classes`.
        counts : array-like of int, shape (B, n)
            How often each sample has each case.
        apparent : array-like, shape (n,) or (n, K)
            What the model that was trained on all cases says of them.
        drawn : {'case', 'stratified', 'group'}
            What was drawn: cases, cases of each class (or of each of the `strata`), or `groups`.
        groups, strata : array-like, shape (n,), optional
            Groups of cases that were drawn whole, and strata that were drawn separately.
        task, positive, classes, response, threshold : optional
            As for `Predictions.from_arrays`.
        learner : str
            The name of the learner.
        seed : int, optional
            The seed of the samples, for your records.

        Examples
        --------
        >>> import numpy as np
        >>> import earnest as en
        >>> rng = np.random.default_rng(0)
        >>> y = np.tile(["ill", "well"], 20)
        >>> counts = rng.multinomial(40, np.full(40, 1 / 40), size=100)
        >>> said = (y == "ill") + rng.standard_normal((101, 40))  # 100 models, and that of all
        >>> made = en.Replicates.from_arrays(y, said[:-1], counts, said[-1], positive="ill")
        >>> made
        Replicates(n=40, replicates=100, drawn=case, task=binary, response=decision)
        >>> print(en.estimate(made, method="lpob", metric="roc_auc").value > 0.6)
        True
        """
        unit = DrawUnit(check.one_of("drawn", drawn, list(DrawUnit)))
        each, whole = as_array("responses", responses), as_array("apparent", apparent)
        n = len(as_array("y", y[0] if isinstance(y, tuple) else y))
        if each.ndim not in (2, 3) or each.shape[1] != n or whole.shape != each.shape[1:]:
            raise InputError(
                "`responses` and `apparent` do not fit the cases or each other",
                needs=f"shapes (B, {n}) and ({n},), or with K classes (B, {n}, K) and ({n}, K)",
                got=f"{each.shape} and {whole.shape}",
            )
        columns = np.moveaxis(np.concatenate([each, whole[None]]), 0, 1)[:, :, None]
        read = Predictions.from_arrays(
            y,
            columns,
            groups=groups,
            strata=strata,
            task=task,
            positive=positive,
            classes=classes,
            response=response,
            threshold=threshold,
            repeats=1,
        )
        labels = np.moveaxis(read.responses[:, :, 0], 1, 0)
        return cls(
            target=read.target,
            responses=labels[:-1],
            counts=as_array("counts", counts),
            apparent=labels[-1],
            kind=read.kind,
            drawn=unit,
            learner=learner,
            threshold=threshold,
            seed=seed,
        )

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        return self.target.n

    @property
    def n_replicates(self) -> int:
        """The number of replicates that have a model, B."""
        return len(self.counts)

    @property
    def n_inner(self) -> int:
        """How many samples of each sample were trained on, 0 without a second stage."""
        return 0 if self.inner is None else self.inner.n_replicates // self.n_replicates

    def out_of_bag(self) -> NDArray[np.bool_]:
        """Return which cases each replicate did not draw: (B, n)."""
        return np.asarray(self.counts == 0)

    @property
    def strata(self) -> NDArray[np.int64] | None:
        """The layers that were drawn apart, None if none were."""
        return self.target.layer_codes if self.drawn is DrawUnit.STRATIFIED else None

    @property
    def groups(self) -> NDArray[np.int64] | None:
        """The groups that were drawn whole, None if cases were drawn."""
        return self.target.groups if self.drawn is DrawUnit.GROUPS else None

    @property
    def weights(self) -> Weights:
        """The counts as resamples."""
        return Weights(self.counts, Unit.GROUP if self.drawn is DrawUnit.GROUPS else Unit.CASE)

    @cached_property
    def columns(self) -> Predictions:
        """The replicates as configurations, for kernels that score columns: not out-of-sample."""
        return self._make_columns(np.moveaxis(self.responses, 0, 1)[:, :, None])

    @cached_property
    def resubstituted(self) -> Predictions:
        """The model of all cases as one configuration, on the cases that it saw."""
        return self._make_columns(self.apparent[:, None, None])

    @cached_property
    def left_out(self) -> Predictions:
        """The learner as one configuration, with a repeat per replicate that tests what it left."""
        drawn = self.counts != 0  # (B, n)
        wide = drawn[..., None] if self.responses.ndim == 3 else drawn
        columns = np.where(wide, np.nan, self.responses)
        return Predictions(
            target=self.target,
            configs=Configs(ids=(self.learner,)),
            responses=np.moveaxis(columns, 0, 1)[:, None],  # (n, 1, B[, K])
            folds=np.where(drawn.T, -1, 0).astype(np.int32),
            fold_names=(("0",),) * self.n_replicates,
            kind=self.kind,
            threshold=self.threshold,
        )

    def _make_columns(self, responses: Numbers) -> Predictions:
        n, count = responses.shape[:2]
        return Predictions(
            target=self.target,
            configs=Configs(ids=tuple(str(b) for b in range(count))),
            responses=responses,
            folds=np.zeros((n, 1), dtype=np.int32),
            fold_names=(("0",),),
            kind=self.kind,
            threshold=self.threshold,
        )

    def take(self, rows: NDArray[np.intp] | slice) -> Replicates:
        """Return some of the replicates, by position."""
        inner = self.inner
        if inner is not None:
            places = np.arange(inner.n_replicates).reshape(self.n_replicates, self.n_inner)
            inner = inner.take(places[rows].reshape(-1))
        responses, counts = self.responses[rows], self.counts[rows]
        return replace(self, responses=responses, counts=counts, inner=inner)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the draws and of what the models say, equal only for equal replicates."""
        facts = (str(self.kind), self.threshold, self.learner, self.n_failed)
        digest = hashlib.sha256((self.draws_fingerprint + repr(facts)).encode())
        for array in (self.responses, self.apparent):
            digest.update(f"{array.dtype.name}{array.shape}".encode())
            for block in yield_row_bytes(array):
                digest.update(block)
        if self.inner is not None:
            digest.update(self.inner.fingerprint.encode())
        return digest.hexdigest()[:32]

    @cached_property
    def draws_fingerprint(self) -> str:
        """A hash of cases and draws, equal where two learners may be compared pair by pair."""
        target = self.target
        digest = hashlib.sha256(repr((str(target.task), target.classes, str(self.drawn))).encode())
        counts = self.counts.astype(np.int64)
        for array in (target.y, target.event, target.groups, target.strata, counts):
            digest.update(b"-" if array is None else f"{array.dtype.name}{array.shape}".encode())
            digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:32]

    def save(self, path: str | Path) -> Path:
        """Write the replicates to an NPZ file, which `load` gives back exactly."""
        from earnest.core.tables.formats.replicate_files import save_replicates

        return save_replicates(self, path)

    @classmethod
    def load(cls, path: str | Path, *, verify: bool = True) -> Replicates:
        """Read replicates from an NPZ file that `save` wrote; a changed one is refused."""
        from earnest.core.tables.formats.replicate_files import load_replicates

        return load_replicates(path, verify=verify)


def _check_responses(replicates: Replicates) -> None:
    scores = replicates.kind in (ResponseKind.PROBABILITY, ResponseKind.DECISION)
    many = replicates.target.task is Task.MULTICLASS and scores
    width = (len(replicates.target.classes),) if many else ()
    if replicates.kind is ResponseKind.SURVIVAL:
        width = (1 + len(replicates.target.times),)
    shape = (replicates.target.n, *width)
    for name, actual, wanted in (
        ("responses", replicates.responses, (max(1, len(replicates.counts)), *shape)),
        ("apparent", replicates.apparent, shape),
    ):
        if np.shape(actual) != wanted:
            raise InputError(
                f"{arg(name)} has the wrong shape",
                needs=f"{wanted} for {replicates.target.n} cases",
                got=str(np.shape(actual)),
            )
        if actual.dtype.kind not in "fiub" or not np.isfinite(actual).all():
            raise InputError(
                f"{arg(name)} is not finite",
                needs="a number for every case",
                got="NaN or infinite values" if actual.dtype.kind == "f" else str(actual.dtype),
            )


def _check_inner(replicates: Replicates) -> None:
    """Refuse samples of samples that are not as many of each, or draw what a sample lacks."""
    inner = replicates.inner
    if inner is None:
        return
    count, rest = divmod(inner.n_replicates, replicates.n_replicates)
    if rest or not count or inner.n_cases != replicates.n_cases:
        raise InputError(
            "`inner` does not fit the replicates",
            needs=f"as many samples of each of {replicates.n_replicates} replicates",
            got=f"{inner.n_replicates} of {inner.n_cases} cases",
        )
    if ((inner.counts > 0) & (np.repeat(replicates.counts, count, axis=0) == 0)).any():
        raise InputError(
            "`inner` draws cases that its sample did not draw", needs="samples of the samples"
        )


def _check_counts(replicates: Replicates) -> None:
    counts, groups = replicates.counts, replicates.target.groups
    if counts.dtype.kind not in "iu" or counts.ndim != 2:
        raise InputError("`counts` are not integers", needs="an integer array of shape (B, n)")
    units, size = counts, replicates.target.n
    if replicates.drawn is DrawUnit.GROUPS:
        if groups is None:
            raise InputError("groups were drawn, but the target has none", needs=f"{GROUPS}")
        first, code = np.unique(groups, return_index=True, return_inverse=True)[1:]
        units, size = counts[:, first], len(first)
        if not (units[:, code.reshape(-1)] == counts).all():
            raise InputError("`counts` differ within a group", needs="groups that are drawn whole")
    if counts.dtype.kind == "i" and (counts < 0).any():
        raise InputError("`counts` are negative", needs="integers of at least 0")
    sums = units.sum(axis=1, dtype=np.int64)
    if (sums != size).any():
        raise InputError(
            "`counts` of a replicate have the wrong sum",
            needs=f"{size} draws per replicate",
            got=f"from {sums.min()} to {sums.max()}",
        )
