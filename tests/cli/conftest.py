"""A small table of predictions, and three ways to run the command line."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from earnest.cli import main

CASES, FOLDS = 60, 5


@dataclass(frozen=True)
class Outcome:
    """What a run left: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


def write_table(path: Path, names: list[str], seed: int = 3) -> Path:
    """Write a wide CSV of probabilities for a balanced outcome, one column per name."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], CASES // 2)
    noise = 1.2 * rng.standard_normal((CASES, len(names)))
    scores = 1 / (1 + np.exp(-(y[:, None] - 0.5 + noise)))
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    lines = [",".join(["y", "fold", *quoted])]
    for case in range(CASES):
        cells = [str(y[case]), str(case // 2 % FOLDS), *(f"{v:.4f}" for v in scores[case])]
        lines.append(",".join(cells))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def with_options(usual: Sequence[object], others: Sequence[object]) -> list[object]:
    """Return arguments with other options, which take the place of the usual ones they name."""
    kept = list(usual)
    for name in others:
        if str(name).startswith("--") and name in kept:
            place = kept.index(name)
            del kept[place : place + 2]
    return [*kept, *others]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Eight configurations for sixty cases in five folds; seed 3."""
    return write_table(tmp_path / "preds.csv", [f"svm C={c}" for c in range(8)])


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, on a plain terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "NO_COLOR", "EARNEST_TRACEBACK", "GITHUB_ACTIONS", "PY_COLORS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # main() sets its own
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # and this

    def call(*args: object) -> Outcome:
        code = main([str(arg) for arg in args])
        said = capsys.readouterr()
        return Outcome(code, said.out, said.err)

    return call


@pytest.fixture
def run_in_ascii(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, with streams that take ASCII and nothing else."""

    def call(*args: object) -> Outcome:
        streams = {
            name: io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors=errors, newline="\n")
            for name, errors in (("stdout", "strict"), ("stderr", "backslashreplace"))
        }
        with monkeypatch.context() as patched:
            for name, stream in streams.items():
                patched.setattr(sys, name, stream)
            code = run(*args).code
        said = []
        for stream in streams.values():
            stream.seek(0)
            said.append(stream.read())
        return Outcome(code, *said)

    return call


@pytest.fixture
def spawn() -> Run:
    """Run the command line as a process of its own; keywords go to its environment."""

    def call(*args: object, **environment: str) -> Outcome:
        kept = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR")}
        done = subprocess.run(
            [sys.executable, "-m", "earnest", *(str(arg) for arg in args)],
            capture_output=True,
            env={**kept, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", **environment},
            timeout=120,
            check=False,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call
