"""`compare_many`: all configurations against the best, adjusted, and the set not worse."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest.core.results.comparison_table import adjusted
from tests.comparison.evidence import WITH_P, classified, metric_of


def equal(configs: int = 8, n: int = 100, seed: int = 0) -> en.Predictions:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    return en.Predictions.from_arrays(
        y, y[:, None] + rng.standard_normal((n, configs)), np.arange(n) // 2 % 5
    )


@pytest.mark.parametrize("test", WITH_P)
def test_each_comparison_is_that_of_the_pair(test: str) -> None:
    pi = classified(n=100)
    many = en.compare_many(pi, test=test, metric=metric_of(test), rng=0)
    assert many.best == many.reference == "good"
    assert [made.b for made in many] == ["fair", "poor"]
    for made in many:
        pair = en.compare(pi, "good", made.b, test=test, metric=metric_of(test), rng=0)
        assert made.difference == pytest.approx(pair.difference, abs=1e-12)
        assert made.p_value == pytest.approx(pair.p_value, rel=1e-10)
        assert made.interval is not None
        assert pair.interval is not None
        # the limits of two, three or more configurations are sums of the same numbers
        assert made.interval.low == pytest.approx(pair.interval.low, abs=1e-12)
        assert made.interval.high == pytest.approx(pair.interval.high, abs=1e-12)


@pytest.mark.parametrize("test", WITH_P)
def test_the_best_is_in_its_set_and_the_poor_one_is_not(test: str) -> None:
    pi = classified(n=300)
    many = en.compare_many(pi, test=test, metric=metric_of(test), rng=0)
    assert many.best in many.not_worse
    assert "poor" not in many.not_worse
    assert many.joint == (test in ("bayle", "delong", "bootstrap"))


@pytest.mark.parametrize("test", ["bayle", "delong", "bootstrap"])
def test_joint_sets_nest_by_level_and_agree_roughly(test: str) -> None:
    many = en.compare_many(classified(n=100), test=test, metric="roc_auc", rng=0)
    assert set(many.at(confidence_level=0.5).not_worse) <= set(many.not_worse)
    assert set(many.not_worse) <= set(many.at(confidence_level=0.999).not_worse)


def test_equal_configurations_are_mostly_all_in_the_set() -> None:
    # seeds 0 to 9: each of eight equal ones is left out with 5 % or less
    kept = [
        len(en.compare_many(equal(seed=s), metric="accuracy", rng=0).not_worse) for s in range(10)
    ]
    assert sum(kept) >= 70


def test_a_loss_has_its_best_below() -> None:
    score = en.compare_many(classified(n=100), metric="accuracy", rng=0)
    loss = en.compare_many(classified(n=100), metric="error_rate", rng=0)
    assert (loss.best, loss.not_worse) == (score.best, score.not_worse)
    assert loss.p_best == pytest.approx(score.p_best)
    assert [m.difference for m in loss] == pytest.approx([-m.difference for m in score])


def test_the_simplest_of_the_set_is_named_where_it_is_known() -> None:
    pi = equal()
    assert en.compare_many(pi, metric="accuracy", rng=0).simplest is None
    ranked = replace(pi, configs=pi.configs.with_complexity([8, 7, 6, 5, 4, 3, 2, 1]))
    many = en.compare_many(ranked, metric="accuracy", rng=0)
    simple_first = [f"c{i}" for i in (7, 6, 5, 4, 3, 2, 1, 0)]
    assert many.simplest == next(name for name in simple_first if name in many.not_worse)
    assert many.simplest in many.decision


def test_a_reference_is_compared_with_and_the_set_stays() -> None:
    pi = classified(n=100)
    free = en.compare_many(pi, metric="accuracy", rng=0)
    held = en.compare_many(pi, metric="accuracy", reference="poor", rng=0)
    assert [made.a for made in held] == ["poor", "poor"]
    assert (held.best, held.not_worse) == (free.best, free.not_worse)
    assert "EN039" not in {caution.code for caution in held.cautions}
    assert "EN039" in {caution.code for caution in free.cautions}
    tests = en.compare_many(pi, test="mcnemar", metric="accuracy", reference="poor")
    assert tests.not_worse == en.compare_many(pi, test="mcnemar", metric="accuracy").not_worse


def test_a_set_without_a_joint_law_says_so() -> None:
    many = en.compare_many(classified(), test="cv_t", metric="accuracy")
    said = {caution.code: caution for caution in many.cautions}
    assert "too small" in said["EN039"].consequence
    assert said["EN039"].severity == "caution"


def test_adjusted_p_values_follow_the_rule() -> None:
    pi = equal()
    raw, holm, bh = (
        en.compare_many(pi, metric="accuracy", adjust=how, rng=0) for how in ("none", "holm", "bh")
    )
    p = [made.p_value for made in raw]
    assert list(raw.adjusted) == p
    assert list(bh.adjusted) == adjusted(p, "bh")
    assert all(a >= b >= c for a, b, c in zip(holm.adjusted, bh.adjusted, p, strict=True))


def test_incomplete_configurations_are_left_out_with_a_note() -> None:
    pi = classified(n=100)
    responses = pi.responses.copy()
    responses[pi.folds[:, 0] == 0, 1] = np.nan
    partial = replace(pi, responses=responses)
    many = en.compare_many(partial, metric="accuracy", rng=0)
    assert [made.b for made in many] == ["poor"]
    assert "EN012" in {caution.code for caution in many.cautions}
    with pytest.raises(en.EvidenceError, match="reference 'fair' lacks predictions"):
        en.compare_many(partial, metric="accuracy", reference="fair")


@pytest.mark.parametrize(
    ("ask", "match"),
    [
        ({"adjust": "bonferroni"}, "`adjust` is unknown"),
        ({"reference": "god"}, "Did you mean 'good'"),
        ({"test": "delong"}, "cannot compare by 'accuracy'"),
    ],
)
def test_bad_questions_are_refused(ask: dict[str, str], match: str) -> None:
    with pytest.raises(en.EarnestError, match=match):
        en.compare_many(classified(), **{"metric": "accuracy", **ask})  # type: ignore[arg-type]


def test_one_configuration_is_refused() -> None:
    with pytest.raises(en.EvidenceError, match="at least two"):
        en.compare_many(classified().select("good"), metric="accuracy")


def test_the_same_seed_gives_the_same_and_threads_change_nothing() -> None:
    one = en.compare_many(equal(), metric="accuracy", rng=5)
    assert one == en.compare_many(equal(), metric="accuracy", rng=5, n_jobs=2)
    assert one.seed == 5


def test_it_survives_json_and_makes_a_table() -> None:
    many = en.compare_many(equal(), test="bootstrap", metric="accuracy", rng=0)
    text = json.dumps(many.to_dict(draws=True), allow_nan=False)
    again = en.Comparisons.from_dict(json.loads(text))
    assert again == many
    moved = again.at(confidence_level=0.9, alternative="greater")
    assert moved == many.at(confidence_level=0.9, alternative="greater")
    frame = many.to_frame()
    assert frame.num_rows == 7
    assert {"b", "difference", "p_value", "p_adjusted", "p_best", "not_worse"} <= set(
        frame.column_names
    )
    assert many["c3"].b == "c3" or many.reference == "c3"
    with pytest.raises(en.UnknownNameError, match="no comparison with 'c99'"):
        many["c99"]


def test_two_equal_columns_are_both_in_the_set() -> None:
    pi = classified(n=100)
    twin = pi.select(["good", "poor"]).concat(
        replace(pi.select("good"), configs=en.Configs(ids=("twin",)))
    )
    many = en.compare_many(twin, metric="accuracy", rng=0)
    assert {"good", "twin"} <= set(many.not_worse)
    assert many["twin"].p_value == 1.0


def test_losses_can_be_compared_with_the_best() -> None:
    rng = np.random.default_rng(0)
    given = en.Losses(
        {f"m{i}": rng.exponential(1 + i, 200) for i in range(3)}, fold=np.arange(200) % 5
    )
    many = en.compare_many(given, rng=0)
    assert many.not_worse == ("m0",)
    assert many.decision == "m0 is better than all 2 others."


def with_a_constant() -> en.Predictions:
    rng = np.random.default_rng(3)
    guesses = rng.standard_normal((40, 3))
    guesses[:, 1] = 0.5
    return en.Predictions.from_arrays(
        rng.standard_normal(40), guesses, np.arange(40) % 4, configs=["a", "flat", "b"]
    )


@pytest.mark.parametrize("test", ["bayle", "bootstrap", "corrected_t"])
def test_a_configuration_without_a_value_is_left_out_of_many_and_refused_alone(test: str) -> None:
    many = en.compare_many(with_a_constant(), test=test, metric="pearson", rng=0)
    assert set(many.p_best) == {"a", "b"}
    assert "EN043" in {caution.code for caution in many.cautions}
    with pytest.raises(en.EvidenceError, match="'pearson' is undefined for 'flat'"):
        en.compare(with_a_constant(), "a", "flat", test=test, metric="pearson", rng=0)
    with pytest.raises(en.EvidenceError, match="defined score"):
        en.compare_many(with_a_constant(), test=test, metric="pearson", reference="flat")


@pytest.mark.parametrize("test", ["sign_flip", "corrected_t"])
def test_a_set_of_single_tests_looks_below_the_best_of_a_loss(test: str) -> None:
    rng = np.random.default_rng(7)
    given = en.Losses(
        {"low": rng.random(100), "high": 1.0 + rng.random(100)}, fold=np.arange(100) % 10
    )
    many = en.compare_many(given, test=test, rng=0)
    assert many["high"].p_values is not None
    assert many.p_best == {"low": 1.0, "high": many["high"].p_values["less"]}
    assert many.not_worse == ("low",)


def test_what_is_worse_than_another_than_the_best_is_called_not_the_best() -> None:
    # 'loose' leads by chance; 'low' is steadily worse than 'high', and only 'high' shows it
    rng = np.random.default_rng(0)
    base = rng.random(200)
    given = en.Losses(
        {
            "loose": rng.exponential(1.0, 200) * 0.9,
            "high": base + 0.45,
            "low": base + 0.55,
        },
    )
    many = en.compare_many(given, rng=0)
    assert many.best == "loose"
    assert "low" not in many.not_worse
    assert not many["low"].shown
    words = repr(many) + many._repr_html_()
    assert "not the best" in words
    assert ": worse" not in words
    assert ">worse<" not in words
