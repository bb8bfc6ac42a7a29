"""A link under a name of earnest's choosing is refused, and nothing behind it changes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from pyarrow import csv
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest.cli.commands.demo import PREDICTED
from earnest.training import FILES, REPORT
from earnest.training.tune.folder import EXPLANATION, LEARNING, LEARNING_RUN, NAMES, RUN
from tests.cli.conftest import Run, write_table
from tests.training.tune_tables import of, portfolio

PRECIOUS = "precious"
BESIDE = ("-lock", "-wal", "-shm", "-journal")
TUNE = ("tune", "patients.csv", "--target", "relapse", "--portfolio", "quick.toml", "--n-configs",
        "2", "--folds", "3", "--rng", "7", "--n-jobs", "1", "--live")  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("finished")
    en.tune(
        of("relapse"), target="relapse", out=folder / "run", portfolio=portfolio(folder),
        n_configs=2, folds=3, rng=7, n_jobs=1,
    )  # fmt: skip
    return folder / "run"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of its own, with a file elsewhere that must not change."""
    (tmp_path / "here").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "victim").write_text(PRECIOUS)
    monkeypatch.chdir(tmp_path / "here")
    csv.write_csv(of("relapse"), "patients.csv")
    portfolio(tmp_path / "here")
    return tmp_path / "here"


def link_to_victim(path: Path) -> Path:
    """Put a link to the file elsewhere under a name, and return the file."""
    victim = Path("..").resolve() / "elsewhere" / "victim"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(victim)
    return victim


def refuse(done: object, path: Path, victim: Path) -> None:
    assert getattr(done, "code", 2) == 2
    assert victim.read_text() == PRECIOUS
    assert path.is_symlink()
    assert [each.name for each in victim.parent.iterdir()] == ["victim"]


def test_the_names_of_a_run_are_those_that_are_tried() -> None:
    assert set(NAMES) == {*FILES, LEARNING, LEARNING_RUN, EXPLANATION, REPORT}


@pytest.mark.parametrize("name", [*NAMES, *(RUN + suffix for suffix in BESIDE)])
def test_no_file_of_a_run_is_written_through_a_link(run: Run, here: Path, name: str) -> None:
    path = here / "out" / name
    victim = link_to_victim(path)
    done = run(*TUNE, "--out", "out")
    refuse(done, path, victim)
    assert "link" in done.err


@pytest.mark.parametrize("name", ["predictions.parquet", "model.skops", "estimate.json", REPORT])
def test_a_resumed_run_writes_through_no_link(
    run: Run, here: Path, finished: Path, name: str
) -> None:
    assert run(*TUNE, "--out", "out").code == 0
    path = here / "out" / name
    victim = link_to_victim(path)
    refuse(run(*TUNE, "--out", "out", "--resume"), path, victim)


@pytest.mark.parametrize("name", [REPORT, "report-roc_auc.html"])
def test_no_report_is_written_through_a_link_that_the_user_did_not_name(
    run: Run, here: Path, finished: Path, name: str
) -> None:
    write_table(here / "preds.csv", [f"svm C={c}" for c in range(4)])
    victim = link_to_victim(here / name)
    several = (
        ("-m", "accuracy", "-m", "roc_auc")
        if name != REPORT
        else (
            "-m",
            "roc_auc",
        )
    )
    refuse(run("report", "preds.csv", *several), here / name, victim)


def test_no_table_is_gathered_through_a_link_that_the_user_did_not_name(
    run: Run, here: Path, finished: Path
) -> None:
    victim = link_to_victim(here / "predictions.parquet")
    refuse(run("gather", finished, "--overwrite"), here / "predictions.parquet", victim)


@pytest.mark.parametrize("name", ["credit.csv", "new-applicants.csv", PREDICTED, LEARNING, RUN])
def test_the_demo_writes_through_no_link(run: Run, here: Path, name: str) -> None:
    path = here / "demo" / ("run" if name in NAMES else "") / name
    victim = link_to_victim(path)
    done = run("demo", "--n-configs", "2", "--n-jobs", "1")
    assert victim.read_text() == PRECIOUS
    if name == RUN:  # of an earlier demo, whose files are removed, and a link with them
        assert (done.code, path.is_symlink()) == (0, False)
    else:
        refuse(done, path, victim)


@pytest.mark.parametrize("name", ["demo", "demo/run"])
def test_the_demo_enters_no_linked_folder(run: Run, here: Path, name: str) -> None:
    elsewhere = here.parent / "elsewhere"
    for each in FILES:
        (elsewhere / each).write_text(PRECIOUS)
    (here / name).parent.mkdir(exist_ok=True)
    (here / name).symlink_to(elsewhere)
    assert run("demo", "--n-configs", "2", "--n-jobs", "1").code == 2
    assert all(path.read_text() == PRECIOUS for path in elsewhere.iterdir())
    assert len(list(elsewhere.iterdir())) == len(FILES) + 1


def test_the_usual_folder_of_a_run_is_no_link(run: Run, here: Path) -> None:
    (here / "run").symlink_to(here.parent / "elsewhere")
    assert run(*TUNE).code == 2
    assert [path.name for path in (here.parent / "elsewhere").iterdir()] == ["victim"]


@pytest.mark.parametrize("suffix", BESIDE)
def test_a_search_writes_through_no_link_beside_its_run_file(here: Path, suffix: str) -> None:
    path = here / f"search.db{suffix}"
    victim = link_to_victim(path)
    search = en.SearchCV(
        DecisionTreeClassifier(), {"max_depth": [1, 2]}, random_state=7, store=here / "search.db"
    )
    y = np.tile([0, 1], 30)
    with pytest.raises(en.errors.EarnestError, match="regular file"):
        search.fit(np.random.default_rng(0).standard_normal((60, 2)), y)
    refuse(None, path, victim)


def test_a_lock_that_is_another_name_of_a_file_is_refused(here: Path) -> None:
    victim = here.parent / "elsewhere" / "victim"
    os.link(victim, here / "search.db-lock")
    search = en.SearchCV(
        DecisionTreeClassifier(), {"max_depth": [1, 2]}, random_state=7, store=here / "search.db"
    )
    with pytest.raises(en.errors.FormatError, match="not a lock"):
        search.fit(np.random.default_rng(0).standard_normal((60, 2)), np.tile([0, 1], 30))
    assert victim.read_text() == PRECIOUS


@pytest.mark.parametrize("command", ["assess", "gate"])
def test_run_files_of_other_commands_have_no_linked_lock(
    run: Run, here: Path, command: str
) -> None:
    write_table(here / "preds.csv", ["svm"])
    path = here / "kept.db-lock"
    victim = link_to_victim(path)
    calls = {
        "assess": ("assess", "patients.csv", "-t", "relapse", "--model", "lda", "--n-replicates",
                   "20", "--out", "kept.db"),
        "gate": ("gate", "preds.csv", "-m", "roc_auc", "--above", "0.5", "--ledger", "kept.db"),
    }  # fmt: skip
    refuse(run(*calls[command]), path, victim)


def test_a_link_that_the_user_names_is_followed(run: Run, here: Path) -> None:
    write_table(here / "preds.csv", [f"svm C={c}" for c in range(4)])
    real = here.parent / "elsewhere" / "page.html"
    real.write_text("old")
    (here / "page.html").symlink_to(real)
    done = run("report", "preds.csv", "-m", "roc_auc", "--out", "page.html")
    assert done.code == 0
    assert (here / "page.html").is_symlink()
    assert real.read_text("utf-8").startswith("<!")
