"""Samples of lm-evaluation-harness: `samples_<task>_<date>.jsonl`, made with --log_samples."""

from __future__ import annotations

import re
from pathlib import Path

from earnest.adapters.readers import ScoresReader, register
from earnest.adapters.scores.runs import (
    EvaluationRun,
    ItemScore,
    Json,
    JsonDict,
    get_dict,
    get_text,
    make_other_version_error,
    name_item,
    peek_line,
    read_document,
    read_lines,
    read_score_number,
)
from earnest.core.base import check
from earnest.core.cautions.reasons import Breach, LogEnd

TOOL = "lm-evaluation-harness"
UNFILTERED = "none"
_NAME = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl$")
_NEEDS = "lines with doc_id, metrics and a value for each metric, as versions 0.4 write them"
# What tells runs of one model apart; seeds of the bootstrap and the machine do not.
_SET = ("model_args", "gen_kwargs", "limit", "fewshot_seed", "random_seed")


def is_samples(path: Path) -> bool:
    """Tell whether this is a file of samples."""
    first = peek_line(path) if path.name.endswith(".jsonl") else {}
    return "doc_id" in first and ("resps" in first or "filtered_resps" in first)


def read_samples(path: Path) -> list[EvaluationRun]:
    """Read the samples of one task; the results beside them say of which model."""
    lines, unfinished = read_lines(path, f"samples of {TOOL}")
    named = _NAME.search(path.name)
    task, date = (named["task"], named["date"] or "") if named else (path.stem, "")
    beside = path.with_name(f"results_{date}.json")
    about: JsonDict = {}
    if beside.is_file():
        results = read_document(beside, f"results of {TOOL}")
        about = results if isinstance(results, dict) else {}
    rows = _read_rows(lines, path)
    better = get_dict(about, "higher_is_better", task)
    names = {name for row in rows for name in row.scores}
    return [
        EvaluationRun(
            path=path,
            config=get_text(about, "model_name") or path.parent.name,
            rows=rows,
            task=task,
            settings=_list_settings(about, task, date),
            unfinished=unfinished or _find_end(about, task, rows),
            greater_is_better={
                name: better[word] is True
                for name in names
                if (word := name.split(",")[0]) in better
            },
        )
    ]


def _read_rows(lines: list[JsonDict], path: Path) -> list[ItemScore]:
    """Return one row per document; a filter of the answers makes scores of their own."""
    scores: dict[tuple[str, int], dict[str, float | None]] = {}
    seen: dict[tuple[str, str], int] = {}
    for line in lines:
        names = line.get("metrics")
        if names is None:  # before version 0.4.9 no list of metrics was written
            names = _find_metrics(line)
        if "doc_id" not in line or not isinstance(names, list) or not names:
            got = f"a line with {check.some(sorted(line))}"
            raise make_other_version_error(path, TOOL, _NEEDS, got)
        item, kind = name_item(line["doc_id"]), get_text(line, "filter") or UNFILTERED
        time = seen[item, kind] = seen.get((item, kind), -1) + 1
        row = scores.setdefault((item, time), {})
        for name in map(str, names):
            row[name if kind == UNFILTERED else f"{name},{kind}"] = read_score_number(
                line.get(name)
            )
    return [ItemScore(item, scores_of_item) for (item, _), scores_of_item in scores.items()]


_KNOWN = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash", "schema_version",
}  # fmt: skip


def _find_metrics(line: JsonDict) -> list[Json]:
    """Return the names of what must be metrics: every number that is nothing else."""
    return [
        name
        for name, value in line.items()
        if name not in _KNOWN and isinstance(value, int | float)
    ]


def _list_settings(about: JsonDict, task: str, date: str) -> dict[str, Json]:
    if not about:  # nothing says whether another run of this model was the same
        return {"run": date}
    config = get_dict(about, "config")
    settings: dict[str, Json] = {"num_fewshot": get_dict(about, "n-shot").get(task)}
    settings |= {name: config.get(name) for name in _SET}
    for name in ("system_instruction", "chat_template", "fewshot_as_multiturn"):
        settings[name] = about.get(name)
    settings["task_hash"] = get_dict(about, "task_hashes").get(task)
    return settings


def _find_end(about: JsonDict, task: str, rows: list[ItemScore]) -> LogEnd | None:
    wanted = get_dict(about, "n-samples", task).get("effective")
    count = len({row.item for row in rows})
    if isinstance(wanted, int) and count < wanted:
        return LogEnd(Breach.ANSWERS, count, wanted, "documents")
    return None


register(
    ScoresReader(
        name="lm_eval",
        words="samples of lm-evaluation-harness",
        takes=is_samples,
        read=read_samples,
        tool=TOOL,
    )
)
