"""Defaults from a file: what is typed goes first, and nothing is guessed."""

from __future__ import annotations

import json

import pytest


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def level_of(done) -> float:
    assert done.code == 0, done.err
    return json.loads(done.out)["interval"]["confidence_level"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("earnest.toml", 'metric = "roc_auc"\nconfidence_level = 0.8\nrng = 3\n'),
        (
            "earnest.toml",
            'metric = ["roc_auc"]\nconfidence_level = 0.9\n[estimate]\nconfidence_level = 0.8\n',
        ),
        ("pyproject.toml", '[tool.earnest]\nmetric = "roc_auc"\nconfidence_level = 0.8\n'),
        ("pyproject.toml", '[tool.earnest.estimate]\nmetric = "roc_auc"\nconfidence_level = 0.8\n'),
    ],
)
def test_what_is_typed_goes_before_the_command_and_that_before_all(
    run, table, tmp_path, name, text
):
    (tmp_path / name).write_text(text, "utf-8")
    assert level_of(run("estimate", table, "--json")) == 0.8
    assert level_of(run("estimate", table, "--json", "--confidence-level", "0.7")) == 0.7


def test_the_nearest_file_holds(run, table, tmp_path, monkeypatch):
    (tmp_path / "earnest.toml").write_text('metric = "roc_auc"\nconfidence_level = 0.8\n', "utf-8")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert level_of(run("estimate", table, "--json")) == 0.8
    (below.parent / "pyproject.toml").write_text("[tool.other]\n", "utf-8")
    assert level_of(run("estimate", table, "--json")) == 0.8
    (below / "earnest.toml").write_text('metric = "roc_auc"\nn-jobs = 1\n', "utf-8")
    assert level_of(run("estimate", table, "--json")) == 0.95


def test_a_key_may_have_underscores_and_a_switch_is_true_or_false(run, table, tmp_path):
    text = 'metric = "roc_auc"\n[estimate]\nn_resamples = 50\njson = true\n'
    (tmp_path / "earnest.toml").write_text(text, "utf-8")
    assert json.loads(run("estimate", table).out)["n_resamples"] == 50


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "confidence_levl = 0.9\n",
            ["'confidence_levl' is unknown", "Did you mean 'confidence-level'?"],
        ),
        (
            "[estimat]\nside = 'lower'\n",
            ["'estimat' is unknown", "Did you mean 'estimate'?"],
        ),
        ("[estimate]\nbudget = '5m'\n", ["'budget' is unknown", "an option of estimate"]),
        ("confidence_level = [0.8, 0.9]\n", ["'confidence_level'", "one value"]),
        ("json = 'yes'\n", ["'json'", "true or false"]),
        (
            "side = 'lower'\nside = 'upper'\n",
            ["earnest.toml' cannot be read", "TOML"],
        ),
        ("confidence_level = 'high'\n", ["'--confidence-level'", "earnest.toml"]),
    ],
)
def test_what_a_file_cannot_mean_is_refused(run, table, tmp_path, text, words):
    (tmp_path / "earnest.toml").write_text(text, "utf-8")
    done = run("estimate", table, "--metric", "roc_auc")
    assert done.code == 2
    assert done.out == ""
    assert all(word in done.err for word in ("earnest.toml", *words))
    assert run("estimate", "--help").code == 0  # no file stands in the way of help
    assert run("--version").code == 0
