"""Training on bootstrap samples: what is drawn, what is kept, what is refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics.pairwise import linear_kernel
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest.core import DrawUnit, Evidence, MetricFamily
from earnest.errors import EvidenceError, InputError, MetricError, StoreError
from earnest.methods import METHODS
from earnest.store import read_run
from tests.snapshots import Golden
from tests.training.interrupted import count_stored, interrupt
from tests.training.killed_replicates import DeadlyMean, trained

ROOT = Path(__file__).parents[3]
X, Y = make_classification(40, 4, random_state=0)


def same(one: en.Replicates, other: en.Replicates) -> bool:
    return one.fingerprint == other.fingerprint


def test_each_model_is_the_learner_trained_on_its_sample() -> None:
    made = en.bootstrap_train(GaussianNB(), X, Y, n_replicates=6, rng=1)
    for said, counts in zip(made.responses, made.counts, strict=True):
        rows = np.repeat(np.arange(40), counts)
        model = GaussianNB().fit(X[rows], Y[rows])
        np.testing.assert_array_equal(said, model.predict_proba(X)[:, 1])
    whole = GaussianNB().fit(X, Y)
    np.testing.assert_array_equal(made.apparent, whole.predict_proba(X)[:, 1])
    assert (made.learner, made.seed, made.n_failed) == ("GaussianNB", 1, 0)


def test_more_replicates_extend_the_earlier_ones() -> None:
    few, many = (
        en.bootstrap_train(DecisionTreeClassifier(), X, Y, n_replicates=n, rng=2) for n in (5, 9)
    )
    np.testing.assert_array_equal(many.counts[:5], few.counts)
    np.testing.assert_array_equal(many.responses[:5], few.responses)


def test_the_number_of_workers_does_not_matter() -> None:
    forest = RandomForestClassifier(3)  # without a seed of its own
    with parallel_config(backend="threading"):
        alone, both = (
            en.bootstrap_train(forest, X, Y, n_replicates=6, n_jobs=n, rng=3) for n in (1, 2)
        )
    assert same(alone, both)
    assert not same(alone, en.bootstrap_train(forest, X, Y, n_replicates=6, rng=4))


def test_a_learner_of_its_own_seed_keeps_it() -> None:
    made = en.bootstrap_train(
        RandomForestClassifier(3, random_state=7), X, Y, n_replicates=2, rng=3
    )
    rows = np.repeat(np.arange(40), made.counts[1])
    model = RandomForestClassifier(3, random_state=7).fit(X[rows], Y[rows])
    np.testing.assert_array_equal(made.responses[1], model.predict_proba(X)[:, 1])


def test_a_store_is_read_and_added_to(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    first = en.bootstrap_train(GaussianNB(), X, Y, n_replicates=4, store=path)
    more = en.bootstrap_train(GaussianNB(), X, Y, n_replicates=6, store=path)
    np.testing.assert_array_equal(more.responses[:4], first.responses)
    assert len(read_run(path).outcomes) == 7  # and the model of all cases
    assert same(en.bootstrap_train(GaussianNB(), X, Y, n_replicates=4, store=path), first)
    with pytest.raises(StoreError, match=r"seed|estimator"):
        en.bootstrap_train(GaussianNB(var_smoothing=0.1), X, Y, store=path)
    with pytest.raises(StoreError, match="data"):
        en.bootstrap_train(GaussianNB(), X + 1, Y, store=path)


def test_interrupted_and_resumed_it_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "run.db"
    interrupt(lambda: trained(str(store)), 7, monkeypatch)
    assert count_stored(store) == 7
    assert same(trained(str(store)), trained(None))


@pytest.mark.slow
def test_killed_and_resumed_it_gives_the_same_bytes(tmp_path: Path) -> None:
    """In a process that is killed; the test above holds the law where it is interrupted."""
    store, out = tmp_path / "run.db", tmp_path / "out.npz"
    command = [sys.executable, "-m", "tests.training.killed_replicates", str(store), str(out)]
    env = {**os.environ, "FITS_LEFT": "7", "ENDED_BY": "kill"}
    killed = subprocess.run(command, cwd=ROOT, env=env, timeout=300, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert count_stored(store) == 7
    assert not out.exists()
    resumed = trained(str(store))
    assert same(resumed, trained(None))


def test_classes_are_drawn_apart_for_metrics_that_need_them() -> None:
    apart = en.bootstrap_train(GaussianNB(), X, Y, n_replicates=5, metric="roc_auc", rng=0)
    assert apart.drawn is DrawUnit.STRATIFIED
    assert (apart.counts[:, Y == 1].sum(axis=1) == (Y == 1).sum()).all()
    plain = en.bootstrap_train(GaussianNB(), X, Y, n_replicates=5, metric="accuracy", rng=0)
    assert plain.drawn is DrawUnit.CASES
    asked = en.bootstrap_train(GaussianNB(), X, Y, n_replicates=5, stratify=True, rng=0)
    assert asked.drawn is DrawUnit.STRATIFIED
    layers = np.arange(40) % 3
    own = en.bootstrap_train(GaussianNB(), X, Y, n_replicates=5, stratify=layers, rng=0)
    for layer in range(3):
        size = (layers == layer).sum()
        assert (own.counts[:, layers == layer].sum(axis=1) == size).all()


def test_groups_are_drawn_whole() -> None:
    groups = np.repeat(["a", "b", "c", "d", "e"], 8)
    made = en.bootstrap_train(GaussianNB(), X, Y, n_replicates=8, groups=groups, rng=0)
    assert made.drawn is DrawUnit.GROUPS
    units = made.counts[:, ::8]
    np.testing.assert_array_equal(np.repeat(units, 8, axis=1), made.counts)
    assert (units.sum(axis=1) == 5).all()
    answer = en.estimate(made, method="loob", metric="accuracy")
    assert len(answer.details.influence) == 5
    assert "few_groups_in_variance" in {caution.kind for caution in answer.cautions}
    with pytest.raises(InputError, match="groups and strata"):
        en.bootstrap_train(GaussianNB(), X, Y, groups=groups, stratify=True)


def test_samples_that_lack_a_class_are_drawn_again() -> None:
    y = np.array([1, 1] + [0] * 10)
    made = en.bootstrap_train(GaussianNB(), X[:12], y, n_replicates=60, rng=0)
    assert (made.counts[:, :2].sum(axis=1) > 0).all()
    assert (made.counts == 0).any(axis=1).all()
    both = en.bootstrap_train(
        GaussianNB(), X[:12], y, n_replicates=60, metric="roc_auc", stratify=False, rng=0
    )
    left = [set(y[counts == 0]) for counts in both.counts]
    assert all(classes == {0, 1} for classes in left)


def test_the_smallest_data_work_or_are_refused() -> None:
    two = en.bootstrap_train(DeadlyMean(), [[0.0], [1.0]], [0.0, 1.0], n_replicates=5, rng=0)
    assert set(map(tuple, two.counts)) <= {(2, 0), (0, 2)}
    assert np.isfinite(en.estimate(two, method="loob", metric="mse").value)
    with pytest.raises(InputError, match="class 0 has one case"):
        en.bootstrap_train(GaussianNB(), X[:2], [0, 1], n_replicates=2)
    with pytest.raises(InputError, match="in one group"):  # which is always drawn
        en.bootstrap_train(GaussianNB(), X, Y, groups=np.zeros(40), n_replicates=2)
    with pytest.raises(InputError, match="two classes"):
        en.bootstrap_train(GaussianNB(), X, np.zeros(40, dtype=int))


@pytest.mark.parametrize(
    ("model", "metric", "kind"),
    [
        (GaussianNB(), "log_loss", "probability"),
        (LinearSVC(), "roc_auc", "decision"),
        (LinearSVC(), "accuracy", "label"),
        (GaussianNB(), None, "probability"),
        (make_pipeline(StandardScaler(), GaussianNB()), None, "probability"),
    ],
)
def test_the_response_is_what_the_metric_needs(model: object, metric: str, kind: str) -> None:
    made = en.bootstrap_train(model, X, Y, n_replicates=3, metric=metric, rng=0)
    assert made.kind == kind


def test_many_classes_and_labels_of_text() -> None:
    y = np.array(["ä", "b", "ç"])[np.arange(40) % 3]
    made = en.bootstrap_train(GaussianNB(), X, y, n_replicates=4, metric="log_loss", rng=0)
    assert made.responses.shape == (4, 40, 3)
    assert np.isfinite(en.estimate(made, method=".632+", metric="log_loss").value)
    labels = en.bootstrap_train(GaussianNB(), X, y, n_replicates=4, metric="accuracy", rng=0)
    assert 0 <= en.estimate(labels, method=".632+", metric="accuracy").value <= 1


def test_survival_and_regression() -> None:
    class Risk(BaseEstimator):
        def fit(self, X: NDArray[np.float64], y: NDArray[np.void]) -> object:
            self.sign_ = np.sign(np.corrcoef(X[:, 0], y["time"])[0, 1])
            return self

        def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
            return -self.sign_ * X[:, 0]

    rng = np.random.default_rng(0)
    time, event = np.exp(X[:, 0] + rng.standard_normal(40)), rng.random(40) < 0.7
    made = en.bootstrap_train(Risk(), X, (event, time), n_replicates=60, rng=0)
    answer = en.estimate(made, method="lpob", metric="concordance")
    assert answer.value > 0.6
    line = en.bootstrap_train(LinearRegression(), X, X[:, 0], n_replicates=9, metric="r2", rng=0)
    assert en.estimate(line, method=".632+", metric="r2").value == pytest.approx(1.0)


def test_every_sample_of_a_survival_outcome_has_an_event() -> None:
    class Seen(BaseEstimator):
        def fit(self, X: NDArray[np.float64], y: NDArray[np.void]) -> object:
            if not y["event"].any():
                raise ValueError("no event")
            return self

        def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
            return X[:, 0]

    event = np.arange(12) < 2
    made = en.bootstrap_train(Seen(), X[:12], (event, np.arange(12) + 1.0), n_replicates=80, rng=0)
    assert made.n_failed == 0
    assert (made.counts[:, :2].sum(axis=1) > 0).all()


def test_a_kernel_is_cut_in_rows_and_columns() -> None:
    K = linear_kernel(X)
    given = en.bootstrap_train(SVC(kernel="precomputed"), K, Y, n_replicates=4, rng=0)
    made = en.bootstrap_train(SVC(kernel="linear"), X, Y, n_replicates=4, rng=0)
    np.testing.assert_allclose(given.responses, made.responses, atol=1e-6)


class Fragile(ClassifierMixin, BaseEstimator):
    """Fails on samples in which the first case is drawn more than `most` times."""

    def __init__(self, first: float = 0.0, most: int = 3, answer: float = 0.5) -> None:
        self.first, self.most, self.answer = first, most, answer

    def fit(self, X: NDArray[np.float64], y: NDArray[np.int64]) -> Fragile:
        if (X[:, 0] == self.first).sum() > self.most:
            raise ValueError("too often")
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.full((len(X), 2), self.answer)

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.zeros(len(X), dtype=int)


def test_samples_that_fail_are_left_out_and_told_of() -> None:
    made = en.bootstrap_train(Fragile(X[0, 0], most=3), X, Y, n_replicates=200, rng=0)
    assert 0 < made.n_failed < 20
    assert made.n_replicates == 200 - made.n_failed
    assert (made.counts[:, 0] <= 3).all()
    (told,) = made.cautions
    assert told.kind == "samples_failed"
    assert "too often" in told.what
    answer = en.estimate(made, method="err_star", metric="accuracy")
    assert told in answer.cautions
    assert answer.provenance.knobs["n_failed"] == made.n_failed


def test_too_many_failures_are_an_error_with_the_first_of_them(golden: Golden) -> None:
    with pytest.raises(InputError) as refusal:
        en.bootstrap_train(Fragile(X[0, 0], most=1), X, Y, n_replicates=60, rng=0)
    golden.check(str(refusal.value))
    with pytest.raises(InputError) as refusal:
        en.bootstrap_train(Fragile(X[0, 0], most=0), X, Y, n_replicates=60, rng=0)
    golden.check(str(refusal.value))


def test_predictions_that_are_not_finite_are_an_error(golden: Golden) -> None:
    with pytest.raises(InputError) as told:
        en.bootstrap_train(Fragile(answer=np.nan), X, Y, n_replicates=5, rng=0)
    golden.check(str(told.value))
    assert "Traceback" not in str(told.value)  # in one line, without the way there


@pytest.mark.parametrize("data", [(X[:0], Y[:0]), (None, Y), (X, None)])
def test_no_cases_are_refused_before_any_training(data: tuple[object, object]) -> None:
    with pytest.raises(InputError, match=r"is missing|is empty"):
        en.bootstrap_train(GaussianNB(), *data, n_replicates=5, rng=0)


def test_a_class_of_one_case_is_refused(golden: Golden) -> None:
    with pytest.raises(InputError) as refusal:
        en.bootstrap_train(GaussianNB(), X, np.arange(40) == 3, n_replicates=5, rng=0)
    golden.check(str(refusal.value))


def test_a_learner_with_a_store_of_its_own_is_refused_before_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "inner.db"
    search = en.SearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=3, store=file)
    ask = {"metric": "accuracy", "rng": 0}
    for learner in (search, make_pipeline(StandardScaler(), search)):
        with pytest.raises(InputError, match="store"):
            en.bootstrap_train(learner, X, Y, n_replicates=3, **ask)
        with pytest.raises(InputError, match="store"):
            en.assess(learner, X, Y, method="cv", **ask)
    assert not file.exists()


def test_fewer_than_ten_cases_are_told_of_once() -> None:
    few = np.tile([0, 1, 0], 3)
    made = en.bootstrap_train(GaussianNB(), X[:9], few, n_replicates=5, rng=0)
    assert [caution.kind for caution in made.cautions] == ["fewer_than_ten"]
    ask = {"method": "loob", "metric": "accuracy"}
    both = (
        en.estimate(made, **ask),
        en.assess(GaussianNB(), X[:9], few, n_replicates=5, rng=0, **ask),
    )
    for answer in both:
        assert [caution.kind for caution in answer.cautions].count("fewer_than_ten") == 1


def test_what_cannot_work_is_refused_before_any_training() -> None:
    class Never(RegressorMixin, BaseEstimator):
        def fit(self, X: object, y: object) -> object:
            raise AssertionError("trained")

        def predict(self, X: object) -> object:
            raise AssertionError("trained")

    with pytest.raises(MetricError, match="predict_proba"):
        en.bootstrap_train(LinearSVC(), X, Y, metric="log_loss")
    with pytest.raises(MetricError, match="not defined for a regression"):
        en.bootstrap_train(Never(), X, X[:, 0], metric="accuracy")
    with pytest.raises(InputError, match="X and y"):
        en.bootstrap_train(Never(), X[:10], X[:, 0])
    with pytest.raises(InputError, match="n_replicates"):
        en.bootstrap_train(Never(), X, X[:, 0], n_replicates=0)
    with pytest.raises(InputError, match=r"Write LogisticRegression\(\)"):
        en.bootstrap_train(LogisticRegression, X, Y)
    with pytest.raises(InputError, match="missing values"):
        en.bootstrap_train(Never(), X, np.where(np.arange(40) == 3, np.nan, X[:, 0]))
    with pytest.raises(InputError, match="not an estimator"):
        en.bootstrap_train("svm", X, Y)


def test_the_learner_itself_is_not_touched() -> None:
    model = DecisionTreeClassifier()
    before = clone(model).get_params()
    en.bootstrap_train(model, X, Y, n_replicates=2, rng=0)
    assert model.get_params() == before
    assert not hasattr(model, "tree_")


def test_evidence_of_the_other_kind_is_refused_with_the_cure() -> None:
    made = en.bootstrap_train(GaussianNB(), X, Y, n_replicates=3, rng=0)
    pi = en.Predictions.from_arrays(Y, made.apparent)
    with pytest.raises(EvidenceError, match=r"earnest\.bootstrap_train"):
        en.estimate(pi, method="loob", metric="accuracy")
    with pytest.raises(EvidenceError, match=r"'bbc' cannot use.*out-of-sample.*'\.632\+'"):
        en.estimate(made, metric="accuracy")
    with pytest.raises(EvidenceError, match="Replicates"):
        en.estimate(made.responses, metric="accuracy")


def test_all_methods_for_replicates_are_asked_at_once() -> None:
    made = en.bootstrap_train(GaussianNB(), X, Y, n_replicates=60, metric="roc_auc", rng=0)
    table = en.estimate_all(made, metric="roc_auc")
    asked = {name for name in METHODS if METHODS[name].spec.needs is Evidence.REPLICATES}
    refused = {name for name in asked if METHODS[name].spec.metrics is MetricFamily.SUMS}
    assert {answer.method for answer in table} == asked - refused
    assert set(table.refused) == refused >= {"loob"}


def told_of(made: en.Replicates) -> set[str]:
    answer = en.estimate(made, method="lpob", metric="roc_auc")
    return {caution.kind for caution in answer.cautions}


def test_cautions_of_cases_and_draws_go_along() -> None:
    labels = en.bootstrap_train(
        LinearSVC(), X, Y, n_replicates=60, metric="roc_auc", response="predict", rng=0
    )
    told = {
        caution.kind for caution in en.estimate(labels, method="lpob", metric="roc_auc").cautions
    }
    assert "hard_labels" in told  # a metric of order on hard labels
    loose = replace(labels, target=replace(labels.target, groups=np.arange(40) // 4))
    told = {
        caution.kind for caution in en.estimate(loose, method="lpob", metric="roc_auc").cautions
    }
    assert "groups_not_drawn" in told  # groups that were not drawn whole


def test_it_tells_how_it_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    class Told:
        total = done = 0
        finished = False

        def start(self, total: int, title: str = "") -> None:
            self.total = total

        def advance(self, outcome: object, *, stored: bool = False) -> None:
            self.done += 1

        def drop(self, count: int) -> None: ...

        def message(self, text: str) -> None: ...

        def finish(self) -> None:
            self.finished = True

    told = Told()
    en.bootstrap_train(GaussianNB(), X, Y, n_replicates=5, progress=told, rng=0)
    assert (told.total, told.done, told.finished) == (6, 6, True)
    en.bootstrap_train(GaussianNB(), X, Y, n_replicates=5, progress=False, rng=0)
    assert capsys.readouterr().out == ""
