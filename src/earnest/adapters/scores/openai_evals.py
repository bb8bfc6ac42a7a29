"""Logs of OpenAI evals, and of what writes the same: JSON lines of a spec, events, a report."""

from __future__ import annotations

from pathlib import Path

from earnest.adapters.readers import ScoresReader, register
from earnest.adapters.scores.runs import (
    EvaluationRun,
    ItemScore,
    JsonDict,
    get_dict,
    get_list,
    get_text,
    make_other_version_error,
    peek_line,
    read_lines,
    read_score_number,
)
from earnest.core.base import check
from earnest.core.cautions.reasons import Breach, LogEnd

TOOL = "OpenAI evals"
MATCH, METRICS = "match", "metrics"  # events with scores; the others tell how they came about
_EVENT = {"sample_id", "type"}
_ABOUT = {"spec", "final_report"}  # of lines that tell of the whole run
_NEEDS = "a line with `spec`, then events with `sample_id`, `type` and `data`"


def is_log(path: Path) -> bool:
    """Tell whether this is a log of evals: it begins with a spec."""
    return path.name.endswith(".jsonl") and "run_id" in get_dict(peek_line(path), "spec")


def read_log(path: Path) -> list[EvaluationRun]:
    """Read one run; an event of type `match` or `metrics` scores a sample."""
    lines, unfinished = read_lines(path, f"a log of {TOOL}")
    spec = get_dict(lines[0], "spec")
    events = [line for line in lines if line.keys() >= _EVENT]
    other = [line for line in lines if not line.keys() >= _EVENT and _ABOUT.isdisjoint(line)]
    if other:
        got = f"a line with {check.some(sorted(other[0])) or 'nothing'}"
        raise make_other_version_error(path, TOOL, _NEEDS, got)
    if not events:
        got = f"{len(lines)} lines without an event"
        raise make_other_version_error(path, TOOL, _NEEDS, got)
    if not unfinished and not any("final_report" in line for line in lines):
        unfinished = LogEnd(Breach.REPORT)
    models = [str(name) for name in get_list(spec, "completion_fns")] or [get_text(spec, "model")]
    return [
        EvaluationRun(
            path=path,
            config=", ".join(models) or path.stem,
            rows=_read_events(events, path),
            task=get_text(spec, "eval_name"),
            settings={
                name: get_dict(spec, "run_config").get(name)
                for name in ("completion_args", "eval_args", "extra_eval_params", "seed")
            },
            unfinished=unfinished,
        )
    ]


def _read_events(events: list[JsonDict], path: Path) -> list[ItemScore]:
    """Return one row per sample; one that was asked, and has no score, has None."""
    rows: dict[tuple[str, int], dict[str, float | None]] = {}
    times: dict[tuple[str, str], int] = {}
    for event in events:
        sample, kind = get_text(event, "sample_id"), get_text(event, "type")
        data = event.get("data")
        values: dict[str, float | None] = {}
        if kind == MATCH:
            values = {MATCH: read_score_number(get_dict(event, "data").get("correct"))}
        elif kind == METRICS and isinstance(data, dict):
            values = {name: read_score_number(value) for name, value in data.items()}
        elif kind == METRICS:
            got = f"metrics {check.show(data)}"
            raise make_other_version_error(path, TOOL, _NEEDS, got)
        if event["sample_id"] is None:  # of no sample, such as what the run itself records
            if values:
                raise make_other_version_error(path, TOOL, _NEEDS, f"{kind!r} of no sample")
            continue
        if not values:
            rows.setdefault((sample, 0), {})
            continue
        time = times[sample, kind] = times.get((sample, kind), -1) + 1
        rows.setdefault((sample, time), {}).update(values)
    return [ItemScore(sample, scores) for (sample, _), scores in rows.items()]


register(
    ScoresReader(
        name="openai_evals",
        words="a log of OpenAI's evals",
        takes=is_log,
        read=read_log,
        tool=TOOL,
    )
)
