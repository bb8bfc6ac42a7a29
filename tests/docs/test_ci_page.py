"""The job on the page about builds passes a good model and stops a bad one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import earnest as en
from tests.docs.test_code_blocks import ROOT, generate
from tests.snapshots import Golden

FUNCTIONS = f"""python() {{ {sys.executable} "$@"; }}
earnest() {{ python -c "import sys; from earnest.cli import main; sys.exit(main())" "$@"; }}
"""
PAGE = ROOT / "docs" / "how-to" / "use-in-ci.md"


def step() -> str:
    """The commands of the last step of the job."""
    text = PAGE.read_text(encoding="utf-8")
    (body,) = [block.body for block in generate.blocks(text) if block.language == "yaml"]
    commands = str(yaml.safe_load(body)["jobs"]["score"]["steps"][-1]["run"])
    return FUNCTIONS + commands


def run(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    text = PAGE.read_text(encoding="utf-8")
    first = next(block.body for block in generate.blocks(text) if block.language == "python")
    generate.run_python(first, {}, folder)  # the predictions of the page
    return subprocess.run(
        ["bash", "-e", "-c", commands],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_step_passes_above_the_limit_and_fails_with_the_estimate_below(tmp_path: Path) -> None:
    done = run(step(), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / "estimate.json").rename(tmp_path / "told.json")
    told = "earnest() { cat told.json; }\n"  # as the first time: the predictions are the same
    done = run(step().replace("0.75", "0.85").replace(FUNCTIONS, FUNCTIONS + told), tmp_path)
    assert done.returncode == 1
    raised = (
        "AssertionError: roc_auc 0.876, 95 % lower bound 0.845 "
        "(bbc, winner of 12 configs, trained on 360, n=400)"
    )
    assert raised in done.stderr.splitlines()


def test_the_step_fails_where_there_is_no_answer(tmp_path: Path) -> None:
    assert run(step().replace("predictions.csv", "none.csv"), tmp_path).returncode == 2


def test_the_recipe_for_a_change_stops_its_own_bad_example_and_lets_an_equal_model_pass(
    tmp_path: Path,
    golden: Golden,
) -> None:
    text = PAGE.read_text(encoding="utf-8")
    blocks = [block.body for block in generate.blocks(text) if block.language == "python"]
    space: dict[str, Any] = {}
    printed = "".join(generate.run_python(body, space, tmp_path) for body in blocks)
    golden.check_line(printed, "stopped: ")
    noise = 0.5 * np.random.default_rng(0).standard_normal((400, 2))  # of models nearly as good
    equal = en.Predictions.from_arrays(
        space["y"],
        3.0 * space["y"][:, None] + noise,
        np.arange(400) % 10,
        configs=["in use", "new"],
    )
    space["check_change"](equal)
