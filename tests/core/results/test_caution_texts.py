"""The catalogue: every code has its meaning, and every kind its words, which survive a file."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from earnest.core import MEANINGS, Door, Severity, list_kinds, through
from earnest.core.cautions import of_limits, of_search
from earnest.core.results import cautions
from earnest.core.results.cautions import Verb, Words, caution
from earnest.results import Caution
from tests.core.results.caution_samples import sample_cautions
from tests.snapshots import Golden

COMMAND = Door(frozenset({"--method", "--n-resamples", "--groups", "--ensembles"}))
MARKS = ("\x02", "\x1f", "\x03")


def test_there_are_at_most_seventy_codes_each_with_a_kind() -> None:
    assert len(MEANINGS) <= 70
    assert {kind.code for kind in list_kinds().values()} == set(MEANINGS)


def test_codes_are_in_order() -> None:
    assert list(MEANINGS) == sorted(MEANINGS)
    assert all(code.startswith("EN") and len(code) == 5 for code in MEANINGS)


@pytest.mark.parametrize("code", MEANINGS)
def test_a_meaning_says_what_follows_and_what_to_do_in_sixty_words(code: str) -> None:
    meaning = MEANINGS[code]
    assert meaning.code == code
    assert meaning.follows
    assert meaning.to_do
    text = f"{meaning.about} {meaning.follows} {meaning.to_do}"
    assert len(text.split()) <= 60
    assert not any(sign in text for sign in ("](", "**", "\n"))


def test_every_kind_says_in_sentences_what_was_seen_and_what_follows() -> None:
    for each in sample_cautions():
        for words in (each.what, each.consequence):
            assert words, each
            assert not words[0].islower() or words.startswith("a1"), each
            assert words.endswith((".", "?")), each
        assert each.cure.endswith(".") or not each.cure, each
        assert not any(mark in str(each) for mark in MARKS), each
        assert "  " not in str(each), each


@pytest.mark.parametrize("door", [Door(), COMMAND], ids=["python", "command"])
def test_every_kind_is_said_in_sixty_words(door: Door) -> None:
    with through(door):
        said = [each.for_verb(verb) for each in sample_cautions() for verb in Verb]
        long = {each.kind: str(each) for each in said if len(str(each).split()) > 1 + 60}
    assert long == {}  # the code is no word


def test_every_kind_survives_json_and_says_the_same() -> None:
    for each in sample_cautions():
        back = Caution.from_dict(json.loads(json.dumps(each.to_dict(), allow_nan=False)))
        assert back == each
        assert str(back) == str(each)
        assert hash(back) == hash(each)


def test_words_are_for_the_door_of_the_reader(golden: Golden) -> None:
    remark = of_limits.few_beyond_limit(100, 5, 400)
    assert remark.cure == "Use n_resamples=400 or more."
    with through(COMMAND):
        assert remark.cure == "Use --n-resamples 400 or more."
        assert of_search.not_corrected(9).cure == "Report --method bbc instead."
        left = of_search.ensembles_left_out("AutoGluon", ("WeightedEnsemble",), chosen_anew=False)
        golden.check(left.cure)
    golden.check(left.cure)


def test_advice_is_for_what_was_called() -> None:
    remark = of_limits.few_beyond_limit(100, 5, 400)
    assert remark.for_verb(Verb.TUNE).cure == "Choose a lower `confidence_level`."
    assert remark.for_verb(Verb.SEARCH).cure == remark.cure
    labels = next(each for each in sample_cautions() if each.kind == "hard_labels")
    assert labels.for_verb(Verb.TUNE).cure == labels.for_verb(Verb.SEARCH).cure != labels.cure
    silent = of_search.one_configuration("", 0).for_verb(Verb.TUNE)
    assert Caution.from_dict(silent.to_dict()) == silent


def test_a_caution_reads_as_one_line(golden: Golden) -> None:
    made = of_search.best_not_told_apart(3, 5)
    assert (made.code, made.severity) == ("EN005", Severity.NOTE)
    golden.check(str(made))
    golden.check(str(of_search.same_predictions()))


def test_a_kind_that_the_catalogue_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="no_such"):
        Caution("no_such")


@pytest.mark.parametrize(
    ("facts", "error"),
    [({"tied": 1}, KeyError), ({"tied": "1", "winner": "a"}, TypeError), ({}, KeyError)],
)
def test_facts_that_do_not_fit_the_kind_are_refused(facts: dict[str, object], error: type) -> None:
    with pytest.raises(error):
        Caution.from_dict({"code": "EN005", "kind": "ties", "facts": facts})


def test_two_kinds_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cautions, "_KINDS", dict(list_kinds()))

    def ties() -> Words:
        return Words("", "")

    with pytest.raises(ValueError, match="two kinds"):
        caution("EN005")(ties)


def test_kinds_say_different_things() -> None:
    """What one kind says, no other kind of the same severity says in the same words."""
    said = {(each.kind, str(each)) for each in sample_cautions()}
    lines = Counter(line for _, line in said)
    assert [line for line, count in lines.items() if count > 1] == []
