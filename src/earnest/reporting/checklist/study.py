"""The facts of a study that a run has recorded: participants, predictors, model, performance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.provenance import list_versions
from earnest.core.data.target import Target, Task
from earnest.core.results.calibration import Calibration
from earnest.core.results.cautions import Caution
from earnest.core.results.counts import Counts
from earnest.core.results.estimate import Estimate
from earnest.core.results.readiness import Readiness
from earnest.core.results.subgroups import Subgroups
from earnest.core.results.thresholds import Thresholds
from earnest.core.results.validation import Validation
from earnest.reporting.sources.asking import Results


@dataclass(frozen=True)
class PredictorColumn:
    """A column that models see, its kind, and how many cases lack it."""

    name: str
    kind: str
    n_missing: int


@dataclass(frozen=True)
class OutcomeCount:
    """How many cases have an outcome: a class, or an event."""

    label: str
    n_cases: int


@dataclass(frozen=True)
class Participants:
    """The flow of rows: read, with an outcome, used in the search, and in the delivered model.

    `n_known` and `n_cases` differ where a budget had no time for all rows.
    """

    n_rows: int
    n_known: int
    n_cases: int
    n_delivered: int

    @property
    def n_without_outcome(self) -> int:
        """Rows that were dropped because they have no outcome."""
        return self.n_rows - self.n_known

    @property
    def n_not_searched(self) -> int:
        """Rows that the search did not use, because its budget had no time for them."""
        return self.n_known - self.n_cases


@dataclass(frozen=True, kw_only=True)
class Study:
    """What a run of `tune` knows of the study that a paper describes.

    Attributes
    ----------
    source, folder : str
        The table, and the folder of the run.
    task : Task
        What is predicted.
    outcome : tuple of str
        The columns of the outcome: one, or time and event.
    participants : Participants
        The flow of rows.
    outcomes : tuple of OutcomeCount
        Cases of every class, the positive one of two first; events; none for numbers.
    predictors : tuple of PredictorColumn
        The columns that models see.
    left_out : mapping of str to str
        The other columns, and why.
    group : str or None
        The column of groups, such as the centre.
    n_groups : int or None
        How many there are.
    counts : Counts
        How many configurations were tried.
    members : mapping of str to float
        The configurations of the delivered model, by their weight.
    n_folds, n_repeats, n_fits : int
        The internal validation, and how many models it trained.
    portfolio, drop : str
        What was tried, and the rule of early dropping.
    seed : int or None
        The seed of the run.
    has_model : bool
        Whether the run delivered a model.
    title : str
        What is measured, in words.
    estimate : Estimate
        The performance.
    calibration, thresholds, subgroups, readiness
        What the report says of them; None where it does not.
    compared : bool
        Whether configurations are compared in the report.
    cautions : tuple of Caution
        What to be careful about.
    versions : mapping of str to str
        Of the software.
    validation : Validation or None
        Of the delivered model on new cases, where there is one.
    """

    source: str
    folder: str
    task: Task
    outcome: tuple[str, ...]
    participants: Participants
    outcomes: tuple[OutcomeCount, ...]
    predictors: tuple[PredictorColumn, ...]
    left_out: Mapping[str, str]
    group: str | None
    n_groups: int | None
    counts: Counts
    members: Mapping[str, float]
    n_folds: int
    n_repeats: int
    n_fits: int | None
    portfolio: str
    drop: str
    seed: int | None
    has_model: bool
    title: str
    estimate: Estimate
    calibration: Calibration | None
    thresholds: Thresholds | None
    subgroups: Subgroups | None
    readiness: Readiness | None
    compared: bool
    cautions: tuple[Caution, ...]
    versions: Mapping[str, str]
    validation: Validation | None = None

    @property
    def n_missing(self) -> int:
        """How many predictors have missing values."""
        return sum(each.n_missing > 0 for each in self.predictors)

    @property
    def n_rarest(self) -> int | None:
        """Cases of the rarest class, or events; None for numbers."""
        return min((each.n_cases for each in self.outcomes), default=None)


KEYS = ("roles", "features", "kinds", "missing", "left_out", "n_rows", "n_known", "n_cases")


def find_study(results: Results) -> Study | None:
    """Return the facts that a run of `tune` recorded; None of other sources, and of older runs."""
    material, estimate, target = results.material, results.estimate, results.target
    tuning = material.tuning
    if estimate is None or target is None or any(key not in tuning for key in KEYS):
        return None
    shares = estimate.ensemble or {}
    if not shares and estimate.winner is not None:
        shares = {estimate.winner: 1.0}
    roles = tuning["roles"]
    return Study(
        source=material.source,
        folder=material.folder,
        task=target.task,
        outcome=tuple(str(roles[role]) for role in ("target", "time", "event") if role in roles),
        participants=_follow_rows(tuning),
        outcomes=_count_outcomes(target),
        predictors=_list_predictors(tuning),
        left_out=dict(tuning["left_out"]),
        group=roles.get("group"),
        n_groups=None if target.groups is None else len(np.unique(target.groups)),
        counts=material.counts,
        members={material.labels.get(name, name): share for name, share in shares.items()},
        n_folds=results.n_folds,
        n_repeats=results.n_repeats,
        n_fits=material.n_fits,
        portfolio=str(tuning.get("portfolio") or ""),
        drop=material.drop,
        seed=results.seed,
        has_model=material.refitted,
        title=material.title,
        estimate=estimate,
        calibration=results.calibration,
        thresholds=results.thresholds,
        subgroups=results.subgroups,
        readiness=results.readiness,
        compared=results.many is not None and len(results.many) > 0,
        cautions=estimate.cautions,
        versions=dict(estimate.provenance.versions) or list_versions(),
    )


def refuse_study(source: str) -> EvidenceError:
    """Return the error about a source that did not record its participants and predictors."""
    return EvidenceError(
        "this source does not say which rows and columns its models were trained on",
        needs="the folder of a finished run of `earnest tune`, or what earnest.tune returns",
        got=source,
        cure="Tune with this version of earnest; other sources have a report, but no checklist.",
    )


def check_validation(study: Study, validation: Validation) -> Validation:
    """Return a validation, and refuse that of another model."""
    name = study.estimate.winner or f"ensemble of {len(study.members)}"
    labels = {each.label for each in study.outcomes}
    if validation.model != name or validation.positive not in labels:
        raise InputError(
            "the validation is of another model",
            needs=f"one of {name}, for {' or '.join(sorted(labels)) or study.task}",
            got=f"{validation.model}, for {validation.positive}",
            cure="Validate the model of this run: earnest validate RUN TABLE --json.",
        )
    return validation


def _follow_rows(tuning: Mapping[str, Any]) -> Participants:
    n_rows, n_known, n_cases = (int(tuning[key]) for key in ("n_rows", "n_known", "n_cases"))
    growth = tuning.get("growth") or {}
    return Participants(n_rows, n_known, n_cases, int(growth.get("n_delivered", n_cases)))


def _list_predictors(tuning: Mapping[str, Any]) -> tuple[PredictorColumn, ...]:
    kinds, missing = tuning["kinds"], tuning["missing"]
    return tuple(
        PredictorColumn(name, str(kinds.get(name, "")), int(missing.get(name, 0)))
        for name in tuning["features"]
    )


def _count_outcomes(target: Target) -> tuple[OutcomeCount, ...]:
    """Return the cases of every class, or the events; nothing for numbers."""
    if target.event is not None:
        return (OutcomeCount("event", int(target.event.sum())),)
    if not target.has_classes:
        return ()
    counts = np.bincount(target.y.astype(np.int64), minlength=len(target.classes))
    pairs = zip(target.classes, counts.tolist(), strict=True)
    every = tuple(OutcomeCount(str(label), count) for label, count in pairs)
    return every[::-1] if target.task is Task.BINARY else every
