"""`earnest methods` and `earnest metrics` list the registries."""

from __future__ import annotations

import json

import pytest

from earnest.methods import METHODS
from earnest.metrics import METRICS


def test_every_method_is_listed_with_estimand_need_and_source(run):
    done = run("methods")
    flat = " ".join(done.out.split()).lower()
    assert done.code == 0
    for name, method in zip(METHODS, METHODS.values(), strict=True):
        assert f"  {name} " in done.out
        for words in (method.spec.estimand, method.spec.needs, method.spec.title):
            assert words.lower() in flat
        assert method.spec.cites.lower() in flat


def test_every_metric_is_listed_with_its_direction(run):
    done = run("metrics")
    assert done.code == 0
    for name in METRICS:
        row = next(line for line in done.out.splitlines() if line.startswith(f"  {name} "))
        ideal = METRICS[name].ideal
        direction = "higher" if METRICS[name].greater_is_better else "lower"
        assert (direction if ideal is None else f"right at {ideal:g}") in row
        assert f"from {METRICS[name].needs}" in row


@pytest.mark.parametrize("command", ["methods", "metrics"])
def test_eighty_columns_hold_the_lists(run, command):
    assert max(map(len, run(command).out.splitlines())) <= 80


def test_methods_as_json(run):
    data = json.loads(run("methods", "--json").out)
    assert data["schema"] == "earnest/methods/1"
    assert [method["name"] for method in data["methods"]] == list(METHODS)
    assert data["methods"][0].keys() == {
        "name",
        "title",
        "aliases",
        "estimand",
        "needs",
        "metrics",
        "min_folds",
        "interval",
        "corrected",
        "static_only",
        "cites",
    }


def test_metrics_as_json(run):
    data = json.loads(run("metrics", "--json").out, parse_constant=pytest.fail)
    assert data["schema"] == "earnest/metrics/1"
    assert [metric["name"] for metric in data["metrics"]] == list(METRICS)
    rmse = next(metric for metric in data["metrics"] if metric["name"] == "rmse")
    assert rmse["limits"] == [0.0, None]
    assert rmse["greater_is_better"] is False


@pytest.mark.parametrize("columns", ["45", "60", "70"])
def test_a_narrow_list_of_metrics_keeps_every_word(run, monkeypatch, columns):
    wide = set(run("metrics").out.replace(",", " ").split())
    monkeypatch.setenv("COLUMNS", columns)
    narrow = run("metrics").out
    assert max(map(len, narrow.splitlines())) <= int(columns)
    assert wide <= set(narrow.replace(",", " ").split())


@pytest.mark.parametrize(("command", "name"), [("methods", "DeLong"), ("tests", "delong")])
def test_what_is_named_is_shown_alone_with_what_to_cite(run, command, name, golden):
    out = run(command, name).out
    golden.check_sentence(out, "To cite")
    assert "The earnest developers." in out
    assert "bayle" not in out
    bibtex = run(command, name, "--bibtex").out
    assert bibtex.startswith("@article{delong1988,\n")
    assert "@misc{earnest,\n" in bibtex
    assert [one["name"] for one in json.loads(run(command, name, "--json").out)[command]] == [
        "delong"
    ]


def test_a_name_that_is_none_is_refused(run):
    done = run("methods", "delongs")
    assert done.code == 2
    assert "Did you mean 'delong'?" in done.err


def test_metrics_are_listed_with_the_words_of_the_literature(run):
    out = " ".join(run("metrics").out.split())
    for words in ("recall, or sensitivity, sens", "negative predictive value", "auroc", "c index"):
        assert words in out
