"""Every surface shows the same fields: no two places disagree on a number or a verdict."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import TimeSeriesSplit

import earnest as en
from earnest.cli.show.estimate import show_estimate
from earnest.core import AgainstChance, Selection, limits_words, print_numbers
from earnest.core.text.estimate import saw_no_error
from earnest.plotting import answer
from earnest.plotting.figures.style import NAIVE
from earnest.reporting.fragments import show_result
from earnest.results import Estimate, Estimates

N = 90
FOLDS = np.arange(N) % 5
FEW = {"n_resamples": 60}
METHODS = (
    *("bbc", "near_winner", "bbc_fold", "tibshirani", "naive", "naive_bootstrap", "holdout"),
    *("mabt", "delong", "delong_10p", "tilted"),
)


def classify(signal: float, configs: int, seed: int, folds: bool = True) -> en.Predictions:
    """Make scores of equal configurations; a negative signal ranks the classes the wrong way."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], N // 2)
    scores = signal * (2 * y[:, None] - 1) + rng.standard_normal((N, configs))
    return en.Predictions.from_arrays(y, scores, fold=FOLDS if folds else None)


def regress(signal: float, configs: int, seed: int) -> en.Predictions:
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(N)
    return en.Predictions.from_arrays(
        y, signal * y[:, None] + rng.standard_normal((N, configs)), fold=FOLDS
    )


def ask(pi: en.Predictions | en.Scores, **options: object) -> Estimate:
    given = FEW if options.get("method") in (None, "bbc", "naive_bootstrap") else {}
    return en.estimate(pi, rng=0, **given, **options)  # type: ignore[arg-type]


@cache
def make_results() -> tuple[Estimate, ...]:
    """Make forty estimates: methods, metrics, tasks, sides, luck, skill, noise and reversal."""
    found: list[Estimate] = []
    strong = classify(0.6, 12, 1)
    found += [ask(strong, metric="roc_auc", method=method) for method in METHODS]
    found += [ask(strong, metric="accuracy", method=method) for method in ("bbc", "mabt", "naive")]
    for seed, signal in enumerate((0.0, 0.0, 0.2, -0.6, 3.0)):
        found.append(ask(classify(signal, 8, seed), metric="roc_auc"))
        found.append(ask(classify(signal, 1, seed), metric="accuracy"))
    for side in ("lower", "upper", "pessimistic"):
        found.append(ask(strong, metric="roc_auc", side=side, confidence_level=0.9))
        found.append(ask(regress(0.8, 4, 3), metric="rmse", side=side))
    for signal in (0.0, 0.7, 1.0):
        found.append(ask(regress(signal, 5, 7), metric="r2"))
        found.append(ask(regress(signal, 5, 7), metric="mae", method="near_winner"))
    found.append(ask(classify(0.8, 1, 2, folds=False), metric="roc_auc"))
    found.append(ask(classify(0.8, 5, 2, folds=False), metric="balanced_accuracy", method="bbc"))
    found.append(ask(en.Scores(np.random.default_rng(5).integers(0, 2, (N, 6)))))
    rng = np.random.default_rng(8)
    X = rng.standard_normal((N, 2))
    grid = {"alpha": [0.1, 1.0, 100.0]}
    search = en.SearchCV(Ridge(), grid, cv=TimeSeriesSplit(4), scoring="r2", random_state=0)
    found.append(search.fit(X, X[:, 0] + rng.standard_normal(N)).estimate_)
    return tuple(found)


def place(index: int) -> Estimate:
    return make_results()[index]


FORTY = range(40)


def strip_tags(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def list_prose(estimate: Estimate, capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[str, str]]:
    """Yield the surfaces that say an estimate in sentences, by name."""
    show_estimate(estimate)
    yield "terminal", " ".join(capsys.readouterr().out.split())
    yield "notebook", strip_tags(show_result(estimate))


def test_there_are_forty_results_of_every_kind() -> None:
    results = make_results()
    assert len(results) == len(FORTY)
    assert {result.selection for result in results} == set(Selection)
    assert {result.against_chance for result in results} == {*AgainstChance, None}
    assert any(result.training is None for result in results)
    sizes = [result.training for result in results if result.training is not None]
    assert any(size.fewest < size.most for size in sizes)


@pytest.mark.parametrize("index", FORTY)
def test_sentences_show_the_fields(index: int, capsys: pytest.CaptureFixture[str]) -> None:
    estimate = place(index)
    shown = print_numbers(estimate)
    for surface, text in list_prose(estimate, capsys):
        assert shown.value.words in text or saw_no_error(estimate), surface
        if estimate.interval is not None:
            words = limits_words(estimate.interval, shown)
            assert words in text or words.replace(" to ", " and ") in text, surface
        undecided = estimate.against_chance is AgainstChance.UNDECIDED and estimate.honest
        assert ("No evidence that the model beats" in text) is undecided, surface
        worse = estimate.against_chance is AgainstChance.WORSE and estimate.honest
        assert ("does worse than" in text) is worse, surface
        trained = f"models trained on {estimate.training} of your cases"
        assert (trained in text) is (estimate.training is not None), surface
        assert ("is not corrected for the search" in text) is not estimate.honest, surface
        bound_only = estimate.selection is Selection.BOUND_ONLY
        if estimate.against_chance is AgainstChance.BETTER:
            assert ("only the limit allows for that" in text) is bound_only, surface


@pytest.mark.parametrize("index", FORTY)
def test_the_line_and_the_file_hold_the_fields(index: int) -> None:
    estimate = place(index)
    line, data = repr(estimate), estimate.to_dict()
    assert ("not corrected" in line) is not estimate.honest
    assert ("bound corrected" in line) is (estimate.selection is Selection.BOUND_ONLY)
    assert ("trained on" in line) is (estimate.training is not None)
    assert data["selection"] == str(estimate.selection)
    verdict = estimate.against_chance
    assert data["against_chance"] == (None if verdict is None else str(verdict))
    again = Estimate.from_dict(data)
    assert (again.selection, again.training, again.against_chance) == (
        estimate.selection,
        estimate.training,
        verdict,
    )


@pytest.mark.parametrize("index", FORTY)
def test_figures_mark_what_is_not_corrected(index: int) -> None:
    estimate = place(index)
    figure = answer(estimate, name="x")
    assert ("not corrected" in figure.label) is not estimate.honest
    assert print_numbers(estimate).value.signs in figure.label
    axes = Estimates((estimate,)).plot()
    marks = [mark for mark in axes.lines if mark.get_marker() in ("o", "D")]
    assert [mark.get_color() == NAIVE for mark in marks] == [not estimate.honest]


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy"])
@pytest.mark.parametrize("signal", [0.0, 0.6, -0.6])
def test_the_first_screen_of_a_report_has_the_verdict_of_the_estimate(
    signal: float, metric: str
) -> None:
    pi = classify(signal, 6, 4)
    page = strip_tags(en.report(pi, metric=metric, explain=False, rng=0, **FEW).to_html())
    estimate = en.estimate(pi, metric=metric, rng=0, **FEW)
    assert f"{print_numbers(estimate).value} on new data" in page
    undecided = estimate.against_chance is AgainstChance.UNDECIDED
    assert ("No evidence that the model beats" in page) is undecided
    assert ("does worse than" in page) is (estimate.against_chance is AgainstChance.WORSE)
    assert f"trained on {estimate.training} " in page
