"""`earnest report`: one file, the sentence on the terminal, and refusals before any work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from earnest.core.cautions import of_search
from tests.cli.conftest import Run, write_table
from tests.reporting.scenes import source_of
from tests.snapshots import Golden

FEW = ("--n-resamples", "100")  # where words and files are looked at, and not numbers


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_table(tmp_path / "preds.csv", ["svm", "tree", "\x1b[31mred"])


def test_the_page_is_written_and_its_sentence_said(run: Run, table: Path) -> None:
    out = table.parent / "report.html"
    done = run("report", table, "-m", "roc_auc", "-o", out, "--rng", "3", *FEW)
    assert done.code == 0, done.err
    assert "ROC AUC" in done.out
    assert "confidence it lies between" in " ".join(done.out.split())
    assert "\x1b[31m" not in done.out
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("ending", ["md", "json"])
def test_other_forms_by_the_ending(run: Run, table: Path, ending: str) -> None:
    out = table.parent / f"report.{ending}"
    assert run("report", table, "-m", "roc_auc", "-o", out, *FEW).code == 0
    text = out.read_text(encoding="utf-8")
    assert json.loads(text)["schema"] if ending == "json" else text.startswith("# ")


def test_the_report_of_a_folder_lies_in_it(run: Run, tmp_path: Path) -> None:
    folder, _ = source_of("folder", tmp_path)
    done = run("report", folder, "--no-explain", "--side", "lower", "--confidence-level", "0.9")
    assert done.code == 0, done.err
    first = (folder / "report.html").read_bytes()
    assert "90 % confidence it is above" in " ".join(done.out.split())
    run("report", folder, "--no-explain", "--side", "lower", "--confidence-level", "0.9")
    assert (folder / "report.html").read_bytes() == first


@pytest.mark.parametrize("command", ["report", "estimate"])
def test_advice_on_a_run_of_tune_names_the_options_of_tune(
    command: str, run: Run, tmp_path: Path
) -> None:
    folder, _ = source_of("folder", tmp_path)
    path = folder / "estimate.json"
    estimate = json.loads(path.read_text(encoding="utf-8"))
    cut = of_search.time_ran_out(8, 9, "configurations", 9, None).to_dict()
    path.write_text(
        json.dumps({**estimate, "tuning": {"n_rows": 80}, "cautions": [cut]}), encoding="utf-8"
    )
    more = ("--out", tmp_path / "page.md", "--no-explain") if command == "report" else ()
    done = run(command, folder, *more)
    assert done.code == 0, done.err
    page = (tmp_path / "page.md").read_text(encoding="utf-8") if more else done.out
    assert "--budget" in page
    assert "--resume" in page
    assert "`budget" not in page.replace("\\", "")


def test_open_shows_the_file_in_a_browser(
    run: Run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    out = table.parent / "report.html"
    assert run("report", table, "-m", "roc_auc", "-o", out, "--open", *FEW).code == 0
    assert opened == [out.resolve().as_uri()]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("-o", "report.pdf"), "unsupported file extension"),
        (("-o", "none/report.html"), "no folder"),
        (("--rng", "-1"), "--rng"),
        (("-m", "roc_auc", "--confidence-level", "95"), "use 0.95"),
        (("-m", "roc_auc", "--method", "nonsense"), "is unknown"),
        ((), "predictions have no metric"),
    ],
)
def test_what_cannot_be_done_is_refused_with_code_2(
    run: Run, table: Path, args: tuple[str, ...], said: str
) -> None:
    done = run("report", table, *args)
    assert done.code == 2
    assert said in " ".join(done.err.split())
    assert not (table.parent / "report.html").exists()


def test_a_run_that_is_not_there_is_refused(run: Run, tmp_path: Path, golden: Golden) -> None:
    done = run("report", tmp_path / "nothing")
    assert done.code == 2
    golden.check_sentence(done.err, "there is no")


def test_columns_are_read_as_for_an_estimate(run: Run, tmp_path: Path) -> None:
    table = write_table(tmp_path / "preds.csv", ["svm", "tree"])
    lines = table.read_text(encoding="utf-8").replace("y,fold", "died,part", 1).replace(",", ";")
    table.write_text(lines, encoding="utf-8")
    out = tmp_path / "report.md"
    read = ("--target", "died", "--fold", "part", "--delimiter", ";")
    done = run("report", table, "-m", "roc_auc", "-o", out, *read, *FEW)
    assert done.code == 0, done.err
    assert "5 folds" in out.read_text(encoding="utf-8")
