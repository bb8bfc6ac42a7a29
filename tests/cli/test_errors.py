"""Bad input: exit code 2, nothing on standard output, one line on standard error."""

from __future__ import annotations

import pytest

ESTIMATE = ("estimate", "{table}", "--metric", "roc_auc")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nope"], "error: No such command 'nope'. Try 'earnest --help'.\n"),
        (["estimat"], "Did you mean 'estimate'? Try 'earnest --help'.\n"),
        (["--nope"], "No such option: --nope"),
        (["estimate"], "error: Missing argument 'PREDICTIONS'. Try 'earnest estimate --help'.\n"),
        (["estimate", "{table}"], "error: Missing option '--metric' / '-m'"),
        (["metrics", "extra"], "unexpected extra argument"),
        ([*ESTIMATE, "--metrics"], "No such option: --metrics"),
        ([*ESTIMATE, "--rng", "x"], "Invalid value for '--rng'"),
        ([*ESTIMATE, "--confidence-level", "high"], "Invalid value for '--confidence-level'"),
    ],
)
def test_usage_is_refused_in_one_line(run, table, args, message):
    check_refused(run(*(arg.format(table=table) for arg in args)), message)


@pytest.mark.parametrize(
    ("args", "messages"),
    [
        (
            ["--metric", "roc_acu"],
            ["error: metric 'roc_acu' is unknown.", "Did you mean 'roc_auc'?"],
        ),
        (["--metric", "rmse"], ["error: metric 'rmse' is not defined for a binary task."]),
        (
            ["--method", "bcc"],
            ["error: method 'bcc' is unknown. Expected .632, ", "Did you mean 'bbc'?"],
        ),
        (["--method", "bbc", "--method", "bcc"], ["error: method 'bcc' is unknown."]),
        (["--method", "bbc", "--all"], ["error: --all and --method cannot be combined."]),
        (
            ["--confidence-level", "95"],
            ["error: --confidence-level is out of range.", "got 95.0.", "use 0.95."],
        ),
        (
            ["--confidence-level", "0"],
            ["error: --confidence-level is out of range. Expected a number between 0 and 1, got"],
        ),
        (["--side", "left"], ["error: --side is unknown. Expected 'two-sided', 'lower'", "'left'"]),
        (["--n-resamples", "0"], ["error: --n-resamples is out of range.", "got 0."]),
        (
            ["--rng", "-1"],
            ["error: --rng is out of range. Expected an integer of at least 0, got"],
        ),
        (["--selector", "best"], ["error: selector 'best' is unknown. Expected mean_of_folds, "]),
        (["--selector", "mean_of_folds"], ["Use --selector pooled, or --method bbc_fold."]),
        (["--undefined", "ignore"], ["error: --undefined is unknown.", "got 'ignore'."]),
        (["--n-jobs", "0"], ["error: --n-jobs is out of range."]),
        (
            ["--format", "tall"],
            ["error: --format is unknown. Expected 'wide', 'long', got 'tall'."],
        ),
        (["--format", "long"], ["error: ", "column"]),
        (["--target", "outcome"], ["error: column 'outcome' is missing: ", "--target"]),
        (["--fold", "part"], ["error: column 'part' is missing: the table has"]),
        (["--group", "patient"], ["error: column 'patient' is missing: the table has"]),
        (["--time", "days"], ["error: column 'days' is missing: the table has"]),
        (["--positive", "3"], ["error: --positive is not a class of `y`.", "got '3'."]),
        (["--task", "ranking"], ["error: --task is unknown. Expected 'binary', "]),
        (["--response", "odds"], ["error: --response is unknown. Expected 'probability', "]),
        (["--threshold", "nan"], ["error: --threshold "]),
        (["--configs", "svm C=9"], ["error: ", "'svm C=9'"]),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_values_are_refused_in_one_line(run, table, args, messages, form):
    done = run("estimate", table, "--metric", "roc_auc", *args, *form)
    check_refused(done, *messages)


def test_a_missing_file_names_its_neighbour(run, table):
    (table.parent / "notes.txt").write_text("preds")
    done = run("estimate", table.with_name("pred.csv"), "-m", "roc_auc")
    check_refused(done, "error: there is no file ", "Did you mean 'preds.csv'?")


def test_a_file_in_a_missing_folder_is_missing(run, tmp_path):
    done = run("estimate", tmp_path / "gone" / "preds.csv", "-m", "roc_auc")
    check_refused(done, "error: there is no file ", "preds.csv'.")


def test_a_folder_is_not_a_table(run, tmp_path):
    check_refused(run("estimate", tmp_path, "-m", "roc_auc"), " is a folder. Expected a file")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("header.csv", b"y,fold,a\n"),
        ("ragged.csv", b"y,fold,a\n0,1,.2\n1\n"),
        ("binary.csv", bytes(range(256)) * 4),
        ("latin.csv", "y,fold,é\n0,1,.2\n0,1,.3\n".encode("latin-1")),
        ("broken.parquet", b"PAR1 this is not Parquet"),
        ("broken.npz", b"PK this is not a zip"),
        ("broken.arrow", b"ARROW1 this is not Arrow"),
        ("table.xlsx", b"PK"),
        ("no_suffix", b"y,fold,a\n0,1,.2\n"),
    ],
)
def test_an_unreadable_file_is_one_line(run, tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    check_refused(run("estimate", path, "-m", "roc_auc"), "error: ")


def test_an_unreadable_path_is_one_line(run, table, monkeypatch):
    def denied(path, **options):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("earnest.core.tables.files.load", denied)
    done = run("estimate", table, "-m", "roc_auc")
    check_refused(done, " cannot be read: Permission denied.")


def test_markup_and_control_characters_in_messages_are_literal(run, table):
    done = run("estimate", table, "-m", "[bold]auc\x1b[31m[/bold]")
    check_refused(done, "[bold]auc\\x1b[31m[/bold]")


def test_an_error_of_a_process_is_the_same(spawn):
    check_refused(spawn("methods", "bcc", "--json"), "error: method 'bcc' is unknown.")


def check_refused(done, *messages: str) -> None:
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert done.err.startswith("error: ")
    for message in messages:
        assert message in done.err


def test_one_prompts_scores_without_a_metric_are_pointed_to_scores(run, tmp_path):
    path = tmp_path / "prompt.jsonl"
    lines = [f'{{"item_id": "q{at}", "correct": {at % 2}}}' for at in range(20)]
    path.write_text("\n".join(lines))
    check_refused(run("gate", path, "--above", "0.5"), "Missing option '--metric'", "say --scores")
