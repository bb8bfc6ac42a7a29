"""earnest without what only Linux has, as far as that can be had on Linux.

The processes of these tests find tests/systems/sitecustomize.py, which takes away fork, fcntl,
/proc and the like before anything else is imported.
"""

from __future__ import annotations

import json
import ntpath
import os
import subprocess
import sys
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace

import numpy as np
import pytest

import earnest as en
from earnest.adapters.predictions.door import _restore_slashes
from earnest.adapters.scores.door import _name_file
from earnest.adapters.scores.runs import EvaluationRun
from earnest.adapters.trials.files import URL
from earnest.reporting import report
from tests.training.tune_tables import portfolio

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SECONDS = 240  # a bound for a busy machine, not a claim about speed


def run(*command: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(HERE), str(ROOT / "src")])
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": paths,
            "PYTHONUTF8": "0",
            "EARNEST_TEST_WITHOUT_LINUX": "1",
            **settings,
        },
        capture_output=True,
        text=True,
        encoding=settings.get("PYTHONIOENCODING", "utf-8"),
        timeout=SECONDS,
        check=False,
    )


def test_the_prelude_takes_away_what_it_says(tmp_path: Path) -> None:
    code = "import os, multiprocessing as m; print(hasattr(os, 'fork'), m.get_start_method())"
    assert run("-c", code, folder=tmp_path).stdout.split() == ["False", "spawn"]
    for read in ("open('/proc/meminfo')", "pathlib.Path('/proc/meminfo').read_text()"):
        done = run("-c", f"import pathlib; {read}", folder=tmp_path)
        assert "FileNotFoundError" in done.stderr


SCRIPT = """
def search():
    from sklearn.datasets import load_breast_cancer
    from sklearn.tree import DecisionTreeClassifier
    import earnest as en

    X, y = load_breast_cancer(return_X_y=True)
    for n_jobs, name in [(2, "run.db"), (2, "run.db"), (1, "new.db")]:
        search = en.SearchCV(
            DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}, cv=3, n_jobs=n_jobs,
            store=name,
        ).fit(X[:120], y[:120])
        print(search.predictions_.fingerprint, len(en.read_run(name).outcomes))

def ask(commands):
    from earnest.cli import main

    for command in commands:
        print("and")
        assert main(command) == 0

if __name__ == "__main__":  # its imports are not those of its workers, which import it again
    search()
    ask(COMMANDS)
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A folder, and what a search and commands write in one process that knows no Linux."""
    folder = tmp_path_factory.mktemp("elsewhere")
    rng = np.random.default_rng(8)
    y = np.tile([0, 1], 40)
    rows = [f"{y[i]},{i // 2 % 4},{y[i] + rng.standard_normal():.4f}" for i in range(80)]
    (folder / "preds.csv").write_bytes(
        ("y,fold,mod\u00e8le\r\n" + "\r\n".join(rows) + "\r\n").encode()
    )
    table = folder / "preds.csv"
    unix = folder / "unix.csv"
    unix.write_bytes(table.read_bytes().replace(b"\r\n", b"\n"))
    rng = np.random.default_rng(3)
    y = np.tile(["no", "yes"], 60)
    x = (y == "yes") + rng.standard_normal((3, 120))
    lines = "\n".join(f"{y[i]},{x[0, i]:.3f},{x[1, i]:.3f},{x[2, i]:.3f}" for i in range(120))
    (folder / "data.csv").write_text("relapse,a,b,c\n" + lines + "\n")
    estimates = [["estimate", str(one), "-m", "roc_auc", "--rng", "1"] for one in (table, unix)]
    tune = ["tune", "data.csv", "--target", "relapse", "--n-configs", "2", "--folds", "3",
            "--portfolio", portfolio(folder), "--out", "run", "--rng", "1", "--n-jobs", "1",
            "--ensemble", "none", "--quiet"]  # fmt: skip
    script = folder / "search.py"
    script.write_text(SCRIPT.replace("COMMANDS", repr([*estimates, tune])), encoding="utf-8")
    done = run(str(script), folder=folder, PYTHONIOENCODING="cp1252")
    assert (done.returncode, done.stderr) == (0, "")
    return folder, done.stdout.split("and\n")


def test_a_search_in_two_processes_is_stored_and_resumed(
    elsewhere: tuple[Path, list[str]],
) -> None:
    first, again, other = elsewhere[1][0].splitlines()
    assert first == again == other
    assert first.endswith(" 6")


def test_the_command_line_reads_other_line_ends_prints_in_cp1252_and_tunes(
    elsewhere: tuple[Path, list[str]],
) -> None:
    folder, (_, first, second, _) = elsewhere
    assert "mod\u00e8le" in first
    assert first.replace("preds", "unix") == second
    assert {"model.skops", "report.html", "estimate.json"} <= {
        path.name for path in (folder / "run").iterdir()
    }
    made = json.loads((folder / "run" / "estimate.json").read_text(encoding="utf-8"))
    assert 0.5 < en.results.Estimate.from_dict(made).value <= 1


def test_names_that_differ_in_case_alone_are_kept_apart(tmp_path: Path) -> None:
    y = np.tile([0, 1], 20)
    scores = np.random.default_rng(0).random((40, 2))
    pi = en.Predictions.from_arrays(y, scores, np.arange(40) // 2 % 4, configs=["SVM", "svm"])
    for suffix in ("parquet", "csv", "npz"):
        path = pi.save(tmp_path / f"pi.{suffix}")
        assert en.Predictions.load(path).configs.ids == ("SVM", "svm")


# ---- names of files


def test_no_two_files_have_names_that_differ_in_case_alone() -> None:
    for name in ("src", "tests", "docs", "benchmarks", "scripts"):
        paths = [path for path in (ROOT / name).rglob("*") if "__pycache__" not in path.parts]
        seen: dict[str, Path] = {}
        for path in paths:
            assert seen.setdefault(str(path).casefold(), path) == path


def test_every_name_of_a_file_is_one_that_windows_allows() -> None:
    reserved = {"con", "prn", "aux", "nul", *(f"{k}{i}" for k in ("com", "lpt") for i in range(10))}
    for name in ("src", "tests", "docs", "benchmarks", "scripts"):
        for path in (ROOT / name).rglob("*"):
            assert path.name.split(".")[0].casefold() not in reserved, path
            assert not set(path.name) & set('<>:"|?*\\'), path
            assert path.name[-1] not in ". ", path


# ---- paths with backslashes


def test_a_configuration_named_after_its_file_has_the_same_name_on_every_system() -> None:
    paths = (PureWindowsPath(r"old\polite.jsonl"), PureWindowsPath(r"new\polite.jsonl"))
    runs = [EvaluationRun(path=path, config="m", rows=[]) for path in paths]
    named = [_name_file(one, runs) for one in runs]
    assert named == ["old/polite.jsonl", "new/polite.jsonl"]


@pytest.mark.parametrize(
    "path", [r"C:\runs\study.db", "C:/runs/study.db", r"\\host\share\study.db"]
)
def test_a_path_with_a_drive_is_not_taken_for_a_url(path: str) -> None:
    assert not URL.match(path)
    assert _restore_slashes(path) == path


def test_links_of_a_report_have_slashes_and_none_lead_to_another_drive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os.path, "relpath", ntpath.relpath)
    monkeypatch.setattr(report, "Path", PureWindowsPath)
    content = SimpleNamespace(files=["model.skops"])

    def find(folder: str) -> dict[str, str]:
        at, beside = (SimpleNamespace(resolve=lambda p=p: p) for p in (folder, r"C:\work\page"))
        # only pure paths know another system, and those cannot be resolved
        return report._find_links(content, at, beside)  # type: ignore[arg-type]

    assert find(r"C:\work\run 1") == {"model.skops": "../run%201/model.skops"}
    assert find(r"D:\run") == {}


def test_names_with_backslashes_are_kept(tmp_path: Path) -> None:
    y, scores = np.tile([0, 1], 20), np.random.default_rng(0).random((40, 2))
    names = [r"models\svm", r"models\new"]
    pi = en.Predictions.from_arrays(y, scores, np.arange(40) // 2 % 4, configs=names)
    for suffix in ("parquet", "csv", "npz"):
        assert list(en.Predictions.load(pi.save(tmp_path / f"pi.{suffix}")).configs.ids) == names


# ---- line ends


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_scores_are_the_same_with_other_line_ends(tmp_path: Path, suffix: str) -> None:
    rows = [{"item": f"q{i}", "score": i % 2} for i in range(8)]
    lines = [json.dumps(row) for row in rows]
    if suffix == "csv":
        lines = ["item,score", *(f"{row['item']},{row['score']}" for row in rows)]
    found = []
    for end in ("\n", "\r\n"):
        path = tmp_path / f"polite.{suffix}"
        path.write_bytes("".join(line + end for line in lines).encode())
        found.append(en.scores_from(path).fingerprint)
    assert found[0] == found[1]


# ---- terminals


def test_every_help_and_list_can_be_printed_in_cp1252(tmp_path: Path) -> None:
    code = """
from earnest.cli import main
from earnest.cli.app import build_program
helps = [[name, "--help"] for name in build_program().commands]
for ask in [["--help"], *helps, ["methods"], ["tests"], ["metrics"]]:
    assert main(ask) == 0, ask
"""
    done = run("-c", code, folder=tmp_path, PYTHONIOENCODING="cp1252")
    assert (done.returncode, done.stderr) == (0, "")
    assert "earnest estimate" in done.stdout
