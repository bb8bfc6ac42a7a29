"""What releases, installers and other systems read says the same as pyproject.toml."""

from __future__ import annotations

import csv
import os
import re
import runpy
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = CONFIG["project"]
REQUIREMENTS = runpy.run_path(str(ROOT / "scripts" / "requirements.py"))
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


def test_a_group_includes_the_requirements_of_another() -> None:
    read_group = REQUIREMENTS["read_group"]
    assert set(read_group("test")) < set(read_group("dev"))
    assert all(isinstance(requirement, str) for requirement in read_group("dev"))
    with pytest.raises(SystemExit, match="docs, test, dev"):
        read_group("tests")


def test_the_oldest_versions_are_the_higher_of_two_bounds() -> None:
    find_oldest = REQUIREMENTS["find_oldest"]
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


def test_every_file_that_github_reads_is_linted() -> None:
    schemas = runpy.run_path(str(ROOT / "scripts" / "project_files.py"))["SCHEMAS"]
    linted = {path for paths in schemas.values() for path in paths}
    github = (ROOT / ".github").rglob("*")
    written = {path for path in github if path.suffix in (".yml", ".yaml")}
    assert written | {ROOT / "action.yml"} <= linted
    assert all(path.is_file() for path in linted)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(r"^test-all: (.*) ##", makefile, re.M)
    assert found is not None
    assert "check-files" in found[1]


def test_the_nightly_job_runs_the_tests_against_prereleases_on_supported_pythons() -> None:
    text = (ROOT / ".github" / "workflows" / "nightly.yml").read_text(encoding="utf-8")
    assert "--pre --editable . --group test" in text
    for version in re.findall(r'"(3\.\d+)"', text.split("python: [")[1].split("]")[0]):
        assert f"Programming Language :: Python :: {version}" in PROJECT["classifiers"]


def test_every_workflow_but_the_release_can_be_started_by_hand() -> None:
    for path in WORKFLOWS:
        started = "\n  workflow_dispatch:" in path.read_text(encoding="utf-8")
        assert started == (path.name != "release.yml"), path.name


def test_the_tested_pythons_are_those_that_the_classifiers_name() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    tested = re.findall(r'"(3\.\d+)"', text.split("python: [")[1].split("]")[0])
    named = [c.rsplit(" ", 1)[1] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert tested == named


def test_the_hooks_run_the_tools_of_make_check() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    check = makefile.split("\ncheck:")[1].split("\n\n")[0]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    tools = re.findall(r"bin/(python -m [a-z]+(?: [a-z]+)?|lint-imports|typos)", check)
    assert len(tools) == 5
    for tool in tools:
        assert f"entry: {tool}" in hooks
    assert ".venv" not in hooks  # it has other folders on Windows


# ---- addresses: nowhere, or the same everywhere


def find_addresses(project: dict[str, Any], citation: str, recipe: str) -> list[str | None]:
    """The address of the repository by each of the three files that may name it."""
    found: list[str | None] = [project.get("urls", {}).get("Repository")]
    for text, key in ((citation, "repository-code"), (recipe, "repository")):
        match = re.search(rf"^ *{key}: *['\"]?([^'\"\s]+)", text, re.M)
        found.append(match[1] if match else None)
    return found


def test_every_file_names_the_same_repository_or_none_does() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert len(set(find_addresses(PROJECT, citation, RECIPE))) == 1


def test_one_file_that_names_a_repository_alone_is_noticed() -> None:
    here = "https://git.example.org/earnest"
    assert find_addresses({"urls": {"Repository": here}}, "", "") == [here, None, None]
    assert find_addresses({}, f"repository-code: '{here}'", "") == [None, here, None]
    assert find_addresses({}, "", f"about:\n  repository: {here}\n") == [None, None, here]


def test_no_page_has_a_badge_or_a_link_that_needs_an_address_before_there_is_one() -> None:
    if "urls" in PROJECT:
        return  # the address is known: the links can be right
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    needs = re.compile(r"https://(mybinder\.org|colab\.|img\.shields\.io|earnest\.readthedocs\.)")
    assert not [page.name for page in pages if needs.search(page.read_text(encoding="utf-8"))]


# ---- Binder


def test_binder_has_a_python_that_the_package_supports() -> None:
    text = (ROOT / "binder" / "environment.yml").read_text(encoding="utf-8")
    version = re.search(r"^  - python=(3\.\d+)$", text, re.M)
    assert version is not None
    assert f"Programming Language :: Python :: {version[1]}" in PROJECT["classifiers"]


def test_binder_installs_the_clone_and_makes_the_notebooks(tmp_path: Path) -> None:
    script = ROOT / "binder" / "postBuild"
    assert script.stat().st_mode & 0o111, "Binder runs it only if it can be executed"
    python = tmp_path / "python"  # takes down what it is asked, and does nothing
    python.write_text(f'#!/bin/sh\necho "$@" >> "{tmp_path}/asked"\n')
    python.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    subprocess.run([script], cwd=ROOT, env={"PATH": path}, check=True)
    install, notebooks = (tmp_path / "asked").read_text().splitlines()
    assert install.startswith("-m pip install ")
    assert install.endswith(" .")
    assert (ROOT / notebooks).is_file()


# ---- the page on installing

PAGE = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")


def test_the_install_page_names_the_supported_pythons_and_every_extra() -> None:
    named = [c.rsplit(" ", 1)[1] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert re.findall(r"3\.\d+", PAGE.split("You need Python")[1].split(". In")[0]) == named
    extras = PAGE.split("## Extras")[1].split("\n## ")[0]
    listed = re.findall(r"^\| `([\w-]+)` \|", extras, re.M)
    assert listed == list(PROJECT["optional-dependencies"])


def test_what_a_user_may_add_has_been_weighed() -> None:
    weighed = runpy.run_path(str(ROOT / "benchmarks" / "install" / "__main__.py"))
    rows = read_sizes(weighed["DOWNLOADS"], "addition")
    assert list(rows) == ["", *weighed["list_additions"]()]
    assert all(size > 0 for size in rows.values())


def test_what_a_plain_installation_takes_on_the_disk_has_been_counted() -> None:
    weighed = runpy.run_path(str(ROOT / "benchmarks" / "install" / "__main__.py"))
    sizes = read_sizes(weighed["DISK"], "package")
    required = {re.split(">=", line)[0].lower() for line in PROJECT["dependencies"]}
    assert required <= {name.lower() for name in sizes}


def read_sizes(path: Path, column: str) -> dict[str, float]:
    with path.open(encoding="utf-8") as file:
        return {row[column]: float(row["megabytes"]) for row in csv.DictReader(file)}


def test_the_command_for_conda_names_the_recipe() -> None:
    (path,) = set(re.findall(r"--recipe\s+([\w/.]+)", PAGE))
    assert (ROOT / path).is_file()
