"""Packages that add to earnest by entry points: found by name, loaded late, never in the way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.plug_in import run_python, write_metadata, write_page

ASK = """
import json, sys
from earnest.cli import main
import earnest, earnest.methods, earnest.metrics
print(json.dumps("earnest_median" in sys.modules))  # before anything is looked up
for command in COMMANDS:
    print(json.dumps(main(command)))
"""


def ask(commands: list[list[str]], *folders: Path) -> tuple[list[str], str]:
    """Return the lines that several commands write in one process, and its standard error."""
    done = run_python(f"COMMANDS = {commands!r}\n{ASK}", *folders)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The folder with the package of the page."""
    folder = tmp_path / "site"
    folder.mkdir()
    write_page(folder)
    return folder


def test_an_installed_package_adds_a_method_and_a_metric_to_the_command_line(
    package: Path, table: Path
) -> None:
    commands = [
        ["methods", "median_fold", "--bibtex"],
        ["metrics", "--json"],
        ["estimate", str(table), "--method", "median_fold", "--metric", "hit_rate", "--json"],
    ]
    lines, err = ask(commands, package)
    assert err == ""
    assert lines[0] == "false"
    assert "@article{doe2026," in lines
    codes = [line for line in lines if line == "0"]
    assert len(codes) == 3
    text = "\n".join(lines[1:])
    decoder, found = json.JSONDecoder(), []
    place = text.find("{\n")
    while place >= 0:
        value, end = decoder.raw_decode(text, place)
        found.append(value)
        place = text.find("{\n", end)
    listed, made = found[-2:]
    assert "hit_rate" in [one["name"] for one in listed["metrics"]]
    assert (made["method"], made["metric"]) == ("median_fold", "hit_rate")
    assert 0 <= made["value"] <= 1


def test_without_the_package_its_names_are_unknown(run: Run, table: Path) -> None:
    done = run("estimate", table, "--method", "median_fold", "--metric", "roc_auc")
    assert done.code == 2
    assert "median_fold" in done.err


def test_packages_that_cannot_be_used_are_named_in_one_warning_each(
    tmp_path: Path, package: Path, table: Path
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "earnest_broken.py").write_text("import a_module_that_is_not_there\n", "utf-8")
    readers = {"broken_reader": "earnest_broken:reader"}
    write_metadata(
        broken,
        "earnest-broken",
        {"earnest.methods": {"broken": "earnest_broken:Broken"}, "earnest.readers": readers},
    )
    clash = tmp_path / "clash"
    clash.mkdir()
    (clash / "earnest_clash.py").write_text(
        "from earnest.methods import BBC\nBBC = type('BBC', (BBC,), {})\n"
    )
    write_metadata(clash, "earnest-clash", {"earnest.methods": {"bbc": "earnest_clash:BBC"}})
    estimate = ["estimate", str(table), "--metric", "accuracy", "--json"]
    lines, err = ask(
        [["methods", "median_fold"], [*estimate, "--method", "bbc"], ["gather", "nowhere"]],
        package, broken, clash,
    )  # fmt: skip
    assert [line for line in lines if line in ("0", "2")] == ["0", "0", "2"]
    warned = [line for line in err.splitlines() if line.startswith("warning: ")]
    assert len(warned) == 3
    assert sum("'earnest-broken'" in line and "ModuleNotFoundError" in line for line in warned) == 2
    assert sum("'earnest-clash'" in line and "'bbc'" in line for line in warned) == 1
    assert "Traceback" not in err
