"""What is lacking is installed by an extra that exists, and from the source, not from an index."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from earnest.core import EXTRAS, tell_install

ROOT = Path(__file__).resolve().parents[3]
MADE = {"_build", "api", "examples", "__pycache__"}


def list_packages(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=!;\[ ]", requirement)[0] for requirement in requirements}


def test_every_package_is_of_the_extra_that_brings_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert all(package in list_packages(extras[extra]) for package, extra in EXTRAS.items())
    for package, extra in EXTRAS.items():
        assert f"'.[{extra}]'" in tell_install(package)


def test_nothing_tells_to_ask_an_index_for_earnest() -> None:
    texts = [ROOT / "action.yml", *ROOT.glob("*.md")]
    for folder in ("src", "docs", "binder", ".github", "scripts"):
        texts += [path for path in (ROOT / folder).rglob("*") if not MADE & set(path.parts)]
    asked = []
    for path in texts:
        if path.suffix in {".py", ".md", ".toml", ".yml", ".json"} and path.is_file():
            lines = path.read_text(encoding="utf-8").splitlines()
            asked += [(path.name, line) for line in lines if asks_index(line)]
    assert asked == []


def asks_index(line: str) -> bool:
    """Whether a line lets pip look for earnest on an index."""
    asks = re.search(r"pip install (?:-\S+ )*[\"']?earnest\b(?!-)", line)
    return asks is not None and "--no-index" not in line


def test_a_line_that_asks_an_index_is_noticed() -> None:
    for command in ("pip install 'earnest[optuna]'", "python -m pip install --quiet earnest"):
        assert asks_index(command), command
    for command in ("pip install '.[optuna]'", "%pip install --quiet earnest-*.whl"):
        assert not asks_index(command), command
