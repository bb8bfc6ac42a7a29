"""`earnest gate` from files to an exit code, and the GitHub Action as the script that it runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
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
    assert en.results.Verdict.from_dict(made).outcome == "pass"


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
        ("--above", "0.5", "--confidence-level", "95"),
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


@dataclass(frozen=True)
class ActionRun:
    """What a run of the action leaves: its code, its outputs, the summary and its log."""

    code: int
    outputs: dict[str, str]
    summary: str
    log: str


def read_action() -> dict[str, Any]:
    """Return the action as GitHub reads it."""
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return action


def fill_inputs(step: dict[str, Any], inputs: dict[str, str]) -> dict[str, str]:
    """Return the environment of a step, with these inputs and the defaults of the others."""
    defaults = {name: spec.get("default", "") for name, spec in read_action()["inputs"].items()}
    values = defaults | inputs
    return {
        name: values[text.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, text in step["env"].items()
    }


def run_step(
    step: dict[str, Any], folder: Path, inputs: dict[str, str], **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the script of a step as GitHub does, with what is in the folder `bin` first."""
    return subprocess.run(
        [shutil.which("bash") or "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c",
         step["run"]],
        cwd=folder,
        env={
            **os.environ,
            **fill_inputs(step, inputs),
            "GITHUB_ACTION_PATH": str(ROOT),
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )  # fmt: skip


def write_tool(folder: Path, name: str, script: str) -> None:
    tool = folder / "bin" / name
    tool.parent.mkdir(exist_ok=True)
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)


def run_action(folder: Path, answer: Outcome | None = None, **inputs: str) -> ActionRun:
    """Run the action with these inputs.

    With an answer, that of an earlier run, the command is not run but notes its arguments.
    """
    step = next(step for step in read_action()["runs"]["steps"] if step.get("id") == "gate")
    write_tool(folder, "python", f'exec "{sys.executable}" "$@"')
    write_tool(folder, "earnest", f'exec "{sys.executable}" -m earnest "$@"')
    if answer is not None:
        (folder / "answer.json").write_text(answer.out, encoding="utf-8")
        note = 'printf "%s\\n" "$@" > asked\n: > "$MARKDOWN"'
        (folder / "answer.err").write_text(answer.err, encoding="utf-8")
        tell = "cat answer.err >&2\ncat answer.json"
        write_tool(folder, "earnest", f"{note}\n{tell}\nexit {answer.code}")
    files = {name: folder / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for path in files.values():
        path.unlink(missing_ok=True)
    done = run_step(step, folder, inputs, **{name: str(path) for name, path in files.items()})
    texts = [path.read_text(encoding="utf-8") if path.exists() else "" for path in files.values()]
    return ActionRun(done.returncode, read_outputs(texts[0]), texts[1], done.stdout)


def read_outputs(text: str) -> dict[str, str]:
    """Read a file of outputs as the runner does: NAME=VALUE, or NAME<<END and lines until END."""
    outputs, lines = {}, iter(text.splitlines())
    for line in lines:
        name, _, end = line.partition("<<")
        if end and "=" not in name:
            outputs[name] = "\n".join(iter(lambda end=end: next(lines, end), end))
        else:
            name, _, outputs[name] = line.partition("=")
    return outputs


def list_obeyed(log: str) -> list[str]:
    """Return the workflow commands that the runner obeys, those that stop and resume it apart."""
    obeyed, token = [], None
    for line in log.splitlines():
        text = line.strip()
        if token is not None:
            token = None if text == f"::{token}::" else token
        elif text.startswith("::stop-commands::"):
            token = text.removeprefix("::stop-commands::")
        elif text.startswith("::") or "##[" in text:
            obeyed.append(text)
    assert token is None  # later steps are obeyed again
    return obeyed


needs_bash = pytest.mark.skipif(sys.platform == "win32", reason="the action runs on bash")


@needs_bash
def test_the_action_passes_what_passes(pair: tuple[Path, Path], tmp_path: Path) -> None:
    done = run_action(
        tmp_path, new="new.parquet", against="main.parquet", margin="0.02", junit="gate.xml"
    )
    assert done.code == 0
    assert done.outputs["verdict"] == "pass"
    assert done.outputs["sentence"] in done.log
    assert "earnest gate" in done.summary
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
    done = run_action(tmp_path, answer, new=scores.name, above=above, undecided=undecided)
    assert done.code == code
    assert done.outputs["verdict"] == verdict


@needs_bash
def test_the_action_hands_further_arguments_on_and_stops_at_bad_input(
    run: Run, tmp_path: Path
) -> None:
    logs = FILES / "lm_eval"
    answer = run("gate", logs, "--above", "0.1", "--json", "--score", "acc")
    inputs = {"new": str(logs), "above": "0.1"}
    more = "--score acc\n--configs 'a model' \"it's\" '*' ''"
    done = run_action(tmp_path, answer, arguments=more, **inputs)
    assert (done.code, done.outputs["verdict"]) == (0, "pass")
    asked = (tmp_path / "asked").read_text().split("\n")[:-1]
    assert asked[-7:] == ["--score", "acc", "--configs", "a model", "it's", "*", ""]
    answer = run("gate", logs, "--above", "0.1", "--json")  # which of the scores?
    done = run_action(tmp_path, answer, **inputs)
    assert done.code == answer.code == 2
    assert done.outputs == {}


@needs_bash
def test_the_action_refuses_arguments_with_an_open_quote(scores: Path, tmp_path: Path) -> None:
    done = run_action(tmp_path, new=scores.name, above="0.5", arguments="--configs 'a model")
    assert done.code == 2
    assert "quot" in done.log
    assert done.outputs == {}


HOSTILE = (
    "m\nverdict=pass\nnote=",
    "m\r\nverdict<<x\r\npass\r\nx",
    "m\u2028verdict=pass\u0085verdict=pass",
    "m\n::set-output name=verdict::pass\n::add-mask::fail\n##[error]x",
)


@needs_bash
@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_forges_no_output_and_no_command_of_the_action(
    run: Run, name: str, tmp_path: Path
) -> None:
    values = answer_items(np.random.default_rng(0), 400, [0.8], 0.0)
    make_scores(values, name).save(tmp_path / "scores.csv")
    answer = run("gate", tmp_path / "scores.csv", "--above", "0.9", "--json")
    done = run_action(tmp_path, answer, new="scores.csv", above="0.9")
    assert done.code == 3
    assert done.outputs["verdict"] == "fail"
    assert set(done.outputs) == {"verdict", "sentence"}
    assert len(done.outputs["sentence"].splitlines()) == 1
    assert list_obeyed(done.log) == []


@needs_bash
def test_a_command_of_the_runner_in_an_error_is_not_obeyed(tmp_path: Path) -> None:
    answer = Outcome(2, "::add-mask::x\n", "error: a\n::error::y")
    done = run_action(tmp_path, answer, new="scores.csv", above="0.9")
    assert done.code == 2
    assert all(line in done.log for line in ("::add-mask::x", "::error::y"))
    assert list_obeyed(done.log) == []


@needs_bash
@pytest.mark.parametrize(
    ("package", "installed"), [("", str(ROOT)), ("dist/earnest.whl", "dist/earnest.whl")]
)
def test_the_action_installs_its_own_source_unless_told_otherwise(
    package: str, installed: str, tmp_path: Path
) -> None:
    step = next(step for step in read_action()["runs"]["steps"] if "package" in str(step["env"]))
    write_tool(tmp_path, "python", 'printf "%s\\n" "$@"')
    done = run_step(step, tmp_path, {"package": package} if package else {})
    assert done.stdout.splitlines() == ["-m", "pip", "install", installed]
    assert step["if"] == "inputs.package != 'none'"


def test_every_input_of_the_action_reaches_its_script() -> None:
    action = read_action()
    used = {
        text.removeprefix("${{ inputs.").removesuffix(" }}")
        for step in action["runs"]["steps"]
        for text in step["env"].values()
    }
    assert used == set(action["inputs"])
