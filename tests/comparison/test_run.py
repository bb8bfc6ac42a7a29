"""`compare`: what it is given, what it refuses, and what its result can be asked."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import earnest as en
from earnest.comparison import TESTS, SupportedMetrics, TestSpec
from earnest.core import ComparisonEstimand, Evidence, p_words
from tests.comparison.evidence import EVERY_TEST, WITH_P, classified, metric_of
from tests.snapshots import Golden


def test_names_and_positions_are_the_same() -> None:
    pi = classified()
    assert en.compare(pi, "good", "poor", metric="accuracy") == en.compare(
        pi, 0, 2, metric="accuracy"
    )


def test_a_name_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(en.errors.InputError, match="Did you mean 'good'"):
        en.compare(classified(), "god", "poor", metric="accuracy")
    with pytest.raises(en.errors.InputError, match="from 0 to 2"):
        en.compare(classified(), 0, 3, metric="accuracy")


def test_two_predictions_on_the_same_folds_are_compared() -> None:
    pi = classified()
    made = en.compare(pi.select("good"), pi.select("fair"), metric="accuracy")
    assert made.difference == en.compare(pi, "good", "fair", metric="accuracy").difference
    assert (made.a, made.b) == ("good", "fair")


def test_two_predictions_of_one_name_are_told_apart() -> None:
    pi, other = classified(), classified(seed=1)
    made = en.compare(pi.select("good"), other.select("good"), metric="accuracy")
    assert (made.a, made.b) == ("good", "good'")


def test_two_predictions_on_other_folds_or_of_many_are_refused() -> None:
    pi = classified()
    other = replace(pi, folds=pi.folds[::-1].copy())
    with pytest.raises(en.errors.InputError, match="same folds"):
        en.compare(pi.select("good"), other.select("fair"), metric="accuracy")
    with pytest.raises(en.errors.InputError, match="second table has 3 configurations"):
        en.compare(pi.select("good"), pi, metric="accuracy")
    with pytest.raises(en.errors.InputError, match=r"\.select\(name\)"):
        en.compare(pi.select("good"), pi.select("fair"), "fair", metric="accuracy")


def test_losses_are_compared_without_a_metric() -> None:
    pi = classified()
    right = (pi.responses[:, :, 0] > 0.5) == pi.target.y[:, None]
    given = en.Scores(
        {"good": right[:, 0], "fair": right[:, 1]},
        fold=pi.folds[:, 0],
        name="hits",
        greater_is_better=True,
        limits=(0, 1),
    )
    for test in ("bayle", "bootstrap", "cv_t", "corrected_t", "mcnemar", "sign_flip"):
        here = en.compare(given, "good", "fair", test=test, rng=0)
        there = en.compare(pi, "good", "fair", test=test, metric="accuracy", rng=0)
        assert here.p_value == pytest.approx(there.p_value)
        assert here.difference == pytest.approx(there.difference)


def test_losses_take_repeats_and_groups() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 40, 3))
    fold = np.stack([rng.permutation(np.arange(40) % 4) for _ in range(3)], axis=1)
    given = en.Scores(
        {"a": a, "b": b}, fold=fold, groups=np.arange(40) // 2, greater_is_better=False
    )
    made = en.compare(given, "a", "b")
    assert made.provenance.n_repeats == 3
    assert made.difference == pytest.approx((a - b).mean())
    assert {"repeats_beyond_theorem", "groups_beyond_theorem"} <= {
        caution.kind for caution in made.cautions
    }


@pytest.mark.parametrize(
    ("given", "ask", "match"),
    [
        (
            en.Scores({"a": [1.0], "b": [1.0]}, greater_is_better=False),
            {"metric": "mse"},
            "the way to sum up scores is unknown",
        ),
        ([0.1, 0.2], {"metric": "mse"}, "a file of predictions or scores"),
    ],
    ids=["metric", "list"],
)
def test_what_is_no_evidence_is_refused(given: object, ask: dict[str, object], match: str) -> None:
    with pytest.raises(en.errors.EarnestError, match=match):
        en.compare(given, "a", "b", **ask)  # type: ignore[arg-type]  # that is the test


@pytest.mark.parametrize(
    ("ask", "match"),
    [
        ({}, "`metric` is missing"),
        ({"metric": "rmse"}, "not defined for a binary task"),
        ({"metric": "accuracy", "test": "bayl"}, "Did you mean 'bayle'"),
        ({"metric": "accuracy", "test": en.comparison.BayleTest}, r"Write BayleTest\(\)"),
        ({"metric": "accuracy", "test": 3}, "a name or a configured test"),
        ({"metric": "accuracy", "n_resamples": 10}, "has no option `n_resamples`"),
        (
            {"metric": "accuracy", "test": en.comparison.SignFlipTest(), "n_resamples": 10},
            "Set them on the instance",
        ),
        ({"metric": "accuracy", "alternative": "lower"}, "`alternative` is unknown"),
        ({"metric": "accuracy", "confidence_level": 95}, "For 95 percent use 0.95"),
        ({"metric": "accuracy", "n_jobs": 0}, "`n_jobs`"),
        ({"metric": "accuracy", "rng": -1}, "`rng`"),
    ],
)
def test_bad_questions_are_refused(ask: dict[str, object], match: str) -> None:
    with pytest.raises(en.errors.EarnestError, match=match):
        en.compare(classified(), "good", "fair", **ask)  # type: ignore[arg-type]


def test_a_name_may_have_knobs(golden: Golden) -> None:
    pi = classified()
    made = en.compare(pi, "good", "fair", test="mcnemar(p='mid')", metric="accuracy")
    assert made == en.compare(
        pi, "good", "fair", test=en.comparison.McNemarTest(p="mid"), metric="accuracy"
    )
    made = en.compare(pi, "good", "fair", test="bayesian_t(rope=0.2)", metric="accuracy")
    assert made.provenance.knobs["rope"] == 0.2
    for name in ("mcnemar(p=mid)", "mcnemar('mid')", "mcnemar(", "mcnemar(**x)"):
        with pytest.raises(en.errors.InputError) as refusal:
            en.compare(pi, "good", "fair", test=name, metric="accuracy")
        golden.check(str(refusal.value))
    with pytest.raises(en.errors.InputError, match="has no option `q`"):
        en.compare(pi, "good", "fair", test="mcnemar(q=1)", metric="accuracy")


def test_one_configuration_is_refused(golden: Golden) -> None:
    for pair in ((), ("good",), (None, "good")):
        with pytest.raises(en.errors.InputError) as refusal:
            en.compare(classified(), *pair, metric="accuracy")
        golden.check(str(refusal.value))


@pytest.mark.parametrize("test", EVERY_TEST)
def test_another_level_or_alternative_is_that_of_a_new_call(test: str) -> None:
    ask = {"test": test, "metric": metric_of(test), "rng": 0}
    made = en.compare(classified(), "good", "fair", **ask)
    for alternative in ("less", "greater"):
        moved = made.at(confidence_level=0.8, alternative=alternative)
        again = en.compare(
            classified(), "good", "fair", confidence_level=0.8, alternative=alternative, **ask
        )
        assert moved == again
        assert moved.at(confidence_level=0.95, alternative="two-sided") == made


@pytest.mark.parametrize("test", WITH_P)
def test_the_interval_has_the_side_of_the_alternative_and_levels_nest(test: str) -> None:
    made = en.compare(classified(), "good", "fair", test=test, metric=metric_of(test), rng=0)
    low, high = made.limits
    less, greater = made.at(alternative="less"), made.at(alternative="greater")
    assert less.interval is not None
    assert greater.interval is not None
    assert made.interval is not None
    assert (less.interval.side, less.interval.low) == ("upper", low)
    assert (greater.interval.side, greater.interval.high) == ("lower", high)
    wide = made.at(confidence_level=0.99).interval
    assert wide is not None
    assert wide.low <= made.interval.low <= made.interval.high <= wide.high


def test_draws_that_were_not_kept_are_missed_with_a_cure() -> None:
    made = en.compare(classified(), "good", "fair", test="sign_flip", metric="accuracy", rng=0)
    for test in ("bootstrap", "sign_flip"):
        made = en.compare(classified(), "good", "fair", test=test, metric="accuracy", rng=0)
        bare = en.results.Comparison.from_dict(json.loads(json.dumps(made.to_dict())))
        assert bare == made
        with pytest.raises(en.errors.EvidenceError, match="draws=True"):
            bare.at(confidence_level=0.9)


def test_a_result_records_how_it_came_about() -> None:
    pi = classified()
    made = en.compare(pi, "good", "fair", test="bootstrap", metric="accuracy", rng=4)
    about = made.provenance
    assert (about.seed, about.fingerprint) == (4, pi.fingerprint)
    assert about.knobs == {"n_resamples": 1999, "resampler": "case", "undefined": "redraw"}
    assert en.compare(pi, "good", "fair", metric="accuracy", rng=4).provenance.seed is None


def test_cases_in_any_order_give_the_same() -> None:
    pi = classified()
    mixed = pi.take(np.random.default_rng(0).permutation(60))
    for test in ("bayle", "cv_t", "corrected_t", "mcnemar", "delong"):
        here = en.compare(pi, "good", "fair", test=test, metric=metric_of(test))
        there = en.compare(mixed, "good", "fair", test=test, metric=metric_of(test))
        assert there.p_value == pytest.approx(here.p_value, rel=1e-9)
        assert there.difference == pytest.approx(here.difference, rel=1e-9)


@pytest.mark.parametrize("task", ["multiclass", "regression", "survival"])
def test_every_task_can_be_compared(task: str) -> None:
    rng = np.random.default_rng(3)
    if task == "multiclass":
        pi = en.Predictions.from_arrays(
            np.arange(60) % 3, rng.dirichlet([1, 1, 1], (60, 2, 1)), np.arange(60) % 5
        )
        questions = [("bayle", "accuracy"), ("bayle", "roc_auc_ovr"), ("bootstrap", "log_loss")]
    elif task == "regression":
        y = rng.standard_normal(60)
        pi = en.Predictions.from_arrays(y, y[:, None] + rng.standard_normal((60, 2)))
        questions = [("bayle", "r2"), ("bayle", "rmse"), ("bootstrap", "spearman")]
    else:
        days = rng.exponential(1, 60)
        pi = en.Predictions.from_arrays((days, rng.random(60) < 0.7), rng.random((60, 2)))
        questions = [("bootstrap", "concordance")]
    for test, metric in questions:
        made = en.compare(pi, 0, 1, test=test, metric=metric, rng=0)
        assert 0 < made.p_value <= 1  # type: ignore[operator]  # they have one


def test_a_test_of_ones_own_and_one_that_needs_training() -> None:
    @dataclass(frozen=True)
    class Own:
        spec: ClassVar[TestSpec] = replace(en.comparison.BayleTest.spec, name="own", cites="nobody")

        def read(self, question: object) -> object:
            return en.comparison.BayleTest().read(question)  # type: ignore[arg-type]  # handed on

    made = en.compare(classified(), "good", "fair", test=Own(), metric="accuracy")
    assert made.test == "own"

    @dataclass(frozen=True)
    class Trains(Own):
        spec: ClassVar[TestSpec] = TestSpec(
            name="trains",
            title="trains",
            estimand=ComparisonEstimand.LEARNERS,
            metrics=SupportedMetrics.ANY,
            cites="nobody",
            needs=Evidence.REPLICATES,
        )

    with pytest.raises(en.errors.EvidenceError, match="bootstrap-trained replicates"):
        en.compare(classified(), "good", "fair", test=Trains(), metric="accuracy")


@pytest.mark.parametrize("name", sorted(TESTS))
def test_a_test_has_a_module_a_test_and_a_page_of_its_name(name: str) -> None:
    from pathlib import Path

    root = Path(__file__).parents[2]
    assert TESTS[name].__module__ == f"earnest.comparison.tests.{name}"
    assert (root / "tests" / "comparison" / "tests" / f"test_{name}.py").is_file()
    page = (root / "docs" / "comparison" / f"{name}.md").read_text(encoding="utf-8")
    parts = ["The idea", "The formula", "What is compared", "What it assumes", "When it fails"]
    parts += ["Knobs", "Example", "Source"]
    headings = [line[3:] for line in page.splitlines() if line.startswith("## ")]
    assert [h for h in headings if h in parts] == parts
    assert f"<!-- made: test {name} -->" in page
    assert TESTS[name].spec.cites.split()[0].rstrip(",") in page
    assert getattr(en.comparison, TESTS[name].__name__) is TESTS[name]


def test_every_page_and_every_module_is_of_a_test() -> None:
    from pathlib import Path

    root = Path(__file__).parents[2]
    assert {page.stem for page in (root / "docs" / "comparison").glob("*.md")} == set(TESTS)
    files = {path.stem for path in (root / "src/earnest/comparison/tests").glob("*.py")}
    assert files - {"__init__"} == set(TESTS)


def equal_models(seed: int, configs: int = 10, n: int = 100) -> en.Predictions:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    scores = y[:, None] + rng.standard_normal((n, configs))
    return en.Predictions.from_arrays(y, scores, np.arange(n) // 2 % 5)


@pytest.mark.parametrize("name", ["bayle", "mcnemar", "sign_flip"])
def test_the_best_of_a_table_is_noticed_with_the_p_value_that_holds(name: str) -> None:
    test = TESTS[name](n_resamples=999) if name == "sign_flip" else TESTS[name]()
    # seeds 0 to 11: the best of ten equal ones against each other one, at the level .05
    plain = held = told = pairs = 0
    for seed in range(12):
        pi = equal_models(seed)
        many = en.compare_many(pi, test=test, metric="accuracy", rng=0)
        for other in many.comparisons:
            made = en.compare(pi, other.b, many.best, test=test, metric="accuracy", rng=0)
            assert made.best_of == 10
            assert made.p_value is not None
            assert made.p_simultaneous is not None
            assert made.p_simultaneous >= made.p_value
            assert made.p_simultaneous == pytest.approx(many.p_best[other.b])
            said = {caution.kind: caution.severity for caution in made.cautions}[
                "best_of_its_table"
            ]
            decides = made.p_value <= 0.05 < made.p_simultaneous
            assert str(said) == ("caution" if decides else "note")
            plain, held, pairs = (
                plain + (made.p_value <= 0.05),
                held + (made.p_simultaneous <= 0.05),
                pairs + 1,
            )
            told += decides
    assert plain > 0.1 * pairs  # what a single p-value says of the best of equals
    assert held < 0.02 * pairs
    assert told == plain - held


def test_the_best_of_equals_is_called_better_no_more_often_than_the_level_says() -> None:
    # seeds 0 to 39: of 40 equal ones, the best against the one that is fifth from the end
    claimed = plain = 0
    for seed in range(40):
        pi = equal_models(seed, configs=40, n=200)
        scores = en.kernels.score_table(pi, "accuracy", np.ones((1, 200)))[0]
        best, poor = int(scores.argmax()), int(np.argsort(scores)[4])
        made = en.compare(pi, best, poor, test="bayle", metric="accuracy")
        assert made.p_value is not None
        plain += made.p_value <= 0.05
        claimed += made.decision.startswith(f"{made.a} is better")
        if not made.decision.startswith(f"{made.a} is better"):
            assert made.decision.startswith("No difference")
    assert plain > 0.5 * 40
    assert claimed <= 4  # 5 or more of 40 have a probability of 5 % at the level of 5 %


def test_a_decision_that_the_choice_takes_back_tells_both_p_values(golden: Golden) -> None:
    made = next(
        found
        for seed in range(40)
        for pi in [equal_models(seed)]
        for many in [en.compare_many(pi, metric="accuracy", rng=0)]
        for other in many.comparisons
        for found in [en.compare(pi, many.best, other.b, metric="accuracy")]
        if found.shown
    )
    assert made.p_value is not None
    assert made.p_simultaneous is not None
    said = made.decision.replace("\xa0", " ")
    golden.check(said)
    assert said.endswith(f"{p_words(made.p_value)}).")
    turned = made.at(alternative="greater").decision
    golden.check(turned)
    assert made.at(confidence_level=0.999).decision.startswith("No difference")
    assert "looks best" not in made.at(confidence_level=0.999).decision


def test_a_pair_without_the_best_or_of_a_table_of_two_has_no_other_p_value() -> None:
    pi = classified()
    for made in (
        en.compare(pi, "fair", "poor", metric="accuracy"),
        en.compare(pi.select(["good", "poor"]), "good", "poor", metric="accuracy"),
        en.compare(pi, "good", "good", metric="accuracy"),
        en.compare(pi, "good", "poor", test="bayesian_t", metric="accuracy"),
    ):
        assert (made.best_of, made.p_simultaneous) == (None, None)
        assert "best_of_its_table" not in {caution.kind for caution in made.cautions}


def test_the_p_value_that_holds_follows_the_alternative_and_survives_json() -> None:
    made = en.compare(classified(), "poor", "good", metric="accuracy")
    assert made.p_simultaneous is not None
    turned = made.at(alternative="greater")
    assert turned.p_simultaneous == 1.0
    assert [caution.kind for caution in turned.cautions].count("best_of_its_table") == 1
    again = en.results.Comparison.from_dict(made.to_dict())
    assert again == made
    assert again.at(alternative="greater") == turned


def test_a_loss_has_the_best_of_its_table_below() -> None:
    made = en.compare(classified(), "good", "poor", metric="error_rate")
    assert made.best_of == 3
    assert made.p_simultaneous == pytest.approx(
        en.compare(classified(), "good", "poor", metric="accuracy").p_simultaneous
    )
