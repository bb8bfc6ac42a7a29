"""Logs of evaluations from the command line: gather, estimate, compare, report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import earnest as en
from tests.cli.conftest import Run

FILES = Path(__file__).parents[2] / "adapters" / "files" / "scores"
SOURCES = {
    "inspect/prompts": ("--score", "match"),
    "lm_eval": ("--score", "acc"),
    "promptfoo": (),
    "dspy": (),
    "gepa": (),
    "openai_evals": (),
    "helm": ("--score", "exact_match"),
    "plain": (),
}


@pytest.mark.parametrize("name", SOURCES)
def test_logs_of_every_tool_are_gathered_into_a_table_that_is_read_again(
    run: Run, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "scores.parquet"
    done = run("gather", FILES / name, *SOURCES[name], "-o", out, "--json")
    facts = json.loads(done.out)
    assert done.code == 0
    scores = en.Scores.load(out)
    assert (scores.n_cases, scores.n_configs) == (facts["n_items"], facts["n_configs"])
    assert facts["fingerprint"] == scores.fingerprint
    assert len(facts["tools"]) == 1
    shown = run("gather", FILES / name, *SOURCES[name], "-o", out, "--overwrite")
    assert f"{facts['n_configs']} configurations" in shown.out


@pytest.mark.parametrize("end", ["jsonl", "csv"])
def test_one_table_of_scores_is_gathered_like_a_folder_of_them(
    run: Run, tmp_path: Path, end: str
) -> None:
    rows = [
        {"item": f"q{at}", "model": model, "score": (at * size) % 3 / 2}
        for model, size in (("small", 1), ("large", 2))
        for at in range(1, 13)
    ]
    lines = [json.dumps(row) for row in rows]
    if end == "csv":
        lines = ["item,model,score", *(",".join(map(str, row.values())) for row in rows)]
    folder = tmp_path / "logs"
    folder.mkdir()
    log = folder / f"all.{end}"
    log.write_text("\n".join([*lines, ""]), encoding="utf-8")
    found = [json.loads(run("gather", place, "-o", tmp_path / f"{at}.csv", "--json").out)
             for at, place in enumerate((log, folder))]  # fmt: skip
    assert found[0]["fingerprint"] == found[1]["fingerprint"]
    assert found[0]["n_configs"] == 2


@pytest.mark.parametrize("outcome", ["y", "y_true", "fold"])
def test_predictions_are_never_averaged_as_if_they_were_scores(
    run: Run, tmp_path: Path, outcome: str
) -> None:
    for name in ("svm", "forest"):
        rows = [{"id": at, outcome: at % 2, "score": at / 20} for at in range(20)]
        text = "\n".join(json.dumps(row) for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text + "\n", encoding="utf-8")
    for asked in (("gather", tmp_path), ("gather", tmp_path / "svm.jsonl"), ("estimate", tmp_path)):
        done = run(*asked)
        assert (done.code, done.out) == (2, "")
    right = [{"id": at, outcome: at % 2, "correct": at % 2} for at in range(20)]
    for name in ("svm", "forest"):
        text = "\n".join(json.dumps(row) for row in right)
        (tmp_path / f"{name}.jsonl").write_text(text + "\n", encoding="utf-8")
    assert run("estimate", tmp_path, "--json").code == 0


def test_a_folder_of_logs_is_estimated_and_compared_as_its_table_is(
    run: Run, tmp_path: Path
) -> None:
    table = en.scores_from(FILES / "plain").save(tmp_path / "scores.parquet")
    for asked in (("estimate", "--rng", "1"), ("compare", "--all", "--rng", "1")):
        command, *rest = asked
        one = json.loads(run(command, FILES / "plain", *rest, "--json").out)
        other = json.loads(run(command, table, *rest, "--json").out)
        assert one == other


def test_a_report_is_made_from_logs(run: Run, tmp_path: Path) -> None:
    done = run("report", FILES / "lm_eval", "--score", "acc", "-o", tmp_path / "r.json", "--rng", 1)
    assert done.code == 0
    assert "adder-large" in (tmp_path / "r.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("estimate", FILES / "lm_eval"), "--score"),
        (("estimate", FILES / "lm_eval", "--score", "nothing"), "nothing"),
        (("estimate", FILES / "lm_eval", "--score", "acc", "--config-is", "colour"), "--config-is"),
        (("estimate", FILES / "plain", "--target", "score"), "--target"),
        (("gather", FILES / "plain", "--data", "x.csv", "--target", "y"), "--data"),
    ],
)
def test_what_logs_cannot_answer_is_bad_input_in_options(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: tuple[object, ...], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*asked)
    assert done.code == 2
    assert words in done.err
    assert "`" not in done.err


def test_options_for_logs_are_refused_elsewhere(run: Run, table: Path) -> None:
    done = run("estimate", table, "-m", "roc_auc", "--config-is", "task")
    assert done.code == 2
    assert "--config-is" in done.err
