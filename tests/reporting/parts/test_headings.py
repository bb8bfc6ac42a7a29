"""Every heading of a report: what it says, when, and what none of them may say."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from earnest.core import Evidence
from earnest.methods import METHODS, methods_for
from earnest.reporting.parts import headings as words
from earnest.reporting.parts.headings import (
    GROUPS,
    audit_heading,
    curves_heading,
    methods_heading,
    rivals_heading,
    won_heading,
)

FORBIDDEN = ("significant", "robust", "accurate", "guaranteed", "!")  # words of no heading


def sentences() -> list[str]:
    texts = [text for text in vars(words).values() if isinstance(text, str)]
    return [text for text in texts if text != words.__doc__ and " " in text]


@pytest.mark.parametrize(
    ("args", "disagree", "said"),
    [
        (("0.983", "0.986", 3), False, "The corrected methods agree: 0.983 to 0.986"),
        (("0.98", "0.98", 2), False, "The corrected methods agree: 0.98"),
        (("0.70", "0.95", 2), True, "The corrected methods disagree: 0.70 to 0.95"),
        (("0.98", "0.98", 1), False, "One corrected method applies"),
        (("–", "–", 0), False, "All methods on the same cases"),
    ],
)
def test_methods_are_said_to_agree_only_where_several_intervals_meet(
    args: tuple[str, str, int], disagree: bool, said: str
) -> None:
    assert methods_heading(*args, disagree=disagree) == said


@pytest.mark.parametrize(
    ("count", "leader", "said"),
    [
        (214, None, "The winner won 214 of 1,000 resamples"),
        (214, "b", "The winner won 214 of 1,000 resamples; b won more"),
        (0, "b", "The winner won no resample of 1,000"),
    ],
)
def test_the_winner_is_not_praised_for_resamples_that_others_won(
    count: int, leader: str | None, said: str
) -> None:
    assert won_heading(count, 1000, leader) == said


@pytest.mark.parametrize(
    ("not_worse", "others", "said"),
    [
        (46, 249, "46 other configurations are not shown to be worse than the winner"),
        (1, 9, "1 other configuration is not shown to be worse than the winner"),
        (1, 1, "1 other configuration is not shown to be worse than the winner"),
        (9, 9, "No other configuration can be shown to be worse than the winner"),
        (0, 9, "All 9 other configurations are worse than the winner"),
        (0, 1, "The other configuration is worse than the winner"),
    ],
)
def test_the_heading_of_the_comparison_counts_those_not_shown_to_be_worse(
    not_worse: int, others: int, said: str
) -> None:
    assert rivals_heading(not_worse, others) == said


@pytest.mark.parametrize(
    ("ranks", "finding", "heading"),
    [
        (True, "no sign", "The model ranks cases better than chance; no sign"),
        (False, "off", "No evidence that the model ranks cases better than chance; off"),
        (True, None, "The model ranks cases better than chance"),
        (None, "no sign", "No sign"),
        (None, None, "Curves"),
    ],
)
def test_curves_claim_only_what_an_interval_or_the_test_of_calibration_shows(
    ranks: bool | None, finding: str | None, heading: str
) -> None:
    assert curves_heading(ranks, finding) == heading


def test_one_configuration_is_not_called_all_of_them() -> None:
    assert audit_heading(1) == "The one configuration"
    assert audit_heading(2780) == "All 2,780 configurations tried"


def test_no_sentence_boasts() -> None:
    pages = files("earnest.reporting").joinpath("templates")
    templates = [
        re.sub(r"(?s)<script.*?</script>|\{[%{].*?[%}]\}|<[^>]*>", " ", page.read_text("utf-8"))
        for page in pages.iterdir()
        if page.name.endswith(".html")
    ]
    for text in [*sentences(), *(line for page in templates for line in page.splitlines())]:
        for word in FORBIDDEN:
            assert word not in text.replace("<!doctype", "").lower(), text


def test_every_estimand_of_a_method_has_its_group_and_every_method_a_short_name() -> None:
    for name in methods_for(Evidence.OUT_OF_SAMPLE):  # a report asks no others
        spec = METHODS[name].spec
        assert spec.estimand in GROUPS
        assert len(spec.label()) <= 35
