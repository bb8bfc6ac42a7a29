"""Logs that evaluation tools wrote are read as one table, and what is not whole is said."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from earnest.adapters import read_score_logs
from earnest.adapters.readers import SCORES_READERS, find_reader
from earnest.adapters.scores.door import ScoreRows, list_tools
from earnest.adapters.scores.inspect import _read_archive
from earnest.errors import FormatError, InputError
from tests.snapshots import Golden

FILES = Path(__file__).parents[1] / "files" / "scores"


def means(rows: ScoreRows, task: str | None = None) -> dict[str, float]:
    """The mean of all scored answers by configuration, as leaderboards give it."""
    found: dict[str, list[float]] = defaultdict(list)
    for config, score, own in zip(rows.config, rows.score, rows.task, strict=True):
        if score is not None and task in (None, own):
            found[config].append(score)
    return {config: float(np.mean(scores)) for config, scores in found.items()}


def codes(rows: ScoreRows) -> list[str]:
    return [caution.code for caution in rows.cautions]


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of recorded logs that a test may spoil."""
    return lambda name: Path(shutil.copytree(FILES / name, tmp_path / "copy"))


def only(folder: Path, pattern: str) -> Path:
    return next(iter(sorted(folder.rglob(pattern))))


# Every reader gives the numbers that its tool gives.


def test_scores_of_inspect_have_the_means_that_inspect_gives() -> None:
    folder = FILES / "inspect" / "prompts"
    rows = read_score_logs(folder, score="match")
    assert codes(rows) == []
    assert list_tools(folder) == ["Inspect"]
    assert len(rows.item) == 3 * 8 * 2
    assert set(rows.repeat) == {0, 1}
    found = means(rows)
    assert len(found) == 3
    for path in folder.iterdir():
        about, _ = _read_archive(path)
        prompt = about["eval"]["task_args"]["prompt"]  # type: ignore[index,call-overload]
        told = about["results"]["scores"][0]["metrics"]["accuracy"]["value"]  # type: ignore[index,call-overload]
        assert found[f"made/adder (prompt={prompt})"] == pytest.approx(told)


def test_a_log_of_inspect_as_json_is_read_too() -> None:
    rows = read_score_logs(FILES / "inspect" / "as_json", score="includes")
    assert (len(rows.item), set(rows.config)) == (3, {"made/adder"})


def test_scores_of_lm_eval_have_the_means_of_its_results() -> None:
    rows = read_score_logs(FILES / "lm_eval", score="acc")
    for path in (FILES / "lm_eval").rglob("results_*.json"):
        told = json.loads(path.read_text())["results"]["sums_choice"]["acc,none"]
        assert means(rows)[path.parent.name] == pytest.approx(told)
    # A second run of the same model with the same settings is a second repeat.
    repeats = {
        config: {r for c, r in zip(rows.config, rows.repeat, strict=True) if c == config}
        for config in rows.config
    }
    assert repeats == {"adder-large": {0}, "adder-small": {0, 1}}


@pytest.mark.parametrize("kind", ["strict", "flexible"])
def test_each_filter_of_lm_eval_is_a_score_of_its_own(kind: str) -> None:
    rows = read_score_logs(FILES / "lm_eval", score=f"exact_match,{kind}")
    path = only(FILES / "lm_eval" / "adder-large", "results_*.json")
    told = json.loads(path.read_text())["results"]["sums_generate"][f"exact_match,{kind}"]
    assert means(rows)["adder-large"] == pytest.approx(told)
    assert codes(rows) == ["EN140"]  # the other task has no such score


def test_scores_of_promptfoo_have_the_sums_that_it_gives() -> None:
    path = FILES / "promptfoo" / "results.json"
    rows = read_score_logs(path)
    told = json.loads(path.read_text())["results"]["prompts"]
    found: dict[str, float] = defaultdict(float)
    for config, score in zip(rows.config, rows.score, strict=True):
        found[config] += score or 0.0
    assert len(told) == 4
    for prompt in told:
        name = f"{prompt['provider']} | {prompt['label']}"
        assert found[name] == prompt["metrics"]["score"]
    assert set(rows.repeat) == {0, 1}  # --repeat 2
    assert len(set(rows.item)) == 4


def test_files_of_promptfoo_with_other_prompts_are_other_configurations(
    copy: Callable[[str], Path],
) -> None:
    folder = copy("promptfoo")
    told = json.loads((folder / "results.json").read_text())
    (folder / "again.json").write_text(json.dumps(told))
    assert set(read_score_logs(folder).repeat) == {0, 1, 2, 3}  # the same prompts: more repeats
    told["results"]["prompts"][0]["raw"] = "Sum {{a}} and {{b}}"
    (folder / "again.json").write_text(json.dumps(told))
    rows = read_score_logs(folder)
    assert len(set(rows.config)) == 8
    assert set(rows.repeat) == {0, 1}


def test_an_answer_that_promptfoo_could_not_get_is_missing_and_not_wrong() -> None:
    rows = read_score_logs(FILES / "promptfoo")
    none = [c for c, s in zip(rows.config, rows.score, strict=True) if s is None]
    assert sorted(set(none)) == ["shaky | polite", "shaky | short"]
    assert len(none) == 4
    assert codes(rows) == ["EN140"]


def test_scores_of_dspy_are_those_of_its_metric() -> None:
    rows = read_score_logs(FILES / "dspy")
    assert rows.name == "exact"
    for path in (FILES / "dspy").iterdir():
        told = [row["exact"] for row in json.loads(path.read_text())]
        assert means(rows)[path.stem] == np.mean(told)


def test_candidates_of_gepa_are_configurations_that_were_proposed_by_what_was_seen() -> None:
    rows = read_score_logs(FILES / "gepa")
    told = json.loads((FILES / "gepa" / "result.json").read_text())["val_aggregate_scores"]
    assert [means(rows)[f"candidate {at}"] for at in range(len(told))] == pytest.approx(told)
    assert not rows.static


def test_a_plain_leaderboard_is_a_table_a_model_in_any_format() -> None:
    rows = read_score_logs(FILES / "plain")
    assert set(rows.config) == {"small", "medium", "large"}
    assert len(set(rows.item)) == 10
    assert rows.has_groups
    assert len(set(rows.group)) == 5
    assert codes(rows) == []


# What is half written, double, missing or of another version.


def test_a_cut_last_line_is_said_and_the_rest_is_read(copy: Callable[[str], Path]) -> None:
    folder = copy("lm_eval")
    path = only(folder / "adder-large", "samples_sums_choice*")
    path.write_bytes(path.read_bytes()[:-200])
    rows = read_score_logs(folder, score="acc")
    assert codes(rows) == ["EN140", "EN140", "EN140"]
    assert sum(c == "adder-large" for c in rows.config) == 11


def test_a_damaged_line_in_the_middle_is_refused(copy: Callable[[str], Path]) -> None:
    folder = copy("lm_eval")
    path = only(folder / "adder-large", "samples_sums_choice*")
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], lines[1][:50], *lines[2:]]))
    with pytest.raises(FormatError, match="line 2"):
        read_score_logs(folder, score="acc")


def test_fewer_documents_than_lm_eval_tells_of_are_said(copy: Callable[[str], Path]) -> None:
    folder = copy("lm_eval")
    path = only(folder / "adder-large", "samples_sums_choice*")
    path.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:5]))
    rows = read_score_logs(folder, score="acc")
    assert codes(rows)[0] == "EN140"
    assert "5 of 12" in rows.cautions[0].what


def test_documents_that_came_twice_are_repeats_and_said(copy: Callable[[str], Path]) -> None:
    folder = copy("lm_eval")
    path = only(folder / "adder-large", "samples_sums_choice*")
    text = path.read_bytes()
    path.write_bytes(text + text.split(b"\n")[0] + b"\n")
    rows = read_score_logs(folder, score="acc")
    assert "EN141" in codes(rows)
    assert sum(c == "adder-large" for c in rows.config) == 13  # nothing is dropped


def test_samples_of_another_version_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "samples_x.jsonl"
    path.write_text('{"doc_id": 1, "resps": [], "verdict": "good"}\n')
    with pytest.raises(FormatError, match="lm-evaluation-harness"):
        read_score_logs(path)


def test_samples_without_a_list_of_metrics_are_read_by_their_numbers(
    copy: Callable[[str], Path],
) -> None:
    folder = copy("lm_eval")
    for path in folder.rglob("samples_*"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            del line["metrics"]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows, whole = (
        read_score_logs(folder, score="acc"),
        read_score_logs(FILES / "lm_eval", score="acc"),
    )
    assert means(rows) == means(whole)


def _edit_archive(
    path: Path, edit: Callable[[str, dict[str, object]], dict[str, object] | None]
) -> None:
    """Rewrite an archive, its members without compression."""
    from earnest.adapters.scores.inspect import _read_member

    with zipfile.ZipFile(path) as archive:
        parts = {name: _read_member(archive, path, name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            made = edit(name, part)  # type: ignore[arg-type]
            if made is not None:
                archive.writestr(name, json.dumps(made))


def test_a_run_of_inspect_that_was_killed_is_read_from_its_journal(
    copy: Callable[[str], Path],
) -> None:
    folder = copy("inspect/prompts")
    path = only(folder, "*.eval")
    gone = ("header.json", "summaries.json", "reductions.json", "_journal/summaries/3.json")
    _edit_archive(path, lambda name, part: None if name in gone else part)
    rows = read_score_logs(folder, score="match")
    assert codes(rows) == ["EN140"]
    assert "'started'" in rows.cautions[0].what
    assert len(rows.item) == 48  # the samples themselves are all there


def test_samples_of_inspect_that_failed_have_no_score(copy: Callable[[str], Path]) -> None:
    folder = copy("inspect/prompts")

    def fail(name: str, part: dict[str, object]) -> dict[str, object]:
        if name == "summaries.json":
            part[0]["scores"] = {}  # type: ignore[index]
        return part

    _edit_archive(only(folder, "*.eval"), fail)  # type: ignore[arg-type]
    rows = read_score_logs(folder, score="match")
    assert rows.score.count(None) == 1
    assert codes(rows) == ["EN140"]


@pytest.mark.parametrize("share", [0.3, 0.95])
def test_an_archive_that_is_cut_off_is_refused(copy: Callable[[str], Path], share: float) -> None:
    path = only(copy("inspect/prompts"), "*.eval")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(FormatError, match="cut off or damaged"):
        read_score_logs(path, score="match")


@pytest.mark.parametrize("epoch", ["x", None, -1, 10**30, []])
def test_a_sample_of_inspect_without_an_epoch_is_refused(
    copy: Callable[[str], Path], epoch: object
) -> None:
    path = only(copy("inspect/as_json"), "*.json")
    told = json.loads(path.read_text())
    told["samples"][0]["epoch"] = epoch
    path.write_text(json.dumps(told))
    with pytest.raises(FormatError, match="epoch"):
        read_score_logs(path, score="match")


def test_a_log_of_inspect_of_a_later_version_is_refused(copy: Callable[[str], Path]) -> None:
    path = only(copy("inspect/as_json"), "*.json")
    told = json.loads(path.read_text())
    path.write_text(json.dumps({**told, "version": 9}))
    with pytest.raises(FormatError, match="version 9"):
        read_score_logs(path, score="match")


@pytest.mark.parametrize(
    "name", ["promptfoo/results.json", "gepa/result.json", "dspy/few_shot.json"]
)
def test_json_that_is_cut_off_is_refused_whatever_tool_wrote_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / Path(name).name
    path.write_bytes((FILES / name).read_bytes()[:-300])
    with pytest.raises(FormatError, match="cut off or damaged"):
        read_score_logs(path)


def test_results_of_promptfoo_of_another_version_are_refused(copy: Callable[[str], Path]) -> None:
    path = copy("promptfoo") / "results.json"
    told = json.loads(path.read_text())
    told["results"]["version"] = 7
    path.write_text(json.dumps(told))
    with pytest.raises(FormatError, match="promptfoo"):
        read_score_logs(path)


def test_fewer_results_than_promptfoo_counted_are_said(copy: Callable[[str], Path]) -> None:
    path = copy("promptfoo") / "results.json"
    told = json.loads(path.read_text())
    del told["results"]["results"][20:]
    path.write_text(json.dumps(told))
    rows = read_score_logs(path)
    assert codes(rows)[0] == "EN140"
    assert "20 of 32" in rows.cautions[0].what


def test_an_evaluation_of_dspy_on_fewer_examples_is_said(copy: Callable[[str], Path]) -> None:
    folder = copy("dspy")
    path = folder / "few_shot.json"
    path.write_text(json.dumps(json.loads(path.read_text())[:9]))
    rows = read_score_logs(folder)
    assert codes(rows) == ["EN140"]
    assert "few_shot: 3" in rows.cautions[0].what


def test_results_of_dspy_without_a_score_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_text('[{"example_answer": "5", "pred_answer": "six"}]')
    with pytest.raises(FormatError, match="DSPy"):
        read_score_logs(path)


def test_scores_of_gepa_in_lists_are_read_as_those_by_item(copy: Callable[[str], Path]) -> None:
    path = copy("gepa") / "result.json"
    told = json.loads(path.read_text())
    told["val_subscores"] = [list(one.values()) for one in told["val_subscores"]]
    path.write_text(json.dumps(told))
    assert means(read_score_logs(path)) == means(read_score_logs(FILES / "gepa"))


def test_a_result_of_gepa_with_other_counts_is_refused(copy: Callable[[str], Path]) -> None:
    path = copy("gepa") / "result.json"
    told = json.loads(path.read_text())
    del told["candidates"][0]
    path.write_text(json.dumps(told))
    with pytest.raises(FormatError, match="GEPA"):
        read_score_logs(path)


def test_the_pickled_state_of_gepa_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gepa_state.bin").write_bytes(b"\x80\x04")
    with pytest.raises(FormatError, match="pickle"):
        read_score_logs(tmp_path)


def test_a_plain_table_with_a_cut_last_row_is_said(copy: Callable[[str], Path]) -> None:
    folder = copy("plain")
    path = folder / "small.csv"
    path.write_text(path.read_text().rstrip()[:-4])
    rows = read_score_logs(folder)
    assert codes(rows) == ["EN140", "EN140"]


def test_a_plain_table_with_double_items_keeps_them_all(copy: Callable[[str], Path]) -> None:
    folder = copy("plain")
    with (folder / "small.csv").open("a") as file:
        file.write("q1,1,p1\n")
    rows = read_score_logs(folder)
    assert codes(rows) == ["EN141"]
    assert sum(c == "small" for c in rows.config) == 11


def test_a_score_that_is_no_number_is_refused_with_its_row(copy: Callable[[str], Path]) -> None:
    path = copy("plain") / "small.csv"
    path.write_text(path.read_text().replace("q3,1", "q3,good").replace("q3,0", "q3,good"))
    with pytest.raises(FormatError, match="row 3"):
        read_score_logs(path)


def test_a_row_with_too_many_cells_is_refused(copy: Callable[[str], Path]) -> None:
    path = copy("plain") / "small.csv"
    path.write_text(path.read_text().replace("q3,", "q3,,"))
    with pytest.raises(FormatError, match="in line 4"):
        read_score_logs(path)


def test_a_long_table_names_configurations_repeats_and_tasks(tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    path.write_text(
        "model,item,epoch,score,task\n"
        "a,1,1,1,x\na,1,2,0,x\nb,1,1,1,x\nb,1,2,1,x\na,1,1,0,y\na,1,2,0,y\nb,1,1,1,y\nb,1,2,0,y\n"
    )
    rows = read_score_logs(path)
    assert set(rows.config) == {"a", "b"}
    assert set(rows.item) == {"x/1", "y/1"}
    assert sorted(set(rows.repeat)) == [0, 1]
    assert rows.has_tasks
    assert codes(rows) == []


# Folders, and what users must say.


def test_files_of_no_known_form_are_named_and_not_dropped_in_silence(
    copy: Callable[[str], Path],
) -> None:
    folder = copy("plain")
    (folder / "notes.json").write_text('{"by": "hand"}')
    rows = read_score_logs(folder)
    assert codes(rows) == ["EN140"]
    assert "notes.json" in rows.cautions[0].what


def test_several_scores_must_be_chosen_from() -> None:
    with pytest.raises(InputError, match="acc_norm"):
        read_score_logs(FILES / "lm_eval")
    with pytest.raises(InputError, match="acc"):
        read_score_logs(FILES / "lm_eval", score="ac")


def test_tasks_on_the_same_items_can_be_the_configurations(tmp_path: Path) -> None:
    for task in ("short", "long"):
        lines = [
            {"doc_id": at, "resps": [], "metrics": ["acc"], "acc": float(at % 2)} for at in range(4)
        ]
        path = tmp_path / f"samples_{task}_2026-01-01T00-00-00.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = read_score_logs(tmp_path, config_is="task")
    assert set(rows.config) == {"short", "long"}
    assert len(set(rows.item)) == 4


def test_configurations_without_a_common_item_are_refused(tmp_path: Path, golden: Golden) -> None:
    for name, item in (("a", "1"), ("b", "2")):
        (tmp_path / f"{name}.csv").write_text(f"item,score\n{item},1\n")
    with golden.raises(InputError):
        read_score_logs(tmp_path)


def test_runs_that_were_set_differently_are_other_configurations(
    copy: Callable[[str], Path],
) -> None:
    folder = copy("lm_eval")
    path = sorted((folder / "adder-small").glob("results_*"))[0]
    told = json.loads(path.read_text())
    told["config"]["gen_kwargs"] = {"temperature": 0.7}
    path.write_text(json.dumps(told))
    names = set(read_score_logs(folder, score="acc").config)
    assert len(names) == 3
    assert any("temperature" in name for name in names)


def test_nothing_that_holds_no_scores_is_taken_for_a_log(tmp_path: Path) -> None:
    for name, text in (
        ("a.csv", "y,fold,svm\n1,0,0.3\n"),
        ("b.json", "{}"),
        ("c.jsonl", "[1, 2]\n"),
        ("d.jsonl", ""),
        ("e.json", "[" * 5000),
        ("f.csv", "\xff\xfe"),
    ):
        (tmp_path / name).write_bytes(text.encode("latin-1"))
        assert find_reader(SCORES_READERS, tmp_path / name) is None, name
    assert find_reader(SCORES_READERS, tmp_path) is None
    assert find_reader(SCORES_READERS, tmp_path / "nowhere.jsonl") is None
    with pytest.raises(InputError, match="no log"):
        read_score_logs(tmp_path)
    with pytest.raises(InputError, match="nothing at"):
        read_score_logs(tmp_path / "nowhere")


# OpenAI's evals.


def test_scores_of_openai_evals_have_the_accuracy_of_its_report() -> None:
    folder = FILES / "openai_evals"
    rows = read_score_logs(folder)
    assert list_tools(folder) == ["OpenAI evals"]
    assert codes(rows) == []
    for path in folder.iterdir():
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        told = next(line["final_report"]["accuracy"] for line in lines if "final_report" in line)
        assert means(rows)[path.stem] == pytest.approx(told)


def test_a_log_of_openai_evals_without_its_report_is_said(copy: Callable[[str], Path]) -> None:
    folder = copy("openai_evals")
    path = folder / "adder-large.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *lines[2:-1]]))
    rows = read_score_logs(folder)
    assert codes(rows) == ["EN140", "EN140"]  # the last sample was asked, and not judged
    assert rows.score.count(None) == 1


def test_a_sample_that_was_judged_twice_keeps_both_scores(copy: Callable[[str], Path]) -> None:
    folder = copy("openai_evals")
    path = folder / "adder-large.jsonl"
    path.write_text(path.read_text() + path.read_text().splitlines()[3] + "\n")
    rows = read_score_logs(folder)
    assert codes(rows) == ["EN141"]
    assert sum(c == "adder-large" for c in rows.config) == 13


def test_events_of_metrics_are_scores_by_name(tmp_path: Path) -> None:
    lines = [{"spec": {"completion_fns": ["m"], "run_id": "1", "eval_name": "e"}}]
    lines += [
        {"sample_id": f"s{at}", "type": "metrics", "data": {"f1": at / 4, "em": 0}}  # type: ignore[dict-item]
        for at in range(3)
    ]
    lines += [{"final_report": {}}]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert means(read_score_logs(path, score="f1")) == {"m": 0.25}


def test_a_log_of_openai_evals_without_events_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"spec": {"run_id": "1"}}\n{"results": []}\n')
    with pytest.raises(FormatError, match="OpenAI evals"):
        read_score_logs(path)


# HELM.


def test_scores_of_helm_have_the_means_of_its_statistics() -> None:
    folder = FILES / "helm"
    rows = read_score_logs(folder, score="exact_match")
    assert codes(rows) == []
    assert set(rows.repeat) == {0, 1}  # the training trials
    assert len(set(rows.item)) == 8
    for path in folder.rglob("stats.json"):
        told = json.loads(path.read_text())[0]["mean"]
        model = json.loads(path.with_name("run_spec.json").read_text())["adapter_spec"]["model"]
        assert means(rows)[model] == pytest.approx(told)


def test_perturbed_instances_of_helm_are_items_of_one_group(copy: Callable[[str], Path]) -> None:
    folder = copy("helm")
    for path in folder.rglob("per_instance_stats.json"):
        told = json.loads(path.read_text())
        path.write_text(json.dumps([*told, {**told[0], "perturbation": {"name": "typos"}}]))
    rows = read_score_logs(folder, score="exact_match")
    assert len(set(rows.item)) == 9
    assert rows.has_groups
    assert len(set(rows.group)) == 8


def test_instances_that_helm_lacks_in_one_run_are_said(copy: Callable[[str], Path]) -> None:
    folder = copy("helm")
    path = only(folder, "per_instance_stats.json")
    path.write_text(json.dumps(json.loads(path.read_text())[4:]))
    rows = read_score_logs(folder, score="exact_match")
    assert codes(rows) == ["EN140"]
    assert ": 2)" in rows.cautions[0].what


def test_a_trial_of_helm_that_came_twice_is_kept_and_said(copy: Callable[[str], Path]) -> None:
    folder = copy("helm")
    path = only(folder, "per_instance_stats.json")
    told = json.loads(path.read_text())
    path.write_text(json.dumps([*told, told[0]]))
    rows = read_score_logs(folder, score="exact_match")
    assert codes(rows) == ["EN141"]
    assert len(rows.item) == 33


@pytest.mark.parametrize("text", ['{"stats": []}', "[]", '[{"id": 1}]'])
def test_statistics_of_helm_in_another_form_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "per_instance_stats.json"
    path.write_text(text)
    with pytest.raises(FormatError, match="HELM"):
        read_score_logs(path)


# From logs to a result.


def test_scores_from_logs_keep_every_number_and_every_caution() -> None:
    scores = en.scores_from(FILES / "promptfoo")
    rows = read_score_logs(FILES / "promptfoo")
    assert scores.values.shape == (4, 4, 2)
    assert int((~np.isnan(scores.values)).sum()) == sum(score is not None for score in rows.score)
    for at, config in enumerate(scores.configs.ids):
        assert np.nanmean(scores.values[:, at]) == pytest.approx(means(rows)[config])
    assert {"EN140"} <= {one.code for one in en.estimate(scores, rng=0).cautions}


def test_candidates_that_were_proposed_by_scores_leave_some_optimism() -> None:
    made = en.estimate(en.scores_from(FILES / "gepa"), rng=0)
    assert "EN006" in {one.code for one in made.cautions}


def test_groups_and_tasks_of_logs_go_into_the_scores() -> None:
    plain = en.scores_from(FILES / "plain")
    assert plain.parts.groups is not None
    assert len(np.unique(plain.parts.groups)) == 5
    assert plain.parts.tasks is None
    apart = en.scores_from(FILES / "lm_eval", score="acc")
    assert apart.parts.groups is None  # every item is a group of its own


def test_gathered_scores_come_back_from_their_file(tmp_path: Path) -> None:
    scores = en.scores_from(FILES / "lm_eval", score="acc")
    scores.save(tmp_path / "scores.parquet")
    assert en.Scores.load(tmp_path / "scores.parquet").fingerprint == scores.fingerprint


def test_a_failed_answer_counts_as_the_worst_where_that_is_said() -> None:
    made = en.scores_from(FILES / "promptfoo", incomplete="worst")
    assert en.estimate(made, rng=0).n_cases == 4


@pytest.mark.parametrize(
    ("column", "credit", "name"),
    [("correct", 1, "accuracy"), ("is_correct", 1, "accuracy"), ("correct", 0.5, "correct")],
)
def test_the_mean_of_right_and_wrong_is_called_accuracy(
    tmp_path: Path, column: str, credit: float, name: str
) -> None:
    for prompt in ("short", "polite"):
        lines = [{"item_id": f"q{at}", column: credit * (at % 2)} for at in range(6)]
        (tmp_path / f"{prompt}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert en.scores_from(tmp_path).measure.name == name
