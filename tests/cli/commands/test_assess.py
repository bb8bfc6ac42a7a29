"""`earnest assess` from a table to what is written."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.cli.commands.assess import make_progress_line
from earnest.core import TaskOutcome, print_numbers
from earnest.engine.progress import watch_progress
from earnest.training import LEARNERS, make_learner, read_training_table
from earnest.training.learners.portfolio import load_portfolio
from tests.cli.conftest import with_options
from tests.snapshots import Golden

ASK = ("--target", "relapse", "--model", "lda", "--ignore", "clinic")


@pytest.fixture(scope="module")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eighty patients of twenty clinics, with a category and gaps; seed 0."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("tables") / "patients.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["age", "job", "dose", "relapse", "clinic"])
        for i in range(80):
            ill = i % 2
            age, dose = 50 + 8 * ill + 10 * rng.normal(), ill + rng.normal()
            job = "abc"[int(rng.integers(3))]
            shown = "" if i % 9 == 0 else f"{dose:.2f}"
            rows.writerow([f"{age:.1f}", job, shown, "yes" if ill else "no", i // 4])
    return path


def test_json_is_the_estimate_of_the_library(run: Any, patients: Path) -> None:
    done = run("assess", patients, *ASK, "--method", "corrected_t", "--rng", "7", "--json", "-q")
    table = read_training_table(patients, target="relapse", ignore=("clinic",))
    names = np.array(table.classes)[table.y]
    made = en.assess(
        make_learner("lda", "binary", table.inputs),
        table.X,
        names,
        method="corrected_t",
        metric="roc_auc",
        rng=7,
    )
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == json.loads(json.dumps(made.to_dict()))


def test_sensitivity_is_that_of_the_cases_and_the_text_says_so(
    run: Any, patients: Path, tmp_path: Path, golden: Golden
) -> None:
    path = tmp_path / "cases.csv"
    text = patients.read_text().replace(",yes,", ",case,").replace(",no,", ",control,")
    path.write_text(text)
    asked = (*ASK, "--metric", "sensitivity", "--method", "cv", "--rng", "7")
    done = run("assess", path, *asked)
    golden.check_line(done.out, "positive class")
    same = json.loads(run("assess", patients, *asked, "--positive", "yes", "--json").out)
    assert json.loads(run("assess", path, *asked, "--json").out)["value"] == same["value"]
    auc = run("assess", path, *ASK, "--metric", "AUC", "--method", "cv", "--rng", "7")
    assert "positive class" not in auc.out


def test_the_text_says_what_to_expect_and_of_what(run: Any, patients: Path, golden: Golden) -> None:
    done = run("assess", patients, *ASK, "--method", "corrected_t", "--rng", "7")
    text = " ".join(done.out.split())
    assert done.code == 0
    assert text.startswith("Expect a ROC AUC of 0.")
    assert "corrected_t: Corrected resampled t interval" in text
    golden.check_line(done.out, "mean performance")
    assert "patients.csv: 80 cases, 3 columns" in text
    assert "Trained 10 folds, seed 7" in text


def test_bootstrap_samples_are_the_default(run: Any, patients: Path, golden: Golden) -> None:
    done = run("assess", patients, *ASK, "--rng", "0", "--n-replicates", "30")
    text = " ".join(done.out.split())
    assert "30 bootstrap samples, seed 0" in text
    golden.check_sentence(done.out, "On the cases")


def test_a_flattering_method_is_not_reported_as_an_expectation(run: Any, patients: Path) -> None:
    done = run(
        "assess", patients, *ASK, "--method", "apparent", "--n-replicates", "5", "--rng", "0"
    )
    assert "Expect" not in done.out
    assert "too optimistic" in done.out


@pytest.mark.parametrize(("flattering", "sober"), [(".632", "loob"), ("refined", "cv")])
def test_a_method_that_flatters_is_the_sentence_only_where_nothing_better_is(
    run: Any, patients: Path, flattering: str, sober: str
) -> None:
    given = ("-m", "accuracy", "--n-replicates", "20", "--rng", "0", "--quiet")
    alone = run("assess", patients, *ASK, "--method", sober, *given)
    both = run("assess", patients, *ASK, "--method", flattering, "--method", sober, *given)
    assert both.out.split("\n")[1] == alone.out.split("\n")[1]


def test_several_methods_stand_side_by_side(run: Any, patients: Path) -> None:
    given = ("--method", "cv", "--method", "corrected_t", "--method", "loob")
    done = run("assess", patients, *ASK, *given, "--n-replicates", "10", "--rng", "0")
    assert done.code == 0
    assert "cannot answer" in done.out  # the AUC has no value for a single case
    data = json.loads(
        run("assess", patients, *ASK, *given, "--n-replicates", "10", "--rng", "0", "--json").out
    )
    assert [part["method"] for part in data["estimates"]] == ["cv", "corrected_t"]
    assert list(data["refused"]) == ["loob"]


def test_all_asks_folds_and_samples(run: Any, patients: Path) -> None:
    done = run("assess", patients, *ASK, "--all", "--n-replicates", "20", "--rng", "0", "--json")
    answered = {part["method"] for part in json.loads(done.out)["estimates"]}
    assert {"cv", "corrected_t", "bayle_all_pairs", ".632+", "lpob"} <= answered


def test_the_same_seed_gives_the_same_text(run: Any, patients: Path) -> None:
    first = run("assess", patients, *ASK, "--method", "cv", "--rng", "3")
    assert first.out == run("assess", patients, *ASK, "--method", "cv", "--rng", "3").out


def test_groups_keep_clinics_together(run: Any, patients: Path) -> None:
    given = ("--target", "relapse", "--model", "lda", "--group", "clinic", "--method", "cv")
    done = run("assess", patients, *given, "--cv", "5", "--rng", "0", "--json")
    assert done.code == 0
    codes = {caution["code"] for caution in json.loads(done.out)["cautions"]}
    assert "EN003" not in codes


def test_a_test_table_is_scored_once_and_counted(
    run: Any, patients: Path, tmp_path: Path, golden: Golden
) -> None:
    lines = patients.read_text().splitlines()
    design, kept = tmp_path / "design.csv", tmp_path / "kept.csv"
    design.write_text("\n".join(lines[:51]) + "\n")
    kept.write_text("\n".join([lines[0], *lines[51:]]) + "\n")
    given = ("--method", "holdout", "--test", kept, "--store", tmp_path / "kept.db", "--rng", "0")
    first = run("assess", design, *ASK, *given)
    assert first.code == 0
    assert "EN090" not in first.out
    assert f"kept.csv: {len(lines) - 51} cases" in first.out
    other = ("--target", "relapse", "--model", "knn", "--ignore", "clinic")
    second = run("assess", design, *other, *given)
    assert "EN090" in second.out
    golden.check_sentence(second.out, "use 2 of the")


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_has_its_name_in_the_help(run: Any, name: str) -> None:
    assert name in " ".join(run("assess", "--help").out.split())


ERRORS = [
    (
        ("--model", "xgb"),
        "error: learner 'xgb' is unknown. Expected dummy, extra_trees, gradient_boosting, knn, "
        "lda, linear, logistic, naive_bayes, qda, rf, ridge, svm, tree. Did you mean 'gbm'?",
    ),
    (
        ("--model", "linear"),
        "error: learner 'linear' cannot learn a binary task. Expected regression, got binary. "
        "Use one of dummy, extra_trees, gradient_boosting, knn, lda, logistic, naive_bayes, qda, "
        "rf, ridge, svm, tree.",
    ),
    (
        ("--cv", "50", "--method", "cv"),
        "error: class 'no' has fewer cases than there are folds. Expected at least 50 cases of "
        "every class, or fewer folds, got 40 cases. Pass --cv 40.",
    ),
    (
        ("--n-replicates", "0"),
        "error: --n-replicates is out of range. Expected an integer of at least 1, got 0.",
    ),
    (
        ("--method", "lpob", "--metric", "accuracy"),
        "error: metric 'accuracy' is not a mean over pairs of cases. Expected 'roc_auc' of two "
        "classes, or 'concordance', got accuracy. Use --method loob for means over cases and "
        "functions of sums, otherwise 'err_star'.",
    ),
    (
        ("--all", "--method", "cv"),
        "error: --all and --method cannot be combined. Leave one of them out.",
    ),
    (
        ("--method", "cv", "--test", "nowhere.csv"),
        "error: there is no file 'nowhere.csv'. Expected a table: .csv, .csv.gz, .tsv, .txt, "
        ".parquet, .arrow, .feather, .jsonl, .jsonl.gz, .ndjson, .xlsx, .xlsm.",
    ),
    (
        ("--confidence-level", "95", "--method", "cv"),
        "error: --confidence-level is out of range. Expected a number between 0 and 1, got "
        "95.0. For 95 "
        "percent use 0.95.",
    ),
    (
        ("--method", "loocv", "--metric", "accuracy", "--group", "job"),
        "error: method 'loocv' cannot keep groups together: it would train on other cases of the "
        "group that it tests. Expected a method that keeps groups together, got --group. Use "
        "--method cv, 'corrected_t' or 'bayle_all_pairs'.",
    ),
]


@pytest.mark.parametrize(("given", "said"), ERRORS, ids=lambda v: str(v)[:30])
def test_what_is_wrong_is_said_in_one_line(
    run: Any, patients: Path, given: tuple[str, ...], said: str
) -> None:
    done = run("assess", patients, *with_options(ASK, given))
    assert done.code == 2
    assert " ".join(done.err.split()) == said
    assert done.out == ""


def test_the_target_must_be_named(run: Any, patients: Path) -> None:
    done = run("assess", patients, "--model", "lda")
    assert done.code == 2
    assert "--target" in done.err


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_how_training_goes_on(
    patients: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    line = make_progress_line()
    assert line is not None
    for total, title in ((2, "Splits"), (4, "Bootstrap samples")):
        with watch_progress(line, total, title) as meter:
            for fit in range(total):
                meter.advance(TaskOutcome((fit,)))
    shown = [part.strip() for part in screen.getvalue().split("\x1b[2K")]
    assert any(part.startswith("Splits") and "100 %  2 of 2 fits" in part for part in shown)
    assert shown[-1].startswith("Bootstrap samples")
    assert "100 %  4 of 4 fits" in shown[-1]
    monkeypatch.setattr("sys.stderr", None)
    assert make_progress_line() is None


def test_off_a_terminal_a_line_tells_of_every_tenth(run: Any, patients: Path) -> None:
    ask = ("--method", "corrected_t", "--n-repeats", "2", "--rng", "7")
    done = run("assess", patients, *ASK, *ask)
    shares = [int(line.split("%")[0].split()[-1]) for line in done.err.splitlines()]
    assert shares == list(range(10, 101, 10))
    assert done.err.splitlines()[-1].split("  ")[-1].startswith("in ")
    quiet = run("assess", patients, *ASK, *ask, "--quiet")
    assert (quiet.err, quiet.out) == ("", done.out)


def test_the_longest_name_of_a_method_has_room(run: Any, patients: Path) -> None:
    names = ("bayle_within_fold", "cv")
    said = run("assess", patients, *ASK, *(f"--method={name}" for name in names), "--cv", "3")
    assert re.search(r"bayle_within_fold\s+0\.", said.out)


def test_who_ends_a_run_that_is_kept_is_told_how_to_go_on(
    run: Any, patients: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    def ended(*given: Any, **more: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("earnest.training.assess.assess.assess", ended)
    kept = run("assess", patients, *ASK, "--store", tmp_path / "run.db")
    assert kept.code == 130
    golden.check(" ".join(kept.err.split()))
    assert "to continue" not in run("assess", patients, *ASK).err


@pytest.mark.parametrize("more", [(), ("--method", "cv")])
def test_a_method_for_searches_is_refused_as_such_and_names_no_option_that_nobody_gave(
    run: Any, patients: Path, more: tuple[str, ...], golden: Golden
) -> None:
    done = run("assess", patients, *ASK, "--method", "nested", *more)
    assert (done.code, done.out) == (2, "")
    golden.check_sentence(done.err, "--method nested is")
    named = {"--method", "--portfolio", "--n-configs"}
    assert set(re.findall(r"--[a-z-]+", done.err)) == named


def test_nested_cv_of_a_portfolio_is_that_of_python(run: Any, patients: Path) -> None:
    ask = ("--target", "relapse", "--ignore", "clinic", "--method", "nested", "--cv", "3")
    ask = (*ask, "--portfolio", "default", "--n-configs", "2", "--rng", "7")
    done = run("assess", patients, *ask, "--json", "-q")
    assert done.code == 0, done.err
    table = read_training_table(patients, target="relapse", ignore=("clinic",))
    configurations = load_portfolio("default").configurations(
        table.task, table.inputs, n=2, rng=7, probabilities=True
    )
    search = en.SearchCV(None, list(configurations), scoring="roc_auc", cv=3)
    estimate = en.assess(search, table.X, table.y, method="nested", metric="roc_auc", rng=7)
    assert json.loads(done.out) == json.loads(json.dumps(estimate.to_dict()))
    text = run("assess", patients, *ask)  # with its progress, which a copy of the search shows too
    assert text.code == 0, text.err
    assert "nested" in text.out
    assert "100 %" in text.err
    shown = print_numbers(estimate)
    assert f"the search reported {shown.naive}" in " ".join(text.out.split())


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--portfolio", "default"), "--method nested"),
        (("--portfolio", "default", "--method", "cv"), "--method nested"),
        (("--portfolio", "default", "--method", "nested", "--model", "lda"), "--model"),
        (("--stability", "--method", "cv"), "--method"),
        (("--stability", "--all"), "--all"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    run: Any, patients: Path, options: tuple[str, ...], named: str
) -> None:
    done = run("assess", patients, "--target", "relapse", *options)
    assert (done.code, done.out) == (2, "")
    assert named in done.err


def test_stability_is_that_of_python_and_takes_the_place_of_an_estimate(
    run: Any, patients: Path
) -> None:
    ask = (*ASK, "--stability", "--n-swaps", "20", "--cv", "4", "--rng", "7")
    data = json.loads(run("assess", patients, *ask, "--json", "-q").out)
    table = read_training_table(patients, target="relapse", ignore=("clinic",))
    learner = ("lda", make_learner("lda", "binary", table.inputs))
    stability = en.check_stability(
        learner, table.X, table.y, metric="brier", cv=4, n_swaps=20, positive=1, rng=7
    )
    assert data["ratio"] == pytest.approx(stability.ratio)
    assert data["stable"] is stability.stable
    done = run("assess", patients, *ask, "-q")
    assert done.code == 0, done.err
    assert "stable" in done.out
    assert "20 training cases" in done.out


def test_rare_options_stand_in_the_whole_help_only(run: Any) -> None:
    for option in ("--stability", "--portfolio", "--n-swaps"):
        assert option not in run("assess", "--help").out
        assert option in run("assess", "--help-all").out
