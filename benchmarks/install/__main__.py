"""Measure what earnest takes: `python -m benchmarks.install` writes two tables beside it.

`downloads.csv`: uv resolves earnest alone, and with one extra or dependency group, for this Python
and this system, and names the file of each package; nothing is installed. A package counts as the
size of its file, an extra as what it adds to earnest alone.

`disk.csv`: earnest alone is installed by pip in a fresh environment, and the files of each package
are counted, among them the bytecode that pip makes.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.request import Request, url2pathname, urlopen

ROOT = Path(__file__).resolve().parents[2]
DOWNLOADS = Path(__file__).with_name("downloads.csv")
DISK = Path(__file__).with_name("disk.csv")
COUNT_FILES = """
import json
from importlib.metadata import distributions
sizes = {}
for package in distributions():
    paths = [package.locate_file(file) for file in package.files or ()]
    there = [path for path in paths if path.is_file()]
    bytecode = [path for path in there if path.suffix == ".pyc"]
    sizes[package.name] = [sum(p.stat().st_size for p in files) for files in (there, bytecode)]
print(json.dumps(sizes))
"""


def list_additions() -> dict[str, str]:
    """Return the extras and the groups in the order of pyproject.toml, and uv's option for each."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = dict.fromkeys(config["project"]["optional-dependencies"], "--extra")
    return extras | dict.fromkeys(config["dependency-groups"], "--group")


def resolve(*options: str) -> dict[str, str]:
    """Return the packages that an installation takes, each with the address of its file."""
    command = ["uv", "pip", "compile", str(ROOT / "pyproject.toml"), "--quiet"]
    command += ["--format", "pylock.toml", "--python", sys.executable, *options]
    lock = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    addresses = {}
    for package in tomllib.loads(lock)["packages"]:
        if "directory" not in package:  # earnest itself, which an extra may ask for
            file = package["wheels"][0] if package.get("wheels") else package["sdist"]
            addresses[package["name"]] = file["url"]
    return addresses


def measure(address: str) -> int:
    """Return the bytes of a file, here or elsewhere."""
    if address.startswith("file:"):
        return Path(url2pathname(address.removeprefix("file://"))).stat().st_size
    with urlopen(Request(address, method="HEAD")) as answer:
        return int(answer.headers["Content-Length"])


def measure_downloads() -> list[list[object]]:
    """Resolve earnest with each extra and group; return what they add: name, packages, MB."""
    plain = resolve()
    added = {"": plain}
    for name, option in list_additions().items():
        packages = resolve(option, name)
        added[name] = {package: at for package, at in packages.items() if package not in plain}
    addresses = sorted({at for packages in added.values() for at in packages.values()})
    with ThreadPoolExecutor(8) as pool:
        bytes_of = dict(zip(addresses, pool.map(measure, addresses), strict=True))
    return [
        [name, len(packages), f"{sum(bytes_of[at] for at in packages.values()) / 1e6:.1f}"]
        for name, packages in added.items()
    ]


def measure_disk() -> list[list[object]]:
    """Install earnest alone and return its packages, largest first: name, MB, MB of bytecode."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder, "Scripts" if sys.platform == "win32" else "bin", "python")
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", ROOT], check=True)
        command = [python, "-c", COUNT_FILES]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    sizes: dict[str, list[int]] = json.loads(answer)
    ordered = sorted(sizes.items(), key=lambda entry: entry[1], reverse=True)
    return [[name, *(f"{size / 1e6:.1f}" for size in both)] for name, both in ordered]


def write(path: Path, head: list[str], rows: Iterable[list[object]]) -> None:
    """Write a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
    print(path.read_text(encoding="utf-8"), flush=True)


if __name__ == "__main__":
    write(DISK, ["package", "megabytes", "bytecode"], measure_disk())
    write(DOWNLOADS, ["addition", "packages", "megabytes"], measure_downloads())
