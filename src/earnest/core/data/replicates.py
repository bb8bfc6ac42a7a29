"""Replicates: what models that were trained on bootstrap samples say of every case."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers, RawArray, read_only, yield_row_bytes
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.writing import replacing
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Target, Task
from earnest.core.data.weights import Unit, Weights
from earnest.core.results.base import parse_json
from earnest.core.results.cautions import Caution
from earnest.core.tables.files import find_existing
from earnest.core.tables.formats.expanding import refuse_expanding
from earnest.core.tables.formats.header import make_changed_error
from earnest.core.tables.formats.npz import HEADER, read_member, readable, write_member

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
    tells. `bootstrap_train` makes them; the constructor refuses what does not fit together.

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

    def __post_init__(self) -> None:
        """Refuse what does not go together, and keep arrays that cannot be written to."""
        object.__setattr__(self, "drawn", DrawUnit(self.drawn))
        object.__setattr__(self, "kind", ResponseKind(self.kind))
        for name in ARRAYS:
            object.__setattr__(self, name, np.asarray(getattr(self, name)))
        _check_responses(self)
        _check_counts(self)
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

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        return self.target.n

    @property
    def n_replicates(self) -> int:
        """The number of replicates that have a model, B."""
        return len(self.counts)

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
        return replace(self, responses=self.responses[rows], counts=self.counts[rows])

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the draws and of what the models say, equal only for equal replicates."""
        facts = (str(self.kind), self.threshold, self.learner, self.n_failed)
        digest = hashlib.sha256((self.draws_fingerprint + repr(facts)).encode())
        for part in (self.responses, self.apparent):
            digest.update(f"{part.dtype.name}{part.shape}".encode())
            for block in yield_row_bytes(part):
                digest.update(block)
        return digest.hexdigest()[:32]

    @cached_property
    def draws_fingerprint(self) -> str:
        """A hash of cases and draws, equal where two learners may be compared pair by pair."""
        target = self.target
        digest = hashlib.sha256(repr((str(target.task), target.classes, str(self.drawn))).encode())
        own = self.counts.astype(np.int64)
        for part in (target.y, target.event, target.groups, target.strata, own):
            digest.update(b"-" if part is None else f"{part.dtype.name}{part.shape}".encode())
            digest.update(b"" if part is None else np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()[:32]

    def save(self, path: str | Path) -> Path:
        """Write the replicates to an NPZ file, which `load` gives back exactly."""
        return save_replicates(self, path)

    @classmethod
    def load(cls, path: str | Path, *, verify: bool = True) -> Replicates:
        """Read replicates from an NPZ file that `save` wrote; a changed one is refused."""
        return load_replicates(path, verify=verify)


def _check_responses(made: Replicates) -> None:
    scores = made.kind in (ResponseKind.PROBABILITY, ResponseKind.DECISION)
    many = made.target.task is Task.MULTICLASS and scores
    shape = (made.target.n, *((len(made.target.classes),) if many else ()))
    for name, given, wanted in (
        ("responses", made.responses, (max(1, len(made.counts)), *shape)),
        ("apparent", made.apparent, shape),
    ):
        if np.shape(given) != wanted:
            raise InputError(
                f"`{name}` has the wrong shape",
                needs=f"{wanted} for {made.target.n} cases",
                got=str(np.shape(given)),
            )
        if given.dtype.kind not in "fiub" or not np.isfinite(given).all():
            raise InputError(
                f"`{name}` is not finite",
                needs="a number for every case",
                got="NaN or infinite values" if given.dtype.kind == "f" else str(given.dtype),
            )


def _check_counts(made: Replicates) -> None:
    counts, groups = made.counts, made.target.groups
    if counts.dtype.kind not in "iu" or counts.ndim != 2:
        raise InputError("`counts` are not integers", needs="an integer array of shape (B, n)")
    units, size = counts, made.target.n
    if made.drawn is DrawUnit.GROUPS:
        if groups is None:
            raise InputError("groups were drawn, but the target has none", needs="`groups`")
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


SCHEMA = "earnest/replicates/1"


class _Facts(TypedDict):
    schema: str
    task: str
    classes: list[object]
    ordered: bool
    kind: str
    drawn: str
    learner: str
    threshold: float | None
    n_failed: int
    seed: int | None
    cautions: list[dict[str, str]]
    fingerprint: str


def save_replicates(replicates: Replicates, path: str | Path) -> Path:
    """Write replicates to an NPZ file: beside its place first, so that it is never half there."""
    path = Path(path)
    if path.suffix.casefold() != ".npz" or not path.resolve().parent.is_dir():
        raise FormatError(
            f"{path.name!r} cannot be written",
            needs="a name that ends in .npz, in a folder that exists",
            got=str(path),
        )
    target = replicates.target
    arrays: dict[str, RawArray | None] = {
        HEADER: np.frombuffer(_write_header(replicates).encode(), dtype=np.uint8),
        "y": target.y,
        "event": target.event,
        "groups": target.groups,
        "strata": target.strata,
        "ids": target.ids,
        "counts": replicates.counts,
        "apparent": replicates.apparent,
        "responses": replicates.responses,
    }
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in arrays.items():
            if array is not None:
                write_member(archive, f"{name}.npy", array)
    return path


def load_replicates(path: str | Path, *, verify: bool = True) -> Replicates:
    """Return the replicates of a file that `save_replicates` wrote, or refuse it."""
    path = find_existing(Path(path))
    with readable(path), zipfile.ZipFile(path) as archive:
        refuse_expanding(archive, path)
        arrays = {
            name.removesuffix(".npy"): read_member(path, archive, name, False)
            for name in archive.namelist()
        }
    facts = _read_facts(arrays.pop(HEADER, None), path)
    lacking = {"y", "counts", "apparent", "responses"} - set(arrays)
    if lacking:
        raise make_changed_error(
            path, "all arrays as they were written", f"none named {sorted(lacking)}"
        )
    made = Replicates(
        target=Target(
            y=arrays["y"],
            task=Task(facts["task"]),
            classes=tuple(facts["classes"]),
            event=arrays.get("event"),
            groups=arrays.get("groups"),
            strata=arrays.get("strata"),
            ordered=facts["ordered"],
            ids=arrays.get("ids"),
        ),
        responses=arrays["responses"],
        counts=arrays["counts"],
        apparent=arrays["apparent"],
        kind=ResponseKind(facts["kind"]),
        drawn=DrawUnit(facts["drawn"]),
        learner=facts["learner"],
        threshold=facts["threshold"],
        n_failed=facts["n_failed"],
        seed=facts["seed"],
        cautions=tuple(Caution.from_dict(caution) for caution in facts["cautions"]),
    )
    if verify and made.fingerprint != facts["fingerprint"]:
        raise make_changed_error(path, f"fingerprint {facts['fingerprint']}", made.fingerprint)
    return made


def _write_header(replicates: Replicates) -> str:
    facts: _Facts = {
        "schema": SCHEMA,
        "task": str(replicates.target.task),
        "classes": list(replicates.target.classes),
        "ordered": replicates.target.ordered,
        "kind": str(replicates.kind),
        "drawn": str(replicates.drawn),
        "learner": replicates.learner,
        "threshold": replicates.threshold,
        "n_failed": replicates.n_failed,
        "seed": replicates.seed,
        "cautions": [caution.to_dict() for caution in replicates.cautions],
        "fingerprint": replicates.fingerprint,
    }
    return json.dumps({**facts, "checksum": _compute_checksum(facts)}, allow_nan=False)


def _read_facts(header: RawArray | None, path: Path) -> _Facts:
    """Return the header, if it is one of replicates and nobody changed it."""
    try:
        facts = {} if header is None else parse_json(header.tobytes())
    except ValueError as error:
        raise make_changed_error(path, "a JSON header", "other text") from error
    schema = facts.get("schema") if isinstance(facts, dict) else None
    if schema != SCHEMA:
        raise FormatError(
            f"{path.name!r} does not hold replicates",
            needs=f"schema {SCHEMA!r}",
            got=f"schema {schema!r}",
            cure="Read predictions with Predictions.load."
            if str(schema).startswith("earnest/predictions")
            else "",
        )
    stored = facts.pop("checksum", None)
    if stored != _compute_checksum(facts):
        raise make_changed_error(path, f"header checksum {_compute_checksum(facts)}", str(stored))
    return cast(_Facts, facts)


def _compute_checksum(facts: Mapping[str, object]) -> str:
    text = json.dumps(facts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
