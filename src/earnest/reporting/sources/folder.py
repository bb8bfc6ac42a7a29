"""The material of a tuning: from memory, or of its folder whatever is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earnest.adapters.trials.scored import COMPLETE
from earnest.core.base import check
from earnest.core.base.errors import EarnestError, FormatError
from earnest.core.data.predictions import Predictions
from earnest.core.results.estimate import Estimate
from earnest.core.results.files import parse_json
from earnest.core.results.learning import LearningCurve
from earnest.metrics import metric as resolve_metric
from earnest.reporting.sources.material import Material, measuring
from earnest.reporting.sources.source import material_of_predictions, material_of_run, need_metric
from earnest.store import RunFile, read_run

if TYPE_CHECKING:
    from earnest.training.tune.tuned import Tuned

PREDICTIONS = ("predictions.parquet", "predictions.npz", "predictions.csv")
RUN, ESTIMATE, MODEL = "run.db", "estimate.json", "model.skops"
LEARNING = "learning.json"


@dataclass(frozen=True)
class RunResult:
    """What a run says of its result: the estimate, and how its model was found."""

    estimate: Estimate | None = None
    tuning: Mapping[str, Any] = field(default_factory=dict)

    @property
    def metric(self) -> str | None:
        """The metric of the run."""
        return None if self.estimate is None else self.estimate.metric


def material_of_folder(folder: Path, metric: Any, options: dict[str, Any]) -> Material:
    """Return what a run folder holds, also of a run that was killed half-way."""
    table = next((folder / name for name in PREDICTIONS if (folder / name).exists()), None)
    run = read_run(folder / RUN, arrays=False) if (folder / RUN).exists() else None
    # Only files of the run: a report that was written beside them must not change the next one.
    files = tuple(
        name for name in (RUN, *PREDICTIONS, ESTIMATE, MODEL, LEARNING) if (folder / name).exists()
    )
    result, name = _read_result(folder / ESTIMATE), folder.resolve().name
    asked = result.metric if metric is None else metric
    if table is not None:
        pi = Predictions.load(table, **options)
        found = _with_run(run, pi, asked, name)
        missing = tuple(_lacks(found, result, pi, files))
        found = _with_result(found, result, pi)
        learning = _read_learning(folder / LEARNING, found)
        return replace(
            found,
            learning=learning,
            refitted=MODEL in files,
            folder=name,
            files=files,
            missing=missing,
        )
    if run is not None:
        return replace(material_of_run(run, asked, source=name, files=files), folder=name)
    raise FormatError(
        f"there is no run in the folder {str(folder)!r}",
        needs=f"{RUN}, or {PREDICTIONS[0]}",
        got=check.some(p.name for p in folder.iterdir()) or "an empty folder",
    )


def material_of_tuned(tuned: Tuned, metric: Any = None) -> Material:
    """Return what `tune` has found, from memory: the same as its folder holds."""
    result, pi, folder = RunResult(tuned.estimate, tuned.about()), tuned.predictions, tuned.folder
    name = "tune" if folder is None else folder.resolve().name
    found = _with_run(tuned.run, pi, result.metric if metric is None else metric, name)
    more = () if tuned.learning is None else (LEARNING,)
    files = () if folder is None else (RUN, PREDICTIONS[0], ESTIMATE, MODEL, *more)
    missing = () if folder is None else tuple(_lacks(found, result, pi, files))
    return replace(
        _with_result(found, result, pi),
        comparison=tuned.comparison if metric is None else None,
        learning=tuned.learning if metric is None else None,
        refitted=True,
        folder="" if folder is None else name,
        files=files,
        missing=missing,
    )


def _with_run(run: RunFile | None, pi: Predictions, metric: Any, name: str) -> Material:
    """Join the predictions with what only the run file knows: dropped, failed, fits."""
    if run is None:
        return replace(material_of_predictions(pi, need_metric(metric), name), speaker="the search")
    found = material_of_run(run, metric, source=name)
    measure = resolve_metric(metric if metric is not None else found.scale.name)
    if not _same_search(found, set(pi.configs.ids)):
        return material_of_predictions(pi, measure, name)
    return replace(found, **measuring(measure.on(pi.target.task)), predictions=pi, missing=())


def _same_search(found: Material, predicted: set[str]) -> bool:
    """Tell whether predictions are of the configurations of a run.

    A run whose time was over has begun configurations that it left out of its predictions.
    """
    begun = {one.config for one in found.tried}
    whole = {one.config for one in found.tried if one.status == COMPLETE}
    return whole <= predicted and (begun <= predicted or predicted <= begun)


def _fits(found: Material, result: RunResult, pi: Predictions) -> bool:
    """Tell whether the run's own estimate is of these predictions and this metric."""
    made = result.estimate
    return (
        made is not None
        and made.metric == found.scale.name
        and made.provenance.fingerprint == pi.fingerprint
    )


def _with_result(found: Material, result: RunResult, pi: Predictions) -> Material:
    """Take the run's own estimate where it is of these predictions; else one is made again."""
    made, tuning = result.estimate, result.tuning
    own = made if _fits(found, result, pi) else None
    own = None if own is None or own.source is None else own
    features, won = tuning.get("features"), tuning.get("won")
    return replace(
        found,
        source=str(tuning.get("source") or found.source),
        estimate=own,
        won=won if own is not None and isinstance(won, dict) else {},
        settings=_settings(made) if made is not None else {},
        n_features=len(features) if isinstance(features, list) else None,
        drop=str(tuning.get("drop") or ""),
    )


def _lacks(
    found: Material, result: RunResult, pi: Predictions, files: tuple[str, ...]
) -> Iterator[str]:
    """Yield what a folder lacks, and what follows."""
    if result.estimate is None:
        why = "that can be read" if ESTIMATE in files else "at all"
        yield f"The folder holds no {ESTIMATE} {why}: the estimate was computed again."
    elif not _fits(found, result, pi):
        yield f"{ESTIMATE} is for other predictions or another metric: it was computed again."
    if MODEL not in files:
        yield f"The folder holds no {MODEL}: the run ended before a model was saved."


def _settings(made: Estimate) -> dict[str, Any]:
    """Return how the run asked: the same method, level and seed give the same number again."""
    interval = made.interval
    return {
        "method": made.method,
        "confidence_level": None if interval is None else interval.confidence_level,
        "side": None if interval is None else interval.side,
        "n_resamples": made.provenance.knobs.get("n_resamples"),
        "rng": made.provenance.seed,
    }


def _read_learning(path: Path, found: Material) -> LearningCurve | None:
    """Return the learning curve of a run; None where there is none of this metric."""
    try:
        made = LearningCurve.load(path)
    except (OSError, ValueError, EarnestError):
        return None
    return made if made.metric == found.scale.name else None


def _read_result(path: Path) -> RunResult:
    """Return what a run wrote of its result; nothing where the file is missing or cut short."""
    try:
        data = parse_json(path.read_text(encoding="utf-8"))
        made = Estimate.from_dict(data)
    except (OSError, ValueError, EarnestError):
        return RunResult()
    about = data.get("tuning")
    return RunResult(made, about if isinstance(about, dict) else {})
