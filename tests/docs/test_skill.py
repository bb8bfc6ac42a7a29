"""What the skill and the section for coding agents tell them to run does run, in its order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from earnest.cli import main

ROOT = Path(__file__).parents[2]
SKILL = ROOT / "skills" / "earnest" / "SKILL.md"
SECTION = "## Measure your change honestly"


def list_commands(text: str) -> list[str]:
    """Return the commands of a text that name a ledger, a line end within one read as a blank."""
    codes = re.findall(r"`(earnest [^`]+)`", text)
    return [" ".join(code.split()) for code in codes if "work.db" in code]


def write_predictions(path: Path, name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [f"p{i},{i // 2 % 4},{i % 2},{i % 2 + rng.standard_normal():.3f}" for i in range(40)]
    path.write_text("\n".join([f"row_id,fold,y,{name}", *rows]) + "\n")


def test_the_commands_of_the_skill_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = SKILL.read_text(encoding="utf-8")
    name, description = re.findall(r"^(?:name|description): (.+)$", text, re.M)
    assert name == SKILL.parent.name
    assert len(description) < 1024
    monkeypatch.chdir(tmp_path)
    write_predictions(tmp_path / "in-use.csv", "EARLIER-NAME", 1)
    write_predictions(tmp_path / "try.csv", "m", 2)
    commands = list_commands(text)
    assert [command.split()[1:3] for command in commands] == [
        ["ledger", "new"],
        ["ledger", "score"],
        ["ledger", "show"],
        ["gate", "work.db"],
        ["ledger", "finish"],
        ["estimate", "work.db"],
        ["report", "work.db"],
    ]
    for command in commands:
        code = main(shlex.split(command)[1:])
        assert code in ((0, 4) if " gate " in command else (0,)), command


def test_the_section_of_agents_runs_what_the_skill_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = (ROOT / "AGENTS.md").read_text(encoding="utf-8").split(SECTION)[1]
    monkeypatch.chdir(tmp_path)
    write_predictions(tmp_path / "in-use.csv", "EARLIER", 1)
    write_predictions(tmp_path / "try.csv", "m", 2)
    begun = main(shlex.split("ledger new work.db in-use.csv -m roc_auc --rng 1"))
    assert begun == 0
    commands = sorted(list_commands(section), key=lambda command: "estimate" in command)
    assert len(commands) == 4
    for command in commands:
        code = main(shlex.split(command)[1:])
        assert code in ((0, 4) if " gate " in command else (0,)), command
