"""`earnest gather`: what another tool kept becomes a table that every command reads."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from sklearn.linear_model import LogisticRegression

import earnest as en
from tests.adapters.replays import FILES
from tests.adapters.studies import open_database
from tests.cli.conftest import Run
from tests.snapshots import Golden

optuna.logging.set_verbosity(optuna.logging.ERROR)

MLJAR = FILES / "mljar" / "binary"
Y = np.tile([0, 1], 30)
NOISE = np.random.default_rng(4).standard_normal(60)  # seed 4


def optimise(folder: Path, storage: object, name: str = "tuning", trials: int = 4) -> None:
    """Run a study whose objective keeps its predictions in `folder`, the last trial pruned."""
    study = optuna.create_study(
        study_name=name, storage=storage, sampler=optuna.samplers.RandomSampler(seed=2)
    )

    def objective(trial: optuna.Trial) -> float:
        score = trial.suggest_float("skill", 0.0, 2.0) * Y + NOISE
        for fold in range(5):
            rows = np.flatnonzero(np.arange(60) // 2 % 5 == fold)
            en.keep_predictions(trial, rows, score[rows], store=folder)
            if trial.number == trials - 1:
                raise optuna.TrialPruned
        return float(((score > 0.5) == Y).mean())

    study.optimize(objective, n_trials=trials)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study, what it kept, and the table that it was given."""
    folder = tmp_path_factory.mktemp("study")
    with open_database(folder / "study.db") as storage:
        optimise(folder / "kept", storage)
    pairs = zip(NOISE, Y, strict=True)
    rows = [f"{x:.3f},{'ill' if y else 'well'},{i // 2}" for i, (x, y) in enumerate(pairs)]
    (folder / "train.csv").write_text("x,state,patient\n" + "\n".join(rows), encoding="utf-8")
    return folder


@pytest.fixture
def work(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it to work in."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


OUTCOME = ("--data", "train.csv", "--target", "state", "--positive", "ill")
STUDY = ("gather", "study.db", "--store", "kept", *OUTCOME)


@pytest.mark.parametrize("suffix", [".csv.gz", ".parquet"])  # all: tests/core/tables
def test_a_study_becomes_the_predictions_that_python_reads(
    suffix: str, run: Run, work: Path
) -> None:
    done = run(*STUDY, "--group", "patient", "-o", f"pi{suffix}")
    assert done.code == 0, done.err
    expected = en.predictions_from(
        "study.db",
        np.where(Y, "ill", "well"),
        store="kept",
        positive="ill",
        groups=np.arange(60) // 2,
    )
    found = en.Predictions.load(f"pi{suffix}")
    assert found.fingerprint == expected.fingerprint
    assert found.configs.static is True


def test_the_words_say_what_was_read_and_what_to_type_next(run: Run, work: Path) -> None:
    done = run(*STUDY, "--group", "patient")
    assert done.code == 0, done.err
    said = " ".join(done.out.split())
    for words in (
        "Gathered 4 configurations with the predictions of 60 cases.",
        "Optuna, study.db",
        "binary: well (30), ill (30); high scores stand for ill",
        "5 folds; 30 groups",
        "1 configuration, which estimates leave out",
        "static: configurations were fixed",
        "earnest estimate predictions.parquet --metric roc_auc",
    ):
        assert words in said
    assert max(map(len, done.out.splitlines())) <= 80
    following = said.partition("Next: earnest ")[2].partition(" or the metric")[0]
    assert run(*following.split(), "--n-resamples", "50").code == 0


def test_a_journal_and_a_url_are_the_same_study(run: Run, work: Path) -> None:
    optimise(work / "kept", JournalStorage(JournalFileBackend("journal.log")))
    for source, out in (("journal.log", "a.npz"), ("sqlite:///study.db", "b.npz")):
        assert run("gather", source, "--store", "kept", *OUTCOME, "-o", out).code == 0
    first, second = en.Predictions.load("a.npz"), en.Predictions.load("b.npz")
    assert first.fingerprint == second.fingerprint


def test_one_of_several_studies_is_named(run: Run, work: Path, golden: Golden) -> None:
    with open_database(Path("study.db")) as storage:
        optimise(work / "kept", storage, name="other", trials=2)
    done = run(*STUDY)
    assert done.code == 2
    assert "several studies" in done.err
    golden.check_sentence(done.err, "--study, one of")
    assert run(*STUDY, "--study", "other").code == 0
    assert en.Predictions.load("predictions.parquet").n_configs == 2


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow", ".npz"])
def test_cautions_and_the_kind_of_search_go_with_every_format(
    suffix: str, run: Run, tmp_path: Path
) -> None:
    out = tmp_path / f"pi{suffix}"
    done = run("gather", MLJAR, "-o", out, "--json")
    told = json.loads(done.out)
    found = en.Predictions.load(out)
    assert [one["kind"] for one in told["cautions"]] == ["stopped_on_tests", "ensembles_left_out"]
    assert [one.kind for one in found.remarks] == ["stopped_on_tests", "ensembles_left_out"]
    assert told["static"] is False
    assert found.configs.static is False
    asked = run("estimate", out, "-m", "roc_auc", "--rng", "1", "--n-resamples", "50", "--json")
    assert {"dynamic_search", "stopped_on_tests", "ensembles_left_out"} <= {
        one["kind"] for one in json.loads(asked.out)["cautions"]
    }


def test_the_json_tells_what_was_read(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "pi.csv"
    told = json.loads(run("gather", MLJAR, "-o", out, "--json").out)
    pi = en.predictions_from(MLJAR)
    assert told["schema"] == "earnest/gathered/1"
    assert told["tool"] == "mljar-supervised"
    assert (told["n_cases"], told["n_configs"], told["n_folds"]) == (120, pi.n_configs, 5)
    assert told["classes"][1] == {"label": "malignant", "cases": 71}
    assert told["fingerprint"] == pi.fingerprint
    assert told["next"] == f"earnest estimate {out} --metric roc_auc"


def test_options_of_the_search_are_heeded(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "pi.npz"
    plain = json.loads(run("gather", MLJAR, "-o", out, "--json").out)
    args = ("--ensembles", "--static", "--overwrite", "--json")
    more = json.loads(run("gather", MLJAR, "-o", out, *args).out)
    assert more["n_configs"] > plain["n_configs"]
    assert (plain["static"], more["static"]) == (False, True)


def test_regressions_and_many_classes_have_a_metric_to_go_on_with(run: Run, tmp_path: Path) -> None:
    for task, metric in (("regression", "r2"), ("multiclass", "roc_auc_ovr")):
        out = tmp_path / f"{task}.npz"
        told = json.loads(run("gather", FILES / "mljar" / task, "-o", out, "--json").out)
        assert told["next"].endswith(f"--metric {metric}")
        asked = run(*told["next"].split()[1:], "--n-resamples", "20", "--rng", "1")
        assert asked.code == 0, asked.err


# ---- runs of earnest


@pytest.fixture
def search(work: Path) -> en.SearchCV:
    X = Y[:, None] + np.random.default_rng(6).standard_normal((60, 2))  # seed 6
    grid = {"C": [0.01, 1.0, 100.0]}
    made = en.SearchCV(
        LogisticRegression(), grid, cv=3, scoring="roc_auc", store="run.db", random_state=0
    )
    return made.fit(X, np.where(Y, "ill", "well"))


def test_a_run_file_gives_the_predictions_of_its_search(
    search: en.SearchCV, run: Run, work: Path
) -> None:
    assert run("gather", "run.db", "--data", "train.csv", "--target", "state").code == 0
    found = en.Predictions.load("predictions.parquet")
    assert found.configs.params == ({"C": 0.01}, {"C": 1.0}, {"C": 100.0})
    # The positive class is the last in the order of labels, as the search took it.
    assert found.target.classes == search.predictions_.target.classes
    assert found.fingerprint == search.predictions_.fingerprint


def test_commands_answer_a_run_file_by_its_own_metric(
    search: en.SearchCV, run: Run, work: Path
) -> None:
    (work / "run.db").rename(work / "search")  # it is known by its content
    answer = json.loads(
        run("estimate", "search", "--n-resamples", "50", "--rng", "0", "--json").out
    )
    again = en.estimate(search, n_resamples=50)
    assert (answer["metric"], answer["value"]) == ("roc_auc", again.value)
    for command in (
        ("gain", "search", "--n-resamples", "50"),
        ("thresholds", "search", "--n-resamples", "50"),
        ("compare", "search", "c0", "c1"),
        ("plan", "search", "--width", "0.2"),
        ("gate", "search", "--above", "0.5"),
        ("report", "search", "-o", "page.html"),
        ("gather", "search", "-o", "predictions.csv"),
    ):
        assert run(*command).code == 0, command
    refused = run("estimate", "search", "--delimiter", ";")
    assert (refused.code, "this is a run" in refused.err) == (2, True)


def test_a_run_file_asks_for_its_own_cases(search: en.SearchCV, run: Run, work: Path) -> None:
    (work / "short.csv").write_text("state\nill\nwell\n", encoding="utf-8")
    short = run("gather", "run.db", "--data", "short.csv", "--target", "state")
    assert (short.code, "60 cases" in short.err) == (2, True)
    strange = run("gather", "run.db", "--data", "train.csv", "--target", "patient")
    assert (strange.code, "does not know" in strange.err) == (2, True)


def test_the_folder_of_a_run_is_read_by_all(run: Run, work: Path) -> None:
    assert run(*STUDY).code == 0
    folder = work / "run"
    folder.mkdir()
    (work / "predictions.parquet").rename(folder / "predictions.parquet")
    bare = run("gather", "run", "-o", "again.csv")
    assert (bare.code, "of a supported tool" in bare.err) == (2, True)
    (folder / "estimate.json").write_text("{}", encoding="utf-8")
    assert run("gather", "run", "-o", "again.csv").code == 0
    assert run("estimate", "run", "-m", "roc_auc", "--n-resamples", "20").code == 0


# ---- what is refused


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("study.db", "--store", "kept"), "Use --data TABLE --target COLUMN."),
        (("study.db", *OUTCOME), "--store is missing"),
        (("study.db", "--store", "nowhere", *OUTCOME), "--store is not a folder: 'nowhere'"),
        (("study.db", "--store", "kept", "--target", "state"), "no table is given"),
        (("study.db", "--store", "kept", "--data", "train.csv"), "needs the name of a column"),
        (
            ("study.db", "--store", "kept", "--data", "train.csv", "--target", "stat"),
            "Did you mean 'state'?",
        ),
        (
            ("study.db", "--store", "kept", "--data", "train.csv", "--target", "state"),
            "positive class is ambiguous",
        ),
        (
            ("study.db", "--store", "kept", "--data", "train.csv", "--time", "x"),
            "--time COLUMN --event COLUMN",
        ),
        (
            ("study.db", "--store", "kept", *OUTCOME, "--trust-pickle"),
            "--trust-pickle does not apply",
        ),
        (("study.db", "--store", "kept", *OUTCOME, "--study", "tunin"), "Did you mean 'tuning'?"),
        (("stud.db",), "Did you mean 'study.db'?"),
        (("sqlite:///stud.db",), "Did you mean 'study.db'?"),
        (("train.csv",), "is already a table"),
        (("kept",), "is not a folder of a supported tool"),
        (("study.db", "-o", "pi.xlsx"), ".parquet"),
        (("study.db", "-o", "nowhere/pi.csv"), "no folder 'nowhere'"),
        ((FILES / "autogluon",), "of a supported tool"),
    ],
)
def test_what_cannot_be_read_is_told_in_options(
    args: tuple[object, ...], words: str, run: Run, work: Path
) -> None:
    done = run("gather", *args)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "`" not in done.err
    assert not list(work.glob("p*.[pcx]*"))


def test_pickles_are_read_only_on_a_word(run: Run, work: Path, golden: Golden) -> None:
    folder = work / "ag"
    folder.mkdir()
    for name in ("predictor.pkl", "learner.pkl"):
        (folder / name).write_bytes(b"\x80\x04.")
    refused = run("gather", "ag")
    assert (refused.code, "--trust-pickle for a folder" in refused.err) == (2, True)
    (work / "study.pkl").write_bytes(b"\x80\x04.")
    golden.check_sentence(run("gather", "study.pkl").err, "pass the storage")


def test_a_table_in_another_encoding_is_read_with_a_note(run: Run, work: Path) -> None:
    table = (work / "train.csv").read_text(encoding="utf-8").replace("ill", "müde")
    (work / "train.csv").write_bytes(table.replace(",", ";").encode("cp1252"))
    done = run(*STUDY[:-1], "müde", "-o", "pi.csv", "--json")
    assert [one["kind"] for one in json.loads(done.out)["cautions"]] == [
        "trials_pruned",
        "read_as_windows_1252",
    ]
    found = en.Predictions.load("pi.csv")
    assert found.target.classes == ("well", "müde")
    assert [one.kind for one in found.remarks] == ["trials_pruned", "read_as_windows_1252"]


def test_nothing_is_overwritten_silently(run: Run, work: Path) -> None:
    (work / "predictions.parquet").write_bytes(b"mine")
    done = run(*STUDY)
    assert (done.code, "--overwrite" in done.err) == (2, True)
    assert (work / "predictions.parquet").read_bytes() == b"mine"
    assert run(*STUDY, "--overwrite").code == 0


def test_what_is_read_is_never_written_over(run: Run, work: Path, golden: Golden) -> None:
    before = (work / "train.csv").read_bytes()
    (work / "link.csv").symlink_to("train.csv")
    for name in ("train.csv", "link.csv"):
        done = run(*STUDY, "-o", name, "--overwrite")
        assert done.code == 2
        golden.check(done.err)
    assert (work / "train.csv").read_bytes() == before
    assert run(*STUDY).code == 0
    (work / "run").mkdir()
    (work / "predictions.parquet").rename(work / "run" / "predictions.parquet")
    (work / "run" / "estimate.json").write_text("{}", encoding="utf-8")
    done = run("gather", "run", "-o", "run/predictions.parquet", "--overwrite")
    assert done.code == 2
    golden.check(done.err)
    assert run("gather", "run", "-o", "run/copy.parquet").code == 0


def test_a_folder_and_a_device_are_no_place_for_a_table(run: Run, work: Path) -> None:
    (work / "pi.csv").mkdir()
    for args in ((), ("--overwrite",)):
        assert "'pi.csv' is a folder" in run(*STUDY, "-o", "pi.csv", *args).err
    os.mkfifo(work / "pipe.csv")
    (work / "link.csv").symlink_to("pipe.csv")
    done = run(*STUDY, "-o", "link.csv", "--overwrite")
    assert (done.code, "is not a file" in done.err) == (2, True)
    assert (work / "pipe.csv").is_fifo()


def test_a_link_by_the_name_of_a_table_is_followed(run: Run, work: Path) -> None:
    (work / "kept.data").write_bytes(b"")
    (work / "pi.csv").symlink_to("kept.data")
    assert run(*STUDY, "-o", "pi.csv", "--overwrite").code == 0
    assert (work / "pi.csv").is_symlink()
    assert en.Predictions.load("pi.csv").n_configs == 4


def test_a_study_that_has_not_begun_says_so(run: Run, work: Path, golden: Golden) -> None:
    with open_database(Path("new.db")) as storage:
        optuna.create_study(study_name="new", storage=storage)
    done = run("gather", "new.db", "--store", "kept", *OUTCOME, "--json")
    assert (done.code, done.out) == (2, "")
    golden.check_sentence(done.err, "the study 'new'")


def test_a_storage_that_another_process_writes_to_is_told(
    run: Run, work: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    connect = sqlite3.connect  # five seconds of patience are too long for a test
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **{**k, "timeout": 0}))
    with closing(connect("study.db")) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        done = run(*STUDY)
    assert done.code == 2
    golden.check(done.err)


def test_an_old_study_says_what_can_be_done_with_it(run: Run, work: Path) -> None:
    with open_database(Path("old.db")) as storage:
        study = optuna.create_study(study_name="old", storage=storage)
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    done = run("gather", "old.db")
    assert done.code == 2
    assert "enqueue_trial" in done.err
    assert "explain" in done.err


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("estimate", ("-m", "roc_auc")),
        ("compare", ("a", "b", "-m", "roc_auc")),
        ("report", ("-m", "roc_auc")),
    ],
)
@pytest.mark.parametrize("source", ["study.db", "sqlite:///study.db", str(MLJAR)])
def test_other_commands_send_such_a_source_here(
    source: str, command: str, rest: tuple[str, ...], run: Run, work: Path
) -> None:
    done = run(command, source, *rest)
    assert done.code == 2
    assert f"earnest gather {source}" in done.err


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow"])
def test_explain_of_gathered_predictions_is_sent_to_the_report(
    suffix: str, run: Run, work: Path
) -> None:
    assert run(*STUDY, "-o", f"pi{suffix}").code == 0
    done = run("explain", f"pi{suffix}")
    assert done.code == 2
    assert "holds predictions, not trials" in done.err
    assert "earnest report" in done.err


def test_a_run_that_has_finished_nothing_says_so(search: en.SearchCV, run: Run, work: Path) -> None:
    folder = work / "killed"
    folder.mkdir()
    (work / "run.db").rename(folder / "run.db")
    given = ("--data", "train.csv", "--target", "state")
    assert run("gather", "killed", *given).code == 0
    with sqlite3.connect(folder / "run.db") as base:
        base.execute("DELETE FROM outcome")
    base.close()
    done = run("gather", "killed", *given, "--overwrite")
    assert (done.code, "holds no predictions yet" in done.err) == (2, True)
    sent = run("estimate", "killed", "-m", "roc_auc")
    assert (sent.code, "holds no predictions yet" in sent.err) == (2, True)
