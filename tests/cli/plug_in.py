"""The package of the page on plug-ins, made on the spot: no network, nothing installed."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

from tests.docs.test_code_blocks import ROOT, generate

PAGE = ROOT / "docs" / "how-to" / "plug-in.md"


def code_of(language: str) -> str:
    """Return the first block of a language on the page."""
    blocks = generate.blocks(PAGE.read_text(encoding="utf-8"))
    found: str = next(block.body for block in blocks if block.language == language)
    return found


def load_module() -> ModuleType:
    """Return the module of the page."""
    module = sys.modules.setdefault("earnest_median", ModuleType("earnest_median"))
    code = compile(code_of("python"), str(PAGE), "exec", dont_inherit=True)
    exec(code, vars(module))  # a page of this repository
    return module


def write_page(folder: Path) -> None:
    """Write the package of the page as an installer leaves it."""
    project = tomllib.loads(code_of("toml"))["project"]
    (folder / "earnest_median.py").write_text(code_of("python"), encoding="utf-8")
    write_metadata(folder, project["name"], project["entry-points"])


def write_metadata(folder: Path, name: str, groups: dict[str, dict[str, str]]) -> None:
    """Write the metadata of a package with these groups of entry points."""
    about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8"
    )
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{key} = {value}" for key, value in entries.items()))
    ]
    about.joinpath("entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def run_python(script: str, *folders: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in a process that finds the packages of these folders."""
    path = os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "80"},
    )
