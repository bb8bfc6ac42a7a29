"""Results show themselves in a notebook: small, alone, and every text of a user escaped."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

import numpy as np
import pytest

import earnest as en
from earnest.explanation import Trust
from tests.explanation.scenes import mixed_trials
from tests.reporting.scenes import HOSTILE, cases, scene
from tests.reporting.test_report import outline
from tests.snapshots import Golden


def alone(html: str) -> None:
    found = outline(html)
    assert found.open == []
    assert found.scripts == 0
    assert found.outside == []
    assert html.count("<style>") == 1
    css = html[html.index("<style>") + 7 : html.index("</style>")]
    rules = re.sub(r"@(media|container) \([^)]*\) \{", "", css).split("}")
    heads = [re.sub(r":is\([^)]*\)", "", rule.split("{")[0]) for rule in rules if "{" in rule]
    selectors = [one.strip() for head in heads for one in head.split(",")]
    assert all(re.match(r"(\S+ )?\.earnest-fragment\b", one) for one in selectors)


@pytest.mark.parametrize("method", ["bbc", "naive", "tibshirani", "delong", "mabt"])
def test_an_estimate_says_its_sentence(binary: en.Predictions, method: str) -> None:
    made = en.estimate(binary, method=method, metric="roc_auc", rng=0)
    html = made._repr_html_()
    alone(html)
    assert "ROC AUC" in html
    assert repr(made).replace(">", "&gt;") in html
    for caution in made.cautions:
        assert caution.code in html


def test_an_estimate_from_a_file_shows_itself_too(binary: en.Predictions) -> None:
    made = en.estimate(binary, metric="roc_auc", rng=0)
    again = en.results.Estimate.from_dict(made.to_dict())
    alone(again._repr_html_())
    alone(replace(again, method="<i>own</i>", winner=HOSTILE)._repr_html_())


def test_a_comparison_says_its_decision(binary: en.Predictions) -> None:
    made = en.compare(binary, 0, 4, metric="roc_auc")
    alone(made._repr_html_())
    assert escape(made.decision) in made._repr_html_()


def test_an_axis_stands_over_its_strip(binary: en.Predictions) -> None:
    html = en.compare(binary, 0, 4, metric="roc_auc")._repr_html_()
    assert '<div class="pics stacked">' in html
    assert "better →" in html


def test_a_table_of_methods_has_a_strip_a_method_and_tells_who_refused(
    binary: en.Predictions,
    golden: Golden,
) -> None:
    whole = en.Predictions.from_arrays(binary.target.y, binary.responses[:, :, 0])
    made = en.estimate_all(whole, metric="roc_auc", rng=0)
    html = made._repr_html_()
    alone(html)
    assert html.count('<td class="strip">') == len(made)
    for name in made.refused:
        assert f"{name}: " in html
    golden.check_sentence(html, "not corrected for")


def test_a_table_of_rivals_shows_the_nearest_and_says_how_many_there_are() -> None:
    rng = np.random.default_rng(4)
    y = np.tile([0, 1], 60)
    names = [f"{HOSTILE}{i}" for i in range(25)]
    pi = en.Predictions.from_arrays(
        y, y[:, None] + rng.standard_normal((120, 25)), np.arange(120) // 2 % 5, configs=names
    )
    made = en.compare_many(pi, metric="roc_auc", rng=0)
    html = made._repr_html_()
    alone(html)
    assert "<script" not in html
    assert html.count('<td class="strip">') == 20
    assert "The nearest 20 of 24" in html
    for name, kept in (("not shown to be worse", True), ("worse", False)):
        shown = sum((one.b in made.not_worse) is kept for one, _ in made.ranked()[:20])
        assert html.count(f">{name}</td>") == shown


def test_a_report_shows_its_first_screen_and_how_to_save_it(binary: en.Predictions) -> None:
    made = en.report(binary, metric="roc_auc", explain=False, n_resamples=100)
    html = made._repr_html_()
    alone(html)
    assert escape(made.content.answer.sentence) in html
    assert "report.save(" in html


@pytest.mark.parametrize("theme", ["[data-jp-theme-light=false]", ".vscode-dark", "[theme=dark]"])
def test_the_theme_of_a_notebook_goes_before_that_of_the_machine(
    binary: en.Predictions, theme: str
) -> None:
    html = en.estimate(binary, metric="roc_auc", rng=0)._repr_html_()
    assert html.index("prefers-color-scheme: dark") < html.index(f"{theme} .earnest-fragment")


def test_an_explanation_says_its_finding_and_escapes_names() -> None:
    trials = mixed_trials(24)
    configs = [{HOSTILE: c["share"], "kind": f"{HOSTILE}{c['scaling']}"} for c in trials.configs]
    hostile = en.Trials.from_configs(
        configs, trials.objective, direction="maximize", objective_name=HOSTILE, source=HOSTILE
    )
    explanation = en.explain(hostile, n_points=60, grid_size=4, rng=0, regions=2)
    for trust, curves in ((Trust.SHOWN, 2), (Trust.NOT_SHOWN, 0)):  # every curve that is shown
        importance = replace(explanation.importance, trust=trust)
        html = replace(explanation, importance=importance)._repr_html_()
        alone(html)
        assert "<script" not in html
        assert html.count('<p class="cap">') == curves


def test_a_search_shows_its_estimate_above_its_diagram() -> None:
    from sklearn.neighbors import KNeighborsClassifier

    search = en.SearchCV(KNeighborsClassifier(), {"n_neighbors": [3, 9]}, scoring="roc_auc")
    assert "earnest-fragment" not in search._repr_html_()
    search.fit(*cases())
    html = search._repr_html_()
    assert html.startswith('<div class="earnest-fragment">')
    assert "KNeighborsClassifier" in html
    assert search._repr_mimebundle_()["text/html"].startswith('<div class="earnest-fragment">')


def test_a_winner_is_shown_by_its_parameters() -> None:
    from sklearn.linear_model import LogisticRegression

    grid = {"C": [0.01, 1.0], "max_iter": [100, 200]}
    search = en.SearchCV(LogisticRegression(), grid, scoring="roc_auc", random_state=0)
    made = search.fit(*cases()).estimate_
    c, rounds = search.best_params_["C"], search.best_params_["max_iter"]
    label = f"{made.winner}: C {c:g}, max_iter {rounds}"
    assert made.winner_label == label
    assert f"winner {label}" in str(made).splitlines()
    assert f"<dd>{label}</dd>" in made._repr_html_()
    assert f"<dd>{label}</dd>" in search._repr_html_()
    assert en.results.Estimate.from_dict(made.to_dict()).winner_label == label
    thresholds = search.thresholds()
    assert thresholds.winner_label == label
    assert f"<dd>{label}</dd>" in thresholds._repr_html_()
    many = en.compare_many(search.predictions_, metric="roc_auc", rng=0)
    assert many.labels is not None
    assert all(many.labels[one.b].startswith(f"{one.b}: C ") for one in many.comparisons)
    assert all(f">{many.labels[one.b]}</td>" in many._repr_html_() for one in many.comparisons)


def test_a_search_without_an_estimate_shows_its_diagram_alone() -> None:
    from sklearn.neighbors import KNeighborsClassifier

    search = en.SearchCV(
        KNeighborsClassifier(), {"n_neighbors": [3, 9]}, scoring=lambda model, X, y: 0.5
    ).fit(*cases())
    assert "earnest-fragment" not in search._repr_html_()


def test_every_scene_names_itself_in_one_line(golden: Golden) -> None:
    golden.check(repr(scene("grouped")))


def test_predictions_and_trials_show_themselves_in_a_notebook():
    rng = np.random.default_rng(1)
    y = np.tile(["<no>", "yes"], 30)
    params = [{"C": 2.0**i, "<kernel>": "rbf"} for i in range(14)]
    pi = en.Predictions.from_arrays(
        y, rng.random((60, 14)), np.arange(60) % 5, configs=params, positive="yes"
    )
    shown = pi._repr_html_()
    assert "14 configurations for 60 cases" in shown
    assert shown.count("<tr>") == 1 + 10
    assert "&lt;kernel&gt;" in shown
    assert "<kernel>" not in shown
    trials = en.Trials.from_configs(
        [{"depth": 1 + i % 6, "rate": 0.1 * (1 + i)} for i in range(12)],
        [i % 5 for i in range(12)],
        direction="maximize",
    )
    shown = trials._repr_html_()
    assert "12 trials of 2 parameters" in shown
    assert "1 to 6" in shown
    assert "EN062" in shown
