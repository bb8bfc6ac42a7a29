"""Every surface shows the same fields: no two places disagree on a number or a verdict."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import TimeSeriesSplit

import earnest as en
from earnest.cli.show.comparison import show_comparisons
from earnest.cli.show.decision import show_verdict
from earnest.cli.show.estimate import show_estimate
from earnest.cli.show.gain import show_gain
from earnest.cli.show.tune import show_tuned
from earnest.core import AgainstChance, Selection, Standing, limits_words, print_numbers
from earnest.core.results.calibration import Calibration
from earnest.core.text.calibration import tell as tell_calibration
from earnest.core.text.counts import tell_counts
from earnest.core.text.estimate import saw_no_error
from earnest.core.text.gain import heading as gain_heading
from earnest.core.text.gain import word_confidence as say_confidence
from earnest.core.text.gain import word_headline as say_gain
from earnest.decision.verdict import Outcome
from earnest.engine import ProgressDisplay, ProgressState
from earnest.plotting import answer
from earnest.plotting.figures.style import NAIVE
from earnest.reporting.fragments import show_result
from earnest.results import Comparisons, Counts, Estimate, Estimates, Gain
from earnest.rules import BCED

CLAIMS: dict[str, str] = json.loads(
    (Path(__file__).parent / "golden" / "claims.json").read_text("utf-8")
)
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


@dataclass(frozen=True, eq=False)
class Case:
    """What is asked about, and how."""

    source: en.Predictions | en.Scores | en.SearchCV
    options: dict[str, Any]

    def estimate(self) -> Estimate:
        if isinstance(self.source, en.SearchCV):
            return self.source.estimate_
        return en.estimate(self.source, rng=0, **self.options)

    def report(self) -> en.results.Report:
        seed = {} if isinstance(self.source, en.SearchCV) else {"rng": 0}
        return en.report(self.source, explain=False, **seed, **self.options)


def make_case(source: en.Predictions | en.Scores, **options: Any) -> Case:
    few = FEW if options.get("method") in (None, "bbc", "naive_bootstrap") else {}
    return Case(source, {**few, **options})


def search_in_time() -> en.SearchCV:
    rng = np.random.default_rng(8)
    X = rng.standard_normal((N, 2))
    grid = {"alpha": [0.1, 1.0, 100.0]}
    search = en.SearchCV(Ridge(), grid, cv=TimeSeriesSplit(4), scoring="r2", random_state=0)
    fitted: en.SearchCV = search.fit(X, X[:, 0] + rng.standard_normal(N))
    return fitted


@cache
def make_cases() -> tuple[Case, ...]:
    """Make forty questions: methods, metrics, tasks, sides, luck, skill, noise and reversal."""
    strong = classify(0.6, 12, 1)
    cases = [make_case(strong, metric="roc_auc", method=method) for method in METHODS]
    cases += [make_case(strong, metric="accuracy", method=m) for m in ("bbc", "mabt", "naive")]
    for seed, signal in enumerate((0.0, 0.0, 0.2, -0.6, 3.0)):
        cases.append(make_case(classify(signal, 8, seed), metric="roc_auc"))
        cases.append(make_case(classify(signal, 1, seed), metric="accuracy"))
    for side in ("lower", "upper", "pessimistic"):
        cases.append(make_case(strong, metric="roc_auc", side=side, confidence_level=0.9))
        cases.append(make_case(regress(0.8, 4, 3), metric="rmse", side=side))
    for signal in (0.0, 0.7, 1.0):
        cases.append(make_case(regress(signal, 5, 7), metric="r2"))
        cases.append(make_case(regress(signal, 5, 7), metric="mae"))
    cases.append(make_case(classify(0.8, 1, 2, folds=False), metric="roc_auc"))
    held_out = classify(0.8, 5, 2, folds=False)
    cases.append(make_case(held_out, metric="balanced_accuracy", method="bbc"))
    cases.append(make_case(en.Scores(np.random.default_rng(5).integers(0, 2, (N, 6)))))
    cases.append(Case(search_in_time(), {}))
    return tuple(cases)


@cache
def place(index: int) -> Estimate:
    return make_cases()[index].estimate()


@cache
def write_report(index: int) -> tuple[Any, dict[str, str]]:
    """Return the plain data of a report, and its pages as people read them."""
    report = make_cases()[index].report()
    pages = {"page": strip_tags(report.to_html()), "markdown": flatten(report.to_markdown())}
    return json.loads(report.to_json()), pages


FORTY = range(40)


def flatten(words: str) -> str:
    """Return words with plain spaces and without the marks of Markdown."""
    return " ".join(re.sub(r"[*_`\\]", "", words).split())


def strip_tags(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def list_prose(estimate: Estimate, capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[str, str]]:
    """Yield the surfaces that say an estimate in sentences, by name."""
    show_estimate(estimate)
    yield "terminal", " ".join(capsys.readouterr().out.split())
    yield "notebook", strip_tags(show_result(estimate))


def test_there_are_forty_results_of_every_kind() -> None:
    assert len(make_cases()) == len(FORTY)
    results = [place(index) for index in FORTY]
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
        assert (CLAIMS["undecided"] in text) is undecided, surface
        worse = estimate.against_chance is AgainstChance.WORSE and estimate.honest
        assert (CLAIMS["worse"] in text) is worse, surface
        trained = f"models trained on {estimate.training} of your cases"
        assert (trained in text) is (estimate.training is not None), surface
        assert (CLAIMS["uncorrected"] in text) is not estimate.honest, surface
        bound_only = estimate.selection is Selection.BOUND_ONLY
        if estimate.against_chance is AgainstChance.BETTER:
            assert (CLAIMS["bound only"] in text) is bound_only, surface


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


@pytest.mark.parametrize("index", FORTY)
def test_a_report_shows_the_fields_in_every_form(index: int) -> None:
    estimate, (data, pages) = place(index), write_report(index)
    shown = print_numbers(estimate)
    for form, text in pages.items():
        assert shown.value.words in text, form
        if estimate.interval is not None:
            words = limits_words(estimate.interval, shown)
            assert words in text or words.replace(" to ", " and ") in text, form
        undecided = estimate.against_chance is AgainstChance.UNDECIDED and estimate.honest
        assert (CLAIMS["undecided"] in text) is undecided, form
        worse = estimate.against_chance is AgainstChance.WORSE and estimate.honest
        assert (CLAIMS["worse"] in text) is worse, form
        trained = f"trained on {estimate.training} "
        assert (trained in text) is (estimate.training is not None), form
        assert (CLAIMS["uncorrected"] in text) is not estimate.honest, form
    stored = Estimate.from_dict(data["results"]["estimate"])
    assert (stored.value, stored.interval) == (estimate.value, estimate.interval)
    assert (stored.selection, stored.training) == (estimate.selection, estimate.training)
    assert stored.against_chance == estimate.against_chance
    assert [c.kind for c in stored.cautions] == [c.kind for c in estimate.cautions]


NULL = re.compile(r"may be (the )?best|(?<!to be )not worse|(?<!shown )\bto be not worse")


@pytest.mark.parametrize("index", FORTY)
def test_a_report_has_one_verdict_on_every_rival(
    index: int, capsys: pytest.CaptureFixture[str]
) -> None:
    data, pages = write_report(index)
    stored = data["results"].get("comparison")
    for form, text in pages.items():
        assert NULL.search(text) is None, form  # what is not shown is not claimed
    if stored is None:
        return
    many = Comparisons.from_dict(stored)
    standings = {comparison.b: many.standings[comparison.b] for comparison in many}
    rows = {row["config"]: row["standing"] for row in data["rivals"]["rows"]}
    assert rows.items() <= {name: str(value) for name, value in standings.items()}.items()
    audit = {row["config"]: row["status"] for row in data["audit"]["rows"]}
    for name, standing in standings.items():
        assert audit[name] == ("worse" if standing is Standing.WORSE else str(Standing.NOT_WORSE))
    count = sum(standing is not Standing.WORSE for standing in standings.values())
    show_comparisons(many)
    terminal = " ".join(capsys.readouterr().out.split())
    line, notebook = repr(many), strip_tags(show_result(many))
    for surface in (line, terminal, notebook):
        assert many.decision in surface
        assert NULL.search(surface) is None
    assert line.count(f": {Standing.NOT_WORSE}") <= count
    for form, text in pages.items():
        if 0 < count < len(standings):
            noun = "configuration is" if count == 1 else "configurations are"
            assert f"{count} other {noun} {Standing.NOT_WORSE} than the winner" in text, form
        assert (CLAIMS["all worse"] in text) is (count == len(standings) > 1), form


@pytest.mark.parametrize("index", FORTY)
def test_a_gain_is_told_alike_everywhere(index: int, capsys: pytest.CaptureFixture[str]) -> None:
    data, pages = write_report(index)
    stored = data["results"].get("gain")
    if stored is None:
        return
    gain = Gain.from_dict(stored)
    show_gain(gain)
    texts = {"terminal": " ".join(capsys.readouterr().out.split())}
    texts |= {"notebook": strip_tags(show_result(gain))}
    for surface, text in texts.items():
        assert flatten(say_gain(gain)) in text, surface
    for form, text in pages.items():
        assert flatten(gain_heading(gain)) in text, form
        assert (CLAIMS["no gain"] in text) is not (gain.shown or gain.lost), form
        assert flatten(say_confidence(gain)) in text, form


@pytest.mark.parametrize("index", FORTY)
def test_the_counts_are_one_number_in_every_form(index: int) -> None:
    data, pages = write_report(index)
    counts = Counts.from_dict(data["results"]["counts"])
    statuses = Counter(row["status"] for row in data["audit"]["rows"])
    assert counts.tried == statuses.total()
    ends = (counts.failed, counts.dropped, counts.incomplete)
    assert ends == (statuses["failed"], statuses["dropped"], statuses["incomplete"])
    for form, text in pages.items():
        assert tell_counts(counts) in text, form


def hold_counts(source: object, counts: Counts) -> None:
    """Hold a report to the counts of its search."""
    report = en.report(source, explain=False)
    data = json.loads(report.to_json())
    assert Counts.from_dict(data["results"]["counts"]) == counts
    statuses = Counter(row["status"] for row in data["audit"]["rows"])
    assert (counts.tried, counts.failed) == (statuses.total(), statuses["failed"])
    assert (counts.dropped, counts.incomplete) == (statuses["dropped"], statuses["incomplete"])
    for text in (strip_tags(report.to_html()), report.to_markdown()):
        assert tell_counts(counts) in text


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_a_search_its_page_and_its_report_count_alike(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    X = rng.standard_normal((N, 2))
    y = (X[:, 0] + 0.3 * rng.standard_normal(N) > 0).astype(int)
    page, states = tmp_path / "live.html", list[ProgressState]()

    class Recorder(ProgressDisplay):
        def show(self, state: ProgressState) -> None:
            states.append(state)

    grid = {"C": [1e-9, 0.1, 1.0, 10.0, -1.0], "fit_intercept": [True, False]}
    search = en.SearchCV(
        LogisticRegression(),
        grid,
        scoring="roc_auc",
        cv=5,
        drop=BCED(threshold=0.6, min_predictions=10, n_resamples=50),
        n_resamples=60,
        random_state=0,
        live=page,
        verbose=Recorder(),
    ).fit(X, y)
    counts = search.counts_
    assert (counts.planned, counts.tried, counts.failed) == (10, 10, 2)
    assert counts.dropped > 0
    assert counts.incomplete == 0
    assert states[-1].counts.planned == counts.planned
    assert states[-1].counts.tried == counts.tried
    assert states[-1].counts.complete == counts.complete
    hold_counts(search, counts)
    assert f"{counts.complete} of {counts.planned} configurations" in strip_tags(page.read_text())


def test_a_tuning_its_folder_and_its_terminal_count_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 2))
    frame = {"a": X[:, 0], "b": X[:, 1], "y": (X[:, 0] > 0).astype(int)}
    options = {"n_configs": 2, "folds": 3, "rng": 7, "n_jobs": 1, "out": tmp_path / "run"}
    tuned = en.tune(pa.table(frame), target="y", **options)
    show_tuned(tuned)
    assert tell_counts(tuned.counts) in capsys.readouterr().out
    hold_counts(tuned, tuned.counts)
    hold_counts(tmp_path / "run", tuned.counts)


@pytest.mark.parametrize("bound", [0.3, 0.65, 0.95])
def test_a_gate_has_one_outcome_on_every_surface(
    bound: float, capsys: pytest.CaptureFixture[str]
) -> None:
    pi = classify(0.6, 3, 1)
    for verdict in (
        en.gate(pi, metric="roc_auc", above=bound, rng=0),
        en.gate(pi.select(0), against=pi.select(1), margin=bound / 5, metric="roc_auc", rng=0),
    ):
        show_verdict(verdict)
        texts = [capsys.readouterr().out, strip_tags(show_result(verdict)), verdict.to_comment()]
        for text in texts:
            assert flatten(verdict.sentence) in flatten(text)
        assert verdict.to_dict()["outcome"] == str(verdict.outcome)
        assert ('failures="0"' in verdict.to_junit()) is (verdict.outcome != Outcome.FAIL)
        kinds = [caution.kind for caution in verdict.cautions]
        assert len(kinds) == len(set(kinds))  # no two that say opposite things of one fact


@pytest.mark.parametrize("sure", [0.5, 1.0, 4.0])
def test_probabilities_have_one_judgement(sure: float) -> None:
    rng = np.random.default_rng(4)
    odds = rng.standard_normal((N, 3))
    y = (rng.random(N) < 1 / (1 + np.exp(-odds[:, 0]))).astype(int)
    pi = en.Predictions.from_arrays(y, 1 / (1 + np.exp(-sure * odds)), fold=FOLDS)
    report = en.report(pi, metric="roc_auc", explain=False, rng=0, **FEW)
    data = json.loads(report.to_json())
    calibration = Calibration.from_dict(data["results"]["calibration"])
    pages = (strip_tags(report.to_html()), report.to_markdown())
    for text in pages:
        assert flatten(tell_calibration(calibration)) in flatten(text)
