"""`earnest compare-learners` from a table to what is written; refusals in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from earnest.training import make_learner, read_training_table
from tests.cli.conftest import Run, with_options
from tests.snapshots import Golden

COMMAND = "compare-learners"


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    """Sixty cases with a number, a gap, a category and groups; seed 5."""
    rng = np.random.default_rng(5)
    path, lines = tmp_path / "patients.csv", ["age,marker,site,clinic,relapse"]
    for case in range(60):
        sick = case % 2
        age = "" if case == 7 else f"{50 + 10 * sick + 5 * rng.standard_normal():.1f}"
        marker = f"{sick + rng.standard_normal():.3f}"
        word = "jä" if sick else "nein"
        lines.append(f"{age},{marker},{'abc'[case % 3]},{case // 3},{word}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def asked(path: Path, *more: object) -> tuple[object, ...]:
    pair = ("--model", "logistic", "--versus", "dummy")
    return (COMMAND, path, "--target", "relapse", *pair, "--ignore", "clinic", *more)


def test_json_is_the_comparison_of_the_library(run: Run, patients: Path) -> None:
    done = run(*asked(patients, "-m", "accuracy", "--rng", 7, "--cv", 5, "--json", "-q"))
    assert (done.code, done.err) == (0, "")
    table = read_training_table(patients, target="relapse", ignore="clinic")
    pair = [(name, make_learner(name, table.task, table.inputs)) for name in ("logistic", "dummy")]
    words = np.array(table.classes)[table.y]
    made = en.compare_learners(*pair, table.X, words, metric="accuracy", cv=5, rng=7)
    data = json.loads(done.out)
    for key in ("difference", "p_value", "interval", "seed", "test", "a", "b", "n_cases"):
        assert data[key] == json.loads(json.dumps(made.to_dict()))[key]


def test_the_positive_class_is_that_of_the_table(run: Run, patients: Path) -> None:
    table = read_training_table(patients, target="relapse", ignore="clinic")
    pair = [(name, make_learner(name, table.task, table.inputs)) for name in ("logistic", "tree")]
    words = np.array(table.classes)[table.y]
    args = (COMMAND, patients, "-t", "relapse", "--model", "logistic", "--versus", "tree")
    for positive in ("nein", "jä"):
        done = run(*args, "--ignore", "clinic", "--rng", 7, "-m", "recall", "--json",
                   "--positive", positive)  # fmt: skip
        made = en.compare_learners(*pair, table.X, words, metric="recall", positive=positive, rng=7)
        assert json.loads(done.out)["value_a"] == made.value_a


def test_the_decision_comes_first_then_facts(run: Run, patients: Path, golden: Golden) -> None:
    done = run(*asked(patients, "--rng", 7))
    assert done.code == 0
    assert [line.split()[:2] for line in done.err.splitlines()] == [
        ["Training", str(share)] for share in range(10, 101, 10)
    ]
    flat = " ".join(done.out.split())
    golden.check_sentence(done.out, "logistic is better")
    golden.check_line(done.out, "corrected_t:")
    assert "Evidence 60 cases, 10 folds" in flat
    assert max(map(len, done.out.splitlines())) <= 80


def test_bootstrap_samples_are_counted(run: Run, patients: Path) -> None:
    done = run(*asked(patients, "--test", "lpob", "--n-replicates", 20, "--rng", 7, "--quiet"))
    assert (done.code, done.err) == (0, "")
    assert "20 bootstrap samples" in " ".join(done.out.split())


def test_groups_and_repeats_are_passed_on(run: Run, patients: Path) -> None:
    args = (COMMAND, patients, "-t", "relapse", "--model", "logistic", "--versus", "dummy")
    done = run(*args, "--group", "clinic", "--cv", 4, "--n-repeats", 2, "--rng", 1, "--json")
    data = json.loads(done.out)
    assert (data["n_folds"], data["n_repeats"], data["metric"]) == (4, 2, "roc_auc")


def test_the_same_learner_twice_gives_p_1(run: Run, patients: Path) -> None:
    args = (COMMAND, patients, "-t", "relapse", "--model", "tree", "--versus", "tree")
    data = json.loads(run(*args, "--ignore", "clinic", "--rng", 1, "--json").out)
    assert (data["a"], data["b"]) == ("tree-1", "tree-2")
    assert (data["difference"], data["p_value"]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--target", "nope"), "there is no 'nope'"),
        (("--model", "forrest"), "learner 'forrest' is unknown"),
        (("--versus", "linear"), "learner 'linear' cannot learn a binary task"),
        (("--test", "lpob", "--cv", 5), "--cv does not apply to test 'lpob'"),
        (("--n-replicates", 50), "--n-replicates does not apply to test 'corrected_t'"),
        (("--test", "five_by_two", "--cv", 5), "5 repeats of 2 folds"),
        (("--test", "five_by_two_f", "--alternative", "less"), "Expected --alternative two-sided"),
        (("--metric", "mse"), "metric 'mse' is not defined for a binary task"),
        (("--test", "loob", "--metric", "roc_auc"), "test 'loob' cannot compare by 'roc_auc'"),
        (("--confidence-level", 95), "--confidence-level"),
        (("--rng", -1), "--rng"),
        (("--cv", 1), "--cv"),
    ],
)
def test_bad_input_is_one_line_without_a_traceback(
    run: Run, patients: Path, more: tuple[object, ...], words: str
) -> None:
    done = run(*with_options(asked(patients), more))
    assert done.code == 2
    assert done.out == ""
    assert words in done.err
    assert "Traceback" not in done.err
    assert len(done.err.splitlines()) == 1


def test_the_outcome_must_be_named(run: Run, patients: Path, golden: Golden) -> None:
    done = run(COMMAND, patients)
    assert done.code == 2
    golden.check(done.err)
