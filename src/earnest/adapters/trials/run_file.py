"""Trials of a run file: what our own search kept, from the file alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict, cast

import numpy as np

from earnest.adapters.readers import TrialsRequest
from earnest.adapters.trials.ranges import Range
from earnest.adapters.trials.scored import (
    ScoredSearch,
    ScoreName,
    score_name,
)
from earnest.core.base.errors import EarnestError, FormatError
from earnest.core.base.protocols import TaskOutcome
from earnest.core.results.base import parse_json
from earnest.core.results.counts import COMPLETE, DROPPED, FAILED
from earnest.core.space.trials import Trials
from earnest.store import RunFile, read_run

CONFIGS, ABOUT, BEGUN = "configs", "search", "begun"  # documents of a run
SHARED = "stage_of"  # the number that names the fit which a stage of boosting belongs to
TEST = "test_"
VERSION = 1  # of the document about the search


def is_fit(outcome: TaskOutcome) -> bool:
    """Tell whether an outcome counts as a fit, and is not a stage of another one."""
    return SHARED not in outcome.numbers


def about_search(
    names: Mapping[str, ScoreName],
    usual: str | None,
    ranges: Mapping[str, object],
    metric: str | None = None,
) -> str:
    """Return the document by which a reader of the file alone knows the scores and ranges."""
    scores = {key: name.to_dict() for key, name in names.items()}
    facts = {"scores": scores, "objective": usual, "ranges": dict(ranges), "metric": metric}
    return json.dumps({"version": VERSION, **facts})


def read_run_file(path: Path, ask: TrialsRequest) -> Trials:
    """Make trials from a run file, also while its run goes on.

    The objective of a configuration is its mean score over the splits. One that lacks splits that
    others have was dropped, or is not finished; one with a fit or a score that failed is failed;
    one without any fit is not there yet.
    """
    return read_scored(read_run(path, arrays=False)).trials(ask)  # scores are enough


class ScoreFacts(TypedDict, total=False):
    """What a run says of its scores."""

    version: int
    scores: dict[str, ScoreName]
    objective: str | None
    ranges: dict[str, Range]
    metric: str | None


def read_scored(run: RunFile) -> ScoredSearch:
    """Return the scores that a run file holds."""
    listed = _read_configs(run)
    cells = {key: outcome for key, outcome in run.outcomes.items() if len(key) == 3}
    places = sorted({key[1:] for key in cells})
    begun = [c for c in range(len(listed)) if any((c, *split) in cells for split in places)]
    rows = [[cells.get((c, *split)) for split in places] for c in begun]
    about = _read_about(run)
    keys = _name_scores(about, cells.values())
    usual, metric = about.get("objective"), about.get("metric")
    return ScoredSearch(
        configs=[listed[c] for c in begun],
        scores={
            key: np.array([[_read_score(outcome, key) for outcome in row] for row in rows]).reshape(
                len(rows), len(places)
            )
            for key in keys
        },
        statuses=[_find_status(row) for row in rows],
        names=keys,
        usual=usual if isinstance(usual, str) else None,
        ranges=about.get("ranges", {}),
        metric=metric if isinstance(metric, str) else None,
        source=f"run file {run.path.name!r}",
    )


def _read_configs(run: RunFile) -> list[dict[str, object]]:
    """Return the configurations in the order of their positions in keys."""
    if CONFIGS not in run.documents:
        raise FormatError(
            f"{run.path.name!r} is a run file without configurations",
            needs="the run of a SearchCV",
            got=run.identity.get("kind", f"{len(run.outcomes)} outcomes"),
        )
    with document_of(run, CONFIGS):
        return [dict(entry["params"]) for entry in parse_json(run.documents[CONFIGS])]


def _read_about(run: RunFile) -> ScoreFacts:
    """Return what the run says of its scores; nothing where it was written before they were."""
    if ABOUT not in run.documents:
        return {}
    with document_of(run, ABOUT):
        read = dict(parse_json(run.documents[ABOUT]))
        version = int(read["version"])
        read["scores"] = {str(k): _read_name(**facts) for k, facts in read["scores"].items()}
    refuse_newer(run, ABOUT, version, VERSION)
    return cast(ScoreFacts, read)


def _read_name(name: object, sign: object) -> ScoreName:
    """Return what a score is called; a TypeError where a damaged file holds something else."""
    if not isinstance(name, str) or not isinstance(sign, float) or abs(sign) != 1.0:
        raise TypeError(f"score {name!r} with the sign {sign!r}")
    return ScoreName(name, sign)


def refuse_newer(run: RunFile, name: str, version: int, newest: int) -> None:
    """Refuse a document of a version that this earnest does not know."""
    if version > newest:
        raise FormatError(
            f"{run.path.name!r} was written by a newer version of earnest",
            needs=f"version {newest} of its document {name!r}",
            got=f"version {version}",
            cure="Update earnest.",
        )


@contextmanager
def document_of(run: RunFile, name: str) -> Iterator[None]:
    """Turn what comes of reading a document that was changed into one form of message."""
    try:
        yield
    except EarnestError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FormatError(
            f"the document {name!r} of {run.path.name!r} cannot be read",
            needs="an unchanged run file",
            got=f"{type(error).__name__}: {error}",
        ) from error


def _name_scores(about: ScoreFacts, outcomes: Iterable[TaskOutcome]) -> dict[str, ScoreName]:
    """Return the scores that came out by key, called as was announced where it was."""
    announced_names = about.get("scores", {})
    keys = dict.fromkeys(
        name.removeprefix(TEST)
        for outcome in outcomes
        for name in outcome.numbers
        if name.startswith(TEST)
    )
    announced = [key for key in announced_names if key in keys] if keys else list(announced_names)
    return {key: announced_names.get(key) or score_name(key) for key in [*announced, *keys]}


def _read_score(outcome: TaskOutcome | None, key: str) -> float:
    return np.nan if outcome is None else float(outcome.numbers.get(TEST + key, np.nan))


def _find_status(row: list[TaskOutcome | None]) -> str:
    if any(outcome is None for outcome in row):
        return DROPPED
    return (
        FAILED
        if any(outcome is not None and (outcome.failed or outcome.note) for outcome in row)
        else COMPLETE
    )
