"""Every reader of logs under every usual fault: a refusal or a caution, nothing lost in silence.

A log is opened as a list of entries, spoilt in one way, and written back in its own format.
"""

from __future__ import annotations

import copy
import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from earnest.adapters import read_score_logs
from earnest.adapters.scores.inspect import _read_archive
from earnest.errors import FormatError, InputError
from tests.snapshots import Golden

FILES = Path(__file__).parents[1] / "files" / "scores"
Entries = list[Any]


def open_document(*trail: str | int) -> tuple[Callable[[Path], Entries], Callable[..., None]]:
    """How the entries at a place of one JSON document are read and written back."""

    def get(path: Path) -> Entries:
        node = json.loads(path.read_text())
        for step in trail:
            node = node[step]
        return list(node.items()) if isinstance(node, dict) else node

    def put(path: Path, entries: Entries) -> None:
        tree = json.loads(path.read_text())
        if not trail:
            tree = entries
        else:
            node = tree
            for step in trail[:-1]:
                node = node[step]
            old = node[trail[-1]]
            node[trail[-1]] = dict(entries) if isinstance(old, dict) else entries
        path.write_text(json.dumps(tree))

    return get, put


def get_lines(path: Path) -> Entries:
    return [json.loads(line) for line in path.read_text().splitlines()]


def put_lines(path: Path, entries: Entries) -> None:
    path.write_text("".join(json.dumps(one) + "\n" for one in entries))


def get_cells(path: Path) -> Entries:
    return [line.split(",") for line in path.read_text().splitlines()]


def put_cells(path: Path, entries: Entries) -> None:
    path.write_text("".join(",".join(map(str, cells)) + "\n" for cells in entries))


def get_archive(path: Path) -> Entries:
    return list(_read_archive(path)[1])


def put_archive(path: Path, entries: Entries) -> None:
    about = _read_archive(path)[0]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(about))
        archive.writestr("summaries.json", json.dumps(entries))


@dataclass(frozen=True)
class Tool:
    """How a log of a tool is spoilt, and what is known of its entries.

    `last` is an entry that scores an item, by its place; `rename` is what another version calls
    otherwise; `put_score` writes something else in place of the score.
    """

    folder: str
    log: str
    get: Callable[[Path], Entries]
    put: Callable[..., None]
    rename: str
    put_score: Callable[[Any, Any], None]
    score: str | None = None
    last: int = -1


def set_at(*trail: str | int) -> Callable[[Any, Any], None]:
    def put(entry: Any, value: Any) -> None:
        for step in trail[:-1]:
            entry = entry[step]
        entry[trail[-1]] = value

    return put


def put_stat(entry: Any, value: Any) -> None:
    stat = next(s for s in entry["stats"] if s["name"]["name"] == "exact_match")
    stat["mean"] = stat["sum"] = value


INSPECT = "inspect/prompts"
TOOLS = {
    "inspect": Tool(
        INSPECT,
        "*42Q3m7L2TQYM6fydKLPndi.eval",
        get_archive,
        put_archive,
        "epoch",
        set_at("scores", "match", "value"),
        "match",
    ),
    "lm_eval": Tool(
        "lm_eval",
        "adder-large/samples_sums_choice_*.jsonl",
        get_lines,
        put_lines,
        "doc_id",
        set_at("acc"),
        "acc",
    ),
    "promptfoo": Tool(
        "promptfoo",
        "results.json",
        *open_document("results", "results"),
        "promptIdx",
        set_at("score"),
        "score",
    ),
    "dspy": Tool("dspy", "few_shot.json", *open_document(), "exact", set_at("exact")),
    "gepa": Tool("gepa", "result.json", *open_document("val_subscores", 1), "", set_at(1)),
    "openai_evals": Tool(
        "openai_evals",
        "adder-large.jsonl",
        get_lines,
        put_lines,
        "sample_id",
        set_at("data", "correct"),
    ),
    "helm": Tool(
        "helm",
        "adder-large/per_instance_stats.json",
        *open_document(),
        "instance_id",
        put_stat,
        "exact_match",
    ),
    "plain CSV": Tool("plain", "small.csv", get_cells, put_cells, "item", set_at(1)),
    "plain lines": Tool("plain", "large.jsonl", get_lines, put_lines, "item", set_at("score")),
}


def repeat_entry(tool: Tool, path: Path) -> None:
    """The same item stands twice."""
    entries = tool.get(path)
    tool.put(path, [*entries, copy.deepcopy(entries[tool.last])])


def drop_entry(tool: Tool, path: Path) -> None:
    """An item is missing in one of the runs."""
    entries = tool.get(path)
    lost = entries.pop(tool.last)
    if isinstance(lost, dict) and "sample_id" in lost:  # all its events
        entries = [one for one in entries if one.get("sample_id") != lost["sample_id"]]
    tool.put(path, entries)


def cut_file(tool: Tool, path: Path) -> None:
    """The run was killed while it wrote."""
    whole = path.read_bytes().rstrip()
    path.write_bytes(whole[: len(whole) - 5])


def rename_field(tool: Tool, path: Path) -> None:
    """Another version of the tool gives a field another name."""
    entries = tool.get(path)
    if tool.rename == "":  # GEPA: the scores of candidates are numbers, not scores by item
        tree = json.loads(path.read_text())
        tree["val_subscores"][1] = 0.5
        path.write_text(json.dumps(tree))
    elif isinstance(entries[0], list):
        entries[0] = [f"x_{name}" for name in entries[0]]
        tool.put(path, entries)
    else:
        for one in entries:
            if tool.rename in one:
                one["x"] = one.pop(tool.rename) if tool.folder != "dspy" else "six"
        tool.put(path, entries)


def add_stray(tool: Tool, path: Path) -> None:
    """An entry is no object."""
    if tool.folder == "gepa":
        tree = json.loads(path.read_text())
        tree["val_subscores"].append(5)
        tree["candidates"].append("x")
        path.write_text(json.dumps(tree))
        return
    entries = tool.get(path)
    entries.insert(2, "q" if not isinstance(entries[0], list) else ["q"])
    tool.put(path, entries)


def spoil_score(tool: Tool, path: Path) -> None:
    """A score is a word that stands for no number."""
    entries = tool.get(path)
    if isinstance(entries[tool.last], tuple):
        entries[tool.last] = list(entries[tool.last])
    tool.put_score(entries[tool.last], "so-so")
    tool.put(path, entries)


FAULTS = {
    "half-written": cut_file,
    "double item": repeat_entry,
    "missing item": drop_entry,
    "other version": rename_field,
    "stray entry": add_stray,
    "score that is none": spoil_score,
}
REFUSED = "refused"
# What each reader does: the code of the caution that says it, or a refusal.
WANTED: dict[str, dict[str, str]] = {
    "inspect": {
        "half-written": REFUSED,  # the directory of an archive is at its end
        "double item": "EN141",
        "missing item": "EN140",  # it says itself how many there were
        "other version": REFUSED,
        "stray entry": REFUSED,
        "score that is none": "EN140",
    },
    "lm_eval": {
        "half-written": "EN140",
        "double item": "EN141",
        "missing item": "EN140",  # it says itself how many there were
        "other version": "EN140",  # no reader takes the file, and it is named
        "stray entry": REFUSED,
        "score that is none": "EN140",
    },
    "promptfoo": {
        "half-written": REFUSED,
        "double item": "EN141",
        "missing item": "EN140",
        "other version": REFUSED,
        "stray entry": REFUSED,
        "score that is none": "EN140",
    },
    "dspy": {
        "half-written": REFUSED,
        "double item": "EN140",  # items have no name: it is one that the others lack
        "missing item": "EN140",
        "other version": REFUSED,
        "stray entry": REFUSED,
        "score that is none": REFUSED,
    },
    "gepa": {
        "half-written": REFUSED,
        "missing item": "EN140",
        "other version": REFUSED,
        "stray entry": REFUSED,
        "score that is none": "EN140",
    },
    "openai_evals": {
        "half-written": "EN140",
        "double item": "EN141",
        "missing item": "EN140",
        "other version": REFUSED,
        "stray entry": REFUSED,
        "score that is none": "EN140",
    },
    "helm": {
        "half-written": REFUSED,
        "double item": "EN141",
        "missing item": "EN140",
        "other version": REFUSED,
        "stray entry": REFUSED,
        "score that is none": "EN140",
    },
    "plain CSV": {
        "half-written": "EN140",
        "double item": "EN141",
        "missing item": "EN140",
        "other version": "EN140",
        "stray entry": REFUSED,
        "score that is none": REFUSED,
    },
    "plain lines": {
        "half-written": "EN140",
        "double item": "EN141",
        "missing item": "EN140",
        "other version": "EN140",
        "stray entry": REFUSED,
        "score that is none": REFUSED,
    },
}


def test_every_reader_has_every_fault_in_the_table() -> None:
    assert set(WANTED) == set(TOOLS)
    for name, wanted in WANTED.items():  # an object has no double keys
        assert set(wanted) == set(FAULTS) - ({"double item"} if name == "gepa" else set())


@pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name, wanted in WANTED.items() for fault in wanted]
)
def test_a_fault_of_a_log_is_refused_or_said(name: str, fault: str, tmp_path: Path) -> None:
    tool, wanted = TOOLS[name], WANTED[name][fault]
    folder = Path(shutil.copytree(FILES / tool.folder, tmp_path / "logs"))
    (path,) = folder.glob(tool.log)
    whole = read_score_logs(folder, score=tool.score)
    FAULTS[fault](tool, path)
    if wanted == REFUSED:
        with pytest.raises((FormatError, InputError)) as refused:
            read_score_logs(folder, score=tool.score)
        assert path.stem in str(refused.value)  # which of the logs
        return
    found = read_score_logs(folder, score=tool.score)
    fresh = [caution.code for caution in found.cautions if caution not in whole.cautions]
    assert wanted in fresh
    if fault == "double item":
        assert len(found.item) == len(whole.item) + 1  # both are kept


@pytest.mark.parametrize("row", [None, "q", 5, ["q", 1]])
def test_a_plain_list_with_a_row_that_is_no_object_is_refused(row: object, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"item": "p", "score": 1}, row, {"item": "r", "score": 0}]))
    with pytest.raises(FormatError, match="row 2"):
        read_score_logs(path)


def test_events_of_no_sample_are_no_items(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FILES / "openai_evals", tmp_path / "logs"))
    path = folder / "adder-large.jsonl"
    event = {"run_id": "x", "sample_id": None, "type": "extra", "data": {}}
    put_lines(path, [*get_lines(path), event])
    assert "" not in read_score_logs(folder).item
    put_lines(path, [*get_lines(path), {**event, "type": "match", "data": {"correct": True}}])
    with pytest.raises(FormatError, match="no sample"):
        read_score_logs(folder)


def test_a_statistic_of_helm_with_two_values_is_refused(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FILES / "helm", tmp_path / "logs"))
    path = folder / "adder-large" / "per_instance_stats.json"
    told = json.loads(path.read_text())
    again = copy.deepcopy(told[0]["stats"])
    told[0]["stats"] += again
    path.write_text(json.dumps(told))
    read_score_logs(folder, score="exact_match")  # the same value twice
    for stat in again:
        stat["mean"] = 0.125
    told[0]["stats"] = told[0]["stats"][: len(again)] + again
    path.write_text(json.dumps(told))
    with pytest.raises(FormatError, match="one value of each"):
        read_score_logs(folder, score="exact_match")


def test_an_item_with_fewer_samples_than_the_others_is_said(tmp_path: Path) -> None:
    rows = [f"{model},{item},{epoch},1" for model in "ab" for item in "pqr" for epoch in (1, 2)]
    path = tmp_path / "all.csv"
    path.write_text("\n".join(["model,item,epoch,score", *rows]))
    assert read_score_logs(path).cautions == ()
    path.write_text("\n".join(["model,item,epoch,score", *rows[:-1]]))
    (said,) = read_score_logs(path).cautions
    assert said.code == "EN140"
    assert "b: 1" in said.what


def test_a_folder_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setattr("earnest.adapters.scores.door.MOST_SEEN", 3)
    for number in range(4):
        (tmp_path / f"{number}.txt").touch()
    with golden.raises(InputError):
        read_score_logs(tmp_path)
