"""An estimate that takes long says so and shows how far it is; a display does not start it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import earnest as en
from earnest.core import TaskOutcome
from earnest.engine.patience import pass_scores_on
from tests.snapshots import Golden

X, Y = make_classification(60, 4, random_state=0)
GRID = {"var_smoothing": [1e-9, 1e-3, 1e-1]}
PAUSE = 0.01  # seconds of a call: 1,000 resamples of three configurations take 30 and more
CALLS: list[int] = []


def score_slowly(y: Any, predicted: Any, sample_weight: Any = None) -> float:
    CALLS.append(len(y))
    time.sleep(PAUSE)
    return float(accuracy_score(y, predicted, sample_weight=sample_weight))


def fit(**knobs: Any) -> Any:
    metric = en.metrics.make_metric(score_slowly, name="slow", needs="label", limits=(0, 1))
    search = en.SearchCV(GaussianNB(), GRID, metric=metric, cv=3, random_state=0, **knobs).fit(X, Y)
    CALLS.clear()
    return search


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a second is long already."""
    monkeypatch.setattr("earnest.engine.patience.LONG", 0.5)


class Watched:
    """A Progress that notes what it is told."""

    def __init__(self) -> None:
        self.started: list[tuple[int, str]] = []
        self.said: list[tuple[str, int]] = []  # with the number of calls of the metric until then
        self.done = self.finished = 0

    def start(self, total: int, title: str = "") -> None:
        self.started.append((total, title))
        self.done = 0

    def advance(self, outcome: TaskOutcome, *, stored: bool = False) -> None:
        self.done += 1

    def drop(self, count: int) -> None: ...

    def message(self, text: str) -> None:
        self.said.append((text, len(CALLS)))

    def finish(self) -> None:
        self.finished += 1


@pytest.mark.parametrize("show", ["_repr_html_", "_repr_mimebundle_"])
def test_a_display_does_not_start_a_long_estimate_and_says_how_to_ask_for_it(show: str) -> None:
    search = fit()
    shown = getattr(search, show)()
    html = shown if isinstance(shown, str) else shown["text/html"]
    assert len(CALLS) <= 10
    assert html.startswith('<div class="earnest-fragment">')
    assert "estimate_" in html
    assert "1,000 resamples of slow" in html
    assert repr(search).startswith("SearchCV(")


def test_a_pipeline_that_ends_in_the_search_does_not_start_it_either() -> None:
    make_pipeline(fit())._repr_html_()
    assert len(CALLS) <= 10


def test_a_long_estimate_says_so_before_it_is_computed_and_shows_how_far_it_is(
    soon: None,
) -> None:
    watched = Watched()
    search = fit(n_resamples=40, verbose=watched)
    watched.started.clear()
    finished = watched.finished
    made = search.estimate_
    assert watched.started == [(40, "Estimate")]
    (text, calls), *more = watched.said
    assert "40 resamples of slow" in text
    assert calls <= 10
    assert more == []
    assert watched.done == 40
    assert watched.finished == finished + 1
    plain = en.metrics.make_metric(accuracy_score, name="slow", needs="label", limits=(0, 1))
    quick = clone(search).set_params(metric=plain, verbose=0).fit(X, Y)
    assert made.value == quick.estimate_.value
    assert made.interval == quick.estimate_.interval
    assert "earnest-fragment" in search._repr_html_()
    assert watched.started == [(40, "Estimate")]  # what is computed is only shown


def test_the_bar_is_on_standard_error(
    capsys: pytest.CaptureFixture[str], soon: None, golden: Golden
) -> None:
    search = fit(n_resamples=40)
    _ = search.corrected_score_
    shown = capsys.readouterr()
    assert shown.out == ""
    golden.check_sentence(shown.err, "40 resamples of", hide="(?<=about ).*")
    assert "40 of 40 resamples" in shown.err


@pytest.mark.parametrize("scoring", ["accuracy", make_scorer(accuracy_score)])
def test_a_short_estimate_is_computed_and_shown_without_a_word(
    scoring: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    search = en.SearchCV(GaussianNB(), GRID, scoring=scoring, cv=3, random_state=0, n_resamples=50)
    html = search.fit(X, Y)._repr_html_()
    assert "not computed" not in html
    assert f"{search.estimate_.value:.2f}"[:4] in html
    assert capsys.readouterr().err == ""


def test_a_metric_that_fails_is_refused_as_ever_and_displays_its_diagram() -> None:
    def fail(y: Any, predicted: Any) -> float:
        return "no number"  # type: ignore[return-value]

    metric = en.metrics.make_metric(fail, name="broken", needs="label")
    search = en.SearchCV(GaussianNB(), GRID, scoring="accuracy", metric=metric, cv=3).fit(X, Y)
    assert "GaussianNB" in search._repr_html_()
    with pytest.raises(en.errors.EarnestError, match="does not return a number"):
        _ = search.estimate_


def predict() -> en.Predictions:
    rng = np.random.default_rng(0)
    return en.Predictions.from_arrays(Y, rng.random((60, 3)), np.arange(60) % 3)


SLOW = en.metrics.make_metric(score_slowly, name="slow", needs="label", limits=(0, 1))
VERBS: dict[str, Callable[[en.Predictions, Any], object]] = {
    "estimate": lambda pi, metric: en.estimate(pi, metric=metric, n_resamples=40, rng=0),
    "estimate_all": lambda pi, metric: en.estimate_all(
        pi, methods="bbc", metric=metric, n_resamples=40, rng=0
    ),
    "gain": lambda pi, metric: en.gain(pi, metric=metric, n_resamples=40, rng=0),
    "thresholds": lambda pi, metric: en.thresholds(pi, metric=metric, n_resamples=40, rng=0),
    "compare_many": lambda pi, metric: en.compare_many(
        pi, metric=metric, test="bootstrap(n_resamples=40)", rng=0
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_announces_a_slow_metric_and_shows_how_far_it_is(
    verb: str, soon: None, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    shown = VERBS[verb](predict(), SLOW)
    written = capsys.readouterr()
    assert written.out == ""
    golden.check_sentence(written.err, "40 resamples of", hide="(?<=about ).*")
    assert "40 of 40 resamples" in written.err
    plain = en.metrics.make_metric(accuracy_score, name="slow", needs="label", limits=(0, 1))
    assert repr(VERBS[verb](predict(), plain)) == repr(shown)
    assert capsys.readouterr().err == ""  # a quick one is computed without a word


def test_the_command_line_announces_a_slow_metric_on_its_own_line(
    soon: None, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    from earnest.cli.show.progress import patiently

    with patiently(sys.stderr, "Estimate of 3 configurations"):
        en.estimate(predict(), metric=SLOW, n_resamples=40, rng=0)
    written = capsys.readouterr().err
    golden.check_sentence(written, "Estimate of 3", hide="(?<=about ).*")
    assert "40 of 40" not in written  # one of the two shows it


def test_a_run_that_shows_itself_is_told_and_no_bar_is_drawn(
    soon: None, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    watched = Watched()
    with pass_scores_on(watched):
        en.estimate(predict(), metric=SLOW, n_resamples=40, rng=0)
    ((text, _),) = watched.said
    golden.check_sentence(text, "40 resamples of", hide="(?<=about ).*")
    with pass_scores_on(None):  # one that asks again and again tells nothing, and times nothing
        CALLS.clear()
        en.estimate(predict(), metric=SLOW, n_resamples=10, rng=0)
    assert CALLS[0] == len(Y)
    assert capsys.readouterr().err == ""
