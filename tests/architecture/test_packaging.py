"""What releases, installers and other systems read says the same as pyproject.toml."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
OTHER_NAMES = {"matplotlib": "matplotlib-base"}  # of conda-forge


def test_the_version_is_the_same_everywhere() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {PROJECT['version']}\n" in citation
    assert f'version: "{PROJECT["version"]}"' in RECIPE


def test_the_conda_recipe_requires_what_the_package_requires() -> None:
    run = RECIPE.split("  run:\n")[1].split("\n\n")[0]
    listed = dict(re.findall(r"- ([a-z0-9_-]+) (\S+)", run))
    del listed["python"]
    bounds = (re.fullmatch(r"([A-Za-z0-9_-]+)(>=\S+)", line) for line in PROJECT["dependencies"])
    wanted = {OTHER_NAMES.get(m[1], m[1]): m[2] for m in bounds if m}
    assert len(wanted) == len(PROJECT["dependencies"])
    assert listed == wanted


def test_the_oldest_versions_are_the_higher_of_two_bounds() -> None:
    find_oldest = runpy.run_path(str(ROOT / "scripts" / "oldest.py"))["find_oldest"]
    plain, tests = find_oldest([]), find_oldest(["test"])
    assert plain["scikit-learn"] == "1.6"
    assert tests["scikit-learn"] == "1.8"
    assert set(plain) < set(tests)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_an_action_is_pinned_to_a_commit_and_says_its_version(path: Path) -> None:
    uses = re.findall(r"uses: (\S+)(.*)", path.read_text(encoding="utf-8"))
    assert uses
    for action, comment in uses:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action


def test_the_workflows_run_targets_that_make_has() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    asked = {
        t for path in WORKFLOWS for t in re.findall(r"make ([a-z-]+)", path.read_text("utf-8"))
    }
    assert {"check", "docs", "test-package"} <= asked <= targets


def test_the_tested_pythons_are_those_that_the_classifiers_name() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    tested = re.findall(r'"(3\.\d+)"', text.split("python: [")[1].split("]")[0])
    named = [c.rsplit(" ", 1)[1] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert tested == named


def test_the_hooks_run_the_tools_of_make_check() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    check = makefile.split("\ncheck:")[1].split("\n\n")[0]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    tools = re.findall(r"bin/(python -m [a-z]+(?: [a-z]+)?|lint-imports)", check)
    assert len(tools) == 4
    for tool in tools:
        assert tool in hooks
