"""Which one to use and what to do next follow from the results by rule, and claim no more."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.reporting import Answer
from tests.reporting.scenes import SCENES, scene


def predicted(gain: float, count: int = 4, n: int = 120, seed: int = 3) -> en.Predictions:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    scores = gain * y[:, None] + rng.standard_normal((n, count))
    return en.Predictions.from_arrays(y, scores, np.arange(n) // 2 % 5)


def advice(source: en.Predictions, **asked: object) -> tuple[Answer, str, str]:
    given = {"metric": "roc_auc", "explain": False, "n_resamples": 200, **asked}
    answer = en.report(source, **given).content.answer
    assert answer is not None
    told = {each.key: " ".join(each.words) for each in answer.advice}
    return answer, told["use"], told["next"]


@pytest.mark.parametrize("name", SCENES)
def test_every_kind_of_run_says_what_to_use_and_what_to_do(name: str) -> None:
    answer = scene(name).content.answer
    assert answer is not None
    titles = ["Which one to use", "What to do next"]
    if answer.value is not None and name != "single":  # where there was a search
        titles = ["Was the tuning worth it?", *titles]
    assert [each.title for each in answer.advice] == titles
    assert all(each.words and len(each.words) <= 3 for each in answer.advice)


def test_whether_the_tuning_was_worth_it_is_said_as_its_section_says_it() -> None:
    content = scene("folder").content
    assert content.answer is not None
    assert content.gain is not None
    worth = content.answer.advice[0]
    assert worth.words == (f"{content.gain.heading}.",)
    assert worth.section == "gain"


def test_without_evidence_of_skill_nothing_is_recommended() -> None:
    _, use, to_do = advice(predicted(0.0))
    assert use.startswith("None yet.")
    assert "Report" not in to_do
    assert "Collect more cases" in to_do


def test_what_to_report_is_the_number_of_the_page_and_not_the_naive_one() -> None:
    answer, use, to_do = advice(predicted(1.0, count=40, n=60))
    assert use.startswith("The winner: ")
    assert f"Report {answer.value} (95\u00a0% interval {answer.interval})" in to_do
    assert f"not {answer.naive}" in to_do


def test_a_number_that_is_not_corrected_is_not_to_be_reported() -> None:
    answer, _, to_do = advice(predicted(1.0), method="naive", n_resamples=None)
    assert "corrects for the search" in to_do
    assert f"Report {answer.value}" not in to_do


def test_the_simpler_one_is_named_only_where_an_order_is_known() -> None:
    pi = predicted(1.5)
    _, use, _ = advice(pi)
    assert "impler" not in use
    ranked = en.Predictions.from_arrays(
        pi.target.y,
        pi.responses[:, :, 0],
        np.arange(120) // 2 % 5,
        configs=pi.configs.with_complexity([4, 3, 2, 1]),
    )
    content = en.report(ranked, metric="roc_auc", explain=False, n_resamples=200).content
    answer = content.answer
    use = next(" ".join(each.words) for each in answer.advice if each.key == "use")
    assert content.rivals is not None
    cheapest = content.rivals.cheapest
    assert cheapest is not None
    assert cheapest in use
    assert answer.params == ""
