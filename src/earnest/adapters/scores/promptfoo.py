"""Results of promptfoo, written as JSON: `promptfoo eval -o results.json`."""

from __future__ import annotations

from pathlib import Path

from earnest.adapters.readers import ScoresReader, register
from earnest.adapters.scores.runs import (
    Json,
    JsonDict,
    Row,
    Run,
    get_dict,
    get_list,
    get_text,
    make_other_version_error,
    name_item,
    peek_bytes,
    read_document,
    read_number,
    take_objects,
)
from earnest.core.base import check

TOOL = "promptfoo"
ERROR = "2"  # `failureReason` of an answer that was never judged
VERSIONS = (2, 3)
_NEEDS = "results of version 2 or 3, with `promptIdx`, `vars` and `score` of each"


def is_results(path: Path) -> bool:
    """Tell whether this is a file of results of promptfoo."""
    start = peek_bytes(path, 4000) if path.suffix == ".json" else b""
    return b'"evalId"' in start and b'"results"' in start


def read_results(path: Path) -> list[Run]:
    """Read one evaluation: every pair of a prompt and a provider is a configuration."""
    found = read_document(path, f"results of {TOOL}")
    made = get_dict(found, "results")
    listed = take_objects(get_list(made, "results"), path, TOOL, _NEEDS)
    version = made.get("version")
    if version not in VERSIONS or not listed:
        got = f"version {check.show(version)} with {len(listed)} results"
        raise make_other_version_error(path, TOOL, _NEEDS, got)
    names = _name_configs(listed, get_list(made, "prompts"))
    rows = [_read_result(one, names, path) for one in listed]
    texts: list[Json] = [get_text(one, "raw") for one in get_list(made, "prompts")]
    return [
        Run(
            path=path,
            config=TOOL,
            rows=rows,
            settings={"prompts": texts},  # a label may stand for another text in another file
            unfinished=_find_end(made, len(rows)),
        )
    ]


def _name_configs(listed: list[JsonDict], prompts: list[Json]) -> dict[str, str]:
    """Return the name of each column of the evaluation: provider and prompt, if both vary."""
    parts = {}
    for one in listed:
        at = get_text(one, "promptIdx")
        provider = get_text(one, "provider", "label") or get_text(one, "provider", "id")
        prompt = get_text(one, "prompt", "label")
        if at.isdecimal() and int(at) < len(prompts):  # the label before variables were put in
            prompt = get_text(prompts[int(at)], "label") or prompt
        parts[at] = (provider, prompt)
    several = [len({part[k] for part in parts.values()}) > 1 for k in (0, 1)]
    if several == [False, False]:
        several = [True, False]
    names = {
        at: " | ".join(word for word, kept in zip(part, several, strict=True) if kept)
        for at, part in parts.items()
    }
    twice = len(set(names.values())) < len(names)
    return {at: f"{name} #{at}" if twice else name for at, name in names.items()}


def _read_result(one: JsonDict, names: dict[str, str], path: Path) -> Row:
    if "score" not in one or "promptIdx" not in one:
        got = f"a result with {check.some(sorted(one))}"
        raise make_other_version_error(path, TOOL, _NEEDS, got)
    failed = get_text(one, "failureReason") == ERROR
    scores: dict[str, float | None] = {"score": read_number(one["score"])}
    scores["success"] = read_number(one.get("success"))
    scores |= {name: read_number(value) for name, value in get_dict(one, "namedScores").items()}
    told = get_dict(one, "testCase")
    item = get_text(told, "metadata", "id") or get_text(told, "description")
    return Row(
        item or name_item(one.get("vars") or get_dict(told, "vars")),
        dict.fromkeys(scores) if failed else scores,
        group=get_text(told, "metadata", "group") or None,
        config=names[get_text(one, "promptIdx")],
    )


def _find_end(made: JsonDict, count: int) -> str:
    stats = get_dict(made, "stats")
    told = [stats.get(name) for name in ("successes", "failures", "errors")]
    wanted = sum(number for number in told if isinstance(number, int))
    return f"it holds {count} of {wanted} results" if count < wanted else ""


register(
    ScoresReader(
        name="promptfoo",
        words="JSON results of promptfoo",
        takes=is_results,
        read=read_results,
        tool=TOOL,
    )
)
