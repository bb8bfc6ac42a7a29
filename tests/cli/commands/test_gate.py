"""`earnest gate` from files to an exit code, and the GitHub Action as the script that it runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import yaml

import earnest as en
from tests.cli.conftest import Outcome, Run
from tests.decision.populations import answer_items, answer_pair, make_scores

ROOT = Path(__file__).parents[3]
FILES = ROOT / "tests" / "adapters" / "files" / "scores"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """New scores that are a little better than the old ones; seed 3."""
    new, old = answer_pair(np.random.default_rng(3), 500, 0.1, 0.15)
    return new.save(tmp_path / "new.parquet"), old.save(tmp_path / "main.parquet")


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    values = answer_items(np.random.default_rng(0), 400, [0.8], 0.0)
    return make_scores(values, "m").save(tmp_path / "scores.csv")


@pytest.mark.parametrize(("bound", "code"), [(0.7, 0), (0.8, 4), (0.9, 3)])
def test_the_exit_code_is_the_verdict(run: Run, scores: Path, bound: float, code: int) -> None:
    done = run("gate", scores, "--above", bound)
    assert done.code == code
    assert done.out.split(":")[0].strip().casefold() == {0: "pass", 3: "fail", 4: "undecided"}[code]
    assert not done.err


def test_two_files_with_the_same_column_of_scores_are_told_apart_by_their_names(
    run: Run, tmp_path: Path
) -> None:
    for name, right in (("polite", "01110111"), ("short", "01100110")):
        rows = [f'{{"item_id": "q{at}", "correct": {one}}}' for at, one in enumerate(right * 5)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows))
    new, old = tmp_path / "polite.jsonl", tmp_path / "short.jsonl"
    made = json.loads(run("gate", new, "--against", old, "--scores", "--json").out)
    assert (made["config"], made["baseline"]) == ("polite", "short")


def test_a_gate_of_predictions_has_a_metric(run: Run, table: Path) -> None:
    done = run("gate", table, "-m", "roc_auc", "--above", "0.5", "--json")
    made = json.loads(done.out)
    assert done.code == made["exit_code"] == 0
    assert made["n_configs"] == 8
    assert made["method"] == "bbc"
    assert en.Verdict.from_dict(made).outcome == "pass"


@pytest.mark.parametrize("command", [["gate", "--above", "0.7"], ["estimate"], ["thresholds"]])
def test_a_file_that_is_not_there_is_told_before_a_metric_that_is(
    run: Run, command: list[str], tmp_path: Path
) -> None:
    done = run(command[0], tmp_path / "none.csv", *command[1:])
    assert done.code == 2
    assert "none.csv" in done.err
    assert "--metric" not in done.err


def test_against_the_one_in_use_with_files_for_ci(
    run: Run, pair: tuple[Path, Path], tmp_path: Path
) -> None:
    junit, comment = tmp_path / "gate.xml", tmp_path / "gate.md"
    new, old = pair
    asked = ("gate", new, "--against", old, "--margin", "0.02")
    done = run(*asked, "--junit", junit, "--markdown", comment)
    assert done.code == 0
    assert ET.parse(junit).getroot().get("failures") == "0"
    assert "earnest gate" in comment.read_text(encoding="utf-8")
    assert run("gate", old, "--against", new, "--margin", "0").code in (3, 4)


def test_the_ledger_makes_later_looks_wider(run: Run, scores: Path, tmp_path: Path) -> None:
    other = make_scores(answer_items(np.random.default_rng(1), 400, [0.8], 0.0), "n")
    second = other.save(tmp_path / "second.csv")
    found = []
    for path in (scores, second):
        done = run("gate", path, "--above", "0.7", "--ledger", tmp_path / "l.db", "--json")
        found.append(json.loads(done.out))
    assert [one["look"] for one in found] == [1, 2]
    assert found[1]["level"] > found[0]["level"] > 0.95


def test_logs_are_gated_as_they_are(run: Run) -> None:
    done = run("gate", FILES / "inspect" / "prompts", "--score", "match", "--above", "0.99")
    assert done.code in (3, 4)
    assert "prompt=" in done.out


@pytest.mark.parametrize(
    "asked",
    [
        (),
        ("--above", "0.5", "--below", "0.5"),
        ("--below", "0.5"),
        ("--above", "2"),
        ("--above", "0.5", "--margin", "0.1"),
        ("--above", "0.5", "--junit", "nowhere/gate.xml"),
        ("--against", "nowhere.csv"),
        ("--above", "0.5", "--level", "95"),
    ],
)
def test_a_question_that_makes_no_sense_is_bad_input(
    run: Run, scores: Path, asked: tuple[str, ...]
) -> None:
    done = run("gate", scores, *asked)
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert "`" not in done.err  # in the words of the command line


# The action: its steps are run as GitHub runs them.


def run_action(
    folder: Path, answer: Outcome | None = None, **inputs: str
) -> tuple[int, dict[str, str], str]:
    """Run the script of the action with these inputs; return its code, outputs and summary.

    With an answer, that of an earlier run, the command is not run but notes its arguments.
    """
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    step = next(one for one in action["runs"]["steps"] if one.get("id") == "gate")
    given = {name: spec.get("default", "") for name, spec in action["inputs"].items()} | inputs
    environment = {
        name: given[text.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, text in step["env"].items()
    }
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    for name, words in (("earnest", "-m earnest "), ("python", "")):
        place = tools / name
        place.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}"$@"\n')
        place.chmod(0o755)
    if answer is not None:
        (folder / "answer.json").write_text(answer.out, encoding="utf-8")
        (tools / "earnest").write_text(
            f'#!/bin/sh\necho "$@" > asked\n: > "$MARKDOWN"\ncat answer.json\nexit {answer.code}\n'
        )
    files = {name: folder / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    done = subprocess.run(
        [
            shutil.which("bash") or "bash",
            "--noprofile",
            "--norc",
            "-eo",
            "pipefail",
            "-c",
            step["run"],
        ],
        cwd=folder,
        env={
            **os.environ,
            **environment,
            **{name: str(path) for name, path in files.items()},
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    texts = [path.read_text(encoding="utf-8") if path.exists() else "" for path in files.values()]
    outputs = dict(line.partition("=")[::2] for line in texts[0].splitlines())
    return done.returncode, outputs, texts[1]


needs_bash = pytest.mark.skipif(sys.platform == "win32", reason="the action runs on bash")


@needs_bash
def test_the_action_passes_what_passes(pair: tuple[Path, Path], tmp_path: Path) -> None:
    code, outputs, summary = run_action(
        tmp_path, new="new.parquet", against="main.parquet", margin="0.02", junit="gate.xml"
    )
    assert code == 0
    assert outputs["verdict"] == "pass"
    assert "earnest gate" in summary
    assert (tmp_path / "gate.xml").exists()


@needs_bash
@pytest.mark.parametrize(
    ("above", "undecided", "code", "verdict"),
    [("0.9", "fail", 3, "fail"), ("0.8", "fail", 4, "undecided"), ("0.8", "pass", 0, "undecided")],
)
def test_the_action_fails_what_fails_and_what_is_undecided_unless_told(
    run: Run, scores: Path, tmp_path: Path, above: str, undecided: str, code: int, verdict: str
) -> None:
    answer = run("gate", scores, "--above", above, "--json")
    found = run_action(tmp_path, answer, new=scores.name, above=above, undecided=undecided)
    assert found[0] == code
    assert found[1]["verdict"] == verdict


@needs_bash
def test_the_action_hands_further_arguments_on_and_stops_at_bad_input(
    run: Run, tmp_path: Path
) -> None:
    logs = FILES / "lm_eval"
    answer = run("gate", logs, "--above", "0.1", "--json", "--score", "acc")
    asked = {"new": str(logs), "above": "0.1"}
    code, outputs, _ = run_action(tmp_path, answer, arguments="--score acc", **asked)
    assert (code, outputs["verdict"]) == (0, "pass")
    assert (tmp_path / "asked").read_text().rstrip().endswith("--above 0.1 --score acc")
    answer = run("gate", logs, "--above", "0.1", "--json")  # which of the scores?
    assert run_action(tmp_path, answer, **asked)[0] == answer.code == 2


def test_every_input_of_the_action_reaches_its_script() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    used = {
        text.removeprefix("${{ inputs.").removesuffix(" }}")
        for step in action["runs"]["steps"]
        for text in step["env"].values()
    }
    assert used == set(action["inputs"])
