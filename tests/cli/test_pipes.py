"""A pipe or a device instead of a file is refused at once: nobody waits for its writer."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

import earnest as en
from tests.cli.conftest import Run

COMMANDS = {
    "estimate": ("estimate", "pipe.csv", "-m", "roc_auc"),
    "estimate arrays": ("estimate", "pipe.npz", "-m", "roc_auc"),
    "compare": ("compare", "pipe.csv", "-m", "roc_auc"),
    "gain": ("gain", "pipe.csv", "-m", "roc_auc"),
    "report": ("report", "pipe.parquet", "-m", "roc_auc"),
    "report a run": ("report", "pipe.db"),
    "explain": ("explain", "pipe.csv"),
    "explain a run": ("explain", "pipe.db"),
    "tune": ("tune", "pipe.csv", "-t", "y"),
    "portfolio": ("tune", "table.csv", "-t", "y", "--portfolio", "pipe.toml"),
    "assess": ("assess", "pipe.csv", "-t", "y"),
    "compare-learners": ("compare-learners", "pipe.arrow", "-t", "y"),
    "model": ("predict", "pipe.skops", "table.csv"),
    "gather": ("gather", "pipe.db"),
    "data": ("gather", "study.db", "--data", "pipe.csv", "--target", "y"),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for ending in ("csv", "npz", "parquet", "arrow", "db", "toml", "skops", "json"):
        os.mkfifo(tmp_path / f"pipe.{ending}")
    rows = [f"{i % 2},{i},{i * i % 7}" for i in range(40)]
    (tmp_path / "table.csv").write_text("\n".join(["y,a,b", *rows]) + "\n")
    return tmp_path


def ended(call: object) -> bool:
    """Tell whether something ends; a minute is far more than a refusal takes."""
    thread = threading.Thread(target=call, daemon=True)  # type: ignore[arg-type]
    thread.start()
    thread.join(60.0)
    return not thread.is_alive()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_pipe_without_a_writer_is_refused(name: str, run: Run, here: Path) -> None:
    found = []
    assert ended(lambda: found.append(run(*COMMANDS[name])))
    assert found[0].code == 2
    assert "Traceback" not in found[0].err
    if name != "data":  # where the study is missed first
        assert "is a pipe, not a file" in " ".join(found[0].err.split())


def test_results_and_tables_of_python_are_refused_too(here: Path) -> None:
    for read in (
        lambda: en.results.Estimate.load("pipe.json"),
        lambda: en.Predictions.load("pipe.csv"),
        lambda: en.trials_from("pipe.csv"),
        lambda: en.load_model("pipe.skops"),
    ):
        with pytest.raises(en.errors.FormatError, match="is a pipe, not a file"):
            read()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of POSIX")
def test_a_device_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    done = run("estimate", tmp_path / "endless.csv", "-m", "roc_auc")
    assert (done.code, "is a device, not a file" in " ".join(done.err.split())) == (2, True)
