"""The material of a run file: scores and failures, but neither outcomes nor an estimate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from earnest.adapters.trials.request import TrialsRequest
from earnest.adapters.trials.run_file import BEGUN, CONFIGS, document_of, read_scored
from earnest.adapters.trials.scored import COMPLETE, DROPPED, ScoredSearch, ScoreName, choose
from earnest.core.results.estimate import Scale
from earnest.core.results.files import parse_json
from earnest.metrics import METRICS
from earnest.reporting.sources.material import Material, SearchedConfiguration
from earnest.store import RunFile

NO_OUTCOME = (
    "A run file holds the scores of the search, but not the outcome of the cases, so it cannot "
    "tell you what to expect on new data."
)


def material_of_run(
    run: RunFile, metric: Any = None, *, source: str | None = None, files: tuple[str, ...] = ()
) -> Material:
    """Return what a run file holds, also of a run that was killed half-way.

    Its predictions are not looked at: they have a file of their own.
    """
    scored = read_scored(run)
    asked = getattr(metric, "name", metric)
    key = choose(scored.names, asked, scored.usual)
    score = scored.names[key]
    tried = _list_tried(run, scored, key)
    title, scale = _scale(score)
    done = [one for one in tried if one.status == COMPLETE and one.score is not None]
    gain = 1.0 if scale.greater_is_better else -1.0
    best = max(done, key=lambda one: gain * (one.score or 0.0)).config if done else None
    return Material(
        source=source or run.path.name,
        speaker="the search",
        title=title,
        scale=scale,
        tried=tried,
        by_folds=True,
        best=best,
        trials=lambda: scored.trials(TrialsRequest(objective=key)),
        n_fits=sum(len(key) == 3 for key in run.outcomes),
        seed=_seed(run),
        begun=run.documents.get(BEGUN),
        files=files,
        missing=(NO_OUTCOME, *_say_unfinished(tried, len(_ids(run)))),
    )


def _say_unfinished(tried: tuple[SearchedConfiguration, ...], listed: int) -> tuple[str, ...]:
    """Return a sentence on a run that ended early, nothing for a finished one."""
    begun, whole = len(tried), sum(one.status != DROPPED for one in tried)
    if begun == listed == whole:
        return ()
    return (
        f"Of {listed:,} configurations {begun:,} were begun and {whole:,} run on every fold: the "
        "run dropped the others, or ended early.",
    )


def _scale(score: ScoreName) -> tuple[str, Scale]:
    """Return words, direction and range of a score, those of our metric where it is one."""
    if score.name in METRICS:
        metric = METRICS[score.name]
        return metric.title, metric.scale
    return score.name, Scale(score.name, score.sign > 0, (-math.inf, math.inf))


def _seed(run: RunFile) -> int | None:
    text = str(run.identity.get("seed", ""))  # bytes in a damaged file
    return int(text) if text.isdecimal() else None


def _list_tried(run: RunFile, scored: ScoredSearch, key: str) -> tuple[SearchedConfiguration, ...]:
    sign, table = scored.names[key].sign, scored.scores[key]
    ids = _ids(run)  # a damaged file may have outcomes of configurations that it does not list
    tried = {cell[0] for cell in run.outcomes if len(cell) == 3}
    begun = [c for c in range(len(ids)) if c in tried]
    reasons = {c: _reason(run, c, scored.statuses[i], table[i]) for i, c in enumerate(begun)}
    return tuple(
        SearchedConfiguration(
            config=ids[c],
            params=scored.configs[i],
            score=_mean(sign * table[i]),
            folds=tuple(float(v) if math.isfinite(v) else None for v in sign * table[i]),
            status=scored.statuses[i],
            reason=reasons[c],
        )
        for i, c in enumerate(begun)
    )


def _ids(run: RunFile) -> list[str]:
    with document_of(run, CONFIGS):
        listed = parse_json(run.documents[CONFIGS])
        return [str(one.get("config", f"c{c}")) for c, one in enumerate(listed)]


def _mean(row: Any) -> float | None:
    known = row[np.isfinite(row)]
    return float(known.mean()) if len(known) else None


def _reason(run: RunFile, config: int, status: str, row: Any) -> str:
    if status == COMPLETE:
        return ""
    if status == DROPPED:
        return f"{int(np.isfinite(row).sum())} of {len(row)} folds: dropped, or not finished"
    from earnest.reporting.sources.search import last_line

    bad = [
        one
        for key, one in sorted(run.outcomes.items())
        if key[0] == config and (one.failed or one.note)
    ]
    where = "1 fold" if len(bad) == 1 else f"{len(bad)} folds"
    return f"in {where}: {last_line(bad[0].note, bad[0].error)}" if bad else "no score"
