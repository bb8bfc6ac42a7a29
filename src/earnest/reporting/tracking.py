"""Estimates in an experiment tracker: numbers, tags and files of a run of MLflow."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.extras import tell_install
from earnest.core.results.estimate import Estimate
from earnest.core.text.estimate import metrics_of

FOLDER = "earnest"  # of the artifacts
LONGEST = 5000  # signs of a tag, which is what MLflow takes


def log_estimate(
    estimate: Estimate, run: Any = None, report: Any = None, *, name: str | None = None
) -> str:
    """Log an estimate to a run of MLflow, with its interval, its meaning and its files.

    The value, both limits, the standard error, the naive score and the optimism are metrics
    (`roc_auc`, `roc_auc_low`, `roc_auc_high`, ...); method, estimand, level, seed, winner and
    cautions are tags (``earnest.method``, ...); the whole result as JSON, and the report if one is
    given, are artifacts in the folder `earnest`. Needs the extra `mlflow`.

    Parameters
    ----------
    estimate : Estimate
        What to log.
    run : str or mlflow Run, optional
        The id of a run or the run itself; the active one by default.
    report : path or object with `save`, optional
        The file of a report, or a report that is saved as HTML.
    name : str, optional
        The name of the metric, by default its own; another one where a run holds several
        estimates of one metric. An estimate that would be written over is refused without it.
        Tags and the file of a second metric have the name of that metric.

    Returns
    -------
    str
        The id of the run.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 50)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((100, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(100) // 2 % 10)
    >>> for name, value in en.estimate(pi, metric="roc_auc", rng=7).to_metrics().items():
    ...     print(name, round(value, 2))
    roc_auc 0.71
    roc_auc_low 0.57
    roc_auc_high 0.84
    roc_auc_standard_error 0.05
    roc_auc_naive 0.8
    roc_auc_optimism 0.09
    """
    if not isinstance(estimate, Estimate):
        raise InputError(
            "this is not an estimate",
            needs="earnest.results.Estimate, such as search.estimate_",
            got=type(estimate).__name__,
        )
    file = _report_file(report)
    mlflow = _mlflow()
    run_id = _run_id(mlflow, run)
    client = mlflow.MlflowClient()
    tags = tags_of(estimate)
    spot = _place(client.get_run(run_id).data.tags, tags, name)
    for key, value in metrics_of(estimate, name).items():
        client.log_metric(run_id, key, value)
    stem = FOLDER if spot is None else f"{FOLDER}.{spot}"
    for key, text in tags.items():
        client.set_tag(run_id, f"{stem}.{key}", text)
    client.log_dict(run_id, estimate.to_dict(), f"{FOLDER}/{spot or 'estimate'}.json")
    if file is not None:
        client.log_artifact(run_id, str(file), FOLDER)
    elif report is not None:
        _log_saved(client, run_id, report, spot)
    return str(run_id)


def _place(there: Mapping[str, str], tags: Mapping[str, str], name: str | None) -> str | None:
    """Return the name for tags and files, so that no other estimate of the run is written over.

    The first estimate needs none; one of another metric has that of its metric.
    """
    first = there.get(f"{FOLDER}.metric")
    metric = tags["metric"]
    spot = name or (None if first in (None, metric) else metric)
    stem = FOLDER if spot is None else f"{FOLDER}.{spot}"
    other = [key for key in _WHICH if there.get(f"{stem}.{key}", tags.get(key)) != tags.get(key)]
    if other:
        raise InputError(
            f"the run holds another estimate of {name or metric!r}",
            needs="a `name` for each of several estimates of a metric",
            got=", ".join(f"{key} {there[f'{stem}.{key}']}" for key in other),
            cure=f"log_estimate(estimate, name='{metric}_{tags['method']}'), for example.",
        )
    return spot


# What tells two estimates apart; the same one may be logged again.
_WHICH = ("metric", "method", "confidence_level", "side", "seed", "fingerprint")


def tags_of(estimate: Estimate) -> dict[str, str]:
    """Return what a number cannot tell as short texts by name."""
    interval = estimate.interval
    texts = {
        "metric": estimate.metric,
        "method": estimate.method,
        "estimand": estimate.estimand,
        "confidence_level": None if interval is None else f"{interval.confidence_level:.10g}",
        "side": None if interval is None else interval.side,
        "seed": estimate.provenance.seed,
        "winner": estimate.winner,
        "n_cases": estimate.n_cases,
        "n_configs": estimate.n_configs,
        "cautions": " ".join(sorted({c.code for c in estimate.cautions})) or "none",
        "fingerprint": estimate.provenance.fingerprint,
    }
    return {name: str(value)[:LONGEST] for name, value in texts.items() if value is not None}


def _report_file(report: Any) -> Path | None:
    """Return the path of a report that is a file; None where there is none, or it is an object."""
    if report is None or (hasattr(report, "save") and not isinstance(report, (str, os.PathLike))):
        return None
    if not isinstance(report, (str, os.PathLike)) or not Path(report).is_file():
        raise InputError(
            "`report` does not exist",
            needs="the path of a file, or a report with a method `save`",
            got=check.show(report),
        )
    return Path(report)


def _log_saved(client: Any, run_id: str, report: Any, name: str | None) -> None:
    with tempfile.TemporaryDirectory(prefix="earnest-") as folder:
        path = Path(folder) / f"{name or 'report'}.html"
        report.save(path)
        client.log_artifact(run_id, str(path), FOLDER)


def _mlflow() -> Any:
    try:
        import mlflow
    except ModuleNotFoundError as error:
        raise InputError(
            "MLflow is not installed",
            needs="the library that records runs",
            cure=tell_install("mlflow"),
        ) from error
    return mlflow


def _run_id(mlflow: Any, run: Any) -> str:
    if isinstance(run, str):
        return run
    active = mlflow.active_run() if run is None else run
    identity = getattr(getattr(active, "info", None), "run_id", None)
    if identity is None:
        raise InputError(
            "there is no active run" if run is None else "`run` is not a run",
            needs="the id of a run, or a run of MLflow",
            got="" if run is None else check.show(run),
            cure="Write `with mlflow.start_run():` around it." if run is None else "",
        )
    return str(identity)
