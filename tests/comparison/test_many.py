"""`compare_many`: all configurations against the best, adjusted, and the set not worse."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest.core import adjusted
from tests.comparison.evidence import JOINT, WITH_P, classified, metric_of
from tests.snapshots import Golden


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
    assert many.joint == (test in JOINT)


@pytest.mark.parametrize("test", ["bayle", "delong", "bootstrap"])
def test_joint_sets_nest_by_level_and_agree_roughly(test: str) -> None:
    many = en.compare_many(classified(n=100), test=test, metric="roc_auc", rng=0)
    assert set(many.at(confidence_level=0.5).not_worse) <= set(many.not_worse)
    assert set(many.not_worse) <= set(many.at(confidence_level=0.999).not_worse)


def test_a_loss_has_its_best_below() -> None:
    score = en.compare_many(classified(n=100), metric="accuracy", rng=0)
    loss = en.compare_many(classified(n=100), metric="error_rate", rng=0)
    assert (loss.best, loss.not_worse) == (score.best, score.not_worse)
    assert loss.p_best == pytest.approx(score.p_best)
    assert [m.difference for m in loss] == pytest.approx([-m.difference for m in score])


def test_the_cheapest_of_the_set_is_named_where_it_is_known() -> None:
    pi = equal()
    assert en.compare_many(pi, metric="accuracy", rng=0).cheapest is None
    ranked = replace(pi, configs=pi.configs.with_complexity([8, 7, 6, 5, 4, 3, 2, 1]))
    many = en.compare_many(ranked, metric="accuracy", rng=0)
    simple_first = [f"c{i}" for i in (7, 6, 5, 4, 3, 2, 1, 0)]
    behind = {each.b: each.difference for each in many} | {many.best: 0.0}
    near = [name for name in simple_first if behind[name] <= many.margin]
    assert many.cheapest == next(name for name in near if name in many.not_worse)
    assert many.cheapest in many.decision


def test_what_is_cheaper_is_offered_only_within_a_share_of_the_gain_over_a_constant() -> None:
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], 75)
    best = y + rng.standard_normal(150)
    near = best + 0.02 * rng.standard_normal(150)
    far = best + 0.9 * rng.standard_normal(150)  # too few cases to show that it is worse
    for order, offered in (([3, 2, 1], "near"), ([1, 3, 2], "best"), ([3, 4, 1], "best")):
        columns = np.stack([best, near, far], axis=1)
        pi = en.Predictions.from_arrays(y, columns, configs=["best", "near", "far"])
        pi = replace(pi, configs=pi.configs.with_complexity(order))
        many = en.compare_many(pi, metric="roc_auc", rng=0)
        assert "far" in many.not_worse
        value = en.estimate(pi, metric="roc_auc", method="naive").value
        assert many.margin == pytest.approx(0.05 * (value - 0.5))
        assert many["far"].difference > many.margin > abs(many["near"].difference)
        assert many.cheapest == offered
    bare = replace(pi, configs=replace(pi.configs, complexity=None))
    assert en.compare_many(bare, metric="roc_auc", rng=0).margin is None


def test_a_reference_is_compared_with_and_the_set_stays() -> None:
    pi = classified(n=100)
    free = en.compare_many(pi, metric="accuracy", rng=0)
    held = en.compare_many(pi, metric="accuracy", reference="poor", rng=0)
    assert [made.a for made in held] == ["poor", "poor"]
    assert (held.best, held.not_worse) == (free.best, free.not_worse)
    assert held.family.size == 2  # a reference that is not the best was fixed in advance
    assert free.family.size == 3
    tests = en.compare_many(pi, test="mcnemar", metric="accuracy", reference="poor")
    assert tests.not_worse == en.compare_many(pi, test="mcnemar", metric="accuracy").not_worse


@pytest.mark.parametrize("adjust", ["holm", "bh", "none"])
def test_a_rule_that_forgets_the_choice_of_the_best_says_so(adjust: str) -> None:
    kinds = {
        (how, reference): {
            caution.kind
            for caution in en.compare_many(
                classified(), metric="accuracy", adjust=how, reference=reference, rng=0
            ).cautions
        }
        for how in (adjust, "simultaneous")
        for reference in (None, "good", "poor")
    }
    assert "best_in_hindsight" in kinds[adjust, None]
    assert "best_in_hindsight" in kinds[adjust, "good"]  # the best, whether named or not
    assert not any(
        "best_in_hindsight" in kinds["simultaneous", each] for each in (None, "good", "poor")
    )
    assert "best_in_hindsight" not in kinds[adjust, "poor"]


@pytest.mark.parametrize("test", WITH_P)
def test_the_set_is_that_of_the_adjusted_p_values_and_of_the_intervals_at_once(test: str) -> None:
    # one answer: seeds 0 to 4, levels from .5 to .999
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = np.tile([0, 1], 30)
        scores = (y[:, None] - 0.5) * np.linspace(2.5, 0.5, 6) + rng.standard_normal((60, 6))
        pi = en.Predictions.from_arrays(y, scores, np.arange(60) // 2 % 5, response="decision")
        many = en.compare_many(pi, test=test, metric=metric_of(test), rng=seed)
        for level in (0.5, 0.8, 0.95, 0.999):
            at = many.at(confidence_level=level)
            for made, p in zip(at.comparisons, at.adjusted, strict=True):
                wide = at.interval_at_once(made.b)
                assert wide is not None
                assert made.interval is not None
                assert wide.low <= made.interval.low
                assert wide.confidence_level == level
                out = p <= round(1 - level, 12)
                assert out == (made.b not in at.not_worse)
                if test != "mcnemar":  # whose test and interval are made apart
                    assert out == (wide.low > 0.0)


@pytest.mark.parametrize("test", ["mcnemar", "sign_flip", "corrected_t"])
def test_without_a_joint_law_bonferroni_counts_all_pairs(test: str) -> None:
    many = en.compare_many(equal(), test=test, metric="accuracy", rng=0)
    assert not many.joint
    assert many.family.size == 28
    for made, p in zip(many.comparisons, many.adjusted, strict=True):
        assert made.p_value is not None
        assert p == pytest.approx(min(1.0, 28 * made.p_value))


def test_an_obviously_bad_configuration_hardly_changes_the_set() -> None:
    # seed 0: ten bad ones among twenty widen what luck can do by about a tenth, no more
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 100)
    good = (y[:, None] - 0.5) * np.linspace(2.0, 0.6, 20) + rng.standard_normal((200, 20))
    bad = rng.standard_normal((200, 10))
    few, many = (
        en.compare_many(
            en.Predictions.from_arrays(y, scores, np.arange(200) // 2 % 10), metric="roc_auc", rng=0
        )
        for scores in (good, np.column_stack([good, bad]))
    )
    assert set(few.not_worse) <= set(many.not_worse)
    assert len(many.not_worse) - len(few.not_worse) <= 2
    assert not set(many.not_worse) & {f"c{i}" for i in range(20, 30)}
    ratio = many.family.error_at(0.95) / few.family.error_at(0.95)
    assert 1.0 < ratio < 1.1


def test_equal_configurations_are_called_worse_in_five_percent_of_samples() -> None:
    # seeds 0 to 99: 20 equal configurations of 60 cases; a rate of .06 leaves 13 of 100 with a
    # chance of .3 %. Holm against the best calls one of them worse in four of ten.
    wrong = holm = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        given = en.Scores(
            {f"c{i}": x for i, x in enumerate(rng.exponential(1.0, (20, 60)))},
            fold=np.arange(60) % 5,
            greater_is_better=False,
        )
        many = en.compare_many(given, test="bayle", rng=seed)
        wrong += len(many.not_worse) < 20
        holm += min(adjusted([made.p_value for made in many], "holm")) <= 0.05
    assert wrong <= 13
    assert holm >= 25


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
    assert "configurations_incomplete" in {caution.kind for caution in many.cautions}
    with pytest.raises(en.errors.EvidenceError, match="reference 'fair' lacks predictions"):
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
    with pytest.raises(en.errors.EarnestError, match=match):
        en.compare_many(classified(), **{"metric": "accuracy", **ask})  # type: ignore[arg-type]


def test_one_configuration_is_refused() -> None:
    with pytest.raises(en.errors.EvidenceError, match="at least two"):
        en.compare_many(classified().select("good"), metric="accuracy")


def test_the_same_seed_gives_the_same_and_threads_change_nothing() -> None:
    one = en.compare_many(equal(), metric="accuracy", rng=5)
    assert one == en.compare_many(equal(), metric="accuracy", rng=5, n_jobs=2)
    assert one.seed == 5


def test_it_survives_json_and_makes_a_table() -> None:
    many = en.compare_many(equal(), test="bootstrap", metric="accuracy", rng=0)
    text = json.dumps(many.to_dict(draws=True), allow_nan=False)
    again = en.results.Comparisons.from_dict(json.loads(text))
    assert again == many
    moved = again.at(confidence_level=0.9, alternative="greater")
    assert moved == many.at(confidence_level=0.9, alternative="greater")
    frame = many.to_frame()
    assert frame.num_rows == 7
    assert {"b", "difference", "p_value", "p_adjusted", "p_best", "not_worse"} <= set(
        frame.column_names
    )
    assert many["c3"].b == "c3" or many.reference == "c3"
    with pytest.raises(en.errors.UnknownNameError, match="no comparison with 'c99'"):
        many["c99"]


def test_two_equal_columns_are_both_in_the_set() -> None:
    pi = classified(n=100)
    twin = pi.select(["good", "poor"]).concat(
        replace(pi.select("good"), configs=en.Configs(ids=("twin",)))
    )
    many = en.compare_many(twin, metric="accuracy", rng=0)
    assert {"good", "twin"} <= set(many.not_worse)
    assert many["twin"].p_value == 1.0


def test_losses_can_be_compared_with_the_best(golden: Golden) -> None:
    rng = np.random.default_rng(0)
    given = en.Scores(
        {f"m{i}": rng.exponential(1 + i, 200) for i in range(3)},
        fold=np.arange(200) % 5,
        greater_is_better=False,
    )
    many = en.compare_many(given, rng=0)
    assert many.not_worse == ("m0",)
    golden.check(many.decision)


def with_a_constant() -> en.Predictions:
    rng = np.random.default_rng(3)
    guesses = rng.standard_normal((40, 3))
    guesses[:, 1] = 0.5
    return en.Predictions.from_arrays(
        rng.standard_normal(40), guesses, np.arange(40) % 4, configs=["a", "flat", "b"]
    )


@pytest.mark.parametrize("test", ["bayle", "bootstrap", "corrected_t"])
def test_a_configuration_without_a_value_is_left_out_of_many_and_refused_alone(
    test: str, golden: Golden
) -> None:
    many = en.compare_many(with_a_constant(), test=test, metric="pearson", rng=0)
    assert set(many.p_best) == {"a", "b"}
    assert "configurations_undefined" in {caution.kind for caution in many.cautions}
    with pytest.raises(en.errors.EvidenceError) as refusal:
        en.compare(with_a_constant(), "a", "flat", test=test, metric="pearson", rng=0)
    golden.check(str(refusal.value))
    with pytest.raises(en.errors.EvidenceError, match="defined score"):
        en.compare_many(with_a_constant(), test=test, metric="pearson", reference="flat")


@pytest.mark.parametrize("test", ["sign_flip", "corrected_t"])
def test_a_set_of_single_tests_looks_below_the_best_of_a_loss(test: str) -> None:
    rng = np.random.default_rng(7)
    given = en.Scores(
        {"low": rng.random(100), "high": 1.0 + rng.random(100)},
        fold=np.arange(100) % 10,
        greater_is_better=False,
    )
    many = en.compare_many(given, test=test, rng=0)
    assert many["high"].p_values is not None
    assert many.p_best == {"low": 1.0, "high": many["high"].p_values["two-sided"]}
    assert many.not_worse == ("low",)


def test_a_file_without_draws_keeps_the_intervals_at_once_of_its_own_level() -> None:
    many = en.compare_many(equal(), metric="accuracy", rng=0)
    again = en.results.Comparisons.from_dict(json.loads(json.dumps(many.to_dict())))
    name = many.comparisons[0].b
    assert again.interval_at_once(name) == many.interval_at_once(name)
    assert again.at(confidence_level=0.9).adjusted == many.adjusted
    for moved in ({"confidence_level": 0.9}, {"alternative": "less"}):
        with pytest.raises(en.errors.EvidenceError, match="joint distribution"):
            again.at(**moved).interval_at_once(name)


def test_a_table_at_another_level_is_written_with_the_intervals_of_that_level() -> None:
    many = en.compare_many(equal(), metric="accuracy", rng=0)
    name, moved = many.comparisons[0].b, many.at(confidence_level=0.9)
    again = en.results.Comparisons.from_dict(json.loads(json.dumps(moved.to_dict())))
    assert again.interval_at_once(name) == moved.interval_at_once(name)
    assert again.interval_at_once(name) != many.interval_at_once(name)
    # What was written without draws is moved back and written again: nothing is lost, and the
    # level that was kept still answers.
    back = en.results.Comparisons.from_dict(
        json.loads(json.dumps(again.at(confidence_level=0.95).to_dict()))
    )
    assert back.at(confidence_level=0.9).interval_at_once(name) == moved.interval_at_once(name)
