"""What is registered is known at every door, and what is removed is known at none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut
from sklearn.naive_bayes import GaussianNB

import earnest as en
from earnest import Target
from earnest.adapters import readers
from earnest.comparison import TESTS, SupportedMetrics, TestSpec
from earnest.comparison import base as comparison
from earnest.comparison.base import Question
from earnest.comparison.fold_differences import FoldReading, read_fold_differences
from earnest.core import ComparisonEstimand, Estimand, Evidence, Registry, Unit
from earnest.core.results.specs import Design, MethodSpec
from earnest.kernels import fold_scores
from earnest.learners import Inputs, load_portfolio
from earnest.methods import METHODS
from earnest.methods import base as methods
from earnest.metrics import METRICS
from earnest.metrics import families as metrics
from earnest.resampling import RESAMPLERS, Weights
from earnest.training import MODELS
from earnest.training.learners.catalogue import Knob, PortfolioKind, register_model
from earnest.training.tune.model import list_trusted_types
from tests.cli.conftest import Run
from tests.cli.plug_in import load_module
from tests.docs.test_code_blocks import generate
from tests.snapshots import Golden

PAGE = load_module()  # the method and the metric of the page on plug-ins
Y = np.tile([0, 1], 30)
X = Y[:, None] + np.random.default_rng(0).normal(size=(60, 2))


@pytest.fixture
def pi() -> en.Predictions:
    """Six configurations for sixty cases in five folds; seed 1."""
    scores = Y[:, None] + np.random.default_rng(1).standard_normal((60, 6))
    return en.Predictions.from_arrays(Y, scores, np.arange(60) // 2 % 5)


@contextmanager
def unregistered_after(registry: Registry[Any], name: str) -> Iterator[None]:
    """Take a thing out of its registry again."""
    try:
        yield
    finally:
        registry.remove(name)


# ---- a method: one class, one line


@contextmanager
def with_method() -> Iterator[None]:
    methods.register(PAGE.MedianFold)
    with unregistered_after(METHODS, "median_fold"):
        yield


def answers_of(pi: en.Predictions) -> list[str]:
    return [made.method for made in en.estimate_all(pi, metric="accuracy", n_resamples=20, rng=0)]


def test_a_method_is_asked_by_estimate_and_estimate_all(pi: en.Predictions) -> None:
    with with_method():
        made = en.estimate(pi, method="Median fold", metric="accuracy")
        assert (made.method, made.interval) == ("median_fold", None)
        assert "median_fold" in answers_of(pi)
    assert "median_fold" not in answers_of(pi)
    with pytest.raises(en.errors.UnknownNameError):
        en.estimate(pi, method="median_fold", metric="accuracy")


def test_a_method_is_trained_for_by_assess_and_assess_all() -> None:
    given: dict[str, Any] = {"metric": "accuracy", "rng": 0, "cv": 5}
    with with_method():
        made = en.assess(GaussianNB(), X, Y, method="median_fold", **given)
        every = en.assess_all(GaussianNB(), X, Y, n_replicates=5, **given)
        assert made.value == next(one.value for one in every if one.method == "median_fold")
        fits: list[int] = []
        with pytest.raises(en.errors.EvidenceError, match="fold of one case"):
            en.assess(
                Counted(fits), X, Y, method="median_fold", metric="accuracy", cv=LeaveOneOut()
            )
        assert fits == []  # its check is asked before any training
    with pytest.raises(en.errors.UnknownNameError):
        en.assess(GaussianNB(), X, Y, method="median_fold", **given)


class Counted(GaussianNB):
    """A learner that counts its fits in a list that all of its copies share."""

    def __init__(self, fits: list[int]) -> None:
        super().__init__()
        self.fits = fits

    def fit(self, X: Any, y: Any) -> Counted:
        self.fits.append(len(y))
        return super().fit(X, y)  # type: ignore[no-any-return]  # scikit-learn has no types

    def __sklearn_clone__(self) -> Counted:
        return Counted(self.fits)


@dataclass(frozen=True, kw_only=True)
class FirstFold:
    """The score of the first outer fold of a nested search."""

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="first_fold",
        title="First outer fold",
        needs=Evidence.NESTED,
        design=Design.SEARCH,
        estimand=Estimand.PROCEDURE,
        cites="Stone 1974",
        min_folds=3,
        interval=False,
    )

    def __call__(self, call: methods.Call) -> methods.EstimateParts:
        scores = fold_scores(call.pi, call.metric)[:, 0, 0]
        return methods.EstimateParts(value=float(scores[0]), winner=0)


def test_a_method_of_nested_searches_reads_their_evidence() -> None:
    search = en.SearchCV(
        LogisticRegression(), {"C": [0.1, 1]}, cv=3, scoring="accuracy", random_state=0
    )
    found = en.nested_cv(search, X, Y)
    made = en.assess(search, X, Y, method=FirstFold(), metric="accuracy")
    assert (made.method, made.value) == ("first_fold", found.fold_scores[0])


def test_a_method_stands_in_the_report_with_its_paper(pi: en.Predictions) -> None:
    asked: dict[str, Any] = {"metric": "accuracy", "n_resamples": 20, "rng": 0, "explain": False}
    with with_method():
        html = en.report(pi, **asked).to_html()
        assert "Median fold" in html
        assert "The median fold" in html
    html = en.report(pi, **asked).to_html()
    assert "Median fold" not in html
    assert "doe2026" not in html


def test_a_method_is_listed_and_cited_on_the_command_line(
    run: Run, table: Path, golden: Golden
) -> None:
    ask = ("estimate", table, "--metric", "accuracy", "--method", "median_fold", "--json")
    with with_method():
        listed = json.loads(run("methods", "--json").out)["methods"]
        assert "median_fold" in [one["name"] for one in listed]
        assert "@article{doe2026," in run("methods", "median_fold", "--bibtex").out
        golden.check_line(run("methods", "median_fold").out, "Median of")
        assert json.loads(run(*ask).out)["method"] == "median_fold"
        assert any("The median fold" in words for words in en.results.references("median_fold"))
    assert run(*ask).code == 2
    assert "median_fold" not in run("methods", "--json").out
    with pytest.raises(en.errors.UnknownNameError):
        en.results.references("median_fold")


def test_a_method_stands_in_the_tables_of_the_documentation() -> None:
    tables = generate.tables
    with with_method():
        assert "`median_fold`" in tables.estimands_table()
        assert "`median_fold`" in tables.methods_table("learner")
        assert "`earnest.methods.MedianFold`" in tables.facts_table("median_fold")
    assert "`median_fold`" not in tables.estimands_table()


def test_a_design_must_make_the_evidence_that_the_method_needs() -> None:
    for design in (Design.REPLICATES, Design.HALVES, Design.SEARCH):
        with pytest.raises(ValueError, match=r"needs out-of-sample predictions"):
            replace(PAGE.MedianFold.spec, design=design)


# ---- a metric


def test_a_metric_is_measured_and_listed(run: Run, table: Path, pi: en.Predictions) -> None:
    ask = ("estimate", table, "--metric", "hit_rate", "--n-resamples", "20", "--rng", "0")
    metrics.register(PAGE.hit_rate)
    with unregistered_after(METRICS, "hit_rate"):
        value = en.estimate(pi, method="naive", metric="Hit-Rate").value
        assert value == pytest.approx(en.estimate(pi, method="naive", metric="accuracy").value)
        assert "hit_rate" in run("metrics", "--json").out
        assert json.loads(run(*ask, "--json").out)["metric"] == "hit_rate"
    assert "hit_rate" not in run("metrics", "--json").out
    assert run(*ask).code == 2


# ---- a test of two configurations


@dataclass(frozen=True, kw_only=True)
class PlainT:
    """The paired t test of fold scores, as if folds were independent."""

    spec: ClassVar[TestSpec] = TestSpec(
        name="plain_t",
        title="Plain t test",
        estimand=ComparisonEstimand.LEARNERS,
        metrics=SupportedMetrics.ANY,
        cites="Doe 2026, table 1",
        papers=PAGE.MedianFold.spec.papers,
        min_folds=2,
        aliases=("ttest_plain",),
    )

    def read(self, question: Question) -> FoldReading:
        return read_fold_differences(self.spec, question, corrected=False, remarks=())


def test_a_test_compares_is_listed_and_is_cited(run: Run, table: Path, pi: en.Predictions) -> None:
    ask = ("compare", table, "svm C=0", "svm C=1", "--metric", "accuracy", "--test", "plain_t")
    comparison.register(PlainT)
    with unregistered_after(TESTS, "plain_t"):
        made = en.compare(pi, 0, 1, metric="accuracy", test="ttest_plain")
        assert made.test == "plain_t"
        assert any("The median fold" in words for words in en.results.references(made))
        assert "plain_t" in run("tests", "--json").out
        assert "@article{doe2026," in run("tests", "plain_t", "--bibtex").out
        assert run(*ask).code == 0
        assert "`plain_t`" in generate.tables.tests_table()
    assert "plain_t" not in run("tests", "--json").out
    assert run(*ask).code == 2
    assert "`plain_t`" not in generate.tables.tests_table()


# ---- a resampler


@dataclass(frozen=True)
class Halves:
    """Draw half of the cases without replacement."""

    name: ClassVar[str] = "halves"
    has_out_of_bag: ClassVar[bool] = True

    def draw(self, target: Target, count: int, rng: np.random.Generator, accept: Any) -> Weights:
        order = np.argsort(rng.random((count, target.n)), axis=1)
        return Weights((order < target.n // 2).astype(np.uint8), Unit.CASE)


def test_a_resampler_is_drawn_by_its_name(pi: en.Predictions) -> None:
    given: dict[str, Any] = {"metric": "accuracy", "rng": 0}
    alone = en.estimate(pi, method=en.methods.BBC(resampler=Halves(), n_resamples=50), **given)
    RESAMPLERS.add(Halves.name, Halves())
    with unregistered_after(RESAMPLERS, "halves"):
        made = en.estimate(pi, method="bbc(resampler='halves', n_resamples=50)", **given)
        assert made.value == alone.value
        assert made.provenance.knobs["resampler"] == "halves"
    with pytest.raises(en.errors.UnknownNameError):
        en.estimate(pi, method="bbc(resampler='halves')", **given)


# ---- a model of portfolios


def test_a_model_is_named_by_portfolios_and_may_be_loaded_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('format = 1\n[[model]]\nmodel = "logistic"\nC = [0.1, 1]\n', encoding="utf-8")
    inputs = Inputs(("a", "b"), (0, 0), (False, False), n_cases=60)
    kind = PortfolioKind(
        lambda task, params, seed: LogisticRegression(**params),
        tasks=("binary",),
        knobs={"C": Knob(open_low=True)},
        types=("a_package.a_type",),
    )
    register_model("logistic", kind)
    with unregistered_after(MODELS, "logistic"):
        grid = load_portfolio(path).configurations("binary", inputs, rng=0)
        assert sorted(one.params["C"] for one in grid) == [0.1, 1.0]
        assert {one.family for one in grid} == {"logistic"}
        assert all(one.estimator.fit(X, Y).score(X, Y) > 0.5 for one in grid)
        assert "a_package.a_type" in list_trusted_types()
    with pytest.raises(en.errors.FormatError):
        load_portfolio(path)
    assert "a_package.a_type" not in list_trusted_types()


# ---- readers of another tool


def is_mine(source: object) -> bool:
    return isinstance(source, str | Path) and Path(source).suffix == ".mine"


def read_mine(source: Any, wanted: Any) -> en.Predictions:
    wanted.refuse("a file of mine", "store", "study")
    rows = np.loadtxt(source, delimiter=" ")
    return en.Predictions.from_arrays(rows[:, 0].astype(int), rows[:, 2:], rows[:, 1])


def read_my_trials(source: Any, ask: Any) -> en.Trials:
    values = np.loadtxt(source, delimiter=" ")[:, 2]
    configs = [{"C": float(i)} for i in range(len(values))]
    return en.Trials.from_configs(configs, values, direction="maximize")


MINE = readers.PredictionsReader(
    name="mine", words="a file of mine", takes=is_mine, read=read_mine, tool="My tool"
)
MY_TRIALS = readers.TrialsReader(
    name="mine", words="a file of mine", takes=is_mine, read=read_my_trials
)


def test_a_reader_recognises_its_files_in_python_and_on_the_command_line(
    run: Run, tmp_path: Path
) -> None:
    path, out = tmp_path / "run.mine", tmp_path / "out.csv"
    scores = np.random.default_rng(2).random((60, 3))
    np.savetxt(path, np.column_stack([Y, np.arange(60) % 5, scores]))
    readers.register(MINE)
    readers.register(MY_TRIALS)
    with (
        unregistered_after(readers.PREDICTIONS_READERS, "mine"),
        unregistered_after(readers.TRIALS_READERS, "mine"),
    ):
        assert en.predictions_from(path).n_configs == 3
        assert len(en.trials_from(path)) == 60
        told = json.loads(run("gather", path, "-o", out, "--json").out)
        assert (told["tool"], told["n_configs"]) == ("My tool", 3)
        refusal = run("estimate", path, "--metric", "accuracy")
        assert refusal.code == 2
        assert "earnest gather" in refusal.err
        with pytest.raises(en.errors.InputError) as nothing:
            en.predictions_from(3.5)
        assert "a file of mine" in nothing.value.needs
    with pytest.raises(en.errors.FormatError):
        en.predictions_from(path)


def test_what_is_no_reader_cannot_be_registered() -> None:
    with pytest.raises(TypeError, match="PredictionsReader"):
        readers.register(readers.Reader(name="x", words="x", takes=is_mine))
