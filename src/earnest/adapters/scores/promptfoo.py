"""Results of promptfoo, written as JSON: `promptfoo eval -o results.json`."""

from __future__ import annotations

from pathlib import Path

from earnest.adapters.readers import ScoresReader, register
from earnest.adapters.scores.runs import (
    EvaluationRun,
    ItemScore,
    Json,
    JsonDict,
    get_dict,
    get_list,
    get_text,
    make_other_version_error,
    name_item,
    peek_bytes,
    read_document,
    read_score_number,
    take_objects,
)
from earnest.core.base import check
from earnest.core.cautions.reasons import Breach, LogEnd

TOOL = "promptfoo"
ERROR = "2"  # `failureReason` of an answer that was never judged
VERSIONS = (2, 3)
_NEEDS = "results of version 2 or 3, with `promptIdx`, `vars` and `score` of each"


def is_evaluation_file(path: Path) -> bool:
    """Tell whether this is a file of results of promptfoo."""
    start = peek_bytes(path, 4000) if path.suffix == ".json" else b""
    return b'"evalId"' in start and b'"results"' in start


def read_evaluation(path: Path) -> list[EvaluationRun]:
    """Read one evaluation: every pair of a prompt and a provider is a configuration."""
    document = read_document(path, f"results of {TOOL}")
    results = get_dict(document, "results")
    listed = take_objects(get_list(results, "results"), path, TOOL, _NEEDS)
    version = results.get("version")
    if version not in VERSIONS or not listed:
        got = f"version {check.show(version)} with {len(listed)} results"
        raise make_other_version_error(path, TOOL, _NEEDS, got)
    names = _name_configs(listed, get_list(results, "prompts"))
    rows = [_read_result(result, names, path) for result in listed]
    texts: list[Json] = [get_text(result, "raw") for result in get_list(results, "prompts")]
    return [
        EvaluationRun(
            path=path,
            config=TOOL,
            rows=rows,
            settings={"prompts": texts},  # a label may stand for another text in another file
            unfinished=_find_end(results, len(rows)),
        )
    ]


def _name_configs(listed: list[JsonDict], prompts: list[Json]) -> dict[str, str]:
    """Return the name of each column of the evaluation: provider and prompt, if both vary."""
    parts = {}
    for result in listed:
        at = get_text(result, "promptIdx")
        provider = get_text(result, "provider", "label") or get_text(result, "provider", "id")
        prompt = get_text(result, "prompt", "label")
        if at.isdecimal() and int(at) < len(prompts):  # the label before variables were put in
            prompt = get_text(prompts[int(at)], "label") or prompt
        parts[at] = (provider, prompt)
    several = [len({names_of_column[k] for names_of_column in parts.values()}) > 1 for k in (0, 1)]
    if several == [False, False]:
        several = [True, False]
    names = {
        at: " | ".join(
            word for word, varies in zip(names_of_column, several, strict=True) if varies
        )
        for at, names_of_column in parts.items()
    }
    twice = len(set(names.values())) < len(names)
    return {at: f"{name} #{at}" if twice else name for at, name in names.items()}


def _read_result(result: JsonDict, names: dict[str, str], path: Path) -> ItemScore:
    if "score" not in result or "promptIdx" not in result:
        got = f"a result with {check.some(sorted(result))}"
        raise make_other_version_error(path, TOOL, _NEEDS, got)
    failed = get_text(result, "failureReason") == ERROR
    scores: dict[str, float | None] = {"score": read_score_number(result["score"])}
    scores["success"] = read_score_number(result.get("success"))
    scores |= {
        name: read_score_number(value) for name, value in get_dict(result, "namedScores").items()
    }
    test_case = get_dict(result, "testCase")
    item = get_text(test_case, "metadata", "id") or get_text(test_case, "description")
    return ItemScore(
        item or name_item(result.get("vars") or get_dict(test_case, "vars")),
        dict.fromkeys(scores) if failed else scores,
        group=get_text(test_case, "metadata", "group") or None,
        config=names[get_text(result, "promptIdx")],
    )


def _find_end(results: JsonDict, count: int) -> LogEnd | None:
    stats = get_dict(results, "stats")
    counts = [stats.get(name) for name in ("successes", "failures", "errors")]
    wanted = sum(number for number in counts if isinstance(number, int))
    return LogEnd(Breach.ANSWERS, count, wanted, "results") if count < wanted else None


register(
    ScoresReader(
        name="promptfoo",
        words="JSON results of promptfoo",
        takes=is_evaluation_file,
        read=read_evaluation,
        tool=TOOL,
    )
)
