"""Measure what each extra downloads: `python -m benchmarks.install` writes results.csv beside it.

uv resolves earnest alone and earnest with one extra, for this Python and this system, and pip says
which files it would take; nothing is installed. A package counts as the size of its file, an extra
as what it adds to earnest alone. `automl`, whose parts want environments of their own, is left out.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.request import Request, url2pathname, urlopen

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_name("results.csv")
LEFT_OUT = {"automl", "docs", "test", "dev"}


def list_extras() -> list[str]:
    """Return the extras that are measured, in the order of pyproject.toml."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [name for name in config["project"]["optional-dependencies"] if name not in LEFT_OUT]


def resolve(extra: str = "") -> set[str]:
    """Return the packages that an installation takes, with their versions."""
    command = ["uv", "pip", "compile", str(ROOT / "pyproject.toml"), "--quiet", "--no-annotate"]
    command += ["--no-header", "--python", sys.executable, *(["--extra", extra] if extra else [])]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def measure_all(packages: set[str]) -> dict[str, int]:
    """Return the bytes of the files that pip would take, by the package and its version."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    command += ["--disable-pip-version-check", "--no-deps", "--report", "-", *sorted(packages)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for one in json.loads(said)["install"]:
        name = re.sub(r"[-_.]+", "-", one["metadata"]["name"]).lower()
        found[f"{name}=={one['metadata']['version']}"] = measure(one["download_info"]["url"])
    return found


def measure(address: str) -> int:
    """Return the bytes of a file, here or elsewhere."""
    if address.startswith("file:"):
        return Path(url2pathname(address.removeprefix("file://"))).stat().st_size
    with urlopen(Request(address, method="HEAD")) as answer:
        return int(answer.headers["Content-Length"])


def main() -> None:
    """Resolve earnest with each extra, and write what they add."""
    plain = resolve()
    names = {package.partition("==")[0] for package in plain}
    added = {"": plain}
    for extra in list_extras():
        added[extra] = {one for one in resolve(extra) if one.partition("==")[0] not in names}
    bytes_of: dict[str, int] = {}
    for packages in reversed(added.values()):  # `all`, the last, has nearly every one of them
        unknown = packages - set(bytes_of)
        bytes_of |= measure_all(unknown) if unknown else {}
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["extra", "packages", "megabytes"])
        for extra, packages in added.items():
            size = sum(bytes_of[package] for package in packages) / 1e6
            writer.writerow([extra, len(packages), f"{size:.1f}"])
            print(extra or "earnest alone", len(packages), f"{size:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
