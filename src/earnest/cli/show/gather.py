"""What `earnest gather` read, in words and as plain data."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from earnest.adapters.predictions.door import kind_of
from earnest.adapters.scores.door import list_tools
from earnest.cli.show.estimate import Fact, Part, emit_blocks, label_facts, remarks, show_paragraph
from earnest.cli.show.terminal import GREY
from earnest.core.base import check
from earnest.core.base.errors import MetricError
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.data.target import Task
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import Door, through
from earnest.core.text.numbers import write_count
from earnest.metrics import METRICS
from earnest.metrics.responding import check_fits
from earnest.training.tune.options import USUAL_METRIC

SCHEMA = "earnest/gathered/1"
_LABELS = "balanced_accuracy"  # of a tool that kept nothing but labels
RESPONSES = {
    "probability": "probabilities",
    "decision": "decision values",
    "label": "labels",
    "value": "numbers",
    "risk": "risks",
}


def facts_of(pi: Predictions, source: str, out: Path) -> dict[str, Any]:
    """Return what was read and written as plain data."""
    kind, target = kind_of(source), pi.target
    counts = np.bincount(target.y.astype(int)).tolist() if target.has_classes else []
    return {
        "schema": SCHEMA,
        "source": source,
        "tool": "" if kind is None else kind.tool,
        "out": str(out),
        "n_cases": pi.n_cases,
        "n_tested": _count_tested(pi),
        "n_configs": pi.n_configs,
        "n_complete": int(pi.complete.sum()),
        "n_folds": max(len(names) for names in pi.fold_names),
        "n_repeats": pi.folds.shape[1],
        "task": str(target.task),
        "classes": [
            {"label": label, "cases": count}
            for label, count in zip(target.classes, counts, strict=False)
        ],
        "positive": target.classes[1] if target.task is Task.BINARY else None,
        "groups": None if target.groups is None else len(np.unique(target.groups)),
        "response": str(pi.kind),
        "static": pi.configs.static,
        "cautions": [caution.to_dict() for caution in pi.remarks],
        "fingerprint": pi.fingerprint,
        "next": f"earnest estimate {shlex.quote(str(out))} --metric {_metric(pi)}",
    }


def _count_tested(pi: Predictions) -> int:
    """Count the cases that any configuration has a prediction of."""
    tested = ~np.isnan(pi.responses.reshape(pi.n_cases, -1))
    return int(tested.any(axis=1).sum())


def _metric(pi: Predictions) -> str:
    """Return a metric that the predictions can be judged by; the user may want another."""
    usual = USUAL_METRIC[pi.target.task]
    try:
        check_fits(pi, METRICS[usual].on(pi.target.task))
    except MetricError:
        return _LABELS
    return _LABELS if str(pi.kind) == "label" and pi.target.has_classes else usual


def show_gathered(facts: dict[str, Any], cautions: Sequence[Caution]) -> None:
    """Write what was read, its cautions, and what to do next."""
    what = f"the predictions of {write_count(facts['n_tested'], 'case')}"
    other = show_paragraph("or the metric you tuned for: see earnest metrics.", GREY)
    with through(Door(frozenset({"--ensembles"}))):
        _show(facts, what, _rows(facts), cautions, [other])


def _show(
    facts: dict[str, Any],
    what: str,
    rows: Iterable[Fact],
    cautions: Sequence[Caution],
    more: Sequence[Part] = (),
) -> None:
    head = f"Gathered {write_count(facts['n_configs'], 'configuration')} with {what}."
    emit_blocks(
        [show_paragraph(head, "bold")],
        [label_facts(rows)],
        remarks(cautions, "") if cautions else (),
        [show_paragraph(f"Next: {facts['next']}"), *more],
    )


def _rows(facts: dict[str, Any]) -> Iterator[Fact]:
    yield "Tool", f"{facts['tool']}, {facts['source']}"
    yield "Outcome", _outcome(facts)
    yield "Kept", RESPONSES.get(facts["response"], facts["response"])
    yield "Folds", _folds(facts)
    lost = facts["n_configs"] - facts["n_complete"]
    if lost:
        yield "Incomplete", f"{write_count(lost, 'configuration')}, which estimates leave out"
    yield "Search", _search(facts["static"])
    yield "Wrote", facts["out"]


def _outcome(facts: dict[str, Any]) -> str:
    shares = [f"{share['label']} ({share['cases']:,})" for share in facts["classes"]]
    shown = ", ".join(shares[:6]) + (f" and {len(shares) - 6} more" if len(shares) > 6 else "")
    positive = facts["positive"]
    direction = "" if positive is None else f"; high scores stand for {positive}"
    return facts["task"] + (f": {shown}{direction}" if shown else "")


def _folds(facts: dict[str, Any]) -> str:
    repeats, folds = facts["n_repeats"], facts["n_folds"]
    text = (
        write_count(folds, "fold")
        if repeats == 1
        else f"{write_count(repeats, 'repeat')} of {folds}"
    )
    untested = facts["n_cases"] - facts["n_tested"]
    if untested:
        text += f"; {write_count(untested, 'case')} of {facts['n_cases']:,} in none"
    return text + (f"; {write_count(facts['groups'], 'group')}" if facts["groups"] else "")


def _search(static: bool) -> str:
    if static:
        return "static: configurations were fixed before any was evaluated"
    return "dynamic: configurations were proposed by scores, so some optimism stays (EN006)"


# Scores of evaluations.

SCORES_SCHEMA = "earnest/gathered-scores/1"


def facts_of_scores(scores: Scores, source: str, out: Path) -> dict[str, Any]:
    """Return what was read of evaluation logs, and written, as plain data."""
    parts = scores.parts
    return {
        "schema": SCORES_SCHEMA,
        "source": source,
        "tools": list_tools(source),
        "out": str(out),
        "n_items": scores.n_cases,
        "n_configs": scores.n_configs,
        "n_repeats": scores.n_repeats,
        "score": scores.measure.name,
        "greater_is_better": scores.measure.greater_is_better,
        "limits": list(scores.measure.limits),
        "configs": list(scores.configs.ids),
        "groups": None if parts.groups is None else len(np.unique(parts.groups)),
        "tasks": None if parts.tasks is None else np.unique(parts.tasks).tolist(),
        "static": scores.configs.static,
        "n_missing": int(np.isnan(scores.values).all(axis=2).sum()),
        "cautions": [caution.to_dict() for caution in parts.remarks],
        "fingerprint": scores.fingerprint,
        "next": f"earnest estimate {shlex.quote(str(out))}",
    }


def show_gathered_scores(facts: dict[str, Any], cautions: Sequence[Caution]) -> None:
    """Write what was read of evaluation logs, and what to do next."""
    what = f"the scores of {write_count(facts['n_items'], 'item')}"
    _show(facts, what, _list_rows_of_scores(facts), cautions)


def _list_rows_of_scores(facts: dict[str, Any]) -> Iterator[Fact]:
    yield "Tool", f"{', '.join(facts['tools'])}, {facts['source']}"
    better = "more is better" if facts["greater_is_better"] else "less is better"
    yield "Score", f"{facts['score']}, {better}"
    yield "Configurations", check.some(facts["configs"])
    if facts["n_repeats"] > 1:
        yield "Repeats", f"up to {facts['n_repeats']} of an item"
    if facts["groups"]:
        yield "Groups", f"{facts['groups']:,}"
    if facts["tasks"]:
        yield "Tasks", check.some(facts["tasks"])
    if facts["n_missing"]:
        yield "Missing", write_count(facts["n_missing"], "score")
    if not facts["static"]:
        yield "Search", _search(static=False)
    yield "Wrote", facts["out"]
