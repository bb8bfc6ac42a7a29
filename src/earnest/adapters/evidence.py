"""What a verb is asked about: a table, a fitted search, the folder of a run, or a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from earnest.core.base import check
from earnest.core.base.errors import EarnestError, EvidenceError, FormatError, InputError
from earnest.core.base.rng import RngLike
from earnest.core.data.designs import NestedPredictions, PairedHalves
from earnest.core.data.fold_scores import FoldScores
from earnest.core.data.predictions import Predictions
from earnest.core.data.replicates import Replicates
from earnest.core.data.scores import Scores
from earnest.core.data.subgroups import list_names
from earnest.core.results.base import parse_json
from earnest.core.results.estimate import Estimate
from earnest.core.results.interval import Ask
from earnest.core.text.doors import arg
from earnest.metrics.families import MetricLike

EvidenceTable: TypeAlias = (
    Predictions | Scores | Replicates | NestedPredictions | PairedHalves | FoldScores
)
TABLES = (Predictions, Scores, Replicates, NestedPredictions, PairedHalves, FoldScores)
NEEDS = (
    "earnest.Predictions, Scores or Replicates, a fitted SearchCV, the result of tune, the folder "
    "of a run, a run file, a ledger, or a file of predictions or scores"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Source:
    """Evidence, with what the search that made it has decided.

    Attributes
    ----------
    evidence : Predictions, Scores, Replicates, NestedPredictions or PairedHalves
        What is computed from.
    metric : str, Metric or callable, optional
        What the search measured.
    seed : int, optional
        The seed of its resamples.
    winner : str, optional
        The configuration that it delivers.
    answer : callable, optional
        Returns the estimate of the search.
    answer_with : callable, optional
        Returns it with another number of resamples.
    looks : Path, optional
        The ledger that it comes from, which counts the looks of gates.
    hidden : bool
        Whether that ledger is open, so that no number may be told.
    """

    evidence: EvidenceTable
    metric: MetricLike | None = None
    seed: int | None = None
    winner: str | None = None
    answer: Callable[[], Estimate] | None = None
    answer_with: Callable[[int], Estimate] | None = None
    looks: Path | None = None
    hidden: bool = False

    def metric_or(self, metric: MetricLike | None) -> MetricLike | None:
        """Return the metric that is asked for, or else that of the search."""
        return self.metric if metric is None else metric

    def seed_or(self, rng: RngLike) -> RngLike:
        """Return the seed that is asked for, or else that of the search."""
        return self.seed if rng is None else rng

    def winner_by(self, metric: MetricLike | None) -> str | None:
        """Return the winner of the search, None where another metric is asked for."""
        return self.winner if metric is None else None


class HasSource(Protocol):
    """A fitted search: a `SearchCV`, or what `tune` returns."""

    def to_source(self) -> Source:
        """Return its predictions, and what it has decided."""
        ...


# Of other libraries, known when they are opened: a fitted search, a study, a frame, a mapping.
EvidenceLike: TypeAlias = EvidenceTable | HasSource | str | Path | Mapping[str, Any] | object


def open_evidence(source: object, by: object = None) -> Source:
    """Return the evidence in what a user has, or refuse it.

    Where `by` names columns, a table of others is read with them as columns of subgroups.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.adapters.evidence import open_evidence
    >>> pi = en.Predictions.from_arrays([0, 1, 0, 1], [0.1, 0.8, 0.4, 0.6])
    >>> open_evidence(pi).evidence is pi
    True
    """
    from earnest.adapters.folds.door import open_in_hand

    if isinstance(source, TABLES):
        return Source(evidence=source)
    if isinstance(source, str | Path):
        return _open_path(check.read_path(source), list_names(by))
    if not isinstance(source, type) and hasattr(source, "to_source"):
        converted: Source = source.to_source()
        return converted
    evidence = open_in_hand(source, list_names(by))
    if evidence is not None:
        return Source(evidence=evidence)
    raise refuse_evidence(source)


def refuse_evidence(source: object) -> EvidenceError:
    """Return the error about what holds no evidence."""
    from earnest.adapters.predictions.door import cure_for

    return EvidenceError(
        "this is not a table of out-of-sample predictions",
        needs=NEEDS,
        got=type(source).__name__,
        cure=cure_for(source),
    )


def restate_estimate(estimate: Estimate, ask: Ask) -> Estimate:
    """Return an estimate at the level and side that are asked for."""
    interval = estimate.interval
    if interval is None:
        return estimate
    side = str(ask.resolved(estimate.scale.greater_is_better))
    if (interval.confidence_level, str(interval.side)) == (ask.confidence_level, side):
        return estimate
    return estimate.at(confidence_level=ask.confidence_level, side=side)


# Files and folders.


def _open_path(path: Path, by: tuple[str, ...] = ()) -> Source:
    from earnest.adapters.folds.door import open_fold_file
    from earnest.adapters.predictions.door import (
        BESIDE,
        find_run_file,
        find_run_folder,
        is_run,
        refuse_foreign,
        table_of,
    )
    from earnest.adapters.predictions.epochs import is_epoch_folder, read_epochs
    from earnest.adapters.readers import PredictionsRequest
    from earnest.adapters.scores.door import is_evaluation, scores_from
    from earnest.adapters.trials.files import is_ledger

    if is_ledger(path):
        from earnest.adapters.ledger import Ledger

        return Ledger(path).to_source()
    if is_evaluation(path):
        return Source(evidence=scores_from(path))
    path = find_run_folder(path)
    run_file = find_run_file(path)
    if run_file is not None:
        return _open_run_file(run_file)
    fold_scores = open_fold_file(path)
    if fold_scores is not None:
        return Source(evidence=fold_scores)
    if is_epoch_folder(path):
        return Source(evidence=read_epochs(path, PredictionsRequest()))
    refuse_foreign(path)
    if not is_run(path):
        return Source(evidence=load_table(path, {"by": by} if by else None))
    predictions = Predictions.load(table_of(path))
    result = read_run_result(path / BESIDE[1])
    if result.estimate is None:
        return Source(evidence=predictions)
    estimate = result.estimate
    if not result.is_of(predictions, estimate.metric) or estimate.source is None:
        return Source(evidence=predictions, metric=estimate.metric)
    return Source(
        evidence=predictions,
        metric=estimate.metric,
        seed=estimate.provenance.seed,
        winner=estimate.winner,
        answer=lambda: estimate,
    )


def _open_run_file(path: Path) -> Source:
    """Return what a search kept in its run file, with its metric, its seed and its winner."""
    from earnest.adapters.predictions.run_file import read_predictions_of_run
    from earnest.adapters.readers import PredictionsRequest
    from earnest.adapters.trials.run_file import read_scored
    from earnest.adapters.trials.scored import choose_score
    from earnest.metrics import METRICS
    from earnest.store import read_run

    predictions = read_predictions_of_run(path, PredictionsRequest())
    run = read_run(path, arrays=False)
    scored, seed = read_scored(run), run.identity.get("seed", "")
    key = choose_score(scored.names, None, scored.usual)
    name = scored.metric or scored.names[key].name
    return Source(
        evidence=predictions,
        metric=METRICS[name].name if name in METRICS else None,
        seed=int(seed) if seed.isdecimal() else None,
        winner=scored.find_best(key, predictions.configs.ids),
    )


def refuse_subgroups(options: Mapping[str, Any], evidence: str) -> None:
    """Refuse columns of subgroups where the evidence has no cases to divide."""
    if options.get("by"):
        raise InputError(f"{arg('by')} is for predictions", got=evidence, cure="Leave it out.")


def load_table(path: Path, options: Mapping[str, Any] | None = None) -> Predictions | Scores:
    """Read a file of predictions or of scores; `options` say how, and `scores` that it is one."""
    from earnest.core.tables.opening import holds_scores

    if path.is_dir() or not path.exists():
        kind = "the folder is not that of a run:" if path.is_dir() else "there is no file or folder"
        raise FormatError(f"{kind} {str(path)!r}", needs=NEEDS)
    check.refuse_stream(path)
    how = dict(options or {})
    try:
        if how.pop("scores", False) or holds_scores(path):
            refuse_subgroups(how, "scores")
            return Scores.load(path, **how)
        return Predictions.load(path, **how)
    except OSError as error:
        raise FormatError(f"{str(path)!r} cannot be read", got=str(error.strerror)) from error


@dataclass(frozen=True)
class RunResult:
    """What a run says of its result: the estimate, and how its model was found."""

    estimate: Estimate | None = None
    tuning: Mapping[str, Any] = field(default_factory=dict)

    @property
    def metric(self) -> str | None:
        """The metric of the run."""
        return None if self.estimate is None else self.estimate.metric

    def is_of(self, predictions: Predictions, metric: str) -> bool:
        """Tell whether the estimate is of these predictions and this metric."""
        estimate = self.estimate
        return (
            estimate is not None
            and estimate.metric == metric
            and estimate.provenance.fingerprint == predictions.fingerprint
        )


def read_run_result(path: Path) -> RunResult:
    """Return what a run wrote of its result; nothing where the file is missing, or of others.

    A damaged file is refused: an estimate that is computed anew may have another seed, level and
    method than the one that the run reported.
    """
    if not path.is_file():
        return RunResult()
    try:
        data = parse_json(path.read_text(encoding="utf-8"))
        if data.get("schema") != Estimate.schema:
            return RunResult()
        estimate = Estimate.from_dict(data)
    except (OSError, ValueError, AttributeError, EarnestError) as error:
        raise FormatError(
            f"{str(path)!r}, the estimate of this run, cannot be read",
            needs="the file as the run wrote it",
            got=str(error),
            cure="Restore it, or write it anew by `earnest tune` with --resume. To estimate anew "
            "from the predictions, delete it.",
        ) from error
    about = data.get("tuning")
    return RunResult(estimate, about if isinstance(about, dict) else {})
