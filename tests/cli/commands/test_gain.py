"""`earnest gain`: what the library says, in a terminal and as JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

import earnest as en

ASK = ("--metric", "roc_auc", "--rng", "7", "--n-resamples", "60")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(1)
    y = np.arange(80) % 2
    scores = np.array([0.2, 0.5, 1.5, 1.2, 0.9]) * y[:, None] + rng.standard_normal((80, 5))
    names = ["first", "second", "third", "fourth", "fifth"]
    cells = [[y[row], row // 2 % 4, *scores[row].round(4)] for row in range(80)]
    lines = [",".join(map(str, one)) for one in [["y", "fold", *names], *cells]]
    path = tmp_path / "preds.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("order", ["tried", "mean"])
def test_json_is_the_result_of_the_library(run, table, order):
    done = run("gain", table, *ASK, "--order", order, "--json")
    assert (done.code, done.err) == (0, "")
    pi = en.Predictions.load(table)
    made = en.gain(pi, metric="roc_auc", order=order, n_resamples=60, rng=7)
    assert en.results.Gain.from_dict(json.loads(done.out)) == made
    assert made.first == ("first" if order == "tried" else None)


def test_a_terminal_shows_both_scores_of_every_mark(run, table):
    done = run("gain", table, *ASK)
    assert done.code == 0
    lines = [line.split() for line in done.out.splitlines()]
    counts = [line[0] for line in lines if line and line[0].isdigit()]
    assert counts == ["1", "2", "3", "4", "5"]


def test_a_table_for_a_paper_is_that_of_the_library(run, table):
    made = en.gain(en.Predictions.load(table), metric="roc_auc", n_resamples=60, rng=7)
    assert run("gain", table, *ASK, "--table", "latex").out == made.to_latex()


def test_an_order_that_is_none_is_refused_in_terms_of_the_option(run, table):
    done = run("gain", table, *ASK, "--order", "sorted")
    assert done.code == 2
    assert "--order" in done.err
    assert "Traceback" not in done.err


def test_several_metrics_are_answered_in_one_call(run, table):
    done = run("gain", table, *ASK, "--metric", "average_precision", "--json")
    assert list(json.loads(done.out)["metrics"]) == ["roc_auc", "average_precision"]
