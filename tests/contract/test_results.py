"""All results alike: one line, JSON and back exactly, equality, pickling, HTML, other levels."""

from __future__ import annotations

import importlib
import inspect
import json
import pickle
import pkgutil
from collections.abc import Iterator
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest.core import Result
from earnest.core.cautions import of_search
from earnest.decision import Inclusion
from earnest.errors import EvidenceError, FormatError, InputError
from earnest.testing import example_predictions
from tests.column_importances import explain_columns
from tests.public_names import public_names

X = np.random.default_rng(3).gamma(2.0, size=40)
WITH_DRAWS = (
    "estimate",
    "bootstrap bca",
    "bootstrap basic",
    "bootstrap studentised",
    "undefined draws",
)


def mean(weights: Any) -> Any:
    return weights @ X / weights.sum(axis=-1)


def rare(weights: Any) -> Any:
    """Return the mean where the first case has weight; NaN for the other resamples."""
    return np.where(weights[..., 0] > 0, mean(weights), np.nan)


def trials() -> Any:
    rng = np.random.default_rng(0)
    depths, kinds = rng.integers(1, 9, 40).tolist(), rng.choice(["a", "b"], 40).tolist()
    rates = rng.random(40).tolist()
    every = list(zip(depths, rates, kinds, strict=True))
    configs = [dict(zip(("depth", "rate", "kind"), one, strict=True)) for one in every]
    values = [rate + 0.1 * depth + (kind == "a") for depth, rate, kind in every]
    return en.Trials.from_configs(configs, values, direction="minimize")


@cache
def explained() -> Any:
    return en.explain(trials(), n_points=60, grid_size=5, rng=0)


@cache
def results() -> dict[str, Any]:
    """One result of each kind, ordinary ones and odd ones."""
    pi = example_predictions("binary")
    halves = {"half": np.arange(pi.n_cases) % 2, "few": np.arange(pi.n_cases) < 8}
    divided = en.estimate(pi, metric="accuracy", n_resamples=50, by=halves, rng=0)
    names, columns = pi.configs.ids, np.random.default_rng(0).standard_normal((60, 3))
    of_mean = {"vectorized": True, "rng": 1}
    kinds = ("bca", "percentile", "basic", "studentised")
    boots = {
        f"bootstrap {kind}": en.inference.bootstrap(mean, X, n_resamples=99, method=kind, **of_mean)
        for kind in kinds
    }
    tree = explained()
    return {
        "estimate": en.estimate(pi, metric="roc_auc", rng=0),
        "divided": divided,
        "subgroups": divided.subgroups,
        "divided comparison": en.compare(pi, names[0], names[1], metric="accuracy", by=halves),
        "divided verdict": en.gate(pi, metric="accuracy", above=0.6, by=halves),
        "divided thresholds": en.thresholds(pi, metric="roc_auc", n_resamples=50, by=halves, rng=0),
        "one-sided": en.estimate(pi, metric="log_loss", side="upper", rng=0),
        "no interval": en.estimate(pi, method="naive", metric="accuracy"),
        "tilted": en.estimate(pi, method="mabt", metric="roc_auc", n_resamples=200, rng=0),
        "table": en.estimate_all(pi, metric="roc_auc", n_resamples=50, rng=0),
        "comparison": en.compare(pi, names[0], names[1], metric="accuracy"),
        "posterior": en.compare(pi, names[0], names[1], test="bayesian_t", metric="accuracy"),
        "comparisons": en.compare_many(pi, metric="accuracy", rng=0),
        "gain": en.gain(pi, metric="roc_auc", n_resamples=50, rng=0),
        "mean gain": en.gain(pi, metric="log_loss", order="mean", n_resamples=50, rng=0),
        "no gain": en.gain(pi.select(0), metric="roc_auc", n_resamples=50, rng=0),
        "thresholds": en.thresholds(pi, metric="roc_auc", n_resamples=50, rng=0),
        "learning curve": en.learning_curve(
            Ridge(), columns, columns[:, 0], metric="rmse", fractions=(0.5, 1), cv=3, rng=0
        ),
        **boots,
        "undefined draws": en.inference.bootstrap(rare, X, n_resamples=99, **of_mean),
        "lower bound": en.inference.bootstrap(mean, X, n_resamples=99, side="lower", **of_mean),
        "jackknife": en.inference.jackknife(mean, X, vectorized=True),
        "influence": en.inference.influence(mean, X, vectorized=True),
        "given slope": en.inference.influence(mean, X, derivative=X, vectorized=True),
        "verdict": en.gate(pi.select(names[0]), metric="roc_auc", above=0.5),
        "verdict on a pair": en.gate(
            pi.select(names[0]), metric="accuracy", against=pi.select(names[1]), margin=0.1
        ),
        "plan": en.plan(pi, metric="accuracy", detect=0.1, rng=0),
        "model plan": en.plan(en.rules.ModelStudy(prevalence=0.2, r2=0.2, n_parameters=9)),
        "validation": en.validate(
            en.Predictions.from_arrays(pi.target.y, np.linspace(0.1, 0.9, pi.n_cases)),
            folds=3,
            n_resamples=30,
            rng=0,
        ),
        "slope": en.estimate(
            example_predictions("binary", response="probability"),
            metric="calibration_slope",
            select_by="brier",
            n_resamples=50,
            rng=0,
        ),
        "floor": en.floor([0.6, 0.7, 0.65], n=100),
        "fold scores": en.estimate({"a": [0.6, 0.7, 0.65, 0.7, 0.6], "b": [0.7] * 5}, rng=0),
        "inclusions": en.calibrate(
            pi,
            metric="accuracy",
            methods=["bbc", "naive", "corrected_t"],
            n_simulations=5,
            n_resamples=50,
            rng=0,
        ),
        "explanation": tree,
        "curve": next(iter(tree.effects.values())),
        "surface": tree.effect2d("rate", "kind"),
        "regions": next(iter(tree.regions.values())),
        "model explanation": explain_columns(),
        "importance": explain_columns().importances[0],
        "effect": explain_columns().effects[0],
        "interval": en.results.Interval(-np.inf, 2.0, 0.9, "upper"),
        "caution": of_search.ties(2, "Ünlike"),
        "refusal": en.results.Refusal("no folds", needs="two folds", cure="Ünlike"),
        "counts": en.results.Counts(planned=9, tried=7, complete=4, failed=1, dropped=1),
        "stability": en.check_stability(
            Ridge(), columns, columns[:, 0], metric="mae", n_swaps=5, rng=0
        ),
    }


KINDS = [
    "estimate", "divided", "subgroups", "divided comparison", "divided verdict",
    "divided thresholds", "one-sided", "no interval", "tilted", "table", "comparison", "posterior",
    "comparisons", "gain", "mean gain", "no gain", "thresholds", "learning curve",
    "bootstrap bca", "bootstrap percentile", "bootstrap basic",
    "bootstrap studentised", "undefined draws", "lower bound", "jackknife", "influence",
    "given slope", "verdict", "verdict on a pair", "plan", "model plan",
    "validation", "slope", "floor", "fold scores", "inclusions",
    "explanation",
    "curve", "surface", "regions", "model explanation", "importance", "effect",
    "interval", "caution", "refusal", "counts", "stability",
]  # fmt: skip
# Parts, or a few numbers.
PLAIN = ("importance", "effect", "interval", "caution", "refusal", "counts", "stability")
SAVED = [kind for kind in KINDS if kind not in PLAIN]


PARTS = ("curve", "surface", "regions")  # of an explanation
WHOLE = [kind for kind in SAVED if kind not in PARTS]


def test_every_public_class_that_is_saved_is_held_here() -> None:
    assert list(results()) == KINDS
    saved = {
        one for one in public_names().values() if inspect.isclass(one) and hasattr(one, "to_dict")
    }
    here = {type(one) for one in results().values()}
    parts = {en.results.Tuned, en.results.ErrorShares, en.results.Dependence}  # of an estimate
    assert saved - here == parts


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_saved_is_loaded_again_exactly(kind: str) -> None:
    made = results()[kind]
    text = json.dumps(made.to_dict(), allow_nan=False)
    again = type(made).from_dict(json.loads(text))
    assert again == made
    assert json.dumps(again.to_dict(), allow_nan=False) == text
    assert repr(again) == repr(made)


@pytest.mark.parametrize("kind", KINDS)
def test_a_pickle_is_the_same_result(kind: str) -> None:
    made = results()[kind]
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    assert again.to_dict() == made.to_dict()


@pytest.mark.parametrize("kind", KINDS)
def test_results_equal_only_their_like(kind: str) -> None:
    made = results()[kind]
    assert made != kind
    assert [other for other in KINDS if results()[other] == made] == [kind]


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_shows_itself_in_few_words(kind: str) -> None:
    shown = repr(results()[kind])
    assert shown
    assert " at 0x" not in shown
    assert "array(" not in shown
    assert max(map(len, shown.splitlines())) < 300


@pytest.mark.parametrize("kind", WHOLE)
def test_printing_a_result_names_every_caution_under_the_line_for_pasting(kind: str) -> None:
    made = results()[kind]
    assert str(made).startswith(repr(made))
    below = str(made)[len(repr(made)) :].splitlines()
    for caution in getattr(made, "cautions", ()):
        assert f"{caution.code} {caution.what}" in below


@pytest.mark.parametrize("kind", SAVED)
def test_other_data_are_refused_in_words(kind: str) -> None:
    made = results()[kind]
    for wrong in ({}, {"schema": "earnest/other/1"}, [], None, "x"):
        with pytest.raises(FormatError, match="schema"):
            type(made).from_dict(wrong)
    with pytest.raises(FormatError, match="is missing"):
        type(made).from_dict({"schema": made.to_dict()["schema"]})


@pytest.mark.parametrize("kind", WHOLE)
def test_a_result_is_written_and_read_as_every_other(kind: str, tmp_path: Path) -> None:
    made = results()[kind]
    assert isinstance(made, Result)
    path = made.save(tmp_path / "result.json")
    again = type(made).load(path)
    assert again == made
    assert again.to_dict(draws=True) == made.to_dict(draws=True)
    text = json.dumps(made.to_dict(draws=True), indent=2, allow_nan=False) + "\n"
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("kind", WHOLE)
def test_a_page_is_written_where_there_is_one(kind: str, tmp_path: Path) -> None:
    made, path = results()[kind], tmp_path / "page.html"
    if isinstance(made, en.results.Explanation):
        assert made.save(path).read_text(encoding="utf-8").startswith("<!doctype html>")
        return
    with pytest.raises(InputError, match="page"):
        made.save(path)
    assert not path.exists()


@pytest.mark.parametrize("kind", WHOLE)
def test_a_result_is_a_table_of_its_rows(kind: str) -> None:
    made = results()[kind]
    frame = made.to_frame()
    assert frame.num_rows == len(made.rows()) > 0
    assert frame.column_names == list(made.rows()[0])
    lines = made.to_markdown().splitlines()
    assert lines[1].startswith("| ---")
    printed = (
        made.pick() if kind.endswith("thresholds") else made.rows()
    )  # a hundred rows fit no paper
    assert lines.index("") == 2 + len(printed)
    assert made.to_latex().count("\\\\\n") == 1 + len(printed)


@pytest.mark.parametrize("kind", WHOLE)
def test_a_notebook_shows_html_that_runs_nothing(kind: str) -> None:
    shown = results()[kind]._repr_html_()
    assert shown.lstrip().startswith("<")
    assert "<script" not in shown
    assert "{{" not in shown


@pytest.mark.parametrize("kind", WITH_DRAWS)
def test_draws_that_are_kept_answer_for_other_levels(kind: str) -> None:
    made = results()[kind]
    text = json.dumps(made.to_dict(draws=True), allow_nan=False)
    again = type(made).from_dict(json.loads(text))
    assert again == made
    assert np.array_equal(again.draws, made.draws, equal_nan=True)
    for level, side in ((0.8, "two-sided"), (0.9, "lower"), (0.9, "upper")):
        asked = {"confidence_level": level, "side": side}
        assert again.at(**asked) == made.at(**asked)
    with pytest.raises(EvidenceError, match="not kept"):
        type(made).from_dict(made.to_dict()).at(confidence_level=0.8)


def test_errors_by_formula_need_no_draws_for_other_levels() -> None:
    for kind in ("jackknife", "influence", "given slope"):
        made = results()[kind]
        again = type(made).from_dict(made.to_dict())
        assert again.at(confidence_level=0.5) == made.at(confidence_level=0.5)
        kept = type(made).from_dict(made.to_dict(draws=True))
        assert np.array_equal(kept.influences, made.influences)


def test_a_nested_cross_validation_can_be_pickled_and_shown() -> None:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 20)
    search = en.SearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}, cv=3, scoring="accuracy"
    )
    made = en.nested_cv(search, y[:, None] + rng.standard_normal((40, 2)), y)
    again = pickle.loads(pickle.dumps(made))
    assert again.estimate == made.estimate
    assert repr(again) == repr(made)
    assert made._repr_html_() == made.estimate._repr_html_()


WRONG = ("x", [], {"a": 1}, [["a"]], True, 10**400)
DELETED = object()


def list_places(data: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the place of every part of plain data, in a list those of its ends."""
    if place:
        yield place
    parts = data.items() if isinstance(data, dict) else ()
    if isinstance(data, list) and data:
        parts = sorted({0: data[0], len(data) - 1: data[-1]}.items())
    for key, part in parts:
        yield from list_places(part, (*place, key))


def damage(data: Any, place: tuple[str | int, ...], value: object) -> Any:
    """Return plain data with another value in one place, or without it."""
    key, *rest = place
    damaged = data.copy()
    if rest:
        damaged[key] = damage(data[key], tuple(rest), value)
    elif value is DELETED:
        del damaged[key]
    else:
        damaged[key] = value
    return damaged


FIELD_BY_FIELD = [kind for kind in WHOLE if kind not in ("table", "thresholds")]
SMALL = {"model plan": 90}  # of fewer fields
EVERY = {"explanation": 7}  # of its thousand places: the same parts come again for every region
MANY = 200  # places, from which on each is damaged in a third of the ways, all of them in turn


@pytest.mark.parametrize("kind", FIELD_BY_FIELD)
def test_damaged_data_are_refused_or_can_be_shown(kind: str) -> None:
    made = results()[kind]
    data = made.to_dict(draws=True)
    refused, step = 0, EVERY.get(kind, 1)
    places = list(list_places(data))[::step]
    for number, place in enumerate(places):
        ways = (*WRONG, DELETED)
        for value in ways if len(places) < MANY else ways[number % 3 :: 3]:
            try:
                read = type(made).from_dict(damage(data, place, value))
            except FormatError:
                refused += 1
                continue
            assert repr(read), (place, value)
            assert read.to_markdown(), (place, value)
            json.dumps(read.to_dict(draws=True))
    assert refused > SMALL.get(kind, 100)


# What is written and not read: derived properties, and what any method may say of itself.
NOT_READ = {
    "knobs",
    "sentence",
    "more_items",
    "runs",
    *en.results.Estimate.derived,
    *en.results.Comparison.derived,
    *en.results.Subgroups.derived,
    *Inclusion.derived,
    *en.results.ModelPlan.derived,
}
# The same of an explanation, and values of hyperparameters, which are of any type.
OF_EFFECTS = {"unbiased", *en.results.EffectCurve.derived}
OF_EFFECTS |= {"grid", "trials", "best", "best_config", "configs", "ranges", "limits"}


@pytest.mark.parametrize("kind", FIELD_BY_FIELD)
def test_words_where_a_number_belongs_are_refused_wherever_they_stand(kind: str) -> None:
    made = results()[kind]
    data = made.to_dict(draws=True)
    free = NOT_READ | (OF_EFFECTS if kind == "explanation" else set())
    for place in list(list_places(data))[:: EVERY.get(kind, 1)]:
        if isinstance(reduce(getitem, place, data), float) and not free & set(place):
            with pytest.raises(FormatError):
                type(made).from_dict(damage(data, place, "x"))


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e400", "-1.5E+309"])
def test_a_file_with_a_number_that_json_does_not_have_is_refused(word: str, tmp_path: Path) -> None:
    made, path = results()["comparison"], tmp_path / "result.json"
    text = json.dumps(made.to_dict() | {"difference": 0.123456})
    path.write_text(text.replace("0.123456", word), encoding="utf-8")
    with pytest.raises(FormatError, match="JSON"):
        en.results.Comparison.load(path)


@pytest.mark.parametrize(
    ("kind", "place", "gap"),
    [
        ("curve", ("grid", 0), None),
        ("curve", ("trials", 0), None),
        ("surface", ("grids", 0, 0), None),
        ("surface", ("trials", 0), [None, "a"]),
    ],
)
def test_an_effect_with_a_gap_on_an_axis_of_numbers_is_refused(
    kind: str, place: tuple[str | int, ...], gap: object
) -> None:
    made = explained().effects["rate"] if kind == "curve" else explained().effect2d("rate", "kind")
    with pytest.raises(FormatError, match="missing"):
        type(made).from_dict(damage(made.to_dict(), place, gap))


@pytest.mark.parametrize(
    ("kind", "place", "value"),
    [
        ("curve", ("n_points", 0), 1.5),
        ("curve", ("n_points", 0), None),
        ("curve", ("mean", 0), "x"),
        ("curve", ("mean",), {}),
        ("curve", ("codes", 0), [0.5]),
        ("curve", ("objective", "greater_is_better"), 1),
        ("surface", ("mean", 0, 0), "x"),
        ("surface", ("mean", 0), 0.5),
        ("surface", ("sd",), []),
        ("surface", ("params",), ["rate"]),
        ("surface", ("n_points",), 1.5),
    ],
)
def test_an_effect_of_other_types_is_refused(
    kind: str, place: tuple[str | int, ...], value: object
) -> None:
    made = explained().effects["rate"] if kind == "curve" else explained().effect2d("rate", "kind")
    assert type(made).from_dict(json.loads(json.dumps(made.to_dict()))) == made
    with pytest.raises(FormatError):
        type(made).from_dict(damage(made.to_dict(), place, value))


@pytest.mark.parametrize("count", ["positives", "negatives"])
def test_limits_of_no_cases_are_refused_when_they_are_loaded(count: str) -> None:
    made = results()["tilted"]
    data = made.to_dict(draws=True)
    with pytest.raises(FormatError):
        en.results.Estimate.from_dict(damage(data, ("limits_from", "fallback", count), 0))


@pytest.mark.parametrize("place", [("thresholds",), ("curves", "ppv", "naive")])
def test_thresholds_with_a_curve_of_another_length_are_refused(place: tuple[str, ...]) -> None:
    data = results()["thresholds"].to_dict()
    for part in ([], reduce(getitem, place, data)[1:]):
        with pytest.raises(FormatError):
            en.results.Thresholds.from_dict(damage(data, place, part))


def list_drawn() -> set[type]:
    """Every class of the package with a figure of its own."""
    classes = set()
    for module in pkgutil.walk_packages(en.__path__, "earnest."):
        if ".plotting" in module.name or "__main__" in module.name:
            continue
        for _, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if kind.__module__ == module.name and "plot" in vars(kind):
                classes.add(kind)
    return classes


def test_every_figure_is_promised_as_axes() -> None:
    drawn = list_drawn()
    assert {type(results()[kind]) for kind in KINDS if hasattr(results()[kind], "plot")} <= drawn
    for kind in drawn:
        signature = inspect.signature(kind.plot)
        assert signature.return_annotation == "Axes", kind
        place = list(signature.parameters.values())[1]
        assert (place.name, place.annotation) in (
            ("ax", "Axes | None"),
            ("figure", "Figure | None"),
        ), kind


def test_every_result_with_a_figure_returns_the_axes_that_it_drew_where_it_is_told() -> None:
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    made = {**results(), "importance": explained().importance}
    drawn = {type(result): result for result in made.values() if hasattr(result, "plot")}
    assert set(drawn) == list_drawn()
    for result in drawn.values():
        ax = result.plot()
        assert isinstance(ax, Axes)
        assert ax.figure.axes[0] is ax
        figure = Figure()
        one = "ax" in inspect.signature(result.plot).parameters
        place = {"ax": figure.add_subplot()} if one else {"figure": figure}
        again = result.plot(**place)
        assert isinstance(again, Axes)
        assert again.figure is figure
        assert not one or again is place["ax"]
        plt.close("all")
