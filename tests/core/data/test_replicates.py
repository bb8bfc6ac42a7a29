"""Replicates: what fits together is kept and comes back; what does not is refused."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import earnest as en
from earnest import Replicates
from earnest.core import DrawUnit, ResponseKind
from earnest.core.cautions import of_search
from earnest.errors import FormatError, InputError
from tests.snapshots import Golden


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
        "cautions": (of_search.samples_failed(1, 5, "no model"),),
    }
    return Replicates(**{**parts, **other})


def test_it_says_what_it_holds(golden: Golden) -> None:
    one = made()
    assert (one.n_cases, one.n_replicates) == (6, 4)
    golden.check(repr(one))
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


def test_files_of_other_content_are_refused(tmp_path: Path, golden: Golden) -> None:
    pi = en.Predictions.from_arrays([0, 1], [0.2, 0.7])
    pi.save(tmp_path / "pi.npz")
    with pytest.raises(FormatError) as refusal:
        Replicates.load(tmp_path / "pi.npz")
    golden.check(str(refusal.value))
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


# ---------------------------------------------------------------------------- from arrays


def retrained(kind: str, **options: Any) -> tuple[Replicates, Any]:
    """Replicates that earnest trained itself, and the outcome as it was given; seed 1."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 3))
    values = X[:, 0] + rng.standard_normal(60)
    outcomes = {
        "binary": np.where(values > 0, "ill", "well"),
        "multiclass": np.array(["a", "b", "c"])[np.digitize(values, [-0.5, 0.5])],
        "regression": values,
    }
    learner = Ridge() if kind == "regression" else LogisticRegression()
    if kind == "binary":
        options["positive"] = "ill"
    y = outcomes[kind]
    return en.bootstrap_train(learner, X, y, n_replicates=20, rng=1, **options), y


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("binary", {}),
        ("binary", {"stratify": True}),
        ("multiclass", {}),
        ("regression", {}),
        ("regression", {"groups": np.repeat(np.arange(12), 5)}),
    ],
)
def test_arrays_of_models_trained_elsewhere_give_the_same_estimates(
    kind: str, options: dict[str, Any]
) -> None:
    own, y = retrained(kind, **options)
    read = Replicates.from_arrays(
        y,
        own.responses,
        own.counts.tolist(),
        own.apparent,
        drawn=str(own.drawn),
        groups=options.get("groups"),
        response=None if kind == "regression" else "probability",
        positive="ill" if kind == "binary" else None,
        learner=own.learner,
        threshold=own.threshold,
        seed=own.seed,
    )
    assert read.draws_fingerprint == own.draws_fingerprint
    np.testing.assert_array_equal(read.responses, own.responses)
    np.testing.assert_array_equal(read.apparent, own.apparent)
    metric = "mse" if kind == "regression" else "accuracy"
    for method in ("loob", ".632+"):
        one, two = (en.estimate(made, method=method, metric=metric) for made in (own, read))
        assert (one.value, one.interval) == (two.value, two.interval)


def test_two_columns_of_a_binary_model_are_one_score() -> None:
    counts, p = np.ones((2, 4), dtype=int), np.array([0.1, 0.9, 0.4, 0.6])
    both = np.stack([1 - p, p], axis=1)
    read = Replicates.from_arrays([0, 1, 0, 1], np.stack([both, both]), counts, both)
    np.testing.assert_array_equal(read.responses, np.stack([p, p]))
    assert read.kind is ResponseKind.PROBABILITY


def test_labels_are_coded_like_the_outcome() -> None:
    said = [["b", "a", "b"], ["a", "a", "b"]]
    read = Replicates.from_arrays(
        ["a", "a", "b"], said, np.ones((2, 3), dtype=int), ["a", "b", "b"], positive="b"
    )
    assert (read.kind, read.responses.tolist()) == ("label", [[1, 0, 1], [0, 0, 1]])
    assert read.apparent.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"responses": np.zeros((6, 4))}, r"do not fit.*\(B, 6\).*\(6, 4\)"),
        ({"responses": np.zeros(6)}, "do not fit"),
        ({"apparent": np.zeros(5)}, "do not fit"),
        ({"apparent": np.zeros((6, 1))}, "do not fit"),
        ({"responses": np.full((4, 6), np.nan)}, "not finite"),
        ({"counts": np.ones((3, 6), dtype=int)}, "wrong shape"),
        ({"counts": np.full((4, 6), 0.5)}, "not integers"),
        ({"counts": np.zeros((4, 6), dtype=int)}, "wrong sum"),
        ({"drawn": "twice"}, "drawn"),
        ({"drawn": "group"}, "has none"),
        ({"y": ["u", "v"] * 3}, "positive"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(fault: dict[str, Any], message: str) -> None:
    parts: dict[str, Any] = {
        "y": [0, 1] * 3,
        "responses": np.zeros((4, 6)),
        "counts": np.ones((4, 6), dtype=int),
        "apparent": np.zeros(6),
        **fault,
    }
    with pytest.raises(InputError, match=message):
        Replicates.from_arrays(**parts)
