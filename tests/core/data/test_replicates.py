"""Replicates: what fits together is kept and comes back; what does not is refused."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from earnest.core.base.errors import FormatError, InputError
from earnest.core.data.replicates import DrawUnit, Replicates
from earnest.core.data.responses import ResponseKind
from earnest.core.results.cautions import Caution


def made(**other: object) -> Replicates:
    """Six cases, four samples; seed 0."""
    rng = np.random.default_rng(0)
    target = en.Predictions.from_arrays(
        ["ä", "b", "b", "ä", "b", "ä"], np.zeros(6), positive="b", groups=[0, 0, 1, 1, 2, 2]
    ).target
    parts = {
        "target": target,
        "responses": rng.random((4, 6)),
        "counts": rng.multinomial(6, np.full(6, 1 / 6), size=4),
        "apparent": rng.random(6),
        "kind": ResponseKind.PROBABILITY,
        "learner": "Bäume",
        "seed": 3,
        "cautions": (Caution("EN088", "One failed.", "It is left out."),),
    }
    return Replicates(**{**parts, **other})


def test_it_says_what_it_holds() -> None:
    one = made()
    assert (one.n_cases, one.n_replicates) == (6, 4)
    assert repr(one) == (
        "Replicates(n=6, replicates=4, drawn=case, task=binary, response=probability)"
    )
    np.testing.assert_array_equal(one.out_of_bag(), one.counts == 0)
    assert one.strata is None
    assert one.groups is None


def test_columns_are_the_replicates_and_cannot_be_written_to() -> None:
    one = made()
    np.testing.assert_array_equal(one.columns.responses[:, :, 0].T, one.responses)
    np.testing.assert_array_equal(one.resubstituted.responses[:, 0, 0], one.apparent)
    for array in (one.responses, one.counts, one.apparent):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_what_was_drawn_tells_strata_and_groups() -> None:
    counts = np.array([[2, 2, 0, 0, 1, 1]])
    grouped = made(counts=counts, responses=np.zeros((1, 6)), drawn="group")
    assert grouped.drawn is DrawUnit.GROUPS
    np.testing.assert_array_equal(grouped.groups, [0, 0, 1, 1, 2, 2])
    apart = made(drawn="stratified")
    np.testing.assert_array_equal(apart.strata, apart.target.y)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"responses": np.zeros((4, 5))}, "responses.*wrong shape"),
        ({"responses": np.zeros((3, 6))}, "responses.*wrong shape"),
        ({"responses": np.full((4, 6), np.nan)}, "responses.*not finite"),
        ({"responses": np.full((4, 6), np.inf)}, "responses.*not finite"),
        ({"apparent": np.zeros((6, 1))}, "apparent.*wrong shape"),
        ({"apparent": np.full(6, np.nan)}, "apparent.*not finite"),
        ({"counts": np.ones((4, 6))}, "not integers"),
        ({"counts": np.full((4, 6), 2)}, "have the wrong sum"),
        ({"counts": np.array([[7, -1, 0, 0, 0, 0]] * 4)}, "negative"),
        ({"counts": np.ones((4, 7), dtype=int)}, "have the wrong sum|shape"),
        ({"drawn": "group"}, "differ within a group"),
    ],
)
def test_what_does_not_fit_is_refused(fault: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        made(**fault)


def test_groups_that_are_not_there_cannot_have_been_drawn() -> None:
    alone = replace(made().target, groups=None)
    with pytest.raises(InputError, match="has none"):
        made(target=alone, drawn="group")


def test_many_classes_have_a_column_each() -> None:
    target = en.Predictions.from_arrays([0, 1, 2], np.eye(3)[:, None, None]).target
    one = Replicates(
        target=target,
        responses=np.zeros((2, 3, 3)),
        counts=np.ones((2, 3), dtype=np.uint8),
        apparent=np.zeros((3, 3)),
        kind=ResponseKind.DECISION,
    )
    assert one.columns.responses.shape == (3, 2, 1, 3)


def test_a_file_gives_back_the_same(tmp_path: Path) -> None:
    one = made()
    path = one.save(tmp_path / "ä.npz")
    back = Replicates.load(path)
    assert back.fingerprint == one.fingerprint
    assert (back.learner, back.seed, back.cautions) == (one.learner, one.seed, one.cautions)
    assert back.target.classes == ("ä", "b")
    np.testing.assert_array_equal(back.counts, one.counts)
    again = one.save(tmp_path / "again.npz")
    assert again.read_bytes() == path.read_bytes()


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    path = made().save(tmp_path / "one.npz")
    with np.load(path) as held:
        arrays = dict(held)
    arrays["responses"] = arrays["responses"] + 1e-9
    np.savez(path, **arrays)
    with pytest.raises(FormatError, match="changed or damaged"):
        Replicates.load(path)
    assert Replicates.load(path, verify=False).n_cases == 6


def test_files_of_other_content_are_refused(tmp_path: Path) -> None:
    pi = en.Predictions.from_arrays([0, 1], [0.2, 0.7])
    pi.save(tmp_path / "pi.npz")
    with pytest.raises(FormatError, match=r"not hold replicates.*Predictions\.load"):
        Replicates.load(tmp_path / "pi.npz")
    np.savez(tmp_path / "other.npz", x=np.zeros(2))
    with pytest.raises(FormatError, match="not hold replicates"):
        Replicates.load(tmp_path / "other.npz")
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(FormatError, match="cannot be read"):
        Replicates.load(tmp_path / "text.npz")
    with pytest.raises(FormatError, match="no file"):
        Replicates.load(tmp_path / "none.npz")
    with pytest.raises(FormatError, match=r"ends in \.npz"):
        made().save(tmp_path / "one.csv")


def test_pickled_replicates_cannot_be_written_to_either() -> None:
    back = pickle.loads(pickle.dumps(made()))
    assert back.fingerprint == made().fingerprint
    with pytest.raises(ValueError, match="read-only"):
        back.responses[0] = 0


def test_fingerprints_tell_learners_and_draws_apart() -> None:
    one = made()
    other = made(responses=one.responses + 0.1)
    assert other.fingerprint != one.fingerprint
    assert other.draws_fingerprint == one.draws_fingerprint
    assert made(counts=one.counts[::-1].copy()).draws_fingerprint != one.draws_fingerprint
    assert made(counts=one.counts.astype(np.uint8)).draws_fingerprint == one.draws_fingerprint


def test_some_replicates_can_be_taken() -> None:
    part = made().take(slice(0, 2))
    assert part.n_replicates == 2
    np.testing.assert_array_equal(part.responses, made().responses[:2])
