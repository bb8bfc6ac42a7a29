"""compare_learners: the same splits for both, p = 1 for the same learner, refusals before work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import earnest as en
from earnest.comparison import TESTS
from earnest.core import Purpose, Seeds
from earnest.store import MemoryStore
from tests.snapshots import Golden
from tests.training.watching import Watcher

RNG = np.random.default_rng(4)
Y = np.tile([0, 1], 40)
X = Y[:, None] * [1.0, 0.5] + RNG.standard_normal((80, 2))
BOOTSTRAPS = ("loob", "lpob")
EVERY = sorted(TESTS)
FEWER: dict[str, dict[str, object]] = {  # splits, as two models are trained on each
    "corrected_t": {"cv": 4},
    "resampled_t": {"cv": 4, "n_repeats": 8},
}


def asked(test: str, **more: object) -> dict[str, object]:
    ask: dict[str, object] = {"test": test, "metric": "accuracy", "rng": 3}
    if test in ("lpob", "delong"):
        ask["metric"] = "roc_auc"
    if test in BOOTSTRAPS:
        ask["n_replicates"] = 20
    if test in ("corrected_t", "resampled_t"):
        ask |= FEWER[test]
    return {**ask, **more}


class Failing(ClassifierMixin, BaseEstimator):
    """Cannot be trained."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Failing:
        raise RuntimeError("out of luck")

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.zeros(len(X), dtype=int)


@pytest.mark.parametrize("test", EVERY)
def test_the_same_learner_gives_no_difference_and_p_1(test: str) -> None:
    tree = DecisionTreeClassifier(max_features=1, splitter="random")  # unseeded
    made = en.compare_learners(("a", tree), ("b", tree), X, Y, **asked(test))
    assert made.difference == 0.0
    assert made.p_value == (1.0 if TESTS[test].spec.p_value else None)
    assert (made.a, made.b) == ("a", "b")
    assert made.n_cases == 80


@pytest.mark.parametrize("test", EVERY)
def test_the_result_is_the_same_again_and_names_its_estimand(test: str) -> None:
    pair = GaussianNB(), DecisionTreeClassifier(max_depth=2)
    made = en.compare_learners(*pair, X, Y, **asked(test))
    assert en.compare_learners(*pair, X, Y, **asked(test)) == made
    assert made.estimand == str(TESTS[test].spec.estimand)
    assert made.provenance.seed == 3
    assert (made.a, made.b) == ("GaussianNB", "DecisionTreeClassifier")


def test_corrected_t_is_the_formula_on_scores_of_the_same_folds() -> None:
    pair = LogisticRegression(), GaussianNB()
    made = en.compare_learners(*pair, X, Y, **asked("corrected_t", cv=5, n_repeats=1))
    seed = int(Seeds(3).generator(Purpose.SPLITS, 0).integers(0, 2**31 - 1))
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    apart = np.subtract(*(cross_val_score(one, X, Y, cv=folds) for one in pair))
    assert made.difference == pytest.approx(apart.mean())
    assert made.standard_error == pytest.approx(apart.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4))


def test_random_splits_are_corrected_by_their_own_ratio() -> None:
    pair, splitter = (LogisticRegression(), GaussianNB()), ShuffleSplit(8, test_size=0.2,
                                                                        random_state=0)  # fmt: skip
    made = en.compare_learners(*pair, X, Y, **asked("corrected_t", cv=splitter))
    apart = np.subtract(*(cross_val_score(one, X, Y, cv=splitter) for one in pair))
    assert made.difference == pytest.approx(apart.mean())
    assert made.standard_error == pytest.approx(apart.std(ddof=1) * np.sqrt(1 / 8 + 16 / 64))
    assert made.provenance.knobs["ratio"] == pytest.approx(0.25)
    assert not {"cases_untested", "overlapping_test_sets"} & {
        caution.kind for caution in made.cautions
    }


def test_resampled_t_is_the_uncorrected_one() -> None:
    pair = LogisticRegression(), GaussianNB()
    splitter = ShuffleSplit(8, test_size=0.2, random_state=0)
    made = en.compare_learners(*pair, X, Y, **asked("resampled_t", cv=splitter, n_repeats=None))
    apart = np.subtract(*(cross_val_score(one, X, Y, cv=splitter) for one in pair))
    assert made.standard_error == pytest.approx(apart.std(ddof=1) / np.sqrt(8))
    assert made.cautions[0].kind == "dependent_test_sets"


def test_lpob_is_that_of_replicates_trained_with_the_same_seed() -> None:
    pair = LogisticRegression(), DecisionTreeClassifier(max_depth=2)
    made = en.compare_learners(*pair, X, Y, test="lpob", n_replicates=20, rng=5)
    values = [
        en.estimate(
            en.bootstrap_train(one, X, Y, n_replicates=20, metric="roc_auc", rng=5),
            method="lpob",
            metric="roc_auc",
        ).value
        for one in pair
    ]
    assert [made.value_a, made.value_b] == pytest.approx(values)
    assert made.provenance.knobs["n_replicates"] == 20


def test_the_sides_change_sign_when_learners_change_places() -> None:
    pair = GaussianNB(), DecisionTreeClassifier(max_depth=1, random_state=0)
    for test in ("corrected_t", "five_by_two", "five_by_two_f", "loob", "lpob"):
        here = en.compare_learners(*pair, X, Y, **asked(test))
        there = en.compare_learners(*reversed(pair), X, Y, **asked(test))
        assert there.difference == pytest.approx(-here.difference)
        assert there.p_value == pytest.approx(here.p_value)


def test_a_search_is_a_learner_with_its_tuning() -> None:
    tree = DecisionTreeClassifier(random_state=0)
    search = en.SearchCV(tree, {"max_depth": [1, 3]}, cv=3, scoring="accuracy")
    made = en.compare_learners(
        ("tuned", search), ("dummy", DummyClassifier()), X, Y, **asked("corrected_t")
    )
    assert made.favours == "tuned"
    boot = en.compare_learners(search, DummyClassifier(), X, Y, **asked("loob", n_replicates=10))
    assert boot.a == "SearchCV"


def test_every_task_has_its_learners() -> None:
    y = X[:, 0] + 0.1 * RNG.standard_normal(80)
    value = en.compare_learners(
        LinearRegression(), DecisionTreeRegressor(), X, y, metric="mse", rng=0
    )
    assert value.favours == "LinearRegression"
    loob = en.compare_learners(
        LinearRegression(),
        DecisionTreeRegressor(),
        X,
        y,
        metric="mse",
        test="loob",
        n_replicates=30,
        rng=0,
    )
    assert loob.favours == "LinearRegression"
    many = en.compare_learners(
        GaussianNB(), DummyClassifier(), X, np.digitize(X[:, 0], [0, 1]), metric="accuracy", rng=0
    )
    assert many.favours == "GaussianNB"
    words = en.compare_learners(
        GaussianNB(), DummyClassifier(), X, np.where(Y, "ja", "nein"), metric="accuracy", rng=0
    )
    assert words.favours == "GaussianNB"


def test_survival_times_are_compared_by_their_concordance() -> None:
    class Risk(BaseEstimator):
        def __init__(self, column: int = 0) -> None:
            self.column = column

        def fit(self, X: np.ndarray, y: np.ndarray) -> Risk:
            self.sign_ = 1.0
            return self

        def predict(self, X: np.ndarray) -> np.ndarray:
            return X[:, self.column]

    time = RNG.exponential(np.exp(-X[:, 0]))
    event = RNG.random(80) < 0.7
    for test in ("lpob", "corrected_t"):
        more = {"n_replicates": 20} if test == "lpob" else {"metric": "concordance", "cv": 4}
        made = en.compare_learners(
            ("first", Risk()), ("second", Risk(1)), X, (event, time), test=test, rng=0, **more
        )
        assert made.metric == "concordance"
        assert made.favours == "first"


def test_groups_are_kept_together_and_counted() -> None:
    groups = np.arange(80) // 4
    for test in ("corrected_t", "bayle", "five_by_two", "loob", "resampled_t", "lpob"):
        made = en.compare_learners(
            GaussianNB(), DecisionTreeClassifier(), X, Y, groups=groups, **asked(test)
        )
        assert "groups_split" not in {caution.kind for caution in made.cautions}
    with pytest.raises(en.errors.EvidenceError, match="every case as independent"):
        en.compare_learners(
            GaussianNB(), DecisionTreeClassifier(), X, Y, groups=groups, **asked("mcnemar")
        )


def test_a_store_resumes_without_training_again(tmp_path: object) -> None:
    pair = GaussianNB(), DecisionTreeClassifier(max_depth=1)
    for test in ("corrected_t", "lpob"):
        path = tmp_path / f"{test}.run"  # type: ignore[operator]  # a Path
        ask = asked(test, store=path, rng=None)
        made = en.compare_learners(*pair, X, Y, **ask)
        assert en.compare_learners(*pair, X, Y, **ask) == made


def test_the_number_of_jobs_changes_nothing() -> None:
    pair = GaussianNB(), DecisionTreeClassifier(max_features=1)
    for test in ("corrected_t", "loob"):
        with parallel_config(backend="threading"):
            made = en.compare_learners(*pair, X, Y, n_jobs=2, **asked(test))
        assert made == en.compare_learners(*pair, X, Y, **asked(test))


def test_a_learner_that_fails_ends_it_with_its_message(golden: Golden) -> None:
    for test in ("corrected_t", "loob"):
        with pytest.raises(en.errors.EarnestError, match="out of luck"):
            en.compare_learners(GaussianNB(), ("bad", Failing()), X, Y, **asked(test))
    with golden.raises(en.errors.EvidenceError):
        en.compare_learners(("bad", Failing()), ("worse", Failing()), X, Y, metric="accuracy")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"test": "loob", "cv": 5}, "`cv` does not apply"),
        ({"test": "lpob", "n_repeats": 5, "metric": "roc_auc"}, "`n_repeats` does not apply"),
        ({"n_replicates": 50}, "`n_replicates` does not apply"),
        ({"metric": None}, "`metric` is missing"),
        ({"metric": "mse"}, "mse"),
        ({"metric": "nonsense"}, "metric"),
        ({"test": "nonsense"}, "test"),
        ({"test": "lpob"}, "cannot compare by"),
        ({"test": "loob", "metric": "roc_auc"}, "cannot compare by"),
        ({"test": "loob", "n_replicates": 1}, "n_replicates"),
        ({"confidence_level": 95}, "confidence_level"),
        ({"alternative": "better"}, "alternative"),
        ({"test": "five_by_two_f", "alternative": "less"}, "no direction"),
        ({"rng": -1}, "rng"),
        ({"groups": [1, 2]}, "group"),
        ({"test": "five_by_two", "cv": 3}, "5 repeats"),
        ({"test": "cv_t", "n_repeats": 2}, "one repeat"),
        ({"cv": [(np.arange(40), np.arange(40, 80))]}, "needs more folds"),
        ({"test": "mcnemar", "groups": np.arange(80) // 4}, "independent"),
    ],
)
def test_bad_arguments_are_refused_before_training(wrong: dict[str, object], words: str) -> None:
    class Untouched(GaussianNB):
        def fit(self, *args: object, **kwargs: object) -> Untouched:
            raise AssertionError("trained")

    ask = {"test": "corrected_t", "metric": "accuracy", "rng": 0, **wrong}
    with pytest.raises(en.errors.EarnestError, match=words):
        en.compare_learners(Untouched(), GaussianNB(), X, Y, **ask)


@pytest.mark.parametrize("wrong", [None, "rf", GaussianNB, 3, [GaussianNB()], ("a", "b")])
def test_what_is_no_learner_is_refused(wrong: object) -> None:
    for pair in ((wrong, GaussianNB()), (GaussianNB(), wrong)):
        with pytest.raises(en.errors.InputError, match="is not a learner"):
            en.compare_learners(*pair, X, Y, metric="accuracy")


def test_other_bad_pairs_and_data_are_refused() -> None:
    with pytest.raises(en.errors.InputError, match="regressor"):
        en.compare_learners(GaussianNB(), LinearRegression(), X, Y, metric="accuracy")
    with pytest.raises(en.errors.InputError, match="the same name"):
        en.compare_learners(("a", GaussianNB()), ("a", GaussianNB()), X, Y, metric="accuracy")
    for test in ("corrected_t", "loob"):
        with pytest.raises(en.errors.EarnestError):
            en.compare_learners(GaussianNB(), GaussianNB(), X, Y[:-1], **asked(test))
        with pytest.raises(en.errors.EarnestError):
            en.compare_learners(GaussianNB(), GaussianNB(), X, np.zeros(80), **asked(test))
        for rows, y in ((X, None), (None, Y), (X[:0], Y[:0]), (X, np.full(80, np.nan))):
            with pytest.raises(en.errors.InputError, match=r"missing|empty"):
                en.compare_learners(GaussianNB(), GaussianNB(), rows, y, **asked(test))
        with pytest.raises(en.errors.MetricError, match="predict_proba"):
            en.compare_learners(GaussianNB(), LinearSVC(), X, Y, **asked(test, metric="log_loss"))
    with pytest.raises(en.errors.InputError, match="one file each"):
        en.compare_learners(GaussianNB(), GaussianNB(), X, Y, store=MemoryStore(), **asked("loob"))


@pytest.mark.parametrize(
    ("test", "given", "planned"),
    [("corrected_t", {"cv": 3}, [6]), ("loob", {"n_replicates": 4}, [5, 5])],
)
def test_progress_is_told_of_every_fit_of_both(
    test: str, given: dict[str, Any], planned: list[int]
) -> None:
    told = Watcher()
    ask: dict[str, Any] = {"test": test, "metric": "accuracy", "rng": 0, **given}
    pair = (GaussianNB(), LogisticRegression())
    seen = en.compare_learners(*pair, X, Y, progress=told, **ask)
    assert [total for total, _ in told.planned] == planned
    assert (told.done, told.ended) == (sum(planned), len(planned))
    assert seen.difference == en.compare_learners(*pair, X, Y, **ask).difference


def test_a_learner_with_a_run_file_of_its_own_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "inner.db"
    search = en.SearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=3, store=file)
    with pytest.raises(en.errors.InputError, match="store"):
        en.compare_learners(search, GaussianNB(), X, Y, metric="accuracy", rng=0)
    assert not file.exists()


def test_fewer_than_ten_cases_are_told_of() -> None:
    y = np.tile([0, 1, 0], 3)
    made = en.compare_learners(
        GaussianNB(), LogisticRegression(), X[:9], y, metric="accuracy", cv=3, rng=0
    )
    assert "fewer_than_ten" in {caution.kind for caution in made.cautions}


WORDS = np.where(Y == 1, "well", "ill")  # "ill" is positive by default: a study is not of the well
LAYERS = np.where(np.arange(80) < 24, "few", "many")


def test_the_positive_class_is_the_one_that_is_named() -> None:
    pair = LogisticRegression(), GaussianNB()
    splitter = StratifiedKFold(5, shuffle=True, random_state=1)
    ask = {"test": "corrected_t", "metric": "f1", "cv": splitter, "rng": 3}
    for label, given in (
        ("ill", {}),
        ("ill", {"positive": "ill"}),
        ("well", {"positive": "well"}),
    ):
        made = en.compare_learners(*pair, X, WORDS, **ask, **given)
        score = make_scorer(f1_score, pos_label=label)
        values = [cross_val_score(one, X, WORDS, cv=splitter, scoring=score) for one in pair]
        assert made.difference == pytest.approx(np.subtract(*values).mean())
    assert not np.isclose(made.difference, en.compare_learners(*pair, X, WORDS, **ask).difference)


@pytest.mark.parametrize("test", ["lpob", "loob"])
def test_bootstrap_samples_are_drawn_as_for_one_learner(test: str) -> None:
    pair = LogisticRegression(), DecisionTreeClassifier(max_depth=2, random_state=0)
    metric = asked(test)["metric"]
    ask = {"positive": "ill", "stratify": LAYERS, "n_replicates": 20, "rng": 3}
    made = en.compare_learners(*pair, X, WORDS, test=test, metric=metric, **ask)
    alone = [en.assess(one, X, WORDS, method=test, metric=metric, **ask).value for one in pair]
    assert [made.value_a, made.value_b] == pytest.approx(alone)
    plain = en.compare_learners(*pair, X, WORDS, test=test, metric=metric, n_replicates=20, rng=3)
    assert made.value_a != plain.value_a


def test_folds_are_the_same_for_two_learners_as_for_one() -> None:
    pair = LogisticRegression(), GaussianNB()
    ask = {"metric": "f1", "stratify": LAYERS, "positive": "ill", "cv": 6, "rng": 3}
    made = en.compare_learners(*pair, X, WORDS, test="corrected_t", **ask)
    alone = [en.assess(one, X, WORDS, method="corrected_t", **ask).value for one in pair]
    assert [made.value_a, made.value_b] == pytest.approx(alone)


def test_a_run_file_knows_the_positive_class_that_it_was_made_for(tmp_path: Path) -> None:
    pair = LogisticRegression(), GaussianNB()
    ask = {"metric": "roc_auc", "cv": 4, "rng": 3, "store": tmp_path / "run.db"}
    first = en.compare_learners(*pair, X, WORDS, **ask, positive="ill")
    assert en.compare_learners(*pair, X, WORDS, **ask, positive="ill") == first
    with pytest.raises(en.errors.EarnestError, match="classes"):
        en.compare_learners(*pair, X, WORDS, **ask, positive="well")


@pytest.mark.parametrize("test", ["corrected_t", "loob"])
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"positive": "sick"}, "not a class"),
        ({"stratify": [1, 2]}, "stratify"),
        ({"stratify": np.arange(80)}, "a stratum has fewer|no resample has"),
    ],
)
def test_a_class_or_strata_that_are_none_are_refused(
    test: str, wrong: dict[str, object], words: str
) -> None:
    with pytest.raises(en.errors.EarnestError, match=words):
        en.compare_learners(GaussianNB(), Failing(), X, WORDS, **asked(test), **wrong)


def test_positive_is_for_two_classes() -> None:
    for y, model in ((np.arange(80) % 3, GaussianNB()), (X[:, 0], LinearRegression())):
        metric = "accuracy" if isinstance(model, GaussianNB) else "mse"
        for verb, who in ((en.compare_learners, (model, model)), (en.assess, (model,))):
            with pytest.raises(en.errors.InputError, match="is for binary tasks"):
                verb(*who, X, y, metric=metric, positive=1)
