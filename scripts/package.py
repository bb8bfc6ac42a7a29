"""Build wheel and sdist, and try each as a user would: `python scripts/package.py [FOLDER]`.

Both go to FOLDER, or to dist/. Each is checked by twine, installed in an environment of its own,
and has to tune the demo's data and leave its report, away from this folder. The tests that the
sdist carries then run against the installed package; SOME of them, since all of them run elsewhere.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from requirements import read_group

ROOT = Path(__file__).resolve().parents[1]
SOME = ("tests/methods", "tests/metrics")


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command and stop where it fails."""
    print("$", *command, flush=True)
    subprocess.run([str(part) for part in command], cwd=cwd, check=True)


def try_package(archive: Path, folder: Path) -> Path:
    """Install an archive in an environment of its own and run the demo; return its Python."""
    run(sys.executable, "-m", "venv", folder / "venv")
    scripts = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    python = scripts / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", archive)
    run(scripts / "earnest", "--version", cwd=folder)
    run(scripts / "earnest", "demo", "--out", "demo", "--budget", "20s", cwd=folder)
    report = folder / "demo" / "run" / "report.html"
    if not report.is_file():
        raise SystemExit(f"{archive.name}: the demo left no report")
    return python


def main() -> None:
    """Build, check and try both archives."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist"
    out.mkdir(parents=True, exist_ok=True)
    for old in [*out.glob("earnest-*.whl"), *out.glob("earnest-*.tar.gz")]:
        old.unlink()
    run(sys.executable, "-m", "build", "--outdir", out)
    (wheel,), (sdist,) = out.glob("earnest-*.whl"), out.glob("earnest-*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, archive in {"wheel": wheel, "sdist": sdist}.items():
            (folder / name).mkdir()
            python = try_package(archive.resolve(), folder / name)
        with tarfile.open(sdist) as packed:
            packed.extractall(folder, filter="data")
        source = folder / sdist.name.removesuffix(".tar.gz")
        groups = folder / "groups.txt"
        groups.write_text("\n".join(read_group("test", source)), encoding="utf-8")
        pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(*pip, source, "--requirement", groups)
        run(python, "-m", "pytest", "-q", "-m", "not slow and not extra", *SOME, cwd=source)
    print(f"{wheel.name} and {sdist.name} install, tune and pass their tests")


if __name__ == "__main__":
    main()
