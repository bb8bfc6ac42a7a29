"""Print what groups of pyproject.toml ask for: `python scripts/requirements.py GROUP ...`.

`pip install --editable . --group test` does the same from pip 25.1 on. A new environment of an
older Python brings an older pip, and this needs nothing but Python. `--oldest` prints the oldest
versions that the package and its groups allow, as constraints; of a package that is named twice
the higher bound counts.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BOUND = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(\[[^]]*\])?>=(?P<version>[0-9.]+)(;.*)?$")


def read_group(name: str, root: Path = ROOT) -> list[str]:
    """Return the requirements of a group, with those of the groups that it includes."""
    groups = _read_project(root)["dependency-groups"]
    if name not in groups:
        raise SystemExit(f"there is no group {name!r}, but {', '.join(groups)}")
    requirements: list[str] = []
    for entry in groups[name]:
        included = isinstance(entry, dict)
        requirements += read_group(entry["include-group"], root) if included else [entry]
    return requirements


def find_oldest(groups: Sequence[str], root: Path = ROOT) -> dict[str, str]:
    """Return the lowest version of each requirement of the package and of some groups."""
    requirements: list[str] = list(_read_project(root)["project"]["dependencies"])
    for group in groups:
        requirements += read_group(group, root)
    lowest: dict[str, str] = {}
    for requirement in requirements:
        bound = BOUND.match(requirement.replace(" ", ""))
        if bound is None:
            raise SystemExit(f"{requirement!r} has no lower bound such as 'name>=1.2'")
        name, version = bound["name"].lower(), bound["version"]
        if _count_up(version) > _count_up(lowest.get(name, "0")):
            lowest[name] = version
    return lowest


def _read_project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def _count_up(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))


def main() -> None:
    """Print the requirements of the groups, or the constraints, one a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="+", metavar="GROUP", help="docs, test or dev")
    parser.add_argument("--oldest", action="store_true", help="print constraints")
    options = parser.parse_args()
    if options.oldest:
        oldest = sorted(find_oldest(options.groups).items())
        lines = [f"{name}=={version}" for name, version in oldest]
    else:
        lines = [line for group in options.groups for line in read_group(group)]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
