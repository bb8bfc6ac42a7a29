"""`earnest thresholds`: what the library says, in a terminal and as JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

import earnest as en

ASK = ("--metric", "roc_auc", "--rng", "7", "--n-resamples", "60")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(1)
    y = np.arange(90) % 3 == 0
    scores = 1 / (1 + np.exp(1 - 1.4 * y[:, None] - rng.standard_normal((90, 4))))
    cells = [[int(y[row]), row // 3 % 5, *scores[row].round(4)] for row in range(90)]
    lines = [",".join(map(str, one)) for one in [["y", "fold", *"abcd"], *cells]]
    path = tmp_path / "preds.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_json_is_the_result_of_the_library_with_the_choice_beside_it(run, table):
    done = run("thresholds", table, *ASK, "--sensitivity", "0.9", "--side", "lower", "--json")
    assert (done.code, done.err) == (0, "")
    data = json.loads(done.out)
    pi = en.Predictions.load(table)
    made = en.thresholds(pi, metric="roc_auc", n_resamples=60, side="lower", rng=7)
    assert en.results.Thresholds.from_dict(data) == made
    choice = made.choose(sensitivity=0.9)
    assert [one["threshold"] for one in data["choices"]] == [choice.threshold]
    assert data["choices"][0]["sensitivity"]["value"] == choice.sensitivity.value


def test_a_terminal_shows_nine_round_thresholds(run, table):
    done = run("thresholds", table, *ASK)
    assert done.code == 0
    lines = [line.split() for line in done.out.splitlines()]
    shown = [line[0] for line in lines if line and line[0].startswith("0.")]
    assert shown == ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"]
    head = next(line for line in lines if line and line[0] == "threshold")
    assert head[1:4] == ["sensitivity", "specificity", "PPV"]


def test_thresholds_that_are_asked_for_are_shown_exactly(run, table):
    done = run("thresholds", table, *ASK, "--thresholds", "0.333", "--thresholds", "0.5")
    lines = [line.split() for line in done.out.splitlines()]
    shown = [line[0] for line in lines if line and line[0].startswith("0.")]
    assert {"0.333", "0.5"} <= set(shown)
    assert "0.4" not in shown


def test_a_table_for_a_paper_is_that_of_the_library(run, table):
    made = en.thresholds(en.Predictions.load(table), metric="roc_auc", n_resamples=60, rng=7)
    assert run("thresholds", table, *ASK, "--table", "latex").out == made.to_latex()


@pytest.mark.parametrize(
    ("option", "value"), [("--sensitivity", "1.5"), ("--thresholds", "30"), ("--act-from", "2")]
)
def test_what_is_no_share_is_refused_in_terms_of_the_option(run, table, option, value):
    done = run("thresholds", table, *ASK, option, value)
    assert done.code == 2
    assert option in done.err
    assert "Traceback" not in done.err


def test_labels_are_refused_without_a_traceback(run, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("y,a\n" + "0,0\n1,1\n0,1\n1,1\n" * 5, encoding="utf-8")
    done = run("thresholds", path, "--metric", "accuracy", "--response", "label")
    assert done.code == 2
    assert "Traceback" not in done.err
