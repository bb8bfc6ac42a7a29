"""The four facts of the verdict follow from what was computed, and say what was not checked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest.core import (
    LeakScreen,
    LeakSign,
    LeakSuspect,
    Readiness,
    Sufficiency,
    Tone,
    Usable,
    list_verdict,
    write_verdict,
)
from earnest.inference import OPEN_FROM, judge_readiness


def readiness_of(pi: en.Predictions, metric: str = "roc_auc", **options: object) -> Readiness:
    estimate = en.estimate(pi, metric=metric, rng=0, **options)
    return judge_readiness(estimate, en.metric(metric).on(pi.target.task), pi.target)


def classes(n: int, lead: float, seed: int = 1) -> en.Predictions:
    y = np.tile([0, 1], n // 2)
    return en.Predictions.from_arrays(y, lead * y + np.random.default_rng(seed).standard_normal(n))


@pytest.mark.parametrize(
    ("lead", "usable"), [(1.5, Usable.LIKELY), (0.0, Usable.UNCLEAR), (-1.5, Usable.NO)]
)
def test_usable_is_the_interval_against_a_constant(lead: float, usable: Usable) -> None:
    pi = classes(200, lead)
    estimate = en.estimate(pi, metric="roc_auc", rng=0)
    side = (estimate.interval.low > 0.5) - (estimate.interval.high < 0.5)
    found = readiness_of(pi).usable
    assert found is usable
    assert found is [Usable.UNCLEAR, Usable.LIKELY, Usable.NO][side]


def test_a_score_that_is_not_corrected_says_nothing() -> None:
    pi = classes(200, 1.5)
    both = en.Predictions.from_arrays(pi.target.y, np.hstack([pi.responses[:, :, 0]] * 2))
    assert readiness_of(both, method="naive").usable is Usable.NOT_CHECKED


def test_only_a_metric_of_order_is_about_ranking() -> None:
    pi = classes(200, 1.5)
    titles = {m: list_verdict(readiness_of(pi, m))[0].title for m in ("roc_auc", "accuracy")}
    assert titles == {"roc_auc": "Usable for ranking", "accuracy": "Better than guessing"}


def test_cases_are_too_few_where_the_interval_leaves_it_open() -> None:
    for n, enough in ((40, False), (1000, True)):
        pi = classes(n, 1.0)
        estimate, found = en.estimate(pi, metric="roc_auc", rng=0), readiness_of(pi)
        width = (estimate.interval.high - estimate.interval.low) / 0.5
        assert found.width == pytest.approx(width)
        assert (found.width < OPEN_FROM) is enough
        assert found.cases is (Sufficiency.ENOUGH if enough else Sufficiency.TOO_FEW)


def test_the_width_of_a_loss_is_that_of_its_share_of_a_constant() -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(0, 10, 300)
    pi = en.Predictions.from_arrays(y, y + rng.normal(0, 2, 300))
    estimate, found = en.estimate(pi, metric="rmse", rng=0), readiness_of(pi, "rmse")
    ends = (estimate.interval.high, estimate.interval.low)
    shares = [1 - end / estimate.no_information for end in ends]
    assert found.least == pytest.approx(shares[0])
    assert found.width == pytest.approx(shares[1] - shares[0])
    assert found.n_rarest is None
    assert not found.ranks
    assert [fact.title for fact in list_verdict(found)] == [
        "Better than guessing",
        "Leaks",
        "Cases",
    ]


def test_few_cases_of_a_class_are_too_few_whatever_the_width() -> None:
    y = np.zeros(2000, dtype=int)
    y[:10] = 1
    pi = en.Predictions.from_arrays(y, 6.0 * y + np.random.default_rng(4).standard_normal(2000))
    found = readiness_of(pi)
    assert found.width < OPEN_FROM
    assert (found.n_rarest, found.cases) == (10, Sufficiency.TOO_FEW)
    assert readiness_of(pi, side="lower").cases is Sufficiency.TOO_FEW


def test_a_bound_has_no_width() -> None:
    found = readiness_of(classes(1000, 1.0), side="lower")
    assert (found.width, found.cases) == (None, Sufficiency.NOT_CHECKED)


def test_leaks_are_not_checked_none_seen_or_named() -> None:
    found = readiness_of(classes(200, 1.5))
    suspect = LeakSuspect("fee", 0.99, LeakSign.ALONE)
    clean = LeakScreen(suspects=(), metric="roc_auc", n_columns=20)
    facts = [
        list_verdict(replace(found, leaks=screen))[2]
        for screen in (None, clean, replace(clean, suspects=(suspect,)))
    ]
    assert [fact.tone for fact in facts] == [Tone.OPEN, Tone.GOOD, Tone.BAD]
    assert [fact.answer for fact in facts] == ["not checked", "none seen", "1 suspect column"]
    assert "fee" in facts[2].reason


def test_probabilities_are_what_their_test_says() -> None:
    rng = np.random.default_rng(7)
    p = rng.uniform(0.05, 0.95, 2000)
    y = (rng.random(2000) < p).astype(int)
    extreme = p**3 / (p**3 + (1 - p) ** 3)
    answers = []
    for shown in (p, extreme, p - 2.0):
        pi = en.Predictions.from_arrays(y, shown)
        verdict = en.report(pi, metric="roc_auc", explain=False, rng=0).content.answer.verdict
        answers.append((verdict[1].answer, verdict[1].tone))
    assert [tone for _, tone in answers] == [Tone.GOOD, Tone.BAD, Tone.OPEN]
    assert answers[2][0] == "not checked"


def test_it_is_read_back_and_the_line_has_every_answer() -> None:
    found = readiness_of(classes(200, 1.5))
    screen = LeakScreen(suspects=(), metric="roc_auc", n_columns=3)
    whole = replace(found, leaks=screen)
    assert Readiness.from_dict(whole.to_dict()) == whole
    assert all(fact.answer in write_verdict(whole) for fact in list_verdict(whole))
