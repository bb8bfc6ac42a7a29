"""Errors that tell what, allowed, got, cure."""

from __future__ import annotations

import pickle

import pytest

import earnest as en
from earnest.errors import ClusterError
from tests.snapshots import Golden

KINDS = [
    en.errors.EvidenceError,
    en.errors.FormatError,
    en.errors.InputError,
    en.errors.MetricError,
    en.errors.UnknownNameError,
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_has_its_four_parts_as_sentences(
    kind: type[en.errors.EarnestError], golden: Golden
) -> None:
    error = kind("the cat is out", needs="a cat", got="none", cure="Open the door?")
    golden.check(str(error))
    assert isinstance(error, ValueError)
    assert isinstance(error, en.errors.EarnestError)


def test_parts_may_be_left_out() -> None:
    assert str(en.errors.InputError("no cat!")) == "no cat!"


@pytest.mark.parametrize("kind", KINDS)
def test_errors_come_back_from_workers_whole(kind: type[en.errors.EarnestError]) -> None:
    error = kind("what", needs="needs", got="got", cure="cure")
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is kind
    assert (back.what, back.needs, back.got, back.cure) == ("what", "needs", "got", "cure")
    assert str(back) == str(error)


def test_an_unknown_name_is_a_lookup_error() -> None:
    assert issubclass(en.errors.UnknownNameError, LookupError)


def test_a_lost_cluster_says_what_is_stored_and_survives_a_pickle() -> None:
    plain = ClusterError("the cluster is gone", got="no answer", cure="Start it again.")
    stored = plain.resume_by("store", stored=3)
    assert (plain.stored, plain.resumes_by) == (None, None)
    assert (stored.stored, stored.resumes_by) == (3, "store")
    for error in (plain, stored, stored.resume_by("resume")):
        back = pickle.loads(pickle.dumps(error))
        assert (str(back), back.stored, back.resumes_by) == (
            str(error),
            error.stored,
            error.resumes_by,
        )
    assert "`store`" not in str(stored.resume_by("resume"))  # one way back, not two
