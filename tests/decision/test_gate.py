"""A gate passes what deserves it, fails what does not, and says when it cannot tell."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import earnest as en
from earnest.decision import count_more, decide_outcome, level_of_look
from earnest.errors import EvidenceError, InputError
from tests.decision.populations import answer_items, answer_pair, make_scores


def scores(share: float, n: int = 400, seed: int = 0) -> en.Scores:
    return make_scores(answer_items(np.random.default_rng(seed), n, [share], 0.0), "m")


# What it decides by.


@pytest.mark.parametrize(("bound", "outcome"), [(0.7, "pass"), (0.8, "undecided"), (0.9, "fail")])
def test_the_verdict_follows_the_one_sided_limits(bound: float, outcome: str) -> None:
    made = en.gate(scores(0.8), above=bound)
    assert made.outcome == outcome
    assert made.exit_code == {"pass": 0, "fail": 3, "undecided": 4}[outcome]
    assert made.passed == (outcome == "pass")
    assert (made.low >= bound, made.high < bound) == (outcome == "pass", outcome == "fail")


def test_the_limits_are_those_of_the_estimate() -> None:
    given = scores(0.8)
    made = en.gate(given, above=0.5)
    plain = en.estimate(given, rng=0, side="lower", n_resamples=4000)
    assert plain.interval is not None
    assert made.low == plain.interval.low
    assert made.value == plain.value


def test_the_best_of_many_is_judged_by_its_corrected_limit() -> None:
    table = make_scores(answer_items(np.random.default_rng(1), 200, [0.6] * 20, 0.3))
    made = en.gate(table, above=0.5)
    plain = en.estimate(table, rng=0, side="lower", n_resamples=4000)
    assert plain.interval is not None
    assert plain.naive is not None
    assert made.low == plain.interval.low < plain.naive
    assert made.n_configs == 20
    alone = en.gate(table, above=0.5, config=made.config)
    assert alone.value == pytest.approx(plain.naive)  # named in advance: nothing is corrected


def test_losses_mirror_scores() -> None:
    right = answer_items(np.random.default_rng(2), 300, [0.8], 0.0)
    score = en.gate(make_scores(right, "m"), above=0.75)
    wrong = en.Scores(1 - right, configs=["m"], limits=(0, 1), greater_is_better=False)
    loss = en.gate(wrong, below=0.25)
    assert loss.outcome == score.outcome
    assert (loss.low, loss.high) == pytest.approx((1 - score.high, 1 - score.low))


def test_against_a_baseline_the_limits_are_those_of_the_paired_test() -> None:
    new, old = answer_pair(np.random.default_rng(3), 500, 0.1, 0.15)
    made = en.gate(new, against=old, margin=0.02)
    plain = en.compare(new, old, alternative="greater")
    assert plain.interval is not None
    assert made.value == pytest.approx(plain.difference)
    assert made.low == pytest.approx(plain.interval.low)
    assert made.bound == -0.02
    assert made.outcome == "pass"
    back = en.gate(old, against=new, margin=0.0)
    assert back.outcome in ("fail", "undecided")
    assert (back.low, back.high) == pytest.approx((-made.high, -made.low))


def test_predictions_are_compared_by_their_metric() -> None:
    rng = np.random.default_rng(4)
    y = np.tile([0, 1], 200)
    good, bad = (
        en.Predictions.from_arrays(y, shift * y + rng.standard_normal(400), configs=["m"])
        for shift in (2.0, 0.5)
    )
    assert en.gate(good, metric="roc_auc", against=bad).outcome == "pass"
    assert en.gate(bad, metric="roc_auc", against=good, margin=0.05).outcome == "fail"
    assert en.gate(bad, metric="accuracy", above=0.3).passed


def test_the_order_of_items_does_not_matter() -> None:
    new, old = answer_pair(np.random.default_rng(5), 300, 0.1, 0.12)
    mixed = old.take(np.random.default_rng(0).permutation(300))
    one, other = en.gate(new, against=old), en.gate(new, against=mixed)
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_items_that_one_of_two_lacks_are_said_and_the_others_compared() -> None:
    new, old = answer_pair(np.random.default_rng(5), 300, 0.1, 0.12)
    made = en.gate(new.take(np.arange(250)), against=old.take(np.arange(20, 300)))
    assert made.n_items == 230
    assert "items_not_shared" in {one.kind for one in made.cautions}
    with pytest.raises(EvidenceError, match="no item in common"):
        en.gate(new.take(np.arange(100)), against=old.take(np.arange(200, 300)))


def test_several_new_ones_have_wider_limits_than_the_best_alone() -> None:
    rng = np.random.default_rng(6)
    values = answer_items(rng, 400, [0.7] * 6, 0.5)
    new = make_scores(values[:, :5], *"abcde")
    old = make_scores(values[:, 5], "main")
    made = en.gate(new, against=old, margin=0.05)
    alone = en.gate(new.select(made.config), against=old, margin=0.05)
    assert made.value == pytest.approx(alone.value)
    assert made.low < alone.low
    assert made.high > alone.high
    joint = en.compare_many(
        make_scores(np.column_stack([values[:, 5], values[:, :5]]), "main", *"abcde"),
        reference="main",
        rng=0,
    )
    interval = joint.interval_at_once(made.config or "")
    assert interval is not None
    assert -made.low == pytest.approx(interval.high, abs=0.01)


@pytest.mark.parametrize("n", [50, 149, 400])
def test_no_item_that_differs_is_no_proof_of_no_difference(n: int) -> None:
    old = make_scores(answer_items(np.random.default_rng(n), n, [0.7], 0.0), "m")
    made = en.gate(old, against=old, margin=0.02)
    assert made.value == 0.0
    # The rule of three: up to 3/n of the items may differ, though none did.
    assert made.low == pytest.approx(-2.706 / n, rel=1e-3)
    assert made.outcome == ("pass" if n == 149 or n == 400 else "undecided")
    assert en.gate(old, against=old).outcome == "undecided"


@pytest.mark.parametrize(("scale", "shift"), [(1.0, 10.0), (5.0, 0.0), (2.0, -1.0)])
def test_limits_of_rare_differences_move_with_the_scale_of_the_scores(
    scale: float, shift: float
) -> None:
    right = answer_items(np.random.default_rng(4), 200, [0.7], 0.0)
    new = right.copy()
    new[:3] = 1.0 - new[:3]  # so few differ that the limits are those of rare cases

    def find_limits(scale: float, shift: float) -> tuple[float, float]:
        ends = (shift, scale + shift)
        old, now = (en.Scores({"m": scale * v[:, 0] + shift}, limits=ends) for v in (right, new))
        made = en.gate(now, against=old, margin=0.1 * scale)
        return made.low, made.high

    low, high = find_limits(1.0, 0.0)
    assert find_limits(scale, shift) == pytest.approx((scale * low, scale * high))


def test_an_auc_of_the_same_scores_is_no_proof_either() -> None:
    y = np.tile([0, 1], 20)
    pi = en.Predictions.from_arrays(y, np.random.default_rng(0).random(40), configs=["m"])
    assert en.gate(pi, metric="roc_auc", against=pi, margin=0.01).outcome == "undecided"


# How many more items.


def test_more_items_follow_from_the_root_law() -> None:
    found = count_more(0.8, (0.76, 0.84), 0.78, 400, 0.95)
    needed = 400 * (0.04 / 0.02 * (1 + 0.8416 / 1.6449)) ** 2 - 400
    assert found == pytest.approx(needed, rel=0.05)
    assert count_more(0.8, (0.76, math.inf), 0.9, 400, 0.95) is None


@pytest.mark.parametrize(
    ("value", "limits"),
    [
        (0.78, (0.74, 0.82)),
        (0.8, (-math.inf, 0.84)),
        (0.7, (0.6, math.inf)),
        (math.nan, (0.7, 0.8)),
    ],
)
def test_no_number_of_items_is_named_that_nothing_tells(
    value: float, limits: tuple[float, float]
) -> None:
    assert count_more(value, limits, 0.78, 400, 0.95) is None


def test_as_many_more_items_as_are_named_decide_it_mostly() -> None:
    """The truth is the value that was seen: 0.8 where 0.76 is asked for."""
    first = scores(0.8, 120, seed=8)
    made = en.gate(first, above=0.73)
    assert made.outcome == "undecided"
    assert made.more_items is not None
    total, value = made.n_items + made.more_items, made.value
    count, decided = 40, 0
    for seed in range(count):
        rng = np.random.default_rng([9, seed])
        decided += en.gate(make_scores(answer_items(rng, total, [value], 0.0)), above=0.73).passed
    # 80 % in theory, a binomial error of 6 %, and limits of a share that are not quite normal.
    assert 0.6 < decided / count <= 1.0


# Looks.


def test_levels_of_looks_sum_to_the_level() -> None:
    spent = [1 - level_of_look(0.95, look) for look in range(1, 10_000)]
    assert sum(spent) == pytest.approx(0.05, abs=1e-5)
    assert all(a > b for a, b in itertools.pairwise(spent))


def test_the_ledger_counts_looks_and_the_same_evidence_once(tmp_path: Path) -> None:
    ledger = tmp_path / "looks.db"
    rng = np.random.default_rng(0)
    values = answer_items(rng, 200, [0.8] * 3, 0.5)
    made = [en.gate(make_scores(values[:, at], f"v{at}"), above=0.7, ledger=ledger)
            for at in (0, 1, 0, 2)]  # fmt: skip
    assert [one.look for one in made] == [1, 2, 1, 3]
    assert [round(one.level, 4) for one in made] == [0.975, 0.9917, 0.975, 0.9958]
    assert made[0] == made[2]
    told = [
        {one.kind for one in verdict.cautions} & {"looked_before", "looks_not_counted"}
        for verdict in made
    ]
    assert told == [set(), {"looked_before"}, set(), {"looked_before"}]
    assert made[3].low < en.gate(make_scores(values[:, 2], "v2"), above=0.7).low


def test_another_bound_on_the_same_evidence_is_the_same_look(tmp_path: Path) -> None:
    looks = [
        en.gate(scores(0.8), above=bound, ledger=tmp_path / "l.db").look for bound in (0.6, 0.9)
    ]
    assert looks == [1, 1]


def test_the_ledger_of_other_items_is_refused(tmp_path: Path) -> None:
    en.gate(scores(0.8, 100), above=0.5, ledger=tmp_path / "l.db")
    with pytest.raises(InputError, match="other items"):
        en.gate(scores(0.8, 120), above=0.5, ledger=tmp_path / "l.db")


def test_the_ledger_knows_predicted_cases_by_their_names_and_outcomes(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    time, event, risk = rng.random(60) + 0.1, rng.random(60) < 0.7, rng.random(60)
    y, ids = (rng.random(60) < 0.4).astype(int), np.arange(60)

    def look(outcome: object, ledger: str, order: np.ndarray = ids, task: str = "binary") -> int:
        parts = tuple(p[order] for p in outcome) if isinstance(outcome, tuple) else outcome[order]
        pi = en.Predictions.from_arrays(parts, risk[order], ids=ids[order], task=task)
        asked = {"metric": "concordance" if task == "survival" else "roc_auc", "above": 0.1}
        found = en.gate(pi, **asked, ledger=tmp_path / ledger).look
        assert found is not None
        return found

    for outcome, other, task in (
        (y, 1 - y, "binary"),
        ((time, event), (time, ~event), "survival"),
        ((time, event), (time + 1.0, event), "survival"),
    ):
        ledger = f"{task}-{len(list(tmp_path.iterdir()))}.db"
        assert look(outcome, ledger, task=task) == 1
        assert look(outcome, ledger, ids[::-1], task) == 1  # the same cases, in another order
        with pytest.raises(InputError, match="other items"):
            look(other, ledger, task=task)


def test_the_same_scores_in_another_order_are_the_same_look(tmp_path: Path) -> None:
    new, old = answer_pair(np.random.default_rng(5), 120, 0.1, 0.12)
    order = np.random.default_rng(0).permutation(120)
    for name, asked in (("bound", {"above": 0.2}), ("pair", {"against": old})):
        looks = [
            en.gate(given, **asked, ledger=tmp_path / name).look for given in (new, new.take(order))
        ]
        assert looks == [1, 1]
    assert en.gate(new, against=old.take(order), ledger=tmp_path / "pair").look == 1
    assert en.gate(old, against=new, ledger=tmp_path / "pair").look == 2


def test_an_item_without_a_score_is_still_one_of_the_items(tmp_path: Path) -> None:
    values = answer_items(np.random.default_rng(0), 60, [0.8, 0.8], 0.5)
    values[3, 1] = np.nan  # of a service that failed
    looks = [
        en.gate(make_scores(values[:, at], f"v{at}"), above=0.5, ledger=tmp_path / "l.db").look
        for at in (0, 1)
    ]
    assert looks == [1, 2]


def test_a_question_that_is_refused_is_no_look(tmp_path: Path) -> None:
    ledger = tmp_path / "l.db"
    with pytest.raises(EvidenceError):
        en.gate(scores(0.8), above=0.5, method="naive", ledger=ledger)
    assert not ledger.exists()


def test_without_a_ledger_a_note_says_so() -> None:
    assert "looks_not_counted" in {one.kind for one in en.gate(scores(0.8), above=0.5).cautions}


# What it refuses.


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "one bound"),
        ({"above": 0.5, "against": "same"}, "one bound"),
        ({"below": 0.5}, "more is better"),
        ({"above": 1.5}, "no .* can be above"),
        ({"above": math.nan}, "not a number"),
        ({"above": 0.5, "margin": 0.1}, "belongs to"),
        ({"against": "same", "margin": -0.1}, "below 0"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(asked: dict[str, object], words: str) -> None:
    given = scores(0.8)
    asked = {name: given if value == "same" else value for name, value in asked.items()}
    with pytest.raises(InputError, match=words):
        en.gate(given, **asked)  # type: ignore[arg-type]


# How it is written.


@pytest.mark.parametrize("bound", [0.7, 0.8, 0.9])
def test_the_junit_file_has_one_test_that_fails_where_the_gate_does(bound: float) -> None:
    made = en.gate(make_scores(answer_items(np.random.default_rng(0), 400, [0.8], 0.0), "<m&>\x00"),
                   above=bound)  # fmt: skip
    suite = ET.fromstring(made.to_junit())
    counts = Counter(node.tag for node in suite.iter())
    assert (suite.get("tests"), counts["testcase"]) == ("1", 1)
    assert counts["failure"] == int(suite.get("failures") or 0) == int(made.outcome == "fail")
    assert counts["error"] == int(suite.get("errors") or 0) == int(made.outcome == "undecided")


def test_the_comment_holds_the_verdict_the_numbers_and_the_cautions() -> None:
    made = en.gate(make_scores(answer_items(np.random.default_rng(0), 90, [0.8], 0.0), "a|b @you"),
                   above=0.8)  # fmt: skip
    text = made.to_comment()
    assert "EN090" in text
    assert "a\\|b \\@you" in text
    assert f"{made.more_items:,}" in text
    assert "| --- |" in text


# That its chances are as stated. Tolerances: three binomial standard errors of 0.05.


@pytest.mark.parametrize(
    ("n", "loss", "gain", "margin"),
    [
        (200, 0.10, 0.08, 0.02),
        (100, 0.02, 0.0, 0.02),
        pytest.param(100, 0.03, 0.01, 0.02, marks=pytest.mark.slow),  # between the two above
        pytest.param(200, 0.1, 0.1, 0, marks=pytest.mark.slow),
    ],
)
def test_a_change_at_the_margin_passes_and_fails_as_rarely_as_stated(
    n: int, loss: float, gain: float, margin: float
) -> None:
    count = 200
    found = Counter(
        en.gate(new, against=old, margin=margin).outcome
        for new, old in (
            answer_pair(np.random.default_rng([10, n, seed]), n, loss, gain)
            for seed in range(count)
        )
    )
    most = count * (0.05 + 3 * math.sqrt(0.05 * 0.95 / count))
    assert found["pass"] <= most
    assert found["fail"] <= most


def test_the_best_of_ten_at_the_margin_passes_as_rarely_as_stated() -> None:
    count, passed = 100, 0
    for seed in range(count):
        rng = np.random.default_rng([11, seed])
        values = answer_items(rng, 200, [0.68] * 10 + [0.70], 0.7)
        new, old = make_scores(values[:, :10]), make_scores(values[:, 10], "main")
        passed += en.gate(new, against=old, margin=0.02).passed
    assert passed <= count * (0.05 + 3 * math.sqrt(0.05 * 0.95 / count))


def test_any_of_many_looks_passes_as_rarely_as_one(tmp_path: Path) -> None:
    """Eight changes at the margin, on the same items: without the ledger one set in five passes."""
    count, looks = 20, 8
    with_ledger = without = 0
    for seed in range(count):
        values = answer_items(np.random.default_rng([12, seed]), 150, [0.68] * looks + [0.7], 0.2)
        old = make_scores(values[:, looks], "main")
        parts = [make_scores(values[:, at], f"v{at}") for at in range(looks)]
        asked = {"against": old, "margin": 0.02}
        ledger = tmp_path / f"{seed}.db"
        passed = [en.gate(one, ledger=ledger, **asked).passed for one in parts]  # type: ignore[arg-type]
        with_ledger += any(passed)
        without += any(en.gate(one, **asked).passed for one in parts)  # type: ignore[arg-type]
    assert with_ledger <= count * (0.05 + 3 * math.sqrt(0.05 * 0.95 / count))
    assert without > with_ledger


def test_the_same_evidence_always_has_the_same_verdict() -> None:
    table = make_scores(answer_items(np.random.default_rng(13), 150, [0.6] * 5, 0.5))
    assert en.gate(table, above=0.6) == en.gate(table, above=0.6)


def test_another_seed_seldom_changes_the_verdict() -> None:
    """The stated flip rate: with another seed at most 1 in 10 verdicts on the best changes."""
    flips = total = 0
    for seed in range(12):
        rng = np.random.default_rng([14, seed])
        table = make_scores((rng.random((200, 8)) < rng.uniform(0.3, 1.0, (200, 1))).astype(float))
        made = [en.gate(table, above=0.6, rng=again).outcome for again in range(3)]
        flips += sum(one != made[0] for one in made[1:])
        total += 2
    assert flips / total <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / total)


def test_decide_is_exclusive_and_complete() -> None:
    for low, high, bound in itertools.product((0.0, 0.5, 1.0), (0.5, 1.0), (0.25, 0.5, 0.75)):
        if low <= high:
            score = decide_outcome(low, high, bound, greater_is_better=True)
            loss = decide_outcome(-high, -low, -bound, greater_is_better=False)
            assert score == loss
