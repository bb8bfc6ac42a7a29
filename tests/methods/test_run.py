"""The verbs `estimate` and `estimate_all`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest import Predictions, estimate, estimate_all
from earnest.core import DrawUnit, Estimand, Evidence, Task
from earnest.core.results.specs import MethodSpec
from earnest.errors import InputError
from earnest.methods import BBC, METHODS, HoldOut, run
from earnest.methods.base import Call, EstimateParts, takes_metric
from earnest.metrics import METRICS
from earnest.metrics.families import Need
from earnest.testing import squared_error
from earnest.testing.examples import example_for, example_predictions
from tests.snapshots import Golden

OVER_FOLDS = ["bayle_all_pairs", "bayle_within_fold", "bbc_fold", "tibshirani"]
NAMES = [
    "bayle_all_pairs",
    "bayle_within_fold",
    "bbc",
    "bbc_fold",
    "delong",
    "hanley_mcneil",
    "holdout",
    "mabt",
    "naive",
    "naive_bootstrap",
    "near_winner",
    "tibshirani",
    "tilted",
]


# ---- knobs and instances


def test_an_instance_is_its_name_with_knobs(binary: Predictions) -> None:
    named = estimate(binary, method="bbc", metric="roc_auc", n_resamples=64, rng=1)
    made = estimate(binary, method=BBC(n_resamples=64), metric="roc_auc", rng=1)
    assert json.dumps(named.to_dict(draws=True)) == json.dumps(made.to_dict(draws=True))


@pytest.mark.parametrize("name", ["delong", "hanley_mcneil", "tilted"])
def test_a_10p_name_is_the_method_with_its_knob(name: str) -> None:
    pi = example_predictions("binary", n_cases=200, n_configs=30)
    kind = METHODS[name]
    wanted = estimate(pi, method=kind(preselect=0.1), metric="roc_auc", rng=0)
    for spelled in (f"{name}_10p", f"{name}-10p", f"{name}_10p()", f"{name}(preselect=0.1)"):
        assert estimate(pi, method=spelled, metric="roc_auc", rng=0) == wanted
    assert wanted.method == name
    assert wanted.provenance.knobs["preselect"] == 0.1
    assert wanted.estimand == Estimand.CHOSEN_ON_EVALUATION
    more = estimate(pi, method=f"{name}_10p(preselect=0.5)", metric="roc_auc", rng=0)
    assert len(more.details.candidates) > len(wanted.details.candidates) > 1
    assert METHODS.canonical(f"{name}_10p") == name
    with pytest.raises(InputError, match="preselect"):
        kind(preselect=1.5)


@pytest.mark.parametrize("alias", ["bbc_f", "cvt", "nb", "tt"])
def test_aliases_answer_under_the_name(binary: Predictions, alias: str) -> None:
    made = estimate(binary, method=alias, metric="roc_auc", rng=0)
    assert made.method == METHODS[alias].spec.name != alias


def test_a_knob_beside_an_instance_is_refused(binary: Predictions) -> None:
    with pytest.raises(en.errors.InputError, match="with a configured method") as refusal:
        estimate(binary, method=BBC(), metric="roc_auc", n_resamples=10)
    assert "BBC(" in refusal.value.cure


def test_a_name_with_knobs_is_an_instance(binary: Predictions) -> None:
    one = binary.select(0)
    named = estimate(one, method="delong(variant='logit')", metric="roc_auc", rng=1)
    made = estimate(one, method=en.methods.DeLong(variant="logit"), metric="roc_auc", rng=1)
    assert named == made != estimate(one, method="delong", metric="roc_auc", rng=1)
    short = estimate(binary, method=" nb(n_resamples=64) ", metric="roc_auc", rng=1)
    assert (short.method, short.n_resamples) == ("naive_bootstrap", 64)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("delong(variant=", "cannot be read"),
        ("delong('logit')", "cannot be read"),
        ("delong(variant=print())", "cannot be read"),
        ("delong(evalute=0.5)", "has no option `evalute`"),
        ("delong(variant='x')", "variant"),
        ("delonge(variant='logit')", "unknown"),
    ],
)
def test_a_name_with_wrong_knobs_is_refused(binary: Predictions, method: str, words: str) -> None:
    with pytest.raises(en.errors.EarnestError, match=words):
        estimate(binary, method=method, metric="roc_auc")
    with pytest.raises(en.errors.EarnestError, match=words):
        estimate_all(binary, methods=[method], metric="roc_auc")


def test_a_knob_typed_with_the_name_and_given_beside_it_is_refused(binary: Predictions) -> None:
    with pytest.raises(en.errors.InputError, match="`n_resamples` given twice"):
        estimate(binary, method="bbc(n_resamples=50)", metric="roc_auc", n_resamples=60)


def test_a_typed_knob_is_kept_where_others_get_the_common_one(binary: Predictions) -> None:
    names = ["bbc(n_resamples=50)", "naive_bootstrap"]
    table = estimate_all(binary, methods=names, metric="roc_auc", n_resamples=60, rng=0)
    assert [made.n_resamples for made in table] == [50, 60]


def test_a_knob_that_a_method_lacks_is_refused(binary: Predictions) -> None:
    for method, knobs in (("naive", {"n_resamples": 5}), ("bbc_fold", {"undefined": "drop"})):
        with pytest.raises(en.errors.InputError, match="has no option"):
            estimate(binary, method=method, metric="roc_auc", **knobs)


def test_a_misspelt_method_is_answered_with_the_nearest(binary: Predictions) -> None:
    with pytest.raises(en.errors.UnknownNameError, match="bbc_fold"):
        estimate(binary, method="bbc_folds", metric="roc_auc")


@pytest.mark.parametrize("method", [3, object()])
def test_what_is_no_method_is_refused(binary: Predictions, method: Any) -> None:
    with pytest.raises(en.errors.InputError, match="`method`"):
        estimate(binary, method=method, metric="roc_auc")


def test_a_class_in_place_of_an_instance_is_refused_with_the_cure(binary: Predictions) -> None:
    with pytest.raises(en.errors.InputError, match="`method`") as refusal:
        estimate(binary, method=BBC, metric="roc_auc")
    assert "BBC()" in refusal.value.cure


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("confidence_level", 95),
        ("confidence_level", 1.0),
        ("confidence_level", "high"),
        ("side", "left"),
        ("side", None),
        ("selector", "best"),
        ("selector", 3),
        ("selector", ["pooled"]),
        ("undefined", "ignore"),
        ("n_resamples", 0),
        ("n_resamples", 2.5),
        ("rng", -1),
        ("rng", "seven"),
        ("n_jobs", 0),
        ("n_jobs", 1.5),
        ("metric", "auroc_of_nothing"),
        ("metric", 3),
    ],
)
def test_bad_arguments_are_refused_before_any_work(
    binary: Predictions, monkeypatch: pytest.MonkeyPatch, name: str, value: Any
) -> None:
    def never(*args: Any, **options: Any) -> Any:
        raise RuntimeError("work was begun")

    monkeypatch.setattr(run, "no_information", never)
    monkeypatch.setattr(BBC, "__call__", never)
    arguments = {"metric": "roc_auc", name: value}
    if name == "selector":  # a method looks its selector up when it is called
        monkeypatch.undo()
    with pytest.raises(en.errors.EarnestError):
        estimate(binary, method="bbc", **arguments)


def test_a_selector_too_deep_to_be_shown_is_refused(binary: Predictions, golden: Golden) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with golden.raises(en.errors.EarnestError):
        estimate(binary, metric="roc_auc", selector=deep)
    while deep:  # else Python unwinds all levels at once
        (deep,) = deep


def test_a_level_in_percent_is_answered_with_the_share(binary: Predictions) -> None:
    with pytest.raises(en.errors.InputError, match=r"use 0\.95"):
        estimate(binary, metric="roc_auc", confidence_level=95)


def test_anything_but_predictions_is_refused(golden: Golden) -> None:
    with pytest.raises(en.errors.EvidenceError) as refusal:
        estimate(np.zeros((3, 2)), metric="roc_auc")
    golden.check(str(refusal.value))


@pytest.mark.parametrize("ask", [estimate, estimate_all])
def test_what_is_no_evidence_is_told_before_a_metric_is_asked_for(ask: Callable[..., Any]) -> None:
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]})
    with pytest.raises(en.errors.InputError, match=r"earnest\.SearchCV"):
        ask(search)  # not fitted
    with pytest.raises(en.errors.EvidenceError, match="SearchCV"):
        ask(DecisionTreeClassifier())


def test_what_is_no_evidence_is_refused_for_named_methods_too(golden: Golden) -> None:
    with pytest.raises(en.errors.EvidenceError) as refusal:
        en.estimate_all([1, 2], methods=["bbc"], metric="accuracy")
    golden.check(str(refusal.value))  # type: ignore[arg-type]


def test_a_metric_of_another_task_is_refused(regression: Predictions) -> None:
    with pytest.raises(en.errors.MetricError, match="regression"):
        estimate(regression, metric="roc_auc")


def test_threads_never_change_a_result(binary: Predictions) -> None:
    runs = [estimate(binary, metric="roc_auc", rng=0, n_jobs=j).to_dict(draws=True) for j in (1, 2)]
    assert json.dumps(runs[0]) == json.dumps(runs[1])


@pytest.mark.parametrize(
    "rng", [7, np.int64(7), np.random.SeedSequence(7)], ids=["int", "numpy int", "sequence"]
)
def test_the_same_seed_in_any_form_gives_the_same_draws(binary: Predictions, rng: Any) -> None:
    made = estimate(binary, metric="roc_auc", n_resamples=64, rng=rng)
    assert made.provenance.seed == 7
    np.testing.assert_array_equal(
        made.draws, estimate(binary, metric="roc_auc", n_resamples=64, rng=7).draws
    )


def test_without_a_seed_the_recorded_one_repeats_the_result(binary: Predictions) -> None:
    first = estimate(binary, metric="roc_auc", n_resamples=64)
    again = estimate(binary, metric="roc_auc", n_resamples=64, rng=first.provenance.seed)
    assert first == again
    np.testing.assert_array_equal(first.draws, again.draws)
    other = estimate(binary, metric="roc_auc", n_resamples=64)
    assert other.provenance.seed != first.provenance.seed


# ---- what is added to every answer


def test_the_zero_point_is_the_best_constant_prediction(
    binary: Predictions, regression: Predictions
) -> None:
    y = regression.target.y
    assert estimate(binary, method="naive", metric="roc_auc").no_information == 0.5
    assert estimate(binary, method="naive", metric="accuracy").no_information == 0.5
    made = estimate(regression, method="naive", metric=squared_error)
    assert made.no_information == pytest.approx(y.var())


def test_a_large_optimism_is_cautioned_of_with_its_share() -> None:
    rng = np.random.default_rng(0)
    pi = Predictions.from_arrays(np.tile([0, 1], 30), rng.random((60, 50)))
    made = estimate(pi, metric="roc_auc", rng=0)
    assert made.share_lost is not None
    assert made.share_lost > 0.05
    assert made.optimism is not None
    assert made.naive is not None
    assert made.share_lost == pytest.approx(made.optimism / (made.naive - 0.5))
    assert "EN001" in {c.code for c in made.cautions}


def test_cautions_come_before_notes_and_in_the_order_of_their_codes(repeated: Predictions) -> None:
    cautions = estimate(repeated.select("c0"), method="bbc_fold", metric="roc_auc").cautions
    keys = [(str(c.severity) == "note", c.code) for c in cautions]
    assert keys == sorted(keys)
    assert {True, False} == {note for note, _ in keys}


def test_few_resamples_for_the_level_are_cautioned_of(binary: Predictions) -> None:
    rough = estimate(binary, metric="roc_auc", n_resamples=100, rng=0)
    fine = estimate(binary, metric="roc_auc", n_resamples=200, rng=0)
    assert "EN016" in {c.code for c in rough.cautions}
    assert "EN016" not in {c.code for c in fine.cautions}


# ---- estimate_all


def test_all_methods_answer_with_the_defaults_of_estimate(binary: Predictions) -> None:
    table = estimate_all(binary, metric="roc_auc", rng=3)
    assert [e.method for e in table] == NAMES
    for made in table:
        assert made == estimate(binary, method=made.method, metric="roc_auc", rng=3)


def test_a_knob_goes_to_the_methods_that_have_it(binary: Predictions) -> None:
    table = estimate_all(binary, metric="roc_auc", n_resamples=80, rng=0)
    assert table["bbc"].n_resamples == 80
    assert table["naive"].n_resamples is None
    assert table["bbc_fold"].provenance.knobs["n_resamples"] == 80


def test_a_method_that_cannot_answer_says_why(binary: Predictions) -> None:
    whole = Predictions.from_arrays(binary.target.y, binary.responses[:, :, 0])
    table = estimate_all(whole, metric="roc_auc", rng=0)
    assert [e.method for e in table] == [name for name in NAMES if name not in OVER_FOLDS]
    assert list(table.refused) == OVER_FOLDS
    assert all("fold" in str(reason) for reason in table.refused.values())
    with pytest.raises(en.errors.UnknownNameError, match="folds"):
        table["tibshirani"]


def test_no_answer_at_all_is_an_error() -> None:
    pi = Predictions.from_arrays([1, 0, 0, 0], [0.3, 0.2, 0.5, 0.1])
    with pytest.raises(en.errors.EvidenceError, match="no method fits"):
        estimate_all(pi, methods=["bbc", "bbc_fold"], metric="roc_auc")


def test_no_method_at_all_is_an_error(binary: Predictions) -> None:
    with pytest.raises(en.errors.InputError, match="no method"):
        estimate_all(binary, methods=[], metric="roc_auc")


def test_names_and_instances_may_be_mixed(binary: Predictions) -> None:
    table = estimate_all(
        binary,
        methods=["naive", BBC(n_resamples=64), HoldOut(evaluate=0.5)],
        metric="roc_auc",
        n_resamples=30,
        rng=0,
    )
    assert [e.method for e in table] == ["naive", "bbc", "holdout"]
    assert table["bbc"].n_resamples == 64


def test_methods_use_the_same_resamples(binary: Predictions) -> None:
    single = binary.select("c4")
    table = estimate_all(single, methods=[BBC(undefined="drop"), "bbc"], metric="roc_auc", rng=5)
    first, second = (made.draws for made in table)
    np.testing.assert_array_equal(first, second)  # no draw of sixty cases lacks a class here


def test_intervals_that_do_not_meet_are_cautioned_of() -> None:
    # scores are good within a fold and on another level in each: pooling sees next to nothing
    y = np.tile([0, 1], 50)
    fold = np.arange(100) // 2 % 10
    noise = 0.2 * np.random.default_rng(0).standard_normal((100, 2))
    scores = y[:, None] + 10.0 * fold[:, None] + noise
    pi = Predictions.from_arrays(y, scores, fold)
    table = estimate_all(pi, methods=["bbc", "bbc_fold"], metric="roc_auc", rng=0)
    assert [c.code for c in table.cautions] == ["EN008"]
    assert "bbc and bbc_fold" in table.cautions[0].what
    assert "EN007" in {c.code for c in table["bbc"].cautions}


@dataclass(frozen=True)
class Guess:
    """A method of one's own that is in no registry."""

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="guess",
        title="A guess",
        needs=Evidence.OUT_OF_SAMPLE,
        estimand=Estimand.WINNER,
        cites="nobody",
        interval=False,
    )

    def __call__(self, call: Call) -> EstimateParts:
        """Return one half."""
        return EstimateParts(value=0.5, winner=0)


def test_a_method_of_ones_own_needs_no_registry(binary: Predictions) -> None:
    assert estimate(binary, method=Guess(), metric="roc_auc").value == 0.5
    table = estimate_all(binary, methods=["bbc", Guess(), "bbc_fold"], metric="roc_auc", rng=0)
    assert [e.method for e in table] == ["bbc", "guess", "bbc_fold"]


def test_one_name_in_place_of_a_list_is_one_method(binary: Predictions) -> None:
    table = estimate_all(binary, methods="naive", metric="roc_auc")
    assert [e.method for e in table] == ["naive"]


def test_a_callable_metric_that_refuses_constants_is_answered(regression: Predictions) -> None:
    def spread(y: np.ndarray, prediction: np.ndarray) -> float:
        if len(np.unique(prediction)) == 1:
            raise ValueError("a constant has no spread")
        return float(np.abs(y - prediction).mean())

    metric = en.metrics.make_metric(spread, greater_is_better=False, limits=(0, np.inf))
    made = estimate(regression, method="naive", metric=metric)
    assert made.no_information is None
    assert made.value > 0


def test_a_frame_is_read_and_what_is_none_is_told_how_it_becomes_predictions(
    golden: Golden,
) -> None:
    frame = pd.DataFrame({"y": [0, 1] * 10, "fold": [0, 0, 1, 1] * 5, "svm": np.arange(20) / 20})
    whole = Predictions.from_frame(frame)
    assert estimate(frame, metric="accuracy", rng=0) == estimate(whole, metric="accuracy", rng=0)
    with pytest.raises(en.errors.InputError, match="fold"):
        estimate(pd.DataFrame({"y": [0, 1]}), metric="roc_auc")
    with pytest.raises(en.errors.EvidenceError, match="from_arrays, from_frame or load"):
        estimate([0.1, 0.2], metric="roc_auc")
    with pytest.raises(en.errors.FormatError) as refusal:
        en.estimate("preds.csv", metric="roc_auc")
    golden.check(str(refusal.value))


# ---- what a spec says of metrics is what a method takes


def _own_refusal(method: Any, design: Any, target: Any, metric: Any) -> bool:
    """Tell whether a method refuses a metric by its own check, the spec aside."""
    try:
        method.check(target, design, metric)
    except en.errors.MetricError:
        return True
    except en.errors.EarnestError:  # of the folds, which is not asked here
        return False
    return False


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression", "survival"])
@pytest.mark.parametrize("name", [n for n in METHODS if hasattr(METHODS[n], "check")])
def test_a_method_refuses_by_itself_exactly_the_metrics_that_its_spec_excludes(
    name: str, task: str
) -> None:
    method = METHODS[name]()
    if method.spec.needs is Evidence.REPLICATES:
        target, design = example_predictions(Task(task)).target, DrawUnit.CASES
    else:
        design = example_for(method.spec, Task(task))
        target = design.target
    for metric in METRICS.values():
        # Models that answer with risks alone have no survival at times.
        if target.task in metric.tasks and metric.needs is not Need.SURVIVAL:
            mine = metric.on(target.task)
            excluded = not takes_metric(method.spec.metrics, mine, target)
            assert _own_refusal(method, design, target, mine) == excluded, metric.name
