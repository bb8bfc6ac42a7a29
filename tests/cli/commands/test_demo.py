"""`earnest demo`: the whole job, told without the documentation."""

from __future__ import annotations

import json

from earnest.training.tune.folder import FILES, REPORT


def test_the_demo_tunes_says_what_to_expect_and_predicts(run, tmp_path):
    out = tmp_path / "demo"
    done = run("demo", "--out", out, "--configs", "1", "--n-jobs", "1")
    assert done.code == 0
    for words in (
        "1. Tune: try many models by cross-validation and correct the winner's score.",
        "Read    564 cases, 30 numeric features; diagnosis:",
        "Expect a ROC AUC of 0.99",
        "2. Predict 5 patients that the search never saw.",
        "4. Continue with your own table.",
    ):
        assert words in done.out
    assert {p.name for p in out.iterdir()} == {"breast-cancer.csv", "new-patients.csv", "run"}
    assert sorted(p.name for p in (out / "run").iterdir()) == sorted([*FILES, REPORT])
    saved = json.loads((out / "run" / "estimate.json").read_text("utf-8"))
    assert saved["n_cases"] == 564
    again = run("demo", "--out", out, "--configs", "1", "--n-jobs", "1")
    assert again.code == 0  # an earlier demo is no hindrance


def test_a_demo_that_cannot_write_is_refused(run, tmp_path):
    (tmp_path / "file").write_text("x")
    done = run("demo", "--out", tmp_path / "file")
    assert done.code == 2
    assert done.err.startswith("error: the folder ")
