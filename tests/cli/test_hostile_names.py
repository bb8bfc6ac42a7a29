"""No control character of a name or a label reaches what people read, whichever command writes."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import earnest as en
from earnest.cli.app import COMMANDS
from earnest.cli.show.terminal import write
from tests.cli.conftest import Run
from tests.training.tune_tables import of, portfolio

# Escape sequences, bell, carriage return, backspace, delete, C1 controls, overrides and isolates of
# direction, line separators; then what would forge a line of a log, and a row of a table.
SIGNS = "\x1b[31m\x1b]0;title\x07\r\x08\x7f\x9b31m\x85\u202e\u2066\u200f\u2028"
FORGED = "::error::forged"
EVIL = f"a|b {SIGNS}\n{FORGED}\n| c | d |"
POSITIVE, NEGATIVE = f"yes{EVIL}", f"no{EVIL}"
UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
RUN_ASK = ("--rng", "1", "--n-resamples", "100")


def refuse_signs(text: str, where: str) -> None:
    """Hold a text for people to what it promises; in HTML a line end is a blank."""
    unseen = {c for c in text if unicodedata.category(c) in UNSEEN} - {"\n"}
    assert not unseen, (where, unseen)
    if where.endswith("html") or where == "_repr_html_":
        return
    forged = [line for line in text.splitlines() if line.lstrip(" >-#").startswith(FORGED)]
    assert not forged, (where, forged)


def refuse_broken_rows(text: str, where: str) -> None:
    """Hold the tables of a Markdown text to rows of equal length."""
    bare = re.sub(r"\\.", "", text)
    for block in re.split(r"\n(?!\|)", bare):
        rows = [line for line in block.split("\n") if line.startswith("|")]
        assert len({row.count("|") for row in rows}) <= 1, (where, rows)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Predictions, scores, trials, a training table and a run, all with hostile names."""
    folder = tmp_path_factory.mktemp("hostile")
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], 30)
    names = [f"{EVIL} {number}" for number in range(4)]
    labels = np.where(y == 1, POSITIVE, NEGATIVE)
    scores = 1 / (1 + np.exp(-(y[:, None] - 0.5 + 1.2 * rng.standard_normal((60, 4)))))
    fold = np.arange(60) // 2 % 5
    pi = en.Predictions.from_arrays(labels, scores, fold=fold, configs=names, positive=POSITIVE)
    pi.save(folder / "preds.parquet")
    items = en.Scores((scores > 0.5).astype(float), configs=names)
    items.save(folder / "scores.parquet")
    columns = {f"rate{EVIL}": 10 ** rng.uniform(-4, -1, 30), f"depth{EVIL}": rng.integers(1, 9, 30)}
    kinds = rng.choice(["a", f"b{EVIL}"], 30)
    auc = 0.8 + 0.01 * columns[f"depth{EVIL}"] + 0.002 * rng.standard_normal(30)
    pq.write_table(
        pa.table({**columns, f"kind{EVIL}": kinds, f"auc{EVIL}": auc}), folder / "trials.parquet"
    )
    table = of("relapse")
    table = table.set_column(
        table.column_names.index("relapse"),
        f"relapse{EVIL}",
        [[POSITIVE if value == "yes" else NEGATIVE for value in table["relapse"].to_pylist()]],
    )
    table = table.append_column(f"noise{EVIL}", pa.array(rng.standard_normal(len(table))))
    words = [f"{'ab'[i % 2]}{EVIL}" for i in range(len(table))]
    table = table.append_column(f"site{EVIL}", pa.array(words))
    pq.write_table(table, folder / "patients.parquet")
    tries = pa.table({"try": names, f"auc{EVIL}": [0.71, 0.7, 0.72, 0.74]})
    pq.write_table(tries, folder / "tries.parquet")
    pq.write_table(table.drop_columns([f"relapse{EVIL}"]).slice(0, 4), folder / "new.parquet")
    en.tune(
        table, target=f"relapse{EVIL}", positive=POSITIVE, out=folder / "run",
        portfolio=portfolio(folder), n_configs=2, folds=3, rng=7, n_jobs=1,
    )  # fmt: skip
    return folder


TUNE = ("tune", "patients.parquet", "--target", f"relapse{EVIL}", "--portfolio", "quick.toml",
        "--n-configs", "2", "--folds", "3", "--rng", "7", "--n-jobs", "1")  # fmt: skip
LEARNER = ("patients.parquet", "--target", f"relapse{EVIL}", "--rng", "7")
TRIALS = ("trials.parquet", "--objective", f"auc{EVIL}", "--direction", "maximize", "--rng", "1",
          "--n-points", "60")  # fmt: skip
PREDS = ("preds.parquet", "-m", "roc_auc", "--positive", POSITIVE, "--rng", "1")
TRY = ("preds.parquet", "--positive", POSITIVE, "--configs", f"{EVIL} 1")
CALLS: dict[str, tuple[tuple[str, ...], ...]] = {
    "tune": ((*TUNE, "--out", "{new}"), (*TUNE, "--live", "--out", "{new}"),
             ("tune", "patients.parquet", "--target", f"none{EVIL}")),
    "predict": (("predict", "run", "new.parquet", "--id", f"site{EVIL}", "--json"),
                ("predict", "run", "new.parquet", "--id", f"none{EVIL}"),
                ("predict", "run", "new.parquet", "--out", f"{{new}}{EVIL}.csv")),
    "explain-model": (("explain-model", "run", "patients.parquet", "--json"),
                      ("explain-model", "run", "patients.parquet", "--table", "markdown"),
                      ("explain-model", "run", "patients.parquet", "--effects", f"site{EVIL}"),
                      ("explain-model", "run", "new.parquet"),
                      ("explain-model", f"nothing{EVIL}", "patients.parquet")),
    "demo": (("demo", "--budget", EVIL),),
    "gather": (("gather", "run", "--out", "{new}.parquet"),
               ("gather", f"nothing{EVIL}", "--out", "{new}.csv")),
    "estimate": (("estimate", *PREDS), ("estimate", *PREDS, "--table", "markdown"),
                 ("estimate", *PREDS, "--table", "latex"), ("estimate", *PREDS, "--json"),
                 ("estimate", *PREDS, "--method", EVIL), ("estimate", *PREDS, "--all"),
                 ("estimate", "scores.parquet", "--scores", "--rng", "1")),
    "gain": (("gain", *PREDS), ("gain", *PREDS, "--table", "markdown")),
    "thresholds": (("thresholds", *PREDS), ("thresholds", *PREDS, "--table", "latex")),
    "assess": (("assess", *LEARNER, "--model", "lda", "--n-replicates", "20"),),
    "compare": (("compare", *PREDS), ("compare", *PREDS, "--table", "markdown"),
                ("compare", *PREDS, "--table", "latex"),
                ("compare", *PREDS, "--model", f"{EVIL} 1", "--versus", f"{EVIL} 2")),
    "compare-learners": (("compare-learners", *LEARNER, "--model", "logistic", "--versus", "lda"),),
    "gate": (("gate", *PREDS, "--above", "0.5", "--junit", "{new}.xml", "--markdown", "{new}.md"),
             ("gate", *PREDS, "--above", "0.99", "--junit", "{new}.xml", "--markdown", "{new}.md"),
             ("gate", "scores.parquet", "--scores", "--above", "0.9", "--markdown", "{new}.md")),
    "ledger": (("ledger", "new", "work.db", *PREDS), ("ledger", "show", "work.db"),
               ("ledger", "score", "work.db", *TRY), ("ledger", "finish", "work.db"),
               ("ledger", "score", "work.db", *TRY, "--name", EVIL),
               ("ledger", "show", "work.db", "--agent", EVIL)),
    "plan": (("plan", EVIL),),
    "calibrate": (("calibrate", *PREDS, "--n-simulations", "2", "--n-resamples", "20"),
                  ("calibrate", *PREDS, "--methods", EVIL)),
    "explain": (("explain", *TRIALS), ("explain", *TRIALS, "--out", "{new}.html")),
    "report": (("report", "run", "--out", "{new}.html"), ("report", "run", "--out", "{new}.md"),
               ("report", *PREDS, "--out", "{new}.md"), ("report", *PREDS, "--out", "{new}.html")),
    "floor": (("floor", "tries.parquet", "-m", f"auc{EVIL}", "--n", "200"),
              ("floor", "tries.parquet", "-m", "roc_auc", "--n", "200", "--positives", "80"),
              ("floor", "0.7", EVIL, "--n", "200")),
    "validate": (("validate", "run", "patients.parquet", "--table", "markdown"),
                 ("validate", "run", "patients.parquet", "--group", f"site{EVIL}"),
                 ("validate", "run", "patients.parquet", "--target", f"none{EVIL}")),
    "methods": (("methods", EVIL),),
    "tests": (("tests", EVIL),),
    "metrics": (("metrics", EVIL),),
}  # fmt: skip


def test_every_command_is_tried_with_hostile_names() -> None:
    assert set(CALLS) == {name for name, *_ in COMMANDS}


@pytest.mark.parametrize("command", CALLS)
def test_no_sign_of_a_name_reaches_a_terminal_or_a_text(
    run: Run, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(made)
    for number, call in enumerate(CALLS[command]):
        new = tmp_path / str(number)
        done = run(*(arg.replace("{new}", str(new)) for arg in call))
        assert done.code in (0, 2, 3, 4), (call, done.err)
        for text in (done.out, done.err):
            refuse_signs(text, f"{command} {number}")
            if "markdown" in call:
                refuse_broken_rows(text, f"{command} {number}")
    for path in sorted(tmp_path.rglob("*")):
        if path.suffix in (".md", ".html", ".xml"):
            text = path.read_text("utf-8")
            refuse_signs(text, path.name)
            if path.suffix == ".md":
                refuse_broken_rows(text, path.name)


def test_a_terminal_gets_predictions_cleaned_and_a_pipe_gets_them_as_they_are(
    run: Run, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    assert POSITIVE in run("predict", "run", "new.parquet").out
    command = [sys.executable, "-m", "earnest", "predict", "run", "new.parquet"]
    parent, child = pty.openpty()
    with subprocess.Popen(command, cwd=made, stdout=child, stderr=subprocess.PIPE) as process:
        os.close(child)
        shown = b""
        while True:
            try:
                block = os.read(parent, 65536)
            except OSError:  # Linux says so of a terminal that nobody holds any more
                break
            if not block:
                break
            shown += block
    os.close(parent)
    assert process.returncode == 0
    text = shown.decode().replace("\r\n", "\n")
    assert "prediction" in text
    unseen = {c for c in text if unicodedata.category(c) in UNSEEN} - {"\n"}
    assert not unseen


def test_data_files_keep_names_and_labels_as_they_are(
    run: Run, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    assert run("predict", "run", "new.parquet", "--out", tmp_path / "p.parquet").code == 0
    predicted = pq.read_table(tmp_path / "p.parquet")
    assert set(predicted["prediction"].to_pylist()) <= {POSITIVE, NEGATIVE}
    said = json.loads(run("estimate", *PREDS, "--json").out)
    assert said["winner"] in [f"{EVIL} {number}" for number in range(4)]


PRINTED: tuple[Callable[[en.Predictions], object], ...] = (
    lambda pi: en.estimate(pi, metric="roc_auc", rng=1, n_resamples=100),
    lambda pi: en.estimate_all(pi, metric="roc_auc", rng=1, n_resamples=100),
    lambda pi: en.compare(pi, pi.configs.ids[0], pi.configs.ids[1], metric="roc_auc", rng=1),
    lambda pi: en.compare_many(pi, metric="roc_auc", rng=1),
    lambda pi: en.gain(pi, metric="roc_auc", rng=1, n_resamples=100),
    lambda pi: en.thresholds(pi, metric="roc_auc", rng=1, n_resamples=100),
    lambda pi: en.gate(pi, metric="roc_auc", above=0.5),
)


@pytest.mark.parametrize("ask", PRINTED)
def test_what_python_shows_of_a_result_is_clean(
    made: Path, ask: Callable[[en.Predictions], object]
) -> None:
    pi = en.Predictions.load(made / "preds.parquet", positive=POSITIVE)
    result = ask(pi)
    for name in ("to_markdown", "to_latex", "to_comment", "to_junit", "_repr_html_", "__repr__",
                 "__str__"):  # fmt: skip
        if hasattr(result, name):
            refuse_signs(getattr(result, name)(), name)
    for name in ("to_markdown", "to_comment"):
        if hasattr(result, name):
            refuse_broken_rows(getattr(result, name)(), name)
    console = Console(width=80)
    with console.capture() as shown:
        console.print(result)
    refuse_signs(shown.get(), "rich")


def test_what_is_written_to_a_terminal_is_clean_whoever_forgot_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from rich.text import Text

    from earnest.cli.show.terminal import emit

    write(f"{EVIL}\n")
    emit(Text(EVIL))
    emit(EVIL)
    out = capsys.readouterr().out
    unseen = {c for c in out if unicodedata.category(c) in UNSEEN} - {"\n"}
    assert not unseen


def test_an_error_message_is_clean_in_python_too() -> None:
    message = str(en.errors.InputError(f"`x` is {SIGNS}", needs=SIGNS, got=SIGNS, cure=SIGNS))
    refuse_signs(message, "error")


def test_cells_that_a_spreadsheet_would_run_are_noted_and_written_as_they_are(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    link = '=HYPERLINK("http://127.0.0.1","x")'
    table = of("relapse")
    table = table.append_column("name", pa.array([link, "@a", "-2.5", *["b"] * (len(table) - 3)]))
    en.tune(
        table, target="relapse", ignore=["name"], out=tmp_path / "run",
        portfolio=portfolio(tmp_path), n_configs=2, folds=3, rng=7, n_jobs=1,
    )  # fmt: skip
    pq.write_table(table.drop_columns(["relapse"]).slice(0, 4), "new.parquet")
    call = ("predict", "run", "new.parquet", "--id", "name")
    noted = run(*call, "--out", "out.csv")
    assert "2 in column 'name'" in noted.err
    assert link.replace('"', '""') in Path("out.csv").read_text("utf-8")
    assert "2 in column 'name'" in run(*call).err
    assert "formula" not in run(*call, "--out", "out.parquet").err
    gathered = run("gather", "run", "--out", "gathered.csv")
    assert (gathered.code, "formula" in gathered.err) == (0, False)
    Path("logs").mkdir()
    for name in ("a", "b"):
        rows = [f"{'=' if case == 1 else 'q'}{case},{case % 2}" for case in range(8)]
        Path(f"logs/{name}.csv").write_text("\n".join(["item,score", *rows]), "utf-8")
    scores = run("gather", "logs", "--out", "scores.csv")
    assert (scores.code, "1 in column 'item'" in scores.err) == (0, True), scores.err
