"""Errors that tell what, allowed, got, cure."""

from __future__ import annotations

import pickle

import pytest

import earnest as en

KINDS = [en.EvidenceError, en.FormatError, en.InputError, en.MetricError, en.UnknownNameError]


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_has_its_four_parts_as_sentences(kind: type[en.EarnestError]) -> None:
    error = kind("the cat is out", needs="a cat", got="none", cure="Open the door?")
    assert str(error) == "the cat is out. Expected a cat, got none. Open the door?"
    assert isinstance(error, ValueError)
    assert isinstance(error, en.EarnestError)


def test_parts_may_be_left_out() -> None:
    assert str(en.InputError("no cat!")) == "no cat!"


@pytest.mark.parametrize("kind", KINDS)
def test_errors_come_back_from_workers_whole(kind: type[en.EarnestError]) -> None:
    error = kind("what", needs="needs", got="got", cure="cure")
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is kind
    assert (back.what, back.needs, back.got, back.cure) == ("what", "needs", "got", "cure")
    assert str(back) == str(error)


def test_an_unknown_name_is_a_lookup_error() -> None:
    assert issubclass(en.UnknownNameError, LookupError)
