"""Measure what each extra downloads: `python -m benchmarks.install` writes results.csv beside it.

uv resolves earnest alone and earnest with one extra, for this Python and this system, and names the
file of each package; nothing is installed. A package counts as the size of its file, an extra as
what it adds to earnest alone.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.request import Request, url2pathname, urlopen

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_name("results.csv")


def list_extras() -> list[str]:
    """Return the extras in the order of pyproject.toml."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return list(config["project"]["optional-dependencies"])


def resolve(extra: str = "") -> dict[str, str]:
    """Return the packages that an installation takes, each with the address of its file."""
    command = ["uv", "pip", "compile", str(ROOT / "pyproject.toml"), "--quiet"]
    command += ["--format", "pylock.toml", "--python", sys.executable]
    command += ["--extra", extra] if extra else []
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for one in tomllib.loads(said)["packages"]:
        if "directory" not in one:  # earnest itself, which an extra may ask for
            file = one["wheels"][0] if one.get("wheels") else one["sdist"]
            found[one["name"]] = file["url"]
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
    added = {"": plain}
    for extra in list_extras():
        added[extra] = {name: at for name, at in resolve(extra).items() if name not in plain}
    addresses = sorted({at for packages in added.values() for at in packages.values()})
    with ThreadPoolExecutor(8) as pool:
        bytes_of = dict(zip(addresses, pool.map(measure, addresses), strict=True))
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["extra", "packages", "megabytes"])
        for extra, packages in added.items():
            size = sum(bytes_of[at] for at in packages.values()) / 1e6
            writer.writerow([extra, len(packages), f"{size:.1f}"])
            print(extra or "earnest alone", len(packages), f"{size:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
