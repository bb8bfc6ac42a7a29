"""Print the oldest versions that pyproject.toml allows, as constraints for pip.

`python scripts/oldest.py [EXTRA ...] > oldest.txt`, then `pip install --constraint oldest.txt ...`.
Of a package that is named twice the higher bound counts. Needs nothing but Python.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BOUND = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(\[[^]]*\])?>=(?P<version>[0-9.]+)(?P<rest>.*)$")


def find_oldest(extras: list[str]) -> dict[str, str]:
    """Return the lowest version of each requirement of the package and of some extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    found: dict[str, str] = {}
    for requirement in wanted:
        bound = BOUND.match(requirement.replace(" ", ""))
        if bound is None:
            raise SystemExit(f"{requirement!r} has no lower bound such as 'name>=1.2'")
        name, version = bound["name"].lower(), bound["version"]
        if number(version) > number(found.get(name, "0")):
            found[name] = version
    return found


def number(version: str) -> tuple[int, ...]:
    """Return a version as numbers that compare."""
    return tuple(int(part) for part in version.split("."))


if __name__ == "__main__":
    for name, version in sorted(find_oldest(sys.argv[1:] or ["test"]).items()):
        print(f"{name}=={version}")
