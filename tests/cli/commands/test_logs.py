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


def test_a_folder_of_logs_is_estimated_and_compared_as_its_table_is(
    run: Run, tmp_path: Path
) -> None:
    table = en.scores_from(FILES / "plain").save(tmp_path / "scores.parquet")
    for asked in (("estimate", "--seed", "1"), ("compare", "--all", "--seed", "1")):
        command, *rest = asked
        one = json.loads(run(command, FILES / "plain", *rest, "--json").out)
        other = json.loads(run(command, table, *rest, "--json").out)
        assert one == other


def test_a_report_is_made_from_logs(run: Run, tmp_path: Path) -> None:
    done = run(
        "report", FILES / "lm_eval", "--score", "acc", "-o", tmp_path / "r.json", "--seed", 1
    )
    assert done.code == 0
    assert "adder-large" in (tmp_path / "r.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("estimate", FILES / "lm_eval"), "--score"),
        (("estimate", FILES / "lm_eval", "--score", "nothing"), "nothing"),
        (("estimate", FILES / "lm_eval", "--score", "acc", "--by", "colour"), "--by"),
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
    done = run("estimate", table, "-m", "roc_auc", "--by", "task")
    assert done.code == 2
    assert "--by" in done.err
