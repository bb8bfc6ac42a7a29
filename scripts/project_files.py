"""Lint the files that others read: `python scripts/project_files.py`, or `make check-files`.

Workflows, the action, forms, dependabot, the citation and the settings of Read the Docs are held
to their schemas, workflows and the action to the rules of zizmor, shell scripts to shellcheck, the
hooks to pre-commit and the conda recipe to rattler-build. actionlint runs where it is installed:
its package downloads a program when it is built, which not every machine allows.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = ROOT / ".github" / "ISSUE_TEMPLATE"
ACTION = ROOT / "action.yml"
RECIPE = ROOT / "packaging" / "conda" / "recipe.yaml"
SCRIPTS = (ROOT / ".ci" / "run", ROOT / "binder" / "postBuild")
SCHEMAS = {
    "github-workflows": WORKFLOWS,
    "github-actions": [ACTION],
    "github-issue-forms": [FORMS / "bug.yml", FORMS / "idea.yml"],
    "github-issue-config": [FORMS / "config.yml"],
    "dependabot": [ROOT / ".github" / "dependabot.yml"],
    "readthedocs": [ROOT / ".readthedocs.yaml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}


def find(tool: str) -> str | None:
    """Return a tool of this environment, or else of the system."""
    return shutil.which(tool, path=str(BIN)) or shutil.which(tool)


def run(tool: str, *arguments: str | Path, given: str | None = None) -> bool:
    """Run a linter, and tell whether it found nothing."""
    program = find(tool)
    if program is None:
        raise SystemExit(f"{tool} is not installed: pip install --group dev")
    command = [program, *map(str, arguments)]
    print("$", tool, *command[1:], flush=True)
    return subprocess.run(command, cwd=ROOT, input=given, text=True, check=False).returncode == 0


def list_steps(content: Any) -> Iterator[dict[str, Any]]:
    """Yield every step of a workflow or an action that runs a script."""
    if isinstance(content, dict):
        if isinstance(content.get("run"), str):
            yield content
        for value in content.values():
            yield from list_steps(value)
    elif isinstance(content, list):
        for value in content:
            yield from list_steps(value)


def check_scripts() -> bool:
    """Hold the shell scripts, also those within YAML, to shellcheck."""
    import yaml

    good = run("shellcheck", *SCRIPTS)
    for path in (*WORKFLOWS, ACTION):
        for step in list_steps(yaml.safe_load(path.read_text(encoding="utf-8"))):
            script = re.sub(r"\$\{\{.*?\}\}", "filled", step["run"])
            print(f"{path.name}: {step.get('name', script.splitlines()[0])}", flush=True)
            good &= run("shellcheck", "--shell=bash", "-", given=script)
    return good


def check_recipe() -> bool:
    """Render the conda recipe as rattler-build does."""
    import rattler_build

    print("$ rattler-build", RECIPE, flush=True)
    try:
        recipe = rattler_build.Stage0Recipe.from_file(str(RECIPE))
        return len(recipe.render(rattler_build.VariantConfig())) == 1
    except rattler_build.RattlerBuildError as error:
        print(error)
        return False


def main() -> None:
    """Run every linter, and fail at the end if one found something."""
    good = True
    for schema, files in SCHEMAS.items():
        good &= run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files)
    timeouts = "custom.github-workflows-require-timeout"
    good &= run("check-jsonschema", "--builtin-schema", timeouts, *WORKFLOWS)
    good &= run("zizmor", "--offline", "--persona=auditor", "--quiet", ".github", ACTION)
    good &= run("pre-commit", "validate-config", ".pre-commit-config.yaml")
    good &= check_scripts()
    good &= check_recipe()
    if find("actionlint") is None:
        print("actionlint is not installed, so it was not run")
    else:
        good &= run("actionlint")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
